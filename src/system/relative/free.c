/* Motion of a floating body: q = (position, quaternion), v = (velocity in W, angular velocity in body axes),
 * the same as absolute coordinates on R³×SO(3). Fast spin does not show in the translation, as it would with
 * velocities in body axes. With S = [Rᵀ 0; 0 1]:  Ṡ v = (−w × Rᵀ ṙ, 0). */
#include <string.h>

#include "element/prim/motion_so3.h"
#include "system/relative/relative.h"

static void pose(const vgJointDef *def, const double *q, vgVec3 *r, vgMat3 *R)
{
    (void)def;
    *r = vg_load3(q);
    *R = vg_quat_to_mat(vg_quat_load(q + 3));
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def;
    memset(S, 0, 36 * sizeof *S);
    vg_mput3(vg_mt3(vg_quat_to_mat(vg_quat_load(q + 3))), S, 6);
    S[21] = S[28] = S[35] = 1;
}

static void bias(const vgJointDef *def, const double *q, const double *v, double out[6])
{
    (void)def;
    vgVec3 u = vg_mtv3(vg_quat_to_mat(vg_quat_load(q + 3)), vg_load3(v));
    vg_store3(vg_cross3(u, vg_load3(v + 3)), out);
    out[3] = out[4] = out[5] = 0;
}

static void all(const vgJointDef *def, const double *q, const double *v, vgVec3 *r, vgMat3 *R, double *S,
                double *b)
{
    (void)def;
    *r = vg_load3(q);
    *R = vg_quat_to_mat(vg_quat_load(q + 3));
    memset(S, 0, 36 * sizeof *S);
    vg_mput3(vg_mt3(*R), S, 6);
    S[21] = S[28] = S[35] = 1;
    vg_store3(vg_cross3(vg_mtv3(*R, vg_load3(v)), vg_load3(v + 3)), b);
    b[3] = b[4] = b[5] = 0;
}

/* Turning by δθ in body axes changes Rᵀx by Rᵀx × δθ. */
static void vary(const vgJointDef *def, const double *q, const double *v, double *dS, double *b_q,
                 double *b_v)
{
    (void)def;
    vgMat3 R = vg_quat_to_mat(vg_quat_load(q + 3));
    vgVec3 u = vg_mtv3(R, vg_load3(v)), w = vg_load3(v + 3);
    memset(dS, 0, 216 * sizeof *dS);
    memset(b_q, 0, 36 * sizeof *b_q);
    memset(b_v, 0, 36 * sizeof *b_v);
    for (int k = 0; k < 3; k++) {
        vgVec3 e = vg_unit_axis3(k), ue = vg_cross3(u, e);
        double *to = dS + 36 * (3 + k);
        for (int j = 0; j < 3; j++) {
            vgVec3 x = vg_cross3(vg_row3(R, j), e);
            to[j] = x.x, to[6 + j] = x.y, to[12 + j] = x.z;
        }
        vg_store3(vg_cross3(ue, w), b_q + 6 * (3 + k));
        vg_store3(vg_cross3(vg_row3(R, k), w), b_v + 6 * k);
        vg_store3(ue, b_v + 6 * (3 + k));
    }
}

static void from_pose(const vgJointDef *def, vgVec3 r, vgMat3 R, double *q)
{
    (void)def;
    vg_store3(r, q);
    vg_quat_store(vg_quat_from_mat(R), q + 3);
}

static void zero(double *q)
{
    q[0] = q[1] = q[2] = 0;
    vg_motion_so3_zero(q + 3);
}

static void retract(const double *q, const double *d, double *out)
{
    vg_store3(vg_add3(vg_load3(q), vg_load3(d)), out);
    vg_motion_so3_retract(q + 3, d + 3, out + 3);
}

static void local(const double *q0, const double *q1, double *d)
{
    vg_store3(vg_sub3(vg_load3(q1), vg_load3(q0)), d);
    vg_motion_so3_local(q0 + 3, q1 + 3, d + 3);
}

static void rates(const double *d, const double *v, double *ddot)
{
    memcpy(ddot, v, 3 * sizeof *v);
    vg_motion_so3_rates(d + 3, v + 3, ddot + 3);
}

static void twist(const double *d, const double *ddot, double *v)
{
    memcpy(v, ddot, 3 * sizeof *v);
    vg_motion_so3_twist(d + 3, ddot + 3, v + 3);
}

static void tangent_inv(const double *d, double *Tinv)
{
    memset(Tinv, 0, 36 * sizeof *Tinv);
    Tinv[0] = Tinv[7] = Tinv[14] = 1;
    vg_mput3(vg_so3_dexpinv(vg_load3(d + 3)), Tinv + 21, 6);
}

static void tangent_diff(const double *d, const double *ddot, double *D)
{
    memset(D, 0, 36 * sizeof *D);
    vg_mput3(vg_so3_d_dexp(vg_load3(d + 3), vg_load3(ddot + 3)), D + 21, 6);
}

const vgJointMotion vg_tree_floating = {
    .nq = 7,
    .nv = 6,
    .pose = pose,
    .subspace = subspace,
    .bias = bias,
    .all = all,
    .vary = vary,
    .from_pose = from_pose,
    .zero = zero,
    .retract = retract,
    .local = local,
    .rates = rates,
    .twist = twist,
    .tangent_inv = tangent_inv,
    .tangent_diff = tangent_diff,
};
