/* Advice: eigenvalues against closed forms, explicit methods for smooth motion, implicit ones for stiff. */
#include "analysis/study/advise/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

/* Two masses with springs of their own: ω² = k/m, decay c/(2m). */
static const char two_masses[] =
    "verge: 1\nplanar: true\nparameters: {k: 1e4, c: 0.5}\ngravity: [0, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, point: true, position: [1, 0]}\n"
    "  b: {mass: 1, point: true, position: [0, 1], velocity: [0.2, 0]}\n"
    "forces:\n"
    "  sa: {bushing: [ground, a], stiffness: [k, k, 0, 0, 0, 0], damping: [c, c, 0, 0, 0, 0]}\n"
    "  sb: {bushing: [ground, b], stiffness: [9, 9, 0, 0, 0, 0]}\n"
    "run: {step: 1e-2, end: 5}\n";

TEST(eigenvalues_of_a_linear_system)
{
    vgModel *m = vg_model_parse(two_masses, sizeof two_masses - 1, "test", NULL, 0, NULL);
    vgSimulation sim;
    vgDials dials = {.integrator = "rk4"};
    vgRates r;
    CHECK_INT(vg_simulation_open(m, &dials, NULL, &sim), VG_OK);
    CHECK_INT(vg_advise_rates(sim.sys, sim.it->work, sim.state, &r), VG_OK);
    double w = 1e4 / 2, d = 0.5 / 4;
    CHECK_NEAR(r.fastest, sqrt(w), 1e-6);
    CHECK_NEAR(r.re, -d, 1e-6);
    CHECK_NEAR(r.im, sqrt(w - d * d), 1e-6);
    CHECK_NEAR(r.slowest, 3, 1e-6);
    CHECK_NEAR(r.decay, -d, 1e-6);
    vg_simulation_close(&sim);
    vg_model_free(m);
}

/* The pendulum hanging down swings with √(g/L) seen through its constraints; nothing else moves. */
TEST(eigenvalues_through_constraints)
{
    static const char text[] = "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                               "bodies: {bob: {mass: 3, point: true, position: [0, -2]}}\n"
                               "joints: {rod: {distance: [ground, bob], length: 2}}\n";
    vgModel *m = vg_model_parse(text, sizeof text - 1, "test", NULL, 0, NULL);
    vgSimulation sim;
    vgDials dials = {.integrator = "rk4", .constraints = "index1"};
    vgRates r;
    CHECK_INT(vg_simulation_open(m, &dials, NULL, &sim), VG_OK);
    CHECK_INT(vg_advise_rates(sim.sys, sim.it->work, sim.state, &r), VG_OK);
    CHECK_NEAR(r.fastest, sqrt(9.81 / 2), 1e-6);
    CHECK_NEAR(r.slowest, sqrt(9.81 / 2), 1e-6);
    CHECK_NEAR(r.re, 0, 1e-6);
    vg_simulation_close(&sim);
    vg_model_free(m);
}

static vgAdvice advice_on(const vgModel *m, const char *channel, double tolerance, double end, double span)
{
    static vgAdvice a;
    vgTrials all = {.model = m, .nchannel = 1, .channel = &channel};
    vgAdviceOptions o = {tolerance, end, span, 0.4, 20, 2};
    CHECK_INT(vg_advise(&all, &o, NULL, &a), VG_OK);
    return a;
}

/* What is recommended, run to an end. */
static vgTrial follow(const vgModel *m, const char *channel, const vgAdvice *a, double end)
{
    vgTrials all = {.model = m, .nchannel = 1, .channel = &channel};
    vgTrial t = {.step = a->run_step, .end = end};
    memcpy(t.integrator, a->run_integrator, sizeof t.integrator);
    memcpy(t.coordinates, a->run_coordinates, sizeof t.coordinates);
    memcpy(t.constraints, a->run_constraints, sizeof t.constraints);
    vg_trials_run(&all, &t, 1, 1);
    CHECK_INT(t.status, VG_OK);
    return t;
}

/* At an error of 1e-8 explicit methods of high order need a quarter of the work of any other: far enough
 * apart for any clock. */
