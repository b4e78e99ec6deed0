/* Adams methods: coefficients, orders on ODEs, constraints and the group, error control, Milne's device. */
#include "integrator/explicit/adams.h"

#include "orders.h"
#include "test.h"

typedef struct Weights {
    double b[13], m[13], e[13], mn, en;
} Weights;

static Weights weights(const double *tau, int k)
{
    Weights w;
    vg_adams_weights(tau, k, w.b, w.m, &w.mn, w.e, &w.en);
    return w;
}

static const double even[13] = {0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12};

/* [G] (7.22), (7.23) and Hairer, Nørsett, Wanner I, III.1. */
TEST(known_coefficients)
{
    static const double ab5[] = {1901, -2774, 2616, -1274, 251}, am5[] = {646, -264, 106, -19};
    static const double ab4[] = {55, -59, 37, -9}, am4[] = {19, -5, 1};
    Weights w = weights(even, 4);
    for (int i = 0; i < 4; i++) CHECK_NEAR(w.b[i], ab4[i] / 24, 2e-15);
    for (int i = 0; i < 3; i++) CHECK_NEAR(w.m[i], am4[i] / 24, 1e-15);
    CHECK_NEAR(w.mn, 9. / 24, 1e-15);
    w = weights(even, 5);
    for (int i = 0; i < 5; i++) CHECK_NEAR(w.b[i], ab5[i] / 720, 4e-15);
    for (int i = 0; i < 4; i++) CHECK_NEAR(w.m[i], am5[i] / 720, 1e-15);
    CHECK_NEAR(w.mn, 251. / 720, 1e-15);
    w = weights(even, 1);
    CHECK_NEAR(w.b[0], 1, 1e-15);
    CHECK_NEAR(w.mn, 1, 1e-15);
    w = weights(even, 2);
    CHECK_NEAR(w.b[0], 1.5, 1e-15);
    CHECK_NEAR(w.m[0], 0.5, 1e-15);
    CHECK_NEAR(w.mn, 0.5, 1e-15);
}

/* At equal steps of order 4 the error is −19/270 (corrector − predictor), [G] (7.27). */
TEST(milnes_device)
{
    Weights w = weights(even, 4);
    for (int i = 0; i < 4; i++) CHECK_NEAR(w.e[i], -19. / 270 * ((i < 3 ? w.m[i] : 0) - w.b[i]), 1e-15);
    CHECK_NEAR(w.en, -19. / 270 * w.mn, 1e-15);
}

/* Formulas of order k integrate polynomials of degree k − 1 over uneven points; with the error added one
 * more.
 */
TEST(exact_on_polynomials_at_uneven_points)
{
    static const double tau[13] = {0,    -0.7, -1.9, -2.3, -3.8,  -4.1, -5.5,
                                   -6.2, -7.7, -8.1, -9.6, -10.2, -11.5};
    for (int k = 1; k <= 12; k++) {
        Weights w = weights(tau, k);
        for (int d = 0; d <= k; d++) {
            double b = 0, m = w.mn, e = w.en, size = 1;
            for (int i = 0; i < k; i++) {
                double f = pow(tau[i] / 4, d);
                b += w.b[i] * f;
                m += (i < k - 1 ? w.m[i] : 0) * f;
                e += w.e[i] * f;
                size = fmax(size, fabs(w.b[i] * f));
            }
            double exact = pow(0.25, d) / (d + 1);
            m += w.mn * (pow(0.25, d) - 1);
            e += w.en * (pow(0.25, d) - 1);
            if (d < k) CHECK_NEAR(b, exact, 1e-14 * size);
            if (d < k) CHECK_NEAR(m, exact, 1e-14 * size);
            CHECK_NEAR(m + e, exact, 1e-14 * size);
        }
    }
}

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
    } methods[] = {
        {"ab1", 1, 512},         {"ab2", 2, 64},         {"ab3", 3, 32},          {"ab4", 4, 32},
        {"ab5", 5, 32},          {"am1", 1, 512},        {"am2", 2, 32},          {"am3", 3, 32},
        {"am4", 4, 32},          {"am5", 5, 16},         {"am2:solver=1", 2, 32}, {"am4:solver=1", 4, 32},
        {"abm:order=1", 1, 256}, {"abm:order=2", 2, 64}, {"abm", 4, 32},          {"abm:order=3", 3, 64}};
    make();
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int p = 0; p < NPROBLEM; p++) {
            double order = measured_order(&problem[p], methods[m].name, methods[m].divide, 1);
            if (!(fabs(order - methods[m].order) <= 0.15))
                printf("%s on %s: %g\n", methods[m].name, problem[p].name, order);
            CHECK_NEAR(order, methods[m].order, 0.15);
        }
}

