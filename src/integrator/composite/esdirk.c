/* The step of the ESDIRK family (esdirk.h); its rows are in esdirk_rows.c. */
#include "integrator/composite/esdirk.h"

#include <math.h>
#include <string.h>

#include "integrator/multistep/lms.h"
#include "integrator/passes.h"
#include "integrator/stage/predictor.h"
#include "integrator/rows.h"
#include "integrator/stage/fine.h"
#include "integrator/tuning.h"

void vg_dirk_place(vgDirk *w, const vgSystem *sys, vgArena *a)
{
    int n = vg_whole(sys->nv), own_v = !sys->vector_space || sys->is.rows == VG_AT_BOTH;
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
    w->weight = VG_TAKE(a, double, VG_DIRK_MAX);
    w->kept = VG_TAKE(a, double, 3 * n + vg_whole(sys->nl) + 1);
    w->e_q = VG_TAKE(a, double, 2 * n + 1);
    w->e_v = w->e_q ? w->e_q + n : NULL;
}

enum { UNKNOWN, CONSTANT, EXTRAPOLATED, REPEATED, KINDS };

/* Steps under error control test only now and then which first guess would have been better. Without error control every
 * step tests it: from a bad guess Newton's iteration may converge to another solution. */
enum { LOOK_EVERY = 4 };

static double *at(double *rows, int i, int stride)
{
    return rows + (size_t)i * (size_t)stride;
}

/* out: Σ h coef_j Δ̇_j; the row after it: Σ h coef_j a_j. */
static void sum_stages(const vgDirk *w, double h, const double *coef, int count, const double *base,
                       double *out)
{
    double c[VG_DIRK_MAX];
    const double *row[VG_DIRK_MAX];
    int used = 0;
    for (int j = 0; j < count; j++) {
        if (coef[j] == 0) continue;
        c[used] = h * coef[j];
        row[used++] = at(w->k, j, 2 * w->row);
    }
    vg_rows_sum(2 * w->row, 1, base, used, c, row, out);
}

/* A first guess of the accelerations, or of the rates Δ̇ (by_rates): Σ c_j times those of the stages before,
 * and a few more rows. */
enum { MORE = 3 };
typedef struct Guess {
    int kind, by_rates, more;
    const double *c; /* one for each stage before */
    double m[MORE], own[VG_DIRK_MAX];
    const double *row[MORE];
} Guess;

/* Guess by the polynomial through the accelerations of all earlier stages and of the previous state, or through the rates of
 * the stages alone. With the additional point τ = −h_past/h the weights are
 *     w_k (c_i − τ)/(c_k − τ),   that of the point itself Π (c_i − c_m)/(τ − c_m). 0: not applicable. */
static int guess_by_all(const vgDirk *w, int i, double h, const double *past, double h_past, Guess *g)
{
    const vgDirkTableau *tb = &w->tb;
    if (!w->by_all || !tb->apart[i] || i < (g->by_rates ? 3 : 2)) return 0;
    g->c = tb->through[i];
    if (!past || g->by_rates) return 1;
    double ago = h_past / h, last = tb->beyond[i];
    if (ago < VG_NODES_APART) return 0;
    for (int j = 0; j < i; j++) {
        double per = 1 / (tb->c[j] + ago);
        g->own[j] = tb->through[i][j] * ((tb->c[i] + ago) * per);
        last *= -per;
    }
    g->c = g->own;
    g->m[0] = last;
    g->row[g->more++] = past + w->row;
    return 1;
}

/* [Z] (12)–(17): by values and slopes at two or three points. */
static void guess_by_few(const vgDirk *w, int i, double h, const double *past, double h_past, Guess *g)
{
    double t[3];
    int order = w->predictor >= 4 && i < w->tb.stages - 1 ? 2 : w->predictor, n = i < 3 ? i : 3;
    for (int j = 0; j < n; j++) t[j] = w->tb.c[i - 1 - j] * h;
    int beyond = i == 1 && past;
    if (beyond) t[n++] = -h_past;
    vgPredictor p;
    vg_predictor_make(order, w->tb.c[i] * h, t, n, &p);
    for (int j = 0; j < i; j++) g->own[j] = 0;
    g->c = g->own;
    for (int j = 0; j < p.points - beyond || j == 0; j++) {
        int k = i - 1 - j;
        g->own[k] = p.n[j];
        if (p.points == 1) return; /* the last rate alone */
        g->m[g->more] = p.m[j];
        g->row[g->more++] = g->by_rates ? at(w->d, k, w->row) : at(w->v, k, w->stride_v);
    }
    if (!beyond) return;
    g->m[g->more] = p.m[1];
    g->row[g->more++] = past;
    g->m[g->more] = p.n[1];
    g->row[g->more++] = past + w->row;
}

