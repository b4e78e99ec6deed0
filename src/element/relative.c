#include "element/relative.h"

#include <string.h>

static void add_block(double *to, int stride, int r, int c, double s, vgMat3 m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[(r + i) * stride + c + j] += s * m.m[i][j];
}

static void add_wrench(double *f, vgVec3 force, vgVec3 torque)
{
    f[0] += force.x, f[1] += force.y, f[2] += force.z;
    f[3] += torque.x, f[4] += torque.y, f[5] += torque.z;
}

/* The columns of the bodies that move, of twelve: those of a ground body are left alone. */
typedef struct Columns {
    int first, end;
} Columns;

static Columns moving(const vgFrame *A, const vgFrame *B)
{
    return (Columns){A->body < 0 ? 6 : 0, B->body < 0 ? 6 : 12};
}

/* X (m×12) += A (m×m) G (m×12). Laws are sparse: zeros of A are skipped. */
static inline void add_AG(int m, const double *restrict A, const double *restrict G, double *restrict X,
                          Columns c)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            double a = A[m * i + k];
            if (a == 0) continue;
            for (int j = c.first; j < c.end; j++) X[12 * i + j] += a * G[12 * k + j];
        }
}

/* to (12×12) += Gᵀ X, both 6×12, the last three rows of X only if `turns`. */
static void add_GtX(double *restrict to, const double *restrict G, const double *restrict X, int turns,
                    Columns c)
{
    for (int i = c.first; i < c.end; i++)
        for (int k = 0; k < (turns ? 6 : 3); k++) {
            double g = G[12 * k + i];
            if (g == 0) continue;
            for (int j = c.first; j < c.end; j++) to[12 * i + j] += g * X[12 * k + j];
        }
}

static int any(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0) return 1;
    return 0;
}

void vg_pair_motion(const vgFrame *A, const vgFrame *B, const vgKin *ka, const vgKin *kb, vgPair *pair)
{
    *pair = (vgPair){.A = A, .B = B, .ka = ka, .kb = kb};
    pair->d = vg_sub3(vg_kin_point(kb, B->r), vg_kin_point(ka, A->r));
    pair->u = vg_sub3(vg_kin_point_velocity(kb, B->r), vg_kin_point_velocity(ka, A->r));
}

void vg_pair_wrench(const vgPair *pair, vgVec3 F, double f[12])
{
    add_wrench(f, vg_neg3(F), vg_neg3(vg_cross3(pair->A->r, vg_mtv3(pair->ka->R, F))));
    add_wrench(f + 6, F, vg_cross3(pair->B->r, vg_mtv3(pair->kb->R, F)));
}

/* Adds the rows of one body: Gᵀ X with G = [s I, L], X = [−D, Xa, D, Xb] in blocks of three columns; the
 * columns of a ground body are left out. */
static void add_pair_rows(double *K, int body, double s, vgMat3 L, vgMat3 D, const vgMat3 *Xa,
                          const vgMat3 *Xb)
{
    vgMat3 LD = vg_mtm3(L, D);
    int r = 6 * body;
    if (Xa) {
        add_block(K, 12, r, 0, -s, D);
        add_block(K, 12, r, 3, s, *Xa);
        add_block(K, 12, r + 3, 0, -1, LD);
        add_block(K, 12, r + 3, 3, 1, vg_mtm3(L, *Xa));
    }
    if (Xb) {
        add_block(K, 12, r, 6, s, D);
        add_block(K, 12, r, 9, s, *Xb);
        add_block(K, 12, r + 3, 6, 1, LD);
        add_block(K, 12, r + 3, 9, 1, vg_mtm3(L, *Xb));
    }
}

/* With δP = δp − R r̃ δθ for each point: δd = G δξ, u = G ξ, f = Gᵀ F, G = [−I, R_a ã, I, −R_b b̃], hence
 *     K = Gᵀ (F_d G + F_u ∂u/∂δξ) + (∂Gᵀ/∂δξ) F,      C = Gᵀ F_u G
 *     ∂u: at fixed ξ  δv_P = −R [w × r]~ δθ,           ∂Gᵀ:  δ(r × RᵀF) = r̃ [RᵀF]~ δθ. */
