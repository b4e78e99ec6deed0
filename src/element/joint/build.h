/* Shared by the joint kinds: filling a vgJointBuild, rows of field tables, rotation about z. */
#ifndef VERGE_ELEMENT_JOINT_BUILD_H
#define VERGE_ELEMENT_JOINT_BUILD_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/libm/libm.h"
#include "element/joint/joint.h"

#define VG_JOINT_AXIS(doc)                                                                                   \
    {                                                                                                        \
        "axis", VG_FIELD_AXIS, offsetof(vgJointDef, axis), "", "z", 0, 0, doc                                \
    }
#define VG_JOINT_AXIS2                                                                                       \
    {                                                                                                        \
        "axis2", VG_FIELD_AXIS, offsetof(vgJointDef, axis2), "", "", 0, 0,                                   \
            "the same axis, in the second frame; absent: where it is at the start"                           \
    }
#define VG_JOINT_ALIGN                                                                                       \
    {                                                                                                        \
        "align", VG_FIELD_BOOL, offsetof(vgJointDef, align), "", "true", 0, 0,                               \
            "true: keep the relative orientation of the start; false: bring the axes of the two frames "     \
            "together"                                                                                       \
    }
/* The parameters of a kind: a struct of its own, kept in vgJointDef.own. VG_JOINT_PARAMETERS(Screw) defines
 * own_of(def), which returns a copy; VG_JOINT_AT(Screw, pitch) is the offset of a member for the field table. */
#define VG_JOINT_AT(type, member) offsetof(vgJointDef, own) + offsetof(type, member)
#define VG_JOINT_PARAMETERS(type)                                                                            \
    _Static_assert(sizeof(type) <= VG_JOINT_OWN, "the parameters fit");                                      \
    static inline type own_of(const vgJointDef *def)                                                         \
    {                                                                                                        \
        type own;                                                                                            \
        memcpy(&own, &def->own, sizeof own);                                                                 \
        return own;                                                                                          \
    }
#define VG_JOINT_FIELDS(list) .fields = list, .nfield = (int)(sizeof list / sizeof list[0])

/* Points coincide: 3 rows, planar 2. */
void vg_joint_coincide(const vgJointDef *def, int planar, vgJointBuild *out);
/* ua·ub = c, vectors given in frames A and B. */
vgPrim *vg_joint_dot(const vgJointDef *def, vgVec3 ua_A, vgVec3 ub_B, double c, vgJointBuild *out);
/* ua·(P_B − P_A) = c, the vector given in frame A. */
vgPrim *vg_joint_along(const vgJointDef *def, vgVec3 ua_A, double c, vgJointBuild *out);
/* Axes of A and B parallel: xA·zB = yA·zB = 0. */
void vg_joint_parallel(const vgJointDef *def, vgJointBuild *out);
/* B's origin on the line of A's axis. Planar: one row. */
void vg_joint_on_line(const vgJointDef *def, int planar, vgJointBuild *out);
/* Frames A and B turned alike: three rows, planar one. */
void vg_joint_aligned(const vgJointDef *def, int planar, vgJointBuild *out);
/* A primitive between the joint's bodies, all else zero. */
vgPrim *vg_joint_prim(const vgJointDef *def, vgPrimKind kind, int rows, vgJointBuild *out);
/* Σ k_i m_i = offset; a NAN offset is taken from the start. */
vgPrim *vg_joint_coupled(int nterm, const double *k, const int *measure, double offset, vgJointBuild *out);

vgMeasure *vg_joint_coord(const vgJointDef *def, int planar, const char *name, const char *unit,
                          vgMeasureKind kind, vgJointBuild *out);

static inline int vg_joint_given(const double axis[3])
{
    return isfinite(axis[0]) && (axis[0] != 0 || axis[1] != 0 || axis[2] != 0);
}

static inline vgMat3 vg_turn_z(double angle)
{
    double c, s;
    vg_sincos(angle, &s, &c);
    return vg_m3(c, -s, 0, s, c, 0, 0, 0, 1);
}

/* The turn about z nearest to R. */
static inline double vg_turn_z_of(vgMat3 R)
{
    return atan2(R.m[1][0] - R.m[0][1], R.m[0][0] + R.m[1][1]);
}

#endif
