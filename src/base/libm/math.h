/* <math.h> of the rooms: sin, exp, pow and the like are our own, so that a model gives the same bits whatever C library,
 * processor and compiler. A C library may choose other code on a processor with fused multiply-add, and compilers
 * evaluate constants with rounding of their own. Below one unit in the last place (tests/base/test_libm.c). What IEEE 754
 * rounds correctly (sqrt, floor, fmod, remainder, …) stays the system's.
 *
 * This folder precedes the system's when rooms are compiled; tests/base/test_libm_calls.py looks into the objects. */
#ifndef VG_BASE_LIBM_MATH_H
#define VG_BASE_LIBM_MATH_H

#include_next <math.h>

#include "base/libm/libm.h"

#undef sin
#undef cos
#undef tan
#undef asin
#undef acos
#undef atan
#undef atan2
#undef exp
#undef exp2
#undef expm1
#undef log
#undef log2
#undef log10
#undef log1p
#undef pow
#undef sinh
#undef cosh
#undef tanh
#undef hypot
#undef fmax
#undef fmin
#define sin(x)      vg_sin(x)
#define cos(x)      vg_cos(x)
#define tan(x)      vg_tan(x)
#define asin(x)     vg_asin(x)
#define acos(x)     vg_acos(x)
#define atan(x)     vg_atan(x)
#define atan2(x, y) vg_atan2(x, y)
#define exp(x)      vg_exp(x)
#define exp2(x)     vg_exp2(x)
#define expm1(x)    vg_expm1(x)
#define log(x)      vg_log(x)
#define log2(x)     vg_log2(x)
#define log10(x)    vg_log10(x)
#define log1p(x)    vg_log1p(x)
#define pow(x, y)   vg_pow(x, y)
#define sinh(x)     vg_sinh(x)
#define cosh(x)     vg_cosh(x)
#define tanh(x)     vg_tanh(x)
#define hypot(x, y) vg_hypot(x, y)
#define fmax(x, y)  vg_fmax(x, y)
#define fmin(x, y)  vg_fmin(x, y)

#endif
