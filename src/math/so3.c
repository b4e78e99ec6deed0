#include "math/so3.h"

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
        if (s < 0.1)
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
        c[0] = cos(h);
        c[1] = sin(h) / h;
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

/* T and T^-1 are both w + a(s) d x w + b(s) d x (d x w). a1 = (1/h) da/dh, a2 = (1/h) da1/dh, same for b. */
typedef struct coefs {
    double a, b, a1, b1, a2, b2;
} coefs;

static inline coefs dexp_coefs(vgVec3 d)
{
    double c[9], s = vg_dot3(d, d);
    stumpff(s, c);
    return (coefs){.a = -c[2],
                   .b = c[3],
                   .a1 = c[3] - 2 * c[4],
                   .b1 = 3 * c[5] - c[4],
                   .a2 = s * (c[6] - 5 * c[7]) - 8 * c[6],
                   .b2 = 15 * c[7] - 7 * c[6] + c[5]};
}

/* b = (1 - (h/2) cot(h/2))/h^2 = (c3 - 2 c4)/(2 c2); its derivatives follow from those of the c_k, with
 * 5 c5 - c4 = s (c6 - 5 c7) taking out the cancellation. */
static inline coefs dexpinv_coefs(vgVec3 d)
{
    double c[9], s = vg_dot3(d, d);
    stumpff(s, c);
    double r = 0.5 / c[2], b = (c[3] - 2 * c[4]) * r;
    double b1 = (s * (c[6] - 5 * c[7]) - 8 * c[6] + 4 * c[2] * b * b) * r;
    double b2 = (c[5] - 9 * c[6] + 33 * c[7] - 48 * c[8] + c[2] * b * (12 * b1 - 8 * b * b)) * r;
    return (coefs){.a = 0.5, .b = b, .b1 = b1, .b2 = b2};
}

/* I + a D + b D^2 with D^2 = d dT - s I */
static inline vgMat3 poly_mat(double a, double b, vgVec3 d)
{
    double xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
    double xy = b * d.x * d.y, xz = b * d.x * d.z, yz = b * d.y * d.z;
    return vg_m3(1 - b * (yy + zz), xy - a * d.z, xz + a * d.y, xy + a * d.z, 1 - b * (xx + zz), yz - a * d.x,
                 xz - a * d.y, yz + a * d.x, 1 - b * (xx + yy));
}

/* d(d x (d x w))/dd = (d.w) I + d wT - 2 w dT */
static inline vgMat3 double_cross_grad(vgVec3 d, vgVec3 w)
{
    double dw = vg_dot3(d, w);
    return vg_madd3(vg_diag3(dw, dw, dw), vg_msub3(vg_outer3(d, w), vg_mscale3(vg_outer3(w, d), 2)));
}

/* d(w + a d x w + b d x (d x w))/dd = -a skew(w) + b (...) + (a1 d x w + b1 d x (d x w)) dT */
static inline vgMat3 poly_grad(const coefs *k, vgVec3 d, vgVec3 w)
{
    vgVec3 dw = vg_cross3(d, w), ddw = vg_cross3(d, dw);
    vgMat3 D = vg_mscale3(double_cross_grad(d, w), k->b);
    D = vg_maxpy3(-k->a, vg_skew3(w), D);
    return vg_madd3(D, vg_outer3(vg_add3(vg_scale3(dw, k->a1), vg_scale3(ddw, k->b1)), d));
}

/* The matrix of the map w -> derivative of (a d x w + b d x (d x w)) along u. */
static inline vgMat3 poly_dot(const coefs *k, vgVec3 d, vgVec3 u)
{
    double du = vg_dot3(d, u);
    vgMat3 U = vg_madd3(vg_outer3(u, d), vg_outer3(d, u));
    U.m[0][0] -= 2 * du;
    U.m[1][1] -= 2 * du;
    U.m[2][2] -= 2 * du;
    vgMat3 M = vg_maxpy3(k->a, vg_skew3(u), vg_mscale3(U, k->b));
    vgMat3 P = poly_mat(k->a1 * du, k->b1 * du, d);
    for (int i = 0; i < 3; i++) P.m[i][i] -= 1;
    return vg_madd3(M, P);
}

