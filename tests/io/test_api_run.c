/* Whole runs in memory, and many motions at a time. */
#include <stdlib.h>
#include <unistd.h>
#include <verge/verge.h>

#include "io/results.h"
#include "temporary.h"
#include "test.h"

/* A mass on a spring and a damper, pushed by an input: x'' = u − ω² x − 2 d x'. */
static const char oscillator[] = "verge: 1\n"
                                 "planar: true\n"
                                 "parameters: {w: 3, d: 0}\n"
                                 "bodies:\n"
                                 "  a: {mass: 1, inertia: 0.1, position: [0.2, 0]}\n"
                                 "joints:\n"
                                 "  rail: {prismatic: [ground, a], axis: x}\n"
                                 "forces:\n"
                                 "  spring: {torsion: rail, stiffness: w^2, damping: 2*d}\n"
                                 "  push: {joint-torque: rail, value: input.u}\n"
                                 "run: {step: 1e-3, end: 2, integrator: rk4}\n";

static vgModel *parse(const char *text)
{
    vgModel *model = vg_parse(text, strlen(text), "text", NULL, NULL);
    CHECK(model != NULL);
    return model;
}

TEST(columns_are_the_motion)
{
    vgModel *model = parse(oscillator);
    const char *const record[] = {"joint.rail.displacement", "body.a.velocity.*"};
    vgRun *run = NULL;
    vgRunHow how = {.interval = 0.01, .channels = record, .nchannel = 2};
    CHECK_INT(vg_run(model, &how, NULL, &run), VG_OK);
    CHECK_INT(run->nrow, 201);
    CHECK_INT(run->nchannel, 3);
    CHECK_STR(run->name[1], "body.a.velocity.x");
    CHECK_STR(run->unit[1], "m/s");
    for (long i = 0; i < run->nrow; i++) {
        CHECK_NEAR(run->time[i], 0.01 * (double)i, 1e-12);
        CHECK_NEAR(run->value[3 * i], 0.2 * cos(3 * run->time[i]), 1e-11);
        CHECK_NEAR(run->value[3 * i + 1], -0.6 * sin(3 * run->time[i]), 1e-11);
    }
    CHECK_STR(run->json, "\"steps\"");
    CHECK_INT(run->nwarning, 0);
    vg_run_free(run);
    vg_model_free(model);
}

static int stop_at_one(void *user, double t, double end, long steps)
{
    (void)steps;
    *(double *)user = end;
    return t > 1;
}

TEST(what_was_computed_is_kept_when_a_run_ends_early)
{
    vgModel *model = parse(oscillator);
    double end = 0;
    vgRun *run = NULL;
    vgRunHow how = {.every = 10, .progress = stop_at_one, .user = &end};
    CHECK_INT(vg_run(model, &how, NULL, &run), VG_INTERRUPTED);
    CHECK(run != NULL && run->status == VG_INTERRUPTED);
    CHECK_NEAR(end, 2, 0);
    CHECK(run->nrow > 95 && run->nrow < 110);
    CHECK_STR(run->error, "interrupted");
    vg_run_free(run);
    /* a motion that leaves the finite numbers: x'' = x³ at 1e200 */
    static const char escape[] =
        "verge: 1\nplanar: true\nbodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}\n"
        "joints: {rail: {prismatic: [ground, a], axis: x}}\n"
        "forces: {f: {joint-torque: rail, value: 1e3*joint.rail.displacement^3}}\n"
        "run: {step: 1e-2, end: 10, integrator: rk4}\n";
    vgModel *wild = parse(escape);
    CHECK(vg_run(wild, NULL, NULL, &run) != VG_OK);
    CHECK(run && run->nrow > 1 && run->t < 10 && *run->error);
    vg_run_free(run);
    vg_model_free(wild);
    vg_model_free(model);
}

