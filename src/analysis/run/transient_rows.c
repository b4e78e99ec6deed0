/* Rows (samples) of a run: which are due, and how they are passed to the sink. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/run/motion.h"
#include "analysis/run/transient_run.h"
#include "analysis/tuning.h"
#include "base/os.h"
#include "integrator/rows.h"
#include "integrator/stage/stage.h"

double vg_run_seconds(void)
{
    return vg_os_thread_seconds();
}

vgStatus vg_run_rows_new(vgRun *r)
{
    const vgSystem *sys = r->it->sys;
    if (!r->sink || !r->sink->row || !vg_motion_differs(r->it) || vg_run_solves_rows(r)) return VG_OK;
    return vg_state_new(sys, 0, &r->row);
}

static vgStatus show(vgRun *r, const vgState *s, int kind)
{
    if (kind == VG_IS_STEP) {
        r->sink->step(r->sink->user, s, r->it->work);
        return VG_OK;
    }
    r->res->rows++;
    if (r->row) s = vg_motion_of(r->it->sys, vg_dense_work(r->solver), r->it->work, r->row, s);
    return r->sink && r->sink->row ? r->sink->row(r->sink->user, s, r->it->work) : VG_OK;
}

/* A sample that the sink refuses ends the run at its time, although steps may have gone beyond. */
static void go_back(vgRun *r, const vgState *to)
{
    if (to == r->s) return;
    r->it->stats.steps -= r->s->step - to->step;
    vg_state_copy(r->it->sys, r->s, to);
}

/* Passes the waiting samples to the sink. They wait as copies of states, so that the clock is read once for many of
 * them and the time of steps is measured without them. */
vgStatus vg_run_flush(vgRun *r)
{
    vgStatus st = VG_OK;
    double start = vg_run_seconds();
    for (int i = 0; i < r->waiting && st == VG_OK; i++) {
        vg_work_bind(r->it->work, r->queue[i]);
        st = show(r, r->queue[i], r->kind[i]);
        if (st != VG_OK) go_back(r, r->queue[i]);
    }
    vg_work_bind(r->it->work, r->s);
    r->waiting = 0;
    r->seconds_out += vg_run_seconds() - start;
    return st;
}

vgStatus vg_run_put(vgRun *r, vgState *s, int kind)
{
    if (r->room == 0) {
        r->queue[r->waiting] = s;
        r->kind[r->waiting++] = (unsigned char)kind;
        return vg_run_flush(r);
    }
    vg_state_copy(r->it->sys, r->queue[r->waiting], s);
    r->kind[r->waiting++] = (unsigned char)kind;
    /* the sides that laws are held on are those of now: such a sample does not wait until they change */
    return r->waiting == r->room || s->held ? vg_run_flush(r) : VG_OK;
}

double vg_run_row_time(const vgRun *r, long index)
{
    const vgTransientOptions *o = r->o;
    if (!o->times) return r->t0 + o->interval * (double)index;
    return index <= o->ntimes ? o->times[index - 1] : INFINITY;
}

/* Part of the sampling interval by which the last sample may be off from the end of a step and still be that end. Rounding
 * of 1e6 steps is 1e-10 of a step; a hundred times the value is seen in samples that are compared with closed forms. */
static const double IS_STEP = 1e-10;

/* 1: the sampling interval is a whole number of steps, so that every sample is the end of a step. */
int vg_run_rows_are_steps(const vgRun *r)
{
    double h = r->o->step, dt = r->o->interval, span = r->o->end - r->t0;
    if (!(dt > 0)) return 1;
    if (r->o->times) return 0;
    if (r->it->adaptive || !(h > 0)) return 0;
    double off = fabs(dt - h * round(dt / h)) * (span / dt + 1);
    return off + 2 * DBL_EPSILON * (fabs(r->t0) + span) < IS_STEP * dt;
}

/* Quantities that are summed over time (the work of drives) see long steps of error control in parts, up to
 * `until`. */
static vgStatus show_parts(vgRun *r, double until)
{
    enum { PARTS = 8 };
    vgStatus st = VG_OK;
    if (!r->dense || !r->it->adaptive || !r->sink || !r->sink->parts) return VG_OK;
    if (r->part_step != r->s->step) r->part_step = r->s->step, r->part = 1;
    for (; r->part < PARTS && st == VG_OK; r->part++) {
        double t = r->before->t + (r->s->t - r->before->t) * r->part / PARTS;
        if (!(t < until)) break;
        if (!vg_dense_at(r->dense, r->it->sys, r->before, r->s, t, r->shown))
            r->part = PARTS;
        else
            st = vg_run_put(r, r->shown, VG_IS_STEP);
    }
    return st;
}

