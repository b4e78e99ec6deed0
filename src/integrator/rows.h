/* Sums of vectors: most of what a method does beside evaluating its system. */
#ifndef VERGE_INTEGRATOR_ROWS_H
#define VERGE_INTEGRATOR_ROWS_H

#include <math.h>

#include "integrator/fours.h"
#include "math/dense.h"

enum { VG_ROWS_MAX = 16 };

/* out = b·base + Σ_{j<count} c_j row_j, n numbers each, added in the order of j (base NULL: without it). out
 * may be any of the others. */
void vg_rows_sum(int n, double b, const double *base, int count, const double *c, const double *const *row,
                 double *out);

/* Two sums of the same rows: out1 = Σ c1_j (row_j − about), out2 = Σ c2_j (row_j − about); about NULL: zero.
 */
void vg_rows_pair(int n, const double *about, int count, const double *const *row, const double *c1,
                  double *out1, const double *c2, double *out2);

/* a + Σ_{j<count} h coef_j row_j for count consecutive rows of n numbers, and the same with the rows b_rows and
 * the same weights (a NULL: zero; b_out NULL: only the first). Rows of weight 0 are skipped. */
void vg_rows_combine(int n, double h, const double *coef, int count, const double *a, const double *a_rows,
                     double *a_out, const double *b, const double *b_rows, double *b_out);

/* Largest |x_i| w_i (w NULL: 1); not a number when there is one that is not finite. */
double vg_rows_largest(int n, const double *x, const double *w);

/* As above for two vectors, without weights. */
void vg_rows_largest_two(int n, const double *x, const double *y, double most[2]);

/* How far a step can go, h |v| + ½ h² |a| with the largest |v_i| w_i and |a_i| w_i; not a number when there
 * is one that is not finite. Arrays with room for whole fours. */
double vg_rows_reach(int n, double h, const double *v, const double *a, const double *w);

/* The largest |v|; NAN where q or v has a number that is not finite. */
double vg_rows_speed(int nq, const double *q, int nv, const double *v);
/* Are all n numbers of x and m of y finite (and not near overflow)? */
int vg_rows_are_finite(int n, const double *x, int m, const double *y);

/* Sums of divided differences f[τ_0, …, τ_j], weights c_j, as sums of the points f(τ_j): Newton's scheme, which makes the
 * differences out of the points, followed backwards. ago: how long ago the points are, n of them; c is replaced. */
static inline void vg_weights_of_points(int n, const double *ago, vgFour *c)
{
    VG_ROLLED
    for (int m = n - 1; m > 0; m--) {
        VG_ROLLED
        for (int j = m; j < n; j++) {
            vgFour x = 1 / (ago[j] - ago[j - m]) * c[j];
            c[j - 1] += x;
            c[j] = -x;
        }
    }
}

/* φ_k and φ_{k+1} of positions that are kept as points: Σ_{j<count} weight_j[2] point_j and Σ weight_j[3] point_j, n numbers
 * each (whole fours), one after the other. */
void vg_points_beside(int n, int count, double (*weight)[4], const double *points, double *out);

/* x^y for x > 0; for step sizes, where the last digits do not matter. */
static inline double vg_power(double x, double y)
{
    return exp2(y * log2(x));
}

#endif
