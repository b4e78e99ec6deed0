#include "math/so3.h"
#include "math_check.h"

static const double pi = 3.14159265358979323846;
static const double sizes[] = {0,     1e-300, 1e-12, 1e-8, 1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.3,
                               0.316, 0.317,  0.5,   1,    1.5,  2,    2.5,  3,    3.1, 3.14159};
enum { NSIZE = sizeof sizes / sizeof sizes[0] };

/* c_k by 60 terms of its series in long double: independent of branches and recurrences */
static long double stumpff_series(int k, long double s)
{
    long double term = 1, sum;
    for (int j = 2; j <= k; j++) term /= j;
    sum = term;
    for (int j = 1; j < 60; j++) {
        term *= -s / ((long double)(2 * j + k - 1) * (2 * j + k));
        sum += term;
    }
    return sum;
}

TEST(stumpff_against_long_double_series)
{
    for (int i = 0; i <= 1000; i++) {
        double h = pi * i / 1000, s = h * h, c[9];
        vg_stumpff(s, c);
        for (int k = 0; k <= 8; k++) {
            double ref = (double)stumpff_series(k, (long double)s);
            /* cos and sinc pass through zero: there the scale is one */
            CHECK_NEAR(c[k], ref, 1e-15 * (k < 2 ? 1 : fabs(ref)));
        }
    }
    for (double h = 3.2; h < 12; h += 0.37) {
        double c[9];
        vg_stumpff(h * h, c);
        CHECK_NEAR(c[1], (double)stumpff_series(1, (long double)h * h), 1e-15);
        CHECK_NEAR(c[5], (double)stumpff_series(5, (long double)h * h), 1e-15);
    }
}

/* sum over n of coefficient(n) D^n applied to w in long double: T has (-1)^n/(n+1)!, exp 1/n! */
static void power_series(vgVec3 d, vgVec3 w, int dexp, long double y[3])
{
    long double a[3] = {w.x, w.y, w.z}, v[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; i++) y[i] = a[i];
    for (int n = 1; n < 60; n++) {
        long double f = dexp ? -1.0L / (n + 1) : 1.0L / n;
        long double b[3] = {v[1] * a[2] - v[2] * a[1], v[2] * a[0] - v[0] * a[2], v[0] * a[1] - v[1] * a[0]};
        for (int i = 0; i < 3; i++) y[i] += a[i] = f * b[i];
    }
}

TEST(exp_and_dexp_against_power_series)
{
    for (int i = 0; i < NSIZE; i++)
        for (int r = 0; r < 5; r++) {
            vgVec3 d = check_vec(sizes[i]), w = check_vec(1), u;
            long double y[3];
            power_series(d, w, 0, y);
            u = vg_mv3(vg_so3_exp(d), w);
            check_vecs(u, vg_v3((double)y[0], (double)y[1], (double)y[2]), 1e-15);
            power_series(d, w, 1, y);
            u = vg_mv3(vg_so3_dexp(d), w);
            check_vecs(u, vg_v3((double)y[0], (double)y[1], (double)y[2]), 1e-15);
            /* small increments: T w - w to full relative accuracy means the increment itself is */
            vgMat3 R, T;
            vg_so3_exp_dexp(d, &R, &T);
            check_mats(R, vg_so3_exp(d), 0);
            check_mats(T, vg_so3_dexp(d), 0);
            check_mats(vg_mtm3(R, R), vg_eye3(), 2e-15);
        }
}

/* The derivative along u of sum (-1)^n D^n w/(n+1)!, term by term in long double. */
static void series_along(const long double v[3], const long double u[3], const long double w[3],
                         long double y[3], long double dy[3])
{
    long double a[3], da[3] = {0}, b[3], db[3];
    for (int i = 0; i < 3; i++) {
        y[i] = a[i] = w[i];
        dy[i] = 0;
    }
    for (int n = 1; n < 60; n++) {
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            b[i] = -(v[j] * a[k] - v[k] * a[j]) / (n + 1);
            db[i] = -(v[j] * da[k] - v[k] * da[j] + u[j] * a[k] - u[k] * a[j]) / (n + 1);
        }
        for (int i = 0; i < 3; i++) {
            y[i] += a[i] = b[i];
            dy[i] += da[i] = db[i];
        }
    }
}

