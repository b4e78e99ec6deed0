/* Does a start stand in a singular position, or do rows repeat others? The answer must not depend on how far beside the
 * start that is looked at: a Bricard ring, one of whose rows repeats others in every position, starts, and links in line
 * (two rods between points that are as far apart as both are long) do not. Assembly is compiled here with that distance
 * as a variable. */
#include "analysis/tuning.h"

static double aside;
#undef VG_START_ASIDE
#define VG_START_ASIDE aside
#include "analysis/state/assemble.c"

#include "run_model.h"
#include "test.h"

static const char in_line[] =
    "verge: 1\n"
    "bodies:\n"
    "  ground: {markers: {B: [2, 0, 0]}}\n"
    "  a: {mass: 1, inertia: [1, 1, 1], markers: {e: [1, 0, 0]}}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], markers: {e: [1, 0, 0]}}\n"
    "joints:\n"
    "  A: {revolute: [ground, a], axis: z}\n"
    "  C: {revolute: [a.e, b], axis: z}\n"
    "  B: {spherical: [ground.B, b.e]}\n";

TEST(the_distance_beside_the_start_does_not_decide)
{
    static const double part[] = {1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 4e-3, 6e-3, 1e-2};
    for (int i = 0; i < 8; i++) {
        aside = part[i];
        runSpec ring = {.model = "bricard", .step = 1e-3, .end = 2e-3, .channel = {"energy.total"}};
        runResult r = run_model(&ring);
        if (r.status != VG_OK) printf("%g: %s\n", aside, r.error);
        CHECK_INT(r.status, VG_OK);
        CHECK_INT(r.nredundant, 1);
        runSpec line = {.text = in_line, .step = 1e-3, .end = 2e-3, .channel = {"energy.total"}};
        r = run_model(&line);
        CHECK(r.status != VG_OK);
        CHECK_STR(r.error, "singular position");
    }
}

TEST_MAIN(the_distance_beside_the_start_does_not_decide)
