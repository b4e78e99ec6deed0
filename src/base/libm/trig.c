/* Sine, cosine, tangent. x = n π/2 + y with y as a sum of two doubles, |y| ≤ π/4, by π/2 in three parts (Cody and Waite
 * 1980) or, for large x and next to multiples of π/2, by as many digits of 2/π as it takes (Payne and Hanek 1983);
 * then a polynomial in y², interpolated at Chebyshev's nodes. */
#include "base/libm/libm.h"

#include <math.h>

#include "base/libm/twice.h"

/* (sin y − y)/y³ and (cos y − 1 + y²/2)/y⁴ in y²: errors 2e-17 and 2e-18 of the result */
static const double sin_tail[] = {-0.16666666666666666,  0.008333333333330827,    -0.0001984126983657571,
                                  2.755731600817155e-06, -2.5051112272573243e-08, 1.5916726193889336e-10};
static const double cos_tail[] = {0.041666666666666664,   -0.0013888888888887322, 2.4801587298651292e-05,
                                  -2.755731721268659e-07, 2.0876134024090145e-09, -1.1381754653662937e-11};

static const uint64_t two_over_pi[] = {/* bits after the point */
                                       0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u,
                                       0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u, 0x06492eea09d1921cu,
                                       0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u, 0xe99c7026b45f7e41u,
                                       0x3991d639835339f4u, 0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu,
                                       0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
                                       0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u,
                                       0x56033046fc7b6babu, 0xf0cfbc209af4361du};

/* 64 bits of 2/π from the j-th after the point on, j > −64. */
static uint64_t bits_from(int j)
{
    if (j < 1) return two_over_pi[0] >> (1 - j);
    int word = (j - 1) / 64, shift = (j - 1) % 64;
    return shift ? two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift) : two_over_pi[word];
}

/* The high 64 bits of a product of 64 bits, in halves. */
static uint64_t high_product(uint64_t a, uint64_t b)
{
    uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    uint64_t low = al * bl, mid = ah * bl + (low >> 32), other = al * bh + (mid & 0xffffffffu);
    return ah * bh + (mid >> 32) + (other >> 32);
}

