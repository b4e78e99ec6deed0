/* Roads of the model: kinds by name, each possibly laid on another. */
#include <string.h>

#include "element/road/road.h"
#include "model/read/reader.h"

static const vgRoadKind *find_kind(vgReader *r, vgNode *map, const char *name, vgNode **fields)
{
    const vgRoadKind *found = NULL;
    for (int i = 0; i < map->n; i++) {
        const vgNode *key = map->pair[i].key;
        if (strcmp(key->text, "on") == 0) continue;
        const vgRoadKind *kind = vg_road_kind(key->text);
        if (kind && !found) {
            found = kind;
            *fields = map->pair[i].value;
            continue;
        }
        const char *names[16];
        int n = 0;
        for (; n < 15 && vg_road_kinds[n]; n++) names[n] = vg_road_kinds[n]->name;
        names[n++] = "on";
        if (kind)
            vg_diag_error(r->diag, key->loc, "road '%s' has two kinds, %s and %s", name, found->name,
                          kind->name);
        else
            vg_diag_error(r->diag, key->loc, "unknown road kind '%.60s'%s", key->text,
                          vg_read_hint(r, key->text, names, n));
        return NULL;
    }
    if (!found)
        vg_diag_error(r->diag, map->loc,
                      "road '%s' has no kind; expected e.g. {cosine: {length: 5, height: 0.1}}", name);
    return found;
}

const vgRoad *vg_read_road(vgReader *r, vgNode *node)
{
    const char *name;
    if (!vg_read_text(r, node, &name)) return NULL;
    int k = vg_names_find(r->road_names, name);
    if (k >= 0 && r->road[k]) return r->road[k];
    vg_diag_error(r->diag, node->loc, "unknown road '%s'%s", name,
                  vg_read_hint(r, name, vg_names_list(r->road_names), vg_names_count(r->road_names)));
    return NULL;
}

static vgRoad *read_one(vgReader *r, const char *name, vgNode *map)
{
    vgNode *fields = NULL, *on = NULL;
    const char *key = NULL, *why = NULL;
    if (!vg_read_map(r, map, "a road")) return NULL;
    const vgRoadKind *kind = find_kind(r, map, name, &fields);
    if (!kind || !vg_read_map(r, fields, kind->name)) return NULL;
    vgRoad *road = vg_read_take(r, sizeof *road);
    void *def = vg_read_take(r, kind->def_size);
    if (!road || !def) return NULL;
    *road = (vgRoad){.name = vg_read_keep(r, name), .kind = kind, .def = def};
    if ((on = vg_node_get(map, "on")) && !(road->on = vg_read_road(r, on))) return NULL;
    r->locals = kind->locals;
    int ok = vg_read_fields(r, fields, kind->fields, kind->nfield, def, NULL, kind->name);
    r->locals = NULL;
    if (!ok) return NULL;
    if (kind->setup && kind->setup(def, &key, &why) != VG_OK) {
        const vgNode *at = key ? vg_node_get(fields, key) : NULL;
        vg_diag_error(r->diag, at ? at->loc : fields->loc, "%s: %s", key ? key : kind->name, why);
        return NULL;
    }
    return road;
}

void vg_read_roads(vgReader *r)
{
    int total = 0;
    r->road_names = vg_read_names(r);
    for (int f = 0; f < r->nfile; f++) {
        const vgNode *map = vg_node_get(r->file[f], "roads");
        if (map) total += map->n;
    }
    r->road = VG_NEW(r->scratch, const vgRoad *, total + 1);
    if (!r->road || !r->road_names) {
        r->full = 1;
        return;
    }
    for (int f = 0; f < r->nfile; f++) {
        vgNode *map = vg_node_get(r->file[f], "roads");
        if (!map || !vg_read_map(r, map, "roads")) continue;
        for (int i = 0; i < map->n && !vg_read_stopped(r); i++) {
            const vgNode *key = map->pair[i].key;
            int existed = 0, k = 0;
            if (!vg_read_name_ok(r, key->text, key->loc, "road")) continue;
            vgRoad *road = read_one(r, key->text, map->pair[i].value);
            if (!road) continue;
            if (vg_names_add(r->road_names, key->text, &k, &existed) != VG_OK || existed)
                vg_diag_error(r->diag, key->loc, "the name '%s' is used twice for a road", key->text);
            else
                r->road[k] = road;
        }
    }
}
