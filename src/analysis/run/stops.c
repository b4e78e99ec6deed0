/* Times that no step passes. The interface is vgStop (transient_run.h). */
#include <math.h>

#include "analysis/run/transient_run.h"
#include "analysis/tuning.h"

/* Passes the state to quantities that are summed over the steps, on both sides of a jump of the forces. */
static vgStatus sum_up(vgRun *r)
{
    return r->sink && r->sink->step ? vg_run_put(r, r->s, VG_IS_STEP) : VG_OK;
}

/* Writes the samples up to the state. Samples after it belong to the next step. */
static vgStatus rows_up_to(vgRun *r)
{
    vgStatus st = r->o->interval > 0 ? vg_run_rows_within_step(r) : VG_OK;
    if (r->before) vg_state_copy(r->it->sys, r->before, r->s);
    return st;
}

/* ---- samples of controllers ---- */

static int has_sampler(const vgRun *r)
{
    return r->sampler != NULL;
}

static double next_sample(vgRun *r)
{
    return r->sample = vg_sampler_next(r->sampler, r->s);
}

/* Takes the samples that are due. If an output of a controller changed, the method is restarted. */
static vgStatus at_sample(vgRun *r, vgAttempt *x)
{
    if (!vg_sampler_due(r->sampler, r->s)) return VG_OK;
    if (r->o->leave && r->s->t >= r->o->end) return VG_OK;
    vgStatus st = rows_up_to(r);
    if (st == VG_OK) st = sum_up(r);
    if (st != VG_OK) return st;
    const int changed = vg_sampler_take(r->sampler, r->it->work, r->s);
    st = vg_sampler_failed(r->it, r->s);
    if (st != VG_OK || !changed) return st;
    st = vg_run_restart(r, x->step.next);
    return st == VG_OK ? sum_up(r) : st;
}

static const vgStop samples = {"samples", has_sampler, next_sample, NULL, at_sample};

/* ---- state events ---- */

static int has_events(const vgRun *r)
{
    return r->events != NULL;
}

static double follow_impact(vgRun *r)
{
    return vg_events_mark(r->events, r->s);
}

/* The step ended just behind a state event: sums over time see both sides of it, and the method is restarted. */
static vgStatus at_event(vgRun *r, vgAttempt *x)
{
    vgWork *work = r->it->work;
    if (x->found != VG_EVENTS_HIT) return VG_OK;
    vgStatus st = rows_up_to(r);
    if (st == VG_OK) st = vg_run_flush(r);
    work->shows_held = 1;
    if (st == VG_OK) st = sum_up(r);
    if (st == VG_OK) st = vg_run_flush(r); /* laws and contacts are still on the side before the event */
    work->shows_held = 0;
    vg_events_pass(r->events);
    int struck = 0;
    if (st == VG_OK && r->impact) st = vg_impact_at(r->impact, r->it, r->s, &struck);
    if (st == VG_OK) st = vg_run_restart(r, x->step.next);
    if (st == VG_OK && struck) vg_monitors_jumped(r->monitors, r->s);
    return st == VG_OK ? sum_up(r) : st;
}

static const vgStop events = {"events", has_events, NULL, follow_impact, at_event};

/* ---- corners of laws of time ---- */

static int has_corners(const vgRun *r)
{
    return r->corners.n > 0;
}

static double next_corner(vgRun *r)
{
    return r->corner = vg_corners_next(&r->corners, r->s->t, r->tiny);
}

/* From the time of a corner on, laws have their values behind it, whether they are written with < or <=. */
vgStatus vg_run_behind_corner(vgRun *r, double h, double corner, double beside)
{
    r->s->t = corner + beside;
    vgStatus st = vg_run_restart(r, h);
    if (st == VG_OK) vg_monitors_jumped(r->monitors, r->s);
    if (st == VG_OK) st = sum_up(r);
    r->s->t = corner;
    r->behind = beside;
    return st;
}

/* Sums over time see both sides of the corner, and the method is restarted behind it. */
static vgStatus at_corner(vgRun *r, vgAttempt *x)
{
    const double to = r->s->t;
    if (!x->corner || !x->whole) return VG_OK;
    vgStatus st = rows_up_to(r);
    r->s->t = to - x->beside;
    if (st == VG_OK) st = sum_up(r);
    if (st == VG_OK) st = vg_monitors_before_jump(r->monitors, r->s);
    r->s->t = to + x->beside;
    if (st == VG_OK) st = vg_corners_strike(r->it, r->s, 2 * x->beside);
    r->s->t = to;
    return st == VG_OK ? vg_run_behind_corner(r, x->step.next, fmax(to, r->corner), x->beside) : st;
}

static const vgStop corners = {"corners", has_corners, next_corner, NULL, at_corner};

/* ---- rows, and the end ---- */

static int always(const vgRun *r)
{
    (void)r;
    return 1;
}

/* 1: a sample is due. After most steps none is, and the steps are only counted (r->idle). */
static int is_due(const vgRun *r)
{
    const vgTransientOptions *o = r->o;
    return o->interval > 0 ? r->next_row <= r->s->t + VG_ROW_NOW * o->interval : r->s->step >= r->next_step;
}

/* Steps do not end at samples, which are interpolated (dense_output.h). */
static vgStatus at_row(vgRun *r, vgAttempt *x)
{
    if (x->counts && r->idle && !x->last && !(r->late > 0) && !is_due(r)) return VG_OK;
    vgStatus st = x->counts ? vg_run_rows_after_step(r, x->last) : rows_up_to(r);
    if (st == VG_OK && !x->counts) st = vg_run_flush(r);
    return st == VG_OK ? sum_up(r) : st;
}

static const vgStop rows = {"rows", always, NULL, NULL, at_row};

const vgStop *const vg_run_stops[] = {&samples, &events, &corners, &rows, NULL};
