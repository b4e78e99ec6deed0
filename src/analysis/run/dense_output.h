/* Dense output: states between two accepted ones. Positions and velocities follow the quintic Hermite polynomial in
 * local coordinates about the first state. Accelerations and multipliers are solved from the equations of motion
 * there. Where the steps do not resolve fast vibrations that solution would be meaningless, and they are interpolated
 * linearly instead. */
#ifndef VERGE_ANALYSIS_RUN_DENSE_OUTPUT_H
#define VERGE_ANALYSIS_RUN_DENSE_OUTPUT_H

#include "system/system.h"

typedef struct vgDense vgDense;

vgStatus vg_dense_new(const vgSystem *sys, vgDense **out);
void vg_dense_free(vgDense *d);
/* The scratch memory of d, for solutions at states between the steps. */
vgWork *vg_dense_work(vgDense *d);
/* out: q, v, a, λ at a time t between s0 and s1. Returns 1 if a and λ were solved for, 0 if they were
 * interpolated. */
int vg_dense_at(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                vgState *out);
/* As vg_dense_at, for a sample of the results: q and v are first projected onto the constraints of position and
 * velocity. The samples of a mechanism without degrees of freedom are therefore exact. */
int vg_dense_row(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                 vgState *out);
/* Replaces a and λ of x by the solution of the equations of motion at its q and v. Returns 0, and changes nothing, if
 * they cannot be solved. */
int vg_dense_solve(vgDense *d, const vgSystem *sys, vgState *x);
/* out: q and v of the polynomial at time t, with a and λ as by vg_dense_solve. */
int vg_dense_motion(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                    vgState *out);
/* Constraint setting `independent`: computes the multipliers and dependent coordinates of x, a state within the step
 * that began at `before`. Other settings: no effect. */
void vg_dense_reactions(vgDense *d, const vgSystem *sys, const vgState *before, vgState *x);

#endif
