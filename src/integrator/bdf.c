/* Backward differences of variable step and order 1 to 5, in variable-coefficient form: with τ_0 the new time
 * and τ_1 > τ_2 > … the earlier ones, the polynomial through y_0 … y_k has at τ_0 the slope ẏ_0 (Gear 1971;
 * Hairer, Nørsett, Wanner I, III.5),
 *     ẏ_0 = Σ_{j=0..k} d_j y_j,   d_0 = Σ_{i=1..k} 1/(τ_0 − τ_i),
 * for y = Δ about q_n and for y = v. The local error of order m is
 *     E_m = (1/d_0) Π_{i=1..m} (τ_0 − τ_i) · y[τ_0, …, τ_{m+1}]
 * with the divided difference of order m + 1. Step and order are kept for k + 1 steps, then the order of
 * k − 1, k, k + 1 that promises the largest step is taken. */
#include "integrator/bdf.h"

#include <math.h>
#include <string.h>

#include "integrator/own.h"
#include "integrator/lms.h"
#include "integrator/passes.h"
#include "integrator/predictor.h"
#include "integrator/rows.h"

enum { MAX_ORDER = 5, DEPTH = VG_PAST_MAX, POINTS = DEPTH + 2 };
_Static_assert(POINTS == 8, "weights are made four at a time");

enum { P_ORDER, NPARAM };
static const vgParamSpec params[NPARAM] = {
    {"order", 5, 1, 5, "highest order; 1 and 2 are A-stable"},
};

typedef struct Own {
    vgArena arena;
    vgStage stage;
    double *delta; /* DEPTH earlier points about q_n */
    double *dhat, *vhat, *e_q, *e_v;
    double *p_q, *p_v, *high_q, *high_v; /* the values that earlier points promise; one order higher */
    double tau[POINTS], per[POINTS];     /* 1/(τ_0 − τ_j), as far as points are looked at */
    int most, fixed;                     /* highest order; 1: no other, once there are points enough */
    int fails;                           /* attempts at this step that were rejected */
} Own;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    const vgSystem *sys = it->sys;
    vg_stage_place(&w->stage, sys, a);
    w->delta = VG_TAKE(a, double, DEPTH *(sys->nv + 1));
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->p_q = VG_TAKE(a, double, sys->nv + 1);
    w->p_v = VG_TAKE(a, double, sys->nv + 1);
    w->high_q = VG_TAKE(a, double, sys->nv + 1);
    w->high_v = VG_TAKE(a, double, sys->nv + 1);
    w->e_q = VG_TAKE(a, double, sys->nv + 1);
    w->e_v = VG_TAKE(a, double, sys->nv + 1);
}

vgStatus vg_bdf_setup(vgIntegrator *it, int most, int fixed)
{
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->most = most;
    w->fixed = fixed;
    vg_newton_for_control(it);
    it->nhistory = vg_past_size(it->sys, DEPTH) + 2; /* and: order, steps taken with it */
    return VG_OK;
}

static vgStatus setup(vgIntegrator *it)
{
    return vg_bdf_setup(it, (int)it->param[P_ORDER], 0);
}

static double *order_of(const vgIntegrator *it, const vgState *s)
{
    return s->history + vg_past_size(it->sys, DEPTH);
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Own *w = it->own;
    vg_stage_reset(it);
    w->fails = 0;
    s->history[0] = 0;
    order_of(it, s)[0] = 1;
    order_of(it, s)[1] = 0;
    return VG_OK;
}

/* ---- weights ---- */

/* Π_{m≠j} (τ_j − τ_m) of points 1 … n, four of them at a time. */
static inline vgFour products(vgFour tau, vgFour index, const double *all, int n)
{
    vgFour p = {1, 1, 1, 1}, one = p;
    for (int m = 1; m <= n; m++) {
        vgFour apart = tau - all[m];
        p *= VG_EITHER(index == (double)m, one, apart);
    }
    return p;
}

/* Weights p_j = Π_{i≠j} (τ_0 − τ_i)/(τ_j − τ_i) of the value at τ_0 of the polynomial through points 1 … n,
 * and with k = n or n − 1 the points of the formula, those of its sum: −d_j/d_0 of d_0 = Σ_{j=1..k} 1/(τ_0 −
 * τ_j),   d_j = −Π_{i=1..k} (τ_0 − τ_i) / ((τ_0 − τ_j)² Π_{i≠j} (τ_j − τ_i)) (d NULL: not wanted); d_0
 * itself. per: 1/(τ_0 − τ_j), filled. Arrays of POINTS, two fours. */
