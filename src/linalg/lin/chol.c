#include "linalg/lin/chol.h"

#include <amd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/chol_tiles.h"
#include "linalg/lin/impl.h"

enum { DENSE_ROWS = 72 };
static const double FINITE_MOST = 1e300;

typedef vgCholEntry Entry; /* of the upper triangle */

struct vgLinChol {
    vgLin *lin;
    int n, rows;         /* primal unknowns, rows of B */
    int *primal, *place; /* [n] row of the saddle matrix; [size] back, −1 dual */
    int *row_of;         /* [n] the same by the place in the factor */
    int *dual;           /* [rows] row of the saddle matrix */
    int *node_from, *node_to;
    size_t *diag_at; /* [n] value of A_kk */
    /* A: what goes where */
    size_t na, *a_from;
    int *a_to;
    double *a_weight;
    /* B by rows, and where the products of two entries go */
    int *b_start, *b_col;
    size_t *b_from;
    double *b;
    size_t *bb_start; /* [rows] */
    int *bb_to;
    /* S: dense in tiles, or sparse by columns of the upper triangle in the order `order` */
    int dense;
    vgCholTiles tiles;
    size_t ns;
    double *S; /* dense: the tiles' */
    int *s_start, *s_row;
    int *order, *at;      /* [n] position → unknown and back */
    int *r_start, *r_col; /* row k of L: its columns, in the order of elimination */
    int *l_start, *l_row, *l_used;
    double *l;
    double *y, *alpha; /* [n + 4 + rows], [rows] */
    int by_saddle, bad_row;
    long fallbacks;
    size_t bytes;
};

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

/* Entries of A: diagonal blocks and the pairs of primal nodes; the transposed half goes to the same place. */
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

