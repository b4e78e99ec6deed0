#include "math/poly.h"
#include "math_check.h"

static double cubic(double x, int k)
{
    return k == 0 ? 2 - x + 3 * x * x - 0.5 * x * x * x : k == 1 ? -1 + 6 * x - 1.5 * x * x : 6 - 3 * x;
}

TEST(hermite_reproduces_cubics)
{
    double out[3];
    for (double x = -1; x < 4; x += 0.3) {
        vg_hermite(1, 1.5, cubic(1, 0), cubic(2.5, 0), cubic(1, 1), cubic(2.5, 1), x, out);
        for (int k = 0; k < 3; k++) CHECK_NEAR(out[k], cubic(x, k), 1e-13);
    }
}

TEST(splines_reproduce_what_they_contain)
{
    double x[7] = {0, 0.3, 1, 1.2, 2, 3.5, 4}, y[7], m[7], work[14], out[3];
    for (int i = 0; i < 7; i++) y[i] = cubic(x[i], 0);
    for (int k = 0; k < 2; k++) {
        vg_spline_slopes(7, x, y, k ? VG_SPLINE_CLAMPED : VG_SPLINE_NOT_A_KNOT, cubic(0, 1), cubic(4, 1), m,
                         work);
        for (double v = -0.2; v < 4.3; v += 0.17) {
            vg_spline_eval(7, x, y, m, v, out);
            for (int d = 0; d < 3; d++) CHECK_NEAR(out[d], cubic(v, d), 1e-12);
        }
    }
    /* parabola through three, line through two */
    for (int i = 0; i < 3; i++) y[i] = 1 + x[i] * x[i];
    vg_spline_slopes(3, x, y, VG_SPLINE_NOT_A_KNOT, 0, 0, m, work);
    vg_spline_eval(3, x, y, m, 0.77, out);
    CHECK_NEAR(out[0], 1 + 0.77 * 0.77, 1e-15);
    CHECK_NEAR(out[2], 2, 1e-14);
    vg_spline_slopes(2, x, y, VG_SPLINE_NATURAL, 0, 0, m, work);
    vg_spline_eval(2, x, y, m, 0.1, out);
    CHECK_NEAR(out[0], 1 + 0.1 * 0.3, 1e-15);
}

static double sine_error(int n, vgSplineEnd end)
{
    double x[81], y[81], m[81], work[162], out[3], worst = 0, L = 3.14159265358979323846;
    for (int i = 0; i < n; i++) {
        x[i] = L * i / (n - 1);
        y[i] = sin(x[i]);
    }
    vg_spline_slopes(n, x, y, end, 1, -1, m, work);
    for (int i = 0; i <= 1000; i++) {
        vg_spline_eval(n, x, y, m, L * i / 1000, out);
        worst = fmax(worst, fabs(out[0] - sin(L * i / 1000)));
    }
    return worst;
}

/* sin'' = 0 at both ends, so all three kinds converge with order four */
TEST(splines_converge_with_order_four)
{
    for (int end = 0; end < 3; end++) {
        double ratio = sine_error(41, (vgSplineEnd)end) / sine_error(81, (vgSplineEnd)end);
        CHECK_NEAR(log2(ratio), 4, 0.25);
    }
}

TEST(natural_ends_and_smooth_knots)
{
    double x[5] = {0, 1, 1.5, 3, 4}, y[5] = {1, -1, 2, 0, 0.5}, m[5], work[10], a[3], b[3];
    vg_spline_slopes(5, x, y, VG_SPLINE_NATURAL, 0, 0, m, work);
    vg_spline_eval(5, x, y, m, 0, a);
    vg_spline_eval(5, x, y, m, 4, b);
    CHECK_NEAR(a[2], 0, 1e-13);
    CHECK_NEAR(b[2], 0, 1e-13);
    for (int i = 1; i < 4; i++) {
        vg_spline_eval(5, x, y, m, nextafter(x[i], -1), a);
        vg_spline_eval(5, x, y, m, x[i], b);
        for (int d = 0; d < 3; d++) CHECK_NEAR(a[d], b[d], 1e-12);
        CHECK_NEAR(b[0], y[i], 0);
    }
    CHECK_INT(vg_knot_find(5, x, -3), 0);
    CHECK_INT(vg_knot_find(5, x, 1), 1);
    CHECK_INT(vg_knot_find(5, x, 9), 3);
}

TEST_MAIN(hermite_reproduces_cubics, splines_reproduce_what_they_contain, splines_converge_with_order_four,
          natural_ends_and_smooth_knots)
