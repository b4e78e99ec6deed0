/* Augmented Lagrangian forms: docs/theory.md eq. 70–73; [D] section 2, Bayo, Ledesma 1996, Cuadrado et al.
 * 2001.
 *
 * augmented3: Newton's iteration on positions with the leading matrix A + Bᵀ α B, A = M V + (cv/ca) C V +
 * K/ca, and λ* ← λ* + α Φ after each iteration. augmented1 ([D] (1)–(4)): the same at the level of
 * accelerations, (M + Bᵀ α B) a = f − Bᵀ α γ − Bᵀ λ*, λ* ← λ* + α Φ̈, and projections of positions and
 * velocities with the same matrix. Rows of B may depend on each other. */
#include <math.h>

#include "system/setting/penalty_form.h"

/* The user's α belongs to positions: with equations divided by ca it is α/ca. */
static vgStatus factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    double scale = vg_at_acceleration(sys) || !(p->ca > 0) ? 1 : p->ca;
    return vg_penalty_factor(sys, work, p, NULL, sys->option[0] / scale);
}

static vgStatus piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    double scale = vg_at_acceleration(sys) || !(p->ca > 0) ? 1 : p->ca;
    return vg_penalty_piece(sys, work, p, NULL, sys->option[0] / scale, i);
}

/* λ* ← λ* + α (B x − g) until B x = g: what is left of it after a solution is μ/α. x, l: of the first one. */
static void update(const vgSystem *sys, vgWork *work, double *x, double *l)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    for (int r = 0; r < sys->nl; r++) {
        double alpha = vg_penalty_alpha(w, r);
        w->g[r] = alpha > 0 ? -l[r] / alpha : 0;
    }
    vg_penalty_close(sys, work, 1e-10, x, l, w->g);
}

/* Largest entry in the scales of the coordinates. */
static double size_of(const vgSystem *sys, const double *a)
{
    double most = 0;
    for (int i = 0; i < sys->nv; i++) most = fmax(most, fabs(a[i]) / sys->v_scale[i]);
    return most;
}

/* What is left of the equations of motion and of Φ̈ = 0, solved with the same matrix again. A solution has
 * about eight digits, as the condition of the matrix is that of M times the ratio of α to the mass; error
 * control at tight tolerances takes the rest for errors of the step. Returns by how much a has changed. */
static double refine(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v, double *a,
                     double *lambda)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    vgWork *in = vg_inner_work(work);
    double *more = w->r, *more_l = w->phi_dot;
    inner->ops->levels(inner, in, t, q, v, a, NULL, NULL, more_l);
    inner->ops->residual(inner, in, t, q, v, a, lambda, more, NULL);
    for (int i = 0; i < sys->nv; i++) more[i] = -more[i];
    for (int r = 0; r < sys->nl; r++) more_l[r] = -more_l[r];
    vg_penalty_solve(sys, work, more, more_l);
    update(sys, work, more, more_l);
    for (int i = 0; i < sys->nv; i++) a[i] += more[i];
    for (int r = 0; r < sys->nl; r++) lambda[r] += more_l[r];
    return size_of(sys, more);
}

/* [D] (1), (2). */
static vgStatus accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    enum { MOST_REFINED = 3 };
    const double ENOUGH = 1e-5; /* a change that small leaves nothing but rounding */
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    vgWork *in = vg_inner_work(work);
    inner->ops->levels(inner, in, t, q, v, w->zero, NULL, NULL, lambda);
    inner->ops->residual(inner, in, t, q, v, w->zero, w->zero, a, NULL);
    vgStatus st =
        vg_penalty_factor_mass(sys, work, t, q, v, NULL, vg_at_acceleration(sys) ? sys->option[0] : 0);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) a[i] = -a[i];
    for (int r = 0; r < sys->nl; r++) lambda[r] = -lambda[r];
    vg_penalty_solve(sys, work, a, lambda);
    for (int k = 0; k < MOST_REFINED; k++)
        if (!(refine(sys, work, t, q, v, a, lambda) > ENOUGH * size_of(sys, a))) break;
    return VG_OK;
}

vgStatus vg_augmented_over(vgSystem *inner, vgSystem **out)
{
    vgSystemOps ops = vg_penalty_table();
    ops.factor = factor;
    ops.pieces.make = piece;
    ops.accel = accel;
    vgWrap *w;
    vgStatus st = vg_wrap_new(inner, sizeof *w, &ops, &w);
    if (st != VG_OK) return st;
    *out = &w->base;
    return VG_OK;
}

vgStatus vg_augmented1_over(vgSystem *inner, vgSystem **out)
{
    vgStatus st = vg_augmented_over(inner, out);
    if (st != VG_OK) return st;
    (*out)->drift.keep_q = inner->option[1] == 0;
    (*out)->drift.keep_v = inner->option[2] == 0;
    return VG_OK;
}
