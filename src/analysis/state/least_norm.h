/* Multipliers where joints repeat each other: only their forces together are known. Those of least norm with
 * the same forces on the bodies are the ones that are shown. */
#ifndef VERGE_ANALYSIS_STATE_LEAST_NORM_H
#define VERGE_ANALYSIS_STATE_LEAST_NORM_H

#include "system/system.h"

typedef struct vgLeastNorm vgLeastNorm;

/* All memory; *out is NULL where no rows can be redundant, or there are too many. */
vgStatus vg_least_norm_new(const vgSystem *sys, vgLeastNorm **out);
void vg_least_norm_free(vgLeastNorm *least);
/* out: [nphi]. The work's motion is at rest afterwards. */
vgStatus vg_least_norm_multipliers(vgLeastNorm *least, vgWork *work, double t, const double *q,
                                   const double *lambda, double *out);

#endif
