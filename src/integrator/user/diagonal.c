/* A diagonally implicit Runge–Kutta method by its tableau, the first stage explicit or not: a single stage each
 * (stage.h), in local coordinates about q_n,
 *     Δ_i = h Σ_{j≤i} a_ij Δ̇_j,   v_i = v_n + h Σ_{j≤i} a_ij v̇_j,   c_v = 1/(h a_ii).
 * With constraints on positions, velocities and accelerations of a stage take their normal parts from the constraints
 * there, so that low stage order costs nothing (sdirk.c; docs/theory.md, eq. 57a). The result is put onto both levels
 * and has the accelerations and multipliers that belong to it. */
#include <string.h>

#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/stage/predictor.h"
#include "integrator/user/user.h"

typedef struct Own {
    vgArena arena;
    vgStage stage;
    double *rate[VG_USER_STAGES], *acc[VG_USER_STAGES];
    double *dhat, *vhat, *q, *v, *a, *lambda, *e_q, *e_v;
} Own;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    double **of_v[] = {&w->dhat, &w->vhat, &w->v, &w->a, &w->e_q, &w->e_v};
    vg_stage_place(&w->stage, sys, a);
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) *of_v[i] = VG_TAKE(a, double, sys->nv + 4);
    for (int i = 0; i < m->s; i++) {
        w->rate[i] = VG_TAKE(a, double, sys->nv + 4);
        w->acc[i] = VG_TAKE(a, double, sys->nv + 4);
    }
    w->q = VG_TAKE(a, double, sys->nq + 4);
    w->lambda = VG_TAKE(a, double, sys->nl + 4);
}

vgStatus vg_user_diagonal_setup(vgIntegrator *it)
{
    const vgUserMethod *m = it->row->data;
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    for (int i = m->first_explicit; i < m->s && it->nnode < VG_MAX_NODES; i++)
        it->node[it->nnode++] = m->c[i];
    it->changes = "makes stages and results consistent with a matrix in the other's place";
    vg_newton_for_control(it);
    it->error_power = m->embedded ? (m->embedded < m->row.order ? m->embedded : m->row.order) + 1 : 0;
    it->nhistory = 0;
    return VG_OK;
}

/* h Σ_{j<n} c_j of rates and accelerations, the latter beside `from`, NULL: zero. */
static void sum(const Own *w, int nv, int n, const double *c, double h, const double *from, double *x,
                double *y)
{
    for (int k = 0; k < nv; k++) {
        double of_rates = 0, of_acc = 0;
        for (int j = 0; j < n; j++) {
            of_rates += c[j] * w->rate[j][k];
            of_acc += c[j] * w->acc[j][k];
        }
        x[k] = h * of_rates;
        y[k] = (from ? from[k] : 0) + h * of_acc;
    }
}

static vgStatus stage(vgIntegrator *it, Own *w, const vgState *s, int i, double h)
{
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    vgStage *st = &w->stage;
    const double *a = m->a + i * m->s, cv = 1 / (h * a[i]);
    sum(w, sys->nv, i, a, h, s->v, w->dhat, w->vhat);
    vgStageSpec sp = {.t = s->t + m->c[i] * h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = cv,
                      .ca = cv * cv,
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    vg_predict_delta(sys, st, &sp, i > 0 ? w->acc[i - 1] : s->a);
    vgStatus status = vg_stage_solve(it, st, &sp);
    int cleans = sys->nl > 0 && !vg_at_acceleration(sys);
    if (status == VG_OK && cleans) status = vg_stage_consistent(it, st, sp.t);
    if (status != VG_OK) return status;
    if (cleans) sys->ops->rates(sys, st->delta, st->q, st->v, st->delta_dot);
    memcpy(w->rate[i], st->delta_dot, (size_t)sys->nv * sizeof(double));
    memcpy(w->acc[i], st->a, (size_t)sys->nv * sizeof(double));
    return VG_OK;
}

static vgStatus result(vgIntegrator *it, Own *w, double t)
{
    const vgSystem *sys = it->sys;
    it->matrix.have = 0; /* projections and accelerations take the matrix */
    vgStatus st = vg_settle_result(it, t, w->q, w->v);
    if (st != VG_OK) return st;
    st = sys->ops->accel(sys, it->work, t, w->q, w->v, w->a, w->lambda);
    it->stats.accels++;
    if (st != VG_OK) vg_fail_equation(it, st, t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

vgStatus vg_user_diagonal_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    memcpy(w->stage.lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    memcpy(w->rate[0], s->v, (size_t)sys->nv * sizeof(double));
    memcpy(w->acc[0], s->a, (size_t)sys->nv * sizeof(double));
    vgStatus st = VG_OK;
    for (int i = m->first_explicit; i < m->s && st == VG_OK; i++) st = stage(it, w, s, i, h);
    if (st != VG_OK) return st;
    sum(w, sys->nv, m->s, m->b, h, s->v, w->dhat, w->v);
    sys->ops->retract(sys, s->q, w->dhat, w->q);
    if (it->adaptive && m->embedded) {
        sum(w, sys->nv, m->s, m->e, h, NULL, w->e_q, w->e_v);
        vg_step_error(x, vg_error_norm(it, w->q, s->v, w->v, w->e_q, w->e_v));
    }
    if (vg_step_refuses(x)) return VG_OK;
    st = result(it, w, s->t + h);
    if (st != VG_OK) return st;
    memcpy(s->q, w->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->v, w->v, (size_t)sys->nv * sizeof(double));
    memcpy(s->a, w->a, (size_t)sys->nv * sizeof(double));
    memcpy(s->lambda, w->lambda, (size_t)sys->nl * sizeof(double));
    s->t += h;
    return VG_OK;
}
