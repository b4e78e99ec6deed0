/* Two axes keep the angle between them: zA·zB = cos(angle). The gradient vanishes for parallel axes, which
 * take two rows instead (parallel-axes). */
#include "element/joint/build.h"

typedef struct Angle {
    double angle; /* rad; NAN: as at the start */
} Angle;
VG_JOINT_PARAMETERS(Angle)

static const vgField fields[] = {
    VG_JOINT_AXIS("axis of the first frame"),
    {"axis2", VG_FIELD_AXIS, offsetof(vgJointDef, axis2), "", "z", 0, 0, "axis of the second frame"},
    {"value", VG_FIELD_NUMBER, VG_JOINT_AT(Angle, angle), "rad", "", 1e-6, 3.14159165,
     "angle between the axes, not 0 and not pi; absent: as at the start"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Angle own = own_of(def);
    (void)planar;
    int open = !isfinite(own.angle);
    vgVec3 z = vg_v3(0, 0, 1);
    vg_joint_dot(def, z, z, open ? 0 : cos(own.angle), out)->start = open;
}

const vgJointKind vg_joint_angle = {
    .name = "angle",
    .doc = "An axis of the second body keeps its angle to an axis of the first.",
    .example = "square: {angle: [frame, arm], axis: x, axis2: y, value: pi/2}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_TWO,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
