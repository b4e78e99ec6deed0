/* Elements evaluated four at a time against the same elements one by one, at random motions of the bodies:
 * every kind that has both, groups that are full and not, shared bodies, the ground. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "math/so3.h"
#include "math/trig_lanes.h"
#include "element/prim/motion_so3.h"
#include "system/native/fours.h"
#include "system/relative/relative.h"

static const char text[] =
    "verge: 1\n"
    "tables:\n"
    "  leaf: {x: [-1, 0, 0.4, 2], y: [-300, -5, 0, 50], outside: extend}\n"
    "  soft: {x: [-3, -1, 1, 3], y: [-9, -2, 2, 11], interpolation: cubic}\n"
    "roads:\n"
    "  hills: {law: {height: \"0.3*sin(x) + 0.05*x^2\"}}\n"
    "  porch: {stairs: {start: -1, count: 4, run: 0.7, rise: 0.2, edge: 0.3}, on: hills}\n"
    "bodies:\n"
    "  hub: {mass: 1, inertia: [1, 1, 1]}\n"
    "repeat:\n"
    "  index: k\n"
    "  from: 1\n"
    "  to: 5\n"
    "  bodies: {\"b{k}\": {mass: 1, inertia: [1, 1, 1], position: [k, 0, 0]}}\n"
    "  forces:\n"
    "    \"plain{k}\": {spring: [{body: hub, position: [0.1*k, 0, 0.3]}, \"b{k}\"], stiffness: 100*k, "
    "damping: 3, length: 0.2, preload: 4}\n"
    "    \"law{k}\": {spring: [ground, {body: \"b{k}\", position: [0.1, 0.2*k, 0.3]}], force: \"10*x - 3*x^2 "
    "+ if(v < 0, v, 2*v - v^3) + t\"}\n"
    "    \"table{k}\": {spring: [\"b{k}\", hub], table: leaf, damper: soft, length: 0.1}\n"
    "    \"axial{k}\": {axial-spring: [{body: hub, position: [0, 0.1*k, 0], rotation: [0.1*k, 0.2, 0]}, "
    "\"b{k}\"], axis: [1, 2, 2], table: leaf, length: 0.1*k}\n"
    "    \"damped{k}\": {axial-spring: [\"b{k}\", {body: hub, position: [0.3, 0.1*k, 0]}], axis: -z, "
    "stiffness: 20, damper: soft, length: 0.3}\n"
    "    \"spin{k}\": {flywheel: \"b{k}\", axis: [1, k, 0], momentum: 3*k}\n"
    "    \"tyre{k}\": {tyre-calspan: [ground, {body: \"b{k}\", position: [0, 0.1*k, 0]}], road: porch, "
    "radius: 0.8 + 0.1*k, stiffness: 9000*k, damping: 20, vertical: \"k == 2\"}\n"
    "    \"line{k}\": {tyre-linear: [{body: ground, position: [0, 0, 0.1]}, \"b{k}\"], axis: [0, 1, 0.2], "
    "radius: 1, stiffness: 1000, cornering: 500*k, camber: 60, trail: 0.1}\n"
    "    \"turned{k}\": {tyre-linear: [{body: ground, rotation: [0.1, 0, 0]}, \"b{k}\"], radius: 1, "
    "stiffness: 1000}\n";

static unsigned long long seed = 99;
static double noise(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static vgVec3 any(double size)
{
    return vg_scale3(vg_v3(noise(), noise(), noise()), size);
}

static void one_by_one(const vgModel *m, int f, double t, const vgKin *kin, double *wrench)
{
    const vgForce *fo = &m->force[f];
    const vgKin *at[VG_FORCE_MAX_BODIES];
    double w[6 * VG_FORCE_MAX_BODIES] = {0};
    for (int a = 0; a < fo->setup.nbody; a++)
        at[a] = &kin[fo->setup.body[a] < 0 ? m->nbody : fo->setup.body[a]];
    vgForceIn in = {.t = t, .nbody = fo->setup.nbody, .kin = at};
    fo->kind->eval(fo->def, &in, &(vgForceOut){.f = w});
    for (int a = 0; a < fo->setup.nbody; a++)
        for (int i = 0; fo->setup.body[a] >= 0 && i < 6; i++)
            wrench[6 * fo->setup.body[a] + i] += w[6 * a + i];
}

TEST(four_at_once_as_one_by_one)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, sizeof text - 1, "fours", NULL, 0, diag);
    CHECK(m != NULL);
    if (!m) {
        printf("%s\n", vg_diag_line(diag, 0));
        return;
    }
    vgArena measure = {0}, arena = {0};
    vgFours x;
    vg_fours_place(&x, m, 1, &measure);
    CHECK(vg_arena_alloc(&arena, measure.used) == VG_OK);
    vg_fours_place(&x, m, 1, &arena);
    CHECK(x.of != NULL);
    int seen = 0, touching = 0;
    for (int round = 0; round < 40; round++) {
        vgKin kin[8] = {0};
        for (int b = 0; b < m->nbody; b++)
            kin[b] = (vgKin){.p = any(1.2), .R = vg_so3_exp(any(1.5)), .v = any(3), .w = any(2)};
        kin[m->nbody].R = vg_eye3();
        for (int f = 0; f < m->nforce; f++) {
            double one[48] = {0}, four[48] = {0}, size = 1e-3, worst = 0;
            if (x.of[f] < 0) continue;
            const vgFourGroup *g = &x.group[x.of[f]];
            vg_fours_add(g, 0.3, kin, m->nbody, -1, four);
            for (int k = 0; k < g->n; k++) one_by_one(m, g->force[k], 0.3, kin, one);
            for (int i = 0; i < 6 * m->nbody; i++) {
                size = fmax(size, fabs(one[i]));
                worst = fmax(worst, fabs(one[i] + four[i]));
            }
            CHECK(worst <= 2e-14 * size);
            if (worst > 2e-14 * size) printf("%s: %g of %g\n", m->force[f].name, worst, size);
            seen += round == 0;
            touching += m->force[f].name[1] == 'y' && size > 1;
        }
    }
    CHECK(seen == 9); /* fives leave one alone, springs with laws and tables go together: 4 4 2 */
    CHECK(touching > 10);
    vg_arena_free(&arena);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(arcs)
{
    for (int i = 0; i < 1000; i++) {
        vgLane x = {noise() * 0.25, noise() * 0.01, noise() * 4, 0.001 * i}, y = vg_latan(x);
        for (int k = 0; k < VG_LANES; k++) CHECK_NEAR(y[k], atan(x[k]), 2.5e-16 * (0.01 + fabs(x[k])));
    }
}

