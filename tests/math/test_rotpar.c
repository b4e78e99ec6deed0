#include "math/dense.h"
#include "math/rotpar.h"
#include "math/so3.h"
#include "math_check.h"

static const double pi = 3.14159265358979323846;

static vgVec3 some_angles(void)
{
    return vg_v3(3 * check_random(), 1.4 * check_random(), 3 * check_random());
}

TEST(angles_are_three_turns)
{
    for (int i = 0; i < 30; i++) {
        vgVec3 a = some_angles();
        vgMat3 Rx = vg_so3_exp(vg_v3(a.x, 0, 0)), Ry = vg_so3_exp(vg_v3(0, a.y, 0)),
               Rz = vg_so3_exp(vg_v3(0, 0, a.z));
        vgMat3 R = vg_mm3(Rx, vg_mm3(Ry, Rz));
        check_mats(vg_angles_to_mat(a), R, 2e-15);
        check_vecs(vg_angles_from_mat(R), a, 1e-14);
        check_mats(vg_mm3(vg_angles_G(a), vg_angles_Ginv(a)), vg_eye3(), 2e-15);
        double e[4];
        vg_ep_from_mat(R, e);
        check_mats(vg_ep_to_mat(e), R, 2e-15);
    }
    /* gimbal lock: the angles are not unique, the rotation is */
    for (int s = -1; s <= 1; s += 2) {
        vgMat3 R = vg_angles_to_mat(vg_v3(0.7, s * pi / 2, -1.1));
        check_mats(vg_angles_to_mat(vg_angles_from_mat(R)), R, 2e-15);
    }
}

static void angle_mat(const double *x, const double *f, double *y)
{
    vg_mstore3(vg_angles_to_mat(vg_axpy3(x[0], vg_load3(f + 3), vg_load3(f))), y);
}

static void angle_G(const double *x, const double *f, double *y)
{
    vg_store3(vg_mv3(vg_angles_G(vg_load3(x)), vg_load3(f)), y);
}

static void angle_Gdot(const double *x, const double *f, double *y)
{
    vg_store3(vg_mv3(vg_angles_Gdot(vg_load3(x), vg_load3(f)), vg_load3(f + 3)), y);
}

static void angle_Gdot_rate(const double *x, const double *f, double *y)
{
    vg_store3(vg_mv3(vg_angles_Gdot(vg_load3(f), vg_load3(x)), vg_load3(x)), y);
}

TEST(angle_derivatives)
{
    for (int i = 0; i < 20; i++) {
        vgVec3 a = vg_v3(3 * check_random(), check_random(), 3 * check_random()), u = check_vec(1),
               w = check_vec(1);
        double x[3], f[6], J[9], t = 0;
        vg_store3(a, f);
        vg_store3(w, f + 3);
        check_jacobian(angle_mat, 1, 9, &t, f, J);
        check_mats(vg_mtm3(vg_angles_to_mat(a), vg_mload3(J)), vg_skew3(vg_mv3(vg_angles_G(a), w)), 1e-11);
        vg_store3(w, x);
        check_jacobian(angle_Gdot_rate, 3, 3, x, f, J);
        check_mats(vg_angles_d_Gdot_rate(a, w), vg_mload3(J), 1e-11);
        vg_store3(a, x);
        vg_store3(w, f);
        check_jacobian(angle_G, 3, 3, x, f, J);
        check_mats(vg_angles_d_G(a, w), vg_mload3(J), 1e-11);
        check_vecs(vg_mv3(vg_angles_Gdot(a, u), w), vg_mv3(vg_angles_d_G(a, w), u), 1e-15);
        vg_store3(u, f);
        vg_store3(w, f + 3);
        check_jacobian(angle_Gdot, 3, 3, x, f, J);
        check_mats(vg_angles_d_Gdot(a, u, w), vg_mload3(J), 1e-11);
    }
}

static void ep_G(const double *x, const double *f, double *y)
{
    double G[12];
    vg_ep_G(x, G);
    vg_gemv(3, 4, G, f, y);
}

static void ep_Gt(const double *x, const double *f, double *y)
{
    double G[12];
    vg_ep_G(x, G);
    vg_gemv_t(3, 4, G, f, y);
}

/* off the unit sphere too: the derivatives are those of the forms as they stand */
TEST(euler_parameter_derivatives)
{
    for (int i = 0; i < 20; i++) {
        double e[4], f[6], J[12], D[12], y[4], z[4];
        for (int k = 0; k < 4; k++) e[k] = check_random();
        for (int k = 0; k < 6; k++) f[k] = check_random();
        check_jacobian(ep_G, 4, 3, e, f, J);
        vg_ep_d_G(f, D);
        check_arrays(12, D, J, 1e-11);
        ep_Gt(e, f, y);
        vg_ep_Gt(e, vg_load3(f), z);
        check_arrays(4, y, z, 1e-15);
    }
}

/* R(e + t e') u */
static void ep_turned(const double *t, const double *f, double *y)
{
    double e[4];
    for (int k = 0; k < 4; k++) e[k] = f[k] + t[0] * f[4 + k];
    vg_store3(vg_mv3(vg_ep_to_mat(e), vg_load3(f + 8)), y);
}

/* on the sphere G e' is the body angular velocity: R' = dR/de e' = R skew(G e') */
TEST(euler_parameter_rates)
{
    for (int i = 0; i < 20; i++) {
        double e[4], r[4], G[12], w3[3], f[11], y[3], t = 0;
        vgVec3 w = check_vec(1), u = check_vec(1);
        vg_ep_from_mat(vg_angles_to_mat(some_angles()), e);
        vg_ep_rate(e, w, r);
        CHECK_NEAR(e[0] * r[0] + e[1] * r[1] + e[2] * r[2] + e[3] * r[3], 0, 1e-15);
        check_vecs(vg_ep_omega(e, r), w, 1e-15);
        vg_ep_G(e, G);
        vg_gemv(3, 4, G, r, w3);
        check_vecs(vg_load3(w3), w, 1e-15);
        memcpy(f, e, sizeof e);
        memcpy(f + 4, r, sizeof r);
        vg_store3(u, f + 8);
        check_jacobian(ep_turned, 1, 3, &t, f, y);
        check_vecs(vg_load3(y), vg_mv3(vg_ep_to_mat(e), vg_cross3(w, u)), 1e-11);
    }
}

TEST_MAIN(angles_are_three_turns, angle_derivatives, euler_parameter_derivatives, euler_parameter_rates)
