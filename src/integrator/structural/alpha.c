/* Generalized-α in the form of Arnold and Brüls ([H], Algorithms 4 and 5; docs/theory.md, eq. 28–31):
 * equilibrium at t_{n+1},
 *     Δ = h v_n + h² (½ − β) ā_n + h² β ā_{n+1},   v_{n+1} = v_n + h (1 − γ) ā_n + h γ ā_{n+1},
 *     (1 − α_m) ā_{n+1} + α_m ā_n = (1 − α_f) a_{n+1} + α_f a_n.
 * On the group q_{n+1} = q_n ⊕ Δ. Chung and Hulbert's parameters by ρ∞. Newmark's method (α_m = α_f = 0) and
 * HHT (α_m = 0, α_f = −α) are rows of the same family (newmark.c).
 *
 * Variable steps: ā_n stands for the acceleration at t_n + δh, δ = α_m − α_f, and is carried along when h
 * changes, ā_n += δ (h − h_n) ȧ_n. The local error, from ā = a + δ h ȧ + κ h² ä, κ = δ (α_m − ½):
 *     e_q = (1/6 − β − δ/2) h³ ȧ,
 *     e_v = (½ − γ − δ) h² ȧ + (1/6 − κ − γ (½ + δ)) h³ ä. */
#include <math.h>
#include <string.h>

#include "integrator/error_norm.h"
#include "integrator/own.h"
#include "integrator/structural/alpha.h"
#include "integrator/multistep/lms.h"
#include "integrator/passes.h"
#include "integrator/stage/recurrence.h"
#include "integrator/explicit/rk.h"
#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "integrator/step_size.h"
#include "integrator/tuning.h"

typedef struct Alpha {
    vgArena arena;
    vgStage stage;
    vgAlphaCoef c;
    double k[3]; /* ā_{n+1} = k₀ a_n − k₁ ā_n + k₂ a_{n+1} */
    double *dhat, *vhat, *abar, *next, *e_q, *e_v;
    double *w, *z; /* index 2: first guesses of the stage's correction */
    int foretold;  /* next is what the recurrence says of this step */
} Alpha;

/* The parameters that all rows share, counted from the end. */
static double shared(const vgIntegrator *it, int which)
{
    return it->param[it->row->nparam - 3 + which];
}
enum { S_TANGENT, S_START, S_PREDICTOR };

/* Where the next step is guessed to lead: along the accelerations, nowhere, or on by its recurrence. */
enum { FROM_ZERO = -2 }; /* of the option `predictor` */
enum { GUESS_ALONG, GUESS_STAY, GUESS_RECUR };

/* History: ā_n; a and λ one and two steps ago; how many of them; the last two step sizes; the better guess of
 * the last step; its recurrence, kept where Newton's iteration has trouble; at index 2 the corrections
 * w, z of the last three steps. */
typedef struct Past {
    double *abar, *a1, *a2, *w[3], *z[3], *l1, *l2, *known, *h1, *h2, *guess, *recurrence;
} Past;

static Past past_of(const vgSystem *sys, const vgState *s, int corrected)
{
    int nv = vg_whole(sys->nv), nl = vg_whole(sys->nl); /* rows of whole fours */
    Past p = {.abar = s->history};
    p.a1 = p.abar + nv;
    p.a2 = p.a1 + nv;
    p.l1 = p.a2 + nv;
    p.l2 = p.l1 + nl;
    double *corrections = p.l2 + nl;
    for (int k = 0; k < 3; k++) {
        p.w[k] = corrections + k * nv;
        p.z[k] = corrections + 3 * nv + k * nl;
    }
    p.known = corrections + (corrected ? 3 * (nv + nl) : 0);
    p.h1 = p.known + 1;
    p.h2 = p.h1 + 1;
    p.guess = p.h2 + 1;
    p.recurrence = p.guess + 1;
    return p;
}

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Alpha *w = own;
    const vgSystem *sys = it->sys;
    vg_stage_place_affine(&w->stage, sys, a);
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->abar = VG_TAKE(a, double, sys->nv + 1);
    w->next = VG_TAKE(a, double, sys->nv + 1);
    w->w = VG_TAKE(a, double, vg_stage_corrects(sys) ? sys->nv + 1 : 1);
    w->z = VG_TAKE(a, double, vg_stage_corrects(sys) ? sys->nl + 1 : 1);
    w->e_q = VG_TAKE(a, double, it->adaptive ? sys->nv + 1 : 1);
    w->e_v = VG_TAKE(a, double, it->adaptive ? sys->nv + 1 : 1);
}

