/* Cholesky factorisation of a saddle matrix, set-up: numbering, lists of entries and products, order of elimination. */
#include <amd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/lin/chol_impl.h"

enum { DENSE_ROWS = 72 };

typedef vgCholEntry Entry; /* of the upper triangle */

static void *take(vgLinChol *c, size_t count, size_t size)
{
    c->bytes += (count + 1) * size;
    return calloc(count + 1, size);
}

void vg_lin_chol_free(vgLinChol *c)
{
    if (!c) return;
    void *all[] = {c->primal, c->row_of,   c->place,    c->dual,    c->node_from, c->node_to, c->diag_at,
                   c->a_from, c->a_to,     c->a_weight, c->b_start, c->b_col,     c->b_from,  c->b,
                   c->bb_to,  c->bb_start, c->s_start,  c->s_row,   c->order,     c->at,      c->r_start,
                   c->r_col,  c->l_start,  c->l_row,    c->l_used,  c->l,         c->y,       c->alpha};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
    if (!c->dense) free(c->S);
    vg_chol_tiles_free(&c->tiles);
    free(c);
}

/* ---- set-up ---- */

static vgStatus number(vgLinChol *c)
{
    const vgLinGraph *g = &c->lin->graph;
    size_t size = (size_t)g->n;
    c->primal = take(c, size, sizeof(int));
    c->row_of = take(c, size, sizeof(int));
    c->place = take(c, size, sizeof(int));
    c->dual = take(c, size, sizeof(int));
    c->node_from = take(c, size, sizeof(int));
    c->node_to = take(c, size, sizeof(int));
    c->diag_at = take(c, size, sizeof(size_t));
    c->b_start = take(c, size + 1, sizeof(int));
    if (!c->primal || !c->row_of || !c->place || !c->dual || !c->node_from || !c->node_to || !c->diag_at ||
        !c->b_start)
        return VG_NO_MEMORY;
    for (int node = 0; node < g->nnode; node++)
        for (int k = 0; k < g->size[node]; k++) {
            int row = g->offset[node] + k;
            c->place[row] = -1;
            if (g->dual[node]) {
                c->dual[c->rows++] = row;
                continue;
            }
            c->node_from[c->n] = c->n - k;
            c->node_to[c->n] = c->n - k + g->size[node];
            c->diag_at[c->n] = g->diag[node] + (size_t)k * (size_t)(g->size[node] + 1);
            c->place[row] = c->n;
            c->primal[c->n++] = row;
        }
    return VG_OK;
}

/* Rows of B: count (b_col NULL) or fill. Duals are numbered in the order of their nodes. */
static void list_rows(vgLinChol *c)
{
    const vgLinGraph *g = &c->lin->graph;
    int row = 0, fill = 0;
    for (int node = 0; node < g->nnode; node++) {
        if (!g->dual[node]) continue;
        for (int r = 0; r < g->size[node]; r++) {
            c->b_start[row++] = fill;
            for (int e = g->start[node]; e < g->start[node + 1]; e++) {
                const vgLinPair *p = &g->pairs[g->pair[e]];
                int other = g->near[e], w = g->size[other];
                if (g->dual[other]) continue;
                for (int k = 0; k < w; k++, fill++) {
                    if (!c->b_col) continue;
                    int by_row = p->i == node && p->mirror; /* (dual, primal) is all there is */
                    size_t block = p->i == node && !p->mirror ? p->ji : p->ij;
                    c->b_col[fill] = c->place[g->offset[other] + k];
                    c->b_from[fill] = block + (by_row ? (size_t)r * (size_t)w + (size_t)k
                                                      : (size_t)k * (size_t)g->size[node] + (size_t)r);
                }
            }
        }
    }
    c->b_start[row] = fill;
}

/* Entries of A: diagonal blocks and the pairs of primal nodes; the transposed half has the same place. */
static void list_block(vgLinChol *c, size_t from, int row0, int rows, int col0, int cols, int mirror,
                       Entry *to)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            int a = c->place[row0 + i], b = c->place[col0 + j];
            if (to) {
                to[c->na] = (Entry){a < b ? a : b, a < b ? b : a};
                c->a_from[c->na] = from + (size_t)i * (size_t)cols + (size_t)j;
                c->a_weight[c->na] = a == b || mirror ? 1 : 0.5;
            }
            c->na++;
        }
}

