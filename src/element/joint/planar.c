/* Planar joint: B's origin moves in the x–y plane of A and B turns about its normal z. */
#include "base/libm/libm.h"
#include "element/joint/build.h"

static const vgField fields[] = {VG_JOINT_AXIS("normal of the plane, in the first frame"), VG_JOINT_AXIS2};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_along(def, vg_v3(0, 0, 1), 0, out);
    vg_joint_parallel(def, out);
    vg_joint_coord(def, planar, "x", "m", VG_MEASURE_POSITION, out)->axis = 0;
    vg_joint_coord(def, planar, "y", "m", VG_MEASURE_POSITION, out)->axis = 1;
    vg_joint_coord(def, planar, "angle", "rad", VG_MEASURE_ANGLE, out);
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    (void)def;
    *r_AB = vg_v3(q[0], q[1], 0);
    *R_AB = vg_turn_z(q[2]);
}

/* Linear part Rz(q3)ᵀ (x', y') */
static void subspace(const vgJointDef *def, const double *q, double *S)
{
    (void)def;
    double c, s;
    vg_sincos(q[2], &s, &c);
    memset(S, 0, 18 * sizeof *S);
    S[0] = c, S[1] = s;
    S[3] = -s, S[4] = c;
    S[17] = 1;
}

static void bias(const vgJointDef *def, const double *q, const double *v, double out[6])
{
    (void)def;
    double c, s;
    vg_sincos(q[2], &s, &c);
    memset(out, 0, 6 * sizeof *out);
    out[0] = v[2] * (-s * v[0] + c * v[1]);
    out[1] = v[2] * (-c * v[0] - s * v[1]);
}

static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    (void)def;
    q[0] = r_AB.x;
    q[1] = r_AB.y;
    q[2] = vg_turn_z_of(R_AB);
}

const vgJointMotion vg_motion_planar = {
    .nq = 3, .nv = 3, .pose = pose, .subspace = subspace, .bias = bias, .from_pose = from_pose};

const vgJointKind vg_joint_planar = {
    .name = "planar",
    .doc = "Two translations in a plane and the rotation about its normal.",
    .example = "table: {planar: [ground, puck], axis: z}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_OWN,
    VG_JOINT_FIELDS(fields),
    .build = build,
    .motion = &vg_motion_planar,
};
