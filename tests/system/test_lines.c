/* Lines of beams that are eliminated while they are evaluated: the increment is the solution of the assembled
 * matrix, whatever the lines hang on, and a run is the run of the general way. */
#include <verge/verge.h>

#include "analysis/run/transient.h"
#include "system/absolute/lines.h"
#include "system/rig.h"

/* Lines with a free end at either side, held at both, held nowhere, of two and three nodes, with damping and
 * without, a weight at an end, a joint and forces on the way and at ends, two that meet. Numbers of elements
 * are not multiples of four, so that some elements belong to no line. */
static const char lines[] =
    "verge: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n  ground: {markers: {B: [9, 1, 0], C: [3, 5, 1]}}\n"
    "  W: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 2.2, 0]}\n"
    "mesh:\n"
    "  a: {beam3: 13, start: {spherical: ground}, to: [3, 0, 0], circle: 0.05, E: 1e7, nu: 0.3, rho: 1000}\n"
    "  b: {beam3: 14, start: {revolute: ground.B, axis: y}, to: [9, 4, 0], end: {spherical: W}, circle: "
    "0.05, E: 1e7, nu: 0.3, rho: 1000}\n"
    "  c: {beam: 18, from: [3, 8, 1], end: {fixed: ground.C}, rectangle: [0.1, 0.2], E: 1e7, nu: 0.3, rho: "
    "1000, damping: 0.01}\n"
    "  d: {beam3: 17, from: [0, 0, 5], to: [2, 2, 6], circle: 0.04, E: 1e7, nu: 0.3, rho: 1000, damping: "
    "0.02}\n"
    "  e: {beam3: 30, from: [0, 0, 8], to: [0, 6, 8], rectangle: [0.1, 0.05], E: 1e7, nu: 0.3, rho: 1000}\n"
    "joints: {J: {spherical: [e.31, W]}}\n"
    "forces:\n  F: {force: e.21, value: [1, 2, 3]}\n"
    "  T: {torque: e.31, value: [300, -200, 100], frame: body}\n"
    "  S: {spring: [W, e.61], stiffness: 1e5, damping: 100}\n"
    "  P: {force: b.29, value: [100, 300, -200], frame: body}\n"
    "run: {step: 1e-3, end: 0.05}\n";

static const char rope[] = "verge: 1\ngravity: [0, 0, -9.81]\nmesh:\n"
                           "  p: {beam3: 32, start: {spherical: ground}, to: [2, 0, 0], circle: 0.005, E: "
                           "1e7, nu: 0.3, rho: 1000, damping: 1e-4}\n";

static int open_rig(Rig *r, const char *text, const char *coordinates, const char *integrator)
{
    vgDiag *diag = vg_diag_new();
    return open_model(r, vg_model_parse(text, strlen(text), "lines", NULL, 0, diag), diag, coordinates,
                      integrator);
}

static double difference(const double *a, const double *b, int n)
{
    double size = 0, worst = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst / size;
}

static int solve_generally(Rig *r, const vgTangent *p)
{
    const vgSystem *sys = r->sim.sys;
    vgWork *w = r->sim.it->work;
    vgTangent fresh = *p;
    fresh.reuse = 1;
    sys->ops->residual(sys, w, p->t, p->q, p->v, p->a, p->lambda, r->r, r->phi);
    for (int i = 0; i < sys->nv; i++) r->general[i] = -r->r[i] / p->ca;
    for (int i = 0; i < sys->nl; i++) r->general_l[i] = -r->phi[i];
    if (sys->ops->factor(sys, w, &fresh) != VG_OK) return 0;
    sys->ops->solve(sys, w, r->general, r->general_l);
    return 1;
}

static int opened(int good)
{
    CHECK(good);
    return good;
}

