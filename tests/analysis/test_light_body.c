/* A body of a millionth of a kilogram between bodies of 20 kg: penalties hang on what a row feels, the
 * lighter of two, and the heavy ones are behind them all the same. */
#include <math.h>

#include "run_model.h"
#include "test.h"

static const double G = 9.81;

/* In a line from a hinge: a rod of next to no mass and a block, pushed along the line and across it. What the
 * rod does not allow is taken away, the block's own inertia deciding: v = (0, 1), and it does not turn. */
static const char line[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {m: 1e-6, n: 1}\n"
    "bodies:\n  rod: {mass: m, inertia: m/12, position: [0.5, 0], markers: {a: [-0.5, 0], b: [0.5, 0]}}\n"
    "  block: {mass: 20, inertia: 1, position: [1.5, 0], velocity: [0.3, 1], markers: {a: [-0.5, 0]}}\n"
    "joints:\n  A: {revolute: [ground, rod.a]}\n  B: {revolute: [rod.b, block.a]}\n";

/* Two bars of 20 kg and 1 m, upright, joined by such a rod: a parallelogram. The second one is let go 1e-3
 * rad away from where the rod would have it. */
static const char loop[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {m: 1e-6, off: 1e-3}\n"
    "bodies:\n  ground: {markers: {D: [1, 0]}}\n"
    "  crank: {mass: 20, inertia: 2, position: [0, 0.5], markers: {a: [0, -0.5], b: [0, 0.5]}, omega: -1}\n"
    "  rod: {mass: m, inertia: m/12, position: [0.5, 1], markers: {a: [-0.5, 0], b: [0.5, 0]}}\n"
    "  rocker: {mass: 20, inertia: 2, position: [1 + 0.5*sin(off), 0.5*cos(off)], angle: -off,\n"
    "           markers: {a: [0, -0.5], b: [0, 0.5]}, omega: -1}\n"
    "joints:\n  A: {revolute: [ground, crank.a]}\n  B: {revolute: [crank.b, rod.a]}\n"
    "  C: {revolute: [rod.b, rocker.b]}\n  D: {revolute: [ground.D, rocker.a]}\n";

static const char *const constraints[] = {"index3", "augmented3", "augmented1", "penalty", "independent"};
static const char *const coordinates[] = {"planar", "natural", "relative"};

static runResult run(const char *text, int x, int c, double step, double end, const char *const *channel)
{
    runSpec spec = {.text = text,
                    .coordinates = coordinates[x],
                    .constraints = constraints[c],
                    .integrator = "generalized-alpha",
                    .step = step,
                    .end = end};
    for (int i = 0; channel[i]; i++) spec.channel[i] = channel[i];
    runResult r = run_model(&spec);
    CHECK_INT(r.status, VG_OK);
    if (r.status != VG_OK) printf("   %s, %s: %s\n", coordinates[x], constraints[c], r.error);
    return r;
}

TEST(velocities_at_the_start)
{
    const char *const channel[] = {"body.block.velocity.x", "body.block.velocity.y", "body.block.omega",
                                   "body.rod.omega", NULL};
    for (int x = 0; x < 3; x++)
        for (int c = 0; c < 5; c++) {
            runResult r = run(line, x, c, 1e-6, 0, channel);
            CHECK_NEAR(r.value[0], 0, 1e-12);
            CHECK_NEAR(r.value[1], 1, 1e-6); /* the rod's inertia: m/20 */
            CHECK_NEAR(r.value[2], 0, 1e-6);
            CHECK_NEAR(r.value[3], 1, 1e-6);
        }
}

/* The bars' common motion, J θ̈ = 20 g sin θ with J = 2 (2 + 20/4), and the rod's share left out. */
static double parallelogram(double th, double end)
{
    enum { N = 2000 };
    double w = 1, h = end / N;
    for (int i = 0; i < N; i++) {
        double k[4][2], y[2] = {th, w};
        for (int s = 0; s < 4; s++) {
            double d = s == 0 ? 0 : s == 3 ? h : h / 2;
            double a = th + (s ? d * k[s - 1][0] : 0), b = w + (s ? d * k[s - 1][1] : 0);
            k[s][0] = b, k[s][1] = 20 * G * sin(a) / 14;
        }
        for (int j = 0; j < 2; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        th = y[0], w = y[1];
    }
    return th;
}

TEST(a_loop_closed_by_a_light_rod)
{
    const char *const channel[] = {"joint.A.angle", "joint.D.angle", NULL};
    /* equal bars share what was off; second order in the step, twice */
    const double end = 0.5, exact = -parallelogram(0.5e-3, end);
    for (int x = 0; x < 3; x++)
        for (int c = 0; c < 5; c++) {
            runResult r = run(loop, x, c, 2e-3, end, channel), fine = run(loop, x, c, 1e-3, end, channel);
            for (int i = 0; i < 2; i++)
                CHECK_NEAR(fine.value[i] + (fine.value[i] - r.value[i]) / 3, exact, 2e-7);
        }
}

TEST_MAIN(velocities_at_the_start, a_loop_closed_by_a_light_rod)
