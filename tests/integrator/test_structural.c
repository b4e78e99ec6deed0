/* The structural family: orders, period elongation and decay against closed forms, dissipation at infinity,
 * error control, consistency of velocities. */
#include "orders.h"
#include "test.h"

static Problem problem[NPROBLEM];
static Final top_constrained; /* the heavy top with its joint, at the end of TOP's time */

static void make(void)
{
    if (problem[0].name) return;
    problems_make(problem, "dop853:adaptive=0", 0.000125);
    top_constrained = final_of("heavy-top.yaml", "lie", "dop853:adaptive=0", 0.000125, problem[TOP].end);
}

TEST(orders)
{
    static const struct {
        const char *name;
        double order, divide;
        int constrained;
    } methods[] = {{"generalized-alpha", 2, 32, 1},
                   {"newmark", 1, 128, 1},
                   {"newmark:gamma=0.5,beta=0.25", 2, 32, 0},
                   {"trapezoidal", 2, 32, 1},
                   {"linear-acceleration", 2, 32, 0},
                   {"hht", 2, 32, 1},
                   {"hht:alpha=-0.3", 2, 32, 1},
                   {"hht-i3", 2, 32, 1},
                   {"nstiff", 2, 32, 1},
                   {"wilson-theta", 2, 32, 1},
                   {"collocation", 2, 32, 1}};
    make();
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        for (int p = 0; p < NPROBLEM; p++) {
            if (p == PENDULUM && !methods[m].constrained) continue;
            double order = measured_order(&problem[p], methods[m].name, methods[m].divide, 1);
            if (!(fabs(order - methods[m].order) <= 0.15))
                printf("%s on %s: %g\n", methods[m].name, problem[p].name, order);
            CHECK_NEAR(order, methods[m].order, 0.15);
        }
        if (!methods[m].constrained) continue;
        Problem top = {"heavy top with its joint", "heavy-top.yaml", "lie",
                       problem[TOP].end,           problem[TOP].h,   top_constrained};
        double order = measured_order(&top, methods[m].name, methods[m].divide, 1);
        CHECK_NEAR(order, methods[m].order, 0.15);
    }
}

/* ---- [G] problem 7/1: y'' + y = 0, y(0) = 1, h = 0.1, 10 s ---- */

enum { N = 100 };

/* y_0 … y_N by the integrator itself. */
static void run_oscillator(const char *method, double h, double y[N + 1])
{
    Rig r;
    vgParamSet k = {"k", 1, NULL};
    CHECK(rig_open(&r, STIFF, NULL, method, &k, 1));
    vgIntegrator *it = r.sim.it;
    it->step_hint = h;
    CHECK_INT(it->row->start(it, r.sim.state), VG_OK);
    for (int n = 0; n <= N; n++) {
        y[n] = r.sim.state->q[0];
        if (n < N) CHECK_INT(vg_integrator_advance(it, r.sim.state, h), VG_OK);
    }
    rig_close(&r);
}

/* Amplification per step ρ and angle per step θ of y_n = ρⁿ cos(nθ + φ), from the last values. */
static void measure(const double y[N + 1], double *rho, double *theta)
{
    int n = N - 3;
    double d0 = y[n + 1] * y[n + 1] - y[n] * y[n + 2], d1 = y[n + 2] * y[n + 2] - y[n + 1] * y[n + 3];
    *rho = sqrt(d1 / d0);
    int k = fabs(y[n + 1]) > fabs(y[n + 2]) ? n : n + 1; /* the middle one not near zero */
    *theta = acos((y[k + 2] + *rho * *rho * y[k]) / (2 * *rho * y[k + 1]));
}

/* Newmark on an undamped oscillator, Ω = ωh: ζ² − 2A₁ζ + A₂ = 0 (Hughes 1987, 9.1):
 * A₁ = 1 − Ω²(γ + ½)/(2(1 + βΩ²)), A₂ = 1 − Ω²(γ − ½)/(1 + βΩ²). */
static void newmark_closed(double beta, double gamma, double h, double y[N + 1], double *rho, double *theta)
{
    double d = 1 + beta * h * h, A1 = 1 - h * h * (gamma + 0.5) / (2 * d), A2 = 1 - h * h * (gamma - 0.5) / d;
    *rho = sqrt(A2);
    *theta = acos(A1 / *rho);
    double y1 = (1 - h * h * (0.5 - beta)) / d; /* the first step from rest */
    double B = (y1 / *rho - cos(*theta)) / sin(*theta);
    for (int n = 0; n <= N; n++) y[n] = pow(*rho, n) * (cos(n * *theta) + B * sin(n * *theta));
}

