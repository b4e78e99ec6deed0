/* Controllers that act at a fixed rate, against recursions of the sampled loop: with a force that is held the
 * motion of a mass between two samples is known exactly. */
#include <verge/verge.h>

#include <math.h>
#include <stdlib.h>

#include "../base/alloc_count.h"
#include "integrator/integrator.h"
#include "run_model.h"
#include "test.h"

#define MASS                                                                                                 \
    "verge: 1\nplanar: true\nparameters: {T: 0.02, p: 30, d: 8, i: 20, w: 7, m: 2}\n"                        \
    "bodies: {m: {mass: m, inertia: 1, position: [1, 0], velocity: [-0.5, 0]}}\n"                            \
    "joints: {J: {prismatic: [ground, m], axis: x}}\n"                                                       \
    "forces: {f: {joint-torque: J, value: controller.c}}\n"

static const char *const seen[] = {"body.m.position.x", "body.m.velocity.x", "controller.c", NULL};

typedef struct Loop {
    double x, v, u, T, m;
} Loop;

static void hold(Loop *s, double u)
{
    s->u = u;
    s->x += s->T * s->v + s->T * s->T / 2 * u / s->m;
    s->v += s->T * u / s->m;
}

/* ---- a discrete PD controller on a mass, differences of the error as its rate ---- */

#define PD MASS "controllers: {c: {pid: -body.m.position.x, p: p, d: d, sample: T}}\n"

static Loop pd_after(int n)
{
    Loop s = {.x = 1, .v = -0.5, .T = 0.02, .m = 2};
    double last = -s.x;
    for (int k = 0; k < n; k++) {
        double e = -s.x, u = 30 * e + 8 * (k ? (e - last) / s.T : 0);
        last = e;
        hold(&s, u);
    }
    s.u = 30 * -s.x + 8 * (-s.x - last) / s.T; /* the sample at the end has been taken */
    return s;
}

static void check_pd(const char *coordinates, const char *integrator, double step, double eps)
{
    const Loop s = pd_after(25);
    runResult r = run_model(&(runSpec){.text = PD,
                                       .coordinates = coordinates,
                                       .integrator = integrator,
                                       .step = step,
                                       .end = 0.5,
                                       .channel = {seen[0], seen[1], seen[2]}});
    int good = r.status == VG_OK && fabs(r.value[0] - s.x) < eps && fabs(r.value[1] - s.v) < 10 * eps &&
               fabs(r.value[2] - s.u) < 500 * eps;
    if (!good)
        printf("%s, step %g: %s off by %.3g %.3g %.3g\n", integrator, step, r.error, r.value[0] - s.x,
               r.value[1] - s.v, r.value[2] - s.u);
    CHECK(good);
}

/* Methods that are exact for a constant force, whether their steps end at the samples or not. */
TEST(pd_on_a_mass)
{
    static const char *const exact[] = {
        "generalized-alpha", "trapezoidal", "hht", "rk4", "dopri5", "bathe", "radau3", "wilson-theta"};
    static const char *const coordinates[] = {"planar", "relative", "natural"};
    static const double steps[] = {0.02, 0.005, 0.0071, 0.05};
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++)
        for (int i = 0; i < 4; i++) check_pd(coordinates[k % 3], exact[k], steps[i], 1e-11);
}

/* Every integrator of the list meets the samples, by its own accuracy. */
TEST(every_integrator)
{
    for (int i = 0; vg_integrators[i]; i++)
        check_pd(NULL, vg_integrators[i]->name, 5e-4, vg_integrators[i]->order > 1 ? 2e-4 : 1e-2);
}

/* ---- how fast it must be: state feedback held for T, with and without a sample of delay ---- */

static double largest(const double *M, int n)
{
    double x[3] = {1, 0.3, 0.2}, growth = 0, y[3], sum = 0;
    enum { WARM = 2000, OVER = 20000 };
    for (int k = 0; k < WARM + OVER; k++) { /* by powers; the mean growth of a pair that goes round */
        double size = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++) y[i] += M[n * i + j] * x[j];
            size += y[i] * y[i];
        }
        size = sqrt(size);
        for (int i = 0; i < n; i++) x[i] = y[i] / size;
        if (k >= WARM) sum += log(size);
    }
    growth = exp(sum / OVER);
    return growth;
}

