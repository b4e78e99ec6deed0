/* The list of force kinds: a new kind is a file in this folder and one row here. */
#include "element/force/force.h"

#include <string.h>

#define VG_FORCE_LIST(X)                                                                                     \
    X(spring)                                                                                                \
    X(tendon)                                                                                                \
    X(torsion)                                                                                               \
    X(bushing)                                                                                               \
    X(force)                                                                                                 \
    X(torque)                                                                                                \
    X(joint_torque)                                                                                          \
    X(joint_friction)                                                                                        \
    X(ball_friction)                                                                                         \
    X(pid)                                                                                                   \
    X(rotor)                                                                                                 \
    X(activation)                                                                                            \
    X(drag)                                                                                                  \
    X(joint_stop)                                                                                            \
    X(ball_rotor)                                                                                            \
    X(beam)                                                                                                  \
    X(beam3)                                                                                                 \
    X(cable)                                                                                                 \
    X(contact_sphere_plane)                                                                                  \
    X(contact_sphere_sphere)                                                                                 \
    X(contact_sphere_box)                                                                                    \
    X(contact_sphere_capsule)                                                                                \
    X(contact_point_profile)                                                                                 \
    X(tyre_calspan)                                                                                          \
    X(tyre_linear)                                                                                           \
    X(axial_spring)                                                                                          \
    X(flywheel)                                                                                              \
    X(callback)

#define VG_FORCE_DECLARE(kind) extern const vgForceKind vg_force_##kind;
VG_FORCE_LIST(VG_FORCE_DECLARE)

#define VG_FORCE_ROW(kind) &vg_force_##kind,
const vgForceKind *const vg_force_kinds[] = {VG_FORCE_LIST(VG_FORCE_ROW) NULL};

const vgForceKind *vg_force_kind(const char *name)
{
    for (int i = 0; vg_force_kinds[i]; i++)
        if (strcmp(vg_force_kinds[i]->name, name) == 0) return vg_force_kinds[i];
    return NULL;
}
