/* The ESDIRK family: rows and the step they share. */
#include "integrator/esdirk.h"

#include <math.h>
#include <string.h>

#include "integrator/lms.h"
#include "integrator/own.h"
#include "integrator/passes.h"
#include "integrator/predictor.h"
#include "integrator/rows.h"

void vg_dirk_place(vgDirk *w, const vgSystem *sys, vgArena *a)
{
    int n = vg_whole(sys->nv), own_v = !sys->vector_space || sys->con == VG_CON_INDEX2;
    w->row = n;
    w->k = VG_TAKE(a, double, VG_DIRK_MAX * 2 * n + 1);
    w->l = w->k ? w->k + n : NULL;
    w->v = own_v ? VG_TAKE(a, double, VG_DIRK_MAX *n + 1) : w->k;
    w->stride_v = own_v ? n : 2 * n;
    w->d = VG_TAKE(a, double, VG_DIRK_MAX *n + 1);
    w->base = VG_TAKE(a, double, 2 * n + 1);
    w->dhat = VG_TAKE(a, double, 2 * n + 1);
    w->vhat = w->dhat ? w->dhat + n : NULL;
    w->guess = VG_TAKE(a, double, n + 1);
    w->e_q = VG_TAKE(a, double, 2 * n + 1);
    w->e_v = w->e_q ? w->e_q + n : NULL;
}

enum { UNKNOWN, CONSTANT, EXTRAPOLATED, REPEATED, KINDS };

/* Steps with error control: at which guess would have been the better one. Without it every step is looked
 * at: far from the solution Newton may find another one. */
enum { LOOK_EVERY = 4 };

static double *at(double *rows, int i, int stride)
{
    return rows + (size_t)i * (size_t)stride;
}

/* Weights h coef_j that are not zero, and the rows of Δ̇ that they belong to, those of a behind them; how
 * many.
 */
static int sum_of(const vgDirk *w, double h, const double *coef, int count, double *c, const double **row)
{
    int used = 0;
    for (int j = 0; j < count; j++) {
        if (coef[j] == 0) continue;
        c[used] = h * coef[j];
        row[used++] = at(w->k, j, 2 * w->row);
    }
    return used;
}

/* Sums of Δ̇ and of a with the same weights, for out and a row behind it. */
static void sum_stages(const vgDirk *w, double h, const double *coef, int count, const double *base,
                       double *out)
{
    double c[VG_DIRK_MAX];
    const double *row[VG_DIRK_MAX];
    int used = sum_of(w, h, coef, count, c, row);
    vg_rows_sum(2 * w->row, 1, base, used, c, row, out);
}

/* A first guess: Σ c_j row_j are the accelerations, or the rates Δ̇ (by_rates). */
typedef struct Guess {
    int kind, by_rates, count;
    double c[2 * VG_DIRK_MAX];
    const double *row[2 * VG_DIRK_MAX];
} Guess;

/* Weights at c_i of the polynomials through values at c_0 … c_{i−1}, and Π (c_i − c_m). */
static void tabulate(vgDirkTableau *tb)
{
    for (int i = 1; i < tb->stages; i++) {
        tb->beyond[i] = 1;
        tb->apart[i] = 1;
        for (int k = 0; k < i; k++) {
            double up = 1, down = 1;
            for (int m = 0; m < i; m++) {
                if (m == k) continue;
                if (fabs(tb->c[k] - tb->c[m]) < 1e-3) tb->apart[i] = 0;
                up *= tb->c[i] - tb->c[m];
                down *= tb->c[k] - tb->c[m];
            }
            tb->through[i][k] = up / down;
            tb->beyond[i] *= tb->c[i] - tb->c[k];
        }
    }
}

/* By the polynomial through the accelerations of all stages before and of the state before this step, or
 * through the rates of the stages alone. One more point τ = −h_past/h makes the weights
 *     w_k (c_i − τ)/(c_k − τ),   its own is Π (c_i − c_m)/(τ − c_m). 0: not here. */
