/* Midpoint rule, RATTLE and the energy–momentum method: orders, and what each of them conserves. */
#include "analysis/channels/energy.h"
#include "orders.h"
#include "test.h"

TEST(orders)
{
    static const char *const methods[] = {"midpoint", "rattle", "energy-momentum"};
    Problem problem[NPROBLEM + 1];
    problems_make(problem, "dop853:adaptive=0", 0.000125);
    problem[NPROBLEM] = (Problem){"heavy top with its joint", "heavy-top.yaml", "lie", 0.1, 0.005, {0}};
    problem[NPROBLEM].ref = final_of("heavy-top.yaml", "lie", "dop853:adaptive=0", 0.000125, 0.1);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int p = 0; p <= NPROBLEM; p++) {
            double order = measured_order(&problem[p], methods[m], 32, 1);
            if (!(fabs(order - 2) <= 0.15)) printf("%s on %s: %g\n", methods[m], problem[p].name, order);
            CHECK_NEAR(order, 2, 0.15);
        }
}

/* ---- what is conserved ---- */

typedef struct Watch {
    vgProbe *probe;
    int n;
    double e0, e_half, e_all; /* energy at first, largest change in the first half of the run and in all */
    vgVec3 P0, L0;
    double P, L, end, T; /* largest change of the momenta; largest kinetic energy */
} Watch;

static vgStatus look(void *user, const vgState *s, vgWork *work)
{
    Watch *w = user;
    vgVec3 P, L;
    vg_probe_at(w->probe, work, s);
    double e = vg_energy_total(w->probe);
    vg_energy_momentum(w->probe, &P, &L);
    if (w->n++ == 0) w->e0 = e, w->P0 = P, w->L0 = L;
    w->T = fmax(w->T, vg_energy_kinetic(w->probe));
    if (s->t <= w->end / 2) w->e_half = fmax(w->e_half, fabs(e - w->e0));
    w->e_all = fmax(w->e_all, fabs(e - w->e0));
    w->P = fmax(w->P, vg_norm3(vg_sub3(P, w->P0)));
    w->L = fmax(w->L, vg_norm3(vg_sub3(L, w->L0)));
    return VG_OK;
}

static Watch watch(const char *text, const char *coordinates, const char *method, double h, double end,
                   vgStats *stats)
{
    Rig r;
    Watch w = {.end = end};
    vgTransientOptions o = {.step = h, .end = end, .every = 1, .monitor = 1};
    vgTransientResult res = {0};
    CHECK(rig_open(&r, text, coordinates, method, NULL, 0));
    CHECK_INT(vg_probe_new(r.sim.sys, &w.probe), VG_OK);
    vgSink sink = {.user = &w, .row = look};
    CHECK_INT(vg_transient_run(r.sim.it, r.sim.state, &o, &sink, &res), VG_OK);
    if (res.status != VG_OK) printf("%s: %s\n", method, res.failure.text);
    if (stats) *stats = res.stats;
    vg_probe_free(w.probe);
    rig_close(&r);
    return w;
}

/* A body with three different inertias, turning about an axis near the middle one. */
#define TUMBLING                                                                                             \
    "verge: 1\ngravity: [0, 0, 0]\n"                                                                         \
    "bodies: {b: {mass: 2, inertia: [1, 2, 3], velocity: [1, 2, 3], omega: [0.1, 5, 0.2]}}\n"
/* Two bodies in free fall, joined by a spherical joint and a spring. */
#define FLOATING                                                                                             \
    "verge: 1\ngravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                              \
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.4], omega: [1, 2, -1], velocity: [0.5, 0, 0.2],\n"                 \
    "      markers: {J: [0.5, 0.1, 0], S: [0, 0.6, 0.2]}}\n"                                                 \
    "  b: {mass: 1, inertia: [0.1, 0.3, 0.25], position: [0.9, 0.2, 0.3], omega: [-2, 1, 3],\n"              \
    "      markers: {J: [-0.4, -0.1, -0.3], S: [0.2, 0.7, 0]}}\n"                                            \
    "joints: {J: {spherical: [a.J, b.J]}}\n"                                                                 \
    "forces: {s: {spring: [a.S, b.S], stiffness: 40, length: 0.5}}\n"
