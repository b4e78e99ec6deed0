/* Constraints on positions or velocities (index 3, index 2) leave the accelerations of a step off by ε = B a + γ, which no
 * method with ρ∞ = 1 damps, and the multipliers by (B M⁻¹ Bᵀ)⁻¹ ε: both pairs satisfy M a + Bᵀλ = f at the same q and v.
 * Where velocities in body axes turn with a fast spin, ε may be many times what acts. What is shown are those of the
 * motion, B a + γ = 0 with velocities on the constraints; the run itself goes on with its own. */
#ifndef VERGE_ANALYSIS_RUN_MOTION_H
#define VERGE_ANALYSIS_RUN_MOTION_H

#include "analysis/channels/channels.h"
#include "integrator/integrator.h"

/* 1: the settings leave accelerations to the method, or to what it does with the stage's matrix. Explicit methods have
 * those of the motion where constraints are on accelerations. */
int vg_motion_differs(const vgIntegrator *it);
/* 1: as above, or error control, whose stages have multipliers of lower order. */
int vg_motion_is_shown(const vgIntegrator *it);
/* The state s with the accelerations and multipliers of the motion, in x, to which `work` is bound then; s itself at a
 * singular position. own: a work that is not used otherwise. */
const vgState *vg_motion_of(const vgSystem *sys, vgWork *own, vgWork *work, vgState *x, const vgState *s);

/* Room for that. */
typedef struct vgMotionRoom {
    vgState *state;
    vgWork *work;
} vgMotionRoom;

/* Makes it where channels need it: they see accelerations or multipliers, and those of the method are others. */
vgStatus vg_motion_room(vgMotionRoom *x, vgIntegrator *it, const vgState *s, vgChannels *c);
void vg_motion_room_free(vgMotionRoom *x);
/* The channels' values, those of the motion where there is room for it and they see it. */
void vg_motion_values(vgMotionRoom *x, vgIntegrator *it, const vgState *s, vgChannels *c, double *row);

#endif
