/* Independent coordinates: docs/theory.md eq. 75, 76; [G] 5.3, [D] section 2 (topological).
 *
 * Coordinates are split into dependent ones, D, as many as there are independent constraint rows, and
 * independent ones, I, so that B_D is regular and well conditioned (Gaussian elimination with complete
 * pivoting, lengths and angles in their scales). What a method integrates is the ordinary differential
 * equation Rᵀ r(t, q, R v_I + b, R a_I + c) = 0,     δ = R δ_I,   R_D = −B_D⁻¹ B_I, in as many unknowns as
 * there are freedoms. D is carried along in q, v, a but follows from I in every evaluation: velocities and
 * accelerations exactly; positions by one linear correction, B_D δ_D = −Φ, in each iteration of Newton, so
 * that closing the loops costs no iterations of its own. Since all coordinates are there, another choice of D
 * needs nothing to be expressed anew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lin_parts.h"
#include "math/dense.h"
#include "system/wrap.h"

static const double LEAST_PIVOT = 1e-8; /* of rows of unit length */
static const double STEEP =
    2; /* dependent coordinates move so much faster than at the choice: choose again */
enum { MOST_COORDINATES = 600, MOST_CLOSING = 8 };

typedef struct Independent {
    vgWrap w;       /* first */
    int any_second; /* some rows are at acceleration level alone */
} Independent;

typedef struct Work {
    vgWrapWork w; /* first */
    vgSaddle at;
    int *place; /* of the saddle matrix: lin_parts.h */
    int chosen, ndep, nind;
    int *dep, *ind, *row;   /* ndep, nind, ndep */
    double *choice, *fresh; /* nmemory: the marks of the lists, and of a choice to be made */
    double *B, *W;          /* nphi × nv */
    double *D, *R;          /* ndep × ndep (factors), ndep × nind */
    double *A, *X, *S;      /* nv × nv, nv × nind, nind × nind (factors) */
    int *pivot, *pivot_S;
    double *phi, *g; /* 3 nphi; nphi */
    double *q, *q_old, *v, *a, *r, *x;
    double *lambda;    /* nphi */
    double *zero;      /* max(nq, nv, nphi) */
    double cv, ca;     /* of the last factorisation */
    int split_ok;      /* D and R belong to the last residual */
    int followed;      /* q, v, a are a motion with D from I, and the split is that of q */
    int closing;       /* the next solution also closes the positions */
    double *violation; /* nphi: by level, of the motion the method gave */
} Work;

static void place(const vgSystem *sys, vgWrapWork *work, vgArena *a)
{
    Work *w = (Work *)work;
    int n = sys->nv, m = sys->nphi, most = sys->nq > n ? sys->nq : n;
    w->place = VG_TAKE(a, int, n + m + 1);
    w->dep = VG_TAKE(a, int, n + 1);
    w->ind = VG_TAKE(a, int, n + 1);
    w->row = VG_TAKE(a, int, m + 1);
    w->pivot = VG_TAKE(a, int, n + 1);
    w->pivot_S = VG_TAKE(a, int, n + 1);
    w->choice = VG_TAKE(a, double, sys->nmemory + 1);
    w->fresh = VG_TAKE(a, double, sys->nmemory + 1);
    w->B = VG_TAKE(a, double, m *n + 1);
    w->W = VG_TAKE(a, double, m *n + 1);
    w->D = VG_TAKE(a, double, n *n + 1);
    w->R = VG_TAKE(a, double, n *n + 1);
    w->A = VG_TAKE(a, double, n *n + 1);
    w->X = VG_TAKE(a, double, n *n + 1);
    w->S = VG_TAKE(a, double, n *n + 1);
    w->phi = VG_TAKE(a, double, 3 * m + 1);
    w->g = VG_TAKE(a, double, m + 1);
    w->lambda = VG_TAKE(a, double, m + 1);
    w->violation = VG_TAKE(a, double, m + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->q_old = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, n + 1);
    w->a = VG_TAKE(a, double, n + 1);
    w->r = VG_TAKE(a, double, n + 1);
    w->x = VG_TAKE(a, double, n + 1);
    w->zero = VG_TAKE(a, double, (most > m ? most : m) + 1);
}

