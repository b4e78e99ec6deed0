/* Natural coordinates against independent references and the other coordinates: heavy top, free rotation,
 * slider-cranks, squeezer, pendulums, redundant loops; the mass matrix is constant; every level of the
 * constraints. */
#include "run_model.h"
#include "test.h"

#include <math.h>

#define DOPRI "dopri5:rtol=4e-12,atol=4e-14"

static double distance_to(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* ---- heavy top ---- */

/* At 1 s, by an eighth-order method at 1e-13. */
static const double top_end[3] = {0.17334396410, 0.64008859207, -0.74849079113};

static runResult top(const char *constraints, const char *integrator, double h)
{
    runSpec s = {
        .model = "heavy-top",
        .coordinates = "natural",
        .constraints = constraints,
        .integrator = integrator,
        .step = h,
        .end = 1,
        .channel = {"marker.top.com.position.x", "marker.top.com.position.y", "marker.top.com.position.z"}};
    return run_model(&s);
}

TEST(heavy_top_by_an_explicit_method)
{
    runResult r = top("index1", "dopri5:rtol=1e-9,atol=1e-11", 0);
    CHECK_INT(r.status, VG_OK);
    CHECK_INT(r.freedom, 3);
    CHECK_NEAR(distance_to(r.value, top_end), 0, 1e-6);
}

TEST(heavy_top_generalized_alpha_is_of_order_two)
{
    double e[2];
    for (int i = 0; i < 2; i++) {
        runResult r = top(NULL, "generalized-alpha", i ? 5e-5 : 1e-4);
        CHECK_INT(r.status, VG_OK);
        e[i] = distance_to(r.value, top_end);
    }
    CHECK_NEAR(log2(e[0] / e[1]), 2, 0.1);
    CHECK(e[1] < 5e-3);
}

TEST(heavy_top_with_stabilised_and_acceleration_rows)
{
    static const struct {
        const char *constraints, *integrator;
    } ways[] = {{"index2", "generalized-alpha"}, {"index1", "generalized-alpha"}, {"index2", "esdirk436"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        runResult r = top(ways[i].constraints, ways[i].integrator, 1e-4);
        if (r.status != VG_OK) printf("%s %s: %s\n", ways[i].constraints, ways[i].integrator, r.error);
        CHECK_INT(r.status, VG_OK);
        CHECK(distance_to(r.value, top_end) < 1e-2);
        CHECK(r.end.stats.max_phi < 1e-9);
    }
}

/* ---- free rotation ---- */

/* A free symmetric body (J, J, Jz): ω precesses about z in the body with the rate (Jz − J)/J ωz. */
TEST(free_rotation_by_its_closed_form)
{
    static const char text[] =
        "verge: 1\ntitle: free\ngravity: [0, 0, 0]\nbodies:\n"
        "  a: {mass: 1, inertia: [0.2, 0.2, 0.3], velocity: [0.3, -0.1, 0.2], omega: [1, 0, 4]}\n"
        "run: {step: 1e-3, end: 2}\n";
    static const char *const names[] = {"body.a.omega.x", "body.a.omega.y", "body.a.omega.z",
                                        "body.a.position.x"};
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(text, sizeof text - 1, "free", NULL, 0, diag);
    vgDials dials = {"natural", "index1", DOPRI};
    vgSimulation sim;
    vgChannels *ch = NULL;
    vgTransientResult res;
    double value[4];
    CHECK(m != NULL);
    CHECK_INT(vg_simulation_open(m, &dials, diag, &sim), VG_OK);
    CHECK_INT(sim.assembly.freedom, 6);
    CHECK_INT(vg_channels_new(sim.sys, names, 4, diag, &ch), VG_OK);
    vgTransientOptions o = {.step = 1e-3, .end = 2, .every = 1 << 30};
    CHECK_INT(vg_transient_run(sim.it, sim.state, &o, NULL, &res), VG_OK);
    vg_channels_eval(ch, sim.it->work, sim.state, value);
    double turn = (0.3 - 0.2) / 0.2 * 4 * 2;
    CHECK_NEAR(value[0], cos(turn), 1e-9);
    CHECK_NEAR(value[1], sin(turn), 1e-9);
    CHECK_NEAR(value[2], 4, 1e-10);
    CHECK_NEAR(value[3], 0.6, 1e-10);
    vg_channels_free(ch);
    vg_simulation_close(&sim);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* ---- mechanisms ---- */

TEST(spatial_slider_crank)
{
    static const double theta[2] = {54.333332168266, 51.369439887902},
                        slide[2] = {0.240719573732, 0.254650085466};
    for (int v = 0; v < 2; v++) {
        runSpec s = {.model = "slider-crank-3d",
                     .coordinates = "natural",
                     .constraints = "index1",
                     .integrator = DOPRI,
                     .end = 5,
                     .set = {v ? "com=0" : "com=1"},
                     .channel = {"joint.A.angle", "joint.D.displacement"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK_INT(r.freedom, 1);
        CHECK_NEAR(r.value[0], theta[v], 1e-7);
        CHECK_NEAR(r.value[1], slide[v], 1e-7);
    }
}

/* Crank angle and its rate at 0.03 s: 128-bit extrapolation in the seven angles. */
TEST(squeezer)
{
    runSpec s = {.model = "squeezer",
                 .coordinates = "natural",
                 .constraints = "index1",
                 .integrator = DOPRI,
                 .end = 0.03,
                 .channel = {"joint.O.angle", "joint.O.rate", "joint.B.angle"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_INT(r.freedom, 1);
    CHECK_NEAR(r.value[0], 15.81077119515370709711938730, 2e-8);
    CHECK_NEAR(r.value[1], 1139.920302259106064198096848, 1e-8 * 1140);
    CHECK_NEAR(r.value[2], 0.04082224011964580485828231963, 1e-9);
    s.constraints = NULL;
    s.integrator = "generalized-alpha";
    double e[2];
    for (int i = 0; i < 2; i++) {
        s.step = i ? 2.5e-5 : 5e-5;
        s.every = 1;
        r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK(r.end.stats.max_phi <= 1e-12);
        e[i] = fabs(r.value[0] - 15.81077119515370709711938730);
    }
    CHECK_NEAR(log2(e[0] / e[1]), 2, 0.1);
}

TEST(pendulum_by_elliptic_functions)
{
    static const char *const models[] = {"pendulum", "pendulum-planar"};
    for (int i = 0; i < 2; i++) {
        runSpec s = {.model = models[i],
                     .coordinates = "natural",
                     .constraints = "index1",
                     .integrator = "dopri5:rtol=1e-13,atol=1e-14",
                     .end = 2,
                     .channel = {"joint.O.angle"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK_NEAR(r.value[0], 0.91664758966324498007, 1e-10);
    }
}

/* The same motion and the same reactions as in the coordinates of the model's kind, model by model. */
TEST(as_the_other_coordinates)
{
    static const struct {
        const char *model;
        double end;
        const char *channel[4];
    } rows[] = {
        {"double-pendulum",
         0.02,
         {"joint.J1.angle", "joint.J2.rate", "joint.J1.force.x", "joint.J2.force.y"}},
        {"slider-crank-torque", 0.5, {"joint.O.angle", "joint.O.rate", "joint.O.force.x", "joint.O.force.y"}},
        {"four-bar-planar", 0.5, {"joint.A.angle", "joint.A.rate", "joint.A.force.x", "joint.A.force.y"}},
        {"four-bar-spatial", 0.5, {"joint.A.angle", "joint.A.rate"}},
        {"puma560", 0.1, {"joint.J6.angle", "joint.J1.rate", "joint.J1.force.z", "joint.J2.torque.x"}},
        {"governor", 0.1, {"joint.slide.displacement", "joint.pivot1.angle"}},
        {"trebuchet", 0.1, {"joint.axle.angle", "body.stone.velocity.z", "joint.axle.force.z"}},
        {"radial-engine", 0.1, {"joint.crank.angle", "joint.bore2.displacement", "joint.crank.force.x"}},
        {"chain",
         0.1,
         {"marker.link1.end.position.x", "energy.total", "joint.J1.force.z", "joint.J2.force.x"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        runSpec s = {.model = rows[i].model,
                     .constraints = "index1",
                     .integrator = "dopri5:rtol=1e-11,atol=1e-12",
                     .end = rows[i].end};
        for (int k = 0; k < 4; k++) s.channel[k] = rows[i].channel[k];
        s.coordinates = strstr(rows[i].model, "planar") || strstr(rows[i].model, "torque") ||
                                !strcmp(rows[i].model, "double-pendulum")
                            ? "planar"
                            : "lie";
        runResult a = run_model(&s);
        if (a.status != VG_OK) printf("%s: %s\n", rows[i].model, a.error);
        CHECK_INT(a.status, VG_OK);
        s.coordinates = "natural";
        runResult b = run_model(&s);
        if (b.status != VG_OK) printf("%s: %s\n", rows[i].model, b.error);
        CHECK_INT(b.status, VG_OK);
        CHECK_INT(b.freedom, a.freedom);
        for (int k = 0; k < 4 && rows[i].channel[k]; k++) {
            double size = 1 + fabs(a.value[k]);
            if (!(fabs(a.value[k] - b.value[k]) <= 1e-7 * size))
                printf("%s %s: %.12g %.12g\n", rows[i].model, rows[i].channel[k], a.value[k], b.value[k]);
            CHECK_NEAR(b.value[k], a.value[k], 1e-7 * size);
        }
    }
}

/* ---- shared nodes ---- */

typedef struct Counts {
    int nv, nl, nredundant, freedom;
} Counts;

static Counts counts(const char *model)
{
    char path[512];
    Counts out = {0, 0, 0, 0};
    vgDiag *diag = vg_diag_new();
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, model);
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    vgDials dials = {"natural", NULL, "generalized-alpha"};
    vgSimulation sim;
    if (m && vg_simulation_open(m, &dials, diag, &sim) == VG_OK) {
        out = (Counts){sim.sys->nv, sim.sys->nl, sim.assembly.nredundant, sim.assembly.freedom};
        vg_simulation_close(&sim);
    }
    vg_model_free(m);
    vg_diag_free(diag);
    return out;
}

/* Counted by hand. Squeezer: points E, F, G, H and a row a link. Pendulum: two vectors beside the fixed axis
 * and point. Chain: a point and two vectors a link, six rows each. Slider-crank: the crank's pin A, the
 * slider's position alone. */
TEST(nodes_are_shared)
{
    static const struct {
        const char *model;
        int nv, nl;
    } rows[] = {{"squeezer", 8, 7},        {"pendulum", 6, 5}, {"pendulum-planar", 2, 1},
                {"double-pendulum", 4, 2}, {"chain", 90, 60},  {"slider-crank-torque", 4, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Counts c = counts(rows[i].model);
        if (c.nv != rows[i].nv || c.nl != rows[i].nl)
            printf("%s: %d coordinates, %d rows\n", rows[i].model, c.nv, c.nl);
        CHECK_INT(c.nv, rows[i].nv);
        CHECK_INT(c.nl, rows[i].nl);
        CHECK_INT(c.freedom, c.nv - c.nl + c.nredundant);
    }
    CHECK_INT(counts("four-bar-spatial").freedom, 1);
}

/* Trees in which one point or axis belongs to several bodies, and joints of every sharing kind in a row: all
 * reactions and accelerations as in Lie group coordinates. */
#define BODY(name, x, y, z)                                                                                  \
    "  " name ": {mass: 1.3, inertia: [0.05, 0.07, 0.06], com: [0.1, 0.03, -0.02], position: [" #x ", " #y   \
    ", " #z "], omega: [0.3, -0.2, 0.5], markers: {M: [0.2, 0.05, 0.1], N: [0.4, 0, -0.1]}}\n"
static const char *const trees[] = {
    "bodies:\n" BODY("a", 0, 0, 0) BODY("b", 0, 0, 0) BODY("c", 0, 0, 0)
        BODY("d", 0.2, 0.05,
             0.1) "joints:\n  A: {revolute: [ground, a], axis: y}\n  B: {spherical: [a, b]}\n"
                  "  C: {revolute: [b, c], axis: y}\n  D: {universal: [c.M, d], axis: x, axis2: y}\n",
    "bodies:\n" BODY("a", 0, 0, 0) BODY("b", 0.2, 0.05, 0.1) BODY("c", 0.4, 0.1, 0.2)
        BODY("d", 0.8, 0.1,
             0.1) "joints:\n  A: {revolute: [ground, a], axis: y}\n  B: {prismatic: [a.M, b], axis: x}\n"
                  "  C: {revolute: [b.M, c], axis: y}\n  D: {fixed: [c.N, d]}\n",
    "bodies:\n" BODY("a", 0, 0, 0) BODY("b", 0.2, 0.05, 0.1) BODY("c", 0.4, 0, -0.1)
        BODY("d", 0.8, 0,
             -0.2) "joints:\n  A: {prismatic: [ground, a], axis: y}\n  B: {cylindrical: [a.M, b], axis: x}\n"
                   "  C: {revolute: [c, a.N], axis: [1, 2, 0.5]}\n  D: {revolute: [d, c.N], axis: z}\n",
};

TEST(reactions_through_shared_nodes)
{
    static const char *const joint[] = {"A", "B", "C", "D"};
    static const char *const part[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        char text[4096], names[32][40];
        const char *channel[32];
        double value[2][32];
        for (int k = 0; k < 24; k++) {
            snprintf(names[k], sizeof names[k], "joint.%s.%s", joint[k / 6], part[k % 6]);
            channel[k] = names[k];
        }
        for (int k = 0; k < 8; k++) {
            snprintf(names[24 + k], sizeof names[0], "body.%c.%s.z", "abcd"[k / 2],
                     k % 2 ? "alpha" : "acceleration");
            channel[24 + k] = names[24 + k];
        }
        int n = snprintf(text, sizeof text,
                         "verge: 1\ntitle: tree\ngravity: [0.3, -0.2, -9.81]\n%sforces:\n  s: {spring: "
                         "[ground, d.N], stiffness: 40, damping: 2}\n",
                         trees[i]);
        vgDiag *diag = vg_diag_new();
        vgModel *m = vg_model_parse(text, (size_t)n, "tree", NULL, 0, diag);
        if (!m) printf("%s\n", vg_diag_line(diag, 0));
        CHECK(m != NULL);
        for (int c = 0; m && c < 2; c++) {
            vgDials dials = {c ? "natural" : "lie", NULL, "generalized-alpha"};
            vgSimulation sim;
            vgChannels *ch = NULL;
            vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
            if (st != VG_OK) printf("%s\n", vg_diag_line(diag, 0));
            CHECK_INT(st, VG_OK);
            if (st != VG_OK) continue;
            CHECK_INT(vg_channels_new(sim.sys, channel, 32, diag, &ch), VG_OK);
            vg_work_bind(sim.it->work, sim.state);
            vg_channels_eval(ch, sim.it->work, sim.state, value[c]);
            if (c) CHECK(sim.sys->nl < m->nrow + 6 * m->nbody - 12);
            vg_channels_free(ch);
            vg_simulation_close(&sim);
        }
        for (int k = 0; m && k < 32; k++) {
            if (!(fabs(value[0][k] - value[1][k]) <= 1e-9 * (1 + fabs(value[0][k]))))
                printf("tree %d %s\n", (int)i, names[k]);
            CHECK_NEAR(value[1][k], value[0][k], 1e-9 * (1 + fabs(value[0][k])));
        }
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* Nodes of beams have no inertia of their own: it comes from the elements. */
TEST(beams_as_in_lie_group_coordinates)
{
    static const struct {
        const char *model, *channel[3];
    } rows[] = {{"beam-buckling", {"body.beam.17.position.x", "body.beam.17.position.z"}},
                {"cantilever", {"body.beam.33.position.y", "body.beam.33.rotation.z"}},
                {"four-bar", {"body.BC.9.position.y", "joint.C.force.z"}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        runSpec s = {.model = rows[i].model,
                     .coordinates = "lie",
                     .constraints = "index3",
                     .integrator = "generalized-alpha:rho=0.6",
                     .step = 1e-3,
                     .end = 0.01};
        for (int k = 0; k < 2; k++) s.channel[k] = rows[i].channel[k];
        runResult a = run_model(&s);
        s.coordinates = "natural";
        runResult b = run_model(&s);
        CHECK_INT(a.status, VG_OK);
        CHECK_INT(b.status, VG_OK);
        for (int k = 0; k < 2; k++) CHECK_NEAR(b.value[k], a.value[k], 1e-8);
    }
}

/* ---- the mass matrix ---- */

/* r(a) − r(0) is M a: the same bits in every configuration, and a'M a is twice the kinetic energy of rigid
 * motions. */
TEST(mass_matrix_is_constant)
{
    static const char *const models[] = {"puma560", "slider-crank-3d", "four-bar-planar"};
    for (int i = 0; i < 3; i++) {
        char path[512];
        vgDiag *diag = vg_diag_new();
        snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, models[i]);
        vgModel *m = vg_model_load(path, NULL, 0, diag);
        vgDials dials = {"natural", NULL, "generalized-alpha"};
        vgSimulation sim;
        CHECK_INT(vg_simulation_open(m, &dials, diag, &sim), VG_OK);
        const vgSystem *sys = sim.sys;
        size_t n = (size_t)sys->nv + 1, nl = (size_t)sys->nl + 1;
        double *zero = calloc(n + nl, sizeof *zero), *a = calloc(n, sizeof *a), *q = calloc(n, sizeof *q);
        double *r0 = calloc(n, sizeof *r0), *r1 = calloc(n, sizeof *r1), *first = calloc(n, sizeof *first);
        vg_work_bind(sim.it->work, sim.state);
        for (int k = 0; k < sys->nv; k++) a[k] = sin(1 + 3.0 * k);
        for (int trial = 0; trial < 3; trial++) {
            for (int k = 0; k < sys->nv; k++) q[k] = sim.state->q[k] + trial * 0.3 * cos(2.0 * k);
            sys->ops->residual(sys, sim.it->work, 0, q, zero, a, zero, r1, NULL);
            sys->ops->residual(sys, sim.it->work, 0, q, zero, zero, zero, r0, NULL);
            for (int k = 0; k < sys->nv; k++) {
                if (trial == 0) first[k] = r1[k] - r0[k];
                CHECK(r1[k] - r0[k] == first[k]);
            }
        }
        for (int k = 0; k < sys->nv; k++) a[k] = sin(1 + 3.0 * k); /* a rigid motion */
        CHECK_INT(sys->ops->project_v(sys, sim.it->work, 0, sim.state->q, a), VG_OK);
        sys->ops->residual(sys, sim.it->work, 0, sim.state->q, zero, a, zero, r1, NULL);
        sys->ops->residual(sys, sim.it->work, 0, sim.state->q, zero, zero, zero, r0, NULL);
        double twice = 0, energy = 0;
        for (int k = 0; k < sys->nv; k++) twice += a[k] * (r1[k] - r0[k]);
        const vgKin *kin = sys->ops->kinematics(sys, sim.it->work, 0, sim.state->q, a, NULL);
        for (int b = 0; b < m->nbody; b++)
            energy += 0.5 * m->body[b].mass * vg_dot3(kin[b].v, kin[b].v) +
                      0.5 * vg_dot3(kin[b].w, vg_mv3(m->body[b].inertia, kin[b].w));
        CHECK_NEAR(0.5 * twice, energy, 1e-12 * (1 + energy));
        free(zero), free(a), free(q), free(r0), free(r1), free(first);
        vg_simulation_close(&sim);
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

TEST_MAIN(heavy_top_by_an_explicit_method, heavy_top_generalized_alpha_is_of_order_two,
          heavy_top_with_stabilised_and_acceleration_rows, free_rotation_by_its_closed_form,
          spatial_slider_crank, squeezer, pendulum_by_elliptic_functions, as_the_other_coordinates,
          nodes_are_shared, reactions_through_shared_nodes, beams_as_in_lie_group_coordinates,
          mass_matrix_is_constant)
