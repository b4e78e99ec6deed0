/* Constraints on positions or velocities (index 3, index 2) leave the accelerations of a step off by ε = B a + γ, which no
 * method with ρ∞ = 1 damps, and the multipliers by (B M⁻¹ Bᵀ)⁻¹ ε: both pairs satisfy M a + Bᵀλ = f at the same q and v.
 * Where velocities in body axes turn with a fast spin, ε may be many times what acts. What is shown are those of the
 * motion, B a + γ = 0 with velocities on the constraints; the run itself goes on with its own. */
#ifndef VERGE_ANALYSIS_RUN_MOTION_H
#define VERGE_ANALYSIS_RUN_MOTION_H

#include "integrator/integrator.h"

/* 1: the settings leave accelerations to the method, or to what it does with the stage's matrix. Explicit methods have
 * those of the motion where constraints are on accelerations. */
int vg_motion_differs(const vgIntegrator *it);
/* The state s with the accelerations and multipliers of the motion, in x, to which `work` is bound then; s itself at a
 * singular position. own: a work that is not used otherwise. */
const vgState *vg_motion_of(const vgSystem *sys, vgWork *own, vgWork *work, vgState *x, const vgState *s);

#endif
