/* The Iltis with tangents made in every step, held or frozen, on its stairs and in a turn (bench_vehicle: the
 * formulations of [D]); and what a step of the Puma 560 costs in every coordinates setting ([H] figure 21).
 *
 *     bench_iltis [WORD]     only rows with WORD
 *
 * Processor time of the steps, the best of several runs: the machine may have other work. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

typedef struct row {
    const char *name, *model, *coordinates, *constraints, *integrator;
    double end;
} row;

#define HELD "trapezoidal:newton=hold,tol=1e-8,acc=1e-4" /* as the models say */
static const row rows[] = {
    {"stairs, tangent held", "iltis-stairs", "relative", "index3", HELD, 8},
    {"stairs, a tangent a step", "iltis-stairs", "relative", "index3", "trapezoidal:newton=step", 8},
    {"stairs, HYB + TR, held", "iltis-stairs", "relative", "augmented3", HELD, 8},
    {"stairs, TPL + TR, held", "iltis-stairs", "relative", "independent", HELD, 8},
    {"stairs, frozen", "iltis-stairs", "relative", "index3", "trapezoidal:newton=frozen", 8},
    {"turning, tangent held", "iltis-steer", "relative", "index3", HELD, 5},
    {"turning, a tangent a step", "iltis-steer", "relative", "index3", "trapezoidal:newton=step", 5},
    {"bump, tangent held", "iltis", "relative", "index3", HELD, 2.5},
    {"bump, a tangent a step", "iltis", "relative", "index3", "trapezoidal:newton=step", 2.5},
};
enum { NROW = sizeof rows / sizeof rows[0] };

typedef struct result {
    vgStatus status;
    double seconds, iterations, x, z; /* where the chassis ends */
} result;

static result run_once(const row *r, const vgParamSet *set, int nset, double step)
{
    static const char *const names[] = {"body.chassis.position.x", "body.chassis.position.z"};
    char path[600];
    result out = {.status = VG_BAD_INPUT};
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    vgTransientResult run = {0};
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, r->model);
    vgModel *model = vg_model_load(path, set, nset, diag);
    vgDials dials = {r->coordinates, r->constraints, r->integrator};
    if (model) out.status = vg_simulation_open(model, &dials, diag, &sim);
    if (out.status == VG_OK) {
        vgTransientOptions o = {.step = step, .end = r->end, .every = 1 << 30};
        out.status = vg_transient_run(sim.it, sim.state, &o, NULL, &run);
        out.seconds = run.solve_seconds;
        out.iterations = (double)run.stats.newton_iterations;
        double at[2] = {0};
        if (out.status == VG_OK && vg_channels_new(sim.sys, names, 2, NULL, &channels) == VG_OK)
            vg_channels_eval(channels, sim.it->work, sim.state, at);
        out.x = at[0], out.z = at[1];
        vg_channels_free(channels);
        vg_simulation_close(&sim);
    }
    vg_model_free(model);
    vg_diag_free(diag);
    return out;
}

static result best_of(const row *r, const vgParamSet *set, int nset, double step)
{
    result best = run_once(r, set, nset, step);
    for (int k = 0; k < 9 && best.status == VG_OK && best.seconds < 0.5; k++) {
        result next = run_once(r, set, nset, step);
        if (next.seconds < best.seconds) best = next;
    }
    return best;
}

static void line(const row *r, double step, const result *x)
{
    printf("%-36s %8.4g s  %8.4f s  %7.0f iterations  %6.2f us a step  %6.1f times real time\n", r->name,
           step, x->seconds, x->iterations, 1e6 * x->seconds * step / r->end, r->end / x->seconds);
    fflush(stdout);
}

/* Steps of 1 and 10 ms, and the largest of a ladder that ends within 0.1 m and 2 cm of the first. */
static void vehicle(const row *r)
{
    static const double ladder[] = {1.75e-2, 2.5e-2, 3.5e-2, 5e-2};
    result first = best_of(r, NULL, 0, 1e-3), last = {0};
    double largest = 0;
    if (first.status == VG_BAD_INPUT || first.status == VG_UNSUPPORTED) {
        printf("%-36s not a pair that goes together\n", r->name);
        return;
    }
    if (first.status != VG_OK) printf("%-36s %8.4g s  fails\n", r->name, 1e-3);
    if (first.status == VG_OK) line(r, 1e-3, &first);
    result second = best_of(r, NULL, 0, 1e-2);
    if (second.status != VG_OK) printf("%-36s %8.4g s  fails\n", r->name, 1e-2);
    if (second.status == VG_OK) line(r, 1e-2, &second);
    for (int k = 0; k < 4; k++) {
        result x = run_once(r, NULL, 0, ladder[k]);
        if (x.status != VG_OK || fabs(x.x - first.x) > 0.1 || fabs(x.z - first.z) > 0.02) break;
        largest = ladder[k], last = x;
    }
    if (largest > 0) line(r, largest, &last);
}

static void puma(void)
{
    vgParamSet track = {.name = "track", .value = 1};
    for (const vgCoordinatesRow *c = vg_coordinates_list; c->name; c++) {
        char name[80];
        snprintf(name, sizeof name, "puma 560, tracking, %s", c->name);
        row r = {name, "puma560", c->name, "index3", "generalized-alpha:rho=0.9", 1};
        result x = best_of(&r, &track, 1, 1e-3);
        if (x.status == VG_OK) line(&r, 1e-3, &x);
    }
}

int main(int argc, char **argv)
{
    for (int i = 0; i < NROW; i++)
        if (argc < 2 || strstr(rows[i].name, argv[1])) vehicle(&rows[i]);
    if (argc < 2 || strstr("puma 560", argv[1])) puma();
    return 0;
}