TEST(the_lines_are_found)
{
    Rig r;
    if (!opened(open_rig(&r, lines, "lie", "generalized-alpha"))) return;
    const vgLines *found = ((const vgAbsWork *)r.sim.it->work)->lines;
    CHECK(found != NULL);
    int held = 0, turned = 0, two = 0, hidden = 0;
    for (int i = 0; found && i < found->nline; i++) {
        held += found->line[i].tip >= 0;
        turned += found->line[i].near != 0;
        two += found->line[i].nn == 2;
    }
    for (int i = 0; found && i < r.m->nbody; i++) hidden += found->hidden[i];
    CHECK(found && found->nline >= 5);
    CHECK(held >= 2);
    CHECK(turned >= 1);
    CHECK(two >= 1);
    CHECK(hidden > r.m->nbody / 2);
    close_rig(&r);
}

TEST(increment_is_the_solution_of_the_matrix)
{
    static const char *const coordinates[] = {"lie", "cayley"};
    static const vgStageMap maps[] = {VG_STAGE_PLAIN, VG_STAGE_NEWMARK, VG_STAGE_FIRST};
    for (int c = 0; c < 2; c++) {
        Rig r;
        if (!opened(open_rig(&r, lines, coordinates[c], "generalized-alpha"))) return;
        const vgSystem *sys = r.sim.sys;
        for (int k = 0; k < 3; k++) {
            double open;
            vgTangent p = somewhere(&r, maps[k], 0.005, 1);
            CHECK_INT(sys->ops->sweep.increment(sys, r.sim.it->work, &p, r.x, r.xl, &open), VG_OK);
            CHECK(solve_generally(&r, &p));
            CHECK(difference(r.x, r.general, sys->nv) < 1e-11);
            CHECK(difference(r.xl, r.general_l, sys->nl) < 1e-10);
        }
        close_rig(&r);
    }
}

/* A stage given by its Δ: the increment at its state, added through T⁻¹. */
TEST(iteration_adds_the_increment_at_the_state)
{
    static const vgStageMap maps[] = {VG_STAGE_PLAIN, VG_STAGE_NEWMARK, VG_STAGE_FIRST};
    Rig r, s;
    if (!opened(open_rig(&r, lines, "lie", "generalized-alpha"))) return;
    if (!opened(open_rig(&s, lines, "lie", "generalized-alpha"))) return;
    const vgSystem *sys = r.sim.sys;
    const int nv = sys->nv, nl = sys->nl;
    for (int k = 0; k < 3; k++) {
        vgTangent p = somewhere(&r, maps[k], 0.005, 1);
        const double cv = p.cv, ca = maps[k] == VG_STAGE_FIRST ? cv * cv : p.ca;
        double *hat = calloc((size_t)nv + 1, sizeof *hat), *vhat = calloc((size_t)nv + 1, sizeof *vhat),
               *delta = calloc((size_t)nv + 1, sizeof *delta),
               *lambda = calloc((size_t)nl + 1, sizeof *lambda);
        p.ca = ca;
        for (int i = 0; i < nv; i++) {
            hat[i] = r.d[i] - 1e-3 * noise(), vhat[i] = noise();
            delta[i] = r.d[i];
            r.dd[i] = cv * (r.d[i] - hat[i]);
        }
        if (maps[k] == VG_STAGE_FIRST) sys->ops->twist(sys, r.d, r.q, r.dd, r.v);
        for (int i = 0; i < nv; i++) {
            if (maps[k] != VG_STAGE_FIRST) r.v[i] = vhat[i] + r.dd[i];
            r.a[i] = maps[k] == VG_STAGE_FIRST ? cv * (r.v[i] - vhat[i]) : ca * (r.d[i] - hat[i]);
        }
        memcpy(lambda, r.l, (size_t)nl * sizeof *lambda);
        vgAffine affine = {.t = p.t,
                           .q_r = r.sim.state->q,
                           .dhat = hat,
                           .vhat = vhat,
                           .a_old = hat,
                           .cv = cv,
                           .ca = ca,
                           .map = maps[k],
                           .delta = delta,
                           .lambda = lambda,
                           .x = s.x,
                           .q = s.q,
                           .v = s.v,
                           .a = s.a,
                           .delta_dot = s.dd};
        vgIteration out;
        CHECK_INT(sys->ops->sweep.iterate(sys, r.sim.it->work, &affine, &out), VG_OK);
        CHECK(solve_generally(&r, &p));
        CHECK(difference(s.x, r.general, nv) < 1e-11);
        if (maps[k] == VG_STAGE_PLAIN)
            memcpy(r.x, r.general, (size_t)nv * sizeof(double));
        else
            sys->ops->rates(sys, r.d, r.q, r.general, r.x);
        double worst = 0, norm = 0;
        for (int i = 0; i < nv; i++) {
            worst = fmax(worst, fabs(delta[i] - r.d[i] - r.x[i]));
            norm = fmax(norm, fabs(r.general[i]) / sys->v_scale[i]);
        }
        for (int i = 0; i < nl; i++)
            CHECK(fabs(lambda[i] - r.l[i] - ca * r.general_l[i]) < 1e-9 * ca * fabs(r.general_l[i]) + 1e-6);
        CHECK(worst < 1e-11 * norm);
        CHECK_NEAR(out.norm, norm, 1e-10 * norm);
        free(hat), free(vhat), free(delta), free(lambda);
    }
    close_rig(&r);
    close_rig(&s);
}

