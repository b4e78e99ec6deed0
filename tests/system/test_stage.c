/* A stage of an explicit method in one pass over free bodies is the general way's: sums, ⊕, T⁻¹ and
 * accelerations one after the other; and a run takes it where there are no multipliers. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

/* bodies of all kinds, tied by forces only: of one body and of two, constant, of time, with and without
 * tangents */
static const char spatial[] =
    "verge: 1\ntitle: free bodies\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  A: {mass: 2, inertia: [0.2, 0.3, 0.4], com: [0.01, 0.02, -0.03], rotation: [0.3, -0.2, 0.5], omega: "
    "[1, 2, -3], velocity: [0.1, 0, 1], markers: {tip: [0.1, 0.2, 0.3]}}\n"
    "  B: {mass: 1, inertia: [0.1, 0.12, 0.09], position: [1, 0.5, 0.2], omega: [-4, 1, 2], markers: {tip: "
    "{position: [-0.1, 0.1, 0], rotation: [0.3, 0.1, 0.2]}}}\n"
    "  P: {mass: 0.5, point: true, position: [0, 1, 0], velocity: [1, 0, 0]}\n"
    "forces:\n"
    "  pull: {force: A.tip, value: [1, -2, 3]}\n"
    "  push: {force: B.tip, value: [2, 1, -1], frame: body}\n"
    "  wave: {force: B.tip, value: [\"sin(5*t)\", 0, \"cos(3*t)\"]}\n"
    "  turn: {torque: A, value: [0.1, 0.3, \"0.2*t\"]}\n"
    "  rope: {spring: [A.tip, B.tip], stiffness: 40, damping: 0.3}\n"
    "  band: {spring: [ground, P], stiffness: 30}\n"
    "run: {step: 1e-3, end: 0.05}\n";
static const char planar[] =
    "verge: 1\ntitle: free bodies in the plane\nplanar: true\ngravity: [0.4, -9.81]\n"
    "bodies:\n"
    "  A: {mass: 2, inertia: 0.3, rotation: 0.4, omega: 2, markers: {tip: [0.3, 0.1]}}\n"
    "  P: {mass: 0.5, point: true, position: [0, 1], velocity: [1, 0]}\n"
    "forces:\n"
    "  pull: {force: A.tip, value: [1, \"2*t\"]}\n"
    "  rope: {spring: [A.tip, P], stiffness: 40, damping: 0.3}\n"
    "run: {step: 1e-3, end: 0.05}\n";

enum { MOST = 40, ROWS = 4 };

static unsigned long long seed = 815;
static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static int open_sim(const char *text, const char *coordinates, const char *integrator, vgModel **m,
                    vgSimulation *sim)
{
    vgDiag *diag = vg_diag_new();
    vgDials dials = {coordinates, NULL, integrator};
    *m = vg_model_parse(text, strlen(text), "free", NULL, 0, diag);
    int good = *m && vg_simulation_open(*m, &dials, diag, sim) == VG_OK;
    if (!good) printf("%s\n", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    vg_diag_free(diag);
    return good;
}

static double off(const double *x, const double *y, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]) / (1 + fabs(y[i])));
    return worst;
}

/* `size`: of a stage's turn, small as in a step or beyond a radian. */
static void compare(vgSimulation *sim, double size)
{
    const vgSystem *sys = sim->sys;
    vgWork *work = sim->it->work;
    const vgState *s = sim->state;
    double k[ROWS][MOST], l[ROWS][MOST], c[ROWS], d[MOST] = {0}, t = 0.37;
    double q[MOST], v[MOST], rate[MOST], acc[MOST], q1[MOST], v1[MOST], rate1[MOST], acc1[MOST], lambda[4];
    const double *kr[ROWS], *lr[ROWS];
    memcpy(v, s->v, (size_t)sys->nv * sizeof *v);
    for (int j = 0; j < ROWS; j++) {
        kr[j] = k[j], lr[j] = l[j];
        c[j] = noise();
        for (int i = 0; i < sys->nv; i++) {
            k[j][i] = size * noise(), l[j][i] = 3 * noise();
            d[i] += c[j] * k[j][i];
            v[i] += c[j] * l[j][i];
        }
    }
    sys->ops->retract(sys, s->q, d, q);
    sys->ops->rates(sys, d, q, v, rate);
    CHECK(sys->ops->accel(sys, work, t, q, v, acc, lambda) == VG_OK);
    vgExplicit x = {t, s->q, s->v, ROWS, c, kr, lr, q1, v1, rate1, acc1, 1};
    CHECK(sys->ops->extra.stage(sys, work, &x) == VG_OK);
    CHECK(off(q1, q, sys->nq) < 1e-14);
    CHECK(off(v1, v, sys->nv) < 1e-14);
    CHECK(off(rate1, rate, sys->nv) < 1e-14);
    CHECK(off(acc1, acc, sys->nv) < 1e-13);
}

TEST(stage_is_the_general_way)
{
    static const char *const coordinates[] = {"lie",   "se3", "cayley", "euler-angles", "euler-angles-1",
                                              "planar"};
    for (int c = 0; c < 6; c++) {
        vgModel *m;
        vgSimulation sim;
        int good = open_sim(c == 5 ? planar : spatial, coordinates[c], "rk4", &m, &sim);
        CHECK(good);
        if (!good) continue;
        CHECK(sim.sys->free_stages && sim.sys->nq <= MOST);
        vg_work_bind(sim.it->work, sim.state);
        for (int i = 0; i < 6; i++) compare(&sim, i < 3 ? 0.05 : 0.7);
        vg_simulation_close(&sim);
        vg_model_free(m);
    }
}

/* Unit rows of Euler parameters and joints have multipliers. */
TEST(multipliers_take_the_general_way)
{
    vgModel *m;
    vgSimulation sim;
    int good = open_sim(spatial, "euler-parameters", "rk4", &m, &sim);
    CHECK(good);
    if (!good) return;
    CHECK(!sim.sys->free_stages);
    vg_simulation_close(&sim);
    vg_model_free(m);
}

/* The same method in coordinates that take the one way and the other ends at the same place. */
TEST(runs_agree)
{
    static const char *const method[] = {"rk4",   "dopri5:adaptive=0", "rk6",
                                         "rkf45", "dop853:rtol=1e-10", "euler"};
    for (int i = 0; i < 6; i++) {
        double p[2][3];
        for (int way = 0; way < 2; way++) {
            vgModel *m;
            vgSimulation sim;
            int good = open_sim(spatial, "lie", method[i], &m, &sim);
            CHECK(good);
            if (!good) return;
            if (way == 1) sim.sys->free_stages = 0; /* the general way */
            vgTransientOptions how = {.step = 1e-3, .end = 0.2, .every = 1000};
            vgSink sink = {0};
            vgTransientResult out;
            CHECK(vg_transient_run(sim.it, sim.state, &how, &sink, &out) == VG_OK);
            memcpy(p[way], sim.state->q, sizeof p[way]);
            vg_simulation_close(&sim);
            vg_model_free(m);
        }
        CHECK(off(p[0], p[1], 3) < 1e-12);
    }
}

TEST_MAIN(stage_is_the_general_way, multipliers_take_the_general_way, runs_agree)
