/* Elimination order of a saddle graph: minimum degree (degree = rows of the live neighbours, ties to the node
 * touched last, so that a chain is eaten from its end), under one rule: a dual node is eliminated only when
 * the primal nodes already eliminated can carry its rows.
 *
 * Its pivot block is −B M⁻¹ Bᵀ, summed over the eliminated part of the graph. That has full rank only if the
 * dual rows of the part can be matched, each to a different primal row of a neighbouring eliminated node
 * (Hall). The matching is kept as an integer flow dual → primal with the primal sizes as capacities, and a
 * candidate is accepted when an augmenting path finds room for all its rows. On trees this ends in the
 * articulated-body order, body, joint, parent body, …, with no fill at all, also around a hub with many
 * joints, where waiting for every neighbour would couple all the joints. What the flow cannot see (rows that
 * are dependent by their numbers) a trial with numbers finds (vg_lin_learn): such a node passes rows on, which
 * then wait for others as a node of their own, or waits as a whole. What comes up later is caught by the pivot
 * check of the factorisation.
 *
 * The order found is then made a postorder of the elimination tree: the same fill, and contributions come
 * from memory just written. */
#include "linalg/lin/impl.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH_DEPTH = 24, SEARCH_NODES = 400 };

/* Where an elimination takes fewer operations a row than this, dissection is not tried: the order would be found twice, for a
 * gain of less than a microsecond a body. */
static const double DISSECT_FLOPS = 2000;

enum { WAITING, READY, GONE };

/* Arrays [nodes] have room for twice nnode: node nnode + i are the rows that node i passes on. */
typedef struct state {
    const vgLinGraph *graph;
    vgPool *pool;
    int **list;        /* [nodes] live neighbours; frozen when the node is eliminated */
    int *count, *room; /* [nodes] */
    int *where;        /* WAITING, READY or GONE */
    int *degree;
    int *stage;    /* smaller ones are eliminated first (dissect.c) */
    int *stamp;    /* of the last touch; larger wins a tie */
    int *mark;     /* [nodes] of the current sweep */
    int *heap;     /* ready nodes */
    int *heap_pos; /* [nodes] */
    int nheap, clock, sweep;
    int *free_rows; /* [nodes] of an eliminated primal node: rows that carry no dual row yet */
    int *flow;      /* [npair] dual rows carried by the primal end */
    int *seen;      /* [nodes] of the current search */
    int search, visits;
    int *sequence; /* [nodes] elimination sequence */
    int nsequence;
} state;

static int is_dual(const state *s, int node)
{
    return node >= s->graph->nnode || s->graph->dual[node];
}
/* Rows of a node as its neighbours see it. */
static int rows_of(const state *s, int node)
{
    const int n = s->graph->nnode;
    return node < n ? s->graph->size[node] : s->graph->pass[node - n];
}

static int before(const state *s, int a, int b)
{
    if (s->stage[a] != s->stage[b]) return s->stage[a] < s->stage[b];
    if (s->degree[a] != s->degree[b]) return s->degree[a] < s->degree[b];
    if (s->stamp[a] != s->stamp[b]) return s->stamp[a] > s->stamp[b];
    return a > b;
}