static int guess_by_all(const vgDirk *w, int i, double h, const double *past, double h_past, Guess *g)
{
    const vgDirkTableau *tb = &w->tb;
    const double *row = g->by_rates ? w->k : w->l;
    if (!w->by_all || !tb->apart[i] || i < (g->by_rates ? 3 : 2)) return 0;
    for (int j = 0; j < i; j++, row += 2 * w->row) {
        g->c[j] = tb->through[i][j];
        g->row[j] = row;
    }
    g->count = i;
    if (!past || g->by_rates) return 1;
    double ago = h_past / h, last = tb->beyond[i];
    if (ago < 1e-3) return 0;
    for (int j = 0; j < i; j++) {
        double per = 1 / (tb->c[j] + ago);
        g->c[j] *= (tb->c[i] + ago) * per;
        last *= -per;
    }
    g->c[i] = last;
    g->row[g->count++] = past;
    return 1;
}

/* [Z] (12)–(17): by values and slopes at two or three points. */
static void guess_by_few(const vgDirk *w, int nv, int i, double h, const double *past, double h_past,
                         Guess *g)
{
    double t[3];
    const double *y[3], *y_dot[3];
    int order = w->predictor >= 4 && i < w->tb.stages - 1 ? 2 : w->predictor, n = 0;
    for (int j = i - 1; j >= 0 && n < 3; j--, n++) {
        t[n] = w->tb.c[j] * h;
        y[n] = g->by_rates ? at(w->d, j, w->row) : at(w->v, j, w->stride_v);
        y_dot[n] = at(g->by_rates ? w->k : w->l, j, 2 * w->row);
    }
    if (i == 1 && past) {
        t[1] = -h_past;
        y[1] = past;
        y_dot[1] = past + nv;
        n = 2;
    }
    vgPredictor p;
    vg_predictor_make(order, w->tb.c[i] * h, t, n, &p);
    g->count = vg_predictor_rows(&p, y, y_dot, 1, g->c, g->row);
}

/* By what the last step did here: a_{i−1} + (h/h_past)(a_i − a_{i−1})_past. */
static void guess_by_last_step(const vgDirk *w, int nv, int i, double h, const double *past, double h_past,
                               Guess *g)
{
    const double *then = past + (size_t)i * (size_t)nv; /* a_{i−1}; that of the last stage is now a_0 */
    g->by_rates = 0;
    g->count = 3;
    g->c[0] = 1;
    g->c[1] = h / h_past;
    g->c[2] = -g->c[1];
    g->row[0] = at(w->l, i - 1, 2 * w->row);
    g->row[1] = i < w->tb.stages - 1 ? then + nv : w->l;
    g->row[2] = then;
}

static int at_positions(const vgSystem *sys)
{
    return sys->nl > 0 && !(sys->con & VG_CON_AT_ACCELERATION);
}

/* First guess of stage i: two points before it, or all of them (by_all); for the first implicit stage
 * the state before this step, if known. Extrapolated accelerations give Δ one order better than extrapolated
 * rates Δ̇, but with constraints on positions those of most of these methods alternate from stage to stage (λ
 * is of order 1 only), and the rates are the better guess. As they alternate in every step alike, what the
 * last step did may be a better one yet (docs/theory.md, eq. 36a), and sometimes even the last acceleration
 * is: which was best in the last step decides (w->better). */
static void make_guess(const vgDirk *w, const vgSystem *sys, int i, double h, const double *past,
                       double h_past, Guess *g)
{
    int nv = sys->nv;
    g->by_rates = at_positions(sys) && !w->tb.smooth;
    g->kind = w->predictor == 0 ? CONSTANT : w->choice[i];
    if (g->kind == REPEATED && !past) g->kind = EXTRAPOLATED;
    if (g->kind == EXTRAPOLATED && g->by_rates && i == 1) g->kind = CONSTANT;
    if (g->kind == REPEATED) {
        guess_by_last_step(w, nv, i, h, past, h_past, g);
    } else if (g->kind == CONSTANT) {
        g->by_rates = 0;
        g->count = 1;
        g->c[0] = 1;
        g->row[0] = at(w->l, i - 1, 2 * w->row);
    } else if (!guess_by_all(w, i, h, past ? past + nv : NULL, h_past, g)) {
        guess_by_few(w, nv, i, h, past, h_past, g);
    }
}

