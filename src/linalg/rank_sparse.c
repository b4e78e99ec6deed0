/* Redundant rows of a large sparse Jacobian: with rows of unit length, G = J Jᵀ = L D Lᵀ, taken row by row in
 * a fill-reducing order (up-looking, [Davis, Direct Methods for Sparse Linear Systems, ch. 4]). The pivot d_k
 * is the squared distance of row k from the span of the rows taken before; when it is below tolerance² the
 * row is redundant, its 1/d is set to zero and it drops out of all that follows. With l the row k of L, Lᵀ c
 * = l gives the combination of earlier rows that reproduces it. */
#include "linalg/rank_impl.h"
#include "base/expect.h"

#include <amd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_TOLERANCE = 1e-6;
static const long long MOST_ENTRIES = 20000000;

typedef struct gram {
    const vgSparseRows *j;
    double *length;   /* [m] of each row */
    int *start, *col; /* the pattern and values of G, whole */
    double *value;
    int *order, *place; /* [m] position -> row, row -> position */
    int *parent;        /* [m] elimination tree, in positions */
    int *l_start, *l_used, *l_row;
    double *l_value, *inverse; /* L by columns, 1/d */
    double *y;                 /* [m] */
    int *mark, *pattern, *path;
    double *share;
    vgRankTerm *candidates;
} gram;

static void gram_free(gram *g)
{
    void *all[] = {g->length,  g->start,   g->col,    g->value,   g->order,   g->place,
                   g->parent,  g->l_start, g->l_used, g->l_row,   g->y,       g->mark,
                   g->pattern, g->path,    g->share,  g->l_value, g->inverse, g->candidates};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
}

static vgStatus allocate(gram *g)
{
    size_t m = (size_t)g->j->m + 1;
    int **ints[] = {&g->start,  &g->order, &g->place,   &g->parent, &g->l_start,
                    &g->l_used, &g->mark,  &g->pattern, &g->path};
    double **reals[] = {&g->length, &g->inverse, &g->y, &g->share};
    int fits = 1;
    for (size_t k = 0; k < sizeof ints / sizeof ints[0]; k++)
        fits = (*ints[k] = calloc(m, sizeof(int))) != NULL && fits;
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++)
        fits = (*reals[k] = calloc(m, sizeof(double))) != NULL && fits;
    g->candidates = malloc(m * sizeof *g->candidates);
    return fits && g->candidates ? VG_OK : VG_NO_MEMORY;
}

