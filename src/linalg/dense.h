/* Small dense helpers, row-major, without heap. */
#ifndef VG_LINALG_DENSE_H
#define VG_LINALG_DENSE_H

#include "base/status.h"

/* A = P L U in place for an n × n row-major matrix, rows pivoted by size. pivot[k] is the row exchanged with
 * row k. VG_SINGULAR when a pivot is not larger than tolerance (0: only an exact zero): *bad_column, if not
 * NULL, is then the column without a pivot. */
vgStatus vg_dense_lu(double *a, int n, double tolerance, int *pivot, int *bad_column);
/* x := A⁻¹ x and x := A⁻ᵀ x from vg_dense_lu. */
void vg_dense_lu_solve(const double *lu, const int *pivot, int n, double *x);
void vg_dense_lu_solve_transposed(const double *lu, const int *pivot, int n, double *x);
/* X := A⁻¹ X for X (n × columns) row-major. */
void vg_dense_lu_solve_rows(const double *lu, const int *pivot, int n, double *x, int columns);

/* A = L Lᵀ in place in the lower triangle (the strict upper one is left alone). VG_SINGULAR when a pivot is
 * not positive. */
vgStatus vg_dense_cholesky(double *a, int n);
void vg_dense_cholesky_solve(const double *l, int n, double *x);

/* C (m × n) := A (m × k) B (k × n); C must not overlap A or B. */
void vg_dense_multiply(const double *a, const double *b, int m, int k, int n, double *c);
/* y (n) := Aᵀ x, A (m × n). */
void vg_dense_apply_transposed(const double *a, const double *x, int m, int n, double *y);

#endif
