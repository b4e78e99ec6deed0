/* Spheres that fall onto a plane and onto each other, as one group of contacts: processor time, Newton iterations and
 * memory at growing size, and the exponent of the growth.
 *
 *     bench_contacts [N]     N: only that many spheres
 *
 * Layers of spheres of radius 0.05 m, some of which overlap at the start, with Hertz's contact, restitution 0.3 and friction 0.3;
 * h = 1 ms, 100 steps, default method. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

enum { STEPS = 100 };

static char *spheres(int n)
{
    int side = n > 8 ? (int)lround(cbrt(n / 2.0)) : 2, at;
    char *text = malloc(160 * (size_t)n + 600);
    if (!text) exit(EXIT_FAILURE);
    if (side < 2) side = 2;
    at = sprintf(text,
                 "verge: 1\ngravity: [0, 0, -9.81]\nparameters: {r: 0.05, m: 0.5, J: 0.4*m*r^2}\nbodies:\n");
    for (int k = 0; k < n; k++) {
        int layer = k / (side * side), i = k % (side * side) / side, j = k % side;
        at += sprintf(text + at, "  b%d: {mass: m, inertia: [J, J, J], position: [%.4f, %.4f, %.4f]}\n", k,
                      0.11 * i + 0.013 * ((layer * 7 + i) % 3), 0.11 * j + 0.011 * ((layer * 5 + j) % 3),
                      0.06 + 0.11 * layer);
    }
    sprintf(text + at, "contacts:\n  g: {among: ['b*'], planes: [ground], radius: r, stiffness: 1e6, "
                       "restitution: 0.3, friction: 0.3}\n");
    return text;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Row {
    double setup, step, memory, depth;
    vgTransientResult end;
} Row;

static int measure(const char *text, int rounds, Row *row)
{
    static const char *const depth = "force.g.depth";
    row->setup = row->step = INFINITY;
    for (int round = 0; round < rounds; round++) {
        vgDiag *diag = vg_diag_new();
        vgModel *model = vg_model_parse(text, strlen(text), "spheres", NULL, 0, diag);
        vgDials dials = {NULL, NULL, NULL};
        vgSimulation sim;
        vgChannels *channels = NULL;
        double start = now();
        int good = model && vg_simulation_open(model, &dials, diag, &sim) == VG_OK;
        if (good) {
            const vgTransientOptions how = {.step = 1e-3, .end = STEPS * 1e-3, .every = STEPS};
            vgSink sink = {0};
            double opened = now();
            good = vg_transient_run(sim.it, sim.state, &how, &sink, &row->end) == VG_OK;
            row->setup = fmin(row->setup, opened - start);
            row->step = fmin(row->step, (now() - opened) / STEPS);
            row->memory = (double)(vg_work_memory(sim.it->work) + sim.state->bytes);
            if (good) good = vg_channels_new(sim.sys, &depth, 1, diag, &channels) == VG_OK;
            if (good) vg_channels_eval(channels, sim.it->work, sim.state, &row->depth);
            vg_channels_free(channels);
            vg_simulation_close(&sim);
        }
        if (!good)
            printf("not run: %s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : row->end.failure.text);
        vg_model_free(model);
        vg_diag_free(diag);
        if (!good) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {30, 100, 1000, 10000};
    double last = 0, before = 0;
    int good = 1;
    printf("%8s %10s %10s %8s %10s %8s %10s %10s\n", "spheres", "set-up ms", "step µs", "growth",
           "iterations", "failed", "bytes/body", "depth mm");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        Row row;
        if (argc > 1 && atoi(argv[1]) != sizes[k]) continue;
        char *text = spheres(sizes[k]);
        if (measure(text, sizes[k] > 100 ? 1 : 5, &row)) {
            printf("%8d %10.1f %10.1f", sizes[k], 1e3 * row.setup, 1e6 * row.step);
            if (last > 0)
                printf(" %8.2f", log(row.step / last) / log(sizes[k] / before));
            else
                printf(" %8s", "");
            printf(" %10.2f %8ld %10.0f %10.2f\n", (double)row.end.stats.newton_iterations / STEPS,
                   (long)row.end.stats.newton_failures, row.memory / sizes[k], 1e3 * row.depth);
            last = row.step;
            before = sizes[k];
        } else {
            good = 0;
        }
        fflush(stdout);
        free(text);
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
