/* Redundant constraints: which rows of a Jacobian are combinations of others. */
#ifndef VG_LINALG_RANK_H
#define VG_LINALG_RANK_H

#include "base/status.h"

typedef struct vgRank {
    int rank;
    int *independent; /* [rank] rows in the order they were taken */
    int nredundant;
    int *redundant; /* [nredundant] the other rows, ascending */
    double
        least; /* the least length that an independent row had left when it was taken, rows being of unit length */
} vgRank;

/* A row is redundant if its direction is within this angle of the span of the independent rows. Elimination leaves
 * 1e-15 of rows that repeat others, 1e-10 where orientations are given with ten digits; rows of mechanisms near singular
 * positions have 1e-4 left. */
#define VG_RANK_TOLERANCE 1e-6

/* A row shorter than this part of the longest is empty: a row of rounding errors, which repeats nothing and holds
 * nothing. In joint coordinates the rows of a planar loop in space that point out of its plane are such: entries of
 * 1e-17 beside 1, or of 1e-10 where orientations are given with ten digits. Rows of one mechanism differ by its sizes
 * in metres and by ratios of gears, far less than 1e9. At twice or half the value nothing changes; at 1e-16 such a
 * loop has no freedom left, at 1e-3 gears of 1000:1 would be lost. */
#define VG_RANK_EMPTY 1e-9

/* A row with more than this outside the span of the others is clearly independent of them, and may be preferred to a row that
 * has more. Rows of mechanisms beside a singular position have 1e-4 left. With half or twice the value nothing changes. */
#define VG_RANK_CLEAR 1e-3

typedef struct vgSparseRows { /* m rows over n columns; row i holds start[i] .. start[i + 1) */
    int m, n;
    const int *start, *col;
    const double *value;
} vgSparseRows;

/* What rows are taken for. */
typedef struct vgRankWish {
    double tolerance; /* 0: VG_RANK_TOLERANCE */
    const double
        *weight; /* [m] lengths are multiplied by it where rows are compared; NULL: earlier rows first */
    const unsigned char
        *first; /* [m] rows with a larger number come first if they have more than `clear` left; NULL */
    double clear;
    const int
        *group; /* [m] a row of the same group: all are scaled by its longest; NULL: each by its own length */
} vgRankWish;

/* Memory to find the redundant rows of matrices m × n with at most so many entries. It grows with the first, and then
 * no more after vg_rank_finder_fix: VG_LIMIT if a matrix needs more than twice as much as the largest before. */
typedef struct vgRankFinder vgRankFinder;
vgStatus vg_rank_finder_new(int m, int n, int entries, vgRankFinder **out);
vgStatus vg_rank_finder_fix(vgRankFinder *x);
/* It may grow again, after VG_LIMIT and outside of steps; then it is to be fixed once more. */
void vg_rank_finder_loosen(vgRankFinder *x);
void vg_rank_finder_free(vgRankFinder *x);
/* out has room for m rows (vg_rank_room). Rows are scaled to unit length, or groups of them (wish->group). */
vgStatus vg_rank_find(vgRankFinder *x, const vgSparseRows *j, const vgRankWish *wish, vgRank *out);

/* All at once, into new memory. first: as in vgRankWish, with VG_RANK_CLEAR; NULL: earlier rows first. */
vgStatus vg_rank_rows(const vgSparseRows *j, const unsigned char *first, vgRank *out);

vgStatus vg_rank_room(int m, vgRank *out);
void vg_rank_free(vgRank *rank);

/* Memory for least squares with m × n matrices, so that solving needs none. */
typedef struct vgLstsq vgLstsq;
vgStatus vg_lstsq_new(int m, int n, vgLstsq **out);
void vg_lstsq_free(vgLstsq *room);
/* J, row-major, to be filled before each solution. */
double *vg_lstsq_matrix(vgLstsq *room);

/* x of least length among those with least |J x − b|, J dense m × n row-major, by its singular values; those
 * below rcond times the largest count as zero (rcond 0: 1e-12). rank may be NULL. */
vgStatus vg_lstsq_min_norm(const double *j, const double *b, int m, int n, double rcond, double *x,
                           int *rank);
vgStatus vg_lstsq_min_norm_in(vgLstsq *room, const double *b, double rcond, double *x, int *rank);

#endif
