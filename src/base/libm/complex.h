/* <complex.h> of the rooms, as math.h beside it: modulus, argument, exponential, logarithm and root of complex numbers
 * from our own functions. */
#ifndef VG_BASE_LIBM_COMPLEX_H
#define VG_BASE_LIBM_COMPLEX_H

#include_next <complex.h>

#include "base/libm/libm.h"

static inline double vg_cabs(double complex z)
{
    return vg_hypot(creal(z), cimag(z));
}

static inline double vg_carg(double complex z)
{
    return vg_atan2(cimag(z), creal(z));
}

static inline double complex vg_cexp(double complex z)
{
    double s, c, size = vg_exp(creal(z));
    vg_sincos(cimag(z), &s, &c);
    return __builtin_complex(size * c, size * s);
}

static inline double complex vg_clog(double complex z)
{
    return __builtin_complex(vg_log(vg_cabs(z)), vg_carg(z));
}

/* The root with a real part that is not negative, without cancellation: of x + i y, t = √((|x| + |z|)/2), the parts are t
 * and y/2t for x ≥ 0, else |y|/2t and ±t. */
static inline double complex vg_csqrt(double complex z)
{
    double x = creal(z), y = cimag(z), half = 0.5,
           t = __builtin_sqrt(half * (__builtin_fabs(x) + vg_cabs(z)));
    if (t == 0) return __builtin_complex(0.0, y);
    double other = y / (t + t);
    return x >= 0 ? __builtin_complex(t, other)
                  : __builtin_complex(__builtin_fabs(other), __builtin_copysign(t, y));
}

#undef cabs
#undef carg
#undef cexp
#undef clog
#undef csqrt
#define cabs(z)  vg_cabs(z)
#define carg(z)  vg_carg(z)
#define cexp(z)  vg_cexp(z)
#define clog(z)  vg_clog(z)
#define csqrt(z) vg_csqrt(z)

#endif
