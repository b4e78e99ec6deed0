/* Constraint rows that depend on each other: which, found while a system is made, and how matrices carry
 * them. Internal to the rooms system and analysis. */
#ifndef VERGE_SYSTEM_REDUNDANT_H
#define VERGE_SYSTEM_REDUNDANT_H

#include "system/system.h"

/* 1: a loop of joints, or two rows on the same pair of bodies: only then can rows repeat each other. */
int vg_has_loops(const vgModel *m);

/* While a system is made, before works for it are: every row of it may depend on others. */
void vg_system_expect_redundancy(vgSystem *sys);
/* The same once a position is known: redundant[i] (room for njacobian), *n of them, ascending, are the rows that
 * depend on earlier ones there, and with them all rows that share bodies with
 * them, since which rows repeat others may change on the way. */
vgStatus vg_system_note_redundancy(vgSystem *sys, vgWork *work, double t, const double *q, int *redundant,
                                   int *n);

#endif
