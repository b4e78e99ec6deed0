/* Weighted norms of the error of a step (error_norm.c); vg_error_norm of one that is written out is in rk.h.
 * All arrays have room for whole fours. */
#ifndef VERGE_INTEGRATOR_ERROR_NORM_H
#define VERGE_INTEGRATOR_ERROR_NORM_H

#include "integrator/integrator.h"
#include "integrator/explicit/rk.h"

/* An error by what a prediction misses: e = share (x − p). e_q, e_v: room for it, used where it is looked at
 * again. */
typedef struct vgMiss {
    const double *x_q, *x_v, *p_q, *p_v;
    double share;
    double *e_q, *e_v;
} vgMiss;
/* As above with another prediction: share (x − p + c y). */
typedef struct vgMissBeside {
    const double *q, *v;
    double c, share;
} vgMissBeside;

/* As vg_error_norm. */
double vg_error_miss(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                     const vgMiss *m);
/* And those of two others in the same pass. */
double vg_error_misses(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                       const vgMiss *m, const vgMissBeside beside[2], double out[2]);

/* Newmark's formulas move Δ as if Δ̇ were v; it is T⁻¹(Δ) v, and the two part with the square of time. e_q += what that
 * leaves after a step of h, h (T⁻¹(Δ) v − v)/3: accelerations do not show it, a free spin has none. room: nv numbers. */
void vg_error_of_map(const vgSystem *sys, double h, const double *delta, const double *q, const double *v,
                     double *room, double *e_q);

#endif