static vgStatus new_work(const vgSystem *sys, vgWork **out)
{
    const vgSystem *inner = vg_inner(sys);
    vgWrapWork *base;
    vgStatus st = vg_wrap_work_new(sys, sizeof(Work), place, &base);
    if (st != VG_OK) return st;
    Work *w = (Work *)base;
    st = inner->ops->assemble(inner, base->inner, NULL, &w->at);
    if (st != VG_OK) {
        vg_wrap_work_free(&base->base);
        return st;
    }
    for (int k = 0; k < sys->nv; k++) w->place[w->at.v_at ? w->at.v_at[k] : k] = k;
    for (int r = 0; r < sys->nphi; r++)
        if (w->at.row_at[r] >= 0) w->place[w->at.row_at[r]] = -1 - r;
    *out = &base->base;
    return VG_OK;
}

/* ---- the choice ---- */

/* A choice as marks that a checkpoint keeps: 1 at dependent coordinates (nv), at the rows that count (nphi),
 * and at the end when it is made. */
static void take_choice(const vgSystem *sys, Work *w, const double *mark)
{
    int nrow = 0;
    w->w.base.matrix_lost = 1; /* it is one in the coordinates chosen before */
    memmove(w->choice, mark, (size_t)sys->nmemory * sizeof(double));
    w->ndep = w->nind = 0;
    for (int k = 0; k < sys->nv; k++)
        if (mark[k] > 0)
            w->dep[w->ndep++] = k;
        else
            w->ind[w->nind++] = k;
    for (int r = 0; r < sys->nphi; r++)
        if (mark[sys->nv + r] > 0) w->row[nrow++] = r;
    w->chosen = 1;
}

/* Complete pivoting on the rows of B, made of unit length, columns in the coordinates' scales. */
static void choose(const vgSystem *sys, Work *w, double *mark)
{
    int m = sys->nphi, n = sys->nv;
    double *W = w->W;
    memset(mark, 0, (size_t)sys->nmemory * sizeof(double));
    mark[n + m] = 1;
    for (int r = 0; r < m; r++) {
        double sum = 0;
        for (int k = 0; k < n; k++) {
            W[r * n + k] = w->B[r * n + k] * sys->v_scale[k];
            sum += W[r * n + k] * W[r * n + k];
        }
        for (int k = 0; k < n && sum > 0; k++) W[r * n + k] /= sqrt(sum);
    }
    for (int step = 0; step < m; step++) {
        int row = -1, col = -1;
        double best = LEAST_PIVOT;
        for (int r = 0; r < m; r++)
            for (int k = 0; k < n && mark[n + r] == 0; k++)
                if (fabs(W[r * n + k]) > best) best = fabs(W[r * n + k]), row = r, col = k;
        if (row < 0) return;
        mark[col] = mark[n + row] = 1;
        for (int r = 0; r < m; r++) {
            double f = W[r * n + col] / W[row * n + col];
            if (mark[n + r] != 0 || f == 0) continue;
            for (int k = 0; k < n; k++) W[r * n + k] -= f * W[row * n + k];
            W[r * n + col] = 0;
        }
    }
}

/* The choice of the bound state, or a first one. */
static void bind(const vgSystem *sys, Work *w)
{
    const double *kept = w->w.base.memory;
    if (kept && kept[sys->nmemory - 1] > 0) {
        if (!w->chosen || memcmp(kept, w->choice, (size_t)sys->nmemory * sizeof(double)) != 0)
            take_choice(sys, w, kept);
    } else if (!w->chosen) {
        choose(sys, w, w->fresh);
        take_choice(sys, w, w->fresh);
    }
}

/* ---- the split at a motion ---- */

