/* Relative coordinates: accelerations by articulated bodies (Featherstone 2008, ch. 7), O(n).
 *     I_i^A = I_i + Σ Xᵀ I_c^a X,   U = I^A S,   D = Sᵀ U,   I^a = I^A − U D⁻¹ Uᵀ
 *     p_i^A = b_i − f_i + Σ Xᵀ p_c^a,   u = τ − Sᵀ p^A,   p^a = p^A + I^a c + U D⁻¹ u
 *     a = D⁻¹ (u − Uᵀ (X A_p + c)) */
#include <math.h>
#include <string.h>

#include "system/relative.h"

/* A symmetric spatial inertia and the bias force with it: [vv vw; vwᵀ ww], 6 + 9 + 6 numbers, and 3 + 3.
 * Symmetric 3×3 are kept as xx xy xz yy yz zz. */
typedef struct Inertia {
    double vv[6], vw[9], ww[6];
    vgVec3 pv, pw;
} Inertia;

static inline vgVec3 sym(const double *a, vgVec3 x)
{
    return vg_v3(a[0] * x.x + a[1] * x.y + a[2] * x.z, a[1] * x.x + a[3] * x.y + a[4] * x.z,
                 a[2] * x.x + a[4] * x.y + a[5] * x.z);
}
static inline vgVec3 full(const double *a, vgVec3 x)
{
    return vg_v3(a[0] * x.x + a[1] * x.y + a[2] * x.z, a[3] * x.x + a[4] * x.y + a[5] * x.z,
                 a[6] * x.x + a[7] * x.y + a[8] * x.z);
}
static inline vgVec3 full_t(const double *a, vgVec3 x)
{
    return vg_v3(a[0] * x.x + a[3] * x.y + a[6] * x.z, a[1] * x.x + a[4] * x.y + a[7] * x.z,
                 a[2] * x.x + a[5] * x.y + a[8] * x.z);
}

/* R J Rᵀ as xx xy xz yy yz zz */
static inline void turned(const vgMat3 *R, const vgMat3 *J, double o[6])
{
    vgMat3 T = vg_mm3(*R, *J);
    vgVec3 r0 = vg_row3(*R, 0), r1 = vg_row3(*R, 1), r2 = vg_row3(*R, 2);
    vgVec3 t0 = vg_row3(T, 0), t1 = vg_row3(T, 1), t2 = vg_row3(T, 2);
    o[0] = vg_dot3(t0, r0);
    o[1] = vg_dot3(t0, r1);
    o[2] = vg_dot3(t0, r2);
    o[3] = vg_dot3(t1, r1);
    o[4] = vg_dot3(t1, r2);
    o[5] = vg_dot3(t2, r2);
}

/* The link's own inertia and bias, added to what its children left (or alone). */
static inline void own_inertia(const vgLink *l, const vgLinkMotion *m, const double *wrench, Inertia *I)
{
    double J[6];
    turned(&m->R, &l->J, J);
    if (l->leaf) memset(I, 0, sizeof *I);
    I->vv[0] += l->mass;
    I->vv[3] += l->mass;
    I->vv[5] += l->mass;
    for (int k = 0; k < 6; k++) I->ww[k] += J[k];
    I->pv = vg_axpy3(l->mass, vg_cross3(m->w, m->v), I->pv);
    I->pw = vg_add3(I->pw, vg_cross3(m->w, sym(J, m->w)));
    if (wrench) {
        I->pv = vg_add3(I->pv, vg_load3(wrench));
        I->pw = vg_add3(I->pw, vg_load3(wrench + 3));
    }
}

