#include "analysis/run/events.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/dense_output.h"
#include "analysis/state/probe.h"

enum { MAX_SWITCHES = 1024, SAMPLES = 4, MAX_TIMES = 12, MAX_TRIES = 40, MAX_STREAK = 12 };

/* An impact over one step of which the speed of approach changes by more than UNRESOLVED of the speed at which
 * it began, so that it is over in some eight steps, is followed in shorter steps, with changes of IMPACT at most:
 * some 80 from touch to release, and a rebound that is right to a few parts in a thousand with a method of order
 * 2. At twice IMPACT it is right to one in fifty; at half the steps double. At twice UNRESOLVED an impact of four
 * steps goes unnoticed; at half, steps are shortened that are a method's own affair. */
static const double UNRESOLVED = 0.3;
static const double IMPACT = 0.05;
/* Number of steps that an impact must take, estimated from the change of speed in its first step. At half of it an impact
 * on a joint stop that lasts four steps loses 1 % of the speed in the first (test_defects_contacts.py). */
static const double RESOLVES = 8;
static const double HERTZ =
    2. / 5; /* the time of a change, by its part: v − v₀ ∝ t^(5/2) where the force is ∝ depth^(3/2) */
/* Greatest difference between such a step and two half steps, as a part of the change of the speed of approach. A
 * rebound is then accurate to about twice that, whatever the method. At ten times INEXACT a method of order 2 loses some 0.1 % of
 * the speed; at a tenth it takes twice the steps. */
static const double INEXACT = 2e-4;
/* The force of an impact begins like a power of the time, and the error of its first step is the same part of that step's
 * change of speed however short it is: changes count as this part of the speed of impact at the least. Methods of order
 * 1 take ten times as many steps, in which ten times as many such errors add up. Wrong by a factor of two, the error of
 * the rebound is so, too. */
static const double LEAST_CHANGE = 0.02, LEAST_CHANGE_FIRST = 0.002;
/* A step that is too long for an impact is cut to what its change allows, less a margin, but not below this part of
 * it, for the change is not proportional to so much shorter steps. They cost trials, not accuracy. */
static const double MARGIN = 0.9, LEAST_CUT = 0.1;
/* An event is located when its function is CLOSE relative to its size before it, or when the time is known to ULPS of its
 * value plus CLOSE of the step: twenty roundings. At a tenth the iteration ends by the number of tries; at ten times, the
 * state behind an event is off by as much. */
static const double CLOSE = 1e-13, ULPS = 4e-15;
/* Part of the step by which the search continues beyond the interpolated event; doubled with each try. */
static const double ONWARDS = 1e-3;
/* Distance, in units of the accuracy of the time, that a trial keeps from both ends of the bracket, so that it shrinks. */
static const double EDGE = 0.3;
/* An event within this part of the step that was asked for counts as one of a streak; after MAX_STREAK of them, events are
 * stepped over (a body that chatters to static equilibrium). */
static const double EARLY = 0.05;

