/* Adams methods in local coordinates about the newest configuration q_n, for any spacing of the points:
 *     Δ_{n+1} = ∫ k(t) dt,   v_{n+1} = v_n + ∫ l(t) dt   over [t_n, t_{n+1}],
 * with k_{n−j} = T⁻¹(Δ_{n−j}) v_{n−j}, Δ_{n−j} = local(q_n, q_{n−j}), l = accelerations, both replaced by the
 * polynomial through the newest points ([G] 7.1.3; Hairer, Nørsett, Wanner I, III.1, III.5).
 *
 * Newton's form, τ = (t − t_n)/h, points τ_0 = 0 > τ_1 > …, new point τ = 1, I_j = ∫₀¹ Π_{i<j} (τ − τ_i) dτ:
 *     AB_k    Σ_{j<k} I_j f[0..j]                             explicit, order k
 *     AM_k    AB_{k−1} + I_{k−1} f[0..k−2, new]               implicit, order k
 *     AM_{k+1} − AM_k = c_k f[0..k−1, new],   c_k = I_k − (1 − τ_{k−1}) I_{k−1}     error of order k
 *
 * History in the state: per point t, q, v, a. The first points come from Dormand–Prince 5(4). */
#include <math.h>
#include <string.h>

#include "integrator/own.h"
#include "integrator/explicit/adams.h"
#include "integrator/multistep/lms.h"
#include "integrator/passes.h"
#include "integrator/explicit/rk.h"
#include "integrator/rows.h"
#include "integrator/step_size.h"
#include "integrator/stage/stage.h"
#include "math/dense.h"
#include "integrator/tuning.h"

enum { MAX_POINTS = 13 };
/* What tells the rows apart. */
typedef struct AdamsData {
    enum { BASHFORTH, MOULTON } mode;
    int order;
} AdamsData;

typedef struct Adams {
    vgArena arena;
    vgRk rk;
    vgStage stage;
    double *k, *l; /* local rates of the points, newest first: (MAX_POINTS + 1) × nv; row 0: the new point */
    double *delta, *dhat, *vhat, *q, *v, *a, *lambda, *e_q, *e_v, *d, *zero;
} Adams;

enum { P_SOLVER = 0 }; /* of the implicit ones */
static const vgParamSpec moulton_params[] = {
    {"solver", 0, 0, 1, "0: fixed-point iteration to convergence, 1: Newton"},
};
/* ---- coefficients ---- */

/* I_j, j = 0..n, by Gauss–Legendre with 7 points, exact to degree 13; all points side by side. */
static void integrals(const double *tau, int n, double *I)
{
#define X1 (0.5 * 0.40584515137739716691)
#define X2 (0.5 * 0.74153118559939443986)
#define X3 (0.5 * 0.94910791234275852453)
    const vgFour low = {0.5 - X3, 0.5 - X2, 0.5 - X1, 0.5}, high = {0.5 + X3, 0.5 + X2, 0.5 + X1, 0};
    vgFour p = {0.5 * 0.12948496616886969327, 0.5 * 0.27970539148927666790, 0.5 * 0.38183005050511894495,
                0.5 * 0.41795918367346938776};
    vgFour r = {p[0], p[1], p[2], 0};
    for (int j = 0; j < n; j++) {
        vgFour sum = p + r;
        I[j] = VG_TOTAL(sum);
        p *= low - tau[j];
        r *= high - tau[j];
    }
    p += r;
    I[n] = VG_TOTAL(p);
}

/* Weights of f[τ_0..τ_{m−1}, 1] on those m points and (last) on the new one. */
static double divided(const double *tau, int m, double *d)
{
    double last = 1;
    for (int i = 0; i < m; i++) {
        double p = tau[i] - 1;
        for (int j = 0; j < m; j++)
            if (j != i) p *= tau[i] - tau[j];
        d[i] = 1 / p;
        last *= 1 - tau[i];
    }
    return 1 / last;
}

/* Weights of AM_{k+1} − AM_k. */
static void error_weights(const double *tau, int k, const double *I, double *error, double *error_new)
{
    double c = I[k] - (1 - tau[k - 1]) * I[k - 1];
    *error_new = c * divided(tau, k, error);
    for (int i = 0; i < k; i++) error[i] *= c;
}

