/* The graph, its block values and what does not depend on the backend. */
#include "linalg/lin/impl.h"
#include "linalg/lin/kernel.h"
#include "math/dense.h"
#include "base/expect.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_ROWS = 4 }; /* AUTO: up to here the dense backend wins */

/* AUTO: a factor with more operations for each value of the matrix than this is made of fronts. A chain of spherical joints
 * has 15. */
static const double BLOCK_FLOPS = 40;

vgStatus vg_lin_edges_add(vgLinEdges *list, vgLinEdge edge)
{
    if (list->failed) return VG_NO_MEMORY;
    if (list->n == list->room) {
        int room = list->room ? 2 * list->room : 64;
        vgLinEdge *more = realloc(list->edge, (size_t)room * sizeof *more);
        if (!more) {
            list->failed = 1;
            return VG_NO_MEMORY;
        }
        list->edge = more;
        list->room = room;
    }
    list->edge[list->n++] = edge;
    return VG_OK;
}

static int input_is_good(int nnode, const vgLinNode *nodes, int nedge, const vgLinEdge *edges)
{
    if (nnode < 1 || !nodes || nedge < 0 || (nedge > 0 && !edges)) return 0;
    long long rows = 0;
    for (int i = 0; i < nnode; i++) {
        if (nodes[i].size < 1 || nodes[i].wait < 0) return 0;
        if (nodes[i].pass < 0 || nodes[i].pass >= nodes[i].size) return 0;
        rows += nodes[i].size;
    }
    for (int e = 0; e < nedge; e++) {
        if (edges[e].i < 0 || edges[e].i >= nnode || edges[e].j < 0 || edges[e].j >= nnode) return 0;
        if (edges[e].i == edges[e].j) return 0;
    }
    return rows <= INT_MAX && nedge <= INT_MAX / 2;
}

static void place(vgLin *lin, vgArena *a)
{
    vgLinGraph *g = &lin->graph;
    g->size = VG_TAKE(a, int, g->nnode);
    g->dual = VG_TAKE(a, int, g->nnode);
    g->pass = VG_TAKE(a, int, g->nnode);
    g->wait = VG_TAKE(a, int, g->nnode);
    g->offset = VG_TAKE(a, int, g->nnode);
    g->start = VG_TAKE(a, int, g->nnode + 1);
    g->near = VG_TAKE(a, int, 2 * g->npair);
    g->pair = VG_TAKE(a, int, 2 * g->npair);
    g->pairs = VG_TAKE(a, vgLinPair, g->npair);
    g->diag = VG_TAKE(a, size_t, g->nnode);
    lin->values = VG_TAKE(a, double, lin->nvalue + VG_LIN_SLACK);
    lin->work = VG_TAKE(a, double, g->n);
    lin->side = VG_TAKE(a, double, g->n);
    lin->left = VG_TAKE(a, unsigned char, g->n);
}

/* The distinct edges in ascending order of (lower node, upper node): two counting sorts. Returns VG_BAD_INPUT
 * when two edges name the same pair differently. */
static vgStatus distinct_edges(int nnode, int nedge, const vgLinEdge *edges, vgLinEdge *sorted,
                               int *ndistinct)
{
    int *count = calloc((size_t)nnode + 2, sizeof *count);
    vgLinEdge *half = malloc(((size_t)nedge + 1) * sizeof *half);
    vgStatus status = count && half ? VG_OK : VG_NO_MEMORY;
    for (int pass = 0; pass < 2 && status == VG_OK; pass++) {
        const vgLinEdge *from = pass == 0 ? edges : half;
        vgLinEdge *to = pass == 0 ? half : sorted;
        memset(count, 0, ((size_t)nnode + 2) * sizeof *count);
        for (int e = 0; e < nedge; e++) {
            int lower = from[e].i < from[e].j ? from[e].i : from[e].j;
            int upper = from[e].i + from[e].j - lower;
            count[(pass == 0 ? upper : lower) + 1]++;
        }
        for (int i = 0; i < nnode; i++) count[i + 1] += count[i];
        for (int e = 0; e < nedge; e++) {
            int lower = from[e].i < from[e].j ? from[e].i : from[e].j;
            int upper = from[e].i + from[e].j - lower;
            to[count[pass == 0 ? upper : lower]++] = from[e];
        }
    }
    int kept = 0;
    for (int e = 0; e < nedge && status == VG_OK; e++) {
        const vgLinEdge *last = kept > 0 ? &sorted[kept - 1] : NULL, *this = &sorted[e];
        int same = last && last->i == this->i && last->j == this->j;
        int swapped = last && last->i == this->j && last->j == this->i;
        if (!same && !swapped) {
            sorted[kept++] = *this;
        } else if (!last->mirror != !this->mirror || (swapped && this->mirror)) {
            status = VG_BAD_INPUT;
        }
    }
    *ndistinct = kept;
    free(count);
    free(half);
    return status;
}

