#include "element/force/util.h"

/* Gauss with two points, exact for a cubic. */
static double piece(const vgTable *table, double a, double b)
{
    double mid = 0.5 * (a + b), half = 0.5 * (b - a), g = half / sqrt(3);
    return half * (vg_table_value(table, mid - g) + vg_table_value(table, mid + g));
}

double vg_force_table_integral(const vgTable *table, double a, double b)
{
    if (b < a) return -vg_force_table_integral(table, b, a);
    double sum = 0, from = a;
    int n = vg_table_size(table);
    for (int k = 0; k < n; k++) {
        double x, y;
        vg_table_knot(table, k, &x, &y);
        if (x <= from) continue;
        if (x >= b) break;
        sum += piece(table, from, x);
        from = x;
    }
    return sum + piece(table, from, b);
}
