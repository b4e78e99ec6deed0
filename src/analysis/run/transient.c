/* The beginning and the end of a run; what is between them is loop.c. */
#include "analysis/run/transient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/state/assemble.h"
#include "analysis/run/transient_run.h"
#include "integrator/stage/stage.h"

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
    vg_state_free(r->row);
    vg_state_free(r->before);
    vg_state_free(r->shown);
    if (r->monitors != r->o->monitors) vg_monitors_free(r->monitors);
    vg_dense_free(r->solver);
    vg_events_free(r->events);
    vg_impact_free(r->impact);
    vg_crossing_free(r->crossing);
    vg_guard_free(r->guard);
    vg_singular_free(r->loops);
    vg_row_choice_free(r->rows);
    vg_sampler_free(r->sampler);
    free(r->phi);
    vg_corners_free(&r->corners);
}

/* Controllers that are due act before the first step, and its accelerations know it. */
static vgStatus begin(vgRun *r)
{
    const vgSystem *sys = r->it->sys;
    vgState *s = r->s;
    int acted = vg_sampler_take(r->sampler, r->it->work, s);
    vgStatus st = vg_sampler_failed(r->it, s);
    if (st != VG_OK) return st;
    st = acted ? sys->ops->accel(sys, r->it->work, s->t, s->q, s->v, s->a, s->lambda) : VG_OK;
    if (st == VG_OK && (acted || !r->o->resume)) st = vg_integrator_start(r->it, s);
    return st == VG_OK ? vg_run_tell_begun(r, r->o->step) : st;
}

/* Rows that may wait at a time: no more than there will be. */
static int queue_of(const vgRun *r)
{
    const vgTransientOptions *o = r->o;
    double span = o->end - r->t0, rows = QUEUE, room = (double)(QUEUE_BYTES / (r->s->bytes + 1));
    if (!r->sink || room < MIN_QUEUE) return 0;
    if (!r->sink->step && o->interval > 0) rows = span / o->interval + 2;
    if (!r->sink->step && !(o->interval > 0) && !r->it->adaptive && o->step > 0)
        rows = span / o->step / (o->every > 0 ? o->every : 1) + 2;
    return (int)fmin(fmin(fmax(rows, MIN_QUEUE), room), QUEUE);
}

/* States that wait for the sink, and those that dense output needs. */
static vgStatus make_room(vgRun *r)
{
    const vgSystem *sys = r->it->sys;
    const vgSink *sink = r->sink;
    r->phi = calloc((size_t)sys->nphi + 1, sizeof(double));
    vgStatus st = r->phi && vg_corners_new(&r->corners) ? VG_OK : VG_NO_MEMORY;
    r->room = queue_of(r);
    for (int i = 0; i < r->room && st == VG_OK; i++) st = vg_state_new(sys, 0, &r->queue[i]);
    if (st == VG_OK) st = vg_run_rows_new(r);
    if (st == VG_OK && (r->row || r->o->monitor)) st = vg_dense_new(sys, &r->solver);
    if (st != VG_OK ||
        (vg_run_rows_are_steps(r) && !vg_run_solves_rows(r) && !(r->it->adaptive && sink && sink->parts)))
        return st;
    st = vg_state_new(sys, 0, &r->before);
    if (st == VG_OK) st = vg_state_new(sys, 0, &r->shown);
    if (st == VG_OK && !r->solver) st = vg_dense_new(sys, &r->solver);
    r->dense = r->solver;
    return st;
}

/* Methods whose stages all lie before the end of the step do not see a contact that begins behind the last stage, at any
 * tolerance. Under error control they locate contacts unless the model says otherwise. (A falling ball is integrated without
 * error, so that steps are long when it touches.) */
static int locates_contacts(const vgIntegrator *it, const vgTransientOptions *o)
{
    return o->locate == 0 && it->adaptive && (it->row->flags & VG_INT_WITHIN) &&
           vg_events_contacts(it->sys->model);
}

