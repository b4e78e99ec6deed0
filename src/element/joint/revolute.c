/* Revolute joint: one rotation about z. The origins coincide and the axes are parallel. Planar: the origins
 * coincide. */
#include "element/joint/build.h"

static const vgField fields[] = {VG_JOINT_AXIS("axis of rotation, in the first frame"), VG_JOINT_AXIS2};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_coincide(def, planar, out);
    if (!planar) vg_joint_parallel(def, out);
    vg_joint_coord(def, planar, "angle", "rad", VG_MEASURE_ANGLE, out);
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    (void)def;
    *r_AB = vg_zero3();
    *R_AB = vg_turn_z(q[0]);
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def, (void)q;
    memset(S, 0, 6 * sizeof *S);
    S[5] = 1;
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)def, (void)r_AB;
    q[0] = vg_turn_z_of(R_AB);
}

static const vgJointMotion motion = {
    .nq = 1, .nv = 1, .pose = pose, .subspace = subspace, .from_pose = from_pose};

const vgJointKind vg_joint_revolute = {
    .name = "revolute",
    .doc = "One rotation about a common axis (hinge, pin).",
    .example = "knee: {revolute: [thigh.knee, shank.knee], axis: y}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_OWN,
    .plane_axis = "z",
    VG_JOINT_FIELDS(fields),
    .build = build,
    .motion = &motion,
};