/* to (=, +=) Xᵀ I X and Xᵀ p:  vw' = vw − vv [d],  ww' = ww + [d] vw' + ([d] vw)ᵀ. */
static inline void carry(const Inertia *I, vgVec3 d, Inertia *to, int first)
{
    const double *a = I->vv, *b = I->vw;
    double n[9], e[6];
    /* rows of vv times [d]: x × d */
    double x[3][3] = {{a[0], a[1], a[2]}, {a[1], a[3], a[4]}, {a[2], a[4], a[5]}};
    for (int i = 0; i < 3; i++) {
        n[3 * i] = b[3 * i] - (x[i][1] * d.z - x[i][2] * d.y);
        n[3 * i + 1] = b[3 * i + 1] - (x[i][2] * d.x - x[i][0] * d.z);
        n[3 * i + 2] = b[3 * i + 2] - (x[i][0] * d.y - x[i][1] * d.x);
    }
    /* ([d] n)_ij + ([d] b)_ji, upper part */
    double r0[3], r1[3], r2[3], s0[3], s1[3], s2[3];
    for (int j = 0; j < 3; j++) {
        r0[j] = d.y * n[6 + j] - d.z * n[3 + j];
        r1[j] = d.z * n[j] - d.x * n[6 + j];
        r2[j] = d.x * n[3 + j] - d.y * n[j];
        s0[j] = d.y * b[6 + j] - d.z * b[3 + j];
        s1[j] = d.z * b[j] - d.x * b[6 + j];
        s2[j] = d.x * b[3 + j] - d.y * b[j];
    }
    e[0] = I->ww[0] + r0[0] + s0[0];
    e[1] = I->ww[1] + r0[1] + s1[0];
    e[2] = I->ww[2] + r0[2] + s2[0];
    e[3] = I->ww[3] + r1[1] + s1[1];
    e[4] = I->ww[4] + r1[2] + s2[1];
    e[5] = I->ww[5] + r2[2] + s2[2];
    vgVec3 pw = vg_add3(I->pw, vg_cross3(d, I->pv));
    if (first) {
        memcpy(to->vv, a, sizeof to->vv);
        memcpy(to->vw, n, sizeof to->vw);
        memcpy(to->ww, e, sizeof to->ww);
        to->pv = I->pv;
        to->pw = pw;
        return;
    }
    for (int k = 0; k < 6; k++) to->vv[k] += a[k], to->ww[k] += e[k];
    for (int k = 0; k < 9; k++) to->vw[k] += n[k];
    to->pv = vg_add3(to->pv, I->pv);
    to->pw = vg_add3(to->pw, pw);
}

/* I −= s U Uᵀ */
static inline void drop(Inertia *I, vgVec3 Uv, vgVec3 Uw, double s)
{
    vgVec3 v = vg_scale3(Uv, s), o = vg_scale3(Uw, s);
    I->vv[0] -= v.x * Uv.x, I->vv[1] -= v.x * Uv.y, I->vv[2] -= v.x * Uv.z;
    I->vv[3] -= v.y * Uv.y, I->vv[4] -= v.y * Uv.z, I->vv[5] -= v.z * Uv.z;
    I->vw[0] -= v.x * Uw.x, I->vw[1] -= v.x * Uw.y, I->vw[2] -= v.x * Uw.z;
    I->vw[3] -= v.y * Uw.x, I->vw[4] -= v.y * Uw.y, I->vw[5] -= v.y * Uw.z;
    I->vw[6] -= v.z * Uw.x, I->vw[7] -= v.z * Uw.y, I->vw[8] -= v.z * Uw.z;
    I->ww[0] -= o.x * Uw.x, I->ww[1] -= o.x * Uw.y, I->ww[2] -= o.x * Uw.z;
    I->ww[3] -= o.y * Uw.y, I->ww[4] -= o.y * Uw.z, I->ww[5] -= o.z * Uw.z;
}

/* p += I c */
static inline void push_bias(Inertia *I, const double *c)
{
    vgVec3 cv = vg_load3(c), cw = vg_load3(c + 3);
    I->pv = vg_add3(I->pv, vg_add3(sym(I->vv, cv), full(I->vw, cw)));
    I->pw = vg_add3(I->pw, vg_add3(full_t(I->vw, cv), sym(I->ww, cw)));
}

/* One coordinate. Returns 0 for a joint without inertia. */
static inline int eliminate_one(const double *S, double tau, double rotor, const double *c, Inertia *I,
                                double *U, double *Dinv, double *u)
{
    vgVec3 Sv = vg_load3(S), Sw = vg_load3(S + 3);
    vgVec3 Uv = vg_add3(sym(I->vv, Sv), full(I->vw, Sw)), Uw = vg_add3(full_t(I->vw, Sv), sym(I->ww, Sw));
    double D = vg_dot3(Sv, Uv) + vg_dot3(Sw, Uw) + rotor, z = tau - vg_dot3(Sv, I->pv) - vg_dot3(Sw, I->pw);
    if (!(D > 0)) return 0;
    double inv = 1 / D;
    vg_store3(Uv, U);
    vg_store3(Uw, U + 3);
    *Dinv = inv;
    *u = z;
    drop(I, Uv, Uw, inv);
    push_bias(I, c);
    I->pv = vg_axpy3(inv * z, Uv, I->pv);
    I->pw = vg_axpy3(inv * z, Uw, I->pw);
    return 1;
}

