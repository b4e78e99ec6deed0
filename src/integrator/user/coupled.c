/* An implicit Runge–Kutta method by its tableau, diagonally implicit or with all stages coupled; the first stage may be
 * explicit. In local coordinates about q_n,
 *     Δ_i = h Σ_j a_ij Δ̇_j,   v_i = T(Δ_i) Δ̇_i,   v_i = v_n + h Σ_j a_ij v̇_j,   r(t_i, q_i, v_i, v̇_i, λ_i) = 0
 * with Φ = 0 at every stage (index 3, index 2) or B v̇ + γ = 0 (index 1). The result, Σ b_j of the rates or the last
 * stage, is put onto the constraints of both levels, and has the accelerations and multipliers that belong to it.
 *
 * The stages are solved in sweeps as in irk.c: with Crout's A = L U the coupling A⁻¹ is L⁻¹ in the matrices, so that
 * stage i has one of its own with c_v = 1/(h l_ii); residuals keep A⁻¹. For a lower triangular A that is Newton's
 * method, stage by stage. Plain loops: this is for methods that users try. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/composite/irk.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "integrator/tuning.h"
#include "integrator/user/user.h"

enum { MOST = VG_USER_STAGES };

typedef struct Stage {
    vgWork *work;
    double *delta, *rate, *q, *v, *a, *lambda; /* as they are now */
    double *delta_old, *v_old;                 /* before the sweep */
} Stage;

typedef struct Own {
    vgArena arena;
    int n;                                     /* implicit stages */
    double inv[MOST * MOST], tri[MOST * MOST]; /* of those: A⁻¹, L⁻¹ */
    double known[MOST];                        /* Σ_j (A⁻¹)_ij a_j1 of an explicit first stage */
    Stage stage[MOST];
    double *r, *phi, *phi_dot, *x, *xl, *d, *e_q, *e_v, *unit;
    vgResult result;
} Own;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    int nv = sys->nv + 4, nl = sys->nl + 4;
    for (int i = 0; i < m->s - m->first_explicit; i++) {
        Stage *st = &w->stage[i];
        double **of_v[] = {&st->delta, &st->rate, &st->v, &st->a, &st->delta_old, &st->v_old};
        for (size_t k = 0; k < sizeof of_v / sizeof of_v[0]; k++) *of_v[k] = VG_TAKE(a, double, nv);
        st->q = VG_TAKE(a, double, sys->nq + 4);
        st->lambda = VG_TAKE(a, double, nl);
    }
    double **of_v[] = {&w->r, &w->x, &w->d, &w->e_q, &w->e_v, &w->unit};
    for (size_t k = 0; k < sizeof of_v / sizeof of_v[0]; k++) *of_v[k] = VG_TAKE(a, double, nv);
    double **of_l[] = {&w->phi, &w->phi_dot, &w->xl};
    for (size_t k = 0; k < sizeof of_l / sizeof of_l[0]; k++) *of_l[k] = VG_TAKE(a, double, nl);
    vg_result_place(&w->result, sys, a);
}

static void free_own(void *own)
{
    Own *w = own;
    for (int i = 0; i < w->n; i++) vg_work_free(w->stage[i].work);
    vg_own_free(own);
}

vgStatus vg_user_coupled_setup(vgIntegrator *it)
{
    const vgUserMethod *m = it->row->data;
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    int f = m->first_explicit;
    it->free_own = free_own;
    w->n = m->s - f;
    vg_irk_invert(w->n, m->a + f * (m->s + 1), m->s, w->inv, w->tri, w->n);
    for (int i = 0; i < w->n; i++)
        for (int j = 0; j < w->n && f; j++) w->known[i] += w->inv[i * w->n + j] * m->a[(j + 1) * m->s];
    for (int i = 0; i < w->n && st == VG_OK; i++) st = vg_work_new(it->sys, &w->stage[i].work);
    for (int i = 0; i < it->sys->nv; i++) w->unit[i] = 1 / it->sys->v_scale[i];
    vg_user_tableau_setup(it);
    return st;
}

void vg_user_tableau_setup(vgIntegrator *it)
{
    const vgUserMethod *m = it->row->data;
    for (int i = m->first_explicit; i < m->s && it->nnode < VG_MAX_NODES; i++)
        it->node[it->nnode++] = m->c[i];
    vg_newton_for_control(it);
    it->error_power = m->embedded ? (m->embedded < m->row.order ? m->embedded : m->row.order) + 1 : 0;
    it->nhistory = 0;
}

