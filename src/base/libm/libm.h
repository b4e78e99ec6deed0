/* The functions behind base/libm/math.h by their own names, see there. */
#ifndef VG_BASE_LIBM_LIBM_H
#define VG_BASE_LIBM_LIBM_H

double vg_sin(double x);
double vg_cos(double x);
void vg_sincos(double x, double *s, double *c); /* the bits of vg_sin and vg_cos */
double vg_tan(double x);
double vg_asin(double x);
double vg_acos(double x);
double vg_atan(double x);
double vg_atan2(double y, double x);
double vg_exp(double x);
double vg_exp2(double x);
double vg_expm1(double x);
double vg_log(double x);
double vg_log2(double x);
double vg_log10(double x);
double vg_log1p(double x);
double vg_pow(double x, double y);
double vg_sinh(double x);
double vg_cosh(double x);
double vg_tanh(double x);
double vg_hypot(double x, double y);

/* The larger; of equal ones (−0 and 0 among them) the first; what is not a number is passed over. */
static inline double vg_fmax(double x, double y)
{
    return x >= y || y != y ? x : y;
}

static inline double vg_fmin(double x, double y)
{
    return x <= y || y != y ? x : y;
}

#endif
