/* What the experiments of [H] share: three descriptions of rotations with generalized-α, ρ∞ = 0.9. */
#ifndef VG_REPRODUCE_H_H
#define VG_REPRODUCE_H_H

#include "reproduce/reproduce.h"

/* Newton starts from v̇ = 0, λ = 0 as in Algorithms 4 and 5; as many iterations as it takes are allowed, so that a
 * count is that of one iteration that converged. */
#define VG_H_NEWTON "generalized-alpha:rho=0.9,predictor=zero,iterations=50"
/* With a matrix in every iteration and T(Δq) neglected in it, section 3.3: "throughout this paper" but for figures 6 to 8 and
 * a column of table 5. */
#define VG_H_ALPHA VG_H_NEWTON ",newton=full,tangent=0"

enum { VG_H_LIE, VG_H_PARAMETERS, VG_H_ANGLES, VG_H_FORMS };
extern const char *const vg_h_label[VG_H_FORMS], *const vg_h_coordinates[VG_H_FORMS];

/* Getting through means a result: an error below this part of the largest value. */
static const double VG_H_THROUGH = 0.1;

/* The error at a step; NaN where steps were split, which is a failure at that step. */
static inline double vg_h_error(const vgCurve *curve, int step)
{
    return curve->split[step] ? NAN : curve->error[step];
}
void vg_h_curves(vgCurve *curve, const char *integrator);
/* Error, iterations and times over the step, as three figures. */
void vg_h_figures(vgExhibit *ex, const char *title, const vgSweep *sweep, const vgCurve *curve, int n);
/* order: the median of the slopes where errors are between the errors that Newton leaves and 0.1 */
void vg_h_order(vgExhibit *ex, const vgCurve *curve, int nstep, double order, double within);
/* Steps at which a's error is below b's, of those at which both get through, from step k on; the last at which it
 * is not in `off` (−1: none). */
int vg_h_closer(const vgCurve *a, const vgCurve *b, int from, int nstep, int *both, int *off);
/* Iterations per step beside the paper's: a table, and that each is between 1 and the paper's. paper[form][step],
 * NaN: the paper's run failed. */
void vg_h_iterations(vgExhibit *ex, const char *table, const vgSweep *sweep, const vgCurve *curve,
                     const double *const paper[VG_H_FORMS]);
/* The form has the fewest iterations of all, where it and another have a count. */
void vg_h_fewest(vgExhibit *ex, const vgSweep *sweep, const vgCurve *curve, int form, const char *paper);
/* The form gets through, with an error below VG_H_THROUGH, at all steps. */
int vg_h_through(const vgCurve *curve, int nstep);
/* A run of one of the forms at one step, for races. */
vgAsk vg_h_ask(const vgSweep *sweep, const vgCurve *curve, double step, double end);

#endif
