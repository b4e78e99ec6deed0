/* Every shipped model loads, and its initial placement fulfils its joints at position and velocity level. */
#include <dirent.h>

#include "model/model.h"
#include "test.h"

static vgKin motion(const vgModel *m, int body)
{
    if (body < 0) return (vgKin){.R = vg_eye3()};
    const vgBody *b = &m->body[body];
    return (vgKin){.p = b->p0, .R = b->R0, .v = b->v0, .w = b->w0};
}

static void check_start(const vgModel *m, double tol)
{
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        vgPrimOut out;
        if (p->kind == VG_PRIM_MEASURE) continue;
        vgKin a = motion(m, p->a), b = motion(m, p->b);
        vg_prim_eval(p, 0, &a, &b, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE, &out);
        for (int k = 0; k < p->rows; k++) {
            CHECK_NEAR(out.phi[k], 0, tol);
            CHECK_NEAR(out.dot[k], 0, tol);
        }
    }
}

static vgModel *load(const char *name, const vgParamSet *set, int nset)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/models/%s", VERGE_SOURCE_DIR, name);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, set, nset, diag);
    for (int i = 0; i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    CHECK(m != NULL);
    vg_diag_free(diag);
    return m;
}

TEST(every_model_loads)
{
    DIR *d = opendir(VERGE_SOURCE_DIR "/models");
    CHECK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 5, ".yaml") != 0) continue;
        vgModel *m = load(e->d_name, NULL, 0);
        if (!m) printf("%s\n", e->d_name);
        vg_model_free(m);
    }
    if (d) closedir(d);
}

TEST(benchmarks_start_consistently)
{
    static const char *const names[] = {
        "pendulum.yaml",        "pendulum-point.yaml",      "heavy-top.yaml",       "slider-crank-3d.yaml",
        "slider-crank.yaml",    "slider-crank-torque.yaml", "squeezer.yaml",        "chain.yaml",
        "double-pendulum.yaml", "four-bar-planar.yaml",     "four-bar-spatial.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        vgModel *m = load(names[i], NULL, 0);
        if (m) check_start(m, 1e-14);
        vg_model_free(m);
    }
    vgParamSet start = {"start", 1, NULL};
    vgModel *m = load("squeezer.yaml", &start, 1);
    if (m) check_start(m, 1e-14);
    vg_model_free(m);
}

/* The reference mass matrix of the squeezer in its seven angles gives the kinetic energy of the crank and the
 * coupler EF turning together (Theta = 0): T = ½ (M11) ω², here by summing the bodies. */
TEST(squeezer_masses)
{
    vgModel *m = load("squeezer.yaml", NULL, 0);
    if (!m) return;
    double total = 0;
    for (int i = 0; i < m->nbody; i++) total += m->body[i].mass;
    CHECK_NEAR(total, 0.04325 + 0.00365 + 0.02373 + 0.00706 + 0.07050 + 0.00706 + 0.05498, 1e-15);
    const vgBody *of = &m->body[vg_model_find_body(m, "OF")], *ef = &m->body[vg_model_find_body(m, "EF")];
    double about_O = of->inertia.m[2][2] + of->mass * vg_dot3(of->p0, of->p0) + ef->inertia.m[2][2] +
                     ef->mass * vg_dot3(ef->p0, ef->p0);
    double rr = 0.007, da = 0.0115, ra = 0.00092;
    CHECK_NEAR(about_O, 0.04325 * ra * ra + 0.00365 * (rr * rr - 2 * da * rr + da * da) + 2.194e-6 + 4.410e-7,
               1e-18);
    CHECK_INT(m->nrow, 20);
    vg_model_free(m);
}

TEST(long_chain)
{
    vgParamSet set[] = {{"N", 2000, NULL}, {"kind", 1, NULL}};
    vgModel *m = load("chain.yaml", set, 2);
    if (!m) return;
    CHECK_INT(m->nbody, 2000);
    CHECK_INT(m->nrow, 10000);
    check_start(m, 1e-12);
    vgModelSummary s;
    vg_model_describe(m, &s);
    CHECK_NEAR(s.mass, 200, 1e-9);
    CHECK_NEAR(s.com.x, 100, 1e-9);
    CHECK_NEAR(s.inertia.m[2][2], 200 * (200.0 * 200.0 / 12 + 0.005 * 0.005 / 4),
               1e-6 * 200 * 200 * 200 / 12);
    vg_model_free(m);
}

TEST_MAIN(every_model_loads, benchmarks_start_consistently, squeezer_masses, long_chain)
