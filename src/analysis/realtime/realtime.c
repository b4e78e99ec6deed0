#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* times of one thread */
#endif
#include "analysis/realtime/realtime.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "integrator/stage/renewal.h"
#include "analysis/tuning.h"

/* ---- distributions of times ---- */

enum { PART_BITS = 6 }; /* 2^6 = VG_LATENCY_PART */

/* Below 64 the number itself; above, with 2^e ≤ n < 2^(e+1), the six bits that follow the leading one. */
static int bin_of(long long n)
{
    int e = 0;
    if (n < VG_LATENCY_PART) return (int)n;
    while (n >> (e + 1)) e++;
    int i = (e - PART_BITS + 1) * VG_LATENCY_PART + (int)((n >> (e - PART_BITS)) & (VG_LATENCY_PART - 1));
    return i < VG_LATENCY_BINS ? i : VG_LATENCY_BINS - 1;
}

/* The first number of bin i; that of bin i + 1 ends it. */
static long long bin_start(int i)
{
    int octave = i / VG_LATENCY_PART, part = i % VG_LATENCY_PART;
    return octave == 0 ? part : (long long)(VG_LATENCY_PART + part) << (octave - 1);
}

void vg_latency_add(vgLatency *l, long long ns)
{
    if (ns < 0) ns = 0;
    double s = 1e-9 * (double)ns;
    l->min = l->count == 0 || s < l->min ? s : l->min;
    l->max = s > l->max ? s : l->max;
    l->sum += s;
    l->count++;
    l->bin[bin_of(ns)]++;
}

void vg_latency_merge(vgLatency *to, const vgLatency *from)
{
    if (from->count == 0) return;
    to->min = to->count == 0 ? from->min : fmin(to->min, from->min);
    to->max = fmax(to->max, from->max);
    to->sum += from->sum;
    to->count += from->count;
    for (int i = 0; i < VG_LATENCY_BINS; i++) to->bin[i] += from->bin[i];
}

double vg_latency_percentile(const vgLatency *l, double p)
{
    if (l->count == 0) return NAN;
    /* the product's rounding must not make a whole rank the next one */
    long rank = (long)ceil(p * (double)l->count * (1 - 1e-12)), seen = 0;
    if (rank < 1) rank = 1;
    if (rank >= l->count) return l->max;
    for (int i = 0; i < VG_LATENCY_BINS - 1; i++) {
        seen += l->bin[i];
        if (seen >= rank) return fmin(VG_NANO * (double)(bin_start(i + 1) - 1), l->max);
    }
    return l->max;
}

int vg_latency_octave(const vgLatency *l, int i, double *from, double *to, long *count)
{
    if (i < 0 || i >= VG_LATENCY_OCTAVES) return 0;
    int first = i * VG_LATENCY_PART;
    *from = 1e-9 * (double)bin_start(first);
    *to = i + 1 < VG_LATENCY_OCTAVES ? VG_NANO * (double)bin_start(first + VG_LATENCY_PART) : INFINITY;
    *count = 0;
    for (int k = 0; k < VG_LATENCY_PART; k++) *count += l->bin[first + k];
    return 1;
}

/* ---- inputs ---- */

static const char prefix[] = "input.";
enum { PREFIX = sizeof prefix - 1 };

vgStatus vg_inputs_new(const vgModel *m, vgInputs *out)
{
    *out = (vgInputs){0};
    out->name = calloc((size_t)m->nmeasure + 1, sizeof *out->name);
    out->slot = calloc((size_t)m->nmeasure + 1, sizeof *out->slot);
    if (!out->name || !out->slot) {
        vg_inputs_free(out);
        return VG_NO_MEMORY;
    }
    for (int i = 0; i < m->nmeasure; i++) {
        if (strncmp(m->measure[i].name, prefix, PREFIX) != 0) continue;
        out->name[out->n] = m->measure[i].name + PREFIX;
        out->slot[out->n++] = m->measure[i].measure.turn;
    }
    return VG_OK;
}

void vg_inputs_free(vgInputs *inputs)
{
    free(inputs->name);
    free(inputs->slot);
    *inputs = (vgInputs){0};
}

