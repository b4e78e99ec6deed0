/* The functions and operators of expressions with their first and second derivatives: one row each. */
#include <math.h>
#include <string.h>

#include "element/law/expr_node.h"

static double add(double a, double b)
{
    return a + b;
}

static double sub(double a, double b)
{
    return a - b;
}

static double mul(double a, double b)
{
    return a * b;
}

static double quotient(double a, double b)
{
    return a / b;
}

static double neg(double a)
{
    return -a;
}

static double less(double a, double b)
{
    return a < b;
}

static double less_equal(double a, double b)
{
    return a <= b;
}

static double greater(double a, double b)
{
    return a > b;
}

static double greater_equal(double a, double b)
{
    return a >= b;
}

static double equal(double a, double b)
{
    return a == b;
}

static double not_equal(double a, double b)
{
    return a != b;
}

static double both(double a, double b)
{
    return a != 0 && b != 0;
}

static double either(double a, double b)
{
    return a != 0 || b != 0;
}

static double negation(double a)
{
    return a == 0;
}

static double sign(double a)
{
    return (a > 0) - (a < 0);
}

/* the first of equals; unlike fmin and fmax these do not hide a NaN */
static double smaller(double a, double b)
{
    return b < a || b != b ? b : a;
}

static double larger(double a, double b)
{
    return b > a || b != b ? b : a;
}

/* 0 up to u = 0, 1 from u = 1, u^2 (3 - 2u) between */
static double smooth(double u)
{
    return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u);
}

static void set3(double d[3], double f, double f1, double f2)
{
    d[0] = f;
    d[1] = f1;
    d[2] = f2;
}

static void set6(double d[6], double f, double fa, double fb, double faa, double fab, double fbb)
{
    d[0] = f;
    d[1] = fa;
    d[2] = fb;
    d[3] = faa;
    d[4] = fab;
    d[5] = fbb;
}

static void add_d(double a, double b, double d[6])
{
    set6(d, a + b, 1, 1, 0, 0, 0);
}

static void sub_d(double a, double b, double d[6])
{
    set6(d, a - b, 1, -1, 0, 0, 0);
}

static void mul_d(double a, double b, double d[6])
{
    set6(d, a * b, b, a, 0, 1, 0);
}

static void quotient_d(double a, double b, double d[6])
{
    double r = 1 / b, q = a / b;
    set6(d, q, r, -q * r, 0, -r * r, 2 * q * r * r);
}

static void neg_d(double a, double d[3])
{
    set3(d, -a, -1, 0);
}

/* x^y: the derivatives by x are those of a power, good for negative x and whole y; those by y hold for x > 0,
 * and at x = 0 take their limit for positive y. */
static void power_d(double x, double y, double d[6])
{
    double f = pow(x, y);
    double fx = y == 0 ? 0 : y * pow(x, y - 1);
    double fxx = y == 0 || y == 1 ? 0 : y * (y - 1) * pow(x, y - 2);
    if (x == 0 && y > 0) {
        set6(d, f, fx, 0, fxx, 0, 0);
        return;
    }
    double l = log(x);
    set6(d, f, fx, f * l, fxx, pow(x, y - 1) * (1 + y * l), f * l * l);
}

static void atan2_d(double y, double x, double d[6])
{
    double r = 1 / (x * x + y * y), fy = x * r, fx = -y * r;
    set6(d, atan2(y, x), fy, fx, 2 * fy * fx, fx * fx - fy * fy, -2 * fy * fx);
}

static void smaller_d(double a, double b, double d[6])
{
    set6(d, smaller(a, b), !(b < a), b < a, 0, 0, 0);
}

static void larger_d(double a, double b, double d[6])
{
    set6(d, larger(a, b), !(b > a), b > a, 0, 0, 0);
}

static void sin_d(double a, double d[3])
{
    double s = sin(a);
    set3(d, s, cos(a), -s);
}

static void cos_d(double a, double d[3])
{
    double c = cos(a);
    set3(d, c, -sin(a), -c);
}

static void tan_d(double a, double d[3])
{
    double f = tan(a), g = 1 + f * f;
    set3(d, f, g, 2 * f * g);
}

static void asin_d(double a, double d[3])
{
    double g = 1 / sqrt((1 - a) * (1 + a));
    set3(d, asin(a), g, a * g * g * g);
}

static void acos_d(double a, double d[3])
{
    double g = 1 / sqrt((1 - a) * (1 + a));
    set3(d, acos(a), -g, -a * g * g * g);
}

static void atan_d(double a, double d[3])
{
    double g = 1 / (1 + a * a);
    set3(d, atan(a), g, -2 * a * g * g);
}

static void sinh_d(double a, double d[3])
{
    double s = sinh(a);
    set3(d, s, cosh(a), s);
}

static void cosh_d(double a, double d[3])
{
    double c = cosh(a);
    set3(d, c, sinh(a), c);
}

static void tanh_d(double a, double d[3])
{
    double f = tanh(a), c = 1 / cosh(a), g = c * c;
    set3(d, f, g, -2 * f * g);
}

static void sqrt_d(double a, double d[3])
{
    double f = sqrt(a), g = 0.5 / f;
    set3(d, f, g, -0.5 * g / a);
}

static void exp_d(double a, double d[3])
{
    double f = exp(a);
    set3(d, f, f, f);
}

static void log_d(double a, double d[3])
{
    double r = 1 / a;
    set3(d, log(a), r, -r * r);
}

static void abs_d(double a, double d[3])
{
    set3(d, fabs(a), sign(a), 0);
}

