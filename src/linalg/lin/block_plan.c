/* The block backend's set-up: places of all blocks in the factor, and the lists of loads, updates and moves. */
#include "linalg/lin/block.h"

#include <stdlib.h>

enum { MAX_NODE_SIZE = 16384 };

typedef struct layout { /* set-up only */
    const vgLinGraph *graph;
    const vgLinOrder *order;
    int *first;             /* [count] first step of a position, which receives updates; the last one gives */
    uint32_t *column, *row; /* [below] first column in the node's U, first row in its L */
    uint32_t *all_column,
        *all_row;          /* [below] the same where all rows of a node that passes some on are gathered */
    unsigned char *moved;  /* [below] 1: the block comes from a split */
    int *giver, *given_at; /* earlier neighbours of each position: transposed below lists */
    size_t *giver_start;
} layout;

static void place(vgLinBlock *b, vgArena *a)
{
    size_t room = (size_t)b->largest;
    b->steps = VG_TAKE(a, vgLinStep, b->nstep + 1);
    b->node = VG_TAKE(a, int, b->nstep + 1);
    b->splits = VG_TAKE(a, vgLinSplit, b->nsplit);
    b->moves = VG_TAKE(a, vgLinMove, b->nmove);
    b->perm = VG_TAKE(a, int, b->nperm);
    b->loads = VG_TAKE(a, vgLinLoad, b->nload);
    b->updates = VG_TAKE(a, vgLinGemm, b->nupdate);
    b->below = VG_TAKE(a, vgLinBelow, b->nbelow);
    b->factor = VG_TAKE(a, double, b->nfactor);
    b->z = VG_TAKE(a, double, b->nz);
    b->history = VG_TAKE(a, double, room);
    b->kept = VG_TAKE(a, double, b->nsplit ? b->nz : 0);
    b->scratch = VG_TAKE(a, double, 2 * room * room + 2 * room);
    b->scratch_order = VG_TAKE(a, int, 2 * room);
}

static int passed_at(const layout *l, int position) /* rows that are passed on from here */
{
    int node = l->order->node[position];
    return node < l->graph->nnode ? l->graph->pass[node] : 0;
}
static int size_at(const layout *l, int position) /* all rows */
{
    int node = l->order->node[position], n = l->graph->nnode;
    return node < n ? l->graph->size[node] : l->graph->pass[node - n];
}
static int rest_of(const layout *l, int position)
{
    return l->order->position[l->order->node[position] + l->graph->nnode];
}

/* The place of one step with `size` rows; returns the doubles behind it. */
static size_t lay_step(vgLinStep *s, vgLinBlock *b, size_t at, size_t z, int size, size_t width,
                       size_t height)
{
    int ld = vg_lin_pad(size);
    if (ld > b->largest) b->largest = ld;
    s->panel = (uint32_t)at;
    s->lower = (uint32_t)(at + (size_t)ld * ((size_t)size + width));
    s->ldl = (uint32_t)height;
    s->width = (uint32_t)width;
    s->z = (uint32_t)z;
    s->size = (uint16_t)size;
    s->ld = (uint16_t)ld;
    s->kernel = (uint32_t)vg_lin_size_kernel(size);
    return at + (size_t)ld * ((size_t)size + width) + (size_t)size * height;
}

/* Width and height of what lies below a step. */
typedef struct below {
    size_t width, height;
} below;

/* Places of the entries below step k: of all, and of all but `rest`, the entry that is passed on (-1: none). */
static void place_below(layout *l, int k, int rest, below out[2])
{
    const vgLinOrder *o = l->order;
    below part = {0, 0}, all = {0, 0};
    for (size_t e = o->below_start[k]; e < o->below_start[k + 1]; e++) {
        size_t cols = (size_t)size_at(l, o->below[e]), rows = (size_t)vg_lin_pad((int)cols);
        l->column[e] = (uint32_t)part.width;
        l->row[e] = (uint32_t)part.height;
        l->all_column[e] = (uint32_t)all.width;
        l->all_row[e] = (uint32_t)all.height;
        part.width += cols;
        part.height += rows;
        if (o->below[e] == rest) continue;
        all.width += cols;
        all.height += rows;
    }
    out[0] = part, out[1] = all;
}

