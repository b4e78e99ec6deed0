/* Nested dissection of a graph [George, SIAM J. Numer. Anal. 10 (1973)]: a part is cut in two by a separator, whose nodes are
 * eliminated after both halves, and so on until parts are small. Within a stage the order is that of minimum degree
 * (order.c). The separator is a level of a breadth-first search from a node at the edge of the part: of the levels that leave
 * no half with more than MOST_SIDE of the rows, the one with the fewest rows; nodes of it that do not touch the next level
 * go back to theirs. On an n × n grid that are n nodes, as many as along a straight cut; in a cube ¾ n² of n². */
#include "linalg/lin/impl.h"

#include <limits.h>

/* A part of so many rows is left to minimum degree: at 500 and 2000 nets and lattices take 0.96 to 1.04 times the operations. */
enum { PART_ROWS = 1000 };
/* A larger half costs more in the next cuts than a narrower separator saves. */
static const double MOST_SIDE = 0.65;
enum { SEARCHES = 3 }; /* for a node at the edge */

typedef struct span { /* list[from .. to) */
    int from, to, depth, connected;
} span;

typedef struct cut { /* set-up only; [nnode] each */
    const vgLinGraph *graph;
    int *depth; /* of the cut that a node is a separator of, NO_CUT: of none. Known when part is SETTLED */
    int *part;  /* number of the part that a node is in */
    int *level; /* of the search, −1: not reached */
    int *queue, *list;
    double *rows; /* of the levels */
    span *open;
    int nopen, nparts, deepest;
} cut;

enum { SETTLED = -1, NO_CUT = INT_MAX };

/* Levels from a node within its part, into the queue behind the first n; the new n. */
static int search(cut *c, int start, int n)
{
    const vgLinGraph *g = c->graph;
    const int part = c->part[start];
    int k = n;
    c->level[start] = 0;
    c->queue[n++] = start;
    for (; k < n; k++) {
        const int i = c->queue[k];
        for (int a = g->start[i]; a < g->start[i + 1]; a++) {
            const int j = g->near[a];
            if (c->part[j] != part || c->level[j] >= 0) continue;
            c->level[j] = c->level[i] + 1;
            c->queue[n++] = j;
        }
    }
    return n;
}

static void forget(cut *c, int n)
{
    for (int k = 0; k < n; k++) c->level[c->queue[k]] = -1;
}

static void open_span(cut *c, int from, int to, int depth, int connected)
{
    if (from == to) return;
    for (int k = from; k < to; k++) c->part[c->list[k]] = c->nparts;
    c->nparts++;
    c->open[c->nopen++] = (span){from, to, depth, connected};
}

/* A span into its connected pieces. */
static void separate(cut *c, const span *s)
{
    const int n = s->to - s->from;
    for (int k = s->from, found = 0; k < s->to; k++)
        if (c->level[c->list[k]] < 0) found = search(c, c->list[k], found);
    memcpy(c->list + s->from, c->queue, (size_t)n * sizeof(int));
    for (int k = 0, first = 0; k < n; k++) {
        if (k + 1 < n && c->level[c->queue[k + 1]] > 0) continue;
        open_span(c, s->from + first, s->from + k + 1, s->depth, 1);
        first = k + 1;
    }
    forget(c, n);
}

/* The level to cut at, −1: none. */
static int best_level(const cut *c, int n)
{
    const vgLinGraph *g = c->graph;
    const int levels = c->level[c->queue[n - 1]] + 1;
    double total = 0, before = 0, least = 0;
    int best = -1;
    for (int l = 0; l < levels; l++) c->rows[l] = 0;
    for (int k = 0; k < n; k++) {
        c->rows[c->level[c->queue[k]]] += g->size[c->queue[k]];
        total += g->size[c->queue[k]];
    }
    for (int l = 0; l < levels && total > PART_ROWS; before += c->rows[l++]) {
        const double after = total - before - c->rows[l];
        if (before > MOST_SIDE * total || after > MOST_SIDE * total) continue;
        if (before == 0 || after == 0 || (best >= 0 && c->rows[l] >= least)) continue;
        best = l;
        least = c->rows[l];
    }
    return best;
}

static int touches_next(const cut *c, int i)
{
    const vgLinGraph *g = c->graph;
    for (int a = g->start[i]; a < g->start[i + 1]; a++)
        if (c->part[g->near[a]] == c->part[i] && c->level[g->near[a]] > c->level[i]) return 1;
    return 0;
}

/* A connected part into a separator and two halves, or none of that. */
static void halve(cut *c, const span *s)
{
    const int n = s->to - s->from;
    int *list = c->list + s->from, low = 0, high = 0, start = list[0];
    for (int k = 0; k < SEARCHES; k++) {
        if (k > 0) forget(c, n);
        search(c, start, 0);
        start = c->queue[n - 1];
    }
    const int best = best_level(c, n);
    for (int k = 0; k < n; k++) {
        const int i = c->queue[k];
        if (best >= 0 && (c->level[i] < best || (c->level[i] == best && !touches_next(c, i)))) {
            list[low++] = i;
        } else if (best >= 0 && c->level[i] > best) {
            list[n - ++high] = i;
        } else {
            c->depth[i] = best < 0 ? NO_CUT : s->depth;
        }
    }
    for (int k = 0; k < n; k++)
        if (best < 0 || c->level[c->queue[k]] == best) c->part[c->queue[k]] = SETTLED;
    forget(c, n);
    if (best < 0) return;
    if (s->depth > c->deepest) c->deepest = s->depth;
    open_span(c, s->from, s->from + low, s->depth + 1, 0);
    open_span(c, s->to - high, s->to, s->depth + 1, 0);
}

int vg_lin_dissect(const vgLinGraph *g, vgPool *pool, int *stage)
{
    const int n = g->nnode;
    cut c = {.graph = g,
             .depth = stage,
             .part = VG_NEW(pool, int, n + 1),
             .level = VG_NEW(pool, int, n + 1),
             .queue = VG_NEW(pool, int, n + 1),
             .list = VG_NEW(pool, int, n + 1),
             .rows = VG_NEW(pool, double, n + 1),
             .open = VG_NEW(pool, span, n + 1)};
    if (!c.part || !c.level || !c.queue || !c.list || !c.rows || !c.open) return 0;
    for (int i = 0; i < n; i++) {
        c.level[i] = -1;
        c.list[i] = i;
    }
    open_span(&c, 0, n, 0, 0);
    while (c.nopen > 0) {
        const span s = c.open[--c.nopen];
        if (s.connected)
            halve(&c, &s);
        else
            separate(&c, &s);
    }
    for (int i = 0; i < n; i++) stage[i] = stage[i] == NO_CUT ? 0 : c.deepest + 1 - stage[i];
    return 1;
}
