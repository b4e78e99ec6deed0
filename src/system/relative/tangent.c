/* Relative coordinates: the exact tangent of the recursive equations and its elimination along the tree, O(n).
 *
 * For link i let η_i be the variation of its pose (spatial vector, world axes, about p_i), and let E_i and Ã_i be the
 * variations of its velocity and acceleration as seen from the link. Ã has a term in E, so that the recursion below has
 * no cross terms:
 *
 *     E_i = δV_i − η_i × V_i
 *     Ã_i = δA_i − η_i × A_i + V_i × E_i
 *
 * With U = S v, P = (∂S/∂q) v, and N the derivative of S a + Ṡ v with respect to q in link axes (all at p_i, A
 * including −g):
 *
 *     η_i = η_p + S δq
 *     E_i = E_p + S δv + (V_p × S + P) δq
 *     Ã_i = Ã_p + S δa + ((2 V_p + U) × S + ∂(Ṡv)/∂v) δv
 *               + (A_p × S + V_p × (V_p × S) + N + (2 V_p + U) × P) δq
 *
 * So y = (Ã, E, η) obeys y_i = X y_p + σ_i δ_i, and the wrench of a subtree is δF_i = 𝔸_i y_i with the 6×18 matrix
 * 𝔸 = [M C K]. The link itself adds
 *
 *     M = | m 0 |     C = | 0  −2m[v]             |     K = | 0    −[F] |
 *         | 0 J |         | 0  [w]J − J[w] − [Jw] |         | −[F] −[T] |
 *
 * and the row of its joint is
 *
 *     δr_i = S_iᵀ (δF_i − η_i ×* F_i).
 *
 * Eliminating δ_i at each joint gives the parent a Schur complement of 𝔸, as the articulated-body algorithm does with
 * M alone. Everything is divided by ca: c1 = cv/ca, c2 = 1/ca. References: Carpentier, Mansard 2018; Singh, Russell,
 * Wensing 2022 (derivatives of the recursion). */
#include "system/relative/tangent.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-5; /* of the differences where S depends on q */

static inline void cross6(vgVec3 v, vgVec3 w, const double *s, double *o)
{
    vgVec3 sv = vg_load3(s), sw = vg_load3(s + 3);
    vg_store3(vg_add3(vg_cross3(w, sv), vg_cross3(v, sw)), o);
    vg_store3(vg_cross3(w, sw), o + 3);
}

static inline void put_skew(double *A, int ld, vgVec3 x, double s)
{
    A[1] -= s * x.z, A[2] += s * x.y;
    A[ld] += s * x.z, A[ld + 2] -= s * x.x;
    A[2 * ld] -= s * x.y, A[2 * ld + 1] += s * x.x;
}

static inline void add_own_block(const vgLink *l, const vgLinkMotion *m, const double *wrench, double *A)
{
    vgMat3 J = vg_mmt3(vg_mm3(m->R, l->J), m->R);
    vgVec3 h = vg_mv3(J, m->w), F = vg_scale3(vg_add3(vg_load3(m->A), vg_cross3(m->w, m->v)), l->mass);
    vgVec3 T = vg_add3(vg_mv3(J, vg_load3(m->A + 3)), vg_cross3(m->w, h));
    for (int i = 0; i < 3; i++) {
        A[19 * i] += l->mass;
        vgVec3 Jr = vg_row3(J, i), Jc = vg_col3(J, i);
        vgVec3 a = vg_cross3(Jr, m->w), b = vg_cross3(m->w, Jc); /* row i of J[w], column i of [w]J */
        double *M = A + 18 * (3 + i) + 3, *C = M + 6;
        M[0] += Jr.x, M[1] += Jr.y, M[2] += Jr.z;
        C[0] -= a.x, C[1] -= a.y, C[2] -= a.z;
        A[18 * 3 + 9 + i] += b.x, A[18 * 4 + 9 + i] += b.y, A[18 * 5 + 9 + i] += b.z;
    }
    put_skew(A + 9, 18, m->v, -2 * l->mass);
    put_skew(A + 18 * 3 + 9, 18, h, -1);
    put_skew(A + 15, 18, F, -1);
    if (wrench) {
        F = vg_add3(F, vg_load3(wrench));
        T = vg_add3(T, vg_load3(wrench + 3));
    }
    put_skew(A + 18 * 3 + 12, 18, F, -1);
    put_skew(A + 18 * 3 + 15, 18, T, -1);
}

