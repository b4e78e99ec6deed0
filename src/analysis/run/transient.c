#include "analysis/run/transient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/state/assemble.h"
#include "analysis/run/transient_run.h"
#include "integrator/step_size.h"
#include "integrator/stage/renewal.h"
#include "integrator/rows.h"
#include "integrator/stage/stage.h"

enum {
    MAX_DEPTH = 12,
    BEGIN_ANEW = 8,
    OVER = 4,
    SMALL = 10, /* steps that creep, accepted one by one */
    PROGRESS_EVERY = 256
};

static const double SHORT[] = {0.7, 0.55}; /* a step that ends before a singular position */
/* Steps that the rest of a run may take at the present pace: at a microsecond each they are minutes of
 * processor time, and nobody has asked for as many. */
static const double MOST_STEPS = 1e8;
static const double CREEPS = 0.05; /* part of the steps of late */

/* ---- corners of time laws ---- */

/* A step that begins at a corner begins just behind it, so that methods that look at t_n see the right side.
 */
static double step_behind(vgRun *r, double corner, double dt)
{
    double off = r->behind;
    r->asked = VG_STEP;
    r->asked.corner_before = vg_corners_last(&r->corners);
    r->asked.corner = corner;
    r->s->t += off;
    r->behind = 0;
    return dt - off;
}

/* After a corner: accelerations jump; start again from consistent ones. */
static vgStatus restart(vgRun *r, double h)
{
    const vgSystem *sys = r->it->sys;
    vgState *s = r->s;
    if (r->events) vg_events_mark(r->events, s);
    vgStatus st = sys->ops->accel(sys, r->it->work, s->t, s->q, s->v, s->a, s->lambda);
    r->it->step_hint = h;
    return st == VG_OK ? vg_integrator_start(r->it, s) : st;
}

/* ---- steps ---- */

static const char SUSPECTS[] =
    ". A force that jumps (try --events), a singular position of the mechanism (try constraints augmented1), "
    "too much asked (try a larger rtol)? Else try an implicit method with a fixed step (generalized-alpha)";

/* Methods with steps of their own have tried smaller ones, but not from another start. */
static int deepest(const vgIntegrator *it)
{
    return it->row->flags & VG_INT_OWN_STEPS ? 4 : MAX_DEPTH;
}

/* ends: it may end in a singular position, or have a stage in one. */
static vgStatus try_step(vgRun *r, double h, int ends, int *landed)
{
    vgStep x = r->asked;
    *landed = 0;
    if (r->loops) vg_singular_before(r->loops, r->s, h);
    if (r->loops && !ends && vg_singular_within(r->loops, r->s, h)) {
        vg_fail(r->it, VG_NOT_CONVERGED, r->s->t,
                "a stage of the step from t = %.9g s is in a singular position of the mechanism", r->s->t);
        *landed = 1;
        return VG_NOT_CONVERGED;
    }
    int asks;
    vg_guard_before(r->guard, r->s, h, &asks);
    vgStatus st = r->it->row->step(r->it, r->s, h, &x);
    if (st == VG_OK && asks) st = vg_guard_after(r->guard, r->s, h, &x);
    vgPassage how = st == VG_OK && r->loops ? vg_singular_after(r->loops, r->s, h) : VG_PASSAGE_FREE;
    *landed = how == VG_PASSAGE_LANDED;
    if (how == VG_PASSAGE_FREE || (*landed && ends)) return st;
    vg_singular_back(r->loops, r->s);
    return VG_NOT_CONVERGED;
}

/* A method of several steps cannot go on with steps of another size as if nothing had been. */
static vgStatus start_anew(vgRun *r, double h)
{
    if (!(r->it->row->flags & VG_INT_MULTISTEP)) return VG_OK;
    r->it->step_hint = h;
    return r->it->row->start(r->it, r->s);
}

/* A step that would end in a singular position ends before it instead, and the next one beyond. */
static int step_short(vgRun *r, double h)
{
    int landed;
    for (size_t i = 0; i < sizeof SHORT / sizeof SHORT[0]; i++) {
        if (start_anew(r, SHORT[i] * h) != VG_OK) return 0;
        if (try_step(r, SHORT[i] * h, 0, &landed) != VG_OK) continue;
        r->late = h - SHORT[i] * h;
        return 1;
    }
    return 0;
}

