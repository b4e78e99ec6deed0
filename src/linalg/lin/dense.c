/* Dense backend: the whole matrix, rows and columns equilibrated by powers of two, LU with row pivoting. Our
 * own LU at every size: LAPACK's threads would make the bits depend on the machine's load. */
#include "linalg/dense.h"
#include "linalg/lin/impl.h"

#include <math.h>
#include <stdlib.h>

/* In the equilibrated matrix the pivot of a dependent row is rounding noise, about n·2^-53. */
static const double SINGULAR_PIVOT = 1e-14;

typedef struct dense {
    vgArena arena;
    double *lu, *row_scale, *col_scale, *work; /* [n·n], [n], [n], [n] */
    int *pivot;                                /* [n] */
} dense;

static void place(dense *d, int n, vgArena *a)
{
    d->lu = VG_TAKE(a, double, (size_t)n *(size_t)n);
    d->row_scale = VG_TAKE(a, double, n);
    d->col_scale = VG_TAKE(a, double, n);
    d->work = VG_TAKE(a, double, n);
    d->pivot = VG_TAKE(a, int, n);
}

static void destroy(void *impl)
{
    dense *d = impl;
    vg_arena_free(&d->arena);
    free(d);
}

static vgStatus create(const vgLin *lin, const vgLinOrder *order, void **impl)
{
    (void)order;
    dense *d = calloc(1, sizeof *d);
    if (!d) return VG_NO_MEMORY;
    vgArena arena = {0};
    place(d, lin->graph.n, &arena);
    vgStatus status = vg_arena_alloc(&d->arena, arena.used);
    if (status != VG_OK) {
        free(d);
        return status;
    }
    place(d, lin->graph.n, &d->arena);
    *impl = d;
    return VG_OK;
}

static void put(double *a, int n, int row, int col, const double *block, int rows, int cols)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            a[(size_t)(row + r) * (size_t)n + (size_t)(col + c)] = block[r * cols + c];
}

static void put_transposed(double *a, int n, int row, int col, const double *block, int rows, int cols)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            a[(size_t)(col + c) * (size_t)n + (size_t)(row + r)] = block[r * cols + c];
}

static void gather(const vgLin *lin, double *a)
{
    const vgLinGraph *g = &lin->graph;
    memset(a, 0, (size_t)g->n * (size_t)g->n * sizeof *a);
    for (int i = 0; i < g->nnode; i++)
        put(a, g->n, g->offset[i], g->offset[i], lin->values + g->diag[i], g->size[i], g->size[i]);
    for (int e = 0; e < g->npair; e++) {
        const vgLinPair *p = &g->pairs[e];
        int si = g->size[p->i], sj = g->size[p->j], oi = g->offset[p->i], oj = g->offset[p->j];
        put(a, g->n, oi, oj, lin->values + p->ij, si, sj);
        if (p->mirror)
            put_transposed(a, g->n, oi, oj, lin->values + p->ij, si, sj);
        else
            put(a, g->n, oj, oi, lin->values + p->ji, sj, si);
    }
}

static int equilibrate(dense *d, int n)
{
    int finite = 1;
    for (int j = 0; j < n; j++) d->col_scale[j] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double size = fabs(d->lu[(size_t)i * (size_t)n + (size_t)j]);
            finite &= size <= 0x1.fffffffffffffp+1023;
            if (size > d->col_scale[j]) d->col_scale[j] = size;
        }
    for (int j = 0; j < n; j++) d->col_scale[j] = vg_lin_power_near_inverse(d->col_scale[j]);
    for (int i = 0; i < n; i++) {
        double *row = d->lu + (size_t)i * (size_t)n, largest = 0;
        for (int j = 0; j < n; j++) {
            row[j] *= d->col_scale[j];
            if (fabs(row[j]) > largest) largest = fabs(row[j]);
        }
        d->row_scale[i] = vg_lin_power_near_inverse(largest);
        for (int j = 0; j < n; j++) row[j] *= d->row_scale[i];
    }
    return finite;
}

static vgStatus factor(const vgLin *lin, void *impl, int *bad_row)
{
    dense *d = impl;
    int n = lin->graph.n, column = 0;
    gather(lin, d->lu);
    if (!equilibrate(d, n)) return VG_NOT_FINITE;
    vgStatus status = vg_dense_lu(d->lu, n, SINGULAR_PIVOT, d->pivot, &column);
    /* A dependent column is rounding noise after elimination, and so is the row of its largest entry. The column
     * therefore names the unknown, and with it the equation of the same number. */
    if (status != VG_OK) *bad_row = column;
    return status;
}

static void solve(const vgLin *lin, void *impl, double *x)
{
    dense *d = impl;
    int n = lin->graph.n;
    for (int i = 0; i < n; i++) x[i] *= d->row_scale[i];
    vg_dense_lu_solve(d->lu, d->pivot, n, x);
    for (int i = 0; i < n; i++) x[i] *= d->col_scale[i];
}

static size_t memory(const void *impl)
{
    return sizeof(dense) + ((const dense *)impl)->arena.size;
}
static size_t fill(const void *impl)
{
    const dense *d = impl;
    return (size_t)(d->row_scale - d->lu);
}

const vgLinOps vg_lin_dense_ops = {
    .name = "dense",
    .create = create,
    .destroy = destroy,
    .factor = factor,
    .solve = solve,
    .memory = memory,
    .fill = fill,
};
