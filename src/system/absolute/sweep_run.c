/* Newton's increment of a tree of bodies in absolute coordinates, residual, matrix and solution in one sweep
 * from the leaves to the root and one back, so that a long chain is read through the caches twice a step.
 *
 * A joint that holds a point together, and k = 0 to 3 directions at right angles (spherical, universal,
 * revolute, fixed). With u = δp + Wθ the displacement of the joint's point on the child, W θ = R (θ × r),
 * and θ = N y + P τ, N spanning what the k rows T leave free and T P = 1, the equations of the child
 *
 *     A (δp, θ) + Jᵀ x = ρ        become        Ā (y, u, τ) + (0, f) = ρ̄,    f = (s x_point, x_rows).
 *
 * Eliminating y (at most three numbers) leaves f = e − E w with w = (u, τ), and the constraints say
 * w = H δ_parent − w₀, H = [1 W_p; 0 −T_p], w₀ = (s Φ_point, Φ_rows): the parent gets
 *
 *     A_p += Hᵀ E H,     ρ_p += Hᵀ (e + E w₀).
 *
 * This is the articulated-body recursion (Featherstone 1983) on Newton's matrix with multipliers as a
 * by-product. It never divides by a difference of large articulated inertias as an elimination of the
 * multipliers does, so that chains of any length keep their digits. */
#include "system/absolute/sweep_keep.h"

#include <math.h>
#include <string.h>

#include "system/tuning.h"

static const double PIVOT_FLOOR = 1e-11; /* of what a diagonal entry was */

/* ---- to the root ---- */

typedef struct Point { /* where the increment is taken */
    const vgTangent *p;
    const vgAffine *s; /* NULL: q, v, a are those of p */
    const vgChart *chart;
    vgVec3 g;
    double c1, c2; /* cv/ca, 1/ca */
    int turning;
} Point;

/* Instead of a point: [M Bᵀ; B 0] at a motion, with right sides (−force; NULL: zero) and (rows). */
typedef struct Native {
    const vgKin *kin;
    const double *force, *rows;
} Native;

INLINE void state_of(const Point *x, const vgSweepLink *b, double q[7], double v[6], double a[6])
{
    const vgAffine *s = x->s;
    x->chart->retract(s->q_r + b->q0, s->delta + b->v0, q);
    for (int i = 0; i < 6; i++) {
        double d = s->delta[b->v0 + i] - s->dhat[b->v0 + i];
        v[i] = s->vhat[b->v0 + i] + s->cv * d;
        a[i] = s->ca * d;
    }
}

/* The body by itself: its motion, M V + c1 C V and −r/ca. */
static void open_slot(const Point *x, const vgSweepLink *b, vgSweepSlot *s)
{
    const vgTangent *p = x->p;
    double q[7], v[6], a[6];
    if (x->s) {
        state_of(x, b, q, v, a);
        x->chart->kin(q, v, a, &s->k);
    } else {
        x->chart->kin(p->q + b->q0, p->v + b->v0, p->a + b->v0, &s->k);
    }
    vgVec3 Jw = vg_mv3(b->J, s->k.w);
    vgMat3 gyro = vg_msub3(vg_mm3(vg_skew3(s->k.w), b->J), vg_skew3(Jw));
    s->rr = vg_maxpy3(x->c1, gyro, b->J);
    if (x->turning)
        s->rr = vg_mm3(s->rr,
                       x->chart->stage_map(p, p->delta + b->v0, p->delta_dot ? p->delta_dot + b->v0 : NULL));
    s->tt = vg_diag3(b->mass, b->mass, b->mass);
    s->tr = s->rt = vg_mzero3();
    s->f = vg_scale3(vg_sub3(s->k.dv, x->g), -x->c2 * b->mass);
    s->n = vg_scale3(vg_add3(vg_mv3(b->J, s->k.dw), vg_cross3(s->k.w, Jw)), -x->c2);
}

