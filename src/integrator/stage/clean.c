/* Projections after a stage: velocities and accelerations, and positions if the iteration has left a violation to it. */
#include <math.h>
#include <string.h>

#include "integrator/rows.h"
#include "integrator/stage/stage.h"

enum { MOST_PASSES = 4 }; /* of the clean-up of velocities and accelerations */
/* Correction of velocities, relative to their change in the step, that a regular position may ask for. */
static const double REGULAR = 0.1;
/* Corrections of velocities, in units of what is clean, that the accelerations follow visibly. Without it the reactions of
 * augmented3 are off (test_multipliers). */
static const double SHOWS = 1e3;

/* One projection: x += the correction that removes its violation, unless that is larger than `most`. */
static double clean_one(vgIntegrator *it, vgStage *st, int level, const double *violation, double most,
                        double *x)
{
    const vgSystem *sys = it->sys;
    for (int i = 0; i < sys->nl; i++) st->xl[i] = sys->row_level[i] > level ? 0 : -violation[i];
    memset(st->d, 0, (size_t)sys->nv * sizeof(double));
    sys->ops->solve(sys, it->work, st->d, st->xl);
    double size = vg_rows_largest(sys->nv, st->d, st->unit);
    for (int i = 0; i < sys->nv && size <= most; i++) x[i] += st->d[i];
    return size;
}

/* Largest error of the motion by a projection with a reused matrix, as a part of the step's own error. Such a matrix projects
 * along the constraint directions at which it was factorised: of a correction dv of the velocities the part dv × moved is
 * along the motion and adds up from step to step. The correction is the step's error normal to the constraints, which is 1/hω
 * times that along them; hω is the relative change of the accelerations in a step. If the bound is exceeded, the tangent is
 * factorised here. Without the bound newton=hold and frozen have order 1 (test_defects_differential.py); the Iltis in joint
 * coordinates takes 341 tangents in 3000 steps of 1 ms with it, 77 without. */
static const double HELD_PART = 0.1;
static int is_askew(const vgIntegrator *it, const vgStage *st, double dv, double acc)
{
    int held = it->newton_mode == VG_NEWTON_HOLD || it->newton_mode == VG_NEWTON_FROZEN;
    if (!held || it->newton_fixed > 0 || !st->delta) return 0;
    double change = 0;
    for (int i = 0; i < it->sys->nv && st->a_old; i++)
        change = fmax(change, fabs(st->a[i] - st->a_old[i]) * st->unit[i]);
    if (!st->a_old) change = it->matrix.cv * dv;
    return dv * fmin(it->matrix.moved, 1) > VG_STAGE_CLEAN && it->matrix.moved * acc > HELD_PART * change;
}

/* Projects the positions by one solution with the matrix of the stage; no equation of motion is evaluated. The remaining
 * violation is due to the change of B since the matrix was factorised. */
static void close_positions(vgIntegrator *it, vgStage *st, const double *phi)
{
    const vgSystem *sys = it->sys;
    clean_one(it, st, 0, phi, INFINITY, st->delta);
    sys->ops->retract(sys, st->q_r, st->delta, st->q);
}

/* Velocities and accelerations onto the constraints in the metric of the tangent that Newton left,
 * (A + Bᵀ α B) v = A v* − Bᵀ α Φ_t and the like for a ([D] section 2; with multipliers (A Bᵀ; B 0) in place
 * of A + Bᵀ α B), without a factorisation. Because B has changed since that tangent was factorised, the solution is repeated
 * until the violation is below VG_STAGE_CLEAN. In a regular position the correction is a small part of the change of the
 * velocities in the step; if it is larger, the rows of B are nearly dependent, and the velocities are not corrected. */
void vg_stage_clean(vgIntegrator *it, vgStage *st, double t)
{
    const vgSystem *sys = it->sys;
    double *v_dot = st->levels, *a_dot = st->levels + sys->nl, before = 0,
           acc = vg_rows_largest(sys->nv, st->a, st->unit);
    /* not below the velocity violation that follows from the remaining violation of positions */
    double least = fmax(VG_STAGE_CLEAN, it->newton_tol), cv = it->matrix.cv, ca = it->matrix.ca;
    double rest = fmin(it->newton_tol, it->newton_acc * acc / ca);
    double speed = fmax(least * (1 + vg_rows_largest(sys->nv, st->v, st->unit)), cv * rest);
    double push = fmax(100 * least * (1 + acc), ca * rest);
    /* the step's change of velocities, by the larger accelerations of its two ends */
    double acc_old = st->a_old ? vg_rows_largest(sys->nv, st->a_old, st->unit) : 0;
    double most = REGULAR * fmax(acc, acc_old) / cv;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        int closing = st->closes && pass == 0 && st->open > VG_STAGE_CLOSED;
        sys->ops->levels(sys, it->work, t, st->q, st->v, st->a, closing ? st->phi : NULL, v_dot, a_dot);
        if (closing) close_positions(it, st, st->phi);
        double dv = clean_one(it, st, 1, v_dot, most, st->v);
        if (dv > most) return;
        if (pass == 0 && is_askew(it, st, dv, acc)) {
            for (int i = 0; i < sys->nv; i++) st->v[i] -= st->d[i];
            if (vg_stage_refactor(it, st, t) != VG_OK) return;
            dv = clean_one(it, st, 1, v_dot, most, st->v);
            if (dv > most) return;
        }
        double da = clean_one(it, st, 2, a_dot, INFINITY, st->a);
        for (int i = 0; i < sys->nl; i++) st->lambda[i] += st->xl[i]; /* what moved them are reactions */
        if (pass == 0) it->matrix.corrected = fmax(st->w ? it->matrix.corrected : 0, fmax(dv, da / cv));
        double size = fmax(dv / speed, da / push), theta = pass > 0 ? size / before : 1;
        /* accelerations depend on the corrected velocities: a second pass if the correction was large enough to matter */
        if (pass == 0 ? dv <= SHOWS * speed && size * it->matrix.moved <= 1 : !(size * theta > 1)) return;
        before = size;
    }
}

vgStatus vg_stage_consistent(vgIntegrator *it, vgStage *st, double t)
{
    const vgSystem *sys = it->sys;
    it->matrix.have = 0;
    vgStatus status = sys->ops->project_v(sys, it->work, t, st->q, st->v);
    if (status == VG_OK) status = sys->ops->accel(sys, it->work, t, st->q, st->v, st->a, st->lambda);
    it->stats.accels++;
    if (status != VG_OK)
        vg_fail_equation(it, status, t, it->work->bad_row, "the projection onto the constraints failed");
    return status;
}

vgStatus vg_stage_settle(vgIntegrator *it, vgStage *st, double t)
{
    const vgSystem *sys = it->sys;
    if (sys->nl == 0) return VG_OK;
    if (it->undamped && sys->is.saddle && vg_at_position(sys)) return vg_stage_consistent(it, st, t);
    if (sys->is.settle == VG_SETTLE_TANGENT) vg_stage_clean(it, st, t);
    if (!vg_system_projects(sys)) return VG_OK;
    it->matrix.have = 0; /* the projection's matrix takes its place */
    vgStatus status = vg_system_project(sys, it->work, t, st->q, st->v);
    if (status != VG_OK)
        vg_fail_equation(it, status, t, it->work->bad_row, "the projection onto the constraints failed");
    return status;
}
