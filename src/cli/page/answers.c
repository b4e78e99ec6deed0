/* What the studio answers without a run. */
#include "cli/page/live.h"

#include <stdio.h>
#include <string.h>

#include "integrator/integrator.h"
#include "model/model.h"
#include "system/system.h"

void vg_live_dials(vgJson *json)
{
    vg_json_open(json, "coordinates", '[');
    for (const vgCoordinatesRow *r = vg_coordinates_list; r->name; r++) {
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", r->name);
        vg_json_text(json, "doc", r->doc);
        vg_json_bool(json, "planar", r->models & 1);
        vg_json_bool(json, "spatial", r->models & 2);
        vg_json_close(json);
    }
    vg_json_close(json);
    vg_json_open(json, "constraints", '[');
    for (const vgConstraintsRow *r = vg_constraints_list; r->name; r++) {
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", r->name);
        vg_json_text(json, "doc", r->doc);
        vg_json_close(json);
    }
    vg_json_close(json);
    vg_json_open(json, "integrators", '[');
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", (*r)->name);
        vg_json_text(json, "doc", (*r)->title);
        vg_json_text(json, "family", (*r)->family);
        vg_json_open(json, "constraints", '[');
        for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) {
            if ((*r)->constraints & c->flag) vg_json_text(json, NULL, c->name);
        }
        vg_json_close(json);
        vg_json_open(json, "parameters", '[');
        for (int i = 0; i < (*r)->nparam; i++) vg_json_text(json, NULL, (*r)->params[i].name);
        vg_json_close(json);
        vg_json_close(json);
    }
    vg_json_close(json);
}

void vg_live_check(const char *text, size_t size, const char *path, vgJson *json)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse_as(text, size, path, NULL, 0, diag);
    vg_json_open(json, NULL, '{');
    vg_json_bool(json, "ok", m != NULL);
    vg_live_messages(json, "messages", diag, path);
    if (m) {
        vg_json_text(json, "title", m->title);
        vg_json_bool(json, "planar", m->planar);
        vg_json_int(json, "bodies", m->nbody);
        vg_json_int(json, "joints", m->njoint);
        vg_json_int(json, "forces", m->nforce);
        vg_json_text(json, "coordinates", m->run.coordinates);
        vg_json_text(json, "constraints", m->run.constraints);
        vg_json_text(json, "integrator", m->run.integrator);
        vg_json_number(json, "step", m->run.step);
        vg_json_number(json, "end", m->run.end);
    }
    vg_json_close(json);
    vg_model_free(m);
    vg_diag_free(diag);
}

void vg_live_messages(vgJson *json, const char *key, const vgDiag *diag, const char *path)
{
    size_t n = strlen(path);
    vg_json_open(json, key, '[');
    for (int i = 0; i < vg_diag_count(diag); i++) {
        const char *line = vg_diag_line(diag, i);
        int row = 0, column = 0, used = 0;
        if (!strncmp(line, path, n) && line[n] == ':') {
            if (sscanf(line + n, ":%d:%d: %n", &row, &column, &used) < 2 &&
                sscanf(line + n, ":%d: %n", &row, &used) < 1)
                used = (int)strspn(line + n, ": ");
            line += n + (size_t)used;
        }
        static const char *const kinds[] = {"error: ", "warning: ", "note: "};
        int kind = 0;
        for (int k = 0; k < 3; k++) {
            if (!strncmp(line, kinds[k], strlen(kinds[k]))) kind = k, line += strlen(kinds[k]);
        }
        vg_json_open(json, NULL, '{');
        vg_json_int(json, "line", row);
        vg_json_int(json, "column", column);
        vg_json_text(json, "severity", kind == 0 ? "error" : kind == 1 ? "warning" : "info");
        vg_json_text(json, "text", line);
        vg_json_close(json);
    }
    vg_json_close(json);
}
