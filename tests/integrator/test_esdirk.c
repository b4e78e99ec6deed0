/* ESDIRK and composite methods: tableaux against their conditions, orders, damping at infinity. */
#include "integrator/composite/esdirk.h"

#include "integrator/stage/predictor.h"
#include "runs.h"
#include "test.h"

typedef struct Method {
    const char *name;
    vgDirkBuild *build;
    int order, tunable;
} Method;
static const Method methods[] = {
    {"bathe", vg_dirk_bathe, 2, 1},   {"hope", vg_dirk_hope, 2, 1},     {"msstc3", vg_dirk_msstc3, 2, 1},
    {"msstc4", vg_dirk_msstc4, 2, 1}, {"msstc5", vg_dirk_msstc5, 2, 1}, {"mssth3", vg_dirk_mssth3, 3, 1},
    {"mssth4", vg_dirk_mssth4, 4, 1}, {"mssth5", vg_dirk_mssth5, 5, 1}, {"esdirk324", vg_dirk_324, 3, 0},
    {"esdirk325", vg_dirk_325, 3, 0}, {"esdirk436", vg_dirk_436, 4, 0}, {"esdirk436-2", vg_dirk_436_2, 4, 0},
};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

/* ---- conditions of order by rooted trees ---- */

typedef struct Vec {
    double x[VG_DIRK_MAX];
} Vec;

static Vec times_a(const vgDirkTableau *tb, Vec y)
{
    Vec r = {{0}};
    for (int i = 0; i < tb->stages; i++)
        for (int j = 0; j < tb->stages; j++) r.x[i] += tb->a[i][j] * y.x[j];
    return r;
}

static Vec dot(Vec x, Vec y)
{
    for (int i = 0; i < VG_DIRK_MAX; i++) x.x[i] *= y.x[i];
    return x;
}

static double sum(const vgDirkTableau *tb, const double *b, Vec y)
{
    double s = 0;
    for (int i = 0; i < tb->stages; i++) s += b[i] * y.x[i];
    return s;
}

/* Largest residual of the conditions up to the order (≤ 5) for weights b. */
static double conditions(const vgDirkTableau *tb, const double *b, int order)
{
    Vec one, c;
    for (int i = 0; i < VG_DIRK_MAX; i++) one.x[i] = 1, c.x[i] = tb->c[i];
    Vec c2 = dot(c, c), c3 = dot(c2, c), ac = times_a(tb, c), ac2 = times_a(tb, c2), aac = times_a(tb, ac);
    struct {
        int order;
        Vec y;
        double gamma;
    } tree[] = {{1, one, 1},
                {2, c, 2},
                {3, c2, 3},
                {3, ac, 6},
                {4, c3, 4},
                {4, dot(c, ac), 8},
                {4, ac2, 12},
                {4, aac, 24},
                {5, dot(c3, c), 5},
                {5, dot(c2, ac), 10},
                {5, dot(c, ac2), 15},
                {5, dot(c, aac), 30},
                {5, dot(ac, ac), 20},
                {5, times_a(tb, c3), 20},
                {5, times_a(tb, dot(c, ac)), 40},
                {5, times_a(tb, ac2), 60},
                {5, times_a(tb, aac), 120}};
    double worst = 0;
    for (size_t i = 0; i < sizeof tree / sizeof tree[0]; i++)
        if (tree[i].order <= order) worst = fmax(worst, fabs(sum(tb, b, tree[i].y) - 1 / tree[i].gamma));
    return worst;
}

TEST(tableaux_meet_their_conditions)
{
    for (int k = 0; k < NMETHOD; k++)
        for (int r = 0; r <= (methods[k].tunable ? 40 : 0); r++) {
            vgDirkTableau tb;
            methods[k].build(r / 40.0, &tb);
            double big = 1;
            for (int i = 0; i < tb.stages; i++) {
                double row = 0, second = 0;
                for (int j = 0; j < tb.stages; j++) {
                    row += tb.a[i][j], second += tb.a[i][j] * tb.c[j], big = fmax(big, fabs(tb.a[i][j]));
                }
                CHECK_NEAR(row, tb.c[i], 1e-14 * big);
                CHECK_NEAR(second, tb.c[i] * tb.c[i] / 2, 2e-14 * big); /* stage order 2 */
            }
            CHECK_NEAR(conditions(&tb, tb.a[tb.stages - 1], methods[k].order), 0, 4e-14 * big);
            if (tb.estimate) {
                double b[VG_DIRK_MAX];
                for (int j = 0; j < tb.stages; j++) b[j] = tb.a[tb.stages - 1][j] - tb.e[j];
                CHECK_NEAR(conditions(&tb, b, methods[k].order - 1), 0, 1e-14);
                CHECK(conditions(&tb, b, methods[k].order) > 1e-3);
            }
        }
}

