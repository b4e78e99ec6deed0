/* Natural coordinates share points and vectors between bodies; joints in an unusual order make nodes that
 * only later turn out to be one, or to stand still. The accelerations, reactions and the motion must be those
 * of absolute coordinates all the same. */
#include "test.h"

#include "run_model.h"

/* Four bodies with a common pin along y through the origin, in motion about it. */
#define SPATIAL                                                                                              \
    "verge: 1\n"                                                                                             \
    "gravity: [0.3, -0.2, -9.81]\n"                                                                          \
    "bodies:\n"                                                                                              \
    "  ground: {markers: {S: [1, 1, 2]}}\n"                                                                  \
    "  a: {mass: 1.3, inertia: [0.05, 0.07, 0.06], com: [0.3, 0, 0], omega: [0, 0.5, 0]}\n"                  \
    "  b: {mass: 0.8, inertia: [0.04, 0.05, 0.05], com: [0, 0.02, 0.3], omega: [0, -1, 0]}\n"                \
    "  c: {mass: 0.6, inertia: [0.03, 0.05, 0.06], com: [-0.2, 0, 0.1], omega: [0, 2, 0]}\n"                 \
    "  d: {mass: 0.7, inertia: [0.02, 0.05, 0.06], com: [-0.2, 0.05, -0.1], omega: [0, -2, 0]}\n"            \
    "forces:\n"                                                                                              \
    "  s: {spring: [ground.S, c], stiffness: 40, damping: 0.5}\n"                                            \
    "  t: {torsion: J1, stiffness: 3, damping: 0.1}\n"                                                       \
    "joints:\n"
#define PLANAR                                                                                               \
    "verge: 1\n"                                                                                             \
    "planar: true\n"                                                                                         \
    "gravity: [0.3, -9.81]\n"                                                                                \
    "bodies:\n"                                                                                              \
    "  ground: {markers: {S: [1, 1]}}\n"                                                                     \
    "  a: {mass: 1.3, inertia: 0.05, com: [0.3, 0], omega: 0.5}\n"                                           \
    "  b: {mass: 0.8, inertia: 0.04, com: [0, 0.3], omega: -1}\n"                                            \
    "  c: {mass: 0.6, inertia: 0.03, com: [-0.2, 0.1], omega: 2, angle: 0.4}\n"                              \
    "  d: {mass: 0.7, inertia: 0.02, com: [-0.2, -0.1], omega: -2}\n"                                        \
    "forces:\n"                                                                                              \
    "  s: {spring: [ground.S, d], stiffness: 40, damping: 0.5}\n"                                            \
    "  t: {torsion: J1, stiffness: 3, damping: 0.1}\n"                                                       \
    "joints:\n"

static const struct {
    const char *text;
    int planar;
} sample[] = {
    {SPATIAL "  J1: {revolute: [a, b], axis: y}\n  J2: {revolute: [c, d], axis: [0, -1, 0]}\n"
             "  J3: {revolute: [b, c], axis: y}\n",
     0},
    {SPATIAL "  J1: {revolute: [a, b], axis: y}\n  J2: {revolute: [c, d], axis: [0, -1, 0]}\n"
             "  J3: {revolute: [c, b], axis: [0, -1, 0]}\n  J4: {revolute: [ground, d], axis: y}\n",
     0},
    {SPATIAL "  J1: {revolute: [a, b], axis: y}\n  J2: {revolute: [ground, d], axis: [0, -1, 0]}\n"
             "  J3: {revolute: [c, d], axis: y}\n  J4: {revolute: [a, c], axis: [0, -1, 0]}\n",
     0},
    {SPATIAL "  J1: {revolute: [a, b], axis: y}\n  J2: {cylindrical: [c, d], axis: [0, -1, 0]}\n"
             "  J3: {cylindrical: [b, c], axis: [0, -1, 0]}\n  J4: {parallel-axes: [ground, a], axis: y}\n",
     0},
    {PLANAR "  J1: {revolute: [a, b]}\n  J2: {revolute: [c, d]}\n  J3: {revolute: [b, c]}\n", 1},
    {PLANAR "  J1: {revolute: [a, b]}\n  J2: {revolute: [c, d]}\n  J3: {revolute: [b, c]}\n"
            "  J4: {revolute: [ground, d]}\n",
     1},
    {PLANAR "  J1: {prismatic: [a, b], axis: x}\n  J2: {prismatic: [c, d], axis: [1, 2]}\n"
            "  J3: {prismatic: [b, c], axis: [2, 1]}\n",
     1},
    {PLANAR "  J1: {prismatic: [a, b], axis: x}\n  J2: {prismatic: [ground, d], axis: [1, 2]}\n"
            "  J3: {prismatic: [c, d], axis: y}\n  J4: {prismatic: [b, c], axis: [2, 1]}\n",
     1},
};

static runResult run_in(int k, const char *coordinates)
{
    runSpec spec = {.text = sample[k].text,
                    .coordinates = coordinates,
                    .constraints = "index1",
                    .integrator = "rk4",
                    .step = 1e-3,
                    .end = 0.05};
    static const char *const plane[] = {"body.a.alpha", "body.b.alpha", "body.c.alpha", "body.d.alpha"};
    static const char *const space[] = {"body.a.alpha.y", "body.b.alpha.y", "body.c.alpha.y",
                                        "body.d.alpha.y"};
    static const char *const all[] = {"body.a.acceleration.x", "body.d.acceleration.y", "joint.J1.force.x",
                                      "joint.J1.force.y",      "joint.J2.force.x",      "joint.J2.force.y",
                                      "joint.J3.force.x",      "joint.J3.force.y",      "joint.J1.torque.z",
                                      "joint.J2.torque.z",     "joint.J3.torque.z",     "energy.total"};
    memcpy(spec.channel, sample[k].planar ? plane : space, sizeof plane);
    memcpy(spec.channel + 4, all, sizeof all);
    return run_model(&spec);
}

TEST(nodes_that_become_one)
{
    for (size_t k = 0; k < sizeof sample / sizeof sample[0]; k++) {
        runResult ref = run_in((int)k, sample[k].planar ? "planar" : "lie"), got = run_in((int)k, "natural");
        int before = test_failed_checks;
        CHECK_INT(ref.status, VG_OK);
        CHECK_INT(got.status, VG_OK);
        CHECK_INT(got.freedom, ref.freedom);
        for (int i = 0; i < 16; i++) CHECK_NEAR(got.value[i], ref.value[i], 1e-8 * (1 + fabs(ref.value[i])));
        double size = fabs(ref.value[6]) + fabs(ref.value[7]) + fabs(ref.value[12]);
        CHECK(size > 0.01); /* J1 carries something */
        if (test_failed_checks > before) printf("   in sample %d: %s\n", (int)k, got.error);
    }
}

TEST_MAIN(nodes_that_become_one)