void vg_tree_own_block(const vgLink *l, const vgLinkMotion *m, const double *wrench, double *A)
{
    add_own_block(l, m, wrench, A);
}

double *vg_tree_link_block(const vgTree *s, vgTreeWork *w, int i, const double *wrench)
{
    const vgLink *l = &s->link[i];
    double *A = w->slots + 108 * l->slot;
    if (l->leaf) memset(A, 0, 108 * sizeof *A);
    add_own_block(l, &w->m[i], wrench, A);
    if (w->extra_of && w->extra_of[i] >= 0) {
        const double *x = w->extra + 108 * (size_t)w->extra_of[i];
        for (int k = 0; k < 108; k++) A[k] += x[k];
    }
    return A;
}

/* to += Xᵀ 𝔸 X */
void vg_tree_carry_block(const double *A, vgVec3 d, double *to, int first)
{
    double B[108];
    for (int r = 0; r < 6; r++) {
        const double *a = A + 18 * r;
        double *b = B + 18 * r;
        for (int k = 0; k < 18; k += 6) { /* columns: w' = w − v × d */
            b[k] = a[k], b[k + 1] = a[k + 1], b[k + 2] = a[k + 2];
            b[k + 3] = a[k + 3] - (a[k + 1] * d.z - a[k + 2] * d.y);
            b[k + 4] = a[k + 4] - (a[k + 2] * d.x - a[k] * d.z);
            b[k + 5] = a[k + 5] - (a[k] * d.y - a[k + 1] * d.x);
        }
    }
    for (int c = 0; c < 18; c++) { /* rows: torque += d × force */
        double x = B[c], y = B[18 + c], z = B[36 + c];
        B[54 + c] += d.y * z - d.z * y;
        B[72 + c] += d.z * x - d.x * z;
        B[90 + c] += d.x * y - d.y * x;
    }
    if (first)
        memcpy(to, B, sizeof B);
    else
        for (int k = 0; k < 108; k++) to[k] += B[k];
}

/* A row over y, carried to the parent likewise. */
void vg_tree_carry_row(double *h, vgVec3 d)
{
    for (int k = 0; k < 18; k += 6) {
        h[k + 3] -= h[k + 1] * d.z - h[k + 2] * d.y;
        h[k + 4] -= h[k + 2] * d.x - h[k] * d.z;
        h[k + 5] -= h[k] * d.y - h[k + 1] * d.x;
    }
}

/* ---- σ ---- */

typedef struct Parent {
    vgVec3 v, w, a, dw; /* V_p, A_p at the link's centre of mass */
} Parent;

static inline Parent parent_of(const vgTree *s, const vgTreeWork *w, int i)
{
    const vgLink *l = &s->link[i];
    const vgLinkMotion *p = &w->m[l->parent < 0 ? s->nlink : l->parent];
    vgVec3 d = w->m[i].d, dw = vg_load3(p->A + 3);
    if (l->parent < 0)
        return (Parent){p->v, p->w, l->weightless ? vg_zero3() : vg_neg3(s->base.model->gravity), vg_zero3()};
    return (Parent){vg_add3(p->v, vg_cross3(p->w, d)), p->w, vg_add3(vg_load3(p->A), vg_cross3(dw, d)), dw};
}

/* The same from the joint's own derivatives, in frame B's axes at its origin: carried to the centre of mass
 * of a link that is not flipped by (v + rC × w, w). */
