/* Advice: eigenvalues against closed forms, explicit methods for smooth motion, implicit ones for stiff. */
#include "analysis/advise.h"

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
    double re[8], im[8];
    CHECK_INT(vg_simulation_open(m, &dials, NULL, &sim), VG_OK);
    CHECK_INT(vg_linear_eigenvalues(sim.sys, sim.it->work, sim.state, re, im), VG_OK);
    double w = 1e4 / 2, d = 0.5 / 4;
    int fast = 0, slow = 0;
    for (int i = 0; i < 8; i++) {
        fast += fabs(re[i] + d) < 1e-4 && fabs(fabs(im[i]) - sqrt(w - d * d)) < 1e-4;
        slow += fabs(re[i]) < 1e-6 && fabs(fabs(im[i]) - 3) < 1e-6;
    }
    CHECK_INT(fast, 4);
    CHECK_INT(slow, 4);
    vg_simulation_close(&sim);
    vg_model_free(m);
}

/* The pendulum hanging down swings with √(g/L) seen through its constraints; the other roots are zero. */
TEST(eigenvalues_through_constraints)
{
    static const char text[] = "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                               "bodies: {bob: {mass: 3, point: true, position: [0, -2]}}\n"
                               "joints: {rod: {distance: [ground, bob], length: 2}}\n";
    vgModel *m = vg_model_parse(text, sizeof text - 1, "test", NULL, 0, NULL);
    vgSimulation sim;
    vgDials dials = {.integrator = "rk4", .constraints = "index1"};
    double re[4], im[4];
    CHECK_INT(vg_simulation_open(m, &dials, NULL, &sim), VG_OK);
    CHECK_INT(vg_linear_eigenvalues(sim.sys, sim.it->work, sim.state, re, im), VG_OK);
    int swing = 0, closed = 0;
    for (int i = 0; i < 4; i++) {
        swing += fabs(fabs(im[i]) - sqrt(9.81 / 2)) < 1e-6 && fabs(re[i]) < 1e-6;
        closed += hypot(re[i], im[i]) < 1e-3;
    }
    CHECK_INT(swing, 2);
    CHECK_INT(closed, 2);
    vg_simulation_close(&sim);
    vg_model_free(m);
}

static vgAdvice advice_on(const vgModel *m, const char *channel, double tolerance, double end, double span)
{
    static vgAdvice a;
    vgTrials all = {.model = m, .nchannel = 1, .channel = &channel};
    CHECK_INT(vg_advise(&all, tolerance, end, span, 0.4, 2, NULL, &a), VG_OK);
    return a;
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
    /* the recommendation is a run, and it keeps what it promises */
    vgTrials all = {.model = m, .nchannel = 1, .channel = (const char *const[]){"joint.O.angle"}};
    vgTrial t = {.step = a.run_step, .end = a.span};
    memcpy(t.integrator, a.run_integrator, sizeof t.integrator);
    memcpy(t.coordinates, a.run_coordinates, sizeof t.coordinates);
    memcpy(t.constraints, a.run_constraints, sizeof t.constraints);
    vg_trials_run(&all, &t, 1, 1);
    CHECK_INT(t.status, VG_OK);
    vg_trial_judge(&all, &a.reference, &t);
    CHECK(t.worst <= 2e-8);
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

TEST_MAIN(eigenvalues_of_a_linear_system, eigenvalues_through_constraints,
          smooth_motion_gets_an_explicit_method, stiff_motion_gets_an_implicit_method)
