/* The velocities of the start that the user gave are kept, those left out follow (docs/theory.md, eq. 94).
 */
#ifndef VERGE_ANALYSIS_STATE_GIVEN_H
#define VERGE_ANALYSIS_STATE_GIVEN_H

#include "system/system.h"

/* v: as given, in a setting whose coordinates are those of its Jacobian's columns. Bodies without a velocity
 * or angular velocity of their own move with the body that carries them, the one nearer to the ground, but
 * for what drives and moving constraints of the joint between them ask for. */
vgStatus vg_carry_along(const vgSystem *sys, vgWork *work, double t, const double *q, double *v);

/* v: consistent at q, with the given velocities projected. It is changed within the constraints until the bodies
 * have their given velocity and angular velocity, or come as close as the constraints allow. */
vgStatus vg_keep_given(const vgSystem *sys, vgWork *work, double t, const double *q, double *v);

/* Distance of a body's motion from its given velocity (of its origin) and angular velocity. */
double vg_given_missed(const vgBody *body, const vgKin *kin);

#endif
