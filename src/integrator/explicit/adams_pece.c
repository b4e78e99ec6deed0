/* Adams methods as predictor and corrector, of variable step, in Newton's form (Shampine, Gordon 1975; [G]
 * 7.1.3; Hairer, Nørsett, Wanner I, III.5), for f = k, the rates of positions about q_n, and f = l,
 * accelerations (adams.c). Points τ_1 = t_n > τ_2 > …, the new one τ_0:
 *     ψ_j = τ_0 − τ_{j+1},   φ*_j = ψ_0 … ψ_{j−1} f[τ_1, …, τ_{j+1}],   p_m = Σ_{j<m} φ*_j
 *     AB_k = h Σ_{j<k} g_j φ*_j,   AM_{k+1} = AB_k + h g_k (f_0 − p_k)
 *     E_k = AM_{k+1} − AM_k = h (g_k − g_{k−1}) (f_0 − p_k)
 * with g_j = ∫₀¹ Π_{i<j} (τ_1 + x h − τ_{i+1})/ψ_i dx. At equal steps E_k is Milne's device, for order 4
 * 19/270 of corrector minus predictor.
 *
 * Kept are φ_j, differences for the last step's own ψ (see bdf.c). Rates that depend on where they are looked
 * at from are kept as points, positions and velocities, and carried about q_n in every step. The first points
 * come from Dormand–Prince 5(4). */
#include <math.h>
#include <string.h>

#include "integrator/explicit/adams.h"
#include "integrator/error_norm.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/passes.h"
#include "integrator/rows.h"
#include "integrator/step_size.h"
#include "integrator/stage/stage.h"
#include "integrator/tuning.h"

enum { MAX_ROWS = 13, START_POINTS = 5, POINTS = 16 };
static const float CLEARLY = 0.070389327891398f; /* log2 of 1.05 */

#define APART   __attribute__((noinline))
#define RARE(x) __builtin_expect(!!(x), 0)
#define INLINED static inline __attribute__((always_inline))

typedef struct Own {
    vgArena arena;
    vgRk rk;
    double *delta, *q, *v, *a, *lambda; /* the new state */
    double *k, *l;                      /* rates there, of positions and velocities */
    vgMiss miss;                        /* of what the differences promise for these: p_k, p_l */
    double *p_k, *p_l;
    double *rates;              /* MAX_ROWS points of rates that are carried, */
    double weight[MAX_ROWS][4]; /* their weights and */
    double *beside;             /* two of their differences */
    double psi[POINTS], per[POINTS], beta[POINTS], g[POINTS], sum[POINTS]; /* sum: weights of AB_k */
} Own;

enum { P_ORDER };
static const vgParamSpec abm_params[] = {
    {"order", 4, 1, 12, "order of predictor and corrector"},
};
static const vgParamSpec adams_params[] = {
    {"order", 12, 1, 12, "highest order"},
};

/* A view into the history. Rows are padded to whole fours with zeros. */
typedef struct Past {
    double *count, *order; /* differences there are; the order in use, when variable */
    double *ago, *per;     /* POINTS: how long ago the points are, the newest 0; 1/ψ of the last step */
    double *k, *l;         /* MAX_ROWS rows of differences, or velocities of points */
    double *q;             /* and their positions */
    int nq, nv;            /* of a row */
} Past;

enum { AGO_AT = 4, PER_AT = AGO_AT + POINTS + 4, ROWS_AT = PER_AT + POINTS };

static inline int is_plain(const vgSystem *sys)
{
    return sys->one_pass && sys->second_order;
}

