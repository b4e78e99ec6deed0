/* Singular positions on the way: where rows of the constraints depend on each other for a moment (links in
 * line), matrices lose their rank and a second motion branches off. A motion goes through at speed; only a
 * step, or a step made smaller and smaller, must not end there (docs/theory.md, section 8). */
#ifndef VERGE_ANALYSIS_RUN_SINGULAR_H
#define VERGE_ANALYSIS_RUN_SINGULAR_H

#include "analysis/run/row_choice.h"

typedef struct vgSingular vgSingular;

/* *out NULL: there are none to meet, or the loops are too large. rows: kept as long as *out. */
vgStatus vg_singular_new(vgIntegrator *it, vgRowChoice *rows, const vgState *s, vgSingular **out);
void vg_singular_free(vgSingular *x);
/* A step of h begins at s. */
void vg_singular_before(vgSingular *x, const vgState *s, double h);
typedef enum vgPassage {
    VG_PASSAGE_FREE,
    VG_PASSAGE_LANDED, /* the step ends in a singular position, seen from where it began */
    VG_PASSAGE_LEFT    /* it goes through one and leaves it with other velocities than it came with */
} vgPassage;

/* A step of h from s, after vg_singular_before: would equations inside it be solved in a singular position?
 */
int vg_singular_within(vgSingular *x, const vgState *s, double h);
/* After a step that converged; it->failure has the words. Looks only where something has leapt. */
vgPassage vg_singular_after(vgSingular *x, vgState *s, double h);
/* Where the next step begins is noted, close or not. */
void vg_singular_hold(vgSingular *x, const vgState *s);
/* s: where the step began. */
void vg_singular_back(vgSingular *x, vgState *s);
/* A step of h from s failed: would it, or a stage of it, end in a singular position? */
int vg_singular_ahead(vgSingular *x, const vgState *s, double h);
/* A step of h begins at s: is there a singular position on the way, or within two such steps of it? */
int vg_singular_near(vgSingular *x, const vgState *s, double h);
/* The step from s that ends as far beyond a singular position as s is before it, but not shorter than
 * `usual`; 0: none is within two of those. */
double vg_singular_over(vgSingular *x, const vgState *s, double usual);
/* A step over a singular position, which is about *h away from s: of several lengths, up to `left`, the one with the
 * least error. A stage of one may come to lie in that very position, and its accelerations are then anything. *h: that
 * length. */
vgStatus vg_singular_step_over(vgSingular *x, vgState *s, double left, double *h, vgStep *step);
/* out: s a little later, by its velocities and accelerations. */
void vg_singular_extrapolate(vgSingular *x, const vgState *s, double t, vgState *out);

#endif
