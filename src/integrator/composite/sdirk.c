/* Nørsett's two-stage singly diagonally implicit Runge–Kutta methods (Nørsett 1974; [G] 7.1.2; [D]),
 *     A = [γ 0; 1 − 2γ γ],   b = (½, ½),   c = (γ, 1 − γ),
 * of order 2, of order 3 for γ = (3 ± √3)/6; R(∞) = 0 for γ = 1 ± √2/2. In local coordinates about q_n both
 * stages are single ones with c_v = 1/(γh).
 *
 * The result is no stage: positions and velocities are projected onto the constraints after each step, and
 * accelerations and multipliers solved for there.
 *
 * Constraints at position level (docs/theory.md, eq. 57a): stage order 1 leaves an error O(1) in the stages'
 * multipliers, with which the step would be of order 1 only (Hairer, Lubich, Roche 1989). The normal parts of
 * velocities and accelerations at a stage are determined by the constraints there, and are taken from them.
 * With Π the projection and F the vector field on the constraint manifold, this is the method applied to
 * ẏ = F(Π(y)), an ordinary differential equation with the same solution: the classical order is back. */
#include <math.h>
#include <string.h>

#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/stage/predictor.h"
#include "integrator/explicit/rk.h"
#include "integrator/stage/fine.h"
#include "integrator/tuning.h"

enum { P_GAMMA, P_ONCE };

typedef struct Sdirk {
    vgArena arena;
    vgStage stage;
    double gamma, c[2], a21;
    double e[2];              /* embedded formula less b */
    int once;                 /* one factorisation for both stages */
    double constant;          /* of the error where the order is 3, else 0 */
    double *kept;             /* room for a stage that is to be exact */
    double *rate[2], *acc[2]; /* Δ̇ and v̇ of the stages */
    double *v1;               /* velocities of the first stage */
    double *dhat, *vhat, *guess, *delta, *q, *v, *a, *lambda, *e_q, *e_v;
} Sdirk;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Sdirk *w = own;
    const vgSystem *sys = it->sys;
    double **of_v[] = {&w->rate[0], &w->rate[1], &w->acc[0], &w->acc[1], &w->v1,  &w->dhat, &w->vhat,
                       &w->guess,   &w->delta,   &w->v,      &w->a,      &w->e_q, &w->e_v};
    vg_stage_place(&w->stage, sys, a);
    for (size_t k = 0; k < sizeof of_v / sizeof of_v[0]; k++) *of_v[k] = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->lambda = VG_TAKE(a, double, sys->nl + 1);
    w->kept = VG_TAKE(a, double, 3 * vg_whole(sys->nv) + vg_whole(sys->nl) + 1);
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

static void choose(Sdirk *w, double gamma)
{
    w->gamma = w->c[0] = gamma;
    w->c[1] = 1 - gamma;
    w->a21 = 1 - 2 * gamma;
    w->constant = order_of(&gamma) > 2 ? error_constant(gamma) : 0;
}

/* ŷ = y_n + h (γ f_n + Σ b̂_j k_j) of order 2: b̂₁ + b̂₂ = 1 − γ, b̂₁ c₁ + b̂₂ c₂ = ½ (Hairer, Wanner II, IV.8).
 * At γ = ½ both stages are the same, the midpoint rule's, and there is none. */
static vgStatus embed(vgIntegrator *it, Sdirk *w)
{
    double g = w->gamma, b2;
    if (fabs(g - 0.5) < VG_GAMMA_HALF) {
        if (!it->adaptive) return VG_OK;
        vg_fail(it, VG_BAD_INPUT, 0,
                "integrator 'sdirk': gamma = %g is the midpoint rule, which has no error estimate; use "
                "gamma=0.788675 with rtol, or 'midpoint'",
                g);
        return VG_BAD_INPUT;
    }
    b2 = (0.5 - (1 - g) * w->c[0]) / (w->c[1] - w->c[0]);
    w->e[0] = 1 - g - b2 - 0.5;
    w->e[1] = b2 - 0.5;
    return VG_OK;
}

static vgStatus setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Sdirk), place);
    if (st != VG_OK) return st;
    Sdirk *w = it->own;
    choose(w, it->param[P_GAMMA]);
    it->nnode = 2;
    memcpy(it->node, w->c, sizeof w->c);
    if (!it->sys->ops->dependent.follow) /* which keeps a split of its own a stage */
        w->once = it->param[P_ONCE] < 0 ? it->sys->is.once : it->param[P_ONCE] > 0;
    vg_newton_for_control(it);
    it->error_power = 3;
    it->nhistory = 2 * VG_STAGE_LEARNED; /* how the stages converged */
    return embed(it, w);
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    memset(s->history, 0, (size_t)it->nhistory * sizeof(double));
    vg_stage_reset(it);
    return VG_OK;
}

/* First guess of the accelerations: those of the state; then through state and first stage, unless the second
 * is at the same time (γ = ½). */
static void guess(Sdirk *w, const vgSystem *sys, const vgState *s, int i, double h)
{
    const double *y[2] = {i ? w->v1 : s->v, s->v}, *y_dot[2] = {i ? w->acc[0] : s->a, s->a};
    double t[2] = {w->c[0] * h, 0};
    vgPredictor p;
    vg_predictor_make(2, w->c[i] * h, t, i && fabs(w->a21) > VG_STAGE_DEPENDS ? 2 : 1, &p);
    vg_predictor_apply(&p, y, y_dot, sys->nv, 1, NULL, w->guess);
}

