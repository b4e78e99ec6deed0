/* A linear multistep method by its coefficients,
 *     y_k = Σ_{j=1..k} α_j y_{k−j} + h Σ_{j=0..k} β_j ẏ_{k−j},
 * for y = Δ about q_{k−1} and for y = v (lms.h). With β₀ ≠ 0 one stage with c_v = 1/(β₀h); without, accelerations at the
 * new state. The first steps, and those after a change of step, are of order 4 with stages within the step. */
#include <math.h>
#include <string.h>

#include "integrator/composite/esdirk.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/stage/predictor.h"
#include "integrator/tuning.h"
#include "integrator/user/user.h"

typedef struct Own {
    vgArena arena;
    vgStage stage;
    vgDirk dirk;
    vgRk rk;
    vgBefore before;
    double *delta, *delta_dot, *dhat, *vhat, *q, *v, *a, *lambda;
} Own;

static int depth(const vgUserMethod *m)
{
    return m->k - 1;
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
    double **of_v[] = {&w->dhat, &w->vhat, &w->v, &w->a};
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) *of_v[i] = VG_TAKE(a, double, sys->nv + 4);
    w->delta = VG_TAKE(a, double, m->k *(sys->nv + 1));
    w->delta_dot = VG_TAKE(a, double, m->k *(sys->nv + 1));
    w->q = VG_TAKE(a, double, sys->nq + 4);
    w->lambda = VG_TAKE(a, double, sys->nl + 4);
}

vgStatus vg_user_steps_setup(vgIntegrator *it)
{
    const vgUserMethod *m = it->row->data;
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->dirk.stage = &w->stage;
    w->dirk.predictor = 2;
    vg_dirk_within(0, &w->dirk.tb);
    w->dirk.tb.estimate = 0;
    it->nhistory = vg_past_size(it->sys, depth(m));
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
    vg_past_carry(it->sys, past, s->q, depth(m), w->delta, w->delta_dot);
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

static vgStatus implicit_step(vgIntegrator *it, Own *w, vgState *s, vgPast *past, double h)
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
    if (st == VG_OK) st = vg_stage_settle(it, &w->stage, s->t + h);
    if (st == VG_OK) vg_past_commit(sys, past, &w->stage, 1, h, s);
    return st;
}

static vgStatus explicit_step(vgIntegrator *it, Own *w, vgState *s, vgPast *past, double h)
{
    const vgSystem *sys = it->sys;
    double t = s->t + h;
    sys->ops->retract(sys, s->q, w->dhat, w->q);
    memcpy(w->v, w->vhat, (size_t)sys->nv * sizeof(double));
    vgStatus st = vg_settle(it, t, w->q, w->v);
    if (st == VG_OK) st = vg_accel_at(it, t, w->q, w->v, w->a, w->lambda);
    if (st == VG_OK) st = vg_check_finite(it, t, w->a, sys->nv);
    if (st != VG_OK) return st;
    vg_past_push(sys, past, h, s->q, s->v, s->a);
    vg_accept(sys, t, w->q, w->v, w->a, w->lambda, s);
    return VG_OK;
}

vgStatus vg_user_steps_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    const vgUserMethod *m = it->row->data;
    Own *w = it->own;
    vgPast past = vg_past_view(it->sys, depth(m), s->history);
    int anew = depth(m) > 0 && *past.count > 0 && fabs(h - past.h[0]) > VG_STEP_SAME * h;
    if (!anew && *past.count >= depth(m)) {
        hats(it, w, s, &past, h);
        return m->beta[0] != 0 ? implicit_step(it, w, s, &past, h) : explicit_step(it, w, s, &past, h);
    }
    vg_before_keep(&w->before, it->sys, s);
    vgStatus st = m->beta[0] != 0 ? vg_dirk_step(it, &w->dirk, s, h, NULL, 0, x)
                                  : vg_rk_step(it, &vg_tableau_dopri5, &w->rk, s, h, x);
    if (st != VG_OK) return st;
    if (anew) *past.count = 0;
    vg_past_push(it->sys, &past, h, w->before.q, w->before.v, w->before.a);
    return VG_OK;
}
