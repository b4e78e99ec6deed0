#include "element/prim/relative.h"

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

void vg_rel_point(const vgFrame *A, const vgFrame *B, const vgKin *ka, const vgKin *kb, vgRel *rel)
{
    *rel = (vgRel){.A = A, .B = B, .ka = ka, .kb = kb};
    vgVec3 d = vg_mtv3(ka->R, vg_sub3(vg_kin_point(kb, B->r), vg_kin_point(ka, A->r)));
    vgVec3 v = vg_mtv3(ka->R, vg_sub3(vg_kin_point_velocity(kb, B->r), vg_kin_point_velocity(ka, A->r)));
    rel->y = vg_mtv3(A->R, d);
    rel->u = vg_mtv3(A->R, vg_sub3(v, vg_cross3(ka->w, d)));
}

/* Of a rotation: no turn. */
static int is_eye(vgMat3 R)
{
    return R.m[0][0] == 1 && R.m[1][1] == 1 && R.m[2][2] == 1;
}

void vg_rel_motion(const vgFrame *A, const vgFrame *B, const vgKin *ka, const vgKin *kb, vgRel *rel)
{
    int plain = A->body < 0 && is_eye(A->R); /* seen from the ground in its own axes: a tyre */
    *rel = (vgRel){.A = A, .B = B, .ka = ka, .kb = kb};
    vgVec3 d = vg_sub3(vg_kin_point(kb, B->r), vg_kin_point(ka, A->r));
    vgVec3 v = vg_sub3(vg_kin_point_velocity(kb, B->r), vg_kin_point_velocity(ka, A->r));
    rel->R_WA = A->body < 0 ? A->R : vg_mm3(ka->R, A->R);
    rel->R_Ab = plain ? kb->R : vg_mtm3(rel->R_WA, kb->R);
    rel->R_AB = is_eye(B->R) ? rel->R_Ab : vg_mm3(rel->R_Ab, B->R);
    rel->w = vg_mv3(rel->R_Ab, kb->w);
    if (plain) {
        rel->y = d, rel->u = v;
        return;
    }
    vgVec3 w_A = vg_mtv3(A->R, ka->w);
    rel->y = vg_mtv3(rel->R_WA, d);
    rel->u = vg_sub3(vg_mtv3(rel->R_WA, v), vg_cross3(w_A, rel->y));
    rel->w = vg_sub3(rel->w, w_A);
}

/* Jᵀ W: the wrench on b moved from frame B's origin to b's centre of mass, and exactly its reaction on a. */
void vg_rel_wrench(const vgRel *rel, const double W[6], double f[12])
{
    const vgFrame *A = rel->A, *B = rel->B;
    vgVec3 F = vg_load3(W), T = vg_load3(W + 3), F_W = vg_mv3(rel->R_WA, F);
    vgVec3 F_b = vg_mtv3(rel->R_Ab, F), T_b = vg_mtv3(rel->R_Ab, T);
    add_wrench(f + 6, F_W, vg_add3(vg_cross3(B->r, F_b), T_b));
    if (A->body < 0) return;
    vgVec3 moment = vg_add3(T, vg_cross3(rel->y, F)); /* about A's origin */
    vgVec3 torque = vg_add3(vg_cross3(A->r, vg_mv3(A->R, F)), vg_mv3(A->R, moment));
    add_wrench(f, vg_neg3(F_W), vg_neg3(torque));
}

/* Q = R_WA, N = R_Ab (body b's axes in A), A = frame rotation on body a, δθ_A = Aᵀ δθ_a:
 *     δy = Qᵀ(δP_B − δP_A) + ỹ δθ_A,     δφ = N δθ_b − δθ_A.
 * The columns of one body in 3×3 blocks: [P L; 0 N] on (δp, δθ). */
typedef struct Side {
    vgMat3 P, L, N;    /* J */
    vgMat3 Xp, Xl, Xn; /* ∂(u, w)/∂δξ at fixed ξ, in the same blocks */
} Side;

static void jacobian_a(const vgRel *rel, Side *s)
{
    vgMat3 At = vg_mt3(rel->A->R);
    s->P = vg_mscale3(vg_mt3(rel->R_WA), -1);
    s->L = vg_madd3(vg_mm3(At, vg_skew3(rel->A->r)), vg_mm3(vg_skew3(rel->y), At));
    s->N = vg_mscale3(At, -1);
}

