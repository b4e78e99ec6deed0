/* Small motions reduced to the directions that the constraints leave free (docs/theory.md, eq. 59). Shared by the files of modes. */
#ifndef VG_ANALYSIS_MODES_REDUCED_H
#define VG_ANALYSIS_MODES_REDUCED_H

#include <stdlib.h>

#include "analysis/modes/modes.h"

/* The reduced system: η of y = Z η (ne), and velocities η̇ = N u − X η (nu). The last of η are coordinates of
 * which the rate alone matters (integrals of controllers): no states. */
typedef struct vgReduced {
    int n, ne, np, nu, state; /* coordinates, columns of Z, those that are states, columns of N, np + nu */
    double *Z;                /* n × ne */
    double *M, *C, *K;        /* ne × ne */
    double *N, *X;            /* ne × nu, ne × ne */
} vgReduced;

/* Zeroed matrices, to be freed with free(); NULL: out of memory. */
static inline double *vg_square(int n)
{
    return calloc((size_t)n * (size_t)n + 1, sizeof(double));
}

static inline double *vg_matrix(int m, int n)
{
    return calloc((size_t)m * (size_t)n + 1, sizeof(double));
}

/* out (k × l) := Aᵀ S D, A m × k, S m × p, D p × l; t: m × l scratch */
void vg_sandwich(const double *A, const double *S, const double *D, int m, int p, int k, int l, double *t,
                 double *out);
/* A := (A + Aᵀ)/2; returns the largest |A − Aᵀ| by the largest |A|. */
double vg_symmetrise(double *A, int n);
/* K x = ω² M x, ascending, the infinite ones left out; modes (NULL: not wanted) one after the other. *found: how many, or −1. */
vgStatus vg_squares(const double *K, const double *M, int n, double *w2, double *modes, int *found);
/* On failure *r is to be freed as well. */
vgStatus vg_reduced_new(const vgSystem *sys, const vgLinearised *l, vgReduced *r);
void vg_reduced_free(vgReduced *r);

#endif
