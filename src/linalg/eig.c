/* A x = λ B x with B = L Lᵀ: the eigenvalues of L⁻¹ A L⁻ᵀ, made tridiagonal by reflectors, then by implicit QR steps
 * with Wilkinson's shift (Golub and Van Loan, Matrix Computations, 8.3). The general problem is in eig_general.c. */
#include "linalg/eig.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/expect.h"
#include "linalg/dense.h"
#include "linalg/qr.h"

static int all_finite(const double *a, int n)
{
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        if (!isfinite(a[i])) return 0;
    return 1;
}

/* x := L⁻¹ x and x := L⁻ᵀ x, L lower by rows. */
static void forward(const double *l, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        const double *row = l + (size_t)i * (size_t)n;
        x[i] = (x[i] - vg_sum_products(row, x, i)) / row[i];
    }
}

static void backward(const double *l, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *row = l + (size_t)i * (size_t)n;
        x[i] /= row[i];
        vg_add_scaled(x, -x[i], row, i);
    }
}

static void transpose(double *a, int n)
{
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < i; j++) {
            double kept = a[i * (size_t)n + j];
            a[i * (size_t)n + j] = a[j * (size_t)n + i];
            a[j * (size_t)n + i] = kept;
        }
}

/* A := L⁻¹ A L⁻ᵀ for the symmetric A whose lower triangle is given: rows, then columns. */
static void reduce(double *a, const double *l, int n)
{
    const size_t N = (size_t)n;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++) a[j * N + i] = a[i * N + j];
    for (size_t i = 0; i < N; i++) forward(l, n, a + i * N);
    transpose(a, n);
    for (size_t i = 0; i < N; i++) forward(l, n, a + i * N);
}

/* Qᵀ A Q = T with diagonal d and e beside it; A (symmetric) is left with the reflectors: that of step k in row k from
 * column k + 1 on. tau, p: [n]. */
static void tridiagonal(double *a, int n, double *d, double *e, double *tau, double *p)
{
    const size_t N = (size_t)n;
    for (int k = 0; k < n; k++) {
        double *u = a + (size_t)k * N + k + 1;
        int rest = n - k - 1;
        d[k] = a[(size_t)k * N + (size_t)k];
        tau[k] = 0;
        e[k] = 0;
        if (rest < 1) continue;
        tau[k] = vg_reflector(u, rest);
        e[k] = u[0];
        if (tau[k] == 0) continue;
        u[0] = 1;
        double *s = a + (size_t)(k + 1) * N + k + 1; /* what remains: S := H S H, H = 1 − tau u uᵀ */
        for (int i = 0; i < rest; i++) p[i] = tau[k] * vg_sum_products(s + (size_t)i * N, u, rest);
        double half = 0.5 * tau[k] * vg_sum_products(p, u, rest);
        vg_add_scaled(p, -half, u, rest);
        for (int i = 0; i < rest; i++)
            for (int j = 0; j <= i; j++) {
                double x = s[(size_t)i * N + (size_t)j] - (u[i] * p[j] + p[i] * u[j]);
                s[(size_t)i * N + (size_t)j] = s[(size_t)j * N + (size_t)i] = x;
            }
    }
}

/* One implicit QR step on rows first…last of T, which couples them all, from `from` to `to`, which are first and last
 * or the other way round. z: vectors one after the other. */
static void qr_step(double *d, double *e, int from, int to, double *z, int n)
{
    const int up = to > from ? 1 : -1, beside = up > 0 ? 0 : -1; /* e[k + beside] couples k and k + up */
    double half = (d[to - up] - d[to]) / 2, b = e[to - up + beside];
    double shift = d[to] - b / (half + copysign(hypot(half, b), half)) * b;
    double x = d[from] - shift, y = e[from + beside];
    for (int k = from; k != to; k += up) {
        double r = hypot(x, y), c = r > 0 ? x / r : 1, s = r > 0 ? y / r : 0;
        if (k != from) e[k - up + beside] = r;
        double p = d[k], q = d[k + up], *o = &e[k + beside], cross = s * (p - q) - 2 * c * *o;
        d[k] = p - s * cross;
        d[k + up] = q + s * cross;
        x = *o = -(c * cross + *o);
        if (k + up != to) {
            y = s * e[k + up + beside];
            e[k + up + beside] *= c;
        }
        double *u = z + (size_t)k * (size_t)n, *v = z + (size_t)(k + up) * (size_t)n;
        for (int i = 0; z && i < n; i++) {
            double kept = u[i];
            u[i] = c * kept + s * v[i];
            v[i] = c * v[i] - s * kept;
        }
    }
}