static void jacobian_b(const vgRel *rel, Side *s)
{
    s->P = vg_mt3(rel->R_WA);
    s->L = vg_mscale3(vg_mm3(rel->R_Ab, vg_skew3(rel->B->r)), -1);
    s->N = rel->R_Ab;
}

/* With dv = Qᵀ(v_PB − v_PA) and ω = Aᵀ w_a:
 *     δu = dv~ δθ_A − N [w_b × b]~ δθ_b + Aᵀ [w_a × a]~ δθ_a − ω~ δy
 *     δw = [N w_b]~ δθ_A − N w_b~ δθ_b. */
static void velocity_change(const vgRel *rel, int a, Side *s)
{
    vgVec3 wa = rel->ka->w, wb = rel->kb->w, w_A = vg_mtv3(rel->A->R, wa);
    if (a) {
        vgVec3 dv = vg_add3(rel->u, vg_cross3(w_A, rel->y));
        vgMat3 At = vg_mt3(rel->A->R);
        s->Xl = vg_madd3(vg_mm3(vg_skew3(dv), At), vg_mm3(At, vg_skew3(vg_cross3(wa, rel->A->r))));
        s->Xn = vg_mm3(vg_skew3(vg_mv3(rel->R_Ab, wb)), At);
    } else {
        s->Xl = vg_mscale3(vg_mm3(rel->R_Ab, vg_skew3(vg_cross3(wb, rel->B->r))), -1);
        s->Xn = vg_mscale3(vg_mm3(rel->R_Ab, vg_skew3(wb)), -1);
    }
    s->Xp = vg_mzero3();
    if (rel->A->body < 0) return;
    vgMat3 turn = vg_skew3(w_A);
    s->Xp = vg_mscale3(vg_mm3(turn, s->P), -1);
    s->Xl = vg_msub3(s->Xl, vg_mm3(turn, s->L));
}

/* A law's derivative in 3×3 blocks [Fl Fr; Tl Tr], and which of them there are. */
typedef struct Blocks {
    vgMat3 at[4];
    int on[4];
} Blocks;

static Blocks blocks_of(const double W[36])
{
    Blocks b;
    for (int k = 0; k < 4; k++) {
        const double *w = W + 18 * (k / 2) + 3 * (k % 2);
        b.at[k] = vg_m3(w[0], w[1], w[2], w[6], w[7], w[8], w[12], w[13], w[14]);
        b.on[k] = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) b.on[k] |= b.at[k].m[i][j] != 0;
    }
    return b;
}

static int any(const Blocks *b)
{
    return b->on[0] | b->on[1] | b->on[2] | b->on[3];
}

/* Y (four blocks) += W [P L; 0 N] */
static void add_WJ(const Blocks *w, vgMat3 P, vgMat3 L, vgMat3 N, vgMat3 Y[4])
{
    for (int half = 0; half < 2; half++) {
        const vgMat3 *at = w->at + 2 * half;
        vgMat3 *y = Y + 2 * half;
        if (w->on[2 * half]) {
            y[0] = vg_madd3(y[0], vg_mm3(at[0], P));
            y[1] = vg_madd3(y[1], vg_mm3(at[0], L));
        }
        if (w->on[2 * half + 1]) y[1] = vg_madd3(y[1], vg_mm3(at[1], N));
    }
}

/* K (the 6×6 block at rows r, columns c of twelve) += [P L; 0 N]ᵀ Y; torque: Y has a lower half. */
static void add_JtY(double *K, int r, int c, const Side *s, const vgMat3 Y[4], int torque)
{
    add_block(K, 12, r, c, 1, vg_mtm3(s->P, Y[0]));
    add_block(K, 12, r, c + 3, 1, vg_mtm3(s->P, Y[1]));
    vgMat3 l = vg_mtm3(s->L, Y[0]), m = vg_mtm3(s->L, Y[1]);
    if (torque) {
        l = vg_madd3(l, vg_mtm3(s->N, Y[2]));
        m = vg_madd3(m, vg_mtm3(s->N, Y[3]));
    }
    add_block(K, 12, r + 3, c, 1, l);
    add_block(K, 12, r + 3, c + 3, 1, m);
}

/* K += ∂(JᵀW)/∂δξ at fixed W:
 *     δ(Q F) = −Q F~ δθ_A,   δ(A (y × F)) = −A F~ δy,   δ(Nᵀ X) = −Nᵀ X~ δθ_A + [Nᵀ X]~ δθ_b. */
