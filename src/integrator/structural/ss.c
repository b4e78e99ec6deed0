/* SS2, SS3, SS4: rows, and the step with which LMSr may start. On rotations the auxiliary rates are angular velocities
 * that stay as they are in space, [Z] (18)–(20); the neglected terms are of the order of the method's own error. */
#include "integrator/structural/ss.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "integrator/composite/esdirk.h"
#include "integrator/error_norm.h"
#include "integrator/explicit/rk.h"
#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/stage/predictor.h"
#include "integrator/step_size.h"
#include "integrator/tuning.h"

void vg_ss_place(vgSs *w, int r, const vgSystem *sys, vgArena *a)
{
    w->x = VG_TAKE(a, double, vg_ss_size(sys, r) + 3 * sys->nv + 5); /* three vectors behind */
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->guess = VG_TAKE(a, double, sys->nv + 1);
}

/* The local error of y is C h³ y‴: with ẏ = t², y = t³/3, y‴ = 2 and the w^j as they follow each other at steps of 1,
 * w^j = t² + 2 δ_j t + κ_j. From (1 − o) w^j(−1) + o w^j(0) = (1 − γ₀) w^{j−1}(−1) + γ₀ w^{j−1}(0):
 *     κ_j + (1 − o)(1 − 2δ_j) = κ_{j−1} + (1 − γ₀)(1 − 2δ_{j−1});
 * y is then off by 1/3 − [κ_{r−1} + (1 − γ₀)(1 − 2δ_{r−1})] = 2C. */
static double error_constant(const vgSs *w)
{
    double complex kappa = 0, delta = 0;
    for (int j = 0; j < w->r - 1; j++) {
        double complex o = w->odd_re[j] + I * w->odd_im[j], next = w->ahead_re[j] + I * w->ahead_im[j];
        kappa += (1 - w->g0) * (1 - 2 * delta) - (1 - o) * (1 - 2 * next);
        delta = next;
    }
    return (1. / 3 - creal(kappa + (1 - w->g0) * (1 - 2 * delta))) / 2;
}

/* A_j: roots of A − 3/2; A² − 5A/2 + 5/3; A³ − 7A²/2 + 21A/5 − 7/4 — the real one first, so that only the
 * auxiliaries between the conjugates are complex. */
void vg_ss_make(vgSs *w, int r, double rho)
{
    static const double re[3][3] = {
        {1.5}, {1.25, 1.25}, {1.342384094858369131699, 1.078807952570815434150, 1.078807952570815434150}};
    static const double im[3][3] = {{0},
                                    {0.3227486121839514060, -0.3227486121839514060},
                                    {0, 0.3739306454336101226090, -0.3739306454336101226090}};
    double gr = 1, gi = 0, dr = 0, di = 0;
    w->r = r;
    w->g0 = 1 / (1 + rho);
    for (int j = 0; j < r - 1; j++) {
        double o_r = (re[r - 2][j] - (re[r - 2][j] - 1) * rho) / (1 + rho);
        double o_i = im[r - 2][j] * (1 - rho) / (1 + rho), n = o_r * o_r + o_i * o_i;
        double x = w->g0 * (gr * o_r + gi * o_i) / n, y = w->g0 * (gi * o_r - gr * o_i) / n;
        w->odd_re[j] = o_r;
        w->odd_im[j] = o_i;
        dr = w->ahead_re[j] = dr + w->g0 - o_r;
        di = w->ahead_im[j] = di - o_i;
        gr = w->gain_re[j] = x;
        gi = w->gain_im[j] = y;
    }
    w->b0 = w->g0 * gr;
    w->constant = error_constant(w);
}

int vg_ss_size(const vgSystem *sys, int r)
{
    return 4 * (r - 1) * sys->nv;
}

/* w^j of Δ̇ (which = 0) or a (1): real part; the imaginary one follows after nv. */
static double *part(double *aux, int j, int which, int nv)
{
    return aux + (size_t)(4 * j + 2 * which) * (size_t)nv;
}

void vg_ss_begin(const vgSystem *sys, int r, const vgState *s, double *aux)
{
    int nv = sys->nv;
    memset(aux, 0, (size_t)vg_ss_size(sys, r) * sizeof(double));
    for (int j = 0; j < r - 1; j++) {
        memcpy(part(aux, j, 0, nv), s->v, (size_t)nv * sizeof(double));
        memcpy(part(aux, j, 1, nv), s->a, (size_t)nv * sizeof(double));
    }
}