/* Several coordinates: D is inverted by Cholesky in place (n ≤ 6). */
static int invert(double *D, int n)
{
    double L[36] = {0}, W[36] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double x = D[i * n + j];
            for (int k = 0; k < j; k++) x -= L[i * n + k] * L[j * n + k];
            if (i == j && !(x > 0)) return 0;
            L[i * n + j] = i == j ? sqrt(x) : x / L[j * n + j];
        }
    for (int i = 0; i < n; i++) { /* W = L⁻¹ */
        W[i * n + i] = 1 / L[i * n + i];
        for (int j = 0; j < i; j++) {
            double x = 0;
            for (int k = j; k < i; k++) x -= L[i * n + k] * W[k * n + j];
            W[i * n + j] = x * W[i * n + i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = 0;
            for (int k = i > j ? i : j; k < n; k++) x += W[k * n + i] * W[k * n + j];
            D[i * n + j] = x;
        }
    return 1;
}

static int eliminate_many(int n, const double *S, const double *tau, const double *rotor, const double *c,
                          Inertia *I, double *U, double *D, double *u)
{
    for (int k = 0; k < n; k++) {
        vgVec3 Sv = vg_load3(S + 6 * k), Sw = vg_load3(S + 6 * k + 3);
        vg_store3(vg_add3(sym(I->vv, Sv), full(I->vw, Sw)), U + 6 * k);
        vg_store3(vg_add3(full_t(I->vw, Sv), sym(I->ww, Sw)), U + 6 * k + 3);
        u[k] = tau[k] - vg_dot3(Sv, I->pv) - vg_dot3(Sw, I->pw);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            D[i * n + j] = vg_dot_row6(S + 6 * i, U + 6 * j) + (i == j ? rotor[i] : 0);
    if (!invert(D, n)) return 0;
    double z[6];
    for (int i = 0; i < n; i++) {
        double V[6] = {0}; /* U D⁻¹ column i */
        z[i] = 0;
        for (int j = 0; j < n; j++) {
            z[i] += D[i * n + j] * u[j];
            vg_add_row6(V, U + 6 * j, D[i * n + j]);
        }
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) I->vw[3 * a + b] -= V[a] * U[6 * i + 3 + b];
        for (int a = 0, at = 0; a < 3; a++)
            for (int b = a; b < 3; b++, at++) {
                I->vv[at] -= V[a] * U[6 * i + b];
                I->ww[at] -= V[3 + a] * U[6 * i + 3 + b];
            }
    }
    push_bias(I, c);
    for (int k = 0; k < n; k++) {
        I->pv = vg_axpy3(z[k], vg_load3(U + 6 * k), I->pv);
        I->pw = vg_axpy3(z[k], vg_load3(U + 6 * k + 3), I->pw);
    }
    return 1;
}

/* From the ends to the ground. */
static vgStatus inwards(const vgTree *s, vgTreeWork *w)
{
    Inertia *slots = (Inertia *)w->acc;
    for (int i = s->nlink - 1; i >= 0; i--) {
        const vgLink *l = &s->link[i];
        const vgLinkMotion *m = &w->m[i];
        Inertia *I = &slots[l->slot];
        int k = l->v0, ok = 1;
        own_inertia(l, m, w->have_wrench ? w->wrench + 6 * i : NULL, I);
        if (l->nv == 1)
            ok = eliminate_one(w->S + 6 * k, w->tau[k], w->rotor[k], m->c, I, w->U + 6 * k, w->D + 6 * k,
                               w->u + k);
        else if (l->nv > 1)
            ok = eliminate_many(l->nv, w->S + 6 * k, w->tau + k, w->rotor + k, m->c, I, w->U + 6 * k,
                                w->D + 6 * k, w->u + k);
        else
            push_bias(I, m->c);
        if (!ok) {
            w->base.bad_row = k;
            return VG_SINGULAR;
        }
        if (l->parent >= 0) carry(I, m->d, &slots[s->link[l->parent].slot], l->first);
    }
    return VG_OK;
}

/* From the ground to the ends. ground: its acceleration, −g or zero. */
static void outwards(const vgTree *s, vgTreeWork *w, vgVec3 ground, double *a)
{
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        vgLinkMotion *m = &w->m[i];
        vgVec3 Av = vg_load3(m->c), Aw = vg_load3(m->c + 3);
        if (l->parent >= 0) {
            const double *P = w->m[l->parent].A;
            vgVec3 pw = vg_load3(P + 3);
            Av = vg_add3(Av, vg_add3(vg_load3(P), vg_cross3(pw, m->d)));
            Aw = vg_add3(Aw, pw);
        } else if (!l->weightless) {
            Av = vg_add3(Av, ground);
        }
        if (l->nv == 1) {
            const double *U = w->U + 6 * l->v0, *S = w->S + 6 * l->v0;
            double x =
                w->D[6 * l->v0] * (w->u[l->v0] - vg_dot3(vg_load3(U), Av) - vg_dot3(vg_load3(U + 3), Aw));
            a[l->v0] = x;
            Av = vg_axpy3(x, vg_load3(S), Av);
            Aw = vg_axpy3(x, vg_load3(S + 3), Aw);
        } else {
            double z[6];
            for (int k = 0; k < l->nv; k++) {
                const double *U = w->U + 6 * (l->v0 + k);
                z[k] = w->u[l->v0 + k] - vg_dot3(vg_load3(U), Av) - vg_dot3(vg_load3(U + 3), Aw);
            }
            for (int k = 0; k < l->nv; k++) {
                const double *S = w->S + 6 * (l->v0 + k), *D = w->D + 6 * l->v0 + k * l->nv;
                double x = 0;
                for (int j = 0; j < l->nv; j++) x += D[j] * z[j];
                a[l->v0 + k] = x;
                Av = vg_axpy3(x, vg_load3(S), Av);
                Aw = vg_axpy3(x, vg_load3(S + 3), Aw);
            }
        }
        vg_store3(Av, m->A);
        vg_store3(Aw, m->A + 3);
    }
}

