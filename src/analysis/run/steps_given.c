/* Steps of a given size on a grid of times. One that fails is split into two halves, and so on; one that would end
 * in a singular position ends before it instead, and the next one beyond. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/run/transient_run.h"
#include "integrator/stage/stage.h"

/* Halvings of a step. A method with steps of its own has tried smaller ones, but not from another start. */
enum { MAX_DEPTH = 12, OWN_DEPTH = 4 };
static const double SHORT[] = {0.7, 0.55}; /* parts of a step that ends before a singular position */
enum { SHORTS = sizeof SHORT / sizeof SHORT[0] };
/* Times on the grid that are nearer to each other than this part of a step are one: rounding of a grid of 1e6 steps
 * is 1e-10. A step has ended at its time when no more than REACHED is left. */
static const double SAME = 1e-9, REACHED = 1e-12;
static const double IMPACT_LEAST = 1e-6; /* part of a step below which one that fails in an impact is split */
static const double IMPACT_CUT = 0.25;   /* what is left of a step that fails in an impact */

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
        /* on the grid of the run that is gone on with: the same times, to the bit */
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

/* The nominal step where the grid means it, so that rounding does not change the coefficients. */
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

/* Methods with a past begin anew where steps are not all of one size. */
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

/* Before a singular position: the next of the shorter steps. 0: it is not that, or none is left. */
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
        vg_run_add_words(
            &it->failure,
            "; everything grows without bound: the step is too long for an explicit method here. "
            "Try a shorter one, or an implicit method");
    } else if (!vg_run_add_cause(r, g->why.t, g->full)) {
        size_t n = strlen(it->failure.text);
        snprintf(it->failure.text + n, sizeof it->failure.text - n,
                 "; %d halvings of the step did not help. Try a smaller step, another integrator or softer "
                 "parameters",
                 deepest(it));
    }
    return why;
}

/* Two halves of the step, or of the piece of it, that failed. */
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

/* The step ended a little before its time: what is shown there, and at the end of the run what is there. */
static void be_late(vgRun *r, const vgAttempt *x)
{
    r->late = r->given.planned - x->h;
    r->given.shorter = 0;
    if (r->res->early++ == 0) r->res->early_t = x->to;
    r->res->early_last = x->last;
    vg_singular_extrapolate(r->loops, r->s, x->to, x->last ? r->s : r->shown);
    if (x->last) r->late = 0;
}

/* On to the next piece of a step that was split. */
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
