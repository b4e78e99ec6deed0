#include "linalg/lin/lu.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double NOISE = 1e-14;  /* a pivot of the equilibrated matrix */
static const double OWN_ROW = 1e-3; /* of the largest: the row of the column's own number keeps the fill */
static const double LARGE_ENOUGH = 0.1; /* of the largest: any other row */

/* ---- the bound ---- */

typedef struct Merge {      /* rows with one pattern, a list of columns, all of them eliminated later */
    int *first, *rows;      /* [n] of a group: its list, how many rows it stands for */
    int *bucket, *together; /* [n] groups whose next column is k, and the next such group */
    int *column, *next;     /* list elements */
    int *mark;              /* [n] */
} Merge;

/* Whatever row is the pivot of column k, every row with an entry there has afterwards at most the columns of
 * all of them: they become one group. Returns the columns' weight besides k's own. */
static size_t merge_at(Merge *m, int k, const int *weight, const int *order, size_t *rows)
{
    int kept = -1, soonest = INT32_MAX, last = -1;
    size_t columns = 0;
    *rows = 0;
    for (int g = m->bucket[k], e; g >= 0; g = m->together[g]) {
        *rows += (size_t)m->rows[g];
        for (int follow = m->first[g]; (e = follow) >= 0;) {
            int c = m->column[e];
            follow = m->next[e];
            if (c == k || m->mark[c] == k) continue;
            m->mark[c] = k;
            m->next[e] = kept, kept = e;
            columns += weight ? (size_t)weight[order[c]] : 1;
            if (c < soonest) soonest = c;
        }
        last = g;
    }
    size_t own = weight ? (size_t)weight[order[k]] : 1;
    if (kept >= 0 && *rows > own) {
        m->first[last] = kept;
        m->rows[last] = (int)(*rows - own);
        m->together[last] = m->bucket[soonest];
        m->bucket[soonest] = last;
    }
    return columns;
}

vgStatus vg_lu_bound(int n, const int *weight, const int *start, const int *near, const int *order,
                     size_t *lower, size_t *upper)
{
    size_t each = (size_t)n, elements = (size_t)start[n] + each;
    int *memory = malloc((6 * each + 2 * elements) * sizeof *memory), *rank = memory;
    if (!memory) return VG_NO_MEMORY;
    Merge m = {.first = memory + each,
               .rows = memory + 2 * each,
               .bucket = memory + 3 * each,
               .together = memory + 4 * each,
               .mark = memory + 5 * each,
               .column = memory + 6 * each,
               .next = memory + 6 * each + elements};
    for (int k = 0; k < n; k++) rank[order[k]] = k, m.bucket[k] = m.mark[k] = -1;
    int at = 0;
    for (int i = 0; i < n; i++) {
        int soonest = rank[i];
        m.first[i] = at;
        m.column[at++] = rank[i];
        for (int t = start[i]; t < start[i + 1]; t++) {
            m.column[at++] = rank[near[t]];
            if (rank[near[t]] < soonest) soonest = rank[near[t]];
        }
        for (int e = m.first[i]; e < at; e++) m.next[e] = e + 1 < at ? e + 1 : -1;
        m.rows[i] = weight ? weight[i] : 1;
        m.together[i] = m.bucket[soonest];
        m.bucket[soonest] = i;
    }
    *lower = *upper = 0;
    for (int k = 0; k < n; k++) {
        size_t rows, own = weight ? (size_t)weight[order[k]] : 1;
        size_t columns = merge_at(&m, k, weight, order, &rows);
        for (size_t j = 0; j < own; j++) *lower += rows > j + 1 ? rows - j - 1 : 0;
        *upper += own * columns + own * (own - 1) / 2;
    }
    free(memory);
    return VG_OK;
}

/* ---- memory ---- */

void vg_lu_place(vgLu *lu, vgArena *arena)
{
    lu->order = VG_TAKE(arena, int, lu->n);
    lu->rank = VG_TAKE(arena, int, lu->n);
    lu->row_of = VG_TAKE(arena, int, lu->n);
    lu->position = VG_TAKE(arena, int, lu->n);
    lu->l_start = VG_TAKE(arena, size_t, lu->n + 1);
    lu->u_start = VG_TAKE(arena, size_t, lu->n + 1);
    lu->l_row = VG_TAKE(arena, int, lu->lower + 1); /* and the pivot, until it is chosen */
    lu->u_at = VG_TAKE(arena, int, lu->upper);
    lu->l = VG_TAKE(arena, double, lu->lower);
    lu->u = VG_TAKE(arena, double, lu->upper);
    lu->pivot = VG_TAKE(arena, double, lu->n);
    lu->x = VG_TAKE(arena, double, lu->n);
    lu->seen = VG_TAKE(arena, char, lu->n);
    lu->queue = VG_TAKE(arena, int, lu->n);
}

