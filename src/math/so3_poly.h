/* The pieces of so3.c, inline for kernels that need several of them at one rotation: evaluate the Stumpff
 * functions once and derive exp, T, T^-1 and their derivatives from them. */
#ifndef VERGE_MATH_SO3_POLY_H
#define VERGE_MATH_SO3_POLY_H

#include "math/so3.h"

/* T and T^-1 are both w + a(s) d x w + b(s) d x (d x w). a1 = (1/h) da/dh, a2 = (1/h) da1/dh, same for b. */
typedef struct vgSo3Coefs {
    double a, b, a1, b1, a2, b2;
} vgSo3Coefs;

/* c0 = cos x and c1 = sin x / x of the turns of a step, s = x² < 0.1: the first term left out is below
 * 10⁻¹⁸. Powers of s², even and odd ones by themselves, in pairs: the chain of operations is short. */
static inline void vg_so3_cos_sin_near(double s, double c[2])
{
    double ss = s * s, s4 = ss * ss;
    c[0] = ((1 + ss * (1. / 24)) + s4 * (1. / 40320 + ss * (1. / 479001600))) -
           s * ((1. / 2 + ss * (1. / 720)) + s4 * (1. / 3628800));
    c[1] = ((1 + ss * (1. / 120)) + s4 * (1. / 362880 + ss * (1. / 6227020800))) -
           s * ((1. / 6 + ss * (1. / 5040)) + s4 * (1. / 39916800));
}

/* (1 − (x/2) cot(x/2))/x² for the same turns, s = x² < 0.1: the coefficients are Bernoulli's numbers,
 * |B_2k|/(2k)!. */
static inline double vg_so3_dexpinv_second_near(double s)
{
    double ss = s * s;
    return (1. / 12 + s * (1. / 720)) +
           ss * ((1. / 30240 + s * (1. / 1209600)) + ss * (1. / 47900160 + s * (691. / 1307674368000)));
}

/* s = d.d, c: the Stumpff functions of s */
static inline vgSo3Coefs vg_so3_dexp_coefs(double s, const double c[9])
{
    return (vgSo3Coefs){.a = -c[2],
                        .b = c[3],
                        .a1 = c[3] - 2 * c[4],
                        .b1 = 3 * c[5] - c[4],
                        .a2 = s * (c[6] - 5 * c[7]) - 8 * c[6],
                        .b2 = 15 * c[7] - 7 * c[6] + c[5]};
}

/* b = (1 - (h/2) cot(h/2))/h^2 = (c3 - 2 c4)/(2 c2); its derivatives follow from those of the c_k, with
 * 5 c5 - c4 = s (c6 - 5 c7) taking out the cancellation. */
static inline vgSo3Coefs vg_so3_dexpinv_coefs(double s, const double c[9])
{
    double r = 0.5 / c[2], b = (c[3] - 2 * c[4]) * r;
    double b1 = (s * (c[6] - 5 * c[7]) - 8 * c[6] + 4 * c[2] * b * b) * r;
    double b2 = (c[5] - 9 * c[6] + 33 * c[7] - 48 * c[8] + c[2] * b * (12 * b1 - 8 * b * b)) * r;
    return (vgSo3Coefs){.a = 0.5, .b = b, .b1 = b1, .b2 = b2};
}

/* I + a D + b D^2 with D^2 = d dT - s I */
static inline vgMat3 vg_so3_poly_mat(double a, double b, vgVec3 d)
{
    double xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
    double xy = b * d.x * d.y, xz = b * d.x * d.z, yz = b * d.y * d.z;
    return vg_m3(1 - b * (yy + zz), xy - a * d.z, xz + a * d.y, xy + a * d.z, 1 - b * (xx + zz), yz - a * d.x,
                 xz - a * d.y, yz + a * d.x, 1 - b * (xx + yy));
}