TEST(problem_7_1_newmark)
{
    static const struct {
        const char *method;
        double beta, gamma;
    } rows[] = {{"trapezoidal", 0.25, 0.5},
                {"newmark:gamma=1,beta=0.5", 0.5, 1},
                {"newmark:gamma=1,beta=1", 1, 1}, /* backward Euler: y' by y'' and y by the new y' */
                {"newmark", 0.3025, 0.6},
                {"linear-acceleration", 1. / 6, 0.5}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        double y[N + 1], z[N + 1], rho, theta, rho_c, theta_c;
        run_oscillator(rows[k].method, 0.1, y);
        newmark_closed(rows[k].beta, rows[k].gamma, 0.1, z, &rho_c, &theta_c);
        for (int n = 0; n <= N; n++) CHECK_NEAR(y[n], z[n], 1e-12);
        measure(y, &rho, &theta);
        CHECK_NEAR(rho, rho_c, 1e-10);
        CHECK_NEAR(theta, theta_c, 1e-9);
    }
    /* the trapezoidal rule keeps the amplitude and lengthens the period by Ω²/12 */
    double y[N + 1], rho, theta;
    run_oscillator("trapezoidal", 0.1, y);
    measure(y, &rho, &theta);
    CHECK_NEAR(rho, 1, 1e-12);
    CHECK_NEAR(0.1 / theta - 1, 0.01 / 12, 1e-5 * 0.1);
    CHECK_NEAR(theta, 2 * atan(0.05), 1e-10);
}

/* HHT by hand, [G] (7.36), and its characteristic equation: eigenvalue near exp(iΩ) by Newton's method. */
TEST(problem_7_1_hht)
{
    double alpha = -0.1, beta = 0.25 * (1 - alpha) * (1 - alpha), gamma = 0.5 - alpha, h = 0.1;
    double y[N + 1], p = 1, v = 0, a = -1;
    run_oscillator("hht:alpha=-0.1", h, y);
    for (int n = 0; n <= N; n++) {
        CHECK_NEAR(y[n], p, 1e-12);
        double p0 = p + h * v + h * h * (0.5 - beta) * a;
        double an = (alpha * p - (1 + alpha) * p0) / (1 + (1 + alpha) * beta * h * h);
        p = p0 + h * h * beta * an;
        v += h * ((1 - gamma) * a + gamma * an);
        a = an;
    }
    /* a_{n+1} from a_n, v_n, y_n as a 3×3 matrix; characteristic polynomial ζ³ − tζ² + mζ − d */
    double D = 1 + (1 + alpha) * beta * h * h,
           g[3] = {-1 / D, -(1 + alpha) * h / D, -(1 + alpha) * h * h * (0.5 - beta) / D};
    double A[3][3] = {{1 + h * h * beta * g[0], h + h * h * beta * g[1], h * h * (0.5 - beta + beta * g[2])},
                      {h * gamma * g[0], 1 + h * gamma * g[1], h * (1 - gamma + gamma * g[2])},
                      {g[0], g[1], g[2]}};
    double t = A[0][0] + A[1][1] + A[2][2], m = 0, d = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        m += A[i][i] * A[j][j] - A[i][j] * A[j][i];
        d += A[0][i] * (A[1][j] * A[2][k] - A[1][k] * A[2][j]);
    }
    double re = cos(h), im = sin(h); /* ζ */
    for (int iter = 0; iter < 20; iter++) {
        double r2 = re * re - im * im, i2 = 2 * re * im, r3 = r2 * re - i2 * im, i3 = r2 * im + i2 * re;
        double fr = r3 - t * r2 + m * re - d, fi = i3 - t * i2 + m * im;
        double dr = 3 * r2 - 2 * t * re + m, di = 3 * i2 - 2 * t * im, n2 = dr * dr + di * di;
        re -= (fr * dr + fi * di) / n2;
        im -= (fi * dr - fr * di) / n2;
    }
    double rho, theta;
    measure(y, &rho, &theta);
    CHECK_NEAR(rho, hypot(re, im), 1e-10);
    CHECK_NEAR(theta, atan2(im, re), 1e-9);
    CHECK(rho < 1 &&
          rho > 0.9999); /* hardly damps what it resolves: Newmark with γ = 1 loses 22 % a period */
}