/* Full Newton takes the general way. */
static void run(const char *integrator, double *q, int *nq)
{
    Rig r;
    vgTransientResult out;
    vgTransientOptions how = {.step = 1e-3, .end = 0.1, .every = 1000};
    *nq = 0;
    if (!open_rig(&r, rope, "lie", integrator)) return;
    CHECK_INT(vg_transient_run(r.sim.it, r.sim.state, &how, &(vgSink){0}, &out), VG_OK);
    *nq = r.sim.sys->nq;
    memcpy(q, r.sim.state->q, (size_t)*nq * sizeof *q);
    close_rig(&r);
}

TEST(a_run_is_that_of_the_general_way)
{
    static const char *const methods[] = {"generalized-alpha:rho=0.6,tol=1e-13", "hht:tol=1e-13",
                                          "lms2:tol=1e-13", "esdirk324:tol=1e-13", "bdf:tol=1e-13"};
    static double one[2000], two[2000];
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        int n, m;
        char full[80];
        snprintf(full, sizeof full, "%s,newton=full", methods[k]);
        run(methods[k], one, &n);
        run(full, two, &m);
        CHECK(n > 0 && n == m);
        CHECK(difference(one, two, n) < 1e-9);
    }
}

static vgSim *make(const vgModel *model, const char *integrator)
{
    vgSim *sim = NULL;
    CHECK_INT(vg_sim_new(model, &(vgSimOptions){.integrator = integrator, .step = 3e-3}, NULL, &sim), VG_OK);
    return sim;
}

/* Steps of one iteration and of several follow each other, taken at once and with a kept matrix. */
TEST(a_run_goes_on_from_a_checkpoint_with_the_same_bits)
{
    static const char *const methods[] = {"generalized-alpha:rho=0.6", "lms2"};
    vgModel *model = vg_parse(rope, strlen(rope), "rope", NULL, NULL);
    for (int k = 0; k < 2; k++)
        for (int n = 10; n < 14; n++) {
            vgSim *sim = make(model, methods[k]), *fresh = make(model, methods[k]);
            if (!sim || !fresh) return;
            size_t size = vg_sim_checkpoint_size(sim);
            char *bytes = malloc(size);
            double first = 0, again = 1;
            CHECK_INT(vg_sim_advance(sim, n * 3e-3), VG_OK);
            CHECK_INT(vg_sim_save(sim, bytes, size), VG_OK);
            CHECK_INT(vg_sim_advance(sim, 0.09), VG_OK);
            vg_sim_get(sim, "body.p.65.position.z", &first);
            CHECK_INT(vg_sim_restore(fresh, bytes, size), VG_OK);
            CHECK_INT(vg_sim_advance(fresh, 0.09), VG_OK);
            vg_sim_get(fresh, "body.p.65.position.z", &again);
            CHECK(first == again);
            free(bytes);
            vg_sim_free(sim);
            vg_sim_free(fresh);
        }
    vg_model_free(model);
}

TEST_MAIN(the_lines_are_found, increment_is_the_solution_of_the_matrix,
          iteration_adds_the_increment_at_the_state, a_run_is_that_of_the_general_way,
          a_run_goes_on_from_a_checkpoint_with_the_same_bits)
