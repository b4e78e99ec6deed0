/* Independent coordinates: the matrix Rᵀ A R of docs/theory.md eq. 76; R consists of the blocks of loops. */
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lin/parts.h"
#include "system/setting/independent.h"

typedef vgIndependentWork Work;

/* A_D, X = A R */
void vg_reduced_take(const vgSystem *sys, Work *w, const vgSaddle *at)
{
    int n = sys->nv, f = w->nind, m = w->ndep;
    vg_lin_parts(at->lin, w->place, n, w->A, w->B);
    for (int i = 0; i < n; i++) {
        const double *row = w->A + (size_t)i * (size_t)n;
        double *to = w->X + i * f;
        for (int k = 0; k < f; k++) to[k] = row[w->ind[k]];
        for (int k = 0; k < m; k++) w->A_D[k * n + i] = row[w->dep[k]];
        for (const vgLoop *l = w->loop, *end = l + w->nloop; l < end; l++)
            for (int j = 0; j < l->m; j++) {
                double x = row[w->dep[l->dep + j]], *restrict sum = to + l->ind;
                const double *restrict R = w->R + l->R + j * l->f;
                if (x == 0) continue;
                for (int k = 0; k < l->f; k++) sum[k] += x * R[k];
            }
    }
    for (int j = 0; j < m; j++)
        for (int k = 0; k < f; k++) w->X_D[k * m + j] = w->X[w->dep[j] * f + k];
}

/* S = Rᵀ X */
void vg_reduced_multiply(Work *w)
{
    int f = w->nind;
    for (int i = 0; i < f; i++) memcpy(w->S + i * f, w->X + w->ind[i] * f, (size_t)f * sizeof(double));
    for (const vgLoop *l = w->loop, *end = l + w->nloop; l < end; l++)
        for (int j = 0; j < l->m; j++) {
            const double *restrict from = w->X + w->dep[l->dep + j] * f;
            for (int i = 0; i < l->f; i++) {
                double x = w->R[l->R + j * l->f + i], *restrict to = w->S + (l->ind + i) * f;
                if (x == 0) continue;
                for (int k = 0; k < f; k++) to[k] += x * from[k];
            }
        }
}

vgStatus vg_reduced_factor(vgWork *work)
{
    Work *w = (Work *)work;
    int bad, f = w->nind;
    for (int i = 0; i < f; i++)
        for (int k = 0; k < i; k++) {
            double x = w->S[i * f + k];
            w->S[i * f + k] = w->S[k * f + i], w->S[k * f + i] = x;
        }
    work->factorisations++;
    work->matrix_lost = 0;
    vgStatus st = vg_dense_lu(w->S, w->nind, 0, w->pivot_S, &bad);
    work->bad_row = st == VG_OK ? -1 : w->ind[bad];
    return st;
}
