/* Accelerations of augmented1 have all their digits: under error control at tight tolerances it takes the
 * steps that Lagrange multipliers take, and the energy of what has no losses stays. */
#include "run_model.h"
#include "test.h"

/* A double pendulum of a beam, stiff against its weight, and a light body. */
static const char swinging[] =
    "verge: 1\n"
    "gravity: 9.81\n"
    "flexible:\n"
    "  rod: {length: 1, modes: 3, support: clamped, circle: 0.01, E: 210e9, rho: 7850}\n"
    "bodies:\n"
    "  tip: {mass: 0.5, inertia: [0.001, 0.001, 0.001], position: [1, 0, 0], com: [0.1, 0, 0]}\n"
    "joints:\n"
    "  base: {revolute: [ground, rod], axis: y}\n"
    "  end: {revolute: [rod.end, tip], axis: y}\n";

static runResult swing(const char *constraints, const char *integrator)
{
    return run_model(&(runSpec){.text = swinging,
                                .constraints = constraints,
                                .integrator = integrator,
                                .end = 0.05,
                                .channel = {"body.tip.position.x", "body.tip.position.z", "energy.total"}});
}

TEST(tight_tolerances_are_met_in_as_many_steps_as_with_multipliers)
{
    static const char *const methods[] = {"dop853:rtol=1e-10", "dop853:rtol=1e-12", "dopri5:rtol=1e-9"};
    for (int i = 0; i < 3; i++) {
        runResult a = swing("augmented1", methods[i]), m = swing("index1", methods[i]);
        CHECK_INT(a.status, VG_OK);
        CHECK_INT(m.status, VG_OK);
        CHECK(a.end.stats.steps <= 1.2 * (double)m.end.stats.steps + 5);
        CHECK_NEAR(a.value[0], m.value[0], 1e-9);
        CHECK_NEAR(a.value[1], m.value[1], 1e-9);
        CHECK_NEAR(a.value[2], 0, 1e-7);
    }
}

TEST_MAIN(tight_tolerances_are_met_in_as_many_steps_as_with_multipliers)
