#include "system/redundant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/rank.h"

int vg_has_loops(const vgModel *m)
{
    int *root = malloc((size_t)(m->nbody + 1) * sizeof(int)), loop = 0;
    if (!root) return 1;
    for (int i = 0; i <= m->nbody; i++) root[i] = i;
    for (int j = 0; j < m->njoint && !loop; j++) {
        const vgJoint *jo = &m->joint[j];
        for (int i = jo->prim0; i < jo->prim0 + jo->nprim; i++) loop |= m->prim[i].nterm > 0;
        if (jo->nrow == 0) continue;
        int a = jo->a < 0 ? m->nbody : jo->a, b = jo->b < 0 ? m->nbody : jo->b;
        while (root[a] != a) a = root[a] = root[root[a]];
        while (root[b] != b) b = root[b] = root[root[b]];
        if (a == b) loop = 1;
        root[a] = b;
    }
    free(root);
    return loop;
}

typedef struct Rows {
    vgSparseRows j;
    int *start, *col;
    double *value;
} Rows;

static void free_rows(Rows *r)
{
    free(r->start);
    free(r->col);
    free(r->value);
}

/* Of Σ|terms| of a row; rounding leaves 1e-16 of it, orientations that are given with ten digits 1e-10 of angles beside
 * rows that differ by less than VG_RANK_EMPTY. At 1e-8 hinges 1e7 m from the origin would count as empty. */
static const double EMPTY = 1e-11;

int vg_row_is_empty(const vgSystem *sys, vgWork *work, double t, int row, double length)
{
    return !(length > EMPTY * sys->ops->row_terms(sys, work, t, row));
}

static vgStatus get_rows(const vgSystem *sys, vgWork *w, double t, const double *q, Rows *out)
{
    size_t n = (size_t)sys->njacobian, most = (size_t)sys->row_entries;
    out->start = calloc(n + 1, sizeof(int));
    out->col = calloc(n * most + 1, sizeof(int));
    out->value = calloc(n * most + 1, sizeof(double));
    if (!out->start || !out->col || !out->value) return VG_NO_MEMORY;
    int cols = sys->ops->jacobian(sys, w, t, q, out->start, out->col, out->value);
    out->j = (vgSparseRows){sys->njacobian, cols, out->start, out->col, out->value};
    return VG_OK;
}

/* Metres in units of the model's length beside radians: else rows of points in a mechanism of micrometres or
 * of planets differ by less than the tolerance. */
static vgStatus scale_columns(const vgSystem *sys, const vgWork *w, Rows *rows)
{
    double *scale = calloc((size_t)rows->j.n + 1, sizeof *scale);
    if (!scale) return VG_NO_MEMORY;
    if (sys->ops->extra.jacobian_scale)
        sys->ops->extra.jacobian_scale(sys, w, scale);
    else
        memcpy(scale, sys->v_scale, (size_t)sys->nv * sizeof *scale);
    for (int k = 0; k < rows->start[rows->j.m]; k++) rows->value[k] *= scale[rows->col[k]];
    free(scale);
    return VG_OK;
}

/* What is left of a row by rounding alone is nothing. */
static void clear_empty(const vgSystem *sys, vgWork *w, double t, Rows *rows)
{
    for (int r = 0; r < rows->j.m; r++) {
        double sum = 0;
        for (int k = rows->start[r]; k < rows->start[r + 1]; k++) sum += rows->value[k] * rows->value[k];
        for (int k = rows->start[r]; k < rows->start[r + 1] && vg_row_is_empty(sys, w, t, r, sqrt(sum)); k++)
            rows->value[k] = 0;
    }
}

vgStatus vg_find_redundant(const vgSystem *sys, vgWork *work, double t, const double *q, int *redundant,
                           int *n, unsigned char *active)
{
    Rows rows = {0};
    vgRank rank = {0};
    unsigned char *first = malloc((size_t)sys->njacobian + 1);
    *n = 0;
    if (!first) return VG_NO_MEMORY;
    for (int r = 0; r < sys->njacobian; r++) first[r] = (unsigned char)(2 - sys->row_level[r]);
    memset(active, 1, (size_t)sys->nphi);
    vgStatus st = get_rows(sys, work, t, q, &rows);
    if (st == VG_OK) st = scale_columns(sys, work, &rows);
    if (st == VG_OK) clear_empty(sys, work, t, &rows);
    if (st == VG_OK) st = vg_rank_rows(&rows.j, first, &rank);
    for (int i = 0; st == VG_OK && i < rank.nredundant; i++) {
        redundant[(*n)++] = rank.redundant[i];
        active[rank.redundant[i]] = 0;
    }
    vg_rank_free(&rank);
    free_rows(&rows);
    free(first);
    return st;
}