static inline Past view(const vgSystem *sys, const vgState *s)
{
    double *x = s->history;
    int nq = vg_whole(sys->nq), nv = vg_whole(sys->nv);
    Past p = {x, x + 1, x + AGO_AT, x + PER_AT, x + ROWS_AT, x + ROWS_AT, x + ROWS_AT, nq, nv};
    p.l += MAX_ROWS * nv;
    p.q += 2 * MAX_ROWS * nv;
    return p;
}

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    const vgSystem *sys = it->sys;
    int nv = vg_whole(sys->nv), rows = is_plain(sys) ? 0 : MAX_ROWS;
    vg_rk_place(&w->rk, sys, vg_tableau_dopri5.stages, a);
    w->delta = VG_TAKE(a, double, nv);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, nv);
    w->a = VG_TAKE(a, double, nv);
    w->lambda = VG_TAKE(a, double, sys->nl + 1);
    w->k = VG_TAKE(a, double, nv);
    w->l = VG_TAKE(a, double, nv);
    w->p_k = VG_TAKE(a, double, nv);
    w->p_l = VG_TAKE(a, double, nv);
    w->rates = VG_TAKE(a, double, rows *nv + 1);
    w->beside = VG_TAKE(a, double, rows > 0 ? 2 * nv : 1);
    w->miss = (vgMiss){.x_q = is_plain(sys) ? w->v : w->k,
                       .x_v = w->l,
                       .p_q = w->p_k,
                       .p_v = w->p_l,
                       .e_q = VG_TAKE(a, double, nv),
                       .e_v = VG_TAKE(a, double, nv)};
}

static vgStatus setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    const vgSystem *sys = it->sys;
    vg_newton_for_control(it);
    it->nhistory = ROWS_AT + MAX_ROWS * (2 * vg_whole(sys->nv) + (is_plain(sys) ? 0 : vg_whole(sys->nq)));
    return VG_OK;
}

static inline int is_finite(double x)
{
    return x - x == 0;
}

/* ---- weights ---- */

/* ψ_j, 1/ψ_j and β_j, which mean something as far as there are differences. */
static inline void make_ratios(Own *w, const Past *p, double h, int n)
{
    double gain[POINTS], beta = 1;
    for (int i = 0; i < POINTS; i += 4) { /* all: they become history */
        vgFour psi = h + GET(4, p->ago + i);
        PUT(4, w->psi + i, psi);
        PUT(4, gain + i, psi * GET(4, p->per + i));
        PUT(4, w->per + i, 1 / psi);
    }
    VG_ROLLED
    for (int j = 0; j < n; j++) {
        w->beta[j] = beta;
        beta *= gain[j];
    }
}

/* g_j, j ≤ n, by Gauss–Legendre with 7 points, exact to degree 13; all points side by side. */
static inline void integrals(Own *w, const double *ago, double h, int n)
{
#define X1 (0.5 * 0.40584515137739716691)
#define X2 (0.5 * 0.74153118559939443986)
#define X3 (0.5 * 0.94910791234275852453)
    const vgFour low = h * (vgFour){0.5 - X3, 0.5 - X2, 0.5 - X1, 0.5},
                 high = h * (vgFour){0.5 + X3, 0.5 + X2, 0.5 + X1, 0};
    vgFour p = {0.5 * 0.12948496616886969327, 0.5 * 0.27970539148927666790, 0.5 * 0.38183005050511894495,
                0.5 * 0.41795918367346938776};
    vgFour r = {p[0], p[1], p[2], 0};
    VG_ROLLED
    for (int j = 0; j <= n; j++) {
        vgFour sum = p + r;
        w->g[j] = VG_TOTAL(sum);
        p *= w->per[j] * (low + ago[j]);
        r *= w->per[j] * (high + ago[j]);
    }
}

/* ---- prediction ---- */

/* Rates of the newest n points about q_n, and their weights in AB_k, in p_k, φ_{k−1} and φ_k. */
static inline void carry(const vgSystem *sys, Own *w, const Past *p, const double *q, int k, int n)
{
    const double *ago = p->ago;
    double by = 1;
    vgFour c[MAX_ROWS];
    VG_ROLLED
    for (int m = 0; m < n; m++) {
        const double *q_m = p->q + m * p->nq;
        memset(w->miss.e_q, 0, (size_t)sys->nv * sizeof(double));
        if (m > 0) sys->ops->local(sys, q, q_m, w->miss.e_q);
        sys->ops->rates(sys, w->miss.e_q, q_m, p->k + m * p->nv, w->rates + m * p->nv);
        if (m > 0) by *= ago[m];
        c[m] = m < k ? by * (vgFour){w->sum[m], w->beta[m], m == k - 1} : by * (vgFour){0, 0, 0, 1};
    }
    vg_weights_of_points(n, ago, c);
    VG_ROLLED
    for (int j = 0; j < n; j++) PUT(4, w->weight[j], c[j]);
}