/* x, v (and the force that waits) from sample to sample. */
static double radius(double T, double p, double d, double m, int delay)
{
    const double a = T * T / 2 / m, b = T / m;
    if (!delay) return largest((double[]){1 - a * p, T - a * d, -b * p, 1 - b * d}, 2);
    return largest((double[]){1, T, a, 0, 1, b, -p, -d, 0}, 3);
}

static double limit_of(int delay)
{
    double lo = 1e-3, hi = 2;
    while (hi - lo > 1e-9) {
        double T = 0.5 * (lo + hi);
        if (radius(T, 30, 8, 2, delay) > 1)
            hi = T;
        else
            lo = T;
    }
    return lo;
}

TEST(stability_limit)
{
    static const char *const text[] = {
        MASS "controllers: {c: {hold: -(p*joint.J.displacement + d*joint.J.rate), sample: T}}\n",
        MASS "controllers: {c: {hold: -(p*joint.J.displacement + d*joint.J.rate), sample: T, delay: 1}}\n"};
    for (int delay = 0; delay < 2; delay++) {
        const double most = limit_of(delay);
        if (!delay)
            CHECK_NEAR(most, 2 * 2 / 8., 1e-6); /* det = 1 + a p − b d = 1 or λ = −1: T = 2 m / d here */
        for (int side = -1; side <= 1; side += 2) {
            const double T = most * (1 + 0.04 * side), r = radius(T, 30, 8, 2, delay);
            double size[2];
            for (int part = 0; part < 2; part++) {
                char set[40];
                snprintf(set, sizeof set, "T=%.17g", T);
                const double n = part ? 240 : 120;
                runResult run = run_model(&(runSpec){.text = text[delay],
                                                     .coordinates = "relative",
                                                     .integrator = "rk4",
                                                     .step = T / 2,
                                                     .end = n * T,
                                                     .set = {set},
                                                     .channel = {seen[0], seen[1]}});
                CHECK_INT(run.status, VG_OK);
                size[part] = hypot(run.value[0] * sqrt(15), run.value[1]);
            }
            CHECK((r > 1) == (side > 0));
            /* a pair goes round: the phase of two moments differs */
            CHECK_NEAR(log(size[1] / size[0]) / 120, log(r), 1e-2);
        }
    }
}

/* ---- a sine through a zero-order hold ---- */

TEST(held_sine)
{
    enum { ROWS = 201 };
    const double T = 0.05, w = 7, m = 2;
    static const char text[] = MASS "controllers: {c: {hold: sin(w*t), sample: T}}\n";
    static const char *const how[] = {"dopri5:rtol=1e-10,atol=1e-12", "generalized-alpha",
                                      "bdf:rtol=1e-8,atol=1e-10", "rk4"};
    for (int k = 0; k < 4; k++) {
        double rows[ROWS * 3], x = 1, v = -0.5;
        runResult r = run_model(&(runSpec){.text = text,
                                           .coordinates = "relative",
                                           .integrator = how[k],
                                           .step = k == 3 ? 0.03 : 0.01, /* 0.03: samples within steps */
                                           .end = 2,
                                           .interval = 0.01,
                                           .set = {"T=0.05"},
                                           .channel = {seen[0], seen[1], seen[2]},
                                           .rows = rows,
                                           .maxrow = ROWS});
        CHECK_INT(r.status, VG_OK);
        for (int i = 0; i < ROWS; i++) {
            const int n = i / 5, into = i % 5;
            const double u = sin(w * n * T), t = 0.01 * into;
            CHECK_NEAR(rows[3 * i + 2], u, 1e-12); /* at a sample already the new one */
            CHECK_NEAR(rows[3 * i], x + v * t + u / m * t * t / 2, k == 2 ? 1e-6 : 1e-9);
            if (into == 4) x += T * v + T * T / 2 * u / m, v += T * u / m;
        }
        CHECK_NEAR(r.value[1], v, k == 2 ? 1e-6 : 1e-9);
        /* Σ sin kα = sin(nα/2) sin((n − 1)α/2) / sin(α/2) */
        const double al = w * T, n = 40;
        CHECK_NEAR(v, -0.5 + T / m * sin(n * al / 2) * sin((n - 1) * al / 2) / sin(al / 2), 1e-12);
    }
}

