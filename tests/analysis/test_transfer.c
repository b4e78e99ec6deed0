/* Responses to vibrating inputs against closed forms, an exact recursion, and the matrices of the linear model. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/modes/linear_model.h"
#include "analysis/modes/transfer.h"
#include "moment.h"
#include "test.h"

enum { MOST = 12, FREQUENCIES = 4 };
static const double hertz[FREQUENCIES] = {0.05, 0.7, 1.9, 30};

static vgStatus respond(momentRig *m, const char *input, const char *const *outputs, int n, const double *f,
                        double complex *G)
{
    vgChannels *y = NULL;
    double re[FREQUENCIES * MOST], im[FREQUENCIES * MOST];
    int count = 0, u = vg_model_find_measure(m->model, input);
    while (outputs[count]) count++;
    vgStatus st = vg_channels_new(m->sim.sys, outputs, count, m->diag, &y);
    if (st == VG_OK)
        st = vg_transfer(m->sim.sys, m->sim.it->work, m->sim.state, 1, &u, y, n, f, m->diag, re, im);
    for (int i = 0; st == VG_OK && i < n * count; i++) G[i] = re[i] + I * im[i];
    vg_channels_free(y);
    return st;
}

/* (k − mω² + iωc) x = F; rates are iω x, the spring pulls by (k + iωc) x */
TEST(oscillator)
{
    const double m = 2, k = 50, c = 3;
    static const char *const outputs[] = {"joint.rail.displacement", "joint.rail.rate",
                                          "joint.rail.acceleration", "force.s.force", NULL};
    momentRig r = moment_text("verge: 1\nplanar: true\ngravity: 0\n"
                              "bodies: {cart: {mass: 2, inertia: 0.01, position: [1, 0]}}\n"
                              "joints: {rail: {prismatic: [ground, cart], axis: x}}\n"
                              "forces:\n  s: {spring: [ground, cart], stiffness: 50, damping: 3, length: 1}\n"
                              "  push: {force: cart, value: [input.F, 0]}\n");
    double complex G[FREQUENCIES * 4];
    CHECK_INT(respond(&r, "input.F", outputs, FREQUENCIES, hertz, G), VG_OK);
    for (int i = 0; i < FREQUENCIES; i++) {
        const double w = 2 * acos(-1) * hertz[i];
        const double complex x = 1 / (k - m * w * w + I * w * c);
        const double complex want[4] = {x, I * w * x, -w * w * x, (k + I * w * c) * x};
        for (int q = 0; q < 4; q++) CHECK_NEAR(cabs(G[4 * i + q] - want[q]), 0, 1e-8 * cabs(want[q]));
    }
    moment_end(&r);
}

/* A line of masses and springs with dampers, pushed at its free end: seen from there,
 * Z_1 = κ − mω², Z_{j+1} = κ Z_j / (κ + Z_j) − mω², κ = k + iωc. */
TEST(line_of_masses)
{
    enum { N = 500 };
    const double m = 0.1, k = 4e4, c = 2;
    static char text[N * 260];
    static const char *const outputs[] = {"body.b499.position.x", NULL};
    int at = sprintf(text, "verge: 1\ngravity: 0\nbodies:\n");
    for (int i = 0; i < N; i++)
        at += sprintf(text + at, "  b%d: {mass: 0.1, inertia: [1, 1, 1], position: [%g, 0, 0]}\n", i,
                      0.01 * (i + 1));
    at += sprintf(text + at, "joints:\n");
    for (int i = 0; i < N; i++)
        at += sprintf(text + at, "  j%d: {prismatic: [ground, b%d], axis: x}\n", i, i);
    at += sprintf(text + at, "forces:\n  push: {force: b%d, value: [input.F, 0, 0]}\n", N - 1);
    for (int i = 0; i < N; i++) {
        char from[20] = "ground";
        if (i) snprintf(from, sizeof from, "b%d", i - 1);
        at += sprintf(text + at, "  s%d: {spring: [%s, b%d], stiffness: 4e4, damping: 2, length: 0.01}\n", i,
                      from, i);
    }
    momentRig r = moment_text(text);
    double complex G[FREQUENCIES];
    CHECK_INT(respond(&r, "input.F", outputs, FREQUENCIES, hertz, G), VG_OK);
    for (int i = 0; i < FREQUENCIES; i++) {
        const double w = 2 * acos(-1) * hertz[i];
        const double complex kappa = k + I * w * c;
        double complex Z = kappa - m * w * w;
        for (int j = 1; j < N; j++) Z = kappa * Z / (kappa + Z) - m * w * w;
        CHECK_NEAR(cabs(G[i] - 1 / Z), 0, 1e-7 * cabs(1 / Z));
    }
    moment_end(&r);
}

