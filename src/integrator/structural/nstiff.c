/* NSTIFF of [N] (3), (4): second-order backward differences applied twice, in positions and velocities, with
 * the constraints at position level. In local coordinates about q_n, with ω = h/h_{n−1} and, for any spacing,
 *     y_{n+1} = α₁ y_n + α₂ y_{n−1} + b h ẏ_{n+1},   α₁ = (1 + ω)²/(1 + 2ω), α₂ = −ω²/(1 + 2ω),
 *     b = (1 + ω)/(1 + 2ω):
 *     Δ = α₂ Δ_{n−1} + b h (α₁ v_n + α₂ Δ̇_{n−1}) + b² h² a_{n+1},   v_{n+1} = α₁ v_n + α₂ v_{n−1} + b h
 * a_{n+1}. Equal steps: 4/3, −1/3, 2/3, and 8/9, −2/9, 4/9 in the first. A trapezoidal step starts. Local
 * error (1 + ω)²/(6 ω (1 + 2ω)) h³ ÿ' in each. */
#include <math.h>
#include <string.h>

#include "integrator/error_norm.h"
#include "integrator/step_size.h"
#include "integrator/own.h"
#include "integrator/multistep/lms.h"
#include "integrator/explicit/rk.h"
#include "integrator/tuning.h"

typedef struct Nstiff {
    vgArena arena;
    vgStage stage;
    double *dhat, *vhat, *local, *rate, *pred, *e_q, *e_v;
} Nstiff;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Nstiff *w = own;
    const vgSystem *sys = it->sys;
    vg_stage_place(&w->stage, sys, a);
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->local = VG_TAKE(a, double, sys->nv + 1);
    w->rate = VG_TAKE(a, double, sys->nv + 1);
    w->pred = VG_TAKE(a, double, sys->nv + 1);
    w->e_q = VG_TAKE(a, double, sys->nv + 1);
    w->e_v = VG_TAKE(a, double, sys->nv + 1);
}

static vgStatus setup(vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    vgStatus st = vg_own_new(it, sizeof(Nstiff), place);
    if (st != VG_OK) return st;
    vg_newton_for_control(it);
    it->nhistory = sys->nq + 2 * sys->nv + 1; /* q, v, a of the step before, its size (0: none) */
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    vg_stage_reset(it);
    s->history[it->nhistory - 1] = 0;
    return VG_OK;
}

/* Hats of the formulas; w->pred: the first guess of a_{n+1}. Returns b; with b2 the factor of h² a in Δ. */
static double hats(const vgSystem *sys, Nstiff *w, const vgState *s, double h, double *b2)
{
    const double *q1 = s->history, *v1 = q1 + sys->nq, *a1 = v1 + sys->nv;
    double h1 = a1[sys->nv];
    if (h1 == 0) { /* the trapezoidal rule */
        for (int i = 0; i < sys->nv; i++) {
            w->dhat[i] = h * s->v[i] + 0.25 * h * h * s->a[i];
            w->vhat[i] = s->v[i] + 0.5 * h * s->a[i];
            w->pred[i] = s->a[i];
        }
        *b2 = 0.25;
        return 0.5;
    }
    double r = h / h1, al1 = (1 + r) * (1 + r) / (1 + 2 * r), al2 = -r * r / (1 + 2 * r),
           b = (1 + r) / (1 + 2 * r);
    sys->ops->local(sys, s->q, q1, w->local);
    sys->ops->rates(sys, w->local, q1, v1, w->rate);
    for (int i = 0; i < sys->nv; i++) {
        w->dhat[i] = al2 * w->local[i] + b * h * (al1 * s->v[i] + al2 * w->rate[i]);
        w->vhat[i] = al1 * s->v[i] + al2 * v1[i];
        w->pred[i] = s->a[i] + r * (s->a[i] - a1[i]);
    }
    *b2 = b * b;
    return b;
}

/* The local error with differences of the accelerations for their derivatives, and the step to try next. */
static void estimate(vgIntegrator *it, Nstiff *w, const vgState *s, double h, vgStep *x)
{
    const vgStage *st = &w->stage;
    const double *a1 = s->history + it->sys->nq + it->sys->nv;
    double h1 = a1[it->sys->nv], r = h1 > 0 ? h / h1 : 1;
    double c = h1 > 0 ? (1 + r) * (1 + r) / (6 * r * (1 + 2 * r)) : 1. / 12, half = 2 / (1 + 1 / r);
    for (int i = 0; i < it->sys->nv; i++) {
        double da = st->a[i] - s->a[i];
        w->e_q[i] = c * h * h * da;
        w->e_v[i] = c * h * (h1 > 0 ? half * (da - r * (s->a[i] - a1[i])) : da);
    }
    vg_error_of_map(it->sys, h, st->delta, st->q, st->v, st->d, w->e_q);
    vg_step_error(x, vg_error_norm(it, st->q, s, st->v, w->e_q, w->e_v));
    it->error_power = 3;
    x->next = vg_step_kept(it, x, h, 3, VG_GROW_MOST);
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Nstiff *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    double b2, b = hats(sys, w, s, h, &b2), h2 = h * h;
    for (int i = 0; i < sys->nv; i++) st->delta[i] = w->dhat[i] + h2 * b2 * w->pred[i];
    memcpy(st->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_NEWMARK,
                      .cv = b / (b2 * h),
                      .ca = 1 / (b2 * h2),
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    vgStatus status = vg_stage_solve(it, st, &sp);
    if (status == VG_OK) status = vg_stage_settle(it, st, s->t + h);
    if (status == VG_OK && it->adaptive && sys->nl > 0 && vg_may_project(sys))
        status = vg_stage_consistent(it, st, s->t + h);
    if (status != VG_OK) return status;
    if (it->adaptive) estimate(it, w, s, h, x);
    if (vg_step_refuses(x)) return VG_OK;
    double *q1 = s->history, *v1 = q1 + sys->nq, *a1 = v1 + sys->nv;
    memcpy(q1, s->q, (size_t)sys->nq * sizeof(double));
    memcpy(v1, s->v, (size_t)sys->nv * sizeof(double));
    memcpy(a1, s->a, (size_t)sys->nv * sizeof(double));
    a1[sys->nv] = h;
    vg_accept(sys, s->t + h, st->q, st->v, st->a, st->lambda, s);
    return VG_OK;
}

const vgIntegratorRow vg_nstiff = {
    .name = "nstiff",
    .family = "index-3 multibody",
    .title = "NSTIFF: second-order backward differences in positions and velocities",
    .citation = "[N] (3), (4); Gear 1971",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_LSTABLE | VG_INT_MULTISTEP | VG_INT_ESTIMATE,
    .constraints = VG_CON_STAGE,
    .setup = setup,
    .start = start,
    .step = step,
};
