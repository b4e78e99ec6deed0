#include "cli/page/figure.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "cli/cli.h"

static const char *ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && dot > path && dot[-1] != '/' ? dot + 1 : "";
}

static int write_svg(const vgFigure *figure, const char *path)
{
    vgText text = {0};
    vg_figure_svg(figure, &text);
    int ok = vg_cli_write_text(path, &text);
    vg_text_free(&text);
    return ok;
}

#ifdef VERGE_HAVE_CAIRO
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/page/cairo_part.h"

enum { PNG_SCALE = 2 };            /* pixels of the file for one of the figure: sharp on dense screens */
static const double POINTS = 0.75; /* PDF counts in 1/72 inch */

typedef struct brush {
    cairo_t *c;
} brush;

static void set_colour(cairo_t *c, const char *colour)
{
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    cairo_set_source_rgb(c, (double)(rgb >> 16 & 255) / 255, (double)(rgb >> 8 & 255) / 255,
                         (double)(rgb & 255) / 255);
}

static void begin(void *user, const char *colour, double width, int dash)
{
    static const double dashes[][4] = {{0}, {7, 4}, {2, 3}, {10, 3, 2, 3}};
    static const int lengths[] = {0, 2, 2, 4};
    cairo_t *c = ((brush *)user)->c;
    set_colour(c, colour);
    cairo_set_line_width(c, width);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(c, dashes[dash % 4], lengths[dash % 4], 0);
    cairo_new_path(c);
}

static void move(void *user, double x, double y)
{
    cairo_move_to(((brush *)user)->c, x, y);
}

static void line(void *user, double x, double y)
{
    cairo_line_to(((brush *)user)->c, x, y);
}

static void end(void *user)
{
    cairo_stroke(((brush *)user)->c);
}

static void dot(void *user, double x, double y, const char *colour)
{
    cairo_t *c = ((brush *)user)->c;
    set_colour(c, colour);
    cairo_new_path(c);
    cairo_arc(c, x, y, 3.2, 0, 2 * acos(-1));
    cairo_fill(c);
}

static void set_font(cairo_t *c, double size)
{
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           size > 14 ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, 0.94 * size); /* what cairo calls sans-serif is wider than a browser's */
}

static double extent(void *user, double size, const char *text)
{
    cairo_text_extents_t e;
    cairo_t *c = ((brush *)user)->c;
    set_font(c, size);
    cairo_text_extents(c, text, &e);
    return e.x_advance;
}

static void text_at(void *user, double x, double y, int anchor, int turned, double size, const char *text)
{
    cairo_t *c = ((brush *)user)->c;
    double back = 0.5 * (anchor + 1) * extent(user, size, text);
    cairo_save(c);
    set_colour(c, "#222222");
    cairo_translate(c, x, y);
    if (turned) cairo_rotate(c, -0.5 * acos(-1));
    cairo_move_to(c, -back, 0);
    cairo_show_text(c, text);
    cairo_restore(c);
}

static void clip(void *user, double x, double y, double width, double height)
{
    cairo_t *c = ((brush *)user)->c;
    cairo_reset_clip(c);
    if (!(width > 0)) return;
    cairo_rectangle(c, x, y, width, height);
    cairo_clip(c);
}

static cairo_status_t paint(const vgFigure *figure, cairo_surface_t *surface, double scale)
{
    brush b = {cairo_create(surface)};
    vgPen pen = {&b, begin, move, line, end, dot, text_at, clip, extent};
    cairo_scale(b.c, scale, scale);
    set_colour(b.c, "#ffffff");
    cairo_paint(b.c);
    vg_figure_draw(figure, &pen);
    cairo_status_t status = cairo_status(b.c);
    cairo_destroy(b.c);
    return status;
}

/* cairo's pages go through the same output as all files. */
static cairo_status_t take(void *user, const unsigned char *bytes, unsigned n)
{
    return vg_output_put(user, bytes, n) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int write_cairo(const vgFigure *figure, const char *path, int pdf)
{
    double width, height;
    vgOutput out;
    if (!vg_output_open(&out, path)) {
        vg_cli_wrong("'%s' could not be written: %s", path, vg_file_why(errno));
        return 0;
    }
    vg_figure_size(figure, &width, &height);
    cairo_surface_t *surface =
        pdf ? cairo_pdf_surface_create_for_stream(take, &out, width * POINTS, height * POINTS)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width * PNG_SCALE, (int)height * PNG_SCALE);
    if (pdf && figure->title)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, figure->title);
    cairo_status_t status = paint(figure, surface, pdf ? POINTS : PNG_SCALE);
    if (status == CAIRO_STATUS_SUCCESS && !pdf)
        status = cairo_surface_write_to_png_stream(surface, take, &out);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    int why = out.error, ok = status == CAIRO_STATUS_SUCCESS;
    if (!ok)
        vg_output_abandon(&out);
    else if (!vg_output_close(&out))
        ok = 0, why = errno;
    if (!ok)
        vg_cli_wrong("'%s' could not be written: %s", path,
                     why ? vg_file_why(why) : cairo_status_to_string(status));
    return ok;
}
#else
static int write_cairo(const vgFigure *figure, const char *path, int pdf)
{
    (void)figure, (void)path, (void)pdf;
    return 0;
}
#endif

int vg_cli_figure_check(const char *path)
{
    if (!path || !strcasecmp(ending(path), "svg")) return VG_EXIT_OK;
    if (strcasecmp(ending(path), "png") && strcasecmp(ending(path), "pdf"))
        return vg_cli_wrong("--output: '%s' must end in .svg, .png or .pdf", path);
#ifdef VERGE_HAVE_CAIRO
    const char *missing = cairo_missing();
    return missing
               ? vg_cli_wrong("--output: %s; name it .svg, or install cairo for .%s", missing, ending(path))
               : VG_EXIT_OK;
#else
    return vg_cli_wrong("--output: this verge was built without cairo and writes .svg only; install "
                        "libcairo2-dev and build again for .%s",
                        ending(path));
#endif
}

int vg_cli_figure(const vgFigure *figure, const char *path)
{
    if (!strcasecmp(ending(path), "svg")) return write_svg(figure, path);
    return write_cairo(figure, path, !strcasecmp(ending(path), "pdf"));
}
