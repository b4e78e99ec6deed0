/* Matrices of a tree: what vg_paths_solve finds is put into the equations again, with more and fewer columns than it takes at once. */
#include "linalg/paths.h"

#include "test.h"

enum { N = 20, MOST = 31 };

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* The sum of p pᵀ over all ways to the ground, p not zero on one of them, with a positive diagonal. */
static void make(const int *above, unsigned *seed, double M[N * N])
{
    for (int i = 0; i < N * N; i++) M[i] = i % (N + 1) == 0;
    for (int k = 0; k < N; k++) {
        double p[N] = {0};
        for (int i = k; i >= 0; i = above[i]) p[i] = next(seed);
        for (int i = 0; i < N * N; i++) M[i] += p[i / N] * p[i % N];
    }
}

TEST(solves)
{
    for (unsigned seed = 1; seed < 20; seed++) {
        unsigned s = seed;
        int above[N], of[N];
        double M[N * N], L[N * N], B[N * MOST], X[N * MOST], f[N];
        above[0] = -1;
        for (int i = 1; i < N; i++) above[i] = (int)((next(&s) + 0.5) * (i + 1)) - 1;
        make(above, &s, M);
        for (int i = 0; i < N * N; i++) L[i] = M[i];
        CHECK_INT(vg_paths_factor(N, above, L), VG_OK);
        for (int m = 1; m <= MOST; m += 3) {
            for (int i = 0; i < N * m; i++) X[i] = B[i] = next(&s);
            vg_paths_solve(N, above, L, m, X, of, f);
            for (int i = 0; i < N; i++)
                for (int c = 0; c < m; c++) {
                    double sum = B[i * m + c];
                    for (int k = 0; k < N; k++) sum += M[i * N + k] * X[k * m + c];
                    CHECK_NEAR(sum, 0, 1e-13);
                }
        }
    }
}

TEST(not_positive)
{
    const int above[2] = {-1, 0};
    double M[4] = {1, 2, 2, 4};
    CHECK_INT(vg_paths_factor(2, above, M), VG_SINGULAR);
}

TEST_MAIN(solves, not_positive)
