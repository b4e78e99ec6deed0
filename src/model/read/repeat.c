/* Entries of bodies, joints and forces: the sections of all files, repeat blocks unrolled, `if` decided. */
#include <string.h>

#include "model/read/reader.h"

const char *const vg_section_names[VG_SECTION_COUNT] = {"bodies",   "joints",      "forces",  "mesh",
                                                        "flexible", "controllers", "contacts"};

typedef struct repeatSpec {
    const char *index;
    int from, to, condition;
    vgNode *first, *last, *inner, *section[VG_SECTION_COUNT];
} repeatSpec;

static const vgField repeat_fields[] = {
    {"index", VG_FIELD_NAME, offsetof(repeatSpec, index), "", "i", 0, 0, "Name of the counter."},
    {"from", VG_FIELD_INT, offsetof(repeatSpec, from), "", "1", 0, 0, "Its first value."},
    {"to", VG_FIELD_INT, offsetof(repeatSpec, to), "", NULL, 0, 0,
     "Its last value; the block is left out when it is smaller than from."},
    {"if", VG_FIELD_BOOL, offsetof(repeatSpec, condition), "", "true", 0, 0,
     "The block is left out when this is 0."},
    {"bodies", VG_FIELD_MAP, offsetof(repeatSpec, section[0]), "", "", 0, 0,
     "Entries as at the top level; names and references may hold {expression}."},
    {"joints", VG_FIELD_MAP, offsetof(repeatSpec, section[1]), "", "", 0, 0, "The same for joints."},
    {"forces", VG_FIELD_MAP, offsetof(repeatSpec, section[2]), "", "", 0, 0, "The same for forces."},
    {"mesh", VG_FIELD_MAP, offsetof(repeatSpec, section[3]), "", "", 0, 0, "The same for meshes."},
    {"flexible", VG_FIELD_MAP, offsetof(repeatSpec, section[4]), "", "", 0, 0,
     "The same for flexible bodies."},
    {"controllers", VG_FIELD_MAP, offsetof(repeatSpec, section[5]), "", "", 0, 0,
     "The same for controllers."},
    {"contacts", VG_FIELD_MAP, offsetof(repeatSpec, section[6]), "", "", 0, 0,
     "The same for groups of contacts."},
    {"first", VG_FIELD_MAP, offsetof(repeatSpec, first), "", "", 0, 0,
     "bodies, joints, forces that replace the entries of the same key at the first value."},
    {"last", VG_FIELD_MAP, offsetof(repeatSpec, last), "", "", 0, 0, "The same at the last value."},
    {"repeat", VG_FIELD_LIST, offsetof(repeatSpec, inner), "", "", 0, 0,
     "Blocks inside the block; four deep at most."},
};
const vgFormatTable vg_format_repeat = {
    "Repeat",
    "A block, or a list of blocks, whose entries stand for many. Any entry of bodies, joints, forces and "
    "markers may carry `if: expression` and is left out when that is 0; an entry that is a list of maps "
    "takes the first whose `if` holds.",
    "repeat:\n  index: i\n  from: 1\n  to: N\n  bodies:\n    \"link{i}\": {mass: m, inertia: [J, J, J], "
    "position: [\"(i-1)*L\", 0, 0], markers: {end: [L, 0, 0]}}\n  joints:\n    \"J{i}\": {spherical: "
    "[\"link{i-1}.end\", \"link{i}\"]}\n"
    "  first:\n    joints:\n      \"J{i}\": {spherical: [ground, \"link{i}\"]}",
    repeat_fields, sizeof repeat_fields / sizeof *repeat_fields};

static int holds(vgReader *r, const vgNode *map)
{
    vgNode *condition = vg_node_get(map, "if");
    int value = 1;
    if (condition && !vg_read_bool(r, condition, &value)) return 0;
    return value;
}

vgNode *vg_read_variant(vgReader *r, vgNode *node)
{
    int maps = node->kind == VG_NODE_LIST && node->n > 0;
    for (int i = 0; maps && i < node->n; i++) maps = node->item[i]->kind == VG_NODE_MAP;
    if (!maps) return holds(r, node) ? node : NULL;
    for (int i = 0; i < node->n; i++) {
        if (holds(r, node->item[i])) return node->item[i];
    }
    return NULL;
}

static void add_entry(vgReader *r, int section, vgNode *key, vgNode *value)
{
    static const char *const singular[VG_SECTION_COUNT] = {
        "body", "joint", "force", "mesh", "flexible body", "controller", "group of contacts"};
    vgEntries *e = &r->section[section];
    const char *name;
    if (key->kind != VG_NODE_SCALAR) return;
    vgNode *node = vg_read_variant(r, value);
    if (!node || !vg_read_text(r, key, &name) || !vg_read_count(r, key->loc)) return;
    if (!vg_read_name_ok(r, name, key->loc, singular[section])) return;
    if (!vg_read_scratch_room(r, &e->at, e->n, &e->cap, sizeof *e->at)) return;
    e->at[e->n++] = (vgEntry){name, key->loc, node, r->ctx};
}

