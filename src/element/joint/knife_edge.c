/* Knife edge (skate, sled): a point of B does not move sideways, relative to A; one row of velocities. */
#include "element/joint/build.h"

static const vgField fields[] = {{"axis2", VG_FIELD_AXIS, offsetof(vgJointDef, axis2), "", "y", 0, 0,
                                  "the sideways direction without motion, in the second frame"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    (void)planar;
    vgPrim *p = vg_joint_prim(def, VG_PRIM_KNIFE, 1, out);
    p->level = 1;
    p->ub = vg_col3(def->B.R, 2);
}

const vgJointKind vg_joint_knife_edge = {
    .name = "knife-edge",
    .doc = "A point of the second body does not move sideways relative to the first (skate).",
    .example = "skate: {knife-edge: [ground, sled.blade], axis2: y}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_TWO,
    .plane_axis2 = "y",
    VG_JOINT_FIELDS(fields),
    .build = build,
};
