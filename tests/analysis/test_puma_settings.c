/* The Puma 560 on the tracking task of [H] section 4.4 in every coordinates setting, generalized-α with ρ∞ =
 * 0.9: all end in the same place, and joint coordinates are by far the most accurate ([H] figure 20). Cost:
 * bench_vehicle. */
#include <math.h>

#include "run_model.h"
#include "system/system.h"
#include "test.h"

static runResult track(const char *coordinates, const char *constraints, const char *integrator, double step)
{
    runSpec spec = {.model = "puma560",
                    .coordinates = coordinates,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = step,
                    .end = 0.8, /* the wrist still moves */
                    .set = {"track=1"},
                    .channel = {"marker.link6.tool.position.x", "marker.link6.tool.position.y",
                                "marker.link6.tool.position.z"}};
    return run_model(&spec);
}

static double distance(const runResult *a, const runResult *b)
{
    return sqrt(pow(a->value[0] - b->value[0], 2) + pow(a->value[1] - b->value[1], 2) +
                pow(a->value[2] - b->value[2], 2));
}

TEST(joint_coordinates_are_the_most_accurate)
{
    runResult exact = track("relative", "index1", "dop853:rtol=1e-12,atol=1e-12", 1e-3);
    runResult minimal = track("relative", "index3", "generalized-alpha:rho=0.9", 1e-3);
    double least = distance(&minimal, &exact);
    int n = 0;
    CHECK_INT(exact.status, VG_OK);
    CHECK_INT(minimal.status, VG_OK);
    CHECK(least < 1e-5);
    for (const vgCoordinatesRow *row = vg_coordinates_list; row->name; row++) {
        if (!(row->models & 2) || strcmp(row->name, "relative") == 0) continue;
        runResult r = track(row->name, "index3", "generalized-alpha:rho=0.9", 1e-3);
        if (r.status == VG_BAD_INPUT) continue; /* coordinates for explicit methods only */
        double err = distance(&r, &exact);
        if (r.status != VG_OK || err > 1e-4) printf("%s: %s, %.3g m off\n", row->name, r.error, err);
        CHECK_INT(r.status, VG_OK);
        CHECK(err < 1e-4);
        CHECK(err > 2 * least);
        n++;
    }
    CHECK(n >= 3);
}

TEST_MAIN(joint_coordinates_are_the_most_accurate)
