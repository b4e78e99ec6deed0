/* Parameters: named numbers as expressions over each other, in any order. */
#include <stdlib.h>
#include <string.h>

#include "model/read/reader.h"

static void cycle_error(vgReader *r, int again)
{
    char path[400] = "";
    size_t used = 0;
    int start = 0;
    while (start < r->nchain && r->chain[start] != again) start++;
    for (int k = start; k < r->nchain && used < 300; k++) {
        const char *name = r->param[r->chain[k]].name;
        size_t n = strlen(name);
        if (used + n + 5 > sizeof path - 120) break;
        memcpy(path + used, name, n);
        memcpy(path + used + n, " -> ", 5);
        used += n + 4;
    }
    vg_diag_error(r->diag, r->param[again].node->loc, "parameters depend on each other in a circle: %s%s",
                  path, r->param[again].name);
}

static int compute(vgReader *r, int k)
{
    vgReadParam *p = &r->param[k];
    if (p->state == 2) return 1;
    if (p->state == 3) return -1;
    if (p->state == 1) {
        cycle_error(r, k);
        for (int i = r->nchain - 1; i >= 0; i--) { /* report the circle once */
            r->param[r->chain[i]].state = 3;
            r->param[r->chain[i]].node->state = 3;
            if (r->chain[i] == k) break;
        }
        return -1;
    }
    if (r->nchain == (int)(sizeof r->chain / sizeof *r->chain)) {
        vg_diag_error(r->diag, p->node->loc, "parameters lean on each other more than %d deep", r->nchain);
        p->state = 3;
        return -1;
    }
    const vgReadContext *ctx = r->ctx;
    r->ctx = NULL;
    p->state = 1;
    r->chain[r->nchain++] = k;
    double value = 0;
    int ok = vg_read_number(r, p->node, &value);
    r->nchain--;
    r->ctx = ctx;
    p->value = value;
    p->state = ok && p->state != 3 ? 2 : 3;
    return p->state == 2 ? 1 : -1;
}

int vg_read_param(vgReader *r, const char *name, double *value)
{
    int k = r->param_names ? vg_names_find(r->param_names, name) : -1;
    if (k < 0 || k >= r->nparam) return 0; /* the last name's own room could not be had */
    int ok = compute(r, k);
    *value = r->param[k].value;
    return ok;
}

static int is_in(const char *const *list, const char *name)
{
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0) return 1;
    return 0;
}

const char *vg_read_reserved(const char *name)
{
    if (strcmp(name, "t") == 0) return "the time in laws";
    if (vg_expr_reserved(name)) return "something of its own in expressions";
    for (int i = 0; vg_force_kinds[i]; i++)
        if (is_in(vg_force_kinds[i]->locals, name)) return "a quantity of its own in laws of forces";
    for (int i = 0; vg_road_kinds[i]; i++)
        if (is_in(vg_road_kinds[i]->locals, name)) return "the place in laws of roads";
    return NULL;
}

static void add_param(vgReader *r, const vgNode *key, vgNode *value)
{
    int index, existed;
    if (!vg_read_name_ok(r, key->text, key->loc, "parameter")) return;
    if (strchr(key->text, '-')) {
        vg_diag_error(r->diag, key->loc, "'%s' cannot name a parameter: - means minus in expressions",
                      key->text);
        return;
    }
    const char *reserved = vg_read_reserved(key->text);
    if (reserved) {
        vg_diag_error(
            r->diag, key->loc,
            "'%s' cannot name a parameter: it is reserved, for it means %s; write '%s0' or another name",
            key->text, reserved, key->text);
        return;
    }
    if (!vg_read_count(r, key->loc)) return;
    if (vg_names_add(r->param_names, key->text, &index, &existed) != VG_OK || existed)
        return; /* an outer file has it */
    if (!vg_read_room(r, &r->param, r->nparam, &r->param_cap, sizeof *r->param)) return;
    r->param[r->nparam++] = (vgReadParam){vg_names_at(r->param_names, index), value, 0, 0};
}

