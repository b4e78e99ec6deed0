/* The penalty form of the tangent: docs/theory.md eq. 70, and projections with it. */
#include "system/setting/penalty_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "system/project.h"

/* Each solution leaves 1/KAPPA of a violation; the leading matrix loses as many digits, which only iterations
 * get back. Near singular positions a large factor acts in a narrow neighbourhood. */
static const double KAPPA = 1e9, KAPPA_MASS = 1e7;

enum { MOST_PASSES = 200, MOST_LOOKS = 4 };
static const double CLOSED = 1e-6; /* a violation that is left after a solution, of what it was */
static const double IN_VAIN =
    1e-4; /* cosine between the violation and the part of it that an increment removes */

/* ---- work ---- */

static void place(const vgSystem *sys, vgWrapWork *work, vgArena *a)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    int most = sys->nq > sys->nv ? sys->nq : sys->nv;
    w->alpha = VG_TAKE(a, double, sys->nv + sys->nphi + 1);
    w->y = VG_TAKE(a, double, sys->nv + sys->nphi + 1);
    w->zero = VG_TAKE(a, double, (most > sys->nphi ? most : sys->nphi) + 1);
    w->g = VG_TAKE(a, double, sys->nphi + 1);
    w->x = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->phi_dot = VG_TAKE(a, double, sys->nphi + 1);
    w->r = VG_TAKE(a, double, sys->nv + 1);
    w->way = VG_TAKE(a, double, sys->nv + 1);
    w->way_l = VG_TAKE(a, double, sys->nphi + 1);
    w->closes = VG_TAKE(a, double, sys->nphi + 1);
    w->mu = VG_TAKE(a, double, sys->nphi + 1);
}

static void free_work(vgWork *work)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    vg_lin_chol_free(w->chol);
    vg_lin_chol_free(w->exact);
    vg_wrap_work_free(work);
}

vgStatus vg_penalty_new_work(const vgSystem *sys, size_t size, vgWork **out)
{
    const vgSystem *inner = vg_inner(sys);
    vgWrapWork *base;
    vgStatus st = vg_wrap_work_new(sys, size, place, &base);
    if (st != VG_OK) return st;
    vgPenaltyWork *w = (vgPenaltyWork *)base;
    st = inner->ops->assemble(inner, base->inner, NULL, &w->at);
    if (st == VG_OK) st = vg_lin_chol_new(w->at.lin, VG_CHOL_AUTO, &w->chol);
    if (st != VG_OK) {
        free_work(&base->base);
        return st;
    }
    w->solve_with = w->chol;
    w->places = &w->at;
    *out = &base->base;
    return VG_OK;
}

static vgStatus new_work(const vgSystem *sys, vgWork **out)
{
    return vg_penalty_new_work(sys, sizeof(vgPenaltyWork), out);
}

static size_t memory(const vgWork *work)
{
    const vgPenaltyWork *w = (const vgPenaltyWork *)work;
    return vg_wrap_memory(work) + vg_lin_chol_memory(w->chol) + (w->exact ? vg_lin_chol_memory(w->exact) : 0);
}

/* ---- factorisation and solution ---- */

static void name_bad_row(const vgSystem *sys, vgPenaltyWork *w)
{
    int bad = vg_lin_chol_bad_row(w->solve_with), *row = &w->w.base.bad_row;
    *row = -1;
    for (int k = 0; k < sys->nv && bad >= 0; k++)
        if ((w->places->v_at ? w->places->v_at[k] : k) == bad) *row = k;
    for (int r = 0; r < sys->nphi && bad >= 0; r++)
        if (w->places->row_at[r] == bad) *row = sys->nv + r;
}

/* Bodies without mass (nodes of flexible bodies, stations of beams) say nothing about a row's mass; only a
 * mass matrix shows which they are. Once. */
static vgStatus note_massless(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    vgTangent mass = {
        .t = p->t, .q = p->q, .v = p->v, .a = w->zero, .lambda = w->zero, .reuse = p->reuse, .mass = 1};
    vgSaddle at;
    vgStatus st = inner->ops->assemble(inner, vg_inner_work(work), &mass, &at);
    if (st != VG_OK || at.lin != w->at.lin) return st;
    vg_lin_chol_note_massless(w->chol);
    w->noted = 1;
    return VG_OK;
}

/* α of every row, from the matrix the inner system has assembled. Rows that do not count have none. */
static void weigh(const vgSystem *sys, vgPenaltyWork *w, const vgTangent *p, const double *weight,
                  double times)
{
    const int by_mass = !weight && !(times > 0);
    if (by_mass) vg_lin_chol_row_mass(w->solve_with, w->alpha);
    for (int r = 0; r < sys->nphi; r++) {
        int k = w->places->row_at[r];
        if (k >= 0)
            w->alpha[k] = !vg_row_counts(&w->w.base, r) ? 0
                          : by_mass                     ? (p->mass ? KAPPA_MASS : KAPPA) * w->alpha[k]
                          : weight                      ? times * weight[r]
                                                        : times;
    }
}

