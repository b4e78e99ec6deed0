/* Screw joint: a cylindrical joint whose translation follows its rotation, z = pitch q/2π + offset. The angle
 * is the continued one, so the thread runs over any number of turns. */
#include "element/joint/build.h"

static const double full_turn = 6.283185307179586476925286766559;

typedef struct Screw {
    double pitch;  /* m a turn */
    double offset; /* m, displacement at angle zero */
} Screw;
VG_JOINT_PARAMETERS(Screw)

static const vgField fields[] = {
    VG_JOINT_AXIS("axis of the screw, in the first frame"),
    VG_JOINT_AXIS2,
    {"pitch", VG_FIELD_NUMBER, VG_JOINT_AT(Screw, pitch), "m", NULL, 0, 0,
     "displacement along the axis in one turn; negative: left-handed"},
    {"offset", VG_FIELD_NUMBER, VG_JOINT_AT(Screw, offset), "m", "0", 0, 0, "displacement at angle zero"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Screw own = own_of(def);
    vg_joint_on_line(def, 0, out);
    vg_joint_parallel(def, out);
    vg_joint_coupled(2, (double[2]){-own.pitch / full_turn, 1}, (int[2]){-1, -2}, own.offset, out);
    vg_joint_coord(def, planar, "angle", "rad", VG_MEASURE_ANGLE, out);
    vg_joint_coord(def, planar, "displacement", "m", VG_MEASURE_DISPLACEMENT, out);
}

static void pose(const vgJointDef *def, const double *q, vgVec3 *r_AB, vgMat3 *R_AB)
{
    Screw own = own_of(def);
    *r_AB = vg_v3(0, 0, own.pitch / full_turn * q[0] + own.offset);
    *R_AB = vg_turn_z(q[0]);
}

static void subspace(const vgJointDef *def, const double *q, double *S)
{
    Screw own = own_of(def);
    (void)q;
    memset(S, 0, 6 * sizeof *S);
    S[2] = own.pitch / full_turn;
    S[5] = 1;
}

/* The displacement decides the number of turns. */
static void from_pose(const vgJointDef *def, vgVec3 r_AB, vgMat3 R_AB, double *q)
{
    Screw own = own_of(def);
    double angle = vg_turn_z_of(R_AB);
    double turns = own.pitch != 0 ? (r_AB.z - own.offset) / own.pitch - angle / full_turn : 0;
    q[0] = angle + full_turn * round(turns);
}

static const vgJointMotion motion = {
    .nq = 1, .nv = 1, .pose = pose, .subspace = subspace, .from_pose = from_pose};

const vgJointKind vg_joint_screw = {
    .name = "screw",
    .doc = "Rotation about an axis with a proportional translation along it.",
    .example = "spindle: {screw: [ground, nut], axis: x, pitch: 0.005}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_OWN,
    VG_JOINT_FIELDS(fields),
    .build = build,
    .motion = &motion,
};