/* Δ̇, q, v and v̇ of stage i: old values of all through A⁻¹, changes of this sweep through L⁻¹. */
static void motion(const vgIntegrator *it, Own *w, const vgState *s, int i, double h)
{
    const vgSystem *sys = it->sys;
    Stage *st = &w->stage[i];
    const double *inv = w->inv + i * w->n, *tri = w->tri + i * w->n;
    for (int k = 0; k < sys->nv; k++) {
        double rate = -w->known[i] * s->v[k];
        for (int j = 0; j < w->n; j++) rate += inv[j] / h * w->stage[j].delta_old[k];
        for (int j = 0; j < i; j++) rate += tri[j] / h * (w->stage[j].delta[k] - w->stage[j].delta_old[k]);
        st->rate[k] = rate;
    }
    sys->ops->retract(sys, s->q, st->delta_old, st->q);
    sys->ops->twist(sys, st->delta_old, st->q, st->rate, st->v);
    for (int k = 0; k < sys->nv; k++) {
        double a = -w->known[i] * s->a[k] + tri[i] / h * (st->v[k] - st->v_old[k]);
        for (int j = 0; j < w->n; j++) a += inv[j] / h * (w->stage[j].v_old[k] - s->v[k]);
        for (int j = 0; j < i; j++) a += tri[j] / h * (w->stage[j].v[k] - w->stage[j].v_old[k]);
        st->a[k] = a;
    }
}

static vgStatus factor(vgIntegrator *it, Stage *st, double t, double cv)
{
    vgTangent p = {.t = t,
                   .q = st->q,
                   .v = st->v,
                   .a = st->a,
                   .lambda = st->lambda,
                   .cv = cv,
                   .ca = cv * cv,
                   .map = VG_STAGE_FIRST,
                   .delta = st->delta_old,
                   .delta_dot = st->rate,
                   .reuse = 1};
    vgStatus status = it->sys->ops->factor(it->sys, st->work, &p);
    it->stats.jacobians++;
    if (status != VG_OK)
        vg_fail_equation(it, status, t, st->work->bad_row, "the Newton matrix cannot be factorised");
    return status;
}

/* One increment of stage i, and its size. */
static vgStatus sweep(vgIntegrator *it, Own *w, const vgState *s, int i, double h, int fresh, double *norm)
{
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    Stage *st = &w->stage[i];
    double t = s->t + m->c[i + m->first_explicit] * h, cv = w->tri[i * w->n + i] / h, ca = cv * cv;
    motion(it, w, s, i, h);
    int on_acc = vg_at_acceleration(sys) && sys->nl > 0;
    if (on_acc) vg_system_rows(sys, st->work, t, st->q, st->v, st->a, st->lambda, w->phi, w->phi_dot, w->xl);
    sys->ops->residual(sys, st->work, t, st->q, st->v, st->a, st->lambda, w->r, on_acc ? NULL : w->phi);
    it->stats.residuals++;
    vgStatus status = fresh ? factor(it, st, t, cv) : VG_OK;
    if (status != VG_OK) return status;
    for (int k = 0; k < sys->nv; k++) w->x[k] = -w->r[k] / ca;
    for (int k = 0; k < sys->nl; k++) {
        double by[3] = {1, cv, ca};
        w->xl[k] = on_acc ? -w->xl[k] / ca : -w->phi[k] / by[sys->row_level[k]];
    }
    sys->ops->solve(sys, st->work, w->x, w->xl);
    *norm = fmax(*norm, vg_rows_largest(sys->nv, w->x, w->unit));
    sys->ops->rates(sys, st->delta_old, st->q, w->x, w->d);
    for (int k = 0; k < sys->nl; k++) st->lambda[k] += ca * w->xl[k];
    for (int k = 0; k < sys->nv; k++) {
        st->delta[k] = st->delta_old[k] + w->d[k];
        st->rate[k] += cv * w->d[k];
    }
    sys->ops->retract(sys, s->q, st->delta, st->q);
    sys->ops->twist(sys, st->delta, st->q, st->rate, st->v);
    return vg_check_finite(it, t, norm, 1);
}

