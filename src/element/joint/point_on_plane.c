/* A point of B stays in a plane fixed in A. */
#include "element/joint/build.h"

typedef struct Plane {
    double offset; /* m, along the normal */
} Plane;
VG_JOINT_PARAMETERS(Plane)

static const vgField fields[] = {VG_JOINT_AXIS("normal of the plane, in the first frame"),
                                 {"offset", VG_FIELD_NUMBER, VG_JOINT_AT(Plane, offset), "m", "0", 0, 0,
                                  "distance of the plane from the first frame's origin, along the normal"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Plane own = own_of(def);
    vg_joint_along(def, vg_v3(0, 0, 1), own.offset, out);
    vg_joint_coord(def, planar, "x", "m", VG_MEASURE_POSITION, out)->axis = 0;
    vg_joint_coord(def, planar, "y", "m", VG_MEASURE_POSITION, out)->axis = 1;
}

const vgJointKind vg_joint_point_on_plane = {
    .name = "point-on-plane",
    .doc = "A point of the second body stays in a plane of the first.",
    .example = "foot: {point-on-plane: [ground, leg.tip], axis: z}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
