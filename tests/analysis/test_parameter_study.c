/* Plans, quantities and sweeps: strata of the samples, moments of the distributions, quantities of a falling body in closed
 * form, the same numbers on any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/effects.h"
#include "analysis/study/sweep.h"
#include "test.h"

static const char model[] = "verge: 1\nparameters: {g: 10, m: 1}\ngravity: [0, 0, -g]\n"
                            "bodies: {ball: {mass: m, inertia: [1, 1, 1]}}\nrun: {step: 1e-3, end: 1}\n";

static void vary(vgPlan *p, const char *text)
{
    CHECK(vg_plan_vary(p, text, NULL) == VG_OK);
}

TEST(grid_has_all_combinations_and_both_ends)
{
    vgPlan p = {0};
    double v[2], last[2], sum = 0;
    vary(&p, "a=1:2:5");
    vary(&p, "b=3,5,9");
    CHECK(vg_plan_rule(&p, NULL, 0, NULL) == VG_OK);
    CHECK(p.runs == 15);
    for (long i = 0; i < p.runs; i++) vg_plan_values(&p, i, v), sum += v[0] * v[1];
    CHECK_NEAR(sum, (1 + 1.25 + 1.5 + 1.75 + 2) * (3 + 5 + 9), 1e-12);
    vg_plan_values(&p, 1, v);
    CHECK(v[0] == 1 && v[1] == 5);
    vg_plan_values(&p, 14, last);
    CHECK(last[0] == 2 && last[1] == 9);
    vg_plan_free(&p);
}

/* Every dimension has one point in each of 2^k strata: Latin hypercubes by construction, Sobol's points as (t, s)-sequences
 * in base 2. A wrong direction number (even, or too large) breaks it. */
TEST(samples_have_one_point_in_each_stratum)
{
    static const char *const rule[] = {"sobol:256", "lhs:256"};
    for (int r = 0; r < 2; r++) {
        vgPlan p = {0};
        for (int i = 0; i < VG_PLAN_PARAMETERS; i++) {
            char text[] = "a=0:256";
            text[0] = (char)('a' + i);
            vary(&p, text);
        }
        CHECK(vg_plan_rule(&p, rule[r], 7, NULL) == VG_OK);
        unsigned char met[VG_PLAN_PARAMETERS][256] = {{0}};
        for (long i = 0; i < p.runs; i++) {
            double v[VG_PLAN_PARAMETERS];
            vg_plan_values(&p, i, v);
            for (int k = 0; k < VG_PLAN_PARAMETERS; k++) met[k][(int)v[k]]++;
        }
        for (int k = 0; k < VG_PLAN_PARAMETERS; k++) CHECK(memchr(met[k], 0, 256) == NULL);
        vg_plan_free(&p);
    }
}

/* Π over dimensions of (1 + (x_i − ½)/2), whose integral is 1: Sobol's points are closer to it than random ones. */
static double integral(const char *rule)
{
    vgPlan p = {0};
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        char text[] = "a=0:1";
        text[0] = (char)('a' + i);
        vary(&p, text);
    }
    CHECK(vg_plan_rule(&p, rule, 3, NULL) == VG_OK);
    for (long i = 0; i < p.runs; i++) {
        double v[6], product = 1;
        vg_plan_values(&p, i, v);
        for (int k = 0; k < 6; k++) product *= 1 + 0.5 * (v[k] - 0.5);
        sum += product / (double)p.runs;
    }
    vg_plan_free(&p);
    return sum;
}

TEST(sobol_integrates_better_than_random)
{
    CHECK(fabs(integral("sobol:4096") - 1) < 3e-4);
    CHECK(fabs(integral("random:4096") - 1) < 4 * 0.37 / 64); /* four deviations */
}

TEST(distributions_have_their_moments)
{
    vgPlan p = {0};
    double mean[3] = {0}, square[3] = {0};
    vary(&p, "a~normal(3,0.1)");
    vary(&p, "b~uniform(-1,5)");
    vary(&p, "c~lognormal(0.2,0.5)");
    CHECK(vg_plan_rule(&p, "sobol:16384", 1, NULL) == VG_OK);
    for (long i = 0; i < p.runs; i++) {
        double v[3];
        vg_plan_values(&p, i, v);
        for (int k = 0; k < 3; k++)
            mean[k] += v[k] / (double)p.runs, square[k] += v[k] * v[k] / (double)p.runs;
    }
    CHECK_NEAR(mean[0], 3, 1e-4);
    CHECK_NEAR(sqrt(square[0] - mean[0] * mean[0]), 0.1, 1e-4);
    CHECK_NEAR(mean[1], 2, 1e-3);
    CHECK_NEAR(square[1] - mean[1] * mean[1], 3, 3e-3);
    CHECK_NEAR(mean[2], exp(0.2 + 0.125), 2e-3);
    vg_plan_free(&p);
}

