/* Impacts on rigid stops (vgForceKind.strike): velocities jump at an event. The impulse P along the coordinate x of a stop
 * changes them by P w, where w is what a unit force there adds to the accelerations that the equations of motion have,
 *
 *     v⁺ = v⁻ + P w,    P = (ẋ⁺ − ẋ⁻)/(∂ẋ/∂v w),    ẋ⁺ = −ε ẋ⁻,
 *
 * so that joints and loops pass it on as they pass on forces. Stops that are struck by that are struck one after the other. */
#ifndef VERGE_ANALYSIS_RUN_IMPACT_H
#define VERGE_ANALYSIS_RUN_IMPACT_H

#include "integrator/integrator.h"

typedef struct vgImpact vgImpact;

int vg_impact_possible(const vgModel *m); /* 1: some force is rigid in one direction */
vgStatus vg_impact_new(const vgSystem *sys, vgImpact **out);
void vg_impact_free(vgImpact *x);
/* Steps in which no event is located (vg_sim_step, realtime). A stop that the coordinate has not reached where the step begins
 * does not act within the step, however far the coordinate goes; the impact is at the end of the step, as of the rate there.
 * Its time is late by a step at most. x NULL: as vg_integrator_advance. Nothing is allocated. */
vgStatus vg_impact_advance(vgImpact *x, vgIntegrator *it, vgState *s, double h);
/* After such a step was accepted: its impacts, and the method's start behind them. *struck: how many. */
vgStatus vg_impact_land(vgImpact *x, vgIntegrator *it, vgState *s, int *struck);
/* Impacts that begin in the state; *struck: how many. A failure has words in it->failure. */
vgStatus vg_impact_at(vgImpact *x, vgIntegrator *it, vgState *s, int *struck);

#endif
