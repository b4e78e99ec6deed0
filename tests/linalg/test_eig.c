/* Eigenproblems against closed forms, and the small dense helpers against each other. */
#include <stdlib.h>

#include "linalg/dense.h"
#include "linalg/eig.h"
#include "linalg/graphs.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

/* tridiag(−1, 2, −1): λ_k = 2 − 2 cos(kπ/(n+1)), x_k(i) ∝ sin(ikπ/(n+1)) */
TEST(symmetric)
{
    enum { N = 8 };
    double a[N * N] = {0}, one[N * N] = {0}, values[N], vectors[N * N];
    for (int i = 0; i < N; i++) {
        one[i * N + i] = 1;
        a[i * N + i] = 2;
        if (i > 0) a[i * N + i - 1] = a[(i - 1) * N + i] = -1;
    }
    CHECK_INT(vg_eig_symmetric_pair(a, one, N, values, vectors), VG_OK);
    for (int k = 0; k < N; k++) {
        CHECK_NEAR(values[k], 2 - 2 * cos((k + 1) * PI / (N + 1)), 1e-14);
        double scale = vectors[k * N] / sin((k + 1) * PI / (N + 1));
        for (int i = 0; i < N; i++)
            CHECK_NEAR(vectors[k * N + i], scale * sin((i + 1) * (k + 1) * PI / (N + 1)), 1e-13);
    }
    double alone[N];
    CHECK_INT(vg_eig_symmetric_pair(a, one, N, alone, NULL), VG_OK);
    for (int k = 0; k < N; k++) CHECK_NEAR(alone[k], values[k], 1e-14);
}

/* Two equal masses m, three springs k, 3k, k: λ = k/m and 7k/m. */
TEST(symmetric_pair)
{
    const double k = 5, m = 2, a[] = {4 * k, -3 * k, -3 * k, 4 * k}, b[] = {m, 0, 0, m},
                 bad[] = {m, 0, 0, -m};
    double values[2], x[4];
    CHECK_INT(vg_eig_symmetric_pair(a, b, 2, values, x), VG_OK);
    CHECK_NEAR(values[0], k / m, 1e-14);
    CHECK_NEAR(values[1], 7 * k / m, 1e-13);
    CHECK_NEAR(x[0] - x[1], 0, 1e-15);
    CHECK_NEAR(x[2] + x[3], 0, 1e-15);
    CHECK_NEAR(m * (x[0] * x[0] + x[1] * x[1]), 1, 1e-14);
    CHECK_INT(vg_eig_symmetric_pair(a, bad, 2, values, x), VG_SINGULAR);
}

/* The companion matrix of (z² + 2z + 5)(z − 3): −1 ± 2i and 3. */
TEST(general)
{
    const double a[] = {1, 1, 15, 1, 0, 0, 0, 1, 0};
    double re[3], im[3], v[9];
    CHECK_INT(vg_eig_general(a, 3, re, im, v), VG_OK);
    int pairs = 0;
    for (int k = 0; k < 3; k++) {
        if (im[k] == 0) CHECK_NEAR(re[k], 3, 1e-13);
        if (im[k] <= 0) continue;
        pairs++;
        CHECK_NEAR(re[k], -1, 1e-13);
        CHECK_NEAR(im[k], 2, 1e-13);
        for (int i = 0; i < 3; i++) { /* A (v + iw) = λ (v + iw), A as given, not its transpose */
            double av = 0, aw = 0;
            for (int c = 0; c < 3; c++) {
                av += a[i * 3 + c] * v[k * 3 + c];
                aw += a[i * 3 + c] * v[(k + 1) * 3 + c];
            }
            CHECK_NEAR(av, re[k] * v[k * 3 + i] - im[k] * v[(k + 1) * 3 + i], 1e-13);
            CHECK_NEAR(aw, re[k] * v[(k + 1) * 3 + i] + im[k] * v[k * 3 + i], 1e-13);
        }
    }
    CHECK_INT(pairs, 1);
    const double bad[] = {1, NAN, 0, 1};
    CHECK_INT(vg_eig_general(bad, 2, re, im, NULL), VG_NOT_FINITE);
}

TEST(dense_lu_and_cholesky)
{
    for (int n = 1; n <= 40; n += 3) {
        size_t count = (size_t)(n * n), un = (size_t)n;
        double *a = malloc(count * sizeof *a), *lu = malloc(count * sizeof *lu),
               *spd = malloc(count * sizeof *spd);
        double *x = malloc(un * sizeof *x), *b = malloc(un * sizeof *b), *y = malloc(un * sizeof *y);
        int *pivot = malloc(un * sizeof *pivot);
        for (size_t i = 0; i < count; i++) a[i] = lu[i] = random_unit();
        for (int i = 0; i < n; i++) x[i] = random_unit();
        CHECK_INT(vg_dense_lu(lu, n, 0, pivot, NULL), VG_OK);
        vg_dense_multiply(a, x, n, n, 1, b);
        vg_dense_lu_solve(lu, pivot, n, b);
        for (int i = 0; i < n; i++) CHECK_NEAR(b[i], x[i], 1e-9);
        vg_dense_apply_transposed(a, x, n, n, b);
        vg_dense_lu_solve_transposed(lu, pivot, n, b);
        for (int i = 0; i < n; i++) CHECK_NEAR(b[i], x[i], 1e-9);
        for (int i = 0; i < n; i++) /* A Aᵀ + I */
            for (int k = 0; k < n; k++) {
                spd[i * n + k] = i == k;
                for (int c = 0; c < n; c++) spd[i * n + k] += a[i * n + c] * a[k * n + c];
            }
        vg_dense_multiply(spd, x, n, n, 1, y);
        CHECK_INT(vg_dense_cholesky(spd, n), VG_OK);
        vg_dense_cholesky_solve(spd, n, y);
        for (int i = 0; i < n; i++) CHECK_NEAR(y[i], x[i], 1e-11);
        free(a);
        free(lu);
        free(spd);
        free(x);
        free(b);
        free(y);
        free(pivot);
    }
    double product[4], left[] = {1, 2, 3, 4, 5, 6}, right[] = {1, 0, 0, 1, 1, 1}, singular[] = {1, 2, 2, 4};
    int pivot[2], column = -1;
    vg_dense_multiply(left, right, 2, 3, 2, product);
    CHECK(product[0] == 4 && product[1] == 5 && product[2] == 10 && product[3] == 11);
    CHECK_INT(vg_dense_lu(singular, 2, 0, pivot, &column), VG_SINGULAR);
    CHECK_INT(column, 1);
    double indefinite[] = {1, 2, 2, 1};
    CHECK_INT(vg_dense_cholesky(indefinite, 2), VG_SINGULAR);
}

TEST_MAIN(symmetric, symmetric_pair, general, dense_lu_and_cholesky)
