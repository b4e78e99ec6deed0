/* Linear multistep methods of fixed order: LMS2, LMS3, LMS4 with ρ∞ ([Z] section 2.1) and the backward
 * differentiation formulas of orders 1 to 4 (Gear; [G] table 7.3),
 *     y_k = Σ_{j=1..r} α_j y_{k−j} + h Σ_{j=0..r} β_j ẏ_{k−j},
 * for y = Δ about q_{k−1} and for y = v: one stage with c_v = 1/(β₀h). */
#include "integrator/multistep/lms.h"

#include <math.h>
#include <string.h>

#include "integrator/multistep/bdf.h"
#include "integrator/composite/esdirk.h"
#include "integrator/own.h"
#include "integrator/passes.h"
#include "integrator/stage/predictor.h"
#include "integrator/rows.h"
#include "integrator/step_size.h"
#include "integrator/structural/ss.h"
#include "integrator/tuning.h"

enum { MAX_R = 4 };

typedef struct Coefficients {
    double alpha[MAX_R + 1], beta[MAX_R + 1]; /* alpha[0] is not used */
} Coefficients;

typedef struct Method {
    int r;
    void (*make)(double rho, double ratio, Coefficients *c); /* ratio: this step over the one before */
    int variable;                                            /* ratio ≠ 1 is allowed */
    int rates;                                               /* β_j ≠ 0 for earlier points too */
} Method;

/* ---- coefficients ---- */

/* β_j = β₀ C(r,j) ρ^j: all roots of the second characteristic polynomial at −ρ. */
static void betas(int r, double beta0, double rho, Coefficients *c)
{
    c->beta[0] = beta0;
    for (int j = 1; j <= r; j++) c->beta[j] = c->beta[j - 1] * rho * (r - j + 1) / j;
}

/* Both roots at infinity have modulus ρ for any ratio. */
static void lms2(double rho, double x, Coefficients *c)
{
    double s = (1 - rho) * (1 - rho), den = 2 * (1 + x) - s;
    double b = x * (s * (2 + x) + 2 * (2 * rho - 1) * (1 + x)) / den, d = x * x * s / (2 * den);
    c->alpha[1] = 1 - b;
    c->alpha[2] = b;
    c->beta[0] = (d / x + x / 2) / x;
    c->beta[1] = (b / 2 + x / 2 - (1 + x) * d / x) / x;
    c->beta[2] = (b / 2 + d) / x;
}

static void lms3(double rho, double ratio, Coefficients *c)
{
    double d = (rho - 5) * rho + 10;
    (void)ratio;
    c->alpha[1] = 3 * ((2 * rho - 9) * rho + 5) / d;
    c->alpha[2] = -3 * ((5 * rho - 9) * rho + 2) / d;
    c->alpha[3] = ((10 * rho - 5) * rho + 1) / d;
    betas(3, 6 / ((1 + rho) * d), rho, c);
}

static void lms4(double rho, double ratio, Coefficients *c)
{
    double d = ((7 - rho) * rho - 21) * rho + 35;
    (void)ratio;
    c->alpha[1] = 4 * (((13 - 2 * rho) * rho - 35) * rho + 14) / d;
    c->alpha[2] = -4 * (1 - rho) * ((7 * rho - 34) * rho + 7) / d;
    c->alpha[3] = -4 * (((14 * rho - 35) * rho + 13) * rho - 2) / d;
    c->alpha[4] = (((35 * rho - 21) * rho + 7) * rho - 1) / d;
    betas(4, 20 / ((1 + rho) * d), rho, c);
}

static void bdf(int r, const double *a, double beta0, Coefficients *c)
{
    memset(c, 0, sizeof *c);
    for (int j = 1; j <= r; j++) c->alpha[j] = a[j - 1];
    c->beta[0] = beta0;
}

static void bdf1(double rho, double ratio, Coefficients *c)
{
    (void)rho, (void)ratio;
    bdf(1, (double[]){1}, 1, c);
}

