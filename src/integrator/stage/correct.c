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
    int anew = st->guessed;
    double dv = correct_velocity(it, st, sp),
           whole = anew ? vg_rows_largest(sys->nv, st->w, st->unit) : dv * sp->cv;
    st->guessed = 0;
    if (it->renewal) it->matrix.corrected = vg_rows_largest(sys->nv, st->w, st->unit);
    now->norm = vg_larger(now->norm, dv);
    double open = velocities_open(it, st, whole);
    if (open > VG_STAGE_CLEAN && anew) {
        dv = correct_velocity(it, st, sp);
        now->norm = vg_larger(now->norm, dv);
        open = velocities_open(it, st, dv * sp->cv);
    }
    now->open = vg_larger(now->open, VG_STAGE_CLOSED / VG_STAGE_CLEAN * open);
}
