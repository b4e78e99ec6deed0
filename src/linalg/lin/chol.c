#include "linalg/lin/chol_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FINITE_MOST = 1e300;

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

/* A direction of a node counts as heavy as this part of its heaviest at the least: inertias of slender bodies differ by a
 * thousand, and what lies below is rounding. */
static const double LEAST_MASS = 1e-6;

/* A_kk, those that vanish LEAST_MASS of the largest of the node; 0: the node has no mass. */
static double mass_at(const vgLinChol *c, int k)
{
    const double *values = c->lin->values;
    double most = 0;
    for (int i = c->node_from[k]; i < c->node_to[k]; i++) most = fmax(most, fabs(values[c->diag_at[i]]));
    return c->node_from[k] == c->node_to[k] ? 0 : fmax(fabs(values[c->diag_at[k]]), LEAST_MASS * most);
}

/* A node without mass moves with the body that the row ties it to. It counts as the heaviest one: a row that hardly
 * moves anything else, as entries that are rounding do, feels no more than that. */
void vg_lin_chol_row_mass(const vgLinChol *c, double *out)
{
    const double *values = c->lin->values;
    double *by_mass = c->y, most = 0;
    for (int k = 0; k < c->n; k++) most = fmax(most, by_mass[k] = mass_at(c, k));
    for (int k = 0; k < c->n; k++) by_mass[k] = most > 0 ? 1 / (by_mass[k] > 0 ? by_mass[k] : most) : 0;
    for (int r = 0; r < c->rows; r++) {
        double sum = 0;
        for (int e = c->b_start[r]; e < c->b_start[r + 1]; e++) {
            double b = values[c->b_from[e]];
            sum += b * b * by_mass[c->order[c->b_col[e]]];
        }
        out[c->dual[r]] = sum > 0 ? 1 / sum : 1;
    }
}
