/* Through positions in which the constraints depend on each other. A chain of two parallelograms (three equal
 * cranks, two couplers) has one freedom, and three where all bars are in line: the couplers could fold. As
 * long as they do not, all cranks turn by θ and couplers translate,
 *     (3 m L²/3 + 2 m L²) θ̈ = −(3/2 + 2) m g L cos θ,
 * which is integrated here by itself. Rows at the level of accelerations make the equations of an implicit
 * stage singular shortly before that position (docs/theory.md, eq. 73a). */
#include "test.h"

#include <math.h>

#include "run_model.h"

#define CRANK(name, x)                                                                                       \
    "  " name ": {mass: 1, inertia: 1/12, com: [0.5, 0], position: [" x ", 0], angle: 0.1, omega: -4.8, "    \
    "markers: {T: [1, 0]}}\n"
#define COUPLER(name, x)                                                                                     \
    "  " name ": {mass: 1, inertia: 1/12, com: [0.5, 0], position: [" x "+cos(0.1), sin(0.1)], "             \
    "velocity: [4.8*sin(0.1), -4.8*cos(0.1)], markers: {T: [1, 0]}}\n"

static const char parallelograms[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
    "  ground: {markers: {B: [1, 0], C: [2, 0]}}\n" CRANK("a", "0") CRANK("b", "1") CRANK("c", "2")
        COUPLER("x", "0") COUPLER("y", "1") "joints:\n"
                                            "  A: {revolute: [ground, a]}\n"
                                            "  B: {revolute: [ground.B, b]}\n"
                                            "  C: {revolute: [ground.C, c]}\n"
                                            "  P: {revolute: [a.T, x]}\n"
                                            "  Q: {revolute: [x.T, b.T]}\n"
                                            "  R: {revolute: [b.T, y]}\n"
                                            "  S: {revolute: [y.T, c.T]}\n";

static const char *const coordinates[] = {"planar", "relative", "natural"};

/* θ̈ = −c cos θ by Runge and Kutta's method of order 4 in steps of 1e-5 s. */
static double swing(double x, double v, double c, double t)
{
    int n = (int)ceil(t / 1e-5);
    double h = t / n;
    for (int i = 0; i < n; i++) {
        double a1 = -c * cos(x), v2 = v + h / 2 * a1, a2 = -c * cos(x + h / 2 * v);
        double v3 = v + h / 2 * a2, a3 = -c * cos(x + h / 2 * v2), v4 = v + h * a3, a4 = -c * cos(x + h * v3);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

static double alone(double t)
{
    return swing(0.1, -4.8, 9.81 * 3.5 / 3, t);
}

/* Smaller steps come closer to it, and might find the other motion by chance: few are taken. Whether one run
 * needs some is a matter of round-off, in all of them they are fewer than the runs. */
static long runs, substeps;

static void pass(const char *chart, const char *constraints, const char *integrator, double step)
{
    double end = 100 * step, tol = vg_integrator_find(integrator)->order > 2 ? 2e-6 : 15 * step * step;
    runSpec spec = {.text = parallelograms,
                    .coordinates = chart,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = step,
                    .end = end,
                    .channel = {"joint.A.angle", "joint.C.angle"}};
    runResult r = run_model(&spec);
    if (r.status != VG_OK) printf("%s %s %s %g: %s\n", chart, constraints, integrator, step, r.error);
    CHECK_INT(r.status, VG_OK);
    runs++, substeps += r.end.stats.substeps;
    double theta = alone(end);
    CHECK(theta < -0.05); /* beyond */
    if (!(fabs(r.value[0] - theta) <= tol))
        printf("%s %s %s %g: off by %g\n", chart, constraints, integrator, step, r.value[0] - theta);
    CHECK_NEAR(r.value[0], theta, tol);
    CHECK_NEAR(r.value[1], r.value[0], 1e-6);
}

/* Step sizes with which stages meet the singular position at various distances. */
static const double steps[] = {1.3e-3, 1e-3, 7e-4, 5e-4};
enum { NSTEP = sizeof steps / sizeof steps[0] };

TEST(rows_of_accelerations)
{
    static const char *const constraints[] = {"index1", "augmented1", "penalty"};
    static const char *const methods[] = {"trapezoidal", "generalized-alpha", "hht",    "midpoint",
                                          "sdirk",       "esdirk436",         "radau3", "bdf2"};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 8; m++)
                for (int h = 0; h < NSTEP; h++) pass(coordinates[c], constraints[k], methods[m], steps[h]);
    CHECK(substeps < runs);
}

TEST(rows_on_positions_and_none)
{
    static const char *const constraints[] = {"index3", "index2", "augmented3", "independent"};
    static const char *const methods[] = {"trapezoidal", "sdirk", "esdirk436", "radau3", "midpoint"};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 4; k++)
            for (int m = 0; m < 5; m++)
                for (int h = 0; h < NSTEP && !(k == 1 && m == 4); h++)
                    pass(coordinates[c], constraints[k], methods[m], steps[h]);
    CHECK(substeps < runs);
}

/* Under error control: an estimate that is round-off must not drive the steps to nothing there. */
TEST(error_control)
{
    static const char *const constraints[] = {"index1", "augmented1", "augmented3"};
    static const char *const methods[] = {"esdirk436:rtol=1e-7", "sdirk:rtol=1e-6", "radau3:rtol=1e-8",
                                          "bdf:rtol=1e-8", "midpoint:rtol=1e-7"};
    double theta = alone(0.1);
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 5; m++) {
            runSpec spec = {.text = parallelograms,
                            .coordinates = "planar",
                            .constraints = constraints[k],
                            .integrator = methods[m],
                            .step = 1e-3,
                            .end = 0.1,
                            .channel = {"joint.A.angle", "joint.C.angle"}};
            runResult r = run_model(&spec);
            if (r.status != VG_OK) printf("%s %s: %s\n", constraints[k], methods[m], r.error);
            CHECK_INT(r.status, VG_OK);
            CHECK(r.end.stats.steps < 200);
            CHECK_NEAR(r.value[0], theta, 1e-5);
            CHECK_NEAR(r.value[1], r.value[0], 1e-6);
        }
}