/* The stops and filters of the run. */
static vgStatus make_parts(vgRun *r)
{
    vgIntegrator *it = r->it;
    const vgSystem *sys = it->sys;
    vgStatus st = vg_sampler_new(sys, it->work, &r->sampler);
    if (st == VG_OK) st = vg_guard_new(it, r->s->nhistory, &r->guard);
    if (st == VG_OK) st = vg_row_choice_new(it, r->s, &r->rows, &r->large);
    if (st == VG_OK) st = vg_singular_new(it, r->rows, r->s, &r->loops);
    r->repeated = sys->may_repeat && memchr(r->s->active, 0, (size_t)sys->nphi);
    if (st == VG_OK && r->loops && !r->shown) st = vg_state_new(sys, 0, &r->shown);
    if (st != VG_OK) return st;
    const int rigid = vg_impact_possible(sys->model), contacts = !rigid && locates_contacts(it, r->o);
    const int located = r->o->locate > 0 || contacts || rigid;
    if (rigid) st = vg_impact_new(sys, &r->impact);
    if (r->o->company && (located || r->sampler)) {
        vg_fail(it, VG_UNSUPPORTED, r->t0, "%s",
                r->sampler ? "its controllers act at samples" : "its events are located");
        r->res->failure = it->failure;
        return VG_UNSUPPORTED;
    }
    if (st == VG_OK && located) st = vg_events_new(it, r->s->nhistory, contacts, &r->events);
    return st == VG_OK ? vg_crossing_new(it, located, &r->crossing) : st;
}

/* The policy of step sizes, and the stops and filters that are active. */
static void choose_parts(vgRun *r)
{
    r->policy = r->it->adaptive ? &vg_chosen_steps : &vg_given_steps;
    r->policy->begin(r);
    for (const vgStop *const *p = vg_run_stops; *p; p++)
        if ((*p)->active(r)) r->stop[r->nstop++] = *p;
    for (const vgFilter *const *p = vg_run_filters; *p; p++)
        if ((*p)->active(r)) r->filter[r->nfilter++] = *p;
}

/* The first row, and the first side of laws. */
static vgStatus first_row(vgRun *r)
{
    const vgTransientOptions *o = r->o;
    int every = o->every > 0 ? o->every : 1;
    r->next_step = (r->s->step / every + 1) * every;
    r->row_index = 1;
    while (o->times && vg_run_row_time(r, r->row_index) <= r->t0) r->row_index++; /* the first row has them */
    r->next_row = vg_run_row_time(r, r->row_index);
    vgStatus st = vg_run_put(r, r->s, VG_IS_ROW);
    if (st == VG_OK) st = vg_run_flush(r);
    if (st == VG_OK && r->crossing) vg_crossing_see(r->crossing, r->s, 0, &r->res->crossed);
    if (st != VG_OK || !r->corners.at_start || o->resume) return st;
    return vg_run_behind_corner(r, o->step, r->t0, vg_corners_beside(r->t0, o->end - r->t0));
}

static vgStatus run(vgRun *r)
{
    vgIntegrator *it = r->it;
    const vgSystem *sys = it->sys;
    const vgSink *sink = r->sink;
    vg_corners_find(&r->corners, sys->model, r->t0, r->o->end);
    r->corner = r->sample = INFINITY;
    r->idle = !r->dense && !(sink && sink->step);
    vg_work_bind(it->work, r->s);
    it->step_hint = r->o->step;
    it->stop = sink ? sink->cancelled : NULL;
    it->stop_user = sink ? sink->user : NULL;
    vgStatus st = begin(r);
    r->monitors = r->o->monitors;
    if (st == VG_OK && r->o->monitor) st = vg_monitors_new(it, r->s, r->solver, &r->res->watch, &r->monitors);
    if (st == VG_OK) st = first_row(r);
    r->seconds_out = 0;
    double begun = vg_run_seconds();
    if (st == VG_OK) {
        choose_parts(r);
        st = vg_run_loop(r);
    }
    vgStatus shown = vg_run_flush(r);
    if (r->monitors != r->o->monitors) vg_monitors_end(r->monitors, r->s);
    it->stop = NULL;
    r->s->held = NULL;
    vg_work_bind(it->work, r->s);
    if (st == VG_OK) st = shown;
    finish(r, st, vg_run_seconds() - begun);
    if (sink && sink->progress) sink->progress(sink->user, r->s->t, r->t0, r->o->end, &it->stats);
    return st;
}

vgStatus vg_transient_run(vgIntegrator *it, vgState *state, const vgTransientOptions *o, const vgSink *sink,
                          vgTransientResult *res)
{
    vgRun r = {.it = it, .s = state, .o = o, .sink = sink, .res = res, .t0 = state->t, .first = state->step};
    memset(res, 0, sizeof *res);
    const char *wrong = vg_transient_wrong_times(it, r.t0, o);
    if (wrong) {
        vg_fail(it, VG_BAD_INPUT, r.t0, "%s", wrong);
        finish(&r, VG_BAD_INPUT, 0);
        return VG_BAD_INPUT;
    }
    vgStatus st = make_room(&r);
    if (st == VG_OK) st = make_parts(&r);
    if (st == VG_OK)
        st = run(&r);
    else
        res->status = st;
    release(&r);
    return st;
}