/* Predicts the state by AB_k, and the rates there by the differences; k of n rows. The result is not finite if a
 * velocity is not. */
INLINED double predict(Own *w, const vgState *s, const Past *p, int plain, int k, int n)
{
    const double *q0 = s->q, *v0 = s->v, *k_rows = plain ? p->k : w->rates;
    double *delta = w->delta, *q = w->q, *v = w->v, *p_k = w->p_k, *p_l = w->p_l;
    int nv = p->nv, carried = plain ? 0 : n;
    vgFour all = {0};
#define PREDICT(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour x = {0}, y = x, x_v = GET(N, v0 + (i)), y_v = x;                                              \
        const double *at = k_rows + (i), *at_v = p->l + (i);                                                 \
        VG_ROLLED                                                                                            \
        for (int j = 0; j < k; j++, at_v += nv) {                                                            \
            vgFour r = GET(N, at_v);                                                                         \
            x_v += w->sum[j] * r;                                                                            \
            y_v += w->beta[j] * r;                                                                           \
            if (!plain) continue;                                                                            \
            r = GET(N, at);                                                                                  \
            x += w->sum[j] * r;                                                                              \
            y += w->beta[j] * r;                                                                             \
            at += nv;                                                                                        \
        }                                                                                                    \
        VG_ROLLED                                                                                            \
        for (int j = 0; j < carried; j++, at += nv) {                                                        \
            vgFour r = GET(N, at);                                                                           \
            x += w->weight[j][0] * r;                                                                        \
            y += w->weight[j][1] * r;                                                                        \
        }                                                                                                    \
        PUT(N, delta + (i), x);                                                                              \
        PUT(N, v + (i), x_v);                                                                                \
        all += x_v;                                                                                          \
        PUT(N, p_k + (i), y);                                                                                \
        PUT(N, p_l + (i), y_v);                                                                              \
        if (plain) PUT(N, q + (i), GET(N, q0 + (i)) + x);                                                    \
    } while (0)
    VG_WHOLE_FOURS(nv, PREDICT);
    return VG_TOTAL(all);
}

VG_PASS static double predict_plain(Own *w, const vgState *s, const Past *p, int k)
{
    return predict(w, s, p, 1, k, 0);
}

VG_PASS static double predict_carried(Own *w, const vgState *s, const Past *p, int k, int n)
{
    return predict(w, s, p, 0, k, n);
}

APART static double predict_by_points(const vgSystem *sys, Own *w, const vgState *s, const Past *p, int k,
                                      int n)
{
    carry(sys, w, p, s->q, k, n);
    double all = predict_carried(w, s, p, k, n);
    vg_points_beside(p->nv, n, w->weight, w->rates, w->beside);
    sys->ops->retract(sys, s->q, w->delta, w->q);
    return all;
}

/* ---- history ---- */