static void open_native(const Native *x, const vgSweepLink *b, vgSweepSlot *s)
{
    const double *f = x->force ? x->force + b->v0 : NULL;
    s->k = x->kin[b->v0 / 6];
    s->tt = vg_diag3(b->mass, b->mass, b->mass);
    s->rr = b->J;
    s->tr = s->rt = vg_mzero3();
    s->f = f ? vg_neg3(vg_load3(f)) : vg_zero3();
    s->n = f ? vg_neg3(vg_load3(f + 3)) : vg_zero3();
}

/* Torque u × g of a gradient g (body axes) at the vector u of the body, and how it turns with the body. */
INLINE void turn_with(vgSweepSlot *s, vgVec3 u, vgVec3 g, double c2)
{
    double ug = c2 * vg_dot3(u, g);
    vgMat3 K = vg_outer3(vg_scale3(g, c2), u);
    for (int i = 0; i < 3; i++) K.m[i][i] -= ug;
    s->rr = vg_madd3(s->rr, K);
    s->n = vg_axpy3(-c2, vg_cross3(u, g), s->n);
}

/* The joint's point pulls on a body with force f (W). */
INLINE void pull_point(vgSweepSlot *s, vgVec3 r, vgVec3 f, double c2)
{
    s->f = vg_axpy3(-c2, f, s->f);
    turn_with(s, r, vg_mtv3(s->k.R, f), c2);
}

static const vgKin at_rest = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

/* Rows of the k hinges, T (child) and Tp; at a point also their values and forces. */
INLINE void hinges(const vgSweep *w, const vgSweepLink *l, const Point *x, vgSweepSlot *c, vgSweepSlot *p,
                   int k, vgVec3 *T, double *Tp, double *phi)
{
    const vgKin *kp = p ? &p->k : &at_rest;
    for (int i = 0; i < k; i++) {
        const vgSweepHinge *h = &w->hinge[l->hinge + i];
        vgVec3 uc = vg_mv3(c->k.R, h->child), up = vg_mv3(kp->R, h->parent);
        vgVec3 moment = vg_scale3(vg_cross3(uc, up), h->s1);
        T[i] = vg_mtv3(c->k.R, moment);
        vg_store3(vg_neg3(vg_mtv3(kp->R, moment)), Tp + 3 * i);
        if (!x) continue;
        double lambda = x->p->lambda[l->hinge_row + i] * h->s1;
        phi[i] = h->s1 * vg_dot3(uc, up) - h->c;
        turn_with(c, h->child, vg_scale3(vg_mtv3(c->k.R, up), lambda), x->c2);
        if (p) turn_with(p, h->parent, vg_scale3(vg_mtv3(kp->R, uc), lambda), x->c2);
    }
}

/* Columns N (3 − k of them), then P: T N = 0, T P = 1. 0: the rows depend on each other. */
INLINE int basis_of(const vgVec3 *T, int k, vgMat3 *B)
{
    if (k == 1) {
        double size = vg_dot3(T[0], T[0]);
        vgVec3 unit = vg_scale3(T[0], 1 / sqrt(size)), a = vg_perp3(unit);
        *B = vg_cols3(a, vg_cross3(unit, a), vg_scale3(T[0], 1 / size));
        return size > VG_ROWS_VOLUME * VG_ROWS_VOLUME;
    }
    vgVec3 n = vg_cross3(T[0], T[1]);
    if (k == 2) {
        double s = 1 / vg_dot3(n, n);
        *B = vg_cols3(vg_scale3(n, sqrt(s)), vg_scale3(vg_cross3(T[1], n), s),
                      vg_scale3(vg_cross3(n, T[0]), s));
        return s > 0 && s * VG_ROWS_VOLUME * VG_ROWS_VOLUME < 1;
    }
    double s = 1 / vg_dot3(n, T[2]);
    *B = vg_cols3(vg_scale3(vg_cross3(T[1], T[2]), s), vg_scale3(vg_cross3(T[2], T[0]), s), vg_scale3(n, s));
    return fabs(s) * VG_ROWS_VOLUME < 1;
}

