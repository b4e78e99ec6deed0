/* Redundant constraint equations. Which equations count is part of the state (vgState.active). The others are left out of
 * matrices, their multipliers are 0, and they are satisfied together with those that count. This file makes the choice at the
 * start; analysis/run/row_choice.h revises it between steps when it becomes ill-conditioned. */
#ifndef VERGE_SYSTEM_REDUNDANT_H
#define VERGE_SYSTEM_REDUNDANT_H

#include "system/system.h"

/* 1: a loop of joints, or two rows on the same pair of bodies: only then can rows repeat each other. */
int vg_has_loops(const vgModel *m);

/* 1: a row of the last Jacobian, of this length in units of v_scale (jacobian_scale), is zero up to rounding of its terms.
 * Examples in joint coordinates: the rows of a second hinge on the same axis; rows of a planar loop normal to its plane. */
int vg_row_is_empty(const vgSystem *sys, vgWork *work, double t, int row, double length);

/* The rank of the Jacobian at q: active [nphi] is 0 for the rows that depend on those that count, which are listed in
 * redundant [njacobian], *n of them, ascending. Allocates. */
vgStatus vg_find_redundant(const vgSystem *sys, vgWork *work, double t, const double *q, int *redundant,
                           int *n, unsigned char *active);

#endif
