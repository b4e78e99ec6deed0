/* Line plots: one description, drawn by a pen (an SVG picture here, PNG and PDF in the program) or as text
 * for the terminal. */
#ifndef VG_IO_PLOT_H
#define VG_IO_PLOT_H

#include "base/text.h"

typedef struct vgSeries {
    const char *label;
    long n;
    const double *x, *y; /* with a stride, so that columns of a row-major table need no copy */
    long stride;
} vgSeries;

/* How a curve looks, where its place among the curves should not decide. */
typedef struct vgStyle {
    int colour; /* 0, 1, … of the palette */
    int dash;   /* 0 solid, 1, 2, 3 dashed */
    int hidden; /* 1: not in the legend */
} vgStyle;

typedef struct vgPlot {
    const char *title, *x_label, *y_label; /* NULL: none */
    int log_x, log_y;                      /* points that are not positive are left out */
    int width, height; /* SVG: pixels (0: 800 × 500); terminal: characters (0: 72 × 20) */
    int nseries;
    const vgSeries *series;
    const vgStyle *style; /* [nseries]; NULL: by order, colours first, then dashes */
    int marks;            /* 1: dots at the points */
    double top;           /* > 0: the vertical axis does not go beyond, curves may */
} vgPlot;

/* Several plots in one picture, in rows from left to right. */
typedef struct vgFigure {
    const char *title;
    int columns;       /* 0: 1 */
    int width, height; /* 0: chosen from the number of plots */
    int one_legend;    /* 1: the legend of the first plot stands for all */
    int nplot;
    const vgPlot *plot;
} vgFigure;

/* What a figure is drawn with. Points from the top left corner, in pixels of 1/96 inch. */
typedef struct vgPen {
    void *user;
    void (*begin)(void *user, const char *colour, double width, int dash); /* a line: "#rrggbb" */
    void (*move)(void *user, double x, double y);
    void (*line)(void *user, double x, double y);
    void (*end)(void *user);
    void (*dot)(void *user, double x, double y, const char *colour);
    /* anchor −1: text starts at x, 0: middle, 1: ends there; turned: upwards */
    void (*text)(void *user, double x, double y, int anchor, int turned, double size, const char *text);
    void (*clip)(void *user, double x, double y, double width, double height); /* width ≤ 0: no longer */
    double (*extent)(void *user, double size, const char *text);               /* width of a text */
} vgPen;

/* Extent of one axis in drawing units (logarithms on a log axis) and its ticks. */
typedef struct vgAxis {
    int log;
    double low, high, step;
    double origin; /* what labels count from: 0, unless the ticks would look alike */
} vgAxis;

/* Axes that hold every finite point, widened to whole ticks in y. An empty plot gets 0…1. */
void vg_plot_axes(const vgPlot *plot, int x_ticks, int y_ticks, vgAxis *x, vgAxis *y);
/* Position of a value on the axis, 0…1; NaN for what cannot be drawn. */
double vg_axis_at(const vgAxis *axis, double value);
/* First tick at or above low; ticks go on by step. */
double vg_axis_first_tick(const vgAxis *axis);
/* The tick's label: 0.25, 1e-06, 10 … */
void vg_axis_label(const vgAxis *axis, double tick, char *label, int size);
/* What an axis shows, with its origin where it has one. */
void vg_axis_name(const vgAxis *axis, const char *name, char *text, int size);

void vg_figure_size(const vgFigure *figure, double *width, double *height);
void vg_figure_draw(const vgFigure *figure, const vgPen *pen);
void vg_figure_svg(const vgFigure *figure, vgText *out);
void vg_plot_svg(const vgPlot *plot, vgText *out);
/* Of the i-th curve: colours in turn; the ninth has the first again, dashed. */
vgStyle vg_plot_style(int i);
void vg_plot_terminal(const vgPlot *plot, vgText *out);

#endif