/* A step of size h; when it fails, two of half the size, and so on. The state moves on with what succeeded.
 */
static vgStatus step_or_split(vgRun *r, double h, int depth)
{
    vgIntegrator *it = r->it;
    double t = r->s->t;
    int landed, shorter = depth == 0 && r->may_be_late;
    vgStatus st = try_step(r, h, !shorter, &landed);
    if (shorter && r->loops && !vg_guard_is_far(r->guard) &&
        (st == VG_NOT_CONVERGED || st == VG_SINGULAR || st == VG_NOT_FINITE)) {
        vgFailure why = it->failure;
        if ((landed || vg_singular_ahead(r->loops, r->s, h)) && step_short(r, h)) return VG_OK;
        it->failure = why;
    }
    if (st == VG_OK) return VG_OK;
    if (depth == deepest(it) || st == VG_NO_MEMORY || st == VG_INTERRUPTED || st == VG_STEP_TOO_SMALL)
        return st;
    vgFailure why = it->failure;
    if (it->stats.substeps++ == 0) r->res->split = why, r->res->split.status = st;
    if (start_anew(r, h / 2) != VG_OK) return st;
    st = step_or_split(r, h / 2, depth + 1);
    if (st == VG_OK) {
        vg_work_accept(it->sys, it->work, r->s);
        st = step_or_split(r, t + h - r->s->t, depth + 1);
    }
    if (st == VG_INTERRUPTED) return st;
    if (st != VG_OK && depth == 0) {
        it->failure = why;
        if (vg_run_ran_away(r)) {
            vg_run_add_words(
                &it->failure,
                "; everything grows without bound: the step is too long for an explicit method here. "
                "Try a shorter one, or an implicit method");
        } else if (!vg_run_add_cause(r, why.t, h)) {
            size_t n = strlen(it->failure.text);
            snprintf(it->failure.text + n, sizeof it->failure.text - n,
                     "; %d halvings of the step did not help. Try a smaller step, another integrator or "
                     "softer parameters",
                     deepest(it));
        }
    } else if (st == VG_OK && depth == 0) {
        st = start_anew(r, h);
    }
    return st;
}

static int stop_asked(vgRun *r)
{
    if (!r->sink) return 0;
    if (r->s->step % PROGRESS_EVERY == 0 && r->sink->progress)
        r->sink->progress(r->sink->user, r->s->t, r->t0, r->o->end, &r->it->stats);
    return r->sink->cancelled && r->sink->cancelled(r->sink->user);
}

static vgStatus interrupted(vgRun *r)
{
    vg_fail(r->it, VG_INTERRUPTED, r->s->t, "interrupted at t = %.9g s", r->s->t);
    return VG_INTERRUPTED;
}

/* Rows that repeated others at the start must go on doing so: else the start was a singular position. */
static vgStatus check_redundant(vgRun *r)
{
    const vgSystem *sys = r->it->sys;
    sys->ops->levels(sys, r->it->work, r->s->t, r->s->q, r->s->v, NULL, r->phi, NULL, NULL);
    for (int i = 0; i < sys->nphi; i++)
        if (!sys->row_active[i] && !(fabs(r->phi[i]) <= 1e-6 * sys->length)) {
            vg_fail(
                r->it, VG_INCONSISTENT, r->s->t,
                "at t = %.9g s %s '%s' opens by %.3g: its constraints repeated others at the start, "
                "but no longer do. "
                "The start is a singular position (start a little beside it), or drives that agreed at the "
                "start do not agree from here on",
                r->s->t, sys->row_joint[i] >= 0 ? "joint" : "the shape of",
                sys->row_joint[i] >= 0 ? sys->model->joint[sys->row_joint[i]].name : "a rigid body",
                fabs(r->phi[i]));
            return VG_INCONSISTENT;
        }
    return VG_OK;
}

