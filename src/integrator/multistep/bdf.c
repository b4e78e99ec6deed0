/* Backward differences of variable step and order 1 to 5, in variable-coefficient form: with τ_0 the new time
 * and τ_1 > τ_2 > … the earlier ones, the polynomial through y_0 … y_k has at τ_0 the slope ẏ_0 (Gear 1971;
 * Hairer, Nørsett, Wanner I, III.5) for y = Δ about q_n and for y = v. In Newton's form (theory, eq. 34a):
 *     ψ_j = τ_0 − τ_{j+1},   γ_j = Σ_{i<j} 1/ψ_i,   φ*_j = ψ_0 … ψ_{j−1} y[τ_1, …, τ_{j+1}]
 *     p_m = Σ_{j<m} φ*_j,   ẏ_0 = d_0 (y_0 − ŷ),   d_0 = γ_k,   ŷ = Σ_{j<k} (1 − γ_j/d_0) φ*_j
 *     E_m = (y_0 − p_{m+1}) / (γ_m ψ_m)
 * p_m is what the m points before promise for τ_0, E_m the local error of order m (1 + γ_k ψ_k below for the
 * order in use, whose y_0 carries the very error).
 *
 * Kept are φ_j, differences for the last step's own ψ. A step takes them to φ*_j = β_j φ_j, where β_j is the
 * product of ψ_i over those of the last step, i < j; the new ones are φ_j = y_0 − p_j = φ*_j + φ_{j+1}.
 * Positions that are no vectors are kept as points, and carried about q_n in every step.
 *
 * Step and order are kept for k + 1 steps, then the order of k − 1, k, k + 1 that promises the largest step
 * is taken. */
#include "integrator/multistep/bdf.h"

#include <math.h>
#include <string.h>

#include "integrator/error_norm.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/passes.h"
#include "integrator/stage/predictor.h"
#include "integrator/rows.h"
#include "integrator/step_size.h"
#include "integrator/tuning.h"

enum { MAX_ORDER = 5, DEPTH = MAX_ORDER, POINTS = 8 };
_Static_assert(DEPTH + 2 <= POINTS && POINTS % 4 == 0, "weights are made four at a time");

/* What an accepted step that keeps its order does not come to is kept out of its code. */
#define APART   __attribute__((noinline))
#define RARE(x) __builtin_expect(!!(x), 0)

static const double BIAS = 6, BIAS_ABOVE = 10; /* of errors, so that steps are rather accepted */
static const double WORSE = 0.9,
                    BETTER = 1.3; /* between these a change of step is not worth the disturbance */

enum { P_ORDER, NPARAM };
static const vgParamSpec params[NPARAM] = {
    {"order", 5, 1, 5,
     "highest order; 1 and 2 are A-stable. With given steps (adaptive=0) the first has order 1, whose error "
     "stays: bdf2, bdf3 and bdf4 start better"},
};

typedef struct Range {
    double least, most;
} Range;

typedef struct Own {
    vgArena arena;
    vgStage stage;
    vgStageSpec spec;
    vgMiss miss;             /* of what the differences promise: p_q, p_v */
    double *delta;           /* positions that are no vectors: DEPTH points about q_n, */
    int carried;             /* as many as are looked at, */
    double weight[DEPTH][4]; /* their weights and */
    double *beside;          /* two of their differences */
    double *dhat, *vhat, *p_q, *p_v;
    double psi[POINTS], per[POINTS], gamma[POINTS], beta[POINTS], hat[POINTS]; /* per: 1/ψ */
    Range same[2][POINTS]; /* errors that keep the step; the order above has one of its own */
    int most, fixed;       /* highest order; 1: no other, once there are points enough */
    int fails;             /* attempts at this step that were rejected */
    int n;                 /* differences in use */
} Own;

/* A view into the history. Rows are padded to whole fours with zeros. */
typedef struct Past {
    double *count; /* differences there are */
    double *order; /* and the steps taken with it */
    double *ago;   /* POINTS: how long ago they were, the newest 0 */
    double *per;   /* POINTS: 1/ψ of the last step */
    double *q, *v; /* DEPTH rows: φ_1 …, or points of positions */
    int nq, nv;    /* of a row */
} Past;

enum { AGO_AT = 4, PER_AT = AGO_AT + POINTS + 4, ROWS_AT = PER_AT + POINTS };