/* The child's matrix and right side in (y, u, τ): rows of eight, the right side in the seventh place. */
INLINE void to_joint(const vgSweepSlot *c, const vgMat3 *W, const vgMat3 *B, int k, double X[6][8])
{
    const int f = 3 - k;
    vgMat3 tW = vg_mm3(c->tt, *W), tr = vg_msub3(c->tr, tW);
    vgMat3 rt = vg_msub3(c->rt, vg_mtm3(*W, c->tt));
    vgMat3 rr = vg_msub3(vg_msub3(c->rr, vg_mtm3(*W, tr)), vg_mm3(c->rt, *W));
    vgVec3 n = vg_sub3(c->n, vg_mtv3(*W, c->f));
    if (k) {
        tr = vg_mm3(tr, *B);
        rt = vg_mtm3(*B, rt);
        rr = vg_mtm3(*B, vg_mm3(rr, *B));
        n = vg_mtv3(*B, n);
    }
    double nv[3] = {n.x, n.y, n.z}, fv[3] = {c->f.x, c->f.y, c->f.z};
    for (int i = 0; i < 3; i++) {
        double *r = X[i < f ? i : i + 3], *t = X[f + i];
        for (int j = 0; j < 3; j++) {
            r[j < f ? j : j + 3] = rr.m[i][j];
            r[f + j] = rt.m[i][j];
            t[j < f ? j : j + 3] = tr.m[i][j];
            t[f + j] = c->tt.m[i][j];
        }
        r[6] = nv[i];
        t[6] = fv[i];
    }
}

/* Eliminates the first f unknowns; their rows are kept. 0: a pivot has lost too much. */
INLINE int eliminate(double X[6][8], int f, double *y, double *L)
{
    int good = 1;
    double was[3];
    for (int p = 0; p < f; p++) was[p] = fabs(X[p][p]);
    for (int p = 0; p < f; p++) {
        double inverse = 1 / X[p][p];
        good &= fabs(X[p][p]) > PIVOT_FLOOR * was[p];
        *L++ = inverse;
        for (int i = p + 1; i < 6; i++) *L++ = X[i][p];
        for (int j = p + 1; j < 7; j++) X[p][j] *= inverse;
        for (int i = p + 1; i < 6; i++)
            for (int j = p + 1; j < 7; j++) X[i][j] -= X[i][p] * X[p][j];
        for (int j = p + 1; j < 7; j++) *y++ = X[p][j];
    }
    return good;
}

/* A_p += Hᵀ E H, ρ_p += Hᵀ e1 */
INLINE void give_parent(vgSweepSlot *p, const Kept *x, const vgMat3 *Wp, int k, const double *e1)
{
    const int m = 3 + k;
    vgMat3 Euu, EH; /* EH: columns of the parent's rotation, rows u */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) Euu.m[i][j] = x->E[i * m + j];
    EH = vg_mm3(Euu, *Wp);
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < k; t++)
            for (int j = 0; j < 3; j++) EH.m[i][j] -= x->E[i * m + 3 + t] * x->Tp[3 * t + j];
    p->tt = vg_madd3(p->tt, Euu);
    p->tr = vg_madd3(p->tr, EH);
    vgMat3 rt = vg_mtm3(*Wp, Euu), rr = vg_mtm3(*Wp, EH);
    vgVec3 f = vg_load3(e1), n = vg_mtv3(*Wp, f);
    for (int t = 0; t < k; t++) {
        const double *Et = x->E + (3 + t) * m, *T = x->Tp + 3 * t;
        vgVec3 Tv = vg_load3(T), row = vg_load3(Et), right = vg_mtv3(*Wp, row);
        for (int q = 0; q < k; q++) right = vg_axpy3(-Et[3 + q], vg_load3(x->Tp + 3 * q), right);
        rt = vg_msub3(rt, vg_outer3(Tv, row));
        rr = vg_msub3(rr, vg_outer3(Tv, right));
        n = vg_axpy3(-e1[3 + t], Tv, n);
    }
    p->rt = vg_madd3(p->rt, rt);
    p->rr = vg_madd3(p->rr, rr);
    p->f = vg_add3(p->f, f);
    p->n = vg_add3(p->n, n);
}

