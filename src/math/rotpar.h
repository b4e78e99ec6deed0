/* Rotation parameters as generalized coordinates, with everything that w = G a', w' = G a'' + G' a' and
 * generalized forces G^T t need in a tangent matrix. w is the body-frame angular velocity.
 *
 * Tait-Bryan xyz angles a = (f, h, s): R = Rx(f) Ry(h) Rz(s); singular at cos h = 0.
 *     G = [cs ch, ss, 0; -ss ch, cs, 0; sh, 0, 1]
 *
 * Euler parameters e = (e0, ev): R(e) = (e0^2 - ev.ev) I + 2 ev evT + 2 e0 skew(ev), homogeneous of degree
 * two: |e|^2 times a rotation, taken as it stands off the unit sphere, so all derivatives are exact
 * derivatives of this form. G(e) = 2 L(e), L = [-ev, e0 I - skew(ev)], w = G e' (on the unit sphere, e.e' =
 * 0). G is linear in e, so G' = G(e') and G(e') e' = 0. Shapes: G 3x4, row-major. */
#ifndef VERGE_MATH_ROTPAR_H
#define VERGE_MATH_ROTPAR_H

#include "math/vec.h"

vgMat3 vg_angles_to_mat(vgVec3 a);
vgVec3 vg_angles_from_mat(vgMat3 R); /* h in [-pi/2, pi/2]; reproduces R at the singularity too */
vgMat3 vg_angles_G(vgVec3 a);
vgMat3 vg_angles_Ginv(vgVec3 a);
vgMat3 vg_angles_Gdot(vgVec3 a, vgVec3 adot);
vgMat3 vg_angles_d_G(vgVec3 a, vgVec3 w); /* d(G w)/da */
/* d(G'(a, u) w)/da with G' the rate of G along a' = u. The other two derivatives of G'(a, u) w are
 * vg_angles_d_G(a, w) with respect to u and vg_angles_Gdot(a, u) with respect to w. */
vgMat3 vg_angles_d_Gdot(vgVec3 a, vgVec3 u, vgVec3 w);
/* d(G'(a, w) w)/dw = both of them added */
vgMat3 vg_angles_d_Gdot_rate(vgVec3 a, vgVec3 w);

vgMat3 vg_ep_to_mat(const double e[4]);
void vg_ep_from_mat(vgMat3 R, double e[4]);
void vg_ep_G(const double e[4], double G[12]);
vgVec3 vg_ep_omega(const double e[4], const double edot[4]);
void vg_ep_rate(const double e[4], vgVec3 w, double edot[4]);
void vg_ep_d_G(const double w[4], double D[12]); /* d(G(e) w)/de = -G(w), 3x4 */
void vg_ep_Gt(const double e[4], vgVec3 t, double out[4]);

#endif