/* y'' + y = 0 by ABM of order 4, PECE, written here with a start from the closed form ([G] problem 7/2). */
/* The implicit formula has one solution: the fixed-point iteration finds what Newton's method does, and gives
 * no step up while it converges (am1 did: there velocities and positions gain by turns). */
TEST(fixed_point_finds_what_newton_does)
{
    char plain[32], by_newton[40];
    for (int k = 1; k <= 5; k++) {
        snprintf(plain, sizeof plain, "am%d:tol=1e-13", k);
        snprintf(by_newton, sizeof by_newton, "am%d:solver=1,tol=1e-13", k);
        Final a = final_of(OSCILLATOR, NULL, plain, 0.05, 2),
              b = final_of(OSCILLATOR, NULL, by_newton, 0.05, 2);
        CHECK(a.ok && b.ok);
        CHECK_NEAR(distance(a.q, b.q, a.nq), 0, 1e-10);
        CHECK_NEAR(distance(a.v, b.v, a.nv), 0, 1e-9);
    }
}

TEST(problem_7_2)
{
    enum { N = 100 };
    double h = 0.1, y[4] = {0}, v[4] = {0}; /* newest first */
    for (int j = 0; j < 4; j++) y[j] = cos(h * (3 - j)), v[j] = -sin(h * (3 - j));
    for (int n = 3; n < N; n++) {
        double yp = y[0] + h / 24 * (55 * v[0] - 59 * v[1] + 37 * v[2] - 9 * v[3]);
        double vp = v[0] - h / 24 * (55 * y[0] - 59 * y[1] + 37 * y[2] - 9 * y[3]);
        double yn = y[0] + h / 24 * (9 * vp + 19 * v[0] - 5 * v[1] + v[2]);
        double vn = v[0] - h / 24 * (9 * yp + 19 * y[0] - 5 * y[1] + y[2]);
        memmove(y + 1, y, 3 * sizeof *y);
        memmove(v + 1, v, 3 * sizeof *v);
        y[0] = yn, v[0] = vn;
    }
    vgParamSet k = {"k", 1, NULL};
    Rig r;
    CHECK(rig_open(&r, STIFF, NULL, "abm", &k, 1));
    CHECK(rig_run(&r, h, h * N));
    /* the start differs from the closed form by three Dormand–Prince steps: 3·6e-10 */
    CHECK_NEAR(r.sim.state->q[0], y[0], 4e-9);
    CHECK_NEAR(r.sim.state->v[0], v[0], 4e-9);
    CHECK_NEAR(y[0], cos(10), 2e-5);
    rig_close(&r);
}

TEST(tolerance_is_kept)
{
    static const char *const names[] = {"adams:", "abm:adaptive=1,"};
    make();
    for (int m = 0; m < 2; m++)
        for (int p = 0; p < NPROBLEM; p++) {
            double e[2];
            for (int k = 0; k < 2; k++) {
                char text[128];
                double rtol = k ? 1e-9 : 1e-5;
                snprintf(text, sizeof text, "%srtol=%g,atol=%g", names[m], rtol, rtol);
                Final f = final_of(problem[p].text, problem[p].coordinates, text, 0, problem[p].end);
                double size = distance(problem[p].ref.v, (double[MAX_STATE]){0}, f.nv);
                e[k] = final_error(&f, &problem[p].ref, 0) / fmax(1, size);
                double most = 3 * rtol * (double)f.stats.steps;
                if (!(e[k] < most)) printf("%s on %s: %g > %g\n", text, problem[p].name, e[k], most);
                CHECK(e[k] < most);
            }
            CHECK(e[1] < 0.01 * e[0]);
        }
}

/* Where evaluations cost, variable order needs the fewest. */
TEST(variable_order_saves_evaluations)
{
    Final rk = final_of("heavy-top.yaml", "lie", "dopri5:rtol=1e-9,atol=1e-9", 0, 1),
          ad = final_of("heavy-top.yaml", "lie", "adams:rtol=1e-9,atol=1e-9", 0, 1);
    CHECK(rk.ok && ad.ok);
    CHECK(ad.stats.accels * 5 < rk.stats.accels);
    CHECK(distance(ad.q, rk.q, rk.nq) < 1e-6);
}

TEST_MAIN(known_coefficients, milnes_device, exact_on_polynomials_at_uneven_points, orders,
          fixed_point_finds_what_newton_does, problem_7_2, tolerance_is_kept,
          variable_order_saves_evaluations)
