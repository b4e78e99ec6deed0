/* Matrices with couplings that come and go, against a dense factorisation of the same numbers. */
#include "linalg/dense.h"
#include "linalg/lin/lin.h"
#include "linalg/loose.h"
#include "test.h"

#include <stdlib.h>

enum { NODES = 30, ROWS = 6, N = NODES * ROWS, MOST = 90 };

static double noise(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* Gauss with row pivoting, written here. */
static void dense_solve(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        for (int j = 0; j < n; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

/* kind 0: a tree of pairs, 1: many loops, 2: loops and edges of the base. stiff: how much pairs weigh against the rest. */
static double worst(int kind, double stiff, long *iterations)
{
    unsigned long long seed = test_seed("loose", kind);
    vgLinNode node[NODES];
    vgLinEdge edge[NODES];
    int nedge = 0;
    for (int i = 0; i < NODES; i++) node[i] = (vgLinNode){.size = ROWS};
    for (int i = 0; kind == 2 && i + 7 < NODES; i += 3) edge[nedge++] = (vgLinEdge){i, i + 7, 0};
    vgLin *lin;
    vgLoose *x;
    CHECK(vg_lin_new(NODES, node, nedge, edge, VG_LIN_AUTO, &lin) == VG_OK);
    CHECK(vg_loose_new(lin, NODES, MOST, &x) == VG_OK);
    double *A = calloc((size_t)N * N, sizeof *A), b[N], want[N], off = 0;
    for (int round = 0; round < 3; round++) { /* other pairs each time, in the same memory */
        size_t nvalue;
        double *values = vg_lin_values(lin, &nvalue);
        memset(values, 0, nvalue * sizeof *values);
        memset(A, 0, (size_t)N * N * sizeof *A);
        for (int e = 0; e < nedge; e++)
            for (int way = 0; way < 2; way++) {
                int i = way ? edge[e].j : edge[e].i, j = way ? edge[e].i : edge[e].j;
                double *block = vg_lin_block(lin, i, j);
                for (int k = 0; k < ROWS * ROWS; k++)
                    A[(i * ROWS + k / ROWS) * N + j * ROWS + k % ROWS] = block[k] = 0.1 * noise(&seed);
            }
        for (int i = 0; i < NODES; i++)
            for (int k = 0; k < ROWS; k++) A[(i * ROWS + k) * (N + 1)] = 1 + noise(&seed);
        vg_loose_clear(x);
        int pairs = kind == 0 ? NODES - 1 : MOST;
        for (int k = 0; k < pairs; k++) {
            int i = k < NODES - 1 ? k + 1 : (int)((noise(&seed) + 0.5) * NODES), j = i;
            while (j == i)
                j = k < NODES - 1 ? (int)((noise(&seed) + 0.5) * i) : (int)((noise(&seed) + 0.5) * NODES);
            double *ij, *ji, g[2 * ROWS];
            CHECK(vg_loose_pair(x, i, j, &ij, &ji));
            for (int r = 0; r < 2 * ROWS; r++) g[r] = noise(&seed);
            int at[2] = {i, j};
            for (int r = 0; r < 2 * ROWS; r++)
                for (int c = 0; c < 2 * ROWS; c++) {
                    double value = stiff * g[r] * g[c] + 0.01 * stiff * noise(&seed); /* not symmetric */
                    A[(at[r / ROWS] * ROWS + r % ROWS) * N + at[c / ROWS] * ROWS + c % ROWS] += value;
                    if (r / ROWS != c / ROWS) (r < ROWS ? ij : ji)[r % ROWS * ROWS + c % ROWS] = value;
                }
        }
        for (int i = 0; i < NODES; i++)
            for (int k = 0; k < ROWS * ROWS; k++)
                vg_lin_block(lin, i, i)[k] = A[(i * ROWS + k / ROWS) * N + i * ROWS + k % ROWS];
        for (int i = 0; i < N; i++) want[i] = b[i] = noise(&seed);
        int bad;
        CHECK(vg_loose_factor(x, &bad) == VG_OK);
        vg_loose_solve(x, b);
        dense_solve(N, A, want);
        for (int i = 0; i < N; i++) off = fmax(off, fabs(b[i] - want[i]));
    }
    *iterations = vg_loose_iterations(x);
    vg_loose_free(x);
    vg_lin_free(lin);
    free(A);
    return off;
}

TEST(solutions_are_those_of_elimination)
{
    long n;
    CHECK_NEAR(worst(0, 100, &n), 0, 1e-6);
    CHECK_INT(n, 3); /* a tree: one iteration each */
    CHECK_NEAR(worst(1, 1, &n), 0, 1e-6);
    CHECK_NEAR(worst(1, 30, &n), 0, 1e-5);
    CHECK_NEAR(worst(2, 1, &n), 0, 1e-6);
}

TEST(no_room_and_no_pivot_are_reported)
{
    vgLinNode node[2] = {{.size = 2}, {.size = 2}};
    vgLin *lin;
    vgLoose *x;
    double *ij, *ji;
    int bad;
    CHECK(vg_lin_new(2, node, 0, NULL, VG_LIN_AUTO, &lin) == VG_OK);
    CHECK(vg_loose_new(lin, 2, 1, &x) == VG_OK);
    CHECK(vg_loose_pair(x, 0, 1, &ij, &ji));
    CHECK(!vg_loose_pair(x, 0, 1, &ij, &ji));
    vg_lin_block(lin, 0, 0)[0] = vg_lin_block(lin, 0, 0)[3] = vg_lin_block(lin, 1, 1)[0] = 1;
    CHECK(vg_loose_factor(x, &bad) == VG_SINGULAR);
    CHECK_INT(bad, 3);
    vg_lin_block(lin, 1, 1)[3] = NAN;
    CHECK(vg_loose_factor(x, &bad) == VG_NOT_FINITE);
    vg_loose_free(x);
    vg_lin_free(lin);
}

TEST_MAIN(solutions_are_those_of_elimination, no_room_and_no_pivot_are_reported)