vgStatus vg_penalty_factor(const vgSystem *sys, vgWork *work, const vgTangent *p, const double *weight,
                           double times)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    vgSaddle at;
    const int by_mass = !weight && !(times > 0);
    vgStatus st = by_mass && !w->noted ? note_massless(sys, work, p) : VG_OK;
    if (st == VG_OK) st = inner->ops->assemble(inner, vg_inner_work(work), p, &at);
    if (st != VG_OK) return st;
    w->solve_with = w->chol;
    w->places = &w->at;
    if (at.lin != w->at.lin) { /* statics */
        if (!w->exact) st = vg_lin_chol_new(at.lin, VG_CHOL_AUTO, &w->exact);
        if (st != VG_OK) return st;
        w->at_exact = at;
        w->solve_with = w->exact;
        w->places = &w->at_exact;
    }
    vg_lin_leave_out(at.lin, sys->nphi, at.row_at, work->active); /* for the saddle form, see chol.h */
    if (!p->keep) weigh(sys, w, p, weight, times); /* rows that have moved a little weigh what they did */
    st = vg_lin_chol_factor(w->solve_with, w->alpha);
    work->factorisations++;
    name_bad_row(sys, w);
    return st;
}

/* ---- in pieces ---- */

int vg_penalty_pieces(const vgSystem *sys, const vgWork *work, double *cost, int *assembled)
{
    const vgPenaltyWork *w = (const vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    int n = 0, all = inner->ops->pieces.count(inner, w->w.inner, NULL, &n);
    if (assembled) *assembled = n;
    if (cost) { /* the inner system's own factorisation has the places that ours takes: rows by rows */
        double *its = malloc(((size_t)all + 1) * sizeof *its);
        if (its) inner->ops->pieces.count(inner, w->w.inner, its, NULL);
        for (int i = 0; i < n; i++) cost[i] = its ? its[i] : 100;
        free(its);
    }
    return n + vg_lin_chol_pieces(w->chol, cost ? cost + n : NULL);
}

vgStatus vg_penalty_piece(const vgSystem *sys, vgWork *work, const vgTangent *p, const double *weight,
                          double times, int i)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    int n = 0;
    inner->ops->pieces.count(inner, w->w.inner, NULL, &n);
    if (i == 0 && !weight && !(times > 0) && !w->noted) {
        vgStatus st = note_massless(sys, work, p);
        if (st != VG_OK) return st;
    }
    if (i < n) return inner->ops->pieces.make(inner, vg_inner_work(work), p, i);
    if (i == n) {
        w->solve_with = w->chol;
        w->places = &w->at;
        vg_lin_leave_out(w->at.lin, sys->nphi, w->at.row_at, work->active);
        weigh(sys, w, p, weight, times);
        work->factorisations++;
    }
    vgStatus st = vg_lin_chol_piece(w->chol, w->alpha, i - n);
    name_bad_row(sys, w);
    return st;
}

vgStatus vg_penalty_factor_mass(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                                const double *weight, double times)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    vgTangent p = {.t = t, .q = q, .v = v, .a = w->zero, .lambda = w->zero, .reuse = 1, .mass = 1};
    return vg_penalty_factor(sys, work, &p, weight, times);
}

void vg_penalty_solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSaddle *at = w->places;
    double *x = w->y;
    if (at->v_at)
        for (int k = 0; k < sys->nv; k++) x[at->v_at[k]] = x_v[k];
    else
        memcpy(x, x_v, (size_t)sys->nv * sizeof *x);
    for (int r = 0; r < sys->nphi; r++)
        if (at->row_at[r] >= 0) x[at->row_at[r]] = x_l[r];
    vg_lin_chol_solve(w->solve_with, x);
    for (int k = 0; k < sys->nv; k++) x_v[k] = x[at->v_at ? at->v_at[k] : k];
    for (int r = 0; r < sys->nphi; r++) x_l[r] = at->row_at[r] >= 0 ? x[at->row_at[r]] : 0;
}

double vg_penalty_alpha(const vgPenaltyWork *w, int row)
{
    int k = w->places->row_at[row];
    return k >= 0 ? w->alpha[k] : 0;
}

/* ---- projections ---- */

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = vg_larger(most, fabs(x[i]));
    return most;
}

/* g := −g of the rows that count, 0 of the others. */
static void turn_round(const vgSystem *sys, const vgWork *work, double *g)
{
    for (int r = 0; r < sys->nphi; r++) g[r] = vg_row_counts(work, r) ? -g[r] : 0;
}

/* way, way_l, closes: (δ, μ) of g and B δ = g + μ/α, less their share along the way before it, so that what
 * the two close does not overlap, Σ α closes·closes_before = 0. Returns how far to go for the least Σ α (g −
 * step·closes)²; 0: what is left cannot be closed (rounding in rows that depend on each other). */