/* r->shown: the state at t within the last step. Steps of error control are long: those of high order are far more accurate
 * than the interpolating polynomial, and where a contact begins near the end of a step the polynomial has its forces
 * all along the step. Explicit one-step methods therefore take a step to t, from the start of the last one. */
static void between(vgRun *r, double t)
{
    const vgIntegratorRow *row = r->it->row;
    const vgSystem *sys = r->it->sys;
    vgState *x = r->shown;
    const vgState *from = r->before;
    const int steps = r->it->adaptive && (row->flags & VG_INT_EXPLICIT) &&
                      !(row->flags & (VG_INT_MULTISTEP | VG_INT_SPLITS));
    const vgStats stats = r->it->stats; /* steps to samples are not counted */
    vg_dense_row(r->dense, sys, from, r->s, t, x);
    if (!steps || !(t > from->t)) return;
    memcpy(x->q, from->q, (size_t)sys->nq * sizeof(double));
    memcpy(x->v, from->v, (size_t)sys->nv * sizeof(double));
    memcpy(x->a, from->a, (size_t)sys->nv * sizeof(double));
    memcpy(x->lambda, from->lambda, (size_t)sys->nphi * sizeof(double));
    x->t = from->t;
    if (vg_integrator_advance(r->it, x, t - from->t) == VG_OK && x->t > from->t) {
        x->t = t;
        vg_dense_reactions(r->dense, sys, from, x);
    } else {
        vg_dense_row(r->dense, sys, from, r->s, t, x);
    }
    r->it->stats = stats;
}

/* Writes the samples strictly within the last step; their time is not counted as that of steps. */
static vgStatus rows_between(vgRun *r, double eps)
{
    vgStatus st = VG_OK;
    double start = vg_run_seconds(), out = r->seconds_out;
    while (st == VG_OK && r->next_row < r->s->t - eps) {
        st = show_parts(r, r->next_row);
        if (st != VG_OK) break;
        between(r, r->next_row);
        st = vg_run_put(r, r->shown, VG_IS_ROW);
        r->next_row = vg_run_row_time(r, ++r->row_index);
    }
    r->seconds_out = out + vg_run_seconds() - start;
    return st;
}

vgStatus vg_run_rows_within_step(vgRun *r)
{
    const double eps = VG_ROW_NOW * r->o->interval;
    vgStatus st = VG_OK;
    if (r->dense && r->o->interval > 0 && r->next_row < r->s->t - eps) st = rows_between(r, eps);
    return st == VG_OK ? show_parts(r, r->s->t) : st;
}

int vg_run_solves_rows(const vgRun *r)
{
    const vgIntegrator *it = r->it;
    const int own =
        it->sys->nl > 0 && !vg_at_acceleration(it->sys); /* multipliers are unknowns of the stages */
    return it->adaptive && own && it->sys->model->ncontroller == 0 && r->sink && r->sink->row;
}

/* The state at the end of the step as a sample. Under error control the multipliers of the stages are of lower order
 * than the positions, and steps are long: accelerations and multipliers are solved for, as in samples between
 * steps. */
static vgState *at_end(vgRun *r)
{
    if (r->late > 0 && !r->dense) return r->shown;
    if (!r->dense || !vg_run_solves_rows(r) || !(r->before->t < r->s->t)) return r->s;
    return vg_dense_row(r->dense, r->it->sys, r->before, r->s, r->s->t, r->shown) ? r->shown : r->s;
}

static int is_due(const vgRun *r, double eps)
{
    const int every = r->o->every > 0 ? r->o->every : 1;
    return r->o->interval > 0 ? r->next_row <= r->s->t + eps : r->s->step % every == 0;
}

vgStatus vg_run_rows_after_step(vgRun *r, int last)
{
    const double eps = VG_ROW_NOW * r->o->interval;
    vgStatus st = vg_run_rows_within_step(r);
    vgState *s = st == VG_OK && (last || is_due(r, eps)) ? at_end(r) : r->s;
    if (r->o->interval > 0) {
        while (st == VG_OK && r->next_row <= s->t + eps) {
            st = vg_run_put(r, s, VG_IS_ROW);
            r->next_row = vg_run_row_time(r, ++r->row_index);
        }
        return st;
    }
    if (st != VG_OK) return st;
    int every = r->o->every > 0 ? r->o->every : 1;
    if (last || r->s->step % every == 0) st = vg_run_put(r, s, VG_IS_ROW);
    r->next_step = (r->s->step / every + 1) * every;
    return st;
}