/* ---- the other kinds, and what all have ---- */

static double rest_of(const char *controller, const char *channel, double end)
{
    char text[1500];
    snprintf(text, sizeof text, "%scontrollers:\n%s", MASS, controller);
    runResult r = run_model(&(runSpec){.text = text,
                                       .coordinates = "relative",
                                       .integrator = "rk4",
                                       .step = 5e-3,
                                       .end = end,
                                       .channel = {channel}});
    if (r.status != VG_OK) printf("%s\n", r.error);
    CHECK_INT(r.status, VG_OK);
    return r.value[0];
}

/* y = (0.2 + 0.1 z⁻¹) / (1 − 0.9 z⁻¹ + 0.3 z⁻²) t, as a transfer function and as a state space. */
TEST(filters)
{
    double y1 = 0, y2 = 0, last = 0;
    for (int k = 0; k <= 25; k++) {
        double y = 0.2 * 0.02 * k + 0.1 * last + 0.9 * y1 - 0.3 * y2;
        last = 0.02 * k, y2 = y1, y1 = y;
    }
    CHECK_NEAR(
        rest_of("  c: {transfer: t, num: [0.4, 0.2], den: [2, -1.8, 0.6], sample: T}\n", "controller.c", 0.5),
        y1, 1e-13);
    /* x₁ = s₁, x₂ = s₂ of the transposed form */
    CHECK_NEAR(rest_of("  c: {state-space: t, A: [[0.9, 1], [-0.3, 0]], B: [[0.28], [-0.06]], C: [1, 0], D: "
                       "0.2, sample: T}\n",
                       "controller.c", 0.5),
               y1, 1e-13);
    /* two inputs, two outputs: a counter from 3 in steps of 2, and the sum of both inputs */
    static const char both[] = "  c: {state-space: [2, t], A: 1, B: [1, 0], C: [[1], [0]], D: [[0, 0], [1, "
                               "1]], start: [3], sample: T}\n";
    CHECK_NEAR(rest_of(both, "controller.c", 0.5), 3 + 2 * 25, 1e-12);
    CHECK_NEAR(rest_of(both, "controller.c.y2", 0.5), 2.5, 1e-12);
}

TEST(common_options)
{
    CHECK_NEAR(rest_of("  c: {hold: t, sample: 0.1, quantum: 0.15}\n", "controller.c", 0.45), 0.45, 1e-12);
    CHECK_NEAR(rest_of("  c: {hold: t, sample: 0.1, limit: 0.25}\n", "controller.c", 0.45), 0.25, 1e-12);
    CHECK_NEAR(rest_of("  c: {hold: t, sample: 0.1, delay: 2}\n", "controller.c", 0.45), 0.2, 1e-12);
    CHECK_NEAR(rest_of("  c: {hold: t, sample: 0.1, offset: 0.06}\n", "controller.c", 0.45), 0.36, 1e-12);
    CHECK_NEAR(rest_of("  c: {hold: t, sample: 0.1, offset: 0.5}\n", "controller.c", 0.45), 0, 0);
    /* in the order of the file: b sees what a holds now, and a what b held before */
    static const char chain[] = "  a: {hold: 'controller.b + 1', sample: 0.1}\n"
                                "  b: {hold: '10*controller.a', sample: 0.1}\n  c: {hold: 0, sample: 1}\n";
    CHECK_NEAR(rest_of(chain, "controller.b", 0.15), 110, 1e-12);
    /* at the limit the integral stands still: back within one sample when the error turns */
    static const char wound[] = "  c: {pid: 'if(t < 0.3, 1, -0.01)', i: 20, limit: 1, sample: T}\n";
    CHECK_NEAR(rest_of(wound, "controller.c", 0.299), 1, 1e-12);
    CHECK(rest_of(wound, "controller.c", 0.325) < 1);
}

