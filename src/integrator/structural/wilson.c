/* Collocation methods of Hilber and Hughes, [G] (7.37)–(7.42), of which Wilson's θ-method is the one with
 * β = 1/6: equilibrium at t_n + θh with Newmark's formulas over θh,
 *     Δ_θ = θh v_n + (θh)² ((½ − β) a_n + β a_θ),   v_θ = v_n + ½ θh (a_n + a_θ),
 *     a_{n+1} = a_n + (a_θ − a_n)/θ,
 * then the same formulas over h. With constraints they hold at t_n + θh; positions and velocities at t_{n+1}
 * are projected onto them, accelerations across them and multipliers solved for there. */
#include <string.h>

#include "integrator/own.h"
#include "integrator/explicit/rk.h"
#include "integrator/stage/fine.h"

typedef struct Colloc {
    vgArena arena;
    vgStage stage;
    double theta, beta;
    double *dhat, *vhat, *delta, *q, *v, *a, *a_there, *lambda, *kept;
} Colloc;

enum { P_THETA, P_BETA };

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Colloc *w = own;
    const vgSystem *sys = it->sys;
    vg_stage_place(&w->stage, sys, a);
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->delta = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, sys->nv + 1);
    w->a = VG_TAKE(a, double, sys->nv + 1);
    w->a_there = VG_TAKE(a, double, sys->nv + 1);
    w->lambda = VG_TAKE(a, double, sys->nl + 1);
    w->kept = VG_TAKE(a, double, 3 * vg_whole(sys->nv) + vg_whole(sys->nl) + 1);
}

static vgStatus setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Colloc), place);
    if (st != VG_OK) return st;
    Colloc *w = it->own;
    w->theta = it->param[P_THETA];
    w->beta = it->row->nparam > P_BETA ? it->param[P_BETA] : 1. / 6;
    it->nhistory = VG_STAGE_LEARNED; /* how the stage converged */
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    memset(s->history, 0, VG_STAGE_LEARNED * sizeof(double));
    vg_stage_reset(it);
    return VG_OK;
}

/* The accelerations at the end of the step remain the method's own along the constraints: replacing them by those
 * of the forces at q_{n+1} would be another method, unstable for vibrations faster than the steps. Normal to the
 * constraints they are those that the constraints require:
 *
 *     a ← a* + P (a − a*),   M a* + Bᵀλ = f,   B a* + γ = 0
 *
 * P is the projection onto B x = 0 with the least change in the mass metric; it is the difference of the
 * projections of v and of v + a − a*. */
static vgStatus accelerations(vgIntegrator *it, Colloc *w, double t)
{
    const vgSystem *sys = it->sys;
    double *v = w->dhat, *more = w->vhat;
    vgStatus st = vg_accel_at(it, t, w->q, w->v, w->a_there, w->lambda);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) {
        v[i] = w->v[i];
        more[i] = w->v[i] + (w->a[i] - w->a_there[i]);
    }
    st = sys->ops->project_v(sys, it->work, t, w->q, v);
    if (st == VG_OK) st = sys->ops->project_v(sys, it->work, t, w->q, more);
    for (int i = 0; i < sys->nv; i++) w->a[i] = w->a_there[i] + (more[i] - v[i]);
    if (st != VG_OK)
        vg_fail_equation(it, st, t, it->work->bad_row, "the projection of the accelerations failed");
    return st;
}

/* On the constraints at the end of the step. */
static vgStatus close_step(vgIntegrator *it, Colloc *w, double t)
{
    it->matrix.have = 0; /* the projections use the matrix */
    vgStatus st = vg_settle_result(it, t, w->q, w->v);
    return st == VG_OK ? accelerations(it, w, t) : st;
}

/* Where velocities are put on the constraints with the stage's own matrix (augmented3), one iteration leaves four times
 * what the step itself is off by: it is to leave nothing but a part of that. The accelerations are those of a line from t_n
 * through t_n + θh, so that v is off by h³ä (1/12 + (θ − 1)/4). */