static double find_way(const vgSystem *sys, vgWork *work, const double *g, int first)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    double along = 0, size = 0, overlap = 0, before = 0, open = 0;
    memset(w->x, 0, (size_t)sys->nv * sizeof(double));
    memcpy(w->mu, g, (size_t)sys->nphi * sizeof(double));
    vg_penalty_solve(sys, work, w->x, w->mu);
    if (first) {
        memset(w->way, 0, (size_t)sys->nv * sizeof(double));
        memset(w->way_l, 0, (size_t)sys->nphi * sizeof(double));
        memset(w->closes, 0, (size_t)sys->nphi * sizeof(double));
    }
    for (int r = 0; r < sys->nphi && !first; r++) {
        double alpha = vg_penalty_alpha(w, r);
        overlap += (alpha * g[r] + w->mu[r]) * w->closes[r];
        before += alpha * w->closes[r] * w->closes[r];
    }
    double share = before > 0 ? overlap / before : 0;
    for (int i = 0; i < sys->nv; i++) w->way[i] = w->x[i] - share * w->way[i];
    for (int r = 0; r < sys->nphi; r++) {
        double alpha = vg_penalty_alpha(w, r), own = alpha > 0 ? g[r] + w->mu[r] / alpha : 0;
        w->way_l[r] = w->mu[r] - share * w->way_l[r];
        w->closes[r] = own - share * w->closes[r];
        along += alpha * g[r] * w->closes[r];
        size += alpha * w->closes[r] * w->closes[r];
        open += alpha * g[r] * g[r];
    }
    return along > IN_VAIN * sqrt(size * open) ? along / size : 0;
}

/* Eq. 70a: B x = g with the least change of x in the metric of the matrix last factorised, which must be
 * symmetric. One solution leaves 1/(1 + α s) of g where the bodies behind a row yield to it by s: next to
 * nothing, unless rows hang on a light body, and their α with it, while a heavy one is behind: then the
 * solutions are the ways of conjugate residuals. */
void vg_penalty_close(const vgSystem *sys, vgWork *work, double least, double *x, double *l, double *g)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const double enough = least * largest(g, sys->nphi);
    for (int it = 0; it < MOST_PASSES; it++) {
        double step = find_way(sys, work, g, it == 0);
        if (!(step > 0)) return;
        for (int i = 0; i < sys->nv; i++) x[i] += step * w->way[i];
        for (int r = 0; r < sys->nphi && l; r++) l[r] += step * w->way_l[r];
        for (int r = 0; r < sys->nphi; r++) g[r] -= step * w->closes[r];
        if (!(largest(g, sys->nphi) > enough)) return;
    }
}

static const double *position_rows(const vgSystem *sys, vgWork *work, double t, const double *q)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    inner->ops->levels(inner, vg_inner_work(work), t, q, w->zero, NULL, w->g, NULL, NULL);
    turn_round(sys, work, w->g);
    return w->g;
}

/* [D] (3): the least change in the mass metric. */
static vgStatus position_step(const vgSystem *sys, vgWork *work, double t, double *q)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    vgStatus st = vg_penalty_factor_mass(sys, work, t, q, w->zero, NULL, 0);
    if (st != VG_OK) return st;
    memset(w->r, 0, (size_t)sys->nv * sizeof(double));
    vg_penalty_close(sys, work, CLOSED, w->r, NULL, w->g);
    memcpy(w->q, q, (size_t)sys->nq * sizeof(double));
    inner->ops->retract(inner, w->q, w->r, q);
    return VG_OK;
}

static vgStatus project_q(const vgSystem *sys, vgWork *work, double t, double *q, double tol, int max_iter,
                          int *iter)
{
    const vgProjection p = {position_rows, position_step, sys->nphi, 0};
    return vg_project_q(&p, sys, work, t, q, tol, max_iter, iter);
}

/* [D] (4). */
static vgStatus project_v(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    vgPenaltyWork *w = (vgPenaltyWork *)work;
    const vgSystem *inner = vg_inner(sys);
    double first = 0;
    for (int it = 0; it < MOST_LOOKS; it++) { /* the second one takes what rounding left */
        inner->ops->levels(inner, vg_inner_work(work), t, q, v, NULL, NULL, w->g, NULL);
        double worst = largest(w->g, sys->nphi);
        if (it == 0) first = worst;
        turn_round(sys, work, w->g);
        vgStatus st = it == 0 ? vg_penalty_factor_mass(sys, work, t, q, v, NULL, 0) : VG_OK;
        if (st != VG_OK) return st;
        vg_penalty_close(sys, work, CLOSED, v, NULL, w->g);
        if (it > 0 && !(worst > 10 * CLOSED * first)) return VG_OK;
    }
    return VG_OK;
}

vgSystemOps vg_penalty_table(void)
{
    vgSystemOps ops = vg_wrap_ops;
    ops.new_work = new_work;
    ops.free_work = free_work;
    ops.memory = memory;
    ops.pieces.count = vg_penalty_pieces;
    ops.solve = vg_penalty_solve;
    ops.project_q = project_q;
    ops.project_v = project_v;
    return ops;
}