static double make_weights(const double *tau, int k, int n, double *per, double *d, double *p)
{
    double all = 1, of_k = 1, d0 = 0;
    vgFour index = {0, 1, 2, 3};
    for (int i = 0; i < POINTS; i += 4, index += 4.0) {
        vgFour t = GET(4, tau + i), x = 1 / (tau[0] - t);
        PUT(4, per + i, x);
        PUT(4, p + i, x / products(t, index, tau, n));
    }
    for (int j = 1; j <= n; j++) {
        double u = tau[0] - tau[j];
        all *= u;
        if (j <= k) d0 += per[j];
        if (j <= k) of_k *= u;
    }
    double f = of_k / d0;
    for (int i = 0; i < POINTS; i += 4) {
        vgFour x = GET(4, p + i), last = GET(4, tau + i) - (n > k ? tau[n] : 0);
        if (d && n > k) PUT(4, d + i, f * GET(4, per + i) * x * last);
        if (d && n == k) PUT(4, d + i, f * GET(4, per + i) * x);
        PUT(4, p + i, all * x);
    }
    if (d && n > k) d[n] = 0;
    return d0;
}

/* out = Σ_{j=1..n} c_j y_j; point 1 is the state (y1; NULL: zero), the others rows of past, less `about`
 * (NULL: zero), and the same with weights c2. */
static void sums(const double *c1, const double *c2, int n, const double *y1, const double *past, int nv,
                 const double *about, double *out1, double *out2)
{
    const double *row[POINTS];
    int first = y1 ? 1 : 2;
    for (int j = first; j <= n; j++) row[j - first] = j == 1 ? y1 : past + (size_t)(j - 2) * (size_t)nv;
    vg_rows_pair(nv, about, n + 1 - first, row, c1 + first, out1, c2 + first, out2);
}

static int is_plain(const vgSystem *sys)
{
    return sys->vector_space && sys->nq == sys->nv;
}

/* Two sums of positions about q_n: of the points themselves where they are a vector space, else of those
 * carried. */
static void positions(const vgSystem *sys, const vgPast *past, const double *q, const Own *w,
                      const double *c1, const double *c2, int n, double *out1, double *out2)
{
    if (is_plain(sys))
        sums(c1, c2, n, NULL, past->q, sys->nv, q, out1, out2);
    else
        sums(c1, c2, n, NULL, w->delta, sys->nv, NULL, out1, out2);
}

/* Where coordinates are a vector space, all that precedes the iteration in one pass: hats by weights d, what
 * the points promise by p, and the stage as the promised velocities have it. */
static void foretell(Own *w, int nv, const vgPast *past, const vgState *s, const vgStageSpec *sp, int n,
                     const double *d, const double *p)
{
    const double *q0 = s->q, *v0 = s->v, *q1 = past->q, *v1 = past->v, cv = sp->cv, b = 1 / cv;
    double *dhat = w->dhat, *vhat = w->vhat, *p_q = w->p_q, *p_v = w->p_v, *delta = w->stage.delta,
           *q = w->stage.q, *rate = w->stage.delta_dot, *v = w->stage.v, *a = w->stage.a;
#define FORETELL(N, i)                                                                                       \
    do {                                                                                                     \
        vgFour from = GET(N, q0 + (i)), r = GET(N, v0 + (i)), x = {0}, y = x, x_v = d[1] * r,                \
               y_v = p[1] * r;                                                                               \
        const double *at = q1 + (i), *speed = v1 + (i);                                                      \
        for (int j = 2; j <= n; j++, at += nv, speed += nv) {                                                \
            r = GET(N, at) - from;                                                                           \
            x += d[j] * r;                                                                                   \
            y += p[j] * r;                                                                                   \
            r = GET(N, speed);                                                                               \
            x_v += d[j] * r;                                                                                 \
            y_v += p[j] * r;                                                                                 \
        }                                                                                                    \
        PUT(N, dhat + (i), x);                                                                               \
        PUT(N, p_q + (i), y);                                                                                \
        PUT(N, vhat + (i), x_v);                                                                             \
        PUT(N, p_v + (i), y_v);                                                                              \
        PUT(N, rate + (i), y_v);                                                                             \
        PUT(N, v + (i), y_v);                                                                                \
        PUT(N, a + (i), cv * (y_v - x_v));                                                                   \
        x += b * y_v;                                                                                        \
        PUT(N, delta + (i), x);                                                                              \
        PUT(N, q + (i), from + x);                                                                           \
    } while (0)
    VG_WHOLE_FOURS(nv, FORETELL);
    w->stage.placed = 1;
}

