#include "analysis/study/sweep.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"

enum { MAX_THREADS = 64 };

typedef struct Run {
    const vgSweep *sweep;
    vgDiag *diag;
    vgModel *model;
    vgSimulation sim;
    vgTally *tally;
    vgTransientOptions how;
    /* a run whose histories are kept */
    vgChannels *channels;
    double *history;
    long next; /* row of it */
} Run;

/* Rows nearer than this part of the least distance of the times are at a time (as in runs: VG_ROW_NOW). */
static const double AT_TIME = 1e-6;

/* ---- one run ---- */

/* index < 0: the model as it is given, without the values of the plan. */
static vgStatus make_model(Run *r, long index)
{
    const vgSweep *s = r->sweep;
    double value[VG_PLAN_PARAMETERS];
    int n = s->nset;
    vgParamSet *set = malloc(((size_t)n + VG_PLAN_PARAMETERS) * sizeof *set);
    if (!set) return VG_NO_MEMORY;
    if (n > 0) memcpy(set, s->set, (size_t)n * sizeof *set);
    if (index >= 0) vg_plan_values(s->plan, index, value);
    for (int i = 0; index >= 0 && i < s->plan->naxis; i++)
        set[n++] = (vgParamSet){.name = s->plan->axis[i].name, .value = value[i]};
    r->model = vg_model_of(s->source, set, n, r->diag);
    free(set);
    if (!r->model) return vg_diag_starved(r->diag) ? VG_NO_MEMORY : VG_BAD_INPUT;
    if (s->plain) vg_model_set_plain(r->model, 1);
    return VG_OK;
}

static vgStatus set_times(Run *r)
{
    const vgRunOptions *m = &r->model->run;
    const vgSweep *s = r->sweep;
    r->how =
        (vgTransientOptions){.step = s->step > 0 ? s->step : m->step,
                             .end = s->end > 0 ? s->end : m->end,
                             .every = s->quantities && vg_quantities_need_steps(s->quantities) ? 1 : INT_MAX,
                             .locate = m->locate_events,
                             .monitor = 1};
    if (r->history) {
        r->how.times = s->times;
        r->how.ntimes = s->ntimes;
        r->how.interval = r->how.end;
        for (long i = 1; i < s->ntimes; i++)
            r->how.interval = fmin(r->how.interval, s->times[i] - s->times[i - 1]);
    }
    const char *wrong = !(r->how.end > 0) ? "no end time: give run: {end: T} in the model or --end T" : NULL;
    if (!wrong && !(r->how.step > 0) && !r->sim.it->adaptive)
        wrong = "no step: give run: {step: H} in the model or --step H (or an adaptive integrator)";
    if (!wrong) wrong = vg_transient_wrong_times(r->sim.it, 0, &r->how);
    if (wrong) vg_diag_error(r->diag, VG_NOWHERE, "%s", wrong);
    return wrong ? VG_BAD_INPUT : VG_OK;
}

static vgStatus open_run(Run *r, long index)
{
    if (!r->diag) r->diag = vg_diag_new();
    vgStatus status = r->diag ? make_model(r, index) : VG_NO_MEMORY;
    if (status == VG_OK) status = vg_simulation_open(r->model, &r->sweep->dials, r->diag, &r->sim);
    if (status == VG_OK) status = set_times(r);
    if (status != VG_OK) return status;
    if (!r->history) {
        status = vg_tally_new(r->sweep->quantities, r->sim.sys, r->diag, &r->tally);
        if (status == VG_OK) r->channels = vg_tally_channels(r->tally);
    } else {
        status = vg_channels_new(r->sim.sys, r->sweep->history, r->sweep->nhistory, r->diag, &r->channels);
        if (status == VG_OK && vg_channels_count(r->channels) != r->sweep->nhistory) {
            vg_diag_error(r->diag, VG_NOWHERE,
                          "histories need single channels, each once, such as joint.pin.force.x");
            status = VG_BAD_INPUT;
        }
    }
    if (status == VG_OK) vg_channels_watch(r->channels, r->sim.it->work);
    return status;
}

static void close_run(Run *r)
{
    if (!r->tally) vg_channels_free(r->channels);
    vg_tally_free(r->tally);
    vg_simulation_close(&r->sim);
    vg_model_free(r->model);
    vg_diag_free(r->diag);
}

static vgStatus take_row(void *user, const vgState *state, vgWork *work)
{
    Run *r = user;
    vg_tally_row(r->tally, work, state);
    return VG_OK;
}

static vgStatus take_history(void *user, const vgState *state, vgWork *work)
{
    Run *r = user;
    const vgSweep *s = r->sweep;
    while (r->next < s->ntimes && s->times[r->next] <= state->t + AT_TIME * r->how.interval)
        vg_channels_eval(r->channels, work, state, r->history + r->next++ * s->nhistory);
    return VG_OK;
}

static void take_step(void *user, const vgState *state, vgWork *work)
{
    Run *r = user;
    vg_channels_step(r->channels, work, state);
}

static int cancelled(void *user)
{
    const vgSweep *s = ((Run *)user)->sweep;
    return s->cancelled && s->cancelled(s->user);
}

