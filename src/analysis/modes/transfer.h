/* The response of outputs to inputs that vibrate about a rest:
 *
 *     u = u₀ + Re δu e^{iωt},   y = y₀ + Re G(iω) δu e^{iωt}
 *
 * G(iω) = C (iω − A)⁻¹ B + D of the linear model (linear_model.h), without its matrices: for each frequency
 *
 *     [ K + iωC − ω²M   Bᵀ ] [ δq ]     [ ∂r/∂u ]
 *     [ B               0  ] [ δλ ]  = −[ ∂Φ/∂u ] δu
 *
 * is solved on the mechanism's graph, and outputs are differentiated along (δq, iω δq, −ω² δq, δλ, δu). Time and memory
 * grow as those of a step, not with the square of the number of states. */
#ifndef VG_ANALYSIS_MODES_TRANSFER_H
#define VG_ANALYSIS_MODES_TRANSFER_H

#include "analysis/channels/channels.h"

/* G at n frequencies (Hz) for nu inputs (measures as in vg_linear_model) and the outputs: re and im, [n × outputs × nu]. The state
 * is not changed. VG_UNSUPPORTED: not a rest, or a model that tangents on the graph do not know (groups of contacts, rolling, reactions in
 * laws); VG_SINGULAR: an undamped resonance. The reason is in diag. */
vgStatus vg_transfer(const vgSystem *sys, vgWork *work, const vgState *state, int nu, const int *inputs,
                     vgChannels *outputs, int n, const double *frequency, vgDiag *diag, double *re,
                     double *im);

#endif