static void bdf2(double rho, double ratio, Coefficients *c)
{
    (void)rho, (void)ratio;
    bdf(2, (double[]){4. / 3, -1. / 3}, 2. / 3, c);
}

static void bdf3(double rho, double ratio, Coefficients *c)
{
    (void)rho, (void)ratio;
    bdf(3, (double[]){18. / 11, -9. / 11, 2. / 11}, 6. / 11, c);
}

static void bdf4(double rho, double ratio, Coefficients *c)
{
    (void)rho, (void)ratio;
    bdf(4, (double[]){48. / 25, -36. / 25, 16. / 25, -3. / 25}, 12. / 25, c);
}

/* ---- the step ---- */

enum { START_TRAPEZOIDAL, START_ESDIRK, START_SINGLE };
enum { P_PREDICTOR, P_START, P_RHO };

/* What depends on the sizes of the last steps alone; kept as long as these stay. */
typedef struct Weights {
    double h, before[2]; /* this step and those before it, as far as points are known */
    int points;
    vgPredictor guess;
    double e[2]; /* of the estimate: of the rates at the new point and at the oldest */
} Weights;

typedef struct Own {
    vgArena arena;
    vgStage stage;
    vgStageSpec spec;
    Coefficients c; /* of the step; made once where they do not depend on it */
    Weights weights;
    vgDirk dirk;
    vgSs ss;
    vgBefore before;
    int start, depth;          /* depth: points kept */
    double *delta, *delta_dot; /* r − 1 earlier points about q_n */
    const double *rates;       /* delta_dot, or where it is the history's own velocities those */
    double *dhat, *vhat, *e_q, *e_v;
} Own;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    const vgSystem *sys = it->sys;
    int r = ((const Method *)it->row->data)->r;
    vg_stage_place(&w->stage, sys, a);
    vg_dirk_place(&w->dirk, sys, a);
    vg_ss_place(&w->ss, r > 1 ? r : 2, sys, a);
    vg_before_place(&w->before, sys, a);
    w->delta = VG_TAKE(a, double, MAX_R *(sys->nv + 1));
    w->delta_dot = VG_TAKE(a, double, MAX_R *(sys->nv + 1));
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->e_q = VG_TAKE(a, double, sys->nv + 1);
    w->e_v = VG_TAKE(a, double, sys->nv + 1);
    w->spec = (vgStageSpec){
        .map = VG_STAGE_FIRST, .cm = 1, .dhat = w->dhat, .vhat = w->vhat, .matrix_unused = !it->adaptive};
}

/* Points kept: what the formula needs, and what the predictor does. */
static int depth_of(const vgIntegrator *it)
{
    const Method *m = it->row->data;
    int predictor = (int)it->param[P_PREDICTOR] / 2;
    return m->r - 1 > predictor ? m->r - 1 : predictor;
}

static double rho_of(const vgIntegrator *it)
{
    return it->row->nparam > P_RHO ? it->param[P_RHO] : 0;
}

static vgStatus setup(vgIntegrator *it)
{
    const Method *m = it->row->data;
    const vgSystem *sys = it->sys;
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->dirk.stage = w->ss.stage = &w->stage;
    w->dirk.predictor = 2;
    w->start = (int)it->param[P_START];
    w->depth = depth_of(it);
    if (it->adaptive) w->start = START_ESDIRK; /* the one with an error estimate */
    if (w->start == START_ESDIRK)
        vg_dirk_325(0, &w->dirk.tb); /* its stages stay within the step, where laws may switch at the end */
    else
        vg_dirk_trapezoidal(0, &w->dirk.tb);
    m->make(rho_of(it), 1, &w->c);
    if (m->r > 1) vg_ss_make(&w->ss, m->r, rho_of(it));
    vg_newton_for_control(it);
    it->nhistory = vg_past_size(sys, depth_of(it)) + vg_ss_size(sys, m->r > 1 ? m->r : 2);
    return VG_OK;
}

static double *auxiliaries(const vgIntegrator *it, const vgState *s)
{
    return s->history + vg_past_size(it->sys, depth_of(it));
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Own *w = it->own;
    vg_stage_reset(it);
    s->history[0] = 0;
    if (w->start == START_SINGLE) vg_ss_begin(it->sys, w->ss.r, s, auxiliaries(it, s));
    return VG_OK;
}