/* The tableau that takes over before a corner of a law of time: order 4 (3), stage order 2, stages within. */
TEST(the_tableau_within_the_step)
{
    vgDirkTableau tb;
    vg_dirk_within(0, &tb);
    double b[VG_DIRK_MAX];
    for (int i = 0; i < tb.stages; i++) {
        double second = 0;
        for (int j = 0; j < tb.stages; j++) second += tb.a[i][j] * tb.c[j];
        CHECK_NEAR(second, tb.c[i] * tb.c[i] / 2, 1e-15);
        CHECK(tb.c[i] >= 0 && tb.c[i] <= 1);
        b[i] = tb.a[tb.stages - 1][i] - tb.e[i];
    }
    CHECK_NEAR(conditions(&tb, tb.a[tb.stages - 1], 4), 0, 1e-15);
    CHECK_NEAR(conditions(&tb, b, 3), 0, 1e-15);
}

/* Printed values of the literature, where they are right. */
TEST(tableaux_agree_with_printed_values)
{
    vgDirkTableau tb;
    vg_dirk_bathe(0.6, &tb);
    CHECK_NEAR(tb.a[2][2], 0.2639320225002103035908, 1e-15);
    CHECK_NEAR(tb.a[2][0], 0.2888543819998317571273, 1e-15);
    vg_dirk_msstc3(0.3, &tb);
    CHECK_NEAR(tb.a[3][3], 0.1753855158428456789326, 1e-15);
    CHECK_NEAR(tb.a[3][1], 0.3859994147021503086938, 1e-15);
    vg_dirk_msstc4(0.8, &tb);
    CHECK_NEAR(tb.a[4][4], 0.1260200635864962278249, 1e-15);
    CHECK_NEAR(tb.a[4][2], 0.2601865705965768956187, 2e-15);
    vg_dirk_msstc5(0.5, &tb);
    CHECK_NEAR(tb.a[5][5], 0.1015330251478736436897, 1e-15);
    CHECK_NEAR(tb.a[5][3], 0.2192051841906211011728, 4e-15);
    vg_dirk_msstc5(1, &tb);
    CHECK_NEAR(tb.a[5][5], 0.1, 1e-15);
    vg_dirk_mssth3(0, &tb);
    CHECK_NEAR(tb.a[3][3], 0.4358665215084589994160195, 1e-15);
    vg_dirk_mssth3(1, &tb);
    CHECK_NEAR(tb.a[3][3], 1. / 3, 1e-15);
    vg_dirk_mssth4(0.5, &tb);
    CHECK_NEAR(tb.a[4][4], 0.4704805776216769446883356, 1e-15);
    vg_dirk_mssth5(1, &tb);
    CHECK_NEAR(tb.a[5][5], 0.2465051931428202746001423, 1e-15);
    CHECK_NEAR(tb.c[4], 1.177907736613450453386540, 1e-13);
}

/* |R(iy)| ≤ 1 along the imaginary axis, R by solving the stages one after the other. */
static double amplification(const vgDirkTableau *tb, double y)
{
    double re[VG_DIRK_MAX] = {1}, im[VG_DIRK_MAX] = {0}; /* stage values */
    for (int i = 1; i < tb->stages; i++) {
        double sr = 1, si = 0; /* 1 + iy Σ a_ij Y_j */
        for (int j = 0; j < i; j++) sr -= y * tb->a[i][j] * im[j], si += y * tb->a[i][j] * re[j];
        double d = 1 + y * y * tb->a[i][i] * tb->a[i][i], ai = y * tb->a[i][i];
        re[i] = (sr - ai * si) / d;
        im[i] = (si + ai * sr) / d;
    }
    return hypot(re[tb->stages - 1], im[tb->stages - 1]);
}

