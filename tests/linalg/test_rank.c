/* Redundant rows: mechanisms whose mobility is known, made-up dependencies, and random mechanisms against the QR of the
 * whole matrix, which shares nothing with the elimination in fronts but its reflectors. */
#include <stdlib.h>

#include "linalg/dense.h"
#include "linalg/dense_rank.h"
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

/* Every row is in exactly one list; the rank is that of the QR, with the rows that are taken too, and these are not
 * nearer to depending on each other than `worse` times those that the QR takes. */
static int check_rank(const double *j, int m, int n, const vgRank *rank, double worse)
{
    int *seen = calloc((size_t)m + 1, sizeof *seen), good = 1;
    double least, taken;
    CHECK_INT(rank->rank + rank->nredundant, m);
    for (int k = 0; k < rank->rank; k++) seen[rank->independent[k]]++;
    for (int k = 0; k < rank->nredundant; k++) {
        seen[rank->redundant[k]]++;
        if (k > 0) CHECK(rank->redundant[k - 1] < rank->redundant[k]);
    }
    for (int i = 0; i < m; i++) good &= seen[i] == 1;
    CHECK(good);
    CHECK_INT(rank->rank, dense_rank(j, m, n, NULL, 0, &least));
    CHECK_INT(rank->rank, dense_rank(j, m, n, rank->independent, rank->rank, &taken));
    CHECK(taken > worse * least);
    free(seen);
    return rank->rank;
}

/* The rank of a dense matrix, by the sparse way. */
static int rank_of(const double *j, int m, int n, double worse)
{
    rows s = sparse_of(j, m, n, 1);
    vgRank rank;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_OK);
    const int found = check_rank(j, m, n, &rank, worse);
    vg_rank_free(&rank);
    rows_free(&s);
    return found;
}

TEST(four_bar_has_three_redundant_rows)
{
    double j[20 * 18];
    four_bar(j);
    rows s = sparse_of(j, 20, 18, 1);
    vgRank rank;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_OK);
    CHECK_INT(check_rank(j, 20, 18, &rank, 0.1), 17);
    for (int k = 0; k < rank.nredundant; k++) /* out-of-plane rows: z of a point, tilt about x or y */
        CHECK(rank.redundant[k] % 5 >= 2);
    vg_rank_free(&rank);
    rows_free(&s);
}

TEST(full_rank_has_none)
{
    double j[15 * 18]; /* the open chain of the first three joints */
    memset(j, 0, sizeof j);
    revolute(j, 18, 0, 0, CENTRE, 0, -1);
    revolute(j + 5 * 18, 18, 0, 1, CENTRE, 1, 0);
    revolute(j + 10 * 18, 18, 1.4, 1.4, CENTRE, 2, 1);
    CHECK_INT(rank_of(j, 15, 18, 0.1), 15);
}

/* Of two equal rows the later is the redundant one. */
TEST(later_twin_is_redundant)
{
    double j[4 * 6] = {0};
    for (int i = 0; i < 3 * 6; i++) j[i] = random_unit();
    for (int c = 0; c < 6; c++) j[3 * 6 + c] = -2 * j[6 + c];
    rows s = sparse_of(j, 4, 6, 1);
    vgRank rank;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_OK);
    CHECK_INT(rank.nredundant, 1);
    CHECK_INT(rank.redundant[0], 3);
    vg_rank_free(&rank);
    rows_free(&s);
}

TEST(zero_rows_and_empty_matrices)
{
    double j[3 * 4] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0};
    rows s = sparse_of(j, 3, 4, 1);
    vgRank rank;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_OK);
    CHECK_INT(rank.rank, 2);
    CHECK_INT(rank.redundant[0], 1);
    vg_rank_free(&rank);
    s.view.m = 0;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_OK);
    CHECK_INT(rank.rank, 0);
    vg_rank_free(&rank);
    s.view.m = 3;
    s.value[1] = NAN;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_NOT_FINITE);
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
    vgRank rank;
    CHECK(vg_rank_rows(&s.view, NULL, &rank) == VG_OK);
    CHECK_INT(rank.rank, 2);
    CHECK(rank.nredundant == 3 && rank.redundant[0] == 2 && rank.redundant[2] == 4);
    vg_rank_free(&rank);
    rows_free(&s);
}

