/* `limits` and `armature` of joints: each is a force element along a coordinate of the joint, written where the joint is.
 *
 *     knee: {revolute: […], limits: {lower: -2, upper: 0, stiffness: 900}, armature: 0.02}
 *
 * is the same as a `joint-stop` knee_limits and a `rotor` knee_armature among the forces. */
#include <stdio.h>
#include <string.h>

#include "model/read/reader.h"

/* A key of joints, the force kind behind it, and the field that a single number stands for (NULL: none does). */
typedef struct jointKey {
    const char *key, *kind, *ball, *number;
} jointKey;

static const jointKey keys[] = {{"limits", "joint-stop", NULL, NULL},
                                {"armature", "rotor", "ball-rotor", "inertia"}};
enum { KEYS = sizeof keys / sizeof keys[0] };

static vgNode *scalar(vgReader *r, vgLoc at, const char *text)
{
    vgNode *n = vg_read_take(r, sizeof *n);
    if (n) *n = (vgNode){.kind = VG_NODE_SCALAR, .loc = at, .text = text};
    return n;
}

/* {kind: head, …what the user wrote…} as an entry of forces. */
static void add(vgReader *r, const vgEntry *joint, const jointKey *k, const char *kind, vgNode *head,
                vgNode *given, const char *name)
{
    int more = given->kind == VG_NODE_MAP ? given->n : 1, n = 0;
    vgNode *map = vg_read_take(r, sizeof *map);
    vgNodePair *pair = vg_read_take(r, ((size_t)more + 1) * sizeof *pair);
    if (!map || !pair || !head) return;
    pair[n].key = scalar(r, head->loc, kind);
    pair[n++].value = head;
    if (given->kind == VG_NODE_MAP) {
        memcpy(pair + n, given->pair, (size_t)given->n * sizeof *pair);
        n += given->n;
    } else {
        pair[n].key = scalar(r, given->loc, k->number);
        pair[n++].value = given;
    }
    if (!pair[0].key || !pair[n - 1].key) return;
    *map = (vgNode){.kind = VG_NODE_MAP, .loc = given->loc, .n = n, .pair = pair};
    vgNode *condition = given->kind == VG_NODE_MAP ? vg_node_get(given, "if") : NULL;
    int on = 1;
    if (condition && !vg_read_bool(r, condition, &on)) return;
    vgEntry e = {.name = name, .loc = given->loc, .value = map, .ctx = joint->ctx};
    if (on) vg_read_force(r, &e);
}

static int is_ball(const vgJoint *j)
{
    return j->kind->motion && j->kind->motion->nv == 3 && j->kind->motion->nq == 4;
}

/* 1: the map names coordinates, each with a map or number of its own. */
static int by_coordinate(const vgReader *r, const vgJoint *j, const vgNode *given)
{
    for (int i = 0; given->kind == VG_NODE_MAP && i < given->n; i++)
        for (int c = 0; c < j->ncoord; c++)
            if (given->pair[i].key->kind == VG_NODE_SCALAR &&
                strcmp(strrchr(r->measure[j->measure0 + c].name, '.') + 1, given->pair[i].key->text) == 0)
                return 1;
    return 0;
}

static void read_key(vgReader *r, const vgEntry *e, const vgJoint *j, const jointKey *k, vgNode *given)
{
    char *name = vg_pool_printf(r->pool, "%s_%s", e->name, k->key);
    if (!name) r->full = 1;
    if (!name || !j->kind) return;
    if (given->kind != VG_NODE_MAP && (!k->number || given->kind != VG_NODE_SCALAR)) {
        vg_diag_error(r->diag, given->loc, "%s: expected {lower: …, upper: …, stiffness: …}, got %s", k->key,
                      vg_node_kind_text(given));
        return;
    }
    if (is_ball(j) && k->ball) {
        add(r, e, k, k->ball, vg_node_get(e->value, j->kind->name), given, name);
        return;
    }
    if (!by_coordinate(r, j, given)) {
        if (j->ncoord > 1) {
            vg_diag_error(r->diag, given->loc,
                          "joint '%s' (%s) has %d coordinates; name the one that is meant: %s: {%s: …}",
                          j->name, j->kind->name, j->ncoord, k->key,
                          strrchr(r->measure[j->measure0].name, '.') + 1);
            return;
        }
        add(r, e, k, k->kind, scalar(r, given->loc, e->name), given, name);
        return;
    }
    for (int i = 0; i < given->n && !vg_read_stopped(r); i++) {
        const char *coordinate = given->pair[i].key->text;
        char *head = vg_pool_printf(r->pool, "%s.%s", e->name, coordinate),
             *own = vg_pool_printf(r->pool, "%s_%s_%s", e->name, coordinate, k->key);
        if (!head || !own) r->full = 1;
        if (head && own)
            add(r, e, k, k->kind, scalar(r, given->pair[i].key->loc, head), given->pair[i].value, own);
    }
}

void vg_read_joint_keys(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_JOINTS];
    for (int i = 0; i < e->n && !vg_read_stopped(r); i++) {
        int joint = vg_names_find(r->joint_names, e->at[i].name);
        r->ctx = e->at[i].ctx;
        for (int k = 0; joint >= 0 && k < (int)KEYS; k++) {
            vgNode *given = vg_node_get(e->at[i].value, keys[k].key);
            if (given) read_key(r, &e->at[i], &r->joint[joint], &keys[k], given);
        }
    }
    r->ctx = NULL;
}
