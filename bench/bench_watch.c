/* What watching a run costs: a step without monitors, one look, the comparison after every other step, and
 * all of it as a part of the steps. The parts are timed each for itself, since their sum is smaller than the
 * noise between two runs.
 *
 *     bench_watch [FOLDER [WORD]]     writes FOLDER/watch.csv; WORD: only rows with it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

enum { ROUNDS = 5, LOOKS = 2000 };

typedef struct subject {
    const char *name, *model, *set, *coordinates, *constraints, *integrator;
    double step;
    int steps;
} subject;

static const subject subjects[] = {
    {"pendulum, planar", "pendulum-planar", NULL, NULL, NULL, "generalized-alpha", 1e-3, 20000},
    {"heavy top", "heavy-top", NULL, "lie", NULL, "generalized-alpha", 1e-4, 20000},
    {"heavy top free, RK4", "heavy-top-free", NULL, "lie", NULL, "rk4", 1e-4, 20000},
    {"squeezer", "squeezer", NULL, NULL, NULL, "generalized-alpha", 1e-6, 20000},
    {"slider-crank", "slider-crank", NULL, NULL, NULL, "generalized-alpha", 1e-4, 20000},
    {"slider-crank 3d", "slider-crank-3d", NULL, "lie", NULL, "generalized-alpha", 1e-4, 20000},
    {"puma 560, tree, RK4", "puma560", NULL, "relative", NULL, "rk4", 1e-4, 20000},
    {"puma 560, tree", "puma560", NULL, "relative", NULL, "generalized-alpha", 1e-4, 20000},
    {"chain 100, spherical", "chain", "N=100", "lie", NULL, "generalized-alpha:rho=0.8", 1e-4, 5000},
    {"chain 100, tree", "chain", "N=100", "relative", NULL, "generalized-alpha:rho=0.8", 1e-4, 5000},
    {"flexible slider-crank", "slider-crank-flexible", NULL, NULL, NULL, "generalized-alpha", 1e-5, 5000},
    {"iltis", "iltis", NULL, NULL, NULL, NULL, 1e-3, 5000},
    {"governor", "governor", NULL, NULL, NULL, "generalized-alpha", 1e-3, 20000},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int open_model(const subject *s, vgModel **model, vgSimulation *sim)
{
    char path[512], name[16] = "";
    vgParamSet set = {0};
    if (s->set) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s->set, "="), s->set);
        set = (vgParamSet){.name = name, .value = atof(strchr(s->set, '=') + 1)};
    }
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, s->model);
    *model = vg_model_load(path, &set, s->set ? 1 : 0, NULL);
    vgDials dials = {s->coordinates, s->constraints, s->integrator};
    return *model && vg_simulation_open(*model, &dials, NULL, sim) == VG_OK;
}

/* The best of several runs; with monitors: how many looks there were. */
static double run(const subject *s, int monitor, long *looks)
{
    double best = 1e300;
    for (int k = 0; k < (monitor ? 1 : ROUNDS); k++) {
        vgModel *model = NULL;
        vgSimulation sim = {0};
        vgTransientResult r = {0};
        if (!open_model(s, &model, &sim)) return -1;
        vgTransientOptions o = {
            .step = s->step, .end = s->step * s->steps, .every = 1 << 30, .monitor = monitor};
        if (vg_transient_run(sim.it, sim.state, &o, NULL, &r) != VG_OK) printf("%s\n", r.failure.text);
        if (r.solve_seconds / (double)r.stats.steps < best) best = r.solve_seconds / (double)r.stats.steps;
        if (looks) *looks = r.watch.looks;
        vg_simulation_close(&sim);
        vg_model_free(model);
    }
    return best;
}

/* One look, and the comparison where there is none. */
static void parts(const subject *s, double *look, double *compare)
{
    vgModel *model = NULL;
    vgSimulation sim = {0};
    vgMonitors *m = NULL;
    vgWatch w;
    *look = *compare = 1e300;
    if (!open_model(s, &model, &sim) || vg_monitors_new(sim.it, sim.state, NULL, &w, &m) != VG_OK) return;
    for (int k = 0; k < ROUNDS; k++) {
        double from = now();
        for (int i = 0; i < LOOKS; i++) vg_monitors_step(m, sim.state, 0, 1);
        double between = now();
        for (int i = 0; i < 100 * LOOKS; i++) {
            sim.state->step = i % VG_RESOLUTION_EVERY - VG_RESOLUTION_EVERY; /* before the next look */
            vg_monitors_step(m, sim.state, 0, 0);
        }
        double to = now();
        if ((between - from) / LOOKS < *look) *look = (between - from) / LOOKS;
        if ((to - between) / (100 * LOOKS) < *compare) *compare = (to - between) / (100 * LOOKS);
    }
    vg_monitors_free(m);
    vg_simulation_close(&sim);
    vg_model_free(model);
}

int main(int argc, char **argv)
{
    char path[512];
    snprintf(path, sizeof path, "%s/watch.csv", argc > 1 ? argv[1] : ".");
    FILE *f = fopen(path, "w");
    if (!f) return 1;
    fprintf(f, "model,step_us,look_us,compare_ns,looks,steps,part_percent\n");
    printf("%-26s %10s %10s %12s %8s %8s\n", "", "step, µs", "look, µs", "compare, ns", "looks", "part, %");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        const subject *s = &subjects[i];
        long looks = 0;
        double look, compare;
        if (argc > 2 && !strstr(s->name, argv[2])) continue;
        double step = run(s, 0, NULL);
        run(s, 1, &looks);
        parts(s, &look, &compare);
        double part = 100 * (look * (double)looks + compare * s->steps) / (step * s->steps);
        printf("%-26s %10.3f %10.3f %12.2f %8ld %8.2f\n", s->name, 1e6 * step, 1e6 * look, 1e9 * compare,
               looks, part);
        fprintf(f, "%s,%.4f,%.4f,%.3f,%ld,%d,%.3f\n", s->name, 1e6 * step, 1e6 * look, 1e9 * compare, looks,
                s->steps, part);
    }
    return fclose(f) ? 1 : 0;
}
