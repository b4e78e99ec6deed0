/* A plot in characters, for a look at a run without leaving the terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/plot/plot.h"

static const char marks[] = "*+ox#@%&";
enum { NMARK = sizeof marks - 1, MARGIN = 11 };

static int cell(double at, int n)
{
    int i = (int)floor(at * n);
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Marks along the straight line between two points, so that steep curves stay connected. */
static void stroke(char *grid, int w, int h, double u0, double v0, double u1, double v1, char mark)
{
    int n = 1 + (int)(2 * fmax(fabs(u1 - u0) * w, fabs(v1 - v0) * h));
    for (int i = 0; i <= n; i++) {
        double s = (double)i / n;
        grid[(h - 1 - cell(v0 + s * (v1 - v0), h)) * w + cell(u0 + s * (u1 - u0), w)] = mark;
    }
}

static void draw(char *grid, int w, int h, const vgAxis *x, const vgAxis *y, const vgSeries *s, char mark)
{
    double u0 = NAN, v0 = NAN;
    for (long i = 0; i < s->n; i++) {
        double u = vg_axis_at(x, s->x[i * s->stride]), v = vg_axis_at(y, s->y[i * s->stride]);
        int here = isfinite(u) && isfinite(v);
        if (here && isfinite(u0))
            stroke(grid, w, h, u0, v0, u, v, mark);
        else if (here)
            stroke(grid, w, h, u, v, u, v, mark);
        u0 = here ? u : NAN;
        v0 = v;
    }
}

static void left_labels(const vgAxis *y, int h, char (*text)[MARGIN + 1])
{
    for (int i = 0; i < h; i++) text[i][0] = 0;
    for (double v = vg_axis_first_tick(y); v <= y->high + 1e-9 * y->step; v += y->step) {
        vg_axis_label(y, v, text[h - 1 - cell((v - y->low) / (y->high - y->low), h)], MARGIN);
    }
}

static void bottom_labels(const vgAxis *x, int w, vgText *out)
{
    int column = -MARGIN - 1;
    for (double u = vg_axis_first_tick(x); u <= x->high + 1e-9 * x->step; u += x->step) {
        char text[40];
        vg_axis_label(x, u, text, sizeof text);
        int want = cell((u - x->low) / (x->high - x->low), w) - (int)strlen(text) / 2;
        if (want <= column && column > -MARGIN) continue;
        vg_text_add(out, "%*s%s", want - column, "", text);
        column = want + (int)strlen(text);
    }
    vg_text_add(out, "\n");
}

void vg_plot_terminal(const vgPlot *plot, vgText *out)
{
    int w = plot->width > 0 ? plot->width : 72, h = plot->height > 0 ? plot->height : 20;
    char name[300];
    vgAxis x, y;
    vg_plot_axes(plot, w / 10, h / 4, &x, &y);
    char *grid = malloc((size_t)w * (size_t)h);
    char(*text)[MARGIN + 1] = malloc((size_t)h * sizeof *text);
    if (grid && text) {
        memset(grid, ' ', (size_t)w * (size_t)h);
        for (int s = 0; s < plot->nseries; s++) draw(grid, w, h, &x, &y, &plot->series[s], marks[s % NMARK]);
        left_labels(&y, h, text);
        if (plot->title) vg_text_add(out, "%*s%s\n", MARGIN + 1, "", plot->title);
        for (int s = 0; s < plot->nseries; s++) {
            vg_text_add(out, "%*s%c %s\n", MARGIN + 1, "", marks[s % NMARK], plot->series[s].label);
        }
        if (plot->y_label) {
            vg_axis_name(&y, plot->y_label, name, sizeof name);
            vg_text_add(out, "%*s%s\n", MARGIN + 1, "", name);
        }
        for (int i = 0; i < h; i++) {
            vg_text_add(out, "%*s|%.*s\n", MARGIN, text[i], w, grid + (size_t)i * (size_t)w);
        }
        vg_text_add(out, "%*s+", MARGIN, "");
        for (int i = 0; i < w; i++) vg_text_put(out, "-", 1);
        vg_text_add(out, "\n");
        bottom_labels(&x, w, out);
        if (plot->x_label) {
            vg_axis_name(&x, plot->x_label, name, sizeof name);
            vg_text_add(out, "%*s%s\n", MARGIN + w / 2, "", name);
        }
    } else {
        out->failed = 1;
    }
    free(grid);
    free(text);
}
