/* Analyses of large models: processor time of the ten slowest modes, and of the response to a vibrating input at a frequency, at
 * growing size, with the exponent of the growth.
 *
 *     bench_analyses [WORD]     WORD: only rows with it
 *
 * The model is read, opened and assembled before (`set-up`). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/modes/modes.h"
#include "analysis/modes/transfer.h"
#include "analysis/run/simulation.h"
#include "generators.h"

enum { ROUNDS = 2, MODES = 10, FREQUENCIES = 5 };

static int slowest(const vgSimulation *sim, vgDiag *diag)
{
    vgModes modes = {0};
    int good =
        vg_modes_lowest(sim->sys, sim->it->work, sim->state, (vgVec3){0}, MODES, diag, &modes) == VG_OK;
    vg_modes_free(&modes);
    return good;
}

static int response(const vgSimulation *sim, vgDiag *diag)
{
    static const double hertz[FREQUENCIES] = {0.01, 0.03, 0.1, 0.3, 1};
    static const char *const name = "body.k0.position.x";
    double re[FREQUENCIES], im[FREQUENCIES];
    vgChannels *y = NULL;
    const int u = vg_model_find_measure(sim->sys->model, "input.u");
    int good =
        vg_channels_new(sim->sys, &name, 1, diag, &y) == VG_OK &&
        vg_transfer(sim->sys, sim->it->work, sim->state, 1, &u, y, FREQUENCIES, hertz, diag, re, im) == VG_OK;
    vg_channels_free(y);
    return good;
}

static const struct {
    const char *name;
    int (*make)(Text *t, int n);
    int (*work)(const vgSimulation *sim, vgDiag *diag);
    int parts; /* of the work, whose time is given */
    int sizes[3];
} families[] = {
    {"modes, hanging chain", hanging, slowest, 1, {1000, 3000, 10000}},
    {"modes, plane frame of beams", plane_frame, slowest, 1, {20, 40, 70}},
    {"modes, lattice of beams", lattice, slowest, 1, {7, 10, 17}},
    {"a frequency, hanging chain", hanging, response, FREQUENCIES, {100, 1000, 10000}},
};

static int measure(const Text *t, const char *name, size_t f, double *setup, double *work)
{
    *setup = *work = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        vgDiag *diag = vg_diag_new();
        double start = now();
        vgModel *model = vg_model_parse(t->s, t->n, name, NULL, 0, diag);
        vgDials dials = {model && model->planar ? "planar" : "lie", "index3", "generalized-alpha"};
        vgSimulation sim;
        int good = model && vg_simulation_open(model, &dials, diag, &sim) == VG_OK;
        if (good) {
            double opened = now();
            good = families[f].work(&sim, diag);
            *setup = fmin(*setup, opened - start);
            *work = fmin(*work, (now() - opened) / families[f].parts);
            vg_simulation_close(&sim);
        }
        if (!good) printf("%-32s not done: %s\n", name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
        vg_model_free(model);
        vg_diag_free(diag);
        if (!good) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int good = 1;
    printf("%-36s %7s %10s %10s %7s\n", "milliseconds", "bodies", "set-up", "work", "growth");
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        double last = 0, before = 0;
        for (int k = 0; k < 3; k++) {
            char name[80];
            Text t = {0};
            double setup, work;
            snprintf(name, sizeof name, "%s, %d", families[f].name, families[f].sizes[k]);
            if (argc > 1 && !strstr(name, argv[1])) continue;
            const double bodies = families[f].make(&t, families[f].sizes[k]);
            if (measure(&t, name, f, &setup, &work)) {
                printf("%-36s %7.0f %10.1f %10.2f", name, bodies, 1e3 * setup, 1e3 * work);
                if (last > 0) printf(" %7.2f", log(work / last) / log(bodies / before));
                printf("\n");
                last = work;
                before = bodies;
            } else {
                good = 0;
            }
            fflush(stdout);
            free(t.s);
        }
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