/* The last of i rows. */
static const double *last_of(int i)
{
    static const double last[VG_DIRK_MAX] = {[VG_DIRK_MAX - 1] = 1};
    return last + VG_DIRK_MAX - i;
}

/* Guess by the same stage of the last step: a_{i−1} + (h/h_past)(a_i − a_{i−1})_past. */
static void guess_by_last_step(const vgDirk *w, int i, double h, const double *past, double h_past, Guess *g)
{
    const double *then = past + (size_t)i * (size_t)w->row; /* a_{i−1}; that of the last stage is now a_0 */
    g->c = last_of(i);
    g->by_rates = 0;
    g->more = 2;
    g->m[0] = -h / h_past;
    g->m[1] = -g->m[0];
    g->row[0] = then;
    g->row[1] = i < w->tb.stages - 1 ? then + w->row : w->l;
}

/* Guess as printed in [Z] section 3. It predicts rates of the states, here the rates of positions: constant (15) in the first
 * implicit stage, (12) in the others, (16) in the last stage of methods of order 4 and more. The velocities of the guess are
 * these rates. A guess of the accelerations by (12) would make no difference after one iteration, because accelerations enter
 * linearly, by M a. */
static void guess_as_printed(const vgDirk *w, int i, double h, Guess *g)
{
    g->kind = EXTRAPOLATED;
    g->by_rates = 1;
    if (i == 1 || w->predictor == 0)
        g->c = last_of(i);
    else
        guess_by_few(w, i, h, NULL, 0, g);
}

/* First guess of stage i, from the two points before it or from all of them (by_all); for the first implicit stage also from
 * the previous state, if known. Extrapolated accelerations give Δ with one order more than extrapolated rates Δ̇. With
 * constraints on positions, however, the accelerations of most of these methods alternate from stage to stage (λ is of order
 * 1), and the rates are the better guess. Because they alternate in the same way in every step, the same stage of the last
 * step may be better still (docs/theory.md, eq. 36a), and sometimes the last acceleration is. The guess that was best in the
 * last step is taken (w->better). */
static void make_guess(const vgDirk *w, int choice, int i, double h, const double *past, double h_past,
                       Guess *g)
{
    g->more = 0;
    if (w->printed) {
        guess_as_printed(w, i, h, g);
        return;
    }
    g->by_rates = w->by_rates;
    g->kind = w->predictor == 0 ? CONSTANT : choice;
    if (g->kind == REPEATED && !past) g->kind = EXTRAPOLATED;
    if (g->kind == EXTRAPOLATED && g->by_rates && i == 1) g->kind = CONSTANT;
    if (g->kind == REPEATED) {
        guess_by_last_step(w, i, h, past, h_past, g);
    } else if (g->kind == CONSTANT) {
        g->by_rates = 0;
        g->c = last_of(i);
    } else if (!guess_by_all(w, i, h, past, h_past, g)) {
        guess_by_few(w, i, h, past, h_past, g);
    }
}

/* The guess as a sum of rows: weights times x, and the rows. Returns their number, at most VG_DIRK_MAX + MORE. */
static int rows_of_guess(const vgDirk *w, const Guess *g, int i, double x, double *c, const double **row)
{
    int n = 0;
    for (int j = 0; j < i; j++) {
        if (g->c[j] == 0) continue;
        c[n] = x * g->c[j];
        row[n++] = at(g->by_rates ? w->k : w->l, j, 2 * w->row);
    }
    for (int j = 0; j < g->more; j++) {
        c[n] = x * g->m[j];
        row[n++] = g->row[j];
    }
    return n;
}

/* Coordinates that are a vector space: Δ̂, v̂, the first guess and the state there in one pass. All guesses have the form
 * Δ̇ = by_y v̂ + by_u u. */