static void varying_exactly(const vgLink *l, const vgLinkMotion *m, const double *q, const double *v,
                            const double *a, double *P, double *N, double *Bv, double *SF)
{
    int n = l->nv;
    double dS[216], b_q[36], b_v[36];
    l->motion->vary(l->def, q, v, dS, b_q, b_v);
    /* F about the centre of mass as seen from frame B's origin */
    vgVec3 F = vg_mtv3(m->R, vg_load3(m->F)),
           T = vg_add3(vg_mtv3(m->R, vg_load3(m->F + 3)), vg_cross3(F, l->rC));
    for (int k = 0; k < n; k++) {
        const double *D = dS + 6 * n * k;
        double p[6] = {0}, x[6];
        memcpy(x, b_q + 6 * k, sizeof x);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < n; j++) p[i] += D[i * n + j] * v[j], x[i] += D[i * n + j] * a[j];
        for (int j = 0; j < n; j++)
            SF[j * n + k] = F.x * D[j] + F.y * D[n + j] + F.z * D[2 * n + j] + T.x * D[3 * n + j] +
                            T.y * D[4 * n + j] + T.z * D[5 * n + j];
        const double *from[3] = {p, x, b_v + 6 * k};
        double *to[3] = {P + 6 * k, N + 6 * k, Bv + 6 * k};
        for (int e = 0; e < 3; e++) {
            vgVec3 xv = vg_load3(from[e]), xw = vg_load3(from[e] + 3);
            vg_store3(vg_mv3(m->R, vg_add3(xv, vg_cross3(l->rC, xw))), to[e]);
            vg_store3(vg_mv3(m->R, xw), to[e] + 3);
        }
    }
}

/* A joint whose S depends on q: P, N, ∂(Ṡv)/∂v (6×nv columns in W) and ∂(Sᵀ)F/∂q (nv×nv), by differences. */
static void varying(const vgLink *l, const vgLinkMotion *m, const double *q, const double *v, const double *a,
                    double *P, double *N, double *Bv, double *SF)
{
    int n = l->nv;
    if (l->motion->vary && !l->flipped) {
        varying_exactly(l, m, q, v, a, P, N, Bv, SF);
        return;
    }
    double F[6], x[36], y[36], at[8], vk[6], d[6] = {0}, gap[2][12], end[2][36], b[6];
    vg_store3(vg_mtv3(m->R, vg_load3(m->F)), F);
    vg_store3(vg_mtv3(m->R, vg_load3(m->F + 3)), F + 3);
    for (int k = 0; k < n; k++) {
        for (int side = 0; side < 2; side++) {
            double e = side ? STEP : -STEP, *S = end[side], *g = gap[side];
            d[k] = e;
            if (l->motion->retract)
                l->motion->retract(q, d, at);
            else
                for (int i = 0; i < l->nq; i++) at[i] = q[i] + d[i];
            d[k] = 0;
            vg_tree_local_subspace(l, at, S);
            vg_tree_local_bias(l, at, v, b);
            for (int i = 0; i < 6; i++) {
                g[i] = 0, g[6 + i] = b[i];
                for (int j = 0; j < n; j++) g[i] += S[i * n + j] * v[j], g[6 + i] += S[i * n + j] * a[j];
            }
        }
        for (int i = 0; i < 6; i++) {
            x[i] = (gap[1][i] - gap[0][i]) / (2 * STEP);
            y[i] = (gap[1][6 + i] - gap[0][6 + i]) / (2 * STEP);
        }
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < 6; i++) sum += F[i] * (end[1][i * n + j] - end[0][i * n + j]);
            SF[j * n + k] = sum / (2 * STEP);
        }
        for (int h = 0; h < 6; h += 3) {
            vg_store3(vg_mv3(m->R, vg_load3(x + h)), P + 6 * k + h);
            vg_store3(vg_mv3(m->R, vg_load3(y + h)), N + 6 * k + h);
        }
        for (int i = 0; i < n; i++) vk[i] = v[i] + (i == k); /* the bias is quadratic in v: exact */
        vg_tree_local_bias(l, q, vk, x);
        for (int i = 0; i < n; i++) vk[i] = v[i] - (i == k);
        vg_tree_local_bias(l, q, vk, y);
        for (int i = 0; i < 6; i++) x[i] = 0.5 * (x[i] - y[i]);
        for (int h = 0; h < 6; h += 3) vg_store3(vg_mv3(m->R, vg_load3(x + h)), Bv + 6 * k + h);
    }
}

/* V of the joint (nv×nv), 0: it is the identity. */
int vg_tree_stage_map(const vgLink *l, const vgTangent *p, double *V)
{
    const vgJointMotion *mo = l->motion;
    int n = l->nv;
    if (p->map == VG_STAGE_PLAIN || !mo->tangent_inv) return 0;
    const double *d = p->delta + l->v0;
    if (p->map == VG_STAGE_NEWMARK) {
        mo->tangent_inv(d, V);
        return 1;
    }
    double D[36], T[36];
    mo->tangent_diff(d, p->delta_dot + l->v0, D);
    mo->tangent_inv(d, T);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = 0;
            for (int k = 0; k < n; k++) x += D[i * n + k] * T[k * n + j];
            V[i * n + j] = (i == j) + x / p->cv;
        }
    return 1;
}

