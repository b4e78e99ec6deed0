/* A growing text, into which JSON, SVG and tables are written before they are output in one piece.
 *
 *     vgText text = {0};
 *     vg_text_add(&text, "x = %g\n", x);
 *     if (vg_text_ok(&text)) fputs(vg_text_at(&text), file);
 *     vg_text_free(&text);
 *
 * Out of memory is recorded, not returned by every call: check once at the end. */
#ifndef VG_BASE_TEXT_H
#define VG_BASE_TEXT_H

#include <stddef.h>

#include "base/attr.h"

typedef struct vgText {
    char *at; /* NULL while empty, else zero-terminated */
    size_t used, size;
    int failed; /* 1: memory ran out, the text is cut */
} vgText;

void vg_text_add(vgText *text, const char *format, ...) VG_PRINTF_LIKE(2, 3);
void vg_text_put(vgText *text, const char *bytes, size_t n);
/* The shortest decimal that reads back as the same double: 0.1, 1e-300, 0.30000000000000004; nan, inf. */
void vg_text_number(vgText *text, double value);
int vg_text_ok(const vgText *text);
const char *vg_text_at(const vgText *text); /* "" while empty */
char *vg_text_take(vgText *text);           /* malloc'ed; NULL: memory ran out. Leaves it empty */
void vg_text_clear(vgText *text);           /* keeps the memory */
void vg_text_free(vgText *text);

#endif