static inline Past view(const vgSystem *sys, const vgState *s)
{
    double *x = s->history;
    Past p = {x,           x + 1,       x + AGO_AT,        x + PER_AT,
              x + ROWS_AT, x + ROWS_AT, vg_whole(sys->nq), vg_whole(sys->nv)};
    p.v += DEPTH * p.nq;
    return p;
}

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    int nv = vg_whole(it->sys->nv);
    vg_stage_place(&w->stage, it->sys, a);
    w->dhat = VG_TAKE(a, double, nv);
    w->vhat = VG_TAKE(a, double, nv);
    w->p_q = VG_TAKE(a, double, nv);
    w->p_v = VG_TAKE(a, double, nv);
    w->delta = VG_TAKE(a, double, DEPTH *nv);
    w->beside = VG_TAKE(a, double, 2 * nv);
    w->miss = (vgMiss){.x_q = w->stage.delta,
                       .x_v = w->stage.v,
                       .p_q = w->p_q,
                       .p_v = w->p_v,
                       .e_q = VG_TAKE(a, double, nv),
                       .e_v = VG_TAKE(a, double, nv)};
    w->spec = (vgStageSpec){
        .map = VG_STAGE_FIRST, .cm = 1, .dhat = w->dhat, .vhat = w->vhat, .matrix_unused = !it->adaptive};
}

/* The part of a step that order m allows by its error. */
static double factor_of(double err, int m, double bias)
{
    return err < 0 ? 0 : 1 / (vg_power(bias * err, 1.0 / (m + 1)) + VG_FACTOR_FLOOR);
}

/* The errors for which that is between WORSE and BETTER. */
static Range keeping(int m, double bias)
{
    return (Range){pow(1 / BETTER - 1e-6, m + 1) / bias, pow(1 / WORSE - 1e-6, m + 1) / bias};
}

vgStatus vg_bdf_setup(vgIntegrator *it, int most, int fixed)
{
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->most = most;
    w->fixed = fixed;
    for (int m = 0; m < POINTS; m++) {
        w->same[0][m] = keeping(m, BIAS);
        w->same[1][m] = keeping(m, BIAS_ABOVE);
    }
    vg_newton_for_control(it);
    it->nhistory = ROWS_AT + DEPTH * (vg_whole(it->sys->nq) + vg_whole(it->sys->nv));
    return VG_OK;
}

static vgStatus setup(vgIntegrator *it)
{
    return vg_bdf_setup(it, (int)it->param[P_ORDER], 0);
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Own *w = it->own;
    vg_stage_reset(it);
    w->fails = 0;
    memset(s->history, 0, (size_t)it->nhistory * sizeof(double));
    s->history[1] = 1; /* order */
    for (int i = it->sys->nv; i < vg_whole(it->sys->nv); i++) s->v[i] = 0;
    return VG_OK;
}

/* ---- weights ---- */

/* ψ_j, γ_j, β_j and the weights β_j (1 − γ_j/d_0) of the sums with a hat, which mean something as far as
 * there are differences; n of them are looked at. */
static inline void make_weights(Own *w, const Past *p, int k, double h)
{
    double gain[POINTS], gamma = 0, beta = 1;
    for (int i = 0; i < POINTS; i += 4) {
        vgFour psi = h + GET(4, p->ago + i);
        PUT(4, w->psi + i, psi);
        PUT(4, gain + i, psi * GET(4, p->per + i));
        PUT(4, w->per + i, 1 / psi);
    }
    VG_ROLLED
    for (int j = 0; j < POINTS; j++) { /* one by one: what is written so is not read by fours soon */
        w->gamma[j] = gamma;
        w->beta[j] = beta;
        gamma += w->per[j];
        beta *= gain[j];
    }
    double by = 1 / w->gamma[k];
    w->miss.share = 1 / (1 + w->gamma[k] * w->psi[k]);
    w->n = k < (int)*p->count ? k : (int)*p->count;
    VG_ROLLED
    for (int j = 1; j < POINTS; j++) w->hat[j] = w->beta[j] * (1 - by * w->gamma[j]);
}

/* Positions that are no vectors: points about q_n, which is 0 there, and their weights in the sums of
 * differences, with a hat and without, and in φ_k and φ_{k+1}. */