/* Steps before there is history enough: [Z] takes the trapezoidal rule. */
static vgStatus start_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    if (w->start == START_SINGLE) {
        return vg_ss_step(it, &w->ss, s, auxiliaries(it, s), h, 0, NULL, 0, x);
    }
    vgStatus status = vg_dirk_step(it, &w->dirk, s, h, NULL, 0, x);
    if (it->adaptive)
        x->next = status == VG_OK && !vg_step_refuses(x) ? h : h * vg_step_clip(it, 0, VG_REJECTED_LEAST, 1);
    return status;
}

/* A first guess of the accelerations: Σ c_j row_j. */
typedef struct Guess {
    int count;
    double c[6];
    const double *row[6];
} Guess;

/* By [Z] (12)–(17) from the points there are. */
static void guess(const vgPredictor *p, const vgPast *past, const vgState *s, int nv, Guess *g)
{
    const double *y[3] = {s->v, past->v, past->v + nv}, *y_dot[3] = {s->a, past->a, past->a + nv};
    g->count = vg_predictor_rows(p, y, y_dot, 1, g->c, g->row);
}

/* The estimate of LMS2 is E y''' with E from the formula applied to t³/6 and y''' from the rates at three
 * points. */
static void estimate_weights(const Coefficients *c, double h, double g, double e[2])
{
    double of_cubic = h * h * h / 6 + c->alpha[2] * g * g * g / 6;
    of_cubic -= h * (c->beta[0] * h * h + c->beta[2] * g * g) / 2;
    double x = 2 * of_cubic / (h + g);
    e[0] = x / h;
    e[1] = x / g;
}

static __attribute__((noinline)) void make_weights(const vgIntegrator *it, Own *w)
{
    const Method *m = it->row->data;
    Weights *k = &w->weights;
    double t[3] = {0, -k->before[0], -k->before[0] - k->before[1]};
    vg_predictor_make((int)it->param[P_PREDICTOR], k->h, t, k->points, &k->guess);
    if (m->variable) m->make(rho_of(it), k->h / k->before[0], &w->c);
    if (m->variable) estimate_weights(&w->c, k->h, k->before[0], k->e);
    w->spec.cv = 1 / (k->h * w->c.beta[0]);
    w->spec.ca = w->spec.cv * w->spec.cv;
}

static void renew_weights(const vgIntegrator *it, Own *w, const vgPast *past, double h)
{
    int n = (int)*past->count < 2 ? 1 + (int)*past->count : 3;
    double h1 = n > 1 ? past->h[0] : 0, h2 = n > 2 ? past->h[1] : 0;
    Weights *k = &w->weights;
    if (h == k->h && h1 == k->before[0] && h2 == k->before[1] && n == k->points) return;
    k->h = h;
    k->before[0] = h1;
    k->before[1] = h2;
    k->points = n;
    make_weights(it, w);
}

/* Where coordinates are a vector space: Δ̂, v̂, the first guess and the state there in one pass. What the
 * compiler knows of r, rates and count stays in registers. */
