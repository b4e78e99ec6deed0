/* cairo as a part (base/part/part.h), for figure.c: the functions that it calls. */
#ifndef VG_CLI_CAIRO_PART_H
#define VG_CLI_CAIRO_PART_H

#include <cairo-pdf.h>
#include <cairo.h>

#include "base/part/part.h"

#ifdef VERGE_LINK_PARTS
static inline const char *cairo_missing(void)
{
    return NULL;
}
#else
/* clang-format off */
#define CAIRO_LIST(F) \
    F(cairo_arc) \
    F(cairo_clip) \
    F(cairo_create) \
    F(cairo_destroy) \
    F(cairo_fill) \
    F(cairo_image_surface_create) \
    F(cairo_line_to) \
    F(cairo_move_to) \
    F(cairo_new_path) \
    F(cairo_paint) \
    F(cairo_pdf_surface_create_for_stream) \
    F(cairo_pdf_surface_set_metadata) \
    F(cairo_rectangle) \
    F(cairo_reset_clip) \
    F(cairo_restore) \
    F(cairo_rotate) \
    F(cairo_save) \
    F(cairo_scale) \
    F(cairo_select_font_face) \
    F(cairo_set_dash) \
    F(cairo_set_font_size) \
    F(cairo_set_line_join) \
    F(cairo_set_line_width) \
    F(cairo_set_source_rgb) \
    F(cairo_show_text) \
    F(cairo_status) \
    F(cairo_status_to_string) \
    F(cairo_stroke) \
    F(cairo_surface_destroy) \
    F(cairo_surface_finish) \
    F(cairo_surface_status) \
    F(cairo_surface_write_to_png_stream) \
    F(cairo_text_extents) \
    F(cairo_translate)
/* clang-format on */

VG_PART_TABLE(CairoTable, CAIRO_LIST);
static CairoTable cairo;
static const char *const cairo_files[] = {VERGE_CAIRO_FILES, NULL};
static const char *const cairo_symbols[] = {CAIRO_LIST(VG_PART_NAME) NULL};
static vgPart cairo_part = {.title = "cairo", .file = cairo_files, .symbol = cairo_symbols, .table = &cairo};

/* NULL: its functions can be called; else why not. */
static inline const char *cairo_missing(void)
{
    return vg_part_missing(&cairo_part);
}

#define cairo_arc                           (cairo.cairo_arc)
#define cairo_clip                          (cairo.cairo_clip)
#define cairo_create                        (cairo.cairo_create)
#define cairo_destroy                       (cairo.cairo_destroy)
#define cairo_fill                          (cairo.cairo_fill)
#define cairo_image_surface_create          (cairo.cairo_image_surface_create)
#define cairo_line_to                       (cairo.cairo_line_to)
#define cairo_move_to                       (cairo.cairo_move_to)
#define cairo_new_path                      (cairo.cairo_new_path)
#define cairo_paint                         (cairo.cairo_paint)
#define cairo_pdf_surface_create_for_stream (cairo.cairo_pdf_surface_create_for_stream)
#define cairo_pdf_surface_set_metadata      (cairo.cairo_pdf_surface_set_metadata)
#define cairo_rectangle                     (cairo.cairo_rectangle)
#define cairo_reset_clip                    (cairo.cairo_reset_clip)
#define cairo_restore                       (cairo.cairo_restore)
#define cairo_rotate                        (cairo.cairo_rotate)
#define cairo_save                          (cairo.cairo_save)
#define cairo_scale                         (cairo.cairo_scale)
#define cairo_select_font_face              (cairo.cairo_select_font_face)
#define cairo_set_dash                      (cairo.cairo_set_dash)
#define cairo_set_font_size                 (cairo.cairo_set_font_size)
#define cairo_set_line_join                 (cairo.cairo_set_line_join)
#define cairo_set_line_width                (cairo.cairo_set_line_width)
#define cairo_set_source_rgb                (cairo.cairo_set_source_rgb)
#define cairo_show_text                     (cairo.cairo_show_text)
#define cairo_status                        (cairo.cairo_status)
#define cairo_status_to_string              (cairo.cairo_status_to_string)
#define cairo_stroke                        (cairo.cairo_stroke)
#define cairo_surface_destroy               (cairo.cairo_surface_destroy)
#define cairo_surface_finish                (cairo.cairo_surface_finish)
#define cairo_surface_status                (cairo.cairo_surface_status)
#define cairo_surface_write_to_png_stream   (cairo.cairo_surface_write_to_png_stream)
#define cairo_text_extents                  (cairo.cairo_text_extents)
#define cairo_translate                     (cairo.cairo_translate)
#endif

#endif
