/* Nørsett's two-stage singly diagonally implicit Runge–Kutta methods (Nørsett 1974; [G] 7.1.2; [D]),
 *     A = [γ 0; 1 − 2γ γ],   b = (½, ½),   c = (γ, 1 − γ),
 * of order 2, of order 3 for γ = (3 ± √3)/6; R(∞) = 0 for γ = 1 ± √2/2. In local coordinates about q_n both
 * stages are single ones with c_v = 1/(γh). What both stages and the
 * result do is composite/diagonal.c. */
#include <math.h>
#include <string.h>

#include "integrator/composite/diagonal.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/tuning.h"

enum { P_GAMMA, P_ONCE };

typedef struct Sdirk {
    vgArena arena;
    vgDiagonal method;
    double a[4], c[2], e[2]; /* of its tableau */
} Sdirk;

static const double b[2] = {0.5, 0.5};

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Sdirk *w = own;
    w->method.tb.s = 2;
    vg_diagonal_place(&w->method, it->sys, a);
}

/* 3 where γ² − γ + 1/6 = 0, to the digits that γ is written with. */
static int order_of(const double *param)
{
    double g = param[P_GAMMA];
    return fabs(g * g - g + 1. / 6) < VG_GAMMA_ORDER_3 ? 3 : 2;
}

/* 1/4! − bᵀA³1 */
static double error_constant(double g)
{
    double x = 1, y = 1;
    for (int k = 0; k < 3; k++) {
        y = (1 - 2 * g) * x + g * y;
        x *= g;
    }
    return fabs(1. / 24 - 0.5 * (x + y));
}

/* Stages of γ, and ŷ = y_n + h (γ f_n + Σ b̂_j k_j) of order 2: b̂₁ + b̂₂ = 1 − γ, b̂₁ c₁ + b̂₂ c₂ = ½ (Hairer, Wanner II,
 * IV.8). At γ = ½ both stages are the same, the midpoint rule's, and there is none. */
static void choose(Sdirk *w, double g)
{
    double embedded = fabs(g - 0.5) < VG_GAMMA_HALF ? 0 : (0.5 - (1 - g) * g) / (1 - 2 * g);
    w->a[0] = w->a[3] = w->c[0] = g;
    w->a[2] = 1 - 2 * g;
    w->c[1] = 1 - g;
    w->e[0] = 1 - g - embedded - b[0];
    w->e[1] = embedded - b[1];
    w->method.tb = (vgDiagonalTableau){.s = 2,
                                       .a = w->a,
                                       .b = b,
                                       .c = w->c,
                                       .e = w->e,
                                       .e_state = g,
                                       .constant = order_of(&g) > 2 ? error_constant(g) : 0};
}

static vgStatus setup(vgIntegrator *it)
{
    double gamma = it->param[P_GAMMA];
    if (it->adaptive && fabs(gamma - 0.5) < VG_GAMMA_HALF) {
        vg_fail(it, VG_BAD_INPUT, 0,
                "integrator 'sdirk': gamma = %g is the midpoint rule, which has no error estimate; use "
                "gamma=0.788675 with rtol, or 'midpoint'",
                gamma);
        return VG_BAD_INPUT;
    }
    vgStatus st = vg_own_new(it, sizeof(Sdirk), place);
    if (st != VG_OK) return st;
    Sdirk *w = it->own;
    choose(w, gamma);
    it->nnode = 2;
    memcpy(it->node, w->c, sizeof w->c);
    if (!it->sys->ops->dependent.follow) /* which keeps a split of its own a stage */
        w->method.once = it->param[P_ONCE] < 0 ? it->sys->is.once : it->param[P_ONCE] > 0;
    vg_newton_for_control(it);
    it->error_power = 3;
    it->nhistory = 2 * VG_STAGE_LEARNED; /* how the stages converged */
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    memset(s->history, 0, (size_t)it->nhistory * sizeof(double));
    vg_stage_reset(it);
    return VG_OK;
}

/* With γ > 1 both stages lie outside the step, and may look beyond a corner of a law of time: there
 * γ = 1 − √2/2. */
static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Sdirk *w = it->own;
    double gamma = it->param[P_GAMMA];
    int beyond = s->t + gamma * h > x->corner || s->t + (1 - gamma) * h < x->corner_before;
    if (beyond && gamma > 1) choose(w, VG_GAMMA_2_LOW);
    vgStatus st = vg_diagonal_step(it, &w->method, s, h, s->history, x);
    if (w->c[0] != gamma) choose(w, gamma);
    return st;
}

static const vgParamSpec params[] = {
    {"gamma", 0.78867513459481288225, 0.25, 2,
     "γ: 0.788675 = (3+√3)/6 order 3, A-stable; 0.292893 = 1−√2/2 order 2, L-stable; 0.5 least damping"},
    {"once", -1, -1, 1,
     "1: one leading matrix a step, that of the first stage ([D] section 5); 0: one a stage; −1: one with "
     "augmented1"},
};

const vgIntegratorRow vg_sdirk = {
    .name = "sdirk",
    .family = "implicit Runge–Kutta",
    .title = "two-stage SDIRK with γ free, projected after each step",
    .citation = "Nørsett 1974; [G] 7.1.2; [D]",
    .order = 3,
    .order_of = order_of,
    .stages = 2,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_OWN_NEWTON | VG_INT_WITHIN,
    .constraints = VG_CON_STAGE,
    .rough = VG_CON_INDEX3 | VG_CON_INDEX2 | VG_CON_AUGMENTED3,
    .rho = {0, 1},
    .params = params,
    .nparam = 2,
    .setup = setup,
    .start = start,
    .step = step,
};
