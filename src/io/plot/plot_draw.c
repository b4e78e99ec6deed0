/* Where everything in a figure goes; a pen puts it there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/plot/plot.h"

/* Colours that stay apart for colour-blind readers (Okabe and Ito). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#8a6d00"};
enum { NCOLOUR = sizeof colours / sizeof colours[0], LEFT = 78, RIGHT = 20, LINE = 18, GAP = 14 };
static const double SMALL = 13, LARGE = 16;

typedef struct box {
    double x, y, width, height;
} box;

typedef struct frame {
    double left, right, top, bottom; /* of the drawing area, pixels */
    vgAxis x, y;
} frame;

vgStyle vg_plot_style(int i)
{
    return (vgStyle){.colour = i, .dash = i / NCOLOUR};
}

static vgStyle style_of(const vgPlot *plot, int i)
{
    return plot->style ? plot->style[i] : vg_plot_style(i);
}

static const char *colour_of(vgStyle style)
{
    return colours[style.colour % NCOLOUR];
}

static double across(const frame *f, double u)
{
    return f->left + (u - f->x.low) / (f->x.high - f->x.low) * (f->right - f->left);
}

static double up(const frame *f, double v)
{
    return f->bottom - (v - f->y.low) / (f->y.high - f->y.low) * (f->bottom - f->top);
}

static void segment(const vgPen *pen, const char *colour, double width, const double p[4])
{
    pen->begin(pen->user, colour, width, 0);
    pen->move(pen->user, p[0], p[1]);
    pen->line(pen->user, p[2], p[3]);
    pen->end(pen->user);
}

/* 10⁻⁶ instead of 1e-6: pictures have the digits for it. */
static void tick_label(const vgAxis *axis, double tick, char *label, int size)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (!axis->log || fabs(tick - round(tick)) > 1e-6) {
        vg_axis_label(axis, tick, label, size);
        return;
    }
    char digits[20];
    int n = snprintf(label, (size_t)size, "10%s", tick < -0.5 ? "⁻" : "");
    snprintf(digits, sizeof digits, "%.0f", fabs(tick));
    for (const char *d = digits; *d && n < size; d++)
        n += snprintf(label + n, (size_t)(size - n), "%s", raised[*d - '0']);
}

/* Lines between the powers of ten, where there is room. */
static void fine_grid(const vgPen *pen, const frame *f, const vgAxis *axis, int vertical)
{
    double room = vertical ? f->right - f->left : f->bottom - f->top;
    if (!axis->log || axis->step > 1 || room / (axis->high - axis->low) < 45) return;
    for (double decade = floor(axis->low); decade < axis->high; decade++) {
        for (int k = 2; k < 10; k++) {
            double at = decade + log10(k);
            if (at <= axis->low || at >= axis->high) continue;
            double x = vertical ? across(f, at) : f->left, y = vertical ? f->top : up(f, at);
            double p[4] = {x, y, vertical ? x : f->right, vertical ? f->bottom : y};
            segment(pen, "#f0f0f0", 1, p);
        }
    }
}

static void grid(const vgPen *pen, const frame *f)
{
    char text[60];
    fine_grid(pen, f, &f->x, 1);
    fine_grid(pen, f, &f->y, 0);
    for (double u = vg_axis_first_tick(&f->x); u <= f->x.high + 1e-9 * f->x.step; u += f->x.step) {
        double at = across(f, u), p[4] = {at, f->top, at, f->bottom};
        segment(pen, "#dddddd", 1, p);
        tick_label(&f->x, u, text, sizeof text);
        pen->text(pen->user, at, f->bottom + 17, 0, 0, SMALL, text);
    }
    for (double v = vg_axis_first_tick(&f->y); v <= f->y.high + 1e-9 * f->y.step; v += f->y.step) {
        double at = up(f, v), p[4] = {f->left, at, f->right, at};
        segment(pen, "#dddddd", 1, p);
        tick_label(&f->y, v, text, sizeof text);
        pen->text(pen->user, f->left - 7, at + 4, 1, 0, SMALL, text);
    }
    pen->begin(pen->user, "#333333", 1, 0);
    pen->move(pen->user, f->left, f->top);
    pen->line(pen->user, f->left, f->bottom);
    pen->line(pen->user, f->right, f->bottom);
    pen->end(pen->user);
}