/* The joint's point: constraint violation, and the force on both bodies. */
INLINE void join_point(const vgSweepLink *l, const Point *x, vgSweepSlot *c, vgSweepSlot *p, double *open)
{
    vgVec3 force = vg_scale3(vg_load3(x->p->lambda + l->row), l->sign);
    vgVec3 at = p ? vg_kin_point(&p->k, l->r_parent) : l->r_parent;
    vg_store3(vg_sub3(vg_kin_point(&c->k, l->r_child), at), open);
    pull_point(c, l->r_child, force, x->c2);
    if (p) pull_point(p, l->r_parent, vg_neg3(force), x->c2);
}

/* Exactly one of x and rows (right sides of the rows) is given. */
INLINE int close_slot(const vgSweep *w, const vgSweepLink *l, const Point *x, const double *rows,
                      vgSweepSlot *c, vgSweepSlot *p, int k)
{
    const int f = 3 - k, m = 3 + k;
    Kept keep = kept_at(w->keep + l->keep, k);
    vgVec3 T[VG_SWEEP_ROWS];
    vgMat3 B, W = arm(&c->k, l->r_child), Wp = vg_mzero3();
    if (p) Wp = arm(&p->k, l->r_parent);
    if (x)
        join_point(l, x, c, p, keep.w0);
    else
        for (int i = 0; i < m; i++) keep.w0[i] = -(i < 3 ? l->sign : 1) * rows[l->row + i];
    double X[6][8];
    hinges(w, l, x, c, p, k, T, keep.Tp, keep.w0 + 3);
    if (k && !basis_of(T, k, &B)) return 0;
    to_joint(c, &W, &B, k, X);
    if (!eliminate(X, f, keep.y, keep.L)) return 0;
    double e1[6];
    for (int i = 0; i < m; i++) {
        keep.e[i] = e1[i] = X[f + i][6];
        for (int j = 0; j < m; j++) {
            keep.E[i * m + j] = X[f + i][f + j];
            e1[i] += X[f + i][f + j] * keep.w0[j];
        }
    }
    vg_mstore3(c->k.R, keep.R);
    if (k) vg_mstore3(B, keep.basis);
    if (p) give_parent(p, &keep, &Wp, k, e1);
    return 1;
}

/* ---- and back ---- */

/* Second-order constraint violation that the linear solution leaves: points move on arcs, and two consecutive
 * rotations are not their sum. The equations of a hinge see only the rotation y about its axis combined with the
 * rotation a of both bodies across it: log(exp(−a) exp(a + y n)) = y n − ½ y a × n. exp(Δ + T⁻¹θ) differs slightly
 * from exp(Δ) exp(θ), exp(Δ + θ) more. The members are the largest squares over all joints. */
typedef struct Left {
    double turn;       /* |θ|² of any body */
    double axis, rows; /* y²|a|² of hinges; |θ|² of bodies at other rows */
    double bent;       /* |θ × Δ|² */
} Left;

INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

static double violation(const Left *x, double arm_per_length, int plain)
{
    double bent = sqrt(x->bent) * (plain ? 0.5 : sqrt(x->turn) / 6);
    double point = arm_per_length * (x->turn + (plain ? bent : 0));
    return larger(point, x->axis > 0 || x->rows > 0 ? 0.5 * sqrt(x->axis) + 2 * x->rows + bent : 0);
}

