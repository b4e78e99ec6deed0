#include "io/json.h"

#include <math.h>
#include <string.h>

/* Bytes of the UTF-8 sequence at s (n bytes left), 0 when it is none: overlong forms, surrogates and
 * numbers beyond U+10FFFF are none. */
static size_t utf8(const unsigned char *s, size_t n)
{
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } row[] = {{0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    if (s[0] < 0x80) return 1;
    for (size_t k = 0; k < 3; k++) {
        if ((s[0] & row[k].mask) != row[k].lead) continue;
        if (n < k + 2) return 0;
        unsigned code = s[0] & (unsigned char)~row[k].mask;
        for (size_t i = 1; i <= k + 1; i++) {
            if ((s[i] & 0xc0) != 0x80) return 0;
            code = code << 6 | (s[i] & 0x3f);
        }
        int surrogate = code >= 0xd800 && code < 0xe000;
        return code >= row[k].least && code <= 0x10ffff && !surrogate ? k + 2 : 0;
    }
    return 0;
}

static void quote(vgText *text, const char *value)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const unsigned char *s = (const unsigned char *)value;
    size_t n = strlen(value);
    vg_text_put(text, "\"", 1);
    while (n > 0) {
        size_t size = utf8(s, n);
        const char *escape = *s < 0x80 ? strchr(plain, *s) : NULL;
        if (size == 0) {
            vg_text_put(text, "\xef\xbf\xbd", 3);
            size = 1;
        } else if (escape) {
            vg_text_add(text, "\\%c", letter[escape - plain]);
        } else if (*s < 0x20) {
            vg_text_add(text, "\\u%04x", *s);
        } else {
            vg_text_put(text, (const char *)s, size);
        }
        s += size;
        n -= size;
    }
    vg_text_put(text, "\"", 1);
}

static void newline(vgJson *json)
{
    if (!json->indent) return;
    vg_text_put(&json->text, "\n", 1);
    for (int i = 0; i < json->indent * json->depth; i++) vg_text_put(&json->text, " ", 1);
}

static void begin(vgJson *json, const char *key)
{
    if (json->depth > 0) {
        if (json->count[json->depth - 1]++ > 0) vg_text_put(&json->text, ",", 1);
        newline(json);
    }
    if (!key) return;
    quote(&json->text, key);
    vg_text_add(&json->text, json->indent ? ": " : ":");
}

void vg_json_open(vgJson *json, const char *key, char bracket)
{
    begin(json, key);
    vg_text_put(&json->text, &bracket, 1);
    if (json->depth >= VG_JSON_DEPTH) {
        json->text.failed = 1;
        return;
    }
    json->close[json->depth] = bracket == '{' ? '}' : ']';
    json->count[json->depth++] = 0;
}

void vg_json_close(vgJson *json)
{
    if (json->depth == 0) return;
    int members = json->count[--json->depth];
    if (members) newline(json);
    vg_text_put(&json->text, &json->close[json->depth], 1);
    if (json->depth == 0 && json->indent) vg_text_put(&json->text, "\n", 1);
}

void vg_json_text(vgJson *json, const char *key, const char *value)
{
    if (!value) {
        vg_json_null(json, key);
        return;
    }
    begin(json, key);
    quote(&json->text, value);
}

static void number(vgText *text, double value)
{
    if (isfinite(value))
        vg_text_number(text, value);
    else
        vg_text_put(text, "null", 4);
}

void vg_json_number(vgJson *json, const char *key, double value)
{
    begin(json, key);
    number(&json->text, value);
}

void vg_json_numbers(vgJson *json, const char *key, int n, const double *values)
{
    begin(json, key);
    vg_text_put(&json->text, "[", 1);
    for (int i = 0; i < n; i++) {
        if (i > 0) vg_text_add(&json->text, json->indent ? ", " : ",");
        number(&json->text, values[i]);
    }
    vg_text_put(&json->text, "]", 1);
}

void vg_json_int(vgJson *json, const char *key, long long value)
{
    begin(json, key);
    vg_text_add(&json->text, "%lld", value);
}

void vg_json_bool(vgJson *json, const char *key, int value)
{
    begin(json, key);
    vg_text_add(&json->text, value ? "true" : "false");
}

void vg_json_null(vgJson *json, const char *key)
{
    begin(json, key);
    vg_text_add(&json->text, "null");
}

void vg_json_raw(vgJson *json, const char *key, const char *value)
{
    begin(json, key);
    vg_text_put(&json->text, value, strlen(value));
}

const char *vg_json_at(const vgJson *json)
{
    return vg_text_at(&json->text);
}

void vg_json_free(vgJson *json)
{
    vg_text_free(&json->text);
    *json = (vgJson){0};
}
