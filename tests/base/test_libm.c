/* base/libm against the C library in extended precision: errors in units of the last place, and what IEEE 754 and C17
 * say of zeros, infinities and what is not a number. */
#include "base/libm/libm.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "test.h"

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* Sizes from 2^low to 2^high, both signs. */
static double spread(double low, double high)
{
    double x = exp2(low + (high - low) * uniform()) * (1 + uniform());
    return uniform() < 0.5 ? x : -x;
}

static double unit(double x)
{
    int e;
    frexp(x, &e);
    return fmax(ldexp(1, e - 53), 0x1p-1074);
}

typedef struct function {
    const char *name;
    double (*ours)(double);
    long double (*exact)(long double);
    double (*theirs)(double);
    double low, high, least, most, units;
} function;

static const function list[] = {
    {"sin", vg_sin, sinl, sin, -30, 60, -HUGE_VAL, HUGE_VAL, 1},
    {"cos", vg_cos, cosl, cos, -30, 60, -HUGE_VAL, HUGE_VAL, 1},
    {"tan", vg_tan, tanl, tan, -30, 60, -HUGE_VAL, HUGE_VAL, 1},
    {"asin", vg_asin, asinl, asin, -30, 0, -1, 1, 1},
    {"acos", vg_acos, acosl, acos, -30, 0, -1, 1, 1},
    {"atan", vg_atan, atanl, atan, -30, 70, -HUGE_VAL, HUGE_VAL, 1},
    {"exp", vg_exp, expl, exp, -20, 9.46, -700, 709, 1},
    {"exp2", vg_exp2, exp2l, exp2, -20, 9.9, -1020, 1023, 1},
    {"expm1", vg_expm1, expm1l, expm1, -30, 9, -HUGE_VAL, 700, 1.5},
    {"log", vg_log, logl, log, -1020, 1000, 0, HUGE_VAL, 1},
    {"log near one", vg_log, logl, log, -1, 1, 0, HUGE_VAL, 1},
    {"log2", vg_log2, log2l, log2, -2, 900, 0, HUGE_VAL, 0.6},
    {"log10", vg_log10, log10l, log10, -900, 900, 0, HUGE_VAL, 0.6},
    {"log1p", vg_log1p, log1pl, log1p, -40, 40, -1, HUGE_VAL, 1},
    {"sinh", vg_sinh, sinhl, sinh, -30, 9, -700, 700, 2.5},
    {"cosh", vg_cosh, coshl, cosh, -30, 9, -700, 700, 2.5},
    {"tanh", vg_tanh, tanhl, tanh, -30, 6, -HUGE_VAL, HUGE_VAL, 2.5},
};
enum { FUNCTIONS = sizeof list / sizeof list[0], TRIES = 40000 };

TEST(within_a_unit)
{
    for (int k = 0; k < FUNCTIONS; k++) {
        const function *f = &list[k];
        double worst = 0;
        for (int i = 0; i < TRIES; i++) {
            double x = spread(f->low, f->high);
            if (x < f->least || x > f->most) continue;
            long double exact = f->exact(x);
            double off = (double)(fabsl(f->ours(x) - exact) / unit((double)exact));
            worst = off > worst || off != off ? off : worst;
        }
        printf("%s: %.3f units in the last place\n", f->name, worst);
        CHECK(worst <= f->units);
    }
}

static void check_pair(double (*ours)(double, double), long double (*exact)(long double, long double),
                       double low, double high, double low2, double high2, int positive)
{
    double worst = 0;
    for (int i = 0; i < TRIES; i++) {
        double x = spread(low, high), y = spread(low2, high2);
        if (positive) x = fabs(x);
        long double z = exact(x, y);
        if (!isfinite((double)z) || fabsl(z) < 0x1p-1022L) continue;
        worst = fmax(worst, (double)(fabsl(ours(x, y) - z) / unit((double)z)));
    }
    CHECK(worst > 0 && worst <= 1);
}

TEST(pairs_within_a_unit)
{
    check_pair(vg_pow, powl, -3, 3, -3, 8, 1);
    check_pair(vg_pow, powl, -500, 500, -10, 1, 1);
    check_pair(vg_atan2, atan2l, -20, 20, -20, 20, 0);
    check_pair(vg_atan2, atan2l, -900, 900, -900, 900, 0);
    check_pair(vg_hypot, hypotl, -10, 10, -10, 10, 0);
    check_pair(vg_hypot, hypotl, -900, 900, -900, 900, 0);
}

static int alike(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b) || fabs(a - b) <= 2 * unit(b);
}

TEST(special_values)
{
    static const double at[] = {0,   -0., 1,    -1,    INFINITY, -INFINITY, NAN,     2,      -2,   3, -3,
                                0.5, 2.5, -0.5, 1e308, -1e308,   5e-324,    -5e-324, 1e-310, 1e17, -7};
    enum { N = sizeof at / sizeof at[0] };
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < FUNCTIONS; k++) CHECK(alike(list[k].ours(at[i]), list[k].theirs(at[i])));
        for (int j = 0; j < N; j++) {
            CHECK(alike(vg_pow(at[i], at[j]), pow(at[i], at[j])));
            CHECK(alike(vg_atan2(at[i], at[j]), atan2(at[i], at[j])));
            CHECK(alike(vg_hypot(at[i], at[j]), hypot(at[i], at[j])));
        }
    }
    for (int k = 0; k <= 22; k++) CHECK(vg_log10(pow(10, k)) == k);
}

TEST(both_at_once)
{
    for (int i = 0; i < TRIES; i++) {
        double x = spread(-30, 60), s, c;
        vg_sincos(x, &s, &c);
        CHECK(s == vg_sin(x) && c == vg_cos(x));
    }
}

TEST_MAIN(within_a_unit, pairs_within_a_unit, special_values, both_at_once)
