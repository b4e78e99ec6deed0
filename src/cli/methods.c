#include "cli/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/integrator.h"

static char **all_methods(int *n)
{
    for (*n = 0; vg_integrators[*n]; ++*n) continue;
    char **list = calloc((size_t)*n + 1, sizeof *list);
    for (int i = 0; list && i < *n; i++) {
        union {
            const char *in;
            char *out;
        } name = {.in = vg_integrators[i]->name};
        list[i] = name.out;
    }
    return list;
}

char **vg_cli_methods(const char *text, int *n)
{
    if (!strcmp(text, "all")) return all_methods(n);
    size_t length = strlen(text), most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    char **list = malloc(most * sizeof *list + length + 1);
    if (!list) return NULL;
    char *at = memcpy((char *)(list + most), text, length + 1);
    *n = 0;
    while (*at) {
        size_t k = strcspn(at, ",");
        int more = at[k] == ',';
        at[k] = 0;
        char *colon = strchr(at, ':'), *equal = strchr(at, '=');
        if (*n > 0 && equal && (!colon || equal < colon)) {
            at[-1] = strchr(list[*n - 1], ':') ? ',' : ':'; /* an option of the integrator before it */
        } else if (k) {
            list[(*n)++] = at;
        }
        at += k + (size_t)more;
    }
    return list;
}

int vg_cli_methods_check(char *const *method, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(method[i], "all"))
            return vg_cli_wrong("'all' means every integrator: name none beside it");
    return n ? VG_EXIT_OK : vg_cli_wrong("no integrator is named");
}

int vg_cli_plot(const vgPlot *plot, const char *prefix, const char *suffix)
{
    char path[600];
    vgText text = {0};
    snprintf(path, sizeof path, "%s-%s.svg", prefix, suffix);
    vg_plot_svg(plot, &text);
    int ok = vg_cli_write_text(path, &text);
    if (ok) fprintf(stderr, "wrote %s\n", path);
    vg_text_free(&text);
    return ok;
}

int vg_cli_numbers(const char *option, const char *text, double *out, int max)
{
    int n = 0, parts = 0;
    char **part = vg_cli_split(text, &parts);
    if (!part) return -1;
    for (int i = 0; i < parts && n >= 0; i++) {
        char *end;
        double x = strtod(part[i], &end);
        if (*end || !(x > 0) || !isfinite(x)) {
            vg_cli_wrong("--%s: '%s' is not a positive number", option, part[i]);
            n = -1;
        } else if (n == max) {
            vg_cli_wrong("--%s: more than %d numbers", option, max);
            n = -1;
        } else {
            out[n++] = x;
        }
    }
    free(part);
    return n;
}