/* The state becomes the newest of at most `most` points, h after the last. */
INLINED void push(const vgSystem *sys, const Own *w, const Past *p, const vgState *s, int plain, int most)
{
    const double *scale = sys->v_scale, *v = s->v, *a = s->a;
    int count = (int)*p->count, n = count < most ? count : most - 1, nv = p->nv;
#define PUSH(N, i)                                                                                           \
    do {                                                                                                     \
        vgFourMask is = GET(N, scale + (i)) > 0;                                                             \
        vgFour x = (vgFour)((vgFourMask)GET(N, v + (i)) & is),                                               \
               y = (vgFour)((vgFourMask)GET(N, a + (i)) & is);                                               \
        double *at = p->k + (i), *at_l = p->l + (i);                                                         \
        VG_ROLLED                                                                                            \
        for (int j = 0; j < n; j++, at += nv, at_l += nv) {                                                  \
            vgFour r = GET(N, at), r_l = w->beta[j] * GET(N, at_l);                                          \
            PUT(N, at, x);                                                                                   \
            PUT(N, at_l, y);                                                                                 \
            if (plain) r = x - w->beta[j] * r;                                                               \
            x = r;                                                                                           \
            y -= r_l;                                                                                        \
        }                                                                                                    \
        PUT(N, at, x);                                                                                       \
        PUT(N, at_l, y);                                                                                     \
    } while (0)
    VG_WHOLE_FOURS(nv, PUSH);
    for (int i = 0; i < POINTS; i += 4) {
        PUT(4, p->ago + 1 + i, GET(4, w->psi + i));
        PUT(4, p->per + i, GET(4, w->per + i));
    }
    *p->count = n + 1;
}

VG_PASS static void push_plain(const vgSystem *sys, const Own *w, const Past *p, const vgState *s, int most)
{
    push(sys, w, p, s, 1, most);
}

VG_PASS static void push_rates(const vgSystem *sys, const Own *w, const Past *p, const vgState *s, int most)
{
    push(sys, w, p, s, 0, most);
}

/* n + 1 rows move on by one. */
VG_PASS static void shift(int nq, int n, const double *q, double *rows)
{
#define SHIFT(N, i)                                                                                          \
    do {                                                                                                     \
        vgFour x = GET(N, q + (i));                                                                          \
        double *at = rows + (i);                                                                             \
        VG_ROLLED                                                                                            \
        for (int j = 0; j <= n; j++, at += nq) {                                                             \
            vgFour y = GET(N, at);                                                                           \
            PUT(N, at, x);                                                                                   \
            x = y;                                                                                           \
        }                                                                                                    \
    } while (0)
    VG_WHOLE_FOURS(nq, SHIFT);
}

APART static void push_point(const vgSystem *sys, const Own *w, const Past *p, const vgState *s, int most)
{
    int count = (int)*p->count, n = count < most ? count : most - 1;
    shift(p->nq, n, s->q, p->q);
    push_rates(sys, w, p, s, most);
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    const vgSystem *sys = it->sys;
    Own *w = it->own;
    vg_stage_reset(it);
    memset(s->history, 0, (size_t)it->nhistory * sizeof(double));
    vgStatus st = vg_accel_state(it, s);
    if (st != VG_OK) return st;
    Past p = view(sys, s);
    memset(w->psi, 0, sizeof w->psi);
    memset(w->per, 0, sizeof w->per);
    if (is_plain(sys))
        push_plain(sys, w, &p, s, MAX_ROWS);
    else
        push_point(sys, w, &p, s, MAX_ROWS);
    return VG_OK;
}

/* ---- steps ---- */

/* A step of the starting procedure. */
APART static vgStatus first_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    const vgSystem *sys = it->sys;
    double t = s->t;
    vgStatus st = vg_rk_step(it, &vg_tableau_dopri5, &w->rk, s, h, x);
    if (st == VG_OK && it->adaptive) x->next = vg_step_kept(it, x, h, VG_START_POWER, 2);
    if (st != VG_OK || !(s->t > t)) return st;
    Past p = view(sys, s);
    make_ratios(w, &p, h, POINTS);
    if (is_plain(sys))
        push_plain(sys, w, &p, s, MAX_ROWS);
    else
        push_point(sys, w, &p, s, MAX_ROWS);
    return VG_OK;
}