/* [N]'s form and the row of the generalized-α family are one method where the mass matrix is constant. */
TEST(both_forms_of_hht_agree)
{
    Final a = final_of("slider-crank.yaml", NULL, "hht:alpha=-0.3,tol=1e-14,acc=1e-10", 1e-3, 0.2),
          b = final_of("slider-crank.yaml", NULL, "hht-i3:alpha=-0.3,tol=1e-14,acc=1e-10", 1e-3, 0.2);
    CHECK(a.ok && b.ok);
    CHECK_NEAR(distance(a.q, b.q, a.nq), 0, 1e-11);
    CHECK(distance(a.v, b.v, a.nv) < 1e-9);
    CHECK(distance(a.lambda, b.lambda, a.nl) < 1e-6);
    CHECK(distance(a.a, b.a, a.nv) < 1e-6);
}

/* NSTIFF is BDF2 in both levels: on a vector space the same numbers as the formula with exact start. */
TEST(nstiff_by_hand)
{
    double h = 0.1, y[N + 1], p[2], v[2];
    run_oscillator("nstiff", h, y);
    p[1] = 1, v[1] = 0; /* before */
    double c = (1 - h * h / 4) / (1 + h * h / 4);
    p[0] = c, v[0] = -h / (1 + h * h / 4); /* the trapezoidal step */
    for (int n = 1; n < N; n++) {
        CHECK_NEAR(y[n], p[0], 1e-12);
        double ph = 4. / 3 * p[0] - p[1] / 3 + h * (8. / 9 * v[0] - 2. / 9 * v[1]);
        double vh = 4. / 3 * v[0] - v[1] / 3, pn = ph / (1 + 4. / 9 * h * h), vn = vh - 2. / 3 * h * pn;
        p[1] = p[0], v[1] = v[0], p[0] = pn, v[0] = vn;
    }
}

/* Spectral radius at infinity: generalized-α ρ∞, trapezoidal 1, HHT (1+α)/(1−α), seen at ωh = 1e5. */
TEST(damping_at_infinity)
{
    static const struct {
        const char *method;
        double rho;
    } rows[] = {{"trapezoidal", 1},
                {"hht:alpha=-0.1", 0.9 / 1.1},
                {"hht:alpha=-0.3", 0.7 / 1.3},
                {"hht-i3:alpha=-0.3", 0.7 / 1.3},
                {"generalized-alpha:rho=0.6", 0.6}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        Rig r;
        vgParamSet stiff = {"k", 1e10, NULL};
        double y[40] = {0};
        CHECK(rig_open(&r, STIFF, NULL, rows[k].method, &stiff, 1));
        CHECK_INT(r.sim.it->row->start(r.sim.it, r.sim.state), VG_OK);
        for (int n = 0; n < 40; n++) {
            CHECK_INT(vg_integrator_advance(r.sim.it, r.sim.state, 1), VG_OK);
            y[n] = r.sim.state->q[0];
        }
        /* |y_n| ~ ρⁿ n^p with a multiple eigenvalue: the ratio of ratios takes the power of n away */
        double r1 = fabs(y[38] / y[37]), r2 = fabs(y[39] / y[38]);
        double rho = rows[k].rho == 1 ? r2 : r2 + 38 * (r2 - r1);
        CHECK_NEAR(rho, rows[k].rho, rows[k].rho == 1 ? 1e-6 : 0.02);
        rig_close(&r);
    }
}

/* Largest velocity violation over the rows. */
static vgStatus note_violation(void *user, const vgState *s, vgWork *work)
{
    double dot[64], *worst = user;
    const vgSystem *sys = work->sys;
    if (sys->nphi > 64) return VG_LIMIT;
    sys->ops->levels(sys, work, s->t, s->q, s->v, NULL, NULL, dot, NULL);
    for (int i = 0; i < sys->nphi; i++) *worst = fmax(*worst, fabs(dot[i]));
    return VG_OK;
}

