/* Tables of the model, for laws and profiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/read/reader.h"

typedef struct tableSpec {
    vgNumbers x, y;
    const char *interpolation, *outside;
} tableSpec;

static const vgField table_fields[] = {
    {"x", VG_FIELD_NUMBERS, offsetof(tableSpec, x), "", NULL, 0, 0, "Knots, ascending."},
    {"y", VG_FIELD_NUMBERS, offsetof(tableSpec, y), "", NULL, 0, 0, "Values at the knots."},
    {"interpolation", VG_FIELD_NAME, offsetof(tableSpec, interpolation), "", "linear", 0, 0,
     "linear, or cubic (a twice differentiable spline; knots far apart beside near ones let it swing out)."},
    {"outside", VG_FIELD_NAME, offsetof(tableSpec, outside), "", "hold", 0, 0,
     "hold the end values outside the knots, or extend with the end slopes."},
};
const vgFormatTable vg_format_table = {
    "Tables",
    "`tables: {name: …}`, used as `table(name, x)` in laws. A list of [x, y] pairs is the short form.",
    "tables:\n  speed: {x: [0, 1, 2], y: [0, 10, 10], interpolation: cubic}\n  bump: [[0, 0], [1, 0.1], [2, "
    "0]]",
    table_fields, sizeof table_fields / sizeof *table_fields};

/* [[x, y], …] */
static int pairs(vgReader *r, vgNode *node, tableSpec *spec)
{
    double *x = VG_NEW(r->scratch, double, node->n), *y = VG_NEW(r->scratch, double, node->n), xy[2];
    if (!x || !y) return 0;
    int ok = 1;
    for (int i = 0; i < node->n && !vg_read_stopped(r); i++) {
        if (!vg_read_count(r, node->loc)) return 0;
        ok &= vg_read_list(r, node->item[i], 2, xy);
        x[i] = xy[0], y[i] = xy[1];
    }
    *spec = (tableSpec){{node->n, x}, {node->n, y}, "linear", "hold"};
    return ok;
}

static int pick(vgReader *r, vgNode *node, const char *key, const char *word, const char *const two[2])
{
    for (int i = 0; i < 2; i++) {
        if (strcmp(word, two[i]) == 0) return i;
    }
    const vgNode *at = vg_node_get(node, key);
    vg_diag_error(r->diag, at ? at->loc : node->loc, "unknown %s '%s', expected %s or %s%s", key, word,
                  two[0], two[1], vg_read_hint(r, word, two, 2));
    return 0;
}

/* A spline through uneven knots may leave its values by far, where few of them hold it. */
static void warn_overshoot(vgReader *r, const vgNode *node, const char *name, const vgTable *table,
                           const tableSpec *spec)
{
    enum { PIECES = 16 };
    double low = INFINITY, high = -INFINITY, worst = 0, there = 0;
    int at = 0;
    for (int i = 0; i < spec->y.n; i++) low = fmin(low, spec->y.at[i]), high = fmax(high, spec->y.at[i]);
    for (int i = 0; i + 1 < spec->x.n; i++) {
        for (int k = 1; k < PIECES; k++) {
            double x = spec->x.at[i] + (spec->x.at[i + 1] - spec->x.at[i]) * k / PIECES;
            double y = vg_table_value(table, x), beyond = fmax(y - high, low - y);
            if (beyond > worst) worst = beyond, there = y, at = i;
        }
    }
    if (worst > 0.5 * (high - low) && high > low)
        vg_diag_warn(r->diag, node->loc,
                     "between x = %g and %g the spline of table '%s' goes to %.3g, far beyond its values (%g "
                     "to %g). More knots there hold it, or interpolation: linear",
                     spec->x.at[at], spec->x.at[at + 1], name, there, low, high);
}

static vgTable *read_table(vgReader *r, vgNode *node, const char *name)
{
    static const char *const kinds[] = {"linear", "cubic"}, *const ends[] = {"hold", "extend"};
    tableSpec spec = {0};
    int ok = node->kind == VG_NODE_LIST
                 ? pairs(r, node, &spec)
                 : vg_read_fields(r, node, table_fields, sizeof table_fields / sizeof *table_fields, &spec,
                                  NULL, "table");
    if (!ok) return NULL;
    int kind = pick(r, node, "interpolation", spec.interpolation, kinds);
    int end = pick(r, node, "outside", spec.outside, ends);
    if (spec.x.n != spec.y.n) {
        vg_diag_error(r->diag, node->loc, "table '%s' has %d x and %d y", name, spec.x.n, spec.y.n);
        return NULL;
    }
    vgTable *table = NULL;
    int bad = -1;
    vgStatus status = vg_table_new(spec.x.n, spec.x.at, spec.y.at, kind ? VG_TABLE_CUBIC : VG_TABLE_LINEAR,
                                   end ? VG_TABLE_EXTEND : VG_TABLE_HOLD, &bad, &table);
    if (status == VG_OK && kind) warn_overshoot(r, node, name, table, &spec);
    if (status == VG_OK) return table;
    if (status == VG_NO_MEMORY) r->full = 1;
    if (spec.x.n < 2) {
        vg_diag_error(r->diag, node->loc, "table '%s' needs at least two knots", name);
    } else if (bad > 0) {
        vg_diag_error(r->diag, node->loc, "the knots of table '%s' must ascend: x = %g follows %g", name,
                      spec.x.at[bad], spec.x.at[bad - 1]);
    } else {
        vg_diag_error(r->diag, node->loc, "table '%s' is wrong: %s", name, vg_status_text(status));
    }
    return NULL;
}

void vg_read_tables(vgReader *r)
{
    int total = 0;
    r->table_names = vg_read_names(r);
    for (int f = 0; f < r->nfile; f++) {
        const vgNode *map = vg_node_get(r->file[f], "tables");
        if (map) total += map->n;
    }
    r->owned->table = calloc((size_t)total + 1, sizeof *r->owned->table);
    if (!r->owned->table) r->full = 1;
    for (int f = 0; f < r->nfile; f++) {
        vgNode *map = vg_node_get(r->file[f], "tables");
        if (!map || !vg_read_map(r, map, "tables")) continue;
        for (int i = 0; i < map->n && !vg_read_stopped(r); i++) {
            const vgNode *key = map->pair[i].key;
            int existed = 0;
            if (!vg_read_name_ok(r, key->text, key->loc, "table")) continue;
            if (map->pair[i].value->kind == VG_NODE_SCALAR && !vg_read_map(r, map->pair[i].value, "a table"))
                continue;
            vgTable *table = read_table(r, map->pair[i].value, key->text);
            if (!table) continue;
            if (vg_names_add(r->table_names, key->text, NULL, &existed) != VG_OK || existed) {
                vg_diag_error(r->diag, key->loc, "the name '%s' is used twice for a table", key->text);
                vg_table_free(table);
                continue;
            }
            r->owned->table[r->owned->ntable++] = table;
        }
    }
}