/* The same two with the spring alone. */
#define SPRUNG                                                                                               \
    "verge: 1\ngravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                              \
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.4], omega: [1, 2, -1], velocity: [0.5, 0, 0.2],\n"                 \
    "      markers: {S: [0, 0.6, 0.2]}}\n"                                                                   \
    "  b: {mass: 1, inertia: [0.1, 0.3, 0.25], position: [0.9, 0.2, 0.3], omega: [-2, 1, 3],\n"              \
    "      markers: {S: [0.2, 0.7, 0]}}\n"                                                                   \
    "forces: {s: {spring: [a.S, b.S], stiffness: 40, length: 0.5}}\n"

TEST(free_body)
{
    Watch em = watch(TUMBLING, "lie", "energy-momentum", 0.02, 20, NULL),
          ra = watch(TUMBLING, "lie", "rattle", 0.02, 20, NULL),
          mp = watch(TUMBLING, "lie", "midpoint", 0.02, 20, NULL);
    CHECK(em.e_all < 1e-11 && em.P < 1e-11 && em.L < 1e-11);
    CHECK(ra.P < 1e-11 && ra.L < 1e-11);
    CHECK(ra.e_all < 0.02 * ra.T); /* not conserved, but it stays where it is */
    CHECK_NEAR(ra.e_half, ra.e_all, 0.05 * ra.e_all);
    CHECK(mp.L > 1e-6); /* the plain midpoint rule keeps neither */
}

TEST(energy_momentum_conserves_energy)
{
    static const struct {
        const char *text, *coordinates;
        double h, end;
    } models[] = {{ELASTIC_PENDULUM, NULL, 0.05, 20},        {"pendulum-point.yaml", NULL, 0.05, 20},
                  {"heavy-top.yaml", "lie", 1e-3, 1},        {"double-pendulum.yaml", "planar", 1e-3, 2},
                  {"four-bar-spatial.yaml", "lie", 2e-3, 1}, {FLOATING, "lie", 0.01, 5}};
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        vgStats stats;
        Watch em = watch(models[k].text, models[k].coordinates, "energy-momentum", models[k].h, models[k].end,
                         &stats);
        double size = fmax(em.T, fabs(em.e0));
        if (!(em.e_all < 2e-11 * size)) printf("model %d: %g of %g\n", (int)k, em.e_all, size);
        CHECK(em.e_all < 2e-11 * size);
        CHECK(stats.max_phi < 1e-12);
    }
}

TEST(energy_momentum_conserves_momenta_of_free_systems)
{
    Watch joint = watch(FLOATING, "lie", "energy-momentum", 0.01, 5, NULL),
          spring = watch(SPRUNG, "lie", "energy-momentum", 0.01, 5, NULL);
    CHECK(joint.P < 1e-11 && joint.L < 1e-11);
    CHECK(spring.e_all < 1e-11 && spring.P < 1e-11 && spring.L < 1e-11);
}

/* Driven joints and dampers still do their work: energy changes as the exact motion's does. */
TEST(energy_momentum_keeps_accounts)
{
    Final a = final_of("slider-crank.yaml", NULL, "energy-momentum", 1e-3, 0.5),
          b = final_of("slider-crank.yaml", NULL, "dop853:rtol=1e-10,atol=1e-10", 0, 0.5);
    CHECK(a.ok && b.ok);
    CHECK(distance(a.q, b.q, a.nq) < 1e-4);
    CHECK(distance(a.v, b.v, a.nv) < 1e-3);
}

/* Steps that follow the error: velocities, too, are as good as asked for and on the constraints, and what is
 * conserved stays so. */
