/* The stabilised index-2 methods of [N] as rows of their own; each is a setting of the dials.
 *   nstiff-si2   backward differences of order 2 with `index2`, [N] (9), (10)
 *   hht-si2      HHT-α with `index2`, [N] (12), (13):
 *       q_{n+1} = q_n ⊕ Δ,  Δ = h v_n + h²/2 ((1 − 2β) a_n + 2β a_{n+1}) + (h²/2) ā
 *       v_{n+1} = v_n + h ((1 − γ) a_n + γ a_{n+1})
 *       1/(1+α) M a_{n+1} + (Bᵀλ − f)_{n+1} − α/(1+α) (Bᵀλ − f)_n = 0
 * with α ∈ [−0.3, 0], γ = ½ − α, β = (1 − α)²/4. The correction ā of the positions lies in the directions of
 * the constraints. The third equation is taken in the form of generalized-α (alpha.c): with the accelerations
 * v̇ of the equations of motion at both ends, M v̇ + Bᵀλ = f, it says a_{n+1} = (1 + α) v̇_{n+1} − α v̇_n, the
 * same for a constant mass matrix. Where the matrix varies, [N] takes it midstep; here each v̇ has the matrix
 * of its own time, which leaves the order at 2 and asks for no evaluation besides the stage's. */
#include "integrator/structural/alpha.h"

static const vgParamSpec hht_params[] = {
    {"alpha", -0.3, -1.0 / 3, 0, "numerical damping: 0 none (trapezoidal), −0.3 strong"},
    VG_ALPHA_PARAMS,
};

const vgIntegratorRow vg_hht_si2 = {
    .name = "hht-si2",
    .family = "stabilised index 2",
    .title = "HHT-α, stabilised index 2",
    .citation = "[N] (12), (13); Jay, Negrut 2008",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .rho = {0.5, 1},
    .params = hht_params,
    .nparam = sizeof hht_params / sizeof hht_params[0],
    .data = &vg_hht_data,
    .setup = vg_alpha_setup,
    .start = vg_alpha_start,
    .step = vg_alpha_step,
};

/* A row that is another row with the constraints fixed: the calls go to that one. */
extern const vgIntegratorRow vg_bdf2;

static vgStatus nstiff_setup(vgIntegrator *it)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    for (int i = 0; i < it->row->nparam; i++) it->param[i] = it->row->params[i].fallback;
    vgStatus st = it->row->setup(it);
    it->row = self;
    return st;
}

static vgStatus nstiff_start(vgIntegrator *it, vgState *s)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    vgStatus st = it->row->start(it, s);
    it->row = self;
    return st;
}

static vgStatus nstiff_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    vgStatus st = it->row->step(it, s, h, x);
    it->row = self;
    return st;
}

const vgIntegratorRow vg_nstiff_si2 = {
    .name = "nstiff-si2",
    .family = "stabilised index 2",
    .title = "backward differences of order 2, stabilised index 2",
    .citation = "[N] (9), (10); Gear, Gupta, Leimkuhler 1985",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_LSTABLE | VG_INT_MULTISTEP | VG_INT_ESTIMATE,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .setup = nstiff_setup,
    .start = nstiff_start,
    .step = nstiff_step,
};