/* augmented3: vg_stage_settle() uses the stage's own matrix, unless the method is asked for something else. */
static int cleans_itself(const vgSystem *sys)
{
    return sys->nl > 0 && sys->is.settle == VG_SETTLE_TANGENT;
}

/* After a stage: 0 nothing; 1 velocities and accelerations are projected onto the constraints with the stage's own
 * matrix if it can; 2 with a matrix of their own. Systems that are swept may have no matrix of a stage, however often
 * Newton's is updated; steps of bounded cost always have one. */
static int projection(const vgIntegrator *it)
{
    const vgAlphaRow *data = it->row->data;
    const vgSystem *sys = it->sys;
    int wish = it->adaptive ? 2 : data->project >= 0 ? (int)it->param[data->project] : 0;
    if (cleans_itself(sys)) return data->project < 0 || it->adaptive ? 1 : wish;
    if (sys->nl == 0 || !vg_may_project(sys)) return 0;
    int bounded = it->newton_fixed > 0 || it->newton_spread > 0;
    int at_hand = sys->is.saddle && !vg_at_acceleration(sys) && (!sys->ops->sweep.increment || bounded);
    return wish == 1 && !at_hand ? 2 : wish;
}

vgStatus vg_alpha_setup(vgIntegrator *it)
{
    const vgAlphaRow *data = it->row->data;
    vgStatus st = vg_own_new(it, sizeof(Alpha), place);
    if (st != VG_OK) return st;
    Alpha *w = it->own;
    w->c = data->coef(it->param);
    w->k[0] = w->c.af / (1 - w->c.am);
    w->k[1] = w->c.am / (1 - w->c.am);
    w->k[2] = (1 - w->c.af) / (1 - w->c.am);
    if (projection(it) == 2) it->changes = "projects after each step with a matrix in the other's place";
    it->nhistory =
        3 * vg_whole(it->sys->nv) + 2 * vg_whole(it->sys->nl) + 4 + vg_recurrence_size(it->sys->nv);
    if (w->stage.w) it->nhistory += 3 * (vg_whole(it->sys->nv) + vg_whole(it->sys->nl));
    return VG_OK;
}

/* ȧ(t) by differences of accelerations ahead along the motion, at e, 2 e, 3 e: behind the start a law may be another one, and
 * at it the side is not known. */
static vgStatus acceleration_rate(vgIntegrator *it, vgState *s, double eps, double *out)
{
    const vgSystem *sys = it->sys;
    Alpha *w = it->own;
    vgStage *st = &w->stage;
    static const double weight[] = {-2.5, 4, -1.5};
    vg_pass_zero(sys->nv, out);
    for (int k = 0; k < 3; k++) {
        const double e = (k + 1) * eps;
        for (int i = 0; i < sys->nv; i++) {
            st->delta[i] = e * s->v[i] + 0.5 * e * e * s->a[i];
            st->v[i] = s->v[i] + e * s->a[i];
        }
        sys->ops->retract(sys, s->q, st->delta, st->q);
        vgStatus status = sys->ops->accel(sys, it->work, s->t + e, st->q, st->v, st->a, st->lambda);
        if (status != VG_OK) return status;
        vg_pass_add(sys->nv, weight[k] / eps, st->a, out);
    }
    return VG_OK;
}