static void solve_finely(const vgIntegrator *it, const Colloc *w, vgState *s, double theta, vgStageSpec *sp)
{
    if (it->sys->is.settle != VG_SETTLE_TANGENT || !vg_fine_is_wanted(it, 3)) return;
    sp->fine = vg_fine_part(1. / 12 + (theta - 1) / 4, theta, 2);
    sp->order = 2;
    sp->a_begin = s->a;
    sp->learned = s->history;
    sp->kept = w->kept;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Colloc *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    /* equilibrium behind a corner of a law of time would be that of other laws: there the trapezoidal rule */
    int beyond = s->t + w->theta * h > x->corner;
    double theta = beyond ? 1 : w->theta, beta = beyond ? 0.25 : w->beta, th = theta * h, th2 = th * th;
    for (int i = 0; i < sys->nv; i++) {
        w->dhat[i] = th * s->v[i] + th2 * (0.5 - beta) * s->a[i];
        w->vhat[i] = s->v[i] + 0.5 * th * s->a[i];
        st->delta[i] = w->dhat[i] + th2 * beta * s->a[i];
    }
    memcpy(st->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    vgStageSpec sp = {.t = s->t + th,
                      .q_r = s->q,
                      .map = VG_STAGE_NEWMARK,
                      .cv = 0.5 / (th * beta),
                      .ca = 1 / (th2 * beta),
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    solve_finely(it, w, s, theta, &sp);
    vgStatus status = vg_stage_solve(it, st, &sp);
    if (status != VG_OK) return status;
    for (int i = 0; i < sys->nv; i++) {
        w->a[i] = s->a[i] + (st->a[i] - s->a[i]) / theta;
        w->delta[i] = h * s->v[i] + h * h * ((0.5 - beta) * s->a[i] + beta * w->a[i]);
        w->v[i] = s->v[i] + 0.5 * h * (s->a[i] + w->a[i]);
    }
    sys->ops->retract(sys, s->q, w->delta, w->q);
    if (sys->nl > 0) status = close_step(it, w, s->t + h);
    if (status != VG_OK) return status;
    vg_accept(sys, s->t + h, w->q, w->v, w->a, w->lambda, s);
    return VG_OK;
}

static const vgParamSpec wilson_params[] = {
    {"theta", 1.42, 1, 3, "θ: equilibrium at t + θh; unconditionally stable from 1.37 on"},
};
const vgIntegratorRow vg_wilson_theta = {
    .name = "wilson-theta",
    .family = "structural",
    .title = "Wilson-θ",
    .citation = "Wilson 1968; [G] (7.37)–(7.39)",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_DOUBLING | VG_INT_PROJECTS,
    .constraints = VG_CON_STAGE,
    .rho = {0.52, 1},
    .params = wilson_params,
    .nparam = 1,
    .setup = setup,
    .start = start,
    .step = step,
};

static const vgParamSpec collocation_params[] = {
    {"theta", 1.287301, 1, 3, "θ: equilibrium at t + θh"},
    {"beta", 0.18, 0.15, 0.5,
     "β of Newmark's formulas; unconditionally stable for θ/(2(θ+1)) ≥ β ≥ (2θ²−1)/(4(2θ³−1))"},
};
const vgIntegratorRow vg_collocation = {
    .name = "collocation",
    .family = "structural",
    .title = "Collocation of Hilber and Hughes",
    .citation = "Hilber, Hughes 1978; [G] (7.40)–(7.42)",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_DOUBLING | VG_INT_PROJECTS,
    .constraints = VG_CON_STAGE,
    .rough = VG_CON_INDEX3 | VG_CON_AUGMENTED3,
    .rho = {0.52, 1},
    .params = collocation_params,
    .nparam = 2,
    .setup = setup,
    .start = start,
    .step = step,
};
