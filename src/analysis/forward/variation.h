/* The variation of a motion with a parameter, as a system of its own.
 *
 * Let q(t; p), v, a, λ be a run of a model and ξ, δv, δa, δλ its derivatives with respect to p (ξ: in the tangent space at
 * q, q(p + ε) = q ⊕ εξ). They satisfy the equations of motion differentiated along the run, which are linear (docs/theory.md, eq. 98):
 *
 *     r'(ξ, δv, δa, δλ; 1) = 0,    Φ'(ξ; 1) = 0
 *     r'(…) = Σ wᵢ r(q ⊕ xᵢεξ, v + xᵢε δv, a + xᵢε δa, λ + xᵢε δλ; p + xᵢε) / ε,    x = ±1, w = ±½
 *
 * A vgSystem whose residual is r' makes every implicit method differentiate its own formulas: its predictors, stages and
 * projections are affine, so that its step of this system is the derivative of its step of the model. The points about which
 * r' is taken are the solved stages of the run (a vgTrack holds those of one step), and Newton's matrix of the run, which
 * is still factorised, solves them. One step of variations costs one or two residuals and solutions. */
#ifndef VERGE_ANALYSIS_FORWARD_VARIATION_H
#define VERGE_ANALYSIS_FORWARD_VARIATION_H

#include "integrator/integrator.h"
#include "integrator/stage/stage.h"

/* ε: the cube root of the machine precision, at which truncation and rounding of a central difference are equal, some 1e-11.
 * Parameters are in units of their sizes, so that ξ is of the size of the motion. */
#define VG_VARIATION_STEP 6e-6

enum { VG_VARIATION_SIDES = 3 };

/* The model with p + xε, in the same coordinates and setting, and its weight. */
typedef struct vgVariationSide {
    const vgSystem *sys;
    double x, weight;
} vgVariationSide;

typedef struct vgTrack vgTrack;

/* it: that of the run, in its state s; both must outlive the track. The track watches the stages of `it`. */
vgStatus vg_track_new(vgIntegrator *it, const vgState *s, vgTrack **out);
void vg_track_free(vgTrack *track);
/* NULL, or why variations do not exist for this pair of system and method; a phrase after "because". */
const char *vg_track_refuses(const vgTrack *track);
/* The state from which the steps go; and the end of the step whose stages were seen, after which it is the next start. */
vgStatus vg_track_begin(vgTrack *track, const vgState *s);
void vg_track_end(vgTrack *track, const vgState *s, double h);
void vg_track_next(vgTrack *track);

/* The variation along a track by n sides. VG_UNSUPPORTED: they have other coordinates than the run. */
vgStatus vg_variation_new(vgTrack *track, const vgVariationSide *side, int n, vgSystem **out);
/* For a method of that system, before its first step. */
void vg_variation_take(vgSystem *variation, vgIntegrator *it);
/* Before and after a step; the second says whether the method has gone through all stages of the track. */
void vg_variation_before(vgSystem *variation);
int vg_variation_went_along(const vgSystem *variation);
/* to: the state of side i at the state of the run and its variation x. */
void vg_variation_add(const vgSystem *variation, int i, const vgState *run, const vgState *x, vgState *to);

#endif