static void rel_geometric(const vgRel *rel, const double W[6], const Side side[2], double *K)
{
    vgVec3 F = vg_load3(W), T = vg_load3(W + 3);
    vgMat3 b = vg_skew3(rel->B->r);
    if (rel->B->body >= 0) {
        add_block(K, 12, 9, 9, 1, vg_mm3(b, vg_skew3(vg_mtv3(rel->R_Ab, F))));
        add_block(K, 12, 9, 9, 1, vg_skew3(vg_mtv3(rel->R_Ab, T)));
    }
    if (rel->A->body < 0) return;
    vgMat3 At = vg_mt3(rel->A->R), F_skew = vg_skew3(F), FAt = vg_mm3(F_skew, At);
    vgMat3 turn = vg_mm3(rel->R_WA, FAt), AF = vg_mm3(rel->A->R, F_skew);
    add_block(K, 12, 0, 3, 1, turn);
    add_block(K, 12, 3, 0, 1, vg_mm3(AF, side[0].P));
    add_block(K, 12, 3, 3, 1, vg_mm3(AF, side[0].L));
    if (rel->B->body < 0) return;
    add_block(K, 12, 6, 3, -1, turn);
    add_block(K, 12, 3, 6, 1, vg_mm3(AF, side[1].P));
    add_block(K, 12, 3, 9, 1, vg_mm3(AF, side[1].L));
    vgMat3 NF = vg_mtm3(rel->R_Ab, FAt), NT = vg_mtm3(rel->R_Ab, vg_mm3(vg_skew3(T), At));
    add_block(K, 12, 9, 3, -1, vg_madd3(vg_mm3(b, NF), NT));
}

/* K = Jᵀ (W_x J + W_v ∂(Jξ)/∂δξ) + ∂(JᵀW)/∂δξ,   C = Jᵀ W_v J. */
void vg_rel_tangent(const vgRel *rel, const double W[6], const double Wx[36], const double Wv[36], double *K,
                    double *C)
{
    Side side[2];
    Blocks x = blocks_of(Wx), v = blocks_of(Wv);
    int on[2] = {rel->A->body >= 0, rel->B->body >= 0}, moves = any(&v);
    int torque = x.on[2] | x.on[3] | v.on[2] | v.on[3];
    if (on[0]) jacobian_a(rel, &side[0]);
    if (on[1]) jacobian_b(rel, &side[1]);
    for (int c = 0; c < 2; c++) {
        Side *s = &side[c];
        vgMat3 zero = vg_mzero3(), Y[4] = {zero, zero, zero, zero};
        if (!on[c]) continue;
        if (K) {
            add_WJ(&x, s->P, s->L, s->N, Y);
            if (moves) {
                velocity_change(rel, c == 0, s);
                add_WJ(&v, s->Xp, s->Xl, s->Xn, Y);
            }
            for (int r = 0; r < 2; r++)
                if (on[r]) add_JtY(K, 6 * r, 6 * c, &side[r], Y, torque);
        }
        if (C && moves) {
            Y[0] = Y[1] = Y[2] = Y[3] = zero;
            add_WJ(&v, s->P, s->L, s->N, Y);
            for (int r = 0; r < 2; r++)
                if (on[r]) add_JtY(C, 6 * r, 6 * c, &side[r], Y, torque);
        }
    }
    if (K) rel_geometric(rel, W, side, K);
}

/* K += Z_x J + Z_v ∂(Jξ)/∂δξ,   C += Z_v J. */
void vg_rel_rows(const vgRel *rel, const double Zx[36], const double Zv[36], double *K, double *C)
{
    Blocks x = blocks_of(Zx), v = blocks_of(Zv);
    for (int c = 0; c < 2; c++) {
        Side s;
        vgMat3 zero = vg_mzero3(), Y[4] = {zero, zero, zero, zero}, V[4] = {zero, zero, zero, zero};
        if ((c ? rel->B : rel->A)->body < 0) continue;
        c ? jacobian_b(rel, &s) : jacobian_a(rel, &s);
        velocity_change(rel, c == 0, &s);
        add_WJ(&x, s.P, s.L, s.N, Y);
        add_WJ(&v, s.Xp, s.Xl, s.Xn, Y);
        add_WJ(&v, s.P, s.L, s.N, V);
        for (int k = 0; k < 2; k++) {
            add_block(K, 12, 0, 6 * c + 3 * k, 1, Y[k]);
            add_block(C, 12, 0, 6 * c + 3 * k, 1, V[k]);
        }
    }
}