static inline __attribute__((always_inline)) void place_plain(int r, int rates, int count, Own *w, int nv,
                                                              const vgPast *past, const vgState *s,
                                                              const vgStageSpec *sp, double h,
                                                              const Guess *restrict g)
{
    const double *q0 = s->q, *v0 = s->v, *a0 = s->a, *q1 = past->q, *v1 = past->v, *a1 = past->a,
                 b = 1 / sp->cv;
    const double *restrict al = w->c.alpha, *restrict be = w->c.beta;
    double *restrict dhat = w->dhat, *restrict vhat = w->vhat, *restrict delta = w->stage.delta,
                     *restrict q = w->stage.q, *restrict rate = w->stage.delta_dot, *restrict v = w->stage.v,
                     *restrict a = w->stage.a;
#define PLACE(N, i)                                                                                          \
    do {                                                                                                     \
        vgFour from = GET(N, q0 + (i)), now = GET(N, v0 + (i)), d = {0}, x = al[1] * now;                    \
        if (rates) {                                                                                         \
            d = h * be[1] * now;                                                                             \
            x += h * be[1] * GET(N, a0 + (i));                                                               \
        }                                                                                                    \
        for (int j = 0; j < r - 1; j++) {                                                                    \
            vgFour before = GET(N, v1 + j * nv + (i));                                                       \
            d += al[j + 2] * (GET(N, q1 + j * nv + (i)) - from);                                             \
            x += al[j + 2] * before;                                                                         \
            if (!rates) continue;                                                                            \
            d += h * be[j + 2] * before;                                                                     \
            x += h * be[j + 2] * GET(N, a1 + j * nv + (i));                                                  \
        }                                                                                                    \
        vgFour y = g->c[0] * GET(N, g->row[0] + (i));                                                        \
        for (int j = 1; j < count; j++) y += g->c[j] * GET(N, g->row[j] + (i));                              \
        PUT(N, dhat + (i), d);                                                                               \
        PUT(N, vhat + (i), x);                                                                               \
        PUT(N, a + (i), y);                                                                                  \
        x += b * y;                                                                                          \
        PUT(N, rate + (i), x);                                                                               \
        PUT(N, v + (i), x);                                                                                  \
        d += b * x;                                                                                          \
        PUT(N, delta + (i), d);                                                                              \
        PUT(N, q + (i), from + d);                                                                           \
    } while (0)
    VG_WHOLE_FOURS(nv, PLACE);
    w->stage.placed = 1;
}

/* The usual ones with their numbers known. */
VG_PASS static void place_stage(const Method *m, Own *w, int nv, const vgPast *past, const vgState *s,
                                const vgStageSpec *sp, double h, const Guess *g)
{
    if (m->r == 2 && g->count == 4 && m->rates)
        place_plain(2, 1, 4, w, nv, past, s, sp, h, g);
    else if (m->r == 2 && g->count == 4)
        place_plain(2, 0, 4, w, nv, past, s, sp, h, g);
    else
        place_plain(m->r, m->rates, g->count, w, nv, past, s, sp, h, g);
}

static void hats(Own *w, const vgPast *past, const vgState *s, const Coefficients *c, int r, int nv, double h)
{
    double x[2 * MAX_R];
    const double *d[2 * MAX_R], *v[2 * MAX_R];
    int n = 0;
    for (int j = 1; j <= r; j++) {
        size_t row = (size_t)(j > 1 ? j - 2 : 0) * (size_t)nv;
        if (j > 1) {
            x[n] = c->alpha[j];
            d[n] = w->delta + row;
            v[n++] = past->v + row;
        }
        if (c->beta[j] == 0) continue; /* backward differences */
        x[n] = h * c->beta[j];
        d[n] = j > 1 ? w->rates + row : s->v;
        v[n++] = j > 1 ? past->a + row : s->a;
    }
    vg_rows_sum(nv, 0, NULL, n, x, d, w->dhat);
    vg_rows_sum(nv, c->alpha[1], s->v, n, x, v, w->vhat);
}

/* e = x ẏ + y ẏ_1 + z ẏ_2, of positions and of velocities. */
VG_PASS static void sum_rates(int n, double x, double y, double z, const Own *w, const vgState *s,
                              const vgPast *past)
{
    const double *k0 = w->stage.delta_dot, *k1 = s->v, *k2 = w->rates, *l0 = w->stage.a, *l1 = s->a,
                 *l2 = past->a;
    double *e_q = w->e_q, *e_v = w->e_v;
#define SUM_RATES(N, i)                                                                                      \
    do {                                                                                                     \
        PUT(N, e_q + (i), x * GET(N, k0 + (i)) + y * GET(N, k1 + (i)) + z * GET(N, k2 + (i)));               \
        PUT(N, e_v + (i), x * GET(N, l0 + (i)) + y * GET(N, l1 + (i)) + z * GET(N, l2 + (i)));               \
    } while (0)
    VG_WHOLE_FOURS(n, SUM_RATES);
}