static void sigma_many(const vgTree *s, vgTreeWork *w, int i, const vgTangent *t, const vgTreeCoef *c,
                       double *SF)
{
    const vgLink *l = &s->link[i];
    const vgLinkMotion *m = &w->m[i];
    Parent p = parent_of(s, w, i);
    int n = l->nv;
    double P[36], N[36], Bv[36], T[36], V[36], u[6] = {0};
    int turned = vg_tree_stage_map(l, t, V);
    if (!l->constant) varying(l, m, t->q + l->q0, t->v + l->v0, t->a + l->v0, P, N, Bv, SF);
    const double *S = w->S + 6 * l->v0;
    for (int k = 0; k < n; k++) vg_add_row6(u, S + 6 * k, t->v[l->v0 + k]);
    vgVec3 tv = vg_axpy3(2, p.v, vg_load3(u)), tw = vg_axpy3(2, p.w, vg_load3(u + 3));
    for (int k = 0; k < n; k++) {
        cross6(tv, tw, S + 6 * k, T + 6 * k);
        if (!l->constant) vg_add_row6(T + 6 * k, Bv + 6 * k, 1);
    }
    for (int k = 0; k < n; k++) {
        double psi[6], psi2[6], x[6], *o = w->sigma + 18 * (l->v0 + k);
        cross6(p.v, p.w, S + 6 * k, psi);
        cross6(p.a, p.dw, S + 6 * k, psi2);
        cross6(p.v, p.w, psi, x);
        vg_add_row6(psi2, x, 1);
        if (!l->constant) {
            cross6(tv, tw, P + 6 * k, x);
            vg_add_row6(psi2, N + 6 * k, 1);
            vg_add_row6(psi2, x, 1);
            vg_add_row6(psi, P + 6 * k, 1);
        }
        const double *sv = S + 6 * k, *tt = T + 6 * k;
        double s_turned[6] = {0}, t_turned[6] = {0};
        for (int j = 0; j < n && turned; j++) {
            vg_add_row6(s_turned, S + 6 * j, V[j * n + k]);
            vg_add_row6(t_turned, T + 6 * j, V[j * n + k]);
        }
        if (turned) sv = s_turned, tt = t_turned;
        for (int r = 0; r < 6; r++) {
            o[r] = c->one * sv[r] + c->c1 * tt[r] + c->c2 * psi2[r];
            o[6 + r] = c->c1 * sv[r] + c->c2 * psi[r];
            o[12 + r] = c->c2 * S[6 * k + r];
        }
    }
}

/* A coordinate whose S is fixed in what it moves from. */
static inline void sigma_one(const Parent *p, const double *S, const vgTreeCoef *c, double *o)
{
    double psi[6], psi2[6], x[6];
    cross6(p->v, p->w, S, psi);
    cross6(p->a, p->dw, S, psi2);
    cross6(p->v, p->w, psi, x);
    for (int r = 0; r < 6; r++) {
        o[r] = c->one * S[r] + 2 * c->c1 * psi[r] + c->c2 * (psi2[r] + x[r]);
        o[6 + r] = c->c1 * S[r] + c->c2 * psi[r];
        o[12 + r] = c->c2 * S[r];
    }
}

