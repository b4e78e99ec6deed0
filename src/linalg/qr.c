/* Householder's reflectors; column norms are updated and recomputed when little is left of them (Drmač and Bujanović
 * 2008). Least squares by the singular values of the triangular factor, found by one-sided Jacobi rotations of the
 * columns of Rᵀ, which after pivoting are nearly orthogonal (Drmač and Veselić 2008). */
#include "linalg/qr.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/lanes.h"

double vg_sum_products(const double *x, const double *y, int n)
{
    vgLane sum = vg_lane(0);
    int i = 0;
    for (; i + VG_LANES <= n; i += VG_LANES)
        sum += *(const vgLaneLoose *)(x + i) * *(const vgLaneLoose *)(y + i);
    double rest = 0;
    for (; i < n; i++) rest += x[i] * y[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]) + rest;
}

void vg_add_scaled(double *y, double s, const double *x, int n)
{
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

double vg_length(const double *x, int n)
{
    const double low = 1e-280, high = 1e280; /* squares in between are far from the limits of double */
    double sum = vg_sum_products(x, x, n);
    if (sum > low && sum < high) return sqrt(sum);
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0) || !isfinite(largest)) return largest;
    sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] / largest * (x[i] / largest);
    return largest * sqrt(sum);
}

double vg_reflector(double *x, int n)
{
    double tail = vg_length(x + 1, n - 1);
    if (!(tail > 0)) return 0;
    double beta = -copysign(hypot(x[0], tail), x[0]), pivot = x[0] - beta;
    for (int i = 1; i < n; i++) x[i] /= pivot;
    double tau = -pivot / beta;
    x[0] = beta;
    return tau;
}

void vg_reflect(const double *u, double tau, int n, double *x)
{
    double s = -tau * (x[0] + vg_sum_products(u + 1, x + 1, n - 1));
    x[0] += s;
    vg_add_scaled(x + 1, s, u + 1, n - 1);
}

static void exchange(double *x, double *y, int n)
{
    for (int i = 0; i < n; i++) {
        double kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

/* What is left of a column's length once entry k is fixed. */
static void shorten(double *left, double *whole, double fixed, const double *rest, int n)
{
    double part = *left > 0 ? fabs(fixed) / *left : 1, keeps = fmax(0, (1 - part) * (1 + part));
    double share = *whole > 0 ? *left / *whole : 0;
    if (keeps * share * share > sqrt(DBL_EPSILON)) {
        *left *= sqrt(keeps);
    } else { /* the difference has lost its digits */
        *left = *whole = vg_length(rest, n);
    }
}

void vg_qr_pivoted(double *a, int m, int n, int *pivot, double *tau, double *room)
{
    double *left = room, *whole = room + n;
    const size_t M = (size_t)m;
    for (int j = 0; j < n; j++) {
        pivot[j] = j;
        left[j] = whole[j] = vg_length(a + (size_t)j * M, m);
    }
    for (int k = 0; k < m && k < n; k++) {
        int longest = k;
        for (int j = k + 1; j < n; j++)
            if (left[j] > left[longest]) longest = j;
        if (longest != k) {
            exchange(a + (size_t)k * M, a + (size_t)longest * M, m);
            int kept = pivot[k];
            pivot[k] = pivot[longest];
            pivot[longest] = kept;
            left[longest] = left[k];
            whole[longest] = whole[k];
        }
        double *u = a + (size_t)k * M + k;
        tau[k] = vg_reflector(u, m - k);
        for (int j = k + 1; j < n; j++) {
            double *column = a + (size_t)j * M + k;
            if (tau[k] != 0) vg_reflect(u, tau[k], m - k, column);
            shorten(&left[j], &whole[j], column[0], column + 1, m - k - 1);
        }
    }
}

void vg_qr_form(double *a, int m, int k, const double *tau)
{
    const size_t M = (size_t)m;
    for (int j = k; j < m; j++) {
        memset(a + (size_t)j * M, 0, M * sizeof *a);
        a[(size_t)j * M + (size_t)j] = 1;
    }
    for (int i = k - 1; i >= 0; i--) {
        double *u = a + (size_t)i * M + i;
        for (int j = i + 1; j < m; j++) vg_reflect(u, tau[i], m - i, a + (size_t)j * M + i);
        for (int r = 1; r < m - i; r++) u[r] *= -tau[i];
        u[0] = 1 - tau[i];
        memset(a + (size_t)i * M, 0, (size_t)i * sizeof *a);
    }
}

/* ---- least squares ---- */

static void rotate(double *x, double *y, double c, double s, int n)
{
    for (int i = 0; i < n; i++) {
        double xi = x[i];
        x[i] = c * xi - s * y[i];
        y[i] = s * xi + c * y[i];
    }
}

/* Rotates columns of w (n × n) until all are orthogonal: w := w V. V = 1 before. */
static int orthogonalise(double *w, double *v, int n)
{
    enum { SWEEPS = 60 };                               /* six do for columns that were pivoted */
    const double right = DBL_EPSILON * sqrt((double)n); /* rounding of a sum of n products, relative */
    const size_t N = (size_t)n;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        int turned = 0;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                double *x = w + (size_t)i * N, *y = w + (size_t)j * N;
                double a = vg_sum_products(x, x, n), b = vg_sum_products(y, y, n),
                       c = vg_sum_products(x, y, n);
                if (!(fabs(c) > right * sqrt(a) * sqrt(b))) continue;
                double zeta = (b - a) / (2 * c), t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
                double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
                rotate(x, y, cosine, sine, n);
                rotate(v + (size_t)i * N, v + (size_t)j * N, cosine, sine, n);
                turned = 1;
            }
        if (!turned) return 1;
    }
    return 0;
}

