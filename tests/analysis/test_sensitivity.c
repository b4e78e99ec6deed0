/* Sensitivities by differences (test_forward: along the steps) of a damped oscillator, whose derivatives have closed forms, through methods of all families; histories at
 * given times; errors that hold; a quantity that jumps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/sensitivity.h"
#include "test.h"

static const char oscillator[] =
    "verge: 1\nplanar: true\nparameters: {k: 50, d: 1, m: 2, x0: 0.1}\n"
    "bodies: {a: {mass: m, inertia: 1, position: [x0, 0]}}\njoints: {rail: {prismatic: [ground, a], axis: "
    "x}}\n"
    "forces: {s: {torsion: rail, stiffness: k, damping: d}}\nrun: {step: 1e-3, end: 2}\n";

static double position(const double p[4], double t)
{
    double g = p[1] / (2 * p[2]), w = sqrt(p[0] / p[2] - g * g);
    return p[3] * exp(-g * t) * (cos(w * t) + g / w * sin(w * t));
}

/* ∂x/∂p by a five-point difference of the closed form: exact to 1e-11. */
static double slope(int k, double t)
{
    double p[4] = {50, 1, 2, 0.1}, at = p[k], h = 1e-3 * at, x[4];
    const double move[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) p[k] = at + move[i] * h, x[i] = position(p, t);
    return (x[0] - 8 * x[1] + 8 * x[2] - x[3]) / (12 * h);
}

typedef struct Rig {
    vgDiag *diag;
    vgQuantities *quantities;
    vgBatch batch;
} Rig;

static Rig rig(const char *text, const char *const *param, int nparam, const char *const *keep, int nkeep)
{
    Rig r = {.diag = vg_diag_new()};
    CHECK(vg_quantities_new(keep, nkeep, r.diag, &r.quantities) == VG_OK);
    r.batch = (vgBatch){.sweep = {.source = vg_source_new(NULL, text, strlen(text), "text", r.diag),
                                  .quantities = r.quantities},
                        .param = param,
                        .nparam = nparam};
    CHECK(r.batch.sweep.source != NULL);
    return r;
}

static void close_rig(Rig *r)
{
    vg_source_free((vgSource *)r->batch.sweep.source);
    vg_quantities_free(r->quantities);
    vg_diag_free(r->diag);
}

/* The method's own error of the derivative is of its order in h: 1e-5 for second order at ωh = 5e-3, 1e-9 for higher. */
TEST(derivatives_of_an_oscillator)
{
    static const struct {
        const char *integrator, *coordinates;
        double step, tolerance;
    } method[] = {{"generalized-alpha", NULL, 1e-3, 3e-4}, {"bdf2", NULL, 1e-3, 2e-3},
                  {"esdirk436", NULL, 1e-2, 1e-5},         {"rk4", "relative", 1e-3, 1e-7},
                  {"dopri5", "relative", 0, 1e-6},         {"radau3", NULL, 1e-2, 1e-5}};
    static const char *const param[] = {"k", "d", "m", "x0"},
                             *const keep[] = {"final(joint.rail.displacement)"},
                             *const channel[] = {"joint.rail.displacement"};
    const double times[] = {0.1234, 1.0, 1.777};
    for (size_t i = 0; i < sizeof method / sizeof method[0]; i++) {
        Rig r = rig(oscillator, param, 4, keep, 1);
        r.batch.sweep.history = channel;
        r.batch.sweep.nhistory = 1;
        r.batch.sweep.times = times;
        r.batch.sweep.ntimes = 3;
        r.batch.sweep.dials = (vgDials){method[i].coordinates, NULL, method[i].integrator};
        r.batch.sweep.step = method[i].step;
        double p[4], y[4], dy[4][4], error[4][4];
        char why[VG_SWEEP_WHY], instead[VG_SWEEP_WHY];
        CHECK(vg_batch_check(&r.batch, p, r.diag) == VG_OK);
        CHECK(p[0] == 50 && p[3] == 0.1 && vg_batch_length(&r.batch) == 4);
        CHECK(vg_sensitivities(&r.batch, p, NULL, VG_BY_DIFFERENCES, y, dy[0], error[0], why, instead) ==
              VG_OK);
        CHECK(!why[0] && r.batch.runs == 25);
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < 4; j++) {
                double t = j == 0 ? 2 : times[j - 1], size = 0.1 / (p[k]);
                CHECK_NEAR(dy[k][j], slope(k, t), method[i].tolerance * 5 * size);
                CHECK(error[k][j] < 1e-6 * size * 5);
            }
        close_rig(&r);
    }
}

