#include "analysis/study/compare.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/channels/energy.h"
#include "base/os.h"
#include "math/dense.h"
#include "analysis/tuning.h"

enum { CLOCK_EVERY = 256, ENERGY_EVERY = 32, MAX_THREADS = 64 };

/* What a run hands its rows to. */
typedef struct Watch {
    const vgTrials *all;
    vgTrial *trial;
    vgChannels *channels;
    vgProbe *probe;
    vgWorkSum work;
    double most; /* kinetic energy beyond which a bounded trial ends */
    double row[VG_TRIAL_CHANNELS], first[VG_TRIAL_CHANNELS], e0, last_t, last_de, integral, drift[3];
    double *phi; /* 3 nl */
    long rows, looks, calls;
    double begin;
    int late, between; /* between: rows come between the steps' ends too */
} Watch;

/* The work is summed at every point seen; the energy is judged where steps end, not between, where it has
 * the error of the interpolation. */
static void watch_energy(Watch *w, const vgState *s, vgWork *work, int judge)
{
    vgTrial *t = w->trial;
    vg_probe_at(w->probe, work, s);
    vg_energy_sum(&w->work, w->probe);
    if (!judge) return;
    double e = vg_energy_total(w->probe);
    if (w->rows == 0) w->e0 = e;
    double de = e - w->e0 - w->work.drive + w->work.dissipated;
    if (w->rows > 0) w->integral += 0.5 * (s->t - w->last_t) * (fabs(de) + fabs(w->last_de));
    w->last_t = s->t;
    w->last_de = de;
    t->energy_end = de;
    t->energy_max = vg_larger(t->energy_max, fabs(de));
}

/* Far above the initial speed, the speed that gravity gives within the model's length, and ten thousand lengths
 * within the run. */
static double beyond_measure(const Watch *w, double kinetic)
{
    const vgSystem *sys = vg_probe_system(w->probe);
    double mass = vg_energy_com(w->probe, NULL, NULL, NULL), length = sys->length,
           speed = length / w->trial->end;
    return 1e5 * (kinetic + fabs(vg_energy_potential(w->probe)) +
                  mass * length * vg_norm3(sys->model->gravity)) +
           1e8 * mass * speed * speed;
}

static void watch_growth(Watch *w, const vgState *s, vgWork *work)
{
    vgTrial *t = w->trial;
    if (t->grew || w->looks++ % ENERGY_EVERY) return;
    vg_probe_at(w->probe, work, s);
    double kinetic = vg_energy_kinetic(w->probe), energy = vg_energy_total(w->probe);
    if (w->looks == 1) {
        w->most = beyond_measure(w, kinetic);
        w->e0 = energy;
    }
    if (kinetic <= w->most) return;
    t->grew = 1;
    snprintf(t->why, sizeof t->why,
             "the motion grows without bound (energy %.3g J at the start, %.3g J at t = %.4g s)", w->e0,
             energy, s->t);
}

/* How large the channels get. */
static void watch_size(Watch *w)
{
    vgTrial *t = w->trial;
    if (w->rows == 0) memcpy(w->first, w->row, sizeof *w->row * (size_t)w->all->nchannel);
    for (int i = 0; i < w->all->nchannel; i++) {
        t->size[i] = fmax(t->size[i], fabs(w->row[i]));
        t->way[i] = fmax(t->way[i], fabs(w->row[i] - w->first[i]));
    }
}

/* A step of a trial that is compared along the run, whose samples are at given times. */
static void take_sight(void *user, const vgState *s, vgWork *work)
{
    Watch *w = user;
    vg_channels_eval(w->channels, work, s, w->row);
    watch_size(w);
    if (w->trial->bounded) watch_growth(w, s, work);
}

static vgStatus take_row(void *user, const vgState *s, vgWork *work)
{
    Watch *w = user;
    vgTrial *t = w->trial;
    vg_channels_eval(w->channels, work, s, w->row);
    watch_size(w);
    if (t->along && w->rows > 0 && w->rows <= VG_TRIAL_SAMPLES)
        memcpy(t->sample[w->rows - 1], w->row, sizeof *w->row * (size_t)w->all->nchannel);
    if (t->energies) watch_energy(w, s, work, !w->between || w->rows == 0);
    w->rows++;
    return VG_OK;
}

static double largest(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++) m = vg_larger(m, fabs(x[i]));
    return m;
}

