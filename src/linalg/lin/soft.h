/* Rows that may depend on each other, and how far what they act on yields: see soft.c. For vgLin itself and
 * for the penalty form. */
#ifndef VG_LINALG_LIN_SOFT_H
#define VG_LINALG_LIN_SOFT_H

#include "linalg/lin/impl.h"

/* Lists of the rows that is_soft marks by their places in vectors; unit: what a unit of each coordinate is
 * worth, by places too. *out is NULL where there are none. */
vgStatus vg_lin_soft_new(const vgLin *lin, const unsigned char *is_soft, const double *unit, vgLinSoft **out);
/* From the current values: how far each row's heaviest body yields to it, by its largest inertia,
 * min over nodes of Σ_j (B_rj w_j)² / max_j |A_jj w_j²|. Directions of λ that act through light bodies or
 * thin rods yield more, none that acts on anything yields much less. */
void vg_lin_soft_heaviest(const vgLin *lin, vgLinSoft *soft, double *d);
/* The places of the rows. */
const int *vg_lin_soft_rows(const vgLinSoft *soft, int *n);

#endif
