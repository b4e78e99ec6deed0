/* A program of somebody else, in C: a stone falls, so that the whole library is linked and does something. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <verge/verge.h>

static const char text[] =
    "verge: 1\ngravity: [0, 0, -10]\nbodies: {stone: {mass: 2, point: true}}\nrun: {step: 0.01}\n";

int main(void)
{
    vgModel *model = vg_parse(text, sizeof text - 1, "stone", NULL, NULL);
    vgSim *sim = NULL;
    double z = 0;
    int fell = vg_sim_new(model, NULL, NULL, &sim) == VG_OK && vg_sim_advance(sim, 1) == VG_OK &&
               vg_sim_get(sim, "body.stone.position.z", &z) == VG_OK && fabs(z + 5) < 1e-9;
    vg_sim_free(sim);
    vg_model_free(model);
    printf("Verge %s, %s\n", vg_version(), vg_status_text(fell ? VG_OK : VG_NOT_CONVERGED));
    return strcmp(vg_version(), VERGE_VERSION_STRING) != 0;
}
