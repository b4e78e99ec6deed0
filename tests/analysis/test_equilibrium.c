/* Rests against closed forms. */
#include <math.h>

#include "moment.h"
#include "analysis/run/transient.h"
#include "test.h"

/* However the pendulum starts, it hangs in the end; the reaction is its weight. */
TEST(pendulum_hangs)
{
    momentRig m = moment_file("pendulum", NULL, 0);
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(moment_channel(&m, "joint.O.angle"), 0, 1e-12);
    CHECK_NEAR(hypot(moment_channel(&m, "joint.O.force.x"),
                     hypot(moment_channel(&m, "joint.O.force.y"), moment_channel(&m, "joint.O.force.z"))),
               9.81, 1e-10);
    CHECK(m.rest.residual < 1e-10);
    moment_end(&m);
}

TEST(weights_on_springs)
{
    momentRig m = moment_text("verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                              "bodies:\n  a: {mass: 2, point: true, position: [0, -1]}\n"
                              "  b: {mass: 3, point: true, position: [0.001, -2]}\n"
                              "forces:\n  s1: {spring: [ground, a], stiffness: 500, length: 1}\n"
                              "  s2: {spring: [a, b], stiffness: 300, length: 1}\n");
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    double ya = -1 - 5 * 9.81 / 500, yb = ya - 1 - 3 * 9.81 / 300;
    CHECK_NEAR(moment_channel(&m, "body.a.position.y"), ya, 1e-11);
    CHECK_NEAR(moment_channel(&m, "body.b.position.y"), yb, 1e-11);
    CHECK_NEAR(moment_channel(&m, "body.b.position.x"), 0, 1e-11);
    moment_end(&m);
}

/* m g l sin θ = k θ with k < m g l: it leans over; θ solves the equation. */
TEST(leaning_rod)
{
    momentRig m = moment_text("verge: 1\nplanar: true\ngravity: [0, -10]\n"
                              "bodies:\n  rod: {mass: 1, inertia: 0.1, com: [0, 1], angle: 0.01}\n"
                              "joints:\n  O: {revolute: [ground, rod]}\n"
                              "forces:\n  k: {torsion: O, stiffness: 6}\n");
    vgEquilibriumOptions o = {.relax = 1};
    moment_rest(&m, &o);
    CHECK_INT(m.status, VG_OK);
    double angle = fabs(moment_channel(&m, "joint.O.angle"));
    CHECK(angle > 1);
    CHECK_NEAR(10 * sin(angle), 6 * angle, 1e-9);
    moment_end(&m);
}

/* Driven joints: at t the crank stands where its drive wants it, and the drive's torque carries the weight.
 */
TEST(driven_rest)
{
    momentRig m = moment_text("verge: 1\nplanar: true\ngravity: [0, -10]\n"
                              "bodies:\n  rod: {mass: 2, inertia: 0.1, com: [0.5, 0]}\n"
                              "joints:\n  O: {revolute: [ground, rod], drive: {angle: t^2/8}}\n");
    m.sim.state->t = 2;
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(moment_channel(&m, "joint.O.angle"), 0.5, 1e-12);
    CHECK_NEAR(moment_channel(&m, "joint.O.rate"), 0, 0);
    moment_end(&m);
}

TEST(something_free_is_named)
{
    momentRig m = moment_text("verge: 1\ngravity: 9.81\nbodies:\n  stone: {mass: 1, inertia: [1, 1, 1]}\n");
    moment_rest(&m, NULL);
    CHECK(m.status != VG_OK);
    CHECK(vg_diag_count(m.diag) > 0);
    CHECK(strstr(vg_diag_line(m.diag, 0), "equilibrium") != NULL);
    moment_end(&m);
}

/* A pendulum on a cart that rolls freely, with a flywheel on the bob that spins freely: both ways end with
 * the pendulum hanging, and name what nothing holds. Nothing pushes along the rail: the centre of mass stays.
 */
