/* Independent coordinates: the matrix Rᵀ A R of docs/theory.md eq. 76; R consists of the blocks of loops. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lin/parts.h"
#include "system/setting/independent.h"

typedef vgIndependentWork Work;

/* A_D, X = A R of the matrix assembled */
static void take(const vgSystem *sys, Work *w)
{
    int n = sys->nv, f = w->nind, m = w->ndep;
    vg_lin_parts(w->at.lin, w->place, n, w->A, w->B);
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
static void multiply(Work *w)
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

/* Factors of Sᵀ, so that solutions run along rows. */
static vgStatus factor(Work *w)
{
    vgWork *work = &w->w.base;
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

int vg_reduced_pieces(const vgSystem *sys, const Work *w, double *cost)
{
    if (w->wide) return vg_wide_pieces(w, cost);
    if (cost) {
        double v = sys->nv, f = fmax(1, sys->nv - sys->nphi), m = v - f;
        cost[0] = v * v + 0.2 * v * f * m;
        cost[1] = 0.2 * m * f * f;
        cost[2] = 50 + 0.3 * f * f * f;
    }
    return 3;
}

vgStatus vg_reduced_piece(const vgSystem *sys, Work *w, int i)
{
    if (w->wide) return vg_wide_piece(sys, w, i);
    if (i == 0) take(sys, w);
    if (i == 1) multiply(w);
    return i == 2 ? factor(w) : VG_OK;
}

vgStatus vg_reduced_factor(const vgSystem *sys, Work *w)
{
    if (w->wide) return vg_wide_factor(sys, w);
    take(sys, w);
    multiply(w);
    return factor(w);
}

static void add(int n, double c, const double *restrict from, double *restrict to)
{
    for (int k = 0; k < n; k++) to[k] += c * from[k];
}

/* x −= A_D δa_D / ca with δa_D = −B_D⁻¹ Φ̈ */
static void take_accelerations(const vgSystem *sys, Work *w, double *x)
{
    double by = 1 / w->ca;
    for (int i = 0; i < w->ndep; i++) add(sys->nv, w->gap[VG_LANES * i + 2] * by, w->A_D + i * sys->nv, x);
}

/* x_D = R_D x_I */
static void expand(const Work *w, double *x)
{
    for (const vgLoop *l = w->loop, *end = l + w->nloop; l < end; l++) {
        const double *R = w->R + l->R;
        for (int i = 0; i < l->m; i++) {
            double sum = 0;
            for (int k = 0; k < l->f; k++) sum += *R++ * x[w->ind[l->ind + k]];
            x[w->dep[l->dep + i]] = sum;
        }
    }
}

void vg_reduced_solve(const vgSystem *sys, Work *w, int approached, int at_once, double *x)
{
    double *b = w->r;
    if (w->wide) {
        vg_wide_solve(sys, w, approached, at_once, x);
        return;
    }
    if (approached) take_accelerations(sys, w, x);
    vg_split_gather(w, x);
    for (int k = 0; k < w->nind; k++) w->x[k] = x[w->ind[k]];
    for (int i = 0; i < w->ndep; i++) b[i] = x[w->dep[i]];
    vg_dense_lu_solve_transposed(w->S, w->pivot_S, w->nind, w->x);
    for (int k = 0; k < w->nind; k++) x[w->ind[k]] = w->x[k];
    expand(w, x);
    if (!approached) return;
    for (int j = 0; j < w->nind; j++) add(w->ndep, -w->x[j], w->X_D + j * w->ndep, b);
    vg_split_transposed(w, b, w->ca, w->reaction);
}
