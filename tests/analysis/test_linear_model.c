/* Linear models against closed forms, and against runs of the nonlinear model in other coordinates. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/modes/linear_model.h"
#include "linalg/eig.h"
#include "moment.h"
#include "run_model.h"
#include "test.h"

enum { MOST = 16 };

static int input_of(const vgModel *m, const char *name)
{
    return vg_model_find_measure(m, name);
}

/* With one input (NULL: none) and outputs up to NULL. */
static vgLinearModel linear(momentRig *m, const char *input, const char *const *outputs)
{
    vgLinearModel l = {0};
    vgChannels *y = NULL;
    int n = 0, u = input ? input_of(m->model, input) : -1;
    while (outputs && outputs[n]) n++;
    if (m->status == VG_OK && outputs) m->status = vg_channels_new(m->sim.sys, outputs, n, m->diag, &y);
    if (m->status == VG_OK)
        m->status =
            vg_linear_model(m->sim.sys, m->sim.it->work, m->sim.state, input != NULL, &u, y, m->diag, &l);
    vg_channels_free(y);
    CHECK_INT(m->status, VG_OK);
    return l;
}

static int state(const vgLinearModel *l, const char *name)
{
    for (int i = 0; i < l->nx; i++)
        if (strcmp(l->state[i], name) == 0) return i;
    printf("no state %s\n", name);
    CHECK(0);
    return 0;
}

/* ---- a pole on a cart, upright ----
 * (M + m) ẍ − m l θ̈ = F,  (J + m l²) θ̈ − m l ẍ = m g l θ, θ to the left */
TEST(cart_pole)
{
    const double M = 1, m = 0.2, l = 0.3, J = 0.006, g = 9.81;
    const double D = (M + m) * (J + m * l * l) - m * m * l * l;
    static const char *const outputs[] = {"joint.pin.angle", "marker.rod.tip.position.x",
                                          "joint.rail.acceleration", NULL};
    momentRig r = moment_text("verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                              "bodies:\n  cart: {mass: 1, inertia: 0.01}\n"
                              "  rod: {mass: 0.2, inertia: 0.006, com: [0, 0.3], markers: {tip: [0, 0.6]}}\n"
                              "joints:\n  rail: {prismatic: [ground, cart], axis: x}\n"
                              "  pin: {revolute: [cart, rod]}\n"
                              "forces: {motor: {joint-torque: rail, value: input.F}}\n");
    vgLinearModel x = linear(&r, "input.F", outputs);
    const double A[16] = {0, 0, 1, 0, 0, 0, 0, 1, 0, m * m * l * l * g / D, 0, 0, 0, (M + m) * m * g * l / D,
                          0, 0};
    const double B[4] = {0, 0, (J + m * l * l) / D, m * l / D};
    const double C[12] = {0, 1, 0, 0, 1, -2 * l, 0, 0, 0, A[9], 0, 0};
    CHECK_INT(x.nx, 4);
    CHECK_INT(x.np, 2);
    static const char *const names[] = {"joint.rail.displacement", "joint.pin.angle", "joint.rail.rate",
                                        "joint.pin.rate"};
    for (int i = 0; i < 4; i++) CHECK(strcmp(x.state[i], names[i]) == 0);
    for (int i = 0; i < 16; i++) CHECK_NEAR(x.A[i], A[i], 1e-9);
    for (int i = 0; i < 4; i++) CHECK_NEAR(x.B[i], B[i], 1e-10);
    for (int i = 0; i < 12; i++) CHECK_NEAR(x.C[i], C[i], 1e-9);
    for (int i = 0; i < 3; i++) CHECK_NEAR(x.D[i], i == 2 ? B[2] : 0, 1e-10);
    for (int i = 0; i < 4; i++) CHECK_NEAR(x.rate[i], 0, 1e-12);
    vg_linear_model_free(&x);
    moment_end(&r);
}

