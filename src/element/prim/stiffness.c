/* Second derivatives of the constraint primitives: the geometric stiffness K_λ = ∂(Bᵀλ)/∂δξ.
 *
 * A gradient g (W) at the body-fixed vector r gives the torque τ = r × Rᵀg. When the body turns by δθ and g
 * changes by δg
 *     δτ = r̂ (Rᵀg)^ δθ + r̂ Rᵀ δg
 * with ^ the skew matrix; the first part is the same for every primitive, the second follows from
 * ∂²φ/∂x_i∂x_j. K is 4×4 blocks of 3×3 in the order p_A, θ_A, p_B, θ_B. */
#include "element/prim/prim.h"

#include <string.h>

#include "element/prim/slip.h"

enum { PA, TA, PB, TB };

static void add_block(double K[144], int i, int j, double s, vgMat3 M)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) K[(3 * i + r) * 12 + 3 * j + c] += s * M.m[r][c];
}

/* r̂ ĝ on the block (t, t): g = Rᵀg_W */
static void add_turn(double K[144], int t, vgVec3 r, vgVec3 g)
{
    vgMat3 M = vg_outer3(g, r);
    double rg = vg_dot3(r, g);
    for (int i = 0; i < 3; i++) M.m[i][i] -= rg;
    add_block(K, t, t, 1, M);
}

/* M v̂: every row crossed with v. */
static vgMat3 times_skew(vgMat3 M, vgVec3 v)
{
    for (int i = 0; i < 3; i++) vg_store3(vg_cross3(vg_load3(M.m[i]), v), M.m[i]);
    return M;
}

static void add_scaled_eye(double K[144], int i, int j, double s)
{
    for (int r = 0; r < 3; r++) K[(3 * i + r) * 12 + 3 * j + r] += s;
}

static void coincide(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    vgVec3 g = vg_v3(lambda[0], lambda[1], p->rows > 2 ? lambda[2] : 0);
    if (p->a >= 0) add_turn(K, TA, p->ra, vg_mtv3(ka->R, g));
    if (p->b >= 0) add_turn(K, TB, p->rb, vg_neg3(vg_mtv3(kb->R, g)));
}

/* s u·w: cross blocks −û R_AᵀR_B ŵ = (R_A û)ᵀ(R_B ŵ) and its transpose. */
static void dot_pair(double s, vgVec3 ua, vgVec3 ub, const vgKin *ka, const vgKin *kb, double K[144])
{
    vgVec3 gA = vg_mtv3(ka->R, vg_mv3(kb->R, ub)), gB = vg_mtv3(kb->R, vg_mv3(ka->R, ua));
    add_turn(K, TA, ua, vg_scale3(gA, s));
    add_turn(K, TB, ub, vg_scale3(gB, s));
    vgMat3 M = vg_mtm3(times_skew(ka->R, ua), times_skew(kb->R, ub));
    add_block(K, TA, TB, s, M);
    add_block(K, TB, TA, s, vg_mt3(M));
}

/* φ = uA·(P_B − P_A): A gets (−u, ua × y), y = R_Aᵀ(P_B − p_A); B gets (u, rb × R_Bᵀu). */
static void along(const vgPrim *p, const vgKin *ka, const vgKin *kb, double s, double K[144])
{
    vgVec3 y = vg_mtv3(ka->R, vg_sub3(vg_kin_point(kb, p->rb), ka->p));
    vgMat3 Ru = times_skew(ka->R, p->ua), Ru_t = vg_mt3(Ru); /* δu = −R_A û δθ_A */
    vgMat3 cross = vg_mtm3(Ru, times_skew(kb->R, p->rb));
    add_block(K, PA, TA, s, Ru);
    add_block(K, PB, TA, -s, Ru);
    add_block(K, TA, PA, s, Ru_t);
    add_block(K, TA, PB, -s, Ru_t);
    add_turn(K, TA, p->ua, vg_scale3(y, s));
    add_block(K, TA, TB, s, cross);
    add_block(K, TB, TA, s, vg_mt3(cross));
    add_turn(K, TB, p->rb, vg_scale3(vg_mtv3(kb->R, vg_mv3(ka->R, p->ua)), s));
}