/* base + x times the guess. */
static void add_guess(const Guess *g, int nv, double x, const double *base, double *out)
{
    double c[2 * VG_DIRK_MAX];
    for (int j = 0; j < g->count; j++) c[j] = x * g->c[j];
    vg_rows_sum(nv, 1, base, g->count, c, g->row, out);
}

/* Where coordinates are a vector space: Δ̂, v̂, the first guess and the state there in one pass. */
static void foretell(vgDirk *w, int nv, const vgStageSpec *sp, const vgState *s, int i, double h,
                     const Guess *g)
{
    const vgStage *st = w->stage;
    double c[VG_DIRK_MAX], cv = sp->cv, b = 1 / cv;
    const double *row[VG_DIRK_MAX], *q0 = s->q, *v0 = s->v;
    double *dhat = w->dhat, *vhat = w->vhat, *delta = st->delta, *q = st->q, *rate = st->delta_dot,
           *v = st->v, *a = st->a;
    int used = sum_of(w, h, w->tb.a[i], i, c, row), off = w->row, points = g->count, by_rates = g->by_rates;
#define FORETELL(N, i)                                                                                       \
    do {                                                                                                     \
        vgFour x = {0}, y = GET(N, v0 + (i)), u = g->c[0] * GET(N, g->row[0] + (i)), r = u;                  \
        for (int j = 0; j < used; j++) {                                                                     \
            x += c[j] * GET(N, row[j] + (i));                                                                \
            y += c[j] * GET(N, row[j] + off + (i));                                                          \
        }                                                                                                    \
        for (int j = 1; j < points; j++) u += g->c[j] * GET(N, g->row[j] + (i));                             \
        if (by_rates) {                                                                                      \
            r = u;                                                                                           \
            u = cv * (r - y);                                                                                \
        } else {                                                                                             \
            r = y + b * u;                                                                                   \
        }                                                                                                    \
        PUT(N, dhat + (i), x);                                                                               \
        PUT(N, vhat + (i), y);                                                                               \
        PUT(N, a + (i), u);                                                                                  \
        PUT(N, v + (i), r);                                                                                  \
        PUT(N, rate + (i), r);                                                                               \
        x += b * r;                                                                                          \
        PUT(N, delta + (i), x);                                                                              \
        PUT(N, q + (i), GET(N, q0 + (i)) + x);                                                               \
    } while (0)
    VG_WHOLE_FOURS(nv, FORETELL);
    w->stage->placed = 1;
}

/* The same in general. */
static void guess(vgDirk *w, const vgSystem *sys, const vgStageSpec *sp, int i, double h, const Guess *g)
{
    sum_stages(w, h, w->tb.a[i], i, w->base, w->dhat);
    if (!g->by_rates)
        vg_predict_by_rows(sys, w->stage, sp, g->count, g->c, g->row);
    else
        add_guess(g, sys->nv, 1 / sp->cv, w->dhat, w->stage->delta);
}

/* By how much the rates of a guess differed from the solved stage. */
static double missed(vgDirk *w, const vgSystem *sys, const vgStageSpec *sp, const Guess *g)
{
    add_guess(g, sys->nv, -1, g->by_rates ? w->stage->delta_dot : w->stage->a, w->guess);
    return vg_rows_largest(sys->nv, w->guess, w->stage->unit) / (g->by_rates ? 1 : sp->cv);
}

/* Under constraints on positions, after a stage that took more than one iteration: which guess the next step
 * shall make there. */
