/* Sensitivities along the steps of a run: against the closed form of a discrete motion, and against differences of whole runs on
 * the shipped models; what has no derivative along its steps is refused by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/sensitivity.h"
#include "test.h"

enum { MOST = 8 };

typedef struct Rig {
    vgDiag *diag;
    vgQuantities *quantities;
    vgBatch batch;
    double p[MOST], y[MOST], dy[MOST * MOST], error[MOST * MOST];
    char why[VG_SWEEP_WHY], instead[VG_SWEEP_WHY];
} Rig;

static Rig rig(const char *path, const char *text, const char *const *param, int nparam,
               const char *const *keep, int nkeep)
{
    Rig r = {.diag = vg_diag_new()};
    CHECK(vg_quantities_new(keep, nkeep, r.diag, &r.quantities) == VG_OK);
    r.batch =
        (vgBatch){.sweep = {.source = vg_source_new(path, text, text ? strlen(text) : 0, "text", r.diag),
                            .quantities = r.quantities},
                  .param = param,
                  .nparam = nparam};
    CHECK(r.batch.sweep.source != NULL);
    return r;
}

static vgStatus differentiate(Rig *r, vgSensitivityBy by)
{
    CHECK(vg_batch_check(&r->batch, r->p, r->diag) == VG_OK);
    return vg_sensitivities(&r->batch, r->p, NULL, by, r->y, r->dy, r->error, r->why, r->instead);
}

static void close_rig(Rig *r)
{
    vg_source_free((vgSource *)r->batch.sweep.source);
    vg_quantities_free(r->quantities);
    vg_diag_free(r->diag);
}

/* The undamped trapezoidal rule turns by 2 atan(ωh/2) a step: x_n = x₀ cos(n·2 atan(ωh/2)), which is differentiated with
 * respect to k and x₀. One run for each thread, whatever the number of parameters. */
TEST(of_the_trapezoidal_rule_in_closed_form)
{
    static const char text[] =
        "verge: 1\nplanar: true\nparameters: {k: 50, x0: 0.1}\nbodies: {a: {mass: 2, inertia: 1, position: "
        "[x0, 0]}}\njoints: {rail: {prismatic: [ground, a], axis: x}}\nforces: {s: {torsion: rail, "
        "stiffness: "
        "k}}\nrun: {step: 0.02, end: 10, integrator: trapezoidal}\n";
    static const char *const param[] = {"k", "x0"}, *const keep[] = {"final(joint.rail.displacement)"},
                             *const coordinates[] = {"relative", "planar"};
    for (int c = 0; c < 2; c++) {
        Rig r = rig(NULL, text, param, 2, keep, 1);
        r.batch.sweep.dials.coordinates = coordinates[c];
        r.batch.threads = 1;
        CHECK(differentiate(&r, VG_BY_STEPS) == VG_OK);
        const double h = 0.02, n = 500, w = sqrt(r.p[0] / 2), turn = 2 * atan(w * h / 2),
                     of_k = h / (1 + w * w * h * h / 4) / (4 * w), size = 0.1 * n * of_k;
        CHECK_NEAR(r.y[0], 0.1 * cos(n * turn), 1e-9);
        CHECK_NEAR(r.dy[0], -0.1 * sin(n * turn) * n * of_k, 1e-8 * size);
        CHECK_NEAR(r.dy[1], cos(n * turn), 1e-8);
        CHECK(r.batch.runs == 1 && !r.instead[0]);
        close_rig(&r);
    }
}

/* Methods and settings on one mechanism with a loop, against differences. Runs are converged far below 1e-6. Where the
 * correction of velocities (index 2) is of the step's error, its direction, which the stage's matrix gives, is taken as fixed:
 * 1e-5. */
