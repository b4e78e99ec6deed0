/* HHT-ADD of [N] (11), all levels of the constraints held:
 *     q_{n+1} = q_n ⊕ Δ,  Δ = h v_n + h²/2 ((1 − 2β) a_n + 2β a_{n+1}) + h²/2 ((1 − b) R_I + b R_II)
 *     v_{n+1} = v_n + h ((1 − γ) a_n + γ a_{n+1}) + h/2 (R_I + R_II)
 *     a_{n+1} = (1 + α) f_{n+1} − α f_n,   Φ(q_{n+1}, t_{n+1}) = 0,   B v_{n+1} + Φ_t = 0
 * with γ = ½ − α, β = (1 − α)²/4 and R in the directions M⁻¹Bᵀ of the constraints.
 *
 * [N] has f = M⁻¹Q of the applied forces Q alone, so that R holds the whole of the constraints' accelerations
 * and M must be inverted by itself (inverse = 1: hht_add_inverse.c). A part Bᵀλ of the constraints' forces
 * may be moved from R to f: where M and B are constant the motion stays as it is, elsewhere it changes by as
 * much as the method's error. Here it is the whole, with λ(t, q, v) of the equations at acceleration level,
 *     M f + Bᵀλ = Q,   B f + γ = 0:
 * f is the acceleration of the motion, R what the levels above ask for beside it. No matrix but the stage's
 * is made, and bodies may be without mass. R_I and R_II enter by two sums; both in the directions at t_{n+1},
 * Φ = 0 determines the one and B v + Φ_t = 0 the other, for any b ≠ ½. In the stage (stage.h, three levels)
 * the first is w/c_v, the second w − s. */
#include <math.h>

#include "integrator/structural/alpha.h"
#include "integrator/structural/hht_add.h"
#include "integrator/stage/stage.h"
#include "integrator/tuning.h"

static vgAlphaCoef hht(const double *param)
{
    double alpha = param[VG_ADD_ALPHA];
    return (vgAlphaCoef){0, -alpha, 0.25 * (1 - alpha) * (1 - alpha), 0.5 - alpha};
}

static vgStatus setup(vgIntegrator *it)
{
    double b = it->param[VG_ADD_B];
    if (fabs(b - 0.5) < VG_B_HALF) {
        vg_fail(it, VG_BAD_INPUT, 0,
                "integrator 'hht-add': b = %g is too near ½, where the constraints' accelerations "
                "at both ends of the step cannot be told apart",
                b);
        return VG_BAD_INPUT;
    }
    if (it->param[VG_ADD_INVERSE] < 1) return vg_alpha_setup(it);
    it->as = &vg_hht_add_inverse;
    it->changes = "(inverse=1) makes no matrix that could be held from step to step";
    return it->as->setup(it);
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    return it->as ? it->as->start(it, s) : vg_alpha_start(it, s);
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    return it->as ? it->as->step(it, s, h, x) : vg_alpha_step(it, s, h, x);
}

static const vgParamSpec params[] = {
    {"alpha", -0.3, -1.0 / 3, 0, "numerical damping: 0 none (trapezoidal), −0.3 strong"},
    {"b", 0, -1, 2,
     "weight of the constraints' accelerations at the end of the step, not ½; seen with inverse = 1 alone"},
    {"inverse", 0, 0, 1,
     "1: f = M⁻¹Q of the applied forces alone, as [N] prints it, which needs an M that can be inverted"},
    VG_ALPHA_PARAMS,
};
static const vgAlphaRow add_row = {hht, -1, 1};

const vgIntegratorRow vg_hht_add = {
    .name = "hht-add",
    .family = "stabilised index 2",
    .title = "HHT-ADD: HHT-α with the constraints' accelerations added, all levels held",
    .citation = "[N] (11); Jay, Negrut 2007",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .rho = {0.5, 1},
    .params = params,
    .nparam = sizeof params / sizeof params[0],
    .data = &add_row,
    .setup = setup,
    .start = start,
    .step = step,
};
