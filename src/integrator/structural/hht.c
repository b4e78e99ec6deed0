/* HHT-I3 of [N] (8), all forces weighted, those of inertia with them:
 *     (M q̈ + Bᵀλ − f)_{n+1} − α/(1+α) (M q̈ + Bᵀλ − f)_n = 0,   Φ(q_{n+1}, t_{n+1}) = 0
 * with Newmark's formulas in a, γ = ½ − α, β = (1 − α)²/4, where a_{n+1} = (1 + α) q̈_{n+1} − α q̈_n stands for the
 * acceleration at t_n + (1 + α) h. The equations hold at the start, so that what is left is equilibrium at t_{n+1}, as in
 * the row `hht`.
 *
 * [N] prints 1/(1+α) (M a)_{n+1} for the forces of inertia, M at t_{n+1}: mass = 1,
 *     1/(1+α) M a_{n+1} + (Bᵀλ − f)_{n+1} − α/(1+α) (Bᵀλ − f)_n = 0
 * It is the same where M is constant, and of order 1 where it is not (Euler parameters: a rotor of 111 rad/s ended at
 * 74 rad/s). */
#include <string.h>

#include "integrator/own.h"
#include "integrator/multistep/lms.h"

typedef struct Hht {
    vgArena arena;
    vgStage stage;
    int printed;
    double alpha, beta, gamma;
    double *dhat, *vhat, *ahat, *carried, *zero;
} Hht;

static const vgParamSpec params[] = {
    {"alpha", -0.3, -1. / 3, 0, "α: the more negative, the more high frequencies are damped"},
    {"mass", 0, 0, 1,
     "forces of inertia in [N] (8): 0 those of both ends of the step, order 2; 1 M a of the end, as printed: "
     "the same "
     "where the mass matrix is constant, else order 1 (fixed steps)"},
};
enum { P_ALPHA, P_MASS };

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Hht *w = own;
    const vgSystem *sys = it->sys;
    vg_stage_place(&w->stage, sys, a);
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->ahat = VG_TAKE(a, double, sys->nv + 1);
    w->carried = VG_TAKE(a, double, sys->nv + 1);
    w->zero = VG_TAKE(a, double, sys->nv + 1); /* the arena's memory is zero */
}

static vgStatus setup(vgIntegrator *it)
{
    if (it->adaptive && it->param[P_MASS] > 0) {
        vg_fail(it, VG_BAD_INPUT, 0, "integrator 'hht-i3' with mass = 1 takes fixed steps alone");
        return VG_BAD_INPUT;
    }
    vgStatus st = vg_own_new(it, sizeof(Hht), place);
    if (st != VG_OK) return st;
    Hht *w = it->own;
    w->printed = it->param[P_MASS] > 0;
    w->alpha = it->param[P_ALPHA];
    w->beta = 0.25 * (1 - w->alpha) * (1 - w->alpha);
    w->gamma = 0.5 - w->alpha;
    it->nhistory = it->sys->nv + 1; /* a_n in the method's sense; the last step (0: none) */
    return VG_OK;
}

/* Â of the equation as it stands, or r₀ of the printed one, from (Bᵀλ − f)_n. */
static void part_of_start(vgIntegrator *it, Hht *w, const vgState *s)
{
    const double part = w->alpha / (1 + w->alpha);
    const vgSystem *sys = it->sys;
    if (w->printed) sys->ops->residual(sys, it->work, s->t, s->q, s->v, w->zero, s->lambda, w->ahat, NULL);
    for (int i = 0; i < sys->nv; i++) w->ahat[i] = w->printed ? -part * w->ahat[i] : part * s->a[i];
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    vg_stage_reset(it);
    memcpy(s->history, s->a, (size_t)it->sys->nv * sizeof(double));
    s->history[it->sys->nv] = 0;
    return VG_OK;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    (void)x; /* no error estimate */
    Hht *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    double *a_n = s->history, *last = a_n + sys->nv, h2 = h * h, al = w->alpha;
    /* a_n stands for t_n + αh with the last h: carried to the new one by a_n − q̈_n = αh q⃛ */
    double ratio = *last > 0 ? h / *last : 1;
    if (ratio != 1)
        for (int i = 0; i < sys->nv; i++) w->carried[i] = s->a[i] + ratio * (a_n[i] - s->a[i]);
    else
        memcpy(w->carried, a_n, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < sys->nv; i++) {
        w->dhat[i] = h * s->v[i] + h2 * (0.5 - w->beta) * w->carried[i];
        w->vhat[i] = s->v[i] + h * (1 - w->gamma) * w->carried[i];
        st->delta[i] = w->dhat[i] + h2 * w->beta * w->carried[i];
    }
    part_of_start(it, w, s);
    memcpy(st->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_NEWMARK,
                      .cv = w->gamma / (h * w->beta),
                      .ca = 1 / (h2 * w->beta * (w->printed ? 1 : 1 + al)),
                      .cm = w->printed ? 1 / (1 + al) : 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .ahat = w->printed ? NULL : w->ahat,
                      .r0 = w->printed ? w->ahat : NULL};
    vgStatus status = vg_stage_solve(it, st, &sp);
    if (status != VG_OK) return status;
    for (int i = 0; i < sys->nv; i++) { /* a_{n+1} = (1 + α) q̈_{n+1} − α q̈_n */
        double now = w->printed ? (st->a[i] + al * s->a[i]) / (1 + al) : st->a[i];
        a_n[i] = (1 + al) * now - al * s->a[i];
        s->a[i] = now;
    }
    if (it->adaptive && sys->nl > 0) { /* where steps change, all that is carried on must be consistent */
        status = vg_stage_consistent(it, st, s->t + h);
        if (status != VG_OK) return status;
        for (int i = 0; i < sys->nv; i++) {
            a_n[i] += st->a[i] - s->a[i];
            s->a[i] = st->a[i];
        }
    }
    memcpy(s->v, st->v, (size_t)sys->nv * sizeof(double));
    *last = h;
    memcpy(s->q, st->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->lambda, st->lambda, (size_t)sys->nl * sizeof(double));
    s->t += h;
    return VG_OK;
}

const vgIntegratorRow vg_hht_i3 = {
    .name = "hht-i3",
    .family = "index-3 multibody",
    .title = "HHT-I3 of [N]: forces weighted by α",
    .citation = "[N] (8); Negrut, Rampalli, Ottarsson, Sajdak 2007",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_DOUBLING,
    .constraints = VG_CON_INDEX3 | VG_CON_NONE,
    .rho = {0.5, 1},
    .params = params,
    .nparam = 2,
    .setup = setup,
    .start = start,
    .step = step,
};
