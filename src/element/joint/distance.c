/* Massless rod: two points keep their distance; the multiplier is the force in the rod. If the joint is driven (a
 * winch, a hydraulic cylinder), the drive prescribes the distance and this equation is left out. */
#include "element/joint/build.h"

typedef struct Rod {
    double length; /* m; NAN: as at the start */
} Rod;
VG_JOINT_PARAMETERS(Rod)

static const vgField fields[] = {{"length", VG_FIELD_NUMBER, VG_JOINT_AT(Rod, length), "m", "", 1e-12,
                                  INFINITY, "distance of the two points; absent: as at the start"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Rod own = own_of(def);
    if (!def->driven) {
        vgPrim *p = vg_joint_prim(def, VG_PRIM_DISTANCE, 1, out);
        p->start = !isfinite(own.length);
        p->c = p->start ? 0 : own.length;
    }
    vg_joint_coord(def, planar, "distance", "m", VG_MEASURE_DISTANCE, out);
}

const vgJointKind vg_joint_distance = {
    .name = "distance",
    .doc = "Two points keep a constant distance (massless rod with ball ends), or one that a drive gives as "
           "a law of time (winch, hydraulic cylinder): `drive: {distance: 0.3 + 0.1*t}`, or its rate. What "
           "the drive pushes with is joint.NAME.drive.effort, a pull is negative.",
    .example = "rod: {distance: [crank.A, slider.B], length: 0.3}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    .undriven = "length",
    VG_JOINT_FIELDS(fields),
    .build = build,
};
