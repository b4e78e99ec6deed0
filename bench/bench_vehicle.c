/* The Iltis up a ramp and down stairs in the three formulations that [D] compares in its table 2, on a road
 * of our own (models/iltis-stairs.yaml): processor time, Newton iterations and real-time factor of 8 s at
 * steps of 1e-3 and 1e-2 s and at the largest step that still works.
 *
 *     bench_vehicle [FOLDER]     writes FOLDER/vehicle.csv; a word as second argument: only rows with it
 *
 *   GLB   global: natural coordinates, augmented Lagrangian
 *   TPL   topological: joint coordinates, reduced to independent ones
 *   HYB   hybrid: joint coordinates, augmented Lagrangian
 *   TR    trapezoidal rule (index 3), SDIRK: L-stable diagonally implicit Runge–Kutta method (index 1)
 *
 * A step works when the run ends with at most one step in a hundred split and the height of the chassis is
 * never off by more than a tenth of the steps' total height from a run with small steps. The paper's figures
 * (Athlon XP, 1.4 GHz, its own road) stand beside for the order of the methods, not for comparison of times.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

static const double END = 8, OFF = 0.1; /* s, m */
enum { ROWS = 81 };                     /* heights every 0.1 s */

typedef struct way {
    const char *name, *coordinates, *constraints, *integrator;
    struct {
        double step, seconds, iterations;
    } paper[3];
} way;

static const way ways[] = {
    {"GLB+TR",
     "natural",
     "augmented3",
     "trapezoidal:newton=step",
     {{1e-3, 133.48, 57832}, {1e-2, 5.39, 1909}, {1.75e-2, 3.82, 1462}}},
    {"TPL+TR",
     "relative",
     "independent",
     "trapezoidal:newton=step",
     {{1e-3, 4.11, 8796}, {1e-2, 0.92, 1876}, {2.5e-2, 0.72, 1468}}},
    {"HYB+TR",
     "relative",
     "augmented3",
     "trapezoidal:newton=step",
     {{1e-3, 5.75, 9238}, {1e-2, 1.02, 1839}, {3.5e-2, 0.57, 1003}}},
    {"GLB+SDIRK", "natural", "augmented1", "sdirk:newton=step", {{1e-4, 6705.13, 427199}}},
    {"TPL+SDIRK", "relative", "independent", "sdirk:newton=step", {{1e-3, 15.54, 15492}, {1e-2, 4.39, 4748}}},
    {"HYB+SDIRK",
     "relative",
     "augmented1",
     "sdirk:newton=step",
     {{1e-3, 16.35, 11538}, {7.5e-3, 4.33, 3835}}},
    {"GLB, multipliers", "natural", "index3", "trapezoidal:newton=step", {{0, 0, 0}}},
    {"HYB, multipliers", "relative", "index3", "trapezoidal:newton=step", {{0, 0, 0}}},
};

typedef struct heights {
    vgChannels *channels;
    double z[ROWS];
    int n;
} heights;

typedef struct result {
    int done; /* to the end, few steps split */
    long split;
    double off; /* largest difference of the heights */
    double ms, iterations;
} result;

static vgStatus row(void *user, const vgState *state, vgWork *work)
{
    heights *h = user;
    if (h->n < ROWS) vg_channels_eval(h->channels, work, state, &h->z[h->n++]);
    return VG_OK;
}

