/* Exponential, logarithm, power and what follows from them. */
#include "base/libm/libm.h"

#include <math.h>

#include "base/libm/twice.h"

/* (e^r − 1 − r − r²/2)/r³ on |r| ≤ ln2/2: error 1e-18 of the result */
static const double exp_tail[] = {0.16666666666666669,  0.041666666666666664,   0.008333333333329793,
                                  0.001388888888888636, 0.00019841269864380513, 2.4801587318092064e-05,
                                  2.75572664186123e-06, 2.755728151175639e-07,  2.510134692835034e-08,
                                  2.091192320685759e-09};
/* (log((1 + s)/(1 − s)) − 2s)/s³ in s², |s| ≤ 0.1716: error 5e-18 of the result */
static const double log_tail[] = {0.666666666666667,   0.3999999999989931, 0.2857142862606338,
                                  0.22222211120449298, 0.1818289017031397, 0.15331686868638428,
                                  0.14616878919029822};

static const double INVERSE_LN2 = 0x1.71547652b82fep+0;
static const double LN2_FIRST = 0x1.62e42fee00000p-1, LN2_REST = 0x1.a39ef35793c76p-33; /* 32 bits, and 53 */
static const vgTwice LN2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const double WHOLE = 0x1.8p52; /* adding it rounds to a whole number */

/* x 2^k: whole exponents of the result, the smallest numbers included. */
static double scaled(double x, int k)
{
    for (; k > 1023; k -= 1023) x *= 0x1p1023;
    for (; k < -1000; k += 1000) x *= 0x1p-1000;
    return x * vg_of_bits((uint64_t)(1023 + k) << 52);
}

/* e^(r + c) − 1, |r| ≤ ln2/2, c far smaller. */
static double exp_less_one(double r, double c)
{
    const double *p = exp_tail;
    double z = r * r, zz = z * z;
    double low = (p[0] + r * p[1]) + z * (p[2] + r * p[3]), high = (p[4] + r * p[5]) + z * (p[6] + r * p[7]);
    double tail = low + zz * (high + zz * (p[8] + r * p[9]));
    return r + (0.5 * z + (r * z * tail + (c + c * r)));
}

/* x + rest = k ln2 + r + c; k. |x| < 800. */
static int reduce(double x, double rest, double *r, double *c)
{
    double k = (x * INVERSE_LN2 + WHOLE) - WHOLE, hi = x - k * LN2_FIRST, lo = k * LN2_REST - rest;
    *r = hi - lo;
    *c = (hi - *r) - lo;
    return (int)k;
}

static double exp_of(double x, double rest)
{
    const double most = 709.79, least = -745.14;
    double r, c;
    if (x != x) return x;
    if (x > most) return HUGE_VAL;
    if (x < least) return 0;
    int k = reduce(x, rest, &r, &c);
    return scaled(1 + exp_less_one(r, c), k);
}

double vg_exp(double x)
{
    return exp_of(x, 0);
}

double vg_exp2(double x)
{
    if (x != x) return x;
    if (x >= 1024) return HUGE_VAL;
    if (x < -1080) return 0;
    double k = (x + WHOLE) - WHOLE, part = x - k;
    vgTwice y = vg_twice_times((vgTwice){part, 0}, LN2);
    return scaled(1 + exp_less_one(y.hi, y.lo), (int)k);
}

double vg_expm1(double x)
{
    const double half = 0.34657359027997264;
    double r, c;
    if (fabs(x) <= half) return x == 0 ? x : exp_less_one(x, 0);
    if (!(x < 709)) return exp_of(x, 0); /* not a number among them */
    if (x < -50) return -1;
    int k = reduce(x, 0, &r, &c);
    double e = exp_less_one(r, c), power = scaled(1, k);
    if (k > 60) return scaled(1 + e, k);
    vgTwice s = vg_sum_exact(power - 1, power * e); /* 2^k − 1 is exact up to 2^53 */
    return s.hi + (s.lo + (k > 52 ? (power - (power - 1)) - 1 : 0));
}

