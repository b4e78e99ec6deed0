/* Four of everything: scalars, vectors of three and 3x3 matrices whose components are four numbers side by
 * side, one for each of four elements that go through the same formulas together. An operation on lanes is
 * four operations of vec.h, with the same roundings, so that what comes out for one lane does not depend on
 * the others. Compilers put lanes into vector registers where the machine has them. */
#ifndef VERGE_MATH_LANES_H
#define VERGE_MATH_LANES_H

#include "math/vec.h"

/* Inlined, so that lanes stay in registers; not under the sanitizers, whose checks in such a large function take a
 * compiler minutes. */
#if defined(__SANITIZE_ADDRESS__)
#define VG_LANEWISE static inline __attribute__((unused))
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VG_LANEWISE static inline __attribute__((unused))
#endif
#endif
#ifndef VG_LANEWISE
#define VG_LANEWISE static inline __attribute__((always_inline, unused))
#endif

enum { VG_LANES = 4 };

typedef double vgLane __attribute__((vector_size(32)));
typedef long long vgLaneMask __attribute__((vector_size(32)));
typedef double vgLaneLoose __attribute__((vector_size(32), aligned(8), may_alias)); /* in any array */

typedef struct vgLane3 {
    vgLane x, y, z;
} vgLane3;

typedef struct vgLane33 {
    vgLane m[3][3];
} vgLane33;

VG_LANEWISE vgLane vg_lane(double x)
{
    return (vgLane){x, x, x, x};
}

