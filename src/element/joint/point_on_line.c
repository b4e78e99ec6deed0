/* A point of B stays on a line fixed in A; all rotations are free. */
#include "element/joint/build.h"

static const vgField fields[] = {
    VG_JOINT_AXIS("direction of the line, in the first frame (planar models: default x)")};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_on_line(def, planar, out);
    vg_joint_coord(def, planar, "displacement", "m", VG_MEASURE_DISPLACEMENT, out);
}

const vgJointKind vg_joint_point_on_line = {
    .name = "point-on-line",
    .doc = "A point of the second body stays on a line of the first (pin in a slot).",
    .example = "slot: {point-on-line: [arm, block.pin], axis: x}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    .plane_axis = "x",
    VG_JOINT_FIELDS(fields),
    .build = build,
};
