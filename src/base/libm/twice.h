/* Numbers as unevaluated sums of two doubles, without fused operations (Dekker 1971). Rounding to nearest is assumed,
 * and no contraction. */
#ifndef VG_BASE_LIBM_TWICE_H
#define VG_BASE_LIBM_TWICE_H

#include <stdint.h>
#include <string.h>

typedef struct vgTwice {
    double hi, lo;
} vgTwice;

static inline uint64_t vg_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double vg_of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* a + b exactly, |a| ≥ |b| or a = 0. */
static inline vgTwice vg_sum_ordered(double a, double b)
{
    double s = a + b;
    return (vgTwice){s, b - (s - a)};
}

static inline vgTwice vg_sum_exact(double a, double b)
{
    double s = a + b, t = s - a;
    return (vgTwice){s, (a - (s - t)) + (b - t)};
}

/* a b exactly, |a| and |b| below 2^996 and the product not near the smallest numbers. */
static inline vgTwice vg_product_exact(double a, double b)
{
    const double half = 134217729; /* 2^27 + 1 */
    double p = a * b, c = half * a, d = half * b, ah = c - (c - a), bh = d - (d - b), al = a - ah,
           bl = b - bh;
    return (vgTwice){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline vgTwice vg_twice_times(vgTwice a, vgTwice b)
{
    vgTwice p = vg_product_exact(a.hi, b.hi);
    return vg_sum_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline vgTwice vg_twice_plus(vgTwice a, vgTwice b)
{
    vgTwice s = vg_sum_exact(a.hi, b.hi);
    return vg_sum_ordered(s.hi, s.lo + (a.lo + b.lo));
}

#endif
