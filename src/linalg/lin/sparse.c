/* Sparse backend: the blocks are gathered into compressed columns through a map made once, equilibrated by
 * powers of two, and factored with row exchanges (lin/lu.h). By itself it takes the columns in the order of
 * AMD [Amestoy, Davis & Duff, SIAM J. Matrix Anal. Appl. 17 (1996)]. Behind the block backend, for the rare
 * matrices that need exchanges, it takes that one's order; then the memory is only set aside, and the map is
 * made when it is first needed. */
#include "linalg/lin/impl.h"
#include "linalg/lin/lu.h"

#include <amd.h>
#include <limits.h>
#include <stdlib.h>

typedef struct sparse {
    vgArena arena;
    int n, count;
    int *col_start, *row, *col; /* [n + 1], [count], [count] */
    unsigned *from;             /* [count] index into the block values */
    double *value, *row_scale, *col_scale, *work;
    int *node; /* [nnode] order of the nodes, when it is given */
    int nnode, ready;
    vgLu lu;
} sparse;

static void place(sparse *s, vgArena *a)
{
    s->node = VG_TAKE(a, int, s->nnode);
    s->col_start = VG_TAKE(a, int, s->n + 1);
    s->row = VG_TAKE(a, int, s->count);
    s->col = VG_TAKE(a, int, s->count);
    s->from = VG_TAKE(a, unsigned, s->count);
    s->value = VG_TAKE(a, double, s->count);
    s->row_scale = VG_TAKE(a, double, s->n);
    s->col_scale = VG_TAKE(a, double, s->n);
    s->work = VG_TAKE(a, double, s->n);
    vg_lu_place(&s->lu, a);
}

static void destroy(void *impl)
{
    sparse *s = impl;
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

static void fill_map(sparse *s, const vgLinGraph *g)
{
    int at = 0;
    for (int i = 0; i < g->nnode; i++) fill_columns(s, g, i, &at);
    s->col_start[s->n] = at;
}

static void begin(sparse *s, const vgLinGraph *g)
{
    int k = 0;
    fill_map(s, g);
    for (int i = 0; i < s->nnode; i++)
        for (int c = 0; c < g->size[s->node[i]]; c++) s->lu.order[k++] = g->offset[s->node[i]] + c;
    vg_lu_begin(&s->lu);
    s->ready = 1;
}

static vgStatus with_order(sparse *s, const vgLinGraph *g, const vgLinOrder *order)
{
    vgArena measure = {0};
    int *node = malloc(((size_t)g->nnode + 1) * sizeof *node), n = 0;
    if (!node) return VG_NO_MEMORY;
    for (int k = 0; k < order->count; k++)
        if (order->node[k] < g->nnode) node[n++] = order->node[k];
    vgStatus status = vg_lu_bound(g->nnode, g->size, g->start, g->near, node, &s->lu.lower, &s->lu.upper);
    s->nnode = g->nnode;
    if (status == VG_OK) {
        place(s, &measure);
        status = vg_arena_reserve(&s->arena, measure.used);
    }
    if (status == VG_OK) {
        place(s, &s->arena);
        memcpy(s->node, node, (size_t)g->nnode * sizeof *node);
    }
    free(node);
    return status;
}

/* A first arena holds the pattern for AMD; its order gives a bound of the fill; a second arena holds the factors. */
static vgStatus with_amd(sparse *s, const vgLinGraph *g)
{
    vgArena measure = {0}, first = {0};
    int *order = malloc(((size_t)s->n + 1) * sizeof *order);
    place(s, &measure);
    vgStatus status = order ? vg_arena_alloc(&first, measure.used) : VG_NO_MEMORY;
    if (status == VG_OK) {
        place(s, &first);
        fill_map(s, g);
        if (amd_order(s->n, s->col_start, s->row, order, NULL, NULL) < 0) status = VG_NO_MEMORY;
    }
    if (status == VG_OK) {
        status = vg_lu_bound(s->n, NULL, s->col_start, s->row, order, &s->lu.lower, &s->lu.upper);
    }
    measure = (vgArena){0};
    if (status == VG_OK) {
        place(s, &measure);
        status = vg_arena_reserve(&s->arena, measure.used);
    }
    if (status == VG_OK) {
        place(s, &s->arena);
        memcpy(s->lu.order, order, (size_t)s->n * sizeof *order);
        begin(s, g);
    }
    vg_arena_free(&first);
    free(order);
    return status;
}

static vgStatus create(const vgLin *lin, const vgLinOrder *order, void **impl)
{
    const vgLinGraph *g = &lin->graph;
    size_t count = 0;
    for (int i = 0; i < g->nnode; i++) count += (size_t)g->size[i] * (size_t)g->size[i];
    for (int e = 0; e < g->npair; e++)
        count += 2 * (size_t)g->size[g->pairs[e].i] * (size_t)g->size[g->pairs[e].j];
    if (count > INT_MAX) return VG_LIMIT;
    sparse *s = calloc(1, sizeof *s);
    if (!s) return VG_NO_MEMORY;
    s->n = s->lu.n = g->n;
    s->count = (int)count;
    vgStatus status = order ? with_order(s, g, order) : with_amd(s, g);
    if (status != VG_OK) {
        destroy(s);
        return status;
    }
    *impl = s;
    return VG_OK;
}

static vgStatus factor(const vgLin *lin, void *impl, int *bad_row)
{
    sparse *s = impl;
    if (!s->ready) begin(s, &lin->graph);
    for (int t = 0; t < s->count; t++) s->value[t] = lin->values[s->from[t]];
    if (!vg_lin_equilibrate(s->n, (size_t)s->count, s->row, s->col, s->value, s->row_scale, s->col_scale))
        return VG_NOT_FINITE;
    for (int t = 0; t < s->count; t++) s->value[t] *= s->row_scale[s->row[t]] * s->col_scale[s->col[t]];
    /* The row a pivot search finds in noise means nothing: the column names the unknown and the equation of
     * the same number. */
    return vg_lu_factor(&s->lu, s->col_start, s->row, s->value, bad_row);
}

static void solve(const vgLin *lin, void *impl, double *x)
{
    (void)lin;
    sparse *s = impl;
    for (int i = 0; i < s->n; i++) s->work[i] = x[i] * s->row_scale[i];
    vg_lu_solve(&s->lu, s->work, x);
    for (int i = 0; i < s->n; i++) x[i] *= s->col_scale[i];
}

/* What has been touched. */
static size_t memory(const void *impl)
{
    const sparse *s = impl;
    if (!s->ready) return sizeof *s;
    size_t entry = sizeof(double) + sizeof(int);
    return sizeof *s + s->arena.size -
           entry * (s->lu.lower + s->lu.upper - s->lu.l_start[s->n] - s->lu.u_start[s->n]);
}

static size_t fill(const void *impl)
{
    const sparse *s = impl;
    return (size_t)s->n +
           (s->lu.known == s->n ? s->lu.l_start[s->n] + s->lu.u_start[s->n] : 2 * (size_t)s->count);
}

long vg_lin_sparse_repivots(const void *impl)
{
    return ((const sparse *)impl)->lu.repivots;
}

const vgLinOps vg_lin_sparse_ops = {
    .name = "sparse",
    .create = create,
    .destroy = destroy,
    .factor = factor,
    .solve = solve,
    .memory = memory,
    .fill = fill,
};
