/* Redundant rows of a sparse Jacobian by elimination of its columns in dense fronts.
 *
 * Columns with entries in the same rows are a group: the coordinates of a body, or of all joints of a long loop. Rows
 * with the same groups are an element, a dense block. To eliminate a group g, all elements with entries in it are put
 * together to a front
 *
 *     F = [P | B],   P: the columns of g,   B: those of the other groups.
 *
 * The longest row of P is taken as independent, a reflector turns its part in P to one entry, and multiples of it
 * clear that entry in the other rows; then the longest of what is left of P is next. Multiples are at most about 1. Rows that are
 * left have nothing in P any more: they are an element of the groups of B, or redundant where nothing is left of them at
 * all. If P has entries left that are too small to divide by, and too large to be rounding, these columns stay with the element
 * and are eliminated with its next front.
 *
 * The group with the smallest front comes next (minimum degree, as in [Davis, Gilbert, Larimore, Ng, A column approximate minimum
 * degree ordering algorithm, 2004]). Many loops on one body are eliminated loop by loop; that body comes last. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/expect.h"
#include "linalg/qr.h"
#include "linalg/rank.h"

/* Columns of an independent part of the Jacobian up to which it is one front: rows are then chosen among all of them, at a
 * cost of its cube. A four-bar has 18. Its effect on time at half and at twice of it is not measured. */
enum { ONE_FRONT = 48 };
/* Entries of all fronts that exist at a time: 800 MB, a bound of memory. */
static const size_t MOST_ENTRIES = 100000000;

typedef struct Element {
    int nrow, ngroup;   /* nrow 0: part of a front since */
    int extra, ncol;    /* ncol = extra + sizes of the groups; extra: columns of groups that are gone */
    size_t ints, reals; /* where row [nrow], group [ngroup] and the entries [nrow × ncol] begin */
} Element;

typedef struct Store {
    size_t used, room, most; /* most: the largest `used` so far */
} Store;

struct vgRankFinder {
    vgArena arena;
    int m, n;
    const vgSparseRows *j;
    const vgRankWish *wish;
    double *length, *local, *full; /* m: what rows are divided by; of rows of a front, within P and in all */
    int *row;                      /* m: rows of the front */
    unsigned char *state;          /* m: of a row */
    int *col_start, *col_row;      /* n + 1, entries: the rows of a column */
    int *root, *count;             /* n: union of columns, their number */
    uint64_t *hash;                /* n: of the rows of a column */
    int *group, *within;           /* n: group of a column, −1 none, and its place there */
    int *size, *links, *degree, *next, *prev,
        *at;              /* groups; links: the first of its list; at: column in the front */
    int *head;            /* n + 1: groups by degree */
    int *border, *offset; /* n: groups of B; column of a group in an element */
    int ngroup, nelement, least;
    Element *element; /* m + n */
    int *ints;
    double *reals;
    struct Link {
        int element, next;
    } * link;
    Store int_store, real_store, link_store;
    int fixed; /* 1: stores do not grow */
};
enum { OPEN, EMPTY_ROW, TAKEN };

static void place(vgRankFinder *x, vgArena *a, size_t entries)
{
    const size_t m = (size_t)x->m + 1, n = (size_t)x->n + 2;
    x->length = VG_TAKE(a, double, m);
    x->local = VG_TAKE(a, double, m);
    x->full = VG_TAKE(a, double, m);
    x->hash = VG_TAKE(a, uint64_t, n);
    x->element = VG_TAKE(a, Element, m + n);
    x->row = VG_TAKE(a, int, m);
    x->state = VG_TAKE(a, unsigned char, m);
    x->col_row = VG_TAKE(a, int, entries + 1);
    int **const each[] = {&x->col_start, &x->root, &x->count, &x->group, &x->within, &x->size,   &x->links,
                          &x->degree,    &x->next, &x->prev,  &x->at,    &x->head,   &x->border, &x->offset};
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) *each[k] = VG_TAKE(a, int, n);
}

vgStatus vg_rank_finder_new(int m, int n, int entries, vgRankFinder **out)
{
    VG_EXPECT(m >= 0 && n >= 0 && entries >= 0 && out);
    *out = NULL;
    if (m < 0 || n < 1) return VG_BAD_INPUT;
    vgRankFinder *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    x->m = m, x->n = n;
    vgArena measure = {0};
    place(x, &measure, (size_t)entries);
    vgStatus st = vg_arena_alloc(&x->arena, measure.used);
    if (st == VG_OK)
        place(x, &x->arena, (size_t)entries), *out = x;
    else
        free(x);
    return st;
}

