/* The slowest modes of large models. Shared by the files of modes. */
#ifndef VG_ANALYSIS_MODES_LOWEST_H
#define VG_ANALYSIS_MODES_LOWEST_H

#include "analysis/modes/pencil.h"

/* 1: so many coordinates that the slowest modes alone are found faster, and no rows that forbid it. */
int vg_modes_are_sparse(const vgSystem *sys);
/* At most `most` modes with the least |λ|. VG_UNSUPPORTED: there is no freedom. */
vgStatus vg_lowest(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, int most, vgModes *out);
/* `want` of K x = ω² M x, K symmetric, by increasing |ω² + s|, *shift = s being about the least of them that is not zero;
 * xᵀMx = 1. The caller frees w2 and x. */
vgStatus vg_lowest_squares(vgPencil *p, const vgState *state, int want, double *shift, int *found,
                           double **w2, double **x);
/* The same with a shift that Cholesky's factorisation proves to be below all ω²: the lowest ω², ascending. VG_LIMIT: no such
 * shift was found. */
vgStatus vg_lowest_bounded(vgPencil *p, const vgState *state, int want, int *found, double **w2, double **x);
/* The root of the largest K_ii/M_ii, 1/s: the fastest mode is at least about that fast. */
double vg_pencil_fastest(const vgPencil *p);

#endif
