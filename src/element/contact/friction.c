#include "element/contact/friction.h"

#include "element/contact/contact.h"

extern const vgForceKind vg_force_joint_friction;

vgHold vg_friction_hold(const vgForceKind *kind, const void *def)
{
    if (kind->eval == vg_contact_eval) return vg_contact_hold(def);
    return kind == &vg_force_joint_friction ? vg_joint_friction_hold(def) : VG_HOLD_NONE;
}

int vg_friction_begin(const vgForceKind *kind, const void *def, const vgForceIn *in, double z[3])
{
    return kind->eval == vg_contact_eval ? vg_contact_begin(def, in, z) : vg_joint_friction_begin(def, in, z);
}
