/* Redundant constraints: which rows of a Jacobian are combinations of which others. For set-up and analysis;
 * everything is allocated at the call. */
#ifndef VG_LINALG_RANK_H
#define VG_LINALG_RANK_H

#include "base/status.h"

typedef struct vgRankTerm {
    int row;
    double weight;
} vgRankTerm;

typedef struct vgRank {
    int rank;
    int *independent; /* [rank] rows in the order they were taken */
    int nredundant;
    int *redundant;    /* [nredundant] the other rows, ascending */
    int *term_start;   /* [nredundant + 1] into terms */
    vgRankTerm *terms; /* row redundant[k] ≈ Σ weight · row over its terms, the largest shares first */
} vgRank;

enum {
    VG_RANK_TERMS = 12,      /* at most so many terms are kept for a redundant row */
    VG_RANK_EXPLAINED = 64,  /* the sparse way explains so many redundant rows; the rest have no terms */
    VG_RANK_DENSE_COLS = 600 /* vg_rank_rows is dense up to here */
};

/* A row is redundant if its direction is within this angle of the span of the independent rows. The sparse
 * algorithm uses J Jᵀ, where the square of the angle must stay above rounding; it takes no less than 1e-6. */
#define VG_RANK_TOLERANCE 1e-6

/* A row shorter than this part of the longest is empty: a row of rounding errors, which repeats nothing and holds
 * nothing. In joint coordinates the rows of a planar loop in space that point out of its plane are such: entries of
 * 1e-17 beside 1, or of 1e-10 where orientations are given with ten digits. Rows of one mechanism differ by its sizes
 * in metres and by ratios of gears, far less than 1e9. At twice or half the value nothing changes; at 1e-16 such a
 * loop has no freedom left, at 1e-3 gears of 1000:1 would be lost. */
#define VG_RANK_EMPTY 1e-9

typedef struct vgSparseRows { /* m rows over n columns; row i holds start[i] .. start[i + 1) */
    int m, n;
    const int *start, *col;
    const double *value;
} vgSparseRows;

/* QR with column pivoting of Jᵀ, J dense m × n row-major, rows scaled to unit length; among rows that do
 * equally well the earlier is taken. tolerance 0: VG_RANK_TOLERANCE. */
vgStatus vg_rank_qr(const double *j, int m, int n, double tolerance, vgRank *out);

/* The same from the sparse L D Lᵀ of J Jᵀ in a fill-reducing order, skipping the rows whose pivot vanishes:
 * linear in the size of chains and trees. VG_LIMIT when J Jᵀ has more than 2·10⁷ entries (one body with
 * thousands of joints). */
vgStatus vg_rank_sparse(const vgSparseRows *j, double tolerance, vgRank *out);

/* The dense way for n <= VG_RANK_DENSE_COLS, else the sparse one. */
vgStatus vg_rank_rows(const vgSparseRows *j, double tolerance, vgRank *out);

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