TEST(stable_on_the_imaginary_axis)
{
    for (int k = 0; k < NMETHOD; k++)
        for (int r = 0; r <= (methods[k].tunable ? 20 : 0); r++) {
            vgDirkTableau tb;
            methods[k].build(r / 20.0, &tb);
            double worst = 0;
            for (int i = 0; i <= 400; i++) worst = fmax(worst, amplification(&tb, pow(10, -2 + i * 0.02)));
            CHECK(worst <= 1 + 1e-11);
            CHECK_NEAR(amplification(&tb, 1e8), r / 20.0, 1e-6);
        }
}

/* ---- predictors ---- */

static double poly(int n, double t, double *slope)
{
    double y = 0, d = 0;
    for (int k = n; k >= 0; k--) d = d * t + y, y = y * t + 1.0 / (k + 1) - 0.3;
    *slope = d;
    return y;
}

TEST(predictors_are_exact_for_polynomials)
{
    static const double points[][3] = {{1, 0.5, 0}, {0.1, 0.556, 0}, {1.14, 0.967, 0.1}, {0.3, 0.9, -0.4}};
    for (int set = 0; set < 4; set++)
        for (int order = 0; order <= 4; order += 2) {
            const double *tp = points[set], t = 1.2;
            double y[3], dy[3], slope;
            vgPredictor p;
            vg_predictor_make(order, t, tp, 3, &p);
            CHECK_INT(p.points, order / 2 + 1);
            for (int j = 0; j < 3; j++) y[j] = poly(order + 1, tp[j], &dy[j]);
            poly(order + 1, t, &slope);
            double got;
            const double *yy[3] = {y, y + 1, y + 2}, *dd[3] = {dy, dy + 1, dy + 2};
            vg_predictor_apply(&p, yy, dd, 1, 1, NULL, &got);
            CHECK_NEAR(got, slope, 2e-11);
        }
    /* equal steps: the numbers of [Z] */
    vgPredictor p;
    vg_predictor_make(4, 1, (double[]){0, -1, -2}, 3, &p);
    CHECK_NEAR(p.m[0], -57, 1e-12);
    CHECK_NEAR(p.m[1], 24, 1e-12);
    CHECK_NEAR(p.m[2], 33, 1e-12);
    CHECK_NEAR(p.n[0], 24, 1e-12);
    CHECK_NEAR(p.n[1], 57, 1e-12);
    CHECK_NEAR(p.n[2], 10, 1e-12);
}

/* ---- orders ---- */

static void show(const char *what, const char *name, Order o)
{
    if (getenv("VERGE_TEST_SHOW"))
        printf("%-12s %-12s q %.2f (%.1e)  v %.2f (%.1e)  l %.2f (%.1e)\n", what, name, o.q, o.e_q, o.v,
               o.e_v, o.lambda, o.e_l);
}

/* Where the leading term of the error is to be seen, above round-off. */
static double step_for(int k, double h)
{
    static const double factor[] = {0, 0, 1, 0.4, 0.4, 1.6};
    return h * factor[methods[k].order];
}

TEST(order_on_a_linear_oscillator)
{
    Final ref = final_of(OSCILLATOR, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 1.7);
    for (int k = 0; k < NMETHOD; k++) {
        Order o = order_of(OSCILLATOR, NULL, methods[k].name, step_for(k, 0.017), 1.7, &ref);
        show("oscillator", methods[k].name, o);
        CHECK_NEAR(o.q, methods[k].order, 0.15);
        CHECK_NEAR(o.v, methods[k].order, 0.15);
    }
}

TEST(order_on_a_nonlinear_ode)
{
    Final ref = final_of(ELASTIC_PENDULUM, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 1);
    for (int k = 0; k < NMETHOD; k++) {
        Order o = order_of(ELASTIC_PENDULUM, NULL, methods[k].name, step_for(k, 0.01), 1, &ref);
        show("elastic", methods[k].name, o);
        CHECK_NEAR(o.q, methods[k].order, 0.15);
        CHECK_NEAR(o.v, methods[k].order, 0.15);
    }
}

TEST(order_on_the_rotation_group)
{
    Final ref = final_of("heavy-top-free.yaml", "lie", "dopri5:rtol=1e-13,atol=1e-14", 1e-5, 0.1);
    for (int k = 0; k < NMETHOD; k++) {
        Order o = order_of("heavy-top-free.yaml", "lie", methods[k].name, step_for(k, 0.0005), 0.1, &ref);
        show("heavy top", methods[k].name, o);
        CHECK_NEAR(o.q, methods[k].order, 0.15);
        CHECK_NEAR(o.v, methods[k].order, 0.15);
    }
}

