/* Null space of a matrix, for analysis (allocates its workspace). */
#ifndef VG_LINALG_NULL_SPACE_H
#define VG_LINALG_NULL_SPACE_H

#include "base/status.h"

/* J dense m × n row-major. z (n × n row-major): its columns are orthonormal; the first *rank span the rows
 * of J, the others its null space, J z_k = 0. By QR with column pivoting of Jᵀ, the rows scaled to unit
 * length; a pivot below tolerance counts as zero (tolerance 0: 1e-9). */
vgStatus vg_null_space(const double *j, int m, int n, double tolerance, double *z, int *rank);

#endif
