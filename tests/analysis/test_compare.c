/* Trials side by side: the same numbers whatever the number of threads, errors against independent methods,
 * measured orders, honest failures. */
#include "analysis/study/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/converge.h"
#include "test.h"

static vgModel *load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, name);
    return vg_model_load(path, NULL, 0, NULL);
}

static vgTrial trial_of(const char *integrator, double step, double end)
{
    vgTrial t = {.step = step, .end = end, .energies = 1};
    snprintf(t.integrator, sizeof t.integrator, "%s", integrator);
    return t;
}

static int same_bits(const vgTrial *a, const vgTrial *b, int n)
{
    return !memcmp(a->value, b->value, (size_t)n * sizeof(double)) && a->energy_mean == b->energy_mean &&
           a->energy_end == b->energy_end && a->run.stats.steps == b->run.stats.steps &&
           a->run.stats.newton_iterations == b->run.stats.newton_iterations && a->status == b->status;
}

/* Every method of the list, on one thread and on three. */
TEST(same_numbers_on_any_number_of_threads)
{
    vgModel *m = load("slider-crank");
    const char *channel[] = {"joint.O.angle", "joint.O.rate"};
    vgTrials all = {.model = m, .nchannel = 2, .channel = channel};
    int n = 0;
    while (vg_integrators[n]) n++;
    vgTrial *one = calloc((size_t)n, sizeof *one), *three = calloc((size_t)n, sizeof *three);
    for (int i = 0; i < n; i++) one[i] = three[i] = trial_of(vg_integrators[i]->name, 2e-3, 0.1);
    vg_trials_run(&all, one, n, 1);
    vg_trials_run(&all, three, n, 3);
    vgTrial ref = {.end = 0.1, .limit = 10};
    CHECK_INT(vg_trials_reference(&all, 2e-3, 0, &ref), VG_OK);
    for (int i = 0; i < n; i++) {
        if (one[i].status != VG_OK) printf("%s: %s\n", one[i].integrator, one[i].why);
        CHECK_INT(one[i].status, VG_OK);
        CHECK(same_bits(&one[i], &three[i], 2));
        vg_trial_judge(&all, &ref, &one[i]);
        if (!(one[i].worst < 0.05)) printf("%s: error %g\n", one[i].integrator, one[i].worst);
        CHECK(one[i].worst < 0.05);
    }
    free(one);
    free(three);
    vg_model_free(m);
}

/* Pendulum: the mean energy error of [N] (14) falls with the square of the step for a method of order 2; the
 * balance ΔE of [Z] (23) vanishes for an accurate one although a damper takes energy out. */
TEST(energy_balance)
{
    const char *channel[] = {"joint.O.angle"};
    vgModel *m = load("slider-crank");
    vgTrials all = {.model = m, .nchannel = 1, .channel = channel};
    vgTrial t[3] = {trial_of("generalized-alpha", 4e-3, 1), trial_of("generalized-alpha", 2e-3, 1),
                    trial_of("rk4", 5e-4, 1)};
    vg_trials_run(&all, t, 3, 2);
    for (int i = 0; i < 3; i++) CHECK_INT(t[i].status, VG_OK);
    CHECK_NEAR(log2(t[0].energy_mean / t[1].energy_mean), 2, 0.15);
    CHECK(t[2].energy_max < 1e-6);
    CHECK(t[2].energy_mean <= t[2].energy_max);
    CHECK(t[2].run.stats.max_phi < 1e-13 && t[2].run.stats.max_phi_dot < 1e-13);
    vg_model_free(m);
}

TEST(ladders_measure_orders)
{
    const char *channel[] = {"body.bob.position.x", "body.bob.velocity.x"};
    vgModel *m = load("pendulum-point");
    vgTrials all = {.model = m, .nchannel = 2, .channel = channel};
    char a[] = "generalized-alpha", b[] = "rk4", c[] = "dopri5", *list[] = {a, b, c};
    for (int own = 0; own < 2; own++) {
        vgConverge plan = {.step = 0.02, .end = 1, .rtol = 1e-4, .rungs = 4, .own_reference = own};
        vgLadder ladder[3];
        vgTrial trial[15], ref = {.end = 1, .limit = 10};
        int n = vg_converge_plan(&plan, list, 3, ladder, trial);
        CHECK_INT(n, own ? 15 : 12);
        vg_trials_run(&all, trial, n, 2);
        CHECK_INT(vg_trials_reference(&all, 1e-3, 0, &ref), VG_OK);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++)
                vg_trial_judge(&all, own ? &trial[ladder[i].own] : &ref, &trial[ladder[i].first + k]);
        CHECK_NEAR(vg_converge_slope(&ladder[0], trial, -1, 1e-11), 2, own ? 0.15 : 0.1);
        CHECK_NEAR(vg_converge_slope(&ladder[1], trial, -1, 1e-11), 4, 0.3);
        CHECK_NEAR(vg_converge_order(&ladder[0], trial, 2, 0), 2, 0.2);
        CHECK(ladder[2].adaptive);
        CHECK(trial[ladder[2].first].run.stats.steps < trial[ladder[2].first + 3].run.stats.steps);
    }
    vg_model_free(m);
}

