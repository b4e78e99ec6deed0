/* Partial derivatives of the dynamics (analysis/state/partials.h) against differences of accelerations and residuals.
 *
 * Along a motion q(s), v(s) that keeps the joints closed, the derivative of the accelerations is
 *     da/ds = ∂a/∂q δq + ∂a/∂v δv
 * and is compared with central differences of fourth order, whose error is (2.5e-4)⁴ and rounding ε/2.5e-4 of the terms. */
#include "analysis/state/partials.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/realtime/realtime.h"
#include "analysis/run/simulation.h"
#include "test.h"

static const double STEP = 2.5e-4;
/* What differences of fourth order with that step leave, of the largest entry compared. */
static const double SAME = 3e-9;
/* Tree and graph sum the same terms in another order, and solve with matrices of condition up to 1e5. */
static const double ROUNDING = 1e-9;

static unsigned long long seed;
static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

typedef struct Case {
    const char *model, *coordinates, *constraints;
    double t;
    const char *set; /* a parameter that is set, NULL: none */
    double value;
} Case;

static const Case settings[] = {
    {"puma560", "relative", "index1", 0, NULL, 0},
    {"puma560", "lie", "index1", 0, NULL, 0},
    {"chain", "relative", "index1", 0, "N", 6},
    {"chain", "lie", "index2", 0, "N", 6},
    {"governor", "relative", "index1", 0, NULL, 0},
    {"squeezer", "relative", "index1", 0, NULL, 0},
    {"squeezer", "planar", "index3", 0, NULL, 0},
    {"slider-crank-3d", "relative", "index2", 0, NULL, 0},
    {"slider-crank-3d", "lie", "index1", 0, NULL, 0},
    {"slider-crank-3d", "euler-parameters", "index1", 0, NULL, 0},
    {"heavy-top-free", "lie", "index1", 0, NULL, 0},
    {"heavy-top-free", "relative", "index1", 0, NULL, 0},
    {"cart-pole", "relative", "index1", 0, NULL, 0},
    {"cart-pole", "planar", "index1", 0, NULL, 0},
    {"trebuchet", "relative", "index1", 0, NULL, 0},
    {"bricard", "relative", "index1", 0, NULL, 0},
    {"bicycle", "lie", "index2", 0, NULL, 0},
};

typedef struct Rig {
    vgModel *m;
    vgDiag *diag;
    vgSimulation sim;
    vgPartials *p;
    int n;
    double *d, *e, *q, *dq, *dv, *a[4], *lambda, *q_base, *v_base, *room;
} Rig;

static double *vec(size_t n)
{
    return calloc(n + 8, sizeof(double));
}

static int open_rig(Rig *r, const Case *c)
{
    char path[512];
    vgParamSet set = {c->set, c->value, NULL};
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, c->model);
    r->diag = vg_diag_new();
    r->m = vg_model_load(path, &set, c->set ? 1 : 0, r->diag);
    vgDials dials = {c->coordinates, c->constraints, "generalized-alpha"};
    if (!strcmp(c->constraints, "index1")) dials.integrator = "dopri5";
    if (!r->m || vg_simulation_open(r->m, &dials, r->diag, &r->sim) != VG_OK) {
        printf("%s: %s\n", c->model, vg_diag_count(r->diag) ? vg_diag_line(r->diag, 0) : "?");
        vg_model_free(r->m);
        vg_diag_free(r->diag);
        return 0;
    }
    const vgSystem *sys = r->sim.sys;
    r->n = sys->nv;
    const size_t n = (size_t)(sys->nq + sys->nv + sys->nphi);
    double **slot[] = {&r->d,    &r->e,    &r->q,    &r->dq,     &r->dv,     &r->a[0],
                       &r->a[1], &r->a[2], &r->a[3], &r->lambda, &r->q_base, &r->v_base};
    for (size_t i = 0; i < sizeof slot / sizeof slot[0]; i++) *slot[i] = vec(n);
    r->room = vec(8 * (size_t)r->n * (size_t)r->n);
    CHECK_INT(vg_partials_new(sys, &r->p), VG_OK);
    return 1;
}

