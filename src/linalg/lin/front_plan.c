/* Set-up of the backend of fronts: which nodes go together, and the places of everything. */
#include "linalg/lin/front.h"

#include <math.h>
#include <stdlib.h>

/* A front is merged with its parent where that takes less time in all. In operations of the product, of which some eight take a
 * nanosecond: the sum of a rest into the parent takes about as long for each entry, a front some 300 ns besides. */
static const double ENTRY_COST = 8, FRONT_COST = 2500;
static const double MOST_ENTRIES = 4e9; /* of factors and rests together: 32 GB */

typedef struct merge { /* set-up only; [count] of positions of the order */
    const vgLinGraph *graph;
    const vgLinOrder *order;
    int *into;        /* the last position of the front; itself: it is the last */
    int *own, *width; /* rows */
    int *front;       /* number of the front */
    int *local;       /* [nnode] first row in the front at hand */
    int *given;       /* [nnode] number of the first of its rows that are passed on */
    int *child, *next;
} merge;

/* Rows of a node of the order: those that node i passes on are node nnode + i. */
static int order_rows(const vgLinGraph *g, int node)
{
    return node < g->nnode ? g->size[node] : g->pass[node - g->nnode];
}

static double elimination_cost(double p, double b)
{
    return 2 * p * (p * p / 3 + p * b + b * b) + ENTRY_COST * b * b + FRONT_COST;
}

static int first_below(const vgLinOrder *o, int k)
{
    return o->below_start[k] < o->below_start[k + 1] ? o->below[o->below_start[k]] : -1;
}

/* Children before parents; a child may have children of its own, which then are the parent's. */
static int merge_fronts(merge *m)
{
    const vgLinOrder *o = m->order;
    int nfront = 0;
    for (int k = 0; k < o->count; k++) m->child[k] = m->next[k] = -1;
    for (int k = 0; k < o->count; k++) {
        int parent = first_below(o, k);
        m->into[k] = k;
        m->own[k] = order_rows(m->graph, o->node[k]);
        for (size_t a = o->below_start[k]; a < o->below_start[k + 1]; a++)
            m->width[k] += order_rows(m->graph, o->node[o->below[a]]);
        for (int c = m->child[k], *link = &m->child[k]; c >= 0; c = *link) {
            double apart =
                elimination_cost(m->own[c], m->width[c]) + elimination_cost(m->own[k], m->width[k]);
            if (elimination_cost(m->own[c] + m->own[k], m->width[k]) > apart) {
                link = &m->next[c];
                continue;
            }
            m->own[k] += m->own[c];
            m->into[c] = k;
            if (m->child[c] < 0) {
                *link = m->next[c];
                continue;
            }
            int last = m->child[c]; /* its children take its place, and are looked at too */
            while (m->next[last] >= 0) last = m->next[last];
            m->next[last] = m->next[c];
            *link = m->child[c];
        }
        if (parent >= 0) {
            m->next[k] = m->child[parent];
            m->child[parent] = k;
        }
    }
    for (int k = o->count - 1; k >= 0; k--) m->into[k] = m->into[m->into[k]]; /* parents come later */
    for (int k = 0; k < o->count; k++)
        if (m->into[k] == k) m->front[k] = nfront++;
    for (int k = 0; k < o->count; k++) m->front[k] = m->front[m->into[k]];
    return nfront;
}

static void take_plan(vgLinFronts *b, vgArena *a)
{
    b->front = VG_TAKE(a, vgFront, b->nfront + 1);
    b->child = VG_TAKE(a, int, b->nfront);
    b->rows = VG_TAKE(a, int, b->nrow);
    b->slot = VG_TAKE(a, int, b->nrow);
    b->load = VG_TAKE(a, vgFrontLoad, b->nload);
    b->turn = VG_TAKE(a, int, b->n);
    b->given_row = VG_TAKE(a, int, b->ngiven);
    b->given_col = VG_TAKE(a, int, b->ngiven);
    b->spot = VG_TAKE(a, int, b->n + b->ngiven);
    b->history = VG_TAKE(a, double, b->n);
    b->weight = VG_TAKE(a, double, b->n);
    b->y = VG_TAKE(a, double, b->n);
    b->z = VG_TAKE(a, double, b->n);
}

