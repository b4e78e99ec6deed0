/* Mechanisms with closed forms of their own.
 * The radial engine against its equation of motion in the one coordinate it has, the crank angle, written by
 * hand and integrated here:  d/dt (½ I(θ) ω²) = (Σ F_i(θ) s_i'(θ) − load ω|ω|) ω.
 * The governor at rest on its turning spindle: centrifugal forces and weights in balance. */
#include <math.h>

#include "run_model.h"
#include "test.h"

enum { N = 5 };
static const double r = 0.05, l = 0.16, F = 1200, load = 0.12, rate = 4, pi = 3.14159265358979323846;

static double direction(int i)
{
    return 2 * pi * i / N;
}

/* Distance of piston i from the crank's axis. */
static double piston(int i, double th)
{
    double a = direction(i) - th;
    return r * cos(a) + sqrt(l * l - r * r * sin(a) * sin(a));
}

static double piston_slope(int i, double th)
{
    double a = direction(i) - th, root = sqrt(l * l - r * r * sin(a) * sin(a));
    return r * sin(a) + r * r * sin(a) * cos(a) / root;
}

/* I(θ): twice the kinetic energy at ω = 1. */
static double inertia(double th)
{
    double sum = 0.03;
    for (int i = 0; i < N; i++) {
        double a = direction(i), ds = piston_slope(i, th);
        double px = -r * sin(th), py = r * cos(th), ex = ds * cos(a), ey = ds * sin(a);
        double vx = (px + ex) / 2, vy = (py + ey) / 2, turn = hypot(ex - px, ey - py) / l;
        sum += 0.4 * ds * ds + 0.3 * (vx * vx + vy * vy) + 9e-4 * turn * turn;
    }
    return sum;
}

static double torque(double th, double w)
{
    double sum = -load * w * fabs(w);
    for (int i = 0; i < N; i++) {
        double c = fmax(0, cos(th / 2 - pi * i / N - pi * i - 0.6));
        sum -= F * pow(c, 8) * piston_slope(i, th);
    }
    return sum;
}

static double acceleration(double th, double w)
{
    double e = 1e-4;
    double slope =
        (8 * (inertia(th + e) - inertia(th - e)) - (inertia(th + 2 * e) - inertia(th - 2 * e))) / (12 * e);
    return (torque(th, w) - 0.5 * slope * w * w) / inertia(th);
}