/* A parallelogram that starts with all bars in line, its velocities saying which way it goes: every setting
 * with multipliers takes it in all coordinates. Independent coordinates, one more there than beside it,
 * refuse. (2 (J + m/4) + m) θ̈ = −2 m g cos θ */
static const char inline_start[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n  ground: {markers: {D: [1, 0]}}\n"
    "  a: {mass: 1, inertia: 0.1, com: [0.5, 0], omega: 3, markers: {T: [1, 0]}}\n"
    "  x: {mass: 1, inertia: 0.1, com: [0.5, 0], position: [1, 0], velocity: [0, 3], markers: {T: [1, 0]}}\n"
    "  c: {mass: 1, inertia: 0.1, com: [0.5, 0], position: [1, 0], omega: 3, markers: {T: [1, 0]}}\n"
    "joints:\n  A: {revolute: [ground, a]}\n  P: {revolute: [a.T, x]}\n  Q: {revolute: [x.T, c.T]}\n"
    "  C: {revolute: [ground.D, c]}\n";

TEST(start_in_a_singular_position)
{
    static const char *const all[] = {"augmented3", "augmented1", "penalty", "index3", "index2", "index1"};
    double theta = swing(0, 3, 2 * 9.81 / 1.7, 0.2);
    for (int c = 0; c < 3; c++) {
        runSpec spec = {.text = inline_start,
                        .coordinates = coordinates[c],
                        .integrator = "trapezoidal",
                        .step = 1e-3,
                        .end = 0.2,
                        .channel = {"joint.A.angle", "joint.C.angle"}};
        for (int k = 0; k < 6; k++) {
            spec.constraints = all[k];
            runResult r = run_model(&spec);
            if (r.status != VG_OK) printf("%s %s: %s\n", spec.coordinates, spec.constraints, r.error);
            CHECK_INT(r.status, VG_OK);
            CHECK_NEAR(r.value[0], theta, 2e-6);
            CHECK_NEAR(r.value[1], r.value[0], 1e-6);
        }
        spec.constraints = "independent";
        runResult r = run_model(&spec);
        CHECK_INT(r.status, VG_INCONSISTENT);
        CHECK(strstr(r.error, "singular position") && strstr(r.error, "augmented3"));
    }
}

/* A driven parallelogram is in line at t = 0.25 s and 0.75 s, where steps of 0.0125 s end: all positions are
 * given, θ = π/2 + 2πt, and the rows that are shown have them too. */
static const char driven[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {w: 2*pi}\nbodies:\n"
    "  ground: {markers: {B: [1, 0]}}\n"
    "  a: {mass: 1, inertia: 1/12, com: [0.5, 0], angle: pi/2, omega: w, markers: {T: [1, 0]}}\n"
    "  b: {mass: 1, inertia: 1/12, com: [0.5, 0], position: [1, 0], angle: pi/2, omega: w, markers: {T: [1, "
    "0]}}\n"
    "  x: {mass: 1, inertia: 1/12, com: [0.5, 0], position: [0, 1], velocity: [-w, 0], markers: {T: [1, "
    "0]}}\n"
    "joints:\n"
    "  A: {revolute: [ground, a], drive: {angle: pi/2 + w*t}}\n"
    "  B: {revolute: [ground.B, b]}\n"
    "  P: {revolute: [a.T, x]}\n"
    "  Q: {revolute: [x.T, b.T]}\n";

TEST(steps_that_end_in_one)
{
    static const char *const constraints[] = {"index3",     "index2",  "index1",     "augmented3",
                                              "augmented1", "penalty", "independent"};
    static const char *const methods[] = {"generalized-alpha", "trapezoidal", "bdf2", "sdirk", "radau3"};
    static double rows[81][3];
    for (int k = 0; k < 7; k++)
        for (int m = 0; m < 5; m++) {
            runSpec spec = {.text = driven,
                            .coordinates = "planar",
                            .constraints = constraints[k],
                            .integrator = methods[m],
                            .step = 0.0125,
                            .end = 1,
                            .every = 1,
                            .rows = rows[0],
                            .maxrow = 81,
                            .channel = {"time", "body.b.angle", "body.x.angle"}};
            runResult r = run_model(&spec);
            if (r.status != VG_OK) printf("%s %s: %s\n", constraints[k], methods[m], r.error);
            CHECK_INT(r.status, VG_OK);
            for (int i = 0; i <= 80; i++) {
                double t = 0.0125 * i, b = 0.5 * 3.14159265358979323846 * (1 + 4 * t);
                CHECK_NEAR(rows[i][0], t, 1e-12);
                CHECK_NEAR(remainder(rows[i][1] - b, 2 * 3.14159265358979323846), 0, 2e-5);
                CHECK_NEAR(rows[i][2], 0, 2e-5);
            }
        }
}

/* Stages inside a step that are to be solved in the singular position itself: the step is another one then.
 */
TEST(stages_that_fall_on_one)
{
    static const char *const constraints[] = {"index3",     "index2",  "index1",     "augmented3",
                                              "augmented1", "penalty", "independent"};
    static const struct {
        const char *method;
        double node;
    } inner[] = {{"sdirk", 0.78867513459481288},
                 {"sdirk", 0.21132486540518712},
                 {"esdirk436", 0.5},
                 {"midpoint", 0.5}};
    double left = 0, right = 0.1;
    for (int i = 0; i < 30; i++) *(alone((left + right) / 2) > 0 ? &left : &right) = (left + right) / 2;
    for (int k = 0; k < 7; k++)
        for (int m = 0; m < 4; m++)
            for (int n = 15; n <= 30 && !(k == 1 && m == 3); n += 15)
                pass("planar", constraints[k], inner[m].method, left / (n + inner[m].node));
    CHECK(substeps < runs);
}

/* A run whose last step would end in one says that its end is extrapolated. */
TEST(an_end_in_one_is_told)
{
    runSpec spec = {.text = driven,
                    .coordinates = "planar",
                    .constraints = "index3",
                    .integrator = "generalized-alpha",
                    .step = 0.0125,
                    .end = 0.25,
                    .channel = {"body.b.angle"}};
    runResult r = run_model(&spec);
    CHECK_INT(r.status, VG_OK);
    CHECK_INT((int)r.end.early, 1);
    CHECK_NEAR(r.end.early_t, 0.25, 1e-12);
    CHECK_INT(r.end.early_last, 1);
    spec.end = 0.2;
    r = run_model(&spec);
    CHECK_INT((int)r.end.early, 0);
    spec.end = 1; /* through two of them */
    r = run_model(&spec);
    CHECK_INT((int)r.end.early, 2);
    CHECK_INT(r.end.early_last, 0);
}

TEST_MAIN(stages_that_fall_on_one, an_end_in_one_is_told, error_control, rows_of_accelerations,
          rows_on_positions_and_none, steps_that_end_in_one, start_in_a_singular_position)