TEST(neutral_directions_are_named)
{
    const char *const text =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n  cart: {mass: 3, inertia: 1}\n"
        "  bob: {mass: 1, inertia: 0.05, position: [0.3, -0.6], markers: {O: [-0.3, 0.6]}}\n"
        "  wheel: {mass: 1, inertia: 0.01, position: [0.3, -0.6]}\n"
        "joints:\n  rail: {prismatic: [ground, cart], axis: x}\n  O: {revolute: [cart, bob.O]}\n"
        "  axle: {revolute: [bob, wheel]}\n";
    for (int i = 0; i < 2; i++) {
        momentRig m = moment_text(text);
        vgEquilibriumOptions o = {.relax = i};
        moment_rest(&m, &o);
        CHECK_INT(m.status, VG_OK);
        CHECK_NEAR(moment_channel(&m, "body.cart.position.x"), 0.12, 1e-9);
        CHECK_NEAR(moment_channel(&m, "body.bob.position.x"), 0.12, 1e-9);
        CHECK_NEAR(moment_channel(&m, "body.wheel.angle"), 0, 1e-9);
        CHECK_NEAR(m.rest.residual, 0, 1e-12);
        vgStability s = vg_modes_stability(m.sim.sys, m.sim.it->work, m.sim.state, NULL);
        CHECK_INT(s.unstable, 0);
        CHECK_INT(s.neutral, 2);
        char name[2][60];
        for (int k = 0; k < 2; k++) vg_modes_name(m.sim.sys, s.coordinate[k], name[k], sizeof name[k]);
        int spins = strcmp(name[0], "wheel.turn.z") ? 1 : 0;
        CHECK(!strcmp(name[spins], "wheel.turn.z"));
        CHECK(strstr(name[1 - spins], ".x") != NULL);
        moment_end(&m);
    }
    momentRig m = moment_text("verge: 1\nplanar: true\ngravity: [1, -9.81]\n"
                              "bodies:\n  cart: {mass: 3, inertia: 1}\n"
                              "joints:\n  rail: {prismatic: [ground, cart], axis: x}\n");
    vgEquilibriumOptions o = {.relax = 1}; /* pushed along the free direction: no rest */
    moment_rest(&m, &o);
    CHECK(m.status != VG_OK);
    moment_end(&m);
}

/* A plate on an incline: below the angle of friction it rests, feet bent by δ tan a/μ and pressed in by
 * (N/k)^(2/3), and a run goes on from there without a move; above it, a spring has to take what friction does
 * not, F = m g (sin a − μ cos a), the plate having slid down to it; without the spring there is no rest. */
static void plate(char *text, size_t n, double a, int spring)
{
    snprintf(text, n,
             "verge: 1\nplanar: true\ngravity: [%.17g, %.17g]\n"
             "bodies:\n  plate: {mass: 2, inertia: 0.01, markers: {A: [-0.1, 0], B: [0.1, 0]}}\n"
             "forces:\n  A: {contact-sphere-plane: [ground, plate.A], radius: 0, stiffness: 1e6, damping: 1, "
             "friction: 0.5, stick: 1e-5}\n"
             "  B: {contact-sphere-plane: [ground, plate.B], radius: 0, stiffness: 1e6, damping: 1, "
             "friction: 0.5, stick: 1e-5}\n"
             "%s",
             9.81 * sin(a), -9.81 * cos(a),
             spring ? "  spring: {axial-spring: [ground, plate], axis: x, stiffness: 400, length: 0}\n" : "");
}

