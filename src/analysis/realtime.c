#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* times of one thread */
#endif
#include "analysis/realtime.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "integrator/renewal.h"

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

double vg_latency_percentile(const vgLatency *l, double p)
{
    if (l->count == 0) return NAN;
    /* the product's rounding must not make a whole rank the next one */
    long rank = (long)ceil(p * (double)l->count * (1 - 1e-12)), seen = 0;
    if (rank < 1) rank = 1;
    if (rank >= l->count) return l->max;
    for (int i = 0; i < VG_LATENCY_BINS - 1; i++) {
        seen += l->bin[i];
        if (seen >= rank) return fmin(1e-9 * (double)(bin_start(i + 1) - 1), l->max);
    }
    return l->max;
}

int vg_latency_octave(const vgLatency *l, int i, double *from, double *to, long *count)
{
    if (i < 0 || i >= VG_LATENCY_OCTAVES) return 0;
    int first = i * VG_LATENCY_PART;
    *from = 1e-9 * (double)bin_start(first);
    *to = i + 1 < VG_LATENCY_OCTAVES ? 1e-9 * (double)bin_start(first + VG_LATENCY_PART) : INFINITY;
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
        if (m->measure[i].measure.kind != VG_MEASURE_INPUT) continue;
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
    *rt = (vgRealtime){.sim = sim, .step = step, .t0 = sim->state->t};
    if (iterations > 0)
        it->newton_fixed = iterations;
    else if (it->newton_fixed <= 0)
        it->newton_fixed = 2;
    it->step_hint = step;
    vg_work_bind(it->work, sim->state);
    vgStatus status = it->row->start(it, sim->state);
    if (status != VG_OK) vg_diag_error(diag, VG_NOWHERE, "%s", it->failure.text);
    return status;
}

static vgStatus take_step(vgRealtime *rt)
{
    vgSimulation *sim = rt->sim;
    vgState *s = sim->state;
    double err;
    /* the state may have been moved meanwhile: the grid goes on from there */
    if (s->t != rt->t0 + rt->step * (double)rt->n) rt->t0 = s->t, rt->n = 0;
    vgStatus status = sim->it->row->step(sim->it, s, rt->step, &err);
    if (status != VG_OK) return status;
    s->t = rt->t0 + rt->step * (double)++rt->n;
    s->step++;
    sim->it->stats.steps++;
    vg_work_accept(sim->sys, sim->it->work, s);
    return VG_OK;
}

vgStatus vg_realtime_advance(vgRealtime *rt)
{
    vgStatus status = take_step(rt);
    if (status == VG_OK) vg_renewal_between(rt->sim->it, rt->sim->state);
    return status;
}

/* ---- rehearsals ---- */

static long long read_clock(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return 1000000000LL * ts.tv_sec + ts.tv_nsec;
}

/* The next step, taken back: state, what Newton learned and the matrix are as before. One that serves several
 * steps is made again if the rehearsal had to make another, unless that is kept. Returns what the step took,
 * ns. */
static long long rehearse(vgRealtime *rt, int keep)
{
    vgIntegrator *it = rt->sim->it;
    vgState *s = rt->sim->state;
    vgStats stats = it->stats;
    vgMatrixMemory matrix = it->matrix;
    double err, contraction = it->contraction, norm = it->contraction_norm;
    int left = it->contraction_left;
    long long begin = read_clock();
    vg_state_copy(rt->sim->sys, rt->before, s);
    if (rt->matrix) vg_renewal_write(it, rt->matrix);
    long long began = read_clock();
    it->row->step(it, s, rt->step, &err);
    long long took = read_clock() - began;
    int lost = it->stats.jacobians > stats.jacobians || !it->matrix.have;
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
    rt->took = read_clock() - begin;
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
    free(rt->matrix);
    rt->before = NULL;
    rt->matrix = NULL;
}

/* ---- against the clock ---- */

enum {
    REHEARSALS = 2,    /* of a step, */
    ROOM = 6,          /* the last so many times its length before */
    LISTEN = 80000000, /* ns before the beginning, */
    STANDSTILL = 2000, /* for pauses from this on, */
    PLACES = 50        /* so finely within a period */
};

/* Of this thread alone: a library's threads may still be at their own set-up. */
static void count_disturbances(long *faults, long *preemptions)
{
    struct rusage u;
    if (getrusage(RUSAGE_THREAD, &u) != 0) return;
    *faults = u.ru_minflt + u.ru_majflt - *faults;
    *preemptions = u.ru_nivcsw - *preemptions;
}

