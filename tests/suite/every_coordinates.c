/* Every joint kind in every coordinate setting: the same accelerations and the same reactions to 1e-9, the
 * same motion after explicit steps; constraint forces do no work on motions that the joint allows; steps
 * allocate nothing and give the same bits twice. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "base/alloc_count.h"
#include "suite/mixed.h"

/* joint entries between the markers a.M and b.N of two bodies that hang in springs */
static const struct {
    const char *kind, *joints;
} joint_case[] = {
    {"revolute", "J: {revolute: [a.M, b.N], axis: [1, 2, 0.5]}"},
    {"prismatic", "J: {prismatic: [a.M, b.N], axis: x}"},
    {"cylindrical", "J: {cylindrical: [a.M, b.N], axis: y}"},
    {"spherical", "J: {spherical: [a.M, b.N]}"},
    {"universal", "J: {universal: [a.M, b.N], axis: x, axis2: y}"},
    {"planar", "J: {planar: [a.M, b.N], axis: z}"},
    {"screw", "J: {screw: [a.M, b.N], axis: x, pitch: 0.05}"},
    {"fixed", "J: {fixed: [a.M, b.N]}"},
    {"distance", "J: {distance: [a.M, b], length: 0.6}"},
    {"point-on-line", "J: {point-on-line: [a.M, b.N], axis: x}"},
    {"point-on-plane", "J: {point-on-plane: [a.M, b.N], axis: z}"},
    {"constant-orientation", "J: {constant-orientation: [a.M, b.N]}"},
    {"parallel-axes", "J: {parallel-axes: [a.M, b.N], axis: x}"},
    {"angle", "J: {angle: [a.M, b.N], axis: x, axis2: y}"},
    {"constant-velocity", "J: {constant-velocity: [a.M, b.N], axis: x}"},
    {"gear", "J: {revolute: [ground, a], axis: x}\n  K: {revolute: [ground.B, b], axis: x}\n  G: {gear: [J, "
             "K], ratio: 2}"},
    {"coupler", "J: {revolute: [ground, a], axis: x}\n  K: {revolute: [ground.B, b], axis: x}\n  G: "
                "{coupler: [J, K], factors: [1, -3]}"},
    {"polynomial", "J: {revolute: [ground, a], axis: x}\n  K: {revolute: [ground.B, b], axis: x}\n  G: "
                   "{polynomial: [J, K], coefficients: [0.1, 0.6, 0.4, -0.2]}"},
    {"rack-and-pinion", "J: {revolute: [ground, a], axis: x}\n  K: {prismatic: [ground.B, b], axis: y}\n  G: "
                        "{rack-and-pinion: [J, K], radius: 0.1}"},
    {"rolling-disc", "J: {rolling-disc: [ground, b], axis: z, axis2: y, radius: 0.3}"},
    {"knife-edge", "J: {knife-edge: [ground, b], axis2: y}"},
    {"drive", "J: {revolute: [ground, a], axis: x, drive: {angle: \"0.3*t + 0.1*sin(2*t)\"}}"},
};
enum { NCASE = sizeof joint_case / sizeof joint_case[0] };

static const char *const charts[] = {"lie",          "cayley",   "se3",    "euler-parameters",
                                     "euler-angles", "relative", "natural"};
enum { NCHART = sizeof charts / sizeof charts[0], NWAY = NCHART + MIXED_TURNS };

