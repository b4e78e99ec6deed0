/* Small models and runs for the tests of integrators: final states, errors, measured orders. */
#ifndef VERGE_TESTS_RUNS_H
#define VERGE_TESTS_RUNS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

/* Mass 1 on linear springs k with dampers c along x and y; a force that varies in time. Closed form. */
#define OSCILLATOR                                                                                           \
    "verge: 1\nplanar: true\nparameters: {k: 9, c: 0.4, F: 1}\ngravity: [0, 0]\n"                            \
    "bodies: {m: {mass: 1, point: true, position: [1, 0.5], velocity: [0.3, -0.2]}}\n"                       \
    "forces:\n"                                                                                              \
    "  s: {bushing: [ground, m], stiffness: [k, 4*k, 0, 0, 0, 0], damping: [c, c, 0, 0, 0, 0]}\n"            \
    "  f: {force: m, value: ['F*cos(2*t)', 0]}\n"
/* A mass on a spring of finite length under gravity: a nonlinear ODE in two coordinates. */
#define ELASTIC_PENDULUM                                                                                     \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"                                                          \
    "bodies: {m: {mass: 1, point: true, position: [0.8, -0.7], velocity: [0.5, 0.2]}}\n"                     \
    "forces: {s: {spring: [ground, m], stiffness: 60, length: 1}}\n"

static const char *rig_constraints = "index3"; /* of implicit methods */

typedef struct Rig {
    vgModel *model;
    vgSimulation sim;
    vgStats stats;
    vgStatus status;
} Rig;

/* text: a model text, or a path that ends in .yaml under models/. */
static inline int rig_open(Rig *r, const char *text, const char *coordinates, const char *integrator,
                           const vgParamSet *set, int nset)
{
    vgDiag *diag = vg_diag_new();
    size_t n = strlen(text);
    memset(r, 0, sizeof *r);
    if (n > 5 && !strcmp(text + n - 5, ".yaml")) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s", VERGE_SOURCE_DIR, text);
        r->model = vg_model_load(path, set, nset, diag);
    } else {
        r->model = vg_model_parse(text, n, "test", set, nset, diag);
    }
    char name[64] = "";
    strncat(name, integrator, strcspn(integrator, ":") < 63 ? strcspn(integrator, ":") : 63);
    const vgIntegratorRow *row = vg_integrator_find(name);
    vgDials dials = {.coordinates = coordinates, .constraints = rig_constraints, .integrator = integrator};
    const char *first = NULL; /* what the method takes, if not this */
    for (const vgConstraintsRow *c = vg_constraints_list; row && c->name; c++) {
        if (!(row->constraints & c->flag)) continue;
        if (!first) first = c->name;
        if (!strcmp(c->name, rig_constraints)) first = rig_constraints;
    }
    if (first) dials.constraints = first;
    r->status = r->model ? vg_simulation_open(r->model, &dials, diag, &r->sim) : VG_BAD_INPUT;
    if (r->status != VG_OK) printf("%s: %s\n", integrator, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    vg_diag_free(diag);
    return r->status == VG_OK;
}

static inline int rig_run(Rig *r, double step, double end)
{
    vgTransientOptions o = {.step = step, .end = end, .every = 1 << 30};
    vgTransientResult res;
    r->status = vg_transient_run(r->sim.it, r->sim.state, &o, NULL, &res);
    r->stats = res.stats;
    if (r->status != VG_OK) printf("%s: %s\n", r->sim.it->row->name, res.failure.text);
    return r->status == VG_OK;
}

static inline void rig_close(Rig *r)
{
    if (r->sim.sys) vg_simulation_close(&r->sim);
    vg_model_free(r->model);
}

enum { MAX_STATE = 32 };
/* Where a run ends: configuration relative to a reference, velocities, multipliers. */
typedef struct Final {
    int nq, nv, nl, ok;
    double q[MAX_STATE], v[MAX_STATE], a[MAX_STATE], lambda[MAX_STATE];
    vgStats stats;
} Final;

static inline void final_take(const Rig *r, Final *f)
{
    const vgSystem *sys = r->sim.sys;
    const vgState *s = r->sim.state;
    *f = (Final){.nq = sys->nq, .nv = sys->nv, .nl = sys->nl, .ok = 1, .stats = r->stats};
    memcpy(f->q, s->q, (size_t)sys->nq * sizeof(double));
    memcpy(f->v, s->v, (size_t)sys->nv * sizeof(double));
    memcpy(f->a, s->a, (size_t)sys->nv * sizeof(double));
    memcpy(f->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
}

static inline Final final_of(const char *text, const char *coordinates, const char *integrator, double step,
                             double end)
{
    Rig r;
    Final f = {0};
    if (rig_open(&r, text, coordinates, integrator, NULL, 0) && rig_run(&r, step, end)) final_take(&r, &f);
    rig_close(&r);
    return f;
}

static inline double distance(const double *x, const double *y, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++) d += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(d);
}