/* The derivative of the discrete motion itself, from a closed form of it: the undamped implicit trapezoidal rule (Newmark,
 * β = ¼) turns by 2 atan(ωh/2) a step, x_n = x₀ cos(n·2 atan(ωh/2)). The differences must agree to 1e-6 and their errors
 * must hold. */
TEST(derivatives_are_those_of_the_steps)
{
    static const char text[] =
        "verge: 1\nplanar: true\nparameters: {k: 50}\nbodies: {a: {mass: 2, inertia: 1, position: [0.1, "
        "0]}}\n"
        "joints: {rail: {prismatic: [ground, a], axis: x}}\nforces: {s: {torsion: rail, stiffness: k}}\n"
        "run: {step: 0.02, end: 10, integrator: trapezoidal, coordinates: relative}\n";
    static const char *const param[] = {"k"}, *const keep[] = {"final(joint.rail.displacement)"};
    Rig r = rig(text, param, 1, keep, 1);
    double p, y, dy, error, h = 0.02, n = 500;
    char why[VG_SWEEP_WHY], instead[VG_SWEEP_WHY];
    CHECK(vg_batch_check(&r.batch, &p, r.diag) == VG_OK);
    CHECK(vg_sensitivities(&r.batch, &p, NULL, VG_BY_DIFFERENCES, &y, &dy, &error, why, instead) == VG_OK);
    double w = sqrt(p / 2), turn = 2 * atan(w * h / 2), of_k = h / (1 + w * w * h * h / 4) * (1 / (4 * w));
    CHECK_NEAR(y, 0.1 * cos(n * turn), 1e-9);
    double want = -0.1 * sin(n * turn) * n * of_k;
    CHECK_NEAR(dy, want, 1e-6 * 0.1 * n * of_k);
    CHECK(fabs(dy - want) <= error + 1e-9 * fabs(want));
    close_rig(&r);
}

/* final(t > 1 …) jumps with the parameter: no limit, and the error says so. */
TEST(a_jump_has_no_derivative)
{
    static const char text[] =
        "verge: 1\nparameters: {v0: 1}\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1], velocity: [v0, 0, 0]}}\nrun: {step: 1e-2, end: 1}\n";
    static const char *const param[] = {"v0"}, *const keep[] = {"if(final(body.a.position.x) > 1, 1, 0)"};
    Rig r = rig(text, param, 1, keep, 1);
    double p, y, dy, error;
    char why[VG_SWEEP_WHY], instead[VG_SWEEP_WHY];
    CHECK(vg_batch_check(&r.batch, &p, r.diag) == VG_OK);
    CHECK(vg_sensitivities(&r.batch, &p, NULL, VG_BY_DIFFERENCES, &y, &dy, &error, why, instead) == VG_OK);
    CHECK(error > 0.1 * fabs(dy));
    close_rig(&r);
}

TEST(a_run_that_fails_leaves_nan_and_a_reason)
{
    static const char text[] =
        "verge: 1\nparameters: {m: 1}\n"
        "bodies: {a: {mass: 1.0005 - m, inertia: [1, 1, 1]}}\nrun: {step: 1e-2, end: 1}\n";
    static const char *const param[] = {"m"}, *const keep[] = {"final(body.a.position.x)"};
    Rig r = rig(text, param, 1, keep, 1);
    double p, y, dy, error;
    char why[VG_SWEEP_WHY], instead[VG_SWEEP_WHY];
    CHECK(vg_batch_check(&r.batch, &p, r.diag) == VG_OK);
    CHECK(vg_sensitivities(&r.batch, &p, NULL, VG_BY_DIFFERENCES, &y, &dy, &error, why, instead) == VG_OK);
    CHECK(isfinite(y) && isnan(dy) && isnan(error));
    CHECK(strstr(why, "mass") != NULL);
    close_rig(&r);
}

TEST_MAIN(derivatives_of_an_oscillator, derivatives_are_those_of_the_steps, a_jump_has_no_derivative,
          a_run_that_fails_leaves_nan_and_a_reason)
