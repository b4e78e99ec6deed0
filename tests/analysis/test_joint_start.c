/* `start` of joints: the motion starts with the coordinates and rates that are given there, in all coordinates and settings. */
#include <math.h>

#include "run_model.h"
#include "test.h"

static double value(const char *text, const char *coordinates, const char *constraints, const char *channel)
{
    runResult r = run_model(&(runSpec){.text = text,
                                       .coordinates = coordinates,
                                       .constraints = constraints,
                                       .integrator = "generalized-alpha",
                                       .step = 1e-3,
                                       .end = 1e-3,
                                       .channel = {channel}});
    if (r.status != VG_OK) printf("%s %s: %s\n", coordinates, constraints, r.error);
    return r.status == VG_OK ? r.first : NAN;
}

/* A slider-crank that is placed in line, with all pivots on the x axis: its start is not singular. */
TEST(closes_a_loop)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
        "  crank: {mass: 1, inertia: 0.01, com: [0.1, 0], markers: {A: [0.2, 0]}}\n"
        "  rod: {mass: 1, inertia: 0.02, com: [0.25, 0], position: [0.2, 0], markers: {B: [0.5, 0]}}\n"
        "  piston: {mass: 0.5, inertia: 0.001, position: [0.7, 0]}\n"
        "joints:\n  O: {revolute: [ground, crank], start: {angle: 2, rate: 10}}\n"
        "  A: {revolute: [crank.A, rod]}\n  B: {revolute: [rod.B, piston]}\n"
        "  S: {prismatic: [{body: ground, position: [0.7, 0]}, piston], axis: x}\n";
    const double s = 0.2 * sin(2), c = 0.2 * cos(2), reach = sqrt(0.25 - s * s);
    static const char *const dials[][2] = {{"planar", "index3"},     {"planar", "index2"},
                                           {"planar", "augmented3"}, {"planar", "independent"},
                                           {"natural", "index2"},    {"relative", "index2"}};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(value(text, dials[i][0], dials[i][1], "joint.O.angle"), 2, 1e-10);
        CHECK_NEAR(value(text, dials[i][0], dials[i][1], "joint.O.rate"), 10, 1e-9);
        CHECK_NEAR(value(text, dials[i][0], dials[i][1], "joint.S.displacement"), c + reach - 0.7, 1e-10);
        CHECK_NEAR(value(text, dials[i][0], dials[i][1], "joint.S.rate"), -10 * s - 10 * s * c / reach, 1e-9);
    }
}

/* Three links in space: where they hang is the product of three rotations. A rate alone leaves the place as it is. */
TEST(moves_what_hangs_on_it)
{
    static const char text[] =
        "verge: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0], markers: {e: [1, 0, 0]}}\n"
        "  d: {mass: 9, inertia: [5, 5, 5], com: [1, 1, 0], position: [3, 0, 0]}\n"
        "joints:\n  A: {revolute: [ground, a], axis: y, start: {angle: -2.9, rate: 3}}\n"
        "  B: {universal: [{body: a, position: [1, 0, 0]}, b], axis: y, axis2: z,\n"
        "      start: {angle1: 2.5, angle2: 0.5, rate2: -1}}\n"
        "  C: {prismatic: [{body: b, position: [1, 0, 0]}, c], axis: x, start: {rate: 4}}\n"
        "  D: {revolute: [c.e, d], axis: z}\n";
    /* e = a's end + R_y(A + B1) R_z(B2) [2, 0, 0], R_y(φ) x = [cos φ, 0, −sin φ] */
    const double A = -2.9, B = A + 2.5, x = 2 * cos(0.5), y = 2 * sin(0.5);
    static const char *const coordinates[] = {"lie", "euler-parameters", "natural", "relative"};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(value(text, coordinates[i], "index2", "marker.c.e.position.x"), cos(A) + x * cos(B),
                   1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "marker.c.e.position.y"), y, 1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "marker.c.e.position.z"), -sin(A) - x * sin(B),
                   1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "joint.A.rate"), 3, 1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "joint.B.rate"), 0, 1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "joint.B.rate2"), -1, 1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "joint.C.displacement"), 0, 1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "joint.C.rate"), 4, 1e-10);
        CHECK_NEAR(value(text, coordinates[i], "index2", "joint.D.angle"), 0, 1e-10);
    }
}

/* An equilibrium is looked for from there: a pendulum with a spring has two, one on either side. */
TEST(leads_to_its_equilibrium)
{
    for (int side = -1; side <= 1; side += 2) {
        char text[500];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
                 "  rod: {mass: 1, inertia: 0.1, com: [0, 0.5]}\n"
                 "joints:\n  O: {revolute: [ground, rod], start: {angle: %d}}\n"
                 "forces:\n  hold: {torsion: O, stiffness: 3}\nrun: {start: equilibrium}\n",
                 side);
        double a = value(text, "planar", "index2", "joint.O.angle"); /* 3 a = m g l sin a */
        CHECK(a * side > 0.5);
        CHECK_NEAR(3 * a, 0.5 * 9.81 * sin(a), 1e-9);
    }
}

TEST_MAIN(closes_a_loop, moves_what_hangs_on_it, leads_to_its_equilibrium)
