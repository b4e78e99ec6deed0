/* Block backend: A = L̃ Ũ over the nodes in elimination order, with
 *
 *     Ũ_kj = D_k⁻¹ (A_kj − Σ_c L̃_kc Ũ_cj),   L̃_ik = A_ik − Σ_c L̃_ic Ũ_ck,   D_k = L̃_kk,   Ũ_kk = I,
 *
 * c over the earlier neighbours of k (left-looking, so that each panel is loaded, updated and inverted while
 * it is in cache). The matrix is unsymmetric in general (gyroscopic and follower terms), the pattern is not.
 * Everything the numeric phases do is a flat list made at set-up: loads, products, steps.
 *
 * The diagonal blocks are inverted, not factored: products instead of recurrences in the solve, which is
 * bound by latency. No pivoting between blocks: the order sees to it that a sound mechanism needs none, a
 * pivot block that lost more than PIVOT_FLOOR of what was summed into it sends the factorisation to the
 * sparse backend. */
#include "linalg/lin/impl.h"
#include "linalg/lin/kernel.h"

#include <math.h>
#include <stdlib.h>

static const double PIVOT_FLOOR = 1e-8;

enum { MAX_NODE_SIZE = 16384 };

typedef struct block {
    vgArena arena;
    int nnode;
    vgLinStep *steps; /* [nnode + 1] */
    vgLinLoad *loads;
    vgLinGemm *updates;
    vgLinBelow *below;
    double *factor, *z, *history, *scratch;
    int *scratch_order;
    size_t nload, nupdate, nbelow, nfactor, nz;
    int largest; /* padded size of the largest node */
    int lost;    /* 1: a pivot block of the last factorisation has cost digits */
} block;

typedef struct layout { /* set-up only */
    const vgLinGraph *graph;
    const vgLinOrder *order;
    uint32_t *column, *row; /* [below] first column in the node's U, first row in its L */
    int *giver, *given_at;  /* earlier neighbours of each position: transposed below lists */
    size_t *giver_start;
} layout;

static void place(block *b, vgArena *a)
{
    size_t room = (size_t)b->largest;
    b->steps = VG_TAKE(a, vgLinStep, b->nnode + 1);
    b->loads = VG_TAKE(a, vgLinLoad, b->nload);
    b->updates = VG_TAKE(a, vgLinGemm, b->nupdate);
    b->below = VG_TAKE(a, vgLinBelow, b->nbelow);
    b->factor = VG_TAKE(a, double, b->nfactor);
    b->z = VG_TAKE(a, double, b->nz);
    b->history = VG_TAKE(a, double, room);
    b->scratch = VG_TAKE(a, double, 2 * room * room + 2 * room);
    b->scratch_order = VG_TAKE(a, int, 2 * room);
}

static int size_at(const layout *l, int position)
{
    return l->graph->size[l->order->node[position]];
}

/* Sizes and offsets of every step. Returns 0 when the factor is too large for 32-bit offsets. */
static int lay_out(layout *l, block *b, vgLinStep *steps)
{
    const vgLinOrder *o = l->order;
    size_t at = 0, z = 0;
    for (int k = 0; k < o->nnode; k++) {
        int size = size_at(l, k), ld = vg_lin_pad(size);
        size_t width = 0, height = 0;
        for (size_t e = o->below_start[k]; e < o->below_start[k + 1]; e++) {
            l->column[e] = (uint32_t)width;
            l->row[e] = (uint32_t)height;
            width += (size_t)size_at(l, o->below[e]);
            height += (size_t)vg_lin_pad(size_at(l, o->below[e]));
        }
        if (ld > b->largest) b->largest = ld;
        if (steps)
            steps[k] = (vgLinStep){.panel = (uint32_t)at,
                                   .lower = (uint32_t)(at + (size_t)ld * ((size_t)size + width)),
                                   .ldl = (uint32_t)height,
                                   .width = (uint32_t)width,
                                   .z = (uint32_t)z,
                                   .row = (uint32_t)l->graph->offset[o->node[k]],
                                   .below = (uint32_t)o->below_start[k],
                                   .size = (uint16_t)size,
                                   .ld = (uint16_t)ld,
                                   .kernel = (uint32_t)vg_lin_size_kernel(size)};
        at += (size_t)ld * ((size_t)size + width) + (size_t)size * height;
        z += (size_t)ld;
        if (at > UINT32_MAX || size > MAX_NODE_SIZE) return 0;
    }
    b->nfactor = at;
    b->nz = z + (size_t)b->largest;
    return 1;
}

