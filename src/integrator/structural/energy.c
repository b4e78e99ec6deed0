/* The trapezoidal rule with the energy as a constraint, the variant of Hughes that [G] 7.1.5 names against the rule's
 * growth of energy in nonlinear problems. Newmark's formulas with β = ¼, γ = ½ make v_{n+1} and a_{n+1} functions of the
 * increment Δ, and the equilibrium is that of an extremum in Δ; with the energy of the step's end as a side condition
 * and its multiplier μ,
 *     M a_{n+1} − f_{n+1} + Bᵀλ + μ g = 0,   Φ(q_{n+1}, t_{n+1}) = 0,
 *     g = ∂(T + V)/∂Δ = (2/h) M v_{n+1} − f_V,       f_V the part of f with the potential V,
 *     T_{n+1} + V_{n+1} = T_n + V_n + W,             W = (h/2) (P_n + P_{n+1}),
 * P the power of what has no potential: dampers, motors, driven joints. In linear problems the rule itself keeps the
 * energy, and μ = 0. With constraints the velocities are projected onto them after the step, as those of the rule are.
 *
 * μ is found by the secant method, each value by a stage; g is that of the iterate before. Where g does no work, near
 * (2/h) M v = f_V at turning points, there may be no μ. The step is then one of the trapezoidal rule; the missing
 * energy is kept in the state and required of the next step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrator/own.h"
#include "integrator/geometric/body_axes.h"
#include "integrator/stage/stage.h"

/* μ is O(h²) where steps resolve the motion; at MOST the potential forces would count one and a half times, and the
 * step would be no approximation. At half of it stiff springs at ωh = 1 are left to the rule more often. */
static const double MOST = 0.5;
/* The second value of μ: small beside 1, large beside what Newton's iteration leaves. */
static const double TRIAL = 1e-4;
/* The energy holds to GOAL of what flows, or to so many roundings of its terms. At 1e-12 Newton's iteration, which ends
 * at 1e-13 of the increments, may not get there. */
static const double GOAL = 1e-11, ROUNDINGS = 64;
/* Newton's tolerance, of the user's: what it leaves in velocities must not show in the energy. */
static const double TIGHT = 1e-5;
enum { TRIALS = 12 };

typedef struct Energy {
    vgArena arena;
    vgStage stage;
    double *dhat, *vhat, *g, *r0, *p, *force, *zero_v, *zero_l, *phi_t;
} Energy;

/* History: what is owed, T + V − T₀ − V₀ − ΣW; the last μ. */
enum { H_OWED, H_MU, HISTORY };

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Energy *w = own;
    const vgSystem *sys = it->sys;
    double **of_v[] = {&w->dhat, &w->vhat, &w->g, &w->r0, &w->p, &w->force, &w->zero_v};
    vg_stage_place_affine(&w->stage, sys, a);
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) *of_v[i] = VG_TAKE(a, double, sys->nv + 1);
    w->zero_l = VG_TAKE(a, double, sys->nl + 1);
    w->phi_t = VG_TAKE(a, double, sys->nphi + 1);
}

static vgStatus setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Energy), place);
    if (st != VG_OK) return st;
    Energy *w = it->own;
    for (int i = 0; i < it->sys->nv; i++) w->zero_v[i] = 0;
    for (int i = 0; i < it->sys->nl; i++) w->zero_l[i] = 0;
    it->nhistory = HISTORY;
    it->newton_tol *= TIGHT;
    it->newton_acc *= TIGHT;
    it->newton_err = 0;
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    vg_stage_reset(it);
    s->history[H_OWED] = s->history[H_MU] = 0;
    return VG_OK;
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Power of what has no potential. Gyroscopic terms have none, and −Bᵀλ has λ·Φ_t. */
static double power(vgIntegrator *it, Energy *w, double t, const double *q, const double *v,
                    const double *lambda)
{
    const vgSystem *sys = it->sys;
    sys->ops->residual(sys, it->work, t, q, v, w->zero_v, w->zero_l, w->p, NULL);
    double sum = -dot(v, w->p, sys->nv);
    sys->ops->extra.potential(sys, it->work, t, q, w->p);
    sum -= dot(v, w->p, sys->nv);
    if (sys->nl == 0) return sum;
    sys->ops->levels(sys, it->work, t, q, w->zero_v, NULL, NULL, w->phi_t, NULL);
    return sum + dot(lambda, w->phi_t, sys->nl);
}

typedef struct Account {
    double owed, size; /* what the step owes; the sizes of its terms */
} Account;