/* Order 2 is kept on a motion that is not polynomial, with a start at every sample. */
TEST(order_with_samples)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies: {rod: {mass: 1, inertia: 0.1, com: [0, "
        "-0.5]}}\n"
        "joints: {O: {revolute: [ground, rod]}}\n"
        "forces: {f: {joint-torque: O, value: controller.c}}\n"
        "controllers: {c: {pid: 1.2 - joint.O.angle, p: 25, i: 40, d: 4, sample: 0.01}}\n";
    double off[3];
    runSpec spec = {.text = text,
                    .coordinates = "relative",
                    .constraints = "index1",
                    .integrator = "dopri5:rtol=1e-12,atol=1e-13",
                    .end = 0.5,
                    .channel = {"joint.O.angle"}};
    const runResult ref = run_model(&spec);
    CHECK_INT(ref.status, VG_OK);
    spec.constraints = "index3";
    spec.integrator = "generalized-alpha";
    for (int k = 0; k < 3; k++) {
        spec.step = 0.01 / (1 << k);
        runResult r = run_model(&spec);
        CHECK_INT(r.status, VG_OK);
        off[k] = fabs(r.value[0] - ref.value[0]);
    }
    printf("     errors %.3g %.3g %.3g\n", off[0], off[1], off[2]);
    CHECK(off[0] < 1e-3 && off[1] < off[0] / 3 && off[2] < off[1] / 3);
}

/* The shipped pole on its cart: eigenvalues of the sampled loop, computed apart from the matrices of the
 * cart, leave the unit circle at 0.14726 s, with a delay of a sample at 0.05197 s. */
TEST(pole_on_a_cart)
{
    static const struct {
        const char *sample, *delay;
        int holds;
    } c[] = {{"sample=0.142", "delay=0", 1},
             {"sample=0.152", "delay=0", 0},
             {"sample=0.050", "delay=1", 1},
             {"sample=0.054", "delay=1", 0}};
    for (int k = 0; k < 4; k++) {
        double off[2];
        for (int part = 0; part < 2; part++) {
            runResult r = run_model(&(runSpec){.model = "cart-pole",
                                               .coordinates = "relative",
                                               .constraints = "index1",
                                               .integrator = "rk4",
                                               .step = 1e-2,
                                               .end = part ? 22 : 11,
                                               .set = {c[k].sample, c[k].delay, "lean=1e-9", "goal=0"},
                                               .channel = {"joint.pin.angle", "joint.pin.rate"}});
            CHECK_INT(r.status, VG_OK);
            off[part] = hypot(r.value[0], r.value[1] / 10);
        }
        CHECK(c[k].holds ? off[1] < 0.5 * off[0] : off[1] > 2 * off[0]);
    }
}

/* ---- in real time and from C ---- */

static vgSim *simulate(const char *text, const char *integrator, vgModel **model)
{
    vgSim *sim = NULL;
    vgDiag *diag = vg_diag_new();
    vgSimOptions o = {.coordinates = "relative", .integrator = integrator, .step = 5e-3};
    *model = vg_parse(text, strlen(text), "text", NULL, diag);
    CHECK(*model && vg_sim_new(*model, &o, diag, &sim) == VG_OK);
    for (int i = 0; i < vg_diag_count(diag); i++) puts(vg_diag_line(diag, i));
    vg_diag_free(diag);
    return sim;
}

TEST(real_time)
{
    vgModel *model;
    vgSim *sim = simulate(PD, "rk4", &model);
    const Loop s = pd_after(25);
    double x;
    CHECK_INT(vg_realtime_start(sim, 0.03, 0), VG_BAD_INPUT);
    CHECK_STR(vg_sim_error(sim), "do not meet the samples of controller 'c', every 0.02 s");
    CHECK_INT(vg_realtime_start(sim, 0.01, 0), VG_OK);
    CHECK_INT(vg_realtime_inputs(sim), 0); /* what a controller holds is nobody's to set */
    long before = alloc_count();
    for (int n = 0; n < 50; n++) CHECK_INT(vg_realtime_step(sim, NULL, NULL), VG_OK);
    CHECK_INT(alloc_count() - before, 0);
    CHECK_INT(vg_sim_get(sim, "body.m.position.x", &x), VG_OK);
    CHECK_NEAR(x, s.x, 1e-12);
    vg_sim_free(sim);
    vg_model_free(model);
}

/* An input that is set at a sample counts there, by steps, by advances and in real time alike. */
TEST(inputs_at_a_sample)
{
    static const char text[] = MASS "controllers: {c: {hold: 'input.r - joint.J.displacement', sample: T}}\n";
    double x[3];
    for (int way = 0; way < 3; way++) {
        vgModel *model;
        vgSim *sim = simulate(text, "rk4", &model);
        if (way == 2) CHECK_INT(vg_realtime_start(sim, 0.02, 0), VG_OK);
        for (int k = 0; k < 30; k++) {
            double r = 100 * sin(k);
            CHECK_INT(way == 2 ? VG_OK : vg_sim_set(sim, "input.r", r), VG_OK);
            CHECK_INT(way == 0   ? vg_sim_step(sim, 0.02)
                      : way == 1 ? vg_sim_advance(sim, 0.02 * (k + 1))
                                 : vg_realtime_step(sim, &r, NULL),
                      VG_OK);
        }
        if (way == 0) {
            CHECK_INT(vg_sim_step(sim, 0.05), VG_BAD_INPUT);
            CHECK_STR(vg_sim_error(sim), "due within the step");
            CHECK_INT(vg_sim_set(sim, "input.rr", 1), VG_BAD_INPUT);
            CHECK_STR(vg_sim_error(sim), "no law of the model names 'input.rr'");
            CHECK_INT(vg_realtime_start(sim, 0.02, -1), VG_BAD_INPUT);
        }
        CHECK_INT(vg_sim_get(sim, "body.m.position.x", &x[way]), VG_OK);
        vg_sim_free(sim);
        vg_model_free(model);
    }
    Loop s = {.x = 1, .v = -0.5, .T = 0.02, .m = 2};
    for (int k = 0; k < 30; k++) hold(&s, 100 * sin(k) - s.x);
    for (int way = 0; way < 3; way++) CHECK_NEAR(x[way], s.x, 1e-11);
}

/* Two hinged links under controllers. Behind a sample the reactions are those of the new torques: of the links together
 * Newton's law is F = Σ m (a − g), in every setting; with the torques before it they are off by 20 N. */
#define LINKS                                                                                                \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"                                                          \
    "bodies: {a: {mass: 2, inertia: 0.05, position: [0.3, 0]}, b: {mass: 1, inertia: 0.02, position: [0.8, " \
    "0]}}\n"                                                                                                 \
    "joints: {O: {revolute: [ground, a], at: [0, 0]}, A: {revolute: [a, b], at: [0.6, 0]}}\n"                \
    "forces: {m: {joint-torque: O, value: controller.c}, n: {joint-torque: A, value: controller.d}}\n"       \
    "controllers: {c: {pid: 0.4 - joint.O.angle, p: 20, d: 0.4, sample: 0.02},\n"                            \
    "  d: {pid: -0.3 - joint.A.angle, p: 6, sample: 0.02}}\n"

TEST(reactions_behind_a_sample)
{
    static const char *const settings[][3] = {
        {"lie", "independent", "dopri5:rtol=1e-8"}, {"planar", "independent", "generalized-alpha"},
        {"natural", "independent", "am2"},          {"relative", "independent", "rk4"},
        {"planar", "index3", "generalized-alpha"},  {"planar", "index1", "dopri5"}};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        double rows[4][3]; /* the start and every fifth sample */
        runResult r = run_model(
            &(runSpec){.text = LINKS,
                       .coordinates = settings[k][0],
                       .constraints = settings[k][1],
                       .integrator = settings[k][2],
                       .step = 1e-3,
                       .end = 0.3,
                       .interval = 0.1,
                       .channel = {"joint.O.force.y", "body.a.acceleration.y", "body.b.acceleration.y"},
                       .rows = rows[0],
                       .maxrow = 4});
        CHECK_INT(r.status, VG_OK);
        for (int n = 0; n < 4 && r.status == VG_OK; n++)
            CHECK_NEAR(rows[n][0], 2 * rows[n][1] + rows[n][2] + 3 * 9.81, 1e-8);
        if (r.status != VG_OK) puts(r.error);
    }
}

TEST_MAIN(reactions_behind_a_sample, pd_on_a_mass, every_integrator, stability_limit, held_sine, filters,
          common_options, order_with_samples, pole_on_a_cart, real_time, inputs_at_a_sample)
