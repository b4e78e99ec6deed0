/* Bars for categories, drawn as SVG: one group of horizontal bars for each category, its name at the left, the number
 * at the bar's end. The axis is linear and starts at zero. */
#include <stdio.h>

#include "reproduce/reproduce.h"

enum { WIDTH = 800, LEFT = 190, RIGHT = 70, TOP = 52, BAR = 11, GAP = 8, BOTTOM = 30, COLOURS = 6 };
static const char *const colour[COLOURS] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b"};

/* A round step of the axis with about five ticks up to `most`. */
static double tick_of(double most)
{
    double size = pow(10, floor(log10(most / 5)));
    static const double round[] = {1, 2, 2.5, 5, 10};
    for (int i = 0; i < 5; i++)
        if (most / (round[i] * size) <= 6) return round[i] * size;
    return 10 * size;
}

static void words(vgText *t, double x, double y, const char *anchor, const char *text)
{
    vg_text_add(t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    vg_html_escape(t, text);
    vg_text_add(t, "</text>\n");
}

void vg_exhibit_bars(vgExhibit *ex, const vgBars *b)
{
    vgText *t = &ex->html;
    double most = 0;
    for (int i = 0; i < b->n * b->nseries; i++)
        if (isfinite(b->value[i])) most = fmax(most, b->value[i]);
    if (!(most > 0)) return;
    double group = BAR * b->nseries + GAP, height = TOP + group * b->n + BOTTOM;
    double scale = (WIDTH - LEFT - RIGHT) / most, tick = tick_of(most);
    ex->nfigure++;
    vg_text_add(t,
                "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
                "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n"
                "<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n",
                WIDTH, height, WIDTH, height, WIDTH, height);
    words(t, LEFT, 18, "start", b->title);
    double x = LEFT;
    for (int k = 0; k < b->nseries; k++) {
        vg_text_add(t, "<rect x=\"%.1f\" y=\"28\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x,
                    colour[k % COLOURS]);
        words(t, x + 14, 37, "start", b->series[k]);
        x += (WIDTH - LEFT) / (double)b->nseries;
    }
    for (double v = 0; v <= most * (1 + 1e-9); v += tick) {
        char label[40];
        snprintf(label, sizeof label, "%.3g", v);
        vg_text_add(t, "<path d=\"M%.1f %d V%.1f\" stroke=\"#ddd\"/>\n", LEFT + v * scale, TOP - 6,
                    height - BOTTOM + 4);
        words(t, LEFT + v * scale, height - BOTTOM + 18, "middle", label);
    }
    words(t, WIDTH - 4, height - BOTTOM + 18, "end", b->unit ? b->unit : "");
    for (int i = 0; i < b->n; i++) {
        double y = TOP + group * i;
        words(t, LEFT - 6, y + 0.5 * (group - GAP) + 4, "end", b->category[i]);
        for (int k = 0; k < b->nseries; k++) {
            double v = b->value[i * b->nseries + k];
            char label[40] = "failed";
            if (isfinite(v)) {
                vg_text_add(t, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", LEFT,
                            y + k * BAR, v * scale, BAR - 1, colour[k % COLOURS]);
                snprintf(label, sizeof label, "%.3g", v);
            }
            words(t, LEFT + (isfinite(v) ? v * scale : 0) + 4, y + k * BAR + 9, "start", label);
        }
    }
    vg_text_add(t, "</svg></figure>\n");
}
