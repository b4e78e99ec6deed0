/* Symmetric matrices of a tree: M = Lᵀ D L, where entry (i, j), j < i, is not zero only if j is on the way from i to the ground
 * (Featherstone, Rigid Body Dynamics Algorithms, 6.5). above[i]: the next number on that way, −1: none. */
#ifndef VG_LINALG_PATHS_H
#define VG_LINALG_PATHS_H

#include "base/status.h"

/* M (n × n, row-major; the lower triangle is read) becomes L below the diagonal and D on it. VG_SINGULAR: M is not positive. */
vgStatus vg_paths_factor(int n, const int *above, double *M);
/* X (n × m, row-major) := −M⁻¹ X. of, f: scratch, n each. */
void vg_paths_solve(int n, const int *above, const double *L, int m, double *X, int *of, double *f);

#endif
