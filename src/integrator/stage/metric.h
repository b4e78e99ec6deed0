/* Index 2: the directions in which velocities are put onto their constraints (docs/theory.md, eq. 56d).
 *
 *     W w = Bᵀ μ,   B w = B v + Φ_t
 *
 * A stage takes W = A, its own matrix, which is at hand. Methods of the literature ask for another one:
 *   VG_METRIC_UNIT   W = 1      Gear, Gupta, Leimkuhler 1985; [N] (10)
 *   VG_METRIC_MASS   W = M(q)   at the end of the step
 *   VG_METRIC_GIVEN  W = M̄      [N] (13): the mass matrix of another position, also in the equations of motion
 * B is taken at the positions of each iteration, so that w is exact where the iteration ends. */
#ifndef VERGE_INTEGRATOR_STAGE_METRIC_H
#define VERGE_INTEGRATOR_STAGE_METRIC_H

#include "integrator/stage/stage.h"

typedef enum vgMetricKind { VG_METRIC_UNIT, VG_METRIC_MASS, VG_METRIC_GIVEN } vgMetricKind;

/* it->metric, freed with the integrator; nothing where stages have no correction. */
vgStatus vg_metric_new(vgIntegrator *it, vgMetricKind kind);
void vg_metric_free(vgMetric *);
/* w (nv) with B w = d, in: d, out: multipliers z with W w + Bᵀz = 0. */
vgStatus vg_metric_direction(vgIntegrator *it, double t, const double *q, const double *v, double *w,
                             double *d);
/* GIVEN: M̄ is that of this position. */
vgStatus vg_metric_take_mass(vgIntegrator *it, double t, const double *q);
/* 1: GIVEN, so that M̄ a stands in the equations of motion: */
int vg_metric_has_mass(const vgMetric *);
/* r += c M̄ a; zero: nv zeros, for the accelerations that the system itself is to see. */
void vg_metric_add_inertia(const vgMetric *, int nv, double c, const double *a, double *r);
const double *vg_metric_zero(const vgMetric *);

#endif