vgStatus vg_alpha_start(vgIntegrator *it, vgState *s)
{
    Alpha *w = it->own;
    Past p = past_of(it->sys, s, w->stage.w != NULL);
    int nv = it->sys->nv;
    vg_stage_reset(it);
    memcpy(p.abar, s->a, (size_t)nv * sizeof(double));
    *p.known = *p.h1 = *p.h2 = *p.guess = 0;
    vg_recurrence_reset(p.recurrence);
    if (w->stage.w) vg_pass_zero(3 * (vg_whole(nv) + vg_whole(it->sys->nl)), p.w[0]);
    if (shared(it, S_START) > 0 && it->step_hint > 0) {
        double h = it->step_hint;
        vgStatus st = acceleration_rate(it, s, 0.05 * h, w->abar);
        if (st != VG_OK) return st;
        for (int i = 0; i < nv; i++) p.abar[i] += (w->c.am - w->c.af) * h * w->abar[i];
    }
    return VG_OK;
}

/* Weights of the polynomial through the values now, one and two steps ago. */
static void extrapolation(int order, double h, double h1, double h2, double c[3])
{
    double r = order > 0 ? h / h1 : 0, s = order > 1 ? 1 + h2 / h1 : 2; /* equal steps: 3, −3, 1 or 2, −1 */
    c[0] = order == 2 ? (r + 1) * (r + s) / s : order == 1 ? 1 + r : 1;
    c[1] = order == 2 ? -r * (r + s) / (s - 1) : order == 1 ? -r : 0;
    c[2] = order == 2 ? r * (r + 1) / (s * (s - 1)) : 0;
}

VG_PASS static void extrapolate(int n, const double c[3], const double *x, const double *x1, const double *x2,
                                double *out)
{
    double c0 = c[0], c1 = c[1], c2 = c[2];
#define EXTRAPOLATE(N, i)                                                                                    \
    PUT(N, out + (i), c0 * GET(N, x + (i)) + c1 * GET(N, x1 + (i)) + c2 * GET(N, x2 + (i)))
    VG_WHOLE_FOURS(n, EXTRAPOLATE);
}

/* e_q = x (a − a_n),  e_v = y (a − a_n) − z (a_n − a_{n−1}). */
VG_PASS static void errors(int n, double x, double y, double z, const double *a, const double *a0,
                           const double *a1, double *e_q, double *e_v)
{
#define ERRORS(N, i)                                                                                         \
    do {                                                                                                     \
        vgFour now = GET(N, a0 + (i)), d = GET(N, a + (i)) - now;                                            \
        PUT(N, e_q + (i), x * d);                                                                            \
        PUT(N, e_v + (i), y * d - z * (now - GET(N, a1 + (i))));                                             \
    } while (0)
    VG_WHOLE_FOURS(n, ERRORS);
}

/* The error of the step in the stage, and the step to try next: the same unless it pays to change. */
static void estimate(vgIntegrator *it, Alpha *w, const vgState *s, const Past *p, double h, vgStep *x)
{
    const vgStage *st = &w->stage;
    vgAlphaCoef c = w->c;
    double delta = c.am - c.af, kappa = delta * (c.am - 0.5);
    double cq = 1. / 6 - c.beta - delta / 2, cv1 = 0.5 - c.gamma - delta,
           cv = 1. / 6 - kappa - c.gamma * (0.5 + delta);
    int first_order = fabs(cv1) > VG_DIAGONAL_SAME; /* else rounding of the coefficients */
    double ratio = *p->known > 0 ? h / *p->h1 : 0, half = *p->known > 0 ? 2 / (1 + 1 / ratio) : 1;
    double of_da = h * (cv1 + cv * half), before = *p->known > 0 ? h * cv * half * ratio : 0;
    errors(it->sys->nv, h * h * cq, of_da, before, st->a, s->a, p->a1, w->e_q, w->e_v);
    vg_error_of_map(it->sys, h, st->delta, st->q, st->v, st->d, w->e_q);
    vg_step_error(x, vg_error_norm(it, st->q, s, st->v, w->e_q, w->e_v));
    it->error_power = first_order ? 2 : 3;
    x->next = vg_step_kept(it, x, h, it->error_power, 2);
}