/* φ = ½(D·D − c²)/c: H = 1/c on D = P_B − P_A, and the force D/c turned with both arms. */
static void distance(const vgPrim *p, const vgKin *ka, const vgKin *kb, double s, double K[144])
{
    double h = s / p->c;
    vgVec3 D = vg_sub3(vg_kin_point(kb, p->rb), vg_kin_point(ka, p->ra));
    vgMat3 A = times_skew(ka->R, p->ra),
           B = times_skew(kb->R, p->rb); /* δD = δp_B − B δθ_B − δp_A + A δθ_A */
    vgMat3 At = vg_mt3(A), Bt = vg_mt3(B), AtB = vg_mm3(At, B);
    add_scaled_eye(K, PA, PA, h);
    add_scaled_eye(K, PB, PB, h);
    add_scaled_eye(K, PA, PB, -h);
    add_scaled_eye(K, PB, PA, -h);
    add_block(K, PA, TA, -h, A);
    add_block(K, TA, PA, -h, At);
    add_block(K, PB, TA, h, A);
    add_block(K, TA, PB, h, At);
    add_block(K, PB, TB, -h, B);
    add_block(K, TB, PB, -h, Bt);
    add_block(K, PA, TB, h, B);
    add_block(K, TB, PA, h, Bt);
    add_block(K, TA, TA, h, vg_mm3(At, A));
    add_block(K, TB, TB, h, vg_mm3(Bt, B));
    add_block(K, TA, TB, -h, AtB);
    add_block(K, TB, TA, -h, vg_mt3(AtB));
    add_turn(K, TA, p->ra, vg_scale3(vg_mtv3(ka->R, D), -h));
    add_turn(K, TB, p->rb, vg_scale3(vg_mtv3(kb->R, D), h));
}

/* Change of atoms along a native variation. */
static vgAtoms atoms_vary(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double dx[12])
{
    vgVec3 tA = vg_load3(dx + 3), tB = vg_load3(dx + 9);
    return (vgAtoms){vg_add3(vg_load3(dx), vg_mv3(ka->R, vg_cross3(tA, p->ra))),
                     vg_mv3(ka->R, vg_cross3(tA, p->ua)),
                     vg_mv3(ka->R, vg_cross3(tA, p->wa)),
                     vg_add3(vg_load3(dx + 6), vg_mv3(kb->R, vg_cross3(tB, p->rb))),
                     vg_mv3(kb->R, vg_cross3(tB, p->ub)),
                     vg_mv3(kb->R, vg_cross3(tB, p->wb))};
}

static void row_of_forms(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgAtoms *g, double row[12])
{
    vg_row_point(ka, p->ra, g->Pa, row);
    vg_row_vector(ka, p->ua, g->Ua, row);
    vg_row_vector(ka, p->wa, g->Wa, row);
    vg_row_point(kb, p->rb, g->Pb, row + 6);
    vg_row_vector(kb, p->ub, g->Ub, row + 6);
    vg_row_vector(kb, p->wb, g->Wb, row + 6);
}

/* Any primitive that has forms, column by column. */
static void by_columns(const vgPrim *p, const vgKin *ka, const vgKin *kb, double s, double K[144])
{
    vgAtoms x = vg_prim_atoms(p, ka, kb), g[VG_PRIM_MAX_ROWS], dg[VG_PRIM_MAX_ROWS];
    vg_prim_forms(p, &x, g);
    add_turn(K, TA, p->ra, vg_scale3(vg_mtv3(ka->R, g->Pa), s));
    add_turn(K, TA, p->ua, vg_scale3(vg_mtv3(ka->R, g->Ua), s));
    add_turn(K, TB, p->rb, vg_scale3(vg_mtv3(kb->R, g->Pb), s));
    add_turn(K, TB, p->ub, vg_scale3(vg_mtv3(kb->R, g->Ub), s));
    for (int j = 0; j < 12; j++) {
        double dx[12] = {0}, row[12] = {0};
        dx[j] = 1;
        vgAtoms d = atoms_vary(p, ka, kb, dx);
        vg_prim_forms_vary(p, &x, &d, dg);
        row_of_forms(p, ka, kb, dg, row);
        for (int i = 0; i < 12; i++) K[i * 12 + j] += s * row[i];
    }
}