static void transpose_below(layout *l)
{
    const vgLinOrder *o = l->order;
    size_t *start = l->giver_start;
    for (size_t e = 0; e < o->below_start[o->nnode]; e++) start[o->below[e] + 1]++;
    for (int k = 0; k < o->nnode; k++) start[k + 1] += start[k];
    for (int c = 0; c < o->nnode; c++)
        for (size_t e = o->below_start[c]; e < o->below_start[c + 1]; e++) {
            size_t at = start[o->below[e]]++;
            l->giver[at] = c;
            l->given_at[at] = (int)(e - o->below_start[c]);
        }
    for (int k = o->nnode; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
}

/* ---- loads ---- */

static void emit_load(block *b, vgLinLoad *loads, vgLinLoadKind kind, vgLinLoad item)
{
    item.kernel = (uint32_t)vg_lin_load_kernel(kind, item.rows, item.cols);
    if (loads) loads[b->nload] = item;
    b->nload++;
}

/* Where the values of the block with rows of `top` are, and which way round. */
static vgLinLoadKind find_values(const vgLinPair *p, int top, vgLinLoad *item)
{
    item->from = (uint32_t)(p->i == top || p->mirror ? p->ij : p->ji);
    return p->i != top && p->mirror ? VG_LIN_LOAD_TURNED : VG_LIN_LOAD_STRAIGHT;
}

static void schedule_loads(const layout *l, block *b, const vgLinStep *steps, vgLinLoad *loads, int k,
                           const int *pair_of)
{
    const vgLinGraph *g = l->graph;
    const vgLinOrder *o = l->order;
    int node = o->node[k];
    const vgLinStep *s = &steps[k];
    vgLinLoad own = {
        .to = s->panel, .from = (uint32_t)g->diag[node], .ld = s->ld, .rows = s->size, .cols = s->size};
    emit_load(b, loads, VG_LIN_LOAD_STRAIGHT, own);
    for (size_t e = o->below_start[k]; e < o->below_start[k + 1]; e++) {
        int other = o->node[o->below[e]], pair = pair_of[other];
        uint16_t size = (uint16_t)g->size[other];
        vgLinLoad right = {
            .to = s->panel + s->ld * (s->size + l->column[e]), .ld = s->ld, .rows = s->size, .cols = size};
        vgLinLoad down = {.to = s->lower + l->row[e], .ld = s->ldl, .rows = size, .cols = s->size};
        vgLinLoadKind right_kind = VG_LIN_LOAD_ZERO, down_kind = VG_LIN_LOAD_ZERO;
        if (pair >= 0) {
            right_kind = find_values(&g->pairs[pair], node, &right);
            down_kind = find_values(&g->pairs[pair], other, &down);
        }
        emit_load(b, loads, right_kind, right);
        emit_load(b, loads, down_kind, down);
    }
}

/* ---- updates ---- */

static void emit_update(block *b, vgLinGemm *updates, vgLinGemm op)
{
    op.kernel = (uint16_t)vg_lin_gemm_kernel((int)op.vectors, (int)op.k);
    if (updates) updates[b->nupdate] = op;
    b->nupdate++;
}

/* Update of the panels of k by the earlier node c, whose list of later neighbours has k at index t. Blocks that
 * are adjacent in both panels are updated together. */
static void schedule_update(const layout *l, block *b, const vgLinStep *steps, vgLinGemm *updates, int c,
                            int t, int k)
{
    const vgLinOrder *o = l->order;
    const vgLinStep *from = &steps[c], *to = &steps[k];
    size_t first = o->below_start[c] + (size_t)t, end = o->below_start[c + 1], in_k = o->below_start[k];
    uint32_t u_c = from->panel + (uint32_t)from->ld * from->size, ldc = to->ld, k_rows = l->row[first];
    vgLinGemm across = {.c = to->panel,
                        .a = from->lower + k_rows,
                        .b = u_c + from->ld * l->column[first],
                        .ldc = ldc,
                        .lda = from->ldl,
                        .ldb = from->ld,
                        .n = to->size,
                        .touches_diagonal = 1,
                        .vectors = ldc / VG_LIN_LANES,
                        .k = from->size};
    vgLinGemm down = {
        .lda = from->ldl, .ldc = to->ldl, .b = across.b, .ldb = from->ld, .n = to->size, .k = from->size};
    for (size_t e = first + 1; e < end; e++) {
        while (o->below[in_k] != o->below[e]) in_k++;
        uint32_t cols = (uint32_t)size_at(l, o->below[e]), rows = (uint32_t)vg_lin_pad((int)cols);
        uint32_t c_at = to->panel + ldc * (to->size + l->column[in_k]), l_at = to->lower + l->row[in_k];
        if (c_at == across.c + ldc * across.n) {
            across.n += cols;
        } else {
            emit_update(b, updates, across);
            across.c = c_at, across.b = u_c + from->ld * l->column[e], across.n = cols;
            across.touches_diagonal = 0;
        }
        if (down.vectors > 0 && l_at == down.c + VG_LIN_LANES * down.vectors) {
            down.vectors += rows / VG_LIN_LANES;
        } else {
            if (down.vectors > 0) emit_update(b, updates, down);
            down.c = l_at, down.a = from->lower + l->row[e], down.vectors = rows / VG_LIN_LANES;
        }
    }
    emit_update(b, updates, across);
    if (down.vectors > 0) emit_update(b, updates, down);
}

/* Counts (with NULL lists) or writes the schedule. */
static void schedule(const layout *l, block *b, vgLinStep *steps, vgLinLoad *loads, vgLinGemm *updates,
                     int *pair_of)
{
    const vgLinGraph *g = l->graph;
    const vgLinOrder *o = l->order;
    b->nload = b->nupdate = 0;
    for (int k = 0; k < o->nnode; k++) {
        int node = o->node[k];
        for (int a = g->start[node]; a < g->start[node + 1]; a++) pair_of[g->near[a]] = g->pair[a];
        steps[k].load = (uint32_t)b->nload;
        steps[k].update = (uint32_t)b->nupdate;
        schedule_loads(l, b, steps, loads, k, pair_of);
        for (size_t e = l->giver_start[k]; e < l->giver_start[k + 1]; e++)
            schedule_update(l, b, steps, updates, l->giver[e], l->given_at[e], k);
        for (int a = g->start[node]; a < g->start[node + 1]; a++) pair_of[g->near[a]] = -1;
    }
    steps[o->nnode] = (vgLinStep){.load = (uint32_t)b->nload,
                                  .update = (uint32_t)b->nupdate,
                                  .below = (uint32_t)o->below_start[o->nnode]};
}

static void destroy(void *impl)
{
    block *b = impl;
    vg_arena_free(&b->arena);
    free(b);
}

static vgStatus build(const vgLin *lin, layout *l, block *b, int *pair_of)
{
    const vgLinOrder *o = l->order;
    vgLinStep *steps = calloc((size_t)b->nnode + 1, sizeof *steps);
    if (!steps) return VG_NO_MEMORY;
    vgStatus status = lay_out(l, b, steps) && lin->nvalue <= UINT32_MAX ? VG_OK : VG_LIMIT;
    if (status == VG_OK) {
        transpose_below(l);
        for (int i = 0; i < b->nnode; i++) pair_of[i] = -1;
        schedule(l, b, steps, NULL, NULL, pair_of);
        vgArena arena = {0};
        place(b, &arena);
        status = vg_arena_alloc(&b->arena, arena.used);
    }
    if (status == VG_OK) {
        place(b, &b->arena);
        schedule(l, b, steps, b->loads, b->updates, pair_of);
        memcpy(b->steps, steps, ((size_t)b->nnode + 1) * sizeof *steps);
        for (size_t e = 0; e < b->nbelow; e++) {
            int j = o->below[e];
            b->below[e] = (vgLinBelow){.z = steps[j].z, .size = steps[j].size, .vectors = steps[j].ld / 4};
        }
        b->z += b->largest; /* room for one column before the vector */
    }
    free(steps);
    return status;
}

static vgStatus create(const vgLin *lin, const vgLinOrder *order, void **impl)
{
    size_t nnode = (size_t)order->nnode, nbelow = order->below_start[order->nnode];
    block *b = calloc(1, sizeof *b);
    layout l = {.graph = &lin->graph, .order = order};
    l.column = malloc((nbelow + 1) * sizeof *l.column);
    l.row = malloc((nbelow + 1) * sizeof *l.row);
    l.giver = malloc((nbelow + 1) * sizeof *l.giver);
    l.given_at = malloc((nbelow + 1) * sizeof *l.given_at);
    l.giver_start = calloc(nnode + 2, sizeof *l.giver_start);
    int *pair_of = malloc((nnode + 1) * sizeof *pair_of);
    vgStatus status = VG_NO_MEMORY;
    if (b && l.column && l.row && l.giver && l.given_at && l.giver_start && pair_of) {
        b->nnode = order->nnode;
        b->nbelow = nbelow;
        status = build(lin, &l, b, pair_of);
    }
    free(l.column);
    free(l.row);
    free(l.giver);
    free(l.given_at);
    free(l.giver_start);
    free(pair_of);
    if (status == VG_OK)
        *impl = b;
    else if (b)
        destroy(b);
    return status;
}

/* ---- numeric ---- */

/* The largest absolute value that each diagonal entry has had. Pivots are compared with it, because a dependent
 * constraint shows as a difference of large terms that almost cancel. */
static inline void remember(const double *d, int size, int ld, double *history)
{
    for (int i = 0; i < size; i++) {
        double now = fabs(d[(size_t)i * (size_t)(ld + 1)]);
        history[i] = now > history[i] ? now : history[i];
    }
}

static int any_not_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return 1;
    return 0;
}