/* The last guard: whatever a method judges by, a state that is not made of numbers is not accepted. */
static vgStatus check_numbers(vgRun *r)
{
    const vgSystem *sys = r->it->sys;
    r->speed = vg_rows_speed(sys->nq, r->s->q, sys->nv, r->s->v);
    if (r->speed >= 0) return VG_OK;
    vg_fail(r->it, VG_NOT_FINITE, r->s->t, "the motion left the finite numbers at t = %.9g s", r->s->t);
    return VG_NOT_FINITE;
}

/* What is summed over the steps sees the state: before forces jump and behind. */
static vgStatus sum_up(vgRun *r)
{
    return r->sink && r->sink->step ? vg_run_put(r, r->s, VG_IS_STEP) : VG_OK;
}

/* After most steps there is nothing to do but to count them; r->idle: so it may be. */
static int is_row_due(const vgRun *r)
{
    const vgTransientOptions *o = r->o;
    return o->interval > 0 ? r->next_row <= r->s->t + 1e-9 * o->interval : r->s->step >= r->next_step;
}

/* The monitors see the step; it is recorded already, so that what was computed is kept. */
static inline vgStatus watch(vgRun *r, int last)
{
    return r->monitors ? vg_monitors_step(r->monitors, r->s, r->speed, last) : VG_OK;
}

static __attribute__((noinline)) vgStatus finish_fully(vgRun *r, int last)
{
    vgStatus st = r->it->sys->nredundant ? check_redundant(r) : VG_OK;
    if (st == VG_OK) st = vg_run_rows_after_step(r, last);
    if (st == VG_OK) st = sum_up(r);
    if (st == VG_OK) st = watch(r, last);
    if (st == VG_OK) st = vg_integrator_recast(r->it, r->s);
    if (st == VG_OK) vg_renewal_between(r->it, r->s); /* as in real time */
    return st;
}

static vgStatus finish_step(vgRun *r, int last)
{
    vgStatus numbers = check_numbers(r);
    if (VG_RARE(numbers != VG_OK)) return numbers;
    r->s->step++;
    r->it->stats.steps++;
    vg_work_accept(r->it->sys, r->it->work, r->s);
    if (VG_RARE(r->crossing != NULL)) vg_crossing_see(r->crossing, r->s, &r->res->crossed);
    return !r->idle || last || r->late > 0 || is_row_due(r) ? finish_fully(r, last) : watch(r, 0);
}

static void keep(vgRun *r)
{
    if (r->before) vg_state_copy(r->it->sys, r->before, r->s);
}

/* Just behind a state event: the rows up to it, sums over time on both sides of it, and a new start. */
VG_COLD static vgStatus at_event(vgRun *r, double h)
{
    vgWork *work = r->it->work;
    vgStatus st = check_numbers(r);
    vg_work_accept(r->it->sys, work, r->s);
    if (st == VG_OK && r->o->interval > 0) st = vg_run_rows_within_step(r);
    if (st == VG_OK) st = vg_run_flush(r);
    work->shows_held = 1;
    if (st == VG_OK) st = sum_up(r);
    if (st == VG_OK) st = vg_run_flush(r); /* while the sides are still those before it */
    work->shows_held = 0;
    vg_events_pass(r->events);
    if (st == VG_OK) st = restart(r, h);
    if (st == VG_OK) st = sum_up(r);
    keep(r); /* with the accelerations from here on */
    return st;
}

/* A step that ended before it should, to follow an impact: the rows up to there. */
VG_COLD static vgStatus at_short(vgRun *r)
{
    vgStatus st = check_numbers(r);
    vg_work_accept(r->it->sys, r->it->work, r->s);
    if (st == VG_OK && r->o->interval > 0) st = vg_run_rows_within_step(r);
    if (st == VG_OK) st = vg_run_flush(r);
    if (st == VG_OK) st = sum_up(r);
    keep(r);
    return st;
}

/* Where controllers are due: the rows up to there, what they hold from now on, and a new start if it is not
 * what it was. */
