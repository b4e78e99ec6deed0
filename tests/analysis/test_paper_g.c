/* Chapter 7 of [G] (García de Jalón, Bayo): table 7.4, the double pendulum whose springs grow stiffer, and
 * problem 7/1, period elongation and decay of three methods. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../integrator/runs.h"
#include "analysis/study/compare.h"
#include "test.h"

/* ---- table 7.4 ---- */

enum { NK = 5 };
static const double stiffness[NK] = {0, 100, 1e4, 1e6, 1e8};

/* Two independent angles, as in [G], h = 1e-3; 2 s of its 20 s show the same. */
static vgTrial pendulum(const char *integrator, double k1, double k2)
{
    char path[512];
    const char *channel[] = {"joint.J1.angle"};
    vgParamSet set[2] = {{.name = "k1", .value = k1}, {.name = "k2", .value = k2}};
    snprintf(path, sizeof path, "%s/models/double-pendulum.yaml", VERGE_SOURCE_DIR);
    vgModel *m = vg_model_load(path, set, 2, NULL);
    vgTrials all = {.model = m, .nchannel = 1, .channel = channel};
    vgTrial t = {
        .step = 1e-3, .end = 2, .energies = strncmp(integrator, "adams", 5) != 0, .coordinates = "relative"};
    snprintf(t.integrator, sizeof t.integrator, "%s", integrator);
    vg_trials_run(&all, &t, 1, 1);
    if (t.status != VG_OK) printf("%s: %s\n", integrator, t.why);
    CHECK_INT(t.status, VG_OK);
    vg_model_free(m);
    return t;
}

static double per_step(const vgTrial *t)
{
    return (double)t->run.stats.newton_iterations / (double)t->run.stats.steps;
}

/* Newton's iteration from the last positions, the plain way of [G]. Its processor times fall from 17.2 at
 * k = 100 to 9.2 at 1e8 (k = 0: 14.6), with the first joint free from 14.2 to 8.8. */
TEST(trapezoidal_rule_gets_cheaper_with_stiffness)
{
    for (int both = 1; both >= 0; both--) {
        double n[NK];
        for (int i = 0; i < NK; i++) {
            vgTrial t = pendulum("trapezoidal:predictor=-1", both ? stiffness[i] : 0, stiffness[i]);
            n[i] = per_step(&t);
            if (stiffness[i] >= 1e4) CHECK(t.energy_max < 3e-3 * 50000); /* of the energy at the start */
        }
        for (int i = 2; i < NK; i++) CHECK(n[i] < n[i - 1]);
        CHECK(n[NK - 1] < 0.63 * n[0]);
    }
}

/* The default guess extrapolates accelerations while that pays and goes on by the recurrence of the vibration
 * where it does not: never dearer, and stiff springs are cheaper than soft ones with it as well, iterated to
 * the same exactness (err=0). By default soft springs, whose steps resolve the motion, are iterated to a part
 * of the step's own error only (theory, eq. 25): no dearer either. */
TEST(default_guess_is_no_dearer)
{
    for (int both = 1; both >= 0; both--) {
        double n[NK];
        for (int i = 0; i < NK; i++) {
            vgTrial plain = pendulum("trapezoidal:predictor=-1", both ? stiffness[i] : 0, stiffness[i]),
                    t = pendulum("trapezoidal:err=0", both ? stiffness[i] : 0, stiffness[i]),
                    usual = pendulum("trapezoidal", both ? stiffness[i] : 0, stiffness[i]);
            n[i] = per_step(&t);
            CHECK(per_step(&usual) <= n[i]);
            CHECK(n[i] < 0.75 * per_step(&plain));
            CHECK(n[i] < 2.25);
        }
        CHECK(n[3] < n[2]);
        CHECK(n[4] < 0.6 * n[0]);
    }
}