/* Δ̇, v, v̇ at the solved stage, the normal parts by the constraints where these are on positions. */
static vgStatus clean(vgIntegrator *it, Sdirk *w, double t)
{
    const vgSystem *sys = it->sys;
    vgStage *st = &w->stage;
    int cleans = sys->nl > 0 && (st->at_position || vg_at_position(sys));
    if (!cleans && !sys->ops->dependent.follow) return VG_OK;
    vgStatus status = cleans ? vg_stage_consistent(it, st, t) : VG_OK;
    sys->ops->rates(sys, st->delta, st->q, st->v, st->delta_dot);
    return status;
}

static vgStatus stage(vgIntegrator *it, Sdirk *w, const vgState *s, int i, double h)
{
    const vgSystem *sys = it->sys;
    vgStage *st = &w->stage;
    double cv = 1 / (h * w->gamma), a = i ? h * w->a21 : 0;
    for (int k = 0; k < sys->nv; k++) {
        w->dhat[k] = i ? a * w->rate[0][k] : 0;
        w->vhat[k] = s->v[k] + (i ? a * w->acc[0][k] : 0);
    }
    vgStageSpec sp = {.t = s->t + w->c[i] * h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = cv,
                      .ca = cv * cv,
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    if (w->constant > 0 && vg_fine_is_wanted(it, 3)) {
        sp.fine = vg_fine_part(w->constant, w->c[i], 3);
        sp.order = 3;
        sp.a_begin = s->a;
        sp.learned = s->history + VG_STAGE_LEARNED * i;
        sp.kept = w->kept;
    }
    guess(w, sys, s, i, h);
    vg_predict_delta(sys, st, &sp, w->guess);
    vgNewtonMode mode = it->newton_mode;
    if (i && w->once && mode != VG_NEWTON_FULL) it->newton_mode = VG_NEWTON_FROZEN;
    vgStatus status = vg_stage_solve(it, st, &sp);
    it->newton_mode = mode;
    if (status == VG_OK) status = clean(it, w, sp.t);
    if (status != VG_OK) return status;
    memcpy(w->rate[i], st->delta_dot, (size_t)sys->nv * sizeof(double));
    memcpy(w->acc[i], st->a, (size_t)sys->nv * sizeof(double));
    if (i == 0) memcpy(w->v1, st->v, (size_t)sys->nv * sizeof(double));
    return VG_OK;
}

/* e = h (γ f_n + Σ e_j k_j) */
static double estimate(vgIntegrator *it, Sdirk *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    for (int k = 0; k < sys->nv; k++) {
        w->e_q[k] = h * (w->gamma * s->v[k] + w->e[0] * w->rate[0][k] + w->e[1] * w->rate[1][k]);
        w->e_v[k] = h * (w->gamma * s->a[k] + w->e[0] * w->acc[0][k] + w->e[1] * w->acc[1][k]);
    }
    return vg_error_norm(it, w->stage.q, s->v, w->stage.v, w->e_q, w->e_v);
}

/* q_n ⊕ ½h (Δ̇₁ + Δ̇₂), v_n + ½h (v̇₁ + v̇₂), onto the constraints; accelerations and multipliers there. */
static vgStatus result(vgIntegrator *it, Sdirk *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    double t = s->t + h;
    for (int k = 0; k < sys->nv; k++) {
        w->delta[k] = 0.5 * h * (w->rate[0][k] + w->rate[1][k]);
        w->v[k] = s->v[k] + 0.5 * h * (w->acc[0][k] + w->acc[1][k]);
    }
    sys->ops->retract(sys, s->q, w->delta, w->q);
    it->matrix.have = 0; /* projections and accelerations take the matrix */
    vgStatus st = vg_settle_result(it, t, w->q, w->v);
    if (st != VG_OK) return st;
    st = sys->ops->accel(sys, it->work, t, w->q, w->v, w->a, w->lambda);
    it->stats.accels++;
    if (st != VG_OK) vg_fail_equation(it, st, t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

static vgStatus advance(vgIntegrator *it, Sdirk *w, vgState *s, double h, vgStep *x)
{
    const vgSystem *sys = it->sys;
    memcpy(w->stage.lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    vgStatus st = stage(it, w, s, 0, h);
    if (st == VG_OK) st = stage(it, w, s, 1, h);
    if (st != VG_OK) return st;
    if (it->adaptive) vg_step_error(x, estimate(it, w, s, h));
    if (vg_step_refuses(x)) return VG_OK;
    st = result(it, w, s, h);
    if (st != VG_OK) return st;
    memcpy(s->q, w->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->v, w->v, (size_t)sys->nv * sizeof(double));
    memcpy(s->a, w->a, (size_t)sys->nv * sizeof(double));
    memcpy(s->lambda, w->lambda, (size_t)sys->nl * sizeof(double));
    s->t += h;
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
    vgStatus st = advance(it, w, s, h, x);
    if (w->gamma != gamma) choose(w, gamma);
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
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_OWN_NEWTON,
    .constraints = VG_CON_STAGE,
    .rough = VG_CON_INDEX3 | VG_CON_INDEX2 | VG_CON_AUGMENTED3,
    .rho = {0, 1},
    .params = params,
    .nparam = 2,
    .setup = setup,
    .start = start,
    .step = step,
};