static void list_a(vgLinChol *c, Entry *to)
{
    const vgLinGraph *g = &c->lin->graph;
    c->na = 0;
    for (int node = 0; node < g->nnode; node++)
        if (!g->dual[node])
            list_block(c, g->diag[node], g->offset[node], g->size[node], g->offset[node], g->size[node], 0,
                       to);
    for (int e = 0; e < g->npair; e++) {
        const vgLinPair *p = &g->pairs[e];
        if (g->dual[p->i] || g->dual[p->j]) continue;
        list_block(c, p->ij, g->offset[p->i], g->size[p->i], g->offset[p->j], g->size[p->j], p->mirror, to);
        if (!p->mirror)
            list_block(c, p->ji, g->offset[p->j], g->size[p->j], g->offset[p->i], g->size[p->i], 0, to);
    }
}

/* Entries of the lower triangle of b bᵀ, row by row of B. */
static size_t count_products(vgLinChol *c)
{
    size_t n = 0;
    for (int r = 0; r < c->rows; r++) {
        size_t w = (size_t)(c->b_start[r + 1] - c->b_start[r]);
        c->bb_start[r] = n;
        n += w * (w + 1) / 2;
    }
    return n;
}

static vgStatus make_lists(vgLinChol *c, Entry **entries, size_t *count)
{
    list_rows(c);
    size_t nb = (size_t)c->b_start[c->rows];
    c->b_col = take(c, nb, sizeof(int));
    c->b_from = take(c, nb, sizeof(size_t));
    c->b = take(c, nb, sizeof(double));
    c->bb_start = take(c, (size_t)c->rows, sizeof(size_t));
    if (!c->bb_start) return VG_NO_MEMORY;
    list_a(c, NULL);
    size_t products = count_products(c);
    c->a_from = take(c, c->na, sizeof(size_t));
    c->a_to = take(c, c->na, sizeof(int));
    c->a_weight = take(c, c->na, sizeof(double));
    c->bb_to = take(c, products, sizeof(int));
    c->y = take(c, (size_t)(c->n + 4 + c->rows), sizeof(double));
    c->alpha = take(c, (size_t)c->rows, sizeof(double));
    *entries = malloc((c->na + products + 1) * sizeof **entries);
    if (!c->b_col || !c->b_from || !c->b || !c->a_from || !c->a_to || !c->a_weight || !c->bb_to || !c->y ||
        !c->alpha || !*entries)
        return VG_NO_MEMORY;
    list_rows(c);
    list_a(c, *entries);
    *count = c->na;
    for (int r = 0; r < c->rows; r++)
        for (int k = c->b_start[r]; k < c->b_start[r + 1]; k++)
            for (int l = c->b_start[r]; l <= k; l++) {
                int a = c->b_col[k], b = c->b_col[l];
                (*entries)[(*count)++] = (Entry){a < b ? a : b, a < b ? b : a};
            }
    return VG_OK;
}

/* ---- sparse: the pattern of S and of its factor ---- */

/* Row (the smaller place) and column of an entry in the upper triangle under the order. */
static Entry placed(const vgLinChol *c, Entry e)
{
    int a = c->at[e.i], b = c->at[e.j];
    return a < b ? (Entry){a, b} : (Entry){b, a};
}

/* Stable counting sort of the entries listed in `from` by row or column; head: n + 2 counts. */
static void sort_by(const vgLinChol *c, const Entry *e, size_t count, int column, const size_t *from,
                    size_t *to, size_t *head)
{
    size_t n = (size_t)c->n;
    memset(head, 0, (n + 2) * sizeof *head);
    for (size_t k = 0; k < count; k++) {
        Entry x = placed(c, e[k]);
        head[(column ? x.j : x.i) + 1]++;
    }
    for (size_t k = 0; k < n; k++) head[k + 1] += head[k];
    for (size_t k = 0; k < count; k++) {
        Entry x = placed(c, e[from[k]]);
        to[head[column ? x.j : x.i]++] = from[k];
    }
}

