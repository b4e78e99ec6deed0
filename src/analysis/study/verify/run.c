/* The runs of a certificate: the same channels at the same times, with a budget of evaluations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/channels/energy.h"
#include "analysis/study/compare.h"
#include "analysis/study/verify/parts.h"
#include "base/os.h"

typedef struct Look {
    vgVerify *x;
    vgVerifyRun *run;
    vgSampled *to;
    vgIntegrator *it;
    const vgState *state;
    vgChannels *channels;
    double most;              /* evaluations */
    double seen_work, seen_t; /* at the last look ahead */
    long calls;
    int late, spent, hopeless, stopped;
} Look;

enum { CLOCK_EVERY = 256 };

/* Part of a run's budget after which its end is foreseen, and by how many times the budget what is left must then miss
 * it for the run to be given up. A run that cannot come to its end (explicit steps on stiff models) costs a tenth of
 * its share, so that the methods after it get theirs. FORESEEN: half judges by the first small steps of a run
 * alone, twice costs as much. MISSED: half gives up runs that begin with their hardest part, twice gives up later. */
static const double FORESEEN = 0.1, MISSED = 4;

static void see(double *most, double value)
{
    if (fabs(value) > *most) *most = fabs(value);
}

/* How large motion and energies get, in the run itself. */
static void look_at_scales(Look *l)
{
    vgScales *s = &l->x->scale;
    vgProbe *probe = vg_channels_probe(l->channels);
    const vgModel *m = l->x->model;
    for (int i = 0; i < m->nbody; i++) {
        if (vg_body_is_hidden(&m->body[i])) continue;
        const vgKin *k = vg_probe_kin(probe, i);
        see(&s->speed, vg_norm3(k->v));
        see(&s->omega, vg_norm3(k->w));
        see(&s->acceleration, vg_norm3(k->dv));
        see(&s->alpha, vg_norm3(k->dw));
    }
    const double potential = vg_energy_potential(probe);
    if (l->to->n == 0) {
        s->length = vg_probe_system(probe)->length;
        s->mass = vg_energy_com(probe, NULL, NULL, NULL);
        s->potential0 = potential;
    }
    see(&s->kinetic, vg_energy_kinetic(probe));
    see(&s->potential, potential - s->potential0);
}

/* The same columns in every run: 0 where there is no channel. */
static void spread(const vgVerify *x, int n, double *row)
{
    for (int c = x->nchannel - 1; c >= n; c--) row[c] = vg_trial_of_setting(x->names[c]) ? 0 : row[--n];
}

static void sample(Look *l, const vgState *s, vgWork *work)
{
    if (l->to->n >= l->x->nsample) return;
    double *row = l->to->value + (size_t)l->to->n * (size_t)l->x->nchannel;
    vg_channels_eval(l->channels, work, s, row);
    spread(l->x, vg_channels_count(l->channels), row);
    if (l->run->role == VG_VERIFY_SELF) look_at_scales(l);
    l->to->n++;
}

/* Rows as they are recorded, with the accelerations and reactions of the motion. */
static vgStatus take_row(void *user, const vgState *s, vgWork *work)
{
    sample(user, s, work);
    return VG_OK;
}

static void take_step(void *user, const vgState *s, vgWork *work)
{
    vg_channels_step(((Look *)user)->channels, work, s);
}

/* Whenever the work has doubled: the pace since then, and whether the end can be reached with it. */
static void look_ahead(Look *l, double work)
{
    const double t = l->state->t, gone = t - l->seen_t, left = l->x->o->end - t;
    if (work > FORESEEN * l->most && left * (work - l->seen_work) > MISSED * l->most * gone)
        l->hopeless = l->spent = 1;
    l->seen_work = work;
    l->seen_t = t;
}

static int cancelled(void *user)
{
    Look *l = user;
    const vgVerify *x = l->x;
    const double work = vg_stats_work(&l->it->stats);
    if (work > l->most) l->spent = 1;
    if (isfinite(l->most) && work > 2 * l->seen_work) look_ahead(l, work);
    if (l->calls++ % CLOCK_EVERY == 0) {
        if (vg_os_thread_seconds() - x->begin > x->seconds) l->late = 1;
        if (x->o->cancelled && x->o->cancelled(x->o->user)) l->stopped = 1;
    }
    return l->spent || l->late || l->stopped;
}

static void say(vgVerifyRun *run, vgStatus st, const vgDiag *diag)
{
    const char *line = diag && vg_diag_count(diag) ? vg_diag_line(diag, 0) : vg_status_text(st);
    const char *text = strstr(line, "error: ");
    snprintf(run->why, sizeof run->why, "%s", text ? text + 7 : line);
}

