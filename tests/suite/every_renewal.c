/* Newton matrices that serve several steps: made in pieces they are the same bit by bit, for every family of
 * coordinates and every constraint setting; spread over steps they give the motion of full Newton, one part a
 * step; who cannot be spread says so by name. */
#include <stdlib.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "integrator/pairs.h"
#include "suite/mixed.h"
#include "suite/spatial_slider_crank.h"
#include "test.h"

static vgModel *shipped(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, name);
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    if (!m) printf("%s: %s\n", name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
    vg_diag_free(diag);
    return m;
}

/* Beams in lanes whose mass is beside the line, with damping: what each lane leaves to its bodies. */
static vgModel *offset_beams(void)
{
    static const char text[] =
        "verge: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {hub: {mass: 2, inertia: [0.1, 0.2, 0.3], omega: [1, 2, 3]}}\n"
        "mesh:\n"
        "  arm: {beam: 5, from: hub, to: [1, 0.2, 0], start: {fixed: hub}, rectangle: [0.02, 0.03], E: 2e9,\n"
        "        rho: 3000, mass-centre: [0.004, -0.003], damping: 1e-3}\n";
    vgModel *m = vg_model_parse(text, sizeof text - 1, "offset", NULL, 0, NULL);
    CHECK(m != NULL);
    return m;
}

static int open_with(const vgModel *m, const char *x, const char *c, const char *i, vgSimulation *sim,
                     char error[400])
{
    vgDiag *diag = vg_diag_new();
    vgStatus st = vg_simulation_open(m, &(vgDials){x, c, i}, diag, sim);
    snprintf(error, 400, "%s", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    vg_diag_free(diag);
    return st == VG_OK;
}

/* ---- pieces ---- */

static double some(int i)
{
    return sin(1.7 * i + 0.3);
}

/* A point off the start: velocities, accelerations, multipliers and Δ that are all at work. */
static vgTangent point(const vgSimulation *sim, double *room, double h)
{
    const vgSystem *sys = sim->sys;
    const vgState *s = sim->state;
    double *v = room, *a = v + sys->nv, *l = a + sys->nv, *d = l + sys->nphi, *rate = d + sys->nv;
    for (int i = 0; i < sys->nv; i++) {
        v[i] = s->v[i] + 0.1 * some(i);
        a[i] = s->a[i] + some(i + 5);
        d[i] = 0.01 * some(i + 9);
        rate[i] = v[i];
    }
    for (int i = 0; i < sys->nphi; i++) l[i] = s->lambda[i] + 3 * some(i + 2);
    return (vgTangent){.t = s->t,
                       .q = s->q,
                       .v = v,
                       .a = a,
                       .lambda = l,
                       .cv = 2 / h,
                       .ca = 4 / (h * h),
                       .map = VG_STAGE_NEWMARK,
                       .delta = d,
                       .delta_dot = rate};
}

static int same_solutions(const vgSimulation *sim, const char *what)
{
    const vgSystem *sys = sim->sys;
    size_t n = (size_t)(sys->nv + sys->nphi);
    double *room = calloc(4 * n + (size_t)sys->nv + 1, sizeof *room), *x = calloc(2 * n + 1, sizeof *x);
    vgTangent p = point(sim, room, 1e-3);
    vgWork *work[2] = {0};
    double *b[2] = {x, x + n};
    vgStatus st[2] = {VG_OK, VG_OK};
    int count = 0, assembled = 0, whole = 1;
    for (int k = 0; k < 2; k++) {
        CHECK_INT(vg_work_new(sys, &work[k]), VG_OK);
        vg_work_bind(work[k], sim->state);
        if (k == 0) {
            st[k] = sys->ops->factor(sys, work[k], &p);
        } else {
            count = sys->ops->pieces.count(sys, work[k], NULL, &assembled);
            double *cost = calloc((size_t)count + 1, sizeof *cost);
            CHECK_INT(sys->ops->pieces.count(sys, work[k], cost, NULL), count);
            for (int i = 0; i < count; i++) whole &= cost[i] >= 0;
            for (int i = 0; i < count && st[k] == VG_OK; i++)
                st[k] = sys->ops->pieces.make(sys, work[k], &p, i);
            free(cost);
        }
        for (size_t i = 0; i < n; i++) b[k][i] = some((int)i);
        /* some solutions look at the motion of the last residual too */
        double *r = calloc(n + (size_t)sys->nv + 1, sizeof *r);
        sys->ops->residual(sys, work[k], p.t, p.q, p.v, p.a, p.lambda, r, r + sys->nv);
        free(r);
        if (st[k] == VG_OK) sys->ops->solve(sys, work[k], b[k], b[k] + sys->nv);
    }
    int same = st[0] == st[1] && memcmp(b[0], b[1], n * sizeof *x) == 0 && whole && count > assembled - 1;
    if (!same) {
        size_t i = 0;
        while (i < n && b[0][i] == b[1][i]) i++;
        printf("%s, %s, %s: %d, %d; row %zu of %zu\n", what, sys->coordinates, sys->constraints, st[0], st[1],
               i, n);
    }
    for (int k = 0; k < 2; k++) vg_work_free(work[k]);
    free(room);
    free(x);
    return same;
}

TEST(pieces_make_the_same_matrix)
{
    static const char *const models[] = {"iltis",
                                         "slider-crank-3d",
                                         "puma560",
                                         "squeezer",
                                         "rotor",
                                         "slider-crank-flexible-modes",
                                         "four-bar-spatial",
                                         "cantilever",
                                         NULL};
    int tried = 0, mixed = 0;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        vgModel *m = models[k] ? shipped(models[k]) : offset_beams();
        CHECK(m != NULL);
        for (const vgCoordinatesRow *x = vg_coordinates_list; m && x->name; x++)
            for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) {
                vgSimulation sim = {0};
                char error[400];
                if (!(x->models & (m->planar ? 1 : 2)) || x->first_order) continue;
                if (k == 0 && strcmp(x->name, "relative") != 0) continue; /* its assembly takes long */
                if (!open_with(m, x->name, c->name, "trapezoidal", &sim, error)) continue;
                CHECK(same_solutions(&sim, models[k] ? models[k] : "offset beams"));
                vg_simulation_close(&sim);
                tried++;
            }
        /* bodies with coordinates of their own */
        for (const vgConstraintsRow *c = vg_constraints_list; m && c->name && k > 0 && mix_bodies(m, 0);
             c++) {
            vgSimulation sim = {0};
            char error[400];
            if (!open_with(m, "lie", c->name, "trapezoidal", &sim, error)) continue;
            CHECK(same_solutions(&sim, models[k] ? models[k] : "offset beams"));
            vg_simulation_close(&sim);
            mixed++;
        }
        vg_model_free(m);
    }
    printf("%d systems\n", tried);
    CHECK(tried > 150 && mixed > 20);
}

