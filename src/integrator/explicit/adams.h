/* Shared by the Adams methods: weights of the formulas for any spacing of the points, and the choice of steps. */
#ifndef VERGE_INTEGRATOR_EXPLICIT_ADAMS_H
#define VERGE_INTEGRATOR_EXPLICIT_ADAMS_H

#include "integrator/integrator.h"

/* tau: k points (t_j − t_n)/h, tau[0] = 0, going back in time; the new point is 1. Weights on the k points
 * and on the new one of: the explicit formula of order k, the implicit formula of order k (its last weight is
 * 0), and its error, the difference to the implicit formula of order k + 1. k ≤ 13. */
void vg_adams_weights(const double *tau, int k, double *bashforth, double *moulton, double *moulton_new,
                      double *error, double *error_new);

#endif