void vg_rank_finder_free(vgRankFinder *x)
{
    if (!x) return;
    vg_arena_free(&x->arena);
    free(x->ints);
    free(x->reals);
    free(x->link);
    free(x);
}

/* ---- memory of elements ---- */

vgStatus vg_rank_finder_fix(vgRankFinder *x)
{
    void *ints = realloc(x->ints, (2 * x->int_store.most + 1) * sizeof *x->ints);
    if (ints) x->ints = ints, x->int_store.room = 2 * x->int_store.most;
    void *reals = realloc(x->reals, (2 * x->real_store.most + 1) * sizeof *x->reals);
    if (reals) x->reals = reals, x->real_store.room = 2 * x->real_store.most;
    void *link = realloc(x->link, (2 * x->link_store.most + 1) * sizeof *x->link);
    if (link) x->link = link, x->link_store.room = 2 * x->link_store.most;
    x->fixed = 1;
    return ints && reals && link ? VG_OK : VG_NO_MEMORY;
}

void vg_rank_finder_loosen(vgRankFinder *x)
{
    x->fixed = 0;
}

/* Elements that are gone leave holes; the others, in the order of their addresses, move together. */
static void compact(vgRankFinder *x)
{
    x->int_store.used = x->real_store.used = 0;
    for (int i = 0; i < x->nelement; i++) {
        Element *e = &x->element[i];
        const size_t ints = (size_t)(e->nrow + e->ngroup), reals = (size_t)e->nrow * (size_t)e->ncol;
        if (e->nrow == 0) continue;
        memmove(x->ints + x->int_store.used, x->ints + e->ints, ints * sizeof *x->ints);
        memmove(x->reals + x->real_store.used, x->reals + e->reals, reals * sizeof *x->reals);
        e->ints = x->int_store.used;
        e->reals = x->real_store.used;
        x->int_store.used += ints;
        x->real_store.used += reals;
    }
}

/* Room for `more`; what is in use may move before. */
static vgStatus reserve(vgRankFinder *x, Store *s, void **base, size_t bytes, size_t more)
{
    if (s->used + more > s->room && s != &x->link_store) compact(x);
    if (s->used + more > s->most) s->most = s->used + more;
    if (s->used + more <= s->room) return VG_OK;
    if (x->fixed || s->used + more > MOST_ENTRIES) return VG_LIMIT;
    void *larger = realloc(*base, 2 * (s->used + more) * bytes);
    if (!larger) return VG_NO_MEMORY;
    *base = larger;
    s->room = 2 * (s->used + more);
    return VG_OK;
}

static vgStatus reserve_all(vgRankFinder *x, size_t ints, size_t reals, size_t links)
{
    void *base = x->ints;
    vgStatus st = reserve(x, &x->int_store, &base, sizeof *x->ints, ints);
    x->ints = base, base = x->reals;
    if (st == VG_OK) st = reserve(x, &x->real_store, &base, sizeof *x->reals, reals);
    x->reals = base, base = x->link;
    if (st == VG_OK) st = reserve(x, &x->link_store, &base, sizeof *x->link, links);
    x->link = base;
    return st;
}

/* ---- groups of columns ---- */

static vgStatus measure_rows(vgRankFinder *x)
{
    const vgSparseRows *j = x->j;
    double longest = 0;
    for (int i = 0; i < j->m; i++) {
        for (int t = j->start[i]; t < j->start[i + 1]; t++)
            if (!isfinite(j->value[t])) return VG_NOT_FINITE;
        x->length[i] = vg_length(j->value + j->start[i], j->start[i + 1] - j->start[i]);
        longest = fmax(longest, x->length[i]);
    }
    for (int i = 0; i < j->m; i++) x->state[i] = x->length[i] > VG_RANK_EMPTY * longest ? OPEN : EMPTY_ROW;
    const int *group = x->wish->group;
    if (!group) return VG_OK;
    for (int i = 0; i < j->m; i++) x->full[group[i]] = 0;
    for (int i = 0; i < j->m; i++) x->full[group[i]] = fmax(x->full[group[i]], x->length[i]);
    for (int i = 0; i < j->m; i++) x->length[i] = x->full[group[i]];
    return VG_OK;
}