/* Columns of the upper triangle under the order; to[e]: the place of entry e. */
static vgStatus compress(vgLinChol *c, const Entry *e, size_t count, int *to)
{
    size_t n = (size_t)c->n, *all = calloc(2 * count + n + 3, sizeof *all);
    c->s_start = take(c, n + 1, sizeof(int));
    c->s_row = take(c, count, sizeof(int));
    if (!all || !c->s_start || !c->s_row) {
        free(all);
        return VG_NO_MEMORY;
    }
    size_t *order = all, *by_row = all + count, *head = by_row + count;
    for (size_t k = 0; k < count; k++) order[k] = k;
    sort_by(c, e, count, 0, order, by_row, head);
    sort_by(c, e, count, 1, by_row, order, head);
    int fill = -1;
    Entry last = {-1, -1};
    for (size_t k = 0; k < count; k++) {
        Entry x = placed(c, e[order[k]]);
        if (x.i != last.i || x.j != last.j) {
            c->s_row[++fill] = x.i;
            c->s_start[x.j + 1]++;
        }
        last = x;
        to[order[k]] = fill;
    }
    for (size_t k = 0; k < n; k++) c->s_start[k + 1] += c->s_start[k];
    c->ns = (size_t)(fill + 1);
    free(all);
    return VG_OK;
}

/* A fill-reducing order of the pattern of S + Sᵀ (compressed in the natural order first). */
static vgStatus reorder(vgLinChol *c)
{
    int status = amd_order(c->n, c->s_start, c->s_row, c->order, NULL, NULL);
    if (status < AMD_OK) return VG_NO_MEMORY;
    for (int k = 0; k < c->n; k++) c->at[c->order[k]] = k;
    return VG_OK;
}

/* Elimination tree and the rows of L [Davis, Direct Methods for Sparse Linear Systems, ch. 4]: column i of row k
 * lies on the path from an entry of column k of S to the root. pass 0 counts. */
static void rows_of_factor(vgLinChol *c, int *parent, int *mark, int *stack, int pass)
{
    int total = 0;
    for (int k = 0; k < c->n; k++) {
        if (pass == 0) parent[k] = -1;
        mark[k] = k;
        int top = c->n;
        for (int e = c->s_start[k]; e < c->s_start[k + 1]; e++) {
            int len = 0;
            for (int i = c->s_row[e]; i < k && i >= 0 && mark[i] != k; i = parent[i]) {
                if (pass == 0 && parent[i] < 0) parent[i] = k;
                stack[len++] = i;
                mark[i] = k;
            }
            while (len > 0) stack[--top] = stack[--len];
        }
        c->r_start[k] = total;
        for (int s = top; s < c->n; s++, total++) {
            if (pass == 0)
                c->l_start[stack[s] + 1]++;
            else
                c->r_col[total] = stack[s];
        }
    }
    c->r_start[c->n] = total;
}

static vgStatus analyse(vgLinChol *c)
{
    size_t n = (size_t)c->n;
    int *parent = malloc((n + 1) * sizeof *parent), *mark = malloc((n + 1) * sizeof *mark),
        *stack = malloc((n + 1) * sizeof *stack);
    c->r_start = take(c, n + 1, sizeof(int));
    c->l_start = take(c, n + 1, sizeof(int));
    c->l_used = take(c, n, sizeof(int));
    vgStatus st = parent && mark && stack && c->r_start && c->l_start && c->l_used ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        for (int k = 0; k < c->n; k++) mark[k] = -1;
        rows_of_factor(c, parent, mark, stack, 0);
        for (int k = 0; k < c->n; k++) c->l_start[k + 1] += c->l_start[k] + 1; /* and the diagonal */
        c->r_col = take(c, (size_t)c->r_start[c->n], sizeof(int));
        c->l_row = take(c, (size_t)c->l_start[c->n], sizeof(int));
        c->l = take(c, (size_t)c->l_start[c->n], sizeof(double));
        if (!c->r_col || !c->l_row || !c->l) st = VG_NO_MEMORY;
    }
    if (st == VG_OK) {
        for (int k = 0; k < c->n; k++) mark[k] = -1;
        rows_of_factor(c, parent, mark, stack, 1);
    }
    free(parent);
    free(mark);
    free(stack);
    return st;
}

