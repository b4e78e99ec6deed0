/* The stabilised index-2 methods of [N] as rows of their own; each is a setting of the dials.
 *   nstiff-si2   backward differences of order 2 with `index2`, [N] (9), (10)
 *   hht-si2      HHT-α with `index2`, [N] (12), (13):
 *       q_{n+1} = q_n ⊕ Δ,  Δ = h v_n + h²/2 ((1 − 2β) a_n + 2β a_{n+1}) + (h²/2) ā
 *       v_{n+1} = v_n + h ((1 − γ) a_n + γ a_{n+1})
 *       1/(1+α) M a_{n+1} + (Bᵀλ − f)_{n+1} − α/(1+α) (Bᵀλ − f)_n = 0
 *     with α ∈ [−0.3, 0], γ = ½ − α, β = (1 − α)²/4. The correction ā of the positions lies in the directions
 *     of the constraints. [N] takes the mass matrix somewhere midstep; here it is that of t_n + (1 + α) h, to
 * which a_{n+1} belongs: M_{n+1} + α (M* − M_n), M* at the first guess, so that the order is 2 where M varies
 * too. a_{n+1} approximates the acceleration at t_n + (1 + α) h; the row gives accelerations at t_{n+1} that
 * are extrapolated from it. */
#include <string.h>

#include "integrator/own.h"
#include "integrator/stage.h"

typedef struct Hht {
    vgArena arena;
    vgStage stage;
    double *dhat, *vhat, *r0, *zero, *carried;
    int varies; /* the mass matrix does */
} Hht;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Hht *w = own;
    const vgSystem *sys = it->sys;
    vg_stage_place(&w->stage, sys, a);
    w->dhat = VG_TAKE(a, double, sys->nv + 1);
    w->vhat = VG_TAKE(a, double, sys->nv + 1);
    w->r0 = VG_TAKE(a, double, sys->nv + 1);
    w->zero = VG_TAKE(a, double, sys->nv + sys->nl + 1);
    w->carried = VG_TAKE(a, double, sys->nv + 1);
}

/* The mass matrix is constant in Cartesian coordinates of planar bodies, in body axes and in natural
 * coordinates, unless elements have inertia. */
static int mass_varies(const vgSystem *sys)
{
    static const char *const constant[] = {"planar", "lie", "se3", "natural"};
    const vgModel *m = sys->model;
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].setup.inertial) return 1;
    for (size_t i = 0; i < sizeof constant / sizeof constant[0]; i++)
        if (!strcmp(sys->coordinates, constant[i])) return 0;
    return 1;
}

/* out = M a at a motion. */
static void mass_times(vgIntegrator *it, double t, const double *q, const double *v, const double *a,
                       double *scratch, double *out)
{
    const vgSystem *sys = it->sys;
    const Hht *w = it->own;
    sys->ops->residual(sys, it->work, t, q, v, a, w->zero, out, NULL);
    sys->ops->residual(sys, it->work, t, q, v, w->zero, w->zero, scratch, NULL);
    it->stats.residuals += 2;
    for (int i = 0; i < sys->nv; i++) out[i] -= scratch[i];
}

/* r₀ += α/(1+α) (M* − M_n) a with the first guess of q_{n+1}. */
static void move_mass(vgIntegrator *it, Hht *w, const vgState *s, double h, double scale, double hg)
{
    const vgSystem *sys = it->sys;
    vgStage *st = &w->stage;
    sys->ops->retract(sys, s->q, st->delta, st->q);
    for (int i = 0; i < sys->nv; i++) st->v[i] = w->vhat[i] + hg * w->carried[i];
    mass_times(it, s->t, s->q, s->v, w->carried, st->d, st->r);
    mass_times(it, s->t + h, st->q, st->v, w->carried, st->d, st->x);
    for (int i = 0; i < sys->nv; i++) w->r0[i] += scale * (st->x[i] - st->r[i]);
}