static int root_of(vgRankFinder *x, int c)
{
    while (x->root[c] != c) c = x->root[c] = x->root[x->root[c]];
    return c;
}

/* The rows of each column, a hash of their list, and the independent parts. */
static void transpose(vgRankFinder *x)
{
    const vgSparseRows *j = x->j;
    memset(x->col_start, 0, ((size_t)j->n + 2) * sizeof *x->col_start);
    for (int c = 0; c < j->n; c++) x->root[c] = c, x->count[c] = 0, x->hash[c] = 0;
    for (int i = 0; i < j->m; i++)
        for (int t = j->start[i], first = -1; t < j->start[i + 1] && x->state[i] == OPEN; t++) {
            const int c = root_of(x, j->col[t]);
            first = first < 0 ? c : root_of(x, first);
            x->root[c > first ? c : first] = c > first ? first : c;
            x->col_start[j->col[t] + 2]++;
        }
    for (int c = 0; c < j->n; c++) x->col_start[c + 2] += x->col_start[c + 1];
    for (int i = 0; i < j->m; i++)
        for (int t = j->start[i]; t < j->start[i + 1] && x->state[i] == OPEN; t++) {
            const int c = j->col[t];
            x->col_row[x->col_start[c + 1]++] = i;
            x->hash[c] = (x->hash[c] ^ (uint64_t)(unsigned)i) * 0x9e3779b97f4a7c15u;
            x->hash[c] ^= x->hash[c] >> 29;
        }
    for (int c = 0; c < j->n; c++)
        if (x->col_start[c + 1] > x->col_start[c]) x->count[root_of(x, c)]++;
}

static int same_rows(const vgRankFinder *x, int a, int b)
{
    const int n = x->col_start[a + 1] - x->col_start[a];
    return x->hash[a] == x->hash[b] && n == x->col_start[b + 1] - x->col_start[b] &&
           !memcmp(x->col_row + x->col_start[a], x->col_row + x->col_start[b], (size_t)n * sizeof(int));
}

/* The columns of a small part are one group; else those with the same rows, found by a table of hashes. */
static void make_groups(vgRankFinder *x)
{
    const int n = x->j->n;
    int *first = x->head, *chain = x->next, *of_part = x->at;
    transpose(x);
    x->ngroup = 0;
    for (int c = 0; c <= n; c++) first[c] = of_part[c] = -1;
    for (int c = 0; c < n; c++) {
        const int part = root_of(x, c), at = (int)(x->hash[c] % (uint64_t)n);
        x->group[c] = -1;
        if (x->col_start[c + 1] == x->col_start[c]) continue;
        if (x->count[part] <= ONE_FRONT) {
            x->group[c] = of_part[part];
        } else {
            for (int other = first[at]; other >= 0 && x->group[c] < 0; other = chain[other])
                if (same_rows(x, c, other)) x->group[c] = x->group[other];
        }
        if (x->group[c] < 0) {
            const int g = x->group[c] = x->ngroup++;
            x->size[g] = 0;
            if (x->count[part] <= ONE_FRONT)
                of_part[part] = g;
            else
                chain[c] = first[at], first[at] = c;
        }
        x->within[c] = x->size[x->group[c]]++;
    }
}

/* ---- groups by degree ---- */

static int bucket(const vgRankFinder *x, int g)
{
    return x->degree[g] < x->n ? x->degree[g] : x->n;
}

static void insert(vgRankFinder *x, int g)
{
    const int d = bucket(x, g);
    x->prev[g] = -1;
    x->next[g] = x->head[d];
    if (x->head[d] >= 0) x->prev[x->head[d]] = g;
    x->head[d] = g;
    if (d < x->least) x->least = d;
}

static void take_out(vgRankFinder *x, int g)
{
    if (x->next[g] >= 0) x->prev[x->next[g]] = x->prev[g];
    if (x->prev[g] >= 0)
        x->next[x->prev[g]] = x->next[g];
    else
        x->head[bucket(x, g)] = x->next[g];
}

/* Element i is there, its lists and entries are at the end of the stores. */
static void enlist(vgRankFinder *x, int i)
{
    Element *e = &x->element[i];
    e->ncol = e->extra;
    for (int k = 0; k < e->ngroup; k++) e->ncol += x->size[x->ints[e->ints + (size_t)(e->nrow + k)]];
    for (int k = 0; k < e->ngroup; k++) {
        const int g = x->ints[e->ints + (size_t)(e->nrow + k)];
        x->link[x->link_store.used] = (struct Link){i, x->links[g]};
        x->links[g] = (int)x->link_store.used++;
        x->degree[g] += e->ncol;
    }
}

