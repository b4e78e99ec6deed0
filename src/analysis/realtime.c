#include "analysis/realtime.h"

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
    if (it->adaptive) {
        vg_diag_error(
            diag, VG_NOWHERE,
            "integrator '%s' controls its step, so that a step's cost has no bound: give adaptive=0 "
            "or take another",
            it->row->name);
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

vgStatus vg_realtime_rehearse(vgRealtime *rt)
{
    vgIntegrator *it = rt->sim->it;
    vgState *s = rt->sim->state, *before = NULL;
    vgStats stats = it->stats;
    double err, contraction = it->contraction, norm = it->contraction_norm;
    int left = it->contraction_left;
    vgStatus status = vg_state_new(rt->sim->sys, s->nhistory, &before);
    if (status != VG_OK) return status;
    vg_state_copy(rt->sim->sys, before, s);
    it->row->step(it, s, rt->step, &err);
    vg_state_copy(rt->sim->sys, s, before);
    vg_state_free(before);
    it->stats = stats;
    it->failure = (vgFailure){0};
    it->contraction = contraction, it->contraction_norm = norm, it->contraction_left = left;
    it->matrix.moved = 0;
    it->matrix.held = it->matrix.stale = 0;
    return VG_OK;
}

/* ---- against the clock ---- */

static long long read_clock(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return 1000000000LL * ts.tv_sec + ts.tv_nsec;
}

static long long now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static void count_disturbances(long *faults, long *preemptions)
{
    struct rusage u;
    if (getrusage(RUSAGE_SELF, &u) != 0) return;
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

/* The residual at the state: what the step will touch is in the caches again. */
static void rehearse(vgRealtime *rt)
{
    enum { MOST = 1024 };
    double r[MOST], phi[MOST];
    const vgSystem *sys = rt->sim->sys;
    const vgState *s = rt->sim->state;
    if (sys->nv <= MOST && sys->nl <= MOST)
        sys->ops->residual(sys, rt->sim->it->work, s->t, s->q, s->v, s->a, s->lambda, r, phi);
}

static void wait_until(vgRealtime *rt, long long due, const vgRealtimeHooks *hooks, vgLatency *gap)
{
    long long early = due - llround(1e9 * rt->early), at, last, longest = 0;
    while (!cancelled(hooks) && now() < early) sleep_until(early);
    if (rt->early <= 0) return;
    if (now() < due) rehearse(rt);
    for (last = now(); last < due && !cancelled(hooks); last = at) {
        at = now();
        if (at - last > longest) longest = at - last;
    }
    if (longest > 0) vg_latency_add(gap, longest);
}

vgStatus vg_realtime_run(vgRealtime *rt, long steps, const vgRealtimeHooks *hooks, vgRealtimeReport *r)
{
    memset(r, 0, sizeof *r);
    count_disturbances(&r->page_faults, &r->preemptions);
    long long period = llround(1e9 * rt->step), begin = now(), done = begin;
    /* whole nanoseconds would drift away from a rate such as 60 Hz: each due time is rounded by itself */
    for (long n = 0; (steps == 0 || n < steps) && r->status == VG_OK; n++) {
        long long due = begin + llround(1e9 * rt->step * (double)n);
        wait_until(rt, due, hooks, &r->gap);
        if (cancelled(hooks)) {
            r->status = VG_INTERRUPTED;
            break;
        }
        long long woke = now(), began = read_clock(CLOCK_THREAD_CPUTIME_ID);
        if (hooks && hooks->before) hooks->before(hooks->user, rt->sim->state);
        r->status = take_step(rt);
        if (r->status == VG_OK && hooks && hooks->after)
            hooks->after(hooks->user, rt->sim->state, rt->sim->it->work);
        long long at_work = read_clock(CLOCK_THREAD_CPUTIME_ID) - began;
        done = now();
        r->busy_seconds += 1e-9 * (double)(done - woke);
        if (r->status != VG_OK) break;
        vg_renewal_between(rt->sim->it, rt->sim->state); /* outputs are out: nobody waits for this */
        long long ready = now(), all_work = read_clock(CLOCK_THREAD_CPUTIME_ID) - began;
        r->busy_seconds += 1e-9 * (double)(ready - done);
        vg_latency_add(&r->wake, woke - due);
        vg_latency_add(&r->cost, done - woke);
        vg_latency_add(&r->cpu, at_work);
        vg_latency_add(&r->load, all_work);
        vg_latency_add(&r->latency, done - due);
        r->misses += done - due > period;
        r->steps++;
    }
    r->wall_seconds = 1e-9 * (double)(done - begin);
    count_disturbances(&r->page_faults, &r->preemptions);
    return r->status;
}
