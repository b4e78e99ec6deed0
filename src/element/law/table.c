#include "element/law/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/poly.h"
#include "base/expect.h"

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
    VG_EXPECT(n >= 0 && out);
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

/* Outside, beyond knot `end`. */
static void eval_end(const vgTable *t, int end, double x, double out[3])
{
    double slope = t->ends == VG_TABLE_EXTEND ? t->slope[end] : 0;
    out[0] = t->y[end] + slope * (x - t->x[end]);
    out[1] = slope;
    out[2] = 0;
}

/* The polynomial between knots i and i + 1. */
static void eval_between(const vgTable *t, int i, double x, double out[3])
{
    if (t->kind == VG_TABLE_CUBIC) {
        vg_hermite(t->x[i], t->x[i + 1] - t->x[i], t->y[i], t->y[i + 1], t->slope[i], t->slope[i + 1], x,
                   out);
    } else {
        out[0] = t->y[i] + t->slope[i] * (x - t->x[i]);
        out[1] = t->slope[i];
        out[2] = 0;
    }
}

void vg_table_eval(const vgTable *t, double x, double out[3])
{
    VG_EXPECT(t && out);
    int last = t->n - 1;
    if (x < t->x[0] || x >= t->x[last])
        eval_end(t, x < t->x[0] ? 0 : last, x, out);
    else
        eval_between(t, vg_knot_find(t->n, t->x, x), x, out);
}

/* Pieces between corners: 0 before the first, n behind the last. Also how far it is to the nearest corner,
 * and to which piece that leads. */
static int piece_at(const vgTable *t, double x, double *distance, int *next)
{
    const double *c;
    int n = vg_table_corners(t, &c), k = x < c[0] ? 0 : x >= c[n - 1] ? n : vg_knot_find(n, c, x) + 1;
    double left = k > 0 ? x - c[k - 1] : INFINITY, right = k < n ? c[k] - x : INFINITY;
    *distance = left < right ? left : right;
    *next = left < right ? k - 1 : k + 1;
    return k;
}

double vg_table_switch(const vgTable *t, double x)
{
    double distance;
    int next, k = piece_at(t, x, &distance, &next);
    return k % 2 ? -distance : distance;
}

void vg_table_eval_held(const vgTable *t, double x, int side, double out[3])
{
    double distance;
    int next, k = piece_at(t, x, &distance, &next), last = t->n - 1;
    if ((k % 2 ? -1 : 1) != side) k = next;
    const double *c;
    int n = vg_table_corners(t, &c);
    if (k == 0 || k == n)
        eval_end(t, k == 0 ? 0 : last, x, out);
    else if (t->kind == VG_TABLE_LINEAR)
        eval_between(t, k - 1, x, out);
    else
        eval_between(t, x < t->x[0] ? 0 : x >= t->x[last] ? last - 1 : vg_knot_find(t->n, t->x, x), x, out);
}

double vg_table_value(const vgTable *table, double x)
{
    VG_EXPECT(table);
    double out[3];
    vg_table_eval(table, x, out);
    return out[0];
}

static void widen(double range[2], double x)
{
    range[0] = fmin(range[0], x);
    range[1] = fmax(range[1], x);
}

/* A cubic lies within its Bézier points, and its slope within theirs. */
static void piece_range(double a, const double at_a[2], double b, const double at_b[2], double value[2],
                        double slope[2])
{
    double third = (b - a) / 3, first = at_a[0] + third * at_a[1], second = at_b[0] - third * at_b[1];
    const double points[] = {at_a[0], first, second, at_b[0]};
    for (int i = 0; i < 4; i++) widen(value, points[i]);
    widen(slope, at_a[1]);
    widen(slope, at_b[1]);
    if (third > 0) widen(slope, (second - first) / third);
}

void vg_table_range(const vgTable *t, double lo, double hi, double value[2], double slope[2])
{
    double out[3];
    int last = t->n - 1, from = lo < t->x[0] ? 0 : vg_knot_find(t->n, t->x, fmin(lo, t->x[last]));
    value[0] = slope[0] = INFINITY;
    value[1] = slope[1] = -INFINITY;
    for (int end = 0; end < 2; end++) { /* what lies outside */
        double from_x = end ? fmax(lo, t->x[last]) : lo, to_x = end ? hi : fmin(hi, t->x[0]);
        if (!(from_x <= to_x)) continue;
        eval_end(t, end ? last : 0, from_x, out);
        widen(value, out[0]);
        widen(slope, out[1]);
        eval_end(t, end ? last : 0, to_x, out);
        widen(value, out[0]);
    }
    for (int i = from; i < last && t->x[i] <= hi; i++) {
        double a = fmax(lo, t->x[i]), b = fmin(hi, t->x[i + 1]), at_a[3], at_b[3];
        if (!(a <= b)) continue;
        eval_between(t, i, a, at_a);
        eval_between(t, i, b, at_b);
        piece_range(a, at_a, b, at_b, value, slope);
    }
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
    VG_EXPECT(k >= 0 && k < vg_table_size(table));
    *x = table->x[k];
    *y = table->y[k];
}