/* hat = h Re[(1 − γ₀) w^{r−1} + γ₀ x^{r−1}], and x^j: what the w^j become without the new rate. */
static void explicit_part(const vgSs *w, double *aux, int which, const double *rate, int nv, double h,
                          double *hat)
{
    double g0 = w->g0;
    for (int i = 0; i < nv; i++) {
        double ur = rate[i], ui = 0, xr = 0, xi = 0, wr = 0;
        for (int j = 0; j < w->r - 1; j++) {
            const double *old = part(aux, j, which, nv);
            double *x = part(w->x, j, which, nv);
            wr = old[i];
            double wi = old[nv + i], o_r = w->odd_re[j], o_i = w->odd_im[j], n = o_r * o_r + o_i * o_i;
            double sr = (1 - g0) * ur + g0 * xr - (1 - o_r) * wr - o_i * wi;
            double si = (1 - g0) * ui + g0 * xi - (1 - o_r) * wi + o_i * wr;
            xr = (sr * o_r + si * o_i) / n;
            xi = (si * o_r - sr * o_i) / n;
            x[i] = xr;
            x[nv + i] = xi;
            ur = wr;
            ui = wi;
        }
        hat[i] = h * ((1 - g0) * wr + g0 * xr);
    }
}

/* w^j += δ_j by ÿ: ÿ is a for the w^j of Δ̇, and the change of a per time for those of a. */
static void carry(const vgSs *w, int nv, double by, const double *a, const double *a_past, double h_past,
                  double *aux)
{
    for (int j = 0; j < w->r - 1; j++)
        for (int which = 0; which < 2; which++) {
            double *x = part(aux, j, which, nv), re = by * w->ahead_re[j], im = by * w->ahead_im[j];
            for (int i = 0; i < nv; i++) {
                double rate = which ? (a[i] - a_past[i]) / h_past : a[i];
                x[i] += re * rate;
                x[nv + i] += im * rate;
            }
        }
}

/* The error by differences of the accelerations, and the step to try next. Of Δ it is C h³ Δ‴; where its rates are not the
 * velocities, (T⁻¹ v − v) ≈ h² Δ‴/2 of it is not in the accelerations. */
static void estimate(vgIntegrator *it, const vgSs *w, const vgState *s, double h, const double *a_past,
                     double h_past, vgStep *x)
{
    const vgStage *st = w->stage;
    int nv = it->sys->nv;
    double *e_q = w->x + vg_ss_size(it->sys, w->r), *e_v = e_q + nv, c = fabs(w->constant) * h * h,
           both = 2 * h / (h + h_past), r = h / h_past;
    for (int i = 0; i < nv; i++) {
        double da = st->a[i] - s->a[i];
        e_q[i] = c * da;
        e_v[i] = c * both / h * (da - r * (s->a[i] - a_past[i]));
    }
    vg_error_of_map(it->sys, 6 * fabs(w->constant) * h, st->delta, st->q, st->v, st->d, e_q);
    vg_step_error(x, vg_filtered_error(it, w->stage, s->t + h, s, e_q, e_v));
    it->error_power = 3;
    x->next = vg_step_kept(it, x, h, 3, VG_GROW_MOST);
}

/* Rates at q_n as rates at q_n ⊕ Δ: of rotations, the same vector in space in the axes of the body, which have turned,
 * exp(−Δ) = T(−Δ)⁻¹ T(Δ); as for the Cayley map. back = −Δ. */
static void in_space(const vgSystem *sys, const vgStage *st, const double *back, const double *rate,
                     double *turned, double *out)
{
    sys->ops->twist(sys, st->delta, st->q, rate, turned);
    sys->ops->rates(sys, back, st->q, turned, out);
}