/* ---- error and order ---- */

/* Weighted norm of f times what the stage differs by from what was promised. */
static double norm_of(vgIntegrator *it, const vgState *s, double f, const double *p_q, const double *p_v)
{
    Own *w = it->own;
    const double *delta = w->stage.delta, *v = w->stage.v;
    double *e_q = w->e_q, *e_v = w->e_v;
#define ERROR(N, i)                                                                                          \
    do {                                                                                                     \
        PUT(N, e_q + (i), f * (GET(N, delta + (i)) - GET(N, p_q + (i))));                                    \
        PUT(N, e_v + (i), f * (GET(N, v + (i)) - GET(N, p_v + (i))));                                        \
    } while (0)
    VG_WHOLE_FOURS(it->sys->nv, ERROR);
    return vg_filtered_error(it, &w->stage, s->t + w->tau[0] - w->tau[1], s->v, e_q, e_v);
}

/* 1/d_0 u of order m, u = τ_0 − τ_{m+1}, d_0 = Σ_{i=1..m} 1/(τ_0 − τ_i); used: 1/(1 + d_0 u). */
static double share_of(const Own *w, int m, int used)
{
    double u = w->tau[0] - w->tau[m + 1], d0 = 0;
    for (int i = 1; i <= m; i++) d0 += w->per[i];
    return 1 / (used + d0 * u);
}

/* Weighted norm of E_k at the solved stage, by the difference to the value p that the polynomial through
 * points 1 … m + 1 has at the new time,
 *     E_m = (y_0 − p)/(d_0 u),   u = τ_0 − τ_{m+1},   d_0 = Σ_{i=1..m} 1/(τ_0 − τ_i),
 * and (y_0 − p)/(1 + d_0 u) for the order m = k in use, whose y_0 carries the very error. −1 where there are
 * too few points. */
static double error_of_step(vgIntegrator *it, const vgState *s, const vgPast *past, int k)
{
    Own *w = it->own;
    int points = 1 + (int)*past->count;
    if (k + 1 <= points) return norm_of(it, s, share_of(w, k, 1), w->p_q, w->p_v);
    if (points > 1) return -1;
    /* the very first step: the rates at its beginning are known */
    double h = w->tau[0] - w->tau[1];
    for (int i = 0; i < it->sys->nv; i++) {
        w->p_q[i] = h * s->v[i];
        w->p_v[i] = s->v[i] + h * s->a[i];
    }
    return norm_of(it, s, 0.5, w->p_q, w->p_v);
}

/* The same for the orders below and above; −1: there is none, or too few points. */
static void errors_beside(vgIntegrator *it, const vgState *s, const vgPast *past, int k, double *down,
                          double *up)
{
    Own *w = it->own;
    int points = 1 + (int)*past->count, above = k + 1 <= w->most && k + 2 <= points;
    int n = above ? k + 2 : k;
    double low[POINTS], high[POINTS];
    *down = *up = -1;
    make_weights(w->tau, n, n, w->per, NULL, high);
    make_weights(w->tau, k, k, w->per, NULL, low);
    for (int j = k + 1; j <= n; j++) low[j] = 0;
    positions(it->sys, past, s->q, w, low, high, n, w->p_q, w->high_q);
    sums(low, high, n, s->v, past->v, it->sys->nv, NULL, w->p_v, w->high_v);
    if (k > 1 && !w->fixed) *down = norm_of(it, s, share_of(w, k - 1, 0), w->p_q, w->p_v);
    if (above) *up = norm_of(it, s, share_of(w, k + 1, 0), w->high_q, w->high_v);
}

static double factor_of(double err, int m, double bias)
{
    return err < 0 ? 0 : 1 / (vg_power(bias * err, 1.0 / (m + 1)) + 1e-6);
}