TEST(failures_are_told)
{
    const char *channel[] = {"joint.O.angle"};
    vgModel *m = load("slider-crank");
    vgTrials all = {.model = m, .nchannel = 1, .channel = channel};
    vgTrial t[4] = {trial_of("rk4", 1e-3, 1), trial_of("generalized-alpha:rho=2", 1e-3, 1),
                    trial_of("rk4", 0.3, 30), trial_of("generalized-alpha", 1e-6, 1e6)};
    snprintf(t[0].constraints, sizeof t[0].constraints, "index3");
    t[3].limit = 0.02;
    vg_trials_run(&all, t, 4, 2);
    CHECK(t[0].status != VG_OK && strstr(t[0].why, "does not work with constraints"));
    CHECK(t[1].status != VG_OK && strstr(t[1].why, "rho"));
    CHECK(t[3].status == VG_INTERRUPTED && strstr(t[3].why, "processor time"));
    for (int i = 0; i < 4; i++) {
        CHECK(t[i].status == VG_OK || t[i].why[0]);
        vgTrial ref = {.value = {1}, .size = {1}};
        vg_trial_judge(&all, &ref, &t[i]);
        CHECK(t[i].status == VG_OK || isnan(t[i].worst));
    }
    vg_model_free(m);
}

/* Methods with steps of their own look at the clock within one of ours. */
TEST(a_limit_is_told_as_one)
{
    const char *channel[] = {"joint.O.angle"};
    if (!vg_integrator_find("ida")) {
        CHECK(1); /* not built in */
        return;
    }
    vgModel *m = load("slider-crank");
    vgTrials all = {.model = m, .nchannel = 1, .channel = channel};
    vgTrial t[4] = {trial_of("ida:rtol=1e-9", 1, 1e6), trial_of("ida:rtol=1e-9", 1, 1e6),
                    trial_of("cvode:rtol=1e-9", 1, 1e6), trial_of("arkode:rtol=1e-9", 1, 1e6)};
    for (int i = 0; i < 4; i++) {
        snprintf(t[i].constraints, sizeof t[i].constraints, i == 0 ? "index2" : "index1");
        t[i].limit = 0.02;
    }
    vg_trials_run(&all, t, 4, 1);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(t[i].status, VG_INTERRUPTED);
        CHECK(strstr(t[i].why, "stopped at t") && strstr(t[i].why, "processor time"));
    }
    vg_model_free(m);
}

TEST(channels_by_default)
{
    const char *names[VG_TRIAL_CHANNELS];
    char *block = NULL;
    int n = 0;
    vgModel *m = load("slider-crank");
    CHECK_INT(vg_trial_channels(m, NULL, 0, NULL, &block, names, &n), VG_OK);
    CHECK_INT(n, 3); /* the energy is no measure of an error */
    CHECK_STR(names[0], "joint.O.angle");
    free(block);
    const char *given[] = {"body.*.angle"};
    CHECK_INT(vg_trial_channels(m, given, 1, NULL, &block, names, &n), VG_OK);
    CHECK_INT(n, 2);
    free(block);
    vg_model_free(m);
}

/* Errors are relative to a channel's largest value; a component that is small beside its vector counts as a
 * tenth of it, positions as a tenth of the way that the vector goes. Here a stays near x = 100, b drives off.
 */
TEST(small_components)
{
    static const char *const channel[] = {"body.a.velocity.x", "body.a.velocity.y", "body.a.position.x",
                                          "body.a.position.y", "joint.J.angle",     "body.b.velocity.y",
                                          "body.b.position.x", "body.b.position.y"};
    const vgTrials all = {.nchannel = 8, .channel = channel};
    vgTrial reference = {.size = {2, 1e-5, 100, 1e-3, 1e-3, 1e-5, 24, 2e-4},
                         .way = {2, 1e-5, 1e-3, 1e-3, 1e-3, 1e-5, 20, 2e-4}};
    vgTrial t = {.value = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6}};
    const double size[] = {2, 0.2, 100, 1e-3, 1e-3, 1e-5, 24, 2};
    vg_trial_judge(&all, &reference, &t);
    for (int i = 0; i < 8; i++) CHECK_NEAR(t.error[i] * size[i], 1e-6, 1e-18);
    CHECK_NEAR(t.worst, 0.1, 1e-12);
}

TEST_MAIN(small_components, same_numbers_on_any_number_of_threads, energy_balance, ladders_measure_orders,
          failures_are_told, a_limit_is_told_as_one, channels_by_default)
