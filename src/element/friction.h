/* What analyses ask of elements with friction. */
#ifndef VERGE_ELEMENT_FRICTION_H
#define VERGE_ELEMENT_FRICTION_H

#include "element/force.h"

/* 1: friction that is smooth at rest: it slows down and holds nothing. */
int vg_friction_creeps(const vgForceKind *kind, const void *def);
/* Of an element that keeps the bend of bristles (setup.nstate > 0): 1 where it slides so fast that they are
 * bent before anything else happens, and how, z = G v/|v| of eq. 52d. */
int vg_friction_begin(const void *def, const vgForceIn *in, double z[3]);

#endif