/* A body that floats: three slides along the axes of W, then a turn, S in W being [1 0; 0 R]. */
static void sigma_float(const vgTree *s, vgTreeWork *w, int i, const vgTangent *t, const vgTreeCoef *c)
{
    const vgLink *l = &s->link[i];
    const vgLinkMotion *m = &w->m[i];
    double V[36], *o = w->sigma + 18 * l->v0;
    int turned = vg_tree_stage_map(l, t, V);
    vgVec3 dv = vg_sub3(vg_load3(t->a + l->v0), s->base.model->gravity);
    memset(o, 0, 108 * sizeof *o);
    for (int k = 0; k < 3; k++) {
        double *to = o + 19 * k, *turn = o + 18 * (3 + k);
        vgVec3 S = vg_col3(m->R, k), by = S;
        if (turned) by = vg_mv3(m->R, vg_v3(V[6 * 3 + 3 + k], V[6 * 4 + 3 + k], V[6 * 5 + 3 + k]));
        to[0] = c->one, to[6] = c->c1, to[12] = c->c2;
        vg_store3(vg_axpy3(2 * c->c1, vg_cross3(m->v, by), vg_scale3(vg_cross3(dv, S), c->c2)), turn);
        vg_store3(vg_axpy3(c->c1, vg_cross3(m->w, by), vg_scale3(by, c->one)), turn + 3);
        vg_store3(vg_scale3(vg_cross3(m->v, S), c->c2), turn + 6);
        vg_store3(vg_scale3(by, c->c1), turn + 9);
        vg_store3(vg_scale3(S, c->c2), turn + 15);
    }
}

/* ∂Sᵀ/∂q F of a Cardan joint and of a floating body: what comes first does not turn with what follows. */
void vg_tree_turn_back(const vgLink *l, const double *S, const double *wrench, double *SF)
{
    int n = l->nv, first = n == 2 ? 1 : 3;
    vgVec3 F = vg_load3(wrench), T = vg_load3(wrench + 3);
    memset(SF, 0, (size_t)(n * n) * sizeof *SF);
    for (int k = 0; k < first; k++) {
        vgVec3 Sv = vg_load3(S + 6 * k), Sw = vg_load3(S + 6 * k + 3);
        vgVec3 a = vg_cross3(F, Sw), b = vg_add3(vg_cross3(F, Sv), vg_cross3(T, Sw));
        for (int j = first; j < n; j++)
            SF[k * n + j] = vg_dot3(a, vg_load3(S + 6 * j)) + vg_dot3(b, vg_load3(S + 6 * j + 3));
    }
}

/* Two hinges, with a piece between them that the first one moves. */
static void sigma_cardan(const vgTree *s, vgTreeWork *w, int i, const vgTangent *t, const vgTreeCoef *c)
{
    int k = s->link[i].v0;
    Parent p = parent_of(s, w, i);
    const double *S = w->S + 6 * k;
    double x[6];
    sigma_one(&p, S, c, w->sigma + 18 * k);
    cross6(p.v, p.w, S, x);
    p.a = vg_add3(p.a, vg_axpy3(t->v[k], vg_load3(x), vg_scale3(vg_load3(S), t->a[k])));
    p.dw = vg_add3(p.dw, vg_axpy3(t->v[k], vg_load3(x + 3), vg_scale3(vg_load3(S + 3), t->a[k])));
    p.v = vg_axpy3(t->v[k], vg_load3(S), p.v);
    p.w = vg_axpy3(t->v[k], vg_load3(S + 3), p.w);
    sigma_one(&p, S + 6, c, w->sigma + 18 * k + 18);
}

void vg_tree_sigma(const vgTree *s, vgTreeWork *w, int i, const vgTangent *t, const vgTreeCoef *c, double *SF)
{
    if (!t)
        for (int k = s->link[i].v0; k < s->link[i].v0 + s->link[i].nv; k++) {
            memcpy(w->sigma + 18 * k, w->S + 6 * k, 6 * sizeof(double));
            memset(w->sigma + 18 * k + 6, 0, 12 * sizeof(double));
        }
    else if (s->link[i].nv == 1 && s->link[i].constant) {
        Parent p = parent_of(s, w, i);
        sigma_one(&p, w->S + 6 * s->link[i].v0, c, w->sigma + 18 * s->link[i].v0);
    } else if (s->link[i].way == VG_LINK_CARDAN)
        sigma_cardan(s, w, i, t, c);
    else if (s->link[i].way == VG_LINK_FLOAT)
        sigma_float(s, w, i, t, c);
    else if (s->link[i].nv > 0)
        sigma_many(s, w, i, t, c, SF);
}