VG_PASS static void renew(const vgSystem *sys, const vgStage *st, vgState *s, Past *p, const double k[3])
{
    double *abar = p->abar, *a1 = p->a1, *a2 = p->a2, *a = s->a, *v = s->v, *l1 = p->l1, *l2 = p->l2,
           *lambda = s->lambda;
    const double *a_new = st->a, *v_new = st->v, *l_new = st->lambda, k0 = k[0], k1 = k[1], k2 = k[2];
#define COMMIT(N, i)                                                                                         \
    do {                                                                                                     \
        vgFour before = GET(N, a + (i)), now = GET(N, a_new + (i));                                          \
        PUT(N, a2 + (i), GET(N, a1 + (i)));                                                                  \
        PUT(N, a1 + (i), before);                                                                            \
        PUT(N, abar + (i), k0 * before - k1 * GET(N, abar + (i)) + k2 * now);                                \
        PUT(N, a + (i), now);                                                                                \
        PUT(N, v + (i), GET(N, v_new + (i)));                                                                \
    } while (0)
    VG_WHOLE_FOURS(sys->nv, COMMIT);
#define MULTIPLIERS(N, i)                                                                                    \
    do {                                                                                                     \
        PUT(N, l2 + (i), GET(N, l1 + (i)));                                                                  \
        PUT(N, l1 + (i), GET(N, lambda + (i)));                                                              \
        PUT(N, lambda + (i), GET(N, l_new + (i)));                                                           \
    } while (0)
    VG_WHOLE_FOURS(sys->nl, MULTIPLIERS);
}

/* Index 2: w of the stage to come by those of the steps before, and Δ with it, so that the velocities of the
 * first guess are those of the guessed accelerations. */
static void guess_correction(Alpha *w, const vgSystem *sys, const Past *p, const double x[3], vgStageSpec *sp)
{
    extrapolate(sys->nv, x, p->w[0], p->w[1], p->w[2], w->w);
    extrapolate(sys->nl, x, p->z[0], p->z[1], p->z[2], w->z);
    vg_pass_add(sys->nv, 1 / sp->cv, w->w, w->stage.delta);
    sp->w0 = w->w;
    sp->z0 = w->z;
}

static void keep_correction(const vgSystem *sys, const vgStage *st, const Past *p)
{
    memmove(p->w[1], p->w[0], 2 * (size_t)vg_whole(sys->nv) * sizeof *p->w[0]);
    memmove(p->z[1], p->z[0], 2 * (size_t)vg_whole(sys->nl) * sizeof *p->z[0]);
    memcpy(p->w[0], st->w, (size_t)sys->nv * sizeof *p->w[0]);
    memcpy(p->z[0], st->z, (size_t)sys->nl * sizeof *p->z[0]);
}

static void commit(const vgSystem *sys, const vgStage *st, vgState *s, Past *p, double h, const double k[3])
{
    renew(sys, st, s, p, k);
    if (*p->known < 2) *p->known += 1;
    *p->h2 = *p->h1;
    *p->h1 = h;
    vg_pass_copy(sys->nq, st->q, s->q);
    s->t += h;
}

/* Sizes of the way of a step and of what the accelerations guessed for it were off. */
VG_PASS static void way_and_off(int n, const vgStage *st, const vgState *s, const Past *p, const double x[3],
                                double *way, double *off)
{
    const double *delta = st->delta, *now = st->a, *a = s->a, *a1 = p->a1, *a2 = p->a2, *unit = st->unit,
                 x0 = x[0], x1 = x[1], x2 = x[2];
    vgFour ways = {0}, offs = {0};
#define OFF(N, i)                                                                                            \
    do {                                                                                                     \
        vgFour guess = x0 * GET(N, a + (i)) + x1 * GET(N, a1 + (i)) + x2 * GET(N, a2 + (i)),                 \
               u = GET(N, unit + (i)), y = VG_SIZE_OF(GET(N, delta + (i))) * u,                              \
               z = GET(N, now + (i)) - guess;                                                                \
        z = VG_SIZE_OF(z) * u;                                                                               \
        ways = VG_LARGER(y, ways);                                                                           \
        offs = VG_LARGER(z, offs);                                                                           \
    } while (0)
    VG_WHOLE_FOURS(n, OFF);
    *way = VG_LARGEST(ways);
    *off = VG_LARGEST(offs);
}

