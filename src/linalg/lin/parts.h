/* The parts of a saddle matrix [A Bᵀ; B 0] on a graph, for settings that eliminate themselves (system/setting). */
#ifndef VG_LINALG_LIN_PARTS_H
#define VG_LINALG_LIN_PARTS_H

#include "linalg/lin/lin.h"

/* place: per row of the matrix its column and row k ≥ 0 of A, or −1 − r for row r of B. A (n × n) and B (rows
 * × n) row-major; only blocks that the graph has are written, so both are cleared once by the caller. A NULL:
 * B alone. */
void vg_lin_parts(const vgLin *lin, const int *place, int n, double *A, double *B);

/* The m rows of B as lists, place as above: row r has the columns col[start[r]] .. col[start[r + 1] − 1], and from[] is
 * where the entries are among the matrix's values. col, from NULL: only start, to measure. */
void vg_lin_row_lists(const vgLin *lin, const int *place, int m, int *start, int *col, size_t *from);

#endif
