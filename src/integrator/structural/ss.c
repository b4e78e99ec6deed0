/* SS2, SS3, SS4: rows, and the step with which LMSr may start. On rotations the auxiliary rates are in the tangent
 * space at q_n and are transported by T(Δ); the neglected terms are of the order of the method's own error. */
#include "integrator/structural/ss.h"

#include <math.h>
#include <string.h>

#include "integrator/multistep/lms.h"
#include "integrator/own.h"
#include "integrator/stage/predictor.h"

void vg_ss_place(vgSs *w, int r, const vgSystem *sys, vgArena *a)
{
    w->x = VG_TAKE(a, double, vg_ss_size(sys, r) + 1);
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->guess = VG_TAKE(a, double, sys->nv + 1);
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
    double gr = 1, gi = 0;
    w->r = r;
    w->g0 = 1 / (1 + rho);
    for (int j = 0; j < r - 1; j++) {
        double o_r = (re[r - 2][j] - (re[r - 2][j] - 1) * rho) / (1 + rho);
        double o_i = im[r - 2][j] * (1 - rho) / (1 + rho), n = o_r * o_r + o_i * o_i;
        double x = w->g0 * (gr * o_r + gi * o_i) / n, y = w->g0 * (gi * o_r - gr * o_i) / n;
        w->odd_re[j] = o_r;
        w->odd_im[j] = o_i;
        gr = w->gain_re[j] = x;
        gi = w->gain_im[j] = y;
    }
    w->b0 = w->g0 * gr;
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

/* The w^j at the new time, the Δ̇ ones carried to the new configuration. */
static void update(const vgSs *w, const vgSystem *sys, double *aux)
{
    int nv = sys->nv;
    for (int j = 0; j < w->r - 1; j++)
        for (int which = 0; which < 2; which++) {
            const double *rate = which ? w->stage->a : w->stage->delta_dot;
            double *x = part(w->x, j, which, nv), *to = part(aux, j, which, nv);
            for (int i = 0; i < nv; i++) {
                x[i] += w->gain_re[j] * rate[i];
                x[nv + i] += w->gain_im[j] * rate[i];
            }
            if (which || sys->vector_space) {
                memcpy(to, x, 2 * (size_t)nv * sizeof(double));
            } else {
                sys->ops->twist(sys, w->stage->delta, w->stage->q, x, to);
                sys->ops->twist(sys, w->stage->delta, w->stage->q, x + nv, to + nv);
            }
        }
}

vgStatus vg_ss_step(vgIntegrator *it, vgSs *w, vgState *s, double *aux, double h, int predictor,
                    const double *past, double h_past)
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
    vgBefore before;
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
}

static vgStatus setup(vgIntegrator *it)
{
    int r = steps_of(it);
    vgStatus st = vg_own_new(it, sizeof(Own), place);
    if (st != VG_OK) return st;
    Own *w = it->own;
    w->ss.stage = &w->stage;
    vg_ss_make(&w->ss, r, it->param[P_RHO]);
    /* the step before (0: unknown), v and a before it, auxiliaries */
    it->nhistory = 1 + 2 * it->sys->nv + vg_ss_size(it->sys, r);
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Own *w = it->own;
    vg_stage_reset(it);
    s->history[0] = 0;
    vg_ss_begin(it->sys, w->ss.r, s, s->history + 1 + 2 * it->sys->nv);
    return VG_OK;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    (void)x; /* no error estimate */
    Own *w = it->own;
    size_t nv = (size_t)it->sys->nv;
    double *past = s->history + 1;
    vg_before_keep(&w->before, it->sys, s);
    vgStatus status = vg_ss_step(it, &w->ss, s, past + 2 * nv, h, (int)it->param[P_PREDICTOR],
                                 s->history[0] > 0 ? past : NULL, s->history[0]);
    if (status != VG_OK) return status;
    memcpy(past, w->before.v, nv * sizeof(double));
    memcpy(past + nv, w->before.a, nv * sizeof(double));
    s->history[0] = h;
    return VG_OK;
}

#define SS_ROW(id, r, params_)                                                                               \
    static const int steps_##r = r;                                                                          \
    const vgIntegratorRow id = {.name = "ss" #r,                                                             \
                                .family = "single step",                                                     \
                                .title = "SS" #r ": the single-step form of LMS" #r,                         \
                                .citation = "[Z] section 2.2",                                               \
                                .order = 2,                                                                  \
                                .stages = 1,                                                                 \
                                .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE,                                   \
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