int vg_inputs_find(const vgInputs *inputs, const char *name, size_t n)
{
    if (n > PREFIX && memcmp(name, prefix, PREFIX) == 0) name += PREFIX, n -= PREFIX;
    for (int i = 0; i < inputs->n; i++)
        if (strlen(inputs->name[i]) == n && memcmp(inputs->name[i], name, n) == 0) return i;
    return -1;
}

double vg_inputs_get(const vgInputs *inputs, const vgState *state, int i)
{
    return state->turn[inputs->slot[i]];
}

void vg_inputs_set(const vgInputs *inputs, vgState *state, int i, double value)
{
    state->turn[inputs->slot[i]] = value;
}

/* ---- steps ---- */

vgStatus vg_realtime_begin(vgRealtime *rt, vgSimulation *sim, double step, int iterations, vgDiag *diag)
{
    vgIntegrator *it = sim->it;
    if (!(step > 0) || !isfinite(step)) {
        vg_diag_error(diag, VG_NOWHERE, "the step must be positive");
        return VG_BAD_INPUT;
    }
    int own_steps = it->row->flags & VG_INT_OWN_STEPS;
    if (it->adaptive || own_steps) {
        vg_diag_error(diag, VG_NOWHERE,
                      "integrator '%s' controls its step, so that a step's cost has no bound: %stake another",
                      it->row->name, own_steps ? "" : "give adaptive=0 or ");
        return VG_UNSUPPORTED;
    }
    const vgController *missed = vg_sampler_misses(sim->sampler, sim->state, sim->state->t, step);
    if (missed) {
        vg_diag_error(
            diag, VG_NOWHERE,
            "steps of %g s do not meet the samples of controller '%s', every %g s: take a whole part of that",
            step, missed->name, ((const vgControllerHead *)missed->def)->sample);
        return VG_BAD_INPUT;
    }
    *rt = (vgRealtime){.sim = sim, .step = step, .t0 = sim->state->t};
    for (int i = 0; i < sim->sys->model->nmeasure && (it->row->flags & VG_INT_EXPLICIT); i++)
        rt->inputs |= sim->sys->model->measure[i].measure.kind == VG_MEASURE_INPUT;
    if (iterations > 0)
        it->newton_fixed = iterations;
    else if (it->newton_fixed <= 0)
        it->newton_fixed = 2;
    it->step_hint = step;
    vg_work_bind(it->work, sim->state);
    vgState *s = sim->state;
    int large;
    vgStatus status = vg_row_choice_new(it, s, &rt->rows, &large);
    if (status == VG_OK && (sim->sampler || rt->inputs)) /* memory that accelerations need is taken now */
        status = sim->sys->ops->accel(sim->sys, it->work, s->t, s->q, s->v, s->a, s->lambda);
    if (status == VG_OK) status = it->row->start(it, s);
    if (status == VG_OK && rt->rows) status = vg_row_choice_revise(rt->rows, s, step);
    if (status == VG_OK) return VG_OK;
    vg_diag_error(diag, VG_NOWHERE, "%s", status == VG_NO_MEMORY ? vg_status_text(status) : it->failure.text);
    vg_realtime_end(rt);
    return status;
}

/* Controllers act; methods that start from accelerations get those of the new forces. Implicit methods see a new
 * input at the end of the step and average over it, which is a delay of half a step. */
static vgStatus begin_step(vgRealtime *rt)
{
    vgSimulation *sim = rt->sim;
    vgIntegrator *it = sim->it;
    vgState *s = sim->state;
    int acted = vg_sampler_take(sim->sampler, it->work, s);
    vgStatus outside = vg_sampler_failed(it, s);
    if (outside != VG_OK) return outside;
    if ((!acted && !rt->inputs) || (it->row->flags & VG_INT_MULTISTEP)) return VG_OK;
    vgStatus status = sim->sys->ops->accel(sim->sys, it->work, s->t, s->q, s->v, s->a, s->lambda);
    return status == VG_OK && acted ? it->row->start(it, s) : status;
}