/* The groups of row i into border; their number. */
static int groups_of(vgRankFinder *x, int i)
{
    int n = 0;
    for (int t = x->j->start[i]; t < x->j->start[i + 1]; t++) {
        const int g = x->group[x->j->col[t]];
        if (x->at[g] == i) continue;
        x->at[g] = i;
        x->border[n++] = g;
    }
    return n;
}

/* Has row i the n groups of row `of`, which are marked with it? */
static int same_groups(vgRankFinder *x, int i, int of, int n)
{
    int *const seen = x->count, others = 0;
    for (int t = x->j->start[i]; t < x->j->start[i + 1]; t++) {
        const int g = x->group[x->j->col[t]];
        if (x->at[g] != of) return 0;
        others += seen[g] != i;
        seen[g] = i;
    }
    return others == n;
}

/* Rows first .. end − 1, which have the same n groups, become an element. */
static vgStatus add_element(vgRankFinder *x, int first, int end, int n)
{
    const vgSparseRows *j = x->j;
    int rows = 0, cols = 0;
    for (int i = first; i < end; i++) rows += x->state[i] == OPEN;
    for (int k = 0; k < n; k++) cols += x->size[x->border[k]];
    vgStatus st = reserve_all(x, (size_t)(rows + n), (size_t)rows * (size_t)cols, (size_t)n);
    if (st != VG_OK) return st;
    Element *e = &x->element[x->nelement];
    *e = (Element){.nrow = rows, .ngroup = n, .ints = x->int_store.used, .reals = x->real_store.used};
    int *const row = x->ints + e->ints, r = 0;
    double *const value = x->reals + e->reals;
    memcpy(row + rows, x->border, (size_t)n * sizeof *row);
    memset(value, 0, (size_t)rows * (size_t)cols * sizeof *value);
    for (int k = 0, at = 0; k < n; at += x->size[x->border[k++]]) x->offset[x->border[k]] = at;
    for (int i = first; i < end; i++) {
        if (x->state[i] != OPEN) continue;
        for (int t = j->start[i]; t < j->start[i + 1]; t++)
            value[r * cols + x->offset[x->group[j->col[t]]] + x->within[j->col[t]]] +=
                j->value[t] / x->length[i];
        row[r++] = i;
    }
    x->int_store.used += (size_t)(rows + n);
    x->real_store.used += (size_t)rows * (size_t)cols;
    enlist(x, x->nelement++);
    return VG_OK;
}

static vgStatus make_elements(vgRankFinder *x)
{
    x->nelement = 0;
    x->int_store.used = x->real_store.used = x->link_store.used = 0;
    for (int g = 0; g < x->ngroup; g++) x->links[g] = x->at[g] = x->count[g] = -1, x->degree[g] = 0;
    for (int i = 0, end; i < x->j->m; i = end) {
        end = i + 1;
        if (x->state[i] != OPEN) continue;
        const int n = groups_of(x, i);
        while (end < x->j->m && (x->state[end] != OPEN || same_groups(x, end, i, n))) end++;
        vgStatus st = add_element(x, i, end, n);
        if (st != VG_OK) return st;
    }
    for (int g = 0; g < x->ngroup; g++) x->at[g] = -1;
    return VG_OK;
}

/* ---- elimination ---- */

typedef struct Front {
    int g, nrow, k, ncol, nborder; /* k: columns to be eliminated, the first ones */
    double *value;                 /* nrow × ncol */
} Front;

/* How much row r of the front is wanted next; 0: there is nothing to divide by. */
static double wanted(const vgRankFinder *x, int r)
{
    const vgRankWish *w = x->wish;
    const int row = x->row[r];
    const double length = x->local[r], weight = w->weight ? w->weight[row] : 1 - 0.5 * row / x->m;
    if (!(length > w->tolerance)) return 0;
    return weight * length + (w->first && w->first[row] && length > w->clear ? w->first[row] : 0);
}

