/* Names under which papers, standards and other programs know the methods. A name counts without regard to
 * letter case and to the punctuation in it: "RK4", "MSSTC(3)", "ESDIRK4(3)6L[2]SA_2" are found. */
#include "integrator/integrator.h"

#include <ctype.h>
#include <string.h>

#include "base/names.h"

static const struct {
    const char *name, *others[6];
} known[] = {
    {"generalized-alpha", {"generalised-alpha", "generalized-α", "gen-alpha", "galpha", "chung-hulbert"}},
    {"newmark", {"newmark-beta", "newmark-β"}},
    {"trapezoidal", {"trapezoidal-rule", "average-acceleration", "crank-nicolson"}},
    {"trapezoidal-energy", {"hughes", "energy-constraint"}},
    {"hht", {"hht-alpha", "hht-α", "hilber-hughes-taylor"}},
    {"wilson-theta", {"wilson", "wilson-θ"}},
    {"collocation", {"hilber", "hilber-hughes"}},
    {"midpoint", {"implicit-midpoint", "midpoint-rule"}},
    {"euler", {"forward-euler", "explicit-euler"}},
    {"heun", {"rk2"}},
    {"bs32", {"bogacki-shampine", "bs23", "rk23", "ode23"}},
    {"rk4", {"runge-kutta", "rk44"}},
    {"rkf45", {"fehlberg", "runge-kutta-fehlberg"}},
    {"dopri5", {"dormand-prince", "dopri", "dopri54", "dp5", "dp54", "ode45"}},
    {"rk6", {"rk67", "butcher6"}},
    {"dop853", {"dopri8", "dopri853", "dp8", "dp853"}},
    {"ab1", {"adams-bashforth-1"}},
    {"ab2", {"adams-bashforth-2"}},
    {"ab3", {"adams-bashforth-3"}},
    {"ab4", {"adams-bashforth-4"}},
    {"ab5", {"adams-bashforth-5"}},
    {"am1", {"adams-moulton-1"}},
    {"am2", {"adams-moulton-2"}},
    {"am3", {"adams-moulton-3"}},
    {"am4", {"adams-moulton-4"}},
    {"am5", {"adams-moulton-5"}},
    {"abm", {"adams-bashforth-moulton", "pece", "abm4"}},
    {"bathe", {"rho-bathe", "ρ∞-bathe"}},
    {"esdirk324", {"ESDIRK3(2)4L[2]SA", "dirk33"}},
    {"esdirk325", {"ESDIRK3(2)5L[2]SA", "dirk43"}},
    {"esdirk436", {"ESDIRK4(3)6L[2]SA"}},
    {"esdirk436-2", {"ESDIRK4(3)6L[2]SA_2", "ESDIRK4(3)6L[2]SA₂", "dirk54"}},
    {"lms2", {"ms2"}},
    {"lms3", {"ms3"}},
    {"lms4", {"ms4"}},
    {"bdf1", {"implicit-euler", "backward-euler"}},
    {"bdf", {"gear"}},
    {"sdirk", {"norsett", "nørsett"}},
    {"radau2", {"radau-iia-2"}},
    {"radau3", {"radau", "radau-iia", "radau-iia-3", "radau5"}},
    {"lobatto3c", {"lobatto", "lobatto-iiic"}},
};
enum { KNOWN = sizeof known / sizeof known[0], OTHERS = sizeof known[0].others / sizeof known[0].others[0] };

/* The next character that counts: a letter in lower case, a digit, or what lies beyond ASCII. */
static int next_letter(const char **at)
{
    const unsigned char *p = (const unsigned char *)*at;
    while (*p && *p < 128 && !isalnum(*p)) p++;
    *at = (const char *)p + (*p != 0);
    return tolower(*p);
}

/* Equal but for letter case and punctuation. */
static int same(const char *a, const char *b)
{
    int x, y;
    do {
        x = next_letter(&a);
        y = next_letter(&b);
    } while (x == y && x != 0);
    return x == y;
}

static const vgIntegratorRow *exactly(const char *name)
{
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        if (!strcmp((*r)->name, name)) return *r;
    return NULL;
}

const vgIntegratorRow *vg_integrator_find(const char *name)
{
    const vgIntegratorRow *row = exactly(name);
    if (row) return row;
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        if (same((*r)->name, name)) return *r;
    for (int k = 0; k < KNOWN; k++)
        for (int i = 0; i < OTHERS && known[k].others[i]; i++)
            if (same(known[k].others[i], name)) return exactly(known[k].name);
    return NULL;
}

const char *const *vg_integrator_others(const vgIntegratorRow *row, int *n)
{
    *n = 0;
    for (int k = 0; k < KNOWN; k++)
        if (!strcmp(known[k].name, row->name)) {
            while (*n < OTHERS && known[k].others[*n]) ++*n;
            return known[k].others;
        }
    return NULL;
}

const char *vg_integrator_closest(const char *name)
{
    const char *names[256];
    int count = 0;
    for (const vgIntegratorRow *const *r = vg_integrators; *r && count < 256; r++)
        names[count++] = (*r)->name;
    for (int k = 0; k < KNOWN; k++)
        for (int i = 0; i < OTHERS && known[k].others[i] && count < 256; i++)
            names[count++] = known[k].others[i];
    return vg_name_closest(name, names, count);
}
