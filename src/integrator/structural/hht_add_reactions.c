/* HHT-ADD with the reactions among the applied forces: a cheaper variant of [N] (11), all levels of the constraints held,
 *     q_{n+1} = q_n ⊕ Δ,  Δ = h v_n + h²/2 ((1 − 2β) a_n + 2β a_{n+1}) + R_q
 *     v_{n+1} = v_n + h ((1 − γ) a_n + γ a_{n+1}) + R_v
 *     a_{n+1} = (1 + α) f_{n+1} − α f_n,   Φ(q_{n+1}, t_{n+1}) = 0,   B v_{n+1} + Φ_t = 0
 * with γ = ½ − α, β = (1 − α)²/4 and R_q, R_v in the directions of the constraints.
 *
 * In (11) f = M⁻¹Q is that of the applied forces alone, so that R holds the whole of the constraints' accelerations. A
 * part Bᵀλ of the constraints' forces may be moved from R to f: where M and B are constant the motion stays as it is,
 * elsewhere it changes by as much as the method's error. Here it is the whole, with λ(t, q, v) of the equations at
 * acceleration level,
 *     M f + Bᵀλ = Q,   B f + γ = 0:
 * f is the acceleration of the motion, R what the levels above ask for beside it. No matrix but the stage's is made, no
 * M⁻¹ is asked for, and bodies may be without mass. On the slider-crank of [N] its errors at 2⁻⁷ s are nine times
 * those of (11). In the stage (stage.h, three levels) R_q is w/c_v, R_v is w − s. */
#include "integrator/structural/alpha.h"

static vgAlphaCoef hht(const double *param)
{
    double alpha = param[0];
    return (vgAlphaCoef){0, -alpha, 0.25 * (1 - alpha) * (1 - alpha), 0.5 - alpha};
}

static const vgParamSpec params[] = {
    {"alpha", -0.3, -1.0 / 3, 0, "numerical damping: 0 none (trapezoidal), −0.3 strong"},
    VG_ALPHA_PARAMS,
};
static const vgAlphaRow add_row = {hht, -1, 1};

const vgIntegratorRow vg_hht_add_reactions = {
    .name = "hht-add-reactions",
    .family = "stabilised index 2",
    .title =
        "HHT-ADD with the reactions among the applied forces: no M⁻¹, all levels satisfied; not [N] (11)",
    .citation = "after [N] (11); Jay, Negrut 2007",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .rho = {0.5, 1},
    .params = params,
    .nparam = sizeof params / sizeof params[0],
    .data = &add_row,
    .setup = vg_alpha_setup,
    .start = vg_alpha_start,
    .step = vg_alpha_step,
};
