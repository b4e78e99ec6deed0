#include "linalg/dense.h"
#include "base/expect.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Right-looking Gaussian elimination with row pivoting [Golub & Van Loan, 3.4]: row operations run over
 * contiguous memory. */
vgStatus vg_dense_lu(double *a, int n, double tolerance, int *pivot, int *bad_column)
{
    VG_EXPECT(n >= 0 && a && pivot);
    size_t ld = (size_t)n;
    for (int k = 0; k < n; k++) {
        int best = k;
        double largest = fabs(a[(size_t)k * ld + (size_t)k]);
        for (int i = k + 1; i < n; i++) {
            double size = fabs(a[(size_t)i * ld + (size_t)k]);
            if (size > largest) {
                largest = size;
                best = i;
            }
        }
        pivot[k] = best;
        if (!(largest > tolerance)) {
            if (bad_column) *bad_column = k;
            return VG_SINGULAR;
        }
        double *top = a + (size_t)k * ld, *other = a + (size_t)best * ld;
        if (best != k)
            for (int j = 0; j < n; j++) {
                double swap = top[j];
                top[j] = other[j];
                other[j] = swap;
            }
        double inverse = 1 / top[k];
        for (int i = k + 1; i < n; i++) {
            double *restrict row = a + (size_t)i * ld, factor = row[k] * inverse;
            row[k] = factor;
            if (factor == 0) continue;
            for (int j = k + 1; j < n; j++) row[j] -= factor * top[j];
        }
    }
    return VG_OK;
}

void vg_dense_lu_solve(const double *lu, const int *pivot, int n, double *x)
{
    VG_EXPECT(n >= 0 && lu && pivot && x);
    size_t ld = (size_t)n;
    for (int k = 0; k < n; k++) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    for (int i = 1; i < n; i++) {
        double sum = x[i];
        for (int j = 0; j < i; j++) sum -= lu[(size_t)i * ld + (size_t)j] * x[j];
        x[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int j = i + 1; j < n; j++) sum -= lu[(size_t)i * ld + (size_t)j] * x[j];
        x[i] = sum / lu[(size_t)i * ld + (size_t)i];
    }
}

/* row −= factor · other, along contiguous memory. */
static void take_row(double *restrict row, const double *restrict other, double factor, size_t columns)
{
    for (size_t k = 0; k < columns; k++) row[k] -= factor * other[k];
}

void vg_dense_lu_solve_transposed(const double *lu, const int *pivot, int n, double *x)
{
    VG_EXPECT(n >= 0 && lu && pivot && x);
    size_t ld = (size_t)n;
    for (size_t i = 0; i < ld; i++) {
        x[i] /= lu[i * ld + i];
        take_row(x + i + 1, lu + i * ld + i + 1, x[i], ld - i - 1);
    }
    for (size_t i = ld; i-- > 1;) take_row(x, lu + i * ld, x[i], i);
    for (int k = n - 1; k >= 0; k--) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
}

void vg_dense_lu_solve_rows(const double *lu, const int *pivot, int n, double *x, int columns)
{
    VG_EXPECT(n >= 0 && columns >= 0 && lu && pivot && x);
    size_t ld = (size_t)n, w = (size_t)columns;
    for (int k = 0; k < n; k++) {
        double *a = x + (size_t)k * w, *b = x + (size_t)pivot[k] * w;
        for (size_t j = 0; j < w && a != b; j++) {
            double swap = a[j];
            a[j] = b[j];
            b[j] = swap;
        }
    }
    for (size_t i = 1; i < ld; i++)
        for (size_t j = 0; j < i; j++)
            if (lu[i * ld + j] != 0) take_row(x + i * w, x + j * w, lu[i * ld + j], w);
    for (size_t i = ld; i-- > 0;) {
        double *row = x + i * w, inverse = 1 / lu[i * ld + i];
        for (size_t j = i + 1; j < ld; j++)
            if (lu[i * ld + j] != 0) take_row(row, x + j * w, lu[i * ld + j], w);
        for (size_t k = 0; k < w; k++) row[k] *= inverse;
    }
}

vgStatus vg_dense_cholesky(double *a, int n)
{
    VG_EXPECT(n >= 0 && a);
    size_t ld = (size_t)n;
    for (int j = 0; j < n; j++) {
        const double *top = a + (size_t)j * ld;
        double pivot = top[j];
        for (int k = 0; k < j; k++) pivot -= top[k] * top[k];
        if (!(pivot > 0)) return VG_SINGULAR;
        double root = sqrt(pivot), inverse = 1 / root;
        a[(size_t)j * ld + (size_t)j] = root;
        for (int i = j + 1; i < n; i++) {
            double *row = a + (size_t)i * ld, sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * top[k];
            row[j] = sum * inverse;
        }
    }
    return VG_OK;
}

void vg_dense_cholesky_solve(const double *l, int n, double *x)
{
    VG_EXPECT(n >= 0 && l && x);
    size_t ld = (size_t)n;
    for (int i = 0; i < n; i++) {
        double sum = x[i];
        for (int j = 0; j < i; j++) sum -= l[(size_t)i * ld + (size_t)j] * x[j];
        x[i] = sum / l[(size_t)i * ld + (size_t)i];
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= l[(size_t)i * ld + (size_t)i];
        for (int j = 0; j < i; j++) x[j] -= l[(size_t)i * ld + (size_t)j] * x[i];
    }
}

void vg_dense_multiply(const double *a, const double *b, int m, int k, int n, double *c)
{
    VG_EXPECT(m >= 0 && k >= 0 && n >= 0);
    VG_EXPECT(c != a && c != b);
    memset(c, 0, (size_t)m * (size_t)n * sizeof *c);
    for (int i = 0; i < m; i++)
        for (int p = 0; p < k; p++) {
            double factor = a[(size_t)i * (size_t)k + (size_t)p];
            const double *restrict from = b + (size_t)p * (size_t)n;
            double *restrict to = c + (size_t)i * (size_t)n;
            for (int j = 0; j < n; j++) to[j] += factor * from[j];
        }
}

void vg_dense_apply_transposed(const double *a, const double *x, int m, int n, double *y)
{
    VG_EXPECT(m >= 0 && n >= 0 && y != x);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) y[j] += a[(size_t)i * (size_t)n + (size_t)j] * x[i];
}