size_t vg_least_squares_room(int m, int n)
{
    size_t k = (size_t)(m < n ? m : n), most = (size_t)(m > n ? m : n);
    return k * most + 2 * k * k + 3 * k + 2 * most;
}

/* y := Σ⁺ of what is given in the directions `from` to those `to`: Σ_k to_k (from_k · z) / σ_k². One of the two sets
 * are the columns w = U Σ, whose lengths are σ; the other is V, so that one σ is divided out here. */
static int apply_inverse(const double *w, const double *v, int n, int transposed, double rcond,
                         const double *z, double *y)
{
    const size_t N = (size_t)n;
    double largest = 0;
    int rank = 0;
    for (int k = 0; k < n; k++) largest = fmax(largest, vg_length(w + (size_t)k * N, n));
    memset(y, 0, N * sizeof *y);
    for (int k = 0; k < n; k++) {
        const double *wk = w + (size_t)k * N, *vk = v + (size_t)k * N;
        double sigma = vg_length(wk, n);
        if (!(sigma > rcond * largest)) continue;
        rank++;
        const double *from = transposed ? wk : vk, *to = transposed ? vk : wk;
        vg_add_scaled(y, vg_sum_products(from, z, n) / sigma / sigma, to, n);
    }
    return rank;
}

/* J by rows has the columns of Jᵀ one after the other; the taller of the two is factorised. */
static void take_columns(const double *j, int m, int n, double *a)
{
    const size_t M = (size_t)m, N = (size_t)n;
    if (n > m) {
        memcpy(a, j, M * N * sizeof *a);
        return;
    }
    for (size_t i = 0; i < M; i++)
        for (size_t c = 0; c < N; c++) a[c * M + i] = j[i * N + c];
}

vgStatus vg_least_squares(const double *j, int m, int n, double *b, double rcond, double *x, int *rank,
                          int *pivot, double *room)
{
    const int wide = n > m, rows = wide ? n : m, k = wide ? m : n;
    const size_t K = (size_t)k, R = (size_t)rows;
    double *a = room, *w = a + K * R, *v = w + K * K, *tau = v + K * K, *y = tau + K, *z = y + R,
           *norms = z + R;
    take_columns(j, m, n, a);
    vg_qr_pivoted(a, rows, k, pivot, tau, norms);
    memset(v, 0, K * K * sizeof *v);
    for (size_t c = 0; c < K; c++) {
        v[c * K + c] = 1;
        for (size_t i = 0; i < K; i++) w[c * K + i] = i >= c ? a[i * R + c] : 0; /* Rᵀ */
    }
    if (!orthogonalise(w, v, k)) return VG_NOT_CONVERGED;
    memset(y, 0, R * sizeof *y);
    if (wide) { /* Aᵀ P = Q R with Rᵀ = U Σ Vᵀ: x = Q V Σ⁺ Uᵀ Pᵀ b */
        for (int i = 0; i < k; i++) z[i] = b[pivot[i]];
        *rank = apply_inverse(w, v, k, 1, rcond, z, y);
        for (int i = k - 1; i >= 0; i--) vg_reflect(a + (size_t)i * R + i, tau[i], rows - i, y + i);
        memcpy(x, y, R * sizeof *x);
    } else { /* A P = Q R: x = P U Σ⁺ Vᵀ Qᵀ b */
        for (int i = 0; i < k; i++) vg_reflect(a + (size_t)i * R + i, tau[i], rows - i, b + i);
        *rank = apply_inverse(w, v, k, 0, rcond, b, y);
        for (int i = 0; i < k; i++) x[pivot[i]] = y[i];
    }
    return VG_OK;
}
