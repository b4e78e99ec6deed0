/* The single-step form SSr of the multistep method LMSr ([Z] section 2.2): auxiliary rates take the place of
 * earlier states,
 *     y_k = y_{k−1} + h[(1 − γ₀) w^{r−1}_{k−1} + γ₀ w^{r−1}_k],
 *     (1 − o_j) w^j_{k−1} + o_j w^j_k = (1 − γ₀) w^{j−1}_{k−1} + γ₀ w^{j−1}_k,   j = 1 … r−1,  w⁰ = ẏ,
 * γ₀ = 1/(1 + ρ∞), o_j = (A_j − (A_j − 1)ρ∞)/(1 + ρ∞) with A_j complex for r = 3, 4.
 *
 * Steps of other sizes: w^j stands for ẏ at t_k + δ_j h, δ_j = δ_{j−1} + γ₀ − o_j, to O(h²), and is carried along when h
 * changes, w^j += δ_j (h − h_{k−1}) ÿ. The order stays 2, and so does zero-stability for any steps: what is left of a w^j
 * after a step is the factor (o_j − 1)/o_j of it, whatever h is. The local error is C h³ y‴ with the constant C of
 * LMSr (docs/theory.md, eq. 33a). */
#ifndef VERGE_INTEGRATOR_STRUCTURAL_SS_H
#define VERGE_INTEGRATOR_STRUCTURAL_SS_H

#include "integrator/stage/stage.h"

typedef struct vgSs {
    int r;
    double g0, odd_re[3], odd_im[3];
    double gain_re[3], gain_im[3];   /* share of the new ẏ in w^j */
    double b0;                       /* share of h ẏ in y */
    double ahead_re[3], ahead_im[3]; /* δ_j */
    double constant;                 /* C */
    vgStage *stage;
    double *x; /* the rest of the w^j: as the auxiliaries */
    double *dhat, *vhat, *guess;
} vgSs;

void vg_ss_place(vgSs *w, int r, const vgSystem *sys, vgArena *arena);
void vg_ss_make(vgSs *w, int r, double rho);
/* Auxiliaries in the history: (r − 1) × {Δ̇, a} × {real, imaginary} × nv. */
int vg_ss_size(const vgSystem *sys, int r);
void vg_ss_begin(const vgSystem *sys, int r, const vgState *s, double *aux);
/* One step; past: v and a of the state before at t_n − h_past, NULL: not known; predictor 0 or 2. With error control and
 * a past a step whose error exceeds 1 leaves the state as it was. */
vgStatus vg_ss_step(vgIntegrator *it, vgSs *w, vgState *s, double *aux, double h, int predictor,
                    const double *past, double h_past, vgStep *x);

/* LMSr under error control: set-up, start and step of the single-step form. The first number of row->data is r. */
vgStatus vg_ss_controlled_setup(vgIntegrator *it, double rho, int predictor);
extern const vgIntegratorRow vg_ss_controlled; /* stands in for the row (vgIntegrator.as) */

#endif
