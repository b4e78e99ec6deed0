/* Axes of a plot: range, ticks, labels. */
#include "io/plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double unit_of(const vgAxis *axis, double value)
{
    if (!axis->log) return value;
    return value > 0 ? log10(value) : NAN;
}

double vg_axis_at(const vgAxis *axis, double value)
{
    double u = unit_of(axis, value);
    return isfinite(u) ? (u - axis->low) / (axis->high - axis->low) : NAN;
}

/* 1, 2 or 5 times a power of ten, so that span/step is at most n. */
static double nice_step(double span, int n)
{
    double raw = span / n, power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    double nice = lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10;
    return nice * power;
}

static void finish(vgAxis *axis, int ticks, int widen)
{
    if (axis->low > axis->high) axis->low = 0, axis->high = 1;
    double size = fmax(fabs(axis->low), fabs(axis->high));
    if (axis->high - axis->low <= 1e-12 * size || axis->high == axis->low) { /* a constant */
        double half = size > 0 ? 0.5 * size : 0.5;
        axis->low -= half;
        axis->high += half;
    }
    axis->step = nice_step(axis->high - axis->low, ticks);
    if (axis->log && axis->step < 1) axis->step = 1;
    if (widen || axis->log) {
        axis->low = floor(axis->low / axis->step + 1e-9) * axis->step;
        axis->high = ceil(axis->high / axis->step - 1e-9) * axis->step;
        if (axis->high <= axis->low) axis->high = axis->low + axis->step;
    }
    if (!axis->log && size > 1e5 * axis->step) axis->origin = vg_axis_first_tick(axis);
}

void vg_plot_axes(const vgPlot *plot, int x_ticks, int y_ticks, vgAxis *x, vgAxis *y)
{
    *x = (vgAxis){plot->log_x, INFINITY, -INFINITY, 1, 0};
    *y = (vgAxis){plot->log_y, INFINITY, -INFINITY, 1, 0};
    for (int s = 0; s < plot->nseries; s++) {
        const vgSeries *series = &plot->series[s];
        for (long i = 0; i < series->n; i++) {
            double u = unit_of(x, series->x[i * series->stride]),
                   v = unit_of(y, series->y[i * series->stride]);
            if (!isfinite(u) || !isfinite(v)) continue;
            x->low = fmin(x->low, u), x->high = fmax(x->high, u);
            y->low = fmin(y->low, v), y->high = fmax(y->high, v);
        }
    }
    if (plot->top > 0) y->high = fmin(y->high, unit_of(y, plot->top));
    finish(x, x_ticks, 0);
    finish(y, y_ticks, 1);
}

double vg_axis_first_tick(const vgAxis *axis)
{
    return ceil(axis->low / axis->step - 1e-9) * axis->step;
}

/* d.dde-05 without zeros at its end */
static void exponential(double value, char *label, int size)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.5e", value);
    char *power = strchr(digits, 'e'), *end = power;
    while (end[-1] == '0') end--;
    if (end[-1] == '.') end--;
    snprintf(label, (size_t)size, "%.*s%s", (int)(end - digits), digits, power);
}

void vg_axis_label(const vgAxis *axis, double tick, char *label, int size)
{
    const double steps = round((tick - axis->origin) / axis->step); /* without −0 and rounding */
    tick = steps == 0 ? 0 : steps * axis->step;
    if (axis->log)
        snprintf(label, (size_t)size, "1e%g", tick);
    else if (tick != 0 && axis->step < 9e-5) /* not 8e-05 and then 0.0001 */
        exponential(tick, label, size);
    else
        snprintf(label, (size_t)size, "%.6g", tick);
}

void vg_axis_name(const vgAxis *axis, const char *name, char *text, int size)
{
    if (axis->origin != 0)
        snprintf(text, (size_t)size, "%s above %.12g", name, axis->origin);
    else
        snprintf(text, (size_t)size, "%s", name);
}
