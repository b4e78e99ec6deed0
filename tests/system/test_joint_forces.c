/* Forces along joint coordinates in a run: reactions beside them agree between coordinates (constraint rows
 * in absolute ones, Newton and Euler's equations link by link in relative ones), a controller with an
 * integral follows its closed form, a geared rotor adds its inertia. */
#include "test.h"

#include "run_model.h"

/* A tree whose joints name the outer body first or second, with a force of every kind along them. */
static const char arm[] =
    "verge: 1\n"
    "gravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  ground: {markers: {S: [1, 1, 2]}}\n"
    "  a: {mass: 1.3, inertia: [0.05, 0.07, 0.06], com: [0.1, 0.02, 0.03], rotation: [0.1, 0.2, -0.1],\n"
    "      omega: [0.5, -0.4, 0.7], velocity: [0.1, 0.2, -0.3], markers: {M: [0.2, 0.05, 0.1]}}\n"
    "  b: {mass: 0.8, inertia: [[0.04, 0.005, 0], [0.005, 0.03, 0.002], [0, 0.002, 0.05]],\n"
    "      com: [0.02, 0.01, -0.03], position: [0.4, 0.1, 0.3], velocity: [0.7, 0.1, -0.2],\n"
    "      rotation: [0.15, 0.25, -0.05], markers: {N: [-0.2, -0.05, -0.2], P: [0.1, 0.2, 0.1]}}\n"
    "  c: {mass: 0.5, inertia: [0.01, 0.02, 0.015], position: [0.5, 0.3, 0.4], omega: [0.3, 0.2, -0.6],\n"
    "      markers: {Q: [0.1, -0.1, 0]}}\n"
    "joints:\n"
    "  J: {revolute: [a, ground], axis: [1, 2, 0.5]}\n"
    "  K: {prismatic: [b.N, a.M], axis: x}\n"
    "  L: {cylindrical: [b.P, c.Q], axis: [0.2, 1, 0.1]}\n"
    "forces:\n"
    "  t: {torsion: J, stiffness: 4, damping: 0.3, angle0: 0.2, preload: 0.7}\n"
    "  m: {joint-torque: J, value: \"2*sin(3*x) + 0.2*v\"}\n"
    "  r: {rotor: J, inertia: 2e-3, ratio: 7}\n"
    "  f: {joint-friction: K, coulomb: 1.5, static: 2, viscous: 0.3, velocity: 0.2}\n"
    "  u: {torsion: K, torque: \"50*x + v\"}\n"
    "  w: {rotor: K, inertia: 0.2}\n"
    "  p: {pid: L.angle, target: \"0.4*t\", p: 5, i: 20, d: 0.3}\n"
    "  s: {spring: [ground.S, c.Q], stiffness: 40, damping: 0.5}\n";

#define REACTION(j)                                                                                          \
    "joint." j ".force.x", "joint." j ".force.y", "joint." j ".force.z", "joint." j ".torque.x",             \
        "joint." j ".torque.y", "joint." j ".torque.z"

TEST(reactions_beside_forces_along_joints)
{
    static const char *const coordinates[] = {"lie", "relative", "natural", "euler-angles"};
    runResult ref = {0};
    for (int c = 0; c < 4; c++) {
        runSpec spec = {.text = arm,
                        .coordinates = coordinates[c],
                        .constraints = "index1",
                        .integrator = "rk4",
                        .step = 1e-3,
                        .end = 0.05,
                        .channel = {REACTION("J"), REACTION("K"), REACTION("L"), "joint.J.acceleration",
                                    "joint.K.acceleration", "joint.L.acceleration", "force.p.torque",
                                    "force.p.integral", "energy.total"}};
        runResult got = run_model(&spec);
        CHECK_INT(got.status, VG_OK);
        if (c == 0) ref = got;
        for (int k = 0; k < 24; k++) CHECK_NEAR(got.value[k], ref.value[k], 1e-8 * (1 + fabs(ref.value[k])));
    }
    /* no reaction along what a joint leaves free; the others are no small numbers */
    CHECK_NEAR(ref.value[5], 0, 1e-12);
    CHECK_NEAR(ref.value[8], 0, 1e-12);
    CHECK_NEAR(ref.value[14], 0, 1e-12);
    CHECK_NEAR(ref.value[17], 0, 1e-12);
    CHECK(fabs(ref.value[0]) > 1 && fabs(ref.value[4]) > 0.1 && fabs(ref.value[6]) > 0.1);
}

/* A slider's weight bears on the ground, which is the joint's second body: about the ground's frame it turns
 * by the way to the slider's centre of mass, 0.7 m from it, wherever the slider's own frame is. */
