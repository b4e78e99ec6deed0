/* Penalty form: [G] problem 7/4, docs/theory.md eq. 74. Constraints are very stiff elements,
 *     r = M a − f + Bᵀ λ,   λ = α (Φ̈ + 2ξω Φ̇ + ω² Φ),
 * so nothing is enforced, and rows may depend on each other. Methods iterate λ beside the coordinates, with
 * the rows Φ̈ + 2ξω Φ̇ + ω² Φ − λ/α = 0, and eliminate it in each iteration: the solution is the same, but
 * Newton's iterates have no forces that are a billion times too large. α is the same through a run:
 * KAPPA times the mass that a row feels at the start, or the user's. The violation is about λ/(α ω²). */
#include <stdlib.h>

#include "system/setting/penalty_form.h"

static const double KAPPA = 1e9;

typedef struct Penalty {
    vgWrap w;                   /* first */
    double *alpha, *compliance; /* nl: α and 1/α */
} Penalty;

typedef struct Work {
    vgPenaltyWork w; /* first */
    double slope;    /* of the rows, by B, in the last factorisation */
} Work;

/* Rows divided by ca change with δ by s B, s = 1 + 2ξω cv/ca + ω²/ca (what B itself changes by is left out,
 * it goes with the step): s B δ − μ/α = g is the penalty form with s α and g/s. */
static double slope_of(const vgSystem *sys, const vgTangent *p)
{
    double w2 = sys->drift.beta * sys->drift.beta, d = 2 * sys->drift.alpha;
    return p->ca > 0 && !p->on_positions ? 1 + d * p->cv / p->ca + w2 / p->ca : 1;
}

static vgStatus factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    double slope = ((Work *)work)->slope = slope_of(sys, p);
    return vg_penalty_factor(sys, work, p, ((const Penalty *)sys)->alpha, slope);
}

static vgStatus piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    double slope = ((Work *)work)->slope = slope_of(sys, p);
    return vg_penalty_piece(sys, work, p, ((const Penalty *)sys)->alpha, slope, i);
}

static void solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    double slope = ((Work *)work)->slope;
    for (int r = 0; r < sys->nl; r++) x_l[r] /= slope;
    vg_penalty_solve(sys, work, x_v, x_l);
}

/* (M + Bᵀ α B) a = f − Bᵀ α (γ + 2ξω Φ̇ + ω² Φ) */
static vgStatus accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    double w2 = sys->drift.beta * sys->drift.beta, d = 2 * sys->drift.alpha;
    inner->ops->levels(inner, vg_inner_work(work), t, q, v, w->zero, w->g, w->phi_dot, lambda);
    for (int r = 0; r < sys->nl; r++) lambda[r] = -(lambda[r] + d * w->phi_dot[r] + w2 * w->g[r]);
    inner->ops->residual(inner, vg_inner_work(work), t, q, v, w->zero, w->zero, a, NULL);
    vgStatus st = vg_penalty_factor_mass(sys, work, t, q, v, ((const Penalty *)sys)->alpha, 1);
    if (st != VG_OK) return st;
    ((Work *)work)->slope = 1;
    for (int i = 0; i < sys->nv; i++) a[i] = -a[i];
    vg_penalty_solve(sys, work, a, lambda);
    return VG_OK;
}

static vgStatus new_work(const vgSystem *sys, vgWork **out)
{
    return vg_penalty_new_work(sys, sizeof(Work), out);
}

/* ---- set-up ---- */

static void free_system(vgSystem *sys)
{
    free(((Penalty *)sys)->alpha);
    free(((Penalty *)sys)->compliance);
    vg_wrap_free(sys);
}

/* α of every row from the mass it feels at the motion the user gave. */
static vgStatus choose(Penalty *s)
{
    vgSystem *sys = &s->w.base;
    const vgModel *m = sys->model;
    vgWork *work = NULL;
    vgKin *kin = calloc((size_t)m->nbody + 1, sizeof *kin);
    double *q = calloc((size_t)(sys->nq + 2 * sys->nv) + 1, sizeof *q), *v = q + sys->nq;
    vgStatus st = kin && q ? new_work(sys, &work) : VG_NO_MEMORY;
    if (st == VG_OK) {
        double *turn = calloc((size_t)m->nturn + 1, sizeof *turn);
        vgPenaltyWork *w = (vgPenaltyWork *)work;
        vg_wrap_start(m, kin);
        work->turn = turn;
        st = turn ? sys->ops->from_native(sys, kin, q, v) : VG_NO_MEMORY;
        const vgSystem *inner = vg_inner(sys);
        if (st == VG_OK)
            inner->ops->residual(inner, vg_inner_work(work), 0, q, v, w->zero, w->zero, w->r, NULL);
        if (st == VG_OK) st = vg_penalty_factor_mass(sys, work, 0, q, v, NULL, 1);
        vg_lin_chol_row_mass(w->chol, w->alpha);
        for (int r = 0; r < sys->nl && st == VG_OK; r++) {
            s->alpha[r] = sys->option[0] > 0 ? sys->option[0] : KAPPA * vg_penalty_alpha(w, r);
            s->compliance[r] = 1 / s->alpha[r];
        }
        free(turn);
    }
    vg_work_free(work);
    free(kin);
    free(q);
    return st;
}

vgStatus vg_penalty_over(vgSystem *inner, vgSystem **out)
{
    vgSystemOps ops = vg_penalty_table();
    ops.free_system = free_system;
    ops.new_work = new_work;
    ops.factor = factor;
    ops.pieces.make = piece;
    ops.solve = solve;
    ops.accel = accel;
    vgWrap *w;
    vgStatus st = vg_wrap_new(inner, sizeof(Penalty), &ops, &w);
    if (st != VG_OK) return st;
    Penalty *s = (Penalty *)w;
    s->alpha = calloc((size_t)inner->nl + 1, sizeof(double));
    s->compliance = calloc((size_t)inner->nl + 1, sizeof(double));
    w->base.drift.compliance = s->compliance;
    w->base.drift.alpha = inner->option[1] * inner->option[2]; /* ξω */
    w->base.drift.beta = inner->option[1];
    st = s->alpha && s->compliance ? choose(s) : VG_NO_MEMORY;
    if (st != VG_OK) {
        w->inner = NULL; /* stays with the caller */
        free_system(&w->base);
        return st;
    }
    *out = &w->base;
    return VG_OK;
}