/* Constraints are judged where steps end, not between. */
static void take_step(void *user, const vgState *s, vgWork *work)
{
    Watch *w = user;
    const vgSystem *sys = work->sys;
    if (w->between) watch_energy(w, s, work, 1);
    double *p = w->phi, *v = p + sys->nphi, *a = v + sys->nphi;
    sys->ops->levels(sys, work, s->t, s->q, s->v, s->a, p, v, a);
    w->drift[0] = fmax(w->drift[0], largest(p, sys->nphi));
    w->drift[1] = fmax(w->drift[1], largest(v, sys->nphi));
    w->drift[2] = fmax(w->drift[2], largest(a, sys->nphi));
}

static int cancelled(void *user)
{
    Watch *w = user;
    if (w->trial->grew) return 1;
    if (w->calls++ % CLOCK_EVERY) return w->late;
    if (w->trial->limit > 0 && vg_os_thread_seconds() - w->begin > w->trial->limit) w->late = 1;
    return w->late || (w->all->cancelled && w->all->cancelled(w->all->user));
}

static void say(vgTrial *t, const vgDiag *diag)
{
    const char *text = NULL; /* warnings may stand before the error */
    for (int i = 0; diag && !text && i < vg_diag_count(diag); i++)
        text = strstr(vg_diag_line(diag, i), "error: ");
    snprintf(t->why, sizeof t->why, "%s", text ? text + strlen("error: ") : vg_status_text(t->status));
}

static vgStatus open_trial(Watch *w, vgSimulation *sim, vgDiag *diag)
{
    vgTrial *t = w->trial;
    const vgModel *m = w->all->model;
    vgDials dials = {t->coordinates, t->constraints, t->integrator};
    vgStatus st = vg_simulation_open(m, &dials, diag, sim);
    if (st != VG_OK) return st;
    t->row = sim->it->row;
    t->order = vg_integrator_order(sim->it);
    t->nv = sim->sys->nv;
    t->nl = sim->sys->nl;
    snprintf(t->coordinates, sizeof t->coordinates, "%s", sim->sys->coordinates);
    if (!t->constraints[0]) snprintf(t->constraints, sizeof t->constraints, "%s", sim->sys->constraints);
    if (!(t->step > 0) && !sim->it->adaptive) {
        vg_diag_error(diag, VG_NOWHERE, "'%s' needs a step", t->row->name);
        return VG_BAD_INPUT;
    }
    st = vg_channels_new(sim->sys, w->all->channel, w->all->nchannel, diag, &w->channels);
    if (st == VG_OK) st = vg_probe_new(sim->sys, &w->probe);
    w->phi = calloc(3 * (size_t)sim->sys->nphi + 1, sizeof *w->phi);
    if (!w->phi) st = VG_NO_MEMORY;
    if (st == VG_OK) vg_channels_watch(w->channels, sim->it->work);
    return st;
}

static void close_trial(Watch *w, vgSimulation *sim, vgDiag *diag)
{
    free(w->phi);
    vg_channels_free(w->channels);
    vg_probe_free(w->probe);
    if (sim->sys) vg_simulation_close(sim);
    vg_diag_free(diag);
}

static void one_trial(const vgTrials *all, vgTrial *t)
{
    Watch w = {.all = all, .trial = t, .begin = vg_os_thread_seconds()};
    vgSimulation sim = {0};
    vgDiag *diag = vg_diag_new();
    t->energy_mean = t->energy_end = t->energy_max = 0;
    t->why[0] = 0;
    t->grew = 0;
    t->worst = NAN;
    memset(t->size, 0, sizeof t->size);
    memset(t->way, 0, sizeof t->way);
    t->status = diag ? open_trial(&w, &sim, diag) : VG_NO_MEMORY;
    if (t->status == VG_OK) {
        vgTransientOptions o = {
            .step = t->step, .end = t->end, .every = 1, .locate = sim.sys->model->run.locate_events};
        vgSink sink = {.user = &w, .row = take_row, .cancelled = cancelled};
        if (t->energies) sink.step = take_step;
        if (t->along) sink.step = take_sight, o.interval = t->end / VG_TRIAL_SAMPLES;
        /* long steps are looked at between, or the work would be summed too coarsely */
        w.between = t->energies && sim.it->adaptive;
        if (w.between) o.interval = t->step > 0 ? t->step : t->end / 2000;
        t->status = vg_transient_run(sim.it, sim.state, &o, &sink, &t->run);
        vg_channels_eval(w.channels, sim.it->work, sim.state, t->value);
        t->run.stats.max_phi = w.drift[0];
        t->run.stats.max_phi_dot = w.drift[1];
        t->run.stats.max_phi_ddot = w.drift[2];
        t->energy_mean = w.integral / (t->run.t > 0 ? t->run.t : 1);
        if (t->grew)
            t->status = VG_NOT_FINITE;
        else if (t->status == VG_INTERRUPTED && w.late)
            snprintf(t->why, sizeof t->why, "stopped at t = %.6g s after %.3g s of processor time", t->run.t,
                     t->limit);
        else if (t->status != VG_OK)
            snprintf(t->why, sizeof t->why, "%s",
                     t->run.failure.text[0] ? t->run.failure.text : vg_status_text(t->status));
        for (int i = 0; i < all->nchannel && t->status == VG_OK; i++)
            if (!isfinite(t->value[i])) {
                t->status = VG_NOT_FINITE;
                snprintf(t->why, sizeof t->why, "channel %s is not finite at the end", all->channel[i]);
            }
    } else {
        say(t, diag);
    }
    t->seconds_all = vg_os_thread_seconds() - w.begin;
    close_trial(&w, &sim, diag);
}

