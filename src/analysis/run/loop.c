/* The loop of a run: see transient_run.h. */
#include <math.h>

#include "analysis/run/transient_run.h"
#include "integrator/rows.h"
#include "integrator/stage/renewal.h"
#include "integrator/stage/stage.h"

enum { PROGRESS_EVERY = 256 };

vgStatus vg_run_restart(vgRun *r, double h)
{
    const vgSystem *sys = r->it->sys;
    vgState *s = r->s;
    if (r->events) vg_events_mark(r->events, s);
    vg_monitors_restarted(r->monitors);
    vgStatus st = sys->ops->accel(sys, r->it->work, s->t, s->q, s->v, s->a, s->lambda);
    r->it->step_hint = h;
    if (st == VG_OK) st = vg_integrator_start(r->it, s);
    return st == VG_OK ? vg_run_tell_begun(r, h) : st;
}

vgStatus vg_run_tell_begun(vgRun *r, double h)
{
    const vgCompany *c = r->o->company;
    return c ? c->begun(c->user, r->s, h) : VG_OK;
}

vgStatus vg_run_start_anew(vgRun *r, double h)
{
    if (!(r->it->row->flags & VG_INT_MULTISTEP)) return VG_OK;
    r->it->step_hint = h;
    vgStatus st = r->it->row->start(r->it, r->s);
    return st == VG_OK ? vg_run_tell_begun(r, h) : st;
}

static int stop_asked(vgRun *r)
{
    if (!r->sink) return 0;
    if (r->s->step % PROGRESS_EVERY == 0 && r->sink->progress)
        r->sink->progress(r->sink->user, r->s->t, r->t0, r->o->end, &r->it->stats);
    return r->sink->cancelled && r->sink->cancelled(r->sink->user);
}

VG_COLD static vgStatus interrupted(vgRun *r)
{
    vg_fail(r->it, VG_INTERRUPTED, r->s->t, "interrupted at t = %.9g s", r->s->t);
    return VG_INTERRUPTED;
}

/* A step that starts at a corner of a law starts slightly behind it, so that forces at t_n have the values after the
 * corner; a step that ends at a corner ends slightly before it. */
static void keep_from_corners(vgRun *r, vgAttempt *x)
{
    x->step.corner_before = vg_corners_last(&r->corners);
    x->step.corner = r->corner;
    if (x->whole && x->corner) x->beside = vg_corners_beside(x->to, x->to - r->s->t);
    if (x->whole) x->h -= x->beside;
    r->s->t += r->behind;
    x->h -= r->behind;
    r->behind = 0;
}

static void limit(vgRun *r, vgAttempt *x, const vgStop *stop)
{
    double most = stop->limit(r);
    x->limited = most < INFINITY;
    if (x->h > most) x->h = most, x->whole = x->step.over = 0;
}

static vgStatus plan(vgRun *r, vgAttempt *x)
{
    *x = (vgAttempt){.step = VG_STEP, .to = r->target};
    for (int k = 0; k < r->nstop; k++) {
        if (!r->stop[k]->next) continue;
        double t = r->stop[k]->next(r);
        if (t < x->to - r->tiny) x->to = t;
    }
    x->corner = fabs(r->corner - x->to) <= r->tiny;
    vgStatus st = r->policy->size(r, x);
    if (VG_RARE(st != VG_OK)) return st;
    if (VG_RARE(r->corners.n > 0 || r->behind > 0)) keep_from_corners(r, x);
    if (r->before) vg_state_copy(r->it->sys, r->before, r->s);
    for (int k = 0; k < r->nstop; k++)
        if (r->stop[k]->limit) limit(r, x, r->stop[k]);
    return r->policy->ready ? r->policy->ready(r, x) : VG_OK;
}

/* The error estimate of a step that met a singular position is amplified rounding, and smaller steps would only end
 * nearer to that position. If the step is not longer than those recently accepted, it is accepted with any error. */
