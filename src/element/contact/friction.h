/* Friction as analyses ask for it, and what contacts and joints share of it: bristles that hold (eq. 52d). */
#ifndef VERGE_ELEMENT_CONTACT_FRICTION_H
#define VERGE_ELEMENT_CONTACT_FRICTION_H

#include "element/force/force.h"

/* Friction near zero velocity. */
typedef enum vgHold {
    VG_HOLD_NONE,   /* there is none */
    VG_HOLD_CREEPS, /* smooth: it slows down and holds nothing */
    VG_HOLD_STICKS, /* by bristles, whose bend the element integrates (setup.nstate or nscalar numbers) */
} vgHold;

vgHold vg_friction_hold(const vgForceKind *kind, const void *def);
/* Of an element that sticks: 1 where it slides so fast that the bristles are bent before anything else
 * happens, and how, z = G v/|v|. */
int vg_friction_begin(const vgForceKind *kind, const void *def, const vgForceIn *in, double z[3]);

/* For the kinds themselves. */
vgHold vg_contact_hold(const void *def);
int vg_contact_begin(const void *def, const vgForceIn *in, double z[3]);
vgHold vg_joint_friction_hold(const void *def);
int vg_joint_friction_begin(const void *def, const vgForceIn *in, double z[3]);

#endif