void vg_trial_check(const vgTrials *all, vgTrial *t)
{
    Watch w = {.all = all, .trial = t};
    vgSimulation sim = {0};
    vgDiag *diag = vg_diag_new();
    t->status = diag ? open_trial(&w, &sim, diag) : VG_NO_MEMORY;
    t->why[0] = 0;
    if (t->status != VG_OK) say(t, diag);
    close_trial(&w, &sim, diag);
}

/* ---- side by side ---- */

typedef struct Pool {
    const vgTrials *all;
    vgTrial *trial;
    int n;
    atomic_int next;
} Pool;

static void *worker(void *user)
{
    Pool *p = user;
    for (int i; (i = atomic_fetch_add(&p->next, 1)) < p->n;) one_trial(p->all, &p->trial[i]);
    return NULL;
}

vgStatus vg_trials_run(const vgTrials *all, vgTrial *trial, int n, int threads)
{
    Pool p = {.all = all, .trial = trial, .n = n};
    pthread_t id[MAX_THREADS];
    if (threads <= 0) threads = vg_os_processors();
    if (threads > n) threads = n;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    atomic_init(&p.next, 0);
    int started = 0;
    while (started < threads - 1 && pthread_create(&id[started], NULL, worker, &p) == 0) started++;
    worker(&p); /* this thread works too */
    for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
    for (int i = 0; i < n; i++)
        if (trial[i].status == VG_NO_MEMORY) return VG_NO_MEMORY;
    return VG_OK;
}

/* ---- errors ---- */

vgStatus vg_trials_reference(const vgTrials *all, double step, double most, vgTrial *out)
{
    static const char *const name[] = {"dop853", "dopri5", "esdirk436", "generalized-alpha"};
    const double end = out->end, limit = out->limit;
    const int along = out->along, bounded = out->bounded;
    double seconds = 0;
    int late = 0;
    for (int i = 0; i < 4; i++) {
        const vgIntegratorRow *row = vg_integrator_find(name[i]);
        if (!row) continue;
        int explicit = (row->flags & VG_INT_EXPLICIT) != 0;
        if (explicit ? late : most < 0) continue; /* the next explicit one would take longer still */
        memset(out, 0, sizeof *out);
        out->step = explicit ? 0 : step / 16;
        out->end = end;
        out->along = along;
        out->bounded = explicit && bounded;
        out->limit = explicit ? limit : most;
        snprintf(out->integrator, sizeof out->integrator, "%s%s", name[i],
                 explicit ? ":rtol=1e-12,atol=1e-13" : "");
        vg_trials_run(all, out, 1, 1);
        seconds += out->seconds_all;
        if (out->status == VG_OK || out->status == VG_NO_MEMORY || out->grew) break;
        late = out->status == VG_INTERRUPTED;
    }
    out->seconds_all = seconds;
    return out->status;
}

/* Scale of the errors of channel i: its own size, but for a component of a vector at least a tenth of the
 * vector's, since a small component may be the rounding of the others. For positions, whose size depends on the
 * origin, a tenth of the displacement. */
static double size_of(const vgTrials *all, const vgTrial *ref, int i)
{
    const char *name = all->channel[i], *dot = strrchr(name, '.');
    double size = ref->size[i];
    if (!dot || !dot[1] || !strchr("xyz", dot[1]) || dot[2]) return size;
    const size_t stem = (size_t)(dot - name) + 1;
    const double *of = stem > 9 && !strncmp(dot - 9, ".position", 9) ? ref->way : ref->size;
    for (int k = 0; k < all->nchannel; k++)
        if (strlen(all->channel[k]) == stem + 1 && !strncmp(all->channel[k], name, stem))
            size = fmax(size, 0.1 * of[k]);
    return size;
}

