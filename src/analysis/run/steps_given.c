/* Fixed steps on a grid of times. A step that fails is halved, repeatedly if necessary. A step that would end in a
 * singular position ends before it instead, and the next step ends behind it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/run/transient_run.h"
#include "integrator/stage/stage.h"

/* Halvings of a step. OWN_DEPTH: for methods with internal step control, which have tried smaller steps already. */
enum { MAX_DEPTH = 12, OWN_DEPTH = 4 };
static const double SHORT[] = {0.7, 0.55}; /* parts of a step that ends before a singular position */
enum { SHORTS = sizeof SHORT / sizeof SHORT[0] };
/* Parts of a step. Times that differ by less than SAME are equal: rounding of a grid of 1e6 steps is 1e-10. A step
 * has reached its end time if less than REACHED is left. */
static const double SAME = 1e-9, REACHED = 1e-12;
/* A step that fails in an impact is shortened by the factor IMPACT_CUT; below the part IMPACT_LEAST of the full step
 * it is split like other steps. */
static const double IMPACT_LEAST = 1e-6, IMPACT_CUT = 0.25;

static int deepest(const vgIntegrator *it)
{
    return it->row->flags & VG_INT_OWN_STEPS ? OWN_DEPTH : MAX_DEPTH;
}

static void aim(vgRun *r)
{
    const vgGiven *g = &r->given;
    r->target = g->i >= g->n ? r->o->end : g->origin + g->h * (double)(g->before + g->i);
}

static void begin(vgRun *r)
{
    vgGiven *g = &r->given;
    double span = r->o->end - r->t0;
    g->h = span > 0 && span < r->o->step * (1 - SAME) ? span : r->o->step;
    g->origin = r->t0;
    g->n = (long long)ceil(span / g->h - SAME);
    g->i = 1;
    if (r->o->resume && fabs(r->t0 - g->h * (double)r->s->step) < SAME * g->h) {
        /* the grid of the run that is continued, so that times are the same to the bit */
        g->before = r->s->step, g->origin = 0;
        r->s->t = g->h * (double)g->before;
    }
    r->tiny = SAME * g->h;
    g->taken = r->o->step;
    aim(r);
}

static int done(const vgRun *r)
{
    return r->given.i > r->given.n;
}

/* The step to the next grid time. If it differs from the nominal size by rounding only, it is the nominal size, so
 * that the coefficients of methods do not change. */
static vgStatus size(vgRun *r, vgAttempt *x)
{
    vgGiven *g = &r->given;
    double left = x->to - r->s->t;
    int grid = x->to == r->target;
    x->whole = 1;
    x->h = grid && fabs(left - g->h) < SAME * g->h ? g->h : left;
    x->avoids = g->depth == 0 && grid && !x->corner && !r->events && r->sample > x->to + r->tiny;
    if (g->depth > 0 && g->piece + 1 < 1L << g->depth) {
        x->h = g->from + g->full * (double)(g->piece + 1) / (double)(1L << g->depth) - r->s->t;
        x->whole = 0;
    }
    if (g->shorter > 0) x->h *= SHORT[g->shorter - 1], x->whole = 0;
    return VG_OK;
}

/* Restarts a multistep method if this step has another size than the last one. */
static vgStatus ready(vgRun *r, vgAttempt *x)
{
    vgGiven *g = &r->given;
    if (g->depth > 0 || g->shorter > 0) return VG_OK;
    int other = (r->sampler || g->limited || x->limited) && fabs(x->h - g->taken) > r->tiny;
    g->was_late = r->late > 0;
    r->late = 0;
    g->limited = x->limited;
    g->taken = g->planned = x->h;
    return g->was_late || other ? vg_run_start_anew(r, x->h) : VG_OK;
}

/* 1: a step that would end in a singular position is tried with the next of the sizes SHORT. 0: it failed for another
 * reason, or all sizes were tried. */
static int shorten(vgRun *r, const vgAttempt *x, vgStatus why)
{
    vgGiven *g = &r->given;
    if (!x->avoids || !r->loops || vg_guard_is_far(r->guard)) return 0;
    if (why != VG_NOT_CONVERGED && why != VG_SINGULAR && why != VG_NOT_FINITE) return 0;
    if (g->shorter == 0) {
        g->why = r->it->failure;
        if (!x->landed && !vg_singular_ahead(r->loops, r->s, x->h)) return 0;
    }
    if (g->shorter < SHORTS && vg_run_start_anew(r, SHORT[g->shorter] * g->planned) == VG_OK) {
        g->shorter++;
        return 1;
    }
    g->shorter = 0;
    r->it->failure = g->why;
    return 0;
}