/* h = Sᵀ𝔸 and the turning of S against F: h_η += ( Sw × F , Sv × F + Sw × T );  col = 𝔸 σ. */
void vg_tree_row_column(const double *A, const double *wrench, const double *S, const double *sigma,
                        double *h, double *col)
{
    for (int k = 0; k < 18; k++)
        h[k] = S[0] * A[k] + S[1] * A[18 + k] + S[2] * A[36 + k] + S[3] * A[54 + k] + S[4] * A[72 + k] +
               S[5] * A[90 + k];
    vgVec3 Sv = vg_load3(S), Sw = vg_load3(S + 3), F = vg_load3(wrench), T = vg_load3(wrench + 3);
    vgVec3 a = vg_cross3(Sw, F), b = vg_add3(vg_cross3(Sv, F), vg_cross3(Sw, T));
    h[12] += a.x, h[13] += a.y, h[14] += a.z;
    h[15] += b.x, h[16] += b.y, h[17] += b.z;
    for (int r = 0; r < 6; r++) {
        double x = 0, y = 0;
        for (int k = 0; k < 18; k += 2) {
            x += A[18 * r + k] * sigma[k];
            y += A[18 * r + k + 1] * sigma[k + 1];
        }
        col[r] = x + y;
    }
}

/* Gauss–Jordan with row pivoting, n ≤ 6. */
static int invert(double *A, int n)
{
    double B[72];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) B[i * 12 + j] = j < n ? A[i * n + j] : j - n == i;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(B[r * 12 + c]) > fabs(B[best * 12 + c])) best = r;
        if (!(fabs(B[best * 12 + c]) > 0)) return 0;
        for (int j = 0; j < 2 * n && best != c; j++) {
            double x = B[c * 12 + j];
            B[c * 12 + j] = B[best * 12 + j], B[best * 12 + j] = x;
        }
        double f = 1 / B[c * 12 + c];
        for (int j = 0; j < 2 * n; j++) B[c * 12 + j] *= f;
        for (int r = 0; r < n; r++) {
            double x = B[r * 12 + c];
            if (r != c && x != 0)
                for (int j = 0; j < 2 * n; j++) B[r * 12 + j] -= x * B[c * 12 + j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] = B[i * 12 + n + j];
    return 1;
}

/* A force between the link and its parent adds B y_p to the link's wrench and C y_i to the parent's (both
 * about the link's centre). With y' = X y_p and y_i = y' + σ δ: h += Sᵀ B, col += C σ, 𝔸 += B + C. */
static void between(const double *cross, int n, const double *S, const double *sigma, double *h, double *col,
                    double *A)
{
    const double *B = cross, *C = cross + 108;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < 18; j++)
            for (int r = 0; r < 6; r++) h[18 * k + j] += S[6 * k + r] * B[18 * r + j];
        for (int r = 0; r < 6; r++) col[6 * k + r] += vg_tree_dot18(C + 18 * r, sigma + 18 * k);
    }
    vg_tree_add_cross(cross, A);
}

/* D = h σ + what the joint has by itself; D⁻¹ kept; h := D⁻¹ h; 𝔸 −= col h. */
static int eliminate(const vgTree *s, vgTreeWork *w, int i, const vgTreeCoef *c, const double *SF, double *A)
{
    const vgLink *l = &s->link[i];
    int n = l->nv;
    double *h = w->h + 18 * l->v0, *col = w->col + 6 * l->v0, *D = w->pivot + 6 * l->v0;
    for (int k = 0; k < n; k++)
        vg_tree_row_column(A, w->m[i].F, w->S + 6 * (l->v0 + k), w->sigma + 18 * (l->v0 + k), h + 18 * k,
                           col + 6 * k);
    double back[36];
    if (vg_tree_turns_back(l)) {
        vg_tree_turn_back(l, w->S + 6 * l->v0, w->m[i].F, back);
        SF = back;
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            double x = vg_tree_dot18(h + 18 * k, w->sigma + 18 * (l->v0 + j));
            if (!l->constant) x += c->c2 * SF[k * n + j];
            if (k == j) x += vg_tree_joint_pivot(w, l->v0 + k, c);
            D[k * n + j] = x;
        }
    if (w->cross_of && w->cross_of[i] >= 0)
        between(w->cross + 216 * (size_t)w->cross_of[i], n, w->S + 6 * l->v0, w->sigma + 18 * l->v0, h, col,
                A);
    if (n == 1) {
        if (!(fabs(D[0]) > 0)) return 0;
        D[0] = 1 / D[0];
        for (int k = 0; k < 18; k++) h[k] *= D[0];
    } else {
        double t[108];
        if (!invert(D, n)) return 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < 18; j++) {
                double x = 0;
                for (int e = 0; e < n; e++) x += D[k * n + e] * h[18 * e + j];
                t[18 * k + j] = x;
            }
        memcpy(h, t, (size_t)(18 * n) * sizeof *h);
    }
    for (int k = 0; k < n; k++)
        for (int r = 0; r < 6; r++) {
            double x = col[6 * k + r];
            for (int j = 0; j < 18; j++) A[18 * r + j] -= x * h[18 * k + j];
        }
    return 1;
}