/* B at the motion last given to the inner system, B_D = L U and R_D. VG_SINGULAR names the row. */
static vgStatus split(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgTangent p = {.t = t, .q = q, .v = v, .a = w->zero, .lambda = w->zero, .reuse = 1, .mass = 1, .rows = 1};
    vgSaddle at;
    int n = sys->nv, bad;
    vgStatus st = inner->ops->assemble(inner, vg_inner_work(work), &p, &at);
    if (st != VG_OK) return st;
    vg_lin_parts(at.lin, w->place, n, NULL, w->B);
    bind(sys, w);
    int m = w->ndep, f = w->nind;
    for (int i = 0; i < m; i++) {
        const double *row = w->B + w->row[i] * n;
        for (int k = 0; k < m; k++) w->D[i * m + k] = row[w->dep[k]];
        for (int k = 0; k < f; k++) w->R[i * f + k] = -row[w->ind[k]];
    }
    work->bad_row = -1;
    if (vg_dense_lu(w->D, m, 0, w->pivot, &bad) != VG_OK) {
        work->bad_row = n + w->row[bad];
        return VG_SINGULAR;
    }
    work->pivot = INFINITY;
    for (int i = 0; i < m; i++) work->pivot = fmin(work->pivot, fabs(w->D[i * m + i]));
    vg_dense_lu_solve_rows(w->D, w->pivot, m, w->R, f);
    return VG_OK;
}

/* How much faster dependent coordinates move than independent ones, in their scales. */
static double steepness(const vgSystem *sys, const Work *w)
{
    double most = 0;
    for (int i = 0; i < w->ndep; i++)
        for (int k = 0; k < w->nind; k++) {
            double s = fabs(w->R[i * w->nind + k]) * sys->v_scale[w->ind[k]] / sys->v_scale[w->dep[i]];
            most = vg_larger(most, s);
        }
    return most;
}

/* x_D −= B_D⁻¹ (violation of the rows that count) */
static void correct(Work *w, const double *violation, double *x)
{
    for (int i = 0; i < w->ndep; i++) w->g[i] = violation[w->row[i]];
    vg_dense_lu_solve(w->D, w->pivot, w->ndep, w->g);
    for (int i = 0; i < w->ndep; i++) x[w->dep[i]] -= w->g[i];
}

/* w->v and w->a (a NULL: not wanted): D from I. Needs D, R at q and Φ̇ of v in w->phi. */
static void follow(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                   const double *a)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    size_t n = (size_t)sys->nv * sizeof(double);
    double *phi = w->phi, *phi_dot = phi + sys->nphi, *phi_ddot = phi_dot + sys->nphi;
    memcpy(w->v, v, n);
    correct(w, phi_dot, w->v);
    if (!a) return;
    memcpy(w->a, a, n);
    inner->ops->levels(inner, vg_inner_work(work), t, q, w->v, w->a, NULL, NULL, phi_ddot);
    correct(w, phi_ddot, w->a);
}

/* r_I += R_Dᵀ r_D, and λ with B_Dᵀ λ = −r_D; r_D := 0. */
static void reduce(const vgSystem *sys, Work *w, double *r)
{
    memset(w->lambda, 0, (size_t)sys->nphi * sizeof(double));
    for (int i = 0; i < w->ndep; i++) {
        double x = r[w->dep[i]];
        const double *row = w->R + i * w->nind;
        w->g[i] = -x;
        for (int k = 0; k < w->nind; k++) r[w->ind[k]] += row[k] * x;
        r[w->dep[i]] = 0;
    }
    vg_dense_lu_solve_transposed(w->D, w->pivot, w->ndep, w->g);
    for (int i = 0; i < w->ndep; i++) w->lambda[w->row[i]] = w->g[i];
}

/* x_D = R_D x_I */
static void expand(const Work *w, double *x)
{
    for (int i = 0; i < w->ndep; i++) {
        double sum = 0;
        for (int k = 0; k < w->nind; k++) sum += w->R[i * w->nind + k] * x[w->ind[k]];
        x[w->dep[i]] = sum;
    }
}

/* ---- operations ---- */