static void smooth_d(double u, double d[3])
{
    int inside = u > 0 && u < 1;
    set3(d, smooth(u), inside ? 6 * u * (1 - u) : 0, inside ? 6 - 12 * u : 0);
}

/* Without derivative functions a row is piecewise constant: its derivatives are zero. */
const vgExprFunction vg_expr_functions[] = {
    {"+", 2, 0, VG_CORNER_NONE, .binary = add, .binary_d = add_d,
     .over = vg_expr_sum_range}, /* the first ten as in expr_node.h */
    {"-", 2, 0, VG_CORNER_NONE, .binary = sub, .binary_d = sub_d, .over = vg_expr_difference_range},
    {"*", 2, 0, VG_CORNER_NONE, .binary = mul, .binary_d = mul_d, .over = vg_expr_product_range},
    {"/", 2, 0, VG_CORNER_NONE, .binary = quotient, .binary_d = quotient_d, .over = vg_expr_quotient_range},
    {"unary -", 1, 0, VG_CORNER_NONE, .unary = neg, .unary_d = neg_d},
    {"^", 2, 0, VG_CORNER_NONE, .binary = vg_pow, .binary_d = power_d, .over = vg_expr_power_range},
    {"<", 2, 0, VG_CORNER_DIFFERENCE, VG_SHAPE_TRUTH, .binary = less},
    {"<=", 2, 0, VG_CORNER_DIFFERENCE, VG_SHAPE_TRUTH, .binary = less_equal},
    {">", 2, 0, VG_CORNER_DIFFERENCE, VG_SHAPE_TRUTH, .binary = greater},
    {">=", 2, 0, VG_CORNER_DIFFERENCE, VG_SHAPE_TRUTH, .binary = greater_equal},
    {"==", 2, 0, VG_CORNER_DIFFERENCE, VG_SHAPE_TRUTH, .binary = equal},
    {"!=", 2, 0, VG_CORNER_DIFFERENCE, VG_SHAPE_TRUTH, .binary = not_equal},
    {"and", 2, 0, VG_CORNER_NONE, VG_SHAPE_TRUTH, .binary = both},
    {"or", 2, 0, VG_CORNER_NONE, VG_SHAPE_TRUTH, .binary = either},
    {"not", 1, 0, VG_CORNER_NONE, VG_SHAPE_TRUTH, .unary = negation},
    {"smooth", 1, 0, VG_CORNER_UNIT, .unary = smooth, .unary_d = smooth_d, .bends = VG_TURN_HALF},
    {"sin", 1, 1, VG_CORNER_NONE, .unary = vg_sin, .unary_d = sin_d, .turns = VG_TURN_HALF_PI,
     .bends = VG_TURN_PI},
    {"cos", 1, 1, VG_CORNER_NONE, .unary = vg_cos, .unary_d = cos_d, .turns = VG_TURN_PI,
     .bends = VG_TURN_HALF_PI},
    {"tan", 1, 1, VG_CORNER_NONE, .unary = vg_tan, .unary_d = tan_d, .turns = VG_TURN_POLES,
     .bends = VG_TURN_PI},
    {"asin", 1, 1, VG_CORNER_NONE, .unary = vg_asin, .unary_d = asin_d, .bends = VG_TURN_ZERO},
    {"acos", 1, 1, VG_CORNER_NONE, .unary = vg_acos, .unary_d = acos_d, .bends = VG_TURN_ZERO},
    {"atan", 1, 1, VG_CORNER_NONE, .unary = vg_atan, .unary_d = atan_d, .bends = VG_TURN_ZERO},
    {"atan2", 2, 1, VG_CORNER_CUT, .binary = vg_atan2, .binary_d = atan2_d, .over = vg_expr_angle_range},
    {"sinh", 1, 1, VG_CORNER_NONE, .unary = vg_sinh, .unary_d = sinh_d, .bends = VG_TURN_ZERO},
    {"cosh", 1, 1, VG_CORNER_NONE, .unary = vg_cosh, .unary_d = cosh_d, .turns = VG_TURN_ZERO},
    {"tanh", 1, 1, VG_CORNER_NONE, .unary = vg_tanh, .unary_d = tanh_d, .bends = VG_TURN_ZERO},
    {"sqrt", 1, 1, VG_CORNER_NONE, .unary = sqrt, .unary_d = sqrt_d},
    {"exp", 1, 1, VG_CORNER_NONE, .unary = vg_exp, .unary_d = exp_d},
    {"log", 1, 1, VG_CORNER_NONE, .unary = vg_log, .unary_d = log_d},
    {"abs", 1, 1, VG_CORNER_ZERO, VG_SHAPE_ABS, .unary = fabs, .unary_d = abs_d, .turns = VG_TURN_ZERO},
    {"sign", 1, 1, VG_CORNER_ZERO, .unary = sign},
    {"floor", 1, 1, VG_CORNER_INTEGER, .unary = floor},
    {"min", 2, 1, VG_CORNER_DIFFERENCE, VG_SHAPE_EITHER, .binary = smaller, .binary_d = smaller_d},
    {"max", 2, 1, VG_CORNER_DIFFERENCE, VG_SHAPE_EITHER, .binary = larger, .binary_d = larger_d},
};
const int vg_expr_nfunctions = sizeof vg_expr_functions / sizeof vg_expr_functions[0];

int vg_expr_row(const char *name)
{
    for (int i = 0; i < vg_expr_nfunctions; i++)
        if (strcmp(name, vg_expr_functions[i].name) == 0) return i;
    return -1;
}
