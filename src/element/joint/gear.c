/* Gear: two joint angles in a fixed ratio, q2 = ratio q1 + offset. */
#include "element/joint/build.h"

typedef struct Gear {
    double ratio;  /* q2 = ratio q1 + offset */
    double offset; /* rad; NAN: as at the start */
} Gear;
VG_JOINT_PARAMETERS(Gear)

static const vgField fields[] = {
    {"ratio", VG_FIELD_NUMBER, VG_JOINT_AT(Gear, ratio), "", NULL, 0, 0,
     "turns of the second joint for one turn of the first; negative for external gears"},
    {"offset", VG_FIELD_NUMBER, VG_JOINT_AT(Gear, offset), "rad", "", 0, 0,
     "angle of the second joint when the first is at zero; absent: as at the start"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Gear own = own_of(def);
    (void)planar;
    vg_joint_coupled(2, (double[2]){-own.ratio, 1}, (int[2]){def->first, def->second}, own.offset, out);
}

const vgJointKind vg_joint_gear = {
    .name = "gear",
    .doc = "The coordinates of two joints in a fixed ratio.",
    .example = "reduction: {gear: [input, output], ratio: -1/3}",
    .planar = 1,
    .head = VG_HEAD_JOINTS,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