static void exchange(vgRankFinder *x, const Front *f, int a, int b)
{
    double *const p = f->value + (size_t)a * (size_t)f->ncol, *const q =
                                                                  f->value + (size_t)b * (size_t)f->ncol;
    const int row = x->row[a];
    const double local = x->local[a];
    for (int c = 0; c < f->ncol && a != b; c++) {
        const double y = p[c];
        p[c] = q[c], q[c] = y;
    }
    x->row[a] = x->row[b], x->row[b] = row;
    x->local[a] = x->local[b], x->local[b] = local;
}

/* Row j is taken: multiples of it clear its direction in the rows after it. */
static void take_row(vgRankFinder *x, const Front *f, int j, vgRank *out)
{
    double *const p = f->value + (size_t)j * (size_t)f->ncol;
    const int border = f->ncol - f->k;
    out->independent[out->rank++] = x->row[j];
    out->least = fmin(out->least, hypot(x->local[j], vg_length(p + f->k, border)));
    x->state[x->row[j]] = TAKEN;
    const double tau = vg_reflector(p + j, f->k - j);
    for (int r = j + 1; r < f->nrow; r++) {
        double *const row = f->value + (size_t)r * (size_t)f->ncol;
        if (x->local[r] == 0) continue;
        vg_reflect(p + j, tau, f->k - j, row + j);
        if (row[j] != 0) vg_add_scaled(row + f->k, -row[j] / p[j], p + f->k, border);
        x->local[r] = vg_length(row + j + 1, f->k - j - 1);
    }
}

/* Takes rows as long as there is something to divide by; returns how many. */
static int take_rows(vgRankFinder *x, const Front *f, vgRank *out)
{
    int j = 0;
    for (int r = 0; r < f->nrow; r++) x->local[r] = vg_length(f->value + (size_t)r * (size_t)f->ncol, f->k);
    for (; j < f->k; j++) {
        int best = -1;
        double most = 0;
        for (int r = j; r < f->nrow; r++)
            if (wanted(x, r) > most) most = wanted(x, r), best = r;
        if (best < 0) break;
        exchange(x, f, j, best);
        take_row(x, f, j, out);
    }
    for (int r = j; r < f->nrow; r++) {
        const double *row = f->value + (size_t)r * (size_t)f->ncol;
        x->full[r] = hypot(x->local[r], vg_length(row + f->k, f->ncol - f->k));
    }
    return j;
}

/* The front of group g, at the end of the store; its elements are gone. */
static vgStatus put_together(vgRankFinder *x, int g, Front *f)
{
    *f = (Front){.g = g, .k = x->size[g]};
    int border = 0, extra = x->size[g], rows = 0;
    for (int l = x->links[g]; l >= 0; l = x->link[l].next) {
        const Element *e = &x->element[x->link[l].element];
        if (e->nrow == 0) continue;
        f->nrow += e->nrow;
        f->k += e->extra;
        for (int k = 0; k < e->ngroup; k++) {
            const int h = x->ints[e->ints + (size_t)(e->nrow + k)];
            if (h == g || x->at[h] >= 0) continue;
            x->at[h] = border;
            border += x->size[h];
            x->border[f->nborder++] = h;
        }
    }
    f->ncol = f->k + border;
    const size_t entries = (size_t)f->nrow * (size_t)f->ncol;
    vgStatus st = reserve_all(x, (size_t)(f->nrow + f->nborder), entries, (size_t)f->nborder);
    if (st != VG_OK) return st;
    f->value = x->reals + x->real_store.used;
    memset(f->value, 0, entries * sizeof *f->value);
    for (int l = x->links[g]; l >= 0; l = x->link[l].next) {
        Element *e = &x->element[x->link[l].element];
        const int *row = x->ints + e->ints, *group = row + e->nrow;
        const double *from = x->reals + e->reals;
        for (int r = 0; r < e->nrow; r++) {
            double *to = f->value + (size_t)rows * (size_t)f->ncol;
            memcpy(to + extra, from, (size_t)e->extra * sizeof *to);
            from += e->extra;
            for (int k = 0; k < e->ngroup; from += x->size[group[k++]])
                memcpy(to + (group[k] == g ? 0 : f->k + x->at[group[k]]), from,
                       (size_t)x->size[group[k]] * sizeof *to);
            x->row[rows++] = row[r];
        }
        extra += e->nrow ? e->extra : 0;
    }
    return VG_OK;
}

