/* Rows of the Newmark family (alpha.c): Newmark's own method, [G] (7.28), (7.29), [N] (5), the trapezoidal
 * rule with consistent velocities and accelerations ([G] 7.1.5, [D]), linear acceleration, and HHT.
 *
 * HHT here is generalized-α with α_m = 0, α_f = −α: for a constant mass matrix the same as the equilibrium
 * weighted with 1 + α of Hilber, Hughes and Taylor, [G] (7.36), and of order 2 for any other too. */
#include "integrator/structural/alpha.h"

/* ---- Newmark ---- */

static vgAlphaCoef newmark(const double *param)
{
    return (vgAlphaCoef){0, 0, param[1], param[0]};
}

static int newmark_order(const double *param)
{
    return param[0] > 0.5 ? 1 : 2;
}

static const vgParamSpec newmark_params[] = {
    {"gamma", 0.6, 0.5, 1, "γ: above ½ dissipates, and the order falls to 1"},
    {"beta", 0.3025, 0.05, 1, "β: (γ + ½)²/4 damps high frequencies most; stable from γ/2 on"},
    VG_ALPHA_PARAMS,
};
static const vgAlphaRow newmark_row = {newmark, -1, 0};

const vgIntegratorRow vg_newmark = {
    .name = "newmark",
    .family = "structural",
    .title = "Newmark's method with dissipation",
    .citation = "Newmark 1959; [N] (5)–(7); [G] (7.28), (7.29)",
    .order = 1,
    .order_of = newmark_order,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_LEAN,
    .constraints = VG_CON_STAGE,
    .rho = {1. / 3, 1},
    .params = newmark_params,
    .nparam = sizeof newmark_params / sizeof newmark_params[0],
    .data = &newmark_row,
    .setup = vg_alpha_setup,
    .start = vg_alpha_start,
    .step = vg_alpha_step,
};

/* ---- trapezoidal rule ---- */

static vgAlphaCoef average_acceleration(const double *param)
{
    (void)param;
    return (vgAlphaCoef){0, 0, 0.25, 0.5};
}

static const vgParamSpec trapezoidal_params[] = {
    {"project", 1, 0, 2,
     "velocities, accelerations and multipliers made consistent after each step: 1 with the tangent of the "
     "step where it is at hand, 2 with the mass matrix"},
    VG_ALPHA_PARAMS,
};
static const vgAlphaRow trapezoidal_row = {average_acceleration, 0, 0};

const vgIntegratorRow vg_trapezoidal = {
    .name = "trapezoidal",
    .family = "structural",
    .title = "Trapezoidal rule (average acceleration) with velocity projection",
    .citation = "[G] (7.28)–(7.33); [D]",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_LEAN,
    .constraints = VG_CON_STAGE,
    .rho = {1, 1},
    .params = trapezoidal_params,
    .nparam = sizeof trapezoidal_params / sizeof trapezoidal_params[0],
    .data = &trapezoidal_row,
    .setup = vg_alpha_setup,
    .start = vg_alpha_start,
    .step = vg_alpha_step,
};

/* ---- linear acceleration: stable to ωh = 2√3 alone, so not for constraints at position level ---- */

static vgAlphaCoef linear_acceleration(const double *param)
{
    (void)param;
    return (vgAlphaCoef){0, 0, 1. / 6, 0.5};
}

static const vgParamSpec linear_params[] = {VG_ALPHA_PARAMS};
static const vgAlphaRow linear_row = {linear_acceleration, -1, 0};

const vgIntegratorRow vg_linear_acceleration = {
    .name = "linear-acceleration",
    .family = "structural",
    .title = "Newmark's method with linear acceleration",
    .citation = "[G] 7.1.5",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ESTIMATE | VG_INT_LEAN,
    .constraints = VG_CON_ACCEL,
    .params = linear_params,
    .nparam = sizeof linear_params / sizeof linear_params[0],
    .data = &linear_row,
    .setup = vg_alpha_setup,
    .start = vg_alpha_start,
    .step = vg_alpha_step,
};

/* ---- HHT ---- */

static vgAlphaCoef hht(const double *param)
{
    double alpha = param[0];
    return (vgAlphaCoef){0, -alpha, 0.25 * (1 - alpha) * (1 - alpha), 0.5 - alpha};
}

static const vgParamSpec hht_params[] = {
    {"alpha", -0.1, -1. / 3, 0, "α: the more negative, the more high frequencies are damped"},
    VG_ALPHA_PARAMS,
};
const vgAlphaRow vg_hht_data = {hht, -1, 0};

const vgIntegratorRow vg_hht = {
    .name = "hht",
    .family = "structural",
    .title = "HHT-α",
    .citation = "Hilber, Hughes, Taylor 1977; [G] (7.36); [N]",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_LEAN,
    .constraints = VG_CON_STAGE,
    .rho = {0.5, 1},
    .params = hht_params,
    .nparam = sizeof hht_params / sizeof hht_params[0],
    .data = &vg_hht_data,
    .setup = vg_alpha_setup,
    .start = vg_alpha_start,
    .step = vg_alpha_step,
};
