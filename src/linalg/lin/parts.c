#include "linalg/lin/parts.h"

#include "linalg/lin/impl.h"

typedef struct Parts {
    const int *place;
    int n;
    double *A, *B;
} Parts;

static void put(const Parts *p, const double *block, int row0, int rows, int col0, int cols)
{
    for (int i = 0; i < rows; i++) {
        int r = p->place[row0 + i];
        double *to = r >= 0 ? p->A : p->B;
        if (!to) continue;
        to += (size_t)(r >= 0 ? r : -1 - r) * (size_t)p->n;
        for (int j = 0; j < cols; j++) {
            int c = p->place[col0 + j];
            if (c >= 0) to[c] = block[i * cols + j];
        }
    }
}

static void put_transposed(const Parts *p, const double *block, int row0, int rows, int col0, int cols)
{
    for (int j = 0; j < cols; j++) {
        int r = p->place[col0 + j];
        double *to = r >= 0 ? p->A : p->B;
        if (!to) continue;
        to += (size_t)(r >= 0 ? r : -1 - r) * (size_t)p->n;
        for (int i = 0; i < rows; i++) {
            int c = p->place[row0 + i];
            if (c >= 0) to[c] = block[i * cols + j];
        }
    }
}

void vg_lin_parts(const vgLin *lin, const int *place, int n, double *A, double *B)
{
    const vgLinGraph *g = &lin->graph;
    Parts p = {place, n, A, B};
    for (int k = 0; k < g->nnode && A; k++)
        if (!g->dual[k])
            put(&p, lin->values + g->diag[k], g->offset[k], g->size[k], g->offset[k], g->size[k]);
    for (int e = 0; e < g->npair; e++) {
        const vgLinPair *pr = &g->pairs[e];
        int i = pr->i, j = pr->j;
        put(&p, lin->values + pr->ij, g->offset[i], g->size[i], g->offset[j], g->size[j]);
        if (pr->mirror)
            put_transposed(&p, lin->values + pr->ij, g->offset[i], g->size[i], g->offset[j], g->size[j]);
        else
            put(&p, lin->values + pr->ji, g->offset[j], g->size[j], g->offset[i], g->size[i]);
    }
}