/* Of the stage as it is, with g for the next. The potential may depend on time: its gain is that at the middle. */
static Account account(vgIntegrator *it, Energy *w, const vgState *s, double h, double before, double power_n)
{
    const vgSystem *sys = it->sys;
    const vgStage *st = &w->stage;
    double t = s->t + h, middle = s->t + 0.5 * h;
    double v1 = sys->ops->extra.potential(sys, it->work, middle, st->q, NULL),
           v0 = sys->ops->extra.potential(sys, it->work, middle, s->q, NULL);
    vg_body_momentum(sys, s->v, w->p);
    double t0 = 0.5 * dot(s->v, w->p, sys->nv);
    double work = 0.5 * h * (power_n + power(it, w, t, st->q, st->v, st->lambda));
    sys->ops->extra.potential(sys, it->work, t, st->q, w->force);
    vg_body_momentum(sys, st->v, w->p);
    double t1 = 0.5 * dot(st->v, w->p, sys->nv);
    for (int i = 0; i < sys->nv; i++) w->g[i] = 2 / h * w->p[i] - w->force[i];
    double flows = t0 + t1 + fabs(v1 - v0) + fabs(work), terms = flows + fabs(v1) + fabs(v0);
    return (Account){before + (t1 - t0) + (v1 - v0) - work,
                     fmax(GOAL * flows, ROUNDINGS * DBL_EPSILON * terms)};
}

/* The stage with μ. */
static vgStatus solve(vgIntegrator *it, Energy *w, const vgState *s, double h, double mu)
{
    const vgSystem *sys = it->sys;
    for (int i = 0; i < sys->nv; i++) w->r0[i] = mu * w->g[i];
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_NEWMARK,
                      .cv = 2 / h,
                      .ca = 4 / (h * h),
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .r0 = w->r0,
                      .matrix_unused = 1};
    vgStatus status = vg_stage_solve(it, &w->stage, &sp);
    if (status == VG_OK && sys->nl > 0) status = vg_stage_consistent(it, &w->stage, s->t + h);
    return status;
}

/* The secant method from the rule's own step, whose account is `at`. On success it->own has the step and *mu its
 * multiplier; VG_NOT_CONVERGED: there is none. */
static vgStatus find(vgIntegrator *it, Energy *w, const vgState *s, double h, double power_n, Account *at,
                     double *mu)
{
    double last = 0, owed = at->owed, next = *mu != 0 ? *mu : TRIAL;
    for (int k = 0; k < TRIALS; k++) {
        if (!(fabs(next) <= MOST)) return VG_NOT_CONVERGED;
        vgStatus status = solve(it, w, s, h, next);
        if (status != VG_OK) return status;
        *at = account(it, w, s, h, s->history[H_OWED], power_n);
        *mu = next;
        if (fabs(at->owed) <= at->size) return VG_OK;
        double slope = (at->owed - owed) / (next - last);
        last = next, owed = at->owed;
        next -= at->owed / slope;
    }
    return VG_NOT_CONVERGED;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    (void)x; /* no error estimate */
    Energy *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    for (int i = 0; i < sys->nv; i++) {
        w->dhat[i] = h * s->v[i] + 0.25 * h * h * s->a[i];
        w->vhat[i] = s->v[i] + 0.5 * h * s->a[i];
        st->delta[i] = w->dhat[i] + 0.25 * h * h * s->a[i];
        w->g[i] = 0;
    }
    memcpy(st->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    double power_n = power(it, w, s->t, s->q, s->v, s->lambda), mu = s->history[H_MU];
    vgStatus status = solve(it, w, s, h, 0);
    if (status != VG_OK) return status;
    Account at = account(it, w, s, h, s->history[H_OWED], power_n);
    if (fabs(at.owed) <= at.size)
        mu = 0;
    else if (find(it, w, s, h, power_n, &at, &mu) != VG_OK) { /* the next step owes it */
        mu = 0;
        status = solve(it, w, s, h, 0);
        if (status != VG_OK) return status;
        at = account(it, w, s, h, s->history[H_OWED], power_n);
    }
    s->history[H_OWED] = at.owed;
    s->history[H_MU] = mu;
    memcpy(s->q, st->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->v, st->v, (size_t)sys->nv * sizeof(double));
    memcpy(s->a, st->a, (size_t)sys->nv * sizeof(double));
    memcpy(s->lambda, st->lambda, (size_t)sys->nl * sizeof(double));
    s->t += h;
    return VG_OK;
}

const vgIntegratorRow vg_trapezoidal_energy = {
    .name = "trapezoidal-energy",
    .family = "structural",
    .title = "Trapezoidal rule with the energy as a constraint (Hughes)",
    .citation = "Hughes, Caughey, Liu 1978; Hughes 1983; [G] 7.1.5",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_BODY_AXES | VG_INT_ESTIMATE | VG_INT_DOUBLING |
             VG_INT_OWN_NEWTON | VG_INT_SPLITS,
    .constraints = VG_CON_INDEX3 | VG_CON_NONE,
    .rho = {1, 1},
    .setup = setup,
    .start = start,
    .step = step,
};
