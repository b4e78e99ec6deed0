/* A linear multistep method by its coefficients,
 *     y_k = Σ_{j=1..k} α_j y_{k−j} + h Σ_{j=0..k} β_j ẏ_{k−j},
 * for y = Δ about q_{k−1} and for y = v (lms.h). With β₀ ≠ 0 one stage with c_v = 1/(β₀h); without, accelerations at the
 * new state. The first steps, and those after a change of step, are of order 4 (explicit: 5) with stages within the step.
 * Error control: a method of order p is off by C h^{p+1} y^{(p+1)} in a step, C its error constant, and h^p y^{(p+1)} is the
 * p-th backward difference of the rates. The step size is
 * changed only if the gain exceeds the cost of a restart. */
#include <math.h>
#include <string.h>

#include "integrator/composite/esdirk.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/rows.h"
#include "integrator/stage/predictor.h"
#include "integrator/step_size.h"
#include "integrator/tuning.h"
#include "integrator/user/user.h"

typedef struct Own {
    vgArena arena;
    vgStage stage;
    vgDirk dirk;
    vgRk rk;
    vgBefore before;
    double *delta, *delta_dot, *dhat, *vhat, *q, *v, *a, *lambda;
    double *rate, *e_q, *e_v; /* Δ̇ at the new state; the error */
} Own;

/* Points before the state: those of the formula, and under error control those of the difference of order p. */
static int depth(const vgIntegrator *it)
{
    const vgUserMethod *m = it->row->data;
    int of_error = it->adaptive ? m->row.order - 1 : 0;
    return of_error > m->k - 1 ? of_error : m->k - 1;
}

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    if (m->beta[0] != 0) {
        vg_stage_place(&w->stage, sys, a);
        vg_dirk_place(&w->dirk, sys, a);
    } else {
        vg_rk_place(&w->rk, sys, vg_tableau_dopri5.stages, a);
    }
    vg_before_place(&w->before, sys, a);
    double **of_v[] = {&w->dhat, &w->vhat, &w->v, &w->a, &w->rate, &w->e_q, &w->e_v};
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) *of_v[i] = VG_TAKE(a, double, sys->nv + 4);
    w->delta = VG_TAKE(a, double, (1 + depth(it)) * (sys->nv + 1));
    w->delta_dot = VG_TAKE(a, double, (1 + depth(it)) * (sys->nv + 1));
    w->q = VG_TAKE(a, double, sys->nq + 4);
    w->lambda = VG_TAKE(a, double, sys->nl + 4);
}

vgStatus vg_user_steps_setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->dirk.stage = &w->stage;
    w->dirk.predictor = 2;
    vg_dirk_within(0, &w->dirk.tb);
    vg_newton_for_control(it);
    it->nhistory = vg_past_size(it->sys, depth(it));
    return VG_OK;
}

vgStatus vg_user_steps_start(vgIntegrator *it, vgState *s)
{
    const vgUserMethod *m = it->row->data;
    s->history[0] = 0;
    if (m->beta[0] == 0) return vg_accel_state(it, s);
    vg_stage_reset(it);
    return VG_OK;
}

/* Δ̂ and v̂: all but β₀. */
static void hats(const vgIntegrator *it, Own *w, const vgState *s, const vgPast *past, double h)
{
    const vgUserMethod *m = it->row->data;
    int nv = it->sys->nv;
    vg_past_carry(it->sys, past, s->q, depth(it), w->delta, w->delta_dot);
    for (int i = 0; i < nv; i++) {
        w->dhat[i] = h * m->beta[1] * s->v[i];
        w->vhat[i] = m->alpha[1] * s->v[i] + h * m->beta[1] * s->a[i];
        for (int j = 2; j <= m->k; j++) {
            int at = (j - 2) * nv + i;
            w->dhat[i] += m->alpha[j] * w->delta[at] + h * m->beta[j] * w->delta_dot[at];
            w->vhat[i] += m->alpha[j] * past->v[at] + h * m->beta[j] * past->a[at];
        }
    }
}

/* e = C h ∇^p ẏ, of positions and of velocities; rate, a: those at the new state. */
static void error_of(const vgIntegrator *it, Own *w, const vgState *s, const vgPast *past, double h,
                     const double *rate, const double *a)
{
    const vgUserMethod *m = it->row->data;
    int p = m->row.order, nv = it->sys->nv;
    double c[VG_USER_MULTISTEP_ORDER + 1] = {m->error * h};
    const double *of_q[VG_USER_MULTISTEP_ORDER + 1] = {rate, s->v},
                                                 *of_v[VG_USER_MULTISTEP_ORDER + 1] = {a, s->a};
    for (int i = 1; i <= p; i++) {
        c[i] = -c[i - 1] * (p - i + 1) / i;
        if (i > 1) of_q[i] = w->delta_dot + (size_t)(i - 2) * (size_t)nv;
        if (i > 1) of_v[i] = past->a + (size_t)(i - 2) * (size_t)nv;
    }
    vg_rows_sum(nv, 0, NULL, p + 1, c, of_q, w->e_q);
    vg_rows_sum(nv, 0, NULL, p + 1, c, of_v, w->e_v);
}

