/* Constraint rows that are left out of a matrix while it keeps its shape: equation r becomes −d λ_r = 0, and λ_r
 * acts on nothing. d = Σ_j B_rj²/|A_jj| is what the row's own pivot would be, so that pivots keep their sizes. */
#include "linalg/lin/impl.h"

#include <math.h>

/* Entry k of row `local` of dual node `node` beside its neighbour: values[row + k·row_step], and of the column. */
typedef struct rowPart {
    size_t row, row_step, col, col_step;
    int n, other;
} rowPart;

static rowPart part_of(const vgLinGraph *g, int node, int local, int at)
{
    const vgLinPair *p = &g->pairs[g->pair[at]];
    const int other = g->near[at], own = g->size[node], n = g->size[other];
    const int first = p->i == node; /* block (node, other) is stored by rows, else (other, node) */
    const size_t here = first ? p->ij : p->ji, there = first ? p->ji : p->ij;
    rowPart x = {here + (size_t)(local * n), 1, there + (size_t)local, (size_t)own, n, other};
    if (p->mirror && first) x.col = x.row, x.col_step = x.row_step;
    if (p->mirror && !first) x.row = x.col, x.row_step = x.col_step;
    return x;
}

static void leave_out(vgLin *lin, int node, int local)
{
    const vgLinGraph *g = &lin->graph;
    const int own = g->size[node];
    double *v = lin->values, *diag = v + g->diag[node], yields = 0;
    for (int at = g->start[node]; at < g->start[node + 1]; at++) {
        const rowPart x = part_of(g, node, local, at);
        for (int k = 0; k < x.n; k++) {
            double *b = v + x.row + (size_t)k * x.row_step;
            const double a = fabs(v[g->diag[x.other] + (size_t)(k * x.n + k)]);
            if (!g->dual[x.other] && a > 0) yields += *b * *b / a;
            *b = 0;
            v[x.col + (size_t)k * x.col_step] = 0;
        }
    }
    for (int k = 0; k < own; k++) diag[local * own + k] = diag[k * own + local] = 0;
    diag[local * own + local] = isfinite(yields) && yields > 0 ? -yields : -1;
}

void vg_lin_leave_out(vgLin *lin, int n, const int *place, const unsigned char *active)
{
    if (!active && lin->nleft == 0) return;
    memset(lin->left, 0, (size_t)lin->graph.n);
    lin->nleft = 0;
    for (int r = 0; active && r < n; r++)
        if (!active[r] && place[r] >= 0) lin->left[place[r]] = 1, lin->nleft++;
}

void vg_lin_left_out_fill(vgLin *lin)
{
    const vgLinGraph *g = &lin->graph;
    for (int node = 0; node < g->nnode && lin->nleft; node++)
        for (int r = 0; r < g->size[node] && g->dual[node]; r++)
            if (lin->left[g->offset[node] + r]) leave_out(lin, node, r);
}

void vg_lin_left_out_clear(const vgLin *lin, double *x)
{
    for (int i = 0; i < lin->graph.n && lin->nleft; i++)
        if (lin->left[i]) x[i] = 0;
}