TEST(of_methods_and_settings)
{
    static const char *const param[] = {"l1", "l0", "a"}, *const keep[] = {"final(energy.kinetic)"};
    static const struct {
        const char *model, *integrator, *coordinates, *constraints;
        double tolerance;
    } run[] = {
        {"four-bar-planar", "generalized-alpha:rho=0.8", "planar", "index3", 1e-6},
        {"four-bar-planar", "generalized-alpha:rho=0.8", "planar", "index2", 1e-6},
        {"four-bar-planar", "generalized-alpha:rho=0.8", "planar", "index1", 1e-6},
        {"four-bar-planar", "generalized-alpha:rho=0.8", "relative", "index2", 1e-6},
        {"four-bar-planar", "generalized-alpha:rho=0.8", "natural", "index2", 1e-6},
        {"four-bar-planar", "trapezoidal", "planar", "index3", 1e-6},
        {"four-bar-spatial", "trapezoidal", "lie", "index3", 1e-6},
        {"four-bar-planar", "trapezoidal", "planar", "index2", 1e-5},
        {"four-bar-planar", "newmark", "planar", "index3", 1e-6},
        {"four-bar-planar", "newmark", "planar", "index2", 1e-6},
        {"four-bar-planar", "bdf2", "planar", "index2", 1e-5},
        {"four-bar-planar", "bathe", "planar", "index2", 1e-6},
        {"four-bar-planar", "esdirk436", "planar", "index2", 1e-6},
        {"four-bar-spatial", "generalized-alpha:rho=0.8", "lie", "index2", 1e-6},
        {"four-bar-spatial", "trapezoidal", "se3", "index2", 1e-5},
    };
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        char path[200], tight[100];
        snprintf(path, sizeof path, VERGE_SOURCE_DIR "/models/%s.yaml", run[i].model);
        snprintf(tight, sizeof tight, "%s%stol=1e-13,acc=1e-11,err=0", run[i].integrator,
                 strchr(run[i].integrator, ':') ? "," : ":");
        Rig r = rig(path, NULL, param, 3, keep, 1), x = rig(path, NULL, param, 3, keep, 1);
        r.batch.sweep.dials = x.batch.sweep.dials = (vgDials){run[i].coordinates, run[i].constraints, tight};
        r.batch.sweep.end = x.batch.sweep.end = 0.3;
        vgStatus status = differentiate(&r, VG_BY_STEPS);
        CHECK(status == VG_OK);
        if (status != VG_OK) printf("%s %s: %s\n", run[i].integrator, run[i].constraints, r.instead);
        CHECK(differentiate(&x, VG_BY_DIFFERENCES) == VG_OK);
        for (int k = 0; k < 3 && status == VG_OK; k++) {
            const double size = fmax(fabs(x.dy[k]), fabs(x.y[0] / x.p[k]));
            CHECK_NEAR(r.dy[k], x.dy[k], run[i].tolerance * size + x.error[k]);
            if (fabs(r.dy[k] - x.dy[k]) > run[i].tolerance * size + x.error[k])
                printf("%s %s %s %s\n", run[i].integrator, run[i].coordinates, run[i].constraints, param[k]);
        }
        close_rig(&r);
        close_rig(&x);
    }
}

/* The method of a model, with Newton's iteration to rounding. */
static void tighten(Rig *r, char *text, size_t room)
{
    vgModel *m = vg_model_of(r->batch.sweep.source, NULL, 0, r->diag);
    const char *own = m && m->run.integrator ? m->run.integrator : "generalized-alpha";
    snprintf(text, room, "%s%stol=1e-13,acc=1e-11,err=0", own, strchr(own, ':') ? "," : ":");
    r->batch.sweep.dials.integrator = text;
    vg_model_free(m);
}

/* Shipped models, with their own dials; Newton's iteration to rounding, so that the differences are exact enough. why NULL:
 * differentiated; else what stands in the way. */
TEST(of_shipped_models)
{
    static const struct {
        const char *model, *param;
        double end;
        const char *why;
    } list[] = {
        {"arch", "E", 0.02, NULL},
        {"bicycle", "speed", 0.3, NULL},
        {"bricard", "m", 0.3, NULL},
        {"cantilever", "EI", 0.05, NULL},
        {"chain", "L", 0.2, NULL},
        {"crank", "L1", 0.002, NULL},
        {"double-pendulum", "k", 0.05, NULL},
        {"four-bar-planar", "l1", 0.3, NULL},
        {"four-bar-spatial", "l1", 0.3, NULL},
        {"governor", "m", 0.3, NULL},
        {"heavy-top-free", "l", 0.2, NULL},
        {"heavy-top", "l", 0.2, NULL},
        {"n-four-bar", "m", 0.1, NULL},
        {"pendulum-planar", "L", 1, NULL},
        {"pendulum", "L", 1, NULL},
        {"princeton", "P", 0.05, NULL},
        {"radial-engine", "F", 0.1, NULL},
        {"roll-up", "EI", 0.2, NULL},
        {"rotating-beam", "EI", 0.3, NULL},
        {"rotating-shaft", "m", 0.05, NULL},
        {"rotor", "m", 0.05, NULL},
        {"slider-crank-3d", "L1", 0.3, NULL},
        {"slider-crank-flexible", "m2", 0.05, NULL},
        {"slider-crank-torque", "M", 0.05, NULL},
        {"slider-crank", "c", 0.3, NULL},
        {"spaghetti", "kick", 0.5, NULL},
        {"squeezer", "xa", 0.003, NULL},
        {"trebuchet", "W", 0.3, NULL},
        {"billiards", "speed", 0.1, "contacts"},
        {"newtons-cradle", "r", 0.1, "contacts"},
        {"iltis", "speed", 0.1, "road"},
        {"cart-pole", "lean", 0.1, "controllers"},
        {"four-bar", "L1", 0.1, "rates of rotations"},
        {"beam-buckling", "d", 0.01, "rates of rotations"},
    };
    static const char *const keep[] = {"final(energy.kinetic)"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char path[200];
        snprintf(path, sizeof path, VERGE_SOURCE_DIR "/models/%s.yaml", list[i].model);
        Rig r = rig(path, NULL, &list[i].param, 1, keep, 1), x = rig(path, NULL, &list[i].param, 1, keep, 1);
        r.batch.sweep.end = x.batch.sweep.end = list[i].end;
        char text[200], same[200];
        if (!list[i].why) tighten(&r, text, sizeof text), tighten(&x, same, sizeof same);
        vgStatus status = differentiate(&r, VG_BY_STEPS);
        if (status != VG_OK || list[i].why) printf("%s: %s\n", list[i].model, r.instead);
        CHECK(status == (list[i].why ? VG_UNSUPPORTED : VG_OK));
        if (list[i].why) CHECK(strstr(r.instead, list[i].why) != NULL);
        if (status == VG_OK && !list[i].why) {
            CHECK(differentiate(&x, VG_BY_DIFFERENCES) == VG_OK);
            /* 1e-6; the rotating beam is stiff along itself: rounding of those forces is 1e-5 of what EI does */
            const double part = strcmp(list[i].model, "rotating-beam") == 0 ? 1e-5 : 1e-6,
                         size = fmax(fabs(x.dy[0]), fabs(x.y[0] / x.p[0])), off = fabs(r.dy[0] - x.dy[0]),
                         most = part * size + x.error[0];
            CHECK(off <= r.error[0] + x.error[0]);
            CHECK(off <= most);
            if (!(off <= most))
                printf("%s: %.9g, differences %.9g ± %.1g\n", list[i].model, r.dy[0], x.dy[0], x.error[0]);
        }
        close_rig(&r);
        close_rig(&x);
    }
}