static void choose_guess(vgDirk *w, const vgSystem *sys, const vgStageSpec *sp, const Guess *g, int i,
                         double h, const double *past, double h_past)
{
    int used = w->choice[i], best = used;
    if (!at_positions(sys) || w->predictor == 0) return;
    double least = 0.8 * missed(w, sys, sp, g);
    for (int kind = CONSTANT; kind < KINDS; kind++) {
        Guess other;
        w->choice[i] = kind;
        make_guess(w, sys, i, h, past, h_past, &other);
        if (other.kind != kind || kind == g->kind) continue; /* not here, or known */
        double miss = missed(w, sys, sp, &other);
        if (miss < least) best = kind, least = miss;
    }
    w->choice[i] = best;
}

static vgStatus stage(vgIntegrator *it, vgDirk *w, const vgState *s, int i, double h, const double *past,
                      double h_past)
{
    const vgSystem *sys = it->sys;
    int nv = sys->nv;
    double cv = 1 / (h * w->tb.a[i][i]);
    vgStageSpec sp = {.t = s->t + w->tb.c[i] * h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = cv,
                      .ca = cv * cv,
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .matrix_unused = !it->adaptive};
    /* the results are written where the stages after this one look for them */
    w->stage->delta = at(w->d, i, w->row);
    w->stage->delta_dot = at(w->k, i, 2 * w->row);
    w->stage->a = at(w->l, i, 2 * w->row);
    Guess g;
    make_guess(w, sys, i, h, past, h_past, &g);
    if (sys->vector_space && sys->nq == nv)
        foretell(w, nv, &sp, s, i, h, &g);
    else
        guess(w, sys, &sp, i, h, &g);
    vgStatus status = vg_stage_solve(it, w->stage, &sp);
    if (status == VG_OK && w->stage->last_iterations > 1 && (!it->adaptive || s->step % LOOK_EVERY == 0))
        choose_guess(w, sys, &sp, &g, i, h, past, h_past);
    if (status == VG_OK && w->v != w->k)
        memcpy(at(w->v, i, w->stride_v), w->stage->v, (size_t)nv * sizeof(double));
    return status;
}

vgStatus vg_dirk_step(vgIntegrator *it, vgDirk *w, vgState *s, double h, const double *past, double h_past,
                      double *err)
{
    const vgSystem *sys = it->sys;
    vgStage *st = w->stage;
    int nv = sys->nv, n = w->tb.stages;
    for (int i = 0; i < n; i++) w->choice[i] = w->better ? (int)w->better[i] : 0;
    for (int i = 0; i < n; i++)
        if (w->choice[i] == UNKNOWN) w->choice[i] = w->tb.rough ? CONSTANT : EXTRAPOLATED;
    vg_pass_copy(nv, s->v, w->base + w->row);
    vg_pass_copy(nv, s->v, w->k); /* Δ = 0 (row 0 of d, which nobody writes to), T = 1 */
    vg_pass_copy(nv, s->a, w->l);
    if (w->v != w->k) vg_pass_copy(nv, s->v, w->v);
    vg_pass_copy(sys->nl, s->lambda, st->lambda);
    for (int i = 1; i < n; i++) {
        vgStatus status = stage(it, w, s, i, h, past, h_past);
        if (status != VG_OK) return status;
    }
    if (err) *err = -1;
    if (err && w->tb.estimate && it->adaptive) {
        sum_stages(w, h, w->tb.e, n, NULL, w->e_q);
        *err = vg_filtered_error(it, st, s->t + h, s->v, w->e_q, w->e_v);
        if (*err > 1) return VG_OK;
    }
    vgStatus status = vg_stage_to_state(it, st, h, s);
    for (int i = 0; i < n && w->better && status == VG_OK; i++) w->better[i] = w->choice[i];
    return status;
}

/* ---- the methods of the list ---- */

