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
 * λ −= (ca/cv) z leave the equations of motion but for K y/cv, which the next iteration takes up; increments
 * of that one lie in the constraints, so the velocities stay on them to second order. One evaluation of the
 * velocity residual and one more solve is all that the stabilisation costs (solved: the system has done both). With three
 * levels the velocities have a correction of their own, and the one of the accelerations is for B a + γ = 0.
 * A guess of w is off in directions in which the iteration corrects nothing, so that w is made anew: the rows see v + w.
 * The sizes of what w changes by, and of w, in units of velocities. */
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

/* What a correction of size w (units of velocities) leaves of the velocity constraints, relative to 1 + the speeds:
 * B has moved since the matrix was made. Half of the estimate of positions, which is twice what is seen. Where that is
 * clean at any speed, the speeds are not looked at. */
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

/* B v + Φ_t of the rows that are on positions, into out. */
static void velocity_rows(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, double *out)
{
    const vgSystem *sys = it->sys;
    sys->ops->levels(sys, it->work, sp->t, st->q, st->v, NULL, NULL, out, NULL);
    for (int i = 0; i < sys->nl && st->mixed; i++)
        if (sys->row_level[i] != 0) out[i] = 0;
}

/* The same in a metric W that the method asks for (metric.h). w is made anew at the positions of the increment just made,
 * so that it lies in their directions: W w = Bᵀμ. With its change y and (y', z) = S⁻¹(0, B y), the equations of motion
 * are left as they are by v −= y', a −= (ca/cv) y', λ −= (ca/cv) z: w += y and Δ += (y − y')/cv do that, for
 * S (y − y', −z) = (A y, 0), and B (y − y') = 0 leaves the constraints closed. Returns y in units of positions. */
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

/* The correction is repeated where it has left
 * more than VG_STAGE_CLEAN, which takes a fraction of another iteration. */
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