/* xp, Rp: the parent's increment and rotation, NULL: ground. left NULL: not wanted. */
INLINE void give_back(const vgSweep *w, const vgSweepLink *l, const double *xp, const double *Rp, double *x_v,
                      double *x_l, const double *d, int k, Left *left)
{
    const int f = 3 - k, m = 3 + k;
    Kept keep = kept_at(w->keep + l->keep, k);
    double z[6] = {0}, *u = z + f; /* y, u, τ */
    for (int i = 0; i < m; i++) u[i] = -keep.w0[i];
    if (xp) {
        vgVec3 tp = vg_load3(xp + 3), moved = vg_mv3(vg_mload3(Rp), vg_cross3(tp, l->r_parent));
        u[0] += xp[0] + moved.x;
        u[1] += xp[1] + moved.y;
        u[2] += xp[2] + moved.z;
        for (int t = 0; t < k; t++) u[3 + t] -= vg_dot3(vg_load3(keep.Tp + 3 * t), tp);
    }
    for (int i = 0; i < m; i++) {
        double sum = keep.e[i];
        for (int j = 0; j < m; j++) sum -= keep.E[i * m + j] * u[j];
        x_l[i] = i < 3 ? l->sign * sum : sum;
    }
    const double *row = keep.E;
    for (int p = f - 1; p >= 0; p--) {
        row -= 6 - p;
        z[p] = row[5 - p];
        for (int j = p + 1; j < 6; j++) z[p] -= row[j - p - 1] * z[j];
    }
    vgVec3 t = vg_v3(z[0], z[f > 1 ? 1 : 4], z[f > 2 ? 2 : 5]);
    if (k == 3) t.x = z[3];
    if (k) {
        vgMat3 B = vg_mload3(keep.basis);
        vgVec3 across = vg_mv3(B, vg_v3(0, t.y, t.z));
        if (left && k == 2) left->axis = larger(left->axis, z[0] * z[0] * vg_dot3(across, across));
        t = vg_axpy3(t.x, vg_col3(B, 0), across);
    }
    double size = vg_dot3(t, t);
    if (left && (k == 1 || k == 3)) left->rows = larger(left->rows, size);
    if (d) {
        vgVec3 bent = vg_cross3(t, vg_load3(d + 3));
        left->bent = larger(left->bent, vg_dot3(bent, bent));
    }
    if (left) left->turn = larger(left->turn, size);
    vg_store3(t, x_v + 3);
    vg_store3(vg_sub3(vg_load3(u), vg_mv3(vg_mload3(keep.R), vg_cross3(t, l->r_child))), x_v);
}

/* θ eliminated as above, then the translation. */
static int solve_free(const vgSweep *w, const vgSweepLink *l, const vgSweepSlot *c, double *x_v)
{
    Kept keep = kept_at(w->keep + l->keep, 0);
    double X[6][8];
    vgMat3 W = vg_mzero3(), E;
    vg_mstore3(c->k.R, keep.R);
    to_joint(c, &W, NULL, 0, X);
    if (!eliminate(X, 3, keep.y, keep.L)) return 0;
    vgVec3 e = vg_v3(X[3][6], X[4][6], X[5][6]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) E.m[i][j] = X[3 + i][3 + j];
    if (!(fabs(vg_det3(E)) > 0)) return 0;
    E = vg_inv3(E);
    vg_mstore3(E, keep.E);
    free_by(&keep, vg_mv3(E, e), x_v);
    return 1;
}

INLINE int close_any(const vgSweep *w, const vgSweepLink *l, const Point *x, const double *rows,
                     vgSweepSlot *c, vgSweepSlot *p)
{
    switch (l->nhinge) {
    case 0:
        return close_slot(w, l, x, rows, c, p, 0);
    case 1:
        return close_slot(w, l, x, rows, c, p, 1);
    case 2:
        return close_slot(w, l, x, rows, c, p, 2);
    default:
        return close_slot(w, l, x, rows, c, p, 3);
    }
}