/* The guess that would have been best for the step just taken. To stay is, where vibrations are much faster
 * than the steps: the rule turns them into a zigzag about the equilibrium, and the error of the extrapolated
 * accelerations is worse than that. Better still may be the recurrence, which is kept (*keep) from a step on
 * that took three iterations or stayed, as long as it does better. */
static int best_guess(const vgSystem *sys, Alpha *w, const vgState *s, const Past *p, const double x[3],
                      double ca, int *keep)
{
    const vgStage *st = &w->stage;
    double way, along;
    way_and_off(sys->nv, st, s, p, x, &way, &along);
    along /= ca;
    int best = way < along ? GUESS_STAY : GUESS_ALONG;
    /* what a fixed number of iterations leaves would be foretold, too, and grow */
    *keep = st->it->newton_fixed == 0 &&
            (best == GUESS_STAY || *p->guess == GUESS_RECUR || st->last_iterations > 2);
    if (!*keep || !(w->foretold || vg_recurrence_predict(p->recurrence, sys->nv, w->next))) return best;
    vg_pass_difference(sys->nv, 1, st->delta, w->next, w->next);
    return vg_rows_largest(sys->nv, w->next, st->unit) < 0.5 * fmin(way, along) ? GUESS_RECUR : best;
}

/* For steps of one size. */
static void keep_recurrence(const vgSystem *sys, const Alpha *w, const Past *p, double h, int keep)
{
    if (!keep || h != *p->h1) vg_recurrence_reset(p->recurrence);
    if (keep) vg_recurrence_push(p->recurrence, sys->nv, w->stage.delta, sys->v_scale);
}

/* ā_n for the next step. */
static const double *carried(const Alpha *w, const vgState *s, const Past *p, int nv, double h)
{
    double delta = w->c.am - w->c.af;
    if (*p->known < 1 || h == *p->h1 || delta == 0) return p->abar;
    for (int i = 0; i < nv; i++) w->abar[i] = p->abar[i] + delta * (h / *p->h1 - 1) * (s->a[i] - p->a1[i]);
    return w->abar;
}

/* The step's own error e_q by the change of the accelerations. Elements may vibrate faster than the steps
 * resolve, and the accelerations change by more than the motion's error: with them only where they follow
 * their parabola (along), 3 (ωh)² being what the first guess is off in units of e_q. */
static double own_error(const vgSystem *sys, vgAlphaCoef c, double h, int along)
{
    return sys->model->nforce > 0 && !along ? 0 : h * h * fabs(1. / 6 - c.beta - (c.am - c.af) / 2);
}

/* Δ̂, v̂ and the first guess of Δ by extrapolated accelerations; where coordinates are a vector space the state
 * there, too, but for a correction of the velocities the stage's formulas in one pass. */
