/* Detects steps that converged to another solution than the one that continues the motion: the other assembly mode of a
 * mechanism, a beam turned inside out, a turn more or less (docs/theory.md, section 8). */
#ifndef VERGE_ANALYSIS_RUN_GUARD_H
#define VERGE_ANALYSIS_RUN_GUARD_H

#include "integrator/integrator.h"

typedef struct vgGuard vgGuard;

vgStatus vg_guard_new(vgIntegrator *it, int nhistory, vgGuard **out);
void vg_guard_free(vgGuard *g);
/* Before a step of size h from s. Returns the size to take: a smaller one if an angle whose turns are counted would turn too
 * far and step sizes are free. *asks: 1 if the step must be checked by vg_guard_after. */
double vg_guard_before(vgGuard *g, const vgState *s, double h, int *asks);
/* After such a step, before it is accepted. VG_OK: the step continues the motion. VG_NOT_CONVERGED: it does not; s is restored
 * to the start of the step, and it->failure describes the reason. */
vgStatus vg_guard_after(vgGuard *g, vgState *s, double h, const vgStep *step);
/* 1: the last step may have moved far, so that the motion beyond its end cannot be predicted. */
int vg_guard_is_far(const vgGuard *g);

#endif