VG_COLD static vgStatus accept_singular(vgRun *r, vgAttempt *x)
{
    if (x->h > r->chosen.usual) return VG_OK;
    if (!r->large && !(r->loops && vg_singular_near(r->loops, r->s, x->h))) return VG_OK;
    x->step = vg_step_like(&x->step);
    x->step.over = 1;
    return vg_integrator_step(r->it, r->s, x->h, &x->step);
}

/* Takes one step. It is accepted if the result is VG_OK and the error is within the tolerance. */
static vgStatus attempt(vgRun *r, vgAttempt *x)
{
    vgStatus st = VG_OK;
    for (int k = 0; k < r->nfilter && st == VG_OK; k++)
        if (r->filter[k]->before) st = r->filter[k]->before(r, x);
    if (VG_RARE(st != VG_OK)) return st;
    st = VG_RARE(x->step.over) ? vg_singular_step_over(r->loops, r->s, x->to - r->s->t, &x->h, &x->step)
                               : vg_integrator_step(r->it, r->s, x->h, &x->step);
    if (!r->it->adaptive) x->step.err = -1; /* fixed steps are not judged by their error */
    if (VG_RARE(x->step.singular) && st == VG_OK && vg_step_refuses(&x->step)) st = accept_singular(r, x);
    if (VG_RARE(st != VG_OK || vg_step_refuses(&x->step))) return st;
    for (int k = r->nfilter - 1; k >= 0 && st == VG_OK; k--)
        if (r->filter[k]->after) st = r->filter[k]->after(r, x);
    return st;
}

/* A state that is not finite is never accepted, whatever the method says. */
static vgStatus check_numbers(vgRun *r)
{
    const vgSystem *sys = r->it->sys;
    r->speed = vg_rows_speed(sys->nq, r->s->q, sys->nv, r->s->v);
    if (r->speed >= 0) return VG_OK;
    vg_fail(r->it, VG_NOT_FINITE, r->s->t, "the motion is no longer finite at t = %.9g s", r->s->t);
    return VG_NOT_FINITE;
}

static vgStatus arrive(vgRun *r, vgAttempt *x)
{
    vgState *s = r->s;
    if (VG_RARE(r->events != NULL)) x->found = vg_events_locate(r->events, s, &x->step);
    if (x->found != VG_EVENTS_NONE) x->whole = 0;
    vgStatus st = check_numbers(r);
    if (VG_RARE(r->o->company != NULL) && st == VG_OK)
        st = r->o->company->stepped(r->o->company->user, s, x->h);
    vg_work_accept(r->it->sys, r->it->work, s); /* at a corner: with the dependent velocities before it */
    if (x->whole) s->t = x->to;
    if (st == VG_OK) st = r->policy->accepted(r, x);
    if (VG_RARE(st != VG_OK)) return st;
    s->step += x->counts;
    r->it->stats.steps += x->counts;
    if (r->monitors) vg_monitors_piece(r->monitors, s);
    if (VG_RARE(r->crossing != NULL) && x->counts)
        vg_crossing_see(r->crossing, s, r->speed, &r->res->crossed);
    for (int k = 0; k < r->nstop && st == VG_OK; k++) st = r->stop[k]->at(r, x);
    if (!x->counts) return st;
    for (int k = 0; k < r->nfilter && st == VG_OK; k++)
        if (r->filter[k]->accepted) st = r->filter[k]->accepted(r, x);
    if (st == VG_OK && r->it->sys->recasts) st = vg_integrator_recast(r->it, s);
    if (st == VG_OK && r->it->renewal) vg_renewal_between(r->it, s); /* as in real time */
    return st;
}

vgStatus vg_run_loop(vgRun *r)
{
    vgStatus st = VG_OK;
    while (st == VG_OK && !r->policy->done(r)) {
        vgAttempt x;
        if (stop_asked(r)) return interrupted(r);
        st = plan(r, &x);
        if (VG_RARE(st != VG_OK)) return st;
        st = attempt(r, &x);
        st = VG_RARE(st != VG_OK || vg_step_refuses(&x.step)) ? r->policy->refused(r, &x, st) : arrive(r, &x);
    }
    return st;
}