TEST(smooth_motion_gets_an_explicit_method)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/slider-crank.yaml", VERGE_SOURCE_DIR);
    vgModel *m = vg_model_load(path, NULL, 0, NULL);
    vgAdvice a = advice_on(m, "joint.O.angle", 1e-8, 1, 0);
    CHECK_INT(a.freedom, 1);
    CHECK_INT(a.loops, 1);
    CHECK(a.best >= 0 && a.nreason >= 3);
    CHECK(a.best >= 0 && (a.trial[a.ladder[a.best].first].row->flags & VG_INT_EXPLICIT));
    /* next best is the cheapest of the others */
    int next = -1, told = 0;
    for (int i = 0; i < a.nladder; i++)
        if (i != a.best && a.cost[i] > 0 && (next < 0 || a.cost[i] < a.cost[next])) next = i;
    for (int i = 0; i < a.nreason; i++) {
        if (strncmp(a.reason[i], "next best: ", 11)) continue;
        told = next >= 0 &&
               !strncmp(a.reason[i] + 11, a.ladder[next].integrator, strlen(a.ladder[next].integrator));
    }
    CHECK(told);
    /* the recommendation is a run, and it keeps what it promises */
    vgTrials all = {.model = m, .nchannel = 1, .channel = (const char *const[]){"joint.O.angle"}};
    vgTrial t = follow(m, "joint.O.angle", &a, a.span);
    vg_trial_judge(&all, &a.reference, &t);
    CHECK(t.worst <= 1e-8);
    vg_advice_free(&a);
    vg_model_free(m);
}

/* A damper so strong that an explicit method must creep: |λ| = c/m = 1e6 1/s beside a motion of 3 rad/s. */
TEST(stiff_motion_gets_an_implicit_method)
{
    vgParamSet set[] = {{.name = "k", .value = 1e4}, {.name = "c", .value = 2e6}};
    vgModel *m = vg_model_parse(two_masses, sizeof two_masses - 1, "test", set, 2, NULL);
    vgAdvice a = advice_on(m, "body.b.position.x", 1e-4, 1, 0.1);
    CHECK(a.fastest > 0.9e6);
    CHECK(a.best >= 0 && (a.trial[a.ladder[a.best].first].row->flags & VG_INT_IMPLICIT));
    vg_advice_free(&a);
    vg_model_free(m);
}

static const char swing[] = "body.b.position.x"; /* of two_masses: x = 0.2/3 sin 3t */

static double swing_error(const vgTrial *t)
{
    return fabs(t->value[0] - 0.2 / 3 * sin(3 * t->end)) / (0.2 / 3);
}

/* Along the way the channels are those of the motion at each of the times, whether steps end there or not. */
TEST(samples_are_at_their_times)
{
    vgParamSet set[] = {{.name = "k", .value = 4}};
    vgModel *m = vg_model_parse(two_masses, sizeof two_masses - 1, "test", set, 1, NULL);
    const char *channel = swing;
    vgTrials all = {.model = m, .nchannel = 1, .channel = &channel};
    vgTrial trial[] = {{.integrator = "dop853:rtol=1e-10", .end = 5, .along = 1},
                       {.integrator = "rk4", .end = 5, .step = 5. / 64 / 16, .along = 1},
                       {.integrator = "rk4", .end = 5, .step = 0.0047, .along = 1}};
    vg_trials_run(&all, trial, 3, 1);
    for (int i = 0; i < 3; i++) {
        double worst = 0;
        CHECK_INT(trial[i].status, VG_OK);
        for (int k = 0; k < VG_TRIAL_SAMPLES; k++) {
            double exact = 0.2 / 3 * sin(3 * 5. * (k + 1) / VG_TRIAL_SAMPLES);
            worst = fmax(worst, fabs(trial[i].sample[k][0] - exact));
        }
        CHECK(worst < 1e-8 * 0.2 / 3);
    }
    /* two motions that part are judged by where they are furthest apart, and agree up to where they part */
    vgTrial coarse = {.integrator = "rk4", .end = 5, .step = 5. / 16, .along = 1};
    vg_trials_run(&all, &coarse, 1, 1);
    vg_trial_judge(&all, &trial[0], &coarse);
    double before = 0, most = 0, limit = 0.3 * coarse.worst, until = 0;
    for (int k = 0; k < VG_TRIAL_SAMPLES; k++) {
        double d = fabs(coarse.sample[k][0] - 0.2 / 3 * sin(3 * 5. * (k + 1) / VG_TRIAL_SAMPLES)) / (0.2 / 3);
        if (before <= limit && d <= limit) until = 5. * (k + 1) / VG_TRIAL_SAMPLES;
        before = fmax(before, d);
        most = fmax(most, d);
    }
    CHECK_NEAR(coarse.worst, most, 1e-3 * most);
    CHECK_NEAR(vg_trial_agrees(&all, &trial[0], &coarse, limit), until, 1e-12);
    vg_model_free(m);
}

