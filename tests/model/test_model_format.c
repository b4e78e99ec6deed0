/* The reference page names every kind and every key, and every example of it is a model that loads. */
#include <stdlib.h>

#include "model/model.h"
#include "model/read/spec.h"
#include "test.h"

TEST(page_names_everything)
{
    char *page = vg_model_format_doc(), text[200];
    CHECK(page != NULL);
    if (!page) return;
    for (int i = 0; vg_joint_kinds[i]; i++) {
        snprintf(text, sizeof text, "\n### %s\n", vg_joint_kinds[i]->name);
        CHECK_STR(page, text);
    }
    for (int i = 0; vg_force_kinds[i]; i++) {
        const vgForceKind *k = vg_force_kinds[i];
        snprintf(text, sizeof text, "\n### %s\n", k->name);
        CHECK_STR(page, text);
        for (int j = 0; j < k->nfield; j++) {
            snprintf(text, sizeof text, "| `%s` | ", k->fields[j].key);
            CHECK_STR(page, text);
        }
    }
    static const char *const titles[] = {"Top level", "Bodies", "Inertia", "Markers", "Shapes", "Joints",
                                         "Drives",    "Forces", "Repeat",  "Tables",  "Run"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        snprintf(text, sizeof text, "\n## %s\n", titles[i]);
        CHECK_STR(page, text);
    }
    free(page);
}

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
    const char *kind = strcmp(ref, "rack") == 0 || strcmp(ref, "slide") == 0 ? "prismatic" : "revolute";
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

static void check_example(const char *section, const char *kind, vgHead head, const vgField *fields,
                          int nfield, const char *text)
{
    static around x;
    static char model[4000];
    memset(&x, 0, sizeof x);
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    CHECK(text != NULL);
    vgNode *entry = text ? vg_spec_parse(pool, text, strlen(text), 0, diag) : NULL;
    const vgNode *value =
        entry && entry->kind == VG_NODE_MAP && entry->n == 1 ? vg_node_get(entry->pair[0].value, kind) : NULL;
    CHECK(value != NULL);
    need_body(&x, "spare");
    if (value) need_head(&x, value, head == VG_HEAD_JOINT || head == VG_HEAD_JOINTS);
    if (value) need_options(&x, entry->pair[0].value, fields, nfield);
    int forces = strcmp(section, "forces") == 0;
    int n = snprintf(model, sizeof model, "verge: 1\ntables:\n%sbodies:\n%sjoints:\n%s%s  %s\n", x.tables,
                     x.bodies, x.joints, forces ? "forces:\n" : "", text ? text : "");
    vgModel *m = vg_model_parse(model, (size_t)n, kind, NULL, 0, diag);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n%s", vg_diag_line(diag, i), i ? "" : model);
    CHECK(m != NULL);
    vg_model_free(m);
    vg_diag_free(diag);
    vg_pool_free(pool);
}

TEST(examples_load)
{
    for (int i = 0; vg_joint_kinds[i]; i++) {
        const vgJointKind *k = vg_joint_kinds[i];
        check_example("joints", k->name, k->head, k->fields, k->nfield, k->example);
    }
    for (int i = 0; vg_force_kinds[i]; i++) {
        const vgForceKind *k = vg_force_kinds[i];
        check_example("forces", k->name, k->head, k->fields, k->nfield, k->example);
    }
}

TEST_MAIN(page_names_everything, examples_load)