/* Derivative with respect to d of poly_grad(d, w) u. */
static inline vgMat3 poly_hess(const coefs *k, vgVec3 d, vgVec3 w, vgVec3 u)
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
    return vg_maxpy3(k->b1 * du, double_cross_grad(d, w), H);
}

/* R = I + c1 D + c2 D^2 (Rodrigues) */
vgMat3 vg_so3_exp(vgVec3 d)
{
    double c[9];
    stumpff(vg_dot3(d, d), c);
    return poly_mat(c[1], c[2], d);
}

void vg_so3_exp_dexp(vgVec3 d, vgMat3 *R, vgMat3 *T)
{
    double c[9];
    stumpff(vg_dot3(d, d), c);
    *R = poly_mat(c[1], c[2], d);
    *T = poly_mat(-c[2], c[3], d);
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
    return poly_mat(-c[2], c[3], d);
}

vgMat3 vg_so3_dexpinv(vgVec3 d)
{
    double c[9];
    stumpff(vg_dot3(d, d), c);
    return poly_mat(0.5, (c[3] - 2 * c[4]) / (2 * c[2]), d);
}

vgMat3 vg_so3_d_dexp(vgVec3 d, vgVec3 w)
{
    coefs k = dexp_coefs(d);
    return poly_grad(&k, d, w);
}

vgMat3 vg_so3_d_dexpinv(vgVec3 d, vgVec3 w)
{
    coefs k = dexpinv_coefs(d);
    return poly_grad(&k, d, w);
}

vgMat3 vg_so3_dexp_dot(vgVec3 d, vgVec3 ddot)
{
    coefs k = dexp_coefs(d);
    return poly_dot(&k, d, ddot);
}

vgMat3 vg_so3_dexpinv_dot(vgVec3 d, vgVec3 ddot)
{
    coefs k = dexpinv_coefs(d);
    return poly_dot(&k, d, ddot);
}

vgMat3 vg_so3_dd_dexp(vgVec3 d, vgVec3 w, vgVec3 u)
{
    coefs k = dexp_coefs(d);
    return poly_hess(&k, d, w, u);
}

vgMat3 vg_so3_dd_dexpinv(vgVec3 d, vgVec3 w, vgVec3 u)
{
    coefs k = dexpinv_coefs(d);
    return poly_hess(&k, d, w, u);
}

/* R = I + 4/(4 + g.g) (G + G^2/2), G = skew(g), g = 2 tan(h/2) n */
vgMat3 vg_cgr_exp(vgVec3 g)
{
    double k = 4 / (4 + vg_dot3(g, g));
    return poly_mat(k, 0.5 * k, g);
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

vgMat3 vg_cgr_d_dexpinv(vgVec3 g, vgVec3 w)
{
    double gw = 0.25 * vg_dot3(g, w);
    vgMat3 M = vg_maxpy3(0.25, vg_outer3(g, w), vg_diag3(gw, gw, gw));
    return vg_maxpy3(-0.5, vg_skew3(w), M);
}

vgMat3 vg_cgr_dexp_dot(vgVec3 g, vgVec3 gdot)
{
    double k = 4 / (4 + vg_dot3(g, g)), kdot = -0.5 * k * k * vg_dot3(g, gdot);
    vgVec3 s = vg_add3(vg_scale3(g, kdot), vg_scale3(gdot, k));
    return vg_maxpy3(-0.5, vg_skew3(s), vg_diag3(kdot, kdot, kdot));
}

/* (cos(h/2), sin(h/2) n): the Stumpff functions of the half angle */
vgQuat vg_quat_exp(vgVec3 d)
{
    double c[9];
    stumpff(0.25 * vg_dot3(d, d), c);
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
    /* below 1e-8 atan2(n, w)/n = 1/w - n^2/(3 w^3) is 1/w to the last digit */
    return vg_scale3(v, n > 1e-8 ? 2 * atan2(n, q.w) / n : 2 / q.w);
}

vgMat3 vg_quat_to_mat(vgQuat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return vg_m3(1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz),
                 2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy));
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