/* A pendulum in motion with a damper: θ̈ = −(m g l sin θ + c θ̇)/I, whatever its speed. */
TEST(about_a_state_in_motion)
{
    static const char *const texts[] = {
        "verge: 1\nplanar: true\ngravity: [0, -10]\n"
        "bodies: {rod: {mass: 2, inertia: 0.1, com: [0, -0.5], angle: 0.7, omega: 3}}\n"
        "joints: {O: {revolute: [ground, rod]}}\n"
        "forces: {damper: {joint-torque: O, value: -0.3*v}}\n",
        "verge: 1\ngravity: [0, -10, 0]\n"
        "bodies: {rod: {mass: 2, inertia: [0.2, 0.3, 0.1], com: [0, -0.5, 0], rotation: [0, 0, 0.7], omega: "
        "[0, 0, 3]}}\n"
        "joints: {O: {revolute: [ground, rod], axis: z}}\n"
        "forces: {damper: {joint-torque: O, value: -0.3*v}}\n"};
    const double J = 0.1 + 2 * 0.25;
    for (int k = 0; k < 2; k++) {
        momentRig r = moment_text(texts[k]);
        vgLinearModel x = linear(&r, NULL, NULL);
        CHECK_INT(x.nx, 2);
        CHECK_INT(x.ny, 2);
        CHECK_NEAR(x.x[0], 0.7, 1e-12);
        CHECK_NEAR(x.x[1], 3, 1e-12);
        CHECK_NEAR(x.rate[1], -(2 * 10 * 0.5 * sin(0.7) + 0.3 * 3) / J, 1e-10);
        CHECK_NEAR(x.A[0], 0, 0);
        CHECK_NEAR(x.A[1], 1, 0);
        CHECK_NEAR(x.A[2], -2 * 10 * 0.5 * cos(0.7) / J, 1e-8);
        CHECK_NEAR(x.A[3], -0.3 / J, 1e-9);
        CHECK_NEAR(x.C[0] * x.C[3] - x.C[1] * x.C[2], 1, 1e-9); /* the states themselves */
        vg_linear_model_free(&x);
        moment_end(&r);
    }
}

/* A controller with an integral: x = (θ, θ̇, z), J θ̈ = −p θ − d θ̇ + i z, ż = −θ. */
TEST(integral_of_a_controller)
{
    momentRig r = moment_text("verge: 1\nplanar: true\n"
                              "bodies: {m: {mass: 1, inertia: 2}}\njoints: {J: {revolute: [ground, m]}}\n"
                              "forces: {c: {pid: J, p: 62, i: 60, d: 20}}\n");
    vgLinearModel x = linear(&r, NULL, NULL);
    const double A[9] = {0, 1, 0, -31, -10, 30, -1, 0, 0};
    CHECK_INT(x.nx, 3);
    CHECK_STR(x.state[2], "force.c.integral");
    for (int i = 0; i < 9; i++) CHECK_NEAR(x.A[i], A[i], 1e-9);
    vg_linear_model_free(&x);
    moment_end(&r);
}

/* ---- the bicycle, against the matrices of the benchmark ----
 * Meijaard, Papadopoulos, Ruina, Schwab 2007: M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = (0, T), q = (lean, steer).
 * There the z axis points down: a steer angle or torque to the left is negative. */
TEST(bicycle_with_a_steer_torque)
{
    const double v = 5, g = 9.81;
    const double M[4] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686};
    const double C1[4] = {0, 33.86641391492494, -0.85035641456978, 1.68540397397560};
    const double K0[4] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618};
    const double K2[4] = {0, 76.59734589573222, 0, 2.65431523794604};
    const double det = M[0] * M[3] - M[1] * M[2];
    const double inv[4] = {M[3] / det, -M[1] / det, -M[2] / det, M[0] / det};
    const vgParamSet set[] = {{.name = "speed", .value = v}, {.name = "rolling", .value = 0}};
    momentRig r = moment_file("bicycle", set, 2);
    vgLinearModel x = linear(&r, "input.steer", NULL);
    const int q[2] = {state(&x, "body.frame.turn.x"), state(&x, "joint.steer.angle")};
    const int w[2] = {state(&x, "body.frame.turn-rate.x"), state(&x, "joint.steer.rate")};
    CHECK_INT(x.nx, 10); /* seven positions, three velocities */
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double K = 0, C = 0, sign = i == j ? 1 : -1;
            for (int k = 0; k < 2; k++) {
                K -= inv[2 * i + k] * (g * K0[2 * k + j] + v * v * K2[2 * k + j]);
                C -= inv[2 * i + k] * v * C1[2 * k + j];
            }
            CHECK_NEAR(x.A[w[i] * x.nx + q[j]], sign * K, 1e-7);
            CHECK_NEAR(x.A[w[i] * x.nx + w[j]], sign * C, 1e-7);
            if (j == 1) CHECK_NEAR(x.B[w[i]], sign * inv[2 * i + 1], 1e-9);
        }
    vg_linear_model_free(&x);
    moment_end(&r);
}

/* ---- a loop: slider-crank with a spring at the slider and a damper at the crank ---- */

