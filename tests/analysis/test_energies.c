/* Energies of elements with mass of their own, in a run: a translation has ½ m v², what swings without
 * damping keeps its energy while much of it changes kind. */
#include "test.h"

#include "run_model.h"

/* A rope with a weight, from a nail, and a rigid arm whose motor turns with it. */
#define ROPE(mass, damping)                                                                                  \
    "verge: 1\n"                                                                                             \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  a: {mass: 0.1, point: true, position: [0.4, 0.1, 0], velocity: [1, 2, -0.5]}\n"                       \
    "  b: {mass: 0.3, point: true, position: [0.9, 0, 0.1], velocity: [1, 2, -0.5]}\n"                       \
    "  arm: {mass: 0.5, inertia: [0.01, 0.02, 0.03], com: [0.2, 0, 0], position: [0.9, 0, 0.1],\n"           \
    "        velocity: [1, 2, -0.5], markers: {E: [0.4, 0, 0]}}\n"                                           \
    "joints: {S: {spherical: [b, arm]}}\n"                                                                   \
    "forces:\n"                                                                                              \
    "  p: {cable: [ground, a], EA: 200, m: 0.5, mass: " mass ", damping: " damping "}\n"                     \
    "  q: {cable: [a, b], EA: 200, m: 0.7, mass: " mass ", damping: " damping "}\n"

TEST(ropes)
{
    static const char *const text[] = {ROPE("consistent", "0"), ROPE("lumped", "0"), ROPE("none", "0"),
                                       ROPE("consistent", "1e-3")};
    static const char *const coordinates[] = {"lie", "relative", "natural"};
    const double first = hypot(0.4, 0.1), second = hypot(0.5, hypot(0.1, 0.1));
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            double rows[8];
            runSpec spec = {.text = text[k],
                            .coordinates = coordinates[c],
                            .constraints = "index1",
                            .integrator = "rk4",
                            .step = 5e-4,
                            .end = 0.4,
                            .every = 1,
                            .rows = rows,
                            .maxrow = 1,
                            .channel = {"energy.kinetic", "energy.potential", "energy.total",
                                        "energy.potential.gravity", "energy.potential.p",
                                        "energy.potential.q", "force.q.force", "energy.dissipated"}};
            runResult end = run_model(&spec);
            CHECK_INT(end.status, VG_OK);
            /* a third of the first rope's mass goes with its moving end, or a half of it */
            double share = k == 2 ? 0 : k == 1 ? 0.5 : 1.0 / 3;
            double mass = 0.9 + share * 0.5 * first + (k == 2 ? 0 : 0.7 * second);
            CHECK_NEAR(rows[0], mass * (1 + 4 + 0.25) / 2, 1e-12);
            /* what is lost is summed from step to step, to 1e-6 here; the energy itself is kept better */
            CHECK_NEAR(end.value[2] + end.value[7], rows[2], 2e-6);
            if (k < 3) CHECK_NEAR(end.value[2], rows[2], 2e-8);
            if (k == 3) CHECK(end.value[7] > 1e-2);
            CHECK(fabs(end.value[0] - rows[0]) > 0.3);
            CHECK(fabs(end.value[6]) > 0.1); /* the rope pulls */
            CHECK_NEAR(end.value[1], end.value[3] + end.value[4] + end.value[5], 1e-12);
        }
}

/* A force that jumps with time: 2 N until 0.35 s, then −1 N, on 2 kg, so that the work done is the kinetic
 * energy, ½ m v² with v = t, then 0.35 − (t − 0.35)/2. It jumps within a step and at the end of one. At the
 * time itself a row has force and acceleration of what follows. */