/* The w^j at the new time: of the old rates carried to the new configuration, and of the new rate. */
static void update(const vgSs *w, const vgSystem *sys, double *aux)
{
    const vgStage *st = w->stage;
    int nv = sys->nv;
    double *back = w->x + vg_ss_size(sys, w->r), *turned = back + nv,
           *rate_q = turned + nv; /* e_q, e_v are done */
    for (int i = 0; i < nv; i++) back[i] = -st->delta[i];
    if (sys->vector_space)
        memcpy(rate_q, st->delta_dot, (size_t)nv * sizeof(double));
    else
        sys->ops->twist(sys, st->delta, st->q, st->delta_dot, rate_q);
    for (int j = 0; j < w->r - 1; j++)
        for (int which = 0; which < 2; which++) {
            const double *rate = which ? st->a : rate_q;
            double *x = part(w->x, j, which, nv), *to = part(aux, j, which, nv);
            if (which || sys->vector_space) {
                memcpy(to, x, 2 * (size_t)nv * sizeof(double));
            } else {
                in_space(sys, st, back, x, turned, to);
                in_space(sys, st, back, x + nv, turned, to + nv);
            }
            for (int i = 0; i < nv; i++) {
                to[i] += w->gain_re[j] * rate[i];
                to[nv + i] += w->gain_im[j] * rate[i];
            }
        }
}

vgStatus vg_ss_step(vgIntegrator *it, vgSs *w, vgState *s, double *aux, double h, int predictor,
                    const double *past, double h_past, vgStep *x)
{
    const vgSystem *sys = it->sys;
    int nv = sys->nv;
    explicit_part(w, aux, 0, s->v, nv, h, w->dhat);
    explicit_part(w, aux, 1, s->a, nv, h, w->vhat);
    for (int i = 0; i < nv; i++) w->vhat[i] += s->v[i];
    double cv = 1 / (h * w->b0);
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = cv,
                      .ca = cv * cv,
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .matrix_unused = !it->adaptive};
    const double *y[2] = {s->v, past}, *y_dot[2] = {s->a, past ? past + nv : NULL};
    vgPredictor p;
    vg_predictor_make(predictor, h, (double[]){0, -h_past}, past ? 2 : 1, &p);
    vg_predictor_apply(&p, y, y_dot, nv, 1 / cv, w->vhat, w->stage->v);
    vg_predict_by_velocity(sys, w->stage, &sp, w->stage->v);
    memcpy(w->stage->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    vgStatus status = vg_stage_solve(it, w->stage, &sp);
    if (status != VG_OK) return status;
    if (it->adaptive && past) estimate(it, w, s, h, past + nv, h_past, x);
    if (vg_step_refuses(x)) return VG_OK;
    status = vg_stage_to_state(it, w->stage, h, s);
    if (status == VG_OK) update(w, sys, aux);
    return status;
}

/* ---- the methods of the list ---- */

enum { P_PREDICTOR, P_RHO, NPARAM };
static const vgParamSpec params[NPARAM] = {
    {"predictor", 2, 0, 2, "first guess: 0 constant as in [Z], 2 second order"},
    {"rho", 0.6, 0, 1, "spectral radius at infinity ρ∞"},
};
static const vgParamSpec params_below_1[NPARAM] = {
    {"predictor", 2, 0, 2, "first guess: 0 constant as in [Z], 2 second order"},
    {"rho", 0.6, 0, 0.99, "spectral radius at infinity ρ∞ (not zero-stable at 1)"},
};

typedef struct Own {
    vgArena arena;
    vgStage stage;
    vgSs ss;
    vgDirk dirk; /* the first step under error control */
    vgBefore before;
    int predictor;
    double *kept; /* the auxiliaries before a step */
} Own;

static int steps_of(const vgIntegrator *it)
{
    return *(const int *)it->row->data;
}

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Own *w = own;
    vg_stage_place(&w->stage, it->sys, a);
    vg_ss_place(&w->ss, steps_of(it), it->sys, a);
    vg_before_place(&w->before, it->sys, a);
    if (it->adaptive) vg_dirk_place(&w->dirk, it->sys, a);
    w->kept = VG_TAKE(a, double, vg_ss_size(it->sys, steps_of(it)) + 1);
}