static void first_guess(const vgIntegrator *it, Own *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    for (int i = 0; i < w->n; i++) {
        Stage *st = &w->stage[i];
        double x = m->c[i + m->first_explicit] * h;
        for (int k = 0; k < sys->nv; k++) {
            st->v_old[k] = s->v[k] + x * s->a[k];
            st->delta_old[k] = x * s->v[k] + 0.5 * x * x * s->a[k];
        }
        memcpy(st->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
        vg_work_bind(st->work, s);
    }
}

static vgStatus iterate(vgIntegrator *it, Own *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    const double FINER = 1e-3, STALLED = 0.5; /* as in irk.c: high order is what such a method is taken for */
    int limit = it->newton_fixed > 0 ? it->newton_fixed : 8 * it->newton_max, fresh = 1;
    double before = 0, first = 0;
    first_guess(it, w, s, h);
    for (int k = 0; k < limit; k++) {
        double norm = 0, acc = 0, far = 1;
        for (int i = 0; i < w->n; i++) {
            vgStatus status = sweep(it, w, s, i, h, fresh, &norm);
            if (status != VG_OK) return status;
            double cv = w->tri[i * w->n + i] / h;
            acc = fmax(acc, vg_rows_largest(sys->nv, w->stage[i].a, w->unit) / (cv * cv));
            far = fmax(far, vg_rows_largest(sys->nv, w->stage[i].delta, w->unit));
        }
        it->stats.newton_iterations += w->n;
        double goal = fmax(fmin(it->newton_tol, FINER * it->newton_acc * acc), VG_ROUNDING * far),
               theta = before > 0 ? norm / before : 1;
        int at_rounding = k > 2 && theta > STALLED && norm <= VG_SWEEP_ROUNDING * far;
        if (it->newton_fixed > 0 ? k + 1 == limit : norm <= goal || at_rounding) return VG_OK;
        if (k == 0) first = norm;
        if (norm > 100 * first) break;
        fresh = it->newton_mode == VG_NEWTON_FULL || theta > STALLED;
        before = norm;
        for (int i = 0; i < w->n; i++) {
            Stage *st = &w->stage[i];
            memcpy(st->delta_old, st->delta, (size_t)sys->nv * sizeof(double));
            memcpy(st->v_old, st->v, (size_t)sys->nv * sizeof(double));
        }
    }
    it->stats.newton_failures++;
    vg_fail_equation(it, VG_NOT_CONVERGED, s->t + h, -1, "the iteration of the stages did not converge");
    return VG_NOT_CONVERGED;
}

/* h Σ c_j of the stages' rates and accelerations. */
static void sum(const vgIntegrator *it, const Own *w, const vgState *s, const double *c, double h,
                double *of_rates, double *of_accelerations)
{
    const vgUserMethod *m = it->row->data;
    int f = m->first_explicit;
    for (int k = 0; k < it->sys->nv; k++) {
        double x = f ? c[0] * s->v[k] : 0, y = f ? c[0] * s->a[k] : 0;
        for (int j = 0; j < w->n; j++) {
            x += c[j + f] * w->stage[j].rate[k];
            y += c[j + f] * w->stage[j].a[k];
        }
        of_rates[k] = h * x;
        of_accelerations[k] = h * y;
    }
}

/* Accelerations of the stages as the converged velocities have them. */
static void settle_accelerations(const vgIntegrator *it, Own *w, const vgState *s, double h)
{
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < it->sys->nv; k++) {
            double a = -w->known[i] * s->a[k];
            for (int j = 0; j < w->n; j++) a += w->inv[i * w->n + j] / h * (w->stage[j].v[k] - s->v[k]);
            w->stage[i].a[k] = a;
        }
}

vgStatus vg_user_coupled_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    const vgSystem *sys = it->sys;
    const vgUserMethod *m = it->row->data;
    const Stage *last = &w->stage[w->n - 1];
    double t = s->t + h;
    vgStatus st = iterate(it, w, s, h);
    if (st != VG_OK) return st;
    settle_accelerations(it, w, s, h);
    if (m->stiffly) {
        memcpy(w->result.q, last->q, (size_t)sys->nq * sizeof(double));
        memcpy(w->result.v, last->v, (size_t)sys->nv * sizeof(double));
    } else {
        sum(it, w, s, m->b, h, w->d, w->result.v);
        for (int k = 0; k < sys->nv; k++) w->result.v[k] += s->v[k];
        sys->ops->retract(sys, s->q, w->d, w->result.q);
    }
    if (it->adaptive && m->embedded) {
        sum(it, w, s, m->e, h, w->e_q, w->e_v);
        vg_step_error(x, vg_error_norm(it, w->result.q, s, w->result.v, w->e_q, w->e_v));
    }
    if (vg_step_refuses(x)) return VG_OK;
    return vg_result_finish(it, &w->result, t, s);
}