static vgStatus take_step(vgRealtime *rt)
{
    vgSimulation *sim = rt->sim;
    vgState *s = sim->state;
    /* the state may have been moved meanwhile: the grid goes on from there */
    if (s->t != rt->t0 + rt->step * (double)rt->n) rt->t0 = s->t, rt->n = 0;
    vgStatus status = begin_step(rt);
    if (status == VG_OK) status = vg_impact_advance(sim->impact, sim->it, s, rt->step);
    if (status != VG_OK) return status;
    s->t = rt->t0 + rt->step * (double)++rt->n;
    s->step++;
    sim->it->stats.steps++;
    vg_work_accept(sim->sys, sim->it->work, s);
    int struck;
    status = vg_impact_land(sim->impact, sim->it, s, &struck);
    return status == VG_OK ? vg_integrator_recast(sim->it, s) : status;
}

/* What the next step needs and no output waits for: constraint rows that count, and the matrix that is due. */
static vgStatus prepare_next(vgRealtime *rt)
{
    vgStatus status = rt->rows ? vg_row_choice_revise(rt->rows, rt->sim->state, rt->step) : VG_OK;
    vg_renewal_between(rt->sim->it, rt->sim->state);
    return status;
}

vgStatus vg_realtime_advance(vgRealtime *rt)
{
    vgStatus status = take_step(rt);
    return status == VG_OK ? prepare_next(rt) : status;
}

/* ---- rehearsals ---- */

long long vg_realtime_clock(void)
{
    return vg_os_clock();
}

/* Rehearses the next step: takes it, then restores the state, Newton's memory and the matrix. A matrix that is
 * reused over several steps is made again if the rehearsal replaced it, unless it is kept. Returns the time of the
 * step, ns. */
static long long rehearse(vgRealtime *rt, int keep)
{
    vgIntegrator *it = rt->sim->it;
    vgState *s = rt->sim->state;
    vgStats stats = it->stats;
    vgMatrixMemory matrix = it->matrix;
    double contraction = it->contraction, norm = it->contraction_norm;
    int left = it->contraction_left;
    long long begin = vg_realtime_clock();
    long factorisations = it->work->factorisations; /* a held matrix may take new rows, too */
    vg_state_copy(rt->sim->sys, rt->before, s);
    if (rt->matrix) vg_renewal_write(it, rt->matrix);
    long long began = vg_realtime_clock();
    vg_impact_advance(rt->sim->impact, it, s, rt->step);
    long long took = vg_realtime_clock() - began;
    int lost = it->work->factorisations > factorisations || !it->matrix.have;
    vg_state_copy(rt->sim->sys, s, rt->before);
    if (keep && rt->matrix && it->matrix.have)
        it->matrix.moved = it->matrix.held = it->matrix.stale = 0;
    else if (rt->matrix && lost)
        vg_renewal_read(it, rt->matrix, vg_renewal_size(it));
    else
        it->matrix = matrix;
    it->stats = stats;
    it->failure = (vgFailure){0};
    it->contraction = contraction, it->contraction_norm = norm, it->contraction_left = left;
    rt->took = vg_realtime_clock() - begin;
    return took;
}

vgStatus vg_realtime_rehearse(vgRealtime *rt)
{
    const vgIntegrator *it = rt->sim->it;
    int first = !rt->before;
    if (first) {
        vgStatus status = vg_state_new(rt->sim->sys, rt->sim->state->nhistory, &rt->before);
        if (status != VG_OK) return status;
        if (it->renewal) {
            rt->matrix = calloc((size_t)vg_renewal_size(it), sizeof *rt->matrix);
            if (!rt->matrix) return VG_NO_MEMORY;
        }
    }
    rehearse(rt, first);
    return VG_OK;
}

void vg_realtime_end(vgRealtime *rt)
{
    vg_state_free(rt->before);
    vg_row_choice_free(rt->rows);
    free(rt->matrix);
    rt->rows = NULL;
    rt->before = NULL;
    rt->matrix = NULL;
}

/* ---- against the clock ---- */

enum {
    REHEARSALS = 2,    /* of a step, */
    ROOM = 6,          /* the last so many times its length before */
    LISTEN = 80000000, /* ns before the beginning, */
    STANDSTILL = 2000, /* for pauses from this on; */
    SOON = 2000000,    /* it is so far away, so that all who begin together know it in time */
    NAP = 100000000    /* longest sleep without a look whether it is over, ns */
};