void vg_adams_weights(const double *tau, int k, double *bashforth, double *moulton, double *moulton_new,
                      double *error, double *error_new)
{
    double I[MAX_POINTS + 1], p[MAX_POINTS]; /* p_i = Π (τ_i − τ_m), m ≤ j, m ≠ i */
    integrals(tau, k, I);
    for (int i = 0; i < k; i++) bashforth[i] = moulton[i] = 0;
    for (int j = 0; j < k; j++) { /* I_j f[0..j] */
        p[j] = 1;
        for (int i = 0; i < j; i++) {
            p[j] *= tau[j] - tau[i];
            p[i] *= tau[i] - tau[j];
        }
        for (int i = 0; i <= j; i++) bashforth[i] += I[j] / p[i];
        if (j == k - 2)
            for (int i = 0; i <= j; i++) moulton[i] = bashforth[i];
    }
    double d[MAX_POINTS];
    *moulton_new = I[k - 1] * divided(tau, k - 1, d);
    for (int i = 0; i < k - 1; i++) moulton[i] += I[k - 1] * d[i];
    error_weights(tau, k, I, error, error_new);
}

/* ---- history: count, then points of 1 + nq + 2 nv numbers, newest first: a step is a map of these
 * numbers, whose eigenvalues are looked at (no ring) ---- */

static int point_size(const vgSystem *sys)
{
    return 1 + sys->nq + 2 * sys->nv;
}

static double *point(const vgSystem *sys, const vgState *s, int j)
{
    return s->history + 1 + (size_t)j * (size_t)point_size(sys);
}

/* The state becomes the newest point, of at most `most` that are kept. */
static void push(const vgSystem *sys, vgState *s, int most)
{
    int n = (int)s->history[0], size = point_size(sys);
    if (n >= most) n = most - 1;
    memmove(point(sys, s, 1), point(sys, s, 0), (size_t)n * (size_t)size * sizeof(double));
    double *p = point(sys, s, 0);
    p[0] = s->t;
    vg_pass_copy(sys->nq, s->q, p + 1);
    vg_pass_copy(sys->nv, s->v, p + 1 + sys->nq);
    vg_pass_copy(sys->nv, s->a, p + 1 + sys->nq + sys->nv);
    s->history[0] = n + 1;
}

/* Rates of the first n points in local coordinates about the newest, into rows 1.. of k and l; τ of each. */
static void carry(const vgSystem *sys, Adams *w, const vgState *s, int n, double h, double *tau)
{
    size_t row = (size_t)sys->nv;
    for (int j = 0; j < n; j++) {
        const double *p = point(sys, s, j), *q = p + 1, *v = q + sys->nq, *a = v + sys->nv;
        double *k = w->k + (size_t)(j + 1) * row;
        tau[j] = (p[0] - s->t) / h;
        if (j == 0) tau[0] = 0; /* the time of the state may have been rounded onto the grid */
        if (sys->vector_space && sys->second_order) {
            memcpy(k, v, row * sizeof(double));
        } else {
            if (j == 0)
                memset(w->d, 0, row * sizeof(double));
            else
                sys->ops->local(sys, s->q, q, w->d);
            sys->ops->rates(sys, w->d, q, v, k);
        }
        memcpy(w->l + (size_t)(j + 1) * row, a, row * sizeof(double));
    }
}

/* ---- set-up ---- */

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Adams *w = own;
    const vgSystem *sys = it->sys;
    int nv = sys->nv + 1;
    vg_rk_place(&w->rk, sys, vg_tableau_dopri5.stages, a);
    vg_stage_place(&w->stage, sys, a);
    w->k = VG_TAKE(a, double, (MAX_POINTS + 1) * nv);
    w->l = VG_TAKE(a, double, (MAX_POINTS + 1) * nv);
    w->delta = VG_TAKE(a, double, nv);
    w->dhat = VG_TAKE(a, double, nv);
    w->vhat = VG_TAKE(a, double, nv);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, nv);
    w->a = VG_TAKE(a, double, nv);
    w->lambda = VG_TAKE(a, double, sys->nl + 1);
    w->e_q = VG_TAKE(a, double, nv);
    w->e_v = VG_TAKE(a, double, nv);
    w->d = VG_TAKE(a, double, nv);
    w->zero = VG_TAKE(a, double, nv);
}