static size_t count_values(int nnode, const vgLinNode *nodes, int npair, const vgLinEdge *pairs)
{
    size_t total = 0;
    for (int i = 0; i < nnode; i++) total += (size_t)nodes[i].size * (size_t)nodes[i].size;
    for (int e = 0; e < npair; e++)
        total += (size_t)nodes[pairs[e].i].size * (size_t)nodes[pairs[e].j].size * (pairs[e].mirror ? 1 : 2);
    return total;
}

static void fill_graph(vgLinGraph *g, const vgLinNode *nodes, const vgLinEdge *pairs)
{
    int row = 0;
    for (int i = 0; i < g->nnode; i++) {
        g->size[i] = nodes[i].size;
        g->dual[i] = nodes[i].dual != 0;
        g->pass[i] = nodes[i].dual ? nodes[i].pass : 0;
        g->wait[i] = nodes[i].wait;
        g->offset[i] = row;
        row += nodes[i].size;
    }
    for (int e = 0; e < g->npair; e++) {
        g->pairs[e] = (vgLinPair){.i = pairs[e].i, .j = pairs[e].j, .mirror = pairs[e].mirror != 0};
        g->start[pairs[e].i + 1]++;
        g->start[pairs[e].j + 1]++;
    }
    for (int i = 0; i < g->nnode; i++) g->start[i + 1] += g->start[i];
    /* Lists come out ascending: first the lower neighbours of each node, then the upper ones. */
    for (int side = 0; side < 2; side++)
        for (int e = 0; e < g->npair; e++) {
            int lower = pairs[e].i < pairs[e].j ? pairs[e].i : pairs[e].j;
            int upper = pairs[e].i + pairs[e].j - lower;
            int owner = side == 0 ? upper : lower;
            int at = g->start[owner]++;
            g->near[at] = side == 0 ? lower : upper;
            g->pair[at] = e;
        }
    for (int i = g->nnode; i > 0; i--) g->start[i] = g->start[i - 1];
    g->start[0] = 0;
}

/* Values lie in elimination order, so that a factorisation reads them front to back. */
static void place_values(vgLinGraph *g, const vgLinOrder *order)
{
    size_t at = 0;
    for (int k = 0, count = order->node ? order->count : g->nnode; k < count; k++) {
        int node = order->node ? order->node[k] : k;
        if (node >= g->nnode) continue;
        g->diag[node] = at;
        at += (size_t)g->size[node] * (size_t)g->size[node];
        for (int a = g->start[node]; a < g->start[node + 1]; a++) {
            int other = g->near[a], later = order->node ? order->position[other] > k : other > node;
            if (!later) continue;
            vgLinPair *p = &g->pairs[g->pair[a]];
            size_t block = (size_t)g->size[node] * (size_t)g->size[other];
            p->ij = at;
            at += block;
            p->ji = at;
            if (!p->mirror) at += block;
        }
    }
}

static vgStatus choose(vgLin *lin, vgLinBackend backend, const vgLinOrder *order)
{
    static const vgLinOps *const list[] = {
        [VG_LIN_AUTO] = &vg_lin_block_ops,    [VG_LIN_DENSE] = &vg_lin_dense_ops,
        [VG_LIN_BLOCK] = &vg_lin_block_ops,   [VG_LIN_FRONTS] = &vg_lin_front_ops,
        [VG_LIN_SPARSE] = &vg_lin_sparse_ops,
    };
    lin->ops = list[backend];
    if (backend == VG_LIN_AUTO && lin->graph.n <= DENSE_ROWS)
        lin->ops = &vg_lin_dense_ops;
    else if (backend == VG_LIN_AUTO && order->flops > BLOCK_FLOPS * (double)lin->nvalue)
        lin->ops = &vg_lin_front_ops;
    vgStatus status = lin->ops->create(lin, lin->ops == &vg_lin_sparse_ops ? NULL : order, &lin->impl);
    if (status == VG_OK && lin->ops->falls_back)
        status = vg_lin_sparse_ops.create(lin, order, &lin->fallback);
    if (status == VG_OK && lin->ops->remembers) {
        lin->factored = malloc((lin->nvalue + 1) * sizeof *lin->factored);
        if (!lin->factored) status = VG_NO_MEMORY;
    }
    return status;
}