VG_PASS static void foretell(vgDirk *w, int nv, const vgState *s, int i, double h, Guess *g)
{
    const vgStage *st = w->stage;
    for (int j = g->more; j < 2; j++) g->m[j] = 0, g->row[j] = w->k;
    double cv = w->spec.cv, b = 1 / cv, *c = w->weight, m0 = g->m[0], m1 = g->m[1],
           by_y = g->by_rates ? 0 : 1, by_u = g->by_rates ? 1 : b, by_a = g->by_rates ? cv : 0;
    const double *q0 = s->q, *v0 = s->v, *coef = w->tb.a[i], *of = g->c, *k = w->k, *row0 = g->row[0],
                 *row1 = g->row[1];
    double *dhat = w->dhat, *delta = st->delta, *q = st->q, *rate = st->delta_dot;
    size_t row = (size_t)w->row, guessed = g->by_rates ? 0 : row;
    for (int j = 0; j < i; j++) c[j] = h * coef[j];
#define FORETELL(N, o)                                                                                       \
    do {                                                                                                     \
        vgFour x = {0}, y = GET(N, v0 + (o)), u = m0 * GET(N, row0 + (o)) + m1 * GET(N, row1 + (o));         \
        const double *of_stage = k + (o);                                                                    \
        int j = 0;                                                                                           \
        do {                                                                                                 \
            x += c[j] * GET(N, of_stage);                                                                    \
            y += c[j] * GET(N, of_stage + row);                                                              \
            u += of[j] * GET(N, of_stage + guessed);                                                         \
            of_stage += 2 * row;                                                                             \
        } while (++j < i);                                                                                   \
        vgFour r = by_y * y + by_u * u;                                                                      \
        PUT(N, dhat + (o), x);                                                                               \
        PUT(N, dhat + row + (o), y);                                                                         \
        PUT(N, rate + (o), r);                                                                               \
        PUT(N, rate + row + (o), by_y * u + by_a * (r - y));                                                 \
        x += b * r;                                                                                          \
        PUT(N, delta + (o), x);                                                                              \
        PUT(N, q + (o), GET(N, q0 + (o)) + x);                                                               \
    } while (0)
    VG_WHOLE_FOURS(nv, FORETELL);
    if (st->v != rate) vg_pass_copy(nv, rate, st->v);
    w->stage->placed = 1;
}

/* The same in general. */
static void guess(vgDirk *w, const vgSystem *sys, int i, double h, const Guess *g)
{
    double c[VG_DIRK_MAX + MORE];
    const double *row[VG_DIRK_MAX + MORE];
    int n = rows_of_guess(w, g, i, g->by_rates ? 1 / w->spec.cv : 1, c, row);
    if (i == 1 || w->plain) vg_pass_copy(sys->nv, w->k, w->base + w->row);
    sum_stages(w, h, w->tb.a[i], i, w->base, w->dhat);
    if (g->by_rates)
        vg_rows_sum(sys->nv, 1, w->dhat, n, c, row, w->stage->delta);
    else
        vg_predict_by_rows(sys, w->stage, &w->spec, n, c, row);
}

/* The difference between the rates of a guess and those of the solved stage. */
static double missed(vgDirk *w, const vgSystem *sys, int i, const Guess *g)
{
    double c[VG_DIRK_MAX + MORE];
    const double *row[VG_DIRK_MAX + MORE];
    int n = rows_of_guess(w, g, i, -1, c, row);
    vg_rows_sum(sys->nv, 1, g->by_rates ? w->stage->delta_dot : w->stage->a, n, c, row, w->guess);
    return vg_rows_largest(sys->nv, w->guess, w->stage->unit) / (g->by_rates ? 1 : w->spec.cv);
}

static int choice_of(const vgDirk *w, int i)
{
    int last = w->better ? (int)w->better[i] : UNKNOWN;
    return last != UNKNOWN ? last : w->tb.rough ? CONSTANT : EXTRAPOLATED;
}

/* With constraints on positions, after a stage that took more than one iteration: chooses the guess of this stage in the next
 * step. */
static __attribute__((noinline)) void choose_guess(vgDirk *w, const Guess *g, const vgSystem *sys, int i,
                                                   double h, const double *past, double h_past)
{
    int used = choice_of(w, i), best = used;
    if (!vg_dirk_at_positions(sys) || w->predictor == 0 || w->printed) return;
    double least = 0.8 * missed(w, sys, i, g);
    for (int kind = CONSTANT; kind < KINDS; kind++) {
        Guess other;
        make_guess(w, kind, i, h, past, h_past, &other);
        if (other.kind != kind || kind == g->kind) continue; /* not here, or known */
        double miss = missed(w, sys, i, &other);
        if (miss < least) best = kind, least = miss;
    }
    if (best == used) return;
    for (int j = 0; j < w->tb.stages && !w->changed; j++) w->choice[j] = choice_of(w, j);
    w->choice[i] = best;
    w->changed = 1;
}