/* Velocities: consistent to round-off where projected; O(h²) in HHT ([N] figure 15). */
TEST(velocity_constraints)
{
    double worst[3] = {0, 0, 0};
    static const char *const methods[] = {"trapezoidal", "hht:alpha=-0.3", "hht:alpha=-0.3"};
    for (int k = 0; k < 3; k++) {
        Rig r;
        vgTransientOptions o = {.step = k == 2 ? 0.5e-3 : 1e-3, .end = 1, .every = 1, .monitor = 1};
        vgTransientResult res;
        CHECK(rig_open(&r, "slider-crank.yaml", NULL, methods[k], NULL, 0));
        vgSink sink = {.user = &worst[k], .row = note_violation};
        CHECK_INT(vg_transient_run(r.sim.it, r.sim.state, &o, &sink, &res), VG_OK);
        CHECK(res.stats.max_phi < 1e-11);
        CHECK(res.stats.max_phi_dot <= worst[k]);
        rig_close(&r);
    }
    CHECK(worst[0] < 1e-12);
    CHECK(worst[1] > 1e-9);
    CHECK_NEAR(log2(worst[1] / worst[2]), 2, 0.15);
}

/* The error follows the tolerance to the power 2/3, as it must for a local error h³ and a global one h². */
TEST(error_control)
{
    static const char *const methods[] = {"generalized-alpha", "hht", "trapezoidal"};
    make();
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int p = 0; p < NPROBLEM; p++) {
            double e[2];
            for (int k = 0; k < 2; k++) {
                char text[128];
                double rtol = k ? 1e-8 : 1e-5;
                snprintf(text, sizeof text, "%s:adaptive=1,rtol=%g,atol=%g", methods[m], rtol, rtol);
                Final f = final_of(problem[p].text, problem[p].coordinates, text, 0, problem[p].end);
                double size = distance(problem[p].ref.v, (double[MAX_STATE]){0}, f.nv);
                e[k] = final_error(&f, &problem[p].ref, 0) / fmax(1, size);
                double most = 3 * rtol * (double)f.stats.steps;
                if (!(e[k] < most)) printf("%s on %s: %g > %g\n", text, problem[p].name, e[k], most);
                CHECK(e[k] < most);
            }
            CHECK_NEAR(log10(e[0] / e[1]), 2, 0.4);
        }
}

/* Methods whose result is no stage end on both levels of the constraints. */
TEST(results_are_on_the_constraints)
{
    static const char *const names[] = {"wilson-theta", "collocation", "sdirk", "midpoint", "trapezoidal"};
    for (int k = 0; k < 5; k++) {
        Final f = final_of("pendulum-point.yaml", NULL, names[k], 0.02, 1);
        CHECK(f.ok);
        CHECK_NEAR(hypot(f.q[0], f.q[1]), 1, 1e-12);
        CHECK_NEAR(f.q[0] * f.v[0] + f.q[1] * f.v[1], 0, 1e-12);
    }
}

/* Where the mass matrix varies, joint coordinates of two arms: order 2; with M a of the step's end alone, as [N] prints
 * (8), order 1. */
TEST(order_with_a_varying_mass_matrix)
{
    static const struct {
        const char *name;
        double order;
    } m[] = {{"hht-si2", 2}, {"hht-i3", 2}, {"hht-i3:mass=1", 1}};
    Final ref = final_of("double-pendulum.yaml", "relative", "dop853:rtol=1e-12,atol=1e-13", 1e-4, 0.05);
    for (int k = 0; k < 3; k++) {
        double h = m[k].order == 1 ? 5e-6 : 5e-5; /* the terms of order 1 and 2 are of one size at 1e-4 */
        Final c = final_of("double-pendulum.yaml", "relative", m[k].name, h, 0.05),
              f = final_of("double-pendulum.yaml", "relative", m[k].name, h / 2, 0.05);
        CHECK(ref.ok && c.ok && f.ok);
        CHECK_NEAR(log2(distance(c.q, ref.q, c.nq) / distance(f.q, ref.q, c.nq)), m[k].order, 0.1);
        CHECK_NEAR(log2(distance(c.v, ref.v, c.nv) / distance(f.v, ref.v, c.nv)), m[k].order, 0.1);
    }
}

TEST_MAIN(order_with_a_varying_mass_matrix, results_are_on_the_constraints, orders, problem_7_1_newmark,
          problem_7_1_hht, both_forms_of_hht_agree, nstiff_by_hand, damping_at_infinity, velocity_constraints,
          error_control)
