/* A model around one entry of a section, such as the example of a kind: with the bodies, markers, joints and
 * tables that it speaks of. */
#ifndef VERGE_TESTS_MODEL_EXAMPLE_MODEL_H
#define VERGE_TESTS_MODEL_EXAMPLE_MODEL_H

#include <stdio.h>
#include <string.h>

#include "base/field.h"
#include "element/force/force.h"
#include "model/read/spec.h"

/* A model around one example: the bodies, markers, joints and tables it speaks of. */
typedef struct around {
    char bodies[1500], joints[1500], tables[500];
    int nbody;
} around;

static void need_body(around *x, const char *ref)
{
    char name[100], text[300];
    const char *dot = strchr(ref, '.');
    snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - ref) : (int)strlen(ref), ref);
    snprintf(text, sizeof text, "  %s:\n", name);
    if (strstr(x->bodies, text)) return;
    size_t n = strlen(x->bodies);
    char mass[200] = "";
    if (strcmp(name, "ground") != 0) {
        snprintf(mass, sizeof mass, "    mass: 1\n    inertia: [1, 1, 1]\n    position: [%d, 0.2, 0.3]\n",
                 x->nbody ^ (x->nbody >> 1 & 1)); /* 0 1 3 2 …: a middle node comes after its ends */
        x->nbody++;
    }
    snprintf(x->bodies + n, sizeof x->bodies - n, "%s%s    markers: {%s: [0, 0, 0]}\n", text, mass,
             dot ? dot + 1 : "unused");
}

static void need_joint(around *x, const char *ref)
{
    char body[100];
    snprintf(body, sizeof body, "of_%s", ref);
    need_body(x, body);
    const char *kind = strcmp(ref, "rack") == 0 || strcmp(ref, "slide") == 0 ? "prismatic"
                       : strcmp(ref, "hip") == 0                             ? "spherical"
                                                                             : "revolute";
    size_t n = strlen(x->joints);
    snprintf(x->joints + n, sizeof x->joints - n, "  %s: {%s: [ground, of_%s]}\n", ref, kind, ref);
}

static void need_head(around *x, const vgNode *head, int joints)
{
    for (int i = 0; i < (head->kind == VG_NODE_LIST ? head->n : 1); i++) {
        const vgNode *item = head->kind == VG_NODE_LIST ? head->item[i] : head;
        if (item->kind != VG_NODE_SCALAR) continue;
        if (joints)
            need_joint(x, item->text);
        else
            need_body(x, item->text);
    }
}

/* Options that speak of bodies and tables. */
static void need_options(around *x, const vgNode *map, const vgField *fields, int nfield)
{
    for (int i = 0; i < nfield; i++) {
        const vgNode *value = vg_node_get(map, fields[i].key);
        if (!value || value->kind != VG_NODE_SCALAR) continue;
        size_t n = strlen(x->tables);
        if (fields[i].type == VG_FIELD_FRAME) need_body(x, value->text);
        if (fields[i].type == VG_FIELD_TABLE)
            snprintf(x->tables + n, sizeof x->tables - n, "  %s: [[0, 0], [1, 1]]\n", value->text);
    }
}

/* The whole text; how long it is. more: further sections. */
static int around_text(const around *x, const char *section, const char *entry, const char *more, char *out,
                       size_t size)
{
    int joints = strcmp(section, "joints") == 0;
    return snprintf(out, size, "verge: 1\ntables:\n%sbodies:\n%sjoints:\n%s%s%s%s  %s\n%s", x->tables,
                    x->bodies, x->joints, joints ? "" : section, joints ? "" : ":\n", "", entry, more);
}

#endif
