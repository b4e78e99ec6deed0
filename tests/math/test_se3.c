#include "math/dense.h"
#include "math/se3.h"
#include "math_check.h"

static const double sizes[] = {0, 1e-10, 1e-5, 1e-3, 0.05, 0.3, 0.8, 1.6, 2.4, 3.0};
enum { NSIZE = sizeof sizes / sizeof sizes[0] };

/* exp of the 4x4 matrix [skew w, v; 0 0] by its power series in long double */
static void exp4(vgVec6 d, long double H[16])
{
    double v[3], w[3];
    vg_store3(d.lin, v);
    vg_store3(d.ang, w);
    long double X[16] = {0, -w[2], w[1], v[0], w[2], 0, -w[0], v[1], -w[1], w[0], 0, v[2], 0, 0, 0, 0};
    long double P[16], N[16];
    for (int i = 0; i < 16; i++) H[i] = P[i] = i % 5 == 0;
    for (int n = 1; n < 60; n++) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                N[4 * i + j] = 0;
                for (int k = 0; k < 4; k++) N[4 * i + j] += P[4 * i + k] * X[4 * k + j] / n;
            }
        for (int i = 0; i < 16; i++) H[i] += P[i] = N[i];
    }
}

/* T6 w = sum (-ad)^n w / (n+1)! in long double */
static void dexp_series(vgVec6 d, vgVec6 w, double y[6])
{
    double ad[36], w0[6];
    long double a[6], s[6];
    vg_se3_ad(d, ad);
    vg_store6(w, w0);
    for (int i = 0; i < 6; i++) s[i] = a[i] = w0[i];
    for (int n = 1; n < 60; n++) {
        long double b[6];
        for (int i = 0; i < 6; i++) {
            b[i] = 0;
            for (int j = 0; j < 6; j++) b[i] -= ad[6 * i + j] * a[j] / (n + 1);
        }
        for (int i = 0; i < 6; i++) s[i] += a[i] = b[i];
    }
    for (int i = 0; i < 6; i++) y[i] = (double)s[i];
}

TEST(exp_log_and_dexp)
{
    for (int i = 0; i < NSIZE; i++)
        for (int r = 0; r < 5; r++) {
            vgVec6 d = vg_v6(check_vec(1.5), check_vec(sizes[i])), w = vg_v6(check_vec(1), check_vec(1));
            vgPose X = vg_se3_exp(d);
            long double H[16];
            exp4(d, H);
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < 3; j++) CHECK_NEAR(X.R.m[k][j], (double)H[4 * k + j], 1e-15);
            check_vecs(X.p, vg_v3((double)H[3], (double)H[7], (double)H[11]), 2e-15);
            double T[36], Ti[36], I[36], y[6], ref[6], v[6], a[6], b[6];
            vg_store6(vg_se3_log(X), a);
            vg_store6(d, b);
            check_arrays(6, a, b, 2e-14);
            vg_se3_dexp(d, T);
            vg_se3_dexpinv(d, Ti);
            vg_mm6(T, Ti, I);
            for (int k = 0; k < 36; k++) CHECK_NEAR(I[k], k % 7 == 0, 1e-14);
            dexp_series(d, w, ref);
            vg_store6(w, v);
            vg_mv6(T, v, y);
            check_arrays(6, y, ref, 3e-15);
            vg_store6(vg_se3_dexp_mul(d, w), a);
            check_arrays(6, y, a, 2e-15);
            vg_store6(vg_se3_dexpinv_mul(d, vg_load6(y)), a);
            check_arrays(6, a, v, 2e-14);
        }
}

static void pose_along(const double *x, const double *f, double *y)
{
    vgPose X = vg_se3_exp(vg_axpy6(x[0], vg_load6(f + 6), vg_load6(f)));
    vg_store3(X.p, y);
    vg_mstore3(X.R, y + 3);
}

/* the body twist is (R^T p', R^T R') */
TEST(dexp_is_the_body_twist)
{
    for (int i = 0; i < NSIZE; i++) {
        vgVec6 d = vg_v6(check_vec(1.5), check_vec(sizes[i])), u = vg_v6(check_vec(1), check_vec(1));
        double f[12], t = 0, dX[12];
        vg_store6(d, f);
        vg_store6(u, f + 6);
        check_jacobian(pose_along, 1, 12, &t, f, dX);
        vgPose X = vg_se3_exp(d);
        vgVec6 V = vg_se3_dexp_mul(d, u);
        check_vecs(V.lin, vg_mtv3(X.R, vg_load3(dX)), 1e-11);
        check_mats(vg_skew3(V.ang), vg_mtm3(X.R, vg_mload3(dX + 3)), 1e-11);
    }
}

static void dexp_times(const double *x, const double *f, double *y)
{
    vg_store6(vg_se3_dexp_mul(vg_load6(x), vg_load6(f)), y);
}

TEST(derivatives_against_differences)
{
    for (int i = 0; i < NSIZE; i++) {
        vgVec6 d = vg_v6(check_vec(1.5), check_vec(sizes[i])), w = vg_v6(check_vec(1), check_vec(1));
        double x[6], f[6], J[36], D[36];
        vg_store6(d, x);
        vg_store6(w, f);
        check_jacobian(dexp_times, 6, 6, x, f, J);
        vg_se3_d_dexp(d, w, D);
        check_arrays(36, D, J, 2e-10);
    }
}

/* a twist seen from the parent is that of the same motion there; the bracket is what its matrix says */
TEST(spatial_transforms)
{
    vgPose X = vg_pose(check_vec(2), vg_so3_exp(check_vec(2))),
           Y = vg_pose(check_vec(1), vg_so3_exp(check_vec(1)));
    vgVec6 V = vg_v6(check_vec(1), check_vec(1)), W = vg_v6(check_vec(1), check_vec(1));
    double v[6], y[6], z[6];
    /* the twist seen in A: that of the curve X exp(tV) X^-1 */
    vg_store6(vg_twist_to_parent(X, V), y);
    vgPose M = vg_pose_mul(vg_pose_mul(X, vg_se3_exp(V)), vg_pose_between(X, vg_pose(vg_zero3(), vg_eye3())));
    vg_store6(vg_se3_log(M), z);
    check_arrays(6, y, z, 1e-13);
    vg_store6(V, v);
    vg_store6(vg_twist_to_child(X, vg_load6(y)), z);
    check_arrays(6, z, v, 2e-15);
    double ad[36], w[6];
    vg_se3_ad(V, ad);
    vg_store6(W, w);
    vg_mv6(ad, w, y);
    vg_store6(vg_twist_cross(V, W), z);
    check_arrays(6, y, z, 1e-15);
    vgPose Z = vg_pose_between(X, vg_pose_mul(X, Y));
    check_mats(Z.R, Y.R, 1e-15);
    check_vecs(Z.p, Y.p, 1e-15);
}

TEST_MAIN(exp_log_and_dexp, dexp_is_the_body_twist, derivatives_against_differences, spatial_transforms)