static vgStatus at_sample(vgRun *r, double h)
{
    if (!vg_sampler_due(r->sampler, r->s)) return VG_OK;
    if (r->o->leave && r->s->t >= r->o->end) return VG_OK;
    vgStatus st = check_numbers(r);
    vg_work_accept(r->it->sys, r->it->work, r->s);
    if (st == VG_OK && r->o->interval > 0) st = vg_run_rows_within_step(r);
    if (st == VG_OK) st = sum_up(r);
    if (st != VG_OK || !vg_sampler_take(r->sampler, r->it->work, r->s)) return st;
    st = restart(r, h);
    keep(r); /* with the accelerations from here on */
    return st == VG_OK ? sum_up(r) : st;
}

/* Laws of time have other values from here on, which is at a corner: methods start anew. At the time of a
 * corner laws are on the side behind it, whatever their spelling. */
VG_COLD static vgStatus behind_corner(vgRun *r, double h, double corner, double beside)
{
    r->s->t = corner + beside;
    vgStatus st = restart(r, h);
    if (st == VG_OK) vg_monitors_jumped(r->monitors, r->s);
    if (st == VG_OK) st = sum_up(r);
    r->s->t = corner;
    r->behind = beside;
    keep(r);
    return st;
}

/* At a corner of a law of time, where the step has ended: the rows up to there, sums over time on both sides
 * of it, and a new start behind it. */
VG_COLD static vgStatus at_corner(vgRun *r, double h, double beside)
{
    const double to = r->s->t;
    vgStatus st = check_numbers(r);
    r->s->t = to - beside; /* dependent velocities are those before it */
    vg_work_accept(r->it->sys, r->it->work, r->s);
    r->s->t = to;
    if (st == VG_OK && r->o->interval > 0) st = vg_run_rows_within_step(r);
    r->s->t = to - beside;
    if (st == VG_OK) st = sum_up(r);
    if (st == VG_OK) st = vg_monitors_before_jump(r->monitors, r->s);
    r->s->t = to + beside;
    if (st == VG_OK) st = vg_corners_strike(r->it, r->s, 2 * beside);
    return st == VG_OK ? behind_corner(r, h, fmax(to, r->asked.corner), beside) : st;
}

/* The step ended a little before `to`: what is shown there, and at the end of the run what is there. */
static void be_late(vgRun *r, double to, int last)
{
    if (r->res->early++ == 0) r->res->early_t = to;
    r->res->early_last = last;
    vg_singular_extrapolate(r->loops, r->s, to, last ? r->s : r->shown);
    if (last) r->late = 0;
}

