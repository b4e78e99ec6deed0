/* The largest eigenvalues of a linear map that is known by its products: Krylov–Schur (Stewart 2001) in its real form,
 * without Schur vectors: the basis that a restart keeps is any orthonormal one of the span of the wanted eigenvectors. It
 * allocates its workspace and gives the same bits for the same map. */
#ifndef VG_LINALG_EIG_LARGEST_H
#define VG_LINALG_EIG_LARGEST_H

#include "base/status.h"

typedef struct vgMap {
    int n;
    void *of;
    void (*apply)(void *of, double *x); /* x := T x */
    /* y := W x of the inner product xᵀWy, W symmetric and not negative. It may be singular where T x = 0. */
    void (*weigh)(void *of, const double *x, double *y);
    int symmetric; /* 1: W T = TᵀW */
    /* NULL, or what is shown the first estimates of the wanted eigenvalues, descending. 0: go on; 1: stop (VG_LIMIT), since
     * another map would show them better. */
    int (*look)(void *of, int n, const double *re);
} vgMap;

/* The `want` eigenvalues μ with the largest |μ|, descending, multiple ones as often as they occur; fewer where T has fewer
 * that are not zero. A pair k, k + 1 (im[k] > 0) has the vectors v_k ± i v_{k+1}, as in eig.h, and is not split: room for
 * want + 1 of all. xᵀWx = 1 (re and im together). VG_NOT_CONVERGED: after many restarts they still change.
 *
 * One starting vector finds a multiple eigenvalue once. What was found is therefore set aside, and the search starts
 * again beside it until it finds nothing larger. */
vgStatus vg_eig_largest(const vgMap *map, int want, int *found, double *re, double *im, double *vectors);

#endif
