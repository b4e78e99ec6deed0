/* Piecewise cubic interpolation: Hermite pieces, cubic splines, knot search. */
#ifndef VERGE_MATH_POLY_H
#define VERGE_MATH_POLY_H

typedef enum vgSplineEnd { VG_SPLINE_NATURAL, VG_SPLINE_NOT_A_KNOT, VG_SPLINE_CLAMPED } vgSplineEnd;

/* The cubic with values y0, y1 and slopes m0, m1 at x0 and x0 + h; out = value, first, second derivative. */
static inline void vg_hermite(double x0, double h, double y0, double y1, double m0, double m1, double x,
                              double out[3])
{
    /* Newton form y0 + t (m0 + t (c2 + t c3)), t = x - x0: exact at the left end, one division */
    double r = 1 / h, t = x - x0, d = (y1 - y0) * r;
    double c3 = (m0 + m1 - 2 * d) * r * r, c2 = (3 * d - 2 * m0 - m1) * r;
    out[0] = y0 + t * (m0 + t * (c2 + t * c3));
    out[1] = m0 + t * (2 * c2 + 3 * t * c3);
    out[2] = 2 * c2 + 6 * t * c3;
}

/* Interval i with x[i] <= v < x[i+1], clamped to 0..n-2; n >= 2, x ascending. O(log n). */
static inline int vg_knot_find(int n, const double *x, double v)
{
    int lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (v < x[mid])
            hi = mid;
        else
            lo = mid;
    }
    return lo;
}

/* Slopes at the n >= 2 ascending knots of the twice continuously differentiable cubic spline through (x, y).
 * Natural: second derivative zero at both ends. Not-a-knot: third derivative continuous at the second and
 * last but one knot (three knots: the parabola, two: the line). Clamped: end slopes m_first, m_last as given.
 * work holds 2n numbers. Tridiagonal, O(n). */
void vg_spline_slopes(int n, const double *x, const double *y, vgSplineEnd end, double m_first, double m_last,
                      double *slope, double *work);

/* Value and two derivatives at v of the Hermite pieces over all knots, end pieces continued outside. */
void vg_spline_eval(int n, const double *x, const double *y, const double *slope, double v, double out[3]);

#endif
