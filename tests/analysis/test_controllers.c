/* A PID-controlled wheel (J = 2, poles −2, −3, −5) against its closed forms: a target that jumps in the
 * middle of the run, eigenvalues, and the rest under a load, where the integral carries it. */
#include <math.h>

#include "moment.h"
#include "run_model.h"
#include "test.h"

/* (s + 2)(s + 3)(s + 5) = s³ + 10 s² + 31 s + 30, times J */
#define WHEEL                                                                                                \
    "verge: 1\nplanar: true\ngravity: [0, -10]\n"                                                            \
    "bodies: {m: {mass: 1, inertia: 2, position: [0, 0]}}\n"                                                 \
    "joints: {J: {revolute: [ground, m]}}\n"                                                                 \
    "forces:\n  c: {pid: J, target: 'if(t < 0.3137, 0, 1)', p: 62, i: 60, d: 20}\n"

static double answer(double t)
{
    t -= 0.3137;
    return 1 + 16. / 3 * exp(-2 * t) - 10.5 * exp(-3 * t) + 25. / 6 * exp(-5 * t);
}

TEST(target_that_jumps)
{
    static const struct {
        const char *coordinates, *constraints, *integrator;
        double error;
    } c[] = {{"planar", "index1", "dopri5:rtol=1e-10,atol=1e-12", 1e-8},
             {"relative", "index1", "rk4", 1e-8},
             {"planar", "index3", "generalized-alpha:rho=0.9", 3e-5},
             {"natural", "index3", "bathe", 3e-5},
             {"relative", "index3", "radau3", 1e-11},
             {"planar", "augmented3", "trapezoidal", 3e-5},
             {"planar", "index3", "bdf:rtol=1e-9,atol=1e-11", 1e-6}};
    for (size_t k = 0; k < sizeof c / sizeof c[0]; k++)
        for (int part = 0; part < 2; part++) { /* soon behind the jump, and at rest again */
            double end = part ? 8 : 0.7;
            runResult r = run_model(&(runSpec){.text = WHEEL,
                                               .coordinates = c[k].coordinates,
                                               .constraints = c[k].constraints,
                                               .integrator = c[k].integrator,
                                               .step = 5e-3,
                                               .end = end,
                                               .channel = {"joint.J.angle", "energy.kinetic"}});
            CHECK_INT(r.status, VG_OK);
            CHECK_NEAR(r.value[0], answer(end), c[k].error);
            if (part) CHECK_NEAR(r.value[1], 0, 1e-6); /* the integral is no motion */
        }
}

TEST(closed_loop_eigenvalues)
{
    momentRig m = moment_text(WHEEL);
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    CHECK_INT(m.modes.freedom, 1);
    CHECK_INT(m.modes.n, 3);
    for (int k = 0; k < m.modes.n; k++) {
        double s = m.modes.mode[k].re;
        CHECK_NEAR((s + 2) * (s + 3) * (s + 5), 0, 1e-7);
        CHECK_NEAR(m.modes.mode[k].im, 0, 1e-9);
    }
    moment_end(&m);
}

/* The arm is held where it is wanted: i z = m g L cos(0.1); released from there it stays, in all coordinates.
 */
TEST(rest_under_a_load)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -10]\n"
        "bodies: {m: {mass: 1, inertia: 2, com: [1, 0]}}\njoints: {J: {revolute: [ground, m]}}\n"
        "forces:\n  c: {pid: J, target: 0.1, p: 62, i: 60, d: 20}\nrun: {start: equilibrium}\n";
    static const char *const coordinates[] = {"planar", "relative", "natural"};
    const double z = 10 * cos(0.1) / 60;
    momentRig m = moment_text(text);
    moment_rest(&m, NULL);
    CHECK_NEAR(moment_channel(&m, "joint.J.angle"), 0.1, 1e-12);
    CHECK_NEAR(moment_channel(&m, "force.c.integral"), z, 1e-12);
    CHECK_NEAR(moment_channel(&m, "force.c.torque"), 60 * z, 1e-10);
    moment_end(&m);
    for (int k = 0; k < 3; k++) {
        runResult r = run_model(&(runSpec){.text = text,
                                           .coordinates = coordinates[k],
                                           .integrator = "generalized-alpha",
                                           .step = 1e-2,
                                           .end = 1,
                                           .channel = {"joint.J.angle", "force.c.integral"}});
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], 0.1, 1e-10);
        CHECK_NEAR(r.value[1], z, 1e-10);
    }
}

TEST_MAIN(target_that_jumps, closed_loop_eigenvalues, rest_under_a_load)
