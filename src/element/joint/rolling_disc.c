/* A thin disc of B rolls without slipping on a plane of A, leaning freely: the lowest point of the rim
 * touches the plane (one row of positions) and its material point has no velocity in the plane (two rows of
 * velocities; planar models: one, the disc rolls on a line). */
#include "element/joint/build.h"

typedef struct Disc {
    double radius; /* m */
} Disc;
VG_JOINT_PARAMETERS(Disc)

static const vgField fields[] = {
    VG_JOINT_AXIS("normal of the plane, in the first frame (planar models: default y)"),
    {"axis2", VG_FIELD_AXIS, offsetof(vgJointDef, axis2), "", "y", 0, 0,
     "axis of the disc, in the second frame (planar models: always z)"},
    {"radius", VG_FIELD_NUMBER, VG_JOINT_AT(Disc, radius), "m", NULL, 0, INFINITY, "radius of the disc"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    Disc own = own_of(def);
    vgVec3 normal = vg_col3(def->A.R, 2), ez = vg_v3(0, 0, 1);
    vgPrim *p = vg_joint_prim(def, VG_PRIM_CONTACT_HEIGHT, 1, out);
    p->ua = normal;
    p->ub = planar ? ez : vg_col3(def->B.R, 2);
    p->c = own.radius;
    out->prim[out->nprim] = *p;
    p = &out->prim[out->nprim++];
    p->kind = VG_PRIM_ROLLING;
    p->level = 1;
    p->rows = planar ? 1 : 2;
    p->wa = planar ? vg_cross3(normal, ez) : vg_col3(def->A.R, 0);
    p->wb = planar ? vg_zero3() : vg_col3(def->A.R, 1);
}

const vgJointKind vg_joint_rolling_disc = {
    .name = "rolling-disc",
    .doc = "A disc of the second body rolls without slipping on a plane of the first.",
    .example = "contact: {rolling-disc: [ground, wheel], axis: z, axis2: y, radius: 0.3}",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_TWO,
    .plane_axis = "y",
    .plane_axis2 = "z",
    VG_JOINT_FIELDS(fields),
    .build = build,
};
