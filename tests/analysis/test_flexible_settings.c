/* Beams through all coordinates and constraints: the motion is the same. */
#include <math.h>
#include <string.h>

#include "analysis/channels.h"
#include "analysis/simulation.h"
#include "analysis/transient.h"
#include "element/force_util.h"
#include "test.h"

/* The beam turns, the disc at its end does not yet: the first millisecond is violent, and Newton's first
 * steps too long. */
static const char jerk[] = "verge: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  disc: {mass: 0.2, inertia: [1e-3, 1e-3, 1e-3], position: [1, 0, 0]}\n"
                           "mesh:\n"
                           "  b: {beam3: 4, start: {revolute: ground, axis: z}, to: disc, circle: 0.01, E: "
                           "2e9, nu: 0.3, rho: 2000,\n"
                           "      damping: 1e-3, omega: [0, 0, 1]}\n"
                           "forces:\n"
                           "  p: {force: disc, value: [0, 0, \"2*sin(10*t)\"]}\n";

static vgVec3 disc_after(const vgModel *m, const char *coordinates, const char *constraints,
                         const char *integrator, double step)
{
    static const char *const names[] = {"body.disc.position.x", "body.disc.position.y",
                                        "body.disc.position.z"};
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    double x[3] = {NAN, NAN, NAN};
    vgTransientResult end = {0};
    vgDials dials = {coordinates, constraints, integrator};
    vgTransientOptions o = {.step = step, .end = 0.1, .every = 1 << 30};
    vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
    if (st == VG_OK) st = vg_transient_run(sim.it, sim.state, &o, NULL, &end);
    if (st == VG_OK) st = vg_channels_new(sim.sys, names, 3, diag, &channels);
    if (st == VG_OK)
        vg_channels_eval(channels, sim.it->work, sim.state, x);
    else
        printf("%s %s %s: %s\n", coordinates, constraints, integrator, end.failure.text);
    vg_channels_free(channels);
    if (sim.sys) vg_simulation_close(&sim);
    vg_diag_free(diag);
    return vg_load3(x);
}

/* An iteration that diverges meets the constraints as well as one that converges; where there are none
 * (joint coordinates of this tree) always. */
TEST(augmented_lagrangian)
{
    static const char *const coordinates[] = {"lie", "se3", "relative"};
    vgModel *m = vg_model_parse(jerk, strlen(jerk), "jerk", NULL, 0, NULL);
    vgVec3 exact = disc_after(m, "lie", "index3", "radau3", 5e-4);
    for (int c = 0; c < VG_COUNT(coordinates); c++) {
        vgVec3 x = disc_after(m, coordinates[c], "augmented3", "bathe", 1e-3);
        CHECK_NEAR(vg_norm3(vg_sub3(x, exact)), 0, 5e-6);
    }
    vg_model_free(m);
}

TEST_MAIN(augmented_lagrangian)