TEST(friction_holds)
{
    char text[900];
    const double a = 0.3, N = 9.81 * cos(a);
    plate(text, sizeof text, a, 0);
    momentRig m = moment_text(text);
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(m.rest.residual, 0, 1e-10);
    CHECK_NEAR(moment_channel(&m, "body.plate.position.y"), -pow(N / 1e6, 2.0 / 3), 1e-12);
    CHECK_NEAR(moment_channel(&m, "force.A.normal"), N, 1e-8);
    CHECK_NEAR(moment_channel(&m, "force.A.friction") + moment_channel(&m, "force.B.friction"),
               2 * 9.81 * sin(a), 1e-8);
    double x = moment_channel(&m, "body.plate.position.x");
    CHECK_NEAR(x, 1e-5 * tan(a) / 0.5, 1e-11);
    vgTransientOptions how = {.step = 1e-2, .end = 0.5, .every = 1 << 30};
    vgTransientResult end = {0};
    CHECK_INT(vg_transient_run(m.sim.it, m.sim.state, &how, NULL, &end), VG_OK);
    CHECK_NEAR(moment_channel(&m, "body.plate.position.x"), x, 1e-9);
    CHECK_NEAR(moment_channel(&m, "body.plate.velocity.x"), 0, 1e-10);
    moment_end(&m);
}

/* A pendulum held by the friction of its joint stays where it is put, give or take the bend of the bristles,
 * m g L sin φ = C (φ₀ − φ)/δ, and one that is too heavy for that sinks until it is not, m g L sin φ = C. */
TEST(friction_of_a_joint_holds)
{
    const double load = 2 * 9.81 * 0.5, C[] = {10, 2};
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                 "bodies: {rod: {mass: 2, inertia: 0.1, com: [0, -0.5], angle: 0.5}}\n"
                 "joints: {O: {revolute: [ground, rod]}}\n"
                 "forces: {drag: {joint-friction: O, coulomb: %g, stick: 1e-4}}\n",
                 C[i]);
        momentRig m = moment_text(text);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        double angle = moment_channel(&m, "joint.O.angle"), torque = load * sin(angle);
        CHECK_NEAR(angle, i == 0 ? 0.5 - 1e-4 * torque / C[i] : asin(C[i] / load), 1e-9);
        CHECK_NEAR(moment_channel(&m, "force.drag.torque"), torque, 1e-9);
        CHECK_NEAR(m.rest.residual, 0, 1e-10);
        moment_end(&m);
    }
}

TEST(friction_gives_way)
{
    char text[900];
    const double a = 0.8, F = 2 * 9.81 * (sin(a) - 0.5 * cos(a));
    for (int spring = 0; spring < 2; spring++) {
        plate(text, sizeof text, a, spring);
        momentRig m = moment_text(text);
        moment_rest(&m, NULL);
        if (spring) {
            CHECK_INT(m.status, VG_OK);
            CHECK_NEAR(moment_channel(&m, "body.plate.position.x"), F / 400, 1e-9);
            CHECK_NEAR(moment_channel(&m, "force.A.friction") / moment_channel(&m, "force.A.normal"), 0.5,
                       1e-9);
        } else {
            CHECK(m.status != VG_OK);
            CHECK(strstr(vg_diag_line(m.diag, 0), "body 'plate' keeps moving"));
        }
        moment_end(&m);
    }
}

/* A ladder on a rough floor against a smooth wall: the floor pushes with m g/(2 tan a), a the angle it comes
 * to, and holds it while that is below μ m g: a > 51.3° for μ = 0.4. */
TEST(a_ladder)
{
    const double start[] = {1.0, 0.92, 0.85};
    for (int i = 0; i < 3; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {a: %.17g}\n"
                 "bodies:\n  ground: {markers: {wall: {position: [0, 0], angle: -pi/2}}}\n"
                 "  ladder: {mass: 10, inertia: 10/3, position: [cos(a), sin(a)], angle: -a,\n"
                 "           markers: {top: [-1, 0], foot: [1, 0]}}\n"
                 "forces:\n  floor: {contact-sphere-plane: [ground, ladder.foot], radius: 0, stiffness: 1e8, "
                 "friction: 0.4, stick: 1e-5}\n"
                 "  wall: {contact-sphere-plane: [ground.wall, ladder.top], radius: 0, stiffness: 1e8}\n"
                 "  down: {contact-sphere-plane: [ground, ladder.top], radius: 0, stiffness: 1e8}\n",
                 start[i]);
        momentRig m = moment_text(text);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        double angle = -moment_channel(&m, "body.ladder.angle"), push = 10 * 9.81 / (2 * tan(angle));
        CHECK_NEAR(angle, i < 2 ? start[i] : 0, 5e-4);
        if (i < 2) CHECK_NEAR(moment_channel(&m, "force.floor.friction"), push, 1e-8);
        if (i < 2) CHECK_NEAR(moment_channel(&m, "force.wall.normal"), push, 1e-8);
        moment_end(&m);
    }
}

