/* QR, least squares and eigenproblems against LAPACK, which is linked to this test alone: the same values within what
 * the condition allows, and residuals that are no worse than a few of its own. */
#include "linalg/lapack.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/eig.h"
#include "linalg/null_space.h"
#include "linalg/qr.h"
#include "linalg/rank.h"
#include "test.h"

enum { MOST = 90 };

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

enum { FULL, GRADED, HESSENBERG, OSCILLATORS, TWINS, DEFECTIVE, KINDS };

/* By rows. OSCILLATORS: ẋ = v, v̇ = −K x − D v with frequencies over four decades, as linearised mechanisms are. TWINS: the same
 * pair of eigenvalues again and again, each with a vector of its own. */
static void fill(double *a, int n, int kind, unsigned *seed)
{
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = random_number(seed), *to = &a[i * n + j];
            int h = n / 2;
            if (kind == FULL) *to = x;
            if (kind == GRADED) *to = x * pow(10, -8.0 * i / n);
            if (kind == HESSENBERG && i <= j + 1) *to = x;
            if (kind == DEFECTIVE) *to = i == j ? 2 : j == i + 1 ? 1 : 0;
            if (kind != OSCILLATORS) continue;
            if (i < h && j == h + i) *to = 1;
            if (i >= h && j < h) *to = j == i - h ? -pow(10, 8.0 * j / n) : 0.01 * x;
            if (i >= h && i == j) *to = -0.01;
        }
    for (int i = 0; i + 1 < n && kind == TWINS; i += 2) {
        a[i * n + i] = a[(i + 1) * n + i + 1] = 0.6;
        a[i * n + i + 1] = -(a[(i + 1) * n + i] = 0.8);
    }
    for (int k = 0; k < n && kind == TWINS; k++) { /* similar: row i += x row j, column j −= x column i */
        int i = k, j = (7 * k + 3) % n;
        double x = random_number(seed);
        if (i == j) continue;
        for (int c = 0; c < n; c++) a[i * n + c] += x * a[j * n + c];
        for (int c = 0; c < n; c++) a[c * n + j] -= x * a[c * n + i];
    }
}

static double norm_of(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n * n; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

/* max |A x − λ x| / |A| over the vectors. */
static double residual(const double *a, int n, const double *re, const double *im, const double *v)
{
    double worst = 0;
    for (int k = 0; k < n; k++) {
        if (im[k] < 0) continue;
        const double *x = v + k * n, *y = im[k] > 0 ? x + n : NULL;
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double s = -re[k] * x[i] + (y ? im[k] * y[i] : 0), t = y ? -re[k] * y[i] - im[k] * x[i] : 0;
            for (int j = 0; j < n; j++) {
                s += a[i * n + j] * x[j];
                if (y) t += a[i * n + j] * y[j];
            }
            sum += s * s + t * t;
        }
        worst = fmax(worst, sqrt(sum));
    }
    return worst / norm_of(a, n);
}

/* Each of ours has one of theirs within the distance. */
static double farthest(int n, const double *re, const double *im, const double *re2, const double *im2)
{
    char used[MOST] = {0};
    double worst = 0;
    for (int i = 0; i < n; i++) {
        int best = -1;
        double least = HUGE_VAL;
        for (int j = 0; j < n; j++) {
            double d = hypot(re[i] - re2[j], im[i] - im2[j]);
            if (!used[j] && d < least) least = d, best = j;
        }
        used[best] = 1;
        worst = fmax(worst, least);
    }
    return worst;
}

static double numbers[6][MOST * MOST], work[100 * MOST];

static void lapack_general(const double *a, int n, double *re, double *im, double *vectors)
{
    int lwork = 100 * MOST, info = 0, one = 1;
    double *copy = numbers[5], none = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) copy[j * n + i] = a[i * n + j];
    dgeev_("N", "V", &n, copy, &n, re, im, &none, &one, vectors, &n, work, &lwork, &info, 1, 1);
    CHECK_INT(info, 0);
}