static void go(Look *l, vgSimulation *sim, double most)
{
    vgVerify *x = l->x;
    vgVerifyRun *run = l->run;
    /* the run's own setting with its own first step, or it would not be the same run */
    const int own = run->role == VG_VERIFY_SELF || run->role == VG_VERIFY_FINER || !sim->it->adaptive;
    vgTransientOptions o = {
        .step = run->step > 0 ? run->step
                : own         ? x->o->step
                              : 0,
        .end = x->o->end,
        .interval = x->interval,
        /* independent runs see contacts that the run steps over, and do not step over them too */
        .locate = x->o->locate || run->role == VG_VERIFY_OTHER || run->role == VG_VERIFY_ARBITER};
    vgSink sink = {.user = l, .row = take_row, .cancelled = cancelled};
    vgTransientResult end;
    l->most = most;
    l->it = sim->it;
    l->state = sim->state;
    if (vg_channels_wants_steps(l->channels)) sink.step = take_step, sink.parts = 1;
    run->status = vg_transient_run(sim->it, sim->state, &o, &sink, &end);
    run->t = end.t;
    run->work = vg_stats_work(&end.stats);
    while (run->status == VG_OK && l->to->n < x->nsample) sample(l, sim->state, sim->it->work); /* rounding */
    if (run->status == VG_INTERRUPTED)
        snprintf(run->why, sizeof run->why, "%s at t = %.4g s",
                 l->stopped    ? "interrupted"
                 : l->late     ? "stopped by the clock"
                 : l->hopeless ? "given up: its budget would end long before the run"
                               : "its budget ended",
                 run->t);
    else if (run->status != VG_OK)
        snprintf(run->why, sizeof run->why, "%.230s",
                 end.failure.text[0] ? end.failure.text : vg_status_text(run->status));
    if (l->late) x->out->by_time = 1;
    if (l->stopped) x->out->interrupted = 1;
}

/* What the run's setting is, once it has been opened. */
static void learn(vgVerify *x, const vgSimulation *sim)
{
    const vgIntegrator *it = sim->it;
    const char *text = x->o->dials.integrator && *x->o->dials.integrator       ? x->o->dials.integrator
                       : x->model->run.integrator && *x->model->run.integrator ? x->model->run.integrator
                                                                               : it->row->name;
    x->row = it->row;
    x->con = sim->sys->nl > 0 ? sim->sys->con : VG_CON_NONE;
    x->steps = !it->adaptive;
    x->adaptive = it->adaptive || !strcmp(it->row->family, "SUNDIALS");
    x->rtol = it->rtol, x->atol = it->atol;
    x->order = vg_integrator_order(it);
    x->nv = sim->sys->nv;
    x->redundant = sim->assembly.nredundant;
    snprintf(x->coordinates, sizeof x->coordinates, "%s", sim->sys->coordinates);
    const char *given = x->o->dials.constraints && *x->o->dials.constraints ? x->o->dials.constraints
                        : x->model->run.constraints                         ? x->model->run.constraints
                                                                            : "";
    const size_t name = strcspn(given, ":"); /* with its options, if it is the one that was taken */
    const int taken =
        strlen(sim->sys->constraints) >= name && !strncmp(given, sim->sys->constraints, name) && name > 0;
    snprintf(x->constraints, sizeof x->constraints, "%s", taken ? given : sim->sys->constraints);
    snprintf(x->integrator, sizeof x->integrator, "%s", text);
}

/* What belongs to the run's setting (multipliers, which joint coordinates do not have) is not compared: other settings
 * go without it. */
static vgStatus open_channels(Look *l, const vgSimulation *sim, vgDiag *diag)
{
    const vgVerify *x = l->x;
    const char **names = malloc(((size_t)x->nchannel + 1) * sizeof *names);
    if (!names) return VG_NO_MEMORY;
    int n = 0;
    for (int c = 0; c < x->nchannel; c++)
        if (l->run->role == VG_VERIFY_SELF || !vg_trial_of_setting(x->names[c])) names[n++] = x->names[c];
    vgStatus st = vg_channels_new(sim->sys, names, n, diag, &l->channels);
    free(names);
    return st;
}

static vgStatus open_run(Look *l, vgSimulation *sim, vgDiag *diag)
{
    vgVerify *x = l->x;
    vgVerifyRun *run = l->run;
    const int self = run->role == VG_VERIFY_SELF;
    vgDials dials = {run->coordinates, run->constraints, run->integrator};
    vgStatus st = vg_simulation_open(x->model, self ? &x->o->dials : &dials, diag, sim);
    if (st != VG_OK) return st;
    if (self) learn(x, sim);
    snprintf(run->coordinates, sizeof run->coordinates, "%s", sim->sys->coordinates);
    snprintf(run->constraints, sizeof run->constraints, "%s", sim->sys->constraints);
    if (self) snprintf(run->integrator, sizeof run->integrator, "%s", x->integrator);
    if (self && x->steps) run->step = x->o->step;
    st = open_channels(l, sim, diag);
    if (st == VG_OK) vg_channels_watch(l->channels, sim->it->work);
    return st;
}

vgStatus vg_verify_sample(vgVerify *x, const vgVerifyRun *what, double work, vgSampled *to)
{
    if (x->out->nrun == VG_VERIFY_RUNS) return VG_LIMIT;
    Look l = {.x = x, .run = &x->out->run[x->out->nrun], .to = to};
    vgSimulation sim = {0};
    vgDiag *diag = vg_diag_new();
    *l.run = *what;
    to->index = x->out->nrun;
    to->n = 0;
    to->value = malloc(((size_t)x->nsample * (size_t)x->nchannel + 1) * sizeof *to->value);
    vgStatus st = diag && to->value ? open_run(&l, &sim, diag) : VG_NO_MEMORY;
    if (st == VG_OK) {
        x->out->nrun++;
        go(&l, &sim, work);
        x->left -= l.run->work;
    } else {
        say(l.run, st, diag);
        l.run->status = st;
    }
    if (l.run->status == VG_NO_MEMORY) x->starved = 1;
    vg_channels_free(l.channels);
    if (sim.sys) vg_simulation_close(&sim);
    vg_diag_free(diag);
    return st;
}