static inline void carry(const vgSystem *sys, Own *w, const Past *p, const double *q, int k)
{
    const double *ago = p->ago;
    double by = 1;
    vgFour c[DEPTH + 1] = {{0}};
    int n = k < (int)*p->count ? k + 1 : (int)*p->count;
    w->carried = n;
    VG_ROLLED
    for (int m = 1; m <= n; m++) {
        sys->ops->local(sys, q, p->q + (m - 1) * p->nq, w->delta + (m - 1) * p->nv);
        by *= ago[m];
        c[m] = m <= k ? by * (vgFour){w->hat[m], w->beta[m], m == k} : by * (vgFour){0, 0, 0, 1};
    }
    vg_weights_of_points(n + 1, ago, c);
    VG_ROLLED
    for (int j = 1; j <= n; j++) PUT(4, w->weight[j - 1], c[j]);
}

/* All that precedes the iteration, in one pass: sums with a hat, predictions by the differences, and where
 * coordinates are a vector space the stage at the predicted velocities. */
static inline __attribute__((always_inline)) void foretell(Own *w, const vgState *s, const Past *p, int plain,
                                                           double cv)
{
    const double *q0 = s->q, *v0 = s->v, *q_rows = plain ? p->q : w->delta, b = 1 / cv;
    double *dhat = w->dhat, *vhat = w->vhat, *p_q = w->p_q, *p_v = w->p_v, *delta = w->stage.delta,
           *q = w->stage.q, *rate = w->stage.delta_dot, *v = w->stage.v, *a = w->stage.a;
    int n = w->n, nv = p->nv, carried = plain ? 0 : w->carried;
#define FORETELL(N, i)                                                                                       \
    do {                                                                                                     \
        vgFour x = {0}, y = x, x_v = GET(N, v0 + (i)), y_v = x_v;                                            \
        const double *at = q_rows + (i), *speed = p->v + (i);                                                \
        VG_ROLLED                                                                                            \
        for (int j = 1; j <= n; j++, speed += nv) {                                                          \
            vgFour r = GET(N, speed);                                                                        \
            x_v += w->hat[j] * r;                                                                            \
            y_v += w->beta[j] * r;                                                                           \
            if (!plain) continue;                                                                            \
            r = GET(N, at);                                                                                  \
            x += w->hat[j] * r;                                                                              \
            y += w->beta[j] * r;                                                                             \
            at += nv;                                                                                        \
        }                                                                                                    \
        VG_ROLLED                                                                                            \
        for (int j = 0; j < carried; j++, at += nv) {                                                        \
            vgFour r = GET(N, at);                                                                           \
            x += w->weight[j][0] * r;                                                                        \
            y += w->weight[j][1] * r;                                                                        \
        }                                                                                                    \
        PUT(N, dhat + (i), x);                                                                               \
        PUT(N, p_q + (i), y);                                                                                \
        PUT(N, vhat + (i), x_v);                                                                             \
        PUT(N, p_v + (i), y_v);                                                                              \
        if (plain) {                                                                                         \
            PUT(N, rate + (i), y_v);                                                                         \
            PUT(N, v + (i), y_v);                                                                            \
            PUT(N, a + (i), cv * (y_v - x_v));                                                               \
            x += b * y_v;                                                                                    \
            PUT(N, delta + (i), x);                                                                          \
            PUT(N, q + (i), GET(N, q0 + (i)) + x);                                                           \
        }                                                                                                    \
    } while (0)
    VG_WHOLE_FOURS(nv, FORETELL);
    w->stage.placed = plain;
}

VG_PASS static void foretell_plain(Own *w, const vgState *s, const Past *p)
{
    foretell(w, s, p, 1, w->spec.cv);
}

VG_PASS static void foretell_carried(Own *w, const vgState *s, const Past *p)
{
    foretell(w, s, p, 0, w->spec.cv);
}

/* The same where they are not. */
APART static void foretell_by_points(const vgSystem *sys, Own *w, const vgState *s, const Past *p, int k)
{
    carry(sys, w, p, s->q, k);
    foretell_carried(w, s, p);
    if (w->n > 0) vg_predict_by_velocity(sys, &w->stage, &w->spec, w->p_v);
}

/* ---- error and order ---- */