static inline vgStatus factor_link(const vgTree *s, vgTreeWork *w, const vgTangent *t, const vgTreeCoef *c,
                                   int i, double *SF)
{
    const vgLink *l = &s->link[i];
    double *A = vg_tree_link_block(s, w, i, w->have_wrench ? w->wrench + 6 * i : NULL);
    vg_tree_sigma(s, w, i, t, c, SF);
    if (!eliminate(s, w, i, c, SF, A)) {
        w->base.bad_row = l->v0;
        return VG_SINGULAR;
    }
    if (l->parent >= 0) vg_tree_carry_block(A, w->m[i].d, w->slots + 108 * s->link[l->parent].slot, l->first);
    return VG_OK;
}

vgStatus vg_tree_factor_link(const vgTree *s, vgTreeWork *w, const vgTangent *t, const vgTreeCoef *c, int i)
{
    double SF[36] = {0};
    return factor_link(s, w, t, c, i, SF);
}

vgStatus vg_tree_factor_tree(const vgTree *s, vgTreeWork *w, const vgTangent *t)
{
    vgTreeCoef c = vg_tree_coef(t);
    vgStatus st = VG_OK;
    double SF[36] = {0};
    w->base.bad_row = -1;
    w->base.taken |= VG_FAST_TREE;
    for (int i = s->nlink - 1; i >= 0 && st == VG_OK; i--) st = factor_link(s, w, t, &c, i, SF);
    return st;
}

/* z = D⁻¹ (x − Sᵀ G), G_p += Xᵀ (G + col z);  outwards δ = z − (D⁻¹h) y,  y_i = X y_p + σ δ. */
void vg_tree_solve_tree(const vgTree *s, vgTreeWork *w, double *x)
{
    memset(w->G, 0, (size_t)(6 * s->nlink) * sizeof(double));
    for (int i = s->nlink - 1; i >= 0; i--) {
        const vgLink *l = &s->link[i];
        double *G = w->G + 6 * i, rest[6];
        const double *D = w->pivot + 6 * l->v0;
        for (int k = 0; k < l->nv; k++) rest[k] = x[l->v0 + k] - vg_dot_row6(w->S + 6 * (l->v0 + k), G);
        for (int k = 0; k < l->nv; k++) {
            double z = 0;
            for (int j = 0; j < l->nv; j++) z += D[k * l->nv + j] * rest[j];
            x[l->v0 + k] = z;
        }
        if (l->parent < 0) continue;
        for (int k = l->v0; k < l->v0 + l->nv; k++) vg_add_row6(G, w->col + 6 * k, x[k]);
        double *P = w->G + 6 * l->parent;
        vgVec3 F = vg_load3(G), T = vg_add3(vg_load3(G + 3), vg_cross3(w->m[i].d, F));
        P[0] += F.x, P[1] += F.y, P[2] += F.z;
        P[3] += T.x, P[4] += T.y, P[5] += T.z;
    }
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        double *y = w->y + 18 * i;
        if (l->parent >= 0) {
            const double *p = w->y + 18 * l->parent;
            vgVec3 d = w->m[i].d;
            for (int k = 0; k < 18; k += 6) {
                vgVec3 o = vg_load3(p + k + 3);
                vg_store3(vg_add3(vg_load3(p + k), vg_cross3(o, d)), y + k);
                vg_store3(o, y + k + 3);
            }
            for (int k = l->v0; k < l->v0 + l->nv; k++) x[k] -= vg_tree_dot18(w->h + 18 * k, y);
        } else {
            memset(y, 0, 18 * sizeof *y);
        }
        if (l->leaf) continue;
        for (int k = l->v0; k < l->v0 + l->nv; k++)
            for (int j = 0; j < 18; j++) y[j] += x[k] * w->sigma[18 * k + j];
    }
}
