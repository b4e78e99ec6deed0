#include "base/options.h"

#include <stdio.h>
#include <string.h>

const char *vg_options_value(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ','))
        if (!strncmp(at + 1, key, n) && at[1 + n] == '=') return at + 2 + n;
    return NULL;
}

int vg_options_repeat(const char *list, const char **at, int *n)
{
    for (const char *a = list; a; a = strchr(a, ',')) {
        a += *a == ',';
        size_t key = strcspn(a, "=,");
        for (const char *b = strchr(a, ','); b; b = strchr(b + 1, ','))
            if (strcspn(b + 1, "=,") == key && key > 0 && !strncmp(a, b + 1, key)) {
                *at = a;
                *n = (int)key;
                return 1;
            }
    }
    return 0;
}

void vg_options_set(const char *text, const char *key, double value, char *out, size_t size)
{
    char before[256], rest[256] = "";
    const char *at = vg_options_value(text, key);
    size_t head = at ? (size_t)(at - text) : strlen(text);
    snprintf(before, sizeof before, "%.*s", (int)head, text);
    if (at) snprintf(rest, sizeof rest, "%s", at + strcspn(at, ","));
    if (at)
        snprintf(out, size, "%s%.3g%s", before, value, rest);
    else
        snprintf(out, size, "%s%c%s=%.3g", before, strchr(before, ':') ? ',' : ':', key, value);
}
