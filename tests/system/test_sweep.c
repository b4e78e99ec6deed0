/* Newton's increment of a tree by one sweep is the solution of the assembled matrix: the residual, the matrix
 * and the elimination of the general way, compared at states away from the constraints; and a long chain is
 * solved although its multipliers cannot be eliminated first without losing all digits. */
#include "base/alloc_count.h"
#include "system/rig.h"

/* every joint of the sweep in both directions, branches, a floating root and one on the ground */
static const char tree[] =
    "verge: 1\ntitle: a tree of point-holding joints\ngravity: [0.3, -0.2, -9.81]\n"
    "repeat: {index: i, from: 0, to: 10, bodies: {\"b{i}\": {mass: 1 + 0.1*i, inertia: [0.02 + 0.01*i, 0.03 "
    "+ 0.01*i, 0.04 + 0.005*i], com: [0.01*i, 0.02, -0.03], position: [0.3*i, 0.1*i, 0.2*i], rotation: "
    "[0.1*i, -0.05*i, 0.07*i], markers: {A: {position: [0.1, 0.05, 0.1], rotation: [0.2, 0.1, 0.3]}, B: "
    "{position: [-0.1, 0, -0.1], rotation: [0.1, 0.4, -0.2]}}}}}\n"
    "joints:\n"
    "  J1: {revolute: [b0.A, b1.B], axis: [1, 2, 0.5]}\n  J2: {revolute: [b2.B, b1.A], axis: x}\n"
    "  J3: {spherical: [b0.A, b3.B]}\n  J4: {spherical: [b4.B, b3.A]}\n"
    "  J5: {universal: [b3.A, b5.B], axis: x}\n  J6: {universal: [b6.B, b0.A], axis: z}\n"
    "  J7: {fixed: [b7.B, b6.A]}\n  J8: {fixed: [b6.A, b8.B]}\n"
    "  J9: {revolute: [ground, b9.B], axis: y}\n  J10: {spherical: [b10.B, b9.A]}\n"
    "run: {step: 1e-3, end: 0.05}\n";

static double *vec(int n)
{
    return calloc((size_t)n + 8, sizeof(double));
}

/* Largest difference from the general way, relative to the largest increment. */
static void compare(Rig *r, const vgTangent *p, double *of_v, double *of_l)
{
    const vgSystem *sys = r->sim.sys;
    vgWork *w = r->sim.it->work;
    double *x = vec(sys->nv), *xl = vec(sys->nl), size = 0, size_l = 0, open;
    *of_v = *of_l = INFINITY;
    vgTangent fresh = *p;
    fresh.reuse = 1;
    CHECK_INT(sys->ops->sweep.increment(sys, w, p, r->x, r->xl, &open), VG_OK);
    sys->ops->residual(sys, w, p->t, p->q, p->v, p->a, p->lambda, r->r, r->phi);
    for (int i = 0; i < sys->nv; i++) x[i] = -r->r[i] / p->ca;
    for (int i = 0; i < sys->nl; i++) xl[i] = -r->phi[i];
    if (sys->ops->factor(sys, w, &fresh) == VG_OK) {
        sys->ops->solve(sys, w, x, xl);
        *of_v = *of_l = 0;
        for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(x[i]));
        for (int i = 0; i < sys->nl; i++) size_l = fmax(size_l, fabs(xl[i]));
        for (int i = 0; i < sys->nv; i++) *of_v = fmax(*of_v, fabs(x[i] - r->x[i]) / size);
        for (int i = 0; i < sys->nl; i++) *of_l = fmax(*of_l, fabs(xl[i] - r->xl[i]) / size_l);
    }
    free(x), free(xl);
}

TEST(increment_is_the_solution_of_the_matrix)
{
    static const char *const coordinates[] = {"lie", "cayley"};
    static const vgStageMap maps[] = {VG_STAGE_PLAIN, VG_STAGE_NEWMARK, VG_STAGE_FIRST};
    for (int c = 0; c < 2; c++) {
        vgDiag *diag = vg_diag_new();
        Rig r;
        int good = open_model(&r, vg_model_parse(tree, sizeof tree - 1, "tree", NULL, 0, diag), diag,
                              coordinates[c], "generalized-alpha");
        CHECK(good);
        for (int k = 0; k < 3 && good; k++) {
            double of_v, of_l;
            vgTangent p = somewhere(&r, maps[k], 0.05, 1);
            compare(&r, &p, &of_v, &of_l);
            CHECK(of_v < 1e-11);
            CHECK(of_l < 1e-10);
        }
        if (good) close_rig(&r);
    }
}

/* The rows of the linear system S (x, x_l) = −(r/ca, Φ) are checked by differences: after the increment, the
 * residuals of a chain of 2,000 hinges are of second order. The general elimination hands this one to the
 * sparse backend. */
TEST(long_chain_of_hinges_is_solved)
{
    vgDiag *diag = vg_diag_new();
    vgParamSet set[] = {{.name = "N", .value = 2000}, {.name = "kind", .value = 1}};
    Rig r;
    int good = open_model(&r, vg_model_load(VERGE_SOURCE_DIR "/models/chain.yaml", set, 2, diag), diag, "lie",
                          "generalized-alpha");
    CHECK(good);
    if (!good) return;
    const vgSystem *sys = r.sim.sys;
    vgWork *w = r.sim.it->work;
    double violation[4] = {0}, open[4];
    vgTangent p = somewhere(&r, VG_STAGE_NEWMARK, 1e-5, 1e-3);
    for (int k = 0; k < 4; k++) {
        sys->ops->residual(sys, w, p.t, p.q, p.v, p.a, p.lambda, r.r, r.phi);
        for (int i = 0; i < sys->nl; i++) violation[k] = fmax(violation[k], fabs(r.phi[i]));
        CHECK_INT(sys->ops->sweep.increment(sys, w, &p, r.x, r.xl, &open[k]), VG_OK);
        sys->ops->rates(sys, r.d, r.q, r.x, r.dd);
        for (int i = 0; i < sys->nv; i++) {
            r.d[i] += r.dd[i];
            r.v[i] += p.cv * r.dd[i];
            r.a[i] += p.ca * r.dd[i];
        }
        for (int i = 0; i < sys->nl; i++) r.l[i] += p.ca * r.xl[i];
        sys->ops->retract(sys, r.sim.state->q, r.d, r.q);
    }
    CHECK(violation[0] > 1e-6);
    for (int k = 0; k < 3; k++) /* as announced; the points are in units of the chain's 200 m */
        CHECK(violation[k + 1] < 200 * open[k] + 1e-12);
    CHECK(violation[3] < 1e-11);
    close_rig(&r);
}

/* Where a sweep breaks down the step goes on with the matrix, which is there. */
TEST(small_trees_have_their_matrix)
{
    vgDiag *diag = vg_diag_new();
    vgParamSet set[] = {{.name = "N", .value = 20}, {.name = "kind", .value = 1}};
    Rig r;
    int good = open_model(&r, vg_model_load(VERGE_SOURCE_DIR "/models/chain.yaml", set, 2, diag), diag, "lie",
                          "generalized-alpha");
    CHECK(good);
    if (!good) return;
    vgTangent p = somewhere(&r, VG_STAGE_NEWMARK, 1e-5, 1e-3);
    long before = alloc_count();
    CHECK_INT(r.sim.sys->ops->factor(r.sim.sys, r.sim.it->work, &p), VG_OK);
    CHECK_INT(alloc_count() - before, 0);
    close_rig(&r);
}

TEST_MAIN(small_trees_have_their_matrix, increment_is_the_solution_of_the_matrix,
          long_chain_of_hinges_is_solved)