/* An upright pendulum is left in one direction, a hanging one in none. */
TEST(stable_or_not)
{
    const double angle[] = {0, 3.14159265358979323846};
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\ngravity: [0, -10]\n"
                 "bodies:\n  rod: {mass: 1, inertia: 0.1, com: [0, -1], angle: %.17g}\n"
                 "joints:\n  O: {revolute: [ground, rod]}\n",
                 angle[i]);
        momentRig m = moment_text(text);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        CHECK_INT(vg_modes_unstable(m.sim.sys, m.sim.it->work, m.sim.state, NULL), i);
        moment_end(&m);
    }
}

/* The elastica past its first load: pushed off the straight line, which is a rest too, relax ends bent. Tip
 * at x/L = 2E(k)/(pL) − 1, y/L = 2k/(pL) with pL = K(k), k = sin(α/2), p² = P/EI; α = 60°. */
TEST(relax_leaves_the_straight_column)
{
    const double K = 1.6857503548125961, E = 1.4674622093394272;
    char text[300];
    snprintf(text, sizeof text,
             "verge: 1\nplanar: true\nmesh:\n  c: {beam3: 12, from: ground, to: [1, 0], EA: 1e6, GAy: 1e6, "
             "EIz: 1, m: 1}\nforces:\n  P: {force: c.25, value: [%.17g, 0]}\n",
             -K * K);
    momentRig m = moment_text(text);
    vgEquilibriumOptions o = {.relax = 1};
    moment_rest(&m, &o);
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(vg_modes_unstable(m.sim.sys, m.sim.it->work, m.sim.state, NULL), 0);
    CHECK_NEAR(moment_channel(&m, "body.c.25.position.x"), 2 * E / K - 1, 1e-4);
    CHECK_NEAR(fabs(moment_channel(&m, "body.c.25.position.y")), 2 * 0.5 / K, 1e-4);
    moment_end(&m);
}

/* Euler's column, clamped and free: P = (2k − 1)² π²EI/4L² each take one direction away. */
TEST(column_past_its_loads)
{
    const double euler = 2.4674011002723395, part[] = {0.98, 1.02, 8.8, 9.2};
    const int directions[] = {0, 1, 1, 2};
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\nmesh:\n  c: {beam3: 8, from: ground, to: [1, 0], EA: 1e5, GAy: "
                 "1e5, EIz: 1, m: 1}\nforces:\n  P: {force: c.17, value: [%.17g, 0]}\n",
                 -part[i] * euler);
        momentRig m = moment_text(text);
        moment_rest(&m, NULL);
        CHECK_INT(m.status, VG_OK);
        CHECK_NEAR(moment_channel(&m, "body.c.17.position.y"), 0, 1e-12);
        CHECK_INT(vg_modes_unstable(m.sim.sys, m.sim.it->work, m.sim.state, NULL), directions[i]);
        moment_end(&m);
    }
}

TEST_MAIN(friction_of_a_joint_holds, friction_holds, friction_gives_way, a_ladder,
          neutral_directions_are_named, stable_or_not, relax_leaves_the_straight_column,
          column_past_its_loads, pendulum_hangs, weights_on_springs, leaning_rod, driven_rest,
          something_free_is_named)
