/* Numerical Jacobians by central differences with two Richardson steps (error h^6), and reproducible numbers.
 */
#ifndef VERGE_MATH_CHECK_H
#define VERGE_MATH_CHECK_H

#include "math/vec.h"
#include "test.h"

typedef void (*checkFn)(const double *x, const double *fixed, double *y);

/* J(m,n) = dy/dx, at most 16 outputs */
static inline void check_jacobian(checkFn f, int n, int m, const double *x0, const double *fixed, double *J)
{
    double x[16], yp[16], ym[16], D[3][16];
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < 3; k++) {
            double h = 0.04 / (1 << k);
            memcpy(x, x0, sizeof(double) * (size_t)n);
            x[j] = x0[j] + h;
            f(x, fixed, yp);
            x[j] = x0[j] - h;
            f(x, fixed, ym);
            for (int i = 0; i < m; i++) D[k][i] = (yp[i] - ym[i]) / (2 * h);
        }
        for (int i = 0; i < m; i++) {
            double a = (4 * D[1][i] - D[0][i]) / 3, b = (4 * D[2][i] - D[1][i]) / 3;
            J[i * n + j] = (16 * b - a) / 15;
        }
    }
}

static inline void check_arrays(int n, const double *a, const double *b, double tol)
{
    for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], tol);
}

static inline void check_mats(vgMat3 A, vgMat3 B, double tol)
{
    check_arrays(9, &A.m[0][0], &B.m[0][0], tol);
}

static inline void check_vecs(vgVec3 a, vgVec3 b, double tol)
{
    CHECK_NEAR(a.x, b.x, tol);
    CHECK_NEAR(a.y, b.y, tol);
    CHECK_NEAR(a.z, b.z, tol);
}

/* uniform in -1..1, the same sequence in every run */
static inline double check_random(void)
{
    static unsigned long long s = 88172645463325252ULL;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (double)(s >> 11) / 4503599627370496.0 - 1;
}

static inline vgVec3 check_vec(double size)
{
    vgVec3 v = vg_v3(check_random(), check_random(), check_random());
    return vg_scale3(vg_unit3(v), size);
}

#endif