#define LOOP                                                                                                 \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {a: 0, w: 1, bend: 1.1}\n"                     \
    "bodies:\n"                                                                                              \
    "  crank: {mass: 0.6, inertia: 2e-3, com: [0.05, 0], angle: bend, markers: {A: [0.1, 0]}}\n"             \
    "  rod: {mass: 0.4, inertia: 3e-3, com: [0.15, 0], position: [0.1*cos(bend), 0.1*sin(bend)],\n"          \
    "    angle: -asin(0.1*sin(bend)/0.3), markers: {B: [0.3, 0]}}\n"                                         \
    "  slider: {mass: 0.5, inertia: 1e-4, position: [0.1*cos(bend) + 0.3*cos(asin(0.1*sin(bend)/0.3)), "     \
    "0]}\n"                                                                                                  \
    "joints:\n  O: {revolute: [ground, crank]}\n  A: {revolute: [crank.A, rod]}\n"                           \
    "  B: {revolute: [rod.B, slider]}\n  guide: {prismatic: [ground, slider], axis: x}\n"                    \
    "forces:\n  motor: {joint-torque: O, value: 'input.torque + a*sin(w*t) - 0.02*v'}\n"                     \
    "  back: {spring: [ground, slider], stiffness: 120, length: 0.3}\nrun: {start: equilibrium}\n"

static const char *const seen[] = {"joint.O.angle", "joint.guide.displacement", "joint.A.force.x", NULL};

/* ẋ = A x + B u from x = 0 with u = 1, by many steps of the classical method. */
static void step_response(const vgLinearModel *l, double end, double *y)
{
    const int n = l->nx, steps = 4000;
    const double h = end / steps;
    double x[MOST] = {0};
    for (int s = 0; s < steps; s++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
        double k[MOST] = {0}, sum[MOST] = {0};
        for (int stage = 0; stage < 4; stage++) {
            double z[MOST], f[MOST];
            for (int i = 0; i < n; i++) z[i] = x[i] + h * at[stage] * k[i];
            for (int i = 0; i < n; i++) {
                f[i] = l->B[i];
                for (int j = 0; j < n; j++) f[i] += l->A[i * n + j] * z[j];
            }
            for (int i = 0; i < n; i++) k[i] = f[i], sum[i] += weight[stage] * f[i];
        }
        for (int i = 0; i < n; i++) x[i] += h * sum[i];
    }
    for (int i = 0; i < l->ny; i++) {
        y[i] = l->D[i];
        for (int j = 0; j < n; j++) y[i] += l->C[i * n + j] * x[j];
    }
}

/* From the rest the torque is switched on, up and down: what is of second order goes out. */
TEST(step_in_a_loop)
{
    const double e = 1e-4;
    momentRig r = moment_text(LOOP);
    vgLinearModel x = linear(&r, "input.torque", seen);
    CHECK_INT(x.nx, 2);
    static const double ends[] = {0.05, 0.2, 0.6};
    for (int k = 0; k < 3; k++) {
        double y[3], low[3] = {0}, high[3] = {0};
        for (int side = 0; side < 2; side++) {
            momentRig run = moment_text(LOOP);
            vgSimulation sim;
            vgDials dials = {"relative", "index1", "dopri5:rtol=1e-12,atol=1e-13"};
            vgTransientOptions o = {.end = ends[k], .every = 1 << 30};
            vgTransientResult res;
            vgChannels *c = NULL;
            CHECK_INT(vg_simulation_open(run.model, &dials, run.diag, &sim), VG_OK);
            CHECK_INT(vg_channels_new(sim.sys, seen, 3, run.diag, &c), VG_OK);
            sim.state->turn[run.model->measure[input_of(run.model, "input.torque")].measure.turn] =
                side ? e : -e;
            CHECK_INT(vg_transient_run(sim.it, sim.state, &o, NULL, &res), VG_OK);
            vg_channels_eval(c, sim.it->work, sim.state, side ? high : low);
            vg_channels_free(c);
            vg_simulation_close(&sim);
            moment_end(&run);
        }
        step_response(&x, ends[k], y);
        for (int i = 0; i < 3; i++) CHECK_NEAR((high[i] - low[i]) / (2 * e), y[i], 2e-6 * (1 + fabs(y[i])));
    }
    vg_linear_model_free(&x);
    moment_end(&r);
}

/* C (iω − A)⁻¹ B + D by Cramer's rule for two states. */
static double complex transfer(const vgLinearModel *l, int out, double w)
{
    const double complex a = I * w - l->A[0], b = -l->A[1], c = -l->A[2], d = I * w - l->A[3];
    const double complex det = a * d - b * c;
    const double complex x[2] = {(d * l->B[0] - b * l->B[1]) / det, (a * l->B[1] - c * l->B[0]) / det};
    return l->C[2 * out] * x[0] + l->C[2 * out + 1] * x[1] + l->D[out];
}

