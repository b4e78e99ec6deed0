/* Rack and pinion: displacement = radius · angle + offset. */
#include "element/joint/build.h"

typedef struct Rack {
    double radius; /* m a radian */
    double offset; /* m; NAN: as at the start */
} Rack;
VG_JOINT_PARAMETERS(Rack)

static const vgField fields[] = {
    {"radius", VG_FIELD_NUMBER, VG_JOINT_AT(Rack, radius), "m", NULL, 0, 0,
     "displacement of the rack for one radian of the pinion; negative: the other way"},
    {"offset", VG_FIELD_NUMBER, VG_JOINT_AT(Rack, offset), "m", "", 0, 0,
     "displacement at angle zero; absent: as at the start"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Rack own = own_of(def);
    (void)planar;
    vg_joint_coupled(2, (double[2]){-own.radius, 1}, (int[2]){def->first, def->second}, own.offset, out);
}

const vgJointKind vg_joint_rack_and_pinion = {
    .name = "rack-and-pinion",
    .doc = "A sliding joint follows a turning joint: [pinion joint, rack joint].",
    .example = "steering: {rack-and-pinion: [column, rack], radius: 0.012}",
    .planar = 1,
    .head = VG_HEAD_JOINTS,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
