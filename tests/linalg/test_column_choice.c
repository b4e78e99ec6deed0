/* Choice of dependent columns: B_D regular, as many as the rank, B_D⁻¹ B of moderate size. Compared with the rank by
 * vg_rank_rows and with solutions by dense elimination. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "linalg/column_choice.h"
#include "linalg/dense.h"

enum { MOST = 200 };

typedef struct Rows {
    int m, n, start[MOST + 1], col[40 * MOST];
    double value[40 * MOST];
} Rows;

static unsigned seed;
static double number(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

/* Each row has entries in few columns; the last `repeat` rows are sums of two earlier ones. Rows of unit length. */
static void fill(Rows *b, int m, int n, int each, int repeat)
{
    double *row = calloc((size_t)n, sizeof *row), *all = calloc((size_t)(m * n), sizeof *all);
    b->m = m, b->n = n, b->start[0] = 0;
    for (int r = 0, at = 0; r < m; r++) {
        double sum = 0;
        for (int k = 0; k < n; k++) row[k] = 0;
        if (r < m - repeat)
            for (int e = 0; e < each; e++) row[(int)(fabs(number()) * (n - 1))] = number();
        else
            for (int k = 0; k < n; k++)
                row[k] = all[(r - (m - repeat)) * n + k] + all[(m - repeat - 1) * n + k];
        for (int k = 0; k < n; k++) sum += row[k] * row[k];
        for (int k = 0; k < n; k++) {
            all[r * n + k] = row[k] / sqrt(sum);
            if (row[k] == 0) continue;
            b->col[at] = k;
            b->value[at++] = row[k] / sqrt(sum);
        }
        b->start[r + 1] = at;
    }
    free(row);
    free(all);
}

/* Largest entry of B_D⁻¹ B_I; negative: B_D is singular. */
static double steepness(const Rows *b, const double *row, const double *col, int rank)
{
    double *D = calloc((size_t)(rank * rank) + 1, sizeof *D), *x = calloc((size_t)rank + 1, sizeof *x),
           most = 0;
    int *pivot = calloc((size_t)rank + 1, sizeof *pivot), *place = calloc((size_t)b->n, sizeof *place), bad,
        next = 0;
    for (int k = 0; k < b->n; k++) place[k] = col[k] > 0 ? next++ : -1;
    for (int pass = -1, i; pass < b->n && most >= 0; pass++) {
        if (pass >= 0 && place[pass] >= 0) continue;
        i = 0;
        for (int k = 0; k < rank; k++) x[k] = 0;
        for (int r = 0; r < b->m; r++) {
            if (row[r] == 0) continue;
            for (int e = b->start[r]; e < b->start[r + 1]; e++) {
                if (pass < 0 && place[b->col[e]] >= 0) D[i * rank + place[b->col[e]]] = b->value[e];
                if (b->col[e] == pass) x[i] = b->value[e];
            }
            i++;
        }
        if (pass < 0) {
            if (vg_dense_lu(D, rank, 0, pivot, &bad) != VG_OK) most = -1;
            continue;
        }
        vg_dense_lu_solve(D, pivot, rank, x);
        for (int k = 0; k < rank; k++) most = fmax(most, fabs(x[k]));
    }
    free(D), free(x), free(pivot), free(place);
    return most;
}

TEST(as_many_columns_as_the_rank)
{
    static const int sizes[][4] = {
        {1, 1, 1, 0}, {5, 9, 3, 0}, {40, 60, 4, 0}, {60, 60, 5, 7}, {150, 190, 3, 20}};
    static Rows b;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (seed = 1; seed < 1000000000u; seed = 3 * seed + 77777) {
            double row[MOST], col[MOST];
            int nrow = 0, ncol = 0;
            vgColumnChoice *x;
            vgRank rank;
            unsigned kept = seed;
            fill(&b, sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3]);
            vgSparseRows rows = {b.m, b.n, b.start, b.col, b.value};
            CHECK_INT(vg_column_choice_new(b.m, b.n, b.start[b.m], &x), VG_OK);
            CHECK_INT(vg_column_choice_find(x, &rows, NULL, 1e-8, row, col), VG_OK);
            CHECK_INT(vg_rank_rows(&rows, NULL, &rank), VG_OK);
            for (int r = 0; r < b.m; r++) nrow += row[r] > 0;
            for (int c = 0; c < b.n; c++) ncol += col[c] > 0;
            CHECK_INT(nrow, rank.rank);
            CHECK_INT(ncol, rank.rank);
            double most = steepness(&b, row, col, rank.rank);
            CHECK(most >= 0 && most < 1e4);
            /* fixed, the same choice needs no more room */
            CHECK_INT(vg_column_choice_fix(x), VG_OK);
            CHECK_INT(vg_column_choice_find(x, &rows, NULL, 1e-8, row, col), VG_OK);
            vg_rank_free(&rank);
            vg_column_choice_free(x);
            seed = kept;
        }
}

/* A chain of joints, each row between neighbours: no fill, so that entries are those given. */
TEST(no_room_is_needed_along_a_chain)
{
    static Rows b;
    double row[MOST], col[MOST];
    vgColumnChoice *x;
    b.m = MOST - 1, b.n = MOST, b.start[0] = 0;
    for (int r = 0; r < b.m; r++) {
        b.col[2 * r] = r, b.col[2 * r + 1] = r + 1;
        b.value[2 * r] = -sqrt(0.5), b.value[2 * r + 1] = sqrt(0.5);
        b.start[r + 1] = 2 * r + 2;
    }
    vgSparseRows rows = {b.m, b.n, b.start, b.col, b.value};
    CHECK_INT(vg_column_choice_new(b.m, b.n, 2 * b.m, &x), VG_OK);
    vg_column_choice_fix(x);
    CHECK_INT(vg_column_choice_find(x, &rows, NULL, 1e-8, row, col), VG_OK);
    CHECK_NEAR(steepness(&b, row, col, b.m), 1, 1e-12); /* all move as the one that is left */
    vg_column_choice_free(x);
}

/* Row 2 is the sum of rows 0 and 1. If row 1 is to wait, it is the one that repeats the others, however short they are. */
TEST(rows_that_wait_come_last)
{
    Rows b = {.m = 3, .n = 3, .start = {0, 1, 2, 4}, .col = {0, 1, 0, 1}, .value = {0.01, 1, 0.01, 1}};
    const unsigned char wait[] = {0, 1, 0};
    const vgSparseRows rows = {b.m, b.n, b.start, b.col, b.value};
    double row[3], col[3];
    for (int waits = 0; waits < 2; waits++) {
        vgColumnChoice *x;
        CHECK_INT(vg_column_choice_new(b.m, b.n, b.start[b.m], &x), VG_OK);
        CHECK_INT(vg_column_choice_find(x, &rows, waits ? wait : NULL, 1e-8, row, col), VG_OK);
        CHECK(row[0] > 0 && (row[1] > 0) == !waits && (row[2] > 0) == waits);
        vg_column_choice_free(x);
    }
}

TEST_MAIN(as_many_columns_as_the_rank, no_room_is_needed_along_a_chain, rows_that_wait_come_last)
