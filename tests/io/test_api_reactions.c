/* Reactions that a program reads are those of the motion, as in samples of a run. Momentum is the reference: the horizontal
 * force on a top at its pivot is what changes its momentum, by velocities alone (central differences of this step have an
 * error of 0.2 %). At index 3 the method's own multipliers are off by 3 to 17 %. */
#include <verge/verge.h>

#include <math.h>

#include "test.h"

enum { STEPS = 300 };

typedef enum Reading { BY_GET, BY_READ, BY_REALTIME, READINGS } Reading;

static void read_now(vgSim *sim, Reading how, double out[4])
{
    static const char *const names[] = {"joint.O.force.x", "joint.O.force.y", "momentum.x", "momentum.y"};
    if (how == BY_READ) CHECK_INT(vg_sim_read(sim, out), VG_OK);
    for (int i = 0; i < 4 && how == BY_GET; i++) CHECK_INT(vg_sim_get(sim, names[i], &out[i]), VG_OK);
}

TEST(reactions_change_the_momentum)
{
    static const char *const watched[] = {"joint.O.force.x", "joint.O.force.y", "momentum.x", "momentum.y"};
    static const char *const method[] = {"generalized-alpha:rho=0.9", "bathe", "hht"};
    static double row[STEPS][4];
    const double h = 1e-3;
    for (int run = 0; run < 3 * READINGS; run++) {
        const Reading how = run % READINGS;
        const vgSimOptions dials = {
            .coordinates = "lie", .constraints = "index3", .integrator = method[run / READINGS], .step = h};
        vgModel *model = vg_load(VERGE_SOURCE_DIR "/models/heavy-top.yaml", NULL, NULL);
        vgSim *sim = NULL;
        int n;
        CHECK_INT(vg_sim_new(model, &dials, NULL, &sim), VG_OK);
        CHECK_INT(vg_sim_watch(sim, watched, 4, &n), VG_OK);
        CHECK_INT(n, 4);
        if (how == BY_REALTIME) CHECK_INT(vg_realtime_start(sim, h, 4), VG_OK);
        for (int k = 0; k < STEPS; k++) {
            if (how == BY_REALTIME)
                CHECK_INT(vg_realtime_step(sim, NULL, row[k]), VG_OK);
            else
                CHECK_INT(vg_sim_step(sim, h), VG_OK);
            read_now(sim, how, row[k]);
        }
        double most = 0, off = 0;
        for (int k = 1; k + 1 < STEPS; k++)
            for (int i = 0; i < 2; i++) {
                const double force = (row[k + 1][2 + i] - row[k - 1][2 + i]) / (2 * h);
                most = fmax(most, fabs(force));
                off = fmax(off, fabs(row[k][i] - force));
            }
        CHECK(most > 1);
        CHECK(off < 0.01 * most);
        vg_sim_free(sim);
        vg_model_free(model);
    }
}

TEST_MAIN(reactions_change_the_momentum)