/* The rows that use each column. */
static int *transpose(const vgSparseRows *j, int **col_start, double **col_value)
{
    size_t count = (size_t)j->start[j->m];
    int *start = calloc((size_t)j->n + 2, sizeof *start), *row = malloc((count + 1) * sizeof *row);
    double *value = malloc((count + 1) * sizeof *value);
    *col_start = start;
    *col_value = value;
    if (!start || !row || !value) return row;
    for (size_t t = 0; t < count; t++) start[j->col[t] + 1]++;
    for (int c = 0; c < j->n; c++) start[c + 1] += start[c];
    for (int i = 0; i < j->m; i++)
        for (int t = j->start[i]; t < j->start[i + 1]; t++) {
            int at = start[j->col[t]]++;
            row[at] = i;
            value[at] = j->value[t];
        }
    for (int c = j->n; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
    return row;
}

/* G by rows: first the count of each, then the entries. */
static vgStatus multiply(gram *g)
{
    const vgSparseRows *j = g->j;
    int *col_start, *row = NULL;
    double *col_value;
    row = transpose(j, &col_start, &col_value);
    vgStatus status = row && col_start && col_value ? VG_OK : VG_NO_MEMORY;
    long long count = 0;
    for (int pass = 0; pass < 2 && status == VG_OK; pass++) {
        int at = 0;
        for (int i = 0; i < j->m; i++) g->mark[i] = -1;
        for (int i = 0; i < j->m && status == VG_OK; i++) {
            g->start[i] = at;
            for (int t = j->start[i]; t < j->start[i + 1]; t++)
                for (int s = col_start[j->col[t]]; s < col_start[j->col[t] + 1]; s++) {
                    if (g->mark[row[s]] != i) {
                        g->mark[row[s]] = i;
                        g->y[row[s]] = 0;
                        if (pass == 0) count++;
                        if (pass == 1) g->col[at++] = row[s];
                    }
                    g->y[row[s]] += j->value[t] / g->length[i] * (col_value[s] / g->length[row[s]]);
                }
            if (count > MOST_ENTRIES) status = VG_LIMIT;
            for (int e = g->start[i]; pass == 1 && e < at; e++) g->value[e] = g->y[g->col[e]];
        }
        g->start[j->m] = at;
        if (pass == 1 || status != VG_OK) continue;
        g->col = malloc(((size_t)count + 1) * sizeof *g->col);
        g->value = malloc(((size_t)count + 1) * sizeof *g->value);
        if (!g->col || !g->value) status = VG_NO_MEMORY;
    }
    free(row);
    free(col_start);
    free(col_value);
    memset(g->y, 0, ((size_t)j->m + 1) * sizeof *g->y);
    return status;
}

/* Elimination tree and the size of every column of L. */
static vgStatus analyse(gram *g)
{
    int m = g->j->m;
    if (amd_order(m, g->start, g->col, g->order, NULL, NULL) < AMD_OK) return VG_NO_MEMORY;
    for (int k = 0; k < m; k++) g->place[g->order[k]] = k;
    long long total = 0;
    for (int k = 0; k < m; k++) {
        g->parent[k] = -1;
        g->mark[k] = k;
        for (int e = g->start[g->order[k]]; e < g->start[g->order[k] + 1]; e++)
            for (int i = g->place[g->col[e]]; i < k && g->mark[i] != k; i = g->parent[i]) {
                if (g->parent[i] < 0) g->parent[i] = k;
                g->l_used[i]++;
                g->mark[i] = k;
                total++;
            }
    }
    if (total > 10 * MOST_ENTRIES) return VG_LIMIT;
    for (int k = 0; k < m; k++) {
        g->l_start[k + 1] = g->l_start[k] + g->l_used[k];
        g->l_used[k] = 0;
        g->mark[k] = -1;
    }
    g->l_row = malloc(((size_t)total + 1) * sizeof *g->l_row);
    g->l_value = malloc(((size_t)total + 1) * sizeof *g->l_value);
    return g->l_row && g->l_value ? VG_OK : VG_NO_MEMORY;
}

/* Row k of L and the pivot d_k. The pattern of the row, ascending along the tree, is pattern[*first .. m). */
static double next_row(gram *g, int k, int *first)
{
    int m = g->j->m, top = m;
    double d = 0;
    g->mark[k] = k;
    for (int e = g->start[g->order[k]]; e < g->start[g->order[k] + 1]; e++) {
        int i = g->place[g->col[e]], depth = 0;
        if (i == k) d = g->value[e];
        if (i >= k) continue;
        g->y[i] = g->value[e];
        for (; g->mark[i] != k; i = g->parent[i]) {
            g->path[depth++] = i;
            g->mark[i] = k;
        }
        while (depth > 0) g->pattern[--top] = g->path[--depth];
    }
    for (int p = top; p < m; p++) {
        int i = g->pattern[p];
        double yi = g->y[i], share = yi * g->inverse[i];
        g->y[i] = 0;
        for (int e = g->l_start[i]; e < g->l_start[i] + g->l_used[i]; e++)
            g->y[g->l_row[e]] -= g->l_value[e] * yi;
        d -= share * yi;
        int at = g->l_start[i] + g->l_used[i]++;
        g->l_row[at] = k;
        g->l_value[at] = share;
    }
    *first = top;
    return d;
}

/* Lᵀ c = l over the rows taken before k: the shares of row k. Returns how many are not zero. */
static int combine(gram *g, int k, int first)
{
    int count = 0;
    memset(g->share, 0, (size_t)k * sizeof *g->share);
    for (int p = first; p < g->j->m; p++) {
        int i = g->pattern[p];
        g->share[i] = g->l_value[g->l_start[i] + g->l_used[i] - 1];
    }
    for (int i = k - 1; i >= 0; i--) {
        if (g->inverse[i] == 0) continue;
        for (int e = g->l_start[i]; e < g->l_start[i] + g->l_used[i] && g->l_row[e] < k; e++)
            g->share[i] -= g->l_value[e] * g->share[g->l_row[e]];
        if (g->share[i] != 0) g->candidates[count++] = (vgRankTerm){g->order[i], g->share[i]};
    }
    return count;
}

typedef struct named { /* a redundant row with its terms, before sorting by row */
    int row, first, count;
} named;

static int compare_named(const void *a, const void *b)
{
    return ((const named *)a)->row - ((const named *)b)->row;
}

/* Redundant rows come in elimination order; the answer has them ascending. */
static vgStatus sort_redundant(vgRank *out)
{
    named *list = malloc(((size_t)out->nredundant + 1) * sizeof *list);
    vgRankTerm *terms = malloc(((size_t)out->term_start[out->nredundant] + 1) * sizeof *terms);
    if (list && terms) {
        for (int k = 0; k < out->nredundant; k++)
            list[k] =
                (named){out->redundant[k], out->term_start[k], out->term_start[k + 1] - out->term_start[k]};
        qsort(list, (size_t)out->nredundant, sizeof *list, compare_named);
        int at = 0;
        for (int k = 0; k < out->nredundant; k++) {
            out->redundant[k] = list[k].row;
            out->term_start[k] = at;
            memcpy(terms + at, out->terms + list[k].first, (size_t)list[k].count * sizeof *terms);
            at += list[k].count;
        }
        memcpy(out->terms, terms, (size_t)at * sizeof *terms);
    }
    vgStatus status = list && terms ? VG_OK : VG_NO_MEMORY;
    free(list);
    free(terms);
    return status;
}

static vgStatus factor(gram *g, double tolerance, vgRank *out)
{
    for (int k = 0; k < g->j->m; k++) {
        int row = g->order[k], first;
        double d = next_row(g, k, &first);
        if (isnan(d)) return VG_NOT_FINITE;
        if (d > tolerance * tolerance) {
            g->inverse[k] = 1 / d;
            out->independent[out->rank++] = row;
            continue;
        }
        int at = out->nredundant++, count = 0;
        if (at < VG_RANK_EXPLAINED) count = combine(g, k, first);
        out->redundant[at] = row;
        vg_rank_explain(out, at, g->candidates, count, g->length, g->length[row]);
    }
    return sort_redundant(out);
}

vgStatus vg_rank_sparse(const vgSparseRows *j, double tolerance, vgRank *out)
{
    VG_EXPECT(j && tolerance >= 0 && out);
    memset(out, 0, sizeof *out);
    if (j->m < 0 || j->n < 1) return VG_BAD_INPUT;
    if (tolerance < LEAST_TOLERANCE) tolerance = LEAST_TOLERANCE;
    gram g = {.j = j};
    vgStatus status = allocate(&g);
    for (int i = 0; i < j->m && status == VG_OK; i++) {
        double sum = 0;
        for (int t = j->start[i]; t < j->start[i + 1]; t++) sum += j->value[t] * j->value[t];
        if (!isfinite(sum)) status = VG_NOT_FINITE;
        g.length[i] = sqrt(sum);
    }
    const double empty = status == VG_OK ? vg_rank_empty(g.length, j->m) : 0;
    for (int i = 0; i < j->m && status == VG_OK; i++)
        if (g.length[i] <= empty)
            g.length[i] = empty > 0 ? empty / VG_RANK_EMPTY : 1; /* stays short: redundant */
    if (status == VG_OK) status = multiply(&g);
    if (status == VG_OK && j->m > 0) status = analyse(&g);
    if (status == VG_OK) status = vg_rank_room(j->m, VG_RANK_EXPLAINED * VG_RANK_TERMS, out);
    if (status == VG_OK && j->m > 0) status = factor(&g, tolerance, out);
    gram_free(&g);
    if (status != VG_OK) vg_rank_free(out);
    return status;
}