void vg_lu_begin(vgLu *lu)
{
    for (int k = 0; k < lu->n; k++) lu->rank[lu->order[k]] = k, lu->position[k] = -1;
    lu->known = 0;
}

/* ---- which row ---- */

/* The column's own row unless it is tiny; then the row of lowest rank that is not small: it is the same one
 * for long while the numbers change. x: of the rows in the list, [n]; returns where in the list, -1: noise.
 */
static int choose(const vgLu *lu, int k, const int *list, size_t n)
{
    double largest = 0;
    int best = -1;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(lu->x[list[i]]);
        if (size > largest) largest = size;
    }
    for (size_t i = 0; i < n; i++) {
        double size = fabs(lu->x[list[i]]);
        int rank = lu->rank[list[i]];
        if (rank == k && size >= OWN_ROW * largest && size > NOISE) return (int)i;
        if (!(size >= LARGE_ENOUGH * largest) || !(size > NOISE)) continue;
        if (best < 0 || rank < lu->rank[list[best]]) best = (int)i;
    }
    return best;
}

/* Would choose() take the row of pivot d again, the others being in the list? */
static int still_chosen(const vgLu *lu, int k, double d, const int *list, size_t n)
{
    int rank = lu->rank[lu->row_of[k]];
    double largest = fabs(d);
    for (size_t i = 0; i < n; i++) {
        double size = fabs(lu->x[list[i]]);
        if (size > largest) largest = size;
    }
    if (!(fabs(d) > NOISE) || !(fabs(d) >= (rank == k ? OWN_ROW : LARGE_ENOUGH) * largest)) return 0;
    if (rank == k) return 1;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(lu->x[list[i]]);
        int other = lu->rank[list[i]];
        if (other == k && size >= OWN_ROW * largest && size > NOISE) return 0;
        if (other < rank && size >= LARGE_ENOUGH * largest && size > NOISE) return 0;
    }
    return 1;
}

/* ---- columns ---- */

/* Column j of L, times u, off the column at work. */
static void subtract(const vgLu *lu, int j, double u)
{
    const int *row = lu->l_row;
    const double *l = lu->l;
    double *x = lu->x;
    for (size_t p = lu->l_start[j]; p < lu->l_start[j + 1]; p++) x[row[p]] -= l[p] * u;
}

static void divide(vgLu *lu, int k)
{
    for (size_t p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) {
        lu->l[p] = lu->x[lu->l_row[p]] / lu->pivot[k];
        lu->x[lu->l_row[p]] = 0;
    }
}

/* Numbers into the known pattern of column k. 0: another row would be chosen; x is zero again. */
static int refill(vgLu *lu, int k, const int *col_start, const int *row, const double *value)
{
    int c = lu->order[k];
    for (int t = col_start[c]; t < col_start[c + 1]; t++) lu->x[row[t]] = value[t];
    for (size_t p = lu->u_start[k]; p < lu->u_start[k + 1]; p++) {
        int j = lu->u_at[p], r = lu->row_of[j];
        lu->u[p] = lu->x[r];
        lu->x[r] = 0;
        subtract(lu, j, lu->u[p]);
    }
    const int *list = lu->l_row + lu->l_start[k];
    size_t n = lu->l_start[k + 1] - lu->l_start[k];
    double d = lu->x[lu->row_of[k]];
    lu->x[lu->row_of[k]] = 0;
    if (!still_chosen(lu, k, d, list, n)) {
        for (size_t i = 0; i < n; i++) lu->x[list[i]] = 0;
        return 0;
    }
    lu->pivot[k] = d;
    divide(lu, k);
    return 1;
}

static void push(vgLu *lu, int k)
{
    int at = lu->nqueue++;
    for (; at > 0 && lu->queue[(at - 1) / 2] > k; at = (at - 1) / 2) lu->queue[at] = lu->queue[(at - 1) / 2];
    lu->queue[at] = k;
}

static int pop(vgLu *lu)
{
    int first = lu->queue[0], k = lu->queue[--lu->nqueue], at = 0;
    for (int child; (child = 2 * at + 1) < lu->nqueue; at = child) {
        if (child + 1 < lu->nqueue && lu->queue[child + 1] < lu->queue[child]) child++;
        if (lu->queue[child] >= k) break;
        lu->queue[at] = lu->queue[child];
    }
    lu->queue[at] = k;
    return first;
}

/* A row comes into the column at work: one that is a pivot already is waiting to be subtracted, another one
 * may become the pivot. */
