/* Trees in joint coordinates: forward and inverse dynamics, explicit and implicit steps.
 *
 *     bench_tree [FOLDER]     writes FOLDER/tree.csv
 *
 * The best of many short rounds counts: the machine may have other work. Peer: forward dynamics by
 * articulated bodies of Pinocchio 3.7 (clang, native build) and steps of Exudyn 1.11 on a machine of the same
 * kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/simulation.h"

enum { LEAST = 8, MOST = 200 };
static const double BUDGET = 0.4; /* seconds a row may take beyond its first rounds */

typedef enum work { FORWARD, INVERSE, STEP } work;

typedef struct subject {
    const char *name, *model;
    int N, kind;
    work what;
    const char *integrator;
    double step, goal, peer; /* goal and peer in µs; chains: of a body */
} subject;

static const subject subjects[] = {
    {"Puma, forward dynamics", "puma560", 0, 0, FORWARD, "rk4", 0, 1.2, 1.2},
    {"Puma, inverse dynamics", "puma560", 0, 0, INVERSE, "rk4", 0, 0.62, 0.62},
    {"Puma, RK4 step", "puma560", 0, 0, STEP, "rk4", 1e-3, 4, 19.8},
    {"Puma, implicit step", "puma560", 0, 0, STEP, "generalized-alpha", 1e-3, 6, 30.3},
    {"chain 10, forward", "chain", 10, 1, FORWARD, "rk4", 0, 0.21, 0.21},
    {"chain 100, forward", "chain", 100, 1, FORWARD, "rk4", 0, 0.21, 0.21},
    {"chain 1000, forward", "chain", 1000, 1, FORWARD, "rk4", 0, 0.21, 0.21},
    {"chain 10000, forward", "chain", 10000, 1, FORWARD, "rk4", 0, 0.21, 0.21},
    {"chain 10, implicit step", "chain", 10, 1, STEP, "generalized-alpha", 1e-3, 1.2, 5.3},
    {"chain 100, implicit step", "chain", 100, 1, STEP, "generalized-alpha", 1e-3, 1.2, 16.4},
    {"chain 1000, implicit step", "chain", 1000, 1, STEP, "generalized-alpha", 1e-3, 1.2, 138},
    {"chain 10000, implicit step", "chain", 10000, 1, STEP, "generalized-alpha", 1e-3, 1.2, 0},
    {"chain 100, spherical, implicit step", "chain", 100, 0, STEP, "generalized-alpha", 1e-3, 0, 0},
    {"squeezer, implicit step, h=1e-5", "squeezer", 0, 0, STEP, "generalized-alpha", 1e-5, 0, 45.7},
    {"slider-crank 3d, implicit step, h=1e-4", "slider-crank-3d", 0, 0, STEP, "generalized-alpha", 1e-4, 0,
     49.4},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static vgStatus once(const subject *s, vgSimulation *sim, double *r)
{
    const vgSystem *sys = sim->sys;
    vgState *x = sim->state;
    double err;
    if (s->what == FORWARD) return sys->ops->accel(sys, sim->it->work, 0, x->q, x->v, x->a, x->lambda);
    if (s->what == INVERSE) {
        sys->ops->residual(sys, sim->it->work, 0, x->q, x->v, x->a, x->lambda, r, NULL);
        return VG_OK;
    }
    vgStatus st = sim->it->row->step(sim->it, x, s->step, &err);
    vg_work_accept(sys, sim->it->work, x);
    return st;
}

/* µs of one call; Newton iterations a step. */
static double measure(const subject *s, vgSimulation *sim, int n, double *iterations)
{
    double best = 1e30, spent = 0, *r = calloc((size_t)sim->sys->nv + 1, sizeof *r);
    long before = sim->it->stats.newton_iterations, calls = 0;
    vgState *from = NULL;
    if (!r || vg_state_new(sim->sys, sim->it->nhistory, &from) != VG_OK) return 0;
    vg_state_copy(sim->sys, from, sim->state);
    for (int round = 0; round < MOST && (round < LEAST || spent < BUDGET); round++) {
        vgStatus st = VG_OK;
        vg_state_copy(sim->sys, sim->state, from); /* every round from the same start */
        sim->it->row->start(sim->it, sim->state);
        double t = now();
        for (int i = 0; i < n && st == VG_OK; i++) st = once(s, sim, r);
        t = now() - t;
        if (st != VG_OK) {
            printf("%s: %s\n", s->name, sim->it->failure.text);
            break;
        }
        spent += t;
        calls += n;
        if (t / n < best) best = t / n;
    }
    *iterations = calls ? (double)(sim->it->stats.newton_iterations - before) / (double)calls : 0;
    vg_state_free(from);
    free(r);
    return 1e6 * best;
}

static int bench(const subject *s, FILE *out)
{
    char path[512];
    vgParamSet set[2] = {{"N", s->N, NULL}, {"kind", s->kind, NULL}};
    vgDiag *diag = vg_diag_new();
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, s->model);
    vgModel *m = vg_model_load(path, set, s->N ? 2 : 0, diag);
    vgDials dials = {"relative", s->what == STEP && s->integrator[0] == 'g' ? "index3" : "index1",
                     s->integrator};
    vgSimulation sim;
    int ok = m && vg_simulation_open(m, &dials, diag, &sim) == VG_OK;
    if (!ok) printf("%s: %s\n", s->name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    if (ok) {
        double iterations = 0;
        sim.it->step_hint = s->step;
        for (int i = 0; i < sim.sys->nv && s->what != STEP; i++) sim.state->v[i] = 0.1 * ((i * 7) % 11 - 5);
        int bodies = s->N ? s->N : 1, n = bodies < 200 ? 4000 / bodies : bodies < 2000 ? 20 : 4;
        double us = measure(s, &sim, n > 400 ? 400 : n, &iterations) / bodies;
        printf("%-40s %9.3f µs%s   goal %5.2f  peer %6.2f  iterations %.2f\n", s->name, us,
               s->N ? " a body" : "       ", s->goal, s->peer, iterations);
        if (out) fprintf(out, "%s,%.4f,%g,%g,%.3f\n", s->name, us, s->goal, s->peer, iterations);
        vg_simulation_close(&sim);
    }
    vg_model_free(m);
    vg_diag_free(diag);
    return ok;
}

int main(int argc, char **argv)
{
    FILE *out = NULL;
    int ok = 1;
    if (argc > 1) {
        char path[512];
        snprintf(path, sizeof path, "%s/tree.csv", argv[1]);
        out = fopen(path, "w");
        if (out) fprintf(out, "case,us,goal,peer,iterations\n");
    }
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) ok &= bench(&subjects[i], out);
    if (out) fclose(out);
    return ok ? 0 : 1;
}
