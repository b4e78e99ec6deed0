/* Relative coordinates against absolute ones: the same motion; velocities are J v; the two recursions agree;
 * energy stays. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/channels/energy.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "math/so3.h"
#include "system/tree_text.h"

static unsigned long long seed = 4711;
static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static vgModel *load(const char *name, const vgParamSet *set, int nset)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, name);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, set, nset, diag);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    return m;
}

static int start(const vgModel *m, const char *coordinates, const char *constraints, const char *integrator,
                 vgSimulation *sim)
{
    vgDiag *diag = vg_diag_new();
    vgDials dials = {coordinates, constraints, integrator};
    int ok = vg_simulation_open(m, &dials, diag, sim) == VG_OK;
    if (!ok) printf("%s: %s\n", m->path, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    vg_diag_free(diag);
    return ok;
}

/* Motion of all bodies at the end of a run. */
static int run(const vgModel *m, const char *coordinates, double step, double end, vgKin *kin)
{
    vgSimulation sim;
    if (!start(m, coordinates, "index1", "rk4", &sim)) return 0;
    vgTransientOptions o = {.step = step, .end = end, .every = 1 << 30};
    vgTransientResult res;
    int ok = vg_transient_run(sim.it, sim.state, &o, NULL, &res) == VG_OK;
    const vgState *s = sim.state;
    memcpy(kin, sim.sys->ops->kinematics(sim.sys, sim.it->work, s->t, s->q, s->v, s->a),
           (size_t)m->nbody * sizeof *kin);
    if (!ok) printf("%s\n", res.failure.text);
    vg_simulation_close(&sim);
    return ok;
}

TEST(same_motion_as_absolute_coordinates)
{
    static const struct {
        const char *model;
        double step, end;
        vgParamSet set;
    } cases[] = {{"pendulum", 1e-4, 0.2, {0}},        {"double-pendulum", 2e-5, 0.05, {0}},
                 {"chain", 2e-4, 0.05, {0}},          {"chain", 2e-4, 0.05, {"kind", 1, NULL}},
                 {"slider-crank", 1e-4, 0.1, {0}},    {"slider-crank-torque", 1e-4, 0.1, {0}},
                 {"slider-crank-3d", 1e-4, 0.1, {0}}, {"squeezer", 2e-6, 0.005, {0}},
                 {"puma560", 2e-4, 0.1, {0}},         {"puma560", 2e-4, 0.1, {"motors", 1, NULL}},
                 {"four-bar-planar", 1e-4, 0.1, {0}}, {"four-bar-spatial", 1e-4, 0.1, {0}},
                 {"heavy-top", 1e-4, 0.1, {0}},       {"heavy-top-free", 1e-4, 0.1, {0}},
                 {"pendulum-point", 1e-4, 0.1, {0}},  {"rotor", 1e-4, 0.05, {0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        vgModel *m = load(cases[i].model, &cases[i].set, cases[i].set.name != NULL);
        CHECK(m != NULL);
        if (!m) continue;
        vgKin *a = calloc((size_t)m->nbody, sizeof *a), *b = calloc((size_t)m->nbody, sizeof *b);
        CHECK(run(m, m->planar ? "planar" : "lie", cases[i].step, cases[i].end, a));
        CHECK(run(m, "relative", cases[i].step, cases[i].end, b));
        double worst = 0;
        for (int k = 0; k < m->nbody; k++) {
            worst = fmax(worst, vg_norm3(vg_sub3(a[k].p, b[k].p)));
            worst = fmax(worst, vg_norm3(vg_so3_log(vg_mtm3(a[k].R, b[k].R))));
            worst = fmax(worst, vg_norm3(vg_sub3(a[k].v, b[k].v)) / (1 + vg_norm3(a[k].v)));
            worst = fmax(worst, vg_norm3(vg_sub3(a[k].w, b[k].w)) / (1 + vg_norm3(a[k].w)));
        }
        if (!(worst <= 1e-8)) printf("%s: %.3g\n", cases[i].model, worst);
        CHECK(worst <= 1e-8);
        free(a);
        free(b);
        vg_model_free(m);
    }
}

/* Random motions: pose differences along v are the twists, differences of twists the accelerations; the
 * residual of the accelerations is zero. */
static void check_recursions(const vgModel *m, double solved)
{
    vgSimulation sim;
    CHECK(start(m, "relative", "index1", "rk4", &sim));
    const vgSystem *sys = sim.sys;
    vgWork *w = sim.it->work;
    size_t nv = (size_t)sys->nv + 1, nb = (size_t)m->nbody;
    double *q = calloc((size_t)sys->nq + 1, sizeof *q), *v = calloc(nv, sizeof *v),
           *a = calloc(nv, sizeof *a), *d = calloc(nv, sizeof *d),
           *at = calloc((size_t)sys->nq + 1, sizeof *at), *va = calloc(nv, sizeof *va),
           *lambda = calloc((size_t)sys->nl + 1, sizeof *lambda), *r = calloc(nv, sizeof *r);
    vgKin *k = calloc(3 * nb, sizeof *k);
    double e = 1e-5, worst[4] = {0};
    for (int i = 0; i < sys->nv; i++) d[i] = 0.3 * noise(), v[i] = noise();
    sys->ops->retract(sys, sim.state->q, d, q);
    if (sys->nl) {
        int iter;
        CHECK_INT(sys->ops->project_q(sys, w, 0.1, q, 1e-13, 50, &iter), VG_OK);
        CHECK_INT(sys->ops->project_v(sys, w, 0.1, q, v), VG_OK);
    }
    CHECK_INT(sys->ops->accel(sys, w, 0.1, q, v, a, lambda), VG_OK);
    sys->ops->residual(sys, w, 0.1, q, v, a, lambda, r, NULL);
    double size = 1;
    for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < sys->nv; i++) worst[3] = fmax(worst[3], fabs(r[i]) / size);
    memcpy(k, sys->ops->kinematics(sys, w, 0.1, q, v, a), nb * sizeof *k);
    for (int side = 0; side < 2; side++) { /* ḋ = v, v̇ = a to second order about d = 0 */
        double s = side ? e : -e;
        for (int i = 0; i < sys->nv; i++) d[i] = s * v[i] + 0.5 * s * s * a[i], va[i] = v[i] + s * a[i];
        sys->ops->retract(sys, q, d, at);
        memcpy(k + (1 + (size_t)side) * nb, sys->ops->kinematics(sys, w, 0.1, at, va, a), nb * sizeof *k);
    }
    for (size_t i = 0; i < nb; i++) {
        const vgKin *x = k + i, *lo = k + nb + i, *hi = k + 2 * nb + i;
        double f = 1 / (2 * e);
        worst[0] = fmax(worst[0], vg_norm3(vg_sub3(vg_scale3(vg_sub3(hi->p, lo->p), f), x->v)));
        worst[0] = fmax(worst[0], vg_norm3(vg_sub3(vg_scale3(vg_so3_log(vg_mtm3(lo->R, hi->R)), f), x->w)));
        worst[1] = fmax(worst[1], vg_norm3(vg_sub3(vg_scale3(vg_sub3(hi->v, lo->v), f), x->dv)) / size);
        worst[2] = fmax(worst[2], vg_norm3(vg_sub3(vg_scale3(vg_sub3(hi->w, lo->w), f), x->dw)) / size);
    }
    if (!(worst[0] < 1e-7 && worst[1] < 1e-6 && worst[2] < 1e-6 && worst[3] < solved))
        printf("%s: %.3g %.3g %.3g %.3g\n", m->title, worst[0], worst[1], worst[2], worst[3]);
    CHECK(worst[0] < 1e-7);
    CHECK(worst[1] < 1e-6);
    CHECK(worst[2] < 1e-6);
    CHECK(worst[3] < solved);
    free(q), free(v), free(a), free(d), free(at), free(va), free(lambda), free(r), free(k);
    vg_simulation_close(&sim);
}

static vgModel *make_tree(const char *text)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "tree", NULL, 0, diag);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    return m;
}

