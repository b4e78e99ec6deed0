/* Drives whose rate jumps, as that of a table with corners does: the joints strike, and what is not driven
 * takes the impulse. Closed form, in all coordinates, with all ways to hold constraints. */
#include <math.h>

#include "run_model.h"
#include "test.h"

/* A rod, 2 kg and 0.1 kg m² about its middle, hangs by its end, half a metre above, from a cart and knows no
 * weight. At 1 s the cart goes off with 0.3 m/s: the rod turns with −m l V/(I + m l²) = −½ rad/s from then
 * on, since in the cart's frame nothing acts on it. At 1.5 s it is at −¼ rad and the cart stops, which gives
 * ½ cos ¼ back. */
#define ROD(drive)                                                                                           \
    "verge: 1\nplanar: true\ngravity: [0, 0]\ntables: {way: [[0, 0], [1, 0], [1.5, 0.15], [3, 0.15]]}\n"     \
    "bodies: {cart: {mass: 1, inertia: 1}, rod: {mass: 2, inertia: 0.1, com: [0, -0.5]}}\n"                  \
    "joints:\n  rail: {prismatic: [ground, cart], axis: x, drive: {" drive "}}\n"                            \
    "  pin: {revolute: [cart, rod]}\n"
#define CORNERS ROD("displacement: 'table(way, t)'")
#define JUMPS   ROD("rate: 'if(t < 1, 0, if(t < 1.5, 0.3, 0))'")

static void strike(const char *text, const char *coordinates, const char *constraints, const char *integrator,
                   double step)
{
    const double rate = -0.5 + 0.5 * cos(0.25);
    runSpec spec = {.text = text,
                    .coordinates = coordinates,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = step,
                    .end = 2,
                    .every = 1,
                    .channel = {"joint.pin.rate", "joint.pin.angle", "joint.rail.displacement"}};
    runResult r = run_model(&spec);
    double off = fmax(fabs(r.value[0] - rate), fabs(r.value[1] + 0.25 - 0.5 * rate));
    if (r.status != VG_OK || !(off < 2e-5))
        printf("%s, %s, %s, %g: %g %s\n", coordinates, constraints, integrator, step, off, r.error);
    CHECK_INT(r.status, VG_OK);
    CHECK(off < 2e-5);
    CHECK_NEAR(r.value[2], 0.15, 1e-6);
}

/* Steps that meet the corners, and steps that do not. */
static void both(const char *text, const char *coordinates, const char *constraints, const char *integrator)
{
    strike(text, coordinates, constraints, integrator, 1. / 256);
    strike(text, coordinates, constraints, integrator, 0.0037);
}

TEST(in_all_coordinates)
{
    static const char *const coordinates[] = {"planar", "relative", "natural"};
    static const char *const constraints[] = {"index3",     "index2",  "index1",     "augmented3",
                                              "augmented1", "penalty", "independent"};
    for (int x = 0; x < 3; x++)
        for (int c = 0; c < 7; c++) both(CORNERS, coordinates[x], constraints[c], "generalized-alpha");
}

TEST(with_methods_of_all_kinds)
{
    static const struct {
        const char *constraints, *method;
    } one[] = {{"index1", "rk4"},
               {"index1", "dopri5:rtol=1e-9"},
               {"index1", "abm"},
               {"index3", "rattle"},
               {"index3", "energy-momentum"},
               {"index3", "bdf:rtol=1e-8"},
               {"index3", "radau3"},
               {"index2", "esdirk436"},
               {"index2", "hht-si2"},
               {"index3", "lms3"},
               {"index3", "bathe"},
               {"index3", "bathe:rtol=1e-7"},
               {"index3", "midpoint"},
               {"index3", "trapezoidal"},
               {"index2", "mssth4"},
               {"index3", "newmark:gamma=0.5,beta=0.25"},
               {"independent", "rk4"},
               {"independent", "dopri5:rtol=1e-9"},
               {"independent", "adams:rtol=1e-9"},
               {"independent", "radau3"},
               {"independent", "sdirk"},
               {"independent", "wilson-theta"},
               {"independent", "collocation"},
               {"independent", "midpoint"}};
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        both(CORNERS, "planar", one[i].constraints, one[i].method);
}

TEST(where_the_rate_itself_is_driven)
{
    both(JUMPS, "planar", "index3", "generalized-alpha");
    both(JUMPS, "planar", "index2", "radau3");
    both(JUMPS, "planar", "index1", "dopri5:rtol=1e-9");
    both(JUMPS, "relative", "index3", "generalized-alpha");
}

TEST_MAIN(in_all_coordinates, with_methods_of_all_kinds, where_the_rate_itself_is_driven)