/* e = share (x − p + c y) */
VG_PASS static void miss_by(int n, const vgMiss *m, double share, double c, const double *y_q,
                            const double *y_v)
{
    const double *x_q = m->x_q, *x_v = m->x_v, *p_q = m->p_q, *p_v = m->p_v;
    double *e_q = m->e_q, *e_v = m->e_v;
#define ERROR(N, i)                                                                                          \
    do {                                                                                                     \
        PUT(N, e_q + (i), share * (GET(N, x_q + (i)) - GET(N, p_q + (i)) + c * GET(N, y_q + (i))));          \
        PUT(N, e_v + (i), share * (GET(N, x_v + (i)) - GET(N, p_v + (i)) + c * GET(N, y_v + (i))));          \
    } while (0)
    VG_WHOLE_FOURS(n, ERROR);
}

/* Norm of an error that is filtered (lms.h). */
static double filtered(vgIntegrator *it, const vgState *s, const vgMiss *m, double share, double c,
                       const double *y_q, const double *y_v)
{
    Own *w = it->own;
    miss_by(it->sys->nv, m, share, c, y_q, y_v);
    return vg_filtered_error(it, &w->stage, s->t + w->psi[0], s, m->e_q, m->e_v);
}

APART static double filtered_errors(vgIntegrator *it, const vgState *s, const vgMiss *m,
                                    const vgMissBeside *beside, int look, double out[2])
{
    double e = filtered(it, s, m, m->share, 0, beside[0].q, beside[0].v);
    if (!look || (it->adaptive && !(e <= 1))) return e;
    for (int i = 0; i < 2; i++)
        if (out[i] >= 0) out[i] = filtered(it, s, m, beside[i].share, beside[i].c, beside[i].q, beside[i].v);
    return e;
}

/* Too few differences: no estimate, but for the very first step, at whose beginning the rates are known. */
APART static double early_error(vgIntegrator *it, const vgState *s)
{
    Own *w = it->own;
    double h = w->psi[0];
    if (s->history[0] > 0) return -1;
    for (int i = 0; i < it->sys->nv; i++) {
        w->miss.e_q[i] = 0.5 * (w->stage.delta[i] - h * s->v[i]);
        w->miss.e_v[i] = 0.5 * (w->stage.v[i] - s->v[i] - h * s->a[i]);
    }
    return vg_filtered_error(it, &w->stage, s->t + h, s, w->miss.e_q, w->miss.e_v);
}

/* The same with those of the orders below and above; −1: there is none. */
static double errors(vgIntegrator *it, const vgState *s, const Past *p, int plain, int k, int look,
                     int has_filter, double out[2])
{
    Own *w = it->own;
    vgStage *st = &w->stage;
    int above = k + 1 <= w->most && *p->count > k, below = k > 1 && !w->fixed;
    const double *q_rows = p->q + (k - 1) * p->nv, *v_rows = p->v + (k - 1) * p->nv;
    if (!plain && look) vg_points_beside(p->nv, w->carried, w->weight, w->delta, w->beside);
    if (!plain) q_rows = w->beside;
    int next = above ? p->nv : 0;
    vgMissBeside beside[2] = {
        {q_rows, v_rows, w->beta[k], below ? 1 / (w->gamma[k - 1] * w->psi[k - 1]) : 0},
        {q_rows + next, v_rows + next, above ? -w->beta[k + 1] : 0, 1 / (w->gamma[k + 1] * w->psi[k + 1])}};
    double e;
    out[0] = below - 1;
    out[1] = above - 1;
    if (has_filter) return filtered_errors(it, s, &w->miss, beside, look, out);
    e = vg_error_misses(it, st->q, s, st->v, &w->miss, beside, out);
    if (!below) out[0] = -1;
    if (!above) out[1] = -1;
    return e;
}

/* Norm of E_k at the solved stage; −1: there are too few differences. */
static inline double error_of(vgIntegrator *it, const vgState *s, const Past *p, int plain, int k, int look,
                              double beside[2])
{
    Own *w = it->own;
    const vgSystem *sys = it->sys;
    vgStage *st = &w->stage;
    int has_filter = sys->nl > 0 && vg_at_position(sys);
    beside[0] = beside[1] = -1;
    if (RARE(*p->count < k)) return early_error(it, s);
    if (look || has_filter) return errors(it, s, p, plain, k, look, has_filter, beside);
    return vg_error_miss(it, st->q, s, st->v, &w->miss);
}

/* Would the best of the three orders keep the step? */
static inline int is_dull(const Own *w, int k, double err, double down, double up)
{
    const Range *a = &w->same[0][k], *b = a - 1, *c = &w->same[1][k + 1];
    int better = err <= a->least || (down >= 0 && down <= b->least) || (up >= 0 && up <= c->least);
    return !better && (err < a->most || (down >= 0 && down < b->most) || (up >= 0 && up < c->most));
}