/* if(final(x) > 1, 1, 0) jumps at the very value: its derivatives to both sides are far apart. */
TEST(a_jump_is_seen)
{
    static const char text[] =
        "verge: 1\nparameters: {v0: 1}\nbodies: {a: {mass: 1, inertia: [1, 1, 1], velocity: [v0, 0, 0]}}\n"
        "run: {step: 1e-2, end: 1}\n";
    static const char *const param[] = {"v0"}, *const keep[] = {"if(final(body.a.position.x) > 1, 1, 0)"};
    Rig r = rig(NULL, text, param, 1, keep, 1);
    CHECK(differentiate(&r, VG_BY_STEPS) == VG_OK);
    CHECK(r.error[0] > 0.1 * fabs(r.dy[0]));
    close_rig(&r);
}

/* A damping of zero has no model on its other side. */
TEST(at_the_end_of_a_range)
{
    static const char text[] =
        "verge: 1\nplanar: true\nparameters: {d: 0}\nbodies: {a: {mass: 1, inertia: 1, velocity: [1, 0]}}\n"
        "joints: {rail: {prismatic: [ground, a], axis: x}}\nforces: {s: {torsion: rail, stiffness: 0, "
        "damping: "
        "d}}\nrun: {step: 1e-3, end: 1, integrator: trapezoidal}\n";
    static const char *const param[] = {"d"}, *const keep[] = {"final(joint.rail.displacement)"};
    Rig r = rig(NULL, text, param, 1, keep, 1);
    CHECK(differentiate(&r, VG_BY_STEPS) == VG_OK);
    CHECK_NEAR(r.dy[0], -0.5, 1e-6); /* x = (1 − e^{−dt})/d: ∂x/∂d = −t²/2 at d = 0 */
    close_rig(&r);
}

/* What is not differentiated along its steps takes differences, and says why. */
TEST(others_take_differences)
{
    static const struct {
        const char *integrator, *coordinates, *constraints, *why;
    } run[] = {{"rk4", "relative", NULL, "explicit"},
               {"radau3", "planar", "index2", "iteration of its own"},
               {"bathe", "planar", "index1", "one by one"},
               {"generalized-alpha", "planar", "penalty", "no matrix with multipliers"}};
    static const char *const param[] = {"L"}, *const keep[] = {"final(energy.kinetic)"};
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        Rig r = rig(VERGE_SOURCE_DIR "/models/pendulum-planar.yaml", NULL, param, 1, keep, 1);
        r.batch.sweep.dials = (vgDials){run[i].coordinates, run[i].constraints, run[i].integrator};
        r.batch.sweep.end = 0.2;
        CHECK(differentiate(&r, VG_BY_STEPS) == VG_UNSUPPORTED);
        CHECK(differentiate(&r, VG_BY_EITHER) == VG_OK);
        CHECK_STR(r.instead, run[i].why);
        CHECK(r.batch.runs >= 7 && isfinite(r.dy[0]));
        close_rig(&r);
    }
}

TEST_MAIN(of_the_trapezoidal_rule_in_closed_form, of_methods_and_settings, of_shipped_models, a_jump_is_seen,
          at_the_end_of_a_range, others_take_differences)
