/* Elimination within a dense front: LU by panels of columns. A panel is brought up to date column by column; what it means for the
 * rest of the front is one product of matrices, which takes nearly all the time. In a small front every pivot is subtracted from all
 * that is left at once: there the panels would take longer than their product. */
#include "linalg/lin/front.h"

#include <math.h>

#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
#define AT(p, i) (*(const vec *)((p) + 4 * (i)))
#define TO(p, i) (*(vec *)((p) + 4 * (i)))

enum { PANEL = 16 }; /* columns: larger ones lose time in the panel, smaller ones in the product */
/* Rows of a front that is eliminated pivot by pivot. A step of nets of bars and of points takes 0.90 and 0.88 of the time that it takes
 * with panels alone; with 20 and with 48 rows 0.91 and 0.94, 0.87 and 0.90. */
enum { SMALL = 32 };

/* Relative to sqrt(h_r h_c), h the largest that the diagonal entries of the pivot's row and column have been. */
static const double PIVOT_FLOOR = 1e-8; /* less is singular, as in the block backend */
static const double PIVOT_LOSS = 1e-4;  /* less has cost digits, and is left for later if possible */
/* Diagonal entries of at least this part of the largest that they have been are taken first: each pivot lets the front grow by
 * its inverse at most. Of a bar along an axis, the row that it cannot carry is small but not zero, and stands before the others; taken in
 * turn (1e-4 was enough), a net of 20 × 20 bars grew by 1e9, and one factorisation in eighteen was left to the sparse backend.
 * From 0.01 to 0.1 that net needs none. */
static const double PIVOT_GOOD = 0.03;
/* The diagonal entry is taken unless another in its column is so much larger: exchanges break the pairing of rows and columns. */
static const double DIAGONAL_PREFERENCE = 0.1;

/* C −= A B for `vectors` × `cols` of C. */
INLINE void tile(double *c, size_t ldc, const double *a, size_t lda, const double *b, size_t ldb, int k,
                 int vectors, int cols)
{
    vec sum[4][3];
    UNROLL for (int j = 0; j < cols; j++)
    {
        UNROLL for (int v = 0; v < vectors; v++) sum[j][v] = AT(c + (size_t)j * ldc, v);
    }
    for (int p = 0; p < k; p++, a += lda) {
        vec x[3];
        UNROLL for (int v = 0; v < vectors; v++) x[v] = AT(a, v);
        UNROLL for (int j = 0; j < cols; j++)
        {
            UNROLL for (int v = 0; v < vectors; v++) sum[j][v] -= x[v] * b[(size_t)j * ldb + (size_t)p];
        }
    }
    UNROLL for (int j = 0; j < cols; j++)
    {
        UNROLL for (int v = 0; v < vectors; v++) TO(c + (size_t)j * ldc, v) = sum[j][v];
    }
}

INLINE void strip(double *c, size_t ldc, const double *a, size_t lda, const double *b, size_t ldb, int rows,
                  int k, int cols)
{
    int i = 0;
    for (; i + 8 < rows; i += 12) tile(c + i, ldc, a + i, lda, b, ldb, k, 3, cols);
    if (i + 4 < rows)
        tile(c + i, ldc, a + i, lda, b, ldb, k, 2, cols);
    else if (i < rows)
        tile(c + i, ldc, a + i, lda, b, ldb, k, 1, cols);
}

static void product(double *c, size_t ldc, const double *a, size_t lda, const double *b, size_t ldb, int rows,
                    int cols, int k)
{
    int j = 0;
    for (; j + 4 <= cols; j += 4)
        strip(c + (size_t)j * ldc, ldc, a, lda, b + (size_t)j * ldb, ldb, rows, k, 4);
    for (; j < cols; j++) strip(c + (size_t)j * ldc, ldc, a, lda, b + (size_t)j * ldb, ldb, rows, k, 1);
}

INLINE void subtract(double *y, const double *a, size_t lda, int m, const double *x, int k)
{
    for (int i = 0; i < m; i += 4) {
        vec sum = AT(y + i, 0);
        UNROLL for (int p = 0; p < k; p++) sum -= AT(a + (size_t)p * lda + i, 0) * x[p];
        TO(y + i, 0) = sum;
    }
}