static void residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgWork *in = vg_inner_work(work);
    int m = sys->nphi, second = ((const Independent *)sys)->any_second;
    (void)lambda, (void)phi;
    inner->ops->levels(inner, in, t, q, v, second ? a : NULL, w->phi, w->phi + m,
                       second ? w->phi + 2 * m : NULL);
    for (int i = 0; i < m; i++) w->violation[i] = w->phi[i + m * sys->row_level[i]];
    work->open = 0;
    for (int i = 0; i < w->ndep; i++) work->open = vg_larger(work->open, fabs(w->phi[w->row[i]]));
    w->split_ok = split(sys, work, t, q, v) == VG_OK;
    w->closing = 1;
    w->followed = 0;
    if (w->split_ok) follow(sys, work, t, q, v, a);
    inner->ops->residual(inner, in, t, q, w->split_ok ? w->v : v, w->split_ok ? w->a : a, w->zero, r, NULL);
    if (w->split_ok) reduce(sys, w, r);
}

/* X = A R */
static void take_matrix(const vgSystem *sys, Work *w, const vgSaddle *at)
{
    int n = sys->nv, f = w->nind, m = w->ndep;
    vg_lin_parts(at->lin, w->place, n, w->A, w->B);
    for (int i = 0; i < n; i++) {
        const double *row = w->A + (size_t)i * (size_t)n;
        double *restrict to = w->X + i * f;
        for (int k = 0; k < f; k++) to[k] = row[w->ind[k]];
        for (int j = 0; j < m; j++) {
            double x = row[w->dep[j]];
            const double *restrict R = w->R + j * f;
            if (x == 0) continue;
            for (int k = 0; k < f; k++) to[k] += x * R[k];
        }
    }
}

/* S = Rᵀ X */
static void multiply(Work *w)
{
    int f = w->nind, m = w->ndep;
    for (int i = 0; i < f; i++) memcpy(w->S + i * f, w->X + w->ind[i] * f, (size_t)f * sizeof(double));
    for (int j = 0; j < m; j++) {
        const double *restrict from = w->X + w->dep[j] * f;
        for (int i = 0; i < f; i++) {
            double x = w->R[j * f + i], *restrict to = w->S + i * f;
            if (x == 0) continue;
            for (int k = 0; k < f; k++) to[k] += x * from[k];
        }
    }
}

static vgStatus decompose(vgWork *work)
{
    Work *w = (Work *)work;
    int bad;
    work->factorisations++;
    work->matrix_lost = 0;
    vgStatus st = vg_dense_lu(w->S, w->nind, 0, w->pivot_S, &bad);
    work->bad_row = st == VG_OK ? -1 : w->ind[bad];
    return st;
}

/* S = Rᵀ A R */
static vgStatus reduce_matrix(const vgSystem *sys, vgWork *work, const vgSaddle *at)
{
    take_matrix(sys, (Work *)work, at);
    multiply((Work *)work);
    return decompose(work);
}

/* The point of the tangent as the inner system sees it: with D from I, as the last residual left it. */
static vgTangent inside(Work *w, const vgTangent *p)
{
    vgTangent at = *p;
    at.v = w->v, at.a = w->a, at.lambda = w->lambda;
    w->cv = p->cv, w->ca = p->ca;
    return at;
}

static vgStatus factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgSaddle saddle;
    if (!p->reuse) residual(sys, work, p->t, p->q, p->v, p->a, p->lambda, w->r, NULL);
    if (!w->split_ok) return VG_SINGULAR;
    vgTangent at = inside(w, p);
    vgStatus st = inner->ops->assemble(inner, vg_inner_work(work), &at, &saddle);
    return st == VG_OK ? reduce_matrix(sys, work, &saddle) : st;
}

/* The residual, the inner system's pieces, X, S, its factors. */
static int pieces(const vgSystem *sys, const vgWork *work, double *cost, int *assembled)
{
    const vgSystem *inner = vg_inner(sys);
    const vgWork *in = ((const vgWrapWork *)work)->inner;
    int n = 0, all = inner->ops->pieces(inner, in, NULL, &n);
    double *its = cost ? malloc(((size_t)all + 1) * sizeof *its) : NULL;
    if (its) inner->ops->pieces(inner, in, its, NULL);
    if (assembled) *assembled = n + 1;
    if (cost) {
        double v = sys->nv, f = fmax(1, sys->nv - sys->nphi), m = v - f;
        cost[0] = 400 * sys->model->nbody + 0.2 * m * m * v;
        for (int i = 0; i < n; i++) cost[1 + i] = its ? its[i] : 100;
        cost[n + 1] = v * v + 0.2 * v * f * m;
        cost[n + 2] = 0.2 * m * f * f;
        cost[n + 3] = 50 + 0.3 * f * f * f;
    }
    free(its);
    return n + 4;
}