/* [G] has 11.2 s at k = 0, 342.6 at 1e8, and no convergence with the first joint free. */
TEST(adams_gets_dearer_with_stiffness)
{
    long n[NK];
    for (int i = 0; i < NK; i++) {
        vgTrial t = pendulum("adams:rtol=1e-6,atol=1e-8", stiffness[i], stiffness[i]);
        n[i] = t.run.stats.accels;
        if (i > 2) CHECK(n[i] > 3 * n[i - 1]);
    }
    CHECK(n[NK - 1] > 30 * n[0]);
}

/* ---- problem 7/1: ÿ + y = 0, y = 1, ẏ = 0, t from 0 to 10, h = 0.1 ---- */

static void oscillate(const char *integrator, double *y, double *v)
{
    Rig r;
    vgParamSet k = {"k", 1, NULL};
    *y = *v = NAN;
    if (rig_open(&r, STIFF, NULL, integrator, &k, 1) && rig_run(&r, 0.1, 10)) {
        *y = r.sim.state->q[0];
        *v = r.sim.state->v[0];
    }
    rig_close(&r);
}

/* y_n = ρⁿ cos nφ: exact for both rules. The period is longer by h/φ − 1, the amplitude falls by ρ a step. */
TEST(problem_7_1_closed_forms)
{
    double y, v, h = 0.1, phi = 2 * atan(h / 2);
    oscillate("trapezoidal", &y, &v);
    CHECK_NEAR(y, cos(100 * phi), 1e-9);
    CHECK_NEAR(v, -sin(100 * phi), 1e-9);
    CHECK_NEAR(h / phi - 1, h * h / 12, 1e-5);
    phi = atan(h);
    double rho = 1 / sqrt(1 + h * h);
    oscillate("bdf1", &y, &v);
    CHECK_NEAR(y, pow(rho, 100) * cos(100 * phi), 1e-9);
    CHECK_NEAR(v, -pow(rho, 100) * sin(100 * phi), 1e-9);
}

/* Newmark's formulas with a_{n+1} = −(1 + α) y_{n+1} + α y_n, solved for y_{n+1} by hand ([G] (7.28), (7.29),
 * (7.36)). */
static void by_hand(double alpha, double beta, double gamma, double *y, double *v)
{
    double h = 0.1, a = -1;
    *y = 1, *v = 0;
    for (int i = 0; i < 100; i++) {
        double y1 =
            (*y + h * *v + h * h * ((0.5 - beta) * a + beta * alpha * *y)) / (1 + (1 + alpha) * beta * h * h);
        double a1 = -(1 + alpha) * y1 + alpha * *y;
        *v += h * ((1 - gamma) * a + gamma * a1);
        *y = y1;
        a = a1;
    }
}

TEST(problem_7_1_by_hand)
{
    double y, v, y_ref, v_ref, amplitude[3];
    by_hand(-0.1, 0.3025, 0.6, &y_ref, &v_ref);
    oscillate("hht-i3:alpha=-0.1", &y, &v);
    CHECK_NEAR(y, y_ref, 1e-9);
    CHECK_NEAR(v, v_ref, 1e-9);
    amplitude[1] = hypot(y, v);
    by_hand(0, 0.5, 1, &y_ref, &v_ref);
    oscillate("newmark:gamma=1,beta=0.5", &y, &v);
    CHECK_NEAR(y, y_ref, 1e-9);
    CHECK_NEAR(v, v_ref, 1e-9);
    amplitude[2] = hypot(y, v);
    oscillate("trapezoidal", &y, &v);
    amplitude[0] = hypot(y, v);
    /* the trapezoidal rule keeps the amplitude, the α-method almost, backward differences lose it */
    CHECK_NEAR(amplitude[0], 1, 1e-9);
    CHECK(amplitude[1] > 0.99 && amplitude[1] < 1);
    CHECK(amplitude[2] < 0.8);
}

TEST_MAIN(trapezoidal_rule_gets_cheaper_with_stiffness, default_guess_is_no_dearer,
          adams_gets_dearer_with_stiffness, problem_7_1_closed_forms, problem_7_1_by_hand)