/* The panel of node k. */
static inline vgStatus eliminate(const vgLin *lin, block *b, int k, int *bad_row)
{
    const vgLinStep *s = &b->steps[k];
    double *panel = b->factor + s->panel;
    if (k == 0) b->lost = 0;
    for (uint32_t i = s->load; i < s[1].load; i++)
        vg_lin_load_kernels[b->loads[i].kernel](&b->loads[i], lin->values, b->factor);
    for (int i = 0; i < s->ld; i++) b->history[i] = 0;
    for (uint32_t i = s->update; i < s[1].update; i++) {
        const vgLinGemm *op = &b->updates[i];
        if (op->touches_diagonal) remember(panel, s->size, s->ld, b->history);
        vg_lin_gemm_kernels[op->kernel](op, b->factor);
    }
    if (vg_lin_pivot_kernels[s->kernel](panel, s->size, s->ld, (int)s->width, b->history, b->scratch))
        return VG_OK;
    int weak = vg_lin_pivot_carefully(panel, s->size, s->ld, (int)s->width, b->history, PIVOT_FLOOR,
                                      b->scratch, b->scratch_order, &b->lost);
    if (weak < 0) return VG_OK;
    *bad_row = (int)s->row + weak;
    return any_not_finite(lin->values, lin->nvalue) ? VG_NOT_FINITE : VG_SINGULAR;
}

