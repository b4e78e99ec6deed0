#include "analysis/run/events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/dense_output.h"
#include "analysis/state/probe.h"

enum { MAX_SWITCHES = 256, SAMPLES = 4, MAX_TRIES = 40, MAX_STREAK = 12 };

struct vgEvents {
    vgIntegrator *it;
    vgProbe *probe;
    vgDense *dense;
    vgState *mark, *after, *between; /* before the step, after it, a point of the dense output */
    int n;                           /* functions */
    double g0[MAX_SWITCHES], g1[MAX_SWITCHES], g[MAX_SWITCHES]; /* at mark, at the end, elsewhere */
    signed char side[MAX_SWITCHES];                             /* last sign that was not 0 */
    int depths;                                                 /* the first so many are depths of contacts */
    int *at; /* nforce × VG_HELD_AT: where a law's switches begin, a kind's own, a depth */
    vgHeld held;
    int free;   /* 1: contacts act as their depths say, also within a step */
    int streak; /* events one close after the other without a whole step between: the motion slides along a
                   switch */
};

/* All functions at a state, first the depths of contacts; how many. */
static int functions(vgEvents *e, const vgState *s, double *out)
{
    const vgModel *m = e->it->sys->model;
    int n = 0;
    vg_probe_at(e->probe, e->it->work, s);
    for (int f = 0; f < m->nforce; f++) {
        int seen = m->force[f].kind->depth && n < MAX_SWITCHES;
        e->at[VG_HELD_AT * f + VG_HELD_DEPTH] = seen && !e->free ? n : -1;
        if (seen) out[n++] = m->force[f].kind->depth(m->force[f].def, vg_probe_force_in(e->probe, f));
    }
    e->depths = n;
    for (int f = 0; f < m->nforce; f++) {
        const vgForce *force = &m->force[f];
        double local[VG_LAW_LOCAL] = {0};
        int nlocal = 0;
        int *at = e->at + VG_HELD_AT * f;
        const vgForceIn *in =
            force->setup.nlaw || force->kind->switches ? vg_probe_force_in(e->probe, f) : NULL;
        while (force->kind->locals && force->kind->locals[nlocal]) nlocal++;
        if (force->setup.nlaw && force->kind->local) force->kind->local(force->def, in, local);
        for (int l = 0; l < force->setup.nlaw; l++) {
            const vgLaw *law = force->setup.law[l];
            int count =
                vg_law_switches(law, s->t, nlocal, local, in->law_inputs[l], out + n, MAX_SWITCHES - n);
            /* a law whose switches do not all fit stays free */
            at[l] = count > 0 && n + count < MAX_SWITCHES ? n : -1;
            n += count;
        }
        double own[VG_FORCE_MAX_SWITCHES];
        int count = force->kind->switches ? force->kind->switches(force->def, in, own) : 0;
        if (n + count >= MAX_SWITCHES) count = 0;
        at[VG_FORCE_MAX_LAWS] = count > 0 ? n : -1;
        for (int k = 0; k < count; k++) out[n++] = own[k];
    }
    return n;
}

void vg_events_free(vgEvents *e)
{
    if (!e) return;
    vg_probe_free(e->probe);
    vg_dense_free(e->dense);
    vg_state_free(e->mark);
    vg_state_free(e->after);
    vg_state_free(e->between);
    free(e->at);
    free(e);
}

vgStatus vg_events_new(vgIntegrator *it, int nhistory, vgEvents **out)
{
    vgEvents *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e) return VG_NO_MEMORY;
    e->it = it;
    e->at = calloc((size_t)it->sys->model->nforce * VG_HELD_AT + 1, sizeof *e->at);
    e->held = (vgHeld){e->side, e->at};
    vgStatus st = e->at ? vg_probe_new(it->sys, &e->probe) : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_dense_new(it->sys, &e->dense);
    if (st == VG_OK) st = vg_state_new(it->sys, nhistory, &e->mark);
    if (st == VG_OK) st = vg_state_new(it->sys, nhistory, &e->after);
    if (st == VG_OK) st = vg_state_new(it->sys, 0, &e->between);
    if (st != VG_OK) {
        vg_events_free(e);
        return st;
    }
    *out = e;
    return VG_OK;
}

void vg_events_mark(vgEvents *e, vgState *s)
{
    s->held = &e->held;
    vg_work_bind(e->it->work, s);
    vg_state_copy(e->it->sys, e->mark, s);
    e->free = e->streak >= MAX_STREAK; /* no event will be located: a contact may not be missed for it */
    e->n = functions(e, s, e->g0);
    for (int i = 0; i < e->n; i++)
        if (e->g0[i] != 0) e->side[i] = e->g0[i] > 0 ? 1 : -1;
}

static int crossed(const vgEvents *e, int i, double g)
{
    return e->side[i] * g < 0;
}

