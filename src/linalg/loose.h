/* Square linear systems whose coupling blocks come and go: A = B + E. B is a matrix on a graph that stays (lin/lin.h),
 * E couples pairs of its nodes that change from one factorisation to the next (bodies that touch). All memory is taken
 * when it is made.
 *
 * A x = b is solved by BiCGStab (van der Vorst 1992), preconditioned
 *   – where B couples no nodes: by an incomplete factorisation without fill in which only the diagonal blocks change,
 *         (D + L) D⁻¹ (D + U),   D_i = A_ii − Σ_{j before i} A_ij D_j⁻¹ A_ji
 *     (D-ILU; Pommerell 1992). Leaves are eliminated first, so that it is A itself where the pairs form trees;
 *   – else by the factorisation of B.
 * The same values give the same bits. The solution has a residual of at most VG_LOOSE_RESIDUAL, relative, unless the
 * iteration stagnates; whoever needs certainty computes the residual, as Newton's method does. */
#ifndef VG_LINALG_LOOSE_H
#define VG_LINALG_LOOSE_H

#include "linalg/lin/lin.h"

typedef struct vgLoose vgLoose;

/* Of residuals, weighed by the diagonal. Newton's iteration contracts by this at least; at 1e-4 it takes one iteration
 * more, at 1e-12 the solution takes twice as long. */
#define VG_LOOSE_RESIDUAL 1e-8

/* most: pairs at a time. */
vgStatus vg_loose_new(vgLin *base, int nnode, int most, vgLoose **out);
void vg_loose_free(vgLoose *x);
size_t vg_loose_memory(const vgLoose *x);

void vg_loose_clear(vgLoose *x); /* no pairs */
/* Blocks (i, j) and (j, i), cleared, row-major; the same pair may be added twice. 0: there are `most` already, and the
 * preconditioner does without it. */
int vg_loose_pair(vgLoose *x, int i, int j, double **ij, double **ji);
int vg_loose_count(const vgLoose *x);

/* With the current values of both. VG_SINGULAR, VG_NOT_FINITE as vg_lin_factor; bad_row names the row. */
vgStatus vg_loose_factor(vgLoose *x, int *bad_row);
void vg_loose_solve(vgLoose *x, double *b);
long vg_loose_iterations(const vgLoose *x); /* of all solutions so far */

#endif
