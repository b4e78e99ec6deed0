/* How even the cost of a step is: the Iltis on its stairs at 1 kHz, with a fixed number of iterations, and
 * the tangent made in every step, renewed in one go when it is due, or in parts, one a step.
 *
 *     bench_realtime [WORD]     only rows with WORD
 *
 * A run repeats itself bit by bit, so that the least time of each step over several runs is what the step
 * itself costs, whatever else the machine did meanwhile. With the renewal after the step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/realtime/realtime.h"

enum { STEPS = 8000, RUNS = 15 };

typedef struct row {
    const char *name, *coordinates, *constraints, *integrator;
} row;

#define TR "trapezoidal:tol=1e-8,acc=1e-4,fixed=2,"
static const row rows[] = {
    {"a tangent a step", "relative", "index3", TR "newton=step"},
    {"held", "relative", "index3", TR "newton=hold"},
    {"renewed every 8 steps", "relative", "index3", TR "newton=frozen,refresh=8"},
    {"spread over 4", "relative", "index3", TR "spread=4"},
    {"spread over 8", "relative", "index3", TR "spread=8"},
    {"spread over 16", "relative", "index3", TR "spread=16"},
    {"HYB, renewed every 8 steps", "relative", "augmented3", TR "newton=frozen,refresh=8"},
    {"HYB, spread over 8", "relative", "augmented3", TR "spread=8"},
    {"GLB, renewed every 8 steps", "natural", "augmented3", TR "newton=frozen,refresh=8"},
    {"GLB, spread over 8", "natural", "augmented3", TR "spread=8"},
};

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return 1e6 * (double)ts.tv_sec + 1e-3 * (double)ts.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int run_once(const vgModel *m, const row *r, double *cost, vgDiag *diag, vgStats *stats)
{
    vgSimulation sim = {0};
    vgRealtime rt = {0};
    vgDials dials = {r->coordinates, r->constraints, r->integrator};
    vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
    if (st == VG_OK) st = vg_realtime_begin(&rt, &sim, 1e-3, 0, diag);
    for (int i = 0; i < STEPS && st == VG_OK; i++) {
        double begin = now();
        st = vg_realtime_advance(&rt);
        cost[i] = fmin(cost[i], now() - begin);
    }
    if (st == VG_OK) *stats = sim.it->stats;
    vg_realtime_end(&rt);
    if (sim.sys) vg_simulation_close(&sim);
    return st == VG_OK;
}

int main(int argc, char **argv)
{
    static double cost[STEPS];
    char path[600];
    vgDiag *diag = vg_diag_new();
    snprintf(path, sizeof path, "%s/models/iltis-stairs.yaml", VERGE_SOURCE_DIR);
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    printf("%-30s %8s %8s %8s %8s %8s %12s %9s\n", "us a step", "mean", "median", "p99", "p99.9", "max",
           "max/median", "tangents");
    for (size_t k = 0; m && k < sizeof rows / sizeof *rows; k++) {
        vgStats stats = {0};
        int ok = 1;
        double sum = 0;
        if (argc > 1 && !strstr(rows[k].name, argv[1])) continue;
        for (int i = 0; i < STEPS; i++) cost[i] = INFINITY;
        for (int i = 0; i < RUNS && ok; i++) ok = run_once(m, &rows[k], cost, diag, &stats);
        if (!ok) {
            printf("%-30s fails: %s\n", rows[k].name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
            continue;
        }
        double *later = cost + 1; /* the first makes the first matrix, and finds cold caches */
        int n = STEPS - 1;
        qsort(later, (size_t)n, sizeof *later, by_size);
        for (int i = 0; i < n; i++) sum += later[i];
        double median = later[n / 2], most = later[n - 1];
        printf("%-30s %8.2f %8.2f %8.2f %8.2f %8.2f %12.2f %9ld\n", rows[k].name, sum / n, median,
               later[(int)(0.99 * n)], later[(int)(0.999 * n)], most, most / median, stats.jacobians);
        fflush(stdout);
    }
    vg_model_free(m);
    vg_diag_free(diag);
    return m ? 0 : 1;
}
