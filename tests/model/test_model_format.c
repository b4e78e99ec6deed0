/* The reference page names every kind and every key, and every example of it is a model that loads. */
#include <stdlib.h>

#include "model/model.h"
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
    static const char *const titles[] = {"Top level", "Bodies", "Inertia", "Markers", "Shapes", "Joints", "Drives", "Forces", "Repeat", "Tables", "Run"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        snprintf(text, sizeof text, "\n## %s\n", titles[i]);
        CHECK_STR(page, text);
    }
    free(page);
}

TEST_MAIN(page_names_everything)
