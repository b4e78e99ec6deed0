/* Redundant rows: mechanisms whose mobility is known, made-up dependencies, and the dense way against the
 * sparse one, which share no factorisation. */
#include <stdlib.h>

#include "linalg/dense.h"
#include "linalg/graphs.h"
#include "linalg/rank.h"
#include "test.h"

/* Five rows of a revolute joint about z at (px, py) between two bodies (−1: ground) whose six columns are
 * displacement and rotation. */
static void revolute(double *j, int ncol, double px, double py, const double (*centre)[2], int a, int b)
{
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? a : b;
        double sign = side == 0 ? 1 : -1;
        if (body < 0) continue;
        double x = px - centre[body][0], y = py - centre[body][1];
        /* δp = δr + δθ × s with s = (x, y, 0) */
        double cross[3][3] = {{0, 0, -y}, {0, 0, x}, {y, -x, 0}};
        for (int r = 0; r < 3; r++) {
            j[r * ncol + 6 * body + r] = sign;
            for (int c = 0; c < 3; c++) j[r * ncol + 6 * body + 3 + c] = sign * cross[r][c];
        }
        for (int r = 0; r < 2; r++) j[(3 + r) * ncol + 6 * body + 3 + r] = sign;
    }
}

static const double CENTRE[3][2] = {{0, 0.5}, {0.7, 1.2}, {1.6, 0.8}};

/* A planar four-bar built of spatial revolutes: 20 rows, 18 coordinates, mobility 1: rank 17. */
static void four_bar(double *j)
{
    memset(j, 0, 20 * 18 * sizeof *j);
    revolute(j, 18, 0, 0, CENTRE, 0, -1);
    revolute(j + 5 * 18, 18, 0, 1, CENTRE, 1, 0);
    revolute(j + 10 * 18, 18, 1.4, 1.4, CENTRE, 2, 1);
    revolute(j + 15 * 18, 18, 1.8, 0.2, CENTRE, 2, -1);
}

typedef struct rows {
    vgSparseRows view;
    int *start, *col;
    double *value;
} rows;

/* The same dense m × n matrix `copies` times along the diagonal. */
static rows sparse_of(const double *j, int m, int n, int copies)
{
    rows s = {0};
    s.start = malloc(((size_t)(m * copies) + 1) * sizeof *s.start);
    s.col = malloc(((size_t)(m * n) * (size_t)copies + 1) * sizeof *s.col);
    s.value = malloc(((size_t)(m * n) * (size_t)copies + 1) * sizeof *s.value);
    int at = 0;
    for (int k = 0; k < copies; k++)
        for (int i = 0; i < m; i++) {
            s.start[k * m + i] = at;
            for (int c = 0; c < n; c++) {
                if (j[i * n + c] == 0) continue;
                s.col[at] = k * n + c;
                s.value[at++] = j[i * n + c];
            }
        }
    s.start[m * copies] = at;
    s.view = (vgSparseRows){m * copies, n * copies, s.start, s.col, s.value};
    return s;
}

static void rows_free(rows *s)
{
    free(s->start);
    free(s->col);
    free(s->value);
}

/* Every row is in exactly one list, and the terms reproduce the redundant rows. */
static void check_answer(const double *j, int m, int n, const vgRank *rank, double tolerance)
{
    int *seen = calloc((size_t)m, sizeof *seen);
    CHECK_INT(rank->rank + rank->nredundant, m);
    for (int k = 0; k < rank->rank; k++) seen[rank->independent[k]]++;
    for (int k = 0; k < rank->nredundant; k++) {
        int row = rank->redundant[k];
        seen[row]++;
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int t = rank->term_start[k]; t < rank->term_start[k + 1]; t++)
                sum += rank->terms[t].weight * j[rank->terms[t].row * n + c];
            CHECK_NEAR(sum, j[row * n + c], tolerance);
        }
        if (k > 0) CHECK(rank->redundant[k - 1] < row);
    }
    for (int i = 0; i < m; i++) CHECK_INT(seen[i], 1);
    free(seen);
}

TEST(four_bar_has_three_redundant_rows)
{
    double j[20 * 18];
    four_bar(j);
    rows s = sparse_of(j, 20, 18, 1);
    vgRank dense, sparse;
    CHECK_INT(vg_rank_qr(j, 20, 18, 0, &dense), VG_OK);
    CHECK_INT(dense.rank, 17);
    check_answer(j, 20, 18, &dense, 1e-12);
    CHECK_INT(vg_rank_sparse(&s.view, 0, &sparse), VG_OK);
    CHECK_INT(sparse.rank, 17);
    check_answer(j, 20, 18, &sparse, 1e-10);
    for (int k = 0; k < dense.nredundant; k++) /* out-of-plane rows: z of a point, tilt about x or y */
        CHECK(dense.redundant[k] % 5 >= 2);
    vg_rank_free(&dense);
    vg_rank_free(&sparse);
    rows_free(&s);
}

