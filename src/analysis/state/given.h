/* The velocities of the start that the user gave are kept, those left out follow (docs/theory.md, eq. 94).
 */
#ifndef VERGE_ANALYSIS_STATE_GIVEN_H
#define VERGE_ANALYSIS_STATE_GIVEN_H

#include "system/system.h"

/* v: consistent at q, with the given velocities projected. It is changed within the constraints until the bodies
 * have their given velocity and angular velocity, or come as close as the constraints allow. */
vgStatus vg_keep_given(const vgSystem *sys, vgWork *work, double t, const double *q, double *v);

/* Distance of a body's motion from its given velocity (of its origin) and angular velocity. */
double vg_given_missed(const vgBody *body, const vgKin *kin);

#endif
