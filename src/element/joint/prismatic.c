/* Prismatic joint: one translation along z, no rotation. */
#include "element/joint/build.h"

static const vgField fields[] = {
    VG_JOINT_AXIS("direction of sliding, in the first frame (planar models: default x)"), VG_JOINT_AXIS2,
    VG_JOINT_ALIGN};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_on_line(def, planar, out);
    vg_joint_aligned(def, planar, out);
    vg_joint_coord(def, planar, "displacement", "m", VG_MEASURE_DISPLACEMENT, out);
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    (void)def;
    *r_AB = vg_v3(0, 0, q[0]);
    *R_AB = vg_eye3();
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def, (void)q;
    memset(S, 0, 6 * sizeof *S);
    S[2] = 1;
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)def, (void)R_AB;
    q[0] = r_AB.z;
}

static const vgJointMotion motion = {
    .nq = 1, .nv = 1, .pose = pose, .subspace = subspace, .from_pose = from_pose};

const vgJointKind vg_joint_prismatic = {
    .name = "prismatic",
    .doc = "One translation along an axis, no rotation (slider).",
    .example = "guide: {prismatic: [ground, piston.pin], axis: x}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    .plane_axis = "x",
    VG_JOINT_FIELDS(fields),
    .build = build,
    .motion = &motion,
};