static vgStatus run_fixed(vgRun *r)
{
    double span = r->o->end - r->t0, h = span > 0 ? fmin(r->o->step, span) : r->o->step, origin = r->t0;
    long n = (long)ceil(span / h - 1e-9), before = 0;
    if (r->o->resume && fabs(r->t0 - h * (double)r->s->step) < 1e-9 * h) {
        /* on the grid of the run that is gone on with: the same times, to the bit */
        before = r->s->step, origin = 0;
        r->s->t = h * (double)before;
    }
    for (long i = 1; i <= n; i++) {
        double target = i == n ? r->o->end : origin + h * (double)(before + i);
        if (stop_asked(r)) return interrupted(r);
        keep(r);
        while (r->s->t < target - 1e-12 * h) {
            double corner = vg_corners_next(&r->corners, r->s->t, 1e-9 * h),
                   sample = r->sampler ? vg_sampler_next(r->sampler, r->s) : INFINITY,
                   to = corner < target - 1e-9 * h ? corner : target;
            if (sample < to - 1e-9 * h) to = sample;
            /* the nominal step where the grid means it, so that rounding does not change the coefficients */
            double dt = to == target && fabs(target - r->s->t - h) < 1e-9 * h ? h : to - r->s->t;
            int ends = fabs(corner - to) <= 1e-9 * h; /* there */
            if (ends) dt -= vg_corners_beside(to, h);
            dt = step_behind(r, corner, dt);
            double most = r->events ? vg_events_mark(r->events, r->s) : INFINITY;
            if (dt > most) dt = most, to = r->s->t + dt, ends = 0;
            int was_late = r->late > 0;
            r->late = 0;
            r->may_be_late = to == target && !ends && !r->events && sample > to + 1e-9 * h;
            int other = (r->sampler || r->limited || most < INFINITY) && fabs(dt - r->taken) > 1e-9 * h;
            r->limited = most < INFINITY;
            r->taken = dt;
            if ((was_late || other) && start_anew(r, dt) != VG_OK) return VG_NOT_CONVERGED;
            int strikes = r->events && dt > 1e-6 * h && vg_events_strikes(r->events), landed;
            vgStatus st = strikes ? try_step(r, dt, 1, &landed) : step_or_split(r, dt, 0);
            if (strikes && st != VG_OK && st != VG_NO_MEMORY && st != VG_INTERRUPTED) {
                vg_events_limit(r->events, 0.25 * dt);
                r->limited = 1, r->taken = 0;
                continue;
            }
            if (st == VG_OK && was_late && !(r->late > 0)) st = start_anew(r, h);
            if (st != VG_OK) return st;
            if (r->late > 0) {
                be_late(r, to, i == n);
                break;
            }
            vgEventsFound found = r->events ? vg_events_locate(r->events, r->s, &r->asked) : VG_EVENTS_NONE;
            if (found != VG_EVENTS_NONE) {
                if (found == VG_EVENTS_SHORT)
                    r->limited = 1, r->taken = 0; /* the history is of other steps */
                st = found == VG_EVENTS_HIT ? at_event(r, h) : at_short(r);
                if (st != VG_OK) return st;
                continue;
            }
            if (most < INFINITY && to < target - 1e-9 * h) {
                r->s->t = to;
                st = at_short(r);
                if (st != VG_OK) return st;
                continue;
            }
            r->s->t = to;
            if (r->sampler) st = at_sample(r, h);
            if (st != VG_OK) return st;
            if (ends) st = at_corner(r, h, vg_corners_beside(to, h));
            if (st != VG_OK) return st;
        }
        vgStatus st = finish_step(r, i == n);
        if (st != VG_OK) return st;
    }
    return VG_OK;
}

/* A step over a singular position, from before it: of several lengths the one with the least error. A stage
 * of one may come to lie in that very position, and its accelerations are then anything. */
static vgStatus step_over(vgRun *r, double left, double *dt, vgStep *x)
{
    static const double length[] = {1, 1.31, 0.83, 1.73, 1.14};
    enum { LENGTHS = sizeof length / sizeof length[0] };
    vgIntegrator *it = r->it;
    double least = INFINITY, best = *dt;
    vg_singular_before(r->loops, r->s, *dt);
    vg_singular_hold(r->loops, r->s);
    for (int k = 0; k <= LENGTHS; k++) {
        double h = k < LENGTHS ? length[k] * *dt : best;
        if (h > left) continue;
        *x = r->asked;
        x->over = 1;
        vgStatus st = vg_integrator_step(it, r->s, h, x);
        int over = st == VG_OK && x->err <= 1, enough = k == LENGTHS || (over && x->rough <= 1);
        if (over && x->rough < least) least = x->rough, best = h;
        if (enough) {
            *dt = h;
            return st;
        }
        vg_singular_back(r->loops, r->s);
    }
    return VG_NOT_CONVERGED;
}

/* What a run under error control goes by. */
typedef struct Control {
    double span, h, old;        /* old: the last error, as growth() wants it */
    double usual;               /* steps that were accepted of late */
    int failures, tries, small; /* small: such steps in a row */
    vgPace pace;
} Control;