/* Sizes and offsets of every step. Returns 0 when the factor is too large for 32-bit offsets. */
static int lay_out(layout *l, vgLinBlock *b, vgLinStep *steps, int *node)
{
    const vgLinOrder *o = l->order;
    size_t at = 0, z = 0;
    int step = 0;
    for (int k = 0; k < o->count; k++) {
        int size = size_at(l, k), passed = passed_at(l, k), rest = passed ? rest_of(l, k) : -1;
        below lie[2];
        place_below(l, k, rest, lie);
        l->first[k] = step;
        for (int whole = passed > 0; whole >= 0; whole--, step++) {
            vgLinStep *s = &steps[step];
            int own = whole ? size : size - passed;
            node[step] = o->node[k];
            at = lay_step(s, b, at, z, own, lie[whole].width, lie[whole].height);
            s->below = (uint32_t)o->below_start[k];
            s->given = passed ? !whole : node[step] >= l->graph->nnode;
            s->rows = s->given ? 0 : (uint16_t)own;
            s->row = s->given ? 0 : (uint32_t)l->graph->offset[node[step]];
            s->split = whole ? (uint32_t)++b->nsplit : 0;
            z += s->ld;
            if (whole) b->nperm += 2 * (size_t)size;
            if (whole) b->nmove += o->below_start[k + 1] - o->below_start[k] - 1;
        }
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
    for (size_t e = 0; e < o->below_start[o->count]; e++) start[o->below[e] + 1]++;
    for (int k = 0; k < o->count; k++) start[k + 1] += start[k];
    for (int c = 0; c < o->count; c++)
        for (size_t e = o->below_start[c]; e < o->below_start[c + 1]; e++) {
            size_t at = start[o->below[e]]++;
            l->giver[at] = c;
            l->given_at[at] = (int)(e - o->below_start[c]);
        }
    for (int k = o->count; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
}

/* ---- loads ---- */

static void emit_load(vgLinBlock *b, vgLinLoad *loads, vgLinLoadKind kind, vgLinLoad item)
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

static void schedule_loads(const layout *l, vgLinBlock *b, const vgLinStep *steps, vgLinLoad *loads, int k,
                           const int *pair_of)
{
    const vgLinGraph *g = l->graph;
    const vgLinOrder *o = l->order;
    int node = o->node[k];
    const vgLinStep *s = &steps[l->first[k]];
    const uint32_t *column = s->split ? l->all_column : l->column, *row = s->split ? l->all_row : l->row;
    int rest = s->split ? rest_of(l, k) : -1;
    if (!s->given)
        emit_load(b, loads, VG_LIN_LOAD_STRAIGHT,
                  (vgLinLoad){.to = s->panel,
                              .from = (uint32_t)g->diag[node],
                              .ld = s->ld,
                              .rows = s->size,
                              .cols = s->size});
    for (size_t e = o->below_start[k]; e < o->below_start[k + 1]; e++) {
        if (l->moved[e] || o->below[e] == rest) continue;
        int other = o->node[o->below[e]], pair = other < g->nnode ? pair_of[other] : -1;
        uint16_t size = (uint16_t)size_at(l, o->below[e]);
        vgLinLoad right = {
            .to = s->panel + s->ld * (s->size + column[e]), .ld = s->ld, .rows = s->size, .cols = size};
        vgLinLoad down = {.to = s->lower + row[e], .ld = s->ldl, .rows = size, .cols = s->size};
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

static void emit_update(vgLinBlock *b, vgLinGemm *updates, vgLinGemm op)
{
    op.kernel = (uint16_t)vg_lin_gemm_kernel((int)op.vectors, (int)op.k);
    if (updates) updates[b->nupdate] = op;
    b->nupdate++;
}

/* Update of the panels of k by the earlier node c, whose list of later neighbours has k at index t. Blocks that
 * are adjacent in both panels are updated together. */
static void schedule_update(const layout *l, vgLinBlock *b, const vgLinStep *steps, vgLinGemm *updates, int c,
                            int t, int k)
{
    const vgLinOrder *o = l->order;
    const vgLinStep *from = &steps[l->first[c] + (passed_at(l, c) > 0)], *to = &steps[l->first[k]];
    const uint32_t *column = to->split ? l->all_column : l->column, *row = to->split ? l->all_row : l->row;
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
        uint32_t c_at = to->panel + ldc * (to->size + column[in_k]), l_at = to->lower + row[in_k];
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
static void schedule(const layout *l, vgLinBlock *b, vgLinStep *steps, vgLinLoad *loads, vgLinGemm *updates,
                     int *pair_of)
{
    const vgLinGraph *g = l->graph;
    const vgLinOrder *o = l->order;
    b->nload = b->nupdate = 0;
    for (int k = 0; k < o->count; k++) {
        int node = o->node[k], real = node < g->nnode ? node : 0;
        int near = node < g->nnode ? g->start[node + 1] : g->start[0];
        vgLinStep *s = &steps[l->first[k]];
        for (int a = g->start[real]; a < near; a++) pair_of[g->near[a]] = g->pair[a];
        s->load = (uint32_t)b->nload;
        s->update = (uint32_t)b->nupdate;
        schedule_loads(l, b, steps, loads, k, pair_of);
        for (size_t e = l->giver_start[k]; e < l->giver_start[k + 1]; e++)
            schedule_update(l, b, steps, updates, l->giver[e], l->given_at[e], k);
        for (int a = g->start[real]; a < near; a++) pair_of[g->near[a]] = -1;
        if (s->split) s[1].load = (uint32_t)b->nload, s[1].update = (uint32_t)b->nupdate;
    }
    steps[b->nstep] = (vgLinStep){.load = (uint32_t)b->nload,
                                  .update = (uint32_t)b->nupdate,
                                  .below = (uint32_t)o->below_start[o->count]};
}

static size_t entry_of(const vgLinOrder *o, int k, int other) /* of the list of k */
{
    size_t e = o->below_start[k];
    while (o->below[e] != other) e++;
    return e;
}

/* The blocks that belong to the rows passed on from position k are in the panels of whichever of the two nodes is
 * eliminated first. */
static void mark_moved(const layout *l, int k)
{
    const vgLinOrder *o = l->order;
    int rest = rest_of(l, k);
    for (size_t e = o->below_start[k]; e < o->below_start[k + 1]; e++) {
        int other = o->below[e];
        if (other == rest) continue;
        l->moved[other > rest ? entry_of(o, rest, other) : entry_of(o, other, rest)] = 1;
    }
}

static void schedule_split(const layout *l, const vgLinStep *steps, int k, vgLinSplit *split, vgLinMove *move)
{
    const vgLinOrder *o = l->order;
    int rest = rest_of(l, k);
    const vgLinStep *r = &steps[l->first[rest]];
    size_t own = entry_of(o, k, rest);
    split->rest = (uint32_t)l->first[rest];
    split->column = l->column[own];
    split->row = l->row[own];
    for (size_t e = o->below_start[k]; e < o->below_start[k + 1]; e++) {
        int other = o->below[e];
        if (other == rest) continue;
        const vgLinStep *t = other > rest ? r : &steps[l->first[other]];
        int gathers = other < rest && t->split;
        size_t at = other > rest ? entry_of(o, rest, other) : entry_of(o, other, rest);
        *move++ =
            (vgLinMove){.size = (uint32_t)size_at(l, other),
                        .all_column = l->all_column[e],
                        .all_row = l->all_row[e],
                        .column = l->column[e],
                        .row = l->row[e],
                        .later = other > rest,
                        .right = t->panel + t->ld * (t->size + (gathers ? l->all_column[at] : l->column[at])),
                        .down = t->lower + (gathers ? l->all_row[at] : l->row[at]),
                        .ld = t->ld,
                        .ldl = t->ldl};
    }
}

static void schedule_splits(const layout *l, vgLinBlock *b)
{
    const vgLinOrder *o = l->order;
    uint32_t split = 0, move = 0, perm = 0;
    for (int k = 0; k < o->count; k++) {
        if (!passed_at(l, k)) continue;
        b->splits[split].move = move;
        b->splits[split].perm = perm;
        schedule_split(l, b->steps, k, &b->splits[split], b->moves + move);
        move += (uint32_t)(o->below_start[k + 1] - o->below_start[k] - 1);
        perm += 2 * (uint32_t)size_at(l, k);
        b->splits[split++].end = move;
    }
}

static vgStatus build(const vgLin *lin, layout *l, vgLinBlock *b, int *pair_of)
{
    const vgLinOrder *o = l->order;
    vgLinStep *steps = calloc(2 * (size_t)b->count + 1, sizeof *steps);
    int *node = calloc(2 * (size_t)b->count + 1, sizeof *node);
    vgStatus status = steps && node ? VG_OK : VG_NO_MEMORY;
    if (status == VG_OK && !(lay_out(l, b, steps, node) && lin->nvalue <= UINT32_MAX)) status = VG_LIMIT;
    if (status == VG_OK) {
        b->nstep = b->count + (int)b->nsplit;
        transpose_below(l);
        for (int k = 0; k < b->count; k++)
            if (passed_at(l, k)) mark_moved(l, k);
        for (int i = 0; i < l->graph->nnode; i++) pair_of[i] = -1;
        schedule(l, b, steps, NULL, NULL, pair_of);
        vgArena arena = {0};
        place(b, &arena);
        status = vg_arena_alloc(&b->arena, arena.used);
    }
    if (status == VG_OK) {
        place(b, &b->arena);
        schedule(l, b, steps, b->loads, b->updates, pair_of);
        memcpy(b->steps, steps, ((size_t)b->nstep + 1) * sizeof *steps);
        memcpy(b->node, node, (size_t)b->nstep * sizeof *node);
        schedule_splits(l, b);
        for (size_t e = 0; e < b->nbelow; e++) {
            const vgLinStep *j = &steps[l->first[o->below[e]]];
            b->below[e] = (vgLinBelow){.z = j->z, .size = j->size, .vectors = j->ld / 4};
        }
        b->z += b->largest; /* room for one column before the vector */
    }
    free(steps);
    free(node);
    return status;
}

vgStatus vg_lin_block_plan(const vgLin *lin, const vgLinOrder *order, void **impl)
{
    size_t count = (size_t)order->count, nbelow = order->below_start[order->count];
    vgLinBlock *b = calloc(1, sizeof *b);
    layout l = {.graph = &lin->graph, .order = order};
    vgPool *pool = vg_pool_new(VG_BYTES_2_TO(34));
    vgStatus status = VG_NO_MEMORY;
    if (pool) {
        l.first = VG_NEW(pool, int, count + 1);
        l.column = VG_NEW(pool, uint32_t, 4 * nbelow + 1);
        l.giver = VG_NEW(pool, int, 2 * nbelow + 1);
        l.moved = VG_NEW(pool, unsigned char, nbelow + 1);
        l.giver_start = VG_NEW(pool, size_t, count + 2);
    }
    int *pair_of = pool ? VG_NEW(pool, int, lin->graph.nnode + 1) : NULL;
    if (b && l.first && l.column && l.giver && l.moved && l.giver_start && pair_of) {
        l.row = l.column + nbelow;
        l.all_column = l.row + nbelow;
        l.all_row = l.all_column + nbelow;
        l.given_at = l.giver + nbelow;
        b->count = order->count;
        b->nbelow = nbelow;
        status = build(lin, &l, b, pair_of);
    }
    vg_pool_free(pool);
    if (status == VG_OK)
        *impl = b;
    else if (b)
        vg_lin_block_free(b);
    return status;
}