TEST(wrong_texts_are_refused)
{
    static const char *const text[] = {"a",       "a=",        "a=x",         "a=1:",          "a=2:1",
                                       "a=1:2:0", "a=1:2:3:4", "a~normal(1)", "a~normal(1,0)", "a~gauss(1,2)",
                                       "a=1,",    "=1",        "a=nan",       "a=1:2:2.5"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        vgPlan p = {0};
        vgDiag *diag = vg_diag_new();
        CHECK(vg_plan_vary(&p, text[i], diag) == VG_BAD_INPUT);
        CHECK(vg_diag_errors(diag) == 1);
        vg_diag_free(diag);
        vg_plan_free(&p);
    }
    static const char *const quantity[] = {"final(",     "final()",     "mean(a,b)", "x",
                                           "final(a) +", "crossing(a)", "t"};
    for (size_t i = 0; i < sizeof quantity / sizeof quantity[0]; i++) {
        vgQuantities *q;
        vgDiag *diag = vg_diag_new();
        CHECK(vg_quantities_new(&quantity[i], 1, diag, &q) == VG_BAD_INPUT);
        CHECK(vg_diag_errors(diag) >= 1);
        vg_diag_free(diag);
    }
}

/* z = −g t²/2, v = −g t. */
TEST(quantities_of_a_falling_body)
{
    static const char *const text[] = {"final(body.ball.position.z)",
                                       "mean(body.ball.velocity.z)",
                                       "rms(body.ball.velocity.z)",
                                       "crossing(body.ball.position.z, -1)",
                                       "max(body.ball.velocity.z)",
                                       "min(body.ball.velocity.z)",
                                       "max(2, min(3, final(body.ball.velocity.z)^2/20))",
                                       "initial(body.ball.position.z) + 4"};
    enum { N = sizeof text / sizeof text[0], RUNS = 6 };
    vgDiag *diag = vg_diag_new();
    vgQuantities *q = NULL;
    vgSource *source = vg_source_new(NULL, model, strlen(model), "ball", diag);
    vgPlan plan = {0};
    vary(&plan, "g=5:10:6");
    CHECK(vg_plan_rule(&plan, NULL, 0, NULL) == VG_OK);
    CHECK(source && vg_quantities_new(text, N, diag, &q) == VG_OK);
    double value[2][RUNS][N];
    char why[RUNS][VG_SWEEP_WHY] = {{0}};
    vgSweep sweep = {.source = source, .plan = &plan, .quantities = q};
    CHECK(vg_sweep_check(&sweep, diag) == VG_OK);
    for (int k = 0; k < 2; k++) { /* on one thread, and on three */
        vgSweepRun run[RUNS];
        for (int i = 0; i < RUNS; i++)
            run[i] = (vgSweepRun){.index = i, .quantity = value[k][i], .why = why[i]};
        CHECK(vg_sweep_runs(&sweep, run, RUNS, k ? 3 : 1) == VG_OK);
        for (int i = 0; i < RUNS; i++) CHECK(run[i].state == VG_SWEEP_OK);
    }
    CHECK(memcmp(value[0], value[1], sizeof value[0]) == 0);
    for (int i = 0; i < RUNS; i++) {
        double g = 5 + i,
               want[N] = {-g / 2, -g / 2, g / sqrt(3), sqrt(2 / g), 0, -g, fmax(2, fmin(3, g * g / 20)), 4};
        for (int k = 0; k < N; k++) CHECK_NEAR(value[0][i][k], want[k], 1e-9);
    }
    vg_quantities_free(q);
    vg_plan_free(&plan);
    vg_source_free(source);
    vg_diag_free(diag);
}