struct vgEvents {
    vgIntegrator *it;
    vgProbe *probe;
    vgDense *dense;
    vgState *mark, *after, *between; /* before the step, after it, a point of the dense output */
    vgState *halves;                 /* after it, while two half steps are taken */
    vgStep step;                     /* as it was asked for */
    int contacts;                    /* 1: contacts alone */
    int n;                           /* functions */
    double g0[MAX_SWITCHES], g1[MAX_SWITCHES], g[MAX_SWITCHES]; /* at mark, at the end, elsewhere */
    signed char side[MAX_SWITCHES];                             /* last sign that was not 0 */
    int depths;                                                 /* the first so many are depths of contacts */
    int *at; /* nforce × VG_HELD_AT: where a law's switches begin, a kind's own, a depth */
    vgHeld held;
    /* of each contact, in the order of depths: how its bodies stand at mark and at the end, at which speed they
     * touched (0: they are apart, or their impact is over), and whether they move apart again */
    vgApproach near[2][MAX_SWITCHES], half[MAX_SWITCHES]; /* half: after two half steps */
    double struck[MAX_SWITCHES], drift[MAX_SWITCHES];     /* drift: acceleration of approach while apart */
    signed char back[MAX_SWITCHES], fresh[MAX_SWITCHES];  /* fresh: the step begins where they touched */
    int contact[MAX_SWITCHES];                            /* its force */
    double most; /* the longest step that resolves the impacts that are going on */
    int begun;   /* 1: a step was taken */
    int free;    /* 1: contacts act as their depths say, also within a step */
    int streak;  /* events one close after the other without a whole step between: the motion slides along a
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
        if (!seen) continue;
        e->contact[n] = f;
        out[n++] = m->force[f].kind->depth(m->force[f].def, vg_probe_force_in(e->probe, f));
    }
    e->depths = n;
    for (int f = 0; f < m->nforce; f++) {
        const vgForce *force = &m->force[f];
        double local[VG_LAW_LOCAL] = {0};
        int nlocal = 0;
        int *at = e->at + VG_HELD_AT * f;
        if (e->contacts) continue;
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

/* How the bodies of each contact stand to each other in the state that functions() has just looked at. */
static void approaches(vgEvents *e, vgApproach *out)
{
    const vgModel *m = e->it->sys->model;
    for (int i = 0; i < e->depths; i++) {
        const vgForce *f = &m->force[e->contact[i]];
        f->kind->approach(f->def, vg_probe_force_in(e->probe, e->contact[i]), &out[i]);
    }
}

static double rate(const vgApproach *a)
{
    return -vg_dot3(a->n, a->u);
}

void vg_events_free(vgEvents *e)
{
    if (!e) return;
    vg_probe_free(e->probe);
    vg_dense_free(e->dense);
    vg_state_free(e->mark);
    vg_state_free(e->after);
    vg_state_free(e->between);
    vg_state_free(e->halves);
    free(e->at);
    free(e);
}

int vg_events_contacts(const vgModel *m)
{
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].kind->depth) return 1;
    return 0;
}

vgStatus vg_events_new(vgIntegrator *it, int nhistory, int contacts, vgEvents **out)
{
    vgEvents *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e) return VG_NO_MEMORY;
    const size_t places = (size_t)it->sys->model->nforce * VG_HELD_AT;
    e->it = it;
    e->contacts = contacts;
    e->at = malloc((places + 1) * sizeof *e->at);
    for (size_t i = 0; i < places && e->at; i++) e->at[i] = -1;
    e->held = (vgHeld){e->side, e->at};
    e->most = INFINITY;
    vgStatus st = e->at ? vg_probe_new(it->sys, &e->probe) : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_dense_new(it->sys, &e->dense);
    if (st == VG_OK) st = vg_state_new(it->sys, nhistory, &e->mark);
    if (st == VG_OK) st = vg_state_new(it->sys, nhistory, &e->after);
    if (st == VG_OK) st = vg_state_new(it->sys, 0, &e->between);
    if (st == VG_OK) st = vg_state_new(it->sys, nhistory, &e->halves);
    if (st != VG_OK) {
        vg_events_free(e);
        return st;
    }
    *out = e;
    return VG_OK;
}

double vg_events_mark(vgEvents *e, vgState *s)
{
    s->held = &e->held;
    vg_work_bind(e->it->work, s);
    vg_state_copy(e->it->sys, e->mark, s);
    e->free = e->streak >= MAX_STREAK; /* no event will be located: a contact may not be missed for it */
    e->n = functions(e, s, e->g0);
    approaches(e, e->near[0]);
    for (int i = 0; i < e->n; i++)
        if (e->g0[i] != 0) e->side[i] = e->g0[i] > 0 ? 1 : -1;
    return e->free ? INFINITY : e->most;
}

static int crossed(const vgEvents *e, int i, double g)
{
    return e->side[i] * g < 0;
}

static int any_crossed(const vgEvents *e, const double *g)
{
    for (int i = 0; i < e->n; i++)
        if (crossed(e, i, g[i])) return 1;
    return 0;
}

/* All functions at a time of the dense output. */
static const double *look(vgEvents *e, const vgState *s, double t)
{
    if (t >= s->t) return e->g1;
    vg_dense_at(e->dense, e->it->sys, e->mark, s, t, e->between);
    functions(e, e->between, e->g);
    return e->g;
}

/* When contacts cross twice within the step (crossing.c): times at which to look; how many. */
static int crossings(const vgEvents *e, double t0, double h, double *out, int max)
{
    const vgModel *m = e->it->sys->model;
    double when;
    int n = 0;
    for (int i = 0; i < e->depths && n < max; i++) {
        const vgForce *f = &m->force[e->contact[i]];
        if (f->kind->crosses(f->def, &e->near[0][i], &e->near[1][i], h, &when)) out[n++] = t0 + when * h;
    }
    return n;
}