/* One section of a block; entries of `instead` with the same key take the place of the block's. */
static void add_section(vgReader *r, int section, const vgNode *block, const vgNode *instead)
{
    vgNode *map = vg_node_get(block, vg_section_names[section]);
    vgNode *other = instead ? vg_node_get(instead, vg_section_names[section]) : NULL;
    if (other && !vg_read_map(r, other, vg_section_names[section])) other = NULL;
    if (map && vg_read_map(r, map, vg_section_names[section])) {
        for (int i = 0; i < map->n && !vg_read_stopped(r); i++) {
            const vgNode *key = map->pair[i].key;
            vgNode *value = other && key->kind == VG_NODE_SCALAR ? vg_node_get(other, key->text) : NULL;
            add_entry(r, section, map->pair[i].key, value ? value : map->pair[i].value);
        }
    }
    for (int i = 0; other && i < other->n && !vg_read_stopped(r); i++) {
        const vgNode *key = other->pair[i].key;
        if (key->kind == VG_NODE_SCALAR && !vg_node_get(map, key->text)) {
            add_entry(r, section, other->pair[i].key, other->pair[i].value);
        }
    }
}

static const char *const override_keys[] = {"bodies",   "joints",      "forces",   "mesh",
                                            "flexible", "controllers", "contacts", NULL};

static void unroll_all(vgReader *r, vgNode *node);

static const vgReadScope *inner_scope(vgReader *r, const char *index, const vgNode *at)
{
    const vgReadScope *outer = r->ctx ? r->ctx->scope : NULL;
    vgReadScope *scope = VG_NEW(r->scratch, vgReadScope, 1);
    if (!scope) {
        r->full = 1;
        return NULL;
    }
    if (outer) *scope = *outer;
    if (scope->n == VG_READ_MAX_INDICES) {
        vg_diag_error(r->diag, at->loc, "repeat blocks are nested deeper than %d", VG_READ_MAX_INDICES);
        return NULL;
    }
    double ignored;
    if (!vg_read_name_ok(r, index, at->loc, "repeat index")) return NULL;
    int taken = vg_read_reserved(index) != NULL || vg_read_param(r, index, &ignored) != 0;
    for (int k = 0; k < scope->n; k++) taken |= strcmp(scope->name[k], index) == 0;
    if (taken || strchr(index, '-')) {
        vg_diag_error(r->diag, at->loc, "'%s' cannot name a repeat index: it has another meaning here",
                      index);
        return NULL;
    }
    scope->name[scope->n++] = index;
    return scope;
}

static void unroll(vgReader *r, vgNode *block)
{
    repeatSpec spec = {0};
    if (!vg_read_fields(r, block, repeat_fields, sizeof repeat_fields / sizeof *repeat_fields, &spec, NULL,
                        "repeat block")) {
        return;
    }
    if (!spec.condition) return;
    const vgReadScope *scope = inner_scope(r, spec.index, block);
    if (!scope) return;
    for (int k = 0; k < 2; k++) {
        vgNode *instead = k ? spec.last : spec.first;
        if (instead && !vg_read_fields(r, instead, NULL, 0, NULL, override_keys, "repeat override")) return;
    }
    const vgReadContext *outer = r->ctx;
    if ((long)spec.to - spec.from >= VG_READ_MAX_OBJECTS - r->objects) r->objects = VG_READ_MAX_OBJECTS;
    for (int i = spec.from; i <= spec.to && !vg_read_stopped(r); i++) {
        vgReadContext *ctx = VG_NEW(r->scratch, vgReadContext, 1);
        if (!ctx || !vg_read_count(r, block->loc)) {
            r->full = 1;
            break;
        }
        if (outer) *ctx = *outer;
        ctx->scope = scope;
        ctx->value[scope->n - 1] = i;
        r->ctx = ctx;
        const vgNode *instead = i == spec.from ? spec.first : NULL;
        if (!instead && i == spec.to) instead = spec.last;
        for (int s = 0; s < VG_SECTION_COUNT; s++) add_section(r, s, block, instead);
        if (spec.inner) unroll_all(r, spec.inner);
    }
    r->ctx = outer;
}

static void unroll_all(vgReader *r, vgNode *node)
{
    if (node->kind != VG_NODE_LIST) {
        unroll(r, node);
        return;
    }
    for (int i = 0; i < node->n && !vg_read_stopped(r); i++) unroll(r, node->item[i]);
}

void vg_read_entries(vgReader *r)
{
    for (int f = 0; f < r->nfile; f++) {
        for (int s = 0; s < VG_SECTION_COUNT; s++) add_section(r, s, r->file[f], NULL);
        vgNode *repeat = vg_node_get(r->file[f], "repeat");
        if (repeat) unroll_all(r, repeat);
    }
}
