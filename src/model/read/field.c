/* Field tables: a map of the file fills a struct, row by row. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/read/reader.h"
#include "model/tuning.h"

enum { MAX_FIELDS = 64 };

int vg_read_map(vgReader *r, vgNode *node, const char *what)
{
    if (node->kind == VG_NODE_MAP) return 1;
    /* `bodies:` with nothing behind it; but a body, a joint, a force is never nothing */
    int section = strncmp(what, "a ", 2) != 0;
    if (node->kind == VG_NODE_SCALAR && node->text[0] == 0 && section) return 0;
    if (node->state != 3) {
        vg_diag_error(r->diag, node->loc, "%s: expected a map {key: value}, got %s", what,
                      vg_node_kind_text(node));
    }
    node->state = 3;
    return 0;
}

static int in_range(vgReader *r, const vgField *f, vgNode *node, double value)
{
    if ((f->min == 0 && f->max == 0) || (value >= f->min && value <= f->max)) return 1;
    if (node->state != 3) {
        int open_top = f->max >= DBL_MAX, open_bottom = f->min <= -DBL_MAX;
        const char *space = f->unit && f->unit[0] ? " " : "", *unit = f->unit ? f->unit : "";
        if (open_top && f->min > 0 && f->min < VG_POSITIVE) {
            vg_diag_error(r->diag, node->loc, "'%s' must be positive, got %g%s%s", f->key, value, space,
                          unit);
        } else if (open_top) {
            vg_diag_error(r->diag, node->loc, "'%s' must be at least %g%s%s, got %g", f->key, f->min, space,
                          unit, value);
        } else if (open_bottom) {
            vg_diag_error(r->diag, node->loc, "'%s' must be at most %g%s%s, got %g", f->key, f->max, space,
                          unit, value);
        } else {
            vg_diag_error(r->diag, node->loc, "'%s' must be between %g and %g%s%s, got %g", f->key, f->min,
                          f->max, space, unit, value);
        }
    }
    node->state = 3;
    return 0;
}

static int all_in_range(vgReader *r, const vgField *f, vgNode *node, int n, const double *value)
{
    for (int i = 0; i < n; i++) {
        if (!in_range(r, f, node, value[i])) return 0;
    }
    return 1;
}

/* Six numbers, one for all six, or in planar models [x, y, angle]. */
static int read_vec6(vgReader *r, vgNode *node, double out[6])
{
    if (node->kind == VG_NODE_SCALAR) {
        if (!vg_read_number(r, node, &out[0])) return 0;
        for (int i = 1; i < 6; i++) out[i] = out[0];
        return 1;
    }
    for (int i = 0; i < 6; i++) out[i] = 0;
    if (r->m->planar && node->kind == VG_NODE_LIST && node->n == 3) {
        double v[3];
        if (!vg_read_list(r, node, 3, v)) return 0;
        out[0] = v[0], out[1] = v[1], out[5] = v[2];
        return 1;
    }
    return vg_read_list(r, node, 6, out);
}

static int read_law3(vgReader *r, vgNode *node, vgLaw out[3])
{
    memset(out, 0, 3 * sizeof *out);
    if (r->m->planar && node->kind == VG_NODE_SCALAR) return vg_read_law(r, node, &out[2]);
    int n = r->m->planar ? 2 : 3, ok = 1;
    if (node->kind != VG_NODE_LIST || node->n != n) {
        vg_diag_error(r->diag, node->loc, "expected %s, each a number or a law, got %s",
                      n == 2 ? "[x, y] or one value about z" : "[x, y, z]", vg_node_kind_text(node));
        return 0;
    }
    for (int i = 0; i < n; i++) ok &= vg_read_law(r, node->item[i], &out[i]);
    return ok;
}

static int read_numbers(vgReader *r, vgNode *node, vgNumbers *out)
{
    if (node->kind != VG_NODE_LIST) {
        vg_diag_error(r->diag, node->loc, "expected a list of numbers, got %s", vg_node_kind_text(node));
        return 0;
    }
    double *at = vg_read_take(r, (size_t)node->n * sizeof *at);
    if (!at) return 0;
    int ok = 1;
    for (int i = 0; i < node->n && !vg_read_stopped(r); i++) {
        if (!vg_read_count(r, node->loc)) return 0;
        ok &= vg_read_number(r, node->item[i], &at[i]);
    }
    *out = (vgNumbers){node->n, at};
    return ok;
}