TEST(order_at_index_3)
{
    Final ref = pendulum_reference(1);
    for (int k = 0; k < NMETHOD; k++) {
        Order o = order_of("pendulum-point.yaml", NULL, methods[k].name, 0.00125, 1, &ref);
        show("index 3", methods[k].name, o);
        CHECK_NEAR(o.q, 2, 0.15);
        CHECK_NEAR(o.v, 2, 0.15);
        CHECK_NEAR(o.lambda, 1, 0.15);
    }
}

/* At index 1 the stages solve an ordinary differential equation: the full order is back, for λ too. */
TEST(order_at_index_1)
{
    Final ref = pendulum_reference(1);
    rig_constraints = "index1";
    for (int k = 0; k < NMETHOD; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s:acc=1e-12,tol=1e-15,iterations=40", methods[k].name);
        Order o = order_of("pendulum-point.yaml", NULL, name,
                           step_for(k, methods[k].order == 5 ? 0.004 : 0.01), 1, &ref);
        show("index 1", methods[k].name, o);
        CHECK_NEAR(o.q, methods[k].order, 0.15);
        CHECK_NEAR(o.v, methods[k].order, 0.15);
        CHECK_NEAR(o.lambda, methods[k].order, 0.15);
    }
    rig_constraints = "index3";
}

/* The very integrator on an oscillator with ωh = 4·10⁴: the scaled amplitude falls by ρ∞ + O(1/ωh) a step;
 * the term in 1/ωh (there when ρ∞ = 0) is extrapolated away. A larger ωh would drown in round-off, as a ~
 * ω²x. */
TEST(damping_at_infinity)
{
    static const double rho[] = {0, 0.25, 0.6, 0.93, 1};
    for (int k = 0; k < NMETHOD; k++)
        for (int r = 0; r < (methods[k].tunable ? 5 : 1); r++) {
            char text[64];
            snprintf(text, sizeof text, methods[k].tunable ? "%s:rho=%g" : "%s", methods[k].name, rho[r]);
            CHECK_NEAR(2 * one_step_radius(text, 8e4) - one_step_radius(text, 4e4), rho[r], 1e-6);
        }
}

/* Error control on a nonlinear ODE and on a constrained pendulum: the error follows the tolerance; at index
 * 3, where the estimate is of order 3 or 4 and the solution of order 2, as its power 2/3. */
TEST(error_control)
{
    static const char *const names[] = {"esdirk324", "esdirk325", "esdirk436", "esdirk436-2"};
    Final ref = final_of(ELASTIC_PENDULUM, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 2);
    Final swing = pendulum_reference(1);
    for (int k = 0; k < 4; k++) {
        double before = 1;
        for (int e = 4; e <= 8; e += 2) {
            char text[96];
            snprintf(text, sizeof text, "%s:adaptive=1,rtol=1e-%d,atol=1e-%d", names[k], e, e);
            Final f = final_of(ELASTIC_PENDULUM, NULL, text, 1e-2, 2);
            Final g = final_of("pendulum-point.yaml", NULL, text, 1e-2, 1);
            double error = distance(f.q, ref.q, 2), tol = pow(10, -e);
            if (getenv("VERGE_TEST_SHOW"))
                printf("%-40s %5ld steps %3ld rejected %.1e; index 3: %5ld %3ld %.1e\n", text, f.stats.steps,
                       f.stats.rejected, error, g.stats.steps, g.stats.rejected, distance(g.q, swing.q, 2));
            CHECK(f.ok && error < 100 * tol && error < before);
            CHECK(g.ok && distance(g.q, swing.q, 2) < 10 * pow(tol, 2. / 3));
            before = error;
        }
    }
}

TEST_MAIN(tableaux_meet_their_conditions, the_tableau_within_the_step, tableaux_agree_with_printed_values,
          stable_on_the_imaginary_axis, predictors_are_exact_for_polynomials, order_on_a_linear_oscillator,
          order_on_a_nonlinear_ode, order_on_the_rotation_group, order_at_index_3, order_at_index_1,
          damping_at_infinity, error_control)
