#include "analysis/modes/reduced.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/null_space.h"
#include "analysis/tuning.h"

void vg_reduced_free(vgReduced *r)
{
    free(r->Z);
    free(r->M);
    free(r->C);
    free(r->K);
    free(r->N);
    free(r->X);
}

void vg_sandwich(const double *A, const double *S, const double *D, int m, int p, int k, int l, double *t,
                 double *out)
{
    vg_dense_multiply(S, D, m, p, l, t);
    memset(out, 0, (size_t)k * (size_t)l * sizeof *out);
    for (int r = 0; r < m; r++)
        for (int i = 0; i < k; i++) {
            double a = A[(size_t)r * (size_t)k + (size_t)i];
            if (a == 0) continue;
            for (int j = 0; j < l; j++)
                out[(size_t)i * (size_t)l + (size_t)j] += a * t[(size_t)r * (size_t)l + (size_t)j];
        }
}

/* Columns from..n of a square matrix. */
static void last_columns(const double *full, int n, int from, double *out)
{
    int k = n - from;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            out[(size_t)i * (size_t)k + (size_t)j] = full[(size_t)i * (size_t)n + (size_t)(from + j)];
}

/* Rows of level 0 (holonomic = 1) or above, one after the other; returns their number. */
static int pick_rows(const vgSystem *sys, const vgLinearised *l, int holonomic, double *B, double *G)
{
    int m = 0;
    size_t n = (size_t)l->n;
    for (int r = 0; r < l->m; r++) {
        if ((sys->row_level[l->row[r]] == 0) != holonomic) continue;
        memcpy(B + (size_t)m * n, l->B + (size_t)r * n, n * sizeof *B);
        if (G) memcpy(G + (size_t)m * n, l->G + (size_t)r * n, n * sizeof *G);
        m++;
    }
    return m;
}

/* Velocity rows b η̇ + g η = 0 (m × ne): N spans the null space of b; X = b⁺ g by the rows' own span Y:
 * X = Y (b Y)⁻¹ g. */
static vgStatus velocity_rows(vgReduced *r, const double *b, const double *g, int m)
{
    int ne = r->ne, rank = 0;
    double *full = vg_square(ne), *bY = vg_square(m), *rhs = vg_matrix(1, m);
    int *pivot = calloc((size_t)m + 1, sizeof *pivot);
    vgStatus st = full && bY && rhs && pivot ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_null_space(b, m, ne, 0, full, &rank);
    if (st == VG_OK && rank < m) st = VG_UNSUPPORTED;
    if (st == VG_OK) {
        r->nu = ne - rank;
        last_columns(full, ne, rank, r->N);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < ne; k++) bY[i * m + j] += b[i * ne + k] * full[k * ne + j];
        st = vg_dense_lu(bY, m, 0, pivot, NULL);
    }
    for (int j = 0; st == VG_OK && j < ne; j++) {
        for (int i = 0; i < m; i++) rhs[i] = g[i * ne + j];
        vg_dense_lu_solve(bY, pivot, m, rhs);
        for (int k = 0; k < ne; k++)
            for (int i = 0; i < m; i++) r->X[k * ne + j] += full[k * ne + i] * rhs[i];
    }
    free(full);
    free(bY);
    free(rhs);
    free(pivot);
    return st;
}

/* Coordinates that are integrals go last: where[i] is the place of coordinate i; returns how many others. No
 * constraint sees them. */
static int places(const vgSystem *sys, int n, int *where)
{
    int others = 0, last = n;
    for (int i = 0; i < n; i++)
        where[i] = vg_model_is_integral(sys->model, sys->v_body[i]) ? --last : others++;
    return others;
}

/* Z (n × ne): a null space of the rows B of the other coordinates, and ones for integrals. */
static vgStatus null_space(double *B, int m, int n, int others, const int *where, double *full, vgReduced *r)
{
    int rank = 0;
    for (int k = 0; k < m; k++) /* in place: entries only move forward */
        for (int i = 0; i < n; i++)
            if (where[i] < others)
                B[(size_t)k * (size_t)others + (size_t)where[i]] = B[(size_t)k * (size_t)n + (size_t)i];
    vgStatus st = vg_null_space(B, m, others, 0, full, &rank);
    *r = (vgReduced){.n = n, .ne = n - rank, .np = others - rank};
    r->Z = vg_matrix(n, r->ne);
    if (st != VG_OK || !r->Z) return st != VG_OK ? st : VG_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        double *row = r->Z + (size_t)i * (size_t)r->ne;
        if (where[i] >= others) row[where[i] - rank] = 1;
        for (int j = 0; j < r->np && where[i] < others; j++)
            row[j] = full[(size_t)where[i] * (size_t)others + (size_t)(rank + j)];
    }
    return VG_OK;
}

vgStatus vg_reduced_new(const vgSystem *sys, const vgLinearised *l, vgReduced *r)
{
    int n = l->n;
    double *B = vg_matrix(l->m, n), *G = vg_matrix(l->m, n), *full = vg_square(n), *t = vg_square(n);
    double *b = NULL, *g = NULL;
    int *where = calloc((size_t)n + 1, sizeof *where);
    vgStatus st = B && G && full && t && where ? VG_OK : VG_NO_MEMORY;
    *r = (vgReduced){.n = n};
    if (st == VG_OK)
        st = null_space(B, pick_rows(sys, l, 1, B, NULL), n, places(sys, n, where), where, full, r);
    int ne = r->ne;
    if (st == VG_OK) {
        r->M = vg_square(ne), r->C = vg_square(ne), r->K = vg_square(ne);
        r->N = vg_square(ne), r->X = vg_square(ne);
        b = vg_matrix(l->m, ne), g = vg_matrix(l->m, ne);
        if (!r->M || !r->C || !r->K || !r->N || !r->X || !b || !g) st = VG_NO_MEMORY;
    }
    if (st == VG_OK) {
        vg_sandwich(r->Z, l->M, r->Z, n, n, ne, ne, t, r->M);
        vg_sandwich(r->Z, l->C, r->Z, n, n, ne, ne, t, r->C);
        vg_sandwich(r->Z, l->K, r->Z, n, n, ne, ne, t, r->K);
        int m = pick_rows(sys, l, 0, B, G);
        vg_dense_multiply(B, r->Z, m, n, ne, b);
        vg_dense_multiply(G, r->Z, m, n, ne, g);
        st = velocity_rows(r, b, g, m);
        r->state = r->np + r->nu;
    }
    free(B);
    free(G);
    free(full);
    free(t);
    free(b);
    free(g);
    free(where);
    return st;
}
