/* Inverse sine, cosine, tangent. */
#include "base/libm/libm.h"

#include <math.h>

#include "base/libm/twice.h"

/* (atan t − t)/t³ in t², |t| ≤ 7/16, and (asin x − x)/x³ in x², |x| ≤ 1/2: errors 4e-18 and 2e-18 of the result */
static const double atan_tail[] = {-0.3333333333333333,  0.1999999999999941,    -0.14285714285566806,
                                   0.11111111096645038,  -0.09090908355602592,  0.07692285554889286,
                                   -0.06666241923359964, 0.05876946456755061,   -0.05216679739313656,
                                   0.04492259293193656,  -0.033128134256069586, 0.014773184616983806};
static const double asin_tail[] = {0.16666666666666666,  0.07500000000000118,   0.044642857142551895,
                                   0.03038194447553234,  0.02237215744350722,   0.017352816540325496,
                                   0.01396378001220357,  0.011566459612121669,  0.009621842970100282,
                                   0.009319560794767446, 0.0030448799094556773, 0.019554513336123378,
                                   -0.01924167174674304, 0.02961201126495512};

static const vgTwice HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

static double horner(const double *c, int n, double z)
{
    double sum = c[n - 1];
    for (int i = n - 2; i >= 0; i--) sum = c[i] + z * sum;
    return sum;
}

/* atan of p/q, both positive: about the nearest of 0, ½, 1, 3/2, ∞ the tangent of the difference is
 * (p − c q)/(q + c p), exact but for its last digit. rest: of the quotient's sum. */
static double atan_ratio(double p, double q)
{
    enum { POINTS = 4 };
    static const struct {
        double c, to; /* taken for ratios below `to`, so that |t| ≤ 7/16 */
        vgTwice angle;
    } about[POINTS] = {{0, 0.4375, {0, 0}},
                       {0.5, 0.6875, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}},
                       {1, 1.1875, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}},
                       {1.5, 2.4375, {0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56}}};
    double t, low, x = p / q;
    int i = 0;
    while (i < POINTS && !(x < about[i].to)) i++;
    vgTwice angle = HALF_PI, top = {-q, 0}, under = {p, 0};
    if (i < POINTS) {
        double c = about[i].c;
        vgTwice cq = vg_product_exact(c, q), cp = vg_product_exact(c, p);
        top = vg_sum_exact(p, -cq.hi);
        top.lo -= cq.lo;
        under = vg_sum_exact(q, cp.hi);
        under.lo += cp.lo;
        angle = about[i].angle;
    }
    t = top.hi / under.hi;
    vgTwice back = vg_product_exact(t, under.hi);
    low = ((top.hi - back.hi) - back.lo + top.lo - t * under.lo) / under.hi;
    double z = t * t, tail = t * z * horner(atan_tail, 12, z);
    vgTwice sum = vg_sum_ordered(angle.hi, t);
    if (angle.hi == 0) sum = (vgTwice){t, 0};
    return sum.hi + (sum.lo + (tail + (angle.lo + low / (1 + z))));
}

double vg_atan(double x)
{
    if (x != x || fabs(x) < 0x1p-28) return x;
    double a = fabs(x), out = a > 0x1p60 ? HALF_PI.hi : atan_ratio(a, 1);
    return x < 0 ? -out : out;
}

double vg_atan2(double y, double x)
{
    const double pi = 2 * HALF_PI.hi, rest = 2 * HALF_PI.lo;
    if (x != x || y != y) return x + y;
    double p = fabs(y), q = fabs(x), out;
    if (p == 0) {
        out = signbit(x) ? pi : 0;
    } else if (isinf(p) && isinf(q)) {
        out = 0.25 * pi;
        if (x < 0) out = pi - out;
    } else if (isinf(q)) {
        out = x < 0 ? pi : 0;
    } else if (q == 0 || p / q > 0x1p60) {
        out = HALF_PI.hi;
    } else {
        if (p > 0x1p900 || q > 0x1p900) p *= 0x1p-200, q *= 0x1p-200; /* exact products have room */
        if (p < 0x1p-900 && q < 0x1p-700) p *= 0x1p200, q *= 0x1p200;
        out = p / q < 0x1p-60 ? (x < 0 ? 0 : fabs(y) / fabs(x)) : atan_ratio(p, q);
        if (x < 0) out = pi - (out - rest);
    }
    return signbit(y) ? -out : out;
}

/* asin x, |x| ≤ ½, without x itself. */
static double asin_rest(double x)
{
    double z = x * x;
    return x * z * horner(asin_tail, 14, z);
}

/* x ≥ ½: with s = √((1 − x)/2), asin x = π/2 − 2 asin s. 2 asin s in two parts. */
static vgTwice twice_asin_root(double x)
{
    double w = 0.5 * (1 - x), s = sqrt(w);
    vgTwice back = vg_product_exact(s, s);
    double low = s > 0 ? ((w - back.hi) - back.lo) / (2 * s) : 0; /* what the root lost; 1 − x is exact */
    return (vgTwice){2 * s, 2 * (asin_rest(s) + low)};
}

double vg_asin(double x)
{
    double a = fabs(x);
    if (!(a <= 1)) return (x - x) / (x - x);
    if (a < 0x1p-28) return x;
    if (a <= 0.5) return x + asin_rest(x);
    vgTwice r = twice_asin_root(a), s = vg_sum_ordered(HALF_PI.hi, -r.hi);
    double out = s.hi + (s.lo + (HALF_PI.lo - r.lo));
    return x < 0 ? -out : out;
}

double vg_acos(double x)
{
    double a = fabs(x);
    if (!(a <= 1)) return (x - x) / (x - x);
    if (a <= 0.5) {
        vgTwice s = vg_sum_ordered(HALF_PI.hi, -x);
        return s.hi + (s.lo + (HALF_PI.lo - asin_rest(x)));
    }
    vgTwice r = twice_asin_root(a);
    if (x > 0) return r.hi + r.lo;
    vgTwice s = vg_sum_ordered(2 * HALF_PI.hi, -r.hi);
    return s.hi + (s.lo + (2 * HALF_PI.lo - r.lo));
}
