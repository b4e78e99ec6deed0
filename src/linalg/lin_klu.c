/* KLU backend [Davis & Palamadai Natarajan, ACM TOMS 37 (2010)]: the blocks are gathered into compressed
 * columns through a map made once, equilibrated by powers of two, and refactored with the pivots of the last
 * full factorisation. A refactorisation whose smallest pivot or growth has become much worse is replaced by a
 * full one with new pivots, which allocates and is counted. */
#include "linalg/lin_impl.h"

#include <klu.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const double SINGULAR_PIVOT = 1e-14; /* in the equilibrated matrix */
static const double PIVOT_DECAY = 1e-3; /* refactored smallest pivot or growth over that of the last full */

typedef struct sparse {
    vgArena arena;
    int n, count;
    int *col_start, *row, *col; /* [n + 1], [count], [count] */
    unsigned *from;             /* [count] index into the block values */
    double *value, *row_scale, *col_scale, *work;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double full_pivot, full_growth; /* of the last full factorisation */
    long repivots;
} sparse;

static void place(sparse *s, vgArena *a)
{
    s->col_start = VG_TAKE(a, int, s->n + 1);
    s->row = VG_TAKE(a, int, s->count);
    s->col = VG_TAKE(a, int, s->count);
    s->from = VG_TAKE(a, unsigned, s->count);
    s->value = VG_TAKE(a, double, s->count);
    s->row_scale = VG_TAKE(a, double, s->n);
    s->col_scale = VG_TAKE(a, double, s->n);
    s->work = VG_TAKE(a, double, s->n);
}

static void destroy(void *impl)
{
    sparse *s = impl;
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    vg_arena_free(&s->arena);
    free(s);
}

/* The entries of one column of blocks, in ascending row order. */
static void fill_columns(sparse *s, const vgLinGraph *g, int node, int *at)
{
    int size = g->size[node];
    for (int c = 0; c < size; c++) {
        int column = g->offset[node] + c, own_done = 0;
        s->col_start[column] = *at;
        for (int a = g->start[node]; a <= g->start[node + 1]; a++) {
            int end = a == g->start[node + 1];
            if (!own_done && (end || g->near[a] > node)) {
                for (int r = 0; r < size; r++, ++*at) {
                    s->row[*at] = g->offset[node] + r;
                    s->from[*at] = (unsigned)(g->diag[node] + (size_t)(r * size + c));
                }
                own_done = 1;
            }
            if (end) break;
            int other = g->near[a], rows = g->size[other];
            const vgLinPair *p = &g->pairs[g->pair[a]];
            for (int r = 0; r < rows; r++, ++*at) {
                size_t straight = (size_t)(r * size + c), turned = (size_t)(c * rows + r);
                s->row[*at] = g->offset[other] + r;
                s->from[*at] = (unsigned)(p->i == other ? p->ij + straight
                                          : p->mirror   ? p->ij + turned
                                                        : p->ji + straight);
            }
        }
        for (int t = s->col_start[column]; t < *at; t++) s->col[t] = column;
    }
}

static vgStatus create(const vgLin *lin, const vgLinOrder *order, void **impl)
{
    (void)order;
    const vgLinGraph *g = &lin->graph;
    size_t count = 0;
    for (int i = 0; i < g->nnode; i++) count += (size_t)g->size[i] * (size_t)g->size[i];
    for (int e = 0; e < g->npair; e++)
        count += 2 * (size_t)g->size[g->pairs[e].i] * (size_t)g->size[g->pairs[e].j];
    if (count > INT_MAX) return VG_LIMIT;
    sparse *s = calloc(1, sizeof *s);
    if (!s) return VG_NO_MEMORY;
    s->n = g->n;
    s->count = (int)count;
    vgArena arena = {0};
    place(s, &arena);
    vgStatus status = vg_arena_alloc(&s->arena, arena.used);
    if (status != VG_OK) {
        free(s);
        return status;
    }
    place(s, &s->arena);
    int at = 0;
    for (int i = 0; i < g->nnode; i++) fill_columns(s, g, i, &at);
    s->col_start[s->n] = at;
    klu_defaults(&s->common);
    s->common.scale = 0; /* we scale ourselves, rows and columns */
    s->common.btf = 0;   /* the pattern is symmetric with a full diagonal: one block per component at best */
    s->common.halt_if_singular = 0;
    s->symbolic = klu_analyze(s->n, s->col_start, s->row, &s->common);
    if (!s->symbolic) {
        destroy(s);
        return VG_NO_MEMORY;
    }
    *impl = s;
    return VG_OK;
}

