/* Sparse LU with row exchanges, P A Q = L U, column by column (left-looking) [Gilbert & Peierls, SIAM J. Sci.
 * Stat. Comput. 9 (1988)], in memory taken once.
 *
 * The columns' order is given, the pivot rows are chosen by the numbers. Their rule looks at nothing but the
 * matrix, and columns are always combined in the order of elimination: the factors are a function of the
 * values alone, bit by bit, whatever was factored before. What was factored before makes it quick: as long as
 * the rule would choose the same rows, the pattern is known and only the numbers are computed; from the first
 * column on where it would not, the pattern is found again.
 *
 * The room is a bound for any choice of rows [George & Ng, SIAM J. Sci. Stat. Comput. 6 (1985)], or what the caller
 * gives. */
#ifndef VG_LINALG_LIN_LU_H
#define VG_LINALG_LIN_LU_H

#include <stddef.h>

#include "base/arena.h"
#include "math/lanes.h"

typedef struct vgLu {
    int n;
    size_t lower, upper;       /* room in L and U, diagonals apart */
    int *order;                /* [n] column eliminated at k; to be filled */
    int *rank;                 /* [n] of a column, and of the row of the same number: its k */
    int *row_of;               /* [n] pivot row of k */
    int *position;             /* [n] k of a pivot row; -1: none yet */
    size_t *l_start, *u_start; /* [n + 1] */
    int *l_row, *u_at;         /* [lower] rows, [upper] earlier k, ascending in a column */
    double *l, *u, *pivot;     /* [lower], [upper], [n] */
    double *x;                 /* [n] the column at work, by row; zero between columns */
    char *seen;                /* [n] rows in it; zero between columns */
    int *queue;                /* [n] heap of k that are still to be subtracted from it */
    int nqueue;
    int full;  /* 1: the column at work has found no room */
    int known; /* columns with a pattern */
    long repivots;
} vgLu;

/* The most entries L and U can have, for a symmetric pattern: items i (rows and columns of weight[i], NULL:
 * one each), with near[start[i] .. start[i + 1]) besides i itself, eliminated in the given order. */
vgStatus vg_lu_bound(int n, const int *weight, const int *start, const int *near, const int *order,
                     size_t *lower, size_t *upper);

/* n, lower and upper are set: takes the arrays (base/arena.h: measures or places). */
void vg_lu_place(vgLu *lu, vgArena *arena);
/* The order is filled: nothing is factored yet. */
void vg_lu_begin(vgLu *lu);

/* Columns in compressed form; the matrix is equilibrated, so that a pivot of 1e-14 is noise. VG_SINGULAR: the
 * column *bad has nothing but noise left. VG_LIMIT: the room is less than the bound, and not enough. */
vgStatus vg_lu_factor(vgLu *lu, const int *col_start, const int *row, const double *value, int *bad);
/* x := A⁻¹ b; b is used up. */
void vg_lu_solve(const vgLu *lu, double *b, double *x);
/* The same for four right sides side by side. */
void vg_lu_solve_lanes(const vgLu *lu, vgLaneLoose *b, vgLaneLoose *x);
/* x := A⁻ᵀ b; b is used up. */
void vg_lu_solve_transposed(const vgLu *lu, double *b, double *x);

#endif