/* Local error of LMS2. */
static void estimate(vgIntegrator *it, const vgPast *past, const vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    vgStage *st = &w->stage;
    const double *e = w->weights.e, g = past->h[0];
    sum_rates(it->sys->nv, e[0], -(e[0] + e[1]), e[1], w, s, past);
    double err = vg_step_error(x, vg_filtered_error(it, st, s->t + h, s, w->e_q, w->e_v));
    /* growth by at most 2, so that the two-step formula stays zero-stable, by enough to be worth it, and
     * only from equal steps: a change of step disturbs the estimate of the next */
    x->next = h;
    if (err <= 1 && fabs(h - g) > VG_STEP_NEAR * h) return;
    x->next = vg_step_kept(it, x, h, 3, 2);
}

static vgStatus formula(vgIntegrator *it, vgState *s, vgPast *past, double h, vgStep *x)
{
    const Method *m = it->row->data;
    const vgSystem *sys = it->sys;
    Own *w = it->own;
    const Coefficients *c = &w->c;
    vgStageSpec *sp = &w->spec;
    Guess g;
    renew_weights(it, w, past, h);
    sp->t = s->t + h;
    sp->q_r = s->q;
    guess(&w->weights.guess, past, s, sys->nv, &g);
    w->rates = sys->vector_space ? past->v : w->delta_dot;
    if (!sys->vector_space || sys->nq != sys->nv) {
        vg_past_carry(sys, past, s->q, m->r - 1, w->delta,
                      m->rates && !sys->vector_space ? w->delta_dot : NULL);
        hats(w, past, s, c, m->r, sys->nv, h);
        vg_predict_by_rows(sys, &w->stage, sp, g.count, g.c, g.row);
    } else {
        place_stage(m, w, sys->nv, past, s, sp, h, &g);
    }
    vg_pass_copy(sys->nl, s->lambda, w->stage.lambda);
    vgStatus status = vg_stage_solve(it, &w->stage, sp);
    if (status != VG_OK) return status;
    if (m->variable && it->adaptive) estimate(it, past, s, h, x);
    if (vg_step_refuses(x)) return VG_OK;
    status = vg_stage_settle(it, &w->stage, s->t + h);
    if (status != VG_OK) return status;
    vg_past_commit(sys, past, &w->stage, 1, h, s);
    return VG_OK;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    const Method *m = it->row->data;
    Own *w = it->own;
    vgPast past = vg_past_view(it->sys, w->depth, s->history);
    double t = s->t;
    /* constant coefficients: another step size needs a restart */
    int anew = !m->variable && *past.count > 0 && fabs(h - past.h[0]) > VG_STEP_SAME * h;
    int starting = anew || *past.count < m->r - 1;
    if (!starting || m->r == 1) return formula(it, s, &past, h, x);
    vg_before_keep(&w->before, it->sys, s);
    if (anew && w->start == START_SINGLE) vg_ss_begin(it->sys, w->ss.r, s, auxiliaries(it, s));
    vgStatus status = start_step(it, s, h, x);
    if (status != VG_OK || s->t == t) return status;
    if (anew) *past.count = 0;
    vg_past_push(it->sys, &past, h, w->before.q, w->before.v, w->before.a);
    return VG_OK;
}

/* Backward differences under error control: the same formulas with variable coefficients (bdf.c). */
static vgStatus bdf_setup(vgIntegrator *it)
{
    const Method *m = it->row->data;
    if (!it->adaptive) return setup(it);
    it->as = &vg_bdf;
    return vg_bdf_setup(it, m->r, 1);
}

static vgStatus bdf_start(vgIntegrator *it, vgState *s)
{
    return it->as ? it->as->start(it, s) : start(it, s);
}

static vgStatus bdf_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    return it->as ? it->as->step(it, s, h, x) : step(it, s, h, x);
}

/* LMS3, LMS4 under error control: the single-step form, the same formulas at equal steps, which keeps its order and its
 * stability when steps change (ss.h). */
