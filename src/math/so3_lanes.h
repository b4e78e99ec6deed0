/* Rotations in lanes: so3_poly.h for four at a time (docs/theory.md, eq. 6-10). Lanes whose angle is beyond
 * the short series are computed one by one, with so3.c. */
#ifndef VERGE_MATH_SO3_LANES_H
#define VERGE_MATH_SO3_LANES_H

#include "math/lanes.h"
#include "math/so3.h"
#include "math/tuning.h"

/* As vgSo3Coefs. */
typedef struct vgLaneCoefs {
    vgLane a, b, a1, b1, a2, b2;
} vgLaneCoefs;

/* Stumpff functions c_1 .. c_8 (c_0 is not needed): Horner of the two highest, then the downward recurrence.
 * Five terms are exact to the last digit below s = 0.1. */
VG_LANEWISE void vg_lstumpff(vgLane s, vgLane c[9])
{
    static const double r7[5] = {1. / (8 * 9), 1. / (10 * 11), 1. / (12 * 13), 1. / (14 * 15),
                                 1. / (16 * 17)};
    static const double r8[5] = {1. / (9 * 10), 1. / (11 * 12), 1. / (13 * 14), 1. / (15 * 16),
                                 1. / (17 * 18)};
    vgLane a = vg_lane(1), b = vg_lane(1);
    for (int j = 4; j >= 0; j--) {
        a = 1 - s * r7[j] * a;
        b = 1 - s * r8[j] * b;
    }
    c[7] = a * (1. / 5040);
    c[8] = b * (1. / 40320);
    c[6] = 1. / 720 - s * c[8];
    c[5] = 1. / 120 - s * c[7];
    c[4] = 1. / 24 - s * c[6];
    c[3] = 1. / 6 - s * c[5];
    c[2] = 1. / 2 - s * c[4];
    c[1] = 1 - s * c[3];
    vgLaneMask far = ~(s < vg_lane(VG_SERIES_BELOW));
    if (!vg_lane_any(far)) return;
    for (int k = 0; k < VG_LANES; k++) {
        double one[9];
        if (!far[k]) continue;
        vg_stumpff(s[k], one);
        for (int i = 1; i < 9; i++) c[i][k] = one[i];
    }
}

/* Rotation vector of R: with s = sin(h) n from the skew part, h n = s asin(|s|)/|s|, by its power series in
 * |s|² up to a fifth of a radian; beyond that through the quaternion. */
VG_LANEWISE vgLane3 vg_llog3(vgLane33 R)
{
    static const double c[10] = {
        1. / 6,        3. / 40,       5. / 112,        35. / 1152,        63. / 2816,
        231. / 13312., 143. / 10240., 6435. / 557056., 12155. / 1245184., 46189. / 5505024.};
    vgLane3 s = {0.5 * (R.m[2][1] - R.m[1][2]), 0.5 * (R.m[0][2] - R.m[2][0]), 0.5 * (R.m[1][0] - R.m[0][1])};
    vgLane z = vg_ldot3(s, s), a = vg_lane(c[9]);
    for (int j = 8; j >= 0; j--) a = c[j] + z * a;
    vgLane3 d = vg_lscale3(s, 1 + z * a);
    vgLaneMask near = (z < vg_lane(VG_LOG_SERIES_BELOW)) & (R.m[0][0] + R.m[1][1] + R.m[2][2] > vg_lane(1));
    if (!vg_lane_any(~near)) return d;
    for (int k = 0; k < VG_LANES; k++) {
        vgMat3 one;
        if (near[k]) continue;
        for (int i = 0; i < 9; i++) one.m[i / 3][i % 3] = R.m[i / 3][i % 3][k];
        vgVec3 log = vg_so3_log(one);
        d.x[k] = log.x, d.y[k] = log.y, d.z[k] = log.z;
    }
    return d;
}

VG_LANEWISE vgLaneCoefs vg_ldexp_coefs(vgLane s, const vgLane c[9])
{
    return (vgLaneCoefs){.a = -c[2],
                         .b = c[3],
                         .a1 = c[3] - 2 * c[4],
                         .b1 = 3 * c[5] - c[4],
                         .a2 = s * (c[6] - 5 * c[7]) - 8 * c[6],
                         .b2 = 15 * c[7] - 7 * c[6] + c[5]};
}

VG_LANEWISE vgLaneCoefs vg_ldexpinv_coefs(vgLane s, const vgLane c[9])
{
    vgLane r = 0.5 / c[2], b = (c[3] - 2 * c[4]) * r;
    vgLane b1 = (s * (c[6] - 5 * c[7]) - 8 * c[6] + 4 * c[2] * b * b) * r;
    vgLane b2 = (c[5] - 9 * c[6] + 33 * c[7] - 48 * c[8] + c[2] * b * (12 * b1 - 8 * b * b)) * r;
    return (vgLaneCoefs){.a = vg_lane(0.5), .b = b, .a1 = vg_lane(0), .b1 = b1, .a2 = vg_lane(0), .b2 = b2};
}

