/* Cylindrical joint: rotation about z and translation along it. */
#include "element/joint/build.h"

static const vgField fields[] = {VG_JOINT_AXIS("axis of rotation and sliding, in the first frame"),
                                 VG_JOINT_AXIS2};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_on_line(def, 0, out);
    vg_joint_parallel(def, out);
    vg_joint_coord(def, planar, "angle", "rad", VG_MEASURE_ANGLE, out);
    vg_joint_coord(def, planar, "displacement", "m", VG_MEASURE_DISPLACEMENT, out);
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    (void)def;
    *r_AB = vg_v3(0, 0, q[1]);
    *R_AB = vg_turn_z(q[0]);
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def, (void)q;
    memset(S, 0, 12 * sizeof *S);
    S[5 * 2 + 0] = 1;
    S[2 * 2 + 1] = 1;
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)def;
    q[0] = vg_turn_z_of(R_AB);
    q[1] = r_AB.z;
}

static const vgJointMotion motion = {
    .nq = 2, .nv = 2, .pose = pose, .subspace = subspace, .from_pose = from_pose};

const vgJointKind vg_joint_cylindrical = {
    .name = "cylindrical",
    .doc = "Rotation about an axis and translation along it.",
    .example = "sleeve: {cylindrical: [ground.rail, sleeve], axis: z}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_OWN,
    VG_JOINT_FIELDS(fields),
    .build = build,
    .motion = &motion,
};
