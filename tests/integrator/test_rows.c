/* Sums and norms of vectors in blocks, against loops over single numbers; every length, so that every tail is
 * met. */
#include <math.h>
#include <string.h>

#include "integrator/rows.h"
#include "test.h"

enum { MOST = 23, ROWS = 5 };
static double base[MOST], rows[ROWS * MOST], other[ROWS * MOST];
static const double coef[ROWS] = {0.5, -2, 0, 3.25, -0.125};

static void fill(int n)
{
    for (int i = 0; i < n; i++) base[i] = sin(1.0 + i);
    for (int i = 0; i < ROWS * n; i++) {
        rows[i] = cos(0.3 * i) - 0.2;
        other[i] = sin(0.7 * i);
    }
}

TEST(sums_of_rows)
{
    for (int n = 0; n <= MOST; n++) {
        const double *row[ROWS];
        double a[MOST + 1], b[MOST + 1];
        fill(n);
        for (int j = 0; j < ROWS; j++) row[j] = rows + j * n;
        a[n] = b[n] = 77; /* nothing beyond the end is touched */
        vg_rows_sum(n, 1.5, base, ROWS, coef, row, a);
        vg_rows_sum(n, 0, NULL, ROWS, coef, row, b);
        for (int i = 0; i < n; i++) {
            double x = 0;
            for (int j = 0; j < ROWS; j++) x += coef[j] * rows[j * n + i];
            CHECK_NEAR(a[i], 1.5 * base[i] + x, 1e-14);
            CHECK_NEAR(b[i], x, 1e-14);
        }
        CHECK(a[n] == 77 && b[n] == 77);
    }
}

TEST(two_sums_at_once)
{
    const double c2[ROWS] = {1, 1, 2, -1, 4};
    for (int n = 0; n <= MOST; n++) {
        const double *row[ROWS];
        double a[MOST + 1], b[MOST + 1];
        fill(n);
        for (int j = 0; j < ROWS; j++) row[j] = rows + j * n;
        vg_rows_pair(n, base, ROWS, row, coef, a, c2, b);
        for (int i = 0; i < n; i++) {
            double x = 0, y = 0;
            for (int j = 0; j < ROWS; j++) {
                x += coef[j] * (rows[j * n + i] - base[i]);
                y += c2[j] * (rows[j * n + i] - base[i]);
            }
            CHECK_NEAR(a[i], x, 1e-14);
            CHECK_NEAR(b[i], y, 1e-14);
        }
    }
}

/* Rows of weight 0 are not looked at: they may not be numbers yet. */
TEST(combinations_of_a_tableau)
{
    for (int n = 1; n <= MOST; n++) {
        double a[MOST], b[MOST];
        fill(n);
        for (int i = 0; i < n; i++) rows[2 * n + i] = other[2 * n + i] = NAN;
        vg_rows_combine(n, 0.1, coef, ROWS, NULL, rows, a, base, other, b);
        for (int i = 0; i < n; i++) {
            double x = 0, y = base[i];
            for (int j = 0; j < ROWS; j++) {
                if (j == 2) continue;
                x += 0.1 * coef[j] * rows[j * n + i];
                y += 0.1 * coef[j] * other[j * n + i];
            }
            CHECK_NEAR(a[i], x, 1e-14);
            CHECK_NEAR(b[i], y, 1e-14);
        }
    }
}

TEST(largest_and_what_is_no_number)
{
    double x[MOST], w[MOST];
    for (int n = 1; n <= MOST; n++)
        for (int at = 0; at < n; at++) {
            for (int i = 0; i < n; i++) {
                x[i] = 0.5 - 0.01 * i;
                w[i] = 2;
            }
            x[at] = -3;
            CHECK_NEAR(vg_rows_largest(n, x, NULL), 3, 0);
            CHECK_NEAR(vg_rows_largest(n, x, w), 6, 0);
            CHECK(vg_rows_are_finite(n, x, 0, x) && vg_rows_are_finite(0, x, n, x));
            x[at] = NAN;
            CHECK(!vg_rows_are_finite(n, x, 0, x) && !vg_rows_are_finite(0, x, n, x));
            CHECK(isnan(vg_rows_largest(n, x, NULL)));
            x[at] = INFINITY;
            CHECK(!vg_rows_are_finite(n, x, 0, x) && !vg_rows_are_finite(0, x, n, x));
            CHECK(isnan(vg_rows_largest(n, x, w)));
        }
    CHECK(vg_rows_largest(0, x, NULL) == 0);
}

TEST(powers)
{
    CHECK_NEAR(vg_power(8, 1. / 3), 2, 1e-14);
    CHECK(vg_power(0, 0.2) == 0);
}

TEST_MAIN(sums_of_rows, two_sums_at_once, combinations_of_a_tableau, largest_and_what_is_no_number, powers)
