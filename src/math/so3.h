/* The rotation group in local coordinates, all perturbations on the body's side: R(d) = R exp(skew d).
 *
 *     T(d): body angular velocity w_B = T(d) d'       (right Jacobian, dexp)
 *     T(d) = I - (1 - cos h)/h^2 D + (h - sin h)/h^3 D^2,   D = skew(d), h = |d|
 *     T^-1(d) = I + D/2 + (1 - (h/2) cot(h/2))/h^2 D^2
 *
 * Two charts with the same signatures: vg_so3_ (rotation vector) and vg_cgr_ (Cayley-Gibbs-Rodrigues vector
 * g = 2 tan(h/2) n, rational functions only). Both agree with each other to second order at zero. */
#ifndef VERGE_MATH_SO3_H
#define VERGE_MATH_SO3_H

#include "math/vec.h"

/* Stumpff functions c_k(s) = sum_j (-s)^j / (2j + k)!, k = 0..8, s = h^2 >= 0:
 *
 *     c0 = cos h,  c1 = sin h / h,  c2 = (1 - cos h)/h^2,  c3 = (h - sin h)/h^3, ...
 *     c_k = 1/k! - s c_{k+2},       (1/h) dc_k/dh = k c_{k+2} - c_{k+1}
 *
 * Every coefficient here and its derivatives are short sums of these, without cancellation at zero. */
void vg_stumpff(double s, double c[9]);

vgMat3 vg_so3_exp(vgVec3 d);
vgVec3 vg_so3_log(vgMat3 R); /* |result| <= pi */
vgMat3 vg_so3_dexp(vgVec3 d);
vgMat3 vg_so3_dexpinv(vgVec3 d);                 /* |d| < 2 pi */
vgVec3 vg_so3_dexpinv_times(vgVec3 d, vgVec3 v); /* T⁻¹(d) v without the matrix */
double vg_so3_dexpinv_second(double s);          /* what multiplies D² in T⁻¹, s = |d|² */
vgMat3 vg_so3_d_dexp(vgVec3 d, vgVec3 w);        /* d(T(d) w)/dd */
vgMat3 vg_so3_d_dexpinv(vgVec3 d, vgVec3 w);     /* d(T^-1(d) w)/dd */
vgMat3 vg_so3_dexp_dot(vgVec3 d, vgVec3 ddot);
vgMat3 vg_so3_dexpinv_dot(vgVec3 d, vgVec3 ddot);
/* d(d(T(d) w)/dd u)/dd, symmetric in its use: the second derivative of T(d) w along u. */
vgMat3 vg_so3_dd_dexp(vgVec3 d, vgVec3 w, vgVec3 u);
/* exp and T together, one evaluation of the coefficients. */
void vg_so3_exp_dexp(vgVec3 d, vgMat3 *R, vgMat3 *T);

vgMat3 vg_cgr_exp(vgVec3 g);
vgVec3 vg_cgr_log(vgMat3 R); /* infinite for a half turn */
vgMat3 vg_cgr_dexp(vgVec3 g);
vgMat3 vg_cgr_dexpinv(vgVec3 g);
vgMat3 vg_cgr_d_dexp(vgVec3 g, vgVec3 w);

vgQuat vg_quat_exp(vgVec3 d);
vgVec3 vg_quat_log(vgQuat q); /* |result| <= pi: q and -q give the same rotation vector */
vgQuat vg_quat_from_mat(vgMat3 R);

static inline vgQuat vg_quat(double w, double x, double y, double z)
{
    return (vgQuat){w, x, y, z};
}

/* From and to (w, x, y, z). */
static inline vgQuat vg_quat_load(const double *q)
{
    return vg_quat(q[0], q[1], q[2], q[3]);
}

static inline void vg_quat_store(vgQuat e, double *q)
{
    q[0] = e.w, q[1] = e.x, q[2] = e.y, q[3] = e.z;
}

static inline vgQuat vg_quat_mul(vgQuat a, vgQuat b)
{
    return (vgQuat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* q of unit length */
static inline vgMat3 vg_quat_to_mat(vgQuat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return vg_m3(1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz),
                 2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy));
}

static inline vgQuat vg_quat_conj(vgQuat q)
{
    return (vgQuat){q.w, -q.x, -q.y, -q.z};
}

static inline vgQuat vg_quat_normalize(vgQuat q)
{
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (vgQuat){q.w * s, q.x * s, q.y * s, q.z * s};
}

#endif