static vgStatus setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(Hht), place);
    if (st != VG_OK) return st;
    Hht *w = it->own;
    w->varies = mass_varies(it->sys);
    memset(w->zero, 0, (size_t)(it->sys->nv + it->sys->nl) * sizeof(double));
    it->nhistory = it->sys->nv + 1; /* the method's own a_n; the last step (0: none) */
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Hht *w = it->own;
    vg_stage_reset(&w->stage);
    memcpy(s->history, s->a, (size_t)it->sys->nv * sizeof(double));
    s->history[it->sys->nv] = 0;
    return VG_OK;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, double *err)
{
    Hht *w = it->own;
    vgStage *st = &w->stage;
    const vgSystem *sys = it->sys;
    int nv = sys->nv;
    double alpha = it->param[0], g = 0.5 - alpha, b = 0.25 * (1 - alpha) * (1 - alpha);
    double *a_n = s->history, *a = w->carried, cm = 1 / (1 + alpha);
    /* a_n stands at t_n + αh with the last h: carried to the new one */
    double ratio = a_n[nv] > 0 ? h / a_n[nv] : 1;
    for (int i = 0; i < nv; i++) a[i] = ratio != 1 ? s->a[i] + ratio * (a_n[i] - s->a[i]) : a_n[i];
    sys->ops->residual(sys, it->work, s->t, s->q, s->v, w->zero, s->lambda, w->r0, NULL);
    it->stats.residuals++;
    for (int i = 0; i < nv; i++) {
        w->r0[i] *= -alpha * cm;
        w->dhat[i] = h * s->v[i] + h * h * (0.5 - b) * a[i];
        w->vhat[i] = s->v[i] + h * (1 - g) * a[i];
        st->delta[i] = w->dhat[i] + h * h * b * a[i];
    }
    if (w->varies) move_mass(it, w, s, h, alpha * cm, h * g);
    memcpy(st->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    vgStageSpec sp = {.t = s->t + h,
                      .q_r = s->q,
                      .map = VG_STAGE_NEWMARK,
                      .cv = g / (b * h),
                      .ca = 1 / (b * h * h),
                      .cm = cm,
                      .dhat = w->dhat,
                      .vhat = w->vhat,
                      .r0 = w->r0};
    vgStatus status = vg_stage_solve(it, st, &sp);
    if (status != VG_OK) return status;
    for (int i = 0; i < nv; i++) {
        s->a[i] = st->a[i] - alpha * (st->a[i] - a[i]);
        a_n[i] = st->a[i];
        s->v[i] = st->v[i];
    }
    a_n[nv] = h;
    memcpy(s->q, st->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->lambda, st->lambda, (size_t)sys->nl * sizeof(double));
    s->t += h;
    if (err) *err = -1;
    return VG_OK;
}

static const vgParamSpec hht_params[] = {
    {"alpha", -0.3, -1.0 / 3, 0, "numerical damping: 0 none (trapezoidal), −0.3 strong"},
};

const vgIntegratorRow vg_hht_si2 = {
    .name = "hht-si2",
    .family = "stabilised index 2",
    .title = "HHT-α, stabilised index 2",
    .citation = "[N] (12), (13); Jay, Negrut 2008",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_DOUBLING,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .rho = {0.5, 1},
    .params = hht_params,
    .nparam = 1,
    .setup = setup,
    .start = start,
    .step = step,
};

/* A row that is another row with the constraints fixed: the calls go to that one. */
extern const vgIntegratorRow vg_bdf2;

static vgStatus nstiff_setup(vgIntegrator *it)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    for (int i = 0; i < it->row->nparam; i++) it->param[i] = it->row->params[i].fallback;
    vgStatus st = it->row->setup(it);
    it->row = self;
    return st;
}

static vgStatus nstiff_start(vgIntegrator *it, vgState *s)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    vgStatus st = it->row->start(it, s);
    it->row = self;
    return st;
}

static vgStatus nstiff_step(vgIntegrator *it, vgState *s, double h, double *err)
{
    const vgIntegratorRow *self = it->row;
    it->row = &vg_bdf2;
    vgStatus st = it->row->step(it, s, h, err);
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