static void take_room(vgLinFronts *b, vgArena *a)
{
    size_t m = (size_t)b->largest, ld = vg_front_ld(b->largest);
    b->ids = VG_TAKE(a, int, b->nid);
    b->map = VG_TAKE(a, int, m);
    b->x = VG_TAKE(a, double, ld + 4);
    b->work = VG_TAKE(a, double, m *ld + 4);
    b->factor = VG_TAKE(a, double, b->nfactor + 4);
    b->stack = VG_TAKE(a, double, b->nstack + 4);
}

/* One block of the matrix, whose first node is eliminated in this front. */
static void add_load(vgLinFronts *b, const merge *m, int i, int j, int at)
{
    const vgLinGraph *g = m->graph;
    vgFrontLoad load = {.row = m->local[i], .col = m->local[j], .rows = g->size[i], .cols = g->size[j]};
    if (i == j) {
        load.from = g->diag[i];
    } else {
        const vgLinPair *p = &g->pairs[g->pair[at]];
        load.turned = p->i != i && p->mirror;
        load.from = p->i == i || p->mirror ? p->ij : p->ji;
    }
    b->load[b->nload++] = load;
}

/* Blocks (node, other) and (other, node) belong to the front of the one that is eliminated first. */
static void load_node(vgLinFronts *b, const merge *m, int node)
{
    const vgLinGraph *g = m->graph;
    const int k = m->order->position[node];
    add_load(b, m, node, node, 0);
    for (int a = g->start[node]; a < g->start[node + 1]; a++) {
        int other = g->near[a];
        if (m->order->position[other] < k) continue;
        add_load(b, m, node, other, a);
        for (int c = g->start[other]; c < g->start[other + 1]; c++)
            if (g->near[c] == node) add_load(b, m, other, node, c);
    }
}

static void list_rows(vgLinFronts *b, merge *m, int node, int *local)
{
    const vgLinGraph *g = m->graph;
    const int first = node < g->nnode ? g->offset[node] : m->given[node - g->nnode];
    if (node < g->nnode) m->local[node] = *local;
    for (int r = 0; r < order_rows(g, node); r++, ++*local) b->rows[b->nrow++] = first + r;
}

/* What a node of the front passes on is given away, unless it is eliminated in the same front. */
typedef enum part { OWN, GIVE, BORDER } part;
static part part_of(const merge *m, int f, int node)
{
    const int own = m->front[m->order->position[node]] == f;
    const int given = node >= m->graph->nnode && m->front[m->order->position[node - m->graph->nnode]] == f;
    return given ? GIVE : own ? OWN : BORDER;
}

static void fill_front(vgLinFronts *b, merge *m, int f, const int *own, int nown)
{
    const vgLinOrder *o = m->order;
    vgFront *x = &b->front[f];
    const int last = own[nown - 1], above = first_below(o, last);
    int local = 0;
    x->rows = b->nrow;
    x->load = b->nload;
    for (int i = 0; i < nown; i++)
        if (part_of(m, f, o->node[own[i]]) == OWN) list_rows(b, m, o->node[own[i]], &local);
    x->own = local;
    for (size_t a = o->below_start[last]; a < o->below_start[last + 1]; a++)
        if (part_of(m, f, o->node[o->below[a]]) == GIVE) list_rows(b, m, o->node[o->below[a]], &x->give);
    for (size_t a = o->below_start[last]; a < o->below_start[last + 1]; a++)
        if (part_of(m, f, o->node[o->below[a]]) == BORDER) list_rows(b, m, o->node[o->below[a]], &local);
    x->border = local - x->own;
    for (int i = 0; i < nown; i++)
        if (o->node[own[i]] < m->graph->nnode) load_node(b, m, o->node[own[i]]);
    x->load_end = b->nload;
    x->parent = above < 0 ? -1 : m->front[above];
}