/* Elements of the front leave the lists of their groups. */
static void leave(vgRankFinder *x, int g)
{
    for (int l = x->links[g]; l >= 0; l = x->link[l].next) {
        Element *e = &x->element[x->link[l].element];
        for (int k = 0; k < e->ngroup && e->nrow; k++)
            x->degree[x->ints[e->ints + (size_t)(e->nrow + k)]] -= e->ncol;
        e->nrow = 0;
    }
}

/* What is left of the rows from `taken` on is an element of the other groups. */
static void keep_rest(vgRankFinder *x, const Front *f, int taken)
{
    int kept = 0, extra = 0;
    for (int r = taken; r < f->nrow; r++)
        if (x->full[r] > x->wish->tolerance && x->local[r] > VG_RANK_EMPTY) extra = f->k - taken;
    Element *e = &x->element[x->nelement];
    *e = (Element){
        .extra = extra, .ngroup = f->nborder, .ints = x->int_store.used, .reals = x->real_store.used};
    const int ncol = f->ncol - f->k + extra;
    for (int r = taken; r < f->nrow; r++) {
        if (!(x->full[r] > x->wish->tolerance)) continue;
        memmove(f->value + (size_t)kept * (size_t)ncol, f->value + (size_t)(r + 1) * (size_t)f->ncol - ncol,
                (size_t)ncol * sizeof *f->value);
        x->ints[e->ints + (size_t)kept++] = x->row[r];
    }
    if (kept == 0) return;
    e->nrow = kept;
    memcpy(x->ints + e->ints + kept, x->border, (size_t)f->nborder * sizeof *x->ints);
    x->int_store.used += (size_t)(kept + f->nborder);
    x->real_store.used += (size_t)kept * (size_t)ncol;
    enlist(x, x->nelement++);
}

static vgStatus eliminate(vgRankFinder *x, int g, vgRank *out)
{
    Front f;
    vgStatus st = put_together(x, g, &f);
    for (int k = 0; k < f.nborder; k++) x->at[x->border[k]] = -1;
    if (st != VG_OK) return st;
    for (int k = 0; k < f.nborder; k++) take_out(x, x->border[k]);
    leave(x, g);
    keep_rest(x, &f, take_rows(x, &f, out));
    for (int k = 0; k < f.nborder; k++) insert(x, x->border[k]);
    return VG_OK;
}

static vgStatus eliminate_all(vgRankFinder *x, vgRank *out)
{
    for (int d = 0; d <= x->n; d++) x->head[d] = -1;
    x->least = x->n;
    for (int g = x->ngroup - 1; g >= 0; g--) insert(x, g);
    for (int left = x->ngroup; left > 0; left--) {
        while (x->head[x->least] < 0) x->least++;
        const int g = x->head[x->least];
        take_out(x, g);
        vgStatus st = eliminate(x, g, out);
        if (st != VG_OK) return st;
    }
    return VG_OK;
}

vgStatus vg_rank_find(vgRankFinder *x, const vgSparseRows *j, const vgRankWish *wish, vgRank *out)
{
    VG_EXPECT(x && j && wish && out && j->m == x->m && j->n == x->n && wish->tolerance >= 0);
    vgRankWish full = *wish;
    if (full.tolerance <= 0) full.tolerance = VG_RANK_TOLERANCE;
    x->j = j;
    x->wish = &full;
    out->rank = out->nredundant = 0;
    out->least = 1;
    vgStatus st = measure_rows(x);
    if (st == VG_OK) {
        make_groups(x);
        st = make_elements(x);
    }
    if (st == VG_OK) st = eliminate_all(x, out);
    for (int i = 0; i < j->m && st == VG_OK; i++)
        if (x->state[i] != TAKEN) out->redundant[out->nredundant++] = i;
    x->wish = NULL;
    return st;
}

vgStatus vg_rank_rows(const vgSparseRows *j, const unsigned char *first, vgRank *out)
{
    VG_EXPECT(j && out);
    vgRankFinder *x = NULL;
    vgStatus st = vg_rank_finder_new(j->m, j->n, j->start[j->m], &x);
    memset(out, 0, sizeof *out);
    if (st == VG_OK) st = vg_rank_room(j->m, out);
    if (st == VG_OK) st = vg_rank_find(x, j, &(vgRankWish){.first = first, .clear = VG_RANK_CLEAR}, out);
    if (st != VG_OK) vg_rank_free(out);
    vg_rank_finder_free(x);
    return st;
}