typedef struct Own {
    vgArena arena;
    vgStage stage;
    vgDirk dirk;
    vgDirkTableau method, within; /* the row's own; one with all stages within the step */
    double reach;                 /* the farthest stage of the method */
} Own;

typedef struct Method {
    vgDirkBuild *build;
    int rho; /* index of the parameter ρ∞, −1 none */
} Method;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    vg_stage_place(&w->stage, it->sys, a);
    vg_dirk_place(&w->dirk, it->sys, a);
}

static vgStatus setup(vgIntegrator *it)
{
    const Method *m = it->row->data;
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->dirk.stage = &w->stage;
    m->build(m->rho >= 0 ? it->param[m->rho] : 0, &w->method);
    vg_dirk_within(0, &w->within);
    w->within.estimate = w->method.estimate;
    tabulate(&w->method);
    tabulate(&w->within);
    w->dirk.tb = w->method;
    for (int i = 0; i < w->method.stages; i++) w->reach = fmax(w->reach, w->method.c[i]);
    for (int i = 1; i < w->method.stages - 1; i++) it->node[it->nnode++] = w->method.c[i];
    for (int i = 2; i < w->method.stages; i++)
        if (fabs(w->method.a[i][i] - w->method.a[1][1]) > 1e-12)
            it->changes = "has stages with matrices of their own";
    w->dirk.predictor = (int)it->param[0];
    w->dirk.by_all = w->method.estimate && w->dirk.predictor >= 4;
    vg_newton_for_control(it);
    /* v of the state before, a in all stages but the last of the step from there, how long ago that was (0:
     * unknown), and which guess was best in each stage; rows are read in whole fours, beyond their ends */
    it->nhistory = VG_DIRK_MAX * it->sys->nv + 1 + VG_DIRK_MAX;
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    vg_stage_reset(it);
    memset(s->history + VG_DIRK_MAX * it->sys->nv, 0, (1 + VG_DIRK_MAX) * sizeof(double));
    return VG_OK;
}

/* Where a stage would look behind a corner of a law of time, a method of order 4 with its stages within the
 * step takes its place: one such step leaves an error O(h⁵), as much as the whole run at order 5. */
static vgStatus step(vgIntegrator *it, vgState *s, double h, double *err)
{
    Own *w = it->own;
    size_t nv = (size_t)it->sys->nv;
    int beyond = w->reach > 1 && s->t + w->reach * h > it->corner;
    if (beyond) w->dirk.tb = w->within;
    double *past = s->history, *h_past = past + VG_DIRK_MAX * nv, t = s->t;
    w->dirk.better = h_past + 1;
    vgStatus status = vg_dirk_step(it, &w->dirk, s, h, *h_past > 0 ? past : NULL, *h_past, err);
    int stages = w->dirk.tb.stages;
    if (beyond) w->dirk.tb = w->method;
    if (status != VG_OK || s->t == t) return status;
    vg_pass_copy(it->sys->nv, w->dirk.k, past); /* v that the step began with */
    for (int i = 0; i < stages - 1; i++)
        vg_pass_copy(it->sys->nv, at(w->dirk.l, i, 2 * w->dirk.row), past + ((size_t)i + 1) * nv);
    *h_past = h;
    return VG_OK;
}

#define PREDICTOR(order)                                                                                     \
    {                                                                                                        \
        "predictor", order, 0, 4, "first guess of a stage: 0 constant, 2 second order, 4 fourth in the last" \
    }
#define RHO(fallback)                                                                                        \
    {                                                                                                        \
        "rho", fallback, 0, 1, "spectral radius at infinity ρ∞"                                           \
    }
#define PREDICTOR_BY_ALL                                                                                     \
    {                                                                                                        \
        "predictor", 4, 0, 4, "first guess of a stage: 0 constant, 2 second order, 4 by all stages before"   \
    }