/* [[1, 2], [3, 4]]; one row may stand alone, [1, 2], and one number too. */
static int read_rows(vgReader *r, vgNode *node, vgRows *out)
{
    const int list = node->kind == VG_NODE_LIST,
              deep = list && node->n > 0 && node->item[0]->kind == VG_NODE_LIST;
    const int m = deep ? node->n : 1, n = deep ? node->item[0]->n : list ? node->n : 1;
    double *at = vg_read_take(r, (size_t)m * (size_t)n * sizeof *at);
    int ok = at != NULL;
    for (int i = 0; ok && i < m; i++) {
        vgNode *row = deep ? node->item[i] : node;
        if (list && (row->kind != VG_NODE_LIST || row->n != n)) {
            vg_diag_error(r->diag, row->loc, "expected a row of %d number%s like the first, got %s", n,
                          n == 1 ? "" : "s", vg_node_kind_text(row));
            return 0;
        }
        for (int k = 0; k < n && !vg_read_stopped(r); k++)
            ok = vg_read_count(r, row->loc) && vg_read_number(r, list ? row->item[k] : row, &at[i * n + k]) &&
                 ok;
    }
    *out = (vgRows){m, n, at};
    return ok;
}

static int read_string(vgReader *r, vgNode *node, const char **out)
{
    const char *text;
    if (!vg_read_text(r, node, &text)) return 0;
    *out = vg_read_keep(r, text);
    if (!*out) r->full = 1;
    return *out != NULL;
}

static int read_table_name(vgReader *r, vgNode *node, const vgTable **out)
{
    const char *name;
    if (!vg_read_text(r, node, &name)) return 0;
    int k = vg_names_find(r->table_names, name);
    if (k < 0) {
        vg_diag_error(r->diag, node->loc, "unknown table '%s'%s", name,
                      vg_read_hint(r, name, vg_names_list(r->table_names), vg_names_count(r->table_names)));
        return 0;
    }
    *out = r->owned->table[k];
    return 1;
}

static int read_field(vgReader *r, const vgField *f, vgNode *node, void *base)
{
    void *at = (char *)base + f->offset;
    double *d = at;
    int *i = at;
    switch (f->type) {
    case VG_FIELD_NUMBER:
        return vg_read_number(r, node, d) && in_range(r, f, node, *d);
    case VG_FIELD_INT:
        return vg_read_int(r, node, i) && in_range(r, f, node, *i);
    case VG_FIELD_BOOL:
        return vg_read_bool(r, node, i);
    case VG_FIELD_STRING:
    case VG_FIELD_NAME:
        return read_string(r, node, at);
    case VG_FIELD_VEC3:
        return vg_read_vec3(r, node, d) && all_in_range(r, f, node, 3, d);
    case VG_FIELD_VEC6:
        return read_vec6(r, node, d) && all_in_range(r, f, node, 6, d);
    case VG_FIELD_MAT3:
        return vg_read_matrix(r, node, d);
    case VG_FIELD_NUMBERS:
        return read_numbers(r, node, at);
    case VG_FIELD_ROWS:
        return read_rows(r, node, at);
    case VG_FIELD_PATH:
        return vg_read_path(r, node, at);
    case VG_FIELD_LAW: {
        vgLaw *law = at;
        return vg_read_law(r, node, law) && (law->expr || in_range(r, f, node, law->value));
    }
    case VG_FIELD_LAW3:
        return read_law3(r, node, at);
    case VG_FIELD_FRAME:
        return vg_read_frame(r, node, at);
    case VG_FIELD_AXIS:
        return vg_read_axis(r, node, d);
    case VG_FIELD_ROTATION:
        return vg_read_rotation(r, node, at);
    case VG_FIELD_TABLE:
        return read_table_name(r, node, at);
    case VG_FIELD_ROAD:
        return (*(const vgRoad **)at = vg_read_road(r, node)) != NULL;
    case VG_FIELD_MAP:
    case VG_FIELD_LIST:
        memcpy(at, &node, sizeof node);
        return 1;
    default:
        return 0;
    }
}

static void absent(const vgField *f, void *base)
{
    void *at = (char *)base + f->offset;
    double *d = at;
    vgLaw *law = at;
    int n = 0;
    switch (f->type) {
    case VG_FIELD_NUMBER:
        n = 1;
        break;
    case VG_FIELD_VEC3:
    case VG_FIELD_AXIS:
        n = 3;
        break;
    case VG_FIELD_VEC6:
        n = 6;
        break;
    case VG_FIELD_LAW:
        *law = (vgLaw){.value = NAN};
        break;
    case VG_FIELD_LAW3:
        for (int k = 0; k < 3; k++) law[k] = (vgLaw){.value = NAN};
        break;
    case VG_FIELD_FRAME:
        *(vgFrame *)at = (vgFrame){.body = -1, .R = vg_eye3()};
        break;
    case VG_FIELD_ROTATION:
        *(vgMat3 *)at = vg_eye3();
        break;
    default:
        break;
    }
    for (int k = 0; k < n; k++) d[k] = NAN;
}