static vgStatus piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    int n = 0;
    inner->ops->pieces(inner, w->w.inner, NULL, &n);
    if (i == 0) {
        residual(sys, work, p->t, p->q, p->v, p->a, p->lambda, w->r, NULL);
        return w->split_ok ? VG_OK : VG_SINGULAR;
    }
    if (i <= n) {
        vgTangent at = inside(w, p);
        return inner->ops->piece(inner, vg_inner_work(work), &at, i - 1);
    }
    if (i == n + 1) take_matrix(sys, w, &w->at);
    if (i == n + 2) multiply(w);
    return i == n + 3 ? decompose(work) : VG_OK;
}

static void solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    Work *w = (Work *)work;
    (void)x_l;
    for (int k = 0; k < w->nind; k++) w->x[k] = x_v[w->ind[k]];
    for (int i = 0; i < w->ndep; i++)
        for (int k = 0; k < w->nind && x_v[w->dep[i]] != 0; k++)
            w->x[k] += w->R[i * w->nind + k] * x_v[w->dep[i]];
    vg_dense_lu_solve(w->S, w->pivot_S, w->nind, w->x);
    for (int k = 0; k < w->nind; k++) x_v[w->ind[k]] = w->x[k];
    expand(w, x_v);
    if (!w->closing) return;
    w->closing = 0;
    for (int r = 0; r < sys->nphi; r++) {
        int level = sys->row_level[r];
        double scale = level == 0 ? 1 : level == 1 ? w->cv : w->ca;
        if (level > 0 && scale > 0) w->violation[r] /= scale;
    }
    correct(w, w->violation, x_v);
}

/* w->q: q with the dependent positions closed; leaves Φ, Φ̇ of w->q, v in w->phi and the split at w->q. */
static vgStatus close_positions(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                                int most)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    int m = sys->nphi;
    double last = INFINITY;
    w->followed = 0;
    memcpy(w->q, q, (size_t)sys->nq * sizeof(double));
    for (int it = 0;; it++) {
        double worst = 0;
        inner->ops->levels(inner, vg_inner_work(work), t, w->q, v, NULL, w->phi, w->phi + m, NULL);
        vgStatus st = split(sys, work, t, w->q, v);
        if (st != VG_OK) return st;
        for (int i = 0; i < w->ndep; i++) worst = vg_larger(worst, fabs(w->phi[w->row[i]]));
        if (!isfinite(worst)) return VG_NOT_FINITE;
        if (worst <= 1e-14 * sys->length || (worst >= 0.5 * last && worst < 1e-12 * sys->length))
            return VG_OK;
        if (it == most) return VG_NOT_CONVERGED;
        last = worst;
        memset(w->x, 0, (size_t)sys->nv * sizeof(double));
        correct(w, w->phi, w->x);
        inner->ops->retract(inner, w->q, w->x, w->q_old);
        memcpy(w->q, w->q_old, (size_t)sys->nq * sizeof(double));
    }
}

/* Rᵀ M R a_I = −Rᵀ r(a = c) */
static vgStatus accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgSaddle saddle;
    (void)lambda;
    vgStatus st = close_positions(sys, work, t, q, v, MOST_CLOSING);
    if (st != VG_OK) return st;
    follow(sys, work, t, w->q, v, w->zero);
    inner->ops->residual(inner, vg_inner_work(work), t, w->q, w->v, w->a, w->zero, w->r, NULL);
    memcpy(a, w->r, (size_t)sys->nv * sizeof(double));
    reduce(sys, w, a);
    vgTangent p = {.t = t, .q = w->q, .v = w->v, .a = w->a, .lambda = w->zero, .reuse = 1, .mass = 1};
    st = inner->ops->assemble(inner, vg_inner_work(work), &p, &saddle);
    if (st == VG_OK) st = reduce_matrix(sys, work, &saddle);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) a[i] = -a[i];
    w->closing = 0;
    solve(sys, work, a, NULL);
    for (int i = 0; i < w->ndep; i++) a[w->dep[i]] += w->a[w->dep[i]];
    return VG_OK;
}