typedef struct Order {
    double q, v, lambda;  /* measured orders */
    double e_q, e_v, e_l; /* errors of the finer run */
} Order;

/* Measured order between steps h and h/2 against a reference. */
static inline Order order_of(const char *text, const char *coordinates, const char *integrator, double h,
                             double end, const Final *ref)
{
    Final c = final_of(text, coordinates, integrator, h, end),
          f = final_of(text, coordinates, integrator, h / 2, end);
    Order o = {-9, -9, -9, 1, 1, 1};
    if (!c.ok || !f.ok) return o;
    o.e_q = distance(f.q, ref->q, f.nq);
    o.e_v = distance(f.v, ref->v, f.nv);
    o.e_l = distance(f.lambda, ref->lambda, f.nl);
    o.q = log2(distance(c.q, ref->q, f.nq) / o.e_q);
    o.v = log2(distance(c.v, ref->v, f.nv) / o.e_v);
    o.lambda = f.nl ? log2(distance(c.lambda, ref->lambda, f.nl) / o.e_l) : 0;
    return o;
}

/* The simple pendulum of models/pendulum-point.yaml from the angle's own equation θ̈ = −g sin θ/L, by RK4 with
 * very small steps; λ from the rod's force. From the horizontal with angular velocity w, viscous damping c.
 */
static inline Final pendulum_from(double w, double c, double end)
{
    enum { N = 30000 };
    double x = 1.57079632679489661923, h = end / N, g = 9.81;
    for (int i = 0; i < N; i++) {
        double k1 = w, l1 = -g * sin(x) - c * k1, k2 = w + h / 2 * l1, l2 = -g * sin(x + h / 2 * k1) - c * k2,
               k3 = w + h / 2 * l2, l3 = -g * sin(x + h / 2 * k2) - c * k3, k4 = w + h * l3,
               l4 = -g * sin(x + h * k3) - c * k4;
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    Final f = {.nq = 2, .nv = 2, .nl = 1, .ok = 1};
    f.q[0] = sin(x), f.q[1] = -cos(x);
    f.v[0] = w * cos(x), f.v[1] = w * sin(x);
    f.lambda[0] = w * w + g * cos(x);
    return f;
}

static inline Final pendulum_reference(double end)
{
    return pendulum_from(0, 0, end);
}

/* The same with 1 rad/s downwards and a viscous force, which leaves no symmetry for leading error terms to
 * cancel by (a swing that is reversible in time has energy errors of one order more). */
#define DAMPED_PENDULUM                                                                                      \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"                                                          \
    "bodies: {bob: {mass: 1, point: true, position: [1, 0], velocity: [0, -1]}}\n"                           \
    "forces: {air: {bushing: [ground, bob], stiffness: [0, 0, 0, 0, 0, 0], damping: [2, 2, 0, 0, 0, 0]}}\n"  \
    "joints: {rod: {distance: [ground, bob], length: 1}}\n"

/* An undamped oscillator in x alone, ω² = k. */
#define STIFF                                                                                                \
    "verge: 1\nplanar: true\nparameters: {k: 1}\ngravity: [0, 0]\n"                                          \
    "bodies: {m: {mass: 1, point: true, position: [1, 0]}}\n"                                                \
    "forces: {s: {bushing: [ground, m], stiffness: [k, k, 0, 0, 0, 0], damping: [0, 0, 0, 0, 0, 0]}}\n"

/* √(x² + (v/ω)²) after a step over that before, ωh = y: the spectral radius of a one-step method. */
static inline double one_step_radius(const char *integrator, double y)
{
    Rig r;
    vgParamSet k = {"k", y * y, NULL};
    double rho = NAN;
    if (rig_open(&r, STIFF, NULL, integrator, &k, 1)) {
        vgState *s = r.sim.state;
        vgIntegrator *it = r.sim.it;
        it->step_hint = 1;
        if (it->row->start(it, s) == VG_OK && vg_integrator_advance(it, s, 1) == VG_OK) {
            double before = hypot(s->q[0], s->v[0] / y);
            rho = before;
            if (before > 1e-3 && vg_integrator_advance(it, s, 1) == VG_OK)
                rho = hypot(s->q[0], s->v[0] / y) / before;
        }
    }
    rig_close(&r);
    return rho;
}

#endif
