/* Generalized-α in the form of Arnold and Brüls ([H], Algorithms 4 and 5; docs/theory.md, eq. 28–31):
 * equilibrium at t_{n+1},
 *     Δ = h v_n + h² (½ − β) ā_n + h² β ā_{n+1},   v_{n+1} = v_n + h (1 − γ) ā_n + h γ ā_{n+1},
 *     (1 − α_m) ā_{n+1} + α_m ā_n = (1 − α_f) a_{n+1} + α_f a_n.
 * On the group q_{n+1} = q_n ⊕ Δ. Chung and Hulbert's parameters by ρ∞. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/stage.h"

typedef struct Alpha {
    vgArena arena;
    vgStage stage;
    double am, af, beta, gamma;
    double *dhat, *vhat, *abar, *pred;
    double last_h;
} Alpha;

enum { P_RHO, P_TANGENT, P_START, P_PREDICTOR, NPARAM };
static const vgParamSpec params[] = {
    {"rho", 0.9, 0, 1, "spectral radius at infinity ρ∞"},
    {"tangent", 1, 0, 1, "1: T(Δ) in the iteration matrix, 0: neglected as in [H] (42)"},
    {"start", 0, 0, 1, "0: ā₀ = a₀; 1: optimal start, ā₀ = a₀ + (α_m − α_f) h ȧ₀"},
    {"predictor", 2, 0, 2, "extrapolation of the accelerations: 0 constant, 1 linear, 2 quadratic"},
};

static void place(Alpha *w, const vgSystem *sys, vgArena *a)
{
    vg_stage_place(&w->stage, sys, a);
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->abar = VG_TAKE(a, double, sys->nv + 1);
    w->pred = VG_TAKE(a, double, sys->nv + 1);
}

static void free_own(void *own)
{
    Alpha *w = own;
    vg_arena_free(&w->arena);
    free(w);
}

static vgStatus setup(vgIntegrator *it)
{
    Alpha *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    it->own = w;
    it->free_own = free_own;
    vgArena measure = {0};
    place(w, it->sys, &measure);
    vgStatus st = vg_arena_alloc(&w->arena, measure.used);
    if (st != VG_OK) return st;
    place(w, it->sys, &w->arena);
    double rho = it->param[P_RHO];
    w->am = (2 * rho - 1) / (rho + 1);
    w->af = rho / (rho + 1);
    w->gamma = 0.5 - w->am + w->af;
    w->beta = 0.25 * (w->gamma + 0.5) * (w->gamma + 0.5);
    it->nhistory = 3 * it->sys->nv + 2 * it->sys->nl + 1; /* ā_n; a and λ one and two steps ago; how many */
    return VG_OK;
}

/* ȧ(t) by a central difference of accelerations along the motion, one midpoint step each way. */
static vgStatus acceleration_rate(vgIntegrator *it, vgState *s, double eps, double *out)
{
    const vgSystem *sys = it->sys;
    Alpha *w = it->own;
    vgStage *st = &w->stage;
    for (int side = -1; side <= 1; side += 2) {
        double e = side * eps;
        for (int i = 0; i < sys->nv; i++) {
            st->delta[i] = e * s->v[i] + 0.5 * e * e * s->a[i];
            st->v[i] = s->v[i] + e * s->a[i];
        }
        sys->ops->retract(sys, s->q, st->delta, st->q);
        vgStatus status = sys->ops->accel(sys, it->work, s->t + e, st->q, st->v, st->a, st->lambda);
        if (status != VG_OK) return status;
        for (int i = 0; i < sys->nv; i++)
            out[i] = side < 0 ? -st->a[i] / (2 * eps) : out[i] + st->a[i] / (2 * eps);
    }
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Alpha *w = it->own;
    int nv = it->sys->nv;
    vg_stage_reset(&w->stage);
    memcpy(s->history, s->a, (size_t)nv * sizeof(double));
    s->history[it->nhistory - 1] = 0;
    if (it->param[P_START] > 0 && it->step_hint > 0) {
        double h = it->step_hint;
        vgStatus st = acceleration_rate(it, s, 0.05 * h, w->pred);
        if (st != VG_OK) return st;
        for (int i = 0; i < nv; i++) s->history[i] += (w->am - w->af) * h * w->pred[i];
    }
    return VG_OK;
}

/* First guess of accelerations or multipliers from the values one and two steps ago. */
static void extrapolate(const double *x, const double *x1, const double *x2, int n, int order, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = order == 2 ? 3 * (x[i] - x1[i]) + x2[i] : order == 1 ? 2 * x[i] - x1[i] : x[i];
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, double *err)
{
    Alpha *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    int nv = sys->nv;
    double *abar = s->history, h2 = h * h, *a1 = abar + nv, *a2 = a1 + nv, *l1 = a2 + nv, *l2 = l1 + sys->nl,
           *known = l2 + sys->nl;
    double k1 = w->af / (1 - w->am), k2 = w->am / (1 - w->am), k3 = (1 - w->af) / (1 - w->am);
    if (h != w->last_h) { /* a new step size: the extrapolation would not fit */
        if (w->last_h != 0) *known = 0;
        w->last_h = h;
    }
    int order = (int)(it->param[P_PREDICTOR] < *known ? it->param[P_PREDICTOR] : *known);
    extrapolate(s->a, a1, a2, nv, order, w->pred);
    extrapolate(s->lambda, l1, l2, sys->nl, order, st->lambda);
    for (int i = 0; i < nv; i++) {
        double free_part = k1 * s->a[i] - k2 * abar[i];
        w->dhat[i] = h * s->v[i] + h2 * (0.5 - w->beta) * abar[i] + h2 * w->beta * free_part;
        w->vhat[i] = s->v[i] + h * (1 - w->gamma) * abar[i] + h * w->gamma * free_part;
        st->delta[i] = w->dhat[i] + h2 * w->beta * k3 * w->pred[i];
    }
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = it->param[P_TANGENT] > 0 ? VG_STAGE_NEWMARK : VG_STAGE_PLAIN,
                      .cv = w->gamma / (h * w->beta),
                      .ca = 1 / (h2 * w->beta * k3),
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    vgStatus status = vg_stage_solve(it, st, &sp);
    if (status != VG_OK) return status;
    for (int i = 0; i < nv; i++) {
        a2[i] = a1[i];
        a1[i] = s->a[i];
        abar[i] = k1 * s->a[i] - k2 * abar[i] + k3 * st->a[i];
        s->a[i] = st->a[i];
        s->v[i] = st->v[i];
    }
    if (*known < 2) *known += 1;
    memcpy(l2, l1, (size_t)sys->nl * sizeof(double));
    memcpy(l1, s->lambda, (size_t)sys->nl * sizeof(double));
    memcpy(s->q, st->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->lambda, st->lambda, (size_t)sys->nl * sizeof(double));
    s->t += h;
    if (err) *err = -1;
    return VG_OK;
}

const vgIntegratorRow vg_generalized_alpha = {
    .name = "generalized-alpha",
    .family = "structural",
    .title = "Generalized-α (Chung–Hulbert; Arnold–Brüls form on Lie groups)",
    .citation = "Arnold, Brüls 2007; [H] Algorithms 4, 5",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE,
    .constraints = VG_CON_INDEX3 | VG_CON_INDEX2 | VG_CON_NONE,
    .params = params,
    .nparam = NPARAM,
    .setup = setup,
    .start = start,
    .step = step,
};