static inline vgStatus solve(vgIntegrator *it, vgDirk *w, const vgState *s, int i, double h,
                             const double *past, double h_past, int choice, Guess *g)
{
    make_guess(w, choice, i, h, past, h_past, g);
    if (w->plain && g->more < 3)
        foretell(w, it->sys->nv, s, i, h, g);
    else
        guess(w, it->sys, i, h, g);
    return vg_stage_solve(it, w->stage, &w->spec);
}

/* What was foretold has led astray. */
VG_COLD static vgStatus once_more(vgIntegrator *it, vgDirk *w, const vgState *s, int i, double h, Guess *g)
{
    vg_pass_copy(it->sys->nl, s->lambda, w->stage->lambda);
    return solve(it, w, s, i, h, NULL, 0, CONSTANT, g);
}

static vgStatus stage(vgIntegrator *it, vgDirk *w, const vgState *s, int i, double h, const double *past,
                      double h_past)
{
    const vgSystem *sys = it->sys;
    vgStage *st = w->stage;
    double cv = 1 / (h * w->tb.a[i][i]);
    w->spec.t = s->t + w->tb.c[i] * h;
    w->spec.cv = cv;
    w->spec.ca = cv * cv;
    w->spec.fine = w->fine ? vg_fine_part(w->tb.constant, w->tb.c[i], w->tb.order) : 0;
    w->spec.learned = w->fine ? w->learned + VG_STAGE_LEARNED * i : NULL;
    /* results are written to the rows that later stages read */
    st->delta += w->row;
    st->delta_dot += 2 * w->row;
    st->a += 2 * w->row;
    if (w->plain && w->v == w->k) st->v = st->delta_dot; /* they are the same */
    Guess g;
    vgStatus status = solve(it, w, s, i, h, past, h_past, choice_of(w, i), &g);
    if (VG_RARE(status != VG_OK && g.kind != CONSTANT && !w->printed)) status = once_more(it, w, s, i, h, &g);
    if (VG_RARE(status != VG_OK)) return status;
    if (st->last_iterations > 1 && (!it->adaptive || s->step % LOOK_EVERY == 0))
        choose_guess(w, &g, sys, i, h, past, h_past);
    if (w->v != w->k) vg_pass_copy(sys->nv, st->v, at(w->v, i, w->stride_v));
    return VG_OK;
}

/* The explicit stage: Δ = 0 (row 0 of d, which is never written), T = 1. */
static void begin(vgIntegrator *it, vgDirk *w, const vgState *s)
{
    const vgSystem *sys = it->sys;
    const double *v = s->v, *a = s->a;
    double *k = w->k, *l = w->l;
    vgStage *st = w->stage;
    w->plain = sys->one_pass;
    w->by_rates = vg_dirk_at_positions(sys) && !w->tb.smooth;
    w->changed = 0;
    w->spec.q_r = s->q;
    w->spec.map = VG_STAGE_FIRST;
    w->spec.cm = 1;
    w->spec.dhat = w->dhat;
    w->spec.vhat = w->vhat;
    w->spec.matrix_unused = !it->adaptive;
    w->fine = w->learned && vg_fine_is_wanted(it, w->tb.order);
    w->spec.order = w->tb.order;
    w->spec.a_begin = l;
    w->spec.kept = w->kept;
    st->delta = w->d;
    st->delta_dot = k;
    st->a = l;
    vg_pass_copy(sys->nv, v, k);
    vg_pass_copy(sys->nv, a, l);
    if (w->v != k) vg_pass_copy(sys->nv, v, w->v);
    vg_pass_copy(sys->nl, s->lambda, st->lambda);
}

vgStatus vg_dirk_step(vgIntegrator *it, vgDirk *w, vgState *s, double h, const double *past, double h_past,
                      vgStep *x)
{
    vgStage *st = w->stage;
    int n = w->tb.stages;
    begin(it, w, s);
    for (int i = 1; i < n; i++) {
        vgStatus status = stage(it, w, s, i, h, past, h_past);
        if (VG_RARE(status != VG_OK)) return status;
    }
    if (w->tb.estimate && it->adaptive) {
        sum_stages(w, h, w->tb.e, n, NULL, w->e_q);
        vg_step_error(x, vg_filtered_error(it, st, s->t + h, s, w->e_q, w->e_v));
        if (VG_RARE(vg_step_refuses(x))) return VG_OK;
    }
    vgStatus status = vg_stage_to_state(it, st, h, s);
    if (VG_RARE(w->changed && w->better && status == VG_OK))
        for (int i = 0; i < n; i++) w->better[i] = w->choice[i];
    return status;
}
