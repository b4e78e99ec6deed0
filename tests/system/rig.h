/* A simulation and vectors of its size, to compare Newton's increment of a special way with that of the
 * assembled matrix. */
#ifndef VERGE_TESTS_SYSTEM_RIG_H
#define VERGE_TESTS_SYSTEM_RIG_H

#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/simulation.h"

static unsigned long long seed = 4711;
static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

typedef struct Rig {
    vgModel *m;
    vgDiag *diag;
    vgSimulation sim;
    double *q, *v, *a, *l, *d, *dd, *x, *xl, *r, *phi, *general, *general_l;
} Rig;

static double **array_of(Rig *r, int i)
{
    double **all[] = {&r->q, &r->v,  &r->a, &r->l,   &r->d,       &r->dd,
                      &r->x, &r->xl, &r->r, &r->phi, &r->general, &r->general_l};
    return i < (int)(sizeof all / sizeof all[0]) ? all[i] : NULL;
}

/* Takes model and diagnostics over, also when it fails. */
static int open_model(Rig *r, vgModel *m, vgDiag *diag, const char *coordinates, const char *integrator)
{
    *r = (Rig){.m = m, .diag = diag};
    vgDials dials = {coordinates, "index3", integrator};
    if (!r->m || vg_simulation_open(r->m, &dials, r->diag, &r->sim) != VG_OK) {
        printf("%s\n", vg_diag_count(r->diag) ? vg_diag_line(r->diag, 0) : "?");
        return 0;
    }
    for (int i = 0; array_of(r, i); i++)
        *array_of(r, i) = calloc((size_t)(r->sim.sys->nq + r->sim.sys->nl) + 8, sizeof(double));
    vg_work_bind(r->sim.it->work, r->sim.state);
    return 1;
}

static void close_rig(Rig *r)
{
    for (int i = 0; array_of(r, i); i++) free(*array_of(r, i));
    vg_simulation_close(&r->sim);
    vg_model_free(r->m);
    vg_diag_free(r->diag);
}

/* A stage somewhere: off the constraints by `size`. */
static vgTangent somewhere(Rig *r, vgStageMap map, double size, double load)
{
    const vgSystem *sys = r->sim.sys;
    double h = 1e-2;
    for (int i = 0; i < sys->nv; i++) {
        r->d[i] = size * noise();
        r->dd[i] = noise();
        r->v[i] = noise();
        r->a[i] = 10 * load * noise();
    }
    for (int i = 0; i < sys->nl; i++) r->l[i] = 20 * load * noise();
    sys->ops->retract(sys, r->sim.state->q, r->d, r->q);
    return (vgTangent){.t = 0.1,
                       .q = r->q,
                       .v = r->v,
                       .a = r->a,
                       .lambda = r->l,
                       .cv = 2 / h,
                       .ca = 4 / (h * h),
                       .map = map,
                       .delta = r->d,
                       .delta_dot = r->dd};
}

#endif