void vg_pair_tangent(const vgPair *pair, vgVec3 F, vgMat3 Fd, vgMat3 Fu, double *K, double *C)
{
    const vgFrame *A = pair->A, *B = pair->B;
    const vgKin *ka = pair->ka, *kb = pair->kb;
    vgMat3 ra = vg_skew3(A->r), rb = vg_skew3(B->r), Xa, Xb;
    vgMat3 La = vg_mm3(ka->R, ra), Lb = vg_mscale3(vg_mm3(kb->R, rb), -1);
    int a = A->body >= 0, b = B->body >= 0;
    if (K) {
        vgMat3 turn_a = vg_mm3(ka->R, vg_skew3(vg_cross3(ka->w, A->r)));
        vgMat3 turn_b = vg_mm3(kb->R, vg_skew3(vg_cross3(kb->w, B->r)));
        Xa = vg_madd3(vg_mm3(Fd, La), vg_mm3(Fu, turn_a));
        Xb = vg_msub3(vg_mm3(Fd, Lb), vg_mm3(Fu, turn_b));
        if (a) add_pair_rows(K, 0, -1, La, Fd, &Xa, b ? &Xb : NULL);
        if (b) add_pair_rows(K, 1, 1, Lb, Fd, a ? &Xa : NULL, &Xb);
        if (a) add_block(K, 12, 3, 3, -1, vg_mm3(ra, vg_skew3(vg_mtv3(ka->R, F))));
        if (b) add_block(K, 12, 9, 9, 1, vg_mm3(rb, vg_skew3(vg_mtv3(kb->R, F))));
    }
    if (C) {
        Xa = vg_mm3(Fu, La);
        Xb = vg_mm3(Fu, Lb);
        if (a) add_pair_rows(C, 0, -1, La, Fu, &Xa, b ? &Xb : NULL);
        if (b) add_pair_rows(C, 1, 1, Lb, Fu, a ? &Xa : NULL, &Xb);
    }
}

void vg_rel_motion(const vgFrame *A, const vgFrame *B, const vgKin *ka, const vgKin *kb, vgRel *rel)
{
    *rel = (vgRel){.A = A, .B = B, .ka = ka, .kb = kb};
    rel->R_WA = vg_mm3(ka->R, A->R);
    rel->R_Ab = vg_mtm3(rel->R_WA, kb->R);
    rel->R_AB = vg_mm3(rel->R_Ab, B->R);
    vgVec3 w_A = vg_mtv3(A->R, ka->w);
    rel->y = vg_mtv3(rel->R_WA, vg_sub3(vg_kin_point(kb, B->r), vg_kin_point(ka, A->r)));
    rel->u = vg_mtv3(rel->R_WA, vg_sub3(vg_kin_point_velocity(kb, B->r), vg_kin_point_velocity(ka, A->r)));
    rel->u = vg_sub3(rel->u, vg_cross3(w_A, rel->y));
    rel->w = vg_sub3(vg_mv3(rel->R_Ab, kb->w), w_A);
}

/* Jᵀ W: the wrench on b moved from frame B's origin to b's centre of mass, and exactly its reaction on a. */
void vg_rel_wrench(const vgRel *rel, const double W[6], double f[12])
{
    const vgFrame *A = rel->A, *B = rel->B;
    vgVec3 F = vg_load3(W), T = vg_load3(W + 3), F_W = vg_mv3(rel->R_WA, F);
    vgVec3 moment = vg_add3(T, vg_cross3(rel->y, F)); /* about A's origin */
    vgVec3 torque = vg_add3(vg_cross3(A->r, vg_mv3(A->R, F)), vg_mv3(A->R, moment));
    add_wrench(f, vg_neg3(F_W), vg_neg3(torque));
    add_wrench(f + 6, F_W, vg_add3(vg_cross3(B->r, vg_mtv3(rel->R_Ab, F)), vg_mtv3(rel->R_Ab, T)));
}

/* Q = R_WA, N = R_Ab (body b's axes in A), A = frame rotation on body a, δθ_A = Aᵀ δθ_a:
 *     δy = Qᵀ(δP_B − δP_A) + ỹ δθ_A,     δφ = N δθ_b − δθ_A. */
static void rel_jacobian(const vgRel *rel, double J[72])
{
    vgMat3 At = vg_mt3(rel->A->R), Qt = vg_mt3(rel->R_WA);
    memset(J, 0, 72 * sizeof *J);
    add_block(J, 12, 0, 0, -1, Qt);
    add_block(J, 12, 0, 3, 1, vg_mm3(At, vg_skew3(rel->A->r)));
    add_block(J, 12, 0, 3, 1, vg_mm3(vg_skew3(rel->y), At));
    add_block(J, 12, 0, 6, 1, Qt);
    add_block(J, 12, 0, 9, -1, vg_mm3(rel->R_Ab, vg_skew3(rel->B->r)));
    add_block(J, 12, 3, 3, -1, At);
    add_block(J, 12, 3, 9, 1, rel->R_Ab);
}