TEST(energy_momentum_under_error_control)
{
    static const struct {
        const char *text, *coordinates;
        double end;
        int conserves;
    } models[] = {{"slider-crank-3d.yaml", "lie", 1, 1},
                  {"four-bar-spatial.yaml", "lie", 1, 1},
                  {"heavy-top.yaml", "lie", 0.2, 1},
                  {FLOATING, "lie", 2, 1},
                  {"slider-crank.yaml", "planar", 0.5, 0}};
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        const char *text = models[k].text, *coordinates = models[k].coordinates;
        double end = models[k].end;
        vgStats stats;
        Final ref = final_of(text, coordinates, "dop853:rtol=1e-12,atol=1e-13", 0, end),
              em = final_of(text, coordinates, "energy-momentum:rtol=1e-7", 0, end);
        CHECK(ref.ok && em.ok);
        double most =
            3e-7 * (double)em.stats.steps * fmax(1, distance(ref.v, (double[MAX_STATE]){0}, ref.nv));
        if (!(final_error(&em, &ref, 0) < most))
            printf("model %d: %g > %g\n", (int)k, final_error(&em, &ref, 0), most);
        CHECK(final_error(&em, &ref, 0) < most);
        Watch w = watch(text, coordinates, "energy-momentum:rtol=1e-5", 0, end, &stats);
        CHECK(stats.max_phi_dot < 1e-11);
        if (!models[k].conserves) continue;
        if (!(w.e_all < 2e-11 * fmax(w.T, fabs(w.e0))))
            printf("model %d: energy %g of %g\n", (int)k, w.e_all, w.T);
        CHECK(w.e_all < 2e-11 * fmax(w.T, fabs(w.e0)));
        if (text[0] == 'v') CHECK(w.P < 1e-11 && w.L < 1e-11); /* FLOATING */
    }
}

/* A pendulum on a driven cart: what the projection takes meets the drive, whose work it is. Given back to the
 * pendulum it costs an order, and the steps go with the square root of the tolerance instead of the third. */
TEST(energy_momentum_beside_a_drive)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
        "bodies: {cart: {mass: 1, inertia: 1}, rod: {mass: 0.5, inertia: 0.01, com: [0, -0.4], angle: 0.4}}\n"
        "joints:\n  rail: {prismatic: [ground, cart], axis: x, drive: {displacement: '0.2*(1-cos(4*t))'}}\n"
        "  pin: {revolute: [cart, rod]}\n";
    Final ref = final_of(text, "planar", "dop853:rtol=1e-12,atol=1e-13", 0, 1),
          rough = final_of(text, "planar", "energy-momentum:rtol=1e-5", 0, 1),
          fine = final_of(text, "planar", "energy-momentum:rtol=1e-8", 0, 1);
    double steps = (double)fine.stats.steps / (double)rough.stats.steps;
    CHECK(ref.ok && rough.ok && fine.ok);
    if (!(steps < 13)) printf("%ld, %ld steps\n", rough.stats.steps, fine.stats.steps);
    CHECK(steps > 8 && steps < 13); /* 10 of order 2, 32 of order 1 */
    CHECK(final_error(&fine, &ref, 0) < 3e-8 * (double)fine.stats.steps);
}

TEST(rattle_conserves_momenta_and_holds_constraints)
{
    vgStats stats;
    Watch joint = watch(FLOATING, "lie", "rattle", 0.01, 5, &stats);
    CHECK(joint.P < 1e-11 && joint.L < 1e-11);
    CHECK(stats.max_phi < 1e-13);
    CHECK(stats.max_phi_dot < 1e-12);
    CHECK(stats.max_phi_ddot < 1e-10);
    Watch top = watch("heavy-top.yaml", "lie", "rattle", 1e-3, 1, &stats);
    CHECK(stats.max_phi < 1e-12 && stats.max_phi_dot < 1e-11);
    CHECK(fabs(top.L0.z) > 1);
}

/* No drift: the energy error of the second half of a long run is that of the first, and goes with h². */
TEST(rattle_energy_does_not_drift)
{
    Watch a = watch("pendulum-point.yaml", NULL, "rattle", 0.02, 400, NULL),
          b = watch("pendulum-point.yaml", NULL, "rattle", 0.01, 100, NULL),
          c = watch("pendulum-point.yaml", NULL, "generalized-alpha:rho=0.5", 0.02, 400, NULL);
    CHECK_NEAR(a.e_half, a.e_all, 1e-3 * a.e_all);
    CHECK_NEAR(log2(a.e_all / b.e_all), 2, 0.1);
    CHECK(c.e_all > 1.5 * c.e_half || c.e_all > 10 * a.e_all); /* dissipation goes on */
}