/* Rows, loads and children of all fronts; own_node lists the positions by front, own_start where each begins. */
static void fill(vgLinFronts *b, merge *m, const int *own_start, const int *own_node)
{
    b->nrow = b->nload = 0;
    for (int f = 0; f < b->nfront; f++)
        fill_front(b, m, f, own_node + own_start[f], own_start[f + 1] - own_start[f]);
    for (int f = 0, at = 0; f < b->nfront;
         f++) { /* children, by counting: child is used as a cursor at first */
        if (b->front[f].parent >= 0) b->front[b->front[f].parent].end++;
        if (f + 1 < b->nfront) continue;
        for (int p = 0; p < b->nfront; p++) {
            int count = b->front[p].end;
            b->front[p].child = b->front[p].end = at;
            at += count;
        }
    }
    for (int f = 0; f < b->nfront; f++) {
        int p = b->front[f].parent;
        if (p >= 0) b->child[b->front[p].end++] = f;
    }
    for (int p = 0; p < b->nfront; p++) { /* places of the children's borders */
        const vgFront *x = &b->front[p];
        for (int i = 0; i < x->own + x->border; i++)
            b->spot[b->rows[x->rows + (size_t)(i < x->own ? i : i + x->give)]] = i;
        for (int c = x->child; c < x->end; c++) {
            const vgFront *y = &b->front[b->child[c]];
            for (int i = y->own; i < y->own + y->give + y->border; i++)
                b->slot[y->rows + (size_t)i] = b->spot[b->rows[y->rows + (size_t)i]];
        }
    }
}

void vg_lin_fronts_come(vgLinFronts *b, vgFront *x)
{
    x->come = 0;
    for (int c = x->child; c < x->end; c++) {
        vgFront *y = &b->front[b->child[c]];
        y->at = x->come;
        x->come += y->pass;
    }
}

/* The sizes of the trial are taken. For the rows that are passed on besides, ids, work and stack have room in each front, and
 * factors too, but for a large matrix not at once in all of them: a quarter is added and FACTOR_SPARE numbers, a megabyte.
 * A factorisation that needs more is left to the sparse backend. */
static const double FACTOR_PART = 0.25, FACTOR_SPARE = 1 << 17;

/* Doubles in the factors of a front to which `come` rows more come. */
static double most_factors(const vgFront *x, int come)
{
    const int m = vg_front_size(x) + come, p = vg_front_pivots(x) + come;
    return (double)vg_front_pad(m) * p + (double)vg_front_pad(p) * (vg_front_rest(x) + VG_FRONT_SPARE);
}

static double expected_cost(double m, double p)
{
    return 300 + m * m + 0.25 * p * m * m; /* eight operations of a product take a nanosecond */
}

static void measure_room(vgLinFronts *b)
{
    double most_factor = 0;
    size_t top = 0;
    b->nid = b->nfill = b->nstack = 0;
    b->largest = 0;
    for (int f = 0; f < b->nfront; f++) {
        vgFront *x = &b->front[f];
        const int most = x->parent < 0 ? 0 : VG_FRONT_SPARE, come = VG_FRONT_SPARE * (x->end - x->child);
        const size_t rest = (size_t)(vg_front_rest(x) + most);
        vg_lin_fronts_come(b, x);
        x->usual = x->pass;
        for (int c = x->child; c < x->end; c++) {
            const size_t r = (size_t)(vg_front_rest(&b->front[b->child[c]]) + VG_FRONT_SPARE);
            top -= r * r;
        }
        top += rest * rest;
        if (top > b->nstack) b->nstack = top;
        b->nid += 2 * (size_t)(x->own + x->come + come + x->border);
        b->nfill += vg_front_factor(x);
        most_factor += most_factors(x, come);
        x->cost = expected_cost(vg_front_size(x), vg_front_pivots(x));
        if (vg_front_size(x) + come > b->largest) b->largest = vg_front_size(x) + come;
    }
    b->nfactor = (size_t)fmin(most_factor, (1 + FACTOR_PART) * (double)b->nfill + FACTOR_SPARE);
}