static vgStatus setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Adams), place);
    if (st != VG_OK) return st;
    vg_newton_for_control(it);
    it->nhistory = 1 + MAX_POINTS * point_size(it->sys);
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    vg_stage_reset(it);
    s->history[0] = 0;
    vgStatus st = vg_accel_state(it, s);
    if (st == VG_OK) push(it->sys, s, MAX_POINTS);
    return st;
}

/* ---- steps ---- */

/* Positions and velocities from rates: Δ = dhat + h b k₀, v = vhat + h b l₀ (row 0: the new point). */
static void correct(const vgSystem *sys, Adams *w, const vgState *s, double hb)
{
    for (int i = 0; i < sys->nv; i++) {
        w->delta[i] = w->dhat[i] + hb * w->k[i];
        w->v[i] = w->vhat[i] + hb * w->l[i];
    }
    sys->ops->retract(sys, s->q, w->delta, w->q);
}

static vgStatus evaluate(vgIntegrator *it, Adams *w, double t)
{
    const vgSystem *sys = it->sys;
    vgStatus st = vg_check_finite(it, t, w->v, sys->nv);
    if (st != VG_OK) return st;
    sys->ops->rates(sys, w->delta, w->q, w->v, w->k);
    return vg_accel_at(it, t, w->q, w->v, w->l, w->lambda);
}

/* The new state in w->q, w->v becomes the state's; with constraints after the projection. evaluated:
 * row 0 of l has the accelerations at w->q, w->v. */
static vgStatus commit(vgIntegrator *it, Adams *w, vgState *s, double h, int evaluated)
{
    const vgSystem *sys = it->sys;
    vgStatus st = vg_check_finite(it, s->t + h, w->v, sys->nv);
    if (st == VG_OK) st = vg_settle(it, s->t + h, w->q, w->v);
    if (st != VG_OK) return st;
    if (evaluated && sys->nl == 0) {
        memcpy(w->a, w->l, (size_t)sys->nv * sizeof(double));
    } else {
        st = vg_accel_at(it, s->t + h, w->q, w->v, w->a, w->lambda);
        if (st != VG_OK) return st;
    }
    vg_accept(sys, s->t + h, w->q, w->v, w->a, w->lambda, s);
    push(sys, s, MAX_POINTS);
    return VG_OK;
}

/* A step of the starting procedure. */
static vgStatus first_steps(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Adams *w = it->own;
    double t = s->t;
    vgStatus st = vg_rk_step(it, &vg_tableau_dopri5, &w->rk, s, h, x);
    if (st == VG_OK && it->adaptive) x->next = vg_step_kept(it, x, h, VG_START_POWER, 2);
    if (st == VG_OK && s->t > t) push(it->sys, s, MAX_POINTS);
    return st;
}

/* Error of order k with the rates of the new point: h Σ e_j f_j. */
static double error_of(vgIntegrator *it, const Adams *w, const vgState *s, const double *e, double en, int k,
                       double h)
{
    int nv = it->sys->nv;
    vg_combine(NULL, w->k + nv, e, k, nv, h, w->e_q);
    vg_combine(NULL, w->l + nv, e, k, nv, h, w->e_v);
    for (int i = 0; i < nv; i++) {
        w->e_q[i] += h * en * w->k[i];
        w->e_v[i] += h * en * w->l[i];
    }
    return vg_error_norm(it, w->q, s, w->v, w->e_q, w->e_v);
}

/* Error control of the formulas of order k: the step wished for; 0 where this one is not accepted. */
static int accepted(const vgIntegrator *it, double h, int k, double norm, vgStep *x)
{
    vg_step_error(x, norm);
    x->next = vg_step_kept(it, x, h, k + 1, 2);
    return !vg_step_refuses(x);
}

