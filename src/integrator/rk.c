/* Explicit Runge–Kutta methods on the group (RKMK, [H] Algorithms 2, 3), one row of data each.
 *     q_i = q_n ⊕ Δ_i,  Δ_i = h Σ a_ij k_j,  v_i = v_n + h Σ a_ij l_j,  k_i = T⁻¹(Δ_i) v_i,  l_i = accel(t_i,
 * q_i, v_i) With constraint rows the accelerations are those of index 1; unless Baumgarte terms are on,
 * positions and velocities are projected onto the constraints after each step, with the least change in the
 * mass metric. */
#include "integrator/rk.h"

#include <math.h>
#include <string.h>

#include "integrator/own.h"
#include "integrator/rows.h"
#include "integrator/stage.h"

typedef struct Rk {
    vgArena arena;
    vgRk rk;
} Rk;

void vg_rk_place(vgRk *w, const vgSystem *sys, int stages, vgArena *a)
{
    w->k = VG_TAKE(a, double, (stages + 1) * (sys->nv + 1));
    w->l = VG_TAKE(a, double, (stages + 1) * (sys->nv + 1));
    w->delta = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, sys->nv + 1);
    w->lambda = VG_TAKE(a, double, sys->nl + 1);
    w->e_q = VG_TAKE(a, double, sys->nv + 1);
    w->e_v = VG_TAKE(a, double, sys->nv + 1);
    w->tb = NULL;
    w->sum = VG_TAKE(a, vgRkSum, stages + 1);
    for (int i = 0; i <= stages; i++) {
        vgRkSum x = {.c = VG_TAKE(a, double, stages),
                     .k = VG_TAKE(a, const double *, stages),
                     .l = VG_TAKE(a, const double *, stages)};
        if (w->sum) w->sum[i] = x;
    }
}

/* The sums of a step of size h, made anew when that changes. */
static void weigh(vgRk *w, const vgTableau *tb, int nv, double h)
{
    int n = tb->stages;
    if (w->tb == tb && w->h == h) return;
    w->tb = tb;
    w->h = h;
    for (int i = 1; i <= n; i++) {
        const double *coef = i < n ? tb->a + i * n : tb->b;
        vgRkSum *x = &w->sum[i];
        x->count = 0;
        for (int j = 0; j < i; j++) {
            if (coef[j] == 0) continue;
            x->c[x->count] = h * coef[j];
            x->k[x->count] = w->k + (size_t)j * (size_t)nv;
            x->l[x->count++] = w->l + (size_t)j * (size_t)nv;
        }
    }
}

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    const vgTableau *tb = it->row->data;
    vg_rk_place(&((Rk *)own)->rk, it->sys, tb->stages, a);
}

static vgStatus setup(vgIntegrator *it)
{
    it->nhistory = 0;
    return vg_own_new(it, sizeof(Rk), place);
}

