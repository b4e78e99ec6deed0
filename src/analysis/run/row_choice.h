/* Which constraint rows count (vgState.active), revised on the way, and how far a mechanism is from a singular position.
 *
 * The Jacobian falls into independent parts: rows and columns that have no entries in common with the others, such as the
 * mechanisms of a model with many. Each part is looked at by itself, by pivoted Gram–Schmidt on its rows. Of parts that are too
 * large for that, rows are chosen by elimination (linalg/rank.h), and singular positions are not looked for. */
#ifndef VERGE_ANALYSIS_RUN_ROW_CHOICE_H
#define VERGE_ANALYSIS_RUN_ROW_CHOICE_H

#include "integrator/integrator.h"

typedef struct vgRowChoice vgRowChoice;

/* *out NULL: there are no loops, or they are too large and no row repeats others, or the number of iterations is fixed. s: the start, whose rows
 * that count are chosen here (system/redundant.h). *large: 1 if singular positions of some loops are not looked for. */
vgStatus vg_row_choice_new(vgIntegrator *it, vgState *s, vgRowChoice **out, int *large);
void vg_row_choice_free(vgRowChoice *x);

/* Before a step of h from s: where rows repeat others, those that count are chosen again when their least length
 * outside the span of the others may have changed; multipliers are those with the same forces. Not VG_OK: there is no memory
 * for a choice (reported in the integrator's failure). Nothing is done where the number of iterations is fixed. */
vgStatus vg_row_choice_revise(vgRowChoice *x, vgState *s, double h);

/* 1: some part is small enough to be looked at. */
int vg_row_choice_looks(const vgRowChoice *x);
/* How far q is from a singular position: the length of the row that is nearest to a combination of others. */
double vg_row_choice_distance(vgRowChoice *x, double t, const double *q);
/* How far a step of h from s goes, in coordinates that constraints depend on: a car may go far. */
double vg_row_choice_reach(const vgRowChoice *x, const vgState *s, double h);

#endif
