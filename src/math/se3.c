#include "math/se3.h"

/* [A B; C D] of 3x3 blocks */
static void blocks(vgMat3 A, vgMat3 B, vgMat3 C, vgMat3 D, double out[36])
{
    vg_mput3(A, out, 6);
    vg_mput3(B, out + 3, 6);
    vg_mput3(C, out + 18, 6);
    vg_mput3(D, out + 21, 6);
}

void vg_se3_ad(vgVec6 V, double ad[36])
{
    blocks(vg_skew3(V.ang), vg_skew3(V.lin), vg_mzero3(), vg_skew3(V.ang), ad);
}

/* p = (I + c2 D + c3 D^2) dp = T(dh)^T dp */
vgPose vg_se3_exp(vgVec6 d)
{
    vgPose X;
    vgMat3 T;
    vg_so3_exp_dexp(d.ang, &X.R, &T);
    X.p = vg_mtv3(T, d.lin);
    return X;
}

vgVec6 vg_se3_log(vgPose X)
{
    vgVec3 h = vg_so3_log(X.R);
    return vg_v6(vg_mtv3(vg_so3_dexpinv(h), X.p), h);
}

void vg_se3_dexp(vgVec6 d, double T[36])
{
    vgMat3 A = vg_so3_dexp(d.ang);
    blocks(A, vg_so3_dexp_dot(d.ang, d.lin), vg_mzero3(), A, T);
}

void vg_se3_dexpinv(vgVec6 d, double Tinv[36])
{
    vgMat3 A = vg_so3_dexpinv(d.ang);
    blocks(A, vg_so3_dexpinv_dot(d.ang, d.lin), vg_mzero3(), A, Tinv);
}

/* With w = (a, b): T6 w = (T a + D(h, b) p, T b) where D(h, b) = d(T(h) b)/dh. */
void vg_se3_d_dexp(vgVec6 d, vgVec6 w, double D[36])
{
    vgMat3 Db = vg_so3_d_dexp(d.ang, w.ang);
    vgMat3 A = vg_madd3(vg_so3_d_dexp(d.ang, w.lin), vg_so3_dd_dexp(d.ang, w.ang, d.lin));
    blocks(Db, A, vg_mzero3(), Db, D);
}

vgVec6 vg_se3_dexp_mul(vgVec6 d, vgVec6 w)
{
    vgMat3 A = vg_so3_dexp(d.ang);
    vgVec3 q = vg_mv3(vg_so3_d_dexp(d.ang, w.ang), d.lin);
    return vg_v6(vg_add3(vg_mv3(A, w.lin), q), vg_mv3(A, w.ang));
}

vgVec6 vg_se3_dexpinv_mul(vgVec6 d, vgVec6 w)
{
    vgMat3 A = vg_so3_dexpinv(d.ang);
    vgVec3 q = vg_mv3(vg_so3_d_dexpinv(d.ang, w.ang), d.lin);
    return vg_v6(vg_add3(vg_mv3(A, w.lin), q), vg_mv3(A, w.ang));
}
