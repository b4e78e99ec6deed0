/* Friction that holds (`stick`): what rests, rests; what slides or rolls does so by the closed forms; stick
 * and slip against an integration of its own and against Coulomb's law. */
#include <math.h>

#include "run_model.h"
#include "test.h"

static const double PI = 3.14159265358979323846, G = 9.81;

static runResult run(const char *text, const char *coordinates, const char *integrator, double step,
                     double end, const char *const *channel)
{
    runSpec spec = {
        .text = text, .coordinates = coordinates, .integrator = integrator, .step = step, .end = end};
    for (int i = 0; channel[i]; i++) spec.channel[i] = channel[i];
    runResult out = run_model(&spec);
    CHECK_INT(out.status, VG_OK);
    if (out.status != VG_OK) printf("   %s, %s: %s\n", coordinates, integrator, out.error);
    return out;
}

/* A plate on four feet in the plane of its centre of mass, on an incline of slope a along the diagonal. */
static void plate(char *text, size_t n, double a)
{
    snprintf(text, n,
             "verge: 1\nparameters: {k: 1e6, mu: 0.5, N: 2*9.81*cos(%g)/4, s: 9.81*sin(%g)/sqrt(2)}\n"
             "gravity: [s, s, -9.81*cos(%g)]\n"
             "bodies:\n  plate: {mass: 2, inertia: [0.01, 0.01, 0.02], position: [0, 0, -(N/k)^(2/3)],\n"
             "    markers: {A: [0.1, 0.1, 0], B: [-0.1, 0.1, 0], C: [-0.1, -0.1, 0], D: [0.1, -0.1, 0]}}\n"
             "forces:\n",
             a, a, a);
    for (int i = 0; i < 4; i++) {
        size_t used = strlen(text);
        snprintf(text + used, n - used,
                 "  foot%d: {contact-sphere-plane: [ground, plate.%c], radius: 0, stiffness: k, damping: 1, "
                 "friction: mu, stick: 1e-5}\n",
                 i, "ABCD"[i]);
    }
}

/* Below the angle of friction it gives way by the bend of the bristles, δ tan a/μ, and stays there: by
 * methods of all families, in all coordinates, for ten seconds. */
TEST(a_plate_on_an_incline_stays)
{
    static const char *const how[][2] = {
        {"lie", "generalized-alpha"}, {"lie", "bathe"},   {"lie", "trapezoidal"},
        {"lie", "energy-momentum"},   {"lie", "bdf2"},    {"euler-parameters", "hht"},
        {"relative", "hht"},          {"natural", "hht"}, {"se3", "generalized-alpha"},
    };
    const double a = 0.18, bend = 1e-5 * tan(a) / 0.5 / sqrt(2);
    char text[1600];
    plate(text, sizeof text, a);
    for (int k = 0; k < 9; k++) {
        const char *const channel[] = {"body.plate.position.x", "body.plate.position.y",
                                       "body.plate.velocity.x", "body.plate.velocity.y", NULL};
        runResult r = run(text, how[k][0], how[k][1], 1e-3, 1, channel);
        for (int i = 0; i < 2; i++) CHECK_NEAR(r.value[i], bend, 4e-9);
        for (int i = 2; i < 4; i++) CHECK_NEAR(r.value[i], 0, 1e-12);
        /* of a stage; bathe has two. A reused matrix takes two at least: the second shows how the first contracted */
        CHECK(r.end.stats.newton_iterations < 3 * (k == 1 ? 2 : 1) * r.end.stats.steps);
    }
    for (int k = 0; k < 5; k++) { /* steps that do not resolve how the bristles settle */
        const char *const channel[] = {"body.plate.position.x", "body.plate.velocity.x", NULL};
        runResult r = run(text, how[k][0], how[k][1], 1e-2, 10, channel);
        CHECK(r.value[0] > 0 && r.value[0] < 2 * bend);
        CHECK_NEAR(r.value[1], 0, 1e-12);
    }
}

/* Above it, it slides with g (sin a − μ cos a), once the bristles are bent. */
TEST(a_plate_slides_down_an_incline)
{
    static const char *const how[][2] = {{"lie", "generalized-alpha"},
                                         {"relative", "bathe"},
                                         {"natural", "esdirk436"},
                                         {"euler-parameters", "hht-i3"},
                                         {"lie", "dp5:rtol=1e-5"}};
    const double a = 0.6, acceleration = G * (sin(a) - 0.5 * cos(a)) / sqrt(2);
    char text[1600];
    plate(text, sizeof text, a);
    for (int k = 0; k < 5; k++) {
        const char *const channel[] = {"body.plate.velocity.x", "body.plate.velocity.y", NULL};
        runResult half = run(text, how[k][0], how[k][1], 1e-3, 0.1, channel);
        runResult r = run(text, how[k][0], how[k][1], 1e-3, 0.2, channel);
        for (int i = 0; i < 2; i++) CHECK_NEAR(r.value[i] - half.value[i], 0.1 * acceleration, 2e-6);
    }
}