TEST(what_cannot_begin_is_said)
{
    vgModel *model = parse(oscillator);
    vgDiag *diag = vg_diag_new();
    const char *const none[] = {"joint.rail.displacment"};
    vgRun *run = NULL;
    CHECK_INT(vg_run(model, &(vgRunHow){.channels = none, .nchannel = 1}, diag, &run), VG_BAD_INPUT);
    CHECK(run == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "joint.rail.displacement");
    CHECK_INT(vg_run(model, &(vgRunHow){.integrator = "rk5"}, diag, &run), VG_BAD_INPUT);
    CHECK_INT(vg_run(model, &(vgRunHow){.end = -1}, diag, &run), VG_BAD_INPUT);
    CHECK_INT(vg_run(model, &(vgRunHow){.every = 1, .interval = 1}, diag, &run), VG_BAD_INPUT);
    CHECK_INT(vg_run(NULL, NULL, diag, &run), VG_BAD_INPUT);
    CHECK_INT(vg_run_save(NULL, "a.h5", diag), VG_BAD_INPUT);
    CHECK_INT(vg_view(NULL, 1, "a.html", diag), VG_BAD_INPUT);
    vg_run_free(NULL);
    vg_diag_free(diag);
    vg_model_free(model);
}

TEST(a_run_is_saved_as_it_is)
{
    vgModel *model = parse(oscillator);
    vgRun *run = NULL;
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 20];
    CHECK(temporary_folder(folder));
    snprintf(path, sizeof path, "%s/run.h5", folder);
    CHECK_INT(vg_run(model, &(vgRunHow){.interval = 0.1}, NULL, &run), VG_OK);
    CHECK_INT(vg_run_save(run, path, NULL), VG_OK);
    vgTableData *table = NULL;
    CHECK_INT(vg_data_read(path, NULL, &table), VG_OK);
    CHECK_INT(table->nrow, run->nrow);
    CHECK_INT(table->ncol, run->nchannel + 1);
    for (long i = 0; i < table->nrow; i++) {
        CHECK_NEAR(table->value[i * table->ncol], run->time[i], 0);
        CHECK_NEAR(table->value[i * table->ncol + 1], run->value[i * run->nchannel], 0);
    }
    vg_data_free(table);
    remove(path), rmdir(folder);
    vgDiag *diag = vg_diag_new();
    CHECK_INT(vg_run_save(run, "run.txt", diag), VG_BAD_INPUT);
    CHECK_STR(vg_diag_line(diag, 0), ".csv");
    vg_diag_free(diag);
    vg_run_free(run);
    vg_model_free(model);
}

/* ---- rollouts ---- */

enum { COUNT = 12, STEPS = 100 };

