/* Order of convergence on the rotating shaft of [Z] (section 5.4): displacement, velocity and acceleration of
 * the disc across the shaft, from runs with h, h/2 and h/4. A little material damping β takes away the
 * frequencies that no step here resolves; but it brings relaxations at the rate 1/β. As long as h is not well
 * below β the Runge–Kutta methods of order 3 and more fall back to their stage order, 2, in the stiff modes,
 * which accelerations show first: they come back multiplied by the stiffness. With steps that resolve both,
 * on a coarser mesh, accelerations have the methods' orders too. Constraints take no part in it: index 3, 2
 * and 1 give the same. */
#include <math.h>

#include "run_model.h"
#include "test.h"

enum { ROWS = 29, FROM = 20, CHANNELS = 6 }; /* every 0.05 s; the shaft turns from 1 s on */

typedef struct Measured {
    double u, v, a;
} Measured;

static void rung(const char *method, const char *mesh, const char *damping, double step, double *x)
{
    runSpec s = {.model = "rotating-shaft",
                 .integrator = method,
                 .set = {mesh, damping},
                 .step = step,
                 .end = 1.4,
                 .interval = 0.05,
                 .rows = x,
                 .maxrow = ROWS,
                 .channel = {"body.disc.position.y", "body.disc.position.z", "body.disc.velocity.y",
                             "body.disc.velocity.z", "body.disc.acceleration.y", "body.disc.acceleration.z"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_INT(r.end.rows, ROWS);
}

static Measured orders(const char *method, const char *mesh, const char *damping, double step)
{
    double x[3][ROWS * CHANNELS], p[3];
    for (int i = 0; i < 3; i++) rung(method, mesh, damping, step / (1 << i), x[i]);
    for (int k = 0; k < 3; k++) {
        double e[2] = {0, 0};
        for (int i = 0; i < 2; i++)
            for (int row = FROM; row < ROWS; row++)
                for (int c = 2 * k; c < 2 * k + 2; c++)
                    e[i] += pow(x[i + 1][row * CHANNELS + c] - x[i][row * CHANNELS + c], 2);
        p[k] = 0.5 * log2(e[0] / e[1]);
    }
    return (Measured){p[0], p[1], p[2]};
}

TEST(second_order)
{
    static const char *const methods[] = {"lms3", "lms4", "bathe", "msstc4"};
    for (int i = 0; i < 4; i++) {
        Measured p = orders(methods[i], "n=2", "damping=1e-3", i < 2 ? 2.5e-3 : 5e-3);
        CHECK_NEAR(p.u, 2, 0.1);
        CHECK_NEAR(p.v, 2, 0.1);
        CHECK_NEAR(p.a, 2, 0.2);
    }
}

TEST(third_order)
{
    static const char *const methods[] = {"esdirk324", "esdirk325"};
    for (int i = 0; i < 2; i++) {
        Measured p = orders(methods[i], "n=4", "damping=1e-3", 5e-3);
        CHECK(p.u > 2.8);
        CHECK(p.v > 2.8);
        CHECK(p.a > 1.8);
    }
}

/* The same where the relaxation is resolved. */
TEST(third_order_in_accelerations)
{
    Measured p = orders("esdirk325", "n=2", "damping=1e-3", 2.5e-3);
    CHECK_NEAR(p.u, 3, 0.2);
    CHECK_NEAR(p.v, 3, 0.3);
    CHECK_NEAR(p.a, 3, 0.3);
}

/* Without damping, at the steps of [Z]: accelerations that satisfy the equations of motion carry the
 * stiffness times the errors of vibrations that the step does not resolve, and are of order 2 to 2.5 only.
 * The acceleration of the computed motion, the derivative of its velocity (central difference of order 4 over
 * five steps), has the order of the velocity. Errors against a method of order 4 with much smaller steps,
 * every 0.12 s, where no corner of the drive is near. */
enum { SPANS = 19, EVERY = 3200 }; /* to 2.28 s */

static double derivative_error(const char *method, double step, double until, const double *ref,
                               double *recorded)
{
    static double x[EVERY * 2];
    runSpec s = {.model = "rotating-shaft",
                 .integrator = method,
                 .set = {"n=2", "damping=0"},
                 .step = step,
                 .end = until + 4 * step,
                 .interval = step,
                 .rows = x,
                 .maxrow = EVERY,
                 .channel = {"body.disc.velocity.z", "body.disc.acceleration.z"}};
    double error = 0, size = 0, own = 0;
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK(r.end.rows <= EVERY);
    const int per = (int)lround(0.12 / step);
    for (int k = 1; k < SPANS; k++) {
        const double *v = x + 2 * k * per;
        double a = (8 * (v[2] - v[-2]) - (v[4] - v[-4])) / (12 * step);
        error += (a - ref[k]) * (a - ref[k]);
        own += (v[1] - ref[k]) * (v[1] - ref[k]);
        size += ref[k] * ref[k];
    }
    *recorded = sqrt(own / size);
    return sqrt(error / size);
}

TEST(accelerations_from_velocities)
{
    static const struct {
        const char *method;
        double step, order;
    } row[] = {{"esdirk324", 6e-3, 3}, {"mssth4", 8e-3, 3.7}};
    static double ref[SPANS + 1];
    runSpec s = {.model = "rotating-shaft",
                 .integrator = "esdirk436-2",
                 .set = {"n=2", "damping=0"},
                 .step = 2.5e-4,
                 .end = 0.12 * SPANS,
                 .interval = 0.12,
                 .rows = ref,
                 .maxrow = SPANS + 1,
                 .channel = {"body.disc.acceleration.z"}};
    CHECK_INT(run_model(&s).status, VG_OK);
    for (int i = 0; i < 2; i++) {
        double e[3], recorded[3];
        for (int k = 0; k < 3; k++)
            e[k] = derivative_error(row[i].method, row[i].step / (1 << k), s.end, ref, &recorded[k]);
        CHECK(0.5 * log2(e[0] / e[2]) > row[i].order - 0.15);
        CHECK(e[2] < 0.6 * recorded[2]);
    }
}

TEST(fourth_order)
{
    Measured p = orders("mssth4", "n=4", "damping=1e-3", 1e-2);
    CHECK(p.u > 3.8);
    CHECK(p.v > 3.3);
    p = orders("esdirk436-2", "n=2", "damping=1e-4", 1e-3);
    CHECK(p.u > 3.4);
    CHECK(p.v > 3.6);
    CHECK(p.a > 3.8);
}

TEST_MAIN(second_order, third_order, third_order_in_accelerations, accelerations_from_velocities,
          fourth_order)