/* The first error of the diagnostics, or what the status means. */
static void say_why(const Run *r, vgStatus status, const vgTransientResult *result, char *why)
{
    const char *text = result->failure.text[0] ? result->failure.text : vg_status_text(status);
    for (int i = 0; r->diag && i < vg_diag_count(r->diag); i++) {
        const char *line = vg_diag_line(r->diag, i);
        if (!strstr(line, "error: ")) continue;
        text = line;
        break;
    }
    snprintf(why, VG_SWEEP_WHY, "%s", text);
}

/* Rows at the ends of steps for quantities, or at given times for histories. */
static vgStatus run_once(Run *r, vgSweepRun *run)
{
    vgTransientResult result = {0};
    vgSink sink = {.user = r, .row = r->history ? take_history : take_row, .cancelled = cancelled};
    vgStatus status = open_run(r, run->index);
    if (status == VG_OK) {
        if (vg_channels_wants_steps(r->channels)) sink.step = take_step, sink.parts = 1;
        status = vg_transient_run(r->sim.it, r->sim.state, &r->how, &sink, &result);
    }
    if (status != VG_OK && status != VG_INTERRUPTED) say_why(r, status, &result, run->why);
    return status;
}

/* Quantities look at every step, histories at given times: a run for each of them, with the same steps. */
static vgStatus run_one(const vgSweep *s, vgSweepRun *run)
{
    vgStatus status = VG_OK;
    int n = s->quantities ? vg_quantities_count(s->quantities) : 0;
    long nhistory = run->history ? s->ntimes * s->nhistory : 0;
    for (int i = 0; i < n; i++) run->quantity[i] = NAN;
    for (long i = 0; i < nhistory; i++) run->history[i] = NAN;
    if (n > 0 || nhistory == 0) {
        Run r = {.sweep = s};
        status = run_once(&r, run);
        if (status == VG_OK) vg_tally_values(r.tally, run->quantity);
        close_run(&r);
    }
    if (status == VG_OK && nhistory > 0) {
        Run r = {.sweep = s, .history = run->history};
        status = run_once(&r, run);
        close_run(&r);
    }
    if (status == VG_OK) {
        run->state = VG_SWEEP_OK;
    } else if (status != VG_INTERRUPTED) {
        run->state = VG_SWEEP_FAILED;
        for (int i = 0; i < n; i++) run->quantity[i] = NAN;
        for (long i = 0; i < nhistory; i++) run->history[i] = NAN;
    }
    return status;
}

static int has_parameter(const vgModel *m, const char *name)
{
    for (int i = 0; i < m->nparam; i++)
        if (strcmp(m->param_name[i], name) == 0) return 1;
    return 0;
}

/* The channels of the histories exist. */
static vgStatus check_histories(const vgSweep *sweep, vgDiag *diag)
{
    double none = 0;
    Run r = {.sweep = sweep, .diag = diag, .history = &none};
    vgStatus status = open_run(&r, -1);
    r.diag = NULL; /* the caller's */
    close_run(&r);
    return status;
}

vgStatus vg_sweep_check(const vgSweep *sweep, vgDiag *diag)
{
    vgStatus status = sweep->nhistory > 0 ? check_histories(sweep, diag) : VG_OK;
    if (status != VG_OK) return status;
    Run r = {.sweep = sweep, .diag = diag};
    status = open_run(&r, -1);
    for (int i = 0; r.model && i < sweep->plan->naxis; i++) {
        if (has_parameter(r.model, sweep->plan->axis[i].name)) continue;
        Run unknown = {.sweep = sweep, .diag = diag}; /* the reader knows what to say about the name */
        status = make_model(&unknown, 0);
        vg_model_free(unknown.model);
        break;
    }
    r.diag = NULL; /* the caller's */
    close_run(&r);
    return status;
}

/* ---- all of them ---- */

typedef struct Pool {
    const vgSweep *sweep;
    vgSweepRun *run;
    long n;
    atomic_long next, done;
    atomic_int short_of_memory;
} Pool;

static void work(Pool *p, int tells)
{
    for (;;) {
        long i = atomic_fetch_add(&p->next, 1);
        if (i >= p->n || atomic_load(&p->short_of_memory)) return;
        if (p->sweep->cancelled && p->sweep->cancelled(p->sweep->user)) return;
        if (p->run[i].state == VG_SWEEP_MISSING && run_one(p->sweep, &p->run[i]) == VG_NO_MEMORY) {
            p->run[i].state = VG_SWEEP_MISSING; /* another time it may fit */
            atomic_store(&p->short_of_memory, 1);
        }
        long done = atomic_fetch_add(&p->done, 1) + 1;
        if (tells && p->sweep->done) p->sweep->done(p->sweep->user, done);
    }
}

static void *helper(void *user)
{
    work(user, 0);
    return NULL;
}

vgStatus vg_sweep_runs(const vgSweep *sweep, vgSweepRun *run, long n, int threads)
{
    Pool p = {.sweep = sweep, .run = run, .n = n};
    pthread_t id[MAX_THREADS];
    int started = 0;
    if (threads <= 0) threads = vg_os_processors();
    if (threads > n) threads = (int)n;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    while (started < threads - 1 && pthread_create(&id[started], NULL, helper, &p) == 0) started++;
    work(&p, 1); /* this thread works too */
    for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
    if (atomic_load(&p.short_of_memory)) return VG_NO_MEMORY;
    for (long i = 0; i < n; i++)
        if (run[i].state == VG_SWEEP_MISSING) return VG_INTERRUPTED;
    return VG_OK;
}
