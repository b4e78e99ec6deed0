/* Choice of columns by Gaussian elimination on lists. The next pivot is an entry that is large in its row and causes
 * little fill, (r − 1)(c − 1) entries at most [Markowitz, Management Sci. 3 (1957)]: from the tips of a tree to its
 * root there is none. */
#include "linalg/column_choice.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE = 0.5; /* of the largest in its row: B_D⁻¹ B begins with entries of 2 at most */
static const double WEAK =
    1e-2; /* a row with less left waits until the others are done: it may depend on them */
/* Rows of a column that has lost one look again at what they cost, if the column has FEW rows, as those of one or two joints,
 * and the row no more entries than LONG, as those of ten bodies: the rows of a hub with a thousand joints do not, nor those of
 * loops within loops, which a net of 40 × 40 bars would spend its time on. Without, chains fill up (growth 1.8 instead of 1). */
enum { FEW = 8, LONG = 64 };

typedef struct Entry {
    int row, col; /* col −1: eliminated */
    int right, down;
    double value;
} Entry;

struct vgColumnChoice {
    int m, n, fixed;
    int nentry, room, most; /* most: of the choices so far */
    Entry *entry;
    int *right, *down;         /* [m], [n] first entry of a row, of a column; −1: none */
    int *length, *count;       /* [m], [n] entries that are left */
    int *at;                   /* [n] of the row at work: where a column is, −1 */
    char *done;                /* [m] taken, or nothing left */
    int nheap, *heap, *where;  /* [m] rows, the cheapest first; where[row] in the heap, −1 */
    double *cost;              /* [m] */
    const unsigned char *wait; /* [m] or NULL, of the choice that is made */
    int *pivot;                /* [m] the entry to be taken */
    size_t lower, upper;       /* of the last choice */
};

vgStatus vg_column_choice_new(int m, int n, int entries, vgColumnChoice **out)
{
    vgColumnChoice *x = calloc(1, sizeof *x);
    size_t rows = (size_t)m + 1, cols = (size_t)n + 1;
    if (!x) return VG_NO_MEMORY;
    x->m = m, x->n = n;
    x->room = entries + 1;
    x->entry = malloc((size_t)x->room * sizeof *x->entry);
    x->right = malloc(rows * sizeof(int));
    x->length = malloc(rows * sizeof(int));
    x->heap = malloc(rows * sizeof(int));
    x->where = malloc(rows * sizeof(int));
    x->pivot = malloc(rows * sizeof(int));
    x->cost = malloc(rows * sizeof(double));
    x->done = malloc(rows);
    x->down = malloc(cols * sizeof(int));
    x->count = malloc(cols * sizeof(int));
    x->at = malloc(cols * sizeof(int));
    if (!x->entry || !x->right || !x->length || !x->heap || !x->where || !x->pivot || !x->cost || !x->done ||
        !x->down || !x->count || !x->at) {
        vg_column_choice_free(x);
        return VG_NO_MEMORY;
    }
    *out = x;
    return VG_OK;
}

void vg_column_choice_free(vgColumnChoice *x)
{
    if (!x) return;
    free(x->entry), free(x->right), free(x->length), free(x->heap), free(x->where), free(x->pivot);
    free(x->cost), free(x->done), free(x->down), free(x->count), free(x->at);
    free(x);
}

static vgStatus grow(vgColumnChoice *x, int room)
{
    Entry *more = x->fixed ? NULL : realloc(x->entry, (size_t)room * sizeof *more);
    if (x->fixed) return VG_LIMIT;
    if (!more) return VG_NO_MEMORY;
    x->entry = more;
    x->room = room;
    return VG_OK;
}

vgStatus vg_column_choice_fix(vgColumnChoice *x)
{
    vgStatus st = x->most < INT_MAX / 4 && 4 * x->most > x->room ? grow(x, 4 * x->most) : VG_OK;
    x->fixed = 1;
    return st;
}

static vgStatus add(vgColumnChoice *x, int row, int col, double value)
{
    if (x->nentry == x->room) {
        vgStatus st = x->room < INT_MAX / 2 ? grow(x, 2 * x->room) : VG_LIMIT;
        if (st != VG_OK) return st;
    }
    x->entry[x->nentry] = (Entry){row, col, x->right[row], x->down[col], value};
    x->right[row] = x->down[col] = x->nentry++;
    x->length[row]++;
    x->count[col]++;
    return VG_OK;
}

/* ---- the heap ---- */

static int before(const vgColumnChoice *x, int a, int b)
{
    return x->cost[a] < x->cost[b] || (x->cost[a] == x->cost[b] && a < b);
}

static void put(vgColumnChoice *x, int at, int row)
{
    x->heap[at] = row;
    x->where[row] = at;
}