/* Symmetric: steps of −h lead back to the start. */
TEST(rattle_is_reversible)
{
    static const char *const models[] = {"heavy-top.yaml", FLOATING};
    for (int k = 0; k < 2; k++) {
        Rig r;
        double q[MAX_STATE], v[MAX_STATE], h = k ? 0.01 : 1e-3;
        CHECK(rig_open(&r, models[k], "lie", "rattle", NULL, 0));
        vgState *s = r.sim.state;
        vgIntegrator *it = r.sim.it;
        vg_work_bind(it->work, s);
        memcpy(q, s->q, (size_t)r.sim.sys->nq * sizeof(double));
        memcpy(v, s->v, (size_t)r.sim.sys->nv * sizeof(double));
        CHECK_INT(it->row->start(it, s), VG_OK);
        for (int n = 0; n < 200; n++) CHECK_INT(vg_integrator_advance(it, s, n < 100 ? h : -h), VG_OK);
        CHECK_NEAR(distance(q, s->q, r.sim.sys->nq), 0, 1e-11);
        CHECK_NEAR(distance(v, s->v, r.sim.sys->nv), 0, 1e-9);
        rig_close(&r);
    }
}

/* A pendulum held by a constraint, from angle and rate given. */
#define SWING                                                                                                \
    "verge: 1\nplanar: true\nparameters: {x0: 1, w: 0.5}\ngravity: [0, -9.81]\n"                             \
    "bodies: {m: {mass: 1, point: true, position: [sin(x0), -cos(x0)], velocity: [w*cos(x0), w*sin(x0)]}}\n" \
    "joints: {rod: {distance: [ground, m], length: 1}}\n"

static void swing(const char *method, double x, double w, double out[2])
{
    Rig r;
    vgParamSet set[] = {{"x0", x, NULL}, {"w", w, NULL}};
    CHECK(rig_open(&r, SWING, NULL, method, set, 2));
    CHECK(rig_run(&r, 0.05, 1));
    const double *q = r.sim.state->q, *v = r.sim.state->v;
    out[0] = atan2(q[0], -q[1]);
    out[1] = q[0] * v[1] - q[1] * v[0]; /* rate, and momentum, of the angle */
    rig_close(&r);
}

/* Symplectic: areas in the plane of angle and momentum are kept. */
TEST(rattle_keeps_areas)
{
    static const char *const methods[] = {"rattle", "generalized-alpha:rho=0.5"};
    double det[2];
    for (int m = 0; m < 2; m++) {
        double e = 1e-5, a[2], b[2], c[2], d[2];
        swing(methods[m], 1 + e, 0.5, a);
        swing(methods[m], 1 - e, 0.5, b);
        swing(methods[m], 1, 0.5 + e, c);
        swing(methods[m], 1, 0.5 - e, d);
        det[m] = ((a[0] - b[0]) * (c[1] - d[1]) - (a[1] - b[1]) * (c[0] - d[0])) / (4 * e * e);
    }
    CHECK_NEAR(det[0], 1, 1e-8);
    CHECK(fabs(det[1] - 1) > 1e-4);
}

/* Models and coordinates that these methods cannot take are refused in words. */
TEST(refusals)
{
    static const char *const methods[] = {"rattle", "energy-momentum"};
    for (int m = 0; m < 2; m++) {
        vgDiag *diag = vg_diag_new();
        vgModel *model = vg_model_parse(TUMBLING, strlen(TUMBLING), "test", NULL, 0, diag);
        vgSimulation sim;
        vgDials dials = {"euler-parameters", "index3", methods[m]};
        CHECK_INT(vg_simulation_open(model, &dials, diag, &sim), VG_BAD_INPUT);
        CHECK(vg_diag_count(diag) > 0);
        CHECK_STR(vg_diag_line(diag, 0), "'lie' or 'planar'");
        vg_model_free(model);
        vg_diag_free(diag);
    }
}

TEST_MAIN(orders, free_body, energy_momentum_conserves_energy,
          energy_momentum_conserves_momenta_of_free_systems, energy_momentum_keeps_accounts,
          energy_momentum_under_error_control, energy_momentum_beside_a_drive,
          rattle_conserves_momenta_and_holds_constraints, rattle_energy_does_not_drift, rattle_is_reversible,
          rattle_keeps_areas, refusals)
