/* Constraint rows that depend on each other. Which of them count is part of the state (vgState.active): the others
 * are left out of matrices, their multipliers are 0, and they are closed with those that count. The choice is made
 * at the start, here, and revised between steps where it loses its condition (analysis/run/singular.h). */
#ifndef VERGE_SYSTEM_REDUNDANT_H
#define VERGE_SYSTEM_REDUNDANT_H

#include "system/system.h"

/* 1: a loop of joints, or two rows on the same pair of bodies: only then can rows repeat each other. */
int vg_has_loops(const vgModel *m);

/* 1: a row of the Jacobian last taken, of this length in units of v_scale (jacobian_scale), is nothing but rounding of
 * its terms: in joint coordinates the rows of a second hinge on the same axis, or of a planar loop that point out
 * of its plane. */
int vg_row_is_empty(const vgSystem *sys, vgWork *work, double t, int row, double length);

/* The rank of the Jacobian at q: active [nphi] is 0 for the rows that depend on those that count, which are listed in
 * redundant [njacobian], *n of them, ascending. Allocates. */
vgStatus vg_find_redundant(const vgSystem *sys, vgWork *work, double t, const double *q, int *redundant,
                           int *n, unsigned char *active);

#endif
