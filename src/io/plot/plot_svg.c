/* A figure as a standalone SVG picture. */
#include <string.h>

#include "io/plot/plot.h"

typedef struct svg {
    vgText *out;
    int clips, clipped; /* clip paths so far; 1: inside one */
} svg;

static const char *const dashes[] = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\"",
                                     " stroke-dasharray=\"10 3 2 3\""};

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

static void begin(void *user, const char *colour, double width, int dash)
{
    svg *s = user;
    vg_text_add(s->out,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"%s d=\"",
                colour, width, dashes[dash % 4]);
}

static void move(void *user, double x, double y)
{
    svg *s = user;
    vg_text_add(s->out, "M%.2f %.2f", x, y);
}

static void line(void *user, double x, double y)
{
    svg *s = user;
    vg_text_add(s->out, "L%.2f %.2f", x, y);
}

static void end(void *user)
{
    svg *s = user;
    vg_text_add(s->out, "\"/>\n");
}

static void dot(void *user, double x, double y, const char *colour)
{
    svg *s = user;
    vg_text_add(s->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.2\" fill=\"%s\"/>\n", x, y, colour);
}

static void text_at(void *user, double x, double y, int anchor, int turned, double size, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    svg *s = user;
    vg_text_add(s->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchors[anchor + 1]);
    if (size > 14) vg_text_add(s->out, " font-size=\"%g\" font-weight=\"600\"", size);
    if (turned) vg_text_add(s->out, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    vg_text_add(s->out, ">");
    escaped(s->out, text);
    vg_text_add(s->out, "</text>\n");
}

static void clip(void *user, double x, double y, double width, double height)
{
    svg *s = user;
    if (s->clipped) vg_text_add(s->out, "</g>\n");
    s->clipped = width > 0;
    if (!s->clipped) return;
    vg_text_add(
        s->out,
        "<clipPath id=\"area%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n"
        "<g clip-path=\"url(#area%d)\">\n",
        s->clips, x, y, width, height, s->clips);
    s->clips++;
}

/* The reader's fonts are not known here: a generous guess. */
static double extent(void *user, double size, const char *text)
{
    (void)user;
    int letters = 0;
    for (; *text; text++) letters += (*text & 0xc0) != 0x80;
    return 0.555 * size * letters;
}

void vg_figure_svg(const vgFigure *figure, vgText *out)
{
    double width, height;
    svg s = {.out = out};
    vgPen pen = {&s, begin, move, line, end, dot, text_at, clip, extent};
    vg_figure_size(figure, &width, &height);
    vg_text_add(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
                "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                width, height, width, height);
    vg_figure_draw(figure, &pen);
    vg_text_add(out, "</svg>\n");
}

void vg_plot_svg(const vgPlot *plot, vgText *out)
{
    vgFigure figure = {.width = plot->width, .height = plot->height, .nplot = 1, .plot = plot};
    vg_figure_svg(&figure, out);
}