/* Random rows in different units, some of them combinations of earlier ones. */
TEST(made_up_dependencies)
{
    for (int trial = 0; trial < 40; trial++) {
        const int large = trial % 2 ? 60 : 0;
        int m = large + 6 + random_below(8), n = large + 12 + random_below(6), dependent = 0;
        double *j = calloc((size_t)(m * n), sizeof *j);
        for (int i = 0; i < m; i++) {
            double unit = pow(10, 3 * random_unit());
            if (i >= 3 && random_below(3) == 0) {
                int a = random_below(i), b = random_below(i);
                const double of_a = unit / vg_length(j + a * n, n), of_b = unit / vg_length(j + b * n, n);
                for (int c = 0; c < n; c++) j[i * n + c] = of_a * j[a * n + c] + 0.5 * of_b * j[b * n + c];
                dependent++;
            } else {
                for (int c = 0; c < n; c++) j[i * n + c] = random_below(2) ? unit * random_unit() : 0;
                j[i * n + i % n] = unit; /* never empty */
            }
        }
        CHECK_INT(rank_of(j, m, n, 1e-2), m - dependent);
        free(j);
    }
}

/* Joints of planar bodies, three columns each, or of bodies in space, six. */
typedef struct mechanism {
    int bodies, width, m;
    double (*centre)[3];
    double *j; /* m × width·bodies */
} mechanism;

static void add_row(mechanism *x, int a, int b, const double *on_a, const double *on_b)
{
    const int n = x->width * x->bodies;
    double *row = x->j + (size_t)x->m++ * (size_t)n;
    for (int c = 0; c < x->width; c++) {
        if (a >= 0) row[x->width * a + c] = on_a[c];
        if (b >= 0) row[x->width * b + c] = -on_b[c];
    }
}

/* Point p of both bodies along direction d: (d, (p − centre) × d). */
static void hold_point(mechanism *x, int a, int b, const double *p, const double *d)
{
    double side[2][6];
    for (int k = 0; k < 2; k++) {
        const int body = k ? b : a;
        double s[3] = {0};
        for (int c = 0; c < 3 && body >= 0; c++) s[c] = p[c] - x->centre[body][c];
        double torque[3] = {s[1] * d[2] - s[2] * d[1], s[2] * d[0] - s[0] * d[2], s[0] * d[1] - s[1] * d[0]};
        for (int c = 0; c < 3; c++) side[k][c] = d[c], side[k][3 + c] = torque[c];
        if (x->width == 3) side[k][2] = torque[2];
    }
    add_row(x, a, b, side[0], side[1]);
}

static const double AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void hold_angle(mechanism *x, int a, int b, int axis)
{
    const double turn[6] = {[3] = axis == 0, [4] = axis == 1, [5] = axis == 2};
    add_row(x, a, b, turn, turn);
}

/* kind 0: ball (planar: pin); 1: hinge about z; 2: fixed; 3: slider along x. */
static void join(mechanism *x, int a, int b, int kind, const double *p)
{
    const int space = x->width == 6;
    for (int c = kind == 3; c < (space ? 3 : 2); c++) hold_point(x, a, b, p, AXES[c]);
    if (space)
        for (int c = 0; c < (kind == 0 ? 0 : kind == 1 ? 2 : 3); c++) hold_angle(x, a, b, c);
    else if (kind >= 2)
        add_row(x, a, b, (double[]){0, 0, 1}, (double[]){0, 0, 1});
}

static int near_by(int i, int bodies)
{
    const int b = i - 1 - random_below(4);
    return b < 0 || random_below(9) == 0 ? -1 : b < bodies ? b : -1;
}

/* A tree of bodies, and further joints that close loops: hinges with parallel axes repeat each other out of their
 * plane, some joints are there twice. */
static mechanism random_mechanism(int bodies, int width, int loops, int star)
{
    mechanism x = {.bodies = bodies, .width = width};
    x.centre = calloc((size_t)bodies, sizeof *x.centre);
    x.j = calloc((size_t)(6 * (2 * loops + bodies)) * (size_t)(width * bodies), sizeof *x.j);
    for (int i = 0; i < bodies; i++)
        for (int c = 0; c < (width == 6 ? 3 : 2); c++) x.centre[i][c] = 3 * random_unit();
    for (int k = 0; k < bodies + loops; k++) {
        const int i = k < bodies ? k : random_below(bodies),
                  b = star && i > 0 && random_below(3) == 0 ? 0 : near_by(i, bodies),
                  kind = random_below(3) ? 1 : random_below(4);
        double p[3];
        for (int c = 0; c < 3; c++) p[c] = 3 * random_unit();
        if (i == b) continue;
        join(&x, i, b, kind, p);
        if (k >= bodies && random_below(4) == 0) join(&x, i, b, kind, p);
    }
    return x;
}