/* After a step of dt that was not accepted: a smaller one, a new start, or the end. */
VG_COLD static vgStatus reject(vgRun *r, Control *c, double dt, const vgStep *x, vgStatus st)
{
    vgIntegrator *it = r->it;
    it->stats.rejected++;
    c->h = st != VG_OK ? 0.25 * dt : x->next > 0 ? x->next : dt * vg_step_rejected(it, x->err);
    if (c->h < 1e-14 * fmax(c->span, fabs(r->s->t)) || ++c->failures > 60) {
        if (st == VG_OK)
            vg_fail(it, VG_STEP_TOO_SMALL, r->s->t,
                    "the step fell to %.3g s at t = %.9g s: the tolerances rtol = %g, atol = %g "
                    "cannot be met there",
                    c->h, r->s->t, it->rtol, it->atol);
        if (st == VG_OK) st = VG_STEP_TOO_SMALL;
        if (!vg_run_add_cause(r, r->s->t + dt, 1e-3 * c->span) && st == VG_STEP_TOO_SMALL)
            vg_run_add_words(&it->failure, SUSPECTS);
        return st;
    }
    /* a method of several steps may stumble over its own past: accelerations of a step too long */
    int anew = c->failures == BEGIN_ANEW && (it->row->flags & VG_INT_MULTISTEP);
    return anew ? restart(r, c->h) : VG_OK;
}

/* A step of dt that met a singular position has an error estimate of rounding there: smaller ones would only come
 * closer to it. One that is not longer than those accepted of late is taken with any error. */
VG_COLD static vgStatus accept_singular(vgRun *r, const Control *c, double dt, vgStep *x)
{
    int near = dt > c->usual ? 0 : r->loops ? vg_singular_near(r->loops, r->s, dt) : r->large;
    if (!near) return VG_OK;
    *x = r->asked;
    x->over = 1;
    return vg_integrator_step(r->it, r->s, dt, x);
}

/* The step has fallen to nothing, and the rest of the run would take n more. */
VG_COLD static vgStatus fell_to_nothing(vgRun *r, const Control *c, double n)
{
    vgIntegrator *it = r->it;
    vg_fail(it, VG_STEP_TOO_SMALL, r->s->t,
            "the step fell to %.3g s at t = %.9g s, where the rest of the run would take %.1g steps: the "
            "tolerances rtol = %g, atol = %g cannot be met there",
            c->h, r->s->t, n, it->rtol, it->atol);
    if (!vg_run_add_cause(r, r->s->t + c->h, 1e-3 * c->span)) vg_run_add_words(&it->failure, SUSPECTS);
    return VG_STEP_TOO_SMALL;
}

