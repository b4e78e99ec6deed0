#include "math/dense.h"
#include "math_check.h"

TEST(cross_is_skew_and_perpendicular)
{
    for (int i = 0; i < 20; i++) {
        vgVec3 a = check_vec(2), b = check_vec(3);
        vgVec3 ab = vg_cross3(a, b);
        check_vecs(ab, vg_mv3(vg_skew3(a), b), 1e-15);
        CHECK_NEAR(vg_dot3(ab, a), 0, 1e-14);
        vgVec3 p = vg_perp3(vg_unit3(a));
        CHECK_NEAR(vg_dot3(p, a), 0, 1e-15);
        CHECK_NEAR(vg_norm3(p), 1, 1e-15);
    }
    check_vecs(vg_cross3(vg_v3(1, 0, 0), vg_v3(0, 1, 0)), vg_v3(0, 0, 1), 0);
    check_vecs(vg_axpy3(2, vg_v3(1, 2, 3), vg_v3(1, 1, 1)), vg_v3(3, 5, 7), 0);
    check_vecs(vg_unit3(vg_zero3()), vg_zero3(), 0);
}

TEST(products_with_transposes)
{
    vgMat3 A = vg_m3(1, 2, 3, 4, 5, 6, 7, 8, 10), B = vg_m3(2, 0, 1, -1, 3, 2, 0, 1, 1);
    check_mats(vg_mm3(A, B), vg_m3(0, 9, 8, 3, 21, 20, 6, 34, 33), 0);
    check_mats(vg_mtm3(A, B), vg_mm3(vg_mt3(A), B), 0);
    check_mats(vg_mmt3(A, B), vg_mm3(A, vg_mt3(B)), 0);
    check_vecs(vg_mtv3(A, vg_v3(1, -1, 2)), vg_mv3(vg_mt3(A), vg_v3(1, -1, 2)), 0);
    CHECK_NEAR(vg_det3(A), -3, 1e-14);
    CHECK_NEAR(vg_trace3(A), 16, 0);
    check_mats(vg_mm3(A, vg_inv3(A)), vg_eye3(), 1e-14);
    check_mats(vg_outer3(vg_v3(1, 2, 3), vg_v3(4, 5, 6)), vg_m3(4, 5, 6, 8, 10, 12, 12, 15, 18), 0);
    double a[9];
    vg_mstore3(A, a);
    check_mats(vg_mload3(a), A, 0);
}

/* against the definition, entry by entry, for sizes that are not square */
TEST(small_dense_kernels)
{
    double A[6], B[12], C[8], Y[8], At[6];
    for (int i = 0; i < 6; i++) A[i] = check_random();
    for (int i = 0; i < 12; i++) B[i] = check_random();
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            Y[4 * i + j] = 0;
            for (int k = 0; k < 3; k++) Y[4 * i + j] += A[3 * i + k] * B[4 * k + j];
        }
    vg_gemm(2, 3, 4, A, B, C);
    check_arrays(8, C, Y, 1e-15);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) At[2 * j + i] = A[3 * i + j];
    vg_gemm_tn(2, 3, 4, At, B, C);
    check_arrays(8, C, Y, 1e-15);
    vg_gemm_add(2, 3, 4, -1, A, B, C);
    for (int i = 0; i < 8; i++) CHECK_NEAR(C[i], 0, 1e-15);
    double x[3] = {1, -2, 3}, y[2], z[3] = {0}, one[2] = {1, 2};
    vg_gemv(2, 3, A, x, y);
    CHECK_NEAR(y[1], A[3] - 2 * A[4] + 3 * A[5], 1e-15);
    vg_gemv_t(2, 3, A, one, z);
    CHECK_NEAR(z[2], A[2] + 2 * A[5], 1e-15);
}

TEST_MAIN(cross_is_skew_and_perpendicular, products_with_transposes, small_dense_kernels)