/* A sine on the torque, settled: amplitude and phase over whole periods. */
TEST(sine_through_a_loop)
{
    enum { SETTLE = 60, PERIODS = 1, PER = 64, ROWS = (SETTLE + PERIODS) * PER + 1 };
    const double w = 9, amplitude = 1e-4, period = 2 * 3.14159265358979323846 / w;
    double *rows = calloc(3 * ROWS, sizeof *rows);
    char a[40] = "a=1e-4", freq[40];
    snprintf(freq, sizeof freq, "w=%.17g", w);
    runResult run = run_model(&(runSpec){.text = LOOP,
                                         .coordinates = "relative",
                                         .constraints = "index1",
                                         .integrator = "rk4",
                                         .step = period / PER,
                                         .end = (SETTLE + PERIODS) * period,
                                         .every = 1,
                                         .set = {a, freq},
                                         .channel = {seen[0], seen[1], seen[2]},
                                         .rows = rows,
                                         .maxrow = ROWS});
    momentRig r = moment_text(LOOP);
    vgLinearModel x = linear(&r, "input.torque", seen);
    CHECK_INT(run.status, VG_OK);
    for (int i = 0; i < 3; i++) {
        double complex sum = 0, g = transfer(&x, i, w);
        for (int k = SETTLE * PER; k < (SETTLE + PERIODS) * PER; k++)
            sum += rows[3 * k + i] * cexp(-I * w * period / PER * k);
        sum *= 2 * I / (PERIODS * PER * amplitude); /* sin = Im */
        CHECK_NEAR(cabs(sum - g) / cabs(g), 0, 2e-4);
    }
    vg_linear_model_free(&x);
    moment_end(&r);
    free(rows);
}

/* Where a coordinate says nothing, another is taken: at the dead centre the slider stands still while the
 * crank goes on, and the order of the joints does not matter. */
TEST(dead_centre)
{
    const vgParamSet flat = {.name = "bend", .value = 0};
    vgDiag *diag = vg_diag_new();
    char text[] = LOOP;
    memcpy(strstr(text, "run:"), "#", 1);
    vgModel *model = vg_model_parse(text, strlen(text), "test", &flat, 1, diag);
    momentRig r = {.diag = diag, .model = model};
    moment_start(&r);
    vgLinearModel x = linear(&r, "input.torque", seen);
    CHECK_STR(x.state[0], "joint.O.angle");
    CHECK_NEAR(x.C[2], 0, 1e-9); /* the slider by the crank */
    /* rest inertia about O there: crank, and the rod as it swings about the slider by −1/3 */
    const double J = 2e-3 + 0.6 * 0.0025 + (3e-3 + 0.4 * 0.15 * 0.15) / 9;
    CHECK_NEAR(x.B[1], 1 / J, 1e-7 / J);
    vg_linear_model_free(&x);
    moment_end(&r);
}

/* A rigid body in space, held by nothing but a bushing: positions and turns are its states. */
TEST(free_body)
{
    momentRig r = moment_text("verge: 1\ngravity: 0\n"
                              "bodies: {box: {mass: 2, inertia: [0.5, 0.8, 1.1]}}\n"
                              "forces: {b: {bushing: [ground, box], stiffness: [10, 20, 30, 4, 5, 6]}}\n");
    const double k[6] = {10. / 2, 20. / 2, 30. / 2, 4 / 0.5, 5 / 0.8, 6 / 1.1};
    vgLinearModel x = linear(&r, NULL, NULL);
    CHECK_INT(x.nx, 12);
    CHECK_STR(x.state[0], "body.box.position.x");
    CHECK_STR(x.state[4], "body.box.turn.y");
    CHECK_STR(x.state[11], "body.box.turn-rate.z");
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 12; j++) CHECK_NEAR(x.A[(6 + i) * 12 + j], i == j ? -k[i] : 0, 1e-8);
    vg_linear_model_free(&x);
    moment_end(&r);
}

/* Bristles of a contact, bent by z of what they can: ż = v/stick, and the floor pulls by μ m g z. */
TEST(bristles)
{
    momentRig r =
        moment_text("verge: 1\ngravity: 9.81\n"
                    "bodies: {ball: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1]}}\n"
                    "forces: {floor: {contact-sphere-plane: [ground, ball], radius: 0.1, stiffness: 1e5, "
                    "damping: 0.3, friction: 0.4, stick: 1e-4}}\n");
    moment_rest(&r, NULL);
    vgLinearModel x = linear(&r, NULL, NULL);
    const int z = state(&x, "force.floor.state.1"), v = state(&x, "body.ball.velocity.x");
    CHECK_INT(x.nx, 15);
    CHECK_NEAR(x.A[z * x.nx + v], 1e4, 1e-3);
    CHECK_NEAR(x.A[v * x.nx + z], -0.4 * 9.81, 1e-3);
    vg_linear_model_free(&x);
    moment_end(&r);
}

TEST_MAIN(cart_pole, about_a_state_in_motion, integral_of_a_controller, bicycle_with_a_steer_torque,
          step_in_a_loop, sine_through_a_loop, dead_centre, free_body, bristles)
