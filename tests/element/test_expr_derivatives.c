/* Exact derivatives of expressions against differences (Richardson, error h^6) and closed forms. */
#include <stdlib.h>

#include "base/alloc_count.h"
#include "element/law/expr.h"
#include "test.h"

static vgTable *curve;

static int input(void *user, const char *name, int *slot)
{
    (void)user;
    *slot = strcmp(name, "x") == 0 ? 1 : strcmp(name, "v") == 0 ? 2 : 0;
    return *slot > 0;
}

static const vgTable *table(void *user, const char *name)
{
    (void)user;
    (void)name;
    return curve;
}

static vgExpr *compile(const char *text)
{
    vgExprScope scope = {.input = input, .table = table};
    vgExpr *e = vg_expr_compile(text, &scope);
    CHECK(e != NULL);
    if (!e) printf("cannot compile %s\n", text);
    return e;
}

static int slot_of(const vgExpr *e, int k)
{
    return vg_expr_input(e, k);
}

static double value_at(const vgExpr *e, const double q[3])
{
    double in[3];
    for (int k = 0; k < vg_expr_ninputs(e); k++) in[k] = q[slot_of(e, k)];
    return vg_expr_value(e, in);
}

/* f'(s), f''(s) at 0 of s -> f(q + s r + s^2/2 a) */
static void differences(const vgExpr *e, const double q[3], const double r[3], const double a[3], double d[2])
{
    double D1[3], D2[3], f0 = value_at(e, q);
    for (int k = 0; k < 3; k++) {
        double h = 0.02 / (1 << k), p[3], m[3];
        for (int i = 0; i < 3; i++) {
            p[i] = q[i] + h * r[i] + h * h / 2 * a[i];
            m[i] = q[i] - h * r[i] + h * h / 2 * a[i];
        }
        double fp = value_at(e, p), fm = value_at(e, m);
        D1[k] = (fp - fm) / (2 * h);
        D2[k] = (fp - 2 * f0 + fm) / (h * h);
    }
    d[0] = (16 * (4 * D1[2] - D1[1]) / 3 - (4 * D1[1] - D1[0]) / 3) / 15;
    d[1] = (16 * (4 * D2[2] - D2[1]) / 3 - (4 * D2[1] - D2[0]) / 3) / 15;
}

/* every function, operator and shape at a place inside its domain */
static const char *const texts[] = {
    "t+x*v",
    "t-x/v",
    "-x",
    "x^3",
    "x^2",
    "x^-1.5",
    "v^x",
    "(-x)^3",
    "2^v",
    "x^(t*v)",
    "sin(x*v)",
    "cos(x+v^2)",
    "tan(x*t)",
    "asin(x/2)",
    "acos(x*v/3)",
    "atan(x*v)",
    "atan2(x, v)",
    "atan2(-x, -v)",
    "atan2(-2, x)",
    "sinh(x)",
    "cosh(v)",
    "tanh(x*v)",
    "sqrt(x*v)",
    "exp(-x*t)",
    "log(x+v)",
    "abs(-x*v)",
    "abs(x)*sign(v)",
    "min(x*x, 5, 3*v)",
    "max(x, v, t*t)*x",
    "floor(10*x)*v",
    "if(x < v, x*v, sin(x))",
    "if(x > v, x*v, sin(x))",
    "deg(x)*deg(v)",
    "step(x, 0.1, -1, 1.9, v)",
    "step(x, 0.1*t, t, 1+v, x*v)",
    "step(x, 5, v, 6, 1)",
    "table(c, x*v)",
    "1/(1+exp(-(x-t)/(0.5+v)))",
    "-(x+2*v)*abs(x+2*v)/(1+t)",
    "3.14/2*(1-cos(3.14*t/2))",
};
enum { NTEXT = sizeof texts / sizeof texts[0] };

TEST(gradients_and_taylor_against_differences)
{
    const double q[3] = {0.9, 0.63, 1.17}, zero[3] = {0};
    const double r[3] = {1, -0.7, 0.4}, a[3] = {0, 0.8, -1.1};
    for (int i = 0; i < NTEXT; i++) {
        vgExpr *e = compile(texts[i]);
        if (!e) continue;
        double in[3], din[3], ddin[3], grad[3], out[3], d[2];
        int n = vg_expr_ninputs(e), before = test_failed_checks;
        for (int k = 0; k < n; k++) {
            in[k] = q[slot_of(e, k)];
            din[k] = r[slot_of(e, k)];
            ddin[k] = a[slot_of(e, k)];
        }
        double value = vg_expr_grad(e, in, grad);
        CHECK_NEAR(value, vg_expr_value(e, in), 0);
        vg_expr_taylor2(e, in, din, ddin, out);
        CHECK_NEAR(out[0], value, 0);
        for (int k = 0; k < n; k++) {
            double one[3] = {0};
            one[slot_of(e, k)] = 1;
            differences(e, q, one, zero, d);
            CHECK_NEAR(grad[k], d[0], 1e-10 * (1 + fabs(d[0])));
        }
        differences(e, q, r, a, d);
        CHECK_NEAR(out[1], d[0], 1e-10 * (1 + fabs(d[0])));
        CHECK_NEAR(out[2], d[1], 1e-8 * (1 + fabs(d[1])));
        if (test_failed_checks > before) printf("  in %s\n", texts[i]);
        vg_expr_free(e);
    }
}

