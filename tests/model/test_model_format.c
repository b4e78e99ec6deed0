/* The reference page names every kind and every key, and every example of it is a model that loads. */
#include <stdlib.h>

#include "model/model.h"
#include "model/read/spec.h"
#include "model/example_model.h"
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
    if (value && head != VG_HEAD_NUMBER)
        need_head(&x, value, head == VG_HEAD_JOINT || head == VG_HEAD_JOINTS || head == VG_HEAD_BALL);
    if (value) need_options(&x, entry->pair[0].value, fields, nfield);
    int n = around_text(&x, section, text ? text : "", "", model, sizeof model);
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