static vgStatus follow_all(const vgSystem *sys, vgWork *work, double t, double *q, double *v, double *a)
{
    Work *w = (Work *)work;
    size_t n = (size_t)sys->nv * sizeof(double);
    vgStatus st = close_positions(sys, work, t, q, v, MOST_CLOSING);
    if (st != VG_OK) return st;
    follow(sys, work, t, w->q, v, a);
    memcpy(q, w->q, (size_t)sys->nq * sizeof(double));
    memcpy(v, w->v, n);
    if (a) memcpy(a, w->a, n);
    w->followed = a != NULL;
    return VG_OK;
}

/* Another choice where this one has become steep, for the motion in w. */
static vgStatus renew(const vgSystem *sys, vgWork *work, double t)
{
    Work *w = (Work *)work;
    if (!(steepness(sys, w) > STEEP * w->choice[sys->nmemory - 1])) return VG_OK;
    const double *kept = work->memory;
    choose(sys, w, w->fresh);
    take_choice(sys, w, w->fresh);
    work->memory = NULL; /* the state still has the old one */
    vgStatus st = split(sys, work, t, w->q, w->v);
    work->memory = kept;
    if (st == VG_OK) w->choice[sys->nmemory - 1] = fmax(1, steepness(sys, w));
    return st;
}

/* Dependent coordinates (where the method has not made them yet), the choice, and multipliers of an accepted
 * step. */
static void settle(const vgSystem *sys, vgWork *work, vgState *s)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    size_t n = (size_t)sys->nv * sizeof(double), nq = (size_t)sys->nq * sizeof(double);
    int known = w->followed && !memcmp(w->q, s->q, nq) && !memcmp(w->v, s->v, n) && !memcmp(w->a, s->a, n);
    if (!known && follow_all(sys, work, s->t, s->q, s->v, s->a) != VG_OK) return;
    inner->ops->residual(inner, vg_inner_work(work), s->t, s->q, s->v, s->a, w->zero, w->r, NULL);
    if (renew(sys, work, s->t) != VG_OK) return;
    reduce(sys, w, w->r);
    memcpy(s->lambda, w->lambda, (size_t)sys->nphi * sizeof(double));
    memcpy(s->memory, w->choice, (size_t)sys->nmemory * sizeof(double));
}

/* Projections for the start: those of the inner system. */
static vgStatus project_q(const vgSystem *sys, vgWork *work, double t, double *q, double tol, int max_iter,
                          int *iter)
{
    vgWork *in = vg_inner_work(work);
    vgStatus st = vg_inner(sys)->ops->project_q(vg_inner(sys), in, t, q, tol, max_iter, iter);
    work->bad_row = in->bad_row;
    return st;
}

static vgStatus project_v(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    return vg_inner(sys)->ops->project_v(vg_inner(sys), vg_inner_work(work), t, q, v);
}

vgStatus vg_independent_over(vgSystem *inner, vgSystem **out)
{
    vgSystemOps ops = vg_wrap_ops;
    if (inner->nv > MOST_COORDINATES) return VG_LIMIT;
    ops.new_work = new_work;
    ops.residual = residual;
    ops.factor = factor;
    ops.pieces = pieces;
    ops.piece = piece;
    ops.solve = solve;
    ops.accel = accel;
    ops.follow = follow_all;
    ops.settle = settle;
    ops.project_q = project_q;
    ops.project_v = project_v;
    vgWrap *w;
    vgStatus st = vg_wrap_new(inner, sizeof(Independent), &ops, &w);
    if (st != VG_OK) return st;
    w->base.nl = 0;
    w->base.nmemory = inner->nv + inner->nl + 1;
    for (int r = 0; r < inner->nl; r++) ((Independent *)w)->any_second |= inner->row_level[r] > 1;
    *out = &w->base;
    return VG_OK;
}