/* The default is text of the file format; it is read like the file, once a field and model. */
static int read_default(vgReader *r, const vgField *f, void *base)
{
    vgNode *node = NULL;
    for (int k = 0; k < r->nfallback && !node; k++) {
        if (r->fallback[k].field == f) node = r->fallback[k].node;
    }
    if (!node) {
        node = vg_spec_parse(r->scratch, f->fallback, strlen(f->fallback), vg_diag_file(r->diag, "(default)"),
                             r->diag);
        if (!node) return 0;
        if (r->nfallback < (int)(sizeof r->fallback / sizeof *r->fallback)) {
            r->fallback[r->nfallback].field = f;
            r->fallback[r->nfallback++].node = node;
        }
    }
    if (node->kind == VG_NODE_SCALAR) { /* one number stands for the whole vector */
        double value, *d = (double *)((char *)base + f->offset);
        int n = f->type == VG_FIELD_VEC3 ? 3 : f->type == VG_FIELD_VEC6 ? 6 : 0;
        if (n && vg_read_number(r, node, &value)) {
            for (int k = 0; k < n; k++) d[k] = value;
            return 1;
        }
    }
    return read_field(r, f, node, base);
}

static void unknown_key(vgReader *r, const vgNode *key, const vgField *fields, int nfield,
                        const char *const *also, const char *what)
{
    const char *names[2 * MAX_FIELDS];
    char list[300] = "";
    int n = 0;
    for (int i = 0; i < nfield && n < MAX_FIELDS; i++) names[n++] = fields[i].key;
    for (int i = 0; also && also[i] && n < 2 * MAX_FIELDS; i++) names[n++] = also[i];
    const char *sentence, *meant = vg_other_word(key->text, names, n, &sentence);
    const char *hint = meant ? "" : vg_read_hint(r, key->text, names, n);
    if (meant) {
        vg_diag_error(r->diag, key->loc, "unknown key '%.60s' in a %s; here it is '%s'", key->text, what,
                      meant);
        return;
    }
    if (*hint || sentence) {
        vg_diag_error(r->diag, key->loc, "unknown key '%.60s' in a %s%s%s", key->text, what,
                      sentence ? "; " : hint, sentence ? sentence : "");
        return;
    }
    for (int i = 0; i < n && strlen(list) + strlen(names[i]) + 8 < sizeof list; i++) {
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
    }
    vg_diag_error(r->diag, key->loc, "unknown key '%.60s' in a %s; expected %s", key->text, what,
                  n ? list : "no options");
}

int vg_read_fields(vgReader *r, vgNode *map, const vgField *fields, int nfield, void *base,
                   const char *const *also, const char *what)
{
    if (!vg_read_map(r, map, what)) return 0;
    unsigned long long seen = 0;
    int ok = 1, reported = map->state == 3;
    for (int i = 0; i < map->n && !vg_read_stopped(r); i++) {
        const vgNode *key = map->pair[i].key;
        int k = 0, extra = 0;
        if (key->kind != VG_NODE_SCALAR) continue; /* reported by the spec */
        while (k < nfield && strcmp(fields[k].key, key->text) != 0) k++;
        if (k < nfield) {
            seen |= 1ull << k;
            ok &= read_field(r, &fields[k], map->pair[i].value, base);
            continue;
        }
        while (also && also[extra] && strcmp(also[extra], key->text) != 0) extra++;
        if (also && also[extra]) continue;
        if (key->state != 3) unknown_key(r, key, fields, nfield, also, what);
        map->pair[i].key->state = 3;
        ok = 0;
    }
    if (vg_read_stopped(r)) return 0; /* keys that were not looked at are not missing */
    for (int k = 0; k < nfield && k < MAX_FIELDS; k++) {
        const vgField *f = &fields[k];
        if (seen & 1ull << k) continue;
        if (!f->fallback) {
            if (!reported)
                vg_diag_error(r->diag, map->loc, "'%s' is missing in this %s: %s", f->key, what, f->doc);
            map->state = 3;
            ok = 0;
        } else if (f->fallback[0] == 0) {
            absent(f, base);
        } else {
            ok &= read_default(r, f, base);
        }
    }
    return ok && !r->full;
}
