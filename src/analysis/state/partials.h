/* Partial derivatives of the dynamics at a state:
 *
 *     a(q, v, u, f)   forward: accelerations, by coordinates, rates, inputs and forces f added along the coordinates
 *     τ(q, v, a)      inverse: τ = M a − f(t, q, v), by coordinates, rates and accelerations (M)
 *
 * The derivative by q is along q ⊕ δ (a turn by δ where a rotation is described by more numbers than freedoms), the others
 * being kept. With constraints a is the accelerations that satisfy B a + γ = 0:
 *
 *     [ M  Bᵀ ] ( δa )     ( ∂r/∂q δq + ∂r/∂v δv )
 *     [ B  0  ] ( δλ ) = − ( ∂(B a + γ)/∂q δq + ∂γ/∂v δv )
 *
 * so that δq and δv of a motion that exists must satisfy the constraints, too. The derivatives of r are exact (those of
 * Newton's matrix), those of the rows of closing joints are central differences of fourth order. */
#ifndef VERGE_ANALYSIS_STATE_PARTIALS_H
#define VERGE_ANALYSIS_STATE_PARTIALS_H

#include "system/system.h"

typedef struct vgPartials vgPartials;

/* Row-major; NULL: not wanted. n = nv. */
typedef struct vgPartialsOut {
    double *a_q, *a_v, *a_f;      /* n × n */
    double *a_u;                  /* n × nu */
    double *tau_q, *tau_v, *mass; /* n × n */
} vgPartialsOut;

/* Room for them. */
vgStatus vg_partials_new(const vgSystem *sys, vgPartials **out);
void vg_partials_free(vgPartials *p);

/* NULL, or why there are none for this model and setting, in words. */
const char *vg_partials_refuses(const vgSystem *sys);

/* At t, q, v of the state; its a and λ are not read. slot: places of nu inputs in the turn memory of the state, which is
 * changed for the time of the call. VG_SINGULAR: there is freedom without mass. */
vgStatus vg_partials_at(vgPartials *p, vgWork *work, vgState *state, int nu, const int *slot,
                        const vgPartialsOut *out);

#endif