static void place_ids(vgLinFronts *b)
{
    int *ids = b->ids;
    for (int f = 0; f < b->nfront; f++) {
        vgFront *x = &b->front[f];
        const int most = x->own + x->come + VG_FRONT_SPARE * (x->end - x->child) + x->border;
        x->row = ids;
        x->col = ids + most;
        ids += 2 * most;
    }
}

vgStatus vg_lin_fronts_place(vgLinFronts *b)
{
    vgArena measure = {0};
    vg_arena_free(&b->room);
    b->room = (vgArena){0};
    measure_room(b);
    if ((double)b->nfactor + (double)b->nstack > MOST_ENTRIES) return VG_LIMIT;
    take_room(b, &measure);
    vgStatus status =
        vg_arena_reserve(&b->room, measure.used); /* some matrices of a run are never factored */
    if (status != VG_OK) return status;
    take_room(b, &b->room);
    place_ids(b);
    return VG_OK;
}

void vg_lin_fronts_free(void *impl)
{
    vgLinFronts *b = impl;
    vg_arena_free(&b->plan);
    vg_arena_free(&b->room);
    free(b);
}

static vgStatus build(const vgLin *lin, vgLinFronts *b, merge *m, vgPool *pool)
{
    const vgLinOrder *o = m->order;
    b->n = lin->graph.n;
    for (int i = 0; i < m->graph->nnode; i++) {
        m->given[i] = b->n + b->ngiven;
        b->ngiven += m->graph->pass[i];
    }
    b->nfront = merge_fronts(m);
    int *own_start = VG_NEW(pool, int, b->nfront + 2), *own_node = VG_NEW(pool, int, o->count + 1);
    if (!own_start || !own_node) return VG_NO_MEMORY;
    for (int k = 0; k < o->count; k++) {
        own_start[m->front[k] + 1]++;
        b->nrow += (size_t)(order_rows(m->graph, o->node[k]) + (m->into[k] == k ? m->width[k] : 0));
    }
    for (int f = 0; f < b->nfront; f++) own_start[f + 1] += own_start[f];
    for (int k = 0; k < o->count; k++) own_node[own_start[m->front[k]]++] = k;
    for (int f = b->nfront; f > 0; f--) own_start[f] = own_start[f - 1];
    own_start[0] = 0;
    b->nload = (size_t)m->graph->nnode + 2 * (size_t)m->graph->npair;
    vgArena measure = {0};
    take_plan(b, &measure);
    vgStatus status = vg_arena_alloc(&b->plan, measure.used);
    if (status != VG_OK) return status;
    take_plan(b, &b->plan);
    fill(b, m, own_start, own_node);
    return vg_lin_fronts_place(b);
}

vgStatus vg_lin_fronts_plan(const vgLin *lin, const vgLinOrder *order, void **impl)
{
    vgLinFronts *b = calloc(1, sizeof *b);
    vgPool *pool = vg_pool_new(VG_BYTES_2_TO(34));
    merge m = {.graph = &lin->graph, .order = order};
    vgStatus status = VG_NO_MEMORY;
    if (b && pool) {
        int **columns[] = {&m.into, &m.own, &m.width, &m.front, &m.child, &m.next, &m.local, &m.given};
        int fits = 1;
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
            fits = (*columns[c] = VG_NEW(pool, int, order->count + lin->graph.nnode + 1)) && fits;
        if (fits) status = build(lin, b, &m, pool);
    }
    vg_pool_free(pool);
    if (status == VG_OK)
        *impl = b;
    else if (b)
        vg_lin_fronts_free(b);
    return status;
}
