#include "base/libm/libm.h"
#include "math/so3.h"

#include "math/so3_poly.h"
#include "math/tuning.h"

/* Above s = 10 (beyond a half turn) the closed forms; below, the series of the two highest functions and the
 * downward recurrence, which only subtracts a smaller number from a larger one and so keeps every digit.
 * Five terms suffice for the increments of a time step, thirteen up to a half turn. */
static const double fact7 = 1. / 5040, fact8 = 1. / 40320;

/* c_k k! by Horner: 1 - s/((k+1)(k+2)) (1 - s/((k+3)(k+4)) (1 - ...)). */
static inline void series(double s, int terms, double *c7, double *c8)
{
    static const double r7[13] = {1. / (8 * 9),   1. / (10 * 11), 1. / (12 * 13), 1. / (14 * 15),
                                  1. / (16 * 17), 1. / (18 * 19), 1. / (20 * 21), 1. / (22 * 23),
                                  1. / (24 * 25), 1. / (26 * 27), 1. / (28 * 29), 1. / (30 * 31),
                                  1. / (32 * 33)};
    static const double r8[13] = {1. / (9 * 10),  1. / (11 * 12), 1. / (13 * 14), 1. / (15 * 16),
                                  1. / (17 * 18), 1. / (19 * 20), 1. / (21 * 22), 1. / (23 * 24),
                                  1. / (25 * 26), 1. / (27 * 28), 1. / (29 * 30), 1. / (31 * 32),
                                  1. / (33 * 34)};
    double a = 1, b = 1;
    for (int j = terms - 1; j >= 0; j--) {
        a = 1 - s * r7[j] * a;
        b = 1 - s * r8[j] * b;
    }
    *c7 = a * fact7;
    *c8 = b * fact8;
}

static inline void stumpff(double s, double c[9])
{
    if (s < 10) {
        if (s < VG_SERIES_BELOW)
            series(s, 5, &c[7], &c[8]);
        else
            series(s, 13, &c[7], &c[8]);
        c[6] = 1. / 720 - s * c[8];
        c[5] = 1. / 120 - s * c[7];
        c[4] = 1. / 24 - s * c[6];
        c[3] = 1. / 6 - s * c[5];
        c[2] = 1. / 2 - s * c[4];
        c[1] = 1 - s * c[3];
        c[0] = 1 - s * c[2];
    } else {
        double h = sqrt(s), r = 1 / s;
        vg_sincos(h, &c[1], &c[0]);
        c[1] /= h;
        c[2] = (1 - c[0]) * r;
        c[3] = (1 - c[1]) * r;
        c[4] = (1. / 2 - c[2]) * r;
        c[5] = (1. / 6 - c[3]) * r;
        c[6] = (1. / 24 - c[4]) * r;
        c[7] = (1. / 120 - c[5]) * r;
        c[8] = (1. / 720 - c[6]) * r;
    }
}

void vg_stumpff(double s, double c[9])
{
    stumpff(s, c);
}

static inline vgSo3Coefs dexp_coefs(vgVec3 d)
{
    double c[9], s = vg_dot3(d, d);
    stumpff(s, c);
    return vg_so3_dexp_coefs(s, c);
}

static inline vgSo3Coefs dexpinv_coefs(vgVec3 d)
{
    double c[9], s = vg_dot3(d, d);
    stumpff(s, c);
    return vg_so3_dexpinv_coefs(s, c);
}

/* R = I + c1 D + c2 D^2 (Rodrigues) */
vgMat3 vg_so3_exp(vgVec3 d)
{
    double c[9];
    stumpff(vg_dot3(d, d), c);
    return vg_so3_poly_mat(c[1], c[2], d);
}

void vg_so3_exp_dexp(vgVec3 d, vgMat3 *R, vgMat3 *T)
{
    double c[9];
    stumpff(vg_dot3(d, d), c);
    *R = vg_so3_poly_mat(c[1], c[2], d);
    *T = vg_so3_poly_mat(-c[2], c[3], d);
}

/* Through the quaternion: its largest component is found first, so neither zero nor pi is special. */
vgVec3 vg_so3_log(vgMat3 R)
{
    return vg_quat_log(vg_quat_from_mat(R));
}

vgMat3 vg_so3_dexp(vgVec3 d)
{
    double c[9];
    stumpff(vg_dot3(d, d), c);
    return vg_so3_poly_mat(-c[2], c[3], d);
}

double vg_so3_dexpinv_second(double s)
{
    if (s < VG_SERIES_BELOW) return vg_so3_dexpinv_second_near(s);
    double c[9];
    stumpff(s, c);
    return (c[3] - 2 * c[4]) / (2 * c[2]);
}

vgMat3 vg_so3_dexpinv(vgVec3 d)
{
    return vg_so3_poly_mat(0.5, vg_so3_dexpinv_second(vg_dot3(d, d)), d);
}

