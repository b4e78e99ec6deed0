/* Spherical joint: the origins coincide. Coordinates of the motion: a unit quaternion, velocities w_AB in B.
 */
#include "element/joint/build.h"
#include "element/prim/motion_so3.h"

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_coincide(def, planar, out);
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    (void)def;
    *r_AB = vg_zero3();
    *R_AB = vg_quat_to_mat(vg_quat(q[0], q[1], q[2], q[3]));
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def, (void)q;
    memset(S, 0, 18 * sizeof *S);
    for (int i = 0; i < 3; i++) S[(3 + i) * 3 + i] = 1;
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)def, (void)r_AB;
    vg_quat_store(vg_quat_from_mat(R_AB), q);
}

static const vgJointMotion motion = {
    .nq = 4,
    .nv = 3,
    .pose = pose,
    .subspace = subspace,
    .from_pose = from_pose,
    .zero = vg_motion_so3_zero,
    .retract = vg_motion_so3_retract,
    .local = vg_motion_so3_local,
    .rates = vg_motion_so3_rates,
    .twist = vg_motion_so3_twist,
    .tangent_inv = vg_motion_so3_tangent_inv,
    .tangent_diff = vg_motion_so3_tangent_diff,
};

const vgJointKind vg_joint_spherical = {
    .name = "spherical",
    .doc = "Two points coincide, all rotations free (ball joint).",
    .example = "hip: {spherical: [pelvis.hip, thigh.hip]}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    .build = build,
    .motion = &motion,
};
