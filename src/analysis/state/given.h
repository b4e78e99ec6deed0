/* The velocities of the start that the user gave are kept, those left out follow (docs/theory.md, eq. 94).
 */
#ifndef VERGE_ANALYSIS_STATE_GIVEN_H
#define VERGE_ANALYSIS_STATE_GIVEN_H

#include "system/system.h"

/* v: consistent at q, the given velocities projected. Changed within the constraints until the bodies with a
 * given velocity or angular velocity have it, or come as close as the constraints let them. */
vgStatus vg_keep_given(const vgSystem *sys, vgWork *work, double t, const double *q, double *v);

/* How far a body's motion is from what was given of its velocity (of its origin) and angular velocity. */
double vg_given_missed(const vgBody *body, const vgKin *kin);

#endif
