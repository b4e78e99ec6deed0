#include "element/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/poly.h"

struct vgTable {
    int n;
    vgTableKind kind;
    vgTableEnds ends;
    double corner[2]; /* first and last knot, for cubic tables */
    double *x, *y, *slope;
    double data[]; /* x, y, slope: n each, then 2n of work for the fit */
};

/* The first knot that spoils the table, -1 when all are good. */
static int bad_knot(int n, const double *x, const double *y)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]) || (i > 0 && !(x[i] > x[i - 1]))) return i;
    return -1;
}

vgStatus vg_table_new(int n, const double *x, const double *y, vgTableKind kind, vgTableEnds ends, int *bad,
                      vgTable **out)
{
    *out = NULL;
    int at = n < 2 ? 0 : bad_knot(n, x, y);
    if (bad) *bad = at;
    if (at >= 0) return VG_BAD_INPUT;
    size_t m = (size_t)n;
    vgTable *t = malloc(sizeof *t + 5 * m * sizeof(double));
    if (!t) return VG_NO_MEMORY;
    t->n = n;
    t->kind = kind;
    t->ends = ends;
    t->corner[0] = x[0];
    t->corner[1] = x[n - 1];
    t->x = t->data;
    t->y = t->data + m;
    t->slope = t->data + 2 * m;
    memcpy(t->x, x, m * sizeof(double));
    memcpy(t->y, y, m * sizeof(double));
    if (kind == VG_TABLE_CUBIC) {
        vg_spline_slopes(n, x, y, VG_SPLINE_NOT_A_KNOT, 0, 0, t->slope, t->data + 3 * m);
    } else {
        for (int i = 0; i < n - 1; i++) t->slope[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        t->slope[n - 1] = t->slope[n - 2];
    }
    *out = t;
    return VG_OK;
}

void vg_table_free(vgTable *table)
{
    free(table);
}

void vg_table_eval(const vgTable *t, double x, double out[3])
{
    int last = t->n - 1;
    int end = x < t->x[0] ? 0 : x >= t->x[last] ? last : -1;
    if (end >= 0) {
        double slope = t->ends == VG_TABLE_EXTEND ? t->slope[end] : 0;
        out[0] = t->y[end] + slope * (x - t->x[end]);
        out[1] = slope;
        out[2] = 0;
        return;
    }
    int i = vg_knot_find(t->n, t->x, x);
    if (t->kind == VG_TABLE_CUBIC) {
        vg_hermite(t->x[i], t->x[i + 1] - t->x[i], t->y[i], t->y[i + 1], t->slope[i], t->slope[i + 1], x,
                   out);
    } else {
        out[0] = t->y[i] + t->slope[i] * (x - t->x[i]);
        out[1] = t->slope[i];
        out[2] = 0;
    }
}

double vg_table_value(const vgTable *table, double x)
{
    double out[3];
    vg_table_eval(table, x, out);
    return out[0];
}

int vg_table_corners(const vgTable *table, const double **x)
{
    *x = table->kind == VG_TABLE_CUBIC ? table->corner : table->x;
    return table->kind == VG_TABLE_CUBIC ? 2 : table->n;
}

int vg_table_size(const vgTable *table)
{
    return table->n;
}

void vg_table_knot(const vgTable *table, int k, double *x, double *y)
{
    *x = table->x[k];
    *y = table->y[k];
}