VG_PASS static void hats(Alpha *w, const vgSystem *sys, const vgState *s, const Past *p, const double *abar,
                         double h, const double x[3], const vgStageSpec *sp)
{
    double h2 = h * h, x0 = x[0], x1 = x[1], x2 = x[2], by_guess = h2 * w->c.beta * w->k[2], cv = sp->cv,
           ca = sp->ca;
    double d_bar = h2 * (0.5 - w->c.beta - w->c.beta * w->k[1]), d_now = h2 * w->c.beta * w->k[0];
    double v_bar = h * (1 - w->c.gamma - w->c.gamma * w->k[1]), v_now = h * w->c.gamma * w->k[0];
    const double *v = s->v, *a = s->a, *a1 = p->a1, *a2 = p->a2, *q0 = s->q;
    double *dhat = w->dhat, *vhat = w->vhat, *delta = w->stage.delta, *q = w->stage.q, *rate = w->stage.v,
           *acc = w->stage.a;
    int placed = w->stage.placed = sys->one_pass && !w->stage.w;
#define HATS(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour speed = GET(N, v + (i)), now = GET(N, a + (i)), bar = GET(N, abar + (i));                     \
        vgFour d = h * speed + d_bar * bar + d_now * now;                                                    \
        vgFour guess = x0 * now + x1 * GET(N, a1 + (i)) + x2 * GET(N, a2 + (i));                             \
        speed = speed + v_bar * bar + v_now * now;                                                           \
        guess = d + by_guess * guess;                                                                        \
        PUT(N, dhat + (i), d);                                                                               \
        PUT(N, vhat + (i), speed);                                                                           \
        PUT(N, delta + (i), guess);                                                                          \
        if (!placed) break;                                                                                  \
        d = guess - d;                                                                                       \
        PUT(N, q + (i), GET(N, q0 + (i)) + guess);                                                           \
        PUT(N, rate + (i), speed + cv * d);                                                                  \
        PUT(N, acc + (i), ca * d);                                                                           \
    } while (0)
    VG_WHOLE_FOURS(sys->nv, HATS);
}

/* Newton's increments end at some 64 roundings of the positions, which move accelerations by ca ~ 4/h² times as
 * much, and multipliers by that times a mass. Where this is beyond LOSS of the multipliers, or of a weight, those of
 * the motion are solved for (index 1). At half of LOSS steps of 3 to 4 µs pay for it, at twice a third digit goes. */
static int loses_digits(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp)
{
    const double LOSS = 1e-3, ENDS_AT = 64 * 4e-16, NEVER = 1e-5;
    const vgSystem *sys = it->sys;
    const vgModel *m = sys->model;
    double far = ENDS_AT * sp->ca, mass = 0;
    if (far < NEVER || sys->nl == 0 || it->newton_mode >= VG_NEWTON_HOLD || it->newton_fixed > 0) return 0;
    if (!vg_may_project(sys) || vg_at_acceleration(sys)) return 0;
    for (int i = 0; i < m->nbody; i++) mass = vg_most(mass, m->body[i].mass);
    double weight = mass * vg_norm3(m->gravity);
    return far * mass * sys->length > LOSS * (vg_rows_largest(sys->nl, st->lambda, NULL) + weight);
}

/* [H] Algorithms 4, 5, lines 1 and 2: Newton's iteration begins with v̇ = 0, λ = 0. */
static void guess_zero(Alpha *w, const vgSystem *sys)
{
    w->stage.placed = 0;
    vg_pass_copy(sys->nv, w->dhat, w->stage.delta);
    vg_pass_zero(sys->nl, w->stage.lambda);
}

/* First guess: unchanged, or extrapolated by the recurrence. */
static void guess_otherwise(Alpha *w, const Past *p, int nv)
{
    w->stage.placed = 0;
    w->foretold = *p->guess == GUESS_RECUR && vg_recurrence_predict(p->recurrence, nv, w->next);
    if (w->foretold)
        vg_pass_copy(nv, w->next, w->stage.delta);
    else
        vg_pass_zero(nv, w->stage.delta);
}

