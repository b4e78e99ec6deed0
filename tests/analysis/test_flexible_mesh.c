/* The three flexible problems of [Z]: curves do not depend on the mesh, to 1 % of their peak, over a reduced
 * span. scripts/independence does the same at full length, and with all methods. */
#include <math.h>

#include "run_model.h"
#include "test.h"

enum { ROWS = 500, CHANNELS = 4 };

/* Largest distance of two runs over their rows, by the peak of the first: the worst channel. */
static double distance(runSpec a, runSpec b)
{
    static double x[2][ROWS * CHANNELS];
    int n = 0;
    double worst = 0;
    a.rows = x[0], b.rows = x[1];
    a.maxrow = b.maxrow = ROWS;
    runResult ra = run_model(&a), rb = run_model(&b);
    CHECK_INT(ra.status, VG_OK);
    CHECK_INT(rb.status, VG_OK);
    CHECK_INT(ra.end.rows, rb.end.rows);
    while (a.channel[n]) n++;
    for (int c = 0; c < n; c++) {
        double off = 0, peak = 0;
        for (int k = 0; k < ra.end.rows && k < ROWS; k++) {
            off = fmax(off, fabs(x[0][k * n + c] - x[1][k * n + c]));
            peak = fmax(peak, fabs(x[0][k * n + c] - x[0][c]));
        }
        worst = fmax(worst, off / peak);
        if (!(off < 0.01 * peak)) printf("%s: %.3g of its peak\n", a.channel[c], off / peak);
    }
    return worst;
}

/* To the peak of the orbit. */
TEST(shaft)
{
    runSpec a = {.model = "rotating-shaft",
                 .integrator = "generalized-alpha:rho=0.6",
                 .step = 1e-3,
                 .end = 2.25,
                 .interval = 0.01,
                 .set = {"n=16"},
                 .channel = {"body.disc.position.y", "body.disc.position.z", "body.disc.velocity.y",
                             "body.disc.velocity.z"}};
    runSpec b = a;
    b.set[0] = "n=24";
    CHECK(distance(a, b) < 0.01);
}

/* Through the snap. */
TEST(buckling)
{
    runSpec a = {
        .model = "beam-buckling",
        .integrator = "generalized-alpha:rho=0.6",
        .step = 2e-4,
        .end = 0.3,
        .interval = 2e-3,
        .set = {"n=13", "nl=2"},
        .channel = {"body.beam.14.position.y", "body.beam.14.position.z", "body.beam.14.rotation.x"}};
    runSpec b = a;
    b.set[0] = "n=21", b.set[1] = "nl=4";
    b.channel[0] = "body.beam.22.position.y", b.channel[1] = "body.beam.22.position.z";
    b.channel[2] = "body.beam.22.rotation.x";
    CHECK(distance(a, b) < 0.01);
}

/* Past the position where the hinge lets go. A little material damping: what that leaves undamped vibrates
 * for ever, at frequencies that no step here resolves. */
TEST(four_bar)
{
    runSpec a = {.model = "four-bar",
                 .integrator = "generalized-alpha:rho=0.6",
                 .step = 4e-3,
                 .end = 9,
                 .interval = 0.02,
                 .set = {"n=3", "damping=1e-2"},
                 .channel = {"body.BC.7.rotation.x", "body.BC.7.omega.x", "joint.CD.end.angle"}};
    runSpec b = a;
    b.set[0] = "n=5";
    b.channel[0] = "body.BC.11.rotation.x", b.channel[1] = "body.BC.11.omega.x";
    CHECK(distance(a, b) < 0.01);
}

/* There the rate of rotation about x of the tip of B-C needs steps well below those of [Z] (4 ms a stage),
 * from which on it does not depend on the method. */
TEST(four_bar_rate_at_a_converged_step)
{
    runSpec a = {.model = "four-bar",
                 .integrator = "esdirk436-2",
                 .step = 2e-3,
                 .end = 8.6,
                 .interval = 0.02,
                 .set = {"n=1", "damping=1e-2"},
                 .channel = {"body.BC.3.omega.x", "body.BC.3.rotation.x"}};
    runSpec b = a;
    b.integrator = "esdirk325";
    CHECK(distance(a, b) < 0.01);
}

TEST_MAIN(shaft, buckling, four_bar, four_bar_rate_at_a_converged_step)
