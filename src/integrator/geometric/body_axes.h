/* Momenta of the bodies in their own axes, for methods that conserve them. Coordinates lie and planar
 * (VG_INT_BODY_AXES): M is constant, T⁻¹(Δ)ᵀ = T⁻¹(−Δ), and Exp(−Δ) = T(Δ) T⁻¹(−Δ) turns a vector of body
 * axes from the beginning of an increment Δ to its end. */
#ifndef VERGE_INTEGRATOR_GEOMETRIC_BODY_AXES_H
#define VERGE_INTEGRATOR_GEOMETRIC_BODY_AXES_H

#include "integrator/integrator.h"

/* p = M v */
void vg_body_momentum(const vgSystem *sys, const double *v, double *p);
/* out = Exp(Δ) y on the rotations, y on the rest; scratch: 2 nv */
void vg_body_turn(const vgSystem *sys, const double *q, const double *delta, double sign, const double *y,
                  double *scratch, double *out);
/* ω × Jω, with p = M v; scratch: 3 nv */
void vg_body_gyroscopic(const vgSystem *sys, const double *q, const double *v, const double *p,
                        double *scratch, double *out);
/* v − the motion of all bodies as one rigid body that has the same momenta; kin at q, v. */
void vg_body_internal_velocity(const vgSystem *sys, const vgKin *kin, double *out);
/* Does any joint or force element hold on to the ground? */
int vg_body_grounded(const vgSystem *sys);

#endif
