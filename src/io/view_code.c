#include "io/view_code.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void vg_text_free(vgText *text)
{
    free(text->at);
    *text = (vgText){0};
}

/* Room for n more bytes and a closing zero. */
static char *reserve(vgText *text, size_t n)
{
    if (text->failed) return NULL;
    if (text->size - text->used <= n) {
        size_t size = text->size + text->size / 2 + n + 256;
        char *at = size > text->size ? realloc(text->at, size) : NULL;
        if (!at) {
            text->failed = 1;
            return NULL;
        }
        text->at = at;
        text->size = size;
    }
    return text->at + text->used;
}

void vg_text_add(vgText *text, const char *bytes, size_t n)
{
    char *to = reserve(text, n);
    if (!to) return;
    memcpy(to, bytes, n);
    to[n] = 0;
    text->used += n;
}

void vg_text_put(vgText *text, const char *string)
{
    vg_text_add(text, string, strlen(string));
}

void vg_text_number(vgText *text, double value)
{
    char digits[40];
    if (!isfinite(value)) {
        vg_text_put(text, "null");
        return;
    }
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    vg_text_put(text, digits);
}

/* "<" is escaped so that no text can close the script element that carries it. */
void vg_text_string(vgText *text, const char *string)
{
    vg_text_put(text, "\"");
    for (const char *c = string; *c;) {
        size_t plain = 0;
        while ((unsigned char)c[plain] >= 0x20 && !strchr("\"\\<", c[plain])) plain++;
        vg_text_add(text, c, plain);
        c += plain;
        if (!*c) break;
        char escape[8];
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c++);
        vg_text_put(text, escape);
    }
    vg_text_put(text, "\"");
}

void vg_text_base64(vgText *text, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    char *to = reserve(text, (n + 2) / 3 * 4);
    if (!to) return;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t word =
            (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) | (left > 2 ? b[i + 2] : 0);
        *to++ = DIGITS[word >> 18];
        *to++ = DIGITS[word >> 12 & 63];
        *to++ = left > 1 ? DIGITS[word >> 6 & 63] : '=';
        *to++ = left > 2 ? DIGITS[word & 63] : '=';
    }
    *to = 0;
    text->used = (size_t)(to - text->at);
}

/* The difference of the given order at position i, earlier entries than the first taken as zero; zigzag, so
 * that small numbers of either sign are small. */
static uint64_t residual(const int32_t *x, size_t i, int order)
{
    static const int binomial[VG_CODE_MAX_ORDER + 1][VG_CODE_MAX_ORDER + 1] = {
        {1, 0, 0, 0}, {1, -1, 0, 0}, {1, -2, 1, 0}, {1, -3, 3, -1}};
    int64_t d = 0;
    for (int k = 0; k <= order && (size_t)k <= i; k++) d += (int64_t)binomial[order][k] * x[i - (size_t)k];
    return d < 0 ? ((uint64_t)-d << 1) - 1 : (uint64_t)d << 1;
}

void vg_code_column(vgText *text, const int32_t *column, size_t n, int order)
{
    for (size_t i = 0; i < n; i++) {
        char *to = reserve(text, 8);
        if (!to) return;
        uint64_t left = residual(column, i, order);
        do {
            unsigned digit = left & 31;
            left >>= 5;
            *to++ = DIGITS[digit | (left ? 32u : 0u)];
        } while (left);
        *to = 0;
        text->used = (size_t)(to - text->at);
    }
}

int vg_code_best_order(const int32_t *column, size_t n, size_t *length)
{
    int best = 0;
    for (int order = 0; order <= VG_CODE_MAX_ORDER; order++) {
        size_t digits = 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t left = residual(column, i, order);
            do digits++;
            while (left >>= 5);
        }
        if (order == 0 || digits < *length) {
            *length = digits;
            best = order;
        }
    }
    return best;
}