static vgStatus run_adaptive(vgRun *r)
{
    vgIntegrator *it = r->it;
    Control c = {.span = r->o->end - r->t0, .old = VG_LEAST_ERROR};
    double end = r->o->end, nearly = end - 1e-13 * c.span;
    int odd = r->sampler || r->events || r->o->max_step > 0;
    c.h = r->o->step > 0 ? r->o->step : vg_first_step(r->it, r->s, r->o->end - r->t0);
    while (r->s->t < nearly) {
        if (stop_asked(r)) return interrupted(r);
        double rest = vg_pace(&c.pace, r->s->t, end, MOST_STEPS);
        if (VG_RARE(rest > 0)) return fell_to_nothing(r, &c, rest);
        double corner = vg_corners_next(&r->corners, r->s->t, 1e-12 * c.span),
               to = corner < end ? corner : end;
        if (VG_RARE(odd)) {
            if (r->sampler) to = fmin(to, vg_sampler_next(r->sampler, r->s));
            if (r->o->max_step > 0 && c.h > r->o->max_step) c.h = r->o->max_step;
        }
        double left = to - r->s->t, h = c.h,
               dt = h >= left * (1 - 1e-10) ? left
                    : h > 0.5 * left        ? 0.5 * left
                                            : h;
        double over = 0;
        int creeps = VG_RARE(r->loops && dt < CREEPS * c.usual) && (c.failures > 0 || ++c.small > SMALL);
        if (VG_RARE(creeps && c.tries++ < OVER)) over = vg_singular_over(r->loops, r->s, c.usual);
        if (VG_RARE(over > 0 && over < left)) dt = over;
        int whole = dt == left;
        if (VG_RARE(whole && to == corner)) dt -= vg_corners_beside(to, left);
        dt = step_behind(r, corner, dt);
        keep(r);
        double follow = VG_RARE(odd) && r->events ? vg_events_mark(r->events, r->s) : INFINITY;
        if (VG_RARE(dt > follow)) dt = follow, whole = over = 0;
        vgStep x = r->asked;
        x.over = over > 0 && dt == over;
        int asks;
        double most = vg_guard_before(r->guard, r->s, dt, &asks);
        if (VG_RARE(most < dt)) dt = most, whole = x.over = 0;
        vgStatus st = VG_RARE(x.over) ? step_over(r, left, &dt, &x) : vg_integrator_step(it, r->s, dt, &x);
        if (VG_RARE(x.singular && st == VG_OK && vg_step_refuses(&x))) st = accept_singular(r, &c, dt, &x);
        if (VG_RARE(asks) && st == VG_OK && x.err <= 1) st = vg_guard_after(r->guard, r->s, dt, &x);
        if (VG_RARE(x.over && st == VG_OK) && vg_singular_after(r->loops, r->s, dt) == VG_PASSAGE_LEFT) {
            vg_singular_back(r->loops, r->s);
            st = VG_NOT_CONVERGED;
        }
        if (VG_RARE(st != VG_OK || vg_step_refuses(&x))) {
            st = reject(r, &c, dt, &x, st);
            if (st != VG_OK) return st;
            continue;
        }
        int after_rejection = c.failures > 0 && !x.over;
        c.failures = 0;
        c.usual = vg_most(dt, 0.98 * c.usual);
        if (dt > 0.5 * c.usual) c.tries = c.small = 0;
        vgEventsFound found =
            VG_RARE(odd) && r->events ? vg_events_locate(r->events, r->s, &r->asked) : VG_EVENTS_NONE;
        int event = found == VG_EVENTS_HIT;
        if (VG_RARE(whole && found == VG_EVENTS_NONE)) r->s->t = to;
        double grow = x.next > 0 ? 0 : vg_step_growth(it, x.err, &c.old);
        if (after_rejection && grow > 1) grow = 1; /* the error of a rejected step was no accident */
        if (x.next > 0)
            c.h = x.next;
        else if (VG_RARE(x.over))
            c.h = dt;
        else if (dt == h || grow < 1)
            c.h = dt * grow;
        if (VG_RARE(odd) && r->sampler) st = at_sample(r, c.h);
        if (VG_RARE(st == VG_OK && event)) st = at_event(r, c.h);
        if (VG_RARE(st == VG_OK && !event && r->s->t == corner))
            st = at_corner(r, c.h, vg_corners_beside(corner, dt));
        if (st == VG_OK) st = finish_step(r, r->s->t >= nearly);
        if (VG_RARE(st != VG_OK)) return st;
    }
    return VG_OK;
}

static void finish(vgRun *r, vgStatus status, double seconds)
{
    vgTransientResult *res = r->res;
    res->status = status;
    res->t = r->s->t;
    res->failure = r->it->failure;
    res->failure.status = status;
    if (status == VG_OK) res->failure.text[0] = 0;
    res->stats = r->it->stats;
    res->solve_seconds = seconds - r->seconds_out;
}

static void release(vgRun *r)
{
    for (int i = 0; i < r->room; i++) vg_state_free(r->queue[i]);
    vg_state_free(r->before);
    vg_state_free(r->shown);
    vg_dense_free(r->dense);
    vg_events_free(r->events);
    vg_crossing_free(r->crossing);
    vg_guard_free(r->guard);
    vg_singular_free(r->loops);
    vg_sampler_free(r->sampler);
    vg_monitors_free(r->monitors);
    free(r->phi);
    vg_corners_free(&r->corners);
}

/* Controllers that are due act before the first step, and its accelerations know it. */
static vgStatus begin(vgRun *r)
{
    const vgSystem *sys = r->it->sys;
    vgState *s = r->s;
    int acted = vg_sampler_take(r->sampler, r->it->work, s);
    vgStatus st = acted ? sys->ops->accel(sys, r->it->work, s->t, s->q, s->v, s->a, s->lambda) : VG_OK;
    r->taken = r->o->step;
    return st == VG_OK && (acted || !r->o->resume) ? vg_integrator_start(r->it, s) : st;
}

