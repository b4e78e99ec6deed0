/* Runs every pair of dials on a small mechanism: for every_setting.c and every_setting_spatial.c. */
#ifndef VERGE_TESTS_SUITE_SETTINGS_H
#define VERGE_TESTS_SUITE_SETTINGS_H

#include <math.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "integrator/pairs.h"
#include "suite/mixed.h"
#include "test.h"

typedef struct Result {
    vgStatus status;
    char error[400];
    double value[2];
} Result;

static inline Result run(const vgModel *m, const char *x, const char *c, const char *i, double h)
{
    static const char *const names[2][2] = {{"joint.A.angle", "joint.A.rate"},
                                            {"joint.O.angle", "joint.O.rate"}};
    Result out = {0};
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    vgDials dials = {x, c, i};
    out.status = vg_simulation_open(m, &dials, diag, &sim);
    if (out.status == VG_OK) out.status = vg_channels_new(sim.sys, names[m->planar], 2, diag, &channels);
    if (out.status == VG_OK) {
        vgTransientResult end = {0};
        vgTransientOptions o = {.step = h, .end = 0.02, .every = 1 << 30};
        vg_work_bind(sim.it->work, sim.state);
        vg_channels_eval(channels, sim.it->work, sim.state, out.value);
        out.status = vg_transient_run(sim.it, sim.state, &o, NULL, &end);
        vg_channels_eval(channels, sim.it->work, sim.state, out.value);
        snprintf(out.error, sizeof out.error, "%s", end.failure.text);
    }
    if (vg_diag_count(diag)) snprintf(out.error, sizeof out.error, "%s", vg_diag_line(diag, 0));
    vg_channels_free(channels);
    if (sim.sys) vg_simulation_close(&sim);
    vg_diag_free(diag);
    return out;
}

/* skip: coordinates left to the other file. mixed: bodies have coordinates of their own. */
static inline void check_model(const char *text, const char *const *skip, int mixed)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "text", NULL, 0, diag);
    CHECK(m != NULL);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    if (!m) return;
    Result ref = run(m, NULL, "index1", "dop853", 2.5e-4);
    CHECK_INT(ref.status, VG_OK);
    int allowed = 0, refused = 0;
    if (mixed) mix_bodies(m, 0);
    for (const vgCoordinatesRow *x = vg_coordinates_list; x->name; x++) {
        int skipped = !(x->models & (m->planar ? 1 : 2));
        for (const char *const *k = skip; *k; k++) skipped |= strcmp(*k, x->name) == 0;
        if (skipped) continue;
        for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++)
            for (const vgIntegratorRow *const *i = vg_integrators; *i; i++) {
                int goes = vg_pair_allowed(x, c, *i);
                if (!goes && !m->planar && (refused++) % 16) continue; /* the planar model has them all */
                Result got = run(m, x->name, c->name, (*i)->name, 2e-3);
                if (!goes) {
                    refused += m->planar;
                    CHECK_INT(got.status, VG_BAD_INPUT);
                    continue;
                }
                const char *words = (*i)->flags & VG_INT_BODY_AXES ? "mixed with those of single bodies"
                                    : strcmp((*i)->name, "hht-add") == 0
                                        ? "the mass matrix alone cannot be inverted"
                                        : NULL;
                if (mixed && words) { /* they want one kind; Euler parameters have a singular mass matrix */
                    CHECK(got.status != VG_OK);
                    CHECK_STR(got.error, words);
                    continue;
                }
                /* methods of order one reach a few percent at this step, the others much more */
                double tol = (*i)->order > 1 ? 4e-3 : 0.2;
                allowed++;
                int good = got.status == VG_OK && fabs(got.value[0] - ref.value[0]) < 0.01 * tol * 5 &&
                           fabs(got.value[1] - ref.value[1]) < tol * fabs(ref.value[1]);
                if (!good)
                    printf("%s × %s × %s: %s, off by %.3g rad, %.3g rad/s of %.3g\n", x->name, c->name,
                           (*i)->name, got.status == VG_OK ? "runs" : got.error, got.value[0] - ref.value[0],
                           got.value[1] - ref.value[1], ref.value[1]);
                CHECK(good);
            }
    }
    printf("%d allowed, %d refused\n", allowed, refused);
    CHECK(allowed > (mixed ? 200 : 400) && (mixed || refused > 100));
    vg_model_free(m);
}

#endif