static int up(vgSweep *w, const Point *x, vgKin *kin, double *x_v)
{
    for (int i = 0; i < w->nlink; i++) {
        const vgSweepLink *l = &w->link[i];
        vgSweepSlot *c = &w->slot[l->slot], *p = l->parent_slot < 0 ? NULL : &w->slot[l->parent_slot];
        if (l->leaf) open_slot(x, l, c);
        if (l->opens) open_slot(x, &w->link[l->parent], p);
        if (kin) kin[l->v0 / 6] = c->k;
        if (!(l->row < 0 ? solve_free(w, l, c, x_v + l->v0) : close_any(w, l, x, NULL, c, p))) return 0;
    }
    return 1;
}

static int up_native(vgSweep *w, const Native *x, double *xi)
{
    for (int i = 0; i < w->nlink; i++) {
        const vgSweepLink *l = &w->link[i];
        vgSweepSlot *c = &w->slot[l->slot], *p = l->parent_slot < 0 ? NULL : &w->slot[l->parent_slot];
        if (l->leaf) open_native(x, l, c);
        if (l->opens) open_native(x, &w->link[l->parent], p);
        if (!(l->row < 0 ? solve_free(w, l, c, xi + l->v0) : close_any(w, l, NULL, x->rows, c, p))) return 0;
    }
    return 1;
}

INLINE void give_back_any(const vgSweep *w, const vgSweepLink *l, const double *x_v, double *x, double *x_l,
                          const double *d, Left *left)
{
    const vgSweepLink *p = l->parent < 0 ? NULL : &w->link[l->parent];
    const double *xp = p ? x_v + p->v0 : NULL, *Rp = p ? w->keep + p->keep : NULL;
    if (l->nhinge == 0)
        give_back(w, l, xp, Rp, x, x_l, d, 0, left);
    else if (l->nhinge == 2)
        give_back(w, l, xp, Rp, x, x_l, d, 2, left);
    else if (l->nhinge == 1)
        give_back(w, l, xp, Rp, x, x_l, d, 1, left);
    else
        give_back(w, l, xp, Rp, x, x_l, d, 3, left);
}

INLINE void down(const vgSweep *w, const double *delta, double *x_v, double *x_l, Left *left)
{
    for (int i = w->nlink - 1; i >= 0; i--) {
        const vgSweepLink *l = &w->link[i];
        if (l->row >= 0)
            give_back_any(w, l, x_v, x_v + l->v0, x_l + l->row, delta ? delta + l->v0 : NULL, left);
    }
}

typedef struct Largest { /* translation, rotation */
    double x[2], a[2], change[2], bad;
} Largest;

/* Adds the increment of a body to its Δ. */
INLINE void move_body(const Point *x, const vgSweepLink *l, const double *dx, Largest *most)
{
    const vgAffine *s = x->s;
    double *delta = s->delta + l->v0, d[6];
    const double *dhat = s->dhat + l->v0, *a_old = s->a_old + l->v0;
    if (x->turning)
        x->chart->rates(delta, NULL, dx, d);
    else
        memcpy(d, dx, sizeof d);
    for (int i = 0; i < 6; i++) {
        delta[i] += d[i];
        double a = s->ca * (delta[i] - dhat[i]);
        most->x[i / 3] = larger(most->x[i / 3], fabs(dx[i]));
        most->a[i / 3] = larger(most->a[i / 3], fabs(a));
        most->change[i / 3] = larger(most->change[i / 3], fabs(a - a_old[i]));
        most->bad += dx[i] * 0;
    }
}

static void down_and_move(const vgSweep *w, const Point *x, Left *left, Largest *most)
{
    const vgAffine *s = x->s;
    for (int i = w->nlink - 1; i >= 0; i--) {
        const vgSweepLink *l = &w->link[i];
        double *dx = s->x + l->v0, dl[6];
        if (l->row >= 0) {
            give_back_any(w, l, s->x, dx, dl, s->delta + l->v0, left);
            for (int k = 0; k < 3 + l->nhinge; k++) s->lambda[l->row + k] += s->ca * dl[k];
        }
        move_body(x, l, dx, most);
    }
}

