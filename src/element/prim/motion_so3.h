/* Rotations in joint coordinates: quaternion w x y z, q ⊕ d = q exp(d), velocities in the moving frame. */
#ifndef VERGE_ELEMENT_PRIM_MOTION_SO3_H
#define VERGE_ELEMENT_PRIM_MOTION_SO3_H

#include "math/so3.h"

void vg_motion_so3_zero(double *q);
void vg_motion_so3_retract(const double *q, const double *d, double *out);
void vg_motion_so3_local(const double *q0, const double *q1, double *d);
void vg_motion_so3_rates(const double *d, const double *v, double *ddot);
void vg_motion_so3_twist(const double *d, const double *ddot, double *v);
void vg_motion_so3_tangent_inv(const double *d, double *Tinv);
void vg_motion_so3_tangent_diff(const double *d, const double *ddot, double *D);

#endif