/* In parts of few columns, in chains of loops and with all loops on one body. */
TEST(random_mechanisms)
{
    for (int trial = 0; trial < 120; trial++) {
        const int bodies = 3 + random_below(trial % 3 ? 30 : 8);
        mechanism x = random_mechanism(bodies, trial % 2 ? 3 : 6, random_below(bodies), trial % 5 < 2);
        rank_of(x.j, x.m, x.width * x.bodies, 1e-2);
        free(x.centre);
        free(x.j);
    }
}

/* Four-bars of hinges on one body that moves: each repeats three rows, as it does alone. */
TEST(loops_on_one_body)
{
    enum { LOOPS = 200, N = 6 * (3 * LOOPS + 1) };
    rows s = {0};
    s.start = calloc(20 * LOOPS + 1, sizeof *s.start);
    s.col = calloc((size_t)20 * LOOPS * 24, sizeof *s.col);
    s.value = calloc((size_t)20 * LOOPS * 24, sizeof *s.value);
    int at = 0;
    for (int k = 0; k < LOOPS; k++) {
        double(*centre)[2] = calloc(4, sizeof *centre), *j = calloc(20 * 24, sizeof *j);
        for (int b = 0; b < 3; b++) centre[b][0] = CENTRE[b][0] + 0.5 * k, centre[b][1] = CENTRE[b][1];
        revolute(j, 24, 0.5 * k, 0, (const double(*)[2])centre, 0, 3);
        revolute(j + 5 * 24, 24, 0.5 * k, 1, (const double(*)[2])centre, 1, 0);
        revolute(j + 10 * 24, 24, 0.5 * k + 1.4, 1.4, (const double(*)[2])centre, 2, 1);
        revolute(j + 15 * 24, 24, 0.5 * k + 1.8, 0.2, (const double(*)[2])centre, 2, 3);
        for (int i = 0; i < 20; i++) {
            for (int c = 0; c < 24; c++) {
                if (j[24 * i + c] == 0) continue;
                s.col[at] = c < 18 ? 6 + 18 * k + c : c - 18;
                s.value[at++] = j[24 * i + c];
            }
            s.start[20 * k + i + 1] = at;
        }
        free(centre);
        free(j);
    }
    s.view = (vgSparseRows){20 * LOOPS, N, s.start, s.col, s.value};
    vgRank rank;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_OK);
    CHECK_INT(rank.rank, 17 * LOOPS);
    for (int k = 0; k < rank.nredundant; k++) CHECK_INT(rank.redundant[k] / 20, k / 3);
    vg_rank_free(&rank);
    rows_free(&s);
}

/* 400 four-bars: 7200 coordinates, each with three redundant rows. */
TEST(large_and_sparse)
{
    double j[20 * 18];
    four_bar(j);
    rows s = sparse_of(j, 20, 18, 400);
    vgRank rank;
    CHECK_INT(vg_rank_rows(&s.view, NULL, &rank), VG_OK);
    CHECK_INT(rank.rank, 17 * 400);
    CHECK_INT(rank.nredundant, 3 * 400);
    for (int k = 0; k < rank.nredundant; k++) CHECK_INT(rank.redundant[k] / 20, k / 3);
    vg_rank_free(&rank);
    rows_free(&s);
}

/* A finder that is used again in memory that no longer grows gives the same rows; rows that are wanted first are taken,
 * and weights decide among rows that repeat each other. */
TEST(found_again)
{
    mechanism x = random_mechanism(30, 6, 15, 1);
    const int n = 6 * x.bodies;
    rows s = sparse_of(x.j, x.m, n, 1);
    vgRankFinder *finder;
    vgRank once, rank;
    CHECK_INT(vg_rank_finder_new(x.m, n, s.start[x.m], &finder), VG_OK);
    CHECK_INT(vg_rank_room(x.m, &once), VG_OK);
    CHECK_INT(vg_rank_room(x.m, &rank), VG_OK);
    CHECK_INT(vg_rank_find(finder, &s.view, &(vgRankWish){0}, &once), VG_OK);
    CHECK_INT(vg_rank_finder_fix(finder), VG_OK);
    CHECK_INT(vg_rank_find(finder, &s.view, &(vgRankWish){0}, &rank), VG_OK);
    CHECK_INT(rank.rank, once.rank);
    CHECK(!memcmp(rank.independent, once.independent, (size_t)rank.rank * sizeof(int)));
    vg_rank_finder_free(finder);
    vg_rank_free(&once);
    vg_rank_free(&rank);
    rows_free(&s);
    free(x.centre);
    free(x.j);

    const double twins[3 * 2] = {1, 0, 1, 0, 0, 1}, weight[3] = {0.4, 1, 1};
    const unsigned char first[3] = {2, 0, 0};
    s = sparse_of(twins, 3, 2, 1);
    CHECK_INT(vg_rank_finder_new(3, 2, 6, &finder), VG_OK);
    CHECK_INT(vg_rank_room(3, &rank), VG_OK);
    CHECK_INT(vg_rank_find(finder, &s.view, &(vgRankWish){.weight = weight}, &rank), VG_OK);
    CHECK(rank.rank == 2 && rank.redundant[0] == 0);
    CHECK_INT(
        vg_rank_find(finder, &s.view, &(vgRankWish){.weight = weight, .first = first, .clear = 1e-3}, &rank),
        VG_OK);
    CHECK(rank.rank == 2 && rank.redundant[0] == 1);
    vg_rank_finder_free(finder);
    vg_rank_free(&rank);
    rows_free(&s);
}