TEST(general_eigenproblem)
{
    unsigned seed = 1;
    double re[MOST], im[MOST], re2[MOST], im2[MOST], *a = numbers[0], *v = numbers[1], *w = numbers[2];
    for (int n = 1; n <= MOST; n += n < 9 ? 1 : 9)
        for (int kind = 0; kind < KINDS; kind++) {
            fill(a, n, kind, &seed);
            if (n < 2 && kind >= OSCILLATORS) continue;
            CHECK_INT(vg_eig_general(a, n, re, im, v), VG_OK);
            lapack_general(a, n, re2, im2, w);
            double ours = residual(a, n, re, im, v), theirs = residual(a, n, re2, im2, w);
            CHECK(ours <= 10 * theirs + 10 * DBL_EPSILON);
            /* a chain of n equal values moves by the n-th root of rounding: not compared */
            if (kind != DEFECTIVE && kind != HESSENBERG && kind != TWINS)
                CHECK_NEAR(farthest(n, re, im, re2, im2) / norm_of(a, n), 0, 20 * n * DBL_EPSILON);
            for (int k = 0; k < n; k++) {
                double length = im[k] > 0 ? hypot(vg_length(v + k * n, n), vg_length(v + k * n + n, n))
                                          : vg_length(v + k * n, n);
                if (im[k] >= 0) CHECK_NEAR(length, 1, 1e-14);
            }
            CHECK_INT(vg_eig_general(a, n, re2, im2, NULL), VG_OK); /* without vectors */
            if (kind != DEFECTIVE && kind != HESSENBERG && kind != TWINS)
                CHECK_NEAR(farthest(n, re, im, re2, im2) / norm_of(a, n), 0, 20 * n * DBL_EPSILON);
        }
}

TEST(symmetric_pair)
{
    unsigned seed = 2;
    double ours[MOST], theirs[MOST], *a = numbers[0], *b = numbers[1], *v = numbers[2], *left = numbers[3],
                                     *right = numbers[4];
    for (int n = 1; n <= MOST; n += n < 9 ? 1 : 9)
        for (int graded = 0; graded < 2; graded++) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    a[i * n + j] = a[j * n + i] =
                        random_number(&seed) * (graded ? pow(10, -4.0 * (i + j) / n) : 1);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    b[i * n + j] = vg_sum_products(a + i * n, a + j * n, n) + (i == j);
            memcpy(left, a, (size_t)(n * n) * sizeof *a);
            memcpy(right, b, (size_t)(n * n) * sizeof *b);
            int itype = 1, lwork = 100 * MOST, info = 0;
            dsygv_(&itype, "V", "L", &n, left, &n, right, &n, theirs, work, &lwork, &info, 1, 1);
            CHECK_INT(info, 0);
            CHECK_INT(vg_eig_symmetric_pair(a, b, n, ours, v), VG_OK);
            double worst = 0, worst_theirs = 0;
            for (int k = 0; k < n; k++) {
                CHECK_NEAR(ours[k], theirs[k], 10 * n * DBL_EPSILON); /* |λ| ≤ 1/2 */
                for (int i = 0; i < n; i++) {
                    double r = 0, s = 0;
                    for (int j = 0; j < n; j++) {
                        r += (a[i * n + j] - ours[k] * b[i * n + j]) * v[k * n + j];
                        s += (a[i * n + j] - theirs[k] * b[i * n + j]) * left[k * n + j];
                    }
                    worst = fmax(worst, fabs(r));
                    worst_theirs = fmax(worst_theirs, fabs(s));
                }
                double one = 0;
                for (int i = 0; i < n; i++) one += v[k * n + i] * vg_sum_products(b + i * n, v + k * n, n);
                CHECK_NEAR(one, 1, 1e-13);
            }
            CHECK(worst <= 10 * worst_theirs + 10 * DBL_EPSILON);
        }
}