TEST(full_rank_has_none)
{
    double j[15 * 18]; /* the open chain of the first three joints */
    memset(j, 0, sizeof j);
    revolute(j, 18, 0, 0, CENTRE, 0, -1);
    revolute(j + 5 * 18, 18, 0, 1, CENTRE, 1, 0);
    revolute(j + 10 * 18, 18, 1.4, 1.4, CENTRE, 2, 1);
    rows s = sparse_of(j, 15, 18, 1);
    vgRank rank;
    CHECK_INT(vg_rank_qr(j, 15, 18, 0, &rank), VG_OK);
    CHECK_INT(rank.rank, 15);
    CHECK_INT(rank.nredundant, 0);
    vg_rank_free(&rank);
    CHECK_INT(vg_rank_sparse(&s.view, 0, &rank), VG_OK);
    CHECK_INT(rank.rank, 15);
    vg_rank_free(&rank);
    rows_free(&s);
}

/* Of two equal rows the later is the redundant one, and it names the earlier with weight one. */
TEST(twin_names_its_twin)
{
    double j[4 * 6] = {0};
    for (int i = 0; i < 3 * 6; i++) j[i] = random_unit();
    for (int c = 0; c < 6; c++) j[3 * 6 + c] = -2 * j[6 + c];
    vgRank rank;
    CHECK_INT(vg_rank_qr(j, 4, 6, 0, &rank), VG_OK);
    CHECK_INT(rank.nredundant, 1);
    CHECK_INT(rank.redundant[0], 3);
    CHECK_INT(rank.term_start[1], 1);
    CHECK_INT(rank.terms[0].row, 1);
    CHECK_NEAR(rank.terms[0].weight, -2, 1e-14);
    vg_rank_free(&rank);
}

TEST(zero_rows_and_empty_matrices)
{
    double j[3 * 4] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0};
    rows s = sparse_of(j, 3, 4, 1);
    vgRank rank;
    CHECK_INT(vg_rank_qr(j, 3, 4, 0, &rank), VG_OK);
    CHECK_INT(rank.rank, 2);
    CHECK_INT(rank.redundant[0], 1);
    CHECK_INT(rank.term_start[1], 0);
    vg_rank_free(&rank);
    CHECK_INT(vg_rank_sparse(&s.view, 0, &rank), VG_OK);
    CHECK_INT(rank.rank, 2);
    CHECK_INT(rank.redundant[0], 1);
    vg_rank_free(&rank);
    CHECK_INT(vg_rank_qr(j, 0, 4, 0, &rank), VG_OK);
    CHECK_INT(rank.rank, 0);
    vg_rank_free(&rank);
    j[5] = NAN;
    CHECK_INT(vg_rank_qr(j, 3, 4, 0, &rank), VG_NOT_FINITE);
    rows_free(&s);
}

/* In joint coordinates a planar loop in space has rows out of its plane that are rounding errors alone: four
 * hinges about z leave three rows of nothing, and one freedom. */
TEST(rows_of_rounding_errors_are_empty)
{
    enum { M = 5, N = 3 };
    const double j[M * N] = {-0.7,  -1.2,  -0.4, 0.3,    0.9,   1.1,   2e-17, -5e-17,
                             1e-16, 3e-17, 0,    -6e-17, 1e-16, 4e-17, 2e-17};
    rows s = sparse_of(j, M, N, 1);
    vgRank dense, sparse;
    CHECK(vg_rank_qr(j, M, N, 0, &dense) == VG_OK);
    CHECK(vg_rank_sparse(&s.view, 0, &sparse) == VG_OK);
    CHECK(dense.rank == 2 && sparse.rank == 2);
    CHECK(dense.nredundant == 3 && dense.redundant[0] == 2 && dense.redundant[2] == 4);
    CHECK(sparse.nredundant == 3 && sparse.redundant[0] == 2 && sparse.redundant[2] == 4);
    vg_rank_free(&dense);
    vg_rank_free(&sparse);
    rows_free(&s);
}