/* At the end, or the largest along the run where both have samples there. */
static double difference(const vgTrial *ref, const vgTrial *t, int i)
{
    double d = fabs(t->value[i] - ref->value[i]);
    for (int k = 0; k < VG_TRIAL_SAMPLES && t->along && ref->along; k++)
        d = vg_larger(d, fabs(t->sample[k][i] - ref->sample[k][i]));
    return d;
}

/* What errors of channel i are divided by. */
static double measure_of(const vgTrials *all, const vgTrial *ref, int i)
{
    double largest_size = 0; /* a channel that is zero up to rounding has no scale of its own */
    for (int k = 0; k < all->nchannel; k++) largest_size = fmax(largest_size, ref->size[k]);
    double size = fmax(size_of(all, ref, i), VG_CHANNEL_SMALL * largest_size);
    return size < VG_CHANNEL_NONE ? 1 : size; /* 1: all of them are rounding */
}

void vg_trial_judge(const vgTrials *all, const vgTrial *ref, vgTrial *t)
{
    t->worst = NAN;
    for (int i = 0; i < all->nchannel; i++) {
        t->error[i] = t->status == VG_OK ? difference(ref, t, i) / measure_of(all, ref, i) : NAN;
        t->worst = i == 0 ? t->error[0] : vg_larger(t->worst, t->error[i]);
    }
}

double vg_trial_agrees(const vgTrials *all, const vgTrial *ref, const vgTrial *t, double tolerance)
{
    for (int k = 0; k < VG_TRIAL_SAMPLES; k++)
        for (int i = 0; i < all->nchannel; i++)
            if (!(fabs(t->sample[k][i] - ref->sample[k][i]) <= tolerance * measure_of(all, ref, i)))
                return t->end * k / VG_TRIAL_SAMPLES;
    return t->end;
}

/* ---- channels ---- */

int vg_trial_of_setting(const char *name)
{
    return !strncmp(name, "constraint.", 11) || strstr(name, ".lambda.") != NULL;
}

/* all: 0: without those that not all settings have. */
static vgStatus copy_names(const vgChannels *c, int all, char **block, const char **names, int *n)
{
    size_t bytes = 1;
    int most = vg_channels_count(c);
    for (int i = 0; i < most; i++) bytes += strlen(vg_channels_name(c, i)) + 1;
    char *at = *block = malloc(bytes);
    if (!at) return VG_NO_MEMORY;
    *n = 0;
    for (int i = 0; i < most && *n < VG_TRIAL_CHANNELS; i++) {
        if (!all && vg_trial_of_setting(vg_channels_name(c, i))) continue;
        size_t length = strlen(vg_channels_name(c, i)) + 1;
        names[(*n)++] = memcpy(at, vg_channels_name(c, i), length);
        at += length;
    }
    return VG_OK;
}

vgStatus vg_trial_channels(const vgModel *m, const char *const *given, int ngiven, vgDiag *diag, char **block,
                           const char **names, int *n)
{
    static const char *const fallback[] = {"joint.*.angle", "joint.*.displacement", "body.*.position.*"};
    vgSystem *sys;
    vgChannels *c = NULL;
    const char *wanted[VG_TRIAL_CHANNELS];
    int count = 0;
    vgStatus st = vg_system_new(m, NULL, NULL, diag, &sys);
    if (st != VG_OK) return st;
    for (int i = 0; i < ngiven && count < VG_TRIAL_CHANNELS; i++) wanted[count++] = given[i];
    for (int i = 0; ngiven == 0 && i < m->nrecord && count < VG_TRIAL_CHANNELS; i++)
        if (strncmp(m->record[i], "energy", 6) && !vg_trial_of_setting(m->record[i]) &&
            strcmp(m->record[i], "time"))
            wanted[count++] = m->record[i];
    if (count > 0) {
        st = vg_channels_new(sys, wanted, count, diag, &c);
    } else {
        st = VG_BAD_INPUT;
        for (int i = 0; i < 3 && st != VG_OK; i++) st = vg_channels_new(sys, &fallback[i], 1, NULL, &c);
    }
    if (st == VG_OK) st = copy_names(c, ngiven > 0, block, names, n);
    vg_channels_free(c);
    vg_system_free(sys);
    return st;
}