static vgStatus set_up(vgIntegrator *it, double rho, int predictor)
{
    int r = steps_of(it);
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->ss.stage = w->dirk.stage = &w->stage;
    w->dirk.predictor = 2;
    w->predictor = predictor;
    if (it->adaptive) vg_dirk_325(0, &w->dirk.tb); /* has an estimate, and its stages lie within the step */
    vg_ss_make(&w->ss, r, rho);
    vg_newton_for_control(it);
    /* the step before (0: unknown), v and a before it, auxiliaries */
    it->nhistory = 1 + 2 * it->sys->nv + vg_ss_size(it->sys, r);
    return VG_OK;
}

static vgStatus setup(vgIntegrator *it)
{
    return set_up(it, it->param[P_RHO], (int)it->param[P_PREDICTOR]);
}

static double *auxiliaries(const vgIntegrator *it, const vgState *s)
{
    return s->history + 1 + 2 * it->sys->nv;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Own *w = it->own;
    vg_stage_reset(it);
    s->history[0] = 0;
    vg_ss_begin(it->sys, w->ss.r, s, auxiliaries(it, s));
    return VG_OK;
}

/* The first step under error control, by a method that knows its error; the auxiliaries follow from both its ends. */
static vgStatus first_step(vgIntegrator *it, Own *w, vgState *s, double h, vgStep *x)
{
    double t = s->t;
    vgStatus status = vg_dirk_step(it, &w->dirk, s, h, NULL, 0, x);
    x->next = status == VG_OK && !vg_step_refuses(x) ? h : h * vg_step_clip(it, 0, VG_REJECTED_LEAST, 1);
    if (status != VG_OK || s->t == t) return status;
    vg_ss_begin(it->sys, w->ss.r, s, auxiliaries(it, s));
    carry(&w->ss, it->sys->nv, h, s->a, w->before.a, h, auxiliaries(it, s));
    return VG_OK;
}

/* Auxiliaries carried from the step before to this one. */
static void change_step(const vgIntegrator *it, const Own *w, const vgState *s, double h)
{
    const double *past = s->history + 1;
    carry(&w->ss, it->sys->nv, h - s->history[0], s->a, past + it->sys->nv, s->history[0],
          auxiliaries(it, s));
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Own *w = it->own;
    size_t nv = (size_t)it->sys->nv, size = (size_t)vg_ss_size(it->sys, w->ss.r) * sizeof(double);
    double *past = s->history + 1, *aux = auxiliaries(it, s), h_past = s->history[0], t = s->t;
    int changes = h_past > 0 && fabs(h - h_past) > VG_STEP_SAME * h;
    vgStatus status;
    vg_before_keep(&w->before, it->sys, s);
    if (it->adaptive && h_past == 0) {
        status = first_step(it, w, s, h, x);
    } else {
        if (changes) {
            memcpy(w->kept, aux, size);
            change_step(it, w, s, h);
        }
        status = vg_ss_step(it, &w->ss, s, aux, h, w->predictor, h_past > 0 ? past : NULL, h_past, x);
        if (changes && s->t == t) memcpy(aux, w->kept, size); /* failed or refused */
    }
    if (status != VG_OK || s->t == t) return status;
    memcpy(past, w->before.v, nv * sizeof(double));
    memcpy(past + nv, w->before.a, nv * sizeof(double));
    s->history[0] = h;
    return VG_OK;
}

vgStatus vg_ss_controlled_setup(vgIntegrator *it, double rho, int predictor)
{
    it->as = &vg_ss_controlled;
    return set_up(it, rho, predictor);
}

const vgIntegratorRow vg_ss_controlled = {.name = "ss", .start = start, .step = step};

#define SS_ROW(id, r, params_)                                                                               \
    static const int steps_##r = r;                                                                          \
    const vgIntegratorRow id = {.name = "ss" #r,                                                             \
                                .family = "single step",                                                     \
                                .title = "SS" #r ": the single-step form of LMS" #r,                         \
                                .citation = "[Z] section 2.2",                                               \
                                .order = 2,                                                                  \
                                .stages = 1,                                                                 \
                                .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE,                 \
                                .constraints = VG_CON_STAGE,                                                 \
                                .params = params_,                                                           \
                                .nparam = NPARAM,                                                            \
                                .data = &steps_##r,                                                          \
                                .setup = setup,                                                              \
                                .start = start,                                                              \
                                .step = step}

SS_ROW(vg_ss2, 2, params);
SS_ROW(vg_ss3, 3, params_below_1);
SS_ROW(vg_ss4, 4, params_below_1);