static vgModel *make(int i, vgDiag *diag)
{
    static char text[4096];
    int n = snprintf(
        text, sizeof text,
        "verge: 1\ntitle: every joint\ngravity: [0.3, -0.2, -9.81]\nbodies:\n"
        "  ground: {markers: {B: [0.4, 0.1, 0.3], S: [1, 1, 2]}}\n"
        "  a: {mass: 1.3, inertia: [0.05, 0.07, 0.06], position: [0, 0, 0], rotation: [0.1, 0.2, -0.1], "
        "velocity: [0.1, 0.2, -0.3], omega: [0.5, -0.4, 0.7], markers: {M: [0.2, 0.05, 0.1]}}\n"
        "  b: {mass: 0.8, inertia: [[0.04, 0.005, 0], [0.005, 0.03, 0.002], [0, 0.002, 0.05]], com: [0.02, "
        "0.01, -0.03], position: [0.4, 0.1, 0.3], rotation: [0.15, 0.25, -0.05], velocity: [-0.2, 0.1, 0.1], "
        "omega: [0.3, 0.2, -0.6], markers: {N: [-0.2, -0.05, -0.2]}}\n"
        "joints:\n  %s\n"
        "forces:\n  s: {spring: [ground.S, a.M], stiffness: 40, damping: 0.5}\n  u: {spring: [ground.S, "
        "b.N], stiffness: 30, damping: 0.3}\n"
        "run: {step: 1e-3, end: 0.05}\n",
        joint_case[i].joints);
    return vg_model_parse(text, (size_t)n, joint_case[i].kind, NULL, 0, diag);
}

enum { NVALUE = 24 };

static int run_case(const vgModel *m, vgDiag *diag, const char *chart, double *first, double *last)
{
    static const char *const names[] = {
        "body.a.position.x",     "body.a.position.y",     "body.a.position.z",     "body.b.position.x",
        "body.b.position.y",     "body.b.position.z",     "body.a.omega.x",        "body.a.omega.y",
        "body.a.omega.z",        "body.b.omega.x",        "body.b.omega.y",        "body.b.omega.z",
        "body.a.acceleration.x", "body.a.acceleration.y", "body.a.acceleration.z", "body.b.alpha.x",
        "body.b.alpha.y",        "body.b.alpha.z",        "joint.J.force.x",       "joint.J.force.y",
        "joint.J.force.z",       "joint.J.torque.x",      "joint.J.torque.y",      "joint.J.torque.z"};
    vgSimulation sim;
    vgDials dials = {chart, "index1", "rk4"};
    vgChannels *ch = NULL;
    vgTransientResult res;
    if (vg_simulation_open(m, &dials, diag, &sim) != VG_OK) return 0;
    int ok = vg_channels_new(sim.sys, names, NVALUE, diag, &ch) == VG_OK;
    if (ok) {
        vg_work_bind(sim.it->work, sim.state);
        vg_channels_eval(ch, sim.it->work, sim.state, first);
        vgTransientOptions o = {.step = 1e-3, .end = 0.05, .every = 1000};
        ok = vg_transient_run(sim.it, sim.state, &o, NULL, &res) == VG_OK;
        vg_channels_eval(ch, sim.it->work, sim.state, last);
    }
    vg_channels_free(ch);
    vg_simulation_close(&sim);
    return ok;
}

