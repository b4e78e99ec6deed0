/* Two bodies keep their relative orientation; translations are free. */
#include "element/joint/build.h"

static const vgField fields[] = {VG_JOINT_ALIGN};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_aligned(def, planar, out);
}

const vgJointKind vg_joint_constant_orientation = {
    .name = "constant-orientation",
    .doc = "All relative rotations are held, translations are free.",
    .example = "level: {constant-orientation: [ground, platform]}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