/* Another order or step from here on. */
APART static void choose(const vgIntegrator *it, double *order, int k, double h, double down, double up,
                         vgStep *x)
{
    double err = x->err;
    order[1] = 0;
    if (!it->adaptive) { /* given steps: the order with the smallest error */
        order[0] = down >= 0 && down < err ? k - 1 : up >= 0 && up < err ? k + 1 : k;
        return;
    }
    double f = factor_of(err, k, BIAS), f_down = factor_of(down, k - 1, BIAS),
           f_up = factor_of(up, k + 1, BIAS_ABOVE);
    order[0] = f_up > f && f_up > f_down ? k + 1 : f_down > f ? k - 1 : k;
    x->next = h * vg_step_clip(it, vg_most(f, vg_most(f_down, f_up)), 0, k == 1 ? 8 : 2);
}

/* ---- the step ---- */

APART static int lower_order(int k, int fails)
{
    return fails >= 4 ? 1 : k > 1 ? k - 1 : 1;
}

static inline int order_to_try(const Own *w, const Past *p)
{
    int k = (int)p->order[0], points = 1 + (int)*p->count;
    if (k > w->most) k = w->most;
    if (RARE(w->fails >= 2)) k = lower_order(k, w->fails);
    return k < points ? k : points;
}

static inline vgStatus solve(vgIntegrator *it, vgState *s, const Past *p, int plain, int k, double h)
{
    const vgSystem *sys = it->sys;
    Own *w = it->own;
    vgStageSpec *sp = &w->spec;
    make_weights(w, p, k, h);
    sp->t = s->t + h;
    sp->q_r = s->q;
    sp->cv = w->gamma[k];
    sp->ca = sp->cv * sp->cv;
    if (plain)
        foretell_plain(w, s, p);
    else
        foretell_by_points(sys, w, s, p, k);
    if (RARE(w->n == 0)) vg_predict_delta(sys, &w->stage, sp, s->a);
    vg_pass_copy(sys->nl, s->lambda, w->stage.lambda);
    return vg_stage_solve(it, &w->stage, sp);
}

/* Copies the stage's velocities to the state and updates the differences from the prediction; likewise for
 * positions in a vector space, as y = q − q_n. */
static inline __attribute__((always_inline)) void renew(const Own *w, const vgSystem *sys, const Past *p,
                                                        vgState *s, int plain)
{
    const double *scale = sys->v_scale, *next = w->stage.q, *next_v = w->stage.v, *p_q = w->p_q,
                 *p_v = w->p_v;
    double *q = s->q, *v = s->v;
    int n = w->n, nv = p->nv;
    ptrdiff_t last = (ptrdiff_t)n * nv;
#define RENEW(N, i)                                                                                          \
    do {                                                                                                     \
        vgFourMask is = GET(N, scale + (i)) > 0;                                                             \
        vgFour x = (vgFour)((vgFourMask)GET(N, next_v + (i)) & is), sum_v = x - GET(N, p_v + (i)), sum = x;  \
        double *at = p->q + last + (i), *at_v = p->v + last + (i);                                           \
        PUT(N, v + (i), x);                                                                                  \
        if (plain) {                                                                                         \
            x = (vgFour)((vgFourMask)GET(N, next + (i)) & is);                                               \
            sum = x - GET(N, q + (i)) - GET(N, p_q + (i));                                                   \
            PUT(N, q + (i), x);                                                                              \
            if (n < DEPTH) PUT(N, at, sum);                                                                  \
        }                                                                                                    \
        if (n < DEPTH) PUT(N, at_v, sum_v);                                                                  \
        VG_ROLLED                                                                                            \
        for (int j = n; j > 0; j--) {                                                                        \
            at_v -= nv;                                                                                      \
            sum_v += w->beta[j] * GET(N, at_v);                                                              \
            PUT(N, at_v, sum_v);                                                                             \
            if (!plain) continue;                                                                            \
            at -= nv;                                                                                        \
            sum += w->beta[j] * GET(N, at);                                                                  \
            PUT(N, at, sum);                                                                                 \
        }                                                                                                    \
    } while (0)
    VG_WHOLE_FOURS(nv, RENEW);
}

