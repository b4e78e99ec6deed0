/* The passes over vectors that an implicit stage makes between the operations of its system. Each is one loop
 * of vectors of four: for small systems the memory that code and arrays take in the first caches, which an
 * evaluation empties, costs more than the arithmetic. From vgSizes on arrays have room for whole fours, as
 * those of an arena do. */
#ifndef VERGE_INTEGRATOR_PASSES_H
#define VERGE_INTEGRATOR_PASSES_H

#include "integrator/stage/stage.h"

/* x = 0 */
void vg_pass_zero(int n, double *x);
/* out = x */
void vg_pass_copy(int n, const double *x, double *out);
/* out = c x */
void vg_pass_scale(int n, double c, const double *x, double *out);
/* y += c x */
void vg_pass_add(int n, double c, const double *x, double *y);
/* out = c (x − y) */
void vg_pass_difference(int n, double c, const double *x, const double *y, double *out);

/* Largest |x_i| unit_i, |x_i| closes_i and |a_i| unit_i; the first is not a number where one of x is not
 * finite. */
typedef struct vgSizes {
    double x, turned, a;
} vgSizes;
void vg_pass_sizes(int n, const double *x, const double *a, const double *unit, const double *closes,
                   vgSizes *out);

/* x = by r,  xl = by_phi Φ of a stage (stage.h). */
void vg_pass_right_sides(const vgSystem *sys, const vgStage *st, double by, double by_phi);
/* A stage of coordinates that are a vector space, without â, and without w unless VG_STAGE_FIRST: q, v, a
 * from Δ; and Δ += x, λ += by_xl xl first, with the sizes of x and of a before the move. */
void vg_pass_states(int n, const vgStage *st, const vgStageSpec *spec);
void vg_pass_move(const vgSystem *sys, const vgStage *st, const vgStageSpec *spec, double by_xl,
                  vgSizes *out);
/* Δ += d,  Δ̇ = cv (Δ − Δ̂) of a VG_STAGE_FIRST stage. */
void vg_pass_step(int n, const double *d, const vgStage *st, const vgStageSpec *spec);
/* The velocities of any VG_STAGE_FIRST stage by a correction: w += d,  v −= d,  a = cv (v − v̂), d the
 * stage's; the largest |d_i| unit_i. */
double vg_pass_correct(int n, const vgStage *st, const vgStageSpec *spec);
/* Those of the other stages by y, the stage's d: w += y or, a guess, w = y; v −= y, where v had a guess added to it;
 * a −= by_a δw. The largest |δw_i| unit_i and |w_i| unit_i; the first is not a number where one is not finite. */
typedef struct vgCorrected {
    double change, whole;
} vgCorrected;
vgCorrected vg_pass_correct_affine(int n, const vgStage *st, double by_a);
/* z += xl or, a guess, z = xl; λ −= c δz. */
void vg_pass_correct_multipliers(int n, const vgStage *st, double c);
/* A VG_STAGE_FIRST stage, w zero, from a guess of its accelerations or (acc NULL) its velocities: Δ, q, v, a.
 * Either may be the stage's own. */
void vg_pass_place(int n, const vgStage *st, const vgStageSpec *spec, const double *acc, const double *speed);

/* delta by the solution in x, and the state there, where that takes more than one pass (stage/states.c). */
void vg_stage_apply(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, vgSizes *sizes);

#endif