static void reference(double end, int steps, double *th, double *w)
{
    double h = end / steps;
    *th = 0;
    *w = rate;
    for (int n = 0; n < steps; n++) {
        double k1 = *w, l1 = acceleration(*th, *w);
        double k2 = *w + h / 2 * l1, l2 = acceleration(*th + h / 2 * k1, k2);
        double k3 = *w + h / 2 * l2, l3 = acceleration(*th + h / 2 * k2, k3);
        double k4 = *w + h * l3, l4 = acceleration(*th + h * k3, k4);
        *th += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        *w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
}

#define CHANNELS                                                                                             \
    {                                                                                                        \
        "joint.crank.angle", "joint.crank.rate", "joint.bore1.displacement", "joint.bore2.displacement",     \
            "joint.bore3.displacement", "joint.bore4.displacement", "joint.bore5.displacement"               \
    }

TEST(moves_as_its_equation_in_the_crank_angle)
{
    double th, w;
    reference(0.5, 4000, &th, &w);
    runSpec spec = {.model = "radial-engine",
                    .coordinates = "lie",
                    .constraints = "index1",
                    .integrator = "dopri5:rtol=1e-10,atol=1e-12",
                    .end = 0.5,
                    .channel = CHANNELS};
    runResult out = run_model(&spec);
    CHECK_INT(out.status, VG_OK);
    CHECK_INT(out.freedom, 1);
    CHECK_INT(out.nredundant, 0);
    CHECK_NEAR(out.value[0], th, 1e-8);
    CHECK_NEAR(out.value[1], w, 1e-7);
    for (int i = 0; i < N; i++) CHECK_NEAR(out.value[2 + i], piston(i, out.value[0]), 1e-12);
}

TEST(default_method_closes_the_loops_and_follows)
{
    double th, w;
    reference(0.5, 4000, &th, &w);
    runSpec spec = {.model = "radial-engine", .step = 2e-4, .end = 0.5, .channel = CHANNELS};
    runResult out = run_model(&spec);
    CHECK_INT(out.status, VG_OK);
    CHECK_NEAR(out.value[0], th, 2e-4);
    for (int i = 0; i < N; i++) CHECK_NEAR(out.value[2 + i], piston(i, out.value[0]), 1e-12);
}

/* ---- governor ---- */

static double sleeve(const char *coordinates, double step)
{
    runSpec spec = {.model = "governor",
                    .coordinates = coordinates,
                    .step = step,
                    .end = 6,
                    .channel = {"joint.slide.displacement", "joint.bearing.rate"}};
    runResult out = run_model(&spec);
    CHECK_INT(out.status, VG_OK);
    CHECK_INT(out.freedom, 1);
    CHECK_NEAR(out.value[1], 19, 1e-9);
    return out.value[0];
}

/* Balls m on arms L, sleeve M, links L: the arms' height is (m + M)/m g/w². In relative coordinates the
 * turning of the whole is exact, in absolute ones the circles of the balls have the method's error, of second
 * order. */
TEST(governor_comes_to_its_height)
{
    double height = 0.5 - 2 * (1. + 4.) / 1. * 9.81 / (19. * 19.);
    CHECK_NEAR(sleeve("relative", 2e-3), height, 1e-9);
    double e1 = sleeve("lie", 2e-3) - height, e2 = sleeve("lie", 1e-3) - height;
    CHECK(fabs(e2) < 2e-5);
    CHECK_NEAR(e1 / e2, 4, 0.1);
}

/* ---- spatial slider-crank ---- */

/* Nothing takes energy out of it. On its way rod and slider without the crank pass positions in which the
 * crank pin could not move, near t = 0.501 and 0.852 for example: that must not show in the accelerations. */
TEST(no_digits_are_lost_where_a_part_of_a_mechanism_is_singular)
{
    static const char *const coordinates[] = {"lie", "se3", "euler-parameters", "natural", "relative"};
    for (int i = 0; i < 5; i++) {
        runSpec spec = {.model = "slider-crank-3d",
                        .coordinates = coordinates[i],
                        .constraints = "index1",
                        .integrator = "dop853:adaptive=0",
                        .step = 1e-3,
                        .end = 1,
                        .channel = {"energy.total"}};
        runResult out = run_model(&spec);
        CHECK_INT(out.status, VG_OK);
        CHECK_NEAR(out.value[0], out.first, 1e-11);
    }
}

/* Rows between long steps of high order have its accuracy, too: their energy is that of the start. */
TEST(rows_between_steps_of_high_order)
{
    for (int k = 0; k < 2; k++) {
        double rows[4 * 41];
        runSpec spec = {
            .model = "slider-crank-3d",
            .coordinates = k ? "relative" : "lie",
            .constraints = "index1",
            .integrator = "dop853:rtol=1e-8",
            .step = 1e-3,
            .end = 1,
            .interval = 0.025,
            .rows = rows,
            .maxrow = 41,
            .channel = {"energy.total", "body.slider.velocity.x", "joint.D.rate", "constraint.velocity"}};
        runResult out = run_model(&spec);
        CHECK_INT(out.status, VG_OK);
        for (int i = 0; i < 41; i++) {
            CHECK_NEAR(rows[4 * i], rows[0], 2e-8);
            CHECK_NEAR(rows[4 * i + 1], rows[4 * i + 2], 1e-12);
            CHECK_NEAR(rows[4 * i + 3], 0, 1e-12);
        }
    }
}

/* In independent coordinates the others follow; what the stages' formulas make of theirs is no error of the
 * step, and under error control steps are about as many as with index1. */
TEST(independent_coordinates_alone_make_the_error)
{
    static const struct {
        const char *method;
        double drift;
    } run[] = {{"radau3:rtol=1e-10", 2e-9},
               {"radau2:rtol=1e-7", 1e-8},
               {"sdirk:rtol=1e-7", 1e-8},
               {"midpoint:rtol=1e-6", 1e-5}};
    for (int i = 0; i < 4; i++) {
        long steps[2];
        for (int k = 0; k < 2; k++) {
            runSpec spec = {.model = "slider-crank-3d",
                            .constraints = k ? "index1" : "independent",
                            .integrator = run[i].method,
                            .step = 1e-3,
                            .end = 0.2,
                            .channel = {"energy.total"}};
            runResult out = run_model(&spec);
            CHECK_INT(out.status, VG_OK);
            CHECK_NEAR(out.value[0], out.first, run[i].drift);
            steps[k] = out.end.stats.steps;
        }
        CHECK(steps[0] < 1.5 * (double)steps[1]);
    }
}

TEST_MAIN(moves_as_its_equation_in_the_crank_angle, default_method_closes_the_loops_and_follows,
          governor_comes_to_its_height, no_digits_are_lost_where_a_part_of_a_mechanism_is_singular,
          rows_between_steps_of_high_order, independent_coordinates_alone_make_the_error)