/* X = ∂(u, w)/∂δξ at fixed ξ, with dv = Qᵀ(v_PB − v_PA) and ω = Aᵀ w_a:
 *     δu = dv~ δθ_A − N [w_b × b]~ δθ_b + Aᵀ [w_a × a]~ δθ_a − ω~ δy
 *     δw = [N w_b]~ δθ_A − N w_b~ δθ_b. */
static void rel_velocity_change(const vgRel *rel, const double J[72], double X[72])
{
    const vgFrame *A = rel->A, *B = rel->B;
    vgVec3 wa = rel->ka->w, wb = rel->kb->w, w_A = vg_mtv3(A->R, wa);
    vgVec3 dv = vg_add3(rel->u, vg_cross3(w_A, rel->y));
    vgMat3 At = vg_mt3(A->R), w_skew = vg_skew3(w_A);
    double S[9];
    memset(X, 0, 72 * sizeof *X);
    vg_mstore3(vg_mscale3(w_skew, -1), S);
    add_AG(3, S, J, X, moving(A, B));
    add_block(X, 12, 0, 3, 1, vg_mm3(vg_skew3(dv), At));
    add_block(X, 12, 0, 3, 1, vg_mm3(At, vg_skew3(vg_cross3(wa, A->r))));
    add_block(X, 12, 0, 9, -1, vg_mm3(rel->R_Ab, vg_skew3(vg_cross3(wb, B->r))));
    add_block(X, 12, 3, 3, 1, vg_mm3(vg_skew3(vg_mv3(rel->R_Ab, wb)), At));
    add_block(X, 12, 3, 9, -1, vg_mm3(rel->R_Ab, vg_skew3(wb)));
}

/* K += ∂(JᵀW)/∂δξ at fixed W:
 *     δ(Q F) = −Q F~ δθ_A,   δ(A (y × F)) = −A F~ δy,   δ(Nᵀ X) = −Nᵀ X~ δθ_A + [Nᵀ X]~ δθ_b. */
static void rel_geometric(const vgRel *rel, const double W[6], const double J[72], double *K)
{
    vgVec3 F = vg_load3(W), T = vg_load3(W + 3);
    vgMat3 At = vg_mt3(rel->A->R), F_skew = vg_skew3(F), b = vg_skew3(rel->B->r);
    vgMat3 turn = vg_mm3(rel->R_WA, vg_mm3(F_skew, At)), AF = vg_mm3(rel->A->R, F_skew);
    add_block(K, 12, 0, 3, 1, turn);
    add_block(K, 12, 6, 3, -1, turn);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 12; j++) K[12 * (3 + i) + j] += AF.m[i][k] * J[12 * k + j];
    vgMat3 NF = vg_mtm3(rel->R_Ab, vg_mm3(F_skew, At)), NT = vg_mtm3(rel->R_Ab, vg_mm3(vg_skew3(T), At));
    add_block(K, 12, 9, 3, -1, vg_madd3(vg_mm3(b, NF), NT));
    add_block(K, 12, 9, 9, 1, vg_mm3(b, vg_skew3(vg_mtv3(rel->R_Ab, F))));
    add_block(K, 12, 9, 9, 1, vg_skew3(vg_mtv3(rel->R_Ab, T)));
}

/* K = Jᵀ (W_x J + W_v ∂(Jξ)/∂δξ) + ∂(JᵀW)/∂δξ,   C = Jᵀ W_v J. */
void vg_rel_tangent(const vgRel *rel, const double W[6], const double Wx[36], const double Wv[36], double *K,
                    double *C)
{
    double J[72], X[72] = {0}, Y[72];
    Columns c = moving(rel->A, rel->B);
    int moves = any(Wv, 36),
        turns = any(Wx + 18, 18) || any(Wv + 18, 18); /* it depends on velocity; it has a torque */
    rel_jacobian(rel, J);
    if (K) {
        add_AG(6, Wx, J, X, c);
        if (moves) {
            rel_velocity_change(rel, J, Y);
            add_AG(6, Wv, Y, X, c);
        }
        add_GtX(K, J, X, turns, c);
        rel_geometric(rel, W, J, K);
    }
    if (C && moves) {
        memset(X, 0, sizeof X);
        add_AG(6, Wv, J, X, c);
        add_GtX(C, J, X, turns, c);
    }
}