TEST(recursions)
{
    static const char *const names[] = {
        "chain",           "puma560",          "double-pendulum", "heavy-top-free", "squeezer",
        "slider-crank-3d", "four-bar-spatial", "heavy-top",       "pendulum-point"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        vgModel *m = load(names[i], NULL, 0);
        CHECK(m != NULL);
        if (m) check_recursions(m, 1e-10);
        vg_model_free(m);
    }
    const char *const texts[] = {tree_alone, tree_neighbours, tree_text, tree_near};
    for (int i = 0; i < 4; i++) {
        vgModel *m = make_tree(texts[i]);
        CHECK(m != NULL);
        if (m) check_recursions(m, i < 3 ? 1e-10 : 1e-9); /* rods and light bodies: small pivots in blocks */
        vg_model_free(m);
    }
}

TEST(a_tree_of_all_joints_moves_as_in_absolute_coordinates)
{
    const char *const texts[] = {tree_alone, tree_neighbours, tree_text};
    for (int i = 0; i < 3; i++) {
        vgModel *m = make_tree(texts[i]);
        vgKin a[10], b[10];
        CHECK(m != NULL);
        if (!m) return;
        CHECK(run(m, "lie", 5e-4, 0.1, a));
        CHECK(run(m, "relative", 5e-4, 0.1, b));
        for (int k = 0; k < 10; k++) {
            CHECK_NEAR(vg_norm3(vg_sub3(a[k].p, b[k].p)), 0, 1e-8);
            CHECK_NEAR(vg_norm3(vg_so3_log(vg_mtm3(a[k].R, b[k].R))), 0, 1e-8);
            CHECK_NEAR(vg_norm3(vg_sub3(a[k].dv, b[k].dv)), 0, 1e-6);
        }
        vg_model_free(m);
    }
}

TEST(energy_stays)
{
    static const char *const names[] = {"chain", "puma560"};
    for (int i = 0; i < 2; i++) {
        vgModel *m = load(names[i], NULL, 0);
        vgSimulation sim;
        vgProbe *probe = NULL;
        CHECK(m && start(m, "relative", "index1", "rk4", &sim));
        CHECK_INT(vg_probe_new(sim.sys, &probe), VG_OK);
        vg_probe_at(probe, sim.it->work, sim.state);
        double before = vg_energy_total(probe);
        vgTransientOptions o = {.step = 1e-4, .end = 0.2, .every = 1 << 30};
        vgTransientResult res;
        CHECK_INT(vg_transient_run(sim.it, sim.state, &o, NULL, &res), VG_OK);
        vg_probe_at(probe, sim.it->work, sim.state);
        CHECK_NEAR(vg_energy_total(probe), before, 1e-9);
        vg_probe_free(probe);
        vg_simulation_close(&sim);
        vg_model_free(m);
    }
}

TEST_MAIN(same_motion_as_absolute_coordinates, recursions,
          a_tree_of_all_joints_moves_as_in_absolute_coordinates, energy_stays)