/* A ball rolls down with 5/7 g sin a, without any slip, whatever the step. */
TEST(a_ball_rolls_without_slip)
{
    static const char *const text = "verge: 1\nparameters: {a: 0.3, J: 0.4*0.17*9e-4}\n"
                                    "gravity: [9.81*sin(a), 0, -9.81*cos(a)]\n"
                                    "bodies: {b: {mass: 0.17, inertia: [J, J, J], position: [0, 0, 0.03 - "
                                    "(0.17*9.81*cos(a)/1e6)^(2/3)]}}\n"
                                    "forces: {f: {contact-sphere-plane: [ground, b], radius: 0.03, "
                                    "stiffness: 1e6, damping: 1, friction: 0.2, stick: 1e-5}}\n";
    static const char *const how[] = {"generalized-alpha", "bdf2", "radau3", "rk4"};
    for (int k = 0; k < 4; k++) {
        runResult r = run(text, "lie", how[k], 1e-3, 2,
                          (const char *const[]){"body.b.velocity.x", "body.b.omega.y", "force.f.slip", NULL});
        CHECK_NEAR(r.value[0], 5.0 / 7 * G * sin(0.3) * 2, 1e-9);
        CHECK_NEAR(r.value[1] * 0.03, r.value[0], 1e-9);
        CHECK_NEAR(r.value[2], 0, 1e-9);
    }
}

/* A plate that starts sliding across a floor is slowed by μ g from the first step on, however long that is: v
 * = v0 − μ g t along the way it was pushed, and it ends after v0²/2μg. */
TEST(a_plate_pushed_across_the_floor)
{
    static const char *const how[][2] = {{"lie", "generalized-alpha"}, {"lie", "bdf2"},
                                         {"lie", "esdirk436"},         {"relative", "bathe"},
                                         {"natural", "hht"},           {"euler-parameters", "hht-i3"}};
    static const double step[] = {1e-3, 1e-2, 5e-2};
    const double v0 = 2, mu = 0.5, way[2] = {0.6, 0.8};
    const char *const channel[] = {"body.plate.velocity.x", "body.plate.velocity.y", "body.plate.position.x",
                                   "body.plate.position.y", NULL};
    char text[1600], *at;
    plate(text, sizeof text, 0);
    at = strstr(text, "position:");
    memmove(at + 30, at, strlen(at) + 1);
    memcpy(at, "velocity: [1.2, 1.6, 0],      ", 30);
    for (int k = 0; k < 6; k++)
        for (int s = 0; s < 3; s++) {
            runResult r = run(text, how[k][0], how[k][1], step[s], 0.2, channel);
            for (int i = 0; i < 2; i++) {
                CHECK_NEAR(r.value[i], way[i] * (v0 - mu * G * 0.2), 2e-5);
                CHECK_NEAR(r.value[2 + i], way[i] * (v0 * 0.2 - 0.5 * mu * G * 0.04), 2e-5);
            }
        }
    runResult r = run(text, "lie", "generalized-alpha", 1e-2, 1, channel);
    for (int i = 0; i < 2; i++) CHECK_NEAR(r.value[2 + i], way[i] * v0 * v0 / (2 * mu * G), 1e-3);
}

/* The same along a joint: a slider of 2 kg on an incline, friction 20 N. Held, it gives way by δ F/C and
 * stays; pushed, it slows down by C/m less g sin a from the first step on. */
