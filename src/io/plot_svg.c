/* A plot as a standalone SVG picture. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/plot.h"

/* Colours that stay apart for colour-blind readers (Okabe and Ito). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#8a6d00"};
enum { NCOLOUR = sizeof colours / sizeof colours[0], LEFT = 78, RIGHT = 20, LINE = 18 };

typedef struct frame {
    double left, right, top, bottom; /* of the drawing area, pixels */
    vgAxis x, y;
} frame;

static void escaped(vgText *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
        if (entity)
            vg_text_put(out, entity, strlen(entity));
        else if ((unsigned char)*text >= 0x20)
            vg_text_put(out, text, 1);
    }
}

static void label(vgText *out, double x, double y, const char *anchor, const char *more, const char *text)
{
    vg_text_add(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more);
    escaped(out, text);
    vg_text_add(out, "</text>\n");
}

static void grid(vgText *out, const frame *f)
{
    char text[40];
    vg_text_add(out, "<g stroke=\"#ddd\" stroke-width=\"1\">\n");
    for (double u = vg_axis_first_tick(&f->x); u <= f->x.high + 1e-9 * f->x.step; u += f->x.step) {
        double at = f->left + (u - f->x.low) / (f->x.high - f->x.low) * (f->right - f->left);
        vg_text_add(out, "<path d=\"M%.1f %.1fV%.1f\"/>\n", at, f->top, f->bottom);
    }
    for (double v = vg_axis_first_tick(&f->y); v <= f->y.high + 1e-9 * f->y.step; v += f->y.step) {
        double at = f->bottom - (v - f->y.low) / (f->y.high - f->y.low) * (f->bottom - f->top);
        vg_text_add(out, "<path d=\"M%.1f %.1fH%.1f\"/>\n", f->left, at, f->right);
    }
    vg_text_add(out, "</g>\n");
    for (double u = vg_axis_first_tick(&f->x); u <= f->x.high + 1e-9 * f->x.step; u += f->x.step) {
        double at = f->left + (u - f->x.low) / (f->x.high - f->x.low) * (f->right - f->left);
        vg_axis_label(&f->x, u, text, sizeof text);
        label(out, at, f->bottom + 17, "middle", "", text);
    }
    for (double v = vg_axis_first_tick(&f->y); v <= f->y.high + 1e-9 * f->y.step; v += f->y.step) {
        double at = f->bottom - (v - f->y.low) / (f->y.high - f->y.low) * (f->bottom - f->top);
        vg_axis_label(&f->y, v, text, sizeof text);
        label(out, f->left - 7, at + 4, "end", "", text);
    }
    vg_text_add(out, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#333\"/>\n", f->left, f->top,
                f->bottom, f->right);
}

/* A curve. Points closer than a third of a pixel to the last one drawn are skipped: a million rows give a
 * small file and the same picture. A gap (NaN, non-positive on a log axis) lifts the pen. */
static void curve(vgText *out, const frame *f, const vgSeries *s, const char *colour)
{
    double last_x = 0, last_y = 0;
    int pen = 0;
    vg_text_add(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" stroke-linejoin=\"round\" d=\"",
                colour);
    for (long i = 0; i < s->n; i++) {
        double u = vg_axis_at(&f->x, s->x[i * s->stride]), v = vg_axis_at(&f->y, s->y[i * s->stride]);
        if (!isfinite(u) || !isfinite(v)) {
            pen = 0;
            continue;
        }
        double px = f->left + u * (f->right - f->left), py = f->bottom - v * (f->bottom - f->top);
        if (pen && i + 1 < s->n && fabs(px - last_x) < 0.33 && fabs(py - last_y) < 0.33) continue;
        vg_text_add(out, "%c%.2f %.2f", pen ? 'L' : 'M', px, py);
        last_x = px, last_y = py, pen = 1;
    }
    vg_text_add(out, "\"/>\n");
}

/* Names of the curves in rows above the drawing; returns the height used (only measures when out is NULL). */
static double legend(vgText *out, const vgPlot *plot, double top, double width)
{
    double x = LEFT, y = top;
    for (int i = 0; i < plot->nseries; i++) {
        double wide = 34 + 7.2 * (double)strlen(plot->series[i].label);
        if (x > LEFT && x + wide > width - RIGHT) x = LEFT, y += LINE;
        if (out) {
            vg_text_add(out, "<path d=\"M%.1f %.1fh20\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", x, y - 4,
                        colours[i % NCOLOUR]);
            label(out, x + 25, y, "start", "", plot->series[i].label);
        }
        x += wide;
    }
    return plot->nseries ? y + LINE - top : 0;
}

void vg_plot_svg(const vgPlot *plot, vgText *out)
{
    double width = plot->width > 0 ? plot->width : 800, height = plot->height > 0 ? plot->height : 500;
    double top = plot->title ? 44 : 22;
    frame f = {.left = LEFT, .right = width - RIGHT, .bottom = height - (plot->x_label ? 48 : 30)};
    f.top = top + legend(NULL, plot, top, width) - 6;
    vg_plot_axes(plot, (int)(width / 90), (int)(height / 55), &f.x, &f.y);
    vg_text_add(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
                "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                width, height, width, height);
    if (plot->title) label(out, LEFT, 24, "start", " font-size=\"16\" font-weight=\"600\"", plot->title);
    legend(out, plot, top, width);
    grid(out, &f);
    vg_text_add(
        out,
        "<clipPath id=\"area\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
        f.left, f.top, f.right - f.left, f.bottom - f.top);
    vg_text_add(out, "<g clip-path=\"url(#area)\">\n");
    for (int i = 0; i < plot->nseries; i++) curve(out, &f, &plot->series[i], colours[i % NCOLOUR]);
    vg_text_add(out, "</g>\n");
    if (plot->x_label) label(out, 0.5 * (f.left + f.right), height - 12, "middle", "", plot->x_label);
    if (plot->y_label) {
        char turn[80];
        double y = 0.5 * (f.top + f.bottom);
        snprintf(turn, sizeof turn, " transform=\"rotate(-90 18 %.1f)\"", y);
        label(out, 18, y, "middle", turn, plot->y_label);
    }
    vg_text_add(out, "</svg>\n");
}