static double smallest_pivot(const sparse *s)
{
    const double *pivots = s->numeric->Udiag;
    double smallest = INFINITY;
    for (int k = 0; k < s->n; k++)
        if (!(fabs(pivots[k]) >= smallest)) smallest = fabs(pivots[k]);
    return smallest;
}

/* The first column left with nothing but noise. Later pivots, computed from that noise, mean nothing; nor
 * does the row a pivot search finds in it: the column names the unknown and the equation of the same number.
 */
static int first_noise_column(const sparse *s)
{
    const double *pivots = s->numeric->Udiag;
    int k = 0;
    while (k < s->n - 1 && fabs(pivots[k]) > SINGULAR_PIVOT) k++;
    return s->symbolic->Q[k];
}

static double growth(sparse *s)
{
    if (!klu_rgrowth(s->col_start, s->row, s->value, s->symbolic, s->numeric, &s->common)) return 0;
    return s->common.rgrowth;
}

static vgStatus full_factor(sparse *s, int *bad_row)
{
    klu_free_numeric(&s->numeric, &s->common);
    s->repivots++;
    s->numeric = klu_factor(s->col_start, s->row, s->value, s->symbolic, &s->common);
    if (!s->numeric) return VG_NO_MEMORY;
    double pivot = smallest_pivot(s);
    if (s->common.status == KLU_SINGULAR || !(pivot > SINGULAR_PIVOT)) {
        *bad_row = first_noise_column(s);
        klu_free_numeric(&s->numeric, &s->common);
        return VG_SINGULAR;
    }
    s->full_pivot = pivot;
    s->full_growth = growth(s);
    return VG_OK;
}

static vgStatus factor(const vgLin *lin, void *impl, int *bad_row)
{
    sparse *s = impl;
    for (int t = 0; t < s->count; t++) s->value[t] = lin->values[s->from[t]];
    if (!vg_lin_equilibrate(s->n, (size_t)s->count, s->row, s->col, s->value, s->row_scale, s->col_scale))
        return VG_NOT_FINITE;
    for (int t = 0; t < s->count; t++) s->value[t] *= s->row_scale[s->row[t]] * s->col_scale[s->col[t]];
    if (!s->numeric) return full_factor(s, bad_row);
    int refactored = klu_refactor(s->col_start, s->row, s->value, s->symbolic, s->numeric, &s->common);
    if (!refactored || s->common.status != KLU_OK) return full_factor(s, bad_row);
    double pivot = smallest_pivot(s);
    if (!(pivot > SINGULAR_PIVOT) || pivot < PIVOT_DECAY * s->full_pivot ||
        growth(s) < PIVOT_DECAY * s->full_growth)
        return full_factor(s, bad_row);
    return VG_OK;
}

static void solve(const vgLin *lin, void *impl, double *x)
{
    (void)lin;
    sparse *s = impl;
    for (int i = 0; i < s->n; i++) x[i] *= s->row_scale[i];
    klu_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
    for (int i = 0; i < s->n; i++) x[i] *= s->col_scale[i];
}

static size_t memory(const void *impl)
{
    const sparse *s = impl;
    return sizeof *s + s->arena.size + s->common.memusage;
}

static size_t fill(const void *impl)
{
    const sparse *s = impl;
    return s->numeric ? (size_t)(s->numeric->lnz + s->numeric->unz) : (size_t)(2 * s->symbolic->lnz);
}

double vg_lin_klu_flops(const void *impl)
{
    return ((const sparse *)impl)->symbolic->est_flops;
}
long vg_lin_klu_repivots(const void *impl)
{
    return ((const sparse *)impl)->repivots;
}

const vgLinOps vg_lin_klu_ops = {
    .name = "klu",
    .create = create,
    .destroy = destroy,
    .factor = factor,
    .solve = solve,
    .memory = memory,
    .fill = fill,
};
