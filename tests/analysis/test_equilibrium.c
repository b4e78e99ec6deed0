/* Rests against closed forms. */
#include <math.h>

#include "moment.h"
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

TEST_MAIN(pendulum_hangs, weights_on_springs, leaning_rod, driven_rest, something_free_is_named)