/* The pattern in the natural order, and a fill-reducing one by it. */
static vgStatus take_order(vgLinChol *c, const Entry *e, size_t count, int *to)
{
    c->order = take(c, (size_t)c->n, sizeof(int));
    c->at = take(c, (size_t)c->n, sizeof(int));
    if (!c->order || !c->at) return VG_NO_MEMORY;
    for (int k = 0; k < c->n; k++) c->at[k] = k;
    vgStatus st = compress(c, e, count, to);
    if (st == VG_OK) st = reorder(c);
    free(c->s_start);
    free(c->s_row);
    c->s_start = c->s_row = NULL;
    return st;
}

static vgStatus place_sparse(vgLinChol *c, const Entry *e, size_t count, int *to)
{
    vgStatus st = compress(c, e, count, to);
    if (st == VG_OK) st = analyse(c);
    if (st == VG_OK) c->S = take(c, c->ns, sizeof(double));
    return st == VG_OK && !c->S ? VG_NO_MEMORY : st;
}

/* Of three orders the one with the fewest tiles: the fill-reducing one, as they come, and backwards (the ends
 * of trees before their roots). */
static vgStatus place_dense(vgLinChol *c, const Entry *e, size_t count, int *to)
{
    size_t n = (size_t)c->n;
    int *plain = malloc((2 * n + 1) * sizeof *plain), *back = plain + n;
    if (!plain) return VG_NO_MEMORY;
    for (size_t k = 0; k < n; k++) {
        plain[k] = (int)k;
        back[k] = (int)(n - 1 - k);
    }
    vgStatus st = vg_chol_tiles_new(&c->tiles, c->n, count, e, 3, (const int *const[]){plain, back, c->at});
    free(plain);
    if (st != VG_OK) return st;
    for (size_t k = 0; k < count; k++) to[k] = vg_chol_tiles_place(&c->tiles, e[k]);
    for (int k = 0; k < c->n; k++) c->order[c->at[k] = c->tiles.at[k]] = k;
    c->S = c->tiles.S;
    c->ns = (size_t)c->tiles.ld * (size_t)c->tiles.ld;
    c->bytes += c->tiles.bytes;
    return VG_OK;
}

vgStatus vg_lin_chol_new(vgLin *saddle, vgLinCholWay way, vgLinChol **out)
{
    *out = NULL;
    vgLinChol *c = calloc(1, sizeof *c);
    if (!c) return VG_NO_MEMORY;
    c->lin = saddle;
    c->bad_row = -1;
    c->bytes = sizeof *c;
    Entry *e = NULL;
    size_t count = 0;
    vgStatus st = number(c);
    if (st == VG_OK) st = make_lists(c, &e, &count);
    int *to = st == VG_OK ? malloc((count + 1) * sizeof *to) : NULL;
    if (st == VG_OK && !to) st = VG_NO_MEMORY;
    c->dense = way == VG_CHOL_DENSE || (way == VG_CHOL_AUTO && c->n <= DENSE_ROWS);
    if (st == VG_OK) st = take_order(c, e, count, to);
    if (st == VG_OK) st = c->dense ? place_dense(c, e, count, to) : place_sparse(c, e, count, to);
    if (st == VG_OK) {
        memcpy(c->a_to, to, c->na * sizeof *to);
        memcpy(c->bb_to, to + c->na, (count - c->na) * sizeof *to);
        for (int k = 0; k < c->b_start[c->rows]; k++) /* from now on by its place */
            c->b_col[k] = c->at[c->b_col[k]];
        for (int k = 0; k < c->n; k++) c->row_of[c->at[k]] = c->primal[k];
    }
    free(e);
    free(to);
    if (st != VG_OK) {
        vg_lin_chol_free(c);
        return st;
    }
    *out = c;
    return VG_OK;
}