void vg_front_subtract(double *y, const double *a, size_t lda, int m, const double *x, int k)
{
    int p = 0;
    for (; p + 4 <= k; p += 4) subtract(y, a + (size_t)p * lda, lda, m, x + p, 4);
    for (; p < k; p++) subtract(y, a + (size_t)p * lda, lda, m, x + p, 1);
}

typedef struct front { /* the one at hand */
    double *f;
    size_t ld;
    int m, cand;
    int done, end; /* pivots so far; columns done .. end are still to be looked at */
    int mixed;     /* 1: columns are not in their first order */
    double *h;     /* small: the history of row i, or of the border's row; else NULL */
    const vgFrontWork *w;
} front;

static void swap_ints(int *list, int i, int j)
{
    int kept = list[i];
    list[i] = list[j];
    list[j] = kept;
}

static void swap_rows(front *x, int i, int j)
{
    if (i == j) return;
    double *a = x->f + i, *b = x->f + j;
    for (int c = 0; c < x->m; c++, a += x->ld, b += x->ld) {
        double entry = *a;
        *a = *b;
        *b = entry;
    }
    double kept = x->w->weight[i];
    x->w->weight[i] = x->w->weight[j];
    x->w->weight[j] = kept;
    if (x->h) {
        kept = x->h[i];
        x->h[i] = x->h[j];
        x->h[j] = kept;
    }
    swap_ints(x->w->row, i, j);
    x->w->spot[x->w->row[i]] = i;
    x->w->spot[x->w->row[j]] = j;
}

static void swap_columns(front *x, int i, int j)
{
    if (i == j) return;
    double *a = x->f + (size_t)i * x->ld, *b = x->f + (size_t)j * x->ld;
    for (int r = 0; r < x->m; r++) {
        double kept = a[r];
        a[r] = b[r];
        b[r] = kept;
    }
    x->mixed = 1;
    swap_ints(x->w->col, i, j);
    swap_ints(x->w->turn, i, j);
}

/* The row with the number of column j among those that are left, −1: it has been a pivot, or was passed on elsewhere. */
static int diagonal_row(const front *x, int j)
{
    const int id = x->w->col[j], at = x->w->spot[id];
    return at >= x->done && at < x->cand && x->w->row[at] == id ? at : -1;
}

static void raise_history(double *history, double value)
{
    if (fabs(value) > *history) *history = fabs(value);
}

/* Number of row i in the matrix, by which its history is kept. */
static int number_of(const front *x, int i)
{
    const int number = i < x->cand ? x->w->row[i] : x->w->border[i - x->cand];
    return number < x->w->n ? number : x->w->given[number - x->w->n];
}

/* Column j, with U in its rows first .. done, loses the pivots of the panel one after the other: what its diagonal entry is in
 * between is remembered, since terms may cancel. */
static void remember(const front *x, int j, int first)
{
    const int inside = j < x->cand, number = inside ? x->w->col[j] : x->w->border[j - x->cand];
    const int at = inside ? diagonal_row(x, j) : j;
    const int id = number < x->w->n ? number : x->w->given[number - x->w->n];
    if (at < 0) return;
    const double *column = x->f + (size_t)j * x->ld, *l = x->f + (size_t)first * x->ld + at;
    double now = column[at], most = fabs(now);
    for (int t = first; t < x->done; t++, l += x->ld) {
        now -= *l * column[t];
        most = fabs(now) > most ? fabs(now) : most;
    }
    raise_history(&x->w->history[id], most);
}

/* U of a column from what is there: L of the panel's own rows is a triangle with a unit diagonal. */
INLINE void solve_triangle(double *u, const double *l, size_t ld, int k)
{
    for (int t = 0; t + 1 < k; t++, l += ld)
        for (int i = t + 1; i < k; i++) u[i] -= l[i] * u[t];
}