/* ---- spread over steps ---- */

static const char text[] = SPATIAL_SLIDER_CRANK "run: {step: 2e-3, end: 0.03}\n";

typedef struct Ran {
    vgStatus status;
    char error[400];
    double q[64];
    int nq;
    vgStats stats;
} Ran;

static Ran run(const vgModel *m, const char *x, const char *c, const char *i)
{
    Ran out = {0};
    vgSimulation sim = {0};
    if (!open_with(m, x, c, i, &sim, out.error)) {
        out.status = VG_BAD_INPUT;
        return out;
    }
    vgTransientResult end = {0};
    vgTransientOptions o = {.step = 2e-3, .end = 0.03, .every = 1 << 30};
    out.status = vg_transient_run(sim.it, sim.state, &o, NULL, &end);
    snprintf(out.error, sizeof out.error, "%s", end.failure.text);
    out.nq = sim.sys->nq < 64 ? sim.sys->nq : 64;
    memcpy(out.q, sim.state->q, (size_t)out.nq * sizeof(double));
    out.stats = sim.it->stats;
    vg_simulation_close(&sim);
    return out;
}

static double apart(const Ran *a, const Ran *b)
{
    double most = 0;
    for (int i = 0; i < a->nq; i++) most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

/* spread=3 in 15 steps of one size: a part after each of them, a new matrix after three. Methods of several
 * steps begin with others, and where an old matrix leads nowhere a stage makes one itself. */
static int really_spreads(const Ran *r)
{
    return r->stats.parts >= r->stats.steps - 4 && r->stats.parts <= r->stats.steps &&
           r->stats.jacobians >= r->stats.parts / 3 && r->stats.jacobians < 2 * r->stats.steps;
}

/* Settings that put velocities onto the constraints in the metric of the tangent find them elsewhere with an
 * older one, within the error of the step; the others end where full Newton does. */
static double tolerance(const vgConstraintsRow *c, const vgIntegratorRow *i)
{
    int metric =
        (c->flag & VG_CON_INDEX2) || (c->flag & VG_CON_AUGMENTED3) || !strcmp(i->name, "trapezoidal");
    if (!strcmp(i->name, "bdf")) return 1e-5; /* looks for its order, which a rounding may change */
    return metric ? (i->order > 1 ? 5e-6 : 5e-5) : 1e-8;
}

/* All integrators in relative coordinates, some of them in all. */
static int is_wanted(const vgCoordinatesRow *x, const vgIntegratorRow *i)
{
    static const char *const some_of[] = {"generalized-alpha", "bdf2", "esdirk324"};
    int wanted = !strcmp(x->name, "relative");
    for (int k = 0; k < 3; k++) wanted |= !strcmp(some_of[k], i->name);
    return wanted && (x->models & 2) && !x->first_order;
}

TEST(spread_over_steps_the_motion_is_that_of_full_newton)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, strlen(text), "text", NULL, 0, diag);
    CHECK(m != NULL);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    vg_diag_free(diag);
    int spread = 0, refused = 0;
    for (const vgCoordinatesRow *x = vg_coordinates_list; m && x->name; x++)
        for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++)
            for (const vgIntegratorRow *const *i = vg_integrators; *i; i++) {
                char full[96], parts[96];
                if (!is_wanted(x, *i) || !vg_pair_allowed(x, c, *i)) continue;
                snprintf(full, sizeof full, "%s:newton=full,tol=1e-11,acc=1e-8,adaptive=0", (*i)->name);
                snprintf(parts, sizeof parts, "%s:spread=3,tol=1e-11,acc=1e-8,adaptive=0", (*i)->name);
                Ran b = run(m, x->name, c->name, parts);
                if (b.status == VG_BAD_INPUT) {
                    refused++;
                    CHECK_STR(b.error, (*i)->name);
                    CHECK_STR(b.error, "spread");
                    continue;
                }
                Ran a = run(m, x->name, c->name, full);
                int good = a.status == VG_OK && b.status == VG_OK && apart(&a, &b) < tolerance(c, *i) &&
                           really_spreads(&b);
                if (!good)
                    printf("%s × %s × %s: %s; %.3g apart; %ld steps, %ld parts, %ld matrices\n", x->name,
                           c->name, (*i)->name, b.error, apart(&a, &b), b.stats.steps, b.stats.parts,
                           b.stats.jacobians);
                CHECK(good);
                spread++;
            }
    printf("%d spread, %d refused\n", spread, refused);
    CHECK(spread > 200 && refused > 100);
    vg_model_free(m);
}

