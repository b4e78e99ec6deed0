/* Methods are found under the names that papers and programs give them. */
#include "integrator/integrator.h"

#include <string.h>

#include "test.h"

TEST(names_of_papers_and_programs)
{
    static const char *const pairs[][2] = {
        {"RK4", "rk4"},
        {"MSSTC(3)", "msstc3"},
        {"HHT-I3", "hht-i3"},
        {"ESDIRK3(2)4L[2]SA", "esdirk324"},
        {"ESDIRK3(2)5L[2]SA", "esdirk325"},
        {"ESDIRK4(3)6L[2]SA", "esdirk436"},
        {"ESDIRK4(3)6L[2]SA_2", "esdirk436-2"},
        {"ESDIRK4(3)6L[2]SA₂", "esdirk436-2"},
        {"generalized-α", "generalized-alpha"},
        {"Crank-Nicolson", "trapezoidal"},
        {"implicit Euler", "bdf1"},
        {"forward_euler", "euler"},
        {"Radau IIA", "radau3"},
        {"Nørsett", "sdirk"},
        {"DOPRI8", "dop853"},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        const vgIntegratorRow *row = vg_integrator_find(pairs[k][0]);
        CHECK(row && !strcmp(row->name, pairs[k][1]));
    }
    CHECK(!vg_integrator_find("generalized"));
    CHECK(!vg_integrator_find(""));
    CHECK(!vg_integrator_find("-"));
}

/* Each other name leads to its own row, and to no other. */
TEST(other_names_are_of_one_method)
{
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        int n;
        const char *const *other = vg_integrator_others(*r, &n);
        CHECK(vg_integrator_find((*r)->name) == *r);
        for (int i = 0; i < n; i++) CHECK(vg_integrator_find(other[i]) == *r);
    }
}

TEST(closest)
{
    CHECK_STR(vg_integrator_closest("radua3"), "radau3");
    CHECK(!vg_integrator_closest("quadrature"));
}

TEST_MAIN(names_of_papers_and_programs, other_names_are_of_one_method, closest)