/* Order and step from here on. */
static void choose(vgIntegrator *it, vgState *s, const vgPast *past, int k, double h, double err)
{
    const Own *w = it->own;
    double *order = order_of(it, s);
    it->step_wish = h;
    order[1] += 1;
    if (order[1] <= k) return;
    if (w->fixed && k < w->most) { /* on the way up */
        order[0] = k + 1;
        order[1] = 0;
        return;
    }
    double down, up;
    errors_beside(it, s, past, k, &down, &up);
    if (!it->adaptive) { /* given steps: the order with the smallest error */
        order[0] = down >= 0 && down < err ? k - 1 : up >= 0 && up < err ? k + 1 : k;
        order[1] = 0;
        return;
    }
    double f = factor_of(err, k, 6), f_down = factor_of(down, k - 1, 6), f_up = factor_of(up, k + 1, 10);
    int m = f_up > f && f_up > f_down ? k + 1 : f_down > f ? k - 1 : k;
    double best = fmax(f, fmax(f_down, f_up));
    if (best < 1.3 && best > 0.9) { /* not worth the disturbance; look again soon */
        order[1] = k - 1;
        return;
    }
    order[0] = m;
    order[1] = 0;
    it->step_wish = h * fmin(best, k == 1 ? 8 : 2);
}

/* ---- the step ---- */

static int order_to_try(const vgIntegrator *it, const vgState *s)
{
    const Own *w = it->own;
    int k = (int)order_of(it, s)[0];
    if (k > w->most) k = w->most;
    if (w->fails >= 2) k = w->fails >= 4 ? 1 : k > 1 ? k - 1 : 1;
    int points = 1 + (int)s->history[0];
    return k < points ? k : points;
}

static vgStatus solve(vgIntegrator *it, vgState *s, const vgPast *past, int k, double h)
{
    const vgSystem *sys = it->sys;
    Own *w = it->own;
    double d[POINTS], p[POINTS];
    w->tau[0] = h;
    w->tau[1] = 0;
    for (int j = 0; j < (int)*past->count; j++) w->tau[j + 2] = w->tau[j + 1] - past->h[j];
    int used = k + 1 < (int)*past->count ? k + 1 : (int)*past->count; /* order k + 1 may be looked at */
    if (!is_plain(sys)) vg_past_carry(sys, past, s->q, used, w->delta, NULL);
    /* first guess and error estimate look at the polynomial through k + 1 points, or as many as there are */
    int points = 1 + (int)*past->count, n = k + 1 < points ? k + 1 : points;
    double d0 = make_weights(w->tau, k, n, w->per, d, p);
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = d0,
                      .ca = d0 * d0,
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .matrix_unused = !it->adaptive};
    if (n > 1 && is_plain(sys)) {
        foretell(w, sys->nv, past, s, &sp, n, d, p);
    } else {
        positions(sys, past, s->q, w, d, p, n, w->dhat, w->p_q);
        sums(d, p, n, s->v, past->v, sys->nv, NULL, w->vhat, w->p_v);
        if (n == 1)
            vg_predict_delta(sys, &w->stage, &sp, s->a);
        else
            vg_predict_by_velocity(sys, &w->stage, &sp, w->p_v);
    }
    vg_pass_copy(sys->nl, s->lambda, w->stage.lambda);
    return vg_stage_solve(it, &w->stage, &sp);
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, double *err)
{
    Own *w = it->own;
    double *order = order_of(it, s), e;
    vgPast past = vg_past_view(it->sys, DEPTH, s->history);
    int k = order_to_try(it, s);
    vgStatus status = solve(it, s, &past, k, h);
    if (status != VG_OK) {
        w->fails++;
        return status;
    }
    e = error_of_step(it, s, &past, k);
    if (err) *err = e;
    if (it->adaptive && e > 1) {
        w->fails++;
        it->step_wish = h * fmax(0.1, factor_of(e, k, 6));
        return VG_OK;
    }
    double keep[2] = {order[0], order[1]};
    if (k != (int)order[0] || w->fails > 0) {
        order[0] = k;
        order[1] = 0;
    }
    choose(it, s, &past, k, h, e);
    status = vg_stage_settle(it, &w->stage, s->t + h);
    if (status != VG_OK) {
        order[0] = keep[0];
        order[1] = keep[1];
        w->fails++;
        return status;
    }
    w->fails = 0;
    past.depth = k + 2 < DEPTH ? k + 2 : DEPTH; /* for order k + 1 in the next step */
    vg_past_commit(it->sys, &past, &w->stage, 0, h, s);
    return VG_OK;
}

const vgIntegratorRow vg_bdf = {
    .name = "bdf",
    .family = "linear multistep",
    .title = "backward differences of variable step and order 1 to 5",
    .citation = "Gear 1971; Hairer, Nørsett, Wanner I, III.5",
    .order = 5,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_MULTISTEP | VG_INT_ESTIMATE | VG_INT_ADAPTIVE,
    .constraints = VG_CON_STAGE,
    .params = params,
    .nparam = NPARAM,
    .setup = setup,
    .start = start,
    .step = step,
};