/* Of this thread alone: a library's threads may still be at their own set-up. */
static void count_disturbances(long *faults, long *preemptions)
{
    long f, p;
    vg_os_disturbances(&f, &p);
    *faults = f - *faults;
    *preemptions = p - *preemptions;
}

/* Sleeps until then, or until a signal comes, or a little: a signal may have gone to another thread. */
static void sleep_until(long long then)
{
    long long longest = vg_realtime_clock() + NAP;
    vg_os_sleep_until(then < longest ? then : longest);
}

static int cancelled(const vgRealtimeHooks *hooks)
{
    return hooks && hooks->cancelled && hooks->cancelled(hooks->user);
}

/* Reads the clock until then. Returns the longest time between two readings. */
static long long spin_until(long long then, const vgRealtimeHooks *hooks)
{
    long long longest = 0, last = vg_realtime_clock(), at;
    for (; last < then && !cancelled(hooks); last = at) {
        at = vg_realtime_clock();
        if (at - last > longest) longest = at - last;
    }
    return longest;
}

static long long later(long long a, long long b)
{
    return a > b ? a : b;
}

/* Waits until the step is due, first sleeping, then polling. Rehearsals, after waking and just before the step,
 * bring its data back into the caches. Returns the shortest rehearsal, ns. */
static long long wait_until(vgRealtime *rt, long long due, const vgRealtimeHooks *hooks, vgLatency *pause)
{
    long long early = due - llround(1e9 * rt->early), least = LLONG_MAX, longest = 0;
    for (long long at, last = 0; !cancelled(hooks) && (at = vg_realtime_clock()) < early; last = at) {
        if (last > 0 && at - last > longest) longest = at - last;
        if (hooks && hooks->may_sleep && !hooks->may_sleep(hooks->user)) continue;
        sleep_until(early);
        at = 0;
    }
    if (rt->early <= 0) return least;
    for (int k = 0; k < REHEARSALS && rt->before; k++) {
        if (k > 0) longest = later(longest, spin_until(due - ROOM * rt->took, hooks));
        if (vg_realtime_clock() + ROOM / 2 * rt->took > due) break;
        long long took = rehearse(rt, 0);
        if (took < least) least = took;
        if (hooks && hooks->warm) hooks->warm(hooks->user, rt->sim->state, rt->sim->it->work);
    }
    longest = later(longest, spin_until(due, hooks));
    if (longest > 0) vg_latency_add(pause, longest);
    return least;
}

static int listens(const vgRealtime *rt)
{
    return rt->early > 0 && 4 * VG_PER_SECOND * rt->step <= LISTEN;
}

void vg_realtime_listen(const vgRealtime *rt, const vgRealtimeHooks *hooks, vgBeat *beat)
{
    long long period = llround(VG_PER_SECOND * rt->step), begin = vg_realtime_clock(), last = begin,
              at = begin;
    if (!listens(rt)) return;
    for (; at - begin < LISTEN && !cancelled(hooks); last = at) {
        at = vg_realtime_clock();
        if (at - last > STANDSTILL)
            beat->place[(last - beat->origin) % period * VG_BEAT_PLACES / period] += 1;
    }
}

long long vg_realtime_moment(const vgRealtime *rt, const vgBeat *beat)
{
    double least = INFINITY;
    long long period = llround(VG_PER_SECOND * rt->step);
    int best = 0;
    if (!listens(rt)) return vg_realtime_clock();
    for (int i = 0; i < VG_BEAT_PLACES; i++) {
        double sum = 0;
        for (int k = 0; k < VG_BEAT_PLACES; k++) {
            int d = abs(i - k) < VG_BEAT_PLACES / 2 ? abs(i - k) : VG_BEAT_PLACES - abs(i - k);
            sum += beat->place[k] / (1 + d * d);
        }
        if (sum < least) least = sum, best = i;
    }
    long long periods = (vg_realtime_clock() + SOON - beat->origin) / period + 1;
    return beat->origin + periods * period + period * best / VG_BEAT_PLACES;
}

