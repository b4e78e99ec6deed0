/* Does the step just taken belong to this motion? Newton's iteration may converge, and still to another
 * solution: a mechanism closed in its other way, a beam turned inside out, a turn more or less
 * (docs/theory.md, section 8). */
#ifndef VERGE_ANALYSIS_RUN_GUARD_H
#define VERGE_ANALYSIS_RUN_GUARD_H

#include "integrator/integrator.h"

typedef struct vgGuard vgGuard;

vgStatus vg_guard_new(vgIntegrator *it, int nhistory, vgGuard **out);
void vg_guard_free(vgGuard *g);
/* A step of size h is about to begin at s. Returns the step to take: shorter where an angle whose turns are
 * counted would turn too far, and the driver may choose its steps. *asks: 1 if it must be looked at. */
double vg_guard_before(vgGuard *g, const vgState *s, double h, int *asks);
/* After such a step, before it is accepted. VG_OK: nothing is wrong with it. VG_NOT_CONVERGED: it is refused,
 * s is as it was before the step, it->failure has the words. */
vgStatus vg_guard_after(vgGuard *g, vgState *s, double h, const vgStep *step);
/* 1: the step that began last may have gone far: nothing can be said beyond its end. */
int vg_guard_is_far(const vgGuard *g);

#endif