/* d(d x (d x w))/dd = (d.w) I + d wT - 2 w dT */
static inline vgMat3 vg_so3_double_cross_grad(vgVec3 d, vgVec3 w)
{
    double dw = vg_dot3(d, w);
    return vg_madd3(vg_diag3(dw, dw, dw), vg_msub3(vg_outer3(d, w), vg_mscale3(vg_outer3(w, d), 2)));
}

/* d(w + a d x w + b d x (d x w))/dd = -a skew(w) + b (d.w) I + (b d) wT + p dT,
 * p = a1 d x w + b1 d x (d x w) - 2 b w. Entries written out: sums of 3x3 temporaries go through memory. */
static inline vgMat3 vg_so3_poly_grad(const vgSo3Coefs *k, vgVec3 d, vgVec3 w)
{
    double e = k->b * vg_dot3(d, w);
    vgVec3 cw = vg_cross3(d, w), ccw = vg_cross3(d, cw), q = vg_scale3(d, k->b), s = vg_scale3(w, k->a);
    vgVec3 p = vg_axpy3(k->a1, cw, vg_axpy3(k->b1, ccw, vg_scale3(w, -2 * k->b)));
    return vg_m3(q.x * w.x + p.x * d.x + e, q.x * w.y + p.x * d.y + s.z, q.x * w.z + p.x * d.z - s.y,
                 q.y * w.x + p.y * d.x - s.z, q.y * w.y + p.y * d.y + e, q.y * w.z + p.y * d.z + s.x,
                 q.z * w.x + p.z * d.x + s.y, q.z * w.y + p.z * d.y - s.x, q.z * w.z + p.z * d.z + e);
}

/* The matrix of the map w -> derivative of (a d x w + b d x (d x w)) along u. */
static inline vgMat3 vg_so3_poly_dot(const vgSo3Coefs *k, vgVec3 d, vgVec3 u)
{
    double du = vg_dot3(d, u);
    vgMat3 U = vg_madd3(vg_outer3(u, d), vg_outer3(d, u));
    U.m[0][0] -= 2 * du;
    U.m[1][1] -= 2 * du;
    U.m[2][2] -= 2 * du;
    vgMat3 M = vg_maxpy3(k->a, vg_skew3(u), vg_mscale3(U, k->b));
    vgMat3 P = vg_so3_poly_mat(k->a1 * du, k->b1 * du, d);
    for (int i = 0; i < 3; i++) P.m[i][i] -= 1;
    return vg_madd3(M, P);
}

/* Derivative with respect to d of vg_so3_poly_grad(d, w) u. */
static inline vgMat3 vg_so3_poly_hess(const vgSo3Coefs *k, vgVec3 d, vgVec3 w, vgVec3 u)
{
    double du = vg_dot3(d, u), dw = vg_dot3(d, w), wu = vg_dot3(w, u);
    vgVec3 cw = vg_cross3(d, w), ccw = vg_cross3(d, cw), uw = vg_cross3(u, w);
    vgVec3 q = vg_add3(vg_scale3(u, dw), vg_sub3(vg_scale3(d, wu), vg_scale3(w, 2 * du)));
    /* what multiplies dT: first derivatives of the coefficients in the terms linear in u, and second ones */
    vgVec3 byd = vg_add3(vg_scale3(uw, k->a1), vg_scale3(q, k->b1));
    byd = vg_axpy3(du * k->a2, cw, byd);
    byd = vg_axpy3(du * k->b2, ccw, byd);
    vgVec3 byu = vg_add3(vg_scale3(cw, k->a1), vg_scale3(ccw, k->b1));
    vgMat3 H = vg_madd3(vg_outer3(byd, d), vg_outer3(byu, u));
    vgMat3 Q = vg_msub3(vg_outer3(u, w), vg_mscale3(vg_outer3(w, u), 2));
    for (int i = 0; i < 3; i++) Q.m[i][i] += wu;
    H = vg_maxpy3(k->b, Q, H);
    H = vg_maxpy3(-k->a1 * du, vg_skew3(w), H);
    return vg_maxpy3(k->b1 * du, vg_so3_double_cross_grad(d, w), H);
}

#endif