/* The new state becomes the state's, with constraints after the projection. */
static inline vgStatus commit(vgIntegrator *it, Own *w, const Past *p, vgState *s, int plain, int k, double h)
{
    const vgSystem *sys = it->sys;
    double t = s->t + h;
    vgStatus st = vg_settle(it, t, w->q, w->v);
    if (st == VG_OK) st = vg_accel_at(it, t, w->q, w->v, w->a, w->lambda);
    if (RARE(st != VG_OK)) return st;
    vg_accept(sys, t, w->q, w->v, w->a, w->lambda, s);
    int most = k + 2 < MAX_ROWS ? k + 2 : MAX_ROWS; /* the order rises by one a step */
    if (plain)
        push_plain(sys, w, p, s, most);
    else
        push_point(sys, w, p, s, most);
    return VG_OK;
}

/* log2 of the step that an error of order k allows, over h; a few digits of it are enough. */
static inline float step_of(double err, int k)
{
    return log2f((float)(err > VG_ERROR_FLOOR_ADAMS ? err : VG_ERROR_FLOOR_ADAMS)) / (float)-(k + 1);
}

/* Norms of E_k and of those of the orders below and above, as far as there are differences (−1: too few). */
static inline double errors(vgIntegrator *it, const vgState *s, const Past *p, int plain, int k, int have,
                            double h, double out[2])
{
    Own *w = it->own;
    int below = k > 1, above = have > k, at = (k - 1) * p->nv, next = above ? p->nv : 0;
    const double *rows = plain ? p->k + at : w->beside, *g = w->g;
    vgMissBeside beside[2] = {
        {rows, p->l + at, w->beta[k - 1], below ? h * fabs(g[k - 1] - g[k - 2]) : 0},
        {rows + next, p->l + at + next, above ? -w->beta[k] : 0, above ? h * fabs(g[k + 1] - g[k]) : 0}};
    double e = vg_error_misses(it, w->q, s, w->v, &w->miss, beside, out);
    if (!below) out[0] = -1;
    if (!above) out[1] = -1;
    return e;
}

/* The corrector: Δ += c (k − p_k), v += c (l − p_l). Not finite where one of the velocities is not. */
INLINED double correct(Own *w, const vgState *s, int plain, int nv, double c)
{
    const double *q0 = s->q, *x_k = w->miss.x_q, *x_l = w->l, *p_k = w->p_k, *p_l = w->p_l;
    double *delta = w->delta, *q = w->q, *v = w->v;
    vgFour all = {0};
#define CORRECT(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour d = GET(N, delta + (i)) + c * (GET(N, x_k + (i)) - GET(N, p_k + (i)));                        \
        vgFour y = GET(N, v + (i)) + c * (GET(N, x_l + (i)) - GET(N, p_l + (i)));                            \
        PUT(N, delta + (i), d);                                                                              \
        PUT(N, v + (i), y);                                                                                  \
        all += y;                                                                                            \
        if (plain) PUT(N, q + (i), GET(N, q0 + (i)) + d);                                                    \
    } while (0)
    VG_WHOLE_FOURS(nv, CORRECT);
    return VG_TOTAL(all);
}

VG_PASS static double correct_plain(Own *w, const vgState *s, int nv, double c)
{
    return correct(w, s, 1, nv, c);
}

VG_PASS static double correct_rates(Own *w, const vgState *s, int nv, double c)
{
    return correct(w, s, 0, nv, c);
}

APART static double correct_by_maps(const vgSystem *sys, Own *w, const vgState *s, double c)
{
    double all = correct_rates(w, s, sys->nv, c);
    sys->ops->retract(sys, s->q, w->delta, w->q);
    return all;
}

/* Predict, evaluate, correct, evaluate. Variable order corrects with the formula one order higher, as
 * Shampine and Gordon do, and takes the order whose error allows the longest step, a higher one only when it
 * gains clearly. */
