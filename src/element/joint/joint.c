/* The list of joint kinds: a new kind is a file in this folder and one row here. */
#include "element/joint/build.h"
#include "base/expect.h"
#include "element/tuning.h"

#define VG_JOINT_LIST(X)                                                                                     \
    X(revolute)                                                                                              \
    X(prismatic)                                                                                             \
    X(cylindrical)                                                                                           \
    X(spherical)                                                                                             \
    X(universal)                                                                                             \
    X(planar)                                                                                                \
    X(screw)                                                                                                 \
    X(fixed)                                                                                                 \
    X(distance)                                                                                              \
    X(point_on_line)                                                                                         \
    X(point_on_plane)                                                                                        \
    X(constant_orientation)                                                                                  \
    X(parallel_axes)                                                                                         \
    X(angle)                                                                                                 \
    X(constant_velocity)                                                                                     \
    X(gear)                                                                                                  \
    X(coupler)                                                                                               \
    X(polynomial)                                                                                            \
    X(rack_and_pinion)                                                                                       \
    X(rolling_disc)                                                                                          \
    X(knife_edge)                                                                                            \
    X(drive)

#define VG_JOINT_DECLARE(kind) extern const vgJointKind vg_joint_##kind;
VG_JOINT_LIST(VG_JOINT_DECLARE)

#define VG_JOINT_ROW(kind) &vg_joint_##kind,
const vgJointKind *const vg_joint_kinds[] = {VG_JOINT_LIST(VG_JOINT_ROW) NULL};

const vgJointKind *vg_joint_kind(const char *name)
{
    for (int i = 0; vg_joint_kinds[i]; i++)
        if (strcmp(vg_joint_kinds[i]->name, name) == 0) return vg_joint_kinds[i];
    return NULL;
}

vgJointDef vg_joint_def(void)
{
    vgJointDef def = {0};
    def.A = def.B = (vgFrame){-1, {0, 0, 0}, vg_eye3()};
    def.axis[2] = 1;
    for (int i = 0; i < 3; i++) def.axis2[i] = NAN;
    def.align = 1;
    def.first = def.second = def.third = -1;
    def.law.value = NAN;
    return def;
}

/* Axes with z along the unit vector a and x the axis that follows cyclically, or a fixed perpendicular. */
static vgMat3 axes_of(vgVec3 a, int planar)
{
    double along[3];
    vg_store3(a, along);
    vgVec3 x = planar && fabs(a.z) < 0.5 ? vg_cross3(vg_v3(0, 0, 1), a) : vg_perp3(a);
    for (int k = 0; k < 3; k++)
        if (fabs(fabs(along[k]) - 1) < VG_AXIS_EXACT) {
            a = vg_scale3(vg_unit_axis3(k), along[k] > 0 ? 1 : -1);
            x = vg_unit_axis3((k + 1) % 3);
        }
    return vg_cols3(x, vg_cross3(a, x), a);
}

/* The least rotation that takes the unit vector a to the unit vector b. */
static vgMat3 least_turn(vgVec3 a, vgVec3 b)
{
    vgVec3 m = vg_cross3(a, b);
    double s = vg_norm3(m), c = vg_dot3(a, b);
    if (s == 0 && c > 0) return vg_eye3();
    vgVec3 n = s > 0 ? vg_scale3(m, 1 / s) : vg_perp3(a);
    vgVec3 t = vg_cross3(n, a);
    vgMat3 from = vg_cols3(n, a, t), to = vg_cols3(n, b, vg_cross3(n, b));
    return vg_mmt3(to, from);
}

vgFrame vg_joint_first_frame(const vgJointDef *def, int planar)
{
    vgFrame f = def->A;
    f.R = vg_mmt3(f.R, axes_of(vg_unit3(vg_load3(def->axis)), planar));
    return f;
}

void vg_joint_frames(const vgJointKind *kind, int planar, const vgFrame *markerA, const vgFrame *markerB,
                     const vgKin *ka, const vgKin *kb, vgJointDef *def)
{
    VG_EXPECT(kind && markerA && markerB);
    vgVec3 axis = vg_unit3(vg_load3(def->axis));
    vgMat3 axes = axes_of(axis, planar);
    def->A = *markerA;
    def->A.R = vg_mm3(markerA->R, axes);
    def->B = *markerB;
    vgMat3 A_W = vg_mm3(ka->R, def->A.R);
    vgMat3 carried = vg_mtm3(kb->R, A_W);
    int given = vg_joint_given(def->axis2), own = kind->axes == VG_AXES_TWO || given;
    vgVec3 axis2 = given ? vg_unit3(vg_load3(def->axis2)) : axis;
    vgVec3 z2_W = vg_mv3(kb->R, vg_mv3(markerB->R, axis2)), z_W = vg_col3(A_W, 2);
    if (kind->axes == VG_AXES_CARRY) {
        own = !def->align;
        if (given) carried = vg_mtm3(kb->R, vg_mm3(least_turn(z_W, z2_W), A_W));
    } else if (kind->axes == VG_AXES_OWN && !given) {
        own = vg_dot3(z_W, z2_W) > 0 && vg_norm3(vg_cross3(z_W, z2_W)) < VG_AXES_PARALLEL;
    }
    def->B.R = own ? vg_mm3(markerB->R, axes_of(axis2, planar)) : carried;
}