TEST(work_of_a_force_that_jumps)
{
    static const char *const method[] = {"rk4", "generalized-alpha", "dopri5:rtol=1e-8", "bdf:rtol=1e-8"};
    for (int i = 0; i < 4; i++)
        for (int within = 0; within < 2; within++) {
            double rows[5 * 21];
            runSpec spec = {
                .text = "verge: 1\nplanar: true\ngravity: [0, 0]\nbodies: {b: {mass: 2, inertia: 1}}\n"
                        "joints: {J: {prismatic: [ground, b], axis: x}}\n"
                        "forces: {f: {force: b, value: [\"if(t < 0.35, 2, -1)\", 0]}}\n",
                .integrator = method[i],
                .constraints = i % 2 ? "index3" : "index1",
                .step = within ? 0.1 : 0.05,
                .end = 1,
                .interval = 0.05,
                .rows = rows,
                .maxrow = 21,
                .channel = {"energy.dissipated", "energy.kinetic", "body.b.velocity.x",
                            "body.b.acceleration.x", "force.f.x"}};
            runResult end = run_model(&spec);
            CHECK_INT(end.status, VG_OK);
            for (int k = 0; k <= 20; k++) {
                double t = 0.05 * k, v = k < 7 ? t : 0.35 - (t - 0.35) / 2, *row = rows + 5 * k;
                CHECK_NEAR(row[2], v, 1e-7);
                CHECK_NEAR(row[0], -v * v, 1e-7);
                CHECK_NEAR(row[1], v * v, 1e-7);
                CHECK_NEAR(2 * row[3], row[4], 1e-6);
            }
        }
}

/* A rotor of 1 kg m² whose motor has 1.5 N m up to 0.8 rad and −3 N m beyond: it gets there at t₁ =
 * √(1.6/1.5) with ω₁ = 1.5 t₁, and ½ ω² is the work of the motor at all times. In joint coordinates, too,
 * steps must end where it switches, with methods that iterate as well. */
TEST(work_of_a_force_that_switches_with_the_motion)
{
    static const char *const method[] = {"rk4", "generalized-alpha", "radau3", "dopri5:rtol=1e-8",
                                         "bdf:rtol=1e-8"};
    static const char *const coordinates[] = {"planar", "relative"};
    const double t1 = sqrt(1.6 / 1.5), w1 = 1.5 * t1;
    for (int i = 0; i < 10; i++) {
        double rows[4 * 19];
        runSpec spec = {.text =
                            "verge: 1\nplanar: true\ngravity: [0, 0]\nbodies: {b: {mass: 2, inertia: 1}}\n"
                            "joints: {J: {revolute: [ground, b]}}\n"
                            "forces: {f: {joint-torque: J, value: \"if(x > 0.8, -3, 1.5)\"}}\n",
                        .coordinates = coordinates[i % 2],
                        .constraints = i / 2 == 0 || i / 2 == 3 ? "index1" : "index3",
                        .integrator = method[i / 2],
                        .step = 0.02,
                        .end = 1.8,
                        .interval = 0.1,
                        .locate = 1,
                        .rows = rows,
                        .maxrow = 19,
                        .channel = {"joint.J.angle", "joint.J.rate", "energy.dissipated", "force.f.torque"}};
        runResult end = run_model(&spec);
        CHECK_INT(end.status, VG_OK);
        CHECK_INT(end.end.stats.events, 1);
        for (int k = 0; k <= 18; k++) {
            double t = 0.1 * k, after = fmax(t - t1, 0), w = fmin(1.5 * t, w1) - 3 * after,
                   *row = rows + 4 * k;
            double angle = after > 0 ? 0.8 + w1 * after - 1.5 * after * after : 0.75 * t * t;
            CHECK_NEAR(row[0], angle, 1e-6);
            CHECK_NEAR(row[1], w, 1e-6);
            CHECK_NEAR(row[2], -w * w / 2, 2e-6);
            CHECK_NEAR(row[3], after > 0 ? -3 : 1.5, 0);
        }
    }
}

TEST_MAIN(ropes, work_of_a_force_that_switches_with_the_motion, work_of_a_force_that_jumps)