static vgStatus predict_correct(vgIntegrator *it, vgState *s, const Past *p, double h, int k, int variable,
                                vgStep *x)
{
    Own *w = it->own;
    const vgSystem *sys = it->sys;
    int plain = is_plain(sys), count = (int)*p->count, most = (int)it->param[P_ORDER], next = k;
    if (most > count) most = count;
    int have = variable && k < most ? k + 1 : k;
    make_ratios(w, p, h, have + 1);
    integrals(w, p->ago, h, have);
    VG_ROLLED
    for (int j = 0; j < k; j++) w->sum[j] = h * w->g[j] * w->beta[j];
    double all = plain ? predict_plain(w, s, p, k) : predict_by_points(sys, w, s, p, k, have);
    if (RARE(!is_finite(all))) return vg_check_finite(it, s->t + h, w->v, sys->nv);
    if (!plain) sys->ops->rates(sys, w->delta, w->q, w->v, w->k);
    vgStatus st = vg_accel_at(it, s->t + h, w->q, w->v, w->l, w->lambda);
    if (RARE(st != VG_OK)) return st;
    double beside[2] = {-1, -1}, norm;
    w->miss.share = h * fabs(w->g[k] - w->g[k - 1]);
    if (variable)
        norm = errors(it, s, p, plain, k, have, h, beside);
    else
        norm = vg_error_miss(it, w->q, s, w->v, &w->miss);
    norm = vg_step_error(x, norm);
    if (RARE(!is_finite(norm))) return vg_check_finite(it, s->t + h, &norm, 1);
    float best = step_of(norm, k);
    VG_ROLLED
    for (int i = 0; i < 2; i++) {
        if (beside[i] < 0) continue;
        int order = i ? k + 1 : k - 1;
        float step = step_of(beside[i], order) - (i ? CLEARLY : 0);
        if (step > best) {
            best = step;
            next = order;
        }
    }
    if (it->adaptive) x->next = vg_step_kept_by(it, x, h, (double)exp2f(best), 2);
    if (RARE(it->adaptive && norm > 1)) {
        if (variable) *p->order = next < k ? next : k;
        return VG_OK;
    }
    double c = h * (variable ? w->g[k] : w->g[k - 1]);
    all = plain ? correct_plain(w, s, sys->nv, c) : correct_by_maps(sys, w, s, c);
    if (RARE(!is_finite(all))) return vg_check_finite(it, s->t + h, w->v, sys->nv);
    st = commit(it, w, p, s, plain, k, h);
    if (st == VG_OK && variable) *p->order = next;
    return st;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    int variable = it->row->data != NULL, order = (int)it->param[P_ORDER];
    int want = variable && order > START_POINTS ? START_POINTS : order;
    Past p = view(it->sys, s);
    if (RARE(*p.count < want)) return first_step(it, s, h, x);
    int k = variable ? (int)*p.order : order;
    if (k == 0) k = want > 1 ? want - 1 : 1;
    return predict_correct(it, s, &p, h, k, variable, x);
}

static int abm_order(const double *param)
{
    return (int)param[P_ORDER];
}

/* That of the most steps, unless the highest is lower. */
static int adams_order(const double *param)
{
    return param[P_ORDER] < 5 ? (int)param[P_ORDER] : 5;
}

static const int variable_order = 1;
#define PECE_ROW(id, name_, title_, cite, order_, flags_, data_)                                             \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "Adams",                                                      \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .order_of = id##_order,                                                 \
                                     .stages = 1,                                                            \
                                     .flags = VG_INT_MULTISTEP | VG_INT_OWN_NEWTON | VG_INT_EXPLICIT |       \
                                              VG_INT_ESTIMATE | (flags_),                                    \
                                     .constraints = VG_CON_ACCEL,                                            \
                                     .params = id##_params,                                                  \
                                     .nparam = 1,                                                            \
                                     .data = data_,                                                          \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}

PECE_ROW(abm, "abm", "Adams–Bashforth–Moulton predictor–corrector (PECE) with Milne's error estimate",
         "[G] (7.22)–(7.27)", 4, 0, NULL);
PECE_ROW(adams, "adams", "Adams PECE of variable order 1–12 and step", "Shampine, Gordon 1975; [G] 7.1.3", 5,
         VG_INT_ADAPTIVE, &variable_order);
