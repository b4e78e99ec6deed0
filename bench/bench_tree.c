/* Trees in joint coordinates: forward and inverse dynamics and their derivatives, explicit and implicit steps.
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

#include "analysis/run/simulation.h"
#include "analysis/state/partials.h"

enum { LEAST = 8, MOST = 200 };
static const double BUDGET = 0.4; /* seconds a row may take beyond its first rounds */

typedef enum work { FORWARD, INVERSE, FORWARD_BY, INVERSE_BY, STEP } work;

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
    {"humanoid of 31 bodies, forward dynamics", NULL, 0, 0, FORWARD, "rk4", 0, 7.5, 7.5},
    {"humanoid of 31 bodies, implicit step", NULL, 0, 0, STEP, "generalized-alpha", 1e-3, 0, 0},
    {"humanoid of 31 bodies, inverse dynamics", NULL, 0, 0, INVERSE, "rk4", 0, 2.04, 2.04},
    {"Puma, derivatives of forward dynamics", "puma560", 0, 0, FORWARD_BY, "rk4", 0, 2, 3.2},
    {"Puma, derivatives of inverse dynamics", "puma560", 0, 0, INVERSE_BY, "rk4", 0, 0, 0},
    {"humanoid, derivatives of forward dynamics", NULL, 0, 0, FORWARD_BY, "rk4", 0, 15, 26.6},
    {"humanoid, derivatives of inverse dynamics", NULL, 0, 0, INVERSE_BY, "rk4", 0, 0, 0},
    {"chain 10, inverse dynamics", "chain", 10, 1, INVERSE, "rk4", 0, 0.07, 0.07},
    {"chain 100, inverse dynamics", "chain", 100, 1, INVERSE, "rk4", 0, 0.071, 0.071},
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

/* ∂a/∂q and ∂a/∂v, or ∂τ/∂q, ∂τ/∂v and M. */
static vgStatus partials(const subject *s, vgSimulation *sim, vgPartials *p, double *x)
{
    const int n = sim->sys->nv, nn = n * n;
    vgPartialsOut forward = {.a_q = x, .a_v = x + nn},
                  inverse = {.tau_q = x, .tau_v = x + nn, .mass = x + 2 * nn};
    return vg_partials_at(p, sim->it->work, sim->state, 0, NULL, s->what == FORWARD_BY ? &forward : &inverse);
}

static vgStatus once(const subject *s, vgSimulation *sim, vgPartials *p, double *r)
{
    const vgSystem *sys = sim->sys;
    vgState *x = sim->state;
    if (s->what == FORWARD) return sys->ops->accel(sys, sim->it->work, 0, x->q, x->v, x->a, x->lambda);
    if (s->what == INVERSE) {
        sys->ops->residual(sys, sim->it->work, 0, x->q, x->v, x->a, x->lambda, r, NULL);
        return VG_OK;
    }
    if (s->what != STEP) return partials(s, sim, p, r);
    vgStatus st = vg_integrator_advance(sim->it, x, s->step);
    vg_work_accept(sys, sim->it->work, x);
    return st;
}

/* µs of one call; Newton iterations a step. */
static double measure(const subject *s, vgSimulation *sim, int n, double *iterations)
{
    const int derives = s->what == FORWARD_BY || s->what == INVERSE_BY;
    const size_t nv = (size_t)sim->sys->nv;
    double best = 1e30, spent = 0, *r = calloc((derives ? 3 * nv * nv : nv) + 1, sizeof *r);
    long before = sim->it->stats.newton_iterations, calls = 0;
    vgState *from = NULL;
    vgPartials *p = NULL;
    if (!r || vg_state_new(sim->sys, sim->it->nhistory, &from) != VG_OK) return 0;
    if (derives && vg_partials_new(sim->sys, &p) != VG_OK) return 0;
    vg_state_copy(sim->sys, from, sim->state);
    for (int round = 0; round < MOST && (round < LEAST || spent < BUDGET); round++) {
        vgStatus st = VG_OK;
        vg_state_copy(sim->sys, sim->state, from); /* every round from the same start */
        sim->it->row->start(sim->it, sim->state);
        double t = now();
        for (int i = 0; i < n && st == VG_OK; i++) st = once(s, sim, p, r);
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
    vg_partials_free(p);
    vg_state_free(from);
    free(r);
    return 1e6 * best;
}

/* A floating trunk, two arms of seven hinges, two legs of six, a waist and a neck of two: 31 bodies, 36
 * freedoms. */
static vgModel *humanoid(vgDiag *diag)
{
    static const struct {
        const char *name;
        int n;
        double x, y, z, dz;
    } limb[] = {{"arm1_", 7, 0, 0.2, 0.3, -0.1},   {"arm2_", 7, 0, -0.2, 0.3, -0.1},
                {"leg1_", 6, 0, 0.1, -0.3, -0.15}, {"leg2_", 6, 0, -0.1, -0.3, -0.15},
                {"neck_", 2, 0, 0, 0.4, 0.1},      {"waist_", 2, 0.05, 0, 0, 0.1}};
    enum { ROOM = 1 << 15 };
    static const char axis[] = "xyz";
    char *bodies = calloc(1, ROOM), *joints = calloc(1, ROOM), *text = calloc(2, ROOM);
    vgModel *m = NULL;
    size_t b = 0, j = 0;
    for (size_t l = 0; bodies && joints && text && l < sizeof limb / sizeof limb[0]; l++)
        for (int k = 0; k < limb[l].n; k++) {
            double z = limb[l].z + (k + 0.5) * limb[l].dz;
            b += (size_t)snprintf(bodies + b, ROOM - b,
                                  "  %s%d: {mass: 2, inertia: [0.02, 0.02, 0.01], position: [%g, %g, %g], "
                                  "markers: {in: [0, 0, %g], out: [0, 0, %g]}}\n",
                                  limb[l].name, k, limb[l].x, limb[l].y, z, -limb[l].dz / 2, limb[l].dz / 2);
            if (k == 0)
                j += (size_t)snprintf(
                    joints + j, ROOM - j,
                    "  %s0: {revolute: [{body: trunk, position: [%g, %g, %g]}, %s0.in], axis: y}\n",
                    limb[l].name, limb[l].x, limb[l].y, limb[l].z, limb[l].name);
            else
                j += (size_t)snprintf(joints + j, ROOM - j,
                                      "  %s%d: {revolute: [%s%d.out, %s%d.in], axis: %c}\n", limb[l].name, k,
                                      limb[l].name, k - 1, limb[l].name, k, axis[k % 3]);
        }
    if (bodies && joints && text) {
        int n = snprintf(text, 2 * ROOM,
                         "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n  trunk: {mass: 20, inertia: [1, 0.8, "
                         "0.4]}\n%sjoints:\n%s",
                         bodies, joints);
        m = vg_model_parse(text, (size_t)n, "humanoid", NULL, 0, diag);
    }
    free(bodies);
    free(joints);
    free(text);
    return m;
}

static int bench(const subject *s, FILE *out)
{
    char path[512];
    vgParamSet set[2] = {{"N", s->N, NULL}, {"kind", s->kind, NULL}};
    vgDiag *diag = vg_diag_new();
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, s->model ? s->model : "");
    vgModel *m = s->model ? vg_model_load(path, set, s->N ? 2 : 0, diag) : humanoid(diag);
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