VG_PASS static void renew_plain(const Own *w, const vgSystem *sys, const Past *p, vgState *s)
{
    renew(w, sys, p, s, 1);
}

VG_PASS static void renew_velocities(const Own *w, const vgSystem *sys, const Past *p, vgState *s)
{
    renew(w, sys, p, s, 0);
}

/* now = next; what it was becomes the newest of the points. */
VG_PASS static void shift(int nq, int n, const double *next, double *now, double *rows)
{
    int last = n < DEPTH ? n : DEPTH - 1;
#define SHIFT(N, i)                                                                                          \
    do {                                                                                                     \
        vgFour x = GET(N, now + (i));                                                                        \
        double *at = rows + (i);                                                                             \
        PUT(N, now + (i), GET(N, next + (i)));                                                               \
        VG_ROLLED                                                                                            \
        for (int j = 0; j <= last; j++, at += nq) {                                                          \
            vgFour y = GET(N, at);                                                                           \
            PUT(N, at, x);                                                                                   \
            x = y;                                                                                           \
        }                                                                                                    \
    } while (0)
    VG_WHOLE_FOURS(nq, SHIFT);
}

APART static void renew_points(const Own *w, const vgSystem *sys, const Past *p, vgState *s)
{
    shift(p->nq, w->n, w->stage.q, s->q, p->q);
    renew_velocities(w, sys, p, s);
}

/* The stage's result becomes the state at t + h, and the state before it history. */
static inline void commit(const vgSystem *sys, Own *w, Past *p, int plain, double h, vgState *s)
{
    const vgStage *st = &w->stage;
    if (plain)
        renew_plain(w, sys, p, s);
    else
        renew_points(w, sys, p, s);
    vg_pass_copy(sys->nv, st->a, s->a);
    vg_pass_copy(sys->nl, st->lambda, s->lambda);
    s->t += h;
    for (int i = 0; i < POINTS; i += 4) {
        PUT(4, p->ago + 1 + i, GET(4, w->psi + i));
        PUT(4, p->per + i, GET(4, w->per + i));
    }
    *p->count = w->n < DEPTH ? w->n + 1 : DEPTH; /* up to k + 1: for that order in the next step */
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    const vgSystem *sys = it->sys;
    Past p = view(sys, s);
    int k = order_to_try(w, &p), plain = sys->one_pass;
    vgStatus status = solve(it, s, &p, plain, k, h);
    if (RARE(status != VG_OK)) {
        w->fails++;
        return status;
    }
    double taken = (k != (int)p.order[0] || w->fails > 0 ? 0 : p.order[1]) + 1; /* steps with this order */
    int rising = w->fixed && k<w->most, look = taken> k && !rising;
    double beside[2], e = vg_step_error(x, error_of(it, s, &p, plain, k, look, beside));
    if (RARE(it->adaptive && e > 1)) {
        w->fails++;
        x->next = h * vg_step_clip(it, factor_of(e, k, BIAS), VG_BDF_REJECTED_LEAST, 1);
        return VG_OK;
    }
    status = vg_stage_settle(it, &w->stage, s->t + h);
    if (RARE(status != VG_OK)) {
        w->fails++;
        return status;
    }
    w->fails = 0;
    x->next = h;
    p.order[0] = k;
    p.order[1] = taken;
    if (taken > k && rising) {
        p.order[0] = k + 1;
        p.order[1] = 0;
    } else if (look && it->adaptive && is_dull(w, k, e, beside[0], beside[1])) {
        p.order[1] = k - 1; /* look again soon */
    } else if (look && x->rough == x->err) {
        choose(it, p.order, k, h, beside[0], beside[1], x);
    }
    commit(sys, w, &p, plain, h, s);
    return VG_OK;
}

static int highest(const double *param)
{
    return (int)param[P_ORDER];
}

const vgIntegratorRow vg_bdf = {
    .name = "bdf",
    .family = "linear multistep",
    .title = "backward differences of variable step and order 1 to 5",
    .citation = "Gear 1971; Hairer, Nørsett, Wanner I, III.5",
    .order = 5,
    .order_of = highest,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_MULTISTEP | VG_INT_ESTIMATE | VG_INT_ADAPTIVE,
    .constraints = VG_CON_STAGE,
    .params = params,
    .nparam = NPARAM,
    .setup = setup,
    .start = start,
    .step = step,
};
