/* Vectors of three, 3x3 matrices and quaternions as values. Everything is inline: the compiler keeps these in
 * registers. Matrices are row-major, m[row][column]. */
#ifndef VERGE_MATH_VEC_H
#define VERGE_MATH_VEC_H

#include <math.h>

typedef struct vgVec3 {
    double x, y, z;
} vgVec3;

typedef struct vgMat3 {
    double m[3][3];
} vgMat3;

/* Rotation quaternion w + xi + yj + zk; unit length unless a function says otherwise. */
typedef struct vgQuat {
    double w, x, y, z;
} vgQuat;

static inline vgVec3 vg_v3(double x, double y, double z)
{
    return (vgVec3){x, y, z};
}

static inline vgVec3 vg_zero3(void)
{
    return (vgVec3){0, 0, 0};
}

/* The k-th unit vector. */
static inline vgVec3 vg_unit_axis3(int k)
{
    return (vgVec3){k == 0, k == 1, k == 2};
}

static inline vgVec3 vg_load3(const double v[3])
{
    return (vgVec3){v[0], v[1], v[2]};
}

static inline void vg_store3(vgVec3 a, double out[3])
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static inline vgVec3 vg_add3(vgVec3 a, vgVec3 b)
{
    return (vgVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vgVec3 vg_sub3(vgVec3 a, vgVec3 b)
{
    return (vgVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vgVec3 vg_neg3(vgVec3 a)
{
    return (vgVec3){-a.x, -a.y, -a.z};
}

static inline vgVec3 vg_scale3(vgVec3 a, double s)
{
    return (vgVec3){a.x * s, a.y * s, a.z * s};
}

/* s x + y */
static inline vgVec3 vg_axpy3(double s, vgVec3 x, vgVec3 y)
{
    return (vgVec3){s * x.x + y.x, s * x.y + y.y, s * x.z + y.z};
}

static inline double vg_dot3(vgVec3 a, vgVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vgVec3 vg_cross3(vgVec3 a, vgVec3 b)
{
    return (vgVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vg_norm3(vgVec3 a)
{
    return sqrt(vg_dot3(a, a));
}

/* a / |a|; the zero vector stays zero. */
static inline vgVec3 vg_unit3(vgVec3 a)
{
    double n = vg_norm3(a);
    return n > 0 ? vg_scale3(a, 1 / n) : a;
}

/* Some unit vector perpendicular to the unit vector a, the same one for the same a. */
static inline vgVec3 vg_perp3(vgVec3 a)
{
    double ax = fabs(a.x), ay = fabs(a.y), az = fabs(a.z);
    vgVec3 e = ax <= ay && ax <= az ? vg_v3(1, 0, 0) : ay <= az ? vg_v3(0, 1, 0) : vg_v3(0, 0, 1);
    return vg_unit3(vg_cross3(a, e));
}

static inline vgMat3 vg_m3(double a, double b, double c, double d, double e, double f, double g, double h,
                           double i)
{
    return (vgMat3){{{a, b, c}, {d, e, f}, {g, h, i}}};
}

static inline vgMat3 vg_mzero3(void)
{
    return vg_m3(0, 0, 0, 0, 0, 0, 0, 0, 0);
}

static inline vgMat3 vg_eye3(void)
{
    return vg_m3(1, 0, 0, 0, 1, 0, 0, 0, 1);
}

static inline vgMat3 vg_diag3(double a, double b, double c)
{
    return vg_m3(a, 0, 0, 0, b, 0, 0, 0, c);
}

/* skew(v) w = v x w */
static inline vgMat3 vg_skew3(vgVec3 v)
{
    return vg_m3(0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0);
}

/* a bT */
static inline vgMat3 vg_outer3(vgVec3 a, vgVec3 b)
{
    return vg_m3(a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y,
                 a.z * b.z);
}

static inline vgMat3 vg_cols3(vgVec3 a, vgVec3 b, vgVec3 c)
{
    return vg_m3(a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z);
}

/* A where t > 0, else B */
static inline vgMat3 vg_where_positive33(double t, vgMat3 A, vgMat3 B)
{
    return t > 0 ? A : B;
}

static inline vgVec3 vg_col3(vgMat3 A, int j)
{
    return vg_v3(A.m[0][j], A.m[1][j], A.m[2][j]);
}

static inline vgVec3 vg_row3(vgMat3 A, int i)
{
    return vg_v3(A.m[i][0], A.m[i][1], A.m[i][2]);
}

static inline vgMat3 vg_mload3(const double a[9])
{
    return vg_m3(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
}

static inline void vg_mstore3(vgMat3 A, double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = A.m[i][j];
}

/* Writes A into the rows and columns that start at out, whose rows are ld numbers long. */
static inline void vg_mput3(vgMat3 A, double *out, int ld)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i * ld + j] = A.m[i][j];
}

static inline vgMat3 vg_mt3(vgMat3 A)
{
    return vg_m3(A.m[0][0], A.m[1][0], A.m[2][0], A.m[0][1], A.m[1][1], A.m[2][1], A.m[0][2], A.m[1][2],
                 A.m[2][2]);
}

static inline vgMat3 vg_madd3(vgMat3 A, vgMat3 B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] += B.m[i][j];
    return A;
}

static inline vgMat3 vg_msub3(vgMat3 A, vgMat3 B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] -= B.m[i][j];
    return A;
}

static inline vgMat3 vg_mscale3(vgMat3 A, double s)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] *= s;
    return A;
}

/* s A + B */
static inline vgMat3 vg_maxpy3(double s, vgMat3 A, vgMat3 B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] = s * A.m[i][j] + B.m[i][j];
    return A;
}

static inline vgVec3 vg_mv3(vgMat3 A, vgVec3 v)
{
    return (vgVec3){A.m[0][0] * v.x + A.m[0][1] * v.y + A.m[0][2] * v.z,
                    A.m[1][0] * v.x + A.m[1][1] * v.y + A.m[1][2] * v.z,
                    A.m[2][0] * v.x + A.m[2][1] * v.y + A.m[2][2] * v.z};
}

/* AT v */
static inline vgVec3 vg_mtv3(vgMat3 A, vgVec3 v)
{
    return (vgVec3){A.m[0][0] * v.x + A.m[1][0] * v.y + A.m[2][0] * v.z,
                    A.m[0][1] * v.x + A.m[1][1] * v.y + A.m[2][1] * v.z,
                    A.m[0][2] * v.x + A.m[1][2] * v.y + A.m[2][2] * v.z};
}

static inline vgMat3 vg_mm3(vgMat3 A, vgMat3 B)
{
    vgMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
    return C;
}

/* AT B */
static inline vgMat3 vg_mtm3(vgMat3 A, vgMat3 B)
{
    vgMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[0][i] * B.m[0][j] + A.m[1][i] * B.m[1][j] + A.m[2][i] * B.m[2][j];
    return C;
}

/* A BT */
static inline vgMat3 vg_mmt3(vgMat3 A, vgMat3 B)
{
    vgMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[j][0] + A.m[i][1] * B.m[j][1] + A.m[i][2] * B.m[j][2];
    return C;
}

static inline double vg_trace3(vgMat3 A)
{
    return A.m[0][0] + A.m[1][1] + A.m[2][2];
}

static inline double vg_det3(vgMat3 A)
{
    return vg_dot3(vg_row3(A, 0), vg_cross3(vg_row3(A, 1), vg_row3(A, 2)));
}

/* Inverse by cofactors; a singular A gives infinities, ask vg_det3 first where that can happen. */
static inline vgMat3 vg_inv3(vgMat3 A)
{
    vgVec3 a = vg_row3(A, 0), b = vg_row3(A, 1), c = vg_row3(A, 2);
    vgVec3 bc = vg_cross3(b, c);
    double s = 1 / vg_dot3(a, bc);
    return vg_cols3(vg_scale3(bc, s), vg_scale3(vg_cross3(c, a), s), vg_scale3(vg_cross3(a, b), s));
}

/* Largest absolute entry. */
static inline double vg_mmax3(vgMat3 A)
{
    double big = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) big = fmax(big, fabs(A.m[i][j]));
    return big;
}

#endif