TEST(functions_of_time_in_closed_form)
{
    const double pi = 3.14159265358979323846;
    vgExpr *e = compile("pi/2*(1-cos(pi*t/3))");
    for (double t = 0; t < 4; t += 0.37) {
        double out[3];
        vg_expr_time(e, t, out);
        CHECK_NEAR(out[0], pi / 2 * (1 - cos(pi * t / 3)), 1e-15);
        CHECK_NEAR(out[1], pi * pi / 6 * sin(pi * t / 3), 1e-15);
        CHECK_NEAR(out[2], pi * pi * pi / 18 * cos(pi * t / 3), 1e-14);
    }
    vg_expr_free(e);
    e = compile("t^3 - 2*t^2 + 5");
    double out[3];
    vg_expr_time(e, 0, out);
    CHECK_NEAR(out[0], 5, 0);
    CHECK_NEAR(out[1], 0, 0);
    CHECK_NEAR(out[2], -4, 0);
    vg_expr_time(e, -2, out);
    CHECK_NEAR(out[0], -11, 0);
    CHECK_NEAR(out[1], 20, 0);
    CHECK_NEAR(out[2], -16, 0);
    vg_expr_free(e);
    /* powers with variable exponents where their base is zero: 0, 0, 2 of t², and log(0) is not seen */
    e = compile("t^(2 + t)");
    vg_expr_time(e, 0, out);
    CHECK_NEAR(out[0], 0, 0);
    CHECK_NEAR(out[1], 0, 0);
    CHECK_NEAR(out[2], 2, 0);
    vg_expr_free(e);
    e = compile("4.5");
    vg_expr_time(e, 7, out);
    CHECK_NEAR(out[0], 4.5, 0);
    CHECK_NEAR(out[1] + out[2], 0, 0);
    vg_expr_free(e);
}

/* the branch not taken may be infinite or undefined: nothing of it is seen */
TEST(untaken_branches_stay_untaken)
{
    vgExpr *e = compile("if(x > 0, sqrt(x), 2*x)");
    double in = -3, rate = 1, none = 0, grad, out[3];
    CHECK_NEAR(vg_expr_grad(e, &in, &grad), -6, 0);
    CHECK_NEAR(grad, 2, 0);
    vg_expr_taylor2(e, &in, &rate, &none, out);
    CHECK_NEAR(out[1], 2, 0);
    CHECK_NEAR(out[2], 0, 0);
    vg_expr_free(e);
    e = compile("if(x == 0, 1, sin(x)/x)");
    in = 0;
    CHECK_NEAR(vg_expr_grad(e, &in, &grad), 1, 0);
    CHECK_NEAR(grad, 0, 0);
    vg_expr_free(e);
    /* a power at zero, with and without motion of the base */
    e = compile("x^1.5 + 0*v");
    double q[2] = {0, 1}, g[2], still[2] = {0, 1}, zero[2] = {0, 0};
    CHECK_NEAR(vg_expr_grad(e, q, g), 0, 0);
    CHECK_NEAR(g[0], 0, 0);
    vg_expr_taylor2(e, q, still, zero, out);
    CHECK_NEAR(out[2], 0, 0);
    vg_expr_free(e);
    e = compile("sqrt(x)"); /* outside its domain the answer says so */
    in = -1;
    CHECK(isnan(vg_expr_value(e, &in)));
    vg_expr_free(e);
}

TEST(evaluation_does_not_allocate)
{
    const double in[3] = {0.9, 0.63, 1.17}, rate[3] = {1, 2, 3};
    for (int i = 0; i < NTEXT; i++) {
        vgExpr *e = compile(texts[i]);
        double grad[3], out[3], times[8];
        long before = alloc_count();
        vg_expr_value(e, in);
        vg_expr_grad(e, in, grad);
        vg_expr_taylor2(e, in, rate, rate, out);
        vg_expr_corners(e, 0, 10, times, 8);
        CHECK_INT(alloc_count() - before, 0);
        vg_expr_free(e);
    }
    long before = alloc_count();
    vg_expr_free(compile("t"));
    CHECK(!alloc_count_works() || alloc_count() > before);
}

TEST(set_up)
{
    double x[6] = {0, 0.5, 1, 1.5, 2, 3}, y[6] = {1, 0, 2, 1, -1, 0};
    CHECK_INT(vg_table_new(6, x, y, VG_TABLE_CUBIC, VG_TABLE_EXTEND, NULL, &curve), VG_OK);
}

TEST(tear_down)
{
    vg_table_free(curve);
    vg_expr_free(NULL);
    CHECK(curve != NULL);
}

TEST_MAIN(set_up, gradients_and_taylor_against_differences, functions_of_time_in_closed_form,
          untaken_branches_stay_untaken, evaluation_does_not_allocate, tear_down)