static void close_rig(Rig *r)
{
    double *all[] = {r->d,    r->e,    r->q,      r->dq,     r->dv,     r->a[0], r->a[1],
                     r->a[2], r->a[3], r->lambda, r->q_base, r->v_base, r->room};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    vg_partials_free(r->p);
    vg_simulation_close(&r->sim);
    vg_model_free(r->m);
    vg_diag_free(r->diag);
}

/* The motion s from the base along random directions, put onto the constraints. */
static vgStatus move(Rig *r, double s, double *q, double *v)
{
    const vgSystem *sys = r->sim.sys;
    vgWork *w = r->sim.it->work;
    for (int i = 0; i < r->n; i++) r->room[i] = s * r->d[i];
    sys->ops->retract(sys, r->q_base, r->room, q);
    for (int i = 0; i < r->n; i++) v[i] = r->v_base[i] + s * r->e[i];
    vgStatus st = sys->ops->project_q(sys, w, r->sim.state->t, q, 1e-14, 60, NULL);
    return st == VG_OK ? sys->ops->project_v(sys, w, r->sim.state->t, q, v) : st;
}

static void begin(Rig *r, const Case *c)
{
    const vgSystem *sys = r->sim.sys;
    vgState *s = r->sim.state;
    seed = test_seed(c->model, sys->nv);
    s->t = c->t;
    vg_work_bind(r->sim.it->work, s);
    for (int i = 0; i < r->n; i++) r->d[i] = 0.05 * noise() * sys->v_scale[i];
    for (int i = 0; i < r->n; i++) r->e[i] = 0.5 * noise() * sys->v_scale[i];
    memcpy(r->q_base, s->q, (size_t)sys->nq * sizeof(double));
    memcpy(r->v_base, s->v, (size_t)sys->nv * sizeof(double));
    CHECK_INT(move(r, 1, s->q, s->v), VG_OK);
    memcpy(r->q_base, s->q, (size_t)sys->nq * sizeof(double));
    memcpy(r->v_base, s->v, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < r->n; i++)
        r->d[i] = 0.2 * noise() * sys->v_scale[i], r->e[i] = 0.2 * noise() * sys->v_scale[i];
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* A motion along d, e: its δq, δv and da/ds, against the partial derivatives. */
static void compare_forward(Rig *r, const Case *c)
{
    static const double points[4] = {-2, -1, 1, 2};
    const vgSystem *sys = r->sim.sys;
    vgState *s = r->sim.state;
    const int n = r->n;
    double *v = vec((size_t)n), *dq[4], *dv[4], *expect = vec((size_t)n), *got = vec((size_t)n);
    for (int k = 0; k < 4; k++) {
        dq[k] = vec((size_t)n), dv[k] = vec((size_t)n);
        CHECK_INT(move(r, points[k] * STEP, r->q, v), VG_OK);
        sys->ops->local(sys, r->q_base, r->q, dq[k]);
        memcpy(dv[k], v, (size_t)n * sizeof *v);
        CHECK_INT(sys->ops->accel(sys, r->sim.it->work, s->t, r->q, v, r->a[k], r->lambda), VG_OK);
    }
    for (int i = 0; i < n; i++) {
        r->dq[i] = (8 * (dq[2][i] - dq[1][i]) - (dq[3][i] - dq[0][i])) / (12 * STEP);
        r->dv[i] = (8 * (dv[2][i] - dv[1][i]) - (dv[3][i] - dv[0][i])) / (12 * STEP);
        expect[i] = (8 * (r->a[2][i] - r->a[1][i]) - (r->a[3][i] - r->a[0][i])) / (12 * STEP);
    }
    double *a_q = r->room, *a_v = a_q + n * n;
    vgPartialsOut out = {.a_q = a_q, .a_v = a_v};
    CHECK_INT(vg_partials_at(r->p, r->sim.it->work, s, 0, NULL, &out), VG_OK);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) got[i] += a_q[i * n + j] * r->dq[j] + a_v[i * n + j] * r->dv[j];
    const double size = largest(expect, n) + largest(r->a[1], n);
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - expect[i]) <= SAME * size)) {
            printf("%s %s %s, coordinate %d of %d:\n", c->model, c->coordinates, c->constraints, i, n);
            CHECK_NEAR(got[i], expect[i], SAME * size);
            break;
        }
    CHECK(largest(expect, n) > 0);
    for (int k = 0; k < 4; k++) free(dq[k]), free(dv[k]);
    free(v), free(expect), free(got);
}