/* Points that fall into one half pixel's width, of which the first, lowest, highest and last are drawn: a
 * million rows give a small file and the same picture, extremes included. */
typedef struct column {
    long n, at[4];
    double x[4], y[4]; /* first, lowest, highest, last */
    double where;
} column;

static void column_add(column *c, long i, double x, double y)
{
    double at[4] = {c->n == 0, c->n == 0 || y < c->y[1], c->n == 0 || y > c->y[2], 1};
    for (int k = 0; k < 4; k++) {
        if (at[k] != 0) c->x[k] = x, c->y[k] = y, c->at[k] = i;
    }
    c->n++;
}

static void column_draw(column *c, const vgPen *pen, int *down)
{
    int low_first = c->at[1] <= c->at[2], order[4] = {0, low_first ? 1 : 2, low_first ? 2 : 1, 3};
    long last = -1;
    for (int k = 0; k < 4 && c->n > 0; k++) {
        int j = order[k];
        if (c->at[j] == last) continue;
        last = c->at[j];
        (*down ? pen->line : pen->move)(pen->user, c->x[j], c->y[j]);
        *down = 1;
    }
    c->n = 0;
}

/* Where row i lies in the picture; 0: nowhere. */
static int place(const frame *f, const vgSeries *s, long i, double *x, double *y)
{
    if (i < 0 || i >= s->n) return 0;
    double u = vg_axis_at(&f->x, s->x[i * s->stride]), v = vg_axis_at(&f->y, s->y[i * s->stride]);
    int there = isfinite(u) && isfinite(v);
    v = fmax(-20, fmin(20, v)); /* far beyond the frame: what draws may not know such numbers */
    *x = f->left + u * (f->right - f->left), *y = f->bottom - v * (f->bottom - f->top);
    return there;
}

/* A curve. A gap (NaN, non-positive on a log axis) lifts the pen; a point between gaps is a dot. */
static void curve(const vgPen *pen, const frame *f, const vgSeries *s, vgStyle style, int marks)
{
    column c = {.n = 0};
    int down = 0;
    pen->begin(pen->user, colour_of(style), 1.6, style.dash);
    for (long i = 0; i < s->n; i++) {
        double x, y;
        if (!place(f, s, i, &x, &y)) {
            column_draw(&c, pen, &down);
            down = 0;
            continue;
        }
        if (c.n && floor(2 * x) != c.where) column_draw(&c, pen, &down);
        c.where = floor(2 * x);
        column_add(&c, i, x, y);
    }
    column_draw(&c, pen, &down);
    pen->end(pen->user);
    for (long i = 0; i < s->n; i++) {
        double x, y, aside[2];
        int alone = !place(f, s, i - 1, &aside[0], &aside[1]) && !place(f, s, i + 1, &aside[0], &aside[1]);
        if ((marks || alone) && place(f, s, i, &x, &y)) pen->dot(pen->user, x, y, colour_of(style));
    }
}

/* Names of the curves in rows; returns the height used (only measures when it is not to draw). */
static double legend(const vgPen *pen, const vgPlot *plot, box b, int draw)
{
    double x = b.x + LEFT, y = b.y;
    int n = 0;
    for (int i = 0; i < plot->nseries; i++) {
        vgStyle style = style_of(plot, i);
        const char *text = plot->series[i].label;
        if (style.hidden || !text || !*text) continue;
        double wide = 25 + GAP + pen->extent(pen->user, SMALL, text);
        if (x > b.x + LEFT && x + wide > b.x + b.width - RIGHT) x = b.x + LEFT, y += LINE;
        if (draw) {
            pen->begin(pen->user, colour_of(style), 2.5, style.dash);
            pen->move(pen->user, x, y - 4);
            pen->line(pen->user, x + 20, y - 4);
            pen->end(pen->user);
            pen->text(pen->user, x + 25, y, -1, 0, SMALL, text);
        }
        x += wide;
        n++;
    }
    return n ? y + LINE - b.y : 0;
}

