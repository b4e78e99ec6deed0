/* Motion of one body frame, the only thing elements ever see of the world (docs/theory.md, eq. 1–5).
 *
 * Native form, used by every element: the frame's origin is the body's centre of mass,
 *   variation   δξ = (δp in W, δθ in B),   R → R exp(δθ)
 *   velocity    ξ  = (v_WB in W, w_WB in B)
 *   wrench      f  = (force in W, torque about the origin in B),   power = f·ξ
 * A body uses a selection of the six native components (vgSelect): a rigid body all six, a point mass 0 1 2,
 * a planar body 0 1 5, a planar point 0 1, a scalar coordinate 0. */
#ifndef VERGE_ELEMENT_KIN_H
#define VERGE_ELEMENT_KIN_H

#include "math/vec.h"

typedef struct vgKin {
    vgVec3 p;  /* p_WB   position of the centre of mass */
    vgMat3 R;  /* R_WB   orientation */
    vgVec3 v;  /* v_WB   velocity in W */
    vgVec3 w;  /* w_WB_B angular velocity in B */
    vgVec3 dv; /* acceleration in W */
    vgVec3 dw; /* angular acceleration in B (time derivative of w) */
} vgKin;

/* Which native components a body has. */
typedef struct vgSelect {
    int n;
    int at[6];
} vgSelect;

/* A frame fixed on a body, given in that body's centre-of-mass frame. body < 0 is the ground (then r, R are
 * in W). */
typedef struct vgFrame {
    int body;
    vgVec3 r;
    vgMat3 R;
} vgFrame;

static inline vgVec3 vg_kin_point(const vgKin *k, vgVec3 r_B)
{
    return vg_add3(k->p, vg_mv3(k->R, r_B));
}

static inline vgVec3 vg_kin_point_velocity(const vgKin *k, vgVec3 r_B)
{
    return vg_add3(k->v, vg_mv3(k->R, vg_cross3(k->w, r_B)));
}

#endif