/* "did you mean", or the first names there are. */
static const char *known(vgReader *r, const char *name)
{
    enum { MOST = 8 };
    const char *const *list = vg_names_list(r->param_names), *text = vg_read_hint(r, name, list, r->nparam);
    if (*text) return text;
    for (int i = 0; i < r->nparam && i < MOST && text; i++)
        text = vg_pool_printf(r->scratch, "%s%s %s%s", text, i ? "," : "; it has", list[i],
                              i == MOST - 1 && r->nparam > MOST ? ", …" : "");
    return text ? text : "";
}

/* --set NAME=VALUE: the text takes the place of the file's. */
static void apply_set(vgReader *r, const vgParamSet *set)
{
    int k = vg_names_find(r->param_names, set->name);
    if (k < 0 || k >= r->nparam) {
        vg_diag_error(r->diag, VG_NOWHERE, "the model has no parameter '%s'%s", set->name,
                      known(r, set->name));
        return;
    }
    vgNode *node = VG_NEW(r->scratch, vgNode, 1);
    const char *label = vg_pool_printf(r->scratch, "--set %s", set->name);
    if (!node || !label) return;
    *node = (vgNode){.kind = VG_NODE_SCALAR,
                     .text = set->text ? vg_pool_strdup(r->scratch, set->text) : "number"};
    node->loc = (vgLoc){vg_diag_file(r->diag, label), 1, 1};
    if (!set->text) {
        node->state = 1;
        node->value = set->value;
        if (!(set->value - set->value == 0)) {
            vg_diag_error(r->diag, VG_NOWHERE, "parameter '%s' is set to a value that is not finite",
                          set->name);
        }
    }
    if (node->text) r->param[k].node = node;
}

void vg_read_params(vgReader *r)
{
    r->param_names = vg_read_names(r);
    if (!r->param_names) return;
    for (int f = 0; f < r->nfile; f++) {
        vgNode *map = vg_node_get(r->file[f], "parameters");
        if (!map || !vg_read_map(r, map, "parameters")) continue;
        for (int i = 0; i < map->n && !vg_read_stopped(r); i++)
            add_param(r, map->pair[i].key, map->pair[i].value);
    }
    for (int i = 0; i < r->nset; i++) apply_set(r, &r->set[i]);
    for (int k = 0; k < r->nparam && !vg_read_stopped(r); k++) compute(r, k);
    const char **name = vg_read_take(r, (size_t)r->nparam * sizeof *name);
    double *value = vg_read_take(r, (size_t)r->nparam * sizeof *value);
    if (!name || !value) return;
    for (int k = 0; k < r->nparam; k++) {
        name[k] = vg_read_keep(r, r->param[k].name);
        value[k] = r->param[k].value;
    }
    r->m->nparam = r->nparam;
    r->m->param_name = name;
    r->m->param_value = value;
}

vgStatus vg_model_settings(const char *const *text, int n, int room, vgParamSet **out, const char **wrong)
{
    size_t bytes = 0, places = (size_t)(n + room);
    for (int i = 0; i < n; i++) bytes += strlen(text[i]) + 1;
    vgParamSet *set = *out = calloc(1, places * sizeof *set + bytes + 1);
    if (!set) return VG_NO_MEMORY;
    char *at = (char *)(set + places); /* the names are copied behind the array */
    for (int i = 0; i < n; i++) {
        size_t length = strlen(text[i]) + 1;
        memcpy(at, text[i], length);
        char *equal = strchr(at, '=');
        if (!equal || equal == at || !equal[1]) {
            *wrong = text[i];
            free(set);
            *out = NULL;
            return VG_BAD_INPUT;
        }
        *equal = 0;
        set[i] = (vgParamSet){.name = at, .text = equal + 1};
        at += length;
    }
    return VG_OK;
}
