/* Constant-velocity (homokinetic) joint between two shafts that meet in a point.
 *
 * Both axes z point the same way along the shafts and the frames agree when the shafts are straight. The
 * joint may bend in any direction but not twist: R_AB = exp(β k) with k perpendicular to z. A rotation by β
 * about k has R_10 − R_01 = 2 k_z sin β, so the condition is, besides coinciding origins, yA·xB − xA·yB = 0.
 * It transmits constant velocity: with the shafts in fixed bearings at an angle β, turned by α and γ,
 *     R_AB = Rz(−α) exp(β k) Rz(γ) = exp(β k') Rz(γ − α),   k' = Rz(−α) k ⟂ z,
 * is free of twist exactly for γ = α. */
#include "element/joint/build.h"

static const vgField fields[] = {
    VG_JOINT_AXIS("axis of the first shaft, in the first frame"),
    {"axis2", VG_FIELD_AXIS, offsetof(vgJointDef, axis2), "", "", 0, 0,
     "axis of the second shaft, in the second frame, pointing the same way; absent: straight at the start"}};

static void build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    vg_joint_coincide(def, planar, out);
    vgPrim *p = vg_joint_dot(def, vg_v3(0, 1, 0), vg_v3(1, 0, 0), 0, out);
    p->wa = vg_col3(def->A.R, 0);
    p->wb = vg_col3(def->B.R, 1);
    p->s2 = -1;
}

const vgJointKind vg_joint_constant_velocity = {
    .name = "constant-velocity",
    .doc = "Two shafts meet in a point and turn alike at any bend (homokinetic joint).",
    .example = "cv: {constant-velocity: [shaft.end, hub.start], axis: x, axis2: x}",
    .head = VG_HEAD_FRAMES,
    .axes = VG_AXES_CARRY,
    VG_JOINT_FIELDS(fields),
    .build = build,
};