/* Random rows in different units, some of them combinations of earlier ones: both ways find the rank. */
TEST(dense_and_sparse_agree)
{
    for (int trial = 0; trial < 20; trial++) {
        int m = 6 + random_below(8), n = 12 + random_below(6), dependent = 0;
        double *j = calloc((size_t)(m * n), sizeof *j);
        for (int i = 0; i < m; i++) {
            double unit = pow(10, 3 * random_unit());
            if (i >= 3 && random_below(3) == 0) {
                int a = random_below(i), b = random_below(i);
                for (int c = 0; c < n; c++) j[i * n + c] = unit * (j[a * n + c] + 0.5 * j[b * n + c]);
                dependent++;
            } else {
                for (int c = 0; c < n; c++) j[i * n + c] = random_below(2) ? unit * random_unit() : 0;
                j[i * n + i % n] = unit; /* never empty */
            }
        }
        rows s = sparse_of(j, m, n, 1);
        vgRank dense, sparse, either;
        CHECK_INT(vg_rank_qr(j, m, n, 0, &dense), VG_OK);
        CHECK_INT(vg_rank_sparse(&s.view, 0, &sparse), VG_OK);
        CHECK_INT(vg_rank_rows(&s.view, 0, &either), VG_OK);
        CHECK_INT(dense.nredundant, dependent);
        CHECK_INT(sparse.nredundant, dependent);
        CHECK_INT(either.nredundant, dependent);
        vg_rank_free(&dense);
        vg_rank_free(&sparse);
        vg_rank_free(&either);
        rows_free(&s);
        free(j);
    }
}

/* 400 four-bars: 7200 coordinates, each with three redundant rows. */
TEST(large_and_sparse)
{
    double j[20 * 18];
    four_bar(j);
    rows s = sparse_of(j, 20, 18, 400);
    vgRank rank;
    CHECK_INT(vg_rank_rows(&s.view, 0, &rank), VG_OK);
    CHECK_INT(rank.rank, 17 * 400);
    CHECK_INT(rank.nredundant, 3 * 400);
    for (int k = 0; k < rank.nredundant; k++) CHECK_INT(rank.redundant[k] / 20, k / 3);
    vg_rank_free(&rank);
    rows_free(&s);
}

/* x = Jᵀ (J Jᵀ)⁻¹ b when the rows are independent; repeating a row changes nothing. */
TEST(least_length)
{
    enum { M = 3, N = 7 };
    double j[(M + 1) * N], b[M + 1], gram[M * M], multiplier[M], expected[N], x[N];
    int pivot[M], rank;
    for (int i = 0; i < M * N; i++) j[i] = random_unit();
    for (int i = 0; i < M; i++) b[i] = multiplier[i] = random_unit();
    for (int i = 0; i < M; i++)
        for (int k = 0; k < M; k++) {
            gram[i * M + k] = 0;
            for (int c = 0; c < N; c++) gram[i * M + k] += j[i * N + c] * j[k * N + c];
        }
    CHECK_INT(vg_dense_lu(gram, M, 0, pivot, NULL), VG_OK);
    vg_dense_lu_solve(gram, pivot, M, multiplier);
    vg_dense_apply_transposed(j, multiplier, M, N, expected);
    CHECK_INT(vg_lstsq_min_norm(j, b, M, N, 0, x, &rank), VG_OK);
    CHECK_INT(rank, M);
    for (int c = 0; c < N; c++) CHECK_NEAR(x[c], expected[c], 1e-13);
    memcpy(j + M * N, j, N * sizeof *j);
    b[M] = b[0];
    CHECK_INT(vg_lstsq_min_norm(j, b, M + 1, N, 0, x, &rank), VG_OK);
    CHECK_INT(rank, M);
    for (int c = 0; c < N; c++) CHECK_NEAR(x[c], expected[c], 1e-13);
}

/* More rows than unknowns: the fit of a line through four points, by the normal equations by hand. */
TEST(least_squares)
{
    const double j[] = {1, 0, 1, 1, 1, 2, 1, 3}, b[] = {1, 3, 4, 8};
    double x[2];
    CHECK_INT(vg_lstsq_min_norm(j, b, 4, 2, 0, x, NULL), VG_OK);
    CHECK_NEAR(x[0], 0.7, 1e-14);
    CHECK_NEAR(x[1], 2.2, 1e-14);
}

TEST_MAIN(rows_of_rounding_errors_are_empty, four_bar_has_three_redundant_rows, full_rank_has_none,
          twin_names_its_twin, zero_rows_and_empty_matrices, dense_and_sparse_agree, large_and_sparse,
          least_length, least_squares)