/* x = T^-1 w by Cramer's rule in long double */
static void solve_series(const long double v[3], const long double w[3], long double x[3])
{
    static const long double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none[3] = {0};
    long double c[3][3], unused[3], det = 0;
    for (int j = 0; j < 3; j++) series_along(v, none, unit[j], c[j], unused);
    for (int j = 0; j < 3; j++) {
        const long double *p = c[(j + 1) % 3], *q = c[(j + 2) % 3];
        long double n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        x[j] = n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
        if (j == 0) det = n[0] * c[0][0] + n[1] * c[0][1] + n[2] * c[0][2];
    }
    for (int j = 0; j < 3; j++) x[j] /= det;
}

/* Directional derivatives of T w and T^-1 w = x, the latter from T dx = -dT x, over the whole range of
 * angles. The error is in units of the last place of numbers of size one: half a unit is 1.1e-16. */
TEST(derivatives_against_long_double_series)
{
    for (int i = 0; i < NSIZE + 40; i++)
        for (int r = 0; r < 5; r++) {
            vgVec3 d = check_vec(i < NSIZE ? sizes[i] : 3.1 * (i - NSIZE) / 40), w = check_vec(1),
                   u = check_vec(1);
            long double v[3] = {d.x, d.y, d.z}, lu[3] = {u.x, u.y, u.z}, lw[3] = {w.x, w.y, w.z};
            long double y[3], dy[3], x[3], dx[3];
            series_along(v, lu, lw, y, dy);
            check_vecs(vg_mv3(vg_so3_d_dexp(d, w), u), vg_v3((double)dy[0], (double)dy[1], (double)dy[2]),
                       1e-15);
            solve_series(v, lw, x);
            series_along(v, lu, x, y, dy);
            for (int k = 0; k < 3; k++) dy[k] = -dy[k];
            solve_series(v, dy, dx);
            check_vecs(vg_mv3(vg_so3_d_dexpinv(d, w), u), vg_v3((double)dx[0], (double)dx[1], (double)dx[2]),
                       1e-15);
        }
}

TEST(dexpinv_inverts_dexp)
{
    for (int i = 0; i < NSIZE; i++) {
        vgVec3 d = check_vec(sizes[i]);
        check_mats(vg_mm3(vg_so3_dexp(d), vg_so3_dexpinv(d)), vg_eye3(), 2e-15);
    }
    vgVec3 d = check_vec(5);
    check_mats(vg_mm3(vg_so3_dexp(d), vg_so3_dexpinv(d)), vg_eye3(), 1e-13);
}

TEST(log_returns_the_rotation_vector)
{
    for (int i = 0; i < NSIZE; i++)
        for (int r = 0; r < 10; r++) {
            vgVec3 d = check_vec(sizes[i]);
            double scale = sizes[i] < 1e-6 ? 1e-15 * sizes[i] : 2e-15;
            check_vecs(vg_so3_log(vg_so3_exp(d)), d, scale + 1e-15 * sizes[i]);
            check_vecs(vg_quat_log(vg_quat_exp(d)), d, scale + 1e-15 * sizes[i]);
        }
    /* at and around a half turn the vector may flip, the rotation may not */
    for (double e = -1e-3; e <= 1e-3; e += 0.9e-4)
        for (int r = 0; r < 10; r++) {
            vgMat3 R = vg_so3_exp(check_vec(pi + e));
            vgVec3 l = vg_so3_log(R);
            CHECK(vg_norm3(l) <= pi + 1e-15);
            check_mats(vg_so3_exp(l), R, 2e-15);
        }
    for (int k = 0; k < 3; k++) {
        vgVec3 n = vg_unit_axis3(k);
        check_vecs(vg_so3_log(vg_so3_exp(vg_scale3(n, pi))), vg_scale3(n, pi), 1e-15);
    }
    check_vecs(vg_so3_log(vg_eye3()), vg_zero3(), 0);
}

/* T from its meaning: skew(T u) = R^T dR/dt along d' = u */
static void exp_along(const double *x, const double *f, double *y)
{
    vg_mstore3(vg_so3_exp(vg_axpy3(x[0], vg_load3(f + 3), vg_load3(f))), y);
}

static void cgr_along(const double *x, const double *f, double *y)
{
    vg_mstore3(vg_cgr_exp(vg_axpy3(x[0], vg_load3(f + 3), vg_load3(f))), y);
}