vgStatus vg_transient_run(vgIntegrator *it, vgState *state, const vgTransientOptions *o, const vgSink *sink,
                          vgTransientResult *res)
{
    const vgSystem *sys = it->sys;
    vgRun r = {.it = it, .s = state, .o = o, .sink = sink, .res = res, .t0 = state->t};
    memset(res, 0, sizeof *res);
    const char *wrong = vg_transient_wrong_times(it, r.t0, o);
    if (wrong) {
        vg_fail(it, VG_BAD_INPUT, r.t0, "%s", wrong);
        finish(&r, VG_BAD_INPUT, 0);
        return VG_BAD_INPUT;
    }
    r.phi = calloc(3 * (size_t)sys->nphi + 1, sizeof(double));
    vgStatus st = r.phi && vg_corners_new(&r.corners) ? VG_OK : VG_NO_MEMORY;
    r.room = (int)(QUEUE_BYTES / (state->bytes + 1));
    r.room = r.room < MIN_QUEUE || !sink ? 0 : r.room > QUEUE ? QUEUE : r.room;
    for (int i = 0; i < r.room && st == VG_OK; i++) st = vg_state_new(sys, 0, &r.queue[i]);
    if (st == VG_OK &&
        (!vg_run_rows_are_steps(&r) || vg_run_solves_rows(&r) || (it->adaptive && sink && sink->parts))) {
        st = vg_state_new(sys, 0, &r.before);
        if (st == VG_OK) st = vg_state_new(sys, 0, &r.shown);
        if (st == VG_OK) st = vg_dense_new(sys, &r.dense);
    }
    if (st == VG_OK) st = vg_sampler_new(sys, it->work, &r.sampler);
    if (st == VG_OK) st = vg_guard_new(it, state->nhistory, &r.guard);
    if (st == VG_OK) st = vg_singular_new(it, state, &r.loops);
    r.large = !r.loops && sys->nl > 0 && vg_has_loops(sys->model);
    if (st == VG_OK && r.loops && !r.shown) st = vg_state_new(sys, 0, &r.shown);
    if (st == VG_OK && o->locate) st = vg_events_new(it, state->nhistory, &r.events);
    if (st == VG_OK && !o->locate) st = vg_crossing_new(it, &r.crossing);
    if (st != VG_OK) {
        release(&r);
        res->status = st;
        return st;
    }
    vg_corners_find(&r.corners, sys->model, r.t0, o->end);
    r.idle = !sys->recasts && !sys->nredundant && !it->renewal && !r.dense && !(sink && sink->step);
    int every = o->every > 0 ? o->every : 1;
    r.next_step = (state->step / every + 1) * every;
    vg_work_bind(it->work, state);
    it->step_hint = o->step;
    it->stop = sink ? sink->cancelled : NULL;
    it->stop_user = sink ? sink->user : NULL;
    st = begin(&r);
    if (st == VG_OK && o->monitor) st = vg_monitors_new(it, state, &res->watch, &r.monitors);
    if (st == VG_OK) {
        r.row_index = 1;
        r.next_row = r.t0 + o->interval;
        st = vg_run_put(&r, state, VG_IS_ROW);
        if (st == VG_OK) st = vg_run_flush(&r);
    }
    if (st == VG_OK && r.crossing) vg_crossing_see(r.crossing, state, &res->crossed);
    if (st == VG_OK && r.corners.at_start && !o->resume)
        st = behind_corner(&r, o->step, r.t0, vg_corners_beside(r.t0, o->end - r.t0));
    r.seconds_out = 0;
    double begin = vg_run_seconds();
    if (st == VG_OK) st = it->adaptive ? run_adaptive(&r) : run_fixed(&r);
    vgStatus shown = vg_run_flush(&r);
    if (r.monitors) vg_monitors_end(r.monitors, state);
    it->stop = NULL;
    state->held = NULL;
    vg_work_bind(it->work, state);
    if (st == VG_OK) st = shown;
    finish(&r, st, vg_run_seconds() - begin);
    if (sink && sink->progress) sink->progress(sink->user, state->t, r.t0, o->end, &it->stats);
    release(&r);
    return st;
}
