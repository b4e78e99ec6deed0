#include "math/poly.h"

/* One end of the not-a-knot spline: the cubic of the first two intervals is one polynomial (de Boor 1978).
 * h0, d0 belong to the end interval, h1, d1 to its neighbour; h1 m0 + (h0 + h1) m1 = right side. */
static double not_a_knot(double h0, double d0, double h1, double d1)
{
    return ((h0 + 2 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1);
}

/* Rows of the system for the slopes: interior (continuity of the second derivative)
 *     h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i d_{i-1} + h_{i-1} d_i)
 * and one row for either end, solved by elimination without pivoting: the interior is diagonally dominant. */
void vg_spline_slopes(int n, const double *x, const double *y, vgSplineEnd end, double m_first, double m_last,
                      double *slope, double *work)
{
    double *diag = work, *up = work + n;
    double h = x[1] - x[0], d = (y[1] - y[0]) / h;
    if (n == 2 && end != VG_SPLINE_CLAMPED) {
        slope[0] = slope[1] = d;
        return;
    }
    if (n == 3 && end == VG_SPLINE_NOT_A_KNOT) {
        double h1 = x[2] - x[1], d1 = (y[2] - y[1]) / h1, c = (d1 - d) / (h + h1);
        slope[0] = d - c * h;
        slope[1] = d + c * h;
        slope[2] = d1 + c * h1;
        return;
    }
    if (end == VG_SPLINE_CLAMPED) {
        diag[0] = 1, up[0] = 0, slope[0] = m_first;
    } else if (end == VG_SPLINE_NATURAL) {
        diag[0] = 2, up[0] = 1, slope[0] = 3 * d;
    } else {
        double h1 = x[2] - x[1];
        diag[0] = h1, up[0] = h + h1, slope[0] = not_a_knot(h, d, h1, (y[2] - y[1]) / h1);
    }
    for (int i = 1; i < n - 1; i++) {
        double h1 = x[i + 1] - x[i], d1 = (y[i + 1] - y[i]) / h1, f = h1 / diag[i - 1];
        diag[i] = 2 * (h + h1) - f * up[i - 1];
        up[i] = h;
        slope[i] = 3 * (h1 * d + h * d1) - f * slope[i - 1];
        h = h1;
        d = d1;
    }
    double low, last, rhs;
    if (end == VG_SPLINE_CLAMPED) {
        low = 0, last = 1, rhs = m_last;
    } else if (end == VG_SPLINE_NATURAL) {
        low = 1, last = 2, rhs = 3 * d;
    } else {
        double h1 = x[n - 2] - x[n - 3];
        low = h + h1, last = h1, rhs = not_a_knot(h, d, h1, (y[n - 2] - y[n - 3]) / h1);
    }
    double f = low / diag[n - 2];
    slope[n - 1] = (rhs - f * slope[n - 2]) / (last - f * up[n - 2]);
    for (int i = n - 2; i >= 0; i--) slope[i] = (slope[i] - up[i] * slope[i + 1]) / diag[i];
}

void vg_spline_eval(int n, const double *x, const double *y, const double *slope, double v, double out[3])
{
    int i = vg_knot_find(n, x, v);
    vg_hermite(x[i], x[i + 1] - x[i], y[i], y[i + 1], slope[i], slope[i + 1], v, out);
}
