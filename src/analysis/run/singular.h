/* Singular positions within a run. In such a position (links in line, for example) constraint equations become
 * dependent, the Newton matrix loses rank, and a second motion branches off. The motion itself passes through; a step
 * that ends there, or has a stage there, cannot be solved (docs/theory.md, section 8). This file detects such steps.
 * The "distance" of a position is a measure of how far the constraint equations are from dependence
 * (vg_row_choice_distance). */
#ifndef VERGE_ANALYSIS_RUN_SINGULAR_H
#define VERGE_ANALYSIS_RUN_SINGULAR_H

#include "analysis/run/row_choice.h"

typedef struct vgSingular vgSingular;

/* *out is NULL if the mechanism has no loops, or loops too large to be examined. `rows` must outlive *out. */
vgStatus vg_singular_new(vgIntegrator *it, vgRowChoice *rows, const vgState *s, vgSingular **out);
void vg_singular_free(vgSingular *x);
/* Call before a step of size h from s. */
void vg_singular_before(vgSingular *x, const vgState *s, double h);
typedef enum vgPassage {
    VG_PASSAGE_FREE,
    VG_PASSAGE_LANDED, /* the step ends in a singular position */
    VG_PASSAGE_LEFT /* the step passes a singular position and changes to the other motion: velocities jump */
} vgPassage;

/* After vg_singular_before: 1 if a stage of the step of size h from s would lie in a singular position. */
int vg_singular_within(vgSingular *x, const vgState *s, double h);
/* Judges a step that converged. If the result is not VG_PASSAGE_FREE, it->failure describes it. The distance is
 * computed only if accelerations, reactions or velocities jumped. */
vgPassage vg_singular_after(vgSingular *x, vgState *s, double h);
/* Saves s, from which the next step starts. */
void vg_singular_hold(vgSingular *x, const vgState *s);
/* Restores the saved state to s. */
void vg_singular_back(vgSingular *x, vgState *s);
/* After a step of size h from s failed: 1 if its end or one of its stages would lie in a singular position. */
int vg_singular_ahead(vgSingular *x, const vgState *s, double h);
/* 1 if a singular position lies within a step of size h from s, or within two such steps before or after it. */
int vg_singular_near(vgSingular *x, const vgState *s, double h);
/* The size of a step from s that ends as far behind the next singular position as s is before it, and at least
 * `usual`. 0: there is no singular position within 2 `usual`. */
double vg_singular_over(vgSingular *x, const vgState *s, double usual);
/* Takes a step of about *h over a singular position. Several sizes, none above `left`, are tried, because a stage of
 * a step may fall on the singular position, where accelerations are undetermined; the size with the smallest error is
 * taken and returned in *h. */
vgStatus vg_singular_step_over(vgSingular *x, vgState *s, double left, double *h, vgStep *step);
/* out: s extrapolated to time t with its velocities and accelerations. */
void vg_singular_extrapolate(vgSingular *x, const vgState *s, double t, vgState *out);

#endif
