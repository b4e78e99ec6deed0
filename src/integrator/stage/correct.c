/* Index 2 (Gear, Gupta, Leimkuhler 1985): velocities onto B v + Φ_t = 0 with the stage's own matrix, in every
 * iteration (docs/theory.md, eq. 20–27). */
#include "integrator/stage/correct.h"

#include <math.h>
#include <string.h>

#include "integrator/passes.h"
#include "integrator/rows.h"
#include "integrator/stage/metric.h"

/* Index 2: w and s as guessed. */
void vg_stage_begin_corrections(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    st->guessed = sp->w0 != NULL;
    if (sp->w0) {
        vg_pass_copy(sys->nv, sp->w0, st->w);
        vg_pass_copy(sys->nl, sp->z0, st->z);
        return;
    }
    vg_pass_zero(sp->three_levels ? 2 * sys->nv : sys->nv, st->w);
    vg_pass_zero(sys->nl, st->z);
}

/* (y, z) of (A Bᵀ; B 0)(y, z) = (0, c Φ̇) or (0, c Φ̈) at the motion as it is now, into st->d and st->xl. */
static void solve_level(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, int level, double c)
{
    const vgSystem *sys = it->sys;
    sys->ops->levels(sys, it->work, sp->t, st->q, st->v, level == 2 ? st->a : NULL, NULL,
                     level == 1 ? st->xl : NULL, level == 2 ? st->xl : NULL);
    if (c != 1) vg_pass_scale(sys->nl, c, st->xl, st->xl);
    for (int i = 0; i < sys->nl && st->mixed; i++)
        if (sys->row_level[i] != 0) st->xl[i] = 0; /* they are at the level of velocities */
    vg_pass_zero(sys->nv, st->d);
    if (st->at_once)
        sys->ops->sweep.again(sys, it->work, st->d, st->xl);
    else
        sys->ops->solve(sys, it->work, st->d, st->xl);
}

/* Velocities and accelerations, each by a correction of its own: s, w += y, then st->xl has the z of w. The larger y. */
static double correct_three_levels(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, double c)
{
    const int nv = it->sys->nv;
    solve_level(it, st, sp, 1, 1);
    vg_pass_add(nv, 1, st->d, st->w + nv);
    vg_pass_add(nv, -1, st->d, st->v);
    double size = vg_rows_largest(nv, st->d, st->unit);
    solve_level(it, st, sp, 2, 1 / c);
    vg_pass_add(nv, 1, st->d, st->w);
    vg_pass_add(nv, -(sp->ca / sp->cv), st->d, st->a);
    return vg_larger(size, vg_rows_largest(nv, st->d, st->unit));
}

/* Index 2: moves the velocities onto B v + Φ_t = 0 at the positions of the increment just made. With the
 * factorised matrix (A Bᵀ; B 0)(y, z) = (0, B v + Φ_t), A = M + (cv/ca) C + K/ca: v −= y, a −= (ca/cv) y,
 * λ −= (ca/cv) z change the residual of the equations of motion by K y/cv only, which the next iteration removes. The
 * increments of that iteration satisfy the linearised constraints, so that the velocities keep satisfying theirs to
 * second order. The cost is one evaluation of the velocity constraints and one solution (solved: the system has done
 * both). With three levels the velocities have a separate correction s, and w is that of the accelerations for
 * B a + γ = 0. The guess of w has errors in directions that the iteration does not correct, so that w is computed
 * completely: the constraints are evaluated at v + w. Returns the sizes of the change of w and of w, in units of
 * velocities. */
static vgCorrected correct_velocity(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, int solved)
{
    const vgSystem *sys = it->sys;
    const double c = sp->cm * sp->ca / sp->cv;
    vgCorrected size;
    if (sp->three_levels) {
        size.change = size.whole = correct_three_levels(it, st, sp, c);
    } else {
        if (!solved && st->guessed) vg_pass_add(sys->nv, 1, st->w, st->v);
        if (!solved) solve_level(it, st, sp, 1, 1);
        if (sp->map == VG_STAGE_FIRST)
            size.change = size.whole = vg_pass_correct(sys->nv, st, sp);
        else
            size = vg_pass_correct_affine(sys->nv, st, sp->ca / sp->cv);
    }
    vg_pass_correct_multipliers(sys->nl, st, c);
    st->guessed = 0;
    return size;
}

/* Violation of the velocity constraints after a correction of size w (units of velocities), relative to the speeds. It is not
 * zero because B has changed since the matrix was factorised. Half of the estimate for positions, which is twice the
 * violation observed. Where that is small at any speed, the speeds are not computed. */
