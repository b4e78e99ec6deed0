/* Models of the papers against independent computations of them. */
#include <math.h>

#include "run_model.h"
#include "test.h"

/* [Z] figures 17–20 with the crank lying along x: an independent beam code has a rotation of 0.219 rad at most at
 * mid-span, −0.062 rad and a shear force of −3182 N at 0.4 s. Its masses are lumped in the nodes and its mesh is
 * not known, so that 5 % of the peaks (0.219 rad, 6730 N) are allowed for. */
TEST(buckling_with_a_horizontal_crank)
{
    static double rows[3 * 450];
    runSpec s = {.model = "beam-buckling",
                 .set = {"n=11", "nl=2"},
                 .integrator = "esdirk436-2",
                 .step = 2.5e-4,
                 .end = 0.4,
                 .interval = 1e-3,
                 .rows = rows,
                 .maxrow = 450,
                 .channel = {"body.beam.12.rotation.x", "force.beam.6.shear-z"}};
    runResult r = run_model(&s);
    double most = 0;
    for (int k = 0; k < r.end.rows && k < 450; k++) most = fmax(most, fabs(rows[2 * k]));
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(most, 0.219, 0.05 * 0.219);
    CHECK_NEAR(r.value[0], -0.062, 0.05 * 0.219);
    CHECK_NEAR(r.value[1], -3182, 0.05 * 6730);
}

/* The same by a crank that hangs down is another motion: the parameter changes it. */
TEST(buckling_with_a_hanging_crank)
{
    runSpec s = {.model = "beam-buckling",
                 .set = {"n=11", "nl=2", "hang=1"},
                 .integrator = "esdirk436-2",
                 .step = 2.5e-4,
                 .end = 0.4,
                 .channel = {"body.beam.12.rotation.x"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(r.value[0], 0.445, 0.05 * 0.445);
}

/* The rows of the shipped model resolve the first peak of the crank's speed. An independent reduction to one degree
 * of freedom, integrated to 1e-12, has 969.976 rad/s at 0.0113 s and a peak of 971 rad/s. */
TEST(squeezer_rows_resolve_the_peaks)
{
    static double rows[800];
    runSpec s = {.model = "squeezer",
                 .set = {"start=1"},
                 .step = 2e-6,
                 .end = 0.0113,
                 .interval = 2e-5,
                 .rows = rows,
                 .maxrow = 800,
                 .channel = {"joint.O.rate"}};
    runResult r = run_model(&s);
    double most = 0;
    for (int k = 0; k < r.end.rows && k < 800; k++) most = fmax(most, rows[k]);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(r.value[0], 969.9758, 0.02);
    CHECK_NEAR(most, 971, 0.5);
}

TEST_MAIN(buckling_with_a_horizontal_crank, buckling_with_a_hanging_crank, squeezer_rows_resolve_the_peaks)
