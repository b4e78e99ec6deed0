/* What watching a run costs, as a part of its steps: a run without monitors, and all that monitors do over the states of
 * the same run (comparisons, looks, samples, steps from within, contacts). The two are timed each for itself, since the
 * second is smaller than the noise between two runs.
 *
 *     bench_watch [FOLDER [WORD]]     writes FOLDER/watch.csv; WORD: only rows with it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "integrator/rows.h"

enum { ROUNDS = 5 };

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
    {"chain 100, spherical", "chain", "N=100", "lie", NULL, "generalized-alpha:rho=0.8", 1e-4, 20000},
    {"chain 100, tree", "chain", "N=100", "relative", NULL, "generalized-alpha:rho=0.8", 1e-4, 20000},
    {"flexible slider-crank", "slider-crank-flexible", NULL, NULL, NULL, "generalized-alpha", 1e-5, 20000},
    {"iltis", "iltis", NULL, NULL, NULL, NULL, 1e-3, 20000},
    {"cradle", "newtons-cradle", NULL, NULL, NULL, "generalized-alpha", 1e-5, 20000},
    {"billiards", "billiards", NULL, NULL, NULL, "generalized-alpha", 1e-4, 20000},
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

/* A step without monitors, in seconds: the best of several runs. */
static double run(const subject *s)
{
    double best = 1e300;
    for (int k = 0; k < ROUNDS; k++) {
        vgModel *model = NULL;
        vgSimulation sim = {0};
        vgTransientResult r = {0};
        if (!open_model(s, &model, &sim)) return -1;
        vgTransientOptions o = {.step = s->step, .end = s->step * s->steps, .every = 1 << 30};
        if (vg_transient_run(sim.it, sim.state, &o, NULL, &r) != VG_OK) printf("%s\n", r.failure.text);
        if (r.solve_seconds / (double)r.stats.steps < best) best = r.solve_seconds / (double)r.stats.steps;
        vg_simulation_close(&sim);
        vg_model_free(model);
    }
    return best;
}

/* The states of a run, kept. */
typedef struct kept {
    const vgSystem *sys;
    vgState **state;
    double *speed, *t; /* what a run knows */
    long *step;
    long n, room;
} kept;

static void keep(void *user, const vgState *s, vgWork *work)
{
    kept *k = user;
    (void)work;
    if (k->n == k->room || vg_state_new(k->sys, 0, &k->state[k->n]) != VG_OK) return;
    k->t[k->n] = s->t;
    k->step[k->n] = s->step;
    k->speed[k->n] = vg_rows_speed(k->sys->nq, s->q, k->sys->nv, s->v);
    vg_state_copy(k->sys, k->state[k->n++], s);
}

/* All that monitors do over the states of a run, in seconds: comparisons, looks, samples, steps from within, contacts. */
static double watch_all(const subject *s, long *looks)
{
    double best = 1e300;
    vgModel *model = NULL;
    vgSimulation sim = {0};
    vgTransientResult r = {0};
    *looks = 0;
    if (!open_model(s, &model, &sim)) return -1;
    kept k = {
        .sys = sim.it->sys, .room = s->steps + 2, .state = calloc((size_t)s->steps + 2, sizeof *k.state)};
    k.speed = calloc((size_t)s->steps + 2, sizeof *k.speed);
    k.t = calloc((size_t)s->steps + 2, sizeof *k.t);
    k.step = calloc((size_t)s->steps + 2, sizeof *k.step);
    vgTransientOptions o = {.step = s->step, .end = s->step * s->steps, .every = 1 << 30};
    keep(&k, sim.state, NULL);
    vg_transient_run(sim.it, sim.state, &o, &(vgSink){.user = &k, .step = keep}, &r);
    for (int round = 0; round < ROUNDS && k.n > 1; round++) {
        vgMonitors *m = NULL;
        vgWatch w;
        if (vg_monitors_new(sim.it, k.state[0], NULL, &w, &m) != VG_OK) break;
        /* the state of a run is near at hand; of those that are kept only what is looked at is read */
        const vgIndicators *x = (const vgIndicators *)m;
        vgState near = *k.state[0];
        double from = now();
        for (long i = 1; i < k.n; i++) {
            near.step = k.step[i];
            near.t = k.t[i];
            const int looked = near.step >= x->next || k.speed[i] > x->alarm || x->brief ||
                               (x->resolution && near.step >= x->three);
            const vgState *s1 = looked ? k.state[i] : &near;
            sim.it->stats.steps = near.step;
            vg_monitors_piece(m, s1);
            if (vg_monitors_step(m, s1, k.speed[i], i + 1 == k.n) != VG_OK) {
                printf("%s\n", sim.it->failure.text);
                break;
            }
        }
        double took = now() - from;
        if (took < best) best = took;
        *looks = w.looks;
        vg_monitors_free(m);
    }
    for (long i = 0; i < k.n; i++) vg_state_free(k.state[i]);
    free(k.state);
    free(k.speed);
    free(k.t);
    free(k.step);
    vg_simulation_close(&sim);
    vg_model_free(model);
    return best;
}

int main(int argc, char **argv)
{
    char path[512];
    snprintf(path, sizeof path, "%s/watch.csv", argc > 1 ? argv[1] : ".");
    FILE *f = fopen(path, "w");
    if (!f) return 1;
    fprintf(f, "model,step_us,watch_ns,looks,steps,part_percent\n");
    printf("%-26s %10s %14s %8s %8s\n", "", "step, µs", "watching, ns", "looks", "part, %");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        const subject *s = &subjects[i];
        long looks = 0;
        if (argc > 2 && !strstr(s->name, argv[2])) continue;
        const double step = run(s), watch = watch_all(s, &looks) / s->steps, part = 100 * watch / step;
        printf("%-26s %10.3f %14.2f %8ld %8.2f\n", s->name, 1e6 * step, 1e9 * watch, looks, part);
        fprintf(f, "%s,%.4f,%.3f,%ld,%d,%.3f\n", s->name, 1e6 * step, 1e9 * watch, looks, s->steps, part);
    }
    return fclose(f) ? 1 : 0;
}