vgStatus vg_lin_new(int nnode, const vgLinNode *nodes, int nedge, const vgLinEdge *edges,
                    vgLinBackend backend, vgLin **out)
{
    VG_EXPECT(nnode >= 0 && nedge >= 0 && out);
    VG_EXPECT(nnode == 0 || nodes);
    VG_EXPECT(nedge == 0 || edges);
    *out = NULL;
    if (!input_is_good(nnode, nodes, nedge, edges)) return VG_BAD_INPUT;
    vgLin *lin = calloc(1, sizeof *lin);
    vgLinEdge *pairs = malloc(((size_t)nedge + 1) * sizeof *pairs);
    vgLinOrder order = {0};
    vgStatus status = lin && pairs ? VG_OK : VG_NO_MEMORY;
    if (status == VG_OK) status = distinct_edges(nnode, nedge, edges, pairs, &lin->graph.npair);
    if (status == VG_OK) {
        lin->bad_row = -1;
        lin->graph.nnode = nnode;
        for (int i = 0; i < nnode; i++) lin->graph.n += nodes[i].size;
        lin->nvalue = count_values(nnode, nodes, lin->graph.npair, pairs);
        vgArena arena = {0};
        place(lin, &arena);
        status = vg_arena_alloc(&lin->arena, arena.used);
    }
    if (status == VG_OK) {
        place(lin, &lin->arena);
        fill_graph(&lin->graph, nodes, pairs);
        if (backend != VG_LIN_DENSE && backend != VG_LIN_SPARSE)
            status = vg_lin_order_new(&lin->graph, &order);
    }
    if (status == VG_OK) {
        place_values(&lin->graph, &order);
        status = choose(lin, backend, &order);
    }
    vg_lin_order_free(&order);
    free(pairs);
    if (status == VG_OK)
        *out = lin;
    else
        vg_lin_free(lin);
    return status;
}

void vg_lin_free(vgLin *lin)
{
    if (!lin) return;
    if (lin->impl) lin->ops->destroy(lin->impl);
    if (lin->fallback) vg_lin_sparse_ops.destroy(lin->fallback);
    vg_arena_free(&lin->arena);
    free(lin->factored);
    free(lin);
}

