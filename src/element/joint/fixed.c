/* Fixed joint: two frames move as one. */
#include "element/joint/build.h"

static const vgField fields[] = {VG_JOINT_ALIGN};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_coincide(def, planar, out);
    vg_joint_aligned(def, planar, out);
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    (void)def, (void)q;
    *r_AB = vg_zero3();
    *R_AB = vg_eye3();
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def, (void)q, (void)S;
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)def, (void)r_AB, (void)R_AB, (void)q;
}

static const vgJointMotion motion = {
    .nq = 0, .nv = 0, .pose = pose, .subspace = subspace, .from_pose = from_pose};

const vgJointKind vg_joint_fixed = {
    .name = "fixed",
    .doc = "No relative motion (weld).",
    .example = "weld: {fixed: [frame.mount, motor]}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    VG_JOINT_FIELDS(fields),
    .build = build,
    .motion = &motion,
};