/* Transposes four numbers from each of four places: a[i] has the i-th of every place. Its own inverse. */
VG_LANEWISE void vg_lane_turn(vgLane a[4])
{
    vgLane low01 = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6);
    vgLane high01 = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
    vgLane low23 = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6);
    vgLane high23 = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
    a[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    a[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    a[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    a[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

VG_LANEWISE void vg_lane_gather(const double *const from[4], int at, vgLane out[4])
{
    for (int k = 0; k < 4; k++) out[k] = *(const vgLaneLoose *)(from[k] + at);
    vg_lane_turn(out);
}

VG_LANEWISE int vg_lane_any(vgLaneMask m)
{
    return (m[0] | m[1] | m[2] | m[3]) != 0;
}

/* a where m is set, else b */
VG_LANEWISE vgLane vg_lane_pick(vgLaneMask m, vgLane a, vgLane b)
{
    return (vgLane)((m & (vgLaneMask)a) | (~m & (vgLaneMask)b));
}

VG_LANEWISE vgLane vg_lsqrt(vgLane x)
{
    for (int k = 0; k < VG_LANES; k++) x[k] = sqrt(x[k]);
    return x;
}

VG_LANEWISE vgLane vg_labs(vgLane x)
{
    return vg_lane_pick(x < vg_lane(0), -x, x);
}

VG_LANEWISE vgLane3 vg_lzero3(void)
{
    return (vgLane3){vg_lane(0), vg_lane(0), vg_lane(0)};
}

VG_LANEWISE vgLane3 vg_ladd3(vgLane3 a, vgLane3 b)
{
    return (vgLane3){a.x + b.x, a.y + b.y, a.z + b.z};
}

VG_LANEWISE vgLane3 vg_lsub3(vgLane3 a, vgLane3 b)
{
    return (vgLane3){a.x - b.x, a.y - b.y, a.z - b.z};
}

VG_LANEWISE vgLane3 vg_lneg3(vgLane3 a)
{
    return (vgLane3){-a.x, -a.y, -a.z};
}

VG_LANEWISE vgLane3 vg_lscale3(vgLane3 a, vgLane s)
{
    return (vgLane3){a.x * s, a.y * s, a.z * s};
}

/* s x + y */
VG_LANEWISE vgLane3 vg_laxpy3(vgLane s, vgLane3 x, vgLane3 y)
{
    return (vgLane3){s * x.x + y.x, s * x.y + y.y, s * x.z + y.z};
}

VG_LANEWISE vgLane vg_ldot3(vgLane3 a, vgLane3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

VG_LANEWISE vgLane3 vg_lcross3(vgLane3 a, vgLane3 b)
{
    return (vgLane3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

VG_LANEWISE vgLane33 vg_lmzero3(void)
{
    vgLane33 A;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] = vg_lane(0);
    return A;
}

VG_LANEWISE vgLane33 vg_lskew3(vgLane3 v)
{
    vgLane o = vg_lane(0);
    return (vgLane33){{{o, -v.z, v.y}, {v.z, o, -v.x}, {-v.y, v.x, o}}};
}

VG_LANEWISE vgLane33 vg_louter3(vgLane3 a, vgLane3 b)
{
    return (vgLane33){{{a.x * b.x, a.x * b.y, a.x * b.z},
                       {a.y * b.x, a.y * b.y, a.y * b.z},
                       {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

VG_LANEWISE vgLane33 vg_lcols3(vgLane3 a, vgLane3 b, vgLane3 c)
{
    return (vgLane33){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

VG_LANEWISE vgLane3 vg_lcol3(vgLane33 A, int j)
{
    return (vgLane3){A.m[0][j], A.m[1][j], A.m[2][j]};
}

/* A where t > 0, else B */
VG_LANEWISE vgLane33 vg_lwhere_positive33(vgLane t, vgLane33 A, vgLane33 B)
{
    vgLaneMask m = t > vg_lane(0);
    for (int i = 0; i < 9; i++) A.m[i / 3][i % 3] = vg_lane_pick(m, A.m[i / 3][i % 3], B.m[i / 3][i % 3]);
    return A;
}

VG_LANEWISE vgLane33 vg_lmt3(vgLane33 A)
{
    vgLane33 B;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B.m[i][j] = A.m[j][i];
    return B;
}

VG_LANEWISE vgLane33 vg_lmadd3(vgLane33 A, vgLane33 B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] += B.m[i][j];
    return A;
}

VG_LANEWISE vgLane33 vg_lmsub3(vgLane33 A, vgLane33 B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] -= B.m[i][j];
    return A;
}

VG_LANEWISE vgLane33 vg_lmscale3(vgLane33 A, vgLane s)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] *= s;
    return A;
}

/* s A + B */
VG_LANEWISE vgLane33 vg_lmaxpy3(vgLane s, vgLane33 A, vgLane33 B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] = s * A.m[i][j] + B.m[i][j];
    return A;
}

VG_LANEWISE vgLane3 vg_lmv3(vgLane33 A, vgLane3 v)
{
    return (vgLane3){A.m[0][0] * v.x + A.m[0][1] * v.y + A.m[0][2] * v.z,
                     A.m[1][0] * v.x + A.m[1][1] * v.y + A.m[1][2] * v.z,
                     A.m[2][0] * v.x + A.m[2][1] * v.y + A.m[2][2] * v.z};
}

/* AT v */
VG_LANEWISE vgLane3 vg_lmtv3(vgLane33 A, vgLane3 v)
{
    return (vgLane3){A.m[0][0] * v.x + A.m[1][0] * v.y + A.m[2][0] * v.z,
                     A.m[0][1] * v.x + A.m[1][1] * v.y + A.m[2][1] * v.z,
                     A.m[0][2] * v.x + A.m[1][2] * v.y + A.m[2][2] * v.z};
}

VG_LANEWISE vgLane33 vg_lmm3(vgLane33 A, vgLane33 B)
{
    vgLane33 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
    return C;
}

/* AT B */
VG_LANEWISE vgLane33 vg_lmtm3(vgLane33 A, vgLane33 B)
{
    vgLane33 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[0][i] * B.m[0][j] + A.m[1][i] * B.m[1][j] + A.m[2][i] * B.m[2][j];
    return C;
}

/* A BT */
VG_LANEWISE vgLane33 vg_lmmt3(vgLane33 A, vgLane33 B)
{
    vgLane33 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[j][0] + A.m[i][1] * B.m[j][1] + A.m[i][2] * B.m[j][2];
    return C;
}

/* skew(v) A, A skew(v) */
VG_LANEWISE vgLane33 vg_lcross_mat3(vgLane3 v, vgLane33 A)
{
    vgLane33 B;
    for (int j = 0; j < 3; j++) {
        B.m[0][j] = v.y * A.m[2][j] - v.z * A.m[1][j];
        B.m[1][j] = v.z * A.m[0][j] - v.x * A.m[2][j];
        B.m[2][j] = v.x * A.m[1][j] - v.y * A.m[0][j];
    }
    return B;
}

VG_LANEWISE vgLane33 vg_lmat_cross3(vgLane33 A, vgLane3 v)
{
    vgLane33 B;
    for (int i = 0; i < 3; i++) {
        B.m[i][0] = A.m[i][1] * v.z - A.m[i][2] * v.y;
        B.m[i][1] = A.m[i][2] * v.x - A.m[i][0] * v.z;
        B.m[i][2] = A.m[i][0] * v.y - A.m[i][1] * v.x;
    }
    return B;
}

#endif
