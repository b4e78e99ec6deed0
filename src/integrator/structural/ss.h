/* The single-step form SSr of the multistep method LMSr ([Z] section 2.2): auxiliary rates take the place of
 * earlier states,
 *     y_k = y_{k−1} + h[(1 − γ₀) w^{r−1}_{k−1} + γ₀ w^{r−1}_k],
 *     (1 − o_j) w^j_{k−1} + o_j w^j_k = (1 − γ₀) w^{j−1}_{k−1} + γ₀ w^{j−1}_k,   j = 1 … r−1,  w⁰ = ẏ,
 * γ₀ = 1/(1 + ρ∞), o_j = (A_j − (A_j − 1)ρ∞)/(1 + ρ∞) with A_j complex for r = 3, 4. */
#ifndef VERGE_INTEGRATOR_STRUCTURAL_SS_H
#define VERGE_INTEGRATOR_STRUCTURAL_SS_H

#include "integrator/stage/stage.h"

typedef struct vgSs {
    int r;
    double g0, odd_re[3], odd_im[3];
    double gain_re[3], gain_im[3]; /* share of the new ẏ in w^j */
    double b0;                     /* share of h ẏ in y */
    vgStage *stage;
    double *x; /* the rest of the w^j: as the auxiliaries */
    double *dhat, *vhat, *guess;
} vgSs;

void vg_ss_place(vgSs *w, int r, const vgSystem *sys, vgArena *arena);
void vg_ss_make(vgSs *w, int r, double rho);
/* Auxiliaries in the history: (r − 1) × {Δ̇, a} × {real, imaginary} × nv. */
int vg_ss_size(const vgSystem *sys, int r);
void vg_ss_begin(const vgSystem *sys, int r, const vgState *s, double *aux);
/* One step; past as in vg_dirk_step, predictor 0 or 2. */
vgStatus vg_ss_step(vgIntegrator *it, vgSs *w, vgState *s, double *aux, double h, int predictor,
                    const double *past, double h_past);

#endif
