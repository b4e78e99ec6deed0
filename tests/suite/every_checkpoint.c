/* Every integrator goes on from a checkpoint with the same bits, in the same simulation and in a fresh one.
 */
#include <verge/verge.h>

#include <stdlib.h>

#include "integrator/integrator.h"
#include "test.h"

static const char text[] =
    "verge: 1\n"
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: 0.05, position: [0.5, 0], markers: {O: [-0.5, 0], P: [0.5, 0]}}\n"
    "  b: {mass: 1, inertia: 0.02, position: [1.5, 0], markers: {P: [-0.5, 0]}}\n"
    "joints:\n"
    "  O: {revolute: [ground, a.O]}\n"
    "  P: {revolute: [a.P, b.P]}\n"
    "run: {step: 2e-3}\n";

static vgSim *make(const vgModel *model, const char *integrator)
{
    vgDiag *diag = vg_diag_new();
    vgSim *sim = NULL;
    if (vg_sim_new(model, &(vgSimOptions){.integrator = integrator}, diag, &sim) != VG_OK) {
        printf("%s: %s\n", integrator, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    }
    vg_diag_free(diag);
    return sim;
}

static void finish(vgSim *sim, double values[3])
{
    CHECK_INT(vg_sim_advance(sim, 0.15), VG_OK);
    if (*vg_sim_error(sim)) printf("%s\n", vg_sim_error(sim));
    vg_sim_get(sim, "joint.O.angle", &values[0]);
    vg_sim_get(sim, "joint.P.rate", &values[1]);
    vg_sim_get(sim, "joint.P.force.x", &values[2]);
}

TEST(same_bits)
{
    vgModel *model = vg_parse(text, strlen(text), "text", NULL, NULL);
    CHECK(model != NULL);
    int count = 0;
    for (int i = 0; vg_integrators[i]; i++) {
        const char *name = vg_integrators[i]->name;
        vgSim *sim = make(model, name), *fresh = make(model, name);
        if (!sim || !fresh) continue;
        size_t size = vg_sim_checkpoint_size(sim);
        char *bytes = malloc(size);
        double first[3], again[3], elsewhere[3];
        CHECK_INT(vg_sim_advance(sim, 0.07), VG_OK);
        CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
        finish(sim, first);
        CHECK_INT(vg_sim_restore(sim, bytes, size), VG_OK);
        finish(sim, again);
        CHECK_INT(vg_sim_restore(fresh, bytes, size), VG_OK);
        finish(fresh, elsewhere);
        if (memcmp(first, again, sizeof first) || memcmp(first, elsewhere, sizeof first)) {
            printf("%s: %.17g %.17g %.17g\n", name, first[0], again[0], elsewhere[0]);
        }
        CHECK(memcmp(first, again, sizeof first) == 0);
        CHECK(memcmp(first, elsewhere, sizeof first) == 0);
        count++;
        free(bytes);
        vg_sim_free(sim);
        vg_sim_free(fresh);
    }
    CHECK(count >= 3);
    vg_model_free(model);
}

TEST_MAIN(same_bits)