VG_COLD static vgStatus give_up(vgRun *r, vgStatus why)
{
    vgIntegrator *it = r->it;
    const vgGiven *g = &r->given;
    if (g->depth == 0) return why;
    it->failure = g->why;
    if (vg_run_ran_away(r)) {
        vg_run_add_words(&it->failure, "; everything grows without bound: the step is too long for an "
                                       "explicit method here. Try a shorter one, or an implicit method");
    } else if (!vg_run_add_cause(r, g->why.t, g->full)) {
        size_t n = strlen(it->failure.text);
        snprintf(it->failure.text + n, sizeof it->failure.text - n,
                 "; %d halvings of the step did not help. Try a smaller step, another integrator or softer "
                 "parameters",
                 deepest(it));
    }
    return why;
}

/* Halves the failed step, or the failed piece of it. */
static vgStatus split(vgRun *r, vgStatus why)
{
    vgGiven *g = &r->given;
    vgIntegrator *it = r->it;
    if (g->depth == deepest(it)) return give_up(r, why);
    if (g->depth == 0) g->why = it->failure, g->from = r->s->t, g->full = g->planned, g->piece = 0;
    if (it->stats.substeps++ == 0) r->res->split = it->failure, r->res->split.status = why;
    g->depth++;
    g->piece *= 2;
    return vg_run_start_anew(r, g->full / (double)(1L << g->depth)) == VG_OK ? VG_OK : give_up(r, why);
}

static vgStatus refused(vgRun *r, vgAttempt *x, vgStatus why)
{
    vgGiven *g = &r->given;
    if (why == VG_NO_MEMORY || why == VG_INTERRUPTED) return why;
    if (why == VG_STEP_TOO_SMALL) return give_up(r, why);
    if (r->events && x->h > IMPACT_LEAST * g->h && vg_events_strikes(r->events)) {
        vg_events_limit(r->events, IMPACT_CUT * x->h);
        g->limited = 1, g->taken = 0;
        return VG_OK;
    }
    return shorten(r, x, why) ? VG_OK : split(r, why);
}

/* The step was shortened and ended before its time: the sample there, and at the end of the run the state, are
 * extrapolated. */
static void be_late(vgRun *r, const vgAttempt *x)
{
    r->late = r->given.planned - x->h;
    r->given.shorter = 0;
    if (r->res->early++ == 0) r->res->early_t = x->to;
    r->res->early_last = x->last;
    vg_singular_extrapolate(r->loops, r->s, x->to, x->last ? r->s : r->shown);
    if (x->last) r->late = 0;
}

/* Proceeds to the next piece of a step that was split. */
static vgStatus next_piece(vgRun *r)
{
    vgGiven *g = &r->given;
    for (g->piece++; g->depth > 0 && g->piece % 2 == 0; g->depth--) g->piece /= 2;
    return g->depth == 0 ? vg_run_start_anew(r, g->full) : VG_OK;
}

static vgStatus accepted(vgRun *r, vgAttempt *x)
{
    vgGiven *g = &r->given;
    vgStatus st = VG_OK;
    x->step.next = g->h;
    if (x->found != VG_EVENTS_NONE || (x->limited && !x->whole)) {
        g->depth = g->shorter = 0; /* another motion from here on, or steps that follow an impact */
        if (x->found == VG_EVENTS_SHORT) g->limited = 1, g->taken = 0; /* the history is of other steps */
    } else if (g->depth > 0) {
        st = next_piece(r);
    } else if (g->was_late && g->shorter == 0) {
        st = vg_run_start_anew(r, g->h);
    }
    int late = g->shorter > 0;
    x->counts = late || (g->depth == 0 && !(r->s->t < r->target - REACHED * g->h));
    x->last = x->counts && g->i == g->n;
    if (late) be_late(r, x);
    g->i += x->counts;
    if (x->counts) aim(r);
    return st;
}

const vgPolicy vg_given_steps = {begin, done, size, ready, refused, accepted};
