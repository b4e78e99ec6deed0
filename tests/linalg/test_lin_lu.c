/* The sparse LU by itself: a long row of matrices of one pattern, whose pivots grow small, vanish and come
 * back. Solutions against the matrix, and the factors against those of a fresh one, bit by bit. */
#include "linalg/lin/lu.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

enum { N = 14, BAND = 3, MOST = N * N };

typedef struct Matrix {
    int start[N + 1], row[MOST];
    double value[MOST];
} Matrix;

static double some(void)
{
    static unsigned long long s = 88172645463325252ULL;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (double)(s >> 11) / 4503599627370496.0 - 1;
}

/* A band and a border; off the diagonal numbers of about one. */
static void fill(Matrix *m, const double *diagonal)
{
    int at = 0;
    for (int c = 0; c < N; c++) {
        m->start[c] = at;
        for (int r = 0; r < N; r++) {
            if (abs(r - c) > BAND && r != N - 1 && c != N - 1) continue;
            m->row[at] = r;
            m->value[at++] = r == c ? diagonal[r] : some();
        }
    }
    m->start[N] = at;
}

static vgLu make(vgArena *arena)
{
    vgLu lu = {.n = N, .lower = N * (N - 1) / 2, .upper = N * (N - 1) / 2};
    vgArena measure = {0};
    vg_lu_place(&lu, &measure);
    CHECK_INT(vg_arena_alloc(arena, measure.used), VG_OK);
    vg_lu_place(&lu, arena);
    for (int i = 0; i < N; i++) lu.order[i] = (5 * i + 3) % N; /* 5 and 14 have no common factor */
    vg_lu_begin(&lu);
    return lu;
}

static int same(const vgLu *a, const vgLu *b)
{
    size_t l = a->l_start[N], u = a->u_start[N];
    return !memcmp(a->row_of, b->row_of, N * sizeof(int)) &&
           !memcmp(a->pivot, b->pivot, N * sizeof(double)) && !memcmp(a->u, b->u, u * sizeof(double)) &&
           b->l_start[N] == l && b->u_start[N] == u;
}

TEST(pivots_that_come_and_go)
{
    /* small: 1e-3 of the others is kept, less is not; noise is no pivot whatever is beside it */
    static const double size[] = {1, 0.3, 2e-2, 2e-3, 5e-4, 1e-6, 1e-12, 0, 1, 1e-15, 4, 1e-4};
    vgArena room = {0};
    vgLu lu = make(&room);
    double exact[N], b[N], x[N], largest = 0;
    for (int k = 0; k < 60; k++) {
        vgArena other = {0};
        vgLu fresh = make(&other);
        Matrix m;
        double diagonal[N];
        int bad = -1;
        for (int i = 0; i < N; i++)
            diagonal[i] = size[(k + (k % 5 == 0 ? 0 : i)) % 12] * (i % 2 ? 1 : -1), exact[i] = some(),
            b[i] = 0;
        fill(&m, diagonal);
        CHECK_INT(vg_lu_factor(&lu, m.start, m.row, m.value, &bad), VG_OK);
        CHECK_INT(vg_lu_factor(&fresh, m.start, m.row, m.value, &bad), VG_OK);
        CHECK(same(&lu, &fresh));
        for (int c = 0; c < N; c++)
            for (int t = m.start[c]; t < m.start[c + 1]; t++) b[m.row[t]] += m.value[t] * exact[c];
        double rest[N];
        memcpy(rest, b, sizeof b);
        vg_lu_solve(&lu, b, x);
        for (int c = 0; c < N; c++)
            for (int t = m.start[c]; t < m.start[c + 1]; t++) rest[m.row[t]] -= m.value[t] * x[c];
        for (int i = 0; i < N; i++) largest = fmax(largest, fabs(rest[i]));
        vg_arena_free(&other);
    }
    CHECK(largest < 1e-11);
    CHECK(lu.repivots > 10 && lu.repivots <= 60);
    /* the same numbers again: nothing is chosen anew */
    Matrix m;
    double diagonal[N];
    int bad = -1;
    for (int i = 0; i < N; i++) diagonal[i] = 5;
    fill(&m, diagonal);
    CHECK_INT(vg_lu_factor(&lu, m.start, m.row, m.value, &bad), VG_OK);
    long before = lu.repivots;
    CHECK_INT(vg_lu_factor(&lu, m.start, m.row, m.value, &bad), VG_OK);
    CHECK_INT(lu.repivots, before);
    for (int k = 0; k < N; k++) CHECK_INT(lu.row_of[k], lu.order[k]);
    vg_arena_free(&room);
}

/* A column of nothing but noise is named, and the next matrix is factored as if nothing had been. */
TEST(singular_columns)
{
    vgArena room = {0}, other = {0};
    vgLu lu = make(&room), fresh = make(&other);
    Matrix m, good;
    double diagonal[N];
    int bad = -1;
    for (int i = 0; i < N; i++) diagonal[i] = 2;
    fill(&good, diagonal);
    m = good;
    for (int t = m.start[6]; t < m.start[7]; t++) m.value[t] = 1e-16;
    CHECK_INT(vg_lu_factor(&lu, m.start, m.row, m.value, &bad), VG_SINGULAR);
    CHECK_INT(bad, 6);
    CHECK_INT(vg_lu_factor(&lu, good.start, good.row, good.value, &bad), VG_OK);
    CHECK_INT(vg_lu_factor(&fresh, good.start, good.row, good.value, &bad), VG_OK);
    CHECK(same(&lu, &fresh));
    vg_arena_free(&room);
    vg_arena_free(&other);
}

TEST_MAIN(pivots_that_come_and_go, singular_columns)
