/* What a call of the C API costs on the smallest model: what bench/bench_calls.py compares Python with. A line for each
 * call: its name and the least time of many rounds, ns. */
#include <stdio.h>
#include <time.h>

#include "verge/verge.h"

enum { CALLS = 20000, ROUNDS = 40 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef void (*call)(vgSim *sim, int channel);

static void step(vgSim *sim, int channel)
{
    (void)channel;
    vg_sim_step(sim, 1e-4);
}

static void value(vgSim *sim, int channel)
{
    double x;
    vg_sim_value(sim, channel, &x);
}

static double least(vgSim *sim, int channel, call f)
{
    double best = 1e30;
    for (int k = 0; k < ROUNDS; k++) {
        double t = now();
        for (int i = 0; i < CALLS; i++) f(sim, channel);
        t = (now() - t) / CALLS;
        if (t < best) best = t;
    }
    return best;
}

int main(void)
{
    vgModel *model = vg_load(VERGE_SOURCE_DIR "/models/pendulum-planar.yaml", NULL, NULL);
    const vgSimOptions options = {.coordinates = "relative", .integrator = "rk4"};
    vgSim *sim = NULL;
    int angle;
    if (!model || vg_sim_new(model, &options, NULL, &sim) != VG_OK) return 1;
    if (vg_sim_channel(sim, "joint.O.angle", &angle) != VG_OK) return 1;
    printf("step %.1f\nvalue %.1f\n", least(sim, angle, step), least(sim, angle, value));
    vg_sim_free(sim);
    vg_model_free(model);
    return 0;
}