/* Random of a given rank: the same pivots, the same rank, R with the same sizes. */
TEST(pivoted_qr)
{
    unsigned seed = 3;
    double *a = numbers[0], *b = numbers[1], tau[MOST], tau2[MOST], room[2 * MOST];
    int pivot[MOST], pivot2[MOST];
    for (int m = 1; m <= 40; m += 3)
        for (int n = 1; n <= 40; n += 4)
            for (int rank = 1; rank <= 40; rank += 7) {
                int least = m < n ? m : n, lwork = 100 * MOST, info = 0;
                if (rank > least) continue;
                for (int i = 0; i < (m + n) * rank; i++) numbers[2][i] = random_number(&seed);
                for (int i = 0; i < m; i++)
                    for (int j = 0; j < n; j++) {
                        double sum = 0;
                        for (int k = 0; k < rank; k++)
                            sum += numbers[2][i * rank + k] * numbers[2][(m + j) * rank + k];
                        a[j * m + i] = b[j * m + i] = sum;
                    }
                memset(pivot2, 0, sizeof pivot2);
                vg_qr_pivoted(a, m, n, pivot, tau, room);
                dgeqp3_(&m, &n, b, &m, pivot2, tau2, work, &lwork, &info);
                CHECK_INT(info, 0);
                for (int k = 0; k < least; k++) {
                    if (k < rank) CHECK_INT(pivot[k], pivot2[k] - 1);
                    CHECK_NEAR(fabs(a[k * m + k]), fabs(b[k * m + k]), 1e-11);
                }
            }
}

/* Tall, square, wide; full and lacking rank: x, its length and the rank as dgelsd has them. */
TEST(least_squares)
{
    unsigned seed = 4;
    double *j = numbers[0], *a = numbers[1], x[MOST], b[MOST], y[MOST], singular[MOST];
    int iwork[100 * MOST];
    for (int m = 1; m <= 30; m += 3)
        for (int n = 1; n <= 30; n += 4)
            for (int lack = 0; lack < 3; lack++) {
                int least = m < n ? m : n, most = m > n ? m : n, rank, found, lwork = 100 * MOST, info,
                    one = 1;
                for (int i = 0; i < m * n; i++) j[i] = random_number(&seed);
                for (int r = 0; r < lack && r + 1 < m; r++) /* rows that repeat the last */
                    memcpy(j + r * n, j + (m - 1) * n, (size_t)n * sizeof *j);
                for (int i = 0; i < m; i++) {
                    b[i] = y[i] = random_number(&seed);
                    for (int c = 0; c < n; c++) a[c * m + i] = j[i * n + c];
                }
                double rcond = 1e-10;
                dgelsd_(&m, &n, &one, a, &m, y, &most, singular, &rcond, &found, work, &lwork, iwork, &info);
                CHECK_INT(info, 0);
                CHECK_INT(vg_lstsq_min_norm(j, b, m, n, rcond, x, &rank), VG_OK);
                CHECK_INT(rank, found);
                double condition = singular[0] / singular[found - 1];
                for (int i = 0; i < n; i++)
                    CHECK_NEAR(x[i], y[i], 100 * least * DBL_EPSILON * condition * condition);
            }
}

/* Columns of Z are orthonormal, J times the null space is zero. */
TEST(null_space)
{
    enum { M = 17, N = 31 };
    unsigned seed = 5;
    double *j = numbers[0], *z = numbers[1];
    int rank;
    for (int i = 0; i < M * N; i++) j[i] = random_number(&seed);
    memcpy(j + 3 * N, j + 7 * N, N * sizeof *j);
    CHECK_INT(vg_null_space(j, M, N, 0, z, &rank), VG_OK);
    CHECK_INT(rank, M - 1);
    for (int p = 0; p < N; p++)
        for (int q = 0; q < N; q++) {
            double sum = 0;
            for (int i = 0; i < N; i++) sum += z[i * N + p] * z[i * N + q];
            CHECK_NEAR(sum, p == q, 1e-14);
        }
    for (int i = 0; i < M; i++)
        for (int p = rank; p < N; p++) {
            double sum = 0;
            for (int c = 0; c < N; c++) sum += j[i * N + c] * z[c * N + p];
            CHECK_NEAR(sum, 0, 1e-13);
        }
}

TEST_MAIN(general_eigenproblem, symmetric_pair, pivoted_qr, least_squares, null_space)
