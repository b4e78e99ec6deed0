/* The stabilised index-2 methods of [N] as printed.
 *   nstiff-si2   backward differences of order 2, [N] (9), (10):
 *       q̇_{n+1} = v_{n+1} + Bᵀμ in the differences of the positions, Φ = 0, B v + Φ_t = 0
 *   hht-si2      HHT-α, [N] (12), (13):
 *       q_{n+1} = q_n ⊕ Δ,  Δ = h v_n + h²/2 ((1 − 2β) a_n + 2β a_{n+1}) + (h²/2) ā,   M ā = Bᵀμ
 *       v_{n+1} = v_n + h ((1 − γ) a_n + γ a_{n+1})
 *       1/(1+α) M a_{n+1} + (Bᵀλ − f)_{n+1} − α/(1+α) (Bᵀλ − f)_n = 0
 * with α ∈ [−0.3, 0], γ = ½ − α, β = (1 − α)²/4. The stage's correction w (stage.h) is h Bᵀμ/b or c_v (h²/2) ā, in the
 * metric of each (metric.h).
 *
 * [N] takes M in all of (13) at M̄ = M(t_n + (1 + α)h, q_n ⊕ (1 + α)h v_n): mass = 1. By default the third equation is
 * taken in the form of generalized-α (alpha.c): with the accelerations v̇ of the equations of motion at both ends,
 * M v̇ + Bᵀλ = f, it says a_{n+1} = (1 + α) v̇_{n+1} − α v̇_n, the same for a constant mass matrix. Each v̇ has the matrix of
 * its own time, and so has ā.
 *
 * The same formulas with the correction in the directions of the stage's own matrix, which is at hand and cheaper,
 * are `bdf2` and `hht` with constraints `index2`. */
#include <string.h>

#include "integrator/explicit/rk.h"
#include "integrator/own.h"
#include "integrator/stage/metric.h"
#include "integrator/structural/alpha.h"

enum { P_ALPHA, P_MASS };
static const vgParamSpec hht_params[] = {
    {"alpha", -0.3, -1.0 / 3, 0, "numerical damping: 0 none (trapezoidal), −0.3 strong"},
    {"mass", 0, 0, 1,
     "mass matrix of [N] (13): 0 at each end of the step its own; 1 M̄ of t_n + (1 + α)h, as printed (an M "
     "that can be inverted, fixed steps)"},
    VG_ALPHA_PARAMS,
};

/* ---- (12), (13) with M̄ ---- */

typedef struct Printed {
    vgArena arena;
    vgStage stage;
    double alpha, beta, gamma;
    double *dhat, *vhat, *carried, *r0, *ahead, *q;
} Printed;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Printed *w = own;
    const vgSystem *sys = it->sys;
    double **of_v[] = {&w->dhat, &w->vhat, &w->carried, &w->r0, &w->ahead};
    vg_stage_place(&w->stage, sys, a);
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) *of_v[i] = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
}

/* History: a_n in the method's sense; (Bᵀλ − f)_n; the last step (0: none). */
static vgStatus printed_setup(vgIntegrator *it)
{
    if (it->adaptive) {
        vg_fail(it, VG_BAD_INPUT, 0, "integrator 'hht-si2' with mass = 1 takes fixed steps alone");
        return VG_BAD_INPUT;
    }
    vgStatus st = vg_own_new(it, sizeof(Printed), place);
    if (st != VG_OK) return st;
    Printed *w = it->own;
    w->alpha = it->param[P_ALPHA];
    w->beta = 0.25 * (1 - w->alpha) * (1 - w->alpha);
    w->gamma = 0.5 - w->alpha;
    it->nhistory = 2 * it->sys->nv + 1;
    it->changes = "(mass=1) has a mass matrix of its own in every step";
    return vg_metric_new(it, VG_METRIC_GIVEN);
}

static vgStatus printed_start(vgIntegrator *it, vgState *s)
{
    const vgSystem *sys = it->sys;
    const Printed *w = it->own;
    vg_stage_reset(it);
    memcpy(s->history, s->a, (size_t)sys->nv * sizeof(double));
    memset(w->ahead, 0, (size_t)sys->nv * sizeof(double));
    sys->ops->residual(sys, it->work, s->t, s->q, s->v, w->ahead, s->lambda, s->history + sys->nv, NULL);
    s->history[2 * sys->nv] = 0;
    return vg_metric_take_mass(it, s->t, s->q); /* a mass matrix without an inverse is told at once */
}

