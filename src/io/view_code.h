/* How numbers and texts travel in the page: as plain text that a script reads back without any library. */
#ifndef VG_IO_VIEW_CODE_H
#define VG_IO_VIEW_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* A JSON string that is safe inside <script>. */
void vg_code_string(vgText *text, const char *string);
void vg_code_base64(vgText *text, const void *bytes, size_t n);

enum { VG_CODE_MAX_ORDER = 3 };

/* A column of whole numbers as text: the differences of the given order (0..3, the start of the column taken
 * as zeros), zigzag, in base-64 digits of five bits and a flag "more follows". Smooth motion takes about one
 * character a number. */
void vg_code_column(vgText *text, const int32_t *column, size_t n, int order);
/* The order with the shortest text, and how long that is. */
int vg_code_best_order(const int32_t *column, size_t n, size_t *length);

#endif
