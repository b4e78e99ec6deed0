/* Index 2 (Gear, Gupta, Leimkuhler 1985): velocities onto B v + Φ_t = 0 with the stage's own matrix, in every
 * iteration (docs/theory.md, eq. 20–27). */
#include "integrator/stage/correct.h"

#include <string.h>

#include "integrator/passes.h"
#include "integrator/rows.h"

/* Index 2: w and s as guessed. */
void vg_stage_begin_corrections(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    vg_pass_zero(2 * sys->nv, st->w);
    vg_pass_zero(sys->nl, st->z);
    st->guessed = sp->w0 != NULL;
    if (!sp->w0) return;
    memcpy(st->w, sp->w0, (size_t)sys->nv * sizeof *st->w);
    memcpy(st->z, sp->z0, (size_t)sys->nl * sizeof *st->z);
}

/* The whole correction in d and xl becomes its change. A guess of w is off in directions in which the iteration
 * corrects nothing, so that w must be made anew. */
static void less_guess(const vgSystem *sys, vgStage *st)
{
    vg_pass_add(sys->nv, -1, st->w, st->d);
    vg_pass_add(sys->nl, -1, st->z, st->xl);
}

/* x += y with (A Bᵀ; B 0)(y, z) = (0, c Φ̇) or (0, c Φ̈) at the motion as it is now, which then is that of the
 * new x; z in st->xl. The size of y. */
static double correct_level(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, int level, double c,
                            double *x)
{
    const vgSystem *sys = it->sys;
    int guessed = x == st->w && st->guessed;
    if (guessed) vg_pass_add(sys->nv, 1, st->w, st->v);
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
    if (x == st->w && sp->map == VG_STAGE_FIRST) return vg_pass_correct(sys->nv, st, sp);
    if (guessed) vg_pass_add(sys->nv, -1, st->w, st->v);
    if (guessed) less_guess(sys, st);
    vg_pass_add(sys->nv, 1, st->d, x);
    if (level == 1) vg_pass_add(sys->nv, -1, st->d, st->v);
    if (x == st->w) vg_pass_add(sys->nv, -(sp->ca / sp->cv), st->d, st->a);
    return vg_rows_largest(sys->nv, st->d, st->unit);
}

/* Index 2: moves the velocities onto B v + Φ_t = 0 at the positions of the increment just made. With the
 * factorised matrix (A Bᵀ; B 0)(y, z) = (0, B v + Φ_t), A = M + (cv/ca) C + K/ca: v −= y, a −= (ca/cv) y,
 * λ −= (ca/cv) z leave the equations of motion but for K y/cv, which the next iteration takes up; increments
 * of that one lie in the constraints, so the velocities stay on them to second order. One evaluation of the
 * velocity residual and one more solve is all that the stabilisation costs. With three levels the velocities
 * have a correction of their own, and the one of the accelerations is for B a + γ = 0. Returns y in units of
 * positions. */
static double correct_velocity(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    const vgSystem *sys = it->sys;
    double c = sp->cm * sp->ca / sp->cv, size = 0;
    if (sp->three_levels) size = correct_level(it, st, sp, 1, 1, st->w + sys->nv);
    size = vg_larger(
        size, correct_level(it, st, sp, sp->three_levels ? 2 : 1, sp->three_levels ? 1 / c : 1, st->w));
    vg_pass_add(sys->nl, -c, st->xl, st->lambda);
    vg_pass_add(sys->nl, 1, st->xl, st->z);
    return size / sp->cv;
}

/* What a correction of size w (units of velocities) leaves of the velocity constraints, relative to the speeds:
 * B has moved since the matrix was made. Half of the estimate of positions, which is twice what is seen. */
static double velocities_open(const vgIntegrator *it, const vgStage *st, double w)
{
    const vgSystem *sys = it->sys;
    return 0.5 * w * it->matrix.moved * sys->reach / (1 + vg_rows_largest(sys->nv, st->v, st->unit));
}

/* The correction is repeated where it has left
 * more than VG_STAGE_CLEAN, which takes a fraction of another iteration. */
void vg_stage_correct(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgIteration *now)
{
    const vgSystem *sys = it->sys;
    int anew = st->guessed;
    double dv = correct_velocity(it, st, sp),
           whole = anew ? vg_rows_largest(sys->nv, st->w, st->unit) : dv * sp->cv;
    st->guessed = 0;
    now->norm = vg_larger(now->norm, dv);
    double open = velocities_open(it, st, whole);
    if (open > VG_STAGE_CLEAN && anew) {
        dv = correct_velocity(it, st, sp);
        now->norm = vg_larger(now->norm, dv);
        open = velocities_open(it, st, dv * sp->cv);
    }
    now->open = vg_larger(now->open, VG_STAGE_CLOSED / VG_STAGE_CLEAN * open);
}