void vg_prim_stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144])
{
    if (p->kind == VG_PRIM_COINCIDE) {
        coincide(p, ka, kb, lambda, K);
    } else if (p->kind == VG_PRIM_DOT) {
        dot_pair(lambda[0] * p->s1, p->ua, p->ub, ka, kb, K);
        if (p->s2 != 0) dot_pair(lambda[0] * p->s2, p->wa, p->wb, ka, kb, K);
    } else if (p->kind == VG_PRIM_ALONG) {
        along(p, ka, kb, lambda[0], K);
    } else if (p->kind == VG_PRIM_DISTANCE) {
        distance(p, ka, kb, lambda[0], K);
    } else if (p->kind == VG_PRIM_CONTACT_HEIGHT) {
        by_columns(p, ka, kb, lambda[0], K);
    } else if (p->kind != VG_PRIM_MEASURE) {
        for (int j = 0; j < 12; j++) {
            double dx[12] = {0}, row[12];
            dx[j] = 1;
            vg_slip_vary(p, ka, kb, lambda, dx, row);
            for (int i = 0; i < 12; i++) K[i * 12 + j] += row[i];
        }
    }
}

/* ∂(g·ẋ)/∂δξ: ẋ = R(w×r) turns like the vector w×r, and g changes by the second derivative along ẋ. */
void vg_prim_drate(const vgPrim *p, const vgKin *ka, const vgKin *kb, double D[VG_PRIM_MAX_ROWS][12])
{
    double xi[12];
    vg_store3(ka->v, xi);
    vg_store3(ka->w, xi + 3);
    vg_store3(kb->v, xi + 6);
    vg_store3(kb->w, xi + 9);
    memset(D, 0, (size_t)p->rows * sizeof D[0]);
    vgAtoms x = vg_prim_atoms(p, ka, kb), dx = atoms_vary(p, ka, kb, xi);
    vgAtoms g[VG_PRIM_MAX_ROWS], dg[VG_PRIM_MAX_ROWS];
    int rows = vg_prim_forms(p, &x, g);
    vg_prim_forms_vary(p, &x, &dx, dg);
    for (int i = 0; i < rows; i++) {
        row_of_forms(p, ka, kb, &dg[i], D[i]);
        vg_row_vector(ka, vg_cross3(ka->w, p->ra), g[i].Pa, D[i]);
        vg_row_vector(ka, vg_cross3(ka->w, p->ua), g[i].Ua, D[i]);
        vg_row_vector(ka, vg_cross3(ka->w, p->wa), g[i].Wa, D[i]);
        vg_row_vector(kb, vg_cross3(kb->w, p->rb), g[i].Pb, D[i] + 6);
        vg_row_vector(kb, vg_cross3(kb->w, p->ub), g[i].Ub, D[i] + 6);
        vg_row_vector(kb, vg_cross3(kb->w, p->wb), g[i].Wb, D[i] + 6);
    }
    if (p->kind != VG_PRIM_KNIFE && p->kind != VG_PRIM_ROLLING) return;
    for (int i = 0; i < p->rows; i++) {
        double unit[2] = {i == 0, i == 1};
        for (int j = 0; j < 12; j++) {
            double e[12] = {0}, row[12], sum = 0;
            e[j] = 1;
            vg_slip_vary(p, ka, kb, unit, e, row);
            for (int k = 0; k < 12; k++) sum += row[k] * xi[k];
            D[i][j] = sum;
        }
    }
}