TEST(sines)
{
    double worst = 0;
    for (int i = 0; i < 20000; i++) {
        vgLane x = {noise() * 2, noise() * 1e-5, noise() * 400, noise() * (i % 9 ? 4e5 : 1e7)}, s, c;
        if (i < 400) x[1] = (i - 200) * 0.78539816339744831; /* near the seams, all quadrants */
        vg_lsincos(x, &s, &c);
        for (int k = 0; k < VG_LANES; k++)
            worst = fmax(worst, fmax(fabs(s[k] - sin(x[k])), fabs(c[k] - cos(x[k]))));
        CHECK_NEAR(s[1], sin(x[1]), 2.5e-16 * (fabs(x[1]) < 0.1 ? fabs(x[1]) : 1));
    }
    CHECK(worst < 2.3e-16);
}

static double apart(const double *a, const double *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
    return worst;
}

/* Links that go through lanes and those that go through the tables of their joints. */
TEST(links_four_at_once_as_one_by_one)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/iltis.yaml", VERGE_SOURCE_DIR);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    vgSystem *sys = NULL;
    vgWork *work[2] = {NULL, NULL};
    CHECK(m && vg_system_new(m, "relative", "index3", diag, &sys) == VG_OK);
    vgTree *s = (vgTree *)sys;
    CHECK(s->nfour == 2 && s->ntask == 4);
    CHECK(vg_work_new(sys, &work[0]) == VG_OK && vg_work_new(sys, &work[1]) == VG_OK);
    vgTreeWork *w = (vgTreeWork *)work[0], *o = (vgTreeWork *)work[1];
    for (int round = 0; round < 20; round++) {
        double q[20], v[19], a[19], r[19];
        for (int i = 0; i < 20; i++) q[i] = noise();
        for (int i = 0; i < 19; i++) v[i] = noise(), a[i] = noise();
        vg_quat_store(vg_quat_normalize(vg_quat_load(q + 3)), q + 3);
        vg_tree_pass(s, w, q, v, a, 1);
        for (int i = 0; i < s->nlink; i++) s->link[i].way = VG_LINK_ANY;
        vg_tree_motion(s, o, q, v);
        for (int i = 0; i < s->nlink; i++) vg_tree_classify(&s->link[i], 1);
        CHECK(apart(w->S, o->S, 6 * sys->nv) < 4e-15);
        for (int i = 0; i < s->nlink; i++) {
            const vgLinkMotion *x = &w->m[i], *y = &o->m[i];
            CHECK(apart(&x->R.m[0][0], &y->R.m[0][0], 18) < 1e-14);
            CHECK(apart(&x->d.x, &y->d.x, 9) < 1e-14);
        }
        /* F of each link alone: residuals by the sum over links of Jᵀ F, J v its velocity */
        o->have_wrench = w->have_wrench = 0;
        memset(w->tau, 0, sizeof r);
        double power = 0, work_done = 0;
        for (int i = 0; i < s->nlink; i++)
            power += vg_dot3(w->m[i].v, vg_load3(w->m[i].F)) + vg_dot3(w->m[i].w, vg_load3(w->m[i].F + 3));
        vg_tree_collect(s, w, r);
        for (int i = 0; i < sys->nv; i++) work_done += r[i] * v[i];
        CHECK_NEAR(work_done, power, 1e-11 * (1e4 + fabs(power)));
    }
    vg_work_free(work[0]);
    vg_work_free(work[1]);
    vg_system_free(sys);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST_MAIN(four_at_once_as_one_by_one, arcs, sines, links_four_at_once_as_one_by_one)