/* A title, cut where there is no room for all of it. */
static void heading(const vgPen *pen, const char *title, double x, double y, double room)
{
    char text[300];
    size_t n = strlen(title);
    if (n + 4 > sizeof text) n = sizeof text - 4;
    memcpy(text, title, n);
    text[n] = 0;
    while (n > 1 && pen->extent(pen->user, LARGE, text) > room) {
        do n--;
        while (n > 1 && (title[n] & 0xC0) == 0x80); /* whole characters */
        memcpy(text + n, "…", sizeof "…");
    }
    pen->text(pen->user, x, y, -1, 0, LARGE, text);
}

/* The last number below an axis needs half its width to the right. */
static double right_margin(const vgPen *pen, const vgAxis *x)
{
    char text[60];
    tick_label(x, vg_axis_first_tick(x) + floor((x->high - vg_axis_first_tick(x)) / x->step + 1e-9) * x->step,
               text, sizeof text);
    return fmax(RIGHT, 0.5 * pen->extent(pen->user, SMALL, text) + 4);
}

static void panel(const vgPen *pen, const vgPlot *plot, box b, int with_legend)
{
    double top = b.y + (plot->title ? 44 : 22);
    box names = {b.x, top, b.width, b.height};
    char name[300];
    frame f = {.left = b.x + LEFT, .bottom = b.y + b.height - (plot->x_label ? 48 : 30)};
    f.top = top + (with_legend ? legend(pen, plot, names, 1) : 0) - 6;
    vg_plot_axes(plot, (int)(b.width / 90), (int)(b.height / 55), &f.x, &f.y);
    f.right = b.x + b.width - right_margin(pen, &f.x);
    if (plot->title) heading(pen, plot->title, f.left, b.y + 24, b.width - LEFT - 6);
    grid(pen, &f);
    pen->clip(pen->user, f.left, f.top - 2, f.right - f.left + 2, f.bottom - f.top + 4);
    for (int i = 0; i < plot->nseries; i++) curve(pen, &f, &plot->series[i], style_of(plot, i), plot->marks);
    pen->clip(pen->user, 0, 0, 0, 0);
    if (plot->x_label) {
        vg_axis_name(&f.x, plot->x_label, name, sizeof name);
        pen->text(pen->user, 0.5 * (f.left + f.right), b.y + b.height - 12, 0, 0, SMALL, name);
    }
    if (plot->y_label) {
        vg_axis_name(&f.y, plot->y_label, name, sizeof name);
        pen->text(pen->user, b.x + 18, 0.5 * (f.top + f.bottom), 0, 1, SMALL, name);
    }
}

static int columns_of(const vgFigure *figure)
{
    return figure->columns > 0 ? figure->columns : 1;
}

static int rows_of(const vgFigure *figure)
{
    int rows = (figure->nplot + columns_of(figure) - 1) / columns_of(figure);
    return rows > 0 ? rows : 1;
}

void vg_figure_size(const vgFigure *figure, double *width, double *height)
{
    int rows = rows_of(figure), columns = columns_of(figure);
    *width = figure->width > 0 ? figure->width : columns == 1 ? 800 : 520 * columns;
    *height = figure->height > 0 ? figure->height : rows == 1 ? (columns == 1 ? 500 : 440) : 300 * rows + 40;
}

void vg_figure_draw(const vgFigure *figure, const vgPen *pen)
{
    double width, height, top = 0;
    vg_figure_size(figure, &width, &height);
    if (figure->title) {
        heading(pen, figure->title, LEFT, 24, width - LEFT - 6);
        top += 24;
    }
    if (figure->one_legend && figure->nplot) {
        box names = {0, top + 22, width, height};
        top += legend(pen, &figure->plot[0], names, 1) + 4;
    }
    int columns = columns_of(figure);
    double w = width / columns, h = (height - top) / rows_of(figure);
    for (int i = 0; i < figure->nplot; i++) {
        box b = {i % columns * w, top + i / columns * h, w, h};
        panel(pen, &figure->plot[i], b, !figure->one_legend);
    }
}
