/* Butcher tableaux of explicit methods, and the error norm shared by all estimates. */
#ifndef VERGE_INTEGRATOR_RK_H
#define VERGE_INTEGRATOR_RK_H

#include "integrator/integrator.h"

typedef struct vgTableau {
    int stages, order;
    const double *a, *b, *c; /* a: stages×stages, row-major */
    const double *e, *e2;    /* error weights b − b̂ (NULL: none); e2: a second estimate */
    int fsal;                /* the last stage is evaluated at the new state */
} vgTableau;

double vg_error_norm(const vgIntegrator *it, const double *q, const double *v0, const double *v1,
                     const double *e_q, const double *e_v);

#endif
