/* Verdicts of `verge reproduce`: comparisons and findings with numbers that are none, and the verdict that follows from
 * findings. The program is not part of the library: the file is compiled here. */
#include "reproduce/exhibit.c"
#include "test.h"

TEST(comparisons_with_no_number)
{
    CHECK(vg_less(1, 2) && !vg_less(2, 1) && !vg_less(1, 1));
    CHECK(!vg_less(NAN, 1) && !vg_less(1, NAN) && !vg_less(1, INFINITY) && !vg_less(-INFINITY, 1));
    CHECK(vg_within(1, 1, 2) && !vg_within(NAN, 1, 2) && !vg_within(3, 1, 2));
    CHECK(vg_upper(1, 2) == 2 && vg_lower(1, 2) == 1);
    /* one in a list is not forgotten when others follow */
    double upper = 0, lower = INFINITY;
    static const double list[] = {1, NAN, 3};
    for (int i = 0; i < 3; i++) upper = vg_upper(upper, list[i]), lower = vg_lower(lower, list[i]);
    CHECK(isnan(upper) && isnan(lower));
}

TEST(a_finding_with_no_number_does_not_hold)
{
    vgExhibit ex = {.id = "X"};
    char text[VG_NUMBER];
    CHECK(vg_exhibit_find(&ex, 1, "order %.2f", 2.0));
    CHECK(!vg_exhibit_find(&ex, 1, "order %.2f", (double)NAN));
    CHECK(!vg_exhibit_find(&ex, 1, "%g", -(double)NAN));
    CHECK(!vg_exhibit_find(&ex, 0, "order %.2f", 1.0));
    CHECK(vg_exhibit_find(&ex, 1, "resonance at %g, nanometres", 1.0)); /* a word is none */
    CHECK(vg_exhibit_find(&ex, 1, "angles: %s", vg_number(text, "%g s", NAN)));
    CHECK_INT(ex.held, 3);
    CHECK_INT(ex.failed, 3);
    CHECK_INT(vg_exhibit_verdict(&ex), VG_HOLDS_PARTLY);
    vg_text_free(&ex.html);
    vg_text_free(&ex.commands);
}

TEST(verdicts_follow_from_findings)
{
    CHECK_INT(vg_exhibit_verdict(&(vgExhibit){0}), VG_DOES_NOT_HOLD); /* nothing found */
    CHECK_INT(vg_exhibit_verdict(&(vgExhibit){.undecided = 1}), VG_UNDECIDED);
    CHECK_INT(vg_exhibit_verdict(&(vgExhibit){.held = 2, .undecided = 1}), VG_HOLDS);
    CHECK_INT(vg_exhibit_verdict(&(vgExhibit){.held = 2, .failed = 1}), VG_HOLDS_PARTLY);
    CHECK_INT(vg_exhibit_verdict(&(vgExhibit){.failed = 1}), VG_DOES_NOT_HOLD);
}

TEST_MAIN(comparisons_with_no_number, a_finding_with_no_number_does_not_hold, verdicts_follow_from_findings)
