#include "test.h"

#include "base/names.h"

static const char *const words[] = {"mass", "inertia", "position", "generalized-alpha",
                                    "hht",  "k",       "stiffness"};
enum { NWORD = sizeof words / sizeof words[0] };

static const char *closest(const char *word)
{
    const char *found = vg_name_closest(word, words, NWORD);
    return found ? found : "nothing";
}

TEST(the_word_that_was_meant)
{
    CHECK_STR(closest("mas"), "mass");
    CHECK_STR(closest("msas"), "mass"); /* neighbours swapped: one edit */
    CHECK_STR(closest("Mass"), "mass");
    CHECK_STR(closest("intertia"), "inertia");
    CHECK_STR(closest("generalised_alpha"), "generalized-alpha");
    CHECK_STR(closest("gener"), "generalized-alpha"); /* the only one that begins so */
    CHECK_STR(closest("K"), "k");
    CHECK_STR(closest("siffnes"), "stiffness");
    const char *const kinds[] = {"spring", "contact-sphere-plane", "contact-point-profile"};
    CHECK(vg_name_closest("contact", kinds, 3) == kinds[1]); /* the first with that word */
    CHECK(vg_name_closest("sphere-plane", kinds, 3) == kinds[1]);
    CHECK(vg_name_closest("profile", kinds, 3) == kinds[2]);
    CHECK(vg_name_closest("file", kinds, 3) == NULL); /* part of a word is none */
}

TEST(nothing_is_better_than_nonsense)
{
    CHECK_STR(closest("colour"), "nothing");
    CHECK_STR(closest("m"), "nothing");
    CHECK_STR(closest(""), "nothing");
    CHECK(vg_name_closest("mass", NULL, 0) == NULL);
    CHECK(vg_name_closest(NULL, words, NWORD) == NULL);
    char long_word[200];
    memset(long_word, 'm', sizeof long_word);
    long_word[199] = 0;
    CHECK_STR(closest(long_word), "nothing");
    const char *const two[] = {"gravity", "grab"};
    CHECK(vg_name_closest("gra", two, 2) == two[1]);
    const char *const twice[] = {"spring-a", "spring-b"};
    CHECK(vg_name_closest("spring-c", twice, 2) == twice[0]); /* the first of equals */
}

TEST(names_get_indices_in_order)
{
    enum { N = 50000 };
    vgNames *names = vg_names_new();
    char text[32];
    int index, existed, bad = 0;
    CHECK_INT(vg_names_find(names, "body0"), -1);
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "body%d", i);
        bad += vg_names_add(names, text, &index, &existed) != VG_OK || index != i || existed;
    }
    for (int i = N - 1; i >= 0; i--) {
        snprintf(text, sizeof text, "body%d", i);
        bad += vg_names_find(names, text) != i || strcmp(vg_names_at(names, i), text) != 0;
        bad += vg_names_add(names, text, &index, &existed) != VG_OK || index != i || !existed;
    }
    CHECK_INT(bad, 0);
    CHECK_INT(vg_names_count(names), N);
    CHECK_INT(vg_names_find(names, "body"), -1);
    CHECK_INT(vg_names_find(names, "body50000"), -1);
    CHECK_INT(vg_names_find_n(names, "body77.marker", 6), 77);
    CHECK_INT(vg_names_find_n(names, "body", 3), -1);
    CHECK(vg_names_at(names, N) == NULL);
    CHECK_STR(vg_name_closest("bdy49999", vg_names_list(names), N), "body49999");
    CHECK_INT(vg_names_add(names, "", &index, NULL), VG_OK);
    CHECK_INT(vg_names_find(names, ""), N);
    vg_names_free(names);
    vg_names_free(NULL);
}

TEST_MAIN(the_word_that_was_meant, nothing_is_better_than_nonsense, names_get_indices_in_order)
