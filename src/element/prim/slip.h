/* Velocity-level primitives (KNIFE, ROLLING): rows A(q) ξ = 0 that are no derivative of a position. */
#ifndef VERGE_ELEMENT_PRIM_SLIP_H
#define VERGE_ELEMENT_PRIM_SLIP_H

#include "element/prim/prim.h"

void vg_slip_eval(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out);
/* Change of the rows, weighted by λ and summed, along the native variation dx of both bodies. */
void vg_slip_vary(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda,
                  const double dx[12], double out[12]);

#endif