/* Four columns at a time, since each waits for itself. */
static void solve_triangles(double *u, size_t ldu, int cols, const double *l, size_t ld, int k)
{
    int j = 0;
    for (; j + 4 <= cols; j += 4, u += 4 * ldu) {
        double *a = u, *b = u + ldu, *c = b + ldu, *d = c + ldu;
        const double *column = l;
        for (int t = 0; t + 1 < k; t++, column += ld)
            for (int i = t + 1; i < k; i++) {
                a[i] -= column[i] * a[t];
                b[i] -= column[i] * b[t];
                c[i] -= column[i] * c[t];
                d[i] -= column[i] * d[t];
            }
    }
    for (; j < cols; j++, u += ldu) solve_triangle(u, l, ld, k);
}

/* Column j less the pivots first .. done of its panel. */
static void update_column(front *x, int j, int first)
{
    const int k = x->done - first;
    const double *l = x->f + (size_t)first * x->ld;
    double *column = x->f + (size_t)j * x->ld;
    solve_triangle(column + first, l + first, x->ld, k);
    remember(x, j, first);
    vg_front_subtract(column + x->done, l + x->done, x->ld, x->m - x->done, column + first, k);
}

/* The row for the pivot in column j; NONE: no one is good enough. Weights are those at the begin of the panel: unless the
 * diagonal entry is a good pivot by all that is known, the panel is closed first (fresh 0: STALE). */
enum { NONE = -1, STALE = -2 };
static int find_row(const front *x, int j, double least, int fresh)
{
    const double *column = x->f + (size_t)j * x->ld, *history = x->w->history, *weight = x->w->weight;
    const int id = x->w->col[j], at = diagonal_row(x, j);
    const double own = at >= 0 ? fabs(column[at]) : 0;
    double most = 0;
    for (int i = x->done; i < x->cand; i++) {
        const double size = fabs(column[i]) * weight[i];
        most = size > most ? size : most;
    }
    const int preferred = own > 0 && own >= DIAGONAL_PREFERENCE * most * sqrt(history[id]);
    if (preferred && own >= DIAGONAL_PREFERENCE * history[id] && own <= 0x1p1000) return at;
    if (!fresh) return STALE;
    if (least >= PIVOT_GOOD) return preferred && own >= least * history[id] && own <= 0x1p1000 ? at : NONE;
    int best = preferred ? at : NONE;
    for (int i = x->done; i < x->cand && best < 0 && most > 0; i++)
        if (fabs(column[i]) * weight[i] == most) best = i;
    if (best < 0) return NONE;
    const double scale = sqrt(history[x->w->row[best]]) * sqrt(history[id]), pivot = fabs(column[best]);
    if (!(pivot > least * scale) || !(pivot <= 0x1p1000)) return NONE;
    if (pivot < PIVOT_LOSS * scale) *x->w->lost = 1;
    return best;
}

/* What the pivots first .. done mean for the columns after `after`. */
static void close_panel(front *x, int first, int after)
{
    const int k = x->done - first;
    const double *l = x->f + (size_t)first * x->ld;
    double *right = x->f + (size_t)after * x->ld;
    if (k == 0) return;
    solve_triangles(right + first, x->ld, x->m - after, l + first, x->ld, k);
    for (int j = after; j < x->m; j++) remember(x, j, first);
    product(right + x->done, x->ld, l + x->done, x->ld, right + first, x->ld, x->m - x->done, x->m - after,
            k);
}

/* 1/sqrt(h) of the rows that are left. A row without history has no diagonal entry so far, and is no pivot. */
static void weigh(const front *x)
{
    for (int i = x->done; i < x->cand; i++) {
        const double h = x->w->history[x->w->row[i]];
        x->w->weight[i] = h > 0 ? 1 / sqrt(h) : 0;
    }
}

/* Takes pivots from the columns done .. end; those without one go to the end. Returns how many were found. */
static int sweep(front *x, int want, double least)
{
    const int before = x->done;
    while (x->done < want && x->done < x->end) {
        const int first = x->done, last = x->end < first + PANEL ? x->end : first + PANEL;
        int row = 0, j = first;
        weigh(x);
        for (; j < last && x->done < want && row >= 0; j++) {
            update_column(x, j, first);
            row = find_row(x, j, least, j == first);
            if (row < 0) continue;
            swap_rows(x, row, j);
            double *column = x->f + (size_t)j * x->ld, inverse = 1 / column[j];
            for (int i = j + 1; i < x->m; i++) column[i] *= inverse;
            column[j] = inverse;
            x->done++;
        }
        close_panel(x, first, j);
        if (row == NONE) swap_columns(x, x->done, --x->end);
    }
    return x->done - before;
}

