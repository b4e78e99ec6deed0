/* For the kinds of primitives: vectors turned into W, rows of points and vectors, blocks of the stiffness.
 * Internal to the folder. */
#ifndef VERGE_ELEMENT_PRIM_ARMS_H
#define VERGE_ELEMENT_PRIM_ARMS_H

#include "element/prim/prim.h"

extern const vgPrimType vg_prim_coincide, vg_prim_dot, vg_prim_along, vg_prim_distance, vg_prim_knife,
    vg_prim_rolling, vg_prim_contact_height;

/* The stiffness of any primitive of one row that has forms, column by column. */
void vg_prim_stiffness_by_forms(const vgPrim *, const vgKin *ka, const vgKin *kb, const double *lambda,
                                double K[144]);

static inline void vg_put3(double *out, vgVec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

/* A vector fixed on a body, in W: x = R x_B, d = R(w×x_B), dd = R(w×(w×x_B)), its second derivative at zero acceleration
 * of w. The arm of a point has the same derivatives relative to the body's origin. */
typedef struct vgArm {
    vgVec3 x, d, dd;
} vgArm;

static inline vgArm vg_arm(const vgKin *k, vgVec3 x_B, unsigned what)
{
    vgArm arm = {vg_mv3(k->R, x_B), {0, 0, 0}, {0, 0, 0}};
    if (what & (VG_PRIM_RATE | VG_PRIM_BIAS)) {
        vgVec3 wx = vg_cross3(k->w, x_B);
        arm.d = vg_mv3(k->R, wx);
        if (what & VG_PRIM_BIAS) arm.dd = vg_mv3(k->R, vg_cross3(k->w, wx));
    }
    return arm;
}

static inline vgArm vg_arm_ground(vgVec3 x_W)
{
    return (vgArm){x_W, {0, 0, 0}, {0, 0, 0}};
}

/* row += g·∂(point at arm r_B)/∂δξ */
static inline void vg_row_point(const vgKin *k, vgVec3 r_B, vgVec3 g, double row[6])
{
    vgVec3 t = vg_cross3(r_B, vg_mtv3(k->R, g));
    row[0] += g.x, row[1] += g.y, row[2] += g.z;
    row[3] += t.x, row[4] += t.y, row[5] += t.z;
}

/* row += g·∂(vector u_B)/∂δξ */
static inline void vg_row_vector(const vgKin *k, vgVec3 u_B, vgVec3 g, double row[6])
{
    vgVec3 t = vg_cross3(u_B, vg_mtv3(k->R, g));
    row[3] += t.x, row[4] += t.y, row[5] += t.z;
}

/* The arm of a body that may be the ground. */
static inline vgArm vg_arm_of(int body, const vgKin *k, vgVec3 x_B, unsigned what)
{
    return body < 0 ? vg_arm_ground(x_B) : vg_arm(k, x_B, what);
}

/* ---- blocks of K, 4 × 4 of them, 3 × 3 each, in the order p_A, θ_A, p_B, θ_B ---- */

enum { VG_PA, VG_TA, VG_PB, VG_TB };

static inline void vg_add_block(double K[144], int i, int j, double s, vgMat3 M)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) K[(3 * i + r) * 12 + 3 * j + c] += s * M.m[r][c];
}

/* r̂ ĝ on the block (t, t): g = Rᵀg_W */
static inline void vg_add_turn(double K[144], int t, vgVec3 r, vgVec3 g)
{
    vgMat3 M = vg_outer3(g, r);
    double rg = vg_dot3(r, g);
    for (int i = 0; i < 3; i++) M.m[i][i] -= rg;
    vg_add_block(K, t, t, 1, M);
}

/* M v̂: every row crossed with v. */
static inline vgMat3 vg_times_skew(vgMat3 M, vgVec3 v)
{
    for (int i = 0; i < 3; i++) vg_store3(vg_cross3(vg_load3(M.m[i]), v), M.m[i]);
    return M;
}

static inline void vg_add_scaled_eye(double K[144], int i, int j, double s)
{
    for (int r = 0; r < 3; r++) K[(3 * i + r) * 12 + 3 * j + r] += s;
}

#endif
