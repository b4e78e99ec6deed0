#include "element/contact/broad.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 32 };
/* Cells beyond this number of edges from the origin share the outermost one. */
static const double FAR_CELL = 1e9;

void vg_broad_place(vgBroad *x, int n, int room, vgArena *a)
{
    x->n = n;
    x->room = room;
    for (x->nbucket = 16; x->nbucket < 2 * n && x->nbucket < 1 << 28;) x->nbucket *= 2;
    x->radius = VG_TAKE(a, double, n + 1);
    x->head = VG_TAKE(a, int, x->nbucket);
    x->next = VG_TAKE(a, int, n + 1);
    x->cell = vg_arena_take_many(a, (size_t)n + 1, sizeof *x->cell);
    x->level = VG_TAKE(a, signed char, n + 1);
    x->pair = VG_TAKE(a, vgNear, room + 1);
    x->sorted = VG_TAKE(a, vgNear, room + 1);
    x->count = VG_TAKE(a, int, n + 2);
}

static unsigned bucket_of(const vgBroad *x, int level, const int c[3])
{
    unsigned h = (unsigned)c[0] * 73856093u ^ (unsigned)c[1] * 19349663u ^ (unsigned)c[2] * 83492791u;
    h ^= (unsigned)level * 2654435761u;
    h ^= h >> 15;
    return h & (unsigned)(x->nbucket - 1);
}

static int cell_of(double at, double edge)
{
    double c = floor(at / edge);
    return c < FAR_CELL ? c > -FAR_CELL ? (int)c : -(int)FAR_CELL : (int)FAR_CELL;
}

static void cells_of(vgVec3 p, double edge, int c[3])
{
    c[0] = cell_of(p.x, edge), c[1] = cell_of(p.y, edge), c[2] = cell_of(p.z, edge);
}

/* Every ball into the cells of the level whose edge is at least its diameter and the margin. */
static void fill(vgBroad *x, const vgVec3 *centre, double margin)
{
    unsigned char used[MOST_LEVELS] = {0};
    double least = INFINITY;
    for (int i = 0; i < x->n; i++) least = fmin(least, x->radius[i]);
    x->base = 2 * least + margin;
    memset(x->head, -1, (size_t)x->nbucket * sizeof *x->head);
    for (int i = 0; i < x->n; i++) {
        int level = 0;
        double edge = x->base;
        while (edge < 2 * x->radius[i] + margin && level < MOST_LEVELS - 1) edge *= 2, level++;
        used[level] = 1;
        x->level[i] = (signed char)level;
        cells_of(centre[i], edge, x->cell[i]);
        unsigned b = bucket_of(x, level, x->cell[i]);
        x->next[i] = x->head[b];
        x->head[b] = i;
    }
    x->nlevel = 0;
    for (int l = 0; l < MOST_LEVELS; l++)
        if (used[l]) x->levels[x->nlevel++] = l;
}

typedef struct Search {
    vgBroad *x;
    const vgVec3 *centre;
    double margin;
    int n;
} Search;

/* Ball i against those in one cell of a level: its own level or a coarser one. */
static int look(Search *s, int i, int level, const int c[3])
{
    vgBroad *x = s->x;
    for (int j = x->head[bucket_of(x, level, c)]; j >= 0; j = x->next[j]) {
        if (x->level[j] != level || x->cell[j][0] != c[0] || x->cell[j][1] != c[1] || x->cell[j][2] != c[2])
            continue;
        if ((x->level[i] == level && j >= i) || x->body[i] == x->body[j]) continue;
        if (i >= x->wanted && j >= x->wanted) continue;
        vgVec3 d = vg_sub3(s->centre[i], s->centre[j]);
        double reach = x->radius[i] + x->radius[j] + s->margin;
        if (!(vg_dot3(d, d) <= reach * reach)) continue;
        if (s->n == x->room) return 0;
        x->pair[s->n++] = i < j ? (vgNear){i, j} : (vgNear){j, i};
    }
    return 1;
}

static int look_around(Search *s, int i, int level)
{
    int own[3], c[3];
    cells_of(s->centre[i], ldexp(s->x->base, level), own);
    for (int k = 0; k < 27; k++) {
        c[0] = own[0] + k / 9 - 1, c[1] = own[1] + k / 3 % 3 - 1, c[2] = own[2] + k % 3 - 1;
        if (!look(s, i, level, c)) return 0;
    }
    return 1;
}

/* Ascending: counted by the first ball, the few of each inserted by the second. So the order does not depend on the
 * cells. */
static void sort(vgBroad *x, int n)
{
    memset(x->count, 0, ((size_t)x->n + 2) * sizeof *x->count);
    for (int k = 0; k < n; k++) x->count[x->pair[k].a + 1]++;
    for (int i = 0; i < x->n; i++) x->count[i + 1] += x->count[i];
    for (int k = 0; k < n; k++) x->sorted[x->count[x->pair[k].a]++] = x->pair[k];
    for (int k = 1; k < n; k++) {
        vgNear p = x->sorted[k];
        int at = k;
        for (; at > 0 && x->sorted[at - 1].a == p.a && x->sorted[at - 1].b > p.b; at--)
            x->sorted[at] = x->sorted[at - 1];
        x->sorted[at] = p;
    }
    vgNear *other = x->pair;
    x->pair = x->sorted;
    x->sorted = other;
}

int vg_broad_find(vgBroad *x, const vgVec3 *centre, double margin)
{
    Search s = {x, centre, margin, 0};
    if (x->n == 0) return 0;
    fill(x, centre, margin);
    for (int i = 0; i < x->n; i++)
        for (int l = 0; l < x->nlevel; l++)
            if (x->levels[l] >= x->level[i] && !look_around(&s, i, x->levels[l])) return -1;
    sort(x, s.n);
    return s.n;
}