TEST(dexp_is_the_body_angular_velocity)
{
    for (double h = 0; h < 3; h += 0.29) {
        double f[6], t = 0, dR[9];
        vgVec3 d = check_vec(h), u = check_vec(1);
        vg_store3(d, f);
        vg_store3(u, f + 3);
        check_jacobian(exp_along, 1, 9, &t, f, dR);
        check_mats(vg_mtm3(vg_so3_exp(d), vg_mload3(dR)), vg_skew3(vg_mv3(vg_so3_dexp(d), u)), 1e-11);
        check_jacobian(cgr_along, 1, 9, &t, f, dR);
        check_mats(vg_mtm3(vg_cgr_exp(d), vg_mload3(dR)), vg_skew3(vg_mv3(vg_cgr_dexp(d), u)), 1e-11);
    }
}

typedef vgMat3 (*matFn)(vgVec3);
typedef vgMat3 (*gradFn)(vgVec3, vgVec3);
typedef vgMat3 (*hessFn)(vgVec3, vgVec3, vgVec3);
static matFn now_mat;
static gradFn now_grad;

static void mat_times(const double *x, const double *f, double *y)
{
    vg_store3(vg_mv3(now_mat(vg_load3(x)), vg_load3(f)), y);
}

static void grad_times(const double *x, const double *f, double *y)
{
    vg_store3(vg_mv3(now_grad(vg_load3(x), vg_load3(f)), vg_load3(f + 3)), y);
}

TEST(derivatives_against_differences)
{
    static const struct {
        matFn mat;
        gradFn grad, dot;
        hessFn hess;
    } rows[] = {{vg_so3_dexp, vg_so3_d_dexp, vg_so3_dexp_dot, vg_so3_dd_dexp},
                {vg_so3_dexpinv, vg_so3_d_dexpinv, vg_so3_dexpinv_dot, NULL},
                {vg_cgr_dexp, vg_cgr_d_dexp, NULL, NULL}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < NSIZE; i++) {
            double f[6], x[3], J[9];
            vgVec3 d = check_vec(sizes[i]), w = check_vec(1), u = check_vec(1);
            vg_store3(d, x);
            vg_store3(w, f);
            vg_store3(u, f + 3);
            now_mat = rows[k].mat;
            now_grad = rows[k].grad;
            check_jacobian(mat_times, 3, 3, x, f, J);
            check_mats(rows[k].grad(d, w), vg_mload3(J), 1e-10);
            if (rows[k].dot) check_vecs(vg_mv3(rows[k].dot(d, u), w), vg_mv3(rows[k].grad(d, w), u), 1e-15);
            if (!rows[k].hess) continue;
            check_jacobian(grad_times, 3, 3, x, f, J);
            check_mats(rows[k].hess(d, w, u), vg_mload3(J), 1e-10);
        }
}

TEST(cayley_chart)
{
    for (double h = 0; h < 3.1; h += 0.2) {
        vgVec3 n = check_vec(1), g = vg_scale3(n, 2 * tan(h / 2));
        check_mats(vg_cgr_exp(g), vg_so3_exp(vg_scale3(n, h)), 2e-15);
        check_vecs(vg_cgr_log(vg_cgr_exp(g)), g, 1e-14 * (1 + vg_dot3(g, g)));
        check_mats(vg_mm3(vg_cgr_dexp(g), vg_cgr_dexpinv(g)), vg_eye3(), 1e-15 * (4 + vg_dot3(g, g)));
    }
}

TEST(quaternions)
{
    for (int i = 0; i < 50; i++) {
        vgVec3 a = check_vec(3 * check_random()), b = check_vec(3 * check_random());
        vgQuat p = vg_quat_exp(a), q = vg_quat_exp(b);
        check_mats(vg_quat_to_mat(p), vg_so3_exp(a), 2e-15);
        check_mats(vg_quat_to_mat(vg_quat_mul(p, q)), vg_mm3(vg_so3_exp(a), vg_so3_exp(b)), 2e-15);
        check_mats(vg_quat_to_mat(vg_quat_from_mat(vg_so3_exp(a))), vg_so3_exp(a), 2e-15);
        check_mats(vg_quat_to_mat(vg_quat_mul(p, vg_quat_conj(p))), vg_eye3(), 2e-15);
        vgQuat n = vg_quat_normalize(vg_quat(3 * p.w, 3 * p.x, 3 * p.y, 3 * p.z));
        CHECK_NEAR(n.w, p.w, 1e-15);
        CHECK_NEAR(n.z, p.z, 1e-15);
    }
}

TEST_MAIN(stumpff_against_long_double_series, exp_and_dexp_against_power_series,
          derivatives_against_long_double_series, dexpinv_inverts_dexp, log_returns_the_rotation_vector,
          dexp_is_the_body_angular_velocity, derivatives_against_differences, cayley_chart, quaternions)