/* The ladder goes on until the error is met, whatever was asked for. */
TEST(any_error_that_can_be_reached_is)
{
    vgParamSet set[] = {{.name = "k", .value = 4}};
    vgModel *m = vg_model_parse(two_masses, sizeof two_masses - 1, "test", set, 1, NULL);
    static const double tolerance[] = {1e-3, 1e-6, 1e-9};
    for (int i = 0; i < 3; i++) {
        vgAdvice a = advice_on(m, swing, tolerance[i], 5, 0);
        CHECK(a.best >= 0 && a.met && a.run_error <= tolerance[i]);
        CHECK_NEAR(a.run_until, 5, 0);
        vgTrial t = follow(m, swing, &a, 5);
        CHECK(swing_error(&t) <= 1.1 * tolerance[i] + 1e-11);
        vg_advice_free(&a);
    }
    vg_model_free(m);
}

/* Errors of an oscillation grow with time: what a trial of a tenth of a second finds good enough is not so
 * after fifty, and the recommendation is for fifty. */
TEST(short_trials_do_not_decide_for_a_long_run)
{
    vgParamSet set[] = {{.name = "k", .value = 4}};
    vgModel *m = vg_model_parse(two_masses, sizeof two_masses - 1, "test", set, 1, NULL);
    vgAdvice a = advice_on(m, swing, 1e-6, 50, 0.1);
    CHECK(a.met && a.run_error <= 1e-6);
    CHECK_NEAR(a.run_until, 50, 0);
    vgTrial t = follow(m, swing, &a, 50);
    CHECK(swing_error(&t) <= 1.1e-6);
    vg_advice_free(&a);
    vg_model_free(m);
}

/* No method works to 1e-15: the nearest is told, with its error, and that it does not meet what was asked. */
TEST(the_nearest_where_none_is_good_enough)
{
    vgParamSet set[] = {{.name = "k", .value = 4}};
    vgModel *m = vg_model_parse(two_masses, sizeof two_masses - 1, "test", set, 1, NULL);
    vgAdvice a = advice_on(m, swing, 1e-15, 5, 0);
    CHECK(a.best >= 0 && !a.met && a.run_error > 1e-15 && a.run_error < 1e-8);
    CHECK(strstr(a.reason[a.nreason - 1], "none of") != NULL);
    vg_advice_free(&a);
    vg_model_free(m);
}

/* x'' = 25 x: x = cosh 5t. */
TEST(a_motion_that_runs_away_is_named_first)
{
    static const char text[] = "verge: 1\nplanar: true\ngravity: [0, 0]\n"
                               "bodies: {m: {mass: 1, point: true, position: [1, 0]}}\n"
                               "forces: {f: {force: m, value: ['25*body.m.position.x', 0]}}\n";
    const char *channel = "body.m.position.x";
    vgModel *m = vg_model_parse(text, sizeof text - 1, "test", NULL, 0, NULL);
    vgTrials all = {.model = m, .nchannel = 1, .channel = &channel};
    vgDiag *diag = vg_diag_new();
    static vgAdvice a;
    CHECK(vg_advise(&all, &(vgAdviceOptions){1e-4, 100, 0, 0.4, 20, 2}, diag, &a) != VG_OK);
    CHECK_INT(vg_diag_count(diag), 1);
    CHECK(vg_diag_count(diag) && strstr(vg_diag_line(diag, 0), "grows without bound"));
    vg_advice_free(&a);
    vg_diag_free(diag);
    vg_model_free(m);
}

TEST_MAIN(eigenvalues_of_a_linear_system, eigenvalues_through_constraints,
          smooth_motion_gets_an_explicit_method, stiff_motion_gets_an_implicit_method,
          samples_are_at_their_times, any_error_that_can_be_reached_is,
          short_trials_do_not_decide_for_a_long_run, the_nearest_where_none_is_good_enough,
          a_motion_that_runs_away_is_named_first)
