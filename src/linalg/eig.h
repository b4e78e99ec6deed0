/* Eigenproblems, for analysis (they allocate their workspace). Matrices are n × n row-major and stay intact;
 * vectors come one after the other, vector k at vectors + k·n; vectors may be NULL. */
#ifndef VG_LINALG_EIG_H
#define VG_LINALG_EIG_H

#include "base/status.h"

/* A x = λ B x, A symmetric, B symmetric positive definite (else VG_SINGULAR): values ascending, xᵀ B x = 1.
 */
vgStatus vg_eig_symmetric_pair(const double *a, const double *b, int n, double *values, double *vectors);

/* A x = λ x: values re + i·im. A complex pair k, k + 1 (im[k] > 0) has the vectors v_k ± i v_{k+1}. */
vgStatus vg_eig_general(const double *a, int n, double *re, double *im, double *vectors);

#endif
