/* Coordinates of joints that no tree can use: what their channels say, against places and velocities of the
 * markers they join, after a while of motion. */
#include "test.h"

#include "run_model.h"

#define PLACE(b, m)                                                                                          \
    "marker." b "." m ".position.x", "marker." b "." m ".position.y", "marker." b "." m ".position.z",       \
        "marker." b "." m ".velocity.x", "marker." b "." m ".velocity.y", "marker." b "." m ".velocity.z"

#define MODEL(joint)                                                                                         \
    "verge: 1\n"                                                                                             \
    "gravity: [0.3, -0.2, -9.81]\n"                                                                          \
    "bodies:\n"                                                                                              \
    "  ground: {markers: {A: [0.1, -0.2, 0.3]}}\n"                                                           \
    "  b: {mass: 0.8, inertia: [0.04, 0.03, 0.05], com: [0.02, 0.01, -0.03], position: [0.4, 0.1, 0.3],\n"   \
    "      omega: [2, -1, 3], velocity: [0.5, 0.4, 0], markers: {N: [-0.2, -0.05, -0.2]}}\n"                 \
    "joints:\n  J: " joint "\n"

static runResult after_a_while(const char *text, const char *const *channel, int n)
{
    runSpec spec = {.text = text,
                    .coordinates = "lie",
                    .constraints = "index1",
                    .integrator = "rk4",
                    .step = 1e-3,
                    .end = 0.1,
                    .channel = {PLACE("b", "N")}};
    for (int i = 0; i < n; i++) spec.channel[6 + i] = channel[i];
    runResult r = run_model(&spec);
    CHECK_INT(r.status, VG_OK);
    if (r.status != VG_OK) printf("%s\n", r.error);
    return r;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TEST(distance)
{
    static const char *const channel[] = {"joint.J.distance", "joint.J.rate"};
    runResult r = after_a_while(MODEL("{distance: [ground.A, b.N], length: 0.25}"), channel, 2);
    const double d[3] = {r.value[0] - 0.1, r.value[1] + 0.2, r.value[2] - 0.3};
    CHECK_NEAR(r.value[6], 0.25, 1e-9);
    CHECK_NEAR(r.value[6], sqrt(dot(d, d)), 1e-12);
    CHECK_NEAR(r.value[7], dot(d, r.value + 3) / sqrt(dot(d, d)), 1e-10);
    CHECK(dot(r.value + 3, r.value + 3) > 0.01); /* it swings */
}

/* The point slides along (1, 2, 2)/3. */
TEST(point_on_line)
{
    static const char *const channel[] = {"joint.J.displacement", "joint.J.rate", "joint.J.force.x",
                                          "joint.J.force.y", "joint.J.force.z"};
    const double e[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
    runResult r = after_a_while(MODEL("{point-on-line: [ground.A, b.N], axis: [1, 2, 2]}"), channel, 5);
    const double d[3] = {r.value[0] - 0.1, r.value[1] + 0.2, r.value[2] - 0.3};
    CHECK_NEAR(r.value[6], dot(d, e), 1e-12);
    CHECK_NEAR(r.value[7], dot(r.value + 3, e), 1e-12);
    CHECK_NEAR(dot(d, d), r.value[6] * r.value[6], 1e-12); /* it is on the line */
    CHECK(fabs(r.value[7]) > 0.1);
    CHECK_NEAR(r.value[10], 0, 1e-12); /* no force along it */
    CHECK(hypot(r.value[8], r.value[9]) > 1);
}

/* The axes in the plane are perpendicular to the axis and to each other, so that squares add up. */
TEST(point_on_plane)
{
    static const char *const channel[] = {"joint.J.x", "joint.J.y", "joint.J.rate", "joint.J.rate2"};
    const double n[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
    runResult r = after_a_while(MODEL("{point-on-plane: [ground.A, b.N], axis: [1, 2, 2]}"), channel, 4);
    const double d[3] = {r.value[0] - 0.1, r.value[1] + 0.2, r.value[2] - 0.3}, *v = r.value + 3;
    CHECK_NEAR(dot(d, n), 0, 1e-9);
    CHECK_NEAR(r.value[6] * r.value[6] + r.value[7] * r.value[7], dot(d, d), 1e-9);
    CHECK_NEAR(r.value[8] * r.value[8] + r.value[9] * r.value[9], dot(v, v), 1e-9);
    CHECK_NEAR(r.value[6] * r.value[8] + r.value[7] * r.value[9], dot(d, v), 1e-9);
    CHECK(fabs(r.value[6]) > 0.01 && fabs(r.value[7]) > 0.01 && dot(v, v) > 0.01);
}

TEST_MAIN(distance, point_on_line, point_on_plane)