/* Histories beside quantities: z = −g t²/2 at times that are no steps; those behind the end stay NaN. */
TEST(histories_are_taken_at_any_times)
{
    static const char *const text[] = {"final(body.ball.velocity.z)"}, *const channel[] = {
                                                                           "body.ball.position.z",
                                                                           "body.ball.velocity.z"};
    const double times[] = {0, 0.01234, 0.5, 0.999, 1.5};
    enum { RUNS = 2, TIMES = 5 };
    vgDiag *diag = vg_diag_new();
    vgQuantities *q = NULL;
    vgSource *source = vg_source_new(NULL, model, strlen(model), "ball", diag);
    vgPlan plan = {0};
    vary(&plan, "g=5,10");
    CHECK(vg_plan_rule(&plan, NULL, 0, NULL) == VG_OK);
    CHECK(source && vg_quantities_new(text, 1, diag, &q) == VG_OK);
    double value[RUNS], history[RUNS][TIMES][2];
    char why[RUNS][VG_SWEEP_WHY] = {{0}};
    vgSweepRun run[RUNS];
    vgSweep sweep = {.source = source,
                     .plan = &plan,
                     .quantities = q,
                     .history = channel,
                     .nhistory = 2,
                     .times = times,
                     .ntimes = TIMES};
    CHECK(vg_sweep_check(&sweep, diag) == VG_OK);
    for (int i = 0; i < RUNS; i++)
        run[i] = (vgSweepRun){.index = i, .quantity = &value[i], .history = history[i][0], .why = why[i]};
    CHECK(vg_sweep_runs(&sweep, run, RUNS, 2) == VG_OK);
    for (int i = 0; i < RUNS; i++) {
        double g = i ? 10 : 5;
        CHECK_NEAR(value[i], -g, 1e-9);
        for (int k = 0; k < TIMES - 1; k++) {
            CHECK_NEAR(history[i][k][0], -g / 2 * times[k] * times[k], 1e-9);
            CHECK_NEAR(history[i][k][1], -g * times[k], 1e-9);
        }
        CHECK(isnan(history[i][TIMES - 1][0]));
    }
    static const char *const unknown[] = {"body.ball.nothing"};
    sweep.history = unknown;
    sweep.nhistory = 1;
    CHECK(vg_sweep_check(&sweep, diag) == VG_BAD_INPUT);
    vg_quantities_free(q);
    vg_plan_free(&plan);
    vg_source_free(source);
    vg_diag_free(diag);
}

/* y = 3 a + b with a and b even in 0…1 has the first-order indices 0.9 and 0.1; c does nothing. y = (a − ½)(b − ½) has none. */
TEST(effects_are_the_parts_of_the_variance)
{
    enum { N = 4096 };
    static double x[N][3], y[N][2];
    vgPlan p = {0};
    vary(&p, "a=0:1");
    vary(&p, "b=0:1");
    vary(&p, "c=0:1");
    CHECK(vg_plan_rule(&p, "sobol:4096", 2, NULL) == VG_OK);
    for (long i = 0; i < N; i++) {
        vg_plan_values(&p, i, x[i]);
        y[i][0] = 3 * x[i][0] + x[i][1];
        y[i][1] = (x[i][0] - 0.5) * (x[i][1] - 0.5);
    }
    const double want[3] = {0.9, 0.1, 0};
    for (int k = 0; k < 3; k++) {
        vgEffect e, none;
        CHECK(vg_effect(N, &x[0][k], 3, &y[0][0], 2, &e) && e.bins == VG_EFFECT_BINS);
        /* means over a bin lose 1/bins² of the parameter's variance */
        CHECK_NEAR(e.index, want[k], 0.01);
        CHECK_NEAR(e.most - e.least, (k == 0 ? 3.0 : k == 1 ? 1.0 : 0.0) * 15 / 16, 0.06);
        CHECK(vg_effect(N, &x[0][k], 3, &y[0][1], 2, &none) && none.index < 0.01);
    }
    x[7][0] = NAN;
    vgEffect flat;
    CHECK(vg_effect(N, &y[0][0], 0, &y[0][0], 2, &flat) && flat.bins == 0);
    vg_plan_free(&p);
}

TEST_MAIN(grid_has_all_combinations_and_both_ends, samples_have_one_point_in_each_stratum,
          sobol_integrates_better_than_random, distributions_have_their_moments, wrong_texts_are_refused,
          quantities_of_a_falling_body, histories_are_taken_at_any_times,
          effects_are_the_parts_of_the_variance)