/* Its error is the term that the new point adds: AM_{k+1} − AB_k = I_k f[0..k−1, new]. */
static vgStatus bashforth(vgIntegrator *it, vgState *s, double h, int k, vgStep *x)
{
    Adams *w = it->own;
    const vgSystem *sys = it->sys;
    double tau[MAX_POINTS], b[MAX_POINTS], m[MAX_POINTS], e[MAX_POINTS], mn, en;
    carry(sys, w, s, k, h, tau);
    vg_adams_weights(tau, k, b, m, &mn, e, &en);
    vg_combine(NULL, w->k + sys->nv, b, k, sys->nv, h, w->delta);
    vg_combine(s->v, w->l + sys->nv, b, k, sys->nv, h, w->v);
    sys->ops->retract(sys, s->q, w->delta, w->q);
    if (!it->adaptive) return commit(it, w, s, h, 0);
    vgStatus st = evaluate(it, w, s->t + h);
    if (st != VG_OK) return st;
    double I[MAX_POINTS + 1];
    integrals(tau, k, I);
    en = I[k] * divided(tau, k, e);
    for (int i = 0; i < k; i++) e[i] *= I[k];
    if (!accepted(it, h, k, error_of(it, w, s, e, en, k, h), x)) return VG_OK;
    return commit(it, w, s, h, 1);
}

/* The implicit formula by Newton's method on the stage Δ̇ = (Δ − Δ̂)/(h b), v = T Δ̇, a = (v − v̂)/(h b). */
static vgStatus newton(vgIntegrator *it, vgState *s, double h, double b)
{
    Adams *w = it->own;
    vgStage *st = &w->stage;
    memcpy(st->delta, w->delta, (size_t)it->sys->nv * sizeof(double));
    memcpy(st->lambda, s->lambda, (size_t)it->sys->nl * sizeof(double));
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = 1 / (h * b),
                      .ca = 1 / (h * h * b * b),
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    vgStatus status = vg_stage_solve(it, st, &sp);
    if (it->sys->nl > 0) it->matrix.have = 0; /* the projection that follows uses the matrix */
    if (status != VG_OK) return status;
    memcpy(w->q, st->q, (size_t)it->sys->nq * sizeof(double));
    memcpy(w->v, st->v, (size_t)it->sys->nv * sizeof(double));
    memcpy(w->k, st->delta_dot, (size_t)it->sys->nv * sizeof(double));
    memcpy(w->l, st->a, (size_t)it->sys->nv * sizeof(double));
    return VG_OK;
}

/* Fixed-point iteration until the change by a further iteration would be below the tolerance ([G] algorithm 7-1). */
static vgStatus fixed_point(vgIntegrator *it, vgState *s, double h, double b)
{
    Adams *w = it->own;
    const vgSystem *sys = it->sys;
    double before[2] = {INFINITY, INFINITY}; /* one and two iterations ago */
    int limit = it->newton_fixed > 0 ? it->newton_fixed : 5 * it->newton_max;
    for (int iter = 0; iter < limit; iter++) {
        vgStatus st = evaluate(it, w, s->t + h);
        if (st != VG_OK) return st;
        memcpy(w->e_v, w->v, (size_t)sys->nv * sizeof(double));
        memcpy(w->e_q, w->delta, (size_t)sys->nv * sizeof(double));
        correct(sys, w, s, h * b);
        double norm = 0;
        for (int i = 0; i < sys->nv; i++) {
            double x =
                vg_larger(fabs(w->v[i] - w->e_v[i]) * h, fabs(w->delta[i] - w->e_q[i])) / sys->v_scale[i];
            norm = vg_larger(norm, x);
        }
        it->stats.newton_iterations++;
        if (it->newton_fixed > 0 ? iter + 1 == limit : norm <= it->newton_tol) return VG_OK;
        /* velocities correct positions and these the velocities: only every other iteration need gain */
        if (iter > 3 && !(norm < VG_FIXED_POINT_STALLS * before[1])) break;
        before[1] = before[0];
        before[0] = norm;
    }
    it->stats.newton_failures++;
    vg_fail_equation(it, VG_NOT_CONVERGED, s->t + h, -1,
                     "the fixed-point iteration of the implicit Adams formula did not converge");
    return VG_NOT_CONVERGED;
}