/* ---- secants ---- */

/* A mass against a stop beyond x = 0, one coordinate: in one dimension Broyden's method is the secant method,
 * which meets the straight line on either side of the corner at once. With the tangent of the free motion, 1
 * where the stop has 1 + k h²/4 = 2.5, a step takes three iterations there (the first; the one that meets the
 * line; the one that sees it), plus one or two where it crosses; without secants the iteration diverges there
 * (factor 1 - 2.5) and other matrices have to help. */
TEST(an_old_matrix_does_with_secants_what_it_cannot_alone)
{
    static const char stop[] = "verge: 1\nplanar: true\n"
                               "bodies:\n  m: {mass: 1, inertia: 1, position: [-0.1, 0], velocity: [10, 0]}\n"
                               "joints:\n  rail: {prismatic: [ground, m], axis: [1, 0]}\n"
                               "forces:\n  s: {joint-torque: rail, value: \"if(x < 0, -x, -6e6*x)\"}\n";
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(stop, strlen(stop), "stop", NULL, 0, diag);
    if (!m) printf("%s\n", vg_diag_line(diag, 0));
    CHECK(m != NULL);
    enum { STEPS = 15 };
    double at[2][2] = {{0}};
    for (int k = 0; k < 2 && m; k++) {
        vgSimulation sim;
        char how[96];
        snprintf(how, sizeof how, "trapezoidal:newton=%s,tol=1e-12", k ? "full" : "frozen");
        CHECK_INT(vg_simulation_open(m, &(vgDials){"relative", "index3", how}, diag, &sim), VG_OK);
        vgIntegrator *it = sim.it;
        vg_work_bind(it->work, sim.state);
        CHECK_INT(it->row->start(it, sim.state), VG_OK);
        for (int i = 0; i < STEPS; i++) { /* the corner is not looked for, as in real time */
            CHECK_INT(vg_integrator_advance(it, sim.state, 1e-3), VG_OK);
            sim.state->t = 1e-3 * (i + 1);
            vg_work_accept(sim.sys, it->work, sim.state);
        }
        at[k][0] = sim.state->q[0], at[k][1] = sim.state->v[0];
        printf("%ld iterations, %ld matrices\n", it->stats.newton_iterations, it->stats.jacobians);
        if (k == 0) {
            CHECK_INT(it->stats.jacobians, 1);
            CHECK_INT(it->stats.newton_failures, 0);
            CHECK(it->stats.newton_iterations <= 3 * STEPS + 2 * 2);
        }
        vg_simulation_close(&sim);
    }
    CHECK(at[1][1] < 0); /* it has come back */
    CHECK_NEAR(at[0][0], at[1][0], 1e-11);
    CHECK_NEAR(at[0][1], at[1][1], 1e-8);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* The same against stops of any stiffness, which the mass meets and leaves many times, with corners that are
 * not looked for: after every step the acceleration is that of the law, or off by a thousandth of its change
 * in the step where Newmark's family is content with err = 3e-3 of the step's own error, h²/12 of that change
 * (ca is 4/h²). A contraction seen on one side of a corner says nothing about an increment across it. */
TEST(no_step_is_accepted_on_the_wrong_side_of_a_corner)
{
    static const char *const how[] = {"trapezoidal:err=0",
                                      "trapezoidal:newton=full,err=0",
                                      "trapezoidal:newton=hold,err=0",
                                      "trapezoidal:newton=frozen,err=0",
                                      "generalized-alpha:newton=hold,err=0",
                                      "trapezoidal",
                                      "trapezoidal:newton=hold",
                                      "bdf2",
                                      "bdf2:newton=hold",
                                      "lms2",
                                      "lms2:spread=4"};
    for (double k = 1e4; k < 1e8; k *= 3)
        for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
            char text_of[400];
            double worst = 0, share = i == 5 || i == 6 ? 3e-3 * 4 / 12 : 0;
            snprintf(text_of, sizeof text_of,
                     "verge: 1\nplanar: true\n"
                     "bodies:\n  m: {mass: 1, inertia: 1, position: [-0.02, 0], velocity: [10, 0]}\n"
                     "joints:\n  rail: {prismatic: [ground, m], axis: [1, 0]}\n"
                     "forces:\n  s: {joint-torque: rail, value: \"if(x < 0, -1e3*x, -%g*x)\"}\n",
                     k);
            vgModel *m = vg_model_parse(text_of, strlen(text_of), "stop", NULL, 0, NULL);
            vgSimulation sim;
            CHECK_INT(vg_simulation_open(m, &(vgDials){"relative", "index3", how[i]}, NULL, &sim), VG_OK);
            vgState *s = sim.state;
            vg_work_bind(sim.it->work, s);
            CHECK_INT(sim.it->row->start(sim.it, s), VG_OK);
            for (int n = 1; n <= 300; n++) {
                double before = s->a[0];
                CHECK_INT(vg_integrator_advance(sim.it, s, 1e-3), VG_OK);
                s->t = 1e-3 * n;
                vg_work_accept(sim.sys, sim.it->work, s);
                double off = fabs(s->a[0] + (s->q[0] < 0 ? 1e3 : k) * s->q[0]);
                worst = fmax(worst, off - share * fabs(s->a[0] - before));
            }
            if (worst > 1e-3) printf("%s, k %g: off by %g\n", how[i], k, worst);
            CHECK(worst < 1e-3);
            vg_simulation_close(&sim);
            vg_model_free(m);
        }
}

TEST_MAIN(pieces_make_the_same_matrix, spread_over_steps_the_motion_is_that_of_full_newton,
          an_old_matrix_does_with_secants_what_it_cannot_alone,
          no_step_is_accepted_on_the_wrong_side_of_a_corner)
