/* The matrix of a graph in compressed columns for SuiteSparse KLU, the independent reference of the sparse
 * backend: its solutions in the tests, its time in the benchmark. */
#ifndef VERGE_TESTS_LINALG_KLU_H
#define VERGE_TESTS_LINALG_KLU_H

#include <klu.h>

#include "graphs.h"

typedef struct columns {
    int n, *start, *row;
    double *value;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
} columns;

/* Entries of block (i, j), row-major in d (transposed: stored as (j, i)), added behind what columns have.
 * row NULL: only counted. */
static inline void columns_add(columns *c, const vgLin *lin, const graph *g, int i, int j, const double *d,
                               int transposed, int *fill)
{
    int rows = g->nodes[i].size, cols = g->nodes[j].size;
    for (int k = 0; k < cols; k++)
        for (int r = 0; r < rows; r++) {
            int *at = &fill[vg_lin_offset(lin, j) + k];
            if (c->row) {
                c->row[*at] = vg_lin_offset(lin, i) + r;
                c->value[*at] = transposed ? d[k * rows + r] : d[r * cols + k];
            }
            ++*at;
        }
}

static inline void columns_walk(columns *c, vgLin *lin, const graph *g, int *fill)
{
    for (int i = 0; i < g->nnode; i++)
        if (!g->nodes[i].dual) columns_add(c, lin, g, i, i, vg_lin_block(lin, i, i), 0, fill);
    for (int e = 0; e < g->nedge; e++) {
        int i = g->edges[e].i, j = g->edges[e].j;
        const double *ij = vg_lin_block(lin, i, j), *ji = vg_lin_block(lin, j, i);
        columns_add(c, lin, g, i, j, ij, 0, fill);
        columns_add(c, lin, g, j, i, ji ? ji : ij, !ji, fill);
    }
}

/* 0: KLU finds it singular, or there is no memory. */
static inline int columns_factor(columns *c, vgLin *lin, const graph *g)
{
    *c = (columns){.n = vg_lin_size(lin)};
    size_t n = (size_t)c->n;
    c->start = calloc(n + 1, sizeof *c->start);
    int *fill = calloc(n + 1, sizeof *fill);
    if (!c->start || !fill) return 0;
    columns_walk(c, lin, g, fill);
    for (int k = 0; k < c->n; k++) c->start[k + 1] = c->start[k] + fill[k];
    for (int k = 0; k < c->n; k++) fill[k] = c->start[k];
    c->row = calloc((size_t)c->start[c->n] + 1, sizeof *c->row);
    c->value = calloc((size_t)c->start[c->n] + 1, sizeof *c->value);
    if (!c->row || !c->value) return 0;
    columns_walk(c, lin, g, fill);
    free(fill);
    klu_defaults(&c->common);
    c->symbolic = klu_analyze(c->n, c->start, c->row, &c->common);
    if (c->symbolic) c->numeric = klu_factor(c->start, c->row, c->value, c->symbolic, &c->common);
    return c->numeric != NULL;
}

static inline void columns_free(columns *c)
{
    klu_free_numeric(&c->numeric, &c->common);
    klu_free_symbolic(&c->symbolic, &c->common);
    free(c->start);
    free(c->row);
    free(c->value);
}

#endif