static vgStatus factor(const vgLin *lin, void *impl, int *bad_row)
{
    block *b = impl;
    vgStatus status = VG_OK;
    for (int k = 0; k < b->nnode && status == VG_OK; k++) status = eliminate(lin, b, k, bad_row);
    return status;
}

static vgStatus piece(const vgLin *lin, void *impl, int i, int *bad_row)
{
    return eliminate(lin, impl, i, bad_row);
}

/* A node: its panel is loaded, updated, and its pivot block taken out of it. */
static int pieces(const void *impl, double *cost)
{
    const block *b = impl;
    for (int k = 0; cost && k < b->nnode; k++) {
        const vgLinStep *s = &b->steps[k];
        double panel = (double)s->size * (double)s->width;
        cost[k] = 60 + 0.8 * panel + 0.2 * (double)s->size * panel;
        for (uint32_t i = s->update; i < s[1].update; i++) {
            const vgLinGemm *u = &b->updates[i];
            cost[k] += 8 + 0.55 * (double)u->vectors * (double)u->k * (double)u->n;
        }
    }
    return b->nnode;
}

static void solve(const vgLin *lin, void *impl, double *x)
{
    (void)lin;
    block *b = impl;
    double *z = b->z;
    for (int k = 0; k < b->nnode; k++) {
        const vgLinStep *s = &b->steps[k];
        for (int i = 0; i < s->size; i++) z[s->z + (uint32_t)i] = x[s->row + (uint32_t)i];
    }
    for (int k = 0; k < b->nnode; k++) {
        const vgLinStep *s = &b->steps[k];
        vg_lin_forward_kernels[s->kernel](s, b->below + s->below, b->factor, z);
    }
    for (int k = b->nnode - 1; k >= 0; k--) {
        const vgLinStep *s = &b->steps[k];
        vg_lin_backward_kernels[s->kernel](s, b->below + s->below, b->factor, z);
        for (int i = 0; i < s->size; i++) x[s->row + (uint32_t)i] = z[s->z + (uint32_t)i];
    }
}

static int lost(const void *impl)
{
    return ((const block *)impl)->lost;
}

static size_t memory(const void *impl)
{
    return sizeof(block) + ((const block *)impl)->arena.size;
}
static size_t fill(const void *impl)
{
    return ((const block *)impl)->nfactor;
}

const vgLinOps vg_lin_block_ops = {
    .name = "block",
    .falls_back = 1,
    .create = create,
    .destroy = destroy,
    .factor = factor,
    .pieces = pieces,
    .piece = piece,
    .solve = solve,
    .lost = lost,
    .memory = memory,
    .fill = fill,
};