/* Steps until T is diagonal. They run from the larger end of a block to the smaller, so that small values keep their
 * digits beside large ones. */
static int diagonalise(double *d, double *e, double *z, int n)
{
    enum { STEPS = 60 }; /* for each eigenvalue; two or three are usual */
    long left = (long)STEPS * n;
    for (int last = n - 1; last > 0;) {
        int first = last;
        for (; first > 0; first--) {
            double small = DBL_EPSILON * sqrt(fabs(d[first - 1])) * sqrt(fabs(d[first]));
            if (fabs(e[first - 1]) > fmax(small, DBL_MIN)) continue;
            e[first - 1] = 0;
            break;
        }
        if (first == last) {
            last--;
            continue;
        }
        if (left-- == 0) return 0;
        if (fabs(d[first]) >= fabs(d[last]))
            qr_step(d, e, first, last, z, n);
        else
            qr_step(d, e, last, first, z, n);
    }
    return 1;
}

/* Q from its reflectors, transposed: the columns of Q one after the other in z. */
static void form(const double *a, const double *tau, double *z, int n)
{
    const size_t N = (size_t)n;
    memset(z, 0, N * N * sizeof *z);
    for (size_t i = 0; i < N; i++) z[i * N + i] = 1;
    for (int k = n - 2; k >= 0; k--) {
        const double *u = a + (size_t)k * N + k + 1;
        for (int j = k + 1; j < n && tau[k] != 0; j++)
            vg_reflect(u, tau[k], n - k - 1, z + (size_t)j * N + k + 1);
    }
}

/* Ascending values; equal ones keep their order. */
static void sort(double *d, double *z, int n)
{
    for (int k = 0; k + 1 < n; k++) {
        int least = k;
        for (int i = k + 1; i < n; i++)
            if (d[i] < d[least]) least = i;
        double kept = d[least];
        d[least] = d[k];
        d[k] = kept;
        for (int i = 0; z && least != k && i < n; i++) {
            double *x = z + (size_t)k * (size_t)n + i, *y = z + (size_t)least * (size_t)n + i;
            kept = *x;
            *x = *y;
            *y = kept;
        }
    }
}

vgStatus vg_eig_symmetric_pair(const double *a, const double *b, int n, double *values, double *vectors)
{
    VG_EXPECT(n >= 0 && a && b && values);
    if (n < 1) return VG_BAD_INPUT;
    if (!all_finite(a, n) || !all_finite(b, n)) return VG_NOT_FINITE;
    const size_t N = (size_t)n, all = N * N;
    double *left = malloc((2 * all + 3 * N) * sizeof *left), *l = left + all, *e = l + all, *tau = e + N,
           *p = tau + N;
    if (!left) return VG_NO_MEMORY;
    memcpy(left, a, all * sizeof *left);
    memcpy(l, b, all * sizeof *l);
    vgStatus status = vg_dense_cholesky(l, n);
    if (status == VG_OK) {
        reduce(left, l, n);
        tridiagonal(left, n, values, e, tau, p);
        if (vectors) form(left, tau, vectors, n);
        status = diagonalise(values, e, vectors, n) ? VG_OK : VG_NOT_CONVERGED;
    }
    if (status == VG_OK) sort(values, vectors, n);
    for (size_t k = 0; status == VG_OK && vectors && k < N; k++) backward(l, n, vectors + k * N);
    free(left);
    return status;
}
