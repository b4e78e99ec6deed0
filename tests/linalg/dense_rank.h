/* The reference for redundant rows: QR with column pivoting of Jᵀ as a whole. The rank, and the least pivot above the
 * tolerance: how far the rows are from depending on each other. */
#ifndef VERGE_TESTS_LINALG_DENSE_RANK_H
#define VERGE_TESTS_LINALG_DENSE_RANK_H

#include <math.h>
#include <stdlib.h>

#include "linalg/qr.h"
#include "linalg/rank.h"

/* J dense m × n by rows; only the rows in `chosen` [count], or all of them if NULL. */
static int dense_rank(const double *j, int m, int n, const int *chosen, int count, double *least)
{
    const int rows = chosen ? count : m;
    double *a = calloc((size_t)rows * (size_t)n + 1, sizeof *a), *tau = calloc((size_t)n + 1, sizeof *tau),
           *room = calloc(2 * (size_t)rows + 1, sizeof *room), longest = 0;
    int *pivot = calloc((size_t)rows + 1, sizeof *pivot), rank = 0;
    for (int i = 0; i < m; i++) longest = fmax(longest, vg_length(j + (size_t)i * (size_t)n, n));
    for (int i = 0; i < rows; i++) {
        const double *row = j + (size_t)(chosen ? chosen[i] : i) * (size_t)n, length = vg_length(row, n);
        for (int c = 0; c < n && length > VG_RANK_EMPTY * longest; c++)
            a[(size_t)i * (size_t)n + (size_t)c] = row[c] / length;
    }
    if (rows > 0) vg_qr_pivoted(a, n, rows, pivot, tau, room);
    *least = 1;
    while (rank < rows && rank < n && fabs(a[(size_t)rank * (size_t)n + (size_t)rank]) > VG_RANK_TOLERANCE) {
        *least = fabs(a[(size_t)rank * (size_t)n + (size_t)rank]);
        rank++;
    }
    free(a);
    free(tau);
    free(room);
    free(pivot);
    return rank;
}

#endif
