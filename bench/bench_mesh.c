/* Mechanisms that are no trees: processor time of set-up and of a step at growing size, and the exponent of their growth.
 *
 *     bench_mesh [WORD]     WORD: only rows with it
 *
 * Nets of bars with ball joints at point masses, nets of points held by distances, frames and lattices of beams, four-bars and pendulums
 * on one platform, parallelograms in a row, two-wheeled robots, rings and chains of links. Each is run with the default dials and with others in
 * turn, in the same call: the last columns are the fastest of the others and its time by that of the default. A step is the
 * mean of the last FAR − NEAR steps of a run, so that what only a start costs does not count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "generators.h"

enum { ROUNDS = 2, NEAR = 10, FAR = 30, OTHERS = 3 };

/* Seconds of set-up and of `steps` steps; 0: it could not be done. */
static int run(const Text *t, const char *name, vgDials dials, int steps, double *setup, double *all)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_model_parse(t->s, t->n, name, NULL, 0, diag);
    vgSimulation sim;
    double start = now();
    int good = model && vg_simulation_open(model, &dials, diag, &sim) == VG_OK;
    if (good) {
        const vgTransientOptions how = {.step = 1e-3, .end = steps * 1e-3, .every = steps};
        vgSink sink = {0};
        vgTransientResult out;
        double opened = now();
        good = vg_transient_run(sim.it, sim.state, &how, &sink, &out) == VG_OK;
        *setup = fmin(*setup, opened - start);
        *all = fmin(*all, now() - opened);
        vg_simulation_close(&sim);
    }
    if (!good) printf("%-28s not run: %s\n", name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    vg_model_free(model);
    vg_diag_free(diag);
    return good;
}

typedef struct Times {
    double setup, near, far;
} Times;

static int measure(const Text *t, const char *name, vgDials dials, Times *x)
{
    return run(t, name, dials, NEAR, &x->setup, &x->near) && run(t, name, dials, FAR, &x->setup, &x->far);
}

static double step_of(const Times *x)
{
    return (x->far - x->near) / (FAR - NEAR);
}

#define AUGMENTED                                                                                            \
    {                                                                                                        \
        .constraints = "augmented3"                                                                          \
    }
#define INDEX3                                                                                               \
    {                                                                                                        \
        .constraints = "index3"                                                                              \
    }
#define NATURAL                                                                                              \
    {                                                                                                        \
        .coordinates = "natural"                                                                             \
    }
#define RELATIVE                                                                                             \
    {                                                                                                        \
        .coordinates = "relative"                                                                            \
    }

static const struct {
    const char *name;
    int (*make)(Text *t, int n);
    int sizes[3];
    vgDials own, other[OTHERS];
} families[] = {
    {"net of bars", net_of_bars, {10, 20, 40}, {NULL}, {AUGMENTED, INDEX3}},
    {"net of points", net_of_points, {30, 60, 100}, {NULL}, {AUGMENTED, INDEX3}},
    {"plane frame of beams", plane_frame, {15, 30, 50}, {NULL}, {AUGMENTED, INDEX3}},
    {"lattice of beams", lattice, {5, 7, 10}, {NULL}, {AUGMENTED, INDEX3}},
    {"four-bars on a platform", loops, {60, 200, 600}, {NULL}, {RELATIVE, NATURAL, INDEX3}},
    {"pendulums on a platform", star, {60, 200, 600}, {NULL}, {RELATIVE, NATURAL, INDEX3}},
    {"parallelograms", ladder, {50, 200, 800}, {NULL}, {RELATIVE, NATURAL, INDEX3}},
    {"wheelsets", wheelsets, {1, 20, 60}, {NULL}, {RELATIVE}},
    {"ring", ring, {200, 400, 800}, {NULL}, {NATURAL, RELATIVE, INDEX3}},
    {"ring in relative", ring, {200, 400, 800}, RELATIVE, {NATURAL}},
    {"chain", chain, {100, 1000, 10000}, {NULL}, {RELATIVE, INDEX3}},
    {"chain in independent", chain, {100, 1000, 10000}, {.constraints = "independent"}, {INDEX3}},
    {"ring in independent", ring, {200, 400, 800}, {.constraints = "independent"}, {INDEX3}},
};

/* The default and the others in turn. 0: the default could not be run. */
static int row(const Text *t, const char *name, size_t f, double bodies, double *step, double *before)
{
    const Times none = {INFINITY, INFINITY, INFINITY};
    Times own = none, other[OTHERS] = {none, none, none};
    int runs[OTHERS], best = -1, good = 1;
    for (int k = 0; k < OTHERS; k++)
        runs[k] = families[f].other[k].coordinates || families[f].other[k].constraints;
    for (int round = 0; round < ROUNDS && good; round++) {
        good = measure(t, name, families[f].own, &own);
        for (int k = 0; k < OTHERS && good; k++)
            runs[k] = runs[k] && measure(t, name, families[f].other[k], &other[k]);
    }
    if (!good) return 0;
    for (int k = 0; k < OTHERS; k++)
        if (runs[k] && (best < 0 || step_of(&other[k]) < step_of(&other[best]))) best = k;
    printf("%-28s %7.0f %9.1f %9.1f %9.3f", name, bodies, 1e3 * own.setup, 1e6 * own.setup / bodies,
           1e3 * step_of(&own));
    if (*step > 0)
        printf(" %7.2f", log(step_of(&own) / *step) / log(bodies / *before));
    else
        printf(" %7s", "");
    if (best >= 0) {
        const vgDials *dials = &families[f].other[best];
        printf(" %9.3f %6.2f  %s", 1e3 * step_of(&other[best]), step_of(&other[best]) / step_of(&own),
               dials->coordinates ? dials->coordinates : dials->constraints);
    }
    printf("\n");
    *step = step_of(&own);
    *before = bodies;
    return 1;
}

int main(int argc, char **argv)
{
    int good = 1;
    printf("%-28s %7s %9s %9s %9s %7s %9s %6s\n", "milliseconds", "bodies", "set-up", "µs a body", "step",
           "growth", "other", "ratio");
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        double step = 0, before = 0;
        for (int k = 0; k < 3; k++) {
            char name[80];
            Text t = {0};
            snprintf(name, sizeof name, "%s, %d", families[f].name, families[f].sizes[k]);
            if (argc > 1 && !strstr(name, argv[1])) continue;
            const double bodies = families[f].make(&t, families[f].sizes[k]);
            if (!row(&t, name, f, bodies, &step, &before)) good = 0;
            fflush(stdout);
            free(t.s);
        }
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
