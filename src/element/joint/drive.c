/* Drive: a joint coordinate follows a law of time, at the level of values, rates or accelerations. */
#include "element/joint/build.h"

static const vgField fields[] = {{"value", VG_FIELD_LAW, offsetof(vgJointDef, law), "", NULL, 0, 0,
                                  "the coordinate (or its rate, or its acceleration) as a function of t"},
                                 {"level", VG_FIELD_INT, offsetof(vgJointDef, level), "", "0", 0, 2,
                                  "what the law gives: 0 the coordinate, 1 its rate, 2 its acceleration"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    (void)planar;
    vgPrim *p = vg_joint_coupled(1, (double[1]){1}, &def->first, 0, out);
    p->level = def->level;
    p->law = &def->law;
}

const vgJointKind vg_joint_drive = {
    .name = "drive",
    .doc = "A joint coordinate follows a law of time.",
    .example = "motor: {drive: crank, value: \"2*pi*t\"}",
    .planar = 1,
    .head = VG_HEAD_JOINT,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
