/* Free motion of one frame relative to another: floating bases. q = (r_AB in A, quaternion), v = twist of B
 * in B's axes. Local coordinates d = (l, h): r = r0 + R0 l, R = R0 exp(h), so that v = ( exp(h)ᵀ l', T(h) h'
 * ) with T the tangent operator of the rotation group. */
#include "element/joint/build.h"
#include "element/prim/motion_so3.h"

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    (void)def;
    *r_AB = vg_load3(q);
    *R_AB = vg_quat_to_mat(vg_motion_quat(q + 3));
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def, (void)q;
    memset(S, 0, 36 * sizeof *S);
    for (int i = 0; i < 6; i++) S[7 * i] = 1;
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)def;
    vg_store3(r_AB, q);
    vg_motion_put_quat(vg_quat_from_mat(R_AB), q + 3);
}

static void zero(double *q)
{
    q[0] = q[1] = q[2] = 0;
    vg_motion_so3_zero(q + 3);
}

static void retract(const double *q, const double *d, double *out)
{
    vgMat3 R = vg_quat_to_mat(vg_motion_quat(q + 3));
    vg_store3(vg_add3(vg_load3(q), vg_mv3(R, vg_load3(d))), out);
    vg_motion_so3_retract(q + 3, d + 3, out + 3);
}

static void local(const double *q0, const double *q1, double *d)
{
    vgMat3 R = vg_quat_to_mat(vg_motion_quat(q0 + 3));
    vg_store3(vg_mtv3(R, vg_sub3(vg_load3(q1), vg_load3(q0))), d);
    vg_motion_so3_local(q0 + 3, q1 + 3, d + 3);
}

static void rates(const double *d, const double *v, double *ddot)
{
    vg_store3(vg_mv3(vg_so3_exp(vg_load3(d + 3)), vg_load3(v)), ddot);
    vg_motion_so3_rates(d + 3, v + 3, ddot + 3);
}

static void twist(const double *d, const double *ddot, double *v)
{
    vg_store3(vg_mtv3(vg_so3_exp(vg_load3(d + 3)), vg_load3(ddot)), v);
    vg_motion_so3_twist(d + 3, ddot + 3, v + 3);
}

static void tangent_inv(const double *d, double *Tinv)
{
    memset(Tinv, 0, 36 * sizeof *Tinv);
    vg_mput3(vg_so3_exp(vg_load3(d + 3)), Tinv, 6);
    vg_mput3(vg_so3_dexpinv(vg_load3(d + 3)), Tinv + 21, 6);
}

/* ∂(exp(h)ᵀ l')/∂h δh = (exp(h)ᵀ l') × T(h) δh */
static void tangent_diff(const double *d, const double *ddot, double *D)
{
    vgMat3 R, T;
    vg_so3_exp_dexp(vg_load3(d + 3), &R, &T);
    memset(D, 0, 36 * sizeof *D);
    vg_mput3(vg_mm3(vg_skew3(vg_mtv3(R, vg_load3(ddot))), T), D + 3, 6);
    vg_mput3(vg_so3_d_dexp(vg_load3(d + 3), vg_load3(ddot + 3)), D + 21, 6);
}

const vgJointMotion vg_motion_free = {
    .nq = 7,
    .nv = 6,
    .pose = pose,
    .subspace = subspace,
    .from_pose = from_pose,
    .zero = zero,
    .retract = retract,
    .local = local,
    .rates = rates,
    .twist = twist,
    .tangent_inv = tangent_inv,
    .tangent_diff = tangent_diff,
};