vgStatus vg_accel_state(vgIntegrator *it, vgState *s)
{
    vgStatus st = it->sys->ops->accel(it->sys, it->work, s->t, s->q, s->v, s->a, s->lambda);
    it->stats.accels++;
    if (st != VG_OK)
        vg_fail_equation(it, st, s->t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

void vg_combine(const double *base, const double *rows, const double *coef, int count, int n, double h,
                double *out)
{
    vg_rows_combine(n, h, coef, count, base, rows, out, NULL, rows, NULL);
}

vgStatus vg_settle(vgIntegrator *it, double t, double *q, double *v)
{
    vgStatus st = vg_system_project(it->sys, it->work, t, q, v);
    if (st != VG_OK)
        vg_fail_equation(it, st, t, it->work->bad_row, "the projection onto the constraints failed");
    return st;
}

vgStatus vg_settle_result(vgIntegrator *it, double t, double *q, double *v)
{
    const vgSystem *sys = it->sys;
    int iterations;
    if (sys->ops->follow || sys->nl == 0 || (sys->con & VG_CON_AT_ACCELERATION))
        return vg_settle(it, t, q, v);
    vgStatus st = sys->ops->project_q(sys, it->work, t, q, 1e-14, 8, &iterations);
    if (st == VG_OK) st = sys->ops->project_v(sys, it->work, t, q, v);
    if (st != VG_OK)
        vg_fail_equation(it, st, t, it->work->bad_row, "the projection onto the constraints failed");
    return st;
}

vgStatus vg_check_finite(vgIntegrator *it, double t, const double *x, int n)
{
    if (isfinite(vg_rows_largest(n, x, NULL))) return VG_OK;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) {
            vg_fail_equation(it, VG_NOT_FINITE, t, i, "the step left the finite numbers; try a smaller step");
            return VG_NOT_FINITE;
        }
    return VG_OK;
}

/* The maps of the coordinates, nothing but a sum and a copy where they are a vector space. */
static void retract(const vgSystem *sys, const double *q0, const double *delta, double *q)
{
    if (sys->vector_space && sys->nq == sys->nv)
        for (int i = 0; i < sys->nv; i++) q[i] = q0[i] + delta[i];
    else
        sys->ops->retract(sys, q0, delta, q);
}

static void rates(const vgSystem *sys, const double *delta, const double *q, const double *v, double *k)
{
    if (sys->vector_space && sys->second_order)
        memcpy(k, v, (size_t)sys->nv * sizeof(double));
    else
        sys->ops->rates(sys, delta, q, v, k);
}

static void add_up(const vgSystem *sys, const vgRk *w, const vgRkSum *x, const vgState *s)
{
    vg_rows_sum(sys->nv, 1, NULL, x->count, x->c, x->k, w->delta);
    vg_rows_sum(sys->nv, 1, s->v, x->count, x->c, x->l, w->v);
    retract(sys, s->q, w->delta, w->q);
}

static vgStatus accel(vgIntegrator *it, const vgRk *w, double t, double *l)
{
    vgStatus st = it->sys->ops->accel(it->sys, it->work, t, w->q, w->v, l, w->lambda);
    it->stats.accels++;
    if (st != VG_OK) vg_fail_equation(it, st, t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

/* q, v by the sums x, and there the rates k and accelerations l. */
static vgStatus evaluate(vgIntegrator *it, const vgRk *w, const vgRkSum *x, const vgState *s, double t,
                         int last, double *k, double *l)
{
    const vgSystem *sys = it->sys;
    if (sys->free_stages) {
        vgExplicit ex = {t, s->q, s->v, x->count, x->c, x->k, x->l, w->q, w->v, k, l, last};
        it->stats.accels++;
        return sys->ops->stage(sys, it->work, &ex);
    }
    add_up(sys, w, x, s);
    rates(sys, w->delta, w->q, w->v, k);
    return accel(it, w, t, l);
}

/* All stages, and the new state in q, v; *a is its acceleration where that comes with it, else NULL. */
static vgStatus stages(vgIntegrator *it, const vgTableau *tb, vgRk *w, const vgState *s, double h, double **a)
{
    const vgSystem *sys = it->sys;
    int nv = sys->nv, n = tb->stages;
    weigh(w, tb, nv, h);
    *a = NULL;
    if (sys->second_order) { /* T(0) = 1 */
        memcpy(w->k, s->v, (size_t)nv * sizeof(double));
    } else {
        memset(w->delta, 0, (size_t)nv * sizeof(double));
        sys->ops->rates(sys, w->delta, s->q, s->v, w->k);
    }
    memcpy(w->l, s->a, (size_t)nv * sizeof(double));
    /* the result as one more stage, where it is sure to be accepted */
    int result = !tb->fsal && sys->free_stages && !it->adaptive, end = n - 1 + result;
    for (int i = 1; i <= end; i++) {
        double *k = w->k + (size_t)i * (size_t)nv, *l = w->l + (size_t)i * (size_t)nv;
        double t = s->t + (i < n ? tb->c[i] * h : h);
        vgStatus st = evaluate(it, w, &w->sum[i], s, t, i == end, k, l);
        if (st != VG_OK) return st;
    }
    if (sys->nl == 0 && (tb->fsal || result)) *a = w->l + (size_t)end * (size_t)nv;
    if (!tb->fsal && !result) add_up(sys, w, &w->sum[n], s);
    return VG_OK;
}

/* Error of the embedded pair; of two estimates combined in Dormand–Prince 8(5,3): e₅²/√(e₅² + 0.01 e₃²). */
static double estimate(vgIntegrator *it, const vgTableau *tb, vgRk *w, const vgState *s, double h)
{
    int nv = it->sys->nv, n = tb->stages;
    vg_rows_combine(nv, h, tb->e, n, NULL, w->k, w->e_q, NULL, w->l, w->e_v);
    double e5 = vg_error_norm(it, w->q, s->v, w->v, w->e_q, w->e_v);
    if (!tb->e2 || e5 == 0) return e5;
    vg_rows_combine(nv, h, tb->e2, n, NULL, w->k, w->e_q, NULL, w->l, w->e_v);
    double e3 = vg_error_norm(it, w->q, s->v, w->v, w->e_q, w->e_v);
    return e5 * e5 / sqrt(e5 * e5 + 0.01 * e3 * e3);
}

vgStatus vg_rk_step(vgIntegrator *it, const vgTableau *tb, vgRk *w, vgState *s, double h, double *err)
{
    const vgSystem *sys = it->sys;
    double e = -1, *a;
    vgStatus st = stages(it, tb, w, s, h, &a);
    if (st != VG_OK) return st;
    if (tb->e && it->adaptive) e = estimate(it, tb, w, s, h);
    if (err) *err = e;
    st = vg_check_finite(it, s->t + h, w->v, sys->nv);
    if (st == VG_OK && it->adaptive) st = vg_check_finite(it, s->t + h, &e, 1);
    if (st != VG_OK || (it->adaptive && e > 1)) return st; /* rejected: nothing has been changed */
    st = vg_settle(it, s->t + h, w->q, w->v);
    if (st != VG_OK) return st;
    if (!a) { /* at the projected state */
        a = w->l + (size_t)(tb->stages - 1) * (size_t)sys->nv;
        st = accel(it, w, s->t + h, a);
        if (st != VG_OK) return st;
        memcpy(s->lambda, w->lambda, (size_t)sys->nl * sizeof(double));
    }
    memcpy(s->q, w->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->v, w->v, (size_t)sys->nv * sizeof(double));
    memcpy(s->a, a, (size_t)sys->nv * sizeof(double));
    s->t += h;
    return VG_OK;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, double *err)
{
    Rk *w = it->own;
    return vg_rk_step(it, it->row->data, &w->rk, s, h, err);
}

/* ---- rows ---- */

#define EXPLICIT_ROW(id, name_, title_, cite, order_, stages_, flags_)                                       \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "explicit Runge–Kutta",                                       \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = stages_,                                                      \
                                     .flags = VG_INT_EXPLICIT | VG_INT_LEAN | (flags_),                      \
                                     .constraints = VG_CON_ACCEL,                                            \
                                     .data = &vg_tableau_##id,                                               \
                                     .setup = setup,                                                         \
                                     .start = vg_accel_state,                                                \
                                     .step = step}

enum { CONTROLLED = VG_INT_ESTIMATE | VG_INT_ADAPTIVE, DOUBLED = VG_INT_ESTIMATE | VG_INT_DOUBLING };
EXPLICIT_ROW(euler, "euler", "forward Euler, exponential on the group", "Euler 1768; [G] [H]", 1, 1, DOUBLED);
EXPLICIT_ROW(heun, "heun", "Heun, order 2, RKMK on the group", "Heun 1900; [G] [H]", 2, 2, DOUBLED);
EXPLICIT_ROW(bs32, "bs32", "Bogacki–Shampine 3(2) with error control, RKMK on the group",
             "Bogacki, Shampine 1989; [H]", 3, 4, CONTROLLED);
EXPLICIT_ROW(rk4, "rk4", "classical Runge–Kutta of order 4, RKMK on the group", "Kutta 1901; [G] [H]", 4, 4,
             DOUBLED);
EXPLICIT_ROW(rkf45, "rkf45", "Runge–Kutta–Fehlberg 4(5) with error control, RKMK on the group",
             "Fehlberg 1970; [G]", 4, 6, CONTROLLED);
EXPLICIT_ROW(dopri5, "dopri5", "Dormand–Prince 5(4) with error control, RKMK on the group",
             "Dormand, Prince 1980; [H]", 5, 7, CONTROLLED);
EXPLICIT_ROW(rk6, "rk6", "Butcher's Runge–Kutta of order 6 in 7 stages, RKMK on the group",
             "Butcher 1964; [H]", 6, 7, DOUBLED);
EXPLICIT_ROW(dop853, "dop853", "Dormand–Prince 8(5,3) with error control, RKMK on the group",
             "Hairer, Nørsett, Wanner I, II.10", 8, 12, CONTROLLED);
