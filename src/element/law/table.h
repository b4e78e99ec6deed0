/* Tables: y over ascending knots x, linear or cubic (not-a-knot spline, twice continuously differentiable).
 */
#ifndef VERGE_ELEMENT_LAW_TABLE_H
#define VERGE_ELEMENT_LAW_TABLE_H

#include "base/status.h"

typedef enum vgTableKind { VG_TABLE_LINEAR, VG_TABLE_CUBIC } vgTableKind;

/* Outside the knots: keep the end value, or go on with the end slope. */
typedef enum vgTableEnds { VG_TABLE_HOLD, VG_TABLE_EXTEND } vgTableEnds;

typedef struct vgTable vgTable;

/* Copies the n >= 2 knots. VG_BAD_INPUT: fewer, not finite, or x not strictly ascending (*bad, may be NULL,
 * is then the index of the knot at fault). */
vgStatus vg_table_new(int n, const double *x, const double *y, vgTableKind kind, vgTableEnds ends, int *bad,
                      vgTable **out);
void vg_table_free(vgTable *table);

double vg_table_value(const vgTable *table, double x);
/* Value, first and second derivative; at a corner those of the piece to the right. O(log n). */
void vg_table_eval(const vgTable *table, double x, double out[3]);

/* The places where the first or second derivative may jump: every knot of a linear table, the ends of a
 * cubic. */
int vg_table_corners(const vgTable *table, const double **x);
/* Bounds of the value and of the slope over lo <= x <= hi, close ones over a short interval. */
void vg_table_range(const vgTable *table, double lo, double hi, double value[2], double slope[2]);
/* A function of x that changes its sign at each of those places, with slope 1 there. */
double vg_table_switch(const vgTable *table, double x);
/* As vg_table_eval, with the piece that has the given sign of that function (1 or −1), also a little beyond
 * its ends. */
void vg_table_eval_held(const vgTable *table, double x, int side, double out[3]);
int vg_table_size(const vgTable *table);
void vg_table_knot(const vgTable *table, int k, double *x, double *y);

#endif