/* First interval of the dense output in which some function changes its sign; 0: none. */
static int bracket(vgEvents *e, const vgState *s, double *from, double *to)
{
    double t0 = e->mark->t, h = s->t - t0;
    *from = t0;
    for (int k = 1; k <= SAMPLES; k++) {
        const double *g = e->g1;
        *to = t0 + h * k / SAMPLES;
        if (k < SAMPLES) {
            vg_dense_at(e->dense, e->it->sys, e->mark, s, *to, e->between);
            functions(e, e->between, e->g);
            g = e->g;
        }
        for (int i = 0; i < e->n; i++)
            if (crossed(e, i, g[i])) return 1;
        *from = *to;
    }
    return 0;
}

/* The earliest crossing in the interval, by bisection on the dense output to a thousandth of the step: what
 * is left is found by steps. */
static double first_crossing(vgEvents *e, const vgState *s, double from, double to)
{
    double least = 1e-3 * (s->t - e->mark->t);
    while (to - from > least) {
        double t = 0.5 * (from + to);
        int any = 0;
        if (!(from < t && t < to)) break; /* a step so short that no time lies between */
        vg_dense_at(e->dense, e->it->sys, e->mark, s, t, e->between);
        functions(e, e->between, e->g);
        for (int i = 0; i < e->n; i++) any |= crossed(e, i, e->g[i]);
        if (any)
            to = t;
        else
            from = t;
    }
    return to;
}

/* A step of the method from the mark over dt. g: the function that has gone farthest over, relative to where
 * it came from; negative: none has. 0 when the step failed. */
static int try_step(vgEvents *e, vgState *s, double dt, double *g)
{
    double err = -1;
    vg_state_copy(e->it->sys, s, e->mark);
    e->it->step_wish = 0;
    if (vg_integrator_step(e->it, s, dt, &err) != VG_OK || s->t == e->mark->t) return 0;
    functions(e, s, e->g);
    *g = -INFINITY;
    for (int i = 0; i < e->n; i++) {
        double scale = fmax(fabs(e->g0[i]), fabs(e->g1[i]));
        if (e->side[i] && scale > 0) *g = fmax(*g, -e->side[i] * e->g[i] / scale);
    }
    return 1;
}

/* Regula falsi (Illinois) in steps dt from the mark: lo is before the event, hi behind it. The state ends at
 * hi. */
static int refine(vgEvents *e, vgState *s, double guess)
{
    double full = e->after->t - e->mark->t, lo = 0, hi = -1, g_lo = -1, g_hi = 0, dt = guess, g;
    double eps = 4e-15 * fmax(fabs(e->after->t), full) + 1e-13 * full;
    int last = 0;
    for (int k = 0; k < MAX_TRIES; k++) {
        if (!try_step(e, s, dt, &g)) return 0;
        if (g > 0) {
            hi = dt;
            g_hi = g;
            if (g < 1e-13 || hi - lo <= 2 * eps) return 1;
            if (last > 0) g_lo *= 0.5;
            last = 1;
        } else {
            lo = dt;
            g_lo = g < 0 ? g : -1e-300;
            if (last < 0) g_hi *= 0.5;
            last = -1;
        }
        if (hi < 0) { /* not behind it yet: on by more and more */
            double on = lo + fmax(1e-3 * full, lo - guess) * 2;
            if (lo >= full) return 0;
            dt = fmin(on, full);
            continue;
        }
        dt = lo + (hi - lo) * g_lo / (g_lo - g_hi);
        double edge = 0.3 * eps; /* at least a little way from both ends, so that the bracket closes */
        dt = fmin(fmax(dt, lo + edge), hi - edge);
        if (hi - lo <= 2 * eps) dt = hi;
    }
    return hi > 0 && try_step(e, s, hi, &g) && g > 0;
}

/* An event that steps do not come to stays within its step, which is then taken with contacts as they are. */
static void go_over(vgEvents *e, vgState *s, double dt)
{
    double g;
    e->free = 1;
    functions(e, e->mark, e->g);
    if (e->depths == 0 || !try_step(e, s, dt, &g)) vg_state_copy(e->it->sys, s, e->after);
}

int vg_events_locate(vgEvents *e, vgState *s)
{
    double from, to, full = s->t - e->mark->t;
    if (e->n == 0) return 0;
    functions(e, s, e->g1);
    int found = bracket(e, s, &from, &to), hit = 0;
    if (found && e->streak < MAX_STREAK) {
        double guess = first_crossing(e, s, from, to) - e->mark->t, wish = e->it->step_wish;
        vg_state_copy(e->it->sys, e->after, s);
        hit = refine(e, s, guess);
        if (!hit) go_over(e, s, full);
        e->it->step_wish = wish;
    }
    functions(e, s, e->g1); /* the work's motion is that of the state again */
    e->streak = !hit ? 0 : e->streak + (s->t - e->mark->t < 0.05 * full);
    if (hit)
        e->it->stats.events++;
    else
        vg_events_pass(e);
    return hit;
}

void vg_events_pass(vgEvents *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->g1[i] != 0) e->side[i] = e->g1[i] > 0 ? 1 : -1;
}
