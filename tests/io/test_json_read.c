/* The JSON reader: values of the standard's grammar, and texts that are none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_read.h"
#include "test.h"

TEST(values)
{
    vgJsonTree *t = vg_json_parse(" {\"a\": [1, -2.5e3, true, false, null], \"b\": {\"c\": "
                                  "\"x\\n\\u00e9\\ud83d\\ude00\\\"\"}, \"\": []} ");
    CHECK(t != NULL);
    if (!t) return;
    const vgJsonNode *a = vg_json_first(vg_json_member(t->root, "a"));
    CHECK(a && a->kind == VG_JSON_NUMBER && a->number == 1);
    CHECK(a->next->number == -2500 && a->next->next->kind == VG_JSON_TRUE &&
          a->next->next->next->kind == VG_JSON_FALSE);
    CHECK(a->next->next->next->next->kind == VG_JSON_NULL && !a->next->next->next->next->next);
    const char *c = vg_json_string(vg_json_member(vg_json_member(t->root, "b"), "c"));
    CHECK(strcmp(c, "x\n\xc3\xa9\xf0\x9f\x98\x80\"") == 0);
    CHECK(vg_json_member(t->root, "") != NULL && vg_json_first(vg_json_member(t->root, "")) == NULL);
    CHECK(vg_json_member(t->root, "d") == NULL && vg_json_first(NULL) == NULL && *vg_json_string(NULL) == 0);
    vg_json_tree_free(t);
    t = vg_json_parse("[3, 4]");
    double x[3];
    CHECK(t && vg_json_vector(t->root, 2, x) && x[0] == 3 && x[1] == 4);
    CHECK(t && !vg_json_vector(t->root, 3, x) && !vg_json_vector(t->root, 1, x) &&
          !vg_json_vector(NULL, 1, x));
    vg_json_tree_free(t);
}

TEST(refused)
{
    static const char *const bad[] = {"",    "{",       "[1,",         "[1 2]", "{\"a\" 1}", "{a: 1}",
                                      "\"x", "\"\\q\"", "\"\\u12\"",   "tru",   "1 2",       "[1]]",
                                      "nan", "+1",      "\"\\u0000\"", "[,]",   "{\"a\":}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        vgJsonTree *t = vg_json_parse(bad[i]);
        CHECK(t == NULL);
        vg_json_tree_free(t);
    }
    enum { DEEP = 100000 };
    char *deep = malloc(DEEP + 1);
    if (!deep) return;
    memset(deep, '[', DEEP);
    deep[DEEP] = 0;
    CHECK(vg_json_parse(deep) == NULL);
    free(deep);
}

TEST_MAIN(values, refused)