/* x = m 2^e, x > 0: x 2/π modulo 4 to 190 bits behind the point. */
static int reduce_large(double x, vgTwice *y)
{
    uint64_t u = vg_bits(x), m = (u & 0xfffffffffffffu) | 0x10000000000000u;
    int e = (int)(u >> 52) - 1075, first = e - 1;
    uint64_t w2 = bits_from(first), w1 = bits_from(first + 64), w0 = bits_from(first + 128);
    uint64_t p0 = m * w0, p1 = m * w1, p2 = m * w2, carry = high_product(m, w0);
    p1 += carry;
    p2 += high_product(m, w1) + (p1 < carry);
    int n = (int)(p2 >> 62);
    p2 <<= 2; /* the fraction fills p2, p1, p0 */
    p2 |= p1 >> 62;
    p1 = p1 << 2 | p0 >> 62;
    p0 <<= 2;
    int negative = (int)(p2 >> 63); /* at least a half: the next multiple is nearer */
    if (negative) {
        n++;
        p0 = ~p0 + 1;
        p1 = ~p1 + (p0 == 0);
        p2 = ~p2 + (p0 == 0 && p1 == 0);
    }
    double scale = 0x1p-64;
    for (int i = 0; i < 2 && p2 >> 32 == 0; i++) { /* leading zeros: the argument is next to a multiple */
        p2 = p2 << 32 | p1 >> 32;
        p1 = p1 << 32 | p0 >> 32;
        p0 <<= 32;
        scale *= 0x1p-32;
    }
    const uint64_t kept = ~(uint64_t)0x7ff; /* 53 bits convert exactly */
    uint64_t rest = (p2 & ~kept) << 53 | p1 >> 11;
    vgTwice f = vg_sum_ordered((double)(p2 & kept) * scale, (double)(rest & kept) * (scale * 0x1p-53));
    *y = vg_twice_times(f, (vgTwice){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
    if (negative) y->hi = -y->hi, y->lo = -y->lo;
    return n & 3;
}

/* x = n π/2 + y; n modulo 4. */
static int reduce(double x, vgTwice *y)
{
    const double quarter = 0x1.921fb54442d18p-1, most = 0x1p20, near = 0x1p-20;
    const double to_turns = 0x1.45f306dc9c883p-1,
                 shift = 0x1.8p52; /* 2/π; adding shift rounds to a whole number */
    if (fabs(x) <= quarter) {
        *y = (vgTwice){x, 0};
        return 0;
    }
    if (fabs(x) < most) {
        double n = (x * to_turns + shift) - shift; /* products with the first two parts are exact */
        double r = x - n * 0x1.921fb54400000p+0, w = n * 0x1.0b4611a600000p-34;
        vgTwice t = vg_sum_exact(r, -w);
        *y = vg_sum_exact(t.hi, t.lo - n * 0x1.3198a2e037073p-69);
        if (fabs(y->hi) > near) return (int)n & 3;
    }
    int n = reduce_large(fabs(x), y);
    if (x > 0) return n;
    *y = (vgTwice){-y->hi, -y->lo};
    return -n & 3;
}

static double sin_of(vgTwice y)
{
    const double *c = sin_tail;
    double z = y.hi * y.hi, zz = z * z;
    double tail = (c[0] + z * c[1]) + zz * ((c[2] + z * c[3]) + zz * (c[4] + z * c[5]));
    return y.hi + (y.hi * z * tail + (y.lo - 0.5 * z * y.lo));
}

static double cos_of(vgTwice y)
{
    const double *c = cos_tail;
    double z = y.hi * y.hi, zz = z * z, half = 0.5 * z, near = 1 - half;
    double tail = (c[0] + z * c[1]) + zz * ((c[2] + z * c[3]) + zz * (c[4] + z * c[5]));
    return near + (((1 - near) - half) + (zz * tail - y.hi * y.lo));
}

double vg_sin(double x)
{
    vgTwice y;
    if (!isfinite(x)) return x - x;
    int n = reduce(x, &y);
    double s = n & 1 ? cos_of(y) : sin_of(y);
    return n & 2 ? -s : s;
}

double vg_cos(double x)
{
    vgTwice y;
    if (!isfinite(x)) return x - x;
    int n = reduce(x, &y);
    double c = n & 1 ? sin_of(y) : cos_of(y);
    return (n + 1) & 2 ? -c : c;
}

void vg_sincos(double x, double *s, double *c)
{
    vgTwice y;
    if (!isfinite(x)) {
        *s = *c = x - x;
        return;
    }
    int n = reduce(x, &y);
    double a = sin_of(y), b = cos_of(y), p = n & 1 ? b : a, q = n & 1 ? a : b;
    *s = n & 2 ? -p : p;
    *c = (n + 1) & 2 ? -q : q;
}

/* sin y / cos y with both as sums of two: the quotient's last digit holds. */
double vg_tan(double x)
{
    vgTwice y;
    if (!isfinite(x)) return x - x;
    if (fabs(x) < 0x1p-27) return x;
    int n = reduce(x, &y);
    double z = y.hi * y.hi, zz = z * z, half = 0.5 * z;
    const double *a = sin_tail, *b = cos_tail;
    double st = y.hi * z * ((a[0] + z * a[1]) + zz * ((a[2] + z * a[3]) + zz * (a[4] + z * a[5])));
    double ct = zz * ((b[0] + z * b[1]) + zz * ((b[2] + z * b[3]) + zz * (b[4] + z * b[5])));
    vgTwice s = vg_sum_ordered(y.hi, st + (y.lo - half * y.lo)), c = vg_sum_ordered(1, -half);
    vgTwice zlo = vg_product_exact(y.hi, y.hi); /* what y² lost */
    c = vg_sum_ordered(c.hi, c.lo + (ct - y.hi * y.lo - 0.5 * zlo.lo));
    vgTwice top = n & 1 ? (vgTwice){-c.hi, -c.lo} : s, under = n & 1 ? s : c;
    double q = top.hi / under.hi;
    vgTwice p = vg_product_exact(q, under.hi);
    return q + ((top.hi - p.hi) - p.lo + top.lo - q * under.lo) / under.hi;
}
