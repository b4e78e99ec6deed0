/* Rigid motions with body-frame twists (v_B, w_B), linear part first: H(d) = H exp(d), d = (dp, dh).
 *
 *     exp(dp, dh):  R = exp(skew dh),  p = T(dh)^T dp
 *     twist = T6(d) d',   T6 = [T(dh), Q; 0, T(dh)],   Q = derivative of T(dh) along dp
 *
 * The block form of T6 is T evaluated on dual vectors dh + eps dp, hence Q and all derivatives come from so3.
 * 6x6 matrices are row-major double[36]. */
#ifndef VERGE_MATH_SE3_H
#define VERGE_MATH_SE3_H

#include "math/so3.h"

/* A twist (v, w) or a wrench (force, torque) or an increment (dp, dh). */
typedef struct vgVec6 {
    vgVec3 lin, ang;
} vgVec6;

/* Pose of B in A: a point with B-coordinates r has A-coordinates p + R r. */
typedef struct vgPose {
    vgVec3 p;
    vgMat3 R;
} vgPose;

static inline vgVec6 vg_v6(vgVec3 lin, vgVec3 ang)
{
    return (vgVec6){lin, ang};
}

static inline vgVec6 vg_load6(const double a[6])
{
    return (vgVec6){vg_load3(a), vg_load3(a + 3)};
}

static inline void vg_store6(vgVec6 a, double out[6])
{
    vg_store3(a.lin, out);
    vg_store3(a.ang, out + 3);
}

/* s x + y */
static inline vgVec6 vg_axpy6(double s, vgVec6 x, vgVec6 y)
{
    return (vgVec6){vg_axpy3(s, x.lin, y.lin), vg_axpy3(s, x.ang, y.ang)};
}

static inline double vg_dot6(vgVec6 a, vgVec6 b)
{
    return vg_dot3(a.lin, b.lin) + vg_dot3(a.ang, b.ang);
}

static inline vgPose vg_pose(vgVec3 p, vgMat3 R)
{
    return (vgPose){p, R};
}

/* X_AC = X_AB X_BC */
static inline vgPose vg_pose_mul(vgPose X_AB, vgPose X_BC)
{
    return (vgPose){vg_add3(X_AB.p, vg_mv3(X_AB.R, X_BC.p)), vg_mm3(X_AB.R, X_BC.R)};
}

/* X_AB^-1 X_AC = X_BC */
static inline vgPose vg_pose_between(vgPose X_AB, vgPose X_AC)
{
    return (vgPose){vg_mtv3(X_AB.R, vg_sub3(X_AC.p, X_AB.p)), vg_mtm3(X_AB.R, X_AC.R)};
}

/* Twist measured at and in B becomes the twist of the same rigid motion at and in A. */
static inline vgVec6 vg_twist_to_parent(vgPose X_AB, vgVec6 V_B)
{
    vgVec3 w = vg_mv3(X_AB.R, V_B.ang);
    return (vgVec6){vg_add3(vg_mv3(X_AB.R, V_B.lin), vg_cross3(X_AB.p, w)), w};
}

/* The inverse: a twist at and in A, seen at and in B. */
static inline vgVec6 vg_twist_to_child(vgPose X_AB, vgVec6 V_A)
{
    vgVec3 v = vg_add3(V_A.lin, vg_cross3(V_A.ang, X_AB.p));
    return (vgVec6){vg_mtv3(X_AB.R, v), vg_mtv3(X_AB.R, V_A.ang)};
}

/* Lie bracket ad(V) W of twists. */
static inline vgVec6 vg_twist_cross(vgVec6 V, vgVec6 W)
{
    return (vgVec6){vg_add3(vg_cross3(V.ang, W.lin), vg_cross3(V.lin, W.ang)), vg_cross3(V.ang, W.ang)};
}

/* Ad with vg_twist_to_parent(X, V) = Ad V. */
/* ad with vg_twist_cross(V, W) = ad W. */
void vg_se3_ad(vgVec6 V, double ad[36]);

vgPose vg_se3_exp(vgVec6 d);
vgVec6 vg_se3_log(vgPose X);
void vg_se3_dexp(vgVec6 d, double T[36]);
void vg_se3_dexpinv(vgVec6 d, double Tinv[36]);
void vg_se3_d_dexp(vgVec6 d, vgVec6 w, double D[36]); /* d(T6(d) w)/dd */
vgVec6 vg_se3_dexp_mul(vgVec6 d, vgVec6 w);           /* T6(d) w */
vgVec6 vg_se3_dexpinv_mul(vgVec6 d, vgVec6 w);        /* T6^-1(d) w */

#endif