static int run(const vgModel *model, const way *w, double step, const heights *reference, heights *out,
               result *r)
{
    static const char *const name[] = {"body.chassis.position.z"};
    vgDials dials = {w->coordinates, w->constraints, w->integrator};
    vgDiag *diag = vg_diag_new();
    vgSimulation sim;
    *out = (heights){0};
    if (vg_simulation_open(model, &dials, diag, &sim) != VG_OK) {
        printf("%-18s not run: %s\n", w->name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
        vg_diag_free(diag);
        return 0;
    }
    vgTransientOptions how = {.step = step, .end = END, .interval = END / (ROWS - 1)};
    vgSink sink = {.user = out, .row = row};
    vgTransientResult end = {0};
    int good = vg_channels_new(sim.sys, name, 1, diag, &out->channels) == VG_OK;
    if (good) good = vg_transient_run(sim.it, sim.state, &how, &sink, &end) == VG_OK && out->n == ROWS;
    r->split = end.stats.substeps;
    r->done = good && 100 * end.stats.substeps <= end.stats.steps;
    r->off = 0;
    for (int i = 0; reference && i < out->n; i++) r->off = fmax(r->off, fabs(out->z[i] - reference->z[i]));
    double ms = 1e3 * end.solve_seconds;
    if (r->ms == 0 || ms < r->ms) r->ms = ms;
    r->iterations = (double)end.stats.newton_iterations;
    vg_channels_free(out->channels);
    vg_simulation_close(&sim);
    vg_diag_free(diag);
    return 1;
}

static void show(FILE *csv, const way *w, double step, const result *r, int largest)
{
    double factor = r->done ? 1e3 * END / r->ms : 0;
    int k = 0;
    if (r->done && r->off <= OFF)
        printf("%-18s %8.4g%s %9.1f %8.0f %9.0f %6ld %9.2g", w->name, step, largest ? "*" : " ", r->ms,
               r->iterations, factor, r->split, r->off);
    else
        printf("%-18s %8.4g  does not work (%s)", w->name, step, r->done ? "far off" : "steps fail");
    while (k < 2 && (w->paper[k].step < 0.999 * step && !largest)) k++;
    if (largest)
        for (k = 2; k > 0 && w->paper[k].step == 0;) k--;
    if (w->paper[k].step > 0 && (largest || fabs(w->paper[k].step - step) < 1e-6))
        printf("   [D]: h %g, %.2f s, %.0f", w->paper[k].step, w->paper[k].seconds, w->paper[k].iterations);
    printf("\n");
    fflush(stdout);
    fprintf(csv, "%s,%s,%s,%s,%g,%d,%d,%.4f,%.0f,%.2f,%.3g\n", w->name, w->coordinates, w->constraints,
            w->integrator, step, largest, r->done && r->off <= OFF, r->ms, r->iterations, factor, r->off);
}

static void measure(FILE *csv, const vgModel *model, const way *w, const heights *reference)
{
    static const double steps[] = {1e-3, 1e-2}, larger[] = {2e-3, 3e-3,   5e-3, 7.5e-3, 1e-2, 1.5e-2, 1.75e-2,
                                                            2e-2, 2.5e-2, 3e-2, 3.5e-2, 4e-2, 5e-2};
    int ten = 0; /* 1e-2 works: larger ones are tried, else smaller ones */
    heights h;
    for (int i = 0; i < 2; i++) {
        result r = {0};
        for (int round = 0; round < 3; round++)
            if (!run(model, w, steps[i], reference, &h, &r)) return;
        show(csv, w, steps[i], &r, 0);
        ten = r.done && r.off <= OFF;
    }
    result best = {0};
    double at = 0;
    for (size_t i = ten ? 5 : 0; i < sizeof larger / sizeof larger[0]; i++) {
        result r = {0};
        if (!run(model, w, larger[i], reference, &h, &r) || !r.done || r.off > OFF) break;
        run(model, w, larger[i], reference, &h, &r);
        best = r;
        at = larger[i];
    }
    if (at > 0) show(csv, w, at, &best, 1);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".", *word = argc > 2 ? argv[2] : "";
    char path[500];
    snprintf(path, sizeof path, "%s/vehicle.csv", folder);
    FILE *csv = fopen(path, "w");
    if (!csv) {
        perror(path);
        return 1;
    }
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_model_load(VERGE_SOURCE_DIR "/models/iltis-stairs.yaml", NULL, 0, diag);
    if (!model) {
        printf("%s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "no model");
        return 1;
    }
    fputs("formulation,coordinates,constraints,integrator,step,largest,works,ms,iterations,real_time_factor,"
          "height_off\n",
          csv);
    static const way fine = {"reference", "relative", "index3", "trapezoidal:newton=step", {{0, 0, 0}}};
    heights reference;
    result r = {0};
    if (!run(model, &fine, 2e-4, NULL, &reference, &r)) return 1;
    printf("8 s of driving, processor time; * the largest step of 2e-3 … 5e-2 that works\n");
    printf("%-18s %8s  %9s %8s %9s %7s %9s\n", "", "step", "ms", "iter.", "× real", "split", "off, m");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strstr(ways[i].name, word)) measure(csv, model, &ways[i], &reference);
    vg_model_free(model);
    vg_diag_free(diag);
    return fclose(csv) != 0;
}