/* Columns of the upper triangle under the order; where entry e goes: to[e]. Two counting sorts. */
static vgStatus compress(vgLinChol *c, const Entry *e, size_t count, int *to)
{
    size_t n = (size_t)c->n;
    size_t *by_row = malloc((count + 1) * sizeof *by_row), *by_col = malloc((count + 1) * sizeof *by_col);
    size_t *head = calloc(n + 2, sizeof *head);
    vgStatus st = by_row && by_col && head ? VG_OK : VG_NO_MEMORY;
    for (int pass = 0; pass < 2 && st == VG_OK; pass++) {
        memset(head, 0, (n + 2) * sizeof *head);
        for (size_t k = 0; k < count; k++) {
            int a = c->at[e[k].i], b = c->at[e[k].j], key = pass == 0 ? (a < b ? a : b) : (a < b ? b : a);
            head[key + 1]++;
        }
        for (size_t k = 0; k < n; k++) head[k + 1] += head[k];
        for (size_t k = 0; k < count; k++) {
            size_t which = pass == 0 ? k : by_row[k];
            int a = c->at[e[which].i], b = c->at[e[which].j], lo = a < b ? a : b, hi = a < b ? b : a;
            (pass == 0 ? by_row : by_col)[head[pass == 0 ? lo : hi]++] = which;
        }
    }
    if (st == VG_OK) {
        int fill = -1, last_lo = -1, last_hi = -1;
        c->s_start = take(c, n + 1, sizeof(int));
        c->s_row = take(c, count, sizeof(int));
        if (!c->s_start || !c->s_row) st = VG_NO_MEMORY;
        for (size_t k = 0; k < count && st == VG_OK; k++) {
            int a = c->at[e[by_col[k]].i], b = c->at[e[by_col[k]].j], lo = a < b ? a : b, hi = a < b ? b : a;
            if (lo != last_lo || hi != last_hi) {
                c->s_row[++fill] = lo;
                c->s_start[hi + 1]++;
            }
            last_lo = lo, last_hi = hi;
            to[by_col[k]] = fill;
        }
        for (size_t k = 0; k < n && st == VG_OK; k++) c->s_start[k + 1] += c->s_start[k];
        c->ns = (size_t)(fill + 1);
    }
    free(by_row);
    free(by_col);
    free(head);
    return st;
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

size_t vg_lin_chol_memory(const vgLinChol *c)
{
    return c->bytes;
}

const char *vg_lin_chol_name(const vgLinChol *c)
{
    return c->dense ? "dense Cholesky" : "sparse Cholesky";
}

long vg_lin_chol_fallbacks(const vgLinChol *c)
{
    return c->fallbacks;
}

int vg_lin_chol_bad_row(const vgLinChol *c)
{
    return c->bad_row;
}

/* ---- factorisation ---- */

/* S += α b bᵀ for row r of B. */
static void add_row(vgLinChol *c, int r)
{
    const double *b = c->b + c->b_start[r];
    const int *to = c->bb_to + c->bb_start[r];
    for (int k = 0; k < c->b_start[r + 1] - c->b_start[r]; k++) {
        double x = c->alpha[r] * b[k];
        if (x != 0)
            for (int l = 0; l <= k; l++) c->S[to[l]] += x * b[l];
        to += k + 1;
    }
}

/* Row k of L from the rows before it: L x = S(:,k). */
static int eliminate_sparse(vgLinChol *c, int k)
{
    double *x = c->y;
    for (int e = c->s_start[k]; e < c->s_start[k + 1]; e++) x[c->s_row[e]] = c->S[e];
    double d = x[k];
    x[k] = 0;
    for (int e = c->r_start[k]; e < c->r_start[k + 1]; e++) {
        int i = c->r_col[e], first = c->l_start[i], end = first + c->l_used[i];
        double lki = x[i] / c->l[first];
        x[i] = 0;
        for (int p = first + 1; p < end; p++) x[c->l_row[p]] -= c->l[p] * lki;
        d -= lki * lki;
        c->l_row[end] = k;
        c->l[end] = lki;
        c->l_used[i]++;
    }
    if (!(d > 0 && d < FINITE_MOST)) return k;
    c->l_row[c->l_start[k]] = k;
    c->l[c->l_start[k]] = sqrt(d);
    c->l_used[k] = 1;
    return -1;
}

/* The saddle matrix with −1/α on its dual diagonal, by its own means. */
static vgStatus factor_saddle(vgLinChol *c)
{
    const vgLinGraph *g = &c->lin->graph;
    int row = 0;
    for (int node = 0; node < g->nnode; node++) {
        if (!g->dual[node]) continue;
        double *d = c->lin->values + g->diag[node];
        size_t w = (size_t)g->size[node];
        for (size_t k = 0; k < w; k++) d[k * (w + 1)] = -1 / c->alpha[row++];
    }
    c->fallbacks++;
    c->by_saddle = 1;
    vgStatus st = vg_lin_factor(c->lin);
    c->bad_row = vg_lin_bad_row(c->lin);
    return st;
}

/* A, α and B from the values of the saddle matrix. */
static void begin(vgLinChol *c, const double *alpha)
{
    const double *values = c->lin->values;
    int nb = c->b_start[c->rows];
    for (int k = 0; k < nb; k++) c->b[k] = values[c->b_from[k]];
    for (int r = 0; r < c->rows; r++) c->alpha[r] = alpha[c->dual[r]];
    memset(c->S, 0, c->ns * sizeof *c->S);
    for (size_t k = 0; k < c->na; k++) c->S[c->a_to[k]] += c->a_weight[k] * values[c->a_from[k]];
    c->by_saddle = 0;
    c->bad_row = -1;
    memset(c->y, 0, (size_t)(c->n + 4) * sizeof *c->y);
}

/* How many times eliminate one: by bands of tiles, or by rows. */
static int count(const vgLinChol *c)
{
    return c->dense ? c->tiles.bands : c->n;
}

static vgStatus eliminate(vgLinChol *c, int from, int to)
{
    int bad = -1;
    for (int k = from; k < to && bad < 0; k++)
        bad = c->dense ? vg_chol_tiles_band(&c->tiles, k) : eliminate_sparse(c, k);
    return bad < 0 ? VG_OK : factor_saddle(c);
}

vgStatus vg_lin_chol_factor(vgLinChol *c, const double *alpha)
{
    begin(c, alpha);
    for (int r = 0; r < c->rows; r++) add_row(c, r);
    return eliminate(c, 0, count(c));
}

/* A, then B row by row, then the rows of the factor. */
int vg_lin_chol_pieces(const vgLinChol *c, double *cost)
{
    int n = 1 + c->rows + count(c);
    if (!cost) return n;
    *cost++ = 1.5 * (double)c->na + 0.2 * (double)c->ns + 1.5 * (double)c->b_start[c->rows];
    for (int r = 0; r < c->rows; r++) {
        double w = c->b_start[r + 1] - c->b_start[r];
        *cost++ = 20 + 0.3 * w * w;
    }
    for (int k = 0; k < count(c); k++) {
        double later = c->dense ? c->tiles.first[k + 1] - c->tiles.first[k] : 0;
        cost[k] =
            c->dense ? 160 + 16 * later * later : 40; /* sparse: by the entries of the columns it meets */
        for (int e = c->dense ? 0 : c->r_start[k]; !c->dense && e < c->r_start[k + 1]; e++) {
            int i = c->r_col[e];
            cost[k] += 2 + 0.5 * (c->l_start[i + 1] - c->l_start[i]);
        }
    }
    return n;
}

vgStatus vg_lin_chol_piece(vgLinChol *c, const double *alpha, int i)
{
    int k = i - 1 - c->rows;
    if (i == 0)
        begin(c, alpha);
    else if (k < 0)
        add_row(c, i - 1);
    return k < 0 || c->by_saddle ? VG_OK : eliminate(c, k, k + 1);
}

/* ---- solution ---- */

static void solve_sparse(const vgLinChol *c, double *x)
{
    for (int k = 0; k < c->n; k++) {
        double y = x[k] / c->l[c->l_start[k]];
        x[k] = y;
        for (int p = c->l_start[k] + 1; p < c->l_start[k + 1]; p++) x[c->l_row[p]] -= c->l[p] * y;
    }
    for (int k = c->n - 1; k >= 0; k--) {
        double y = x[k];
        for (int p = c->l_start[k] + 1; p < c->l_start[k + 1]; p++) y -= c->l[p] * x[c->l_row[p]];
        x[k] = y / c->l[c->l_start[k]];
    }
}

void vg_lin_chol_solve(vgLinChol *c, double *x)
{
    if (c->by_saddle) {
        vg_lin_solve(c->lin, x);
        return;
    }
    double *restrict y = c->y, *restrict g = c->y + c->n + 4;
    for (int k = 0; k < c->n; k++) y[k] = x[c->row_of[k]];
    for (int r = 0; r < c->rows; r++) { /* f + Bᵀ α g */
        g[r] = x[c->dual[r]];
        double s = c->alpha[r] * g[r];
        if (s == 0) continue;
        for (int k = c->b_start[r]; k < c->b_start[r + 1]; k++) y[c->b_col[k]] += c->b[k] * s;
    }
    if (c->dense)
        vg_chol_tiles_solve(&c->tiles, y);
    else
        solve_sparse(c, y);
    for (int k = 0; k < c->n; k++) x[c->row_of[k]] = y[k];
    for (int r = 0; r < c->rows; r++) {
        double s = -g[r];
        for (int k = c->b_start[r]; k < c->b_start[r + 1]; k++) s += c->b[k] * y[c->b_col[k]];
        x[c->dual[r]] = c->alpha[r] * s;
    }
}

void vg_lin_chol_note_massless(vgLinChol *c)
{
    const double *values = c->lin->values;
    for (int k = 0; k < c->n; k++) {
        double most = 0;
        for (int i = c->node_from[k]; i < c->node_to[k]; i++) most = fmax(most, fabs(values[c->diag_at[i]]));
        if (most == 0) c->node_to[k] = c->node_from[k];
    }
}

void vg_lin_chol_row_mass(const vgLinChol *c, double *out)
{
    const double *values = c->lin->values;
    double *by_mass = c->y, most = 0;
    for (int k = 0; k < c->n; k++) {
        if (k == 0 || c->node_from[k] != c->node_from[k - 1]) {
            most = 0;
            for (int i = c->node_from[k]; i < c->node_to[k]; i++) {
                double size = fabs(values[c->diag_at[i]]);
                if (size > most) most = size;
            }
        }
        double own = fabs(values[c->diag_at[k]]), least = 1e-6 * most;
        by_mass[c->at[k]] = most > 0 ? 1 / (own > least ? own : least) : 0;
    }
    for (int r = 0; r < c->rows; r++) {
        double sum = 0;
        for (int e = c->b_start[r]; e < c->b_start[r + 1]; e++) {
            double b = values[c->b_from[e]];
            sum += b * b * by_mass[c->b_col[e]]; /* no mass: it goes with what the row holds it to */
        }
        out[c->dual[r]] = sum > 0 ? 1 / sum : 1;
    }
}
