#include "math/se3.h"

/* [A B; C D] of 3x3 blocks */
static void blocks(vgMat3 A, vgMat3 B, vgMat3 C, vgMat3 D, double out[36])
{
    vg_mput3(A, out, 6);
    vg_mput3(B, out + 3, 6);
    vg_mput3(C, out + 18, 6);
    vg_mput3(D, out + 21, 6);
}

void vg_se3_adjoint(vgPose X_AB, double Ad[36])
{
    blocks(X_AB.R, vg_mm3(vg_skew3(X_AB.p), X_AB.R), vg_mzero3(), X_AB.R, Ad);
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

void vg_se3_d_dexpinv(vgVec6 d, vgVec6 w, double D[36])
{
    vgMat3 Db = vg_so3_d_dexpinv(d.ang, w.ang);
    vgMat3 A = vg_madd3(vg_so3_d_dexpinv(d.ang, w.lin), vg_so3_dd_dexpinv(d.ang, w.ang, d.lin));
    blocks(Db, A, vg_mzero3(), Db, D);
}

/* Column j of T6' is the derivative of T6 e_j along d'. */
void vg_se3_dexp_dot(vgVec6 d, vgVec6 ddot, double Tdot[36])
{
    vgMat3 A = vg_so3_dexp_dot(d.ang, ddot.ang), Q = vg_so3_dexp_dot(d.ang, ddot.lin);
    vgVec3 q[3];
    for (int j = 0; j < 3; j++) q[j] = vg_mv3(vg_so3_dd_dexp(d.ang, vg_unit_axis3(j), d.lin), ddot.ang);
    blocks(A, vg_madd3(Q, vg_cols3(q[0], q[1], q[2])), vg_mzero3(), A, Tdot);
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
