/* Verdicts of `verge reproduce`: comparisons and findings with numbers that are none, the verdict that follows from
 * findings, and methods that are not the paper's. The program is not part of the library: its files are compiled here. */
#include "reproduce/exhibit.c"
#include "reproduce/formulas.c"
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

/* Every method that the papers print, against the printed coefficients: the root on an oscillator. */
TEST(methods_are_those_of_the_papers)
{
    static const char *const method[] = {"lms2:rho=0",
                                         "lms2:rho=0.6",
                                         "lms3:rho=0",
                                         "lms3:rho=0.6",
                                         "lms4:rho=0",
                                         "lms4:rho=0.6",
                                         "ss2:rho=0.6",
                                         "ss3:rho=0.6",
                                         "ss4:rho=0.6",
                                         "bathe:rho=0",
                                         "bathe:rho=0.6",
                                         "msstc3:rho=0",
                                         "msstc3:rho=0.6",
                                         "msstc4:rho=0",
                                         "msstc4:rho=0.6",
                                         "msstc5:rho=0",
                                         "msstc5:rho=0.6",
                                         "mssth3:rho=0",
                                         "mssth3:rho=0.6",
                                         "mssth4:rho=0",
                                         "mssth4:rho=0.6",
                                         "mssth5:rho=0",
                                         "mssth5:rho=0.6",
                                         "generalized-alpha:rho=0.9",
                                         "hht:alpha=-0.1",
                                         "hht-i3:alpha=-0.3",
                                         "hht-si2:alpha=-0.3",
                                         "hht-add:alpha=-0.3",
                                         "hht-add-reactions:alpha=-0.3",
                                         "newmark:beta=0.3025,gamma=0.6",
                                         "nstiff",
                                         "nstiff-si2",
                                         "esdirk324",
                                         "esdirk325",
                                         "esdirk436-2",
                                         "trapezoidal",
                                         "midpoint",
                                         "bdf1",
                                         "ab4",
                                         "am4",
                                         "abm",
                                         "sdirk",
                                         "rk4",
                                         "dopri5",
                                         "rk6"};
    enum { METHODS = sizeof method / sizeof *method };
    int seen[FORMULAS] = {0};
    for (int i = 0; i < METHODS; i++) {
        int is = -1;
        for (int k = 0; k < FORMULAS; k++)
            if (strncmp(formulas[k].name, method[i], strcspn(method[i], ":")) == 0 &&
                strlen(formulas[k].name) == strcspn(method[i], ":"))
                is = k;
        CHECK(is >= 0);
        if (is < 0) continue;
        seen[is] = 1;
        Choice c = {value_of(method[i], "rho"), value_of(method[i], "alpha"), value_of(method[i], "beta"),
                    value_of(method[i], "gamma")};
        double off = apart(method[i], formulas[is].equation, &c);
        if (!(off < 1e-12)) printf("%s: %g\n", method[i], off);
        CHECK(off < 1e-12);
        /* 1 % elsewhere is seen */
        Choice moved = {c.rho > 0 ? 1.01 * c.rho : 0.01, 1.01 * c.alpha, 1.01 * c.beta, c.gamma};
        if (strchr(method[i], ':')) CHECK(apart(method[i], formulas[is].equation, &moved) > 100 * SAME_ROOT);
    }
    for (int k = 0; k < FORMULAS; k++) CHECK(seen[k]);
    CHECK(vg_formula_apart("abm:order=3") < 0 && vg_formula_apart("rk4") < SAME_ROOT &&
          vg_formula_apart("no") < 0);
}

/* One method that is not: the experiment says nothing, whatever its findings. */
TEST(a_wrong_method_says_nothing)
{
    vgExhibit ex = {.id = "X", .held = 5};
    vg_exhibit_method(&ex, "rk4:tol=1e-3");
    vg_exhibit_method(&ex, "rk4");
    vg_exhibit_method(&ex, "generalized-alpha:newton=full,rho=0.9");
    CHECK_INT(ex.nmethod, 2);
    CHECK(strcmp(ex.method[1], "generalized-alpha:rho=0.9") == 0);
    vg_exhibit_check_methods(&ex);
    CHECK_INT(ex.wrong, 0);
    CHECK_INT(vg_exhibit_verdict(&ex), VG_HOLDS);
    CHECK(strstr(vg_text_at(&ex.html), "roots of rk4, generalized-alpha:rho=0.9 are those") != NULL);
    vg_exhibit_method(&ex, "rk4:rho=0.5"); /* no such method: it has no root */
    vg_exhibit_check_methods(&ex);
    CHECK_INT(ex.wrong, 1);
    CHECK_INT(vg_exhibit_verdict(&ex), VG_SAYS_NOTHING);
    CHECK(strstr(vg_text_at(&ex.html), "says nothing") != NULL);
    vg_text_free(&ex.html);
}

TEST_MAIN(methods_are_those_of_the_papers, a_wrong_method_says_nothing, comparisons_with_no_number,
          a_finding_with_no_number_does_not_hold, verdicts_follow_from_findings)