/* Rows of one group are scaled by its longest: a component of a vector that is nearly zero is not a direction to count on.
 * By its own length the second row is independent of the others, as a part of its group it is not. */
TEST(groups_of_rows)
{
    const double j[3 * 3] = {3, 0, 0, 0, 3e-8, 0, 0, 0, 1e-7};
    const int group[3] = {0, 0, 2};
    vgRankFinder *finder = NULL;
    vgRank rank;
    rows s = sparse_of(j, 3, 3, 1);
    CHECK_INT(vg_rank_finder_new(3, 3, 9, &finder), VG_OK);
    CHECK_INT(vg_rank_room(3, &rank), VG_OK);
    CHECK_INT(vg_rank_find(finder, &s.view, &(vgRankWish){0}, &rank), VG_OK);
    CHECK_INT(rank.rank, 3);
    CHECK_NEAR(rank.least, 1, 1e-14);
    CHECK_INT(vg_rank_find(finder, &s.view, &(vgRankWish){.group = group}, &rank), VG_OK);
    CHECK(rank.rank == 2 && rank.redundant[0] == 1);
    CHECK_INT(vg_rank_find(finder, &s.view, &(vgRankWish){.group = group, .tolerance = 1e-9}, &rank), VG_OK);
    CHECK_INT(rank.rank, 3);
    CHECK_NEAR(rank.least, 1e-8, 1e-20);
    vg_rank_finder_free(finder);
    vg_rank_free(&rank);
    rows_free(&s);
}

/* Memory that was fixed for a matrix of few entries is too little for a full one: that is said, and after loosening the
 * choice is that of a new finder. */
TEST(memory_that_was_fixed)
{
    enum { N = 80 };
    double few[N * N] = {0}, full[N * N];
    for (int i = 0; i < N; i++) few[i * N + i] = 1;
    for (int i = 0; i < N * N; i++) full[i] = random_unit();
    memcpy(full, full + N, N * sizeof *full); /* the second row twice */
    rows a = sparse_of(few, N, N, 1), b = sparse_of(full, N, N, 1);
    vgRankFinder *finder = NULL;
    vgRank rank, right;
    CHECK_INT(vg_rank_finder_new(N, N, N * N, &finder), VG_OK);
    CHECK_INT(vg_rank_room(N, &rank), VG_OK);
    CHECK_INT(vg_rank_find(finder, &a.view, &(vgRankWish){0}, &rank), VG_OK);
    CHECK_INT(rank.rank, N);
    CHECK_INT(vg_rank_finder_fix(finder), VG_OK);
    CHECK_INT(vg_rank_find(finder, &b.view, &(vgRankWish){0}, &rank), VG_LIMIT);
    vg_rank_finder_loosen(finder);
    CHECK_INT(vg_rank_find(finder, &b.view, &(vgRankWish){0}, &rank), VG_OK);
    CHECK_INT(vg_rank_finder_fix(finder), VG_OK);
    CHECK_INT(vg_rank_find(finder, &b.view, &(vgRankWish){0}, &rank), VG_OK);
    CHECK_INT(vg_rank_rows(&b.view, NULL, &right), VG_OK);
    CHECK_INT(rank.rank, N - 1);
    CHECK_INT(right.rank, N - 1);
    CHECK(!memcmp(rank.independent, right.independent, (N - 1) * sizeof(int)));
    vg_rank_finder_free(finder);
    vg_rank_free(&rank);
    vg_rank_free(&right);
    rows_free(&a);
    rows_free(&b);
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
          later_twin_is_redundant, zero_rows_and_empty_matrices, made_up_dependencies, random_mechanisms,
          loops_on_one_body, large_and_sparse, found_again, least_length, least_squares, groups_of_rows,
          memory_that_was_fixed)
