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

TEST_MAIN(second_order, third_order, third_order_in_accelerations, fourth_order)