/* x := (iω − A)⁻¹ b */
static void solve(int n, double complex *A, double complex *x)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(A[i * n + k]) > cabs(A[p * n + k])) p = i;
        for (int j = 0; j < n; j++) {
            const double complex kept = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = kept;
        }
        const double complex kept = x[k];
        x[k] = x[p], x[p] = kept;
        for (int i = k + 1; i < n; i++) {
            const double complex f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

/* C (iω − A)⁻¹ B + D of the linear model, by differences of motions that keep the joints closed */
static void check_matrices(momentRig *r, const char *input, const char *const *outputs, double tolerance)
{
    vgChannels *y = NULL;
    vgLinearModel l = {0};
    double complex G[FREQUENCIES * MOST], A[40 * 40], x[40];
    int count = 0, u = vg_model_find_measure(r->model, input);
    while (outputs[count]) count++;
    moment_rest(r, NULL);
    CHECK_INT(r->status, VG_OK);
    CHECK_INT(vg_channels_new(r->sim.sys, outputs, count, r->diag, &y), VG_OK);
    CHECK_INT(vg_linear_model(r->sim.sys, r->sim.it->work, r->sim.state, 1, &u, y, r->diag, &l), VG_OK);
    CHECK_INT(respond(r, input, outputs, FREQUENCIES, hertz, G), VG_OK);
    for (int i = 0; i < FREQUENCIES; i++) {
        const double w = 2 * acos(-1) * hertz[i];
        for (int a = 0; a < l.nx; a++) {
            for (int b = 0; b < l.nx; b++) A[a * l.nx + b] = (a == b) * I * w - l.A[a * l.nx + b];
            x[a] = l.B[a];
        }
        solve(l.nx, A, x);
        for (int q = 0; q < count; q++) {
            double complex want = l.D[q];
            double size = fabs(l.D[q]);
            for (int a = 0; a < l.nx; a++) {
                want += l.C[q * l.nx + a] * x[a];
                size += cabs(l.C[q * l.nx + a] * x[a]);
            }
            CHECK_NEAR(cabs(G[i * count + q] - want), 0, tolerance * size);
        }
    }
    vg_linear_model_free(&l);
    vg_channels_free(y);
}

/* A spatial loop with springs, dampers and weight: positions, rates, accelerations, forces and reactions. */
TEST(as_the_matrices_say)
{
    static const char *const outputs[] = {
        "joint.A.angle", "joint.A.rate",    "joint.D.acceleration",  "body.b.position.z",
        "force.s.force", "joint.D.force.x", "body.b.acceleration.x", NULL};
    momentRig r = moment_text(
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0, 0, 0.5], rotation: [0, \"-pi/2\", 0]}\n"
        "  b: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 1]}\n"
        "  c: {mass: 1.5, inertia: [0.01, 0.1, 0.1], position: [1, 0, 0.5], rotation: [0, \"-pi/2\", 0]}\n"
        "joints:\n"
        "  A: {revolute: [{body: ground, position: [0, 0, 0]}, {body: a, position: [-0.5, 0, 0]}], axis: y}\n"
        "  B: {universal: [{body: a, position: [0.5, 0, 0]}, {body: b, position: [-0.5, 0, 0]}], axis: y, "
        "axis2: z}\n"
        "  C: {spherical: [{body: b, position: [0.5, 0, 0]}, {body: c, position: [0.5, 0, 0]}]}\n"
        "  D: {revolute: [{body: ground, position: [1, 0, 0]}, {body: c, position: [-0.5, 0, 0]}], axis: y}\n"
        "forces:\n"
        "  t: {torsion: A, stiffness: 80, damping: 2}\n"
        "  s: {spring: [{body: ground, position: [2, 0.3, 1]}, {body: b, position: [0.1, 0, 0.1]}], "
        "stiffness: 60, damping: 1.5, length: 1}\n"
        "  u: {joint-torque: D, value: 3*input.M}\n");
    check_matrices(&r, "input.M", outputs, 1e-6);
    moment_end(&r);
}

/* A controller with an integral, whose coordinate has no inertia. */
TEST(integral_of_a_controller)
{
    static const char *const outputs[] = {"joint.pin.angle", "force.c.torque", NULL};
    momentRig r = moment_text("verge: 1\nplanar: true\ngravity: 0\n"
                              "bodies: {rod: {mass: 1, inertia: 0.02, com: [0.2, 0]}}\n"
                              "joints: {pin: {revolute: [ground, rod]}}\n"
                              "forces:\n  c: {pid: pin, p: 40, i: 30, d: 3, target: 0}\n"
                              "  u: {joint-torque: pin, value: input.M}\n");
    if (r.status == VG_OK) check_matrices(&r, "input.M", outputs, 1e-6);
    CHECK_INT(r.status, VG_OK);
    moment_end(&r);
}

/* What has no answer is refused in words. */
TEST(refusals)
{
    static const char *const outputs[] = {"body.cart.position.x", NULL};
    static const char *const texts[][2] = {
        {"gravity: 0\nbodies: {cart: {mass: 2, inertia: 0.01, velocity: [1, 0]}}\n", "moves at"},
        {"gravity: [1, 0]\nbodies: {cart: {mass: 2, inertia: 0.01}}\n", "starts to move"},
        {"gravity: 0\nbodies: {cart: {mass: 2, inertia: 0.01}}\n", "has no bound"},
    };
    for (int k = 0; k < 3; k++) {
        char text[400];
        double complex G;
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\n%sforces: {push: {force: cart, value: [input.F, 0]}}\n",
                 texts[k][0]);
        momentRig r = moment_text(text);
        CHECK(respond(&r, "input.F", outputs, 1, (double[]){0}, &G) != VG_OK);
        CHECK(vg_diag_count(r.diag) > 0 &&
              strstr(vg_diag_line(r.diag, vg_diag_count(r.diag) - 1), texts[k][1]));
        moment_end(&r);
    }
}

TEST_MAIN(oscillator, line_of_masses, as_the_matrices_say, integral_of_a_controller, refusals)
