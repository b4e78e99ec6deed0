#include "test.h"

#include "base/diag.h"

TEST(a_line_says_where_and_what)
{
    vgDiag *diag = vg_diag_new();
    int a = vg_diag_file(diag, "a.yaml"), b = vg_diag_file(diag, "b.yaml");
    CHECK_INT(a, 1);
    CHECK_INT(b, 2);
    CHECK_INT(vg_diag_file(diag, "a.yaml"), a);
    CHECK(strcmp(vg_diag_file_name(diag, b), "b.yaml") == 0);
    CHECK(strcmp(vg_diag_file_name(diag, 0), "") == 0);
    CHECK(strcmp(vg_diag_file_name(diag, 3), "") == 0);
    vg_diag_error(diag, (vgLoc){b, 3, 7}, "unknown key \"%s\"", "mas");
    vg_diag_note(diag, (vgLoc){a, 2, 0}, "first given here");
    vg_diag_warn(diag, (vgLoc){a, 0, 0}, "no bodies");
    vg_diag_error(diag, VG_NOWHERE, "%d times", 3);
    CHECK_INT(vg_diag_count(diag), 4);
    CHECK(strcmp(vg_diag_line(diag, 0), "b.yaml:3:7: error: unknown key \"mas\"") == 0);
    CHECK(strcmp(vg_diag_line(diag, 1), "a.yaml:2: note: first given here") == 0);
    CHECK(strcmp(vg_diag_line(diag, 2), "a.yaml: warning: no bodies") == 0);
    CHECK(strcmp(vg_diag_line(diag, 3), "error: 3 times") == 0);
    CHECK(vg_diag_line(diag, 4) == NULL);
    CHECK(vg_diag_line(diag, -1) == NULL);
    CHECK_INT(vg_diag_errors(diag), 2);
    CHECK_INT(vg_diag_warnings(diag), 1);
    vg_diag_clear(diag);
    CHECK_INT(vg_diag_count(diag) + vg_diag_errors(diag), 0);
    CHECK_INT(vg_diag_file(diag, "b.yaml"), b);
    vg_diag_free(diag);
}

TEST(twenty_errors_are_enough)
{
    vgDiag *diag = vg_diag_new();
    for (int i = 0; i < 1000; i++) {
        vg_diag_error(diag, VG_NOWHERE, "number %d", i);
        vg_diag_note(diag, VG_NOWHERE, "of %d", i);
    }
    CHECK_INT(vg_diag_errors(diag), 1000);
    CHECK_INT(vg_diag_count(diag), 41); /* 20 errors with a note each, and one line more */
    CHECK_STR(vg_diag_line(diag, 38), "error: number 19");
    CHECK_STR(vg_diag_line(diag, 39), "note: of 19");
    CHECK_STR(vg_diag_line(diag, 40), "too many errors");
    for (int i = 0; i < 1000; i++) vg_diag_warn(diag, VG_NOWHERE, "careful %d", i);
    for (int i = 0; i < 1000; i++) vg_diag_note(diag, VG_NOWHERE, "very");
    CHECK_INT(vg_diag_count(diag), 62);
    vg_diag_free(diag);
}

/* One entry may stand for many elements with the same fault. */
TEST(the_same_is_said_once)
{
    vgDiag *diag = vg_diag_new();
    for (int i = 0; i < 100; i++) {
        vg_diag_error(diag, VG_NOWHERE, "no section");
        vg_diag_error(diag, VG_NOWHERE, "number %d", i % 2);
    }
    CHECK_INT(vg_diag_errors(diag), 3);
    CHECK_INT(vg_diag_count(diag), 3);
    vg_diag_free(diag);
}

TEST(a_message_is_one_line_of_bounded_length)
{
    vgDiag *diag = vg_diag_new();
    char text[5001];
    for (int i = 0; i < 5000; i += 2) memcpy(text + i, "\xC3\xA9", 2);
    text[5000] = 0;
    vg_diag_error(diag, VG_NOWHERE, "x%s", text);
    vg_diag_error(diag, VG_NOWHERE, "%s", text);
    vg_diag_error(diag, VG_NOWHERE, "a\nb\tc");
    for (int i = 0; i < 2; i++) {
        const char *line = vg_diag_line(diag, i);
        size_t n = strlen(line);
        CHECK(n < 1100);
        CHECK(strcmp(line + n - 5, "\xC3\xA9...") == 0); /* the cut is between characters */
    }
    CHECK(strcmp(vg_diag_line(diag, 2), "error: a b c") == 0);
    vg_diag_free(diag);
}

TEST(memory_that_ran_out_is_remembered)
{
    vgDiag *diag = vg_diag_new();
    vg_diag_error(diag, VG_NOWHERE, "unknown name");
    vg_diag_warn(diag, VG_NOWHERE, "kept");
    CHECK_INT(vg_diag_starved(diag), 0);
    vg_diag_no_memory(diag);
    CHECK_INT(vg_diag_starved(diag), 1);
    CHECK_INT(vg_diag_errors(diag), 1);
    CHECK_INT(vg_diag_count(diag), 2);
    CHECK(strcmp(vg_diag_line(diag, 1), "error: out of memory") == 0);
    vg_diag_clear(diag);
    CHECK_INT(vg_diag_starved(diag) + vg_diag_starved(NULL), 0);
    vg_diag_free(diag);
}

TEST(no_diagnostics_is_allowed)
{
    vg_diag_error(NULL, VG_NOWHERE, "nobody listens");
    CHECK_INT(vg_diag_errors(NULL) + vg_diag_count(NULL) + vg_diag_file(NULL, "a"), 0);
    CHECK(vg_diag_line(NULL, 0) == NULL);
    vg_diag_clear(NULL);
    vg_diag_free(NULL);
}

TEST_MAIN(a_line_says_where_and_what, twenty_errors_are_enough, the_same_is_said_once,
          a_message_is_one_line_of_bounded_length, memory_that_ran_out_is_remembered,
          no_diagnostics_is_allowed)