TEST(forward_dynamics_against_differences)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        Rig r = {0};
        const int opened = open_rig(&r, &settings[i]);
        CHECK(opened);
        if (!opened) continue;
        begin(&r, &settings[i]);
        compare_forward(&r, &settings[i]);
        close_rig(&r);
    }
}

/* Residuals moved along single coordinates: τ = r there, since r = M a − f. */
static double residual_difference(Rig *r, int j, int what, int row, const double *a)
{
    static const double points[4] = {-2, -1, 1, 2};
    const vgSystem *sys = r->sim.sys;
    const int n = r->n;
    double y[4], *v = vec((size_t)n), *acc = vec((size_t)n), *out = vec((size_t)n);
    for (int k = 0; k < 4; k++) {
        memset(r->dq, 0, (size_t)n * sizeof(double));
        memcpy(v, r->v_base, (size_t)n * sizeof *v);
        memcpy(acc, a, (size_t)n * sizeof *acc);
        double *moved[] = {r->dq, v, acc};
        moved[what][j] += points[k] * STEP;
        sys->ops->retract(sys, r->q_base, r->dq, r->q);
        sys->ops->residual(sys, r->sim.it->work, r->sim.state->t, r->q, v, acc, NULL, out, NULL);
        y[k] = out[row];
    }
    free(v), free(acc), free(out);
    return (8 * (y[2] - y[1]) - (y[3] - y[0])) / (12 * STEP);
}

TEST(inverse_dynamics_against_differences)
{
    static const Case trees[] = {{"puma560", "relative", "index1", 0, NULL, 0},
                                 {"chain", "relative", "index1", 0, "N", 4},
                                 {"heavy-top-free", "relative", "index1", 0, NULL, 0},
                                 {"cart-pole", "relative", "index1", 0, NULL, 0}};
    for (size_t c = 0; c < sizeof trees / sizeof trees[0]; c++) {
        Rig r = {0};
        const int opened = open_rig(&r, &trees[c]);
        CHECK(opened);
        if (!opened) continue;
        begin(&r, &trees[c]);
        const int n = r.n;
        double *of[3] = {r.room, r.room + n * n, r.room + 2 * n * n}, *a = r.a[0];
        vgPartialsOut out = {.tau_q = of[0], .tau_v = of[1], .mass = of[2]};
        CHECK_INT(vg_partials_at(r.p, r.sim.it->work, r.sim.state, 0, NULL, &out), VG_OK);
        CHECK_INT(r.sim.sys->ops->accel(r.sim.sys, r.sim.it->work, 0, r.q_base, r.v_base, a, r.lambda),
                  VG_OK);
        for (int what = 0; what < 3; what++) {
            const double size = largest(of[what], n * n) + 1e-3;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    CHECK_NEAR(of[what][i * n + j], residual_difference(&r, j, what, i, a), SAME * size);
        }
        close_rig(&r);
    }
}

