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

/* The whole motion of the shipped mesh: the snap and the free oscillation after it, that of the angular
 * velocity among them; both meshes with the same method and steps. */
TEST(buckling)
{
    runSpec a = {.model = "beam-buckling",
                 .integrator = "generalized-alpha:rho=0.6",
                 .step = 2e-4,
                 .end = 0.8,
                 .interval = 2e-3,
                 .channel = {"body.beam.22.position.y", "body.beam.22.position.z", "body.beam.22.rotation.x",
                             "body.beam.22.omega.x"}};
    runSpec b = a;
    b.set[0] = "n=29", b.set[1] = "nl=5";
    b.channel[0] = "body.beam.30.position.y", b.channel[1] = "body.beam.30.position.z";
    b.channel[2] = "body.beam.30.rotation.x", b.channel[3] = "body.beam.30.omega.x";
    CHECK(distance(a, b) < 0.01);
}

static const runSpec shipped_four_bar = {
    .model = "four-bar",
    .integrator = "esdirk436-2:rtol=1e-5",
    .step = 4e-3,
    .end = 12,
    .interval = 0.03,
    .channel = {"body.BC.11.rotation.x", "body.BC.11.omega.x", "joint.CD.end.angle"}};

/* All the way, past the position where the hinge lets go and its ringing. */
TEST(four_bar)
{
    runSpec b = shipped_four_bar;
    b.set[0] = "n=3";
    b.channel[0] = "body.BC.7.rotation.x", b.channel[1] = "body.BC.7.omega.x";
    CHECK(distance(shipped_four_bar, b) < 0.01);
}

TEST(four_bar_by_another_method)
{
    runSpec a = shipped_four_bar;
    a.set[0] = "n=2";
    a.channel[0] = "body.BC.5.rotation.x", a.channel[1] = "body.BC.5.omega.x";
    runSpec b = a;
    b.integrator = "esdirk325:rtol=1e-5";
    CHECK(distance(a, b) < 0.01);
}

TEST_MAIN(shaft, buckling, four_bar, four_bar_by_another_method)
