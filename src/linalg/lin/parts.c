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

typedef struct Lists {
    const int *place;
    int *start, *col; /* start: of the row after next while counting, of the next one while filling */
    size_t *from;
} Lists;

/* Entry (i, j) of the block is values[at + i·down + j·right]. */
static void list(const Lists *l, int row0, int rows, int col0, int cols, size_t at, int down, int right)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            int r = -1 - l->place[row0 + i], c = l->place[col0 + j];
            if (r < 0 || c < 0) continue;
            if (l->col) {
                l->col[l->start[r + 1]] = c;
                l->from[l->start[r + 1]] = at + (size_t)(i * down + j * right);
            }
            l->start[r + 1]++;
        }
}

void vg_lin_row_lists(const vgLin *lin, const int *place, int m, int *start, int *col, size_t *from)
{
    const vgLinGraph *g = &lin->graph;
    Lists l = {place, start, col, from};
    if (col) { /* measured before: where each row begins, one place on */
        for (int r = m; r > 0; r--) start[r] = start[r - 1];
    } else {
        memset(start, 0, ((size_t)m + 1) * sizeof *start);
    }
    for (int e = 0; e < g->npair; e++) {
        const vgLinPair *p = &g->pairs[e];
        int i = p->i, j = p->j, ni = g->size[i], nj = g->size[j];
        list(&l, g->offset[i], ni, g->offset[j], nj, p->ij, nj, 1);
        if (p->mirror)
            list(&l, g->offset[j], nj, g->offset[i], ni, p->ij, 1, nj);
        else
            list(&l, g->offset[j], nj, g->offset[i], ni, p->ji, ni, 1);
    }
    for (int r = 0; r < m && !col; r++) start[r + 1] += start[r];
}
