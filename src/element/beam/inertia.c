/* Inertia of a beam. Translation is interpolated between the nodes with a constant mass matrix; rotational terms
 * (S, J) are taken at the nodes, which are the Lobatto points of the element:
 *
 *     T = ½ Σ M_ab v_a·v_b + Σ v_a·R_a (ω_a × S_a) + ½ Σ ω_a·J_a ω_a
 *     f_a = −Σ M_ab (v̇_b − g) − R (ω̇ × S + ω × (ω × S))
 *     τ_a = −J ω̇ − ω × J ω − S × Rᵀ(v̇ − g)
 *
 * Linear and angular momentum are those of T exactly. Weight is the inertia force of the acceleration −g. */
#include "element/beam/beam.h"

static inline void add3(double *f, double s, vgVec3 v)
{
    f[0] += s * v.x;
    f[1] += s * v.y;
    f[2] += s * v.z;
}

static inline void put(double *A, int n, int i, int j, double s, vgMat3 B)
{
    double *at = A + i * n + j;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) at[r * n + c] += s * B.m[r][c];
}

/* A += s B C with C = skew(v): column by column a cross product; and A += s skew(v) B. */
static inline void put_mat_cross(double *A, int n, int i, int j, double s, const vgMat3 *B, vgVec3 v)
{
    double *at = A + i * n + j;
    for (int r = 0; r < 3; r++) {
        const double *b = B->m[r];
        at[r * n] += s * (b[1] * v.z - b[2] * v.y);
        at[r * n + 1] += s * (b[2] * v.x - b[0] * v.z);
        at[r * n + 2] += s * (b[0] * v.y - b[1] * v.x);
    }
}

static inline void put_cross_mat(double *A, int n, int i, int j, double s, vgVec3 v, const vgMat3 *B)
{
    double *at = A + i * n + j;
    for (int c = 0; c < 3; c++) {
        at[c] += s * (v.y * B->m[2][c] - v.z * B->m[1][c]);
        at[n + c] += s * (v.z * B->m[0][c] - v.x * B->m[2][c]);
        at[2 * n + c] += s * (v.x * B->m[1][c] - v.y * B->m[0][c]);
    }
}

/* A += s skew(v) */
static inline void put_skew(double *A, int n, int i, int j, double s, vgVec3 v)
{
    double *at = A + i * n + j;
    at[1] -= s * v.z, at[2] += s * v.y;
    at[n] += s * v.z, at[n + 2] -= s * v.x;
    at[2 * n] -= s * v.y, at[2 * n + 1] += s * v.x;
}

/* skew(a) skew(b) = b aᵀ − (a·b) 1 */
static inline vgMat3 skew_skew(vgVec3 a, vgVec3 b)
{
    vgMat3 X = vg_outer3(b, a);
    double d = vg_dot3(a, b);
    for (int i = 0; i < 3; i++) X.m[i][i] -= d;
    return X;
}

void vg_beam_turn(vgVec3 S, const vgMat3 *J, const vgKin *k, vgVec3 acc, int i, int n, vgForceOut *out)
{
    vgVec3 Jw = vg_mv3(*J, k->w);
    vgVec3 t = vg_add3(vg_mv3(*J, k->dw), vg_cross3(k->w, Jw));
    add3(out->f + i + 3, -1, t);
    if (out->C) {
        put_cross_mat(out->C, n, i + 3, i + 3, -1, k->w, J);
        put_skew(out->C, n, i + 3, i + 3, 1, Jw);
    }
    if (out->M) put(out->M, n, i + 3, i + 3, 1, *J);
    if (S.x == 0 && S.y == 0 && S.z == 0) return;
    vgVec3 wS = vg_cross3(k->w, S), a = vg_mtv3(k->R, acc);
    vgVec3 u = vg_add3(vg_cross3(k->dw, S), vg_cross3(k->w, wS));
    add3(out->f + i, -1, vg_mv3(k->R, u));
    add3(out->f + i + 3, -1, vg_cross3(S, a));
    if (out->K) {
        put_mat_cross(out->K, n, i, i + 3, 1, &k->R, u);
        put(out->K, n, i + 3, i + 3, -1, skew_skew(S, a));
    }
    if (out->C) {
        vgMat3 W = skew_skew(k->w, S);
        put_mat_cross(out->C, n, i, i + 3, 1, &k->R, wS);
        put(out->C, n, i, i + 3, 1, vg_mm3(k->R, W));
    }
    if (out->M) {
        vgMat3 minus = vg_mt3(k->R);
        put_mat_cross(out->M, n, i, i + 3, -1, &k->R, S);
        /* its transpose: (R skew(S))ᵀ = −skew(S) Rᵀ */
        put_cross_mat(out->M, n, i + 3, i, 1, S, &minus);
    }
}

void vg_beam_inertia(const vgBeam *b, const vgKin *const *kin, vgVec3 gravity, vgForceOut *out)
{
    const int nn = b->narm + 1, n = 6 * nn;
    vgVec3 acc[VG_BEAM_MAX_NODES];
    for (int a = 0; a < nn; a++) acc[a] = vg_sub3(kin[a]->dv, gravity);
    for (int a = 0; a < nn; a++) {
        for (int c = 0; c < nn; c++) {
            double m = b->M[a * nn + c];
            add3(out->f + 6 * a, -m, acc[c]);
            if (out->M)
                for (int i = 0; i < 3; i++) out->M[(6 * a + i) * n + 6 * c + i] += m;
        }
        if (b->spinning) vg_beam_turn(b->node[a].S, &b->node[a].J, kin[a], acc[a], 6 * a, n, out);
    }
}

double vg_beam_inertia_kinetic(const vgBeam *b, const vgKin *const *kin)
{
    const int nn = b->narm + 1;
    double T = 0;
    for (int a = 0; a < nn; a++) {
        const vgKin *k = kin[a];
        for (int c = 0; c < nn; c++) T += 0.5 * b->M[a * nn + c] * vg_dot3(k->v, kin[c]->v);
        T += vg_dot3(k->v, vg_mv3(k->R, vg_cross3(k->w, b->node[a].S)));
        T += 0.5 * vg_dot3(k->w, vg_mv3(b->node[a].J, k->w));
    }
    return T;
}

double vg_beam_inertia_weight(const vgBeam *b, const vgKin *const *kin, vgVec3 gravity)
{
    const int nn = b->narm + 1;
    double V = 0;
    for (int a = 0; a < nn; a++) {
        double m = 0;
        for (int c = 0; c < nn; c++) m += b->M[a * nn + c];
        vgVec3 moment = vg_add3(vg_scale3(kin[a]->p, m), vg_mv3(kin[a]->R, b->node[a].S));
        V -= vg_dot3(gravity, moment);
    }
    return V;
}
