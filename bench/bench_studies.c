/* Studies of parameters: what a short run of a sweep costs in all (a model from the parsed source, its start, its steps), what
 * 10,000 runs of the cart would take on two cores, and what a derivative along the steps of a run costs, in runs. Processor
 * time; the least of several rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/forward/forward.h"

enum { ROUNDS = 5, RUNS = 50 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Subject {
    const char *model, *parameter, *integrator;
    double end;
} Subject;

typedef struct Rig {
    vgDiag *diag;
    vgQuantities *quantities;
    vgBatch batch;
    double p, y[RUNS];
    char why[VG_SWEEP_WHY];
} Rig;

static int open_rig(Rig *r, const Subject *s)
{
    static const char *const keep[] = {"final(energy.kinetic)"};
    char path[300];
    snprintf(path, sizeof path, VERGE_SOURCE_DIR "/models/%s.yaml", s->model);
    *r = (Rig){.diag = vg_diag_new()};
    r->batch = (vgBatch){.param = &s->parameter, .nparam = s->parameter != NULL, .threads = 1};
    r->batch.sweep.source = vg_source_new(path, NULL, 0, NULL, r->diag);
    if (!r->batch.sweep.source || vg_quantities_new(keep, 1, r->diag, &r->quantities) != VG_OK) return 0;
    r->batch.sweep.quantities = r->quantities;
    r->batch.sweep.end = s->end;
    r->batch.sweep.dials.integrator = s->integrator;
    return !s->parameter || vg_batch_check(&r->batch, &r->p, r->diag) == VG_OK;
}

static void close_rig(Rig *r)
{
    vg_source_free((vgSource *)r->batch.sweep.source);
    vg_quantities_free(r->quantities);
    vg_diag_free(r->diag);
}

/* Seconds of one run of a sweep of n; below 0: it failed. */
static double of_a_run(Rig *r, int n)
{
    double best = 1e30, p[RUNS];
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < n; i++) p[i] = r->p * (1 + 1e-3 * i);
        const double t = seconds();
        if (vg_batch_run(&r->batch, n, p, r->y, r->why) != VG_OK || r->why[0]) return -1;
        const double took = (seconds() - t) / n;
        if (took < best) best = took;
    }
    return best;
}

/* The same of a run with its derivative. */
static double of_a_derivative(Rig *r)
{
    double best = 1e30, y, dy, bend;
    const double size = r->p != 0 ? r->p : 1;
    for (int k = 0; k < ROUNDS; k++) {
        const double t = seconds();
        if (vg_forward(&r->batch, &r->p, &size, 0, 1, &y, &dy, &bend, r->why) != VG_OK) return -1;
        const double took = seconds() - t;
        if (took < best) best = took;
    }
    return best;
}

int main(void)
{
    static const Subject sweeps[] = {{"pendulum-planar", "L", NULL, 0.1},
                                     {"four-bar-planar", "l1", NULL, 0.1}};
    static const Subject slopes[] = {
        {"pendulum", "L", NULL, 5},      {"double-pendulum", "k", NULL, 0.5},
        {"slider-crank", "k", NULL, 2},  {"governor", "m", NULL, 2},
        {"radial-engine", "F", NULL, 1}, {"squeezer", "xa", NULL, 0.01},
        {"rotor", "m", NULL, 0.2},       {"bicycle", "speed", NULL, 2},
        {"cantilever", "EI", NULL, 0.1}, {"slider-crank-flexible", "m2", NULL, 0.2},
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++) {
        Rig r;
        const double run = open_rig(&r, &sweeps[i]) ? of_a_run(&r, RUNS) : -1;
        printf("%-24s %g s: %8.1f µs a run of a sweep%s\n", sweeps[i].model, sweeps[i].end, 1e6 * run,
               i == 0 ? " (goal 100)" : "");
        failed |= run < 0;
        close_rig(&r);
    }
    Rig r = {.diag = vg_diag_new()};
    static const char cart[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {m: 1}\nbodies:\n"
        "  cart: {mass: m, inertia: 0.01}\n  rod: {mass: 0.5, com: [0.5, 0], shape: {bar: 1}}\n"
        "joints: {rail: {prismatic: [ground, cart], axis: x}, pin: {revolute: [cart, rod]}}\n"
        "run: {integrator: generalized-alpha, step: 1e-3, end: 5}\n";
    static const char *const keep[] = {"final(energy.kinetic)"}, *const m[] = {"m"};
    r.batch = (vgBatch){.param = m, .nparam = 1, .threads = 1};
    r.batch.sweep.source = vg_source_new(NULL, cart, strlen(cart), "cart", r.diag);
    if (vg_quantities_new(keep, 1, r.diag, &r.quantities) != VG_OK || !r.batch.sweep.source) return 1;
    r.batch.sweep.quantities = r.quantities;
    r.p = 1;
    const double run = of_a_run(&r, 5);
    printf("%-24s %g s: %8.2f s for 10,000 runs on two cores (goal 20)\n", "cart", 5.0, 1e4 / 2 * run);
    failed |= run < 0;
    close_rig(&r);
    printf("\n%-24s %10s %22s\n", "", "run, ms", "a parameter, in runs");
    for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
        Rig x;
        double alone = open_rig(&x, &slopes[i]) ? of_a_run(&x, 1) : -1,
               with = alone > 0 ? of_a_derivative(&x) : -1;
        printf("%-24s %10.3f %22.2f\n", slopes[i].model, 1e3 * alone, with / alone - 1);
        failed |= with < 0;
        close_rig(&x);
    }
    return failed;
}
