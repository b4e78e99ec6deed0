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

/* What is seen of a slider and a pendulum on it does not depend on which axes they move along. */
TEST(what_is_seen_is_the_same_along_all_axes)
{
    static const char *const model = "verge: 1\ngravity: [%s]\nbodies:\n"
                                     "  slider: {mass: 2, inertia: [0.1, 0.1, 0.1], velocity: [%s]}\n"
                                     "  bob: {mass: 1, inertia: [0.02, 0.02, 0.02], com: [%s]}\n"
                                     "joints:\n  rail: {prismatic: [ground, slider], axis: [%s]}\n"
                                     "  pin: {revolute: [slider, bob], axis: [%s]}\n";
    static const char *const gravity[] = {"0, -9.81, 0", "0, 0, -9.81", "-9.81, 0, 0"},
                             *const along[] = {"3, 0, 0", "0, 3, 0", "0, 0, 3"},
                             *const arm[] = {"0.5, 0, 0", "0, 0.5, 0", "0, 0, 0.5"},
                             *const rail[] = {"1, 0, 0", "0, 1, 0", "0, 0, 1"},
                             *const pin[] = {"0, 0, 1", "1, 0, 0", "0, 1, 0"};
    double seen[3];
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text, model, gravity[k], along[k], arm[k], rail[k], pin[k]);
        runResult r = run_model(&(runSpec){.text = text,
                                           .coordinates = "lie",
                                           .constraints = "index3",
                                           .integrator = "generalized-alpha:rho=0.9",
                                           .step = 0.01,
                                           .end = 1,
                                           .every = 1,
                                           .channel = {"joint.pin.rate"}});
        CHECK_INT(r.status, VG_OK);
        seen[k] = r.end.watch.velocity_part.value;
        CHECK(seen[k] > 1e-6);
        CHECK_NEAR(seen[k] / seen[0], 1, 1e-6);
    }
}

TEST_MAIN(lost_velocities_are_a_failure, kept_velocities_are_none, what_is_seen_is_the_same_along_all_axes)
