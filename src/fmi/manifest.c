#include "fmi/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const variability[] = {"fixed", "tunable", "calculated"};
static const char first_line[] = "verge-fmu 1";

int vg_fmu_size(const vgFmuManifest *m, vgFmuGroup group)
{
    const int size[VG_FMU_GROUPS] = {1, m->nparam, m->ninput, m->noutput, m->nstate, m->nstate};
    return size[group];
}

unsigned vg_fmu_first(const vgFmuManifest *m, vgFmuGroup group)
{
    int first = 0;
    for (int g = 0; g < (int)group; g++) first += vg_fmu_size(m, (vgFmuGroup)g);
    return (unsigned)first;
}

int vg_fmu_locate(const vgFmuManifest *m, unsigned ref, vgFmuGroup *group, int *index)
{
    for (int g = 0; g < VG_FMU_GROUPS; g++) {
        const unsigned size = (unsigned)vg_fmu_size(m, (vgFmuGroup)g);
        if (ref < size) {
            *group = (vgFmuGroup)g, *index = (int)ref;
            return 1;
        }
        ref -= size;
    }
    return 0;
}

static void line(vgText *text, const char *key, const char *value)
{
    if (value) vg_text_add(text, "%s %s\n", key, value);
}

void vg_fmu_manifest_write(const vgFmuManifest *m, vgText *text)
{
    vg_text_add(text, "%s\n", first_line);
    line(text, "token", m->token);
    line(text, "type", m->exchange ? "model-exchange" : "co-simulation");
    line(text, "model", m->model);
    line(text, "coordinates", m->coordinates);
    line(text, "constraints", m->constraints);
    line(text, "integrator", m->integrator);
    if (m->step > 0) {
        vg_text_add(text, "step ");
        vg_text_number(text, m->step);
        vg_text_add(text, "\n");
    }
    for (int i = 0; i < m->nparam; i++) {
        vg_text_add(text, "parameter %s ", variability[m->param[i].is]);
        vg_text_number(text, m->param[i].value);
        vg_text_add(text, " %s\n", m->param[i].name);
    }
    for (int i = 0; i < m->ninput; i++) line(text, "input", m->input[i]);
    for (int i = 0; i < m->noutput; i++) line(text, "output", m->output[i]);
    if (m->nstate) vg_text_add(text, "states %d\n", m->nstate);
}

/* "fixed 0.5 L" */
static int read_param(char *text, vgFmuParam *p)
{
    char *number = strchr(text, ' '), *name = NULL;
    if (!number) return 0;
    *number++ = 0;
    p->value = strtod(number, &name);
    if (name == number || *name != ' ' || !isfinite(p->value)) return 0;
    p->name = name + 1;
    for (int i = 0; i < (int)(sizeof variability / sizeof *variability); i++) {
        if (strcmp(text, variability[i]) != 0) continue;
        p->is = (vgFmuVariability)i;
        return 1;
    }
    return 0;
}

static int read_line(char *key, char *value, vgFmuManifest *m)
{
    const struct {
        const char *key, **to;
    } texts[] = {{"token", &m->token},
                 {"model", &m->model},
                 {"coordinates", &m->coordinates},
                 {"constraints", &m->constraints},
                 {"integrator", &m->integrator}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].to = value;
            return 1;
        }
    if (strcmp(key, "parameter") == 0) return read_param(value, &m->param[m->nparam++]);
    if (strcmp(key, "input") == 0) m->input[m->ninput++] = value;
    if (strcmp(key, "output") == 0) m->output[m->noutput++] = value;
    if (strcmp(key, "step") == 0) m->step = strtod(value, NULL);
    if (strcmp(key, "type") == 0) m->exchange = strcmp(value, "model-exchange") == 0;
    if (strcmp(key, "states") == 0) m->nstate = atoi(value);
    return 1;
}

int vg_fmu_manifest_read(char *text, vgPool *pool, vgFmuManifest *out)
{
    const size_t n = sizeof first_line - 1;
    int lines = 1;
    *out = (vgFmuManifest){0};
    if (strncmp(text, first_line, n) != 0 || text[n] != '\n') return 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    out->param = VG_NEW(pool, vgFmuParam, lines);
    out->input = VG_NEW(pool, const char *, lines);
    out->output = VG_NEW(pool, const char *, lines);
    if (!out->param || !out->input || !out->output) return 0;
    for (char *key = text + n + 1, *next; *key; key = next) {
        char *end = strchr(key, '\n'), *value;
        if (!end) return 0;
        *end = 0, next = end + 1;
        value = strchr(key, ' ');
        if (!value) return 0;
        *value++ = 0;
        if (!read_line(key, value, out)) return 0;
    }
    return out->token && out->model && out->nstate >= 0;
}