/* x = 2^k (1 + f), 1 + f between √½ and √2; x finite and positive. */
static int split(double x, double *f)
{
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t u = vg_bits(x) - 0x3fe6a09e667f3bcdu; /* √½ */
    k += (int)((int64_t)u >> 52);
    *f = vg_of_bits((u & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1;
    return k;
}

static double log_poly(double z)
{
    const double *p = log_tail;
    double zz = z * z;
    return (p[0] + z * p[1]) + zz * ((p[2] + z * p[3]) + zz * ((p[4] + z * p[5]) + zz * p[6]));
}

/* log(1 + f) = f − f²/2 + s (f²/2 + z P(z)), s = f/(2 + f), z = s². */
static double log_of(double f, int k, double rest)
{
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double small = s * (half + z * log_poly(z)) + (k * LN2_REST + rest);
    return k * LN2_FIRST - ((half - small) - f);
}

/* What log gives where it has no number to give: NaN, −∞ of 0, ∞. */
static int is_odd(double x, double *out)
{
    if (x > 0 && x < HUGE_VAL) return 0;
    *out = x == 0 ? -HUGE_VAL : x > 0 ? x : (x - x) / 0.0 * 0;
    if (x != x) *out = x;
    return 1;
}

double vg_log(double x)
{
    double f, odd;
    if (is_odd(x, &odd)) return odd;
    int k = split(x, &f);
    return log_of(f, k, 0);
}

double vg_log1p(double x)
{
    double f, odd, u = 1 + x;
    if (x == 0 || fabs(x) < 0x1p-54) return x;
    if (is_odd(u, &odd)) return odd;
    double rest = (fabs(x) < 1 ? x - (u - 1) : 1 - (u - x)) / u; /* what 1 + x lost */
    int k = split(u, &f);
    return log_of(f, k, rest);
}

/* log x to about 64 bits: 2 (s + s z (1/3 + z Q(z))) + k ln2, the first terms in two parts. */
static vgTwice log_twice(double x)
{
    double f;
    int k = split(x, &f);
    vgTwice d = vg_sum_exact(2, f), s, p, z, t;
    s.hi = f / d.hi;
    p = vg_product_exact(s.hi, d.hi);
    s.lo = ((f - p.hi) - p.lo - s.hi * d.lo) / d.hi;
    z = vg_twice_times(s, s);
    double q = 0; /* 1/5 + z/7 + z²/9 + … */
    for (int n = 29; n >= 5; n -= 2) q = 1.0 / n + z.hi * q;
    t = vg_sum_ordered(0x1.5555555555555p-2, 0x1.5555555555555p-56 + z.hi * q);
    t = vg_twice_times(s, vg_twice_times(z, t));
    s = vg_twice_plus(s, t);
    vgTwice whole = vg_product_exact(k, LN2.hi);
    whole = vg_sum_ordered(whole.hi, whole.lo + k * LN2.lo);
    return vg_twice_plus(whole, (vgTwice){2 * s.hi, 2 * s.lo});
}

double vg_log2(double x)
{
    double f, odd;
    if (is_odd(x, &odd)) return odd;
    int k = split(x, &f);
    vgTwice y = vg_twice_times(log_twice(1 + f), (vgTwice){INVERSE_LN2, 0x1.777d0ffda0d24p-56});
    y = vg_twice_plus((vgTwice){k, 0}, y);
    return y.hi + y.lo;
}

double vg_log10(double x)
{
    double odd;
    if (is_odd(x, &odd)) return odd;
    vgTwice y = vg_twice_times(log_twice(x), (vgTwice){0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
    return y.hi + y.lo;
}

/* 0: not whole; 1: odd; 2: even. */
static int whole(double y)
{
    if (fabs(y) >= 0x1p53) return 2;
    if (y != floor(y)) return 0;
    return fabs(y) >= 0x1p52 ? 1 + !(vg_bits(y) & 1) : 2 - ((int64_t)y & 1);
}

/* Zeros, infinities and what is not a number, as C17 has them (F.10.4.4). 1: *out is the power. */
static int odd_power(double x, double y, double *out)
{
    double size = fabs(x);
    *out = 1;
    if (y == 0 || x == 1) return 1;
    *out = x + y;
    if (x != x || y != y) return 1;
    if (isinf(y)) {
        *out = size == 1 ? 1 : (size > 1) == (y > 0) ? HUGE_VAL : 0;
        return 1;
    }
    if (size == 0 || isinf(x)) {
        *out = (size == 0) == (y > 0) ? 0 : HUGE_VAL;
        if (signbit(x) && whole(y) == 1) *out = -*out;
        return 1;
    }
    *out = (x - x) / (x - x); /* a negative number to a fraction */
    return x < 0 && !whole(y);
}

double vg_pow(double x, double y)
{
    double odd;
    if (odd_power(x, y, &odd)) return odd;
    if (y == 2) return x * x;
    if (y == 1) return x;
    double sign = x < 0 && whole(y) == 1 ? -1 : 1, reach = 0x1p80;
    vgTwice l = log_twice(fabs(x));
    double rough = y * l.hi;
    if (!(fabs(rough) < 800) || fabs(y) > reach) return sign * exp_of(rough, 0);
    vgTwice p = vg_product_exact(y, l.hi);
    p = vg_sum_ordered(p.hi, p.lo + y * l.lo);
    return sign * exp_of(p.hi, p.lo);
}

double vg_sinh(double x)
{
    double a = fabs(x), e, out;
    if (a < 0x1p-28 || x != x) return x;
    if (a > 700) {
        e = exp_of(0.5 * a, 0);
        out = 0.5 * e * e;
    } else {
        e = vg_expm1(a);
        out = 0.5 * (e + e / (e + 1));
    }
    return x < 0 ? -out : out;
}

double vg_cosh(double x)
{
    double a = fabs(x), e = exp_of(a > 700 ? 0.5 * a : a, 0);
    return a > 700 ? 0.5 * e * e : 0.5 * e + 0.5 / e;
}

double vg_tanh(double x)
{
    double a = fabs(x);
    if (a < 0x1p-28 || x != x) return x;
    double e = a < 22 ? vg_expm1(2 * a) : 0, out = a < 22 ? e / (e + 2) : 1;
    return x < 0 ? -out : out;
}

double vg_hypot(double x, double y)
{
    double a = vg_fmax(fabs(x), fabs(y)), b = vg_fmin(fabs(x), fabs(y)), scale = 1;
    if (isinf(x) || isinf(y)) return HUGE_VAL;
    if (x != x || y != y) return x + y;
    if (b == 0 || a > b * 0x1p60) return a;
    if (a > 0x1p500) a *= 0x1p-600, b *= 0x1p-600, scale = 0x1p600;
    if (b < 0x1p-400) a *= 0x1p600, b *= 0x1p600, scale = 0x1p-600;
    double h = sqrt(a * a + b * b);
    vgTwice hh = vg_product_exact(h, h), aa = vg_product_exact(a, a), bb = vg_product_exact(b, b);
    return (h - ((hh.hi - aa.hi) - bb.hi + (hh.lo - aa.lo - bb.lo)) / (2 * h)) * scale;
}