static void sift(vgColumnChoice *x, int at, int row)
{
    for (; at > 0 && before(x, row, x->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(x, at, x->heap[(at - 1) / 2]);
    for (int child; (child = 2 * at + 1) < x->nheap; at = child) {
        if (child + 1 < x->nheap && before(x, x->heap[child + 1], x->heap[child])) child++;
        if (!before(x, x->heap[child], row)) break;
        put(x, at, x->heap[child]);
    }
    put(x, at, row);
}

static void leave(vgColumnChoice *x, int row)
{
    int at = x->where[row], last = x->heap[--x->nheap];
    x->where[row] = -1;
    if (last != row) sift(x, at, last);
}

/* ---- the choice ---- */

/* What taking a row would cost; a row with nothing left leaves. */
static void judge(vgColumnChoice *x, int row, double least)
{
    double largest = 0;
    int best = -1;
    for (int e = x->right[row]; e >= 0; e = x->entry[e].right)
        if (x->entry[e].col >= 0 && fabs(x->entry[e].value) > largest) largest = fabs(x->entry[e].value);
    if (!(largest > least)) {
        for (int e = x->right[row]; e >= 0; e = x->entry[e].right)
            if (x->entry[e].col >= 0) x->count[x->entry[e].col]--;
        x->done[row] = 1;
        leave(x, row);
        return;
    }
    for (int e = x->right[row]; e >= 0; e = x->entry[e].right) {
        const Entry *a = &x->entry[e], *b = best >= 0 ? &x->entry[best] : NULL;
        if (a->col < 0 || !(fabs(a->value) >= LARGE * largest)) continue;
        int less = b ? x->count[a->col] - x->count[b->col] : -1;
        if (less < 0 || (less == 0 && fabs(a->value) > fabs(b->value))) best = e;
    }
    x->pivot[row] = best;
    x->cost[row] = (x->count[x->entry[best].col] - 1.0) * (x->length[row] - 1.0);
    const double last = (double)x->m * (double)x->n; /* no row costs more by its fill */
    if (x->wait && largest > VG_RANK_CLEAR) x->cost[row] += last * x->wait[row] / VG_RANK_CLEAR;
    if (largest < WEAK) x->cost[row] += last / largest;
    sift(x, x->where[row], row);
}

/* Row `to` less its multiple of the pivot row. */
static vgStatus subtract(vgColumnChoice *x, int from, int to, int entry, double factor)
{
    vgStatus st = VG_OK;
    int col = x->entry[entry].col, *link = &x->right[to];
    for (int e = *link; e >= 0; e = *link) {
        if (e == entry || x->entry[e].col < 0) {
            *link = x->entry[e].right;
            continue;
        }
        x->at[x->entry[e].col] = e;
        link = &x->entry[e].right;
    }
    x->entry[entry].col = -1;
    x->length[to]--;
    for (int e = x->right[from]; e >= 0 && st == VG_OK; e = x->entry[e].right) {
        int k = x->entry[e].col;
        double change = -factor * x->entry[e].value;
        if (k < 0 || k == col) continue;
        if (x->at[k] >= 0)
            x->entry[x->at[k]].value += change;
        else
            st = add(x, to, k, change);
    }
    for (int e = x->right[to]; e >= 0; e = x->entry[e].right)
        if (x->entry[e].col >= 0) x->at[x->entry[e].col] = -1;
    return st;
}

static vgStatus take(vgColumnChoice *x, int row, double least)
{
    vgStatus st = VG_OK;
    const Entry pivot = x->entry[x->pivot[row]];
    x->done[row] = 1;
    x->upper += (size_t)x->length[row];
    leave(x, row);
    for (int e = x->down[pivot.col]; e >= 0 && st == VG_OK; e = x->entry[e].down) {
        int other = x->entry[e].row;
        if (x->done[other] || x->entry[e].col < 0) continue;
        x->lower++;
        st = subtract(x, row, other, e, x->entry[e].value / pivot.value);
        if (st == VG_OK) judge(x, other, least);
    }
    for (int e = x->right[row]; e >= 0; e = x->entry[e].right)
        if (x->entry[e].col >= 0) x->count[x->entry[e].col]--;
    for (int e = x->right[row]; e >= 0 && st == VG_OK; e = x->entry[e].right) {
        int k = x->entry[e].col;
        if (k < 0 || k == pivot.col || x->count[k] > FEW) continue;
        for (int d = x->down[k]; d >= 0; d = x->entry[d].down) {
            int other = x->entry[d].row;
            if (x->entry[d].col >= 0 && !x->done[other] && x->length[other] <= LONG) judge(x, other, least);
        }
    }
    return st;
}

static vgStatus begin(vgColumnChoice *x, const vgSparseRows *b)
{
    vgStatus st = VG_OK;
    x->nentry = x->nheap = 0;
    for (int k = 0; k < x->n; k++) x->down[k] = x->at[k] = -1, x->count[k] = 0;
    for (int r = 0; r < x->m; r++) {
        x->right[r] = -1;
        x->length[r] = x->done[r] = 0;
        x->cost[r] = 0;
        for (int e = b->start[r]; e < b->start[r + 1] && st == VG_OK; e++)
            st = add(x, r, b->col[e], b->value[e]); /* zeros too, which another motion may fill */
        put(x, x->nheap++, r);
    }
    return st;
}

vgStatus vg_column_choice_find(vgColumnChoice *x, const vgSparseRows *b, const unsigned char *wait,
                               double least, double *row, double *col)
{
    memset(row, 0, (size_t)x->m * sizeof *row);
    memset(col, 0, (size_t)x->n * sizeof *col);
    vgStatus st = begin(x, b);
    x->wait = wait;
    for (int r = 0; r < x->m && st == VG_OK; r++) judge(x, r, least);
    x->lower = x->upper = 0;
    for (int k = 1; st == VG_OK && x->nheap > 0; k++) {
        int r = x->heap[0];
        row[r] = col[x->entry[x->pivot[r]].col] = k;
        st = take(x, r, least);
    }
    if (x->nentry > x->most) x->most = x->nentry;
    return st;
}

void vg_column_choice_fill(const vgColumnChoice *x, size_t *lower, size_t *upper)
{
    *lower = x->lower;
    *upper = x->upper;
}
