/* The Newmark family in the form of generalized-α: what a row of it has to say. */
#ifndef VERGE_INTEGRATOR_STRUCTURAL_ALPHA_H
#define VERGE_INTEGRATOR_STRUCTURAL_ALPHA_H

#include "integrator/integrator.h"

typedef struct vgAlphaCoef {
    double am, af, beta, gamma;
} vgAlphaCoef;

/* A row's data. The parameters of a row are its own, then VG_ALPHA_PARAMS. */
typedef struct vgAlphaRow {
    vgAlphaCoef (*coef)(const double *param);
    int project; /* number of the parameter that asks for consistent velocities and accelerations; −1 none */
    int three_levels; /* with index 2: see stage.h */
} vgAlphaRow;

extern const vgAlphaRow vg_hht_data; /* HHT: the first parameter is α */

#define VG_ALPHA_PARAMS                                                                                             \
    {"tangent", 1, 0, 1, "1: T(Δ) in the iteration matrix, 0: neglected as in [H] (42)"},                           \
        {"start", 0, 0, 1, "0: ā₀ = a₀; 1: optimal start, ā₀ = a₀ + (α_m − α_f) h ȧ₀"},                             \
    {                                                                                                               \
        "predictor", 2, -2, 2,                                                                                      \
            "extrapolation of the accelerations: 0 constant, 1 linear, 2 quadratic (each given up where "           \
            "fast vibrations follow their recurrence or stay); −1: no motion; −2 or zero: v̇ = 0 and λ = 0, " \
            "as "                                                                                                   \
            "in [H] Algorithms 4, 5"                                                                                \
    }

vgStatus vg_alpha_setup(vgIntegrator *it);
vgStatus vg_alpha_start(vgIntegrator *it, vgState *s);
vgStatus vg_alpha_step(vgIntegrator *it, vgState *s, double h, vgStep *x);

#endif
