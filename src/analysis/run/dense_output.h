/* Dense output between two accepted states: quintic Hermite in local coordinates about the first.
 * Accelerations and multipliers are those of the motion in between where those of the second state are the
 * ones of its own motion; where a method has them otherwise (fast vibrations that its steps go over) they are
 * interpolated. */
#ifndef VERGE_ANALYSIS_RUN_DENSE_OUTPUT_H
#define VERGE_ANALYSIS_RUN_DENSE_OUTPUT_H

#include "system/system.h"

typedef struct vgDense vgDense;

vgStatus vg_dense_new(const vgSystem *sys, vgDense **out);
void vg_dense_free(vgDense *d);
/* Its work, which nobody else uses, for a solution at a state in between. */
vgWork *vg_dense_work(vgDense *d);
/* q, v, a, λ at a time between s0 and s1. 1: a and λ belong to q and v, 0: they are interpolated linearly. */
int vg_dense_at(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                vgState *out);
/* The same for a row of the results: q and v are projected onto the constraints (positions and velocities),
 * and a and λ are solved for there. The rows of a mechanism without freedom are exact. */
int vg_dense_row(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                 vgState *out);
/* a, λ of x: those that the equations of motion have at its q and v, whatever a method has. 0: there are none. */
int vg_dense_solve(vgDense *d, const vgSystem *sys, vgState *x);
/* The same at q and v of the polynomial. */
int vg_dense_motion(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                    vgState *out);
/* Multipliers that a setting makes at the end of a step (independent coordinates) for x, a motion within the
 * step that began at `before`; dependent coordinates follow. Nothing to do for the others. */
void vg_dense_reactions(vgDense *d, const vgSystem *sys, const vgState *before, vgState *x);

#endif