TEST(reactions_on_the_ground_are_about_its_frame)
{
    static const char text[] =
        "verge: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  ground: {markers: {G: [1, 0.2, 0.3]}}\n"
        "  s: {mass: 2, inertia: [1, 1, 1], position: [1.5, 0.2, 0.3], com: [0.2, 0, 0]}\n"
        "joints:\n"
        "  J: {prismatic: [s, ground.G], axis: x}\n";
    static const char *const coordinates[] = {"lie", "relative", "natural"};
    for (int c = 0; c < 3; c++) {
        runSpec spec = {.text = text,
                        .coordinates = coordinates[c],
                        .constraints = "index1",
                        .integrator = "rk4",
                        .step = 1e-3,
                        .end = 2e-3,
                        .channel = {REACTION("J")}};
        runResult got = run_model(&spec);
        CHECK_INT(got.status, VG_OK);
        /* the axes of the report are y, z, x of the slider: force −z, torque r x F = 0.7 x × (−20) z = 14 y
         */
        const double want[6] = {0, -20, 0, 14, 0, 0};
        for (int k = 0; k < 6; k++) CHECK_NEAR(got.value[k], want[k], 1e-9);
    }
}

/* J ë + d ė + p e + i ∫e = 0 with the roots −1, −2, −3 and e(0) = 1: the wheel starts a radian behind. */
TEST(controller_with_an_integral)
{
    static const char text[] = "verge: 1\n"
                               "bodies:\n"
                               "  wheel: {mass: 2, inertia: [3, 3, 0.6], rotation: [0, 0, -0.4]}\n"
                               "joints:\n"
                               "  O: {revolute: [ground, wheel], axis: z}\n"
                               "forces:\n"
                               "  servo: {pid: O, target: 0.6, p: 11, i: 6, d: 6}\n"
                               "  motor: {rotor: O, inertia: 0.1, ratio: -2}\n";
    static const char *const settings[][3] = {{"lie", "index3", "radau3"},
                                              {"relative", "index3", "radau3"},
                                              {"natural", "index3", "radau3"},
                                              {"euler-parameters", "index1", "rk4"},
                                              {"relative", "index1", "rk4"}};
    for (int k = 0; k < 5; k++) {
        const double x = exp(-0.5), A = -2.5, B = 8, C = -4.5;
        runSpec spec = {.text = text,
                        .coordinates = settings[k][0],
                        .constraints = settings[k][1],
                        .integrator = settings[k][2],
                        .step = 5e-3,
                        .end = 0.5,
                        .channel = {"force.servo.error", "force.servo.integral", "joint.O.rate",
                                    "force.motor.speed", "force.servo.torque", "energy.kinetic"}};
        runResult got = run_model(&spec);
        double rate = A * x + 2 * B * x * x + 3 * C * x * x * x;
        double acc = -A * x - 4 * B * x * x - 9 * C * x * x * x;
        CHECK_INT(got.status, VG_OK);
        CHECK_NEAR(got.value[0], A * x + B * x * x + C * x * x * x, 1e-7);
        CHECK_NEAR(got.value[1], A * (1 - x) + B / 2 * (1 - x * x) + C / 3 * (1 - x * x * x), 1e-7);
        CHECK_NEAR(got.value[2], rate, 1e-7);
        CHECK_NEAR(got.value[3], -2 * rate, 2e-7);
        CHECK_NEAR(got.value[4], acc, 1e-6); /* inertia 0.6 + 2²·0.1 = 1 */
        CHECK_NEAR(got.value[5], rate * rate / 2, 1e-7);
    }
}

/* A nut that names the screw's fixed body last, and one that names it first: thrust and torque keep the ratio
 * of the pitch, as without friction; gravity along the axis drives it: (m + J/p²) ẍ = m g. */
TEST(screws)
{
    static const char *const coordinates[] = {"lie", "relative", "natural", "euler-parameters"};
    static const char *const joint[] = {"[nut, ground]", "[ground, nut]"};
    const double p = 0.05, m = 2, J = 0.004, g = 9.81; /* metres a radian */
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < 2; k++) {
            char text[400];
            snprintf(text, sizeof text,
                     "verge: 1\ngravity: [0, 0, -9.81]\n"
                     "bodies: {nut: {mass: 2, inertia: [0.01, 0.01, 0.004]}}\n"
                     "joints: {S: {screw: %s, axis: z, pitch: %.17g}}\n",
                     joint[k], 2 * 3.14159265358979323846 * p);
            runSpec spec = {.text = text,
                            .coordinates = coordinates[c],
                            .constraints = "index1",
                            .integrator = "rk4",
                            .step = 1e-3,
                            .end = 0.1,
                            .channel = {"joint.S.acceleration", "joint.S.acceleration2", "joint.S.force.z",
                                        "joint.S.torque.z", "body.nut.acceleration.z"}};
            runResult got = run_model(&spec);
            double a = -m * g / (m + J / (p * p)), thrust = m * (a + g), side = k ? 1 : -1;
            CHECK_INT(got.status, VG_OK);
            CHECK_NEAR(got.value[4], a, 1e-10);
            CHECK_NEAR(got.value[1], side * a, 1e-10);
            CHECK_NEAR(got.value[0], side * a / p, 1e-8);
            CHECK_NEAR(got.value[2], side * thrust, 1e-9);
            CHECK_NEAR(got.value[3], -side * thrust * p, 1e-10);
        }
}

TEST_MAIN(reactions_beside_forces_along_joints, reactions_on_the_ground_are_about_its_frame,
          controller_with_an_integral, screws)