static void propose(const vgIntegrator *it, vgStep *x, double h)
{
    static const double GROWS = 2; /* most at once, as other methods of several steps */
    x->next = vg_step_kept(it, x, h, it->row->order + 1, GROWS);
}

static vgStatus implicit_step(vgIntegrator *it, Own *w, vgState *s, vgPast *past, double h, vgStep *x)
{
    const vgUserMethod *m = it->row->data;
    const vgSystem *sys = it->sys;
    double cv = 1 / (h * m->beta[0]);
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = cv,
                      .ca = cv * cv,
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    vg_predict_delta(sys, &w->stage, &sp, s->a);
    memcpy(w->stage.lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    vgStatus st = vg_stage_solve(it, &w->stage, &sp);
    if (st == VG_OK && it->adaptive) {
        error_of(it, w, s, past, h, w->stage.delta_dot, w->stage.a);
        vg_step_error(x, vg_filtered_error(it, &w->stage, s->t + h, s, w->e_q, w->e_v));
        propose(it, x, h);
        if (vg_step_refuses(x)) return VG_OK;
    }
    if (st == VG_OK) st = vg_stage_settle(it, &w->stage, s->t + h);
    if (st == VG_OK) vg_past_commit(sys, past, &w->stage, 1, h, s);
    return st;
}

static vgStatus explicit_step(vgIntegrator *it, Own *w, vgState *s, vgPast *past, double h, vgStep *x)
{
    const vgSystem *sys = it->sys;
    double t = s->t + h;
    sys->ops->retract(sys, s->q, w->dhat, w->q);
    memcpy(w->v, w->vhat, (size_t)sys->nv * sizeof(double));
    vgStatus st = vg_settle(it, t, w->q, w->v);
    if (st == VG_OK) st = vg_accel_at(it, t, w->q, w->v, w->a, w->lambda);
    if (st == VG_OK) st = vg_check_finite(it, t, w->a, sys->nv);
    if (st != VG_OK) return st;
    if (it->adaptive) {
        sys->ops->local(sys, s->q, w->q, w->dhat);
        sys->ops->rates(sys, w->dhat, w->q, w->v, w->rate);
        error_of(it, w, s, past, h, w->rate, w->a);
        vg_step_error(x, vg_error_norm(it, w->q, s, w->v, w->e_q, w->e_v));
        propose(it, x, h);
        if (vg_step_refuses(x)) return VG_OK;
    }
    vg_past_push(sys, past, h, s->q, s->v, s->a);
    vg_accept(sys, t, w->q, w->v, w->a, w->lambda, s);
    return VG_OK;
}

/* A step before there are points enough; under error control the next has the same size. */
static vgStatus start_step(vgIntegrator *it, Own *w, vgState *s, double h, vgStep *x)
{
    const vgUserMethod *m = it->row->data;
    vgStatus st = m->beta[0] != 0 ? vg_dirk_step(it, &w->dirk, s, h, NULL, 0, x)
                                  : vg_rk_step(it, &vg_tableau_dopri5, &w->rk, s, h, x);
    if (it->adaptive)
        x->next = st == VG_OK && !vg_step_refuses(x) ? h : h * vg_step_clip(it, 0, VG_REJECTED_LEAST, 1);
    return st;
}

vgStatus vg_user_steps_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    const vgUserMethod *m = it->row->data;
    Own *w = it->own;
    vgPast past = vg_past_view(it->sys, depth(it), s->history);
    int anew = past.depth > 0 && *past.count > 0 && fabs(h - past.h[0]) > VG_STEP_SAME * h;
    if (!anew && *past.count >= past.depth) {
        hats(it, w, s, &past, h);
        return m->beta[0] != 0 ? implicit_step(it, w, s, &past, h, x) : explicit_step(it, w, s, &past, h, x);
    }
    vg_before_keep(&w->before, it->sys, s);
    vgStatus st = start_step(it, w, s, h, x);
    if (st != VG_OK || vg_step_refuses(x)) return st;
    if (anew) *past.count = 0;
    vg_past_push(it->sys, &past, h, w->before.q, w->before.v, w->before.a);
    return VG_OK;
}