TEST(a_slider_held_by_the_friction_of_its_joint)
{
    static const char *const how[][2] = {
        {"planar", "generalized-alpha"}, {"relative", "bathe"}, {"natural", "hht"},
        {"planar", "esdirk436"},         {"relative", "bdf2"},  {"planar", "trapezoidal"}};
    const char *const channel[] = {"joint.rail.displacement", "joint.rail.rate", "force.drag.torque", NULL};
    const double F = 2 * G * sin(0.3), C = 20;
    for (int pushed = 0; pushed < 2; pushed++)
        for (int k = 0; k < 6; k++) {
            char text[600];
            snprintf(text, sizeof text,
                     "verge: 1\nplanar: true\ngravity: [9.81*sin(0.3), -9.81*cos(0.3)]\n"
                     "bodies: {b: {mass: 2, inertia: 1, velocity: [%d, 0]}}\n"
                     "joints: {rail: {prismatic: [ground, b], axis: x}}\n"
                     "forces: {drag: {joint-friction: rail, coulomb: 20, stick: 1e-5}}\n",
                     2 * pushed);
            runResult r = run(text, how[k][0], how[k][1], pushed ? 2e-2 : 1e-4, 0.2, channel);
            CHECK_NEAR(r.value[0], pushed ? 2 * 0.2 - 0.5 * (C - F) / 2 * 0.04 : 1e-5 * F / C,
                       pushed ? 1e-5 : 2e-9);
            CHECK_NEAR(r.value[1], pushed ? 2 - (C - F) / 2 * 0.2 : 0, pushed ? 1e-5 : 1e-10);
            CHECK_NEAR(r.value[2], pushed ? -C : -F, 1e-5);
        }
}

/* Slides first, then rolls with 5/7 of its speed. */
TEST(a_sliding_ball_begins_to_roll)
{
    static const char *const text = "verge: 1\ngravity: 9.81\nparameters: {J: 0.4*0.17*9e-4}\n"
                                    "bodies: {b: {mass: 0.17, inertia: [J, J, J], position: [0, 0, 0.03 - "
                                    "(0.17*9.81/1e6)^(2/3)], velocity: [0, 2, 0]}}\n"
                                    "forces: {f: {contact-sphere-plane: [ground, b], radius: 0.03, "
                                    "stiffness: 1e6, friction: 0.2, stick: 1e-6}}\n";
    const char *const channel[] = {"body.b.velocity.y", "body.b.omega.x", NULL};
    double T = 2 * 2 / (7 * 0.2 * G);
    runResult r = run(text, "lie", "esdirk436:rtol=1e-7", 1e-5, 0.5 * T, channel);
    CHECK_NEAR(r.value[0], 2 - 0.2 * G * 0.5 * T, 1e-4);
    r = run(text, "lie", "esdirk436:rtol=1e-7", 1e-5, 1.5 * T, channel);
    CHECK_NEAR(r.value[0], 10.0 / 7, 1e-6);
    CHECK_NEAR(r.value[1], -10.0 / 7 / 0.03, 1e-4);
}

/* A ball rolls off the top of another one: 7/10 v² = g (R + r)(1 − cos θ) as long as friction holds it. The
 * normal turns all the while, also in the axes of the lower ball, which is held by a joint and not the
 * ground. */
TEST(a_ball_rolls_on_a_ball)
{
    static const char *const text =
        "verge: 1\ngravity: 9.81\nparameters: {J: 0.004, d: (9.81/1e8)^(2/3), s: 0.1}\n"
        "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], omega: [0, 0, 0]}\n"
        "  b: {mass: 1, inertia: [J, J, J], position: [(0.6 - d)*sin(s), 0, (0.6 - d)*cos(s)]}\n"
        "joints: {hold: {fixed: [ground, a]}}\n"
        "forces: {f: {contact-sphere-sphere: [a, b], first: 0.5, radius: 0.1, stiffness: 1e8, damping: 0.1, "
        "friction: 1, stick: 1e-6}}\n";
    runResult r = run(text, "lie", "generalized-alpha", 2e-4, 0.6,
                      (const char *const[]){"body.b.velocity.x", "body.b.velocity.z", "body.b.position.x",
                                            "body.b.position.z", "force.f.slip", NULL});
    double v2 = r.value[0] * r.value[0] + r.value[1] * r.value[1], theta = atan2(r.value[2], r.value[3]);
    CHECK(theta > 0.3 && theta < 0.5);
    CHECK_NEAR(0.7 * v2, G * 0.6 * (cos(0.1) - cos(theta)), 1e-4 * v2);
    CHECK(r.value[4] < 2e-4);
}

/* ---- stick and slip on a belt: mass 1, N = 10, spring 100, friction 0.2, static 0.4 */

