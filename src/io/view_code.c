#include "io/view_code.h"

#include <stdio.h>
#include <string.h>

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* "<" is escaped so that no text can close the script element that carries it. */
void vg_code_string(vgText *text, const char *string)
{
    vg_text_put(text, "\"", 1);
    for (const char *c = string; *c;) {
        size_t plain = 0;
        while ((unsigned char)c[plain] >= 0x20 && !strchr("\"\\<", c[plain])) plain++;
        vg_text_put(text, c, plain);
        c += plain;
        if (*c) vg_text_add(text, "\\u%04x", (unsigned)(unsigned char)*c++);
    }
    vg_text_put(text, "\"", 1);
}

void vg_code_base64(vgText *text, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t word =
            (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) | (left > 2 ? b[i + 2] : 0);
        char digits[4] = {DIGITS[word >> 18], DIGITS[word >> 12 & 63],
                          left > 1 ? DIGITS[word >> 6 & 63] : '=', left > 2 ? DIGITS[word & 63] : '='};
        vg_text_put(text, digits, 4);
    }
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
        uint64_t left = residual(column, i, order);
        char digits[16];
        size_t used = 0;
        do {
            unsigned digit = left & 31;
            left >>= 5;
            digits[used++] = DIGITS[digit | (left ? 32u : 0u)];
        } while (left);
        vg_text_put(text, digits, used);
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
