#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static int reserve(vgText *text, size_t more)
{
    if (text->failed) return 0;
    if (more < text->size - text->used) return 1;
    size_t size = text->size ? 2 * text->size : 256;
    while (size - text->used <= more && size < VG_BYTES_2_TO(46)) size *= 2;
    char *at = realloc(text->at, size);
    if (!at) {
        text->failed = 1;
        return 0;
    }
    text->at = at;
    text->size = size;
    return 1;
}

void vg_text_put(vgText *text, const char *bytes, size_t n)
{
    if (!reserve(text, n)) return;
    memcpy(text->at + text->used, bytes, n);
    text->used += n;
    text->at[text->used] = 0;
}

void vg_text_add(vgText *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char small[256];
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        vg_text_put(text, small, (size_t)n);
    } else if (n >= 0 && reserve(text, (size_t)n)) {
        vsnprintf(text->at + text->used, (size_t)n + 1, format, again);
        text->used += (size_t)n;
    }
    va_end(again);
}

/* 15 digits hold every short decimal, 17 hold every double: the first of 15, 16, 17 that reads back wins. */
void vg_text_number(vgText *text, double value)
{
    char digits[40];
    int n = 0;
    for (int precision = 15; precision <= 17; precision++) {
        n = snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (isnan(value) || strtod(digits, NULL) == value) break;
    }
    vg_text_put(text, digits, (size_t)n);
}

int vg_text_ok(const vgText *text)
{
    return !text->failed;
}

const char *vg_text_at(const vgText *text)
{
    return text->at ? text->at : "";
}

char *vg_text_take(vgText *text)
{
    if (!text->at) reserve(text, 1);
    char *whole = text->failed ? NULL : text->at;
    if (whole) whole[text->used] = 0;
    if (!whole) free(text->at);
    *text = (vgText){0};
    return whole;
}

void vg_text_clear(vgText *text)
{
    text->used = 0;
    text->failed = 0;
    if (text->at) text->at[0] = 0;
}

void vg_text_free(vgText *text)
{
    free(text->at);
    *text = (vgText){0};
}