/* ---- the loop ---- */

/* Moments of a step, ns. */
typedef struct Moments {
    long long due, rehearsed, woke, began, stepped, done, ready;
    int renewed;
} Moments;

static void count_step(vgRealtimeTimes *t, const Moments *m, long long period, long long own)
{
    if (m->renewed) vg_latency_add(&t->renewal, m->ready - m->done);
    vg_latency_add(&t->latency, m->done - m->due);
    vg_latency_add(&t->wake, m->woke - m->due);
    vg_latency_add(&t->cost, m->stepped - m->began);
    vg_latency_add(&t->own, own);
    vg_latency_add(&t->io, m->began - m->woke + m->done - m->stepped);
    if (m->done - m->due > period) {
        t->misses++;
        t->own_misses += own > period;
    }
    t->steps++;
}

/* The step with its inputs and outputs; then, outside the latency, the update of the matrix if it is due. */
static void one_step(vgRealtime *rt, Moments *m, const vgRealtimeHooks *hooks, vgRealtimeReport *r)
{
    vgIntegrator *it = rt->sim->it;
    int sent = 1;
    m->woke = m->done = m->ready = vg_realtime_clock();
    if (hooks && hooks->before && !hooks->before(hooks->user, rt->sim->state)) {
        r->status = VG_INTERRUPTED;
        return;
    }
    m->began = vg_realtime_clock();
    r->status = take_step(rt);
    m->stepped = vg_realtime_clock();
    if (r->status == VG_OK && hooks && hooks->after)
        sent = hooks->after(hooks->user, rt->sim->state, it->work);
    m->done = m->ready = vg_realtime_clock();
    if (r->status == VG_OK) {
        long made = it->stats.jacobians + it->stats.parts;
        r->status = prepare_next(rt);
        m->ready = vg_realtime_clock();
        m->renewed = it->stats.jacobians + it->stats.parts > made;
        long long cost = m->stepped - m->began;
        long long again = m->rehearsed < LLONG_MAX || !rt->took ? m->rehearsed : rt->took;
        long long own = cost < again ? cost : again, period = llround(VG_PER_SECOND * rt->step);
        rt->took = cost;
        count_step(&r->all, m, period, own);
        if (sent) count_step(&r->sent, m, period, own);
    }
    r->busy_seconds += 1e-9 * (double)(m->ready - m->woke);
}

vgStatus vg_realtime_run(vgRealtime *rt, long steps, const vgRealtimeHooks *hooks, vgRealtimeReport *r)
{
    memset(r, 0, sizeof *r);
    count_disturbances(&r->page_faults, &r->preemptions);
    long long begin = rt->due, done;
    if (begin == 0) {
        vgBeat beat = {.origin = vg_realtime_clock()};
        vg_realtime_listen(rt, hooks, &beat);
        begin = vg_realtime_moment(rt, &beat);
    }
    done = begin;
    for (long n = 0; (steps == 0 || n < steps) && r->status == VG_OK; n++) {
        /* whole nanoseconds would drift from a rate such as 60 Hz: each due time is rounded separately */
        Moments m = {.due = begin + llround(1e9 * rt->step * (double)n)};
        m.rehearsed = wait_until(rt, m.due, hooks, &r->all.pause);
        if (cancelled(hooks)) {
            r->status = VG_INTERRUPTED;
            break;
        }
        one_step(rt, &m, hooks, r);
        done = m.done;
    }
    r->wall_seconds = 1e-9 * (double)(done - begin);
    count_disturbances(&r->page_faults, &r->preemptions);
    return r->status;
}

void vg_realtime_merge(vgRealtimeTimes *to, const vgRealtimeTimes *from)
{
    to->steps += from->steps;
    to->misses += from->misses;
    to->own_misses += from->own_misses;
    vg_latency_merge(&to->latency, &from->latency);
    vg_latency_merge(&to->wake, &from->wake);
    vg_latency_merge(&to->cost, &from->cost);
    vg_latency_merge(&to->own, &from->own);
    vg_latency_merge(&to->io, &from->io);
    vg_latency_merge(&to->renewal, &from->renewal);
    vg_latency_merge(&to->pause, &from->pause);
}