void vg_tree_composite(const vgTree *s, vgTreeWork *w,
                       void (*column)(void *user, int link, int k, const double F[6]), void *user)
{
    Inertia *slots = (Inertia *)w->acc;
    for (int i = s->nlink - 1; i >= 0; i--) {
        const vgLink *l = &s->link[i];
        Inertia *I = &slots[l->slot];
        own_inertia(l, &w->m[i], NULL, I);
        for (int k = 0; k < l->nv; k++) {
            const double *S = w->S + 6 * (l->v0 + k);
            vgVec3 Sv = vg_load3(S), Sw = vg_load3(S + 3);
            double F[6];
            vg_store3(vg_add3(sym(I->vv, Sv), full(I->vw, Sw)), F);
            vg_store3(vg_add3(full_t(I->vw, Sv), sym(I->ww, Sw)), F + 3);
            column(user, i, k, F);
        }
        if (l->parent >= 0) carry(I, w->m[i].d, &slots[s->link[l->parent].slot], l->first);
    }
}

vgStatus vg_tree_articulated(const vgTree *s, vgTreeWork *w, vgVec3 ground, double *a)
{
    vgStatus st = inwards(s, w);
    if (st == VG_OK) outwards(s, w, ground, a);
    return st;
}

vgStatus vg_tree_accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                       double *a, double *lambda)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    work->bad_row = -1;
    if (s->explicit_mass) return vg_tree_accel_explicit(s, w, t, q, v, a, lambda);
    vg_tree_motion(s, w, q, v);
    w->have_reactions = 0;
    w->have_wrench = 0;
    vg_tree_joint_forces(s, w, t, q, v, NULL, NULL, NULL);
    if (s->nnative_force > 0) {
        vg_tree_native(s, w, 0);
        vg_tree_wrenches(s, w, t, NULL, NULL);
    }
    return vg_tree_articulated(s, w, vg_neg3(sys->model->gravity), a);
}
