/* Line plots: one description, drawn as an SVG picture or as text for the terminal. */
#ifndef VG_IO_PLOT_H
#define VG_IO_PLOT_H

#include "io/text.h"

typedef struct vgSeries {
    const char *label;
    long n;
    const double *x, *y; /* with a stride, so that columns of a row-major table need no copy */
    long stride;
} vgSeries;

typedef struct vgPlot {
    const char *title, *x_label, *y_label; /* NULL: none */
    int log_x, log_y;                      /* points that are not positive are left out */
    int width, height; /* SVG: pixels (0: 800 × 500); terminal: characters (0: 72 × 20) */
    int nseries;
    const vgSeries *series;
} vgPlot;

/* Extent of one axis in drawing units (logarithms on a log axis) and its ticks. */
typedef struct vgAxis {
    int log;
    double low, high, step;
} vgAxis;

/* Axes that hold every finite point, widened to whole ticks in y. An empty plot gets 0…1. */
void vg_plot_axes(const vgPlot *plot, int x_ticks, int y_ticks, vgAxis *x, vgAxis *y);
/* Position of a value on the axis, 0…1; NaN for what cannot be drawn. */
double vg_axis_at(const vgAxis *axis, double value);
/* First tick at or above low; ticks go on by step. */
double vg_axis_first_tick(const vgAxis *axis);
/* The tick's label: 0.25, 1e-06, 10 … */
void vg_axis_label(const vgAxis *axis, double tick, char *label, int size);

void vg_plot_svg(const vgPlot *plot, vgText *out);
void vg_plot_terminal(const vgPlot *plot, vgText *out);

#endif