static Point point_at(const vgSystem *sys, const vgTangent *p, const vgAffine *s)
{
    return (Point){.p = p,
                   .s = s,
                   .chart = ((const vgAbs *)sys)->chart,
                   .g = sys->model->gravity,
                   .c1 = p->cv / p->ca,
                   .c2 = 1 / p->ca,
                   .turning = p->map != VG_STAGE_PLAIN && !sys->vector_space};
}

/* The motion is wanted after the step where somebody watches angles. */
static vgKin *watched(vgAbsWork *w)
{
    const vgModel *m = w->base.sys->model;
    return m->nturn > 0 && memchr(w->base.watch, 1, (size_t)m->nmeasure) ? w->kin : NULL;
}

vgStatus vg_abs_increment(const vgSystem *sys, vgWork *work, const vgTangent *p, double *x_v, double *x_l,
                          double *open)
{
    vgAbsWork *w = (vgAbsWork *)work;
    if (w->lines && p->ca > 0) {
        vgIteration out;
        vgStatus st = vg_abs_lines_increment((const vgAbs *)sys, w, p, NULL, x_v, x_l, &out);
        *open = out.open;
        return st;
    }
    if (!w->sweep || !(p->ca > 0)) return VG_LIMIT;
    Point x = point_at(sys, p, NULL);
    if (!up(w->sweep, &x, watched(w), x_v)) return VG_LIMIT;
    work->taken |= VG_FAST_SWEEP;
    Left left = {0};
    down(w->sweep, p->delta, x_v, x_l, &left);
    *open = violation(&left, w->sweep->arm / sys->length, p->map == VG_STAGE_PLAIN);
    return VG_OK;
}

vgStatus vg_abs_iterate(const vgSystem *sys, vgWork *work, const vgAffine *s, vgIteration *out)
{
    vgAbsWork *w = (vgAbsWork *)work;
    if (w->lines && s->ca > 0) return vg_abs_lines_iterate((const vgAbs *)sys, w, s, out);
    if (!w->sweep || !(s->ca > 0) || s->map == VG_STAGE_FIRST) return VG_LIMIT;
    vgTangent p = {
        .t = s->t, .lambda = s->lambda, .cv = s->cv, .ca = s->ca, .map = s->map, .delta = s->delta};
    Point x = point_at(sys, &p, s);
    Left left = {0};
    Largest most = {0};
    if (!up(w->sweep, &x, watched(w), s->x)) return VG_LIMIT;
    work->taken |= VG_FAST_SWEEP;
    down_and_move(w->sweep, &x, &left, &most);
    double scale = 1 / sys->length;
    *out = (vgIteration){.norm = most.bad == 0 ? larger(scale * most.x[0], most.x[1]) : NAN,
                         .acc = larger(scale * most.a[0], most.a[1]),
                         .change = larger(scale * most.change[0], most.change[1]),
                         .open = violation(&left, w->sweep->arm / sys->length, s->map == VG_STAGE_PLAIN),
                         .corrects = s->y != NULL};
    if (s->y) vg_sweep_correct(w->sweep, s, w->kin);
    return VG_OK;
}

void vg_abs_again(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    vgAbsWork *w = (vgAbsWork *)work;
    if (w->lines)
        vg_abs_lines_again((const vgAbs *)sys, w, x_v, x_l);
    else
        vg_sweep_again(w->sweep, x_v, x_l);
}

int vg_sweep_native(vgSweep *w, const vgKin *kin, const double *force, const double *rows, double *xi,
                    double *lambda)
{
    Native x = {kin, force, rows};
    if (!w || !up_native(w, &x, xi)) return 0;
    Left left = {0};
    down(w, NULL, xi, lambda, &left);
    return 1;
}

void vg_sweep_down(const vgSweep *w, double *x_v, double *x_l)
{
    down(w, NULL, x_v, x_l, NULL);
}