static const vgParamSpec second_order[] = {PREDICTOR(2), RHO(0.6)};
/* order 3 and more are smoothest with the strongest damping ([Z] section 4) */
static const vgParamSpec third_order[] = {PREDICTOR(2), RHO(0)};
static const vgParamSpec higher_order[] = {PREDICTOR(4), RHO(0)};
static const vgParamSpec fourth_order[] = {PREDICTOR_BY_ALL};

#define TUNABLE(id, name_, title_, cite, order_, stages_, family_, params_, build_)                          \
    static const Method id##_method = {build_, 1};                                                           \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = family_,                                                      \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = stages_,                                                      \
                                     .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE |           \
                                              VG_INT_DOUBLING,                                               \
                                     .constraints = VG_CON_STAGE,                                            \
                                     .params = params_,                                                      \
                                     .nparam = 2,                                                            \
                                     .data = &id##_method,                                                   \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}
#define EMBEDDED(id, name_, title_, cite, order_, stages_, params_, build_)                                  \
    static const Method id##_method = {build_, -1};                                                          \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "ESDIRK",                                                     \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = stages_,                                                      \
                                     .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_LSTABLE |            \
                                              VG_INT_ESTIMATE,                                               \
                                     .constraints = VG_CON_STAGE,                                            \
                                     .params = params_,                                                      \
                                     .nparam = 1,                                                            \
                                     .data = &id##_method,                                                   \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}

TUNABLE(bathe, "bathe", "ρ∞-Bathe: trapezoidal sub-step and three-point formula", "Noh, Bathe 2019; [Z] (7)",
        2, 2, "composite", second_order, vg_dirk_bathe);
TUNABLE(hope, "hope", "HOPE: a pair of equal sub-steps, each half of the step",
        "Bank et al. 1985 and Bathe 2007 for ρ∞ = 0", 2, 2, "composite", second_order, vg_dirk_hope);
TUNABLE(msstc3, "msstc3", "MSSTC(3): three sub-steps, closed form for any ρ∞", "Zhang et al. 2020; [Z]", 2, 3,
        "composite", second_order, vg_dirk_msstc3);
TUNABLE(msstc4, "msstc4", "MSSTC(4): four sub-steps, closed form for any ρ∞", "Zhang et al. 2020; [Z]", 2, 4,
        "composite", second_order, vg_dirk_msstc4);
TUNABLE(msstc5, "msstc5", "MSSTC(5): five sub-steps, closed form for any ρ∞", "Zhang et al. 2020; [Z]", 2, 5,
        "composite", second_order, vg_dirk_msstc5);
TUNABLE(mssth3, "mssth3", "MSSTH(3): order 3 with ρ∞", "[Z] appendix (33)", 3, 3, "composite", third_order,
        vg_dirk_mssth3);
TUNABLE(mssth4, "mssth4", "MSSTH(4): order 4 with ρ∞", "[Z] appendix (34)", 4, 4, "composite", higher_order,
        vg_dirk_mssth4);
TUNABLE(mssth5, "mssth5", "MSSTH(5): order 5 with ρ∞", "[Z] appendix (35)", 5, 5, "composite", higher_order,
        vg_dirk_mssth5);
EMBEDDED(esdirk324, "esdirk324", "ESDIRK3(2)4L[2]SA", "Kennedy, Carpenter 2016; [Z]", 3, 3, second_order,
         vg_dirk_324);
EMBEDDED(esdirk325, "esdirk325", "ESDIRK3(2)5L[2]SA", "Kennedy, Carpenter 2019; [Z]", 3, 4, second_order,
         vg_dirk_325);
EMBEDDED(esdirk436, "esdirk436", "ESDIRK4(3)6L[2]SA", "Kennedy, Carpenter 2016", 4, 5, fourth_order,
         vg_dirk_436);
EMBEDDED(esdirk436_2, "esdirk436-2", "ESDIRK4(3)6L[2]SA₂", "Kennedy, Carpenter 2019; [Z]", 4, 5, fourth_order,
         vg_dirk_436_2);