static const char belt[] =
    "verge: 1\nplanar: true\ngravity: 10\nparameters: {belt: 0.1, stick: 1e-6, stribeck: 1e-3}\n"
    "bodies:\n  belt: {mass: 1, inertia: 1}\n"
    "  block: {mass: 1, point: true, position: [0, -(10/1e7)^(2/3)], velocity: [belt, 0]}\n"
    "joints: {guide: {prismatic: [ground, belt], axis: x, drive: {rate: belt}}}\n"
    "forces:\n  pull: {axial-spring: [ground, block], axis: x, stiffness: 100, length: 0}\n"
    "  rub: {contact-sphere-plane: [belt, block], radius: 0, stiffness: 1e7, damping: 1, friction: 0.2, "
    "static: 0.4, stribeck: stribeck, stick: stick}\n";

typedef struct Block {
    double x, u, z;
} Block;

/* The law once more, on the line; its corner at 0.7 is rounded by ±0.015. */
static Block rates(Block s, double stick, double stribeck)
{
    const double mu = 0.2, tau = sqrt(stick / (mu * 9.81)), v = s.u - 0.1;
    double level = 1 + (0.4 / mu - 1) * exp(-v * v / (stribeck * stribeck)), x = fabs(s.z) / level;
    double over = (x - 0.7) / 0.3, part = over > 0.05    ? over
                                          : over < -0.05 ? 0
                                                         : (over + 0.05) * (over + 0.05) / 0.2;
    double e = v * s.z > 0 ? v * (1 - part) : v, k = tau / stick;
    double b = x > 1 ? s.z * (2 - 1 / x) / x : s.z;
    double F = -mu * 10 * (b + k * e / (1 + k * k * v * v));
    return (Block){s.u, F - 100 * s.x, e / stick};
}

static Block add(Block a, double h, Block b)
{
    return (Block){a.x + h * b.x, a.u + h * b.u, a.z + h * b.z};
}

static Block by_hand(double stick, double stribeck, double end, long steps)
{
    Block s = {0, 0.1, 0};
    double h = end / (double)steps;
    for (long i = 0; i < steps; i++) {
        Block a = rates(s, stick, stribeck), b = rates(add(s, h / 2, a), stick, stribeck);
        Block c = rates(add(s, h / 2, b), stick, stribeck), d = rates(add(s, h, c), stick, stribeck);
        s = add(add(add(add(s, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
    }
    return s;
}

TEST(stick_and_slip_as_integrated_by_hand)
{
    static const char *const how[] = {"esdirk436:rtol=1e-7", "bdf:rtol=1e-7", "generalized-alpha"};
    for (int k = 0; k < 3; k++)
        for (double end = 0.5; end < 1.6; end += 0.5) { /* sliding, sticking again, sliding again */
            Block s = by_hand(1e-5, 1e-3, end, 400000);
            runSpec spec = {.text = belt,
                            .coordinates = "planar",
                            .integrator = how[k],
                            .step = 1e-4,
                            .end = end,
                            .set = {"stick=1e-5"},
                            .channel = {"body.block.position.x", "body.block.velocity.x"}};
            runResult r = run_model(&spec);
            CHECK_INT(r.status, VG_OK);
            CHECK_NEAR(r.value[0], s.x, 2e-5);
            CHECK_NEAR(r.value[1], s.u, 2e-4);
        }
}

/* Coulomb's law: with the belt until the spring pulls with μ_s N, at 0.4 s; then x = c + c cos ωt + v/ω sin
 * ωt, c = 0.02, until the speed is the belt's again, at x = 0. */
TEST(stick_and_slip_of_coulombs_law)
{
    double slide = 2 * (PI - atan2(0.2, 0.1)) / 10, at[] = {0.39, 0.4 + 0.5 * slide, 0.4 + slide + 0.3};
    for (int i = 0; i < 3; i++) {
        double t = at[i] - 0.4, x = i == 0   ? 0.1 * at[i]
                                    : i == 1 ? 0.02 + 0.02 * cos(10 * t) + 0.01 * sin(10 * t)
                                             : 0.03;
        runSpec spec = {.text = belt,
                        .coordinates = "planar",
                        .integrator = "bdf:rtol=1e-6",
                        .step = 1e-4,
                        .end = at[i],
                        .set = {"stick=1e-8", "stribeck=1e-4"},
                        .channel = {"body.block.position.x"}};
        runResult r = run_model(&spec);
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], x, 2e-4);
    }
}

TEST_MAIN(a_slider_held_by_the_friction_of_its_joint, a_plate_pushed_across_the_floor,
          a_plate_on_an_incline_stays, a_plate_slides_down_an_incline, a_ball_rolls_without_slip,
          a_sliding_ball_begins_to_roll, a_ball_rolls_on_a_ball, stick_and_slip_as_integrated_by_hand,
          stick_and_slip_of_coulombs_law)