static vgStatus moulton(vgIntegrator *it, vgState *s, double h, int k, vgStep *x)
{
    Adams *w = it->own;
    const vgSystem *sys = it->sys;
    int n = k < (int)s->history[0] ? k : (int)s->history[0], nv = sys->nv;
    double tau[MAX_POINTS], b[MAX_POINTS], m[MAX_POINTS], e[MAX_POINTS], mn, en;
    carry(sys, w, s, n, h, tau);
    tau[k - 1] = n < k ? tau[n - 1] - 1 : tau[k - 1]; /* the last is wanted by the error weights alone */
    vg_adams_weights(tau, k, b, m, &mn, e, &en);
    vg_combine(NULL, w->k + nv, m, k - 1, nv, h, w->dhat);
    vg_combine(s->v, w->l + nv, m, k - 1, nv, h, w->vhat);
    if (n == k) { /* the explicit formula predicts */
        vg_combine(NULL, w->k + nv, b, k, nv, h, w->delta);
        vg_combine(s->v, w->l + nv, b, k, nv, h, w->v);
    } else {
        for (int i = 0; i < nv; i++) {
            w->delta[i] = h * (w->k[nv + i] + 0.5 * h * w->l[nv + i]);
            w->v[i] = s->v[i] + h * w->l[nv + i];
        }
    }
    sys->ops->retract(sys, s->q, w->delta, w->q);
    int by_newton = it->param[P_SOLVER] > 0 && sys->second_order;
    vgStatus st = by_newton ? newton(it, s, h, mn) : fixed_point(it, s, h, mn);
    if (st != VG_OK) return st;
    if (it->adaptive && !accepted(it, h, k, error_of(it, w, s, e, en, k, h), x)) return VG_OK;
    return commit(it, w, s, h, by_newton);
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    const AdamsData *d = it->row->data;
    /* the implicit formula needs one point less, but its error estimate does not */
    int implicit = d->mode == MOULTON && !it->adaptive;
    if ((int)s->history[0] < (implicit ? d->order - 1 : d->order)) return first_steps(it, s, h, x);
    return d->mode == BASHFORTH ? bashforth(it, s, h, d->order, x) : moulton(it, s, h, d->order, x);
}

/* ---- rows ---- */

#define ADAMS_ROW(id, name_, title_, cite, order_, flags_, params_, nparam_, mode_, data_order)              \
    static const AdamsData id##_data = {mode_, data_order};                                                  \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "Adams",                                                      \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = 1,                                                            \
                                     .flags = VG_INT_MULTISTEP | VG_INT_OWN_NEWTON | (flags_),               \
                                     .constraints = VG_CON_ACCEL,                                            \
                                     .rho = {(order_) == 2, (order_) == 2}, /* am2: trapezoidal */           \
                                     .params = params_,                                                      \
                                     .nparam = nparam_,                                                      \
                                     .data = &id##_data,                                                     \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}
#define BASHFORTH_ROW(k)                                                                                     \
    ADAMS_ROW(ab##k, "ab" #k, "Adams–Bashforth of order " #k, "[G] (7.22)", k,                               \
              VG_INT_EXPLICIT | VG_INT_ESTIMATE, NULL, 0, BASHFORTH, k)
#define MOULTON_ROW(k, stability)                                                                            \
    ADAMS_ROW(am##k, "am" #k, "Adams–Moulton of order " #k ", iterated to convergence", "[G] (7.23)", k,     \
              VG_INT_IMPLICIT | VG_INT_ESTIMATE | (stability), moulton_params, 1, MOULTON, k)

BASHFORTH_ROW(1);
BASHFORTH_ROW(2);
BASHFORTH_ROW(3);
BASHFORTH_ROW(4);
BASHFORTH_ROW(5);
MOULTON_ROW(1, VG_INT_ASTABLE | VG_INT_LSTABLE);
MOULTON_ROW(2, VG_INT_ASTABLE);
MOULTON_ROW(3, 0);
MOULTON_ROW(4, 0);
MOULTON_ROW(5, 0);