static void heap_up(state *s, int at)
{
    int node = s->heap[at];
    while (at > 0 && before(s, node, s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        s->heap_pos[s->heap[at]] = at;
        at = (at - 1) / 2;
    }
    s->heap[at] = node;
    s->heap_pos[node] = at;
}

static void heap_down(state *s, int at)
{
    int node = s->heap[at];
    for (;;) {
        int child = 2 * at + 1;
        if (child >= s->nheap) break;
        if (child + 1 < s->nheap && before(s, s->heap[child + 1], s->heap[child])) child++;
        if (!before(s, s->heap[child], node)) break;
        s->heap[at] = s->heap[child];
        s->heap_pos[s->heap[at]] = at;
        at = child;
    }
    s->heap[at] = node;
    s->heap_pos[node] = at;
}

static void heap_add(state *s, int node)
{
    s->where[node] = READY;
    s->heap[s->nheap] = node;
    heap_up(s, s->nheap++);
}

static int heap_pop(state *s)
{
    int top = s->heap[0], last = s->heap[--s->nheap];
    if (s->nheap > 0) {
        s->heap[0] = last;
        heap_down(s, 0);
    }
    s->where[top] = WAITING;
    return top;
}

/* Moves up to `need` rows of a dual node onto eliminated primal neighbours, rerouting rows of other duals
 * when their neighbours are full. Returns the rows placed. */
static int place_rows(state *s, int dual, int need, int depth)
{
    const vgLinGraph *g = s->graph;
    int placed = 0;
    for (int a = g->start[dual]; a < g->start[dual + 1] && placed < need; a++) {
        int p = g->near[a];
        if (g->dual[p] || s->where[p] != GONE || s->free_rows[p] == 0) continue;
        int take = s->free_rows[p] < need - placed ? s->free_rows[p] : need - placed;
        s->free_rows[p] -= take;
        s->flow[g->pair[a]] += take;
        placed += take;
    }
    if (depth >= SEARCH_DEPTH) return placed;
    for (int a = g->start[dual]; a < g->start[dual + 1] && placed < need; a++) {
        int p = g->near[a];
        if (g->dual[p] || s->where[p] != GONE || s->seen[p] == s->search) continue;
        s->seen[p] = s->search;
        for (int b = g->start[p]; b < g->start[p + 1] && placed < need; b++) {
            int other = g->near[b], carried = s->flow[g->pair[b]];
            if (!g->dual[other] || other == dual || carried == 0) continue;
            if (++s->visits > SEARCH_NODES) return placed;
            int ask = carried < need - placed ? carried : need - placed;
            int moved = place_rows(s, other, ask, depth + 1);
            s->flow[g->pair[b]] -= moved;
            s->flow[g->pair[a]] += moved;
            placed += moved;
        }
    }
    return placed;
}

/* The rows that a node passes on find no room where it has been eliminated: they ask for room of their own. */
static int can_carry(state *s, int node)
{
    const vgLinGraph *g = s->graph;
    const int dual = node < g->nnode ? node : node - g->nnode, whole = node == dual && g->pass[dual] > 0;
    const int rows = rows_of(s, node) + (whole ? 0 : g->wait[dual]);
    int placed = 0;
    for (;;) { /* each search may open a path the last one closed behind itself */
        s->search++;
        s->visits = 0;
        int more = place_rows(s, dual, rows - placed, 0);
        placed += more;
        if (placed == rows) return 1;
        if (more == 0) break;
    }
    for (int a = g->start[dual]; a < g->start[dual + 1] && placed > 0; a++) {
        if (g->dual[g->near[a]]) continue;
        int back = s->flow[g->pair[a]] < placed ? s->flow[g->pair[a]] : placed;
        s->free_rows[g->near[a]] += back;
        s->flow[g->pair[a]] -= back;
        placed -= back;
    }
    return 0;
}

static int append(state *s, int node, int other)
{
    if (s->count[node] == s->room[node]) {
        int room = s->room[node] * 2 + 4;
        int *grown = vg_pool_grow(s->pool, s->list[node], (size_t)s->count[node] * sizeof(int),
                                  (size_t)room * sizeof(int));
        if (!grown) return 0;
        s->list[node] = grown;
        s->room[node] = room;
    }
    s->list[node][s->count[node]++] = other;
    return 1;
}

/* Removes the node; its live neighbours, with the rows that it passes on, become a clique. */
static int eliminate(state *s, int node)
{
    const vgLinGraph *g = s->graph;
    s->where[node] = GONE;
    s->sequence[s->nsequence++] = node;
    if (!is_dual(s, node)) s->free_rows[node] = g->size[node];
    if (node < g->nnode && g->pass[node] > 0) {
        int rest = node + g->nnode;
        s->where[rest] = WAITING;
        s->degree[rest] = g->size[node];
        if (!append(s, node, rest)) return 0;
    }
    for (int a = 0; a < s->count[node]; a++) {
        int i = s->list[node][a], kept = 0;
        s->sweep++;
        s->mark[i] = s->sweep;
        for (int b = 0; b < s->count[i]; b++) {
            int other = s->list[i][b];
            if (other == node) continue;
            s->mark[other] = s->sweep;
            s->list[i][kept++] = other;
        }
        s->count[i] = kept;
        s->degree[i] -= rows_of(s, node);
        for (int b = 0; b < s->count[node]; b++) {
            int other = s->list[node][b];
            if (s->mark[other] == s->sweep) continue;
            if (!append(s, i, other)) return 0;
            s->degree[i] += rows_of(s, other);
        }
    }
    s->clock++;
    for (int a = 0; a < s->count[node]; a++) {
        int i = s->list[node][a];
        s->stamp[i] = s->clock;
        if (s->where[i] == READY) {
            heap_up(s, s->heap_pos[i]);
            heap_down(s, s->heap_pos[i]);
        } else {
            heap_add(s, i); /* a waiting dual may find room now */
        }
    }
    return 1;
}

static int run(state *s)
{
    const vgLinGraph *g = s->graph;
    for (int i = 0; i < g->nnode; i++) {
        int near = g->start[i + 1] - g->start[i];
        s->list[i] = VG_NEW(s->pool, int, near + 1);
        if (!s->list[i]) return 0;
        s->count[i] = s->room[i] = near;
        for (int a = 0; a < near; a++) {
            s->list[i][a] = g->near[g->start[i] + a];
            s->degree[i] += g->size[s->list[i][a]];
        }
    }
    int count = g->nnode;
    for (int i = 0; i < g->nnode; i++) {
        if (!g->dual[i]) heap_add(s, i);
        s->where[g->nnode + i] = GONE; /* until there is something to pass on */
        count += g->pass[i] > 0;
    }
    int forced = 0; /* duals that nothing can carry: singular unless their diagonal is regularised */
    while (s->nsequence < count) {
        if (s->nheap == 0) {
            forced = 1;
            for (int i = 0; i < 2 * g->nnode; i++)
                if (s->where[i] == WAITING) heap_add(s, i);
        }
        int node = heap_pop(s);
        if (is_dual(s, node) && !forced && !can_carry(s, node)) continue;
        if (!eliminate(s, node)) return 0;
    }
    return 1;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sort_ints(int *list, int n)
{
    if (n > 16) {
        qsort(list, (size_t)n, sizeof *list, compare_ints);
        return;
    }
    for (int i = 1; i < n; i++) {
        int value = list[i], at = i;
        for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
        list[at] = value;
    }
}

/* Postorder of the elimination tree, parent = the neighbour that is eliminated first. position, heap and heap_pos
 * serve as scratch. */
static void postorder(state *s, vgLinOrder *order)
{
    int n = s->nsequence, *step = s->mark, *first_child = s->heap, *sibling = s->heap_pos;
    int *stack = s->seen, *parent = s->stamp;
    for (int k = 0; k < n; k++) {
        step[s->sequence[k]] = k;
        first_child[k] = -1;
    }
    for (int k = n - 1; k >= 0; k--) { /* in node names; children end up in ascending sequence */
        int node = s->sequence[k], best = INT_MAX;
        for (int a = 0; a < s->count[node]; a++)
            if (step[s->list[node][a]] < best) best = step[s->list[node][a]];
        parent[k] = best == INT_MAX ? -1 : best;
        if (parent[k] >= 0) {
            sibling[k] = first_child[parent[k]];
            first_child[parent[k]] = k;
        }
    }
    int done = 0;
    for (int root = 0; root < n; root++) {
        if (parent[root] >= 0) continue;
        int depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            int top = stack[depth - 1], child = first_child[top];
            if (child >= 0) {
                first_child[top] = sibling[child];
                stack[depth++] = child;
            } else {
                depth--;
                order->node[done] = s->sequence[top];
                order->position[s->sequence[top]] = done++;
            }
        }
    }
}

static vgStatus finish(state *s, vgLinOrder *order)
{
    const vgLinGraph *g = s->graph;
    order->count = s->nsequence;
    postorder(s, order);
    size_t total = 0;
    for (int i = 0; i < 2 * g->nnode; i++) total += (size_t)s->count[i];
    order->below = malloc((total + 1) * sizeof(int));
    if (!order->below) return VG_NO_MEMORY;
    size_t at = 0;
    for (int k = 0; k < order->count; k++) {
        int node = order->node[k];
        double width = 0, size = rows_of(s, node) - (node < g->nnode ? g->pass[node] : 0);
        order->below_start[k] = at;
        for (int a = 0; a < s->count[node]; a++) {
            order->below[at + (size_t)a] = order->position[s->list[node][a]];
            width += rows_of(s, s->list[node][a]);
        }
        sort_ints(order->below + at, s->count[node]);
        at += (size_t)s->count[node];
        order->flops += 2 * size * (size * size + size * width + width * width);
    }
    order->below_start[order->count] = at;
    return VG_OK;
}

static int stages(state *s, int dissect)
{
    const int n = s->graph->nnode;
    if (!dissect) return 1;
    if (!vg_lin_dissect(s->graph, s->pool, s->stage)) return 0;
    memcpy(s->stage + n, s->stage, (size_t)n * sizeof *s->stage); /* what a node passes on */
    return 1;
}

static vgStatus find_order(const vgLinGraph *graph, int dissect, vgLinOrder *order)
{
    size_t n = 2 * (size_t)graph->nnode;
    memset(order, 0, sizeof *order);
    order->node = malloc((n + 1) * sizeof(int));
    order->position = malloc((n + 1) * sizeof(int));
    order->below_start = malloc((n + 1) * sizeof(size_t));
    state s = {.graph = graph, .pool = vg_pool_new(VG_BYTES_2_TO(34))};
    vgStatus status = VG_NO_MEMORY;
    if (order->node && order->position && order->below_start && s.pool) {
        int **columns[] = {&s.count, &s.room,     &s.where,     &s.degree, &s.stamp,    &s.mark,
                           &s.heap,  &s.heap_pos, &s.free_rows, &s.seen,   &s.sequence, &s.stage};
        int fits = 1;
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
            fits = (*columns[c] = VG_NEW(s.pool, int, n + 1)) && fits;
        s.list = VG_NEW(s.pool, int *, n + 1);
        s.flow = VG_NEW(s.pool, int, graph->npair + 1);
        if (fits && s.list && s.flow && stages(&s, dissect) && run(&s)) status = finish(&s, order);
    }
    vg_pool_free(s.pool);
    if (status != VG_OK) vg_lin_order_free(order);
    return status;
}

vgStatus vg_lin_order_new(const vgLinGraph *graph, vgLinOrder *order)
{
    vgLinOrder other;
    vgStatus status = find_order(graph, 0, order);
    if (status != VG_OK || order->flops < DISSECT_FLOPS * (double)graph->n) return status;
    status = find_order(graph, 1, &other);
    if (status == VG_OK && other.flops < order->flops) {
        vgLinOrder kept = *order;
        *order = other;
        other = kept;
    }
    vg_lin_order_free(&other);
    if (status != VG_OK) vg_lin_order_free(order);
    return status;
}

void vg_lin_order_free(vgLinOrder *order)
{
    free(order->node);
    free(order->position);
    free(order->below_start);
    free(order->below);
    memset(order, 0, sizeof *order);
}