static double velocities_open(const vgIntegrator *it, const vgStage *st, double w)
{
    const vgSystem *sys = it->sys;
    const double most = 0.5 * w * it->matrix.moved * sys->reach;
    return most <= VG_STAGE_CLEAN ? most : most / (1 + vg_rows_largest(sys->nv, st->v, st->unit));
}

/* S (st->d, st->xl) = (0, st->xl) with the stage's matrix. */
static void solve_rows(vgIntegrator *it, vgStage *st)
{
    vg_pass_zero(it->sys->nv, st->d);
    if (st->at_once)
        it->sys->ops->sweep.again(it->sys, it->work, st->d, st->xl);
    else
        it->sys->ops->solve(it->sys, it->work, st->d, st->xl);
}

/* out: B v + Φ_t for the constraints at position level, 0 for the others. */
static void velocity_rows(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, double *out)
{
    const vgSystem *sys = it->sys;
    sys->ops->levels(sys, it->work, sp->t, st->q, st->v, NULL, NULL, out, NULL);
    for (int i = 0; i < sys->nl && st->mixed; i++)
        if (sys->row_level[i] != 0) out[i] = 0;
}

/* As above, in a metric W of the method (metric.h). w is computed completely at the positions after the increment, so that it
 * lies in their constraint directions: W w = Bᵀμ. Let y be its change and (y', z) = S⁻¹(0, B y). The equations of motion
 * remain satisfied with v −= y', a −= (ca/cv) y', λ −= (ca/cv) z, that is with w += y and Δ += (y − y')/cv, because
 * S (y − y', −z) = (A y, 0); and the position constraints remain satisfied because B (y − y') = 0. Returns the norm of y in
 * units of positions. */
static double correct_by_metric(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    const vgSystem *sys = it->sys;
    double c = sp->cm * sp->ca / sp->cv;
    velocity_rows(it, st, sp, st->xl);
    vg_pass_add(sys->nv, 1, st->w, st->v);
    velocity_rows(it, st, sp, st->phi);
    solve_rows(it, st); /* y', z */
    vg_pass_add(sys->nl, -c, st->xl, st->lambda);
    if (vg_metric_direction(it, sp->t, st->q, st->v, st->x, st->phi) != VG_OK) return NAN;
    for (int i = 0; i < sys->nv; i++) {
        double y = st->x[i] - st->w[i];
        st->w[i] = st->x[i];
        st->d[i] = (y - st->d[i]) / sp->cv;
        st->x[i] = y;
    }
    memcpy(st->z, st->phi, (size_t)sys->nl * sizeof(double));
    double size = vg_rows_largest(sys->nv, st->x, st->unit) / sp->cv;
    const double *d = st->d;
    if (sp->map != VG_STAGE_PLAIN && !sys->vector_space) {
        sys->ops->rates(sys, st->delta, st->q, st->d, st->x);
        d = st->x;
    }
    vg_pass_add(sys->nv, 1, d, st->delta);
    vg_stage_states(sys, st, sp);
    return size;
}

/* If the violation afterwards exceeds VG_STAGE_CLEAN, the correction is repeated, at a fraction of the cost of an
 * iteration. */
void vg_stage_correct(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgIteration *now)
{
    const vgSystem *sys = it->sys;
    if (it->metric) {
        double size = correct_by_metric(it, st, sp); /* moves positions, too, and B with them */
        double left =
            VG_STAGE_CLOSED / VG_STAGE_CLEAN * (velocities_open(it, st, size * sp->cv) + size * sys->reach);
        now->norm = size <= now->norm ? now->norm : size; /* not a number stays */
        now->open = vg_larger(vg_larger(now->open, size * it->matrix.moved * sys->reach), left);
        st->guessed = 0;
        return;
    }
    const int anew = st->guessed;
    vgCorrected y = correct_velocity(it, st, sp, now->corrects);
    if (it->renewal) it->matrix.corrected = vg_rows_largest(sys->nv, st->w, st->unit);
    now->norm = vg_larger(now->norm, y.change / sp->cv);
    double open = velocities_open(it, st, anew ? y.whole : y.change);
    if (open > VG_STAGE_CLEAN && anew) {
        y = correct_velocity(it, st, sp, 0);
        now->norm = vg_larger(now->norm, y.change / sp->cv);
        open = velocities_open(it, st, y.change);
    }
    now->open = vg_larger(now->open, VG_STAGE_CLOSED / VG_STAGE_CLEAN * open);
}