vgVec3 vg_so3_dexpinv_times(vgVec3 d, vgVec3 v)
{
    vgVec3 once = vg_cross3(d, v);
    return vg_axpy3(0.5, once, vg_axpy3(vg_so3_dexpinv_second(vg_dot3(d, d)), vg_cross3(d, once), v));
}

vgMat3 vg_so3_d_dexp(vgVec3 d, vgVec3 w)
{
    vgSo3Coefs k = dexp_coefs(d);
    return vg_so3_poly_grad(&k, d, w);
}

vgMat3 vg_so3_d_dexpinv(vgVec3 d, vgVec3 w)
{
    vgSo3Coefs k = dexpinv_coefs(d);
    return vg_so3_poly_grad(&k, d, w);
}

vgMat3 vg_so3_dexp_dot(vgVec3 d, vgVec3 ddot)
{
    vgSo3Coefs k = dexp_coefs(d);
    return vg_so3_poly_dot(&k, d, ddot);
}

vgMat3 vg_so3_dexpinv_dot(vgVec3 d, vgVec3 ddot)
{
    vgSo3Coefs k = dexpinv_coefs(d);
    return vg_so3_poly_dot(&k, d, ddot);
}

vgMat3 vg_so3_dd_dexp(vgVec3 d, vgVec3 w, vgVec3 u)
{
    vgSo3Coefs k = dexp_coefs(d);
    return vg_so3_poly_hess(&k, d, w, u);
}

/* R = I + 4/(4 + g.g) (G + G^2/2), G = skew(g), g = 2 tan(h/2) n */
vgMat3 vg_cgr_exp(vgVec3 g)
{
    double k = 4 / (4 + vg_dot3(g, g));
    return vg_so3_poly_mat(k, 0.5 * k, g);
}

vgVec3 vg_cgr_log(vgMat3 R)
{
    vgQuat q = vg_quat_from_mat(R);
    return vg_scale3(vg_v3(q.x, q.y, q.z), 2 / q.w);
}

/* T = 4/(4 + g.g) (I - G/2) */
vgMat3 vg_cgr_dexp(vgVec3 g)
{
    double k = 4 / (4 + vg_dot3(g, g));
    return vg_maxpy3(-0.5 * k, vg_skew3(g), vg_diag3(k, k, k));
}

/* T^-1 = I + G/2 + g gT/4 */
vgMat3 vg_cgr_dexpinv(vgVec3 g)
{
    vgMat3 M = vg_maxpy3(0.25, vg_outer3(g, g), vg_eye3());
    return vg_maxpy3(0.5, vg_skew3(g), M);
}

vgMat3 vg_cgr_d_dexp(vgVec3 g, vgVec3 w)
{
    double k = 4 / (4 + vg_dot3(g, g));
    vgVec3 Tw = vg_scale3(vg_axpy3(-0.5, vg_cross3(g, w), w), k);
    return vg_maxpy3(0.5 * k, vg_skew3(w), vg_mscale3(vg_outer3(Tw, g), -0.5 * k));
}

/* (cos(h/2), sin(h/2) n): the Stumpff functions of the half angle */
vgQuat vg_quat_exp(vgVec3 d)
{
    double s = 0.25 * vg_dot3(d, d), c[9];
    if (s < VG_SERIES_BELOW)
        vg_so3_cos_sin_near(s, c);
    else
        stumpff(s, c);
    double k = 0.5 * c[1];
    return vg_quat(c[0], k * d.x, k * d.y, k * d.z);
}

vgVec3 vg_quat_log(vgQuat q)
{
    vgVec3 v = vg_v3(q.x, q.y, q.z);
    if (q.w < 0) {
        q.w = -q.w;
        v = vg_neg3(v);
    }
    double n = vg_norm3(v);
    return vg_scale3(v, n > VG_QUATERNION_SMALL ? 2 * atan2(n, q.w) / n : 2 / q.w);
}

/* The component of largest size comes from the diagonal, the others from off-diagonal sums over it
 * (Shepperd 1978), so the division is by at least 1/2. The sign is chosen so that w >= 0. */
vgQuat vg_quat_from_mat(vgMat3 R)
{
    double t = vg_trace3(R), a = R.m[0][0], b = R.m[1][1], c = R.m[2][2];
    double yz = R.m[2][1] - R.m[1][2], zx = R.m[0][2] - R.m[2][0], xy = R.m[1][0] - R.m[0][1];
    double sxy = R.m[0][1] + R.m[1][0], sxz = R.m[0][2] + R.m[2][0], syz = R.m[1][2] + R.m[2][1];
    vgQuat q;
    if (t >= a && t >= b && t >= c)
        q = vg_quat(1 + t, yz, zx, xy);
    else if (a >= b && a >= c)
        q = vg_quat(yz, 1 + a - b - c, sxy, sxz);
    else if (b >= c)
        q = vg_quat(zx, sxy, 1 + b - a - c, syz);
    else
        q = vg_quat(xy, sxz, syz, 1 + c - a - b);
    if (q.w < 0) q = vg_quat(-q.w, -q.x, -q.y, -q.z);
    return vg_quat_normalize(q);
}