/* Where the parabola through three values of one function turns, if it comes near to zero or beyond there;
 * times are k, k + 1, k + 2. −1: it does not. */
static double turning(double a, double b, double c, int k)
{
    double bend = a - 2 * b + c, slope = 0.5 * (c - a), side = b > 0 ? 1 : -1;
    if (bend * side <= 0) return -1; /* it turns away from zero */
    double x = -slope / bend, least = b + 0.5 * slope * x, size = fmin(fabs(a), fmin(fabs(b), fabs(c)));
    return fabs(x) < 1 && least * side < 0.5 * size ? k + 1 + x : -1;
}

/* Functions that turn back between two looks, perhaps behind their zero: when to look again. */
static int turnings(const vgEvents *e, double (*g)[MAX_SWITCHES], double t0, double h, double *out, int max)
{
    int n = 0;
    for (int i = e->depths; i < e->n; i++)
        for (int k = 0; k + 2 <= SAMPLES && n < max; k++) {
            double x = turning(g[k][i], g[k + 1][i], g[k + 2][i], k);
            if (x >= 0) out[n++] = t0 + h * x / SAMPLES;
        }
    return n;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Looks at the given times in their order; 1: at *to something has crossed, and not yet at *from. */
static int first_of(vgEvents *e, const vgState *s, double *time, int n, double *from, double *to)
{
    qsort(time, (size_t)n, sizeof *time, by_time);
    *from = e->mark->t;
    for (int k = 0; k < n; k++) {
        *to = time[k];
        if (any_crossed(e, look(e, s, *to))) return 1;
        *from = *to;
    }
    return 0;
}

/* First interval of the dense output in which some function changes its sign; 0: none. */
static int bracket(vgEvents *e, const vgState *s, double *from, double *to)
{
    double t0 = e->mark->t, h = s->t - t0, time[MAX_TIMES + SAMPLES], g[SAMPLES + 1][MAX_SWITCHES];
    int n = crossings(e, t0, h, time, MAX_TIMES), found = 0;
    memcpy(g[0], e->g0, (size_t)e->n * sizeof(double));
    for (int k = 1; k <= SAMPLES && !found; k++) {
        time[n] = k < SAMPLES ? t0 + h * k / SAMPLES : s->t;
        const double *now = look(e, s, time[n++]);
        found = any_crossed(e, now);
        memcpy(g[k], now, (size_t)e->n * sizeof(double));
    }
    if (!found) n += turnings(e, g, t0, h, time + n, MAX_TIMES + SAMPLES - n);
    /* what was seen is looked at again only where another time may come first */
    return (found || n > SAMPLES) && first_of(e, s, time, n, from, to);
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

/* A step of size dt from the mark. g: the largest value among the event functions, each relative to its size and with
 * such a sign that it is positive behind the event; negative: none has occurred. Returns 0 if the step failed. */
static int try_step(vgEvents *e, vgState *s, double dt, double *g)
{
    vgStep x = vg_step_like(&e->step);
    vg_state_copy(e->it->sys, s, e->mark);
    if (vg_integrator_step(e->it, s, dt, &x) != VG_OK || s->t == e->mark->t) return 0;
    functions(e, s, e->g);
    *g = -INFINITY;
    for (int i = 0; i < e->n; i++) {
        double scale = fmax(fabs(e->g0[i]), fabs(e->g1[i]));
        if (e->side[i] && scale > 0) *g = fmax(*g, -e->side[i] * e->g[i] / scale);
    }
    return 1;
}

/* Locates the event by regula falsi (Illinois) in the size dt of a step from the mark: with lo the step ends before the
 * event, with hi behind it. The state is that at hi. 0: not found. */
static int refine(vgEvents *e, vgState *s, double guess)
{
    double full = e->after->t - e->mark->t, lo = 0, hi = -1, g_lo = -1, g_hi = 0, dt = guess, g;
    double eps = ULPS * fmax(fabs(e->after->t), full) + CLOSE * full;
    int last = 0;
    for (int k = 0; k < MAX_TRIES; k++) {
        if (!try_step(e, s, dt, &g)) return 0;
        if (g > 0) {
            hi = dt;
            g_hi = g;
            if (g < CLOSE || hi - lo <= 2 * eps) return 1;
            if (last > 0) g_lo *= 0.5;
            last = 1;
        } else {
            lo = dt;
            g_lo = g < 0 ? g : -DBL_MIN;
            if (last < 0) g_hi *= 0.5;
            if (dt == hi) hi = -1; /* two steps of one size differ by what Newton's iteration leaves */
            last = -1;
        }
        if (hi < 0) { /* no step has ended behind the event yet: larger ones */
            double on = lo + fmax(ONWARDS * full, lo - guess) * 2;
            if (lo >= full) return 0;
            dt = fmin(on, full);
            continue;
        }
        dt = lo + (hi - lo) * g_lo / (g_lo - g_hi);
        double edge = EDGE * eps;
        dt = fmin(fmax(dt, lo + edge), hi - edge);
        if (hi - lo <= 2 * eps) dt = hi;
    }
    return hi > 0 && try_step(e, s, hi, &g) && g > 0;
}

/* If an event cannot be located, the whole step is taken with contacts as they are at its start. */
static void go_over(vgEvents *e, vgState *s, double dt)
{
    double g;
    e->free = 1;
    functions(e, e->mark, e->g);
    if (e->depths == 0 || !try_step(e, s, dt, &g)) vg_state_copy(e->it->sys, s, e->after);
}

/* The change of a contact's speed of approach over the step just taken from the mark. Bodies that went through
 * each other have another normal: along the first one their speeds have changed too. */
static double change(const vgApproach *a, const vgApproach *b)
{
    return fmax(fabs(rate(b) - rate(a)), fabs(vg_dot3(a->n, vg_sub3(b->u, a->u))));
}

/* By how much the step is too long for the impacts that are going on: the largest of these changes over that
 * allowed. A step that begins an impact changes little: by Hertz's law the part c of the speed is changed in one step, and
 * all of it in c^(-2/5), so that the impact takes twice as many. */
static double too_long(const vgEvents *e)
{
    const int followed = e->most < INFINITY;
    double worst = 0, allowed = followed ? IMPACT : UNRESOLVED;
    for (int i = 0; i < e->depths; i++) {
        if (!(e->struck[i] > 0)) continue;
        const double part = change(&e->near[0][i], &e->near[1][i]) / e->struck[i];
        worst = fmax(worst, part / allowed);
        if (e->fresh[i] && !followed) worst = fmax(worst, 0.5 * RESOLVES * pow(part, HERTZ));
    }
    return worst;
}

/* By how much the step from the mark to s is too inexact for the impacts that are going on: speeds of approach after two
 * half steps differ from those after it by so many times what is allowed. The state is s again afterwards. */
static double too_inexact(vgEvents *e, vgState *s)
{
    const double dt = s->t - e->mark->t;
    const double least = vg_integrator_order(e->it) > 1 ? LEAST_CHANGE : LEAST_CHANGE_FIRST;
    double worst = 0, g;
    vgStep x = vg_step_like(&e->step);
    vg_state_copy(e->it->sys, e->halves, s);
    int ok = try_step(e, s, 0.5 * dt, &g) && vg_integrator_step(e->it, s, 0.5 * dt, &x) == VG_OK;
    if (ok) {
        functions(e, s, e->g);
        approaches(e, e->half);
    }
    for (int i = 0; ok && i < e->depths; i++) {
        if (!(e->struck[i] > 0)) continue;
        const double part = fmax(change(&e->near[0][i], &e->near[1][i]) / e->struck[i], least);
        worst = fmax(worst, change(&e->near[1][i], &e->half[i]) / (INEXACT * part * e->struck[i]));
    }
    vg_state_copy(e->it->sys, s, e->halves);
    functions(e, s, e->g);
    return worst;
}

/* The part of a step that an error so many times too large leaves. */
static double cut(const vgEvents *e, double long_by, double inexact_by)
{
    const double exact = inexact_by > 1 ? pow(inexact_by, -1. / (vg_integrator_order(e->it) + 1)) : 1;
    return fmax(LEAST_CUT, MARGIN * fmin(long_by > 1 ? fmin(1 / long_by, 0.5) : 1, exact));
}

/* Shorter steps from the mark until they resolve the impacts. 1: the step is shorter than it was. */
static int shorten(vgEvents *e, vgState *s)
{
    double dt = s->t - e->mark->t, g, over, inexact = 0;
    const int judged = !e->it->adaptive; /* error control sees to it otherwise */
    int shorter = 0;
    approaches(e, e->near[1]);
    over = too_long(e);
    if (over <= 1 && e->most == INFINITY) return 0;
    if (e->most == INFINITY) over *= UNRESOLVED / IMPACT;
    if (over <= 1 && judged) inexact = too_inexact(e, s);
    if (over <= 1 && inexact <= 1) return 0;
    e->most = dt;
    vg_state_copy(e->it->sys, e->after, s);
    for (int k = 0; k < MAX_TRIES && (over > 1 || inexact > 1); k++) {
        dt *= cut(e, over, inexact);
        if (!try_step(e, s, dt, &g)) continue; /* a shorter one yet */
        shorter = 1;
        e->most = fmin(e->most, dt);
        memcpy(e->g1, e->g, sizeof e->g1);
        approaches(e, e->near[1]);
        over = too_long(e);
        inexact = over <= 1 && judged ? too_inexact(e, s) : 0;
    }
    if (!shorter) { /* not even a very short one: as it was */
        vg_state_copy(e->it->sys, s, e->after);
        functions(e, s, e->g1);
        approaches(e, e->near[1]);
    }
    return shorter;
}

/* The acceleration of approach of what is apart. Seen from another side (the other end of a joint's range) the speed of
 * approach has another sign, which is no acceleration. */
static double drift(const vgApproach *a, const vgApproach *b, double h)
{
    const double change = vg_dot3(a->n, b->n) < 0 ? vg_dot3(b->n, vg_sub3(b->u, a->u)) : rate(b) - rate(a);
    return fabs(change) / h;
}

/* What became of contacts in the step that is now accepted: an impact begins where bodies touch faster than
 * they do by the accelerations of one step, and is over when they part or approach each other again. */
static void follow(vgEvents *e, double h, double asked)
{
    int any = 0;
    for (int i = 0; i < e->depths; i++) {
        double now = rate(&e->near[1][i]);
        int touched = e->near[0][i].depth > 0, touches = e->near[1][i].depth > 0;
        /* what touches in the first step since the start has no step apart behind it */
        if (!touched && h > 0 && (!touches || e->drift[i] == 0))
            e->drift[i] = drift(&e->near[0][i], &e->near[1][i], h);
        e->fresh[i] = !touched && touches;
        if (!touched && touches) e->struck[i] = now > e->drift[i] * asked ? now : 0, e->back[i] = 0;
        if (touched && touches && now < 0) e->back[i] = 1;
        if (!touches || (e->back[i] && now > 0)) e->struck[i] = 0;
        any |= e->struck[i] > 0;
    }
    if (!any) e->most = INFINITY;
}

/* Bodies that touch at the start and would go more than twice as deep in the first step are struck; others lie there. */
static void begin(vgEvents *e, double asked)
{
    for (int i = 0; i < e->depths && !e->begun; i++) {
        const double depth = e->near[0][i].depth, speed = rate(&e->near[0][i]);
        if (depth > 0 && speed * asked > depth) e->struck[i] = speed, e->fresh[i] = 1;
    }
    e->begun = 1;
}

int vg_events_strikes(const vgEvents *e)
{
    for (int i = 0; i < e->depths && !e->free; i++)
        if (e->struck[i] > 0) return 1;
    return 0;
}

void vg_events_limit(vgEvents *e, double most)
{
    e->most = most;
}

vgEventsFound vg_events_locate(vgEvents *e, vgState *s, const vgStep *step)
{
    double from, to, asked = s->t - e->mark->t;
    if (e->n == 0) return VG_EVENTS_NONE;
    e->step = *step;
    begin(e, asked);
    functions(e, s, e->g1);
    int shorter = !e->free && shorten(e, s), hit = 0;
    double full = s->t - e->mark->t;
    if (bracket(e, s, &from, &to) && e->streak < MAX_STREAK) {
        double guess = first_crossing(e, s, from, to) - e->mark->t;
        vg_state_copy(e->it->sys, e->after, s);
        hit = refine(e, s, guess);
        if (!hit) go_over(e, s, full);
    }
    functions(e, s, e->g1); /* the work's motion is that of the state again */
    approaches(e, e->near[1]);
    follow(e, s->t - e->mark->t, asked);
    e->streak = !hit ? 0 : e->streak + (s->t - e->mark->t < EARLY * asked);
    if (hit)
        e->it->stats.events++;
    else
        vg_events_pass(e);
    return hit ? VG_EVENTS_HIT : shorter ? VG_EVENTS_SHORT : VG_EVENTS_NONE;
}

void vg_events_pass(vgEvents *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->g1[i] != 0) e->side[i] = e->g1[i] > 0 ? 1 : -1;
}