/* Hats, M̄ and the part of the forces at t_n. a_n stands for t_n + αh with the last h and is carried to the new one. */
static vgStatus printed_begin(vgIntegrator *it, Printed *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    const double *a_n = s->history, *g_n = a_n + sys->nv;
    double last = g_n[sys->nv], ratio = last > 0 ? h / last : 1, al = w->alpha, ahead = (1 + al) * h;
    for (int i = 0; i < sys->nv; i++) {
        w->carried[i] = s->a[i] + ratio * (a_n[i] - s->a[i]);
        w->dhat[i] = h * s->v[i] + h * h * (0.5 - w->beta) * w->carried[i];
        w->vhat[i] = s->v[i] + h * (1 - w->gamma) * w->carried[i];
        w->r0[i] = -al / (1 + al) * g_n[i];
        w->ahead[i] = ahead * s->v[i];
        w->stage.delta[i] = w->dhat[i] + h * h * w->beta * w->carried[i];
    }
    memcpy(w->stage.lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    sys->ops->retract(sys, s->q, w->ahead, w->q);
    return vg_metric_take_mass(it, s->t + ahead, w->q);
}

static vgStatus printed_step(vgIntegrator *it, vgState *s, double h)
{
    Printed *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    size_t nv = (size_t)sys->nv;
    vgStatus status = printed_begin(it, w, s, h);
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_NEWMARK,
                      .cv = w->gamma / (h * w->beta),
                      .ca = 1 / (h * h * w->beta),
                      .cm = 1 / (1 + w->alpha),
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .r0 = w->r0};
    if (status == VG_OK) status = vg_stage_solve(it, st, &sp);
    if (status != VG_OK) return status;
    memset(w->ahead, 0, nv * sizeof(double));
    sys->ops->residual(sys, it->work, sp.t, st->q, st->v, w->ahead, st->lambda, w->r0, NULL);
    it->matrix.have = 0;
    status = vg_accel_at(it, sp.t, st->q, st->v, w->carried, st->xl); /* λ is the method's */
    if (status != VG_OK) return status;
    memcpy(s->history, st->a, nv * sizeof(double));
    memcpy(s->history + nv, w->r0, nv * sizeof(double));
    s->history[2 * nv] = h;
    vg_accept(sys, s->t + h, st->q, st->v, w->carried, st->lambda, s);
    return VG_OK;
}

/* ---- the rows ---- */

static int is_printed(const vgIntegrator *it)
{
    return it->param[P_MASS] > 0 && vg_stage_corrects(it->sys);
}

static vgStatus hht_setup(vgIntegrator *it)
{
    if (is_printed(it)) return printed_setup(it);
    vgStatus st = vg_alpha_setup(it);
    return st == VG_OK ? vg_metric_new(it, VG_METRIC_MASS) : st;
}

static vgStatus hht_start(vgIntegrator *it, vgState *s)
{
    return is_printed(it) ? printed_start(it, s) : vg_alpha_start(it, s);
}

static vgStatus hht_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    return is_printed(it) ? printed_step(it, s, h) : vg_alpha_step(it, s, h, x);
}

const vgIntegratorRow vg_hht_si2 = {
    .name = "hht-si2",
    .family = "stabilised index 2",
    .title = "HHT-α, stabilised index 2",
    .citation = "[N] (12), (13); Jay, Negrut 2008",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .rho = {0.5, 1},
    .params = hht_params,
    .nparam = sizeof hht_params / sizeof hht_params[0],
    .data = &vg_hht_data,
    .setup = hht_setup,
    .start = hht_start,
    .step = hht_step,
};

/* nstiff-si2: the differences are those of bdf2, to which the calls go. */
extern const vgIntegratorRow vg_bdf2;

static vgStatus nstiff_setup(vgIntegrator *it)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    for (int i = 0; i < it->row->nparam; i++) it->param[i] = it->row->params[i].fallback;
    vgStatus st = it->row->setup(it);
    it->row = self;
    return st == VG_OK ? vg_metric_new(it, VG_METRIC_UNIT) : st;
}

static vgStatus nstiff_start(vgIntegrator *it, vgState *s)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    vgStatus st = it->row->start(it, s);
    it->row = self;
    return st;
}

static vgStatus nstiff_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    vgStatus st = it->row->step(it, s, h, x);
    it->row = self;
    return st;
}

const vgIntegratorRow vg_nstiff_si2 = {
    .name = "nstiff-si2",
    .family = "stabilised index 2",
    .title = "backward differences of order 2, stabilised index 2",
    .citation = "[N] (9), (10); Gear, Gupta, Leimkuhler 1985",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_LSTABLE | VG_INT_MULTISTEP | VG_INT_ESTIMATE,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .setup = nstiff_setup,
    .start = nstiff_start,
    .step = nstiff_step,
};
