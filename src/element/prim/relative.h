/* Two ways in which almost every force acts, written once with exact tangents, so that a force kind only has
 * to give its own law. Both map a small law to native wrenches by virtual work, hence momentum is conserved
 * exactly.
 *
 * vgPair: forces +F on a point of body b and −F on a point of body a, F depending on d = P_B − P_A and u = ḋ
 * in W.
 *
 * vgRel: the motion of frame B seen in frame A,
 *     y = R_WAᵀ (P_B − P_A),   R_AB,   u = ẏ,   w = relative angular velocity,   all in A's axes,
 * and a wrench W = (F, T) on B at B's origin in A's axes as a function of them. With δφ the relative rotation
 * in A's axes, (δy, δφ) = J δξ and (u, w) = J ξ, native wrench = Jᵀ W. */
#ifndef VERGE_ELEMENT_PRIM_RELATIVE_H
#define VERGE_ELEMENT_PRIM_RELATIVE_H

#include "element/force/force.h"

typedef struct vgPair {
    const vgFrame *A, *B;
    const vgKin *ka, *kb;
    vgVec3 d, u;
} vgPair;

void vg_pair_motion(const vgFrame *A, const vgFrame *B, const vgKin *ka, const vgKin *kb, vgPair *pair);
/* Adds the wrench of F to f (12). */
void vg_pair_wrench(const vgPair *pair, vgVec3 F, double f[12]);
/* Adds ∂f/∂δξ to K and ∂f/∂ξ to C (12×12, either may be NULL); Fd = ∂F/∂d, Fu = ∂F/∂u. Columns and rows of a
 * ground body are left alone where that saves work. */
void vg_pair_tangent(const vgPair *pair, vgVec3 F, vgMat3 Fd, vgMat3 Fu, double *K, double *C);

typedef struct vgRel {
    const vgFrame *A, *B;
    const vgKin *ka, *kb;
    vgVec3 y, u, w;
    vgMat3 R_AB;
    vgMat3 R_WA, R_Ab; /* frame A in W; body b's axes in A */
} vgRel;

/* y and u alone. */
void vg_rel_point(const vgFrame *A, const vgFrame *B, const vgKin *ka, const vgKin *kb, vgRel *rel);
void vg_rel_motion(const vgFrame *A, const vgFrame *B, const vgKin *ka, const vgKin *kb, vgRel *rel);
void vg_rel_wrench(const vgRel *rel, const double W[6], double f[12]);
/* Wx = ∂W/∂(y, φ), Wv = ∂W/∂(u, w), 6×6 row-major. */
void vg_rel_tangent(const vgRel *rel, const double W[6], const double Wx[36], const double Wv[36], double *K,
                    double *C);
/* Of three numbers with Zx = ∂/∂(y, φ), Zv = ∂/∂(u, w) (the upper halves of 6×6): adds ∂/∂δξ to K and ∂/∂ξ to
 * C (3×12). */
void vg_rel_rows(const vgRel *rel, const double Zx[36], const double Zv[36], double *K, double *C);

static inline int vg_force_wants_tangent(const vgForceOut *out)
{
    return out->K || out->C;
}

#endif