static int node_of(const vgLinGraph *g, int row)
{
    int low = 0, high = g->nnode - 1; /* the last node with offset <= row */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (g->offset[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int vg_lin_size(const vgLin *lin)
{
    return lin->graph.n;
}
int vg_lin_rows(const vgLin *lin, int node)
{
    return lin->graph.size[node];
}

int vg_lin_is_coupled(const vgLin *lin)
{
    return lin->graph.npair > 0;
}

int vg_lin_offset(const vgLin *lin, int node)
{
    VG_EXPECT(node >= 0 && node < lin->graph.nnode);
    return lin->graph.offset[node];
}
int vg_lin_node(const vgLin *lin, int row)
{
    return node_of(&lin->graph, row);
}
int vg_lin_bad_row(const vgLin *lin)
{
    return lin->bad_row;
}
long vg_lin_fallbacks(const vgLin *lin)
{
    return lin->fallbacks;
}
const char *vg_lin_backend_name(const vgLin *lin)
{
    return lin->ops->name;
}

double *vg_lin_values(vgLin *lin, size_t *n)
{
    *n = lin->nvalue;
    return lin->values;
}

double *vg_lin_block(vgLin *lin, int i, int j)
{
    const vgLinGraph *g = &lin->graph;
    if (i < 0 || j < 0 || i >= g->nnode || j >= g->nnode) return NULL;
    if (i == j) return lin->values + g->diag[i];
    int low = g->start[i], high = g->start[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (g->near[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == g->start[i + 1] || g->near[low] != j) return NULL;
    const vgLinPair *p = &g->pairs[g->pair[low]];
    if (p->i == i) return lin->values + p->ij;
    return p->mirror ? NULL : lin->values + p->ji;
}

int vg_lin_stored(const vgLin *lin)
{
    const vgLinGraph *g = &lin->graph;
    return g->nnode + 2 * g->npair;
}

/* Diagonal blocks, then both blocks of every pair; the one that a mirror does not store is named as the other. */
vgLinPlace vg_lin_place(const vgLin *lin, int k)
{
    const vgLinGraph *g = &lin->graph;
    if (k < g->nnode) return (vgLinPlace){k, k, g->diag[k]};
    const vgLinPair *p = &g->pairs[(k - g->nnode) / 2];
    if ((k - g->nnode) % 2 == 0 || p->mirror) return (vgLinPlace){p->i, p->j, p->ij};
    return (vgLinPlace){p->j, p->i, p->ji};
}

vgStatus vg_lin_learn(vgLin *lin, vgLinNode *found, int *news)
{
    memset(found, 0, (size_t)lin->graph.nnode * sizeof *found);
    lin->active = NULL;
    *news = 0;
    return lin->ops->learn ? lin->ops->learn(lin, lin->impl, found, news) : VG_OK;
}

/* The backend has done what it can: where it failed, row exchanges may help. */
static vgStatus conclude(vgLin *lin, vgStatus status, int bad_row)
{
    if (status == VG_OK) {
        lin->active = lin->ops;
    } else if (status == VG_SINGULAR && lin->ops->falls_back) {
        int sparse_row = -1;
        status = vg_lin_sparse_ops.factor(lin, lin->fallback, &sparse_row);
        lin->fallbacks++;
        if (status == VG_OK) lin->active = &vg_lin_sparse_ops;
        /* Where a body has no inertia of its own the block backend stops early; the other one then knows
         * better. */
        if (bad_row < 0 || !lin->graph.dual[node_of(&lin->graph, bad_row)]) bad_row = sparse_row;
    }
    if (status != VG_OK) lin->bad_row = bad_row;
    if (status == VG_OK && lin->factored)
        memcpy(lin->factored, lin->values, lin->nvalue * sizeof *lin->factored);
    return status;
}

vgStatus vg_lin_factor(vgLin *lin)
{
    int bad_row = -1;
    lin->bad_row = -1;
    vg_lin_left_out_fill(lin);
    if (lin->active && lin->factored &&
        memcmp(lin->factored, lin->values, lin->nvalue * sizeof *lin->factored) == 0)
        return VG_OK;
    lin->active = NULL;
    vgStatus status = lin->ops->factor(lin, lin->impl, &bad_row);
    return conclude(lin, status, bad_row);
}

int vg_lin_pieces(const vgLin *lin, double *cost)
{
    if (lin->ops->pieces) return lin->ops->pieces(lin->impl, cost);
    if (cost) cost[0] = 4 * (double)lin->ops->fill(lin->impl); /* a guess: four operations an entry */
    return 1;
}

vgStatus vg_lin_piece(vgLin *lin, int i)
{
    int bad_row = -1;
    if (!lin->ops->piece) return vg_lin_factor(lin);
    if (i == 0) {
        lin->bad_row = -1;
        lin->active = NULL;
        vg_lin_left_out_fill(lin);
    }
    if (lin->active) return VG_OK; /* an earlier piece failed and the fallback has done all */
    vgStatus status = lin->ops->piece(lin, lin->impl, i, &bad_row);
    return status == VG_OK && i + 1 < lin->ops->pieces(lin->impl, NULL) ? VG_OK
                                                                        : conclude(lin, status, bad_row);
}

void vg_lin_solve(vgLin *lin, double *x)
{
    VG_EXPECT(lin && x);
    if (!lin->active) return;
    vg_lin_left_out_clear(lin, x);
    lin->active->solve(lin, lin->active == lin->ops ? lin->impl : lin->fallback, x);
}

/* y += B x, and for a mirrored block also ym += Bᵀ xm */
static void add_product(const double *block, int rows, int cols, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = 0; c < cols; c++) sum += block[r * cols + c] * x[c];
        y[r] += sum;
    }
}

static void add_product_transposed(const double *block, int rows, int cols, const double *x, double *y)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) y[c] += block[r * cols + c] * x[r];
}

void vg_lin_multiply(const vgLin *lin, const double *x, double *y)
{
    VG_EXPECT(lin && x && y && x != y);
    const vgLinGraph *g = &lin->graph;
    memset(y, 0, (size_t)g->n * sizeof *y);
    for (int i = 0; i < g->nnode; i++)
        add_product(lin->values + g->diag[i], g->size[i], g->size[i], x + g->offset[i], y + g->offset[i]);
    for (int e = 0; e < g->npair; e++) {
        const vgLinPair *p = &g->pairs[e];
        int si = g->size[p->i], sj = g->size[p->j], oi = g->offset[p->i], oj = g->offset[p->j];
        add_product(lin->values + p->ij, si, sj, x + oj, y + oi);
        if (p->mirror)
            add_product_transposed(lin->values + p->ij, si, sj, x + oi, y + oj);
        else
            add_product(lin->values + p->ji, sj, si, x + oi, y + oj);
    }
}

double vg_lin_refine(vgLin *lin, const double *b, double *x)
{
    VG_EXPECT(lin && b && x && b != x);
    double largest = 0;
    vg_lin_multiply(lin, x, lin->work);
    for (int i = 0; i < lin->graph.n; i++) {
        lin->work[i] = b[i] - lin->work[i];
        largest = vg_larger(largest, fabs(lin->work[i]));
    }
    vg_lin_solve(lin, lin->work);
    for (int i = 0; i < lin->graph.n; i++) x[i] += lin->work[i];
    return largest;
}

void vg_lin_solve_refined(vgLin *lin, double *x)
{
    VG_EXPECT(lin && x);
    enum { STEPS = 2 }; /* 1e-8 of an error is left by each at worst (PIVOT_FLOOR) */
    vg_lin_left_out_clear(lin, x);
    memcpy(lin->side, x, (size_t)lin->graph.n * sizeof *x);
    vg_lin_solve(lin, x);
    for (int i = 0; i < STEPS; i++) vg_lin_refine(lin, lin->side, x);
}

void vg_lin_solve_at_once(vgLin *lin, double *x)
{
    VG_EXPECT(lin && x);
    const int lost = lin->active && lin->active == lin->ops && lin->ops->lost && lin->ops->lost(lin->impl);
    if (lost)
        vg_lin_solve_refined(lin, x);
    else
        vg_lin_solve(lin, x);
}

size_t vg_lin_memory(const vgLin *lin)
{
    size_t bytes = sizeof *lin + lin->arena.size + lin->ops->memory(lin->impl);
    if (lin->fallback) bytes += vg_lin_sparse_ops.memory(lin->fallback);
    if (lin->factored) bytes += lin->nvalue * sizeof *lin->factored;
    return bytes;
}

size_t vg_lin_factor_size(const vgLin *lin)
{
    return lin->ops->fill(lin->impl);
}

long vg_lin_repivots(const vgLin *lin)
{
    long count = lin->fallback ? vg_lin_sparse_repivots(lin->fallback) : 0;
    return count + (lin->ops == &vg_lin_sparse_ops ? vg_lin_sparse_repivots(lin->impl) : 0);
}

int vg_lin_equilibrate(int n, size_t count, const int *row, const int *col, const double *value,
                       double *row_scale, double *col_scale)
{
    int finite = 1;
    for (int i = 0; i < n; i++) row_scale[i] = col_scale[i] = 0;
    for (size_t t = 0; t < count; t++) {
        double size = fabs(value[t]);
        finite &= size <= DBL_MAX;
        if (size > col_scale[col[t]]) col_scale[col[t]] = size;
    }
    for (int i = 0; i < n; i++) col_scale[i] = vg_lin_power_near_inverse(col_scale[i]);
    for (size_t t = 0; t < count; t++) {
        double size = fabs(value[t]) * col_scale[col[t]];
        if (size > row_scale[row[t]]) row_scale[row[t]] = size;
    }
    for (int i = 0; i < n; i++) row_scale[i] = vg_lin_power_near_inverse(row_scale[i]);
    return finite;
}