/* Sleeps until then, or until a signal comes. */
static void sleep_until(long long then)
{
    struct timespec ts = {.tv_sec = (time_t)(then / 1000000000LL), .tv_nsec = (long)(then % 1000000000LL)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static int cancelled(const vgRealtimeHooks *hooks)
{
    return hooks && hooks->cancelled && hooks->cancelled(hooks->user);
}

/* Reads the clock until then. Returns the longest time between two readings. */
static long long spin_until(long long then, const vgRealtimeHooks *hooks)
{
    long long longest = 0, last = read_clock(), at;
    for (; last < then && !cancelled(hooks); last = at) {
        at = read_clock();
        if (at - last > longest) longest = at - last;
    }
    return longest;
}

/* Waits for the moment: asleep, then awake. Rehearsals, on waking and just before, bring what the step will
 * touch back into the caches. Returns the shortest of them, ns. */
static long long wait_until(vgRealtime *rt, long long due, const vgRealtimeHooks *hooks, vgLatency *pause)
{
    long long early = due - llround(1e9 * rt->early), least = LLONG_MAX, longest = 0;
    while (!cancelled(hooks) && read_clock() < early) sleep_until(early);
    if (rt->early <= 0) return least;
    for (int k = 0; k < REHEARSALS && rt->before; k++) {
        if (k > 0) longest = spin_until(due - ROOM * rt->took, hooks);
        if (read_clock() + ROOM / 2 * rt->took > due) break;
        long long took = rehearse(rt, 0);
        if (took < least) least = took;
    }
    long long last = spin_until(due, hooks);
    if (last > longest) longest = last;
    if (longest > 0) vg_latency_add(pause, longest);
    return least;
}

/* Interruptions with a beat, as a system's clock tick is, come at the same place between two steps again and
 * again where the period is a multiple or a part of the beat's. A beginning that keeps away from them:
 * listens for a while where in the period the loop stands still, and takes the place that is farthest from
 * it. */
static long long quiet_moment(const vgRealtime *rt, const vgRealtimeHooks *hooks)
{
    double weight[PLACES] = {0}, least = INFINITY;
    long long period = llround(1e9 * rt->step), begin = read_clock(), last = begin, at = begin;
    int best = 0;
    if (rt->early <= 0 || period > LISTEN / 4) return begin;
    for (; at - begin < LISTEN && !cancelled(hooks); last = at) {
        at = read_clock();
        if (at - last > STANDSTILL) weight[(last - begin) % period * PLACES / period] += 1;
    }
    for (int i = 0; i < PLACES; i++) {
        double sum = 0;
        for (int k = 0; k < PLACES; k++) {
            int d = abs(i - k) < PLACES / 2 ? abs(i - k) : PLACES - abs(i - k);
            sum += weight[k] / (1 + d * d);
        }
        if (sum < least) least = sum, best = i;
    }
    long long place = period * best / PLACES;
    return begin + ((at - begin) / period + 1) * period + place;
}

/* The step with its inputs and outputs, and after them the matrix that is due: nobody waits for that. Returns
 * when the outputs were out. */
static long long one_step(vgRealtime *rt, long long due, long long rehearsed, const vgRealtimeHooks *hooks,
                          vgRealtimeReport *r)
{
    vgIntegrator *it = rt->sim->it;
    long long period = llround(1e9 * rt->step), woke = read_clock();
    if (hooks && hooks->before) hooks->before(hooks->user, rt->sim->state);
    long long began = read_clock();
    r->status = take_step(rt);
    long long stepped = read_clock();
    if (r->status == VG_OK && hooks && hooks->after) hooks->after(hooks->user, rt->sim->state, it->work);
    long long done = read_clock(), ready = done;
    if (r->status == VG_OK) {
        long made = it->stats.jacobians + it->stats.parts;
        vg_renewal_between(it, rt->sim->state);
        ready = read_clock();
        if (it->stats.jacobians + it->stats.parts > made) vg_latency_add(&r->renewal, ready - done);
        long long cost = stepped - began, again = rehearsed < LLONG_MAX || !rt->took ? rehearsed : rt->took;
        long long own = cost < again ? cost : again;
        rt->took = cost;
        vg_latency_add(&r->latency, done - due);
        vg_latency_add(&r->wake, woke - due);
        vg_latency_add(&r->cost, cost);
        vg_latency_add(&r->own, own);
        vg_latency_add(&r->io, began - woke + done - stepped);
        if (done - due > period) {
            r->misses++;
            r->own_misses += own > period;
        }
        r->steps++;
    }
    r->busy_seconds += 1e-9 * (double)(ready - woke);
    return done;
}

vgStatus vg_realtime_run(vgRealtime *rt, long steps, const vgRealtimeHooks *hooks, vgRealtimeReport *r)
{
    memset(r, 0, sizeof *r);
    count_disturbances(&r->page_faults, &r->preemptions);
    long long begin = quiet_moment(rt, hooks), done = begin;
    for (long n = 0; (steps == 0 || n < steps) && r->status == VG_OK; n++) {
        /* whole nanoseconds would drift away from a rate such as 60 Hz: each due time is rounded by itself */
        long long due = begin + llround(1e9 * rt->step * (double)n);
        long long least = wait_until(rt, due, hooks, &r->pause);
        if (cancelled(hooks)) {
            r->status = VG_INTERRUPTED;
            break;
        }
        done = one_step(rt, due, least, hooks, r);
    }
    r->wall_seconds = 1e-9 * (double)(done - begin);
    count_disturbances(&r->page_faults, &r->preemptions);
    return r->status;
}