/* I + a D + b D² */
VG_LANEWISE vgLane33 vg_lpoly_mat(vgLane a, vgLane b, vgLane3 d)
{
    vgLane xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
    vgLane xy = b * d.x * d.y, xz = b * d.x * d.z, yz = b * d.y * d.z;
    vgLane ax = a * d.x, ay = a * d.y, az = a * d.z;
    return (vgLane33){{{1 - b * (yy + zz), xy - az, xz + ay},
                       {xy + az, 1 - b * (xx + zz), yz - ax},
                       {xz - ay, yz + ax, 1 - b * (xx + yy)}}};
}

/* ∂(w + a d × w + b d × (d × w))/∂d, as vg_so3_poly_grad */
VG_LANEWISE vgLane33 vg_lpoly_grad(const vgLaneCoefs *k, vgLane3 d, vgLane3 w)
{
    vgLane e = k->b * vg_ldot3(d, w);
    vgLane3 cw = vg_lcross3(d, w), ccw = vg_lcross3(d, cw), q = vg_lscale3(d, k->b), s = vg_lscale3(w, k->a);
    vgLane3 p = vg_laxpy3(k->a1, cw, vg_laxpy3(k->b1, ccw, vg_lscale3(w, -2 * k->b)));
    return (vgLane33){
        {{q.x * w.x + p.x * d.x + e, q.x * w.y + p.x * d.y + s.z, q.x * w.z + p.x * d.z - s.y},
         {q.y * w.x + p.y * d.x - s.z, q.y * w.y + p.y * d.y + e, q.y * w.z + p.y * d.z + s.x},
         {q.z * w.x + p.z * d.x + s.y, q.z * w.y + p.z * d.y - s.x, q.z * w.z + p.z * d.z + e}}};
}

/* The matrix of the map w → derivative of a d × w + b d × (d × w) along u. */
VG_LANEWISE vgLane33 vg_lpoly_dot(const vgLaneCoefs *k, vgLane3 d, vgLane3 u)
{
    vgLane du = vg_ldot3(d, u);
    vgLane33 U = vg_lmadd3(vg_louter3(u, d), vg_louter3(d, u));
    for (int i = 0; i < 3; i++) U.m[i][i] -= 2 * du;
    vgLane33 M = vg_lmaxpy3(k->a, vg_lskew3(u), vg_lmscale3(U, k->b));
    vgLane33 P = vg_lpoly_mat(k->a1 * du, k->b1 * du, d);
    for (int i = 0; i < 3; i++) P.m[i][i] -= 1;
    return vg_lmadd3(M, P);
}

/* ∂(vg_lpoly_grad(d, w) u)/∂d, as vg_so3_poly_hess */
VG_LANEWISE vgLane33 vg_lpoly_hess(const vgLaneCoefs *k, vgLane3 d, vgLane3 w, vgLane3 u)
{
    vgLane du = vg_ldot3(d, u), dw = vg_ldot3(d, w), wu = vg_ldot3(w, u);
    vgLane3 cw = vg_lcross3(d, w), ccw = vg_lcross3(d, cw), uw = vg_lcross3(u, w);
    vgLane3 q = vg_ladd3(vg_lscale3(u, dw), vg_lsub3(vg_lscale3(d, wu), vg_lscale3(w, 2 * du)));
    vgLane3 byd = vg_ladd3(vg_lscale3(uw, k->a1), vg_lscale3(q, k->b1));
    byd = vg_laxpy3(du * k->b2, ccw, vg_laxpy3(du * k->a2, cw, byd));
    vgLane3 byu = vg_ladd3(vg_lscale3(cw, k->a1), vg_lscale3(ccw, k->b1));
    vgLane33 H = vg_lmadd3(vg_louter3(byd, d), vg_louter3(byu, u));
    vgLane33 Q = vg_lmsub3(vg_louter3(u, w), vg_lmscale3(vg_louter3(w, u), vg_lane(2)));
    for (int i = 0; i < 3; i++) Q.m[i][i] += wu;
    H = vg_lmaxpy3(k->b, Q, H);
    H = vg_lmaxpy3(-k->a1 * du, vg_lskew3(w), H);
    vgLane33 G = vg_lmsub3(vg_louter3(d, w), vg_lmscale3(vg_louter3(w, d), vg_lane(2)));
    for (int i = 0; i < 3; i++) G.m[i][i] += dw;
    return vg_lmaxpy3(k->b1 * du, G, H);
}

#endif