TEST(same_accelerations_reactions_and_motion)
{
    for (int i = 0; i < NCASE; i++) {
        vgDiag *diag = vg_diag_new();
        vgModel *m = make(i, diag);
        double first[NWAY][NVALUE], last[NWAY][NVALUE];
        CHECK(m != NULL);
        for (int c = 0; m && c < NWAY; c++) { /* last both bodies in coordinates of their own */
            const char *chart = c < NCHART ? charts[c] : charts[c % 2 ? 0 : 3];
            if (c >= NCHART) mix_bodies(m, c - NCHART);
            int ok = run_case(m, diag, chart, first[c], last[c]);
            if (!ok)
                printf("%s in %s (%d): %s\n", joint_case[i].kind, chart, c,
                       vg_diag_count(diag) ? vg_diag_line(diag, 0) : "run failed");
            CHECK(ok);
            for (int k = 0; ok && k < NVALUE; k++) {
                double size = 1 + fabs(first[0][k]);
                if (!(fabs(first[c][k] - first[0][k]) <= 1e-9 * size))
                    printf("%s in %s (%d), value %d\n", joint_case[i].kind, chart, c, k);
                CHECK_NEAR(first[c][k], first[0][k], 1e-9 * size);
                CHECK_NEAR(last[c][k], last[0][k], 1e-7 * (1 + fabs(last[0][k])));
            }
        }
        if (!m) printf("%s: %s\n", joint_case[i].kind, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
        vg_model_free(m);
        vg_diag_free(diag);
    }
}

/* The list above is complete: a new joint kind must be added to it. */
TEST(no_kind_is_missing)
{
    for (const vgJointKind *const *k = vg_joint_kinds; *k; k++) {
        int found = 0;
        for (int i = 0; i < NCASE; i++) found |= !strcmp(joint_case[i].kind, (*k)->name);
        if (!found) printf("joint kind %s is not covered\n", (*k)->name);
        CHECK(found);
    }
}

/* Implicit and explicit steps of a mechanism with a joint of each kind: no allocation, the same bits twice.
 */
static int steps(const vgModel *m, const char *chart, const char *constraints, const char *integrator,
                 double *q, long *allocations)
{
    vgDials dials = {chart, constraints, integrator};
    vgSimulation sim;
    vgDiag *diag = vg_diag_new();
    if (vg_simulation_open(m, &dials, diag, &sim) != VG_OK) {
        printf("%s\n", vg_diag_line(diag, 0));
        return 0;
    }
    vg_work_bind(sim.it->work, sim.state);
    sim.it->step_hint = 1e-3;
    int ok = sim.it->row->start(sim.it, sim.state) == VG_OK;
    long before = alloc_count();
    for (int k = 0; ok && k < 20; k++) {
        ok = vg_integrator_advance(sim.it, sim.state, 1e-3) == VG_OK;
        vg_work_accept(sim.sys, sim.it->work, sim.state);
    }
    *allocations = alloc_count() - before;
    if (!ok) printf("%s\n", sim.it->failure.text);
    memcpy(q, sim.state->q, (size_t)sim.sys->nq * sizeof(double));
    vg_simulation_close(&sim);
    vg_diag_free(diag);
    return ok;
}

TEST(no_allocation_and_same_bits)
{
    static const struct {
        const char *chart, *constraints, *integrator;
    } ways[] = {{"lie", "index3", "generalized-alpha"},
                {"se3", "index3", "generalized-alpha"},
                {"euler-parameters", "index3", "generalized-alpha"},
                {"euler-angles", "index3", "generalized-alpha:newton=hold"},
                {"lie", "index1", "rk4"},
                {"lie", "index1", "dopri5"},
                {"relative", "index3", "generalized-alpha"},
                {"relative", "index1", "rk4"},
                {"natural", "index3", "generalized-alpha"},
                {"natural", "index1", "rk4"},
                {"lie", "index3", "generalized-alpha"}, /* from here on with bodies of other coordinates */
                {"lie", "index1", "rk4"}};
    enum { WAYS = sizeof ways / sizeof ways[0] };
    for (int i = 0; i < NCASE; i++)
        for (int w = 0; w < WAYS; w++) {
            vgDiag *diag = vg_diag_new();
            vgModel *m = make(i, diag);
            if (m && w >= WAYS - 2) mix_bodies(m, i);
            double q1[64] = {0}, q2[64] = {0};
            long n1 = 1, n2 = 1;
            int ok = m && steps(m, ways[w].chart, ways[w].constraints, ways[w].integrator, q1, &n1) &&
                     steps(m, ways[w].chart, ways[w].constraints, ways[w].integrator, q2, &n2);
            if (!ok || n1 || n2)
                printf("%s with %s %s: ok %d, %ld allocations\n", joint_case[i].kind, ways[w].chart,
                       ways[w].integrator, ok, n1);
            CHECK(ok);
            CHECK_INT(n1, 0);
            CHECK(memcmp(q1, q2, sizeof q1) == 0);
            vg_model_free(m);
            vg_diag_free(diag);
        }
    CHECK(alloc_count_works());
}

TEST_MAIN(same_accelerations_reactions_and_motion, no_kind_is_missing, no_allocation_and_same_bits)