vgStatus vg_alpha_step(vgIntegrator *it, vgState *s, double h, vgStep *got)
{
    Alpha *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    Past p = past_of(sys, s, st->w != NULL);
    vgAlphaCoef c = w->c;
    int nv = sys->nv;
    const double unchanged[3] = {1};
    double h2 = h * h, x[3];
    const double *abar = carried(w, s, &p, nv, h);
    int wanted = (int)shared(it, S_PREDICTOR), known = (int)*p.known;
    int order = wanted < 0 ? 0 : wanted < known ? wanted : known, stay = wanted < 0 || *p.guess > 0;
    extrapolation(order, h, *p.h1, *p.h2, x);
    extrapolate(sys->nl, stay ? unchanged : x, s->lambda, p.l1, p.l2, st->lambda);
    int project = projection(it), itself = cleans_itself(sys), by_tangent = project == 1 && !itself;
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = shared(it, S_TANGENT) > 0 ? VG_STAGE_NEWMARK : VG_STAGE_PLAIN,
                      .cv = c.gamma / (h * c.beta),
                      .ca = 1 / (h2 * c.beta * w->k[2]),
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .own_error = own_error(sys, c, h, !stay && order == 2),
                      .a_old = s->a,
                      .a_older = known > 0 ? p.a1 : NULL,
                      .three_levels = ((const vgAlphaRow *)it->row->data)->three_levels,
                      .matrix_unused = !by_tangent};
    st->closes = sys->nl > 0 && project == 1 && (by_tangent || itself);
    hats(w, sys, s, &p, abar, h, x, &sp);
    w->foretold = 0;
    if (wanted == FROM_ZERO)
        guess_zero(w, sys);
    else if (stay)
        guess_otherwise(w, &p, nv);
    if (st->w && !sp.three_levels && !stay) guess_correction(w, sys, &p, x, &sp);
    vgStatus status = vg_stage_solve(it, st, &sp);
    if (status == VG_NOT_CONVERGED && sp.w0) { /* a guess of the correction far off must not decide */
        sp.w0 = sp.z0 = NULL;
        extrapolate(sys->nl, unchanged, s->lambda, p.l1, p.l2, st->lambda);
        hats(w, sys, s, &p, abar, h, unchanged, &sp);
        status = vg_stage_solve(it, st, &sp);
    }
    int guess = GUESS_ALONG, keep = 0;
    if (status == VG_OK && wanted >= 0 && (stay || st->last_iterations > 1))
        guess = best_guess(sys, w, s, &p, x, sp.ca, &keep);
    if (status == VG_OK && !(itself && project != 1)) status = vg_stage_settle(it, st, s->t + h);
    if (status == VG_OK && by_tangent)
        vg_stage_clean(it, st, s->t + h);
    else if (status == VG_OK && (itself ? project == 2 : project || loses_digits(it, st, &sp)))
        status = vg_stage_consistent(it, st, s->t + h);
    if (status != VG_OK) return status;
    if (it->adaptive) estimate(it, w, s, &p, h, got);
    if (vg_step_refuses(got)) return VG_OK;
    if (abar == w->abar) memcpy(p.abar, abar, (size_t)nv * sizeof(double));
    keep_recurrence(sys, w, &p, h, keep);
    if (st->w) keep_correction(sys, st, &p);
    commit(sys, st, s, &p, h, w->k);
    *p.guess = guess;
    return VG_OK;
}

/* ---- the row ---- */

static vgAlphaCoef chung_hulbert(const double *param)
{
    double rho = param[0], am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 - am + af;
    return (vgAlphaCoef){am, af, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma};
}

static const vgParamSpec params[] = {
    {"rho", 0.9, 0, 1, "spectral radius at infinity ρ∞"},
    VG_ALPHA_PARAMS,
};
static const vgAlphaRow alpha_row = {chung_hulbert, -1, 0};

const vgIntegratorRow vg_generalized_alpha = {
    .name = "generalized-alpha",
    .family = "structural",
    .title = "Generalized-α (Chung–Hulbert; Arnold–Brüls form on Lie groups)",
    .citation = "Arnold, Brüls 2007; [H] Algorithms 4, 5",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_LEAN,
    .constraints = VG_CON_STAGE,
    .params = params,
    .nparam = sizeof params / sizeof params[0],
    .data = &alpha_row,
    .setup = vg_alpha_setup,
    .start = vg_alpha_start,
    .step = vg_alpha_step,
};