static vgStatus many_setup(vgIntegrator *it)
{
    return it->adaptive ? vg_ss_controlled_setup(it, it->param[P_RHO], (int)it->param[P_PREDICTOR])
                        : setup(it);
}
#define many_start bdf_start /* of what stands in, or the row's own */
#define many_step  bdf_step

/* ---- rows ---- */

#define PREDICTOR                                                                                            \
    {                                                                                                        \
        "predictor", 2, 0, 4, "first guess: 0 constant, 2 second order, 4 fourth order"                      \
    }
static const vgParamSpec lms_params[] = {
    PREDICTOR,
    {"start", 0, 0, 2, "first steps: 0 trapezoidal rule, 1 ESDIRK of order 3, 2 single-step form SS"},
    {"rho", 0.6, 0, 1, "spectral radius at infinity ρ∞"},
};
static const vgParamSpec lms_params_below_1[] = {
    PREDICTOR,
    {"start", 0, 0, 2, "first steps: 0 trapezoidal rule, 1 ESDIRK of order 3, 2 single-step form SS"},
    {"rho", 0.6, 0, 0.99, "spectral radius at infinity ρ∞ (not zero-stable at 1)"},
};
static const vgParamSpec bdf_params[] = {
    PREDICTOR,
    {"start", 1, 0, 1, "first steps: 0 trapezoidal rule, 1 ESDIRK of order 3"},
};

#define LMS_ROW(id, name_, title_, cite, order_, flags_, params_, kind, ...)                                 \
    static const Method id##_method = {__VA_ARGS__};                                                         \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "linear multistep",                                           \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = 1,                                                            \
                                     .flags = VG_INT_IMPLICIT | VG_INT_MULTISTEP | (flags_),                 \
                                     .constraints = VG_CON_STAGE,                                            \
                                     .params = params_,                                                      \
                                     .nparam = sizeof params_ / sizeof params_[0],                           \
                                     .data = &id##_method,                                                   \
                                     .setup = kind##setup,                                                   \
                                     .start = kind##start,                                                   \
                                     .step = kind##step}

LMS_ROW(lms2, "lms2", "LMS2: two steps with ρ∞, variable step",
        "Masarati, Morandini, Mantegazza 2014; [Z] section 2.1", 2, VG_INT_ASTABLE | VG_INT_ESTIMATE,
        lms_params, , 2, lms2, 1, 1);
LMS_ROW(lms3, "lms3", "LMS3: three steps with ρ∞, variable step under error control",
        "Zhang, Zhang, Masarati 2021; [Z] section 2.1", 2, VG_INT_ASTABLE | VG_INT_ESTIMATE,
        lms_params_below_1, many_, 3, lms3, 0, 1);
LMS_ROW(lms4, "lms4", "LMS4: four steps with ρ∞, variable step under error control",
        "Zhang, Zhang, Masarati 2021; [Z] section 2.1", 2, VG_INT_ASTABLE | VG_INT_ESTIMATE,
        lms_params_below_1, many_, 4, lms4, 0, 1);
LMS_ROW(bdf1, "bdf1", "implicit Euler", "[G] table 7.3", 1, VG_INT_ASTABLE | VG_INT_LSTABLE | VG_INT_ESTIMATE,
        bdf_params, bdf_, 1, bdf1, 0, 0);
LMS_ROW(bdf2, "bdf2", "backward differences of order 2", "Gear 1971; [G] table 7.3", 2,
        VG_INT_ASTABLE | VG_INT_LSTABLE | VG_INT_ESTIMATE, bdf_params, bdf_, 2, bdf2, 0, 0);
LMS_ROW(bdf3, "bdf3", "backward differences of order 3", "Gear 1971; [G] table 7.3", 3, VG_INT_ESTIMATE,
        bdf_params, bdf_, 3, bdf3, 0, 0);
LMS_ROW(bdf4, "bdf4", "backward differences of order 4", "Gear 1971; [G] table 7.3", 4, VG_INT_ESTIMATE,
        bdf_params, bdf_, 4, bdf4, 0, 0);
