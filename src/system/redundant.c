#include "system/redundant.h"

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

static vgStatus get_rows(const vgSystem *sys, vgWork *w, double t, const double *q, Rows *out)
{
    size_t n = (size_t)sys->njacobian, most = (size_t)sys->row_entries;
    *out = (Rows){0};
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
    if (sys->ops->jacobian_scale)
        sys->ops->jacobian_scale(sys, w, scale);
    else
        memcpy(scale, sys->v_scale, (size_t)sys->nv * sizeof *scale);
    for (int k = 0; k < rows->start[rows->j.m]; k++) rows->value[k] *= scale[rows->col[k]];
    free(scale);
    return VG_OK;
}

static vgStatus find(const vgSystem *sys, vgWork *work, double t, const double *q, Rows *rows, int *redundant,
                     int *n)
{
    vgRank rank = {0};
    *n = 0;
    vgStatus st = get_rows(sys, work, t, q, rows);
    if (st == VG_OK) st = scale_columns(sys, work, rows);
    if (st == VG_OK) st = vg_rank_rows(&rows->j, 0, &rank);
    for (int i = 0; st == VG_OK && i < rank.nredundant; i++) redundant[(*n)++] = rank.redundant[i];
    if (rank.independent) vg_rank_free(&rank);
    return st;
}

/* 1: this setting eliminates multipliers, at least in projections, in matrices that can carry dependent rows.
 * Penalty forms carry them in their own way. */
static int carries_in_matrix(const vgSystem *sys)
{
    return !sys->is.repeated;
}

void vg_system_expect_redundancy(vgSystem *sys)
{
    if (carries_in_matrix(sys)) memset(sys->row_soft, 1, (size_t)sys->njacobian);
}

/* root[c]: columns that rows connect have the same one. */
static void connect(const Rows *rows, int *root)
{
    for (int c = 0; c < rows->j.n; c++) root[c] = c;
    for (int r = 0; r < rows->j.m; r++)
        for (int k = rows->start[r] + 1; k < rows->start[r + 1]; k++) {
            int a = rows->col[rows->start[r]], b = rows->col[k];
            while (root[a] != a) a = root[a] = root[root[a]];
            while (root[b] != b) b = root[b] = root[root[b]];
            root[a] = b;
        }
    for (int c = 0; c < rows->j.n; c++) {
        int a = c;
        while (root[a] != a) a = root[a];
        root[c] = a;
    }
}

vgStatus vg_system_note_redundancy(vgSystem *sys, vgWork *work, double t, const double *q, int *redundant,
                                   int *n)
{
    Rows rows = {0};
    int *root = NULL;
    unsigned char *affected = NULL;
    vgStatus st = find(sys, work, t, q, &rows, redundant, n);
    memset(sys->row_soft, 0, (size_t)sys->njacobian);
    memset(sys->row_active, 1, (size_t)sys->njacobian);
    if (st == VG_OK && *n > 0) {
        root = malloc(((size_t)rows.j.n + 1) * sizeof *root);
        affected = calloc((size_t)rows.j.n + 1, 1);
        st = root && affected ? VG_OK : VG_NO_MEMORY;
    }
    if (st == VG_OK && *n > 0) {
        connect(&rows, root);
        for (int i = 0; i < *n; i++) {
            int r = redundant[i];
            sys->row_active[r] = 0;
            sys->row_soft[r] = 1; /* a row without entries as well */
            if (rows.start[r + 1] > rows.start[r]) affected[root[rows.col[rows.start[r]]]] = 1;
        }
        for (int r = 0; r < sys->njacobian; r++)
            if (rows.start[r + 1] > rows.start[r] && affected[root[rows.col[rows.start[r]]]])
                sys->row_soft[r] = 1;
    }
    for (int r = 0; r < sys->njacobian && !carries_in_matrix(sys); r++) sys->row_soft[r] *= 2;
    sys->nredundant = *n;
    if (st == VG_OK && sys->ops->note) sys->ops->note(sys);
    free(root);
    free(affected);
    free_rows(&rows);
    return st;
}

vgStatus vg_system_soften(const vgSystem *sys, const int *row_at, const double *unit, vgLin *lin)
{
    unsigned char *soft = calloc((size_t)vg_lin_size(lin) + 1, 1);
    int any = 0;
    for (int r = 0; soft && r < sys->nl; r++)
        if (sys->row_soft[r] == 1 && row_at[r] >= 0) any = soft[row_at[r]] = 1;
    vgStatus st = !soft ? VG_NO_MEMORY : any ? vg_lin_soften(lin, soft, unit) : VG_OK;
    free(soft);
    return st;
}
