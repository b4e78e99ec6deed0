/* Augmented Lagrangian forms: docs/theory.md eq. 70–73; [D] section 2, Bayo, Ledesma 1996, Cuadrado et al.
 * 2001.
 *
 * augmented3: Newton's iteration on positions with the leading matrix A + Bᵀ α B, A = M V + (cv/ca) C V +
 * K/ca, and λ* ← λ* + α Φ after each iteration. augmented1 ([D] (1)–(4)): the same at the level of
 * accelerations, (M + Bᵀ α B) a = f − Bᵀ α γ − Bᵀ λ*, λ* ← λ* + α Φ̈, and projections of positions and
 * velocities with the same matrix. Rows of B may depend on each other. */
#include <math.h>
#include <string.h>

#include "system/penalty_form.h"

/* The user's α belongs to positions: with equations divided by ca it is α/ca. */
static vgStatus factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    double scale = sys->con == VG_CON_AUGMENTED1 || !(p->ca > 0) ? 1 : p->ca;
    return vg_penalty_factor(sys, work, p, NULL, sys->option[0] / scale);
}

static vgStatus piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    double scale = sys->con == VG_CON_AUGMENTED1 || !(p->ca > 0) ? 1 : p->ca;
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

/* [D] (1), (2). */
static vgStatus accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    vgWork *in = vg_inner_work(work);
    inner->ops->levels(inner, in, t, q, v, w->zero, NULL, NULL, lambda);
    inner->ops->residual(inner, in, t, q, v, w->zero, w->zero, a, NULL);
    vgStatus st =
        vg_penalty_factor_mass(sys, work, t, q, v, NULL, sys->con == VG_CON_AUGMENTED1 ? sys->option[0] : 0);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) a[i] = -a[i];
    for (int r = 0; r < sys->nl; r++) lambda[r] = -lambda[r];
    vg_penalty_solve(sys, work, a, lambda);
    update(sys, work, a, lambda);
    return VG_OK;
}

vgStatus vg_augmented_over(vgSystem *inner, vgSystem **out)
{
    vgSystemOps ops = vg_penalty_table();
    ops.factor = factor;
    ops.piece = piece;
    ops.accel = accel;
    vgWrap *w;
    vgStatus st = vg_wrap_new(inner, sizeof *w, &ops, &w);
    if (st != VG_OK) return st;
    if (!strcmp(inner->constraints, "augmented1")) {
        w->base.keep_q = inner->option[1] == 0;
        w->base.keep_v = inner->option[2] == 0;
    }
    *out = &w->base;
    return VG_OK;
}
