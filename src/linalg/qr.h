/* Orthogonal factorisations for set-up and analysis: QR with column pivoting and least squares by singular values.
 * Matrices here have their columns one after the other. Sums run in four lanes in a fixed order, so that results do
 * not depend on the compiler or the processor; tests compare with LAPACK. No heap. */
#ifndef VG_LINALG_QR_H
#define VG_LINALG_QR_H

#include <stddef.h>

#include "base/status.h"

/* Σ xᵢ yᵢ and |x|, which neither overflows nor underflows. */
double vg_sum_products(const double *x, const double *y, int n);
double vg_length(const double *x, int n);
/* y += s x */
void vg_add_scaled(double *y, double s, const double *x, int n);

/* A reflector H = 1 − tau u uᵀ, u₀ = 1, with H x = (β, 0, …): x (n ≥ 1) becomes (β, u₁, …). Returns tau; 0: H = 1. */
double vg_reflector(double *x, int n);
/* x := H x; u[0] is not read. */
void vg_reflect(const double *u, double tau, int n, double *x);

/* A P = Q R for A (m × n): the longest remaining column is taken next, among equals the first. R is in the upper
 * triangle, the reflectors of Q below it with tau [min(m, n)]. Column k of R is column pivot[k] of A. room: [2 n]. */
void vg_qr_pivoted(double *a, int m, int n, int *pivot, double *tau, double *room);
/* The first k reflectors in a (m rows) give Q (m × m), in place; a has room for m columns, k ≤ m. */
void vg_qr_form(double *a, int m, int k, const double *tau);

/* Numbers that vg_least_squares needs for its work, for a matrix m × n. */
size_t vg_least_squares_room(int m, int n);
/* x [n] of least length among those with least |J x − b|, J (m × n, m and n at least 1) by rows, b [m] destroyed.
 * Singular values below rcond times the largest count as zero. pivot: [min(m, n)]. VG_NOT_CONVERGED: singular values
 * not found. */
vgStatus vg_least_squares(const double *j, int m, int n, double *b, double rcond, double *x, int *rank,
                          int *pivot, double *room);

#endif