/* The row for the pivot in column j of a small front. The diagonal entry is taken without weights where it is large enough by squares:
 * |c_i|/sqrt(h_i) ≤ |c|/(DIAGONAL_PREFERENCE sqrt(h)). */
static int find_small(const front *x, int j, double least)
{
    const double *column = x->f + (size_t)j * x->ld, *h = x->h;
    const int at = diagonal_row(x, j);
    const double own = at >= 0 ? fabs(column[at]) : 0;
    if (own > 0 && own <= 0x1p1000 && own >= (least > PIVOT_LOSS ? least : PIVOT_LOSS) * h[at]) {
        const double inverse = DIAGONAL_PREFERENCE / own, square = inverse * inverse * h[at];
        int worse = 0;
        for (int i = x->done; i < x->cand; i++) worse |= !(column[i] * column[i] * square <= h[i]);
        if (!worse) return at;
    }
    for (int i = x->done; i < x->cand; i++) x->w->history[x->w->row[i]] = h[i];
    weigh(x);
    return find_row(x, j, least, 1);
}

/* Pivot j of a small front and what it means for the columns after it. Rows are updated by whole vectors, of which L is 0 in
 * those of U. */
static void subtract_pivot(front *x, int j)
{
    double l[SMALL + 4], *column = x->f + (size_t)j * x->ld, inverse = 1 / column[j];
    const int first = (j + 1) / 4 * 4;
    for (int i = first; i < x->m; i++) l[i] = i > j ? column[i] *= inverse : 0;
    for (int i = x->m; i < x->m + 4; i++) l[i] = 0;
    column[j] = inverse;
    for (int c = j + 1; c < x->m; c++) {
        double *to = x->f + (size_t)c * x->ld;
        const double u = to[j];
        if (u == 0) continue;
        for (int i = first; i < x->m; i += 4) TO(to + i, 0) -= AT(l + i, 0) * u;
        const int at = c < x->cand ? diagonal_row(x, c) : c;
        if (at >= 0) raise_history(&x->h[at], to[at]);
    }
}

/* As sweep, for a small front. */
static int sweep_small(front *x, int want, double least)
{
    const int before = x->done;
    while (x->done < want && x->done < x->end) {
        const int j = x->done, row = find_small(x, j, least);
        if (row >= 0) {
            swap_rows(x, row, j);
            x->done++;
            subtract_pivot(x, j);
        } else {
            swap_columns(x, j, --x->end);
        }
    }
    return x->done - before;
}

/* Columns that are left, in their first order: there a dual node comes after the primal ones that give it a diagonal. */
static void put_in_order(front *x)
{
    for (int i = x->done; i < x->cand && x->mixed; i++) {
        int first = i;
        for (int j = i + 1; j < x->cand; j++)
            if (x->w->turn[j] < x->w->turn[first]) first = j;
        swap_columns(x, i, first);
    }
}

/* Pivots of at least `least`, until there are `want`: one that is taken may make others better. */
static void take(front *x, int want, double least)
{
    if (x->done >= want) return;
    put_in_order(x);
    do x->end = x->cand;
    while ((x->h ? sweep_small(x, want, least) : sweep(x, want, least)) > 0 && x->done < want);
}

int vg_front_eliminate(double *f, int m, int cand, int want, int need, const vgFrontWork *w)
{
    double history[SMALL];
    front x = {.f = f, .ld = vg_front_ld(m), .m = m, .cand = cand, .end = cand, .w = w};
    for (int i = 0; i < cand; i++) w->spot[w->row[i]] = w->turn[i] = i;
    if (m <= SMALL) {
        x.h = history;
        for (int i = 0; i < m; i++) history[i] = w->history[number_of(&x, i)];
    }
    take(&x, want, PIVOT_GOOD);
    take(&x, want, PIVOT_LOSS);
    take(&x, need, PIVOT_FLOOR);
    for (int i = 0; i < m && x.h; i++) w->history[number_of(&x, i)] = history[i];
    return x.done;
}
