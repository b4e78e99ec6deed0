/* The trapezoidal rule on index 3 is weakly unstable: its steps converge while the velocities leave the
 * constraints. Such a run must fail by name; with damping at infinity, or with the velocity constraints held,
 * the same model at the same step runs. */
#include "run_model.h"
#include "test.h"

static runResult slider_crank(const char *constraints, const char *integrator)
{
    runSpec s = {.model = "slider-crank",
                 .set = {"c=0"},
                 .constraints = constraints,
                 .integrator = integrator,
                 .step = 1. / 1024,
                 .end = 10,
                 .every = 8,
                 .channel = {"joint.O.rate"}};
    return run_model(&s);
}

TEST(lost_velocities_are_a_failure)
{
    runResult r = slider_crank("index3", "hht:alpha=0");
    CHECK(r.status != VG_OK);
    CHECK(strstr(r.error, "velocities") != NULL);
    CHECK(strstr(r.error, "joint '") != NULL);
}

TEST(kept_velocities_are_none)
{
    CHECK_INT(slider_crank("index3", "hht:alpha=-0.3").status, VG_OK);
    CHECK_INT(slider_crank("index2", "generalized-alpha:rho=0.9").status, VG_OK);
}

TEST_MAIN(lost_velocities_are_a_failure, kept_velocities_are_none)