static void meet(vgLu *lu, int r, size_t *nlist)
{
    if (lu->seen[r]) return;
    lu->seen[r] = 1;
    if (lu->position[r] >= 0)
        push(lu, lu->position[r]);
    else if (*nlist <= lu->lower)
        lu->l_row[(*nlist)++] = r;
    else
        lu->full = 1, lu->seen[r] = 0, lu->x[r] = 0;
}

/* Pattern, pivot and numbers of column k. 0: nothing but noise is left in it. */
static int eliminate(vgLu *lu, int k, const int *col_start, const int *row, const double *value)
{
    int c = lu->order[k];
    size_t end = lu->l_start[k], at = lu->u_start[k];
    lu->nqueue = 0;
    for (int t = col_start[c]; t < col_start[c + 1]; t++) {
        lu->x[row[t]] = value[t];
        meet(lu, row[t], &end);
    }
    while (lu->nqueue > 0) {
        int j = pop(lu), r = lu->row_of[j];
        if (at >= lu->upper) lu->full = 1;
        if (lu->full) {
            lu->x[r] = lu->seen[r] = 0;
            continue;
        }
        for (size_t p = lu->l_start[j]; p < lu->l_start[j + 1]; p++) meet(lu, lu->l_row[p], &end);
        lu->u_at[at] = j;
        lu->u[at++] = lu->x[r];
        subtract(lu, j, lu->x[r]);
        lu->x[r] = 0;
        lu->seen[r] = 0;
    }
    int *list = lu->l_row + lu->l_start[k];
    size_t n = end - lu->l_start[k];
    int best = lu->full ? -1 : choose(lu, k, list, n);
    for (size_t i = 0; i < n; i++) lu->seen[list[i]] = 0;
    if (best < 0) {
        for (size_t i = 0; i < n; i++) lu->x[list[i]] = 0;
        return 0;
    }
    int r = list[best];
    list[best] = list[n - 1];
    lu->row_of[k] = r;
    lu->position[r] = k;
    lu->pivot[k] = lu->x[r];
    lu->x[r] = 0;
    lu->l_start[k + 1] = end - 1;
    lu->u_start[k + 1] = at;
    divide(lu, k);
    return 1;
}

vgStatus vg_lu_factor(vgLu *lu, const int *col_start, const int *row, const double *value, int *bad)
{
    int k = 0;
    while (k < lu->known && refill(lu, k, col_start, row, value)) k++;
    if (k == lu->n) return VG_OK;
    for (int later = k; later < lu->known; later++) lu->position[lu->row_of[later]] = -1;
    lu->repivots++;
    lu->full = 0;
    while (k < lu->n && eliminate(lu, k, col_start, row, value)) k++;
    lu->known = k;
    if (k == lu->n) return VG_OK;
    *bad = lu->order[k];
    return lu->full ? VG_LIMIT : VG_SINGULAR;
}

void vg_lu_solve(const vgLu *lu, double *b, double *x)
{
    for (int k = 0; k < lu->n; k++) {
        double y = b[lu->row_of[k]];
        for (size_t p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) b[lu->l_row[p]] -= lu->l[p] * y;
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        double y = b[lu->row_of[k]] / lu->pivot[k];
        x[lu->order[k]] = y;
        for (size_t p = lu->u_start[k]; p < lu->u_start[k + 1]; p++)
            b[lu->row_of[lu->u_at[p]]] -= lu->u[p] * y;
    }
}

void vg_lu_solve_lanes(const vgLu *lu, vgLaneLoose *b, vgLaneLoose *x)
{
    for (int k = 0; k < lu->n; k++) {
        vgLane y = b[lu->row_of[k]];
        for (size_t p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) b[lu->l_row[p]] -= lu->l[p] * y;
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        vgLane y = b[lu->row_of[k]] / lu->pivot[k];
        x[lu->order[k]] = y;
        for (size_t p = lu->u_start[k]; p < lu->u_start[k + 1]; p++)
            b[lu->row_of[lu->u_at[p]]] -= lu->u[p] * y;
    }
}

void vg_lu_solve_transposed(const vgLu *lu, double *b, double *x)
{
    for (int k = 0; k < lu->n; k++) { /* Uᵀ z = Qᵀ b, z in place of b */
        double z = b[lu->order[k]];
        for (size_t p = lu->u_start[k]; p < lu->u_start[k + 1]; p++)
            z -= lu->u[p] * b[lu->order[lu->u_at[p]]];
        b[lu->order[k]] = z / lu->pivot[k];
    }
    for (int k = lu->n - 1; k >= 0; k--) { /* Lᵀ P x = z */
        double z = b[lu->order[k]];
        for (size_t p = lu->l_start[k]; p < lu->l_start[k + 1]; p++) z -= lu->l[p] * x[lu->l_row[p]];
        x[lu->row_of[k]] = z;
    }
}
