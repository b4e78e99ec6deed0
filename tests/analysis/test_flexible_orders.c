/* Order of convergence on the rotating shaft of [Z] (section 5.4): displacement, velocity and acceleration of
 * the disc across the shaft, from runs with h, h/2 and h/4. A little material damping takes away the
 * frequencies that no step here resolves. Accelerations of the Runge–Kutta methods of order 3 and more are
 * limited by their stage order, 2: what remains of the stiff modes in the positions comes back multiplied by
 * the stiffness. */
#include <math.h>

#include "run_model.h"
#include "test.h"

enum { ROWS = 29, FROM = 20, CHANNELS = 6 }; /* every 0.05 s; the shaft turns from 1 s on */

typedef struct Measured {
    double u, v, a;
} Measured;

static void rung(const char *method, const char *mesh, double step, double *x)
{
    runSpec s = {.model = "rotating-shaft",
                 .integrator = method,
                 .set = {mesh, "damping=1e-3"},
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

static Measured orders(const char *method, const char *mesh, double step)
{
    double x[3][ROWS * CHANNELS], p[3];
    for (int i = 0; i < 3; i++) rung(method, mesh, step / (1 << i), x[i]);
    for (int k = 0; k < 3; k++) {
        double e[2] = {0, 0};
        for (int i = 0; i < 2; i++)
            for (int row = FROM; row < ROWS; row++)
                for (int c = 2 * k; c < 2 * k + 2; c++)
                    e[i] += pow(x[i + 1][row * CHANNELS + c] - x[i][row * CHANNELS + c], 2);
        p[k] = 0.5 * log2(e[0] / e[1]);
    }
    printf("%-12s u %.2f v %.2f a %.2f\n", method, p[0], p[1], p[2]);
    return (Measured){p[0], p[1], p[2]};
}

TEST(second_order)
{
    static const char *const methods[] = {"lms3", "lms4", "bathe", "msstc4"};
    for (int i = 0; i < 4; i++) {
        Measured p = orders(methods[i], "n=2", i < 2 ? 2.5e-3 : 5e-3);
        CHECK_NEAR(p.u, 2, 0.1);
        CHECK_NEAR(p.v, 2, 0.1);
        CHECK_NEAR(p.a, 2, 0.2);
    }
}

TEST(third_order)
{
    static const char *const methods[] = {"esdirk324", "esdirk325"};
    for (int i = 0; i < 2; i++) {
        Measured p = orders(methods[i], "n=4", 5e-3);
        CHECK(p.u > 2.8);
        CHECK(p.v > 2.8);
        CHECK(p.a > 1.8);
    }
}

TEST(fourth_order)
{
    Measured p = orders("mssth4", "n=4", 1e-2);
    CHECK(p.u > 3.8);
    CHECK(p.v > 3.3);
    p = orders("esdirk436-2", "n=4", 1e-2);
    CHECK(p.u > 3.2);
    CHECK(p.v > 2); /* below what the stage order guarantees nothing falls */
    CHECK(p.a > 1.8);
}

TEST_MAIN(second_order, third_order, fourth_order)
