/* Paths of tendons: lists of frames, surfaces and pulleys. */
#include <string.h>

#include "element/tendon/path.h"
#include "model/read/reader.h"

static const char *const surfaces[] = {"sphere", "cylinder", "pulley"};
enum { SURFACES = 3, PULLEY = 2 };

/* The index of the key of surfaces that the map has; −1: none, it is a frame. */
static int surface_of(const vgNode *node)
{
    for (int k = 0; k < SURFACES; k++)
        if (vg_node_get(node, surfaces[k])) return k;
    return -1;
}

static int known_keys(vgReader *r, const vgNode *node, int k)
{
    const char *keys[] = {surfaces[k], "at", "side"};
    int n = k == PULLEY ? 1 : 3;
    for (int i = 0; i < node->n; i++) {
        const vgNode *key = node->pair[i].key;
        int known = 0;
        for (int j = 0; j < n; j++) known |= key->kind == VG_NODE_SCALAR && strcmp(key->text, keys[j]) == 0;
        if (known) continue;
        vg_diag_error(r->diag, key->loc, "unknown key '%.60s' of a %s in the path%s",
                      key->kind == VG_NODE_SCALAR ? key->text : "", surfaces[k],
                      vg_read_hint(r, key->kind == VG_NODE_SCALAR ? key->text : "", keys, n));
        return 0;
    }
    return 1;
}

static int read_item(vgReader *r, vgNode *node, vgPathItem *out)
{
    static const vgPathKind kinds[] = {VG_PATH_SPHERE, VG_PATH_CYLINDER, VG_PATH_PULLEY};
    int k = surface_of(node);
    *out = (vgPathItem){.kind = VG_PATH_POINT, .at = {.body = -1, .R = vg_eye3()}};
    if (k < 0) return vg_read_frame(r, node, &out->at);
    vgNode *at = vg_node_get(node, "at"), *side = vg_node_get(node, "side"),
           *size = vg_node_get(node, surfaces[k]);
    double x[3];
    out->kind = kinds[k];
    if (!known_keys(r, node, k) || !vg_read_number(r, size, &out->radius)) return 0;
    if (!(out->radius > 0)) {
        vg_diag_error(r->diag, size->loc, "%s: a positive number is expected", surfaces[k]);
        return 0;
    }
    if (k == PULLEY) return 1;
    if (!at) {
        vg_diag_error(r->diag, node->loc, "the %s of the path needs its frame: {%s: radius, at: frame}",
                      surfaces[k], surfaces[k]);
        return 0;
    }
    if (!vg_read_frame(r, at, &out->at)) return 0;
    if (!side) return 1;
    if (!vg_read_vec3(r, side, x)) return 0;
    out->sided = 1;
    out->side = vg_load3(x);
    return 1;
}

int vg_read_path(vgReader *r, vgNode *node, vgPath *out)
{
    if (node->kind != VG_NODE_LIST) {
        vg_diag_error(r->diag, node->loc, "expected a list of frames and surfaces, got %s",
                      vg_node_kind_text(node));
        return 0;
    }
    vgPathItem *item = vg_read_take(r, ((size_t)node->n + 1) * sizeof *item);
    int ok = item != NULL;
    for (int i = 0; ok && i < node->n && !vg_read_stopped(r); i++)
        ok = vg_read_count(r, node->loc) && read_item(r, node->item[i], &item[i]);
    *out = (vgPath){node->n, item};
    return ok;
}