/* Constant push u from (x0, v0): x = u/ω² + (x0 − u/ω²) cos ωt + v0/ω sin ωt. */
TEST(motions_follow_their_states_and_inputs)
{
    static double state[COUNT][2], in[COUNT][STEPS], out[COUNT][STEPS + 1][2], y[COUNT][STEPS + 1][1];
    const char *const channel[] = {"joint.rail.acceleration"};
    int status[COUNT];
    vgModel *model = parse(oscillator);
    for (int m = 0; m < COUNT; m++) {
        state[m][0] = 0.1 * m, state[m][1] = 1 - m;
        for (int k = 0; k < STEPS; k++) in[m][k] = 2 * m;
    }
    vgRolloutHow how = {.coordinates = "relative",
                        .step = 0.01,
                        .count = COUNT,
                        .steps = STEPS,
                        .t = 3,
                        .states = &state[0][0],
                        .inputs = &in[0][0],
                        .channels = channel,
                        .nchannel = 1,
                        .states_out = &out[0][0][0],
                        .channels_out = &y[0][0][0],
                        .status = status};
    CHECK_INT(vg_rollout(model, &how, NULL), VG_OK);
    for (int m = 0; m < COUNT; m++) {
        const double mean = 2.0 * m / 9, a = state[m][0] - mean, b = state[m][1] / 3;
        CHECK_INT(status[m], VG_OK);
        for (int k = 0; k <= STEPS; k++) {
            const double t = 0.01 * k, x = mean + a * cos(3 * t) + b * sin(3 * t);
            CHECK_NEAR(out[m][k][0], x, 2e-7 * (1 + m)); /* rk4: 9²·3 h⁴ t/120 of the amplitude */
            if (k > 0) CHECK_NEAR(y[m][k][0], 2 * m - 9 * x, 2e-6 * (1 + m));
        }
    }
    vg_model_free(model);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    static const char *const integrator[] = {"rk4", "generalized-alpha", "bdf", "dopri5"};
    static double state[COUNT][2], first[COUNT][STEPS + 1][2], other[COUNT][STEPS + 1][2];
    vgModel *model = parse(oscillator);
    for (int m = 0; m < COUNT; m++) state[m][0] = 0.3 * m, state[m][1] = m % 3;
    for (int i = 0; i < 4; i++) {
        vgRolloutHow how = {.coordinates = "relative",
                            .integrator = integrator[i],
                            .step = 0.01,
                            .count = COUNT,
                            .steps = STEPS,
                            .states = &state[0][0],
                            .states_out = &first[0][0][0],
                            .threads = 1};
        CHECK_INT(vg_rollout(model, &how, NULL), VG_OK);
        CHECK(first[COUNT - 1][STEPS][0] != first[COUNT - 1][0][0]);
        for (int threads = 2; threads <= 5; threads++) {
            memset(other, 0, sizeof other);
            how.threads = threads, how.states_out = &other[0][0][0];
            CHECK_INT(vg_rollout(model, &how, NULL), VG_OK);
            CHECK(memcmp(first, other, sizeof first) == 0);
        }
        /* and a motion alone is the same as among others */
        how.count = 1, how.states = &state[7][0];
        CHECK_INT(vg_rollout(model, &how, NULL), VG_OK);
        CHECK(memcmp(first[7], other[0], sizeof first[7]) == 0);
    }
    vg_model_free(model);
}

static int at_once(void *user, long done)
{
    (void)user, (void)done;
    return 1;
}

TEST(a_motion_that_fails_leaves_the_others)
{
    static double state[3][6], out[3][3][6];
    int status[3];
    vgModel *model = parse(oscillator);
    vgDiag *diag = vg_diag_new();
    state[0][0] = 0.1, state[1][0] = 0.1, state[1][1] = 1, state[2][0] = 0.2; /* the second is off its rail */
    vgRolloutHow how = {.coordinates = "planar",
                        .integrator = "generalized-alpha",
                        .step = 1e-3,
                        .count = 3,
                        .steps = 2,
                        .states = &state[0][0],
                        .states_out = &out[0][0][0],
                        .status = status};
    CHECK_INT(vg_rollout(model, &how, diag), VG_OK);
    CHECK(status[0] == VG_OK && status[1] == VG_INCONSISTENT && status[2] == VG_OK);
    CHECK(isnan(out[1][0][0]) && isnan(out[1][2][5]) && fabs(out[2][2][0] - 0.2) < 1e-4);
    CHECK_STR(vg_diag_line(diag, 0), "motion 1 failed: the state violates the joint 'rail'");
    how.project = 1;
    CHECK_INT(vg_rollout(model, &how, NULL), VG_OK);
    CHECK_INT(status[1], VG_OK);
    CHECK_NEAR(out[1][0][1], 0, 1e-12);
    how.progress = at_once;
    CHECK_INT(vg_rollout(model, &how, NULL), VG_INTERRUPTED);
    CHECK(isnan(out[0][1][0]));
    CHECK_INT(vg_rollout(model, &(vgRolloutHow){.count = -1}, NULL), VG_BAD_INPUT);
    CHECK_INT(vg_rollout(NULL, &how, NULL), VG_BAD_INPUT);
    vg_diag_free(diag);
    vg_model_free(model);
}

TEST_MAIN(columns_are_the_motion, what_was_computed_is_kept_when_a_run_ends_early, what_cannot_begin_is_said,
          a_run_is_saved_as_it_is, motions_follow_their_states_and_inputs,
          any_number_of_threads_gives_the_same_bits, a_motion_that_fails_leaves_the_others)
