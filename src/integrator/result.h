/* The end of a step: what methods do with the positions and velocities that they have found. */
#ifndef VERGE_INTEGRATOR_RESULT_H
#define VERGE_INTEGRATOR_RESULT_H

#include "integrator/integrator.h"

/* VG_NOT_FINITE with words unless all n numbers are finite. */
vgStatus vg_check_finite(vgIntegrator *it, double t, const double *x, int n);
/* Projection of positions and velocities onto the constraints, where there are any and no Baumgarte terms. */
vgStatus vg_settle(vgIntegrator *it, double t, double *q, double *v);
/* As vg_settle, for methods whose result is no stage, where the setting satisfies the constraints at a stage
 * only: both levels, whatever the setting. */
vgStatus vg_settle_result(vgIntegrator *it, double t, double *q, double *v);
/* a and λ that belong to q and v at t; a failure names the equation. */
vgStatus vg_accel_at(vgIntegrator *it, double t, const double *q, const double *v, double *a, double *lambda);
/* As vg_accel_at, for the state. */
vgStatus vg_accel_state(vgIntegrator *it, vgState *s);
/* q, v, a, λ become the state at time t. */
void vg_accept(const vgSystem *sys, double t, const double *q, const double *v, const double *a,
               const double *lambda, vgState *s);

/* A result with arrays of its own, for methods whose result is no stage. */
typedef struct vgResult {
    double *q, *v, *a, *lambda;
} vgResult;
void vg_result_place(vgResult *x, const vgSystem *sys, vgArena *arena);
/* x->q and x->v are projected (vg_settle_result), get their accelerations and multipliers, and become the state at t. The
 * stage's matrix is lost. The state is as before where the status is not VG_OK. */
vgStatus vg_result_finish(vgIntegrator *it, vgResult *x, double t, vgState *s);

#endif
