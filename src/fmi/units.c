#include "fmi/units.h"

#include <stdlib.h>
#include <string.h>

enum { KG, M, S, RAD, BASES };
static const char *const base[BASES] = {"kg", "m", "s", "rad"};

static const struct {
    const char *symbol;
    int power[BASES];
} known[] = {{"kg", {1, 0, 0, 0}},  {"m", {0, 1, 0, 0}},  {"s", {0, 0, 1, 0}},  {"rad", {0, 0, 0, 1}},
             {"N", {1, 1, -2, 0}},  {"J", {1, 2, -2, 0}}, {"W", {1, 2, -3, 0}}, {"Pa", {1, -1, -2, 0}},
             {"Hz", {0, 0, -1, 0}}, {"1", {0, 0, 0, 0}}};
enum { KNOWN = sizeof known / sizeof *known };

/* "m^2" times sign. */
static int factor(const char *text, size_t n, int sign, int power[BASES])
{
    const char *hat = memchr(text, '^', n);
    const size_t length = hat ? (size_t)(hat - text) : n;
    const int times = hat ? atoi(hat + 1) : 1;
    for (int i = 0; i < KNOWN; i++) {
        if (strlen(known[i].symbol) != length || strncmp(known[i].symbol, text, length) != 0) continue;
        for (int k = 0; k < BASES; k++) power[k] += sign * times * known[i].power[k];
        return 1;
    }
    return 0;
}

int vg_fmu_unit(const char *unit, vgText *attributes)
{
    int power[BASES] = {0}, sign = 1;
    for (const char *at = unit; *at;) {
        const size_t n = strcspn(at, "*/");
        if (!factor(at, n, sign, power)) return 0;
        at += n;
        if (*at) sign = *at++ == '/' ? -1 : 1;
    }
    for (int k = 0; k < BASES; k++)
        if (power[k]) vg_text_add(attributes, " %s=\"%d\"", base[k], power[k]);
    return 1;
}
