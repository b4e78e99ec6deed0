/* An axis of B stays parallel to an axis of A. */
#include "element/joint/build.h"

static const vgField fields[] = {
    VG_JOINT_AXIS("axis of the first frame"),
    {"axis2", VG_FIELD_AXIS, offsetof(vgJointDef, axis2), "", "", 0, 0,
     "axis of the second frame; absent: the one that is parallel to the first at the start"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_parallel(def, out);
    vg_joint_coord(def, planar, "angle", "rad", VG_MEASURE_ANGLE, out);
}

const vgJointKind vg_joint_parallel_axes = {
    .name = "parallel-axes",
    .doc = "An axis of the second body stays parallel to an axis of the first.",
    .example = "upright: {parallel-axes: [ground, mast], axis: z}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_OWN,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
