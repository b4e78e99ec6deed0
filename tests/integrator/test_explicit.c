/* Explicit Runge–Kutta methods: orders on ODEs, on constraints at index 1 with projection, on the group;
 * error control. */
#include "orders.h"
#include "test.h"

static Problem problem[NPROBLEM];

static void make(void)
{
    if (!problem[0].name) problems_make(problem, "dop853:adaptive=0", 0.000125);
}

TEST(orders)
{
    static const struct {
        const char *name;
        double order, divide;
    } methods[] = {{"euler", 1, 512},
                   {"heun", 2, 64},
                   {"bs32:adaptive=0", 3, 32},
                   {"rk4", 4, 16},
                   {"rkf45:adaptive=0", 4, 32},
                   {"dopri5:adaptive=0", 5, 16},
                   {"rk6", 6, 4},
                   {"dop853:adaptive=0", 8, 1}};
    make();
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int p = 0; p < NPROBLEM; p++) {
            double tol = 0.15;
            if (p == PENDULUM && methods[m].order == 8) tol = 0.25; /* the last decade above round-off */
            double order = measured_order(&problem[p], methods[m].name, methods[m].divide, 1);
            if (!(fabs(order - methods[m].order) <= tol))
                printf("%s on %s: %g\n", methods[m].name, problem[p].name, order);
            CHECK_NEAR(order, methods[m].order, tol);
        }
}

/* A method of a group is one of the vector space where there is no rotation: rk4 by hand. */
TEST(one_step_by_hand)
{
    double y[4] = {0.8, -0.7, 0.5, 0.2}, k[4][4], z[4], h = 0.05;
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 4; i++) z[i] = y[i] + (s ? h * c[s] * k[s - 1][i] : 0);
        elastic_rates(z, k[s]);
    }
    for (int i = 0; i < 4; i++)
        for (int s = 0; s < 4; s++) y[i] += h * b[s] * k[s][i];
    Final f = final_of(ELASTIC_PENDULUM, NULL, "rk4", h, h);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(f.q[i], y[i], 1e-15);
        CHECK_NEAR(f.v[i], y[2 + i], 1e-14);
    }
}

/* Error control: the error follows the tolerance, by both controllers. */
TEST(tolerance_is_kept)
{
    static const char *const names[] = {"bs32", "rkf45", "dopri5", "dop853"};
    make();
    for (size_t m = 0; m < sizeof names / sizeof names[0]; m++)
        for (int control = 0; control < 2; control++)
            for (int p = 0; p < NPROBLEM; p++) {
                double e[2];
                for (int k = 0; k < 2; k++) {
                    char text[128];
                    double rtol = k ? 1e-8 : 1e-5;
                    snprintf(text, sizeof text, "%s:rtol=%g,atol=%g,control=%s", names[m], rtol, rtol,
                             control ? "plain" : "pi");
                    Final f = final_of(problem[p].text, problem[p].coordinates, text, 0, problem[p].end);
                    double size = distance(problem[p].ref.v, (double[MAX_STATE]){0}, f.nv);
                    e[k] = final_error(&f, &problem[p].ref, 0) / fmax(1, size);
                    double most = 3 * rtol * (double)f.stats.steps; /* what the steps may add up to */
                    if (!(e[k] < most)) printf("%s on %s: %g > %g\n", text, problem[p].name, e[k], most);
                    CHECK(e[k] < most);
                }
                CHECK(e[1] < 0.02 * e[0]);
            }
}

/* After every step positions and velocities satisfy the constraints to round-off. */
TEST(projection_holds_the_constraints)
{
    Rig r;
    CHECK(rig_open(&r, "heavy-top.yaml", "lie", "dopri5:adaptive=0", NULL, 0));
    vgTransientOptions o = {.step = 1e-3, .end = 0.2, .every = 1, .monitor = 1};
    vgTransientResult res;
    CHECK_INT(vg_transient_run(r.sim.it, r.sim.state, &o, NULL, &res), VG_OK);
    CHECK(res.stats.max_phi < 1e-13);
    CHECK(res.stats.max_phi_dot < 1e-12);
    CHECK(res.stats.max_phi_ddot < 1e-9);
    rig_close(&r);
}

TEST_MAIN(orders, one_step_by_hand, tolerance_is_kept, projection_holds_the_constraints)