/* What the recursion gives is what the matrix on the graph gives, and M⁻¹ M = 1. */
TEST(recursion_and_graph_agree)
{
    static const char *const models[] = {"puma560", "chain", "cart-pole", "heavy-top-free", "governor"};
    static const char spring[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.2, 0.15], com: [0.2, 0, 0], markers: {end: [0.5, 0, 0.1]}}\n"
        "  b: {mass: 2, inertia: [0.1, 0.2, 0.15], com: [0.3, 0.1, 0], position: [0.5, 0, 0.1], markers: "
        "{end: [0.6, 0, 0]}}\n"
        "joints:\n  A: {revolute: [ground, a], axis: y, start: {rate: 2}}\n  B: {spherical: [a.end, b]}\n"
        "forces:\n  s: {spring: [a, b.end], stiffness: 50, damping: 3, length: 0.4}\n"
        "  d: {spring: [ground, b.end], stiffness: 20, damping: 1, length: 0.2}\n";
    for (size_t c = 0; c <= sizeof models / sizeof models[0]; c++) {
        const int own = c == sizeof models / sizeof models[0];
        char path[512];
        vgParamSet set = {"N", 5, NULL};
        vgDiag *diag = vg_diag_new();
        snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, own ? "" : models[c]);
        vgModel *m = own ? vg_model_parse(spring, strlen(spring), "spring", NULL, 0, diag)
                         : vg_model_load(path, &set, !strcmp(models[c], "chain"), diag);
        vgSystem *sys[2] = {NULL, NULL};
        double *x[2][7];
        int n = 0;
        CHECK(m != NULL);
        if (!m) printf("%s\n", vg_diag_line(diag, 0));
        for (int k = 0; m && k < 2; k++) {
            vgWork *work = NULL;
            vgState *s = NULL;
            vgPartials *p = NULL;
            vgAssembly assembly;
            CHECK_INT(vg_system_new_by(m, "relative", "index1", k ? VG_FAST_ALL & ~VG_FAST_TREE : VG_FAST_ALL,
                                       diag, &sys[k]),
                      VG_OK);
            CHECK_INT(vg_work_new(sys[k], &work), VG_OK);
            CHECK_INT(vg_assemble(sys[k], 0, 0, diag, &assembly, &s), VG_OK);
            CHECK_INT(vg_partials_new(sys[k], &p), VG_OK);
            n = sys[k]->nv;
            seed = test_seed("speeds", n);
            for (int i = 0; i < n; i++) s->v[i] += noise();
            for (int i = 0; i < 7; i++) x[k][i] = vec((size_t)n * (size_t)n);
            vgPartialsOut out = {.a_q = x[k][0],
                                 .a_v = x[k][1],
                                 .a_f = x[k][2],
                                 .tau_q = x[k][3],
                                 .tau_v = x[k][4],
                                 .mass = x[k][5]};
            CHECK_INT(vg_partials_at(p, work, s, 0, NULL, &out), VG_OK);
            CHECK_INT(((work->taken & VG_FAST_TREE) != 0), sys[k]->nl == 0 && !k);
            vg_assembly_free(&assembly);
            vg_partials_free(p);
            vg_state_free(s);
            vg_work_free(work);
        }
        for (int i = 0; m && i < 6; i++) {
            const double size = largest(x[0][i], n * n);
            for (int j = 0; j < n * n; j++) CHECK_NEAR(x[0][i][j], x[1][i][j], ROUNDING * size);
        }
        for (int i = 0; m && i < n && sys[0]->nl == 0; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++) sum += x[0][2][i * n + k] * x[0][5][k * n + j];
                CHECK_NEAR(sum, i == j, ROUNDING);
            }
        for (int k = 0; m && k < 2; k++) {
            for (int i = 0; i < 7; i++) free(x[k][i]);
            vg_system_free(sys[k]);
        }
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* A cart of mass 2 pushed by u and by 3 u² beside it: ∂a/∂u = (1 + 6 u)/2, and by a force along the slide 1/2. */
TEST(inputs_and_forces_of_a_cart)
{
    static const char text[] = "verge: 1\nplanar: true\ngravity: [0, 0]\n"
                               "bodies: {cart: {mass: 2, inertia: 1}}\n"
                               "joints: {rail: {prismatic: [ground, cart], axis: x}}\n"
                               "forces: {push: {joint-torque: rail, value: input.u + 3*input.u^2}}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "cart", NULL, 0, diag);
    vgSimulation sim;
    vgInputs inputs;
    vgPartials *p;
    double a_u, a_f;
    CHECK(m != NULL);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vgDials dials = {"relative", "index1", "rk4"};
    if (m && vg_simulation_open(m, &dials, diag, &sim) == VG_OK) {
        CHECK_INT(vg_inputs_new(m, &inputs), VG_OK);
        CHECK_INT(vg_partials_new(sim.sys, &p), VG_OK);
        vgPartialsOut out = {.a_u = &a_u, .a_f = &a_f};
        vg_inputs_set(&inputs, sim.state, 0, 0.5);
        CHECK_INT(vg_partials_at(p, sim.it->work, sim.state, 1, inputs.slot, &out), VG_OK);
        CHECK_NEAR(a_u, 2, 1e-12);
        CHECK_NEAR(a_f, 0.5, 1e-15);
        CHECK_NEAR(sim.state->turn[inputs.slot[0]], 0.5, 0);
        vg_partials_free(p);
        vg_inputs_free(&inputs);
        vg_simulation_close(&sim);
    }
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST_MAIN(forward_dynamics_against_differences, inverse_dynamics_against_differences,
          recursion_and_graph_agree, inputs_and_forces_of_a_cart)
