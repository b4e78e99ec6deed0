#include "analysis/forward/variation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/forward/track.h"
#include "base/arena.h"

/* The matrix [M Bᵀ; B 0]: the other terms of the stage's matrix by these coefficients are below rounding. */
static const double MASS_CV = 1e20, MASS_CA = 1e40;

/* The equations are linear, and each iteration leaves of its increment what the matrix is off. It may leave this part of the
 * displacement by accelerations in a step: the error of the derivative. At ten times as much the pendulums are off by
 * 1e-6. */
static const double PART_OF_STEP = 1e-7;
/* And that much, in units of the coordinates: rounding of a difference, which constraints at position level see. */
static const double LEAST = 1e-13;
/* Increments above this are no rounding. */
static const double ABOVE_ROUNDING = 1e-9;
/* Before a rate is known. */
static const double FIRST_RATE = 0.1;
/* From the second increment on, smaller ones are rounding of the differences; and those below NOT_CONVERGED that no longer
 * shrink. Both in units of the variation, or of the coordinates where that is larger. */
static const double ROUNDING = 1e-10, STALLED = 0.5;
/* A stage may leave that much where it does not reach its goal; beyond, the derivative is not computed. */
static const double NOT_CONVERGED = 1e-8;
enum { MOST_ITERATIONS = 8 };

typedef struct Variation {
    vgSystem base; /* first */
    vgSystemOps ops;
    vgTrack *track;
    vgVariationSide side[VG_VARIATION_SIDES];
    vgWork *work[VG_VARIATION_SIDES];
    int nside;
    vgIntegrator *it;
    vgStageWatch watch;
    const vgMoment *at;           /* of the stage at hand; NULL: between stages */
    int next;                     /* stage of the track */
    int fresh;                    /* 1: a residual was evaluated, whose increment follows */
    int increments;               /* of this stage */
    double last;                  /* size of the last one, in units of the coordinates' scales */
    int projected_q, projected_v; /* how often since the last stage: the run's first one began at the stage */
    int stale, failed;            /* 1: the matrix converges slowly; a stage did not converge */
    double rate;                  /* what an increment leaves of itself */
    double speeding;              /* largest acceleration, in the same units */
    double extent;                /* largest variation of a coordinate, at least 1 */
    double ca;
    double *q, *v, *a, *l, *r, *phi, *one, *turned, *rows, *carried;
    const vgMoment *carries; /* where `carried` was computed */
    vgArena arena;
} Variation;

static Variation *of(const vgSystem *sys)
{
    return (Variation *)(uintptr_t)sys;
}

/* ---- points ---- */

static const vgMoment *moment(const Variation *x, double t)
{
    return x->at ? x->at : vg_track_at(x->track, t, x->next);
}

static void move(const vgSystem *sys, const double *q, double by, const double *xi, double *room, double *out)
{
    for (int i = 0; i < sys->nv; i++) room[i] = by * xi[i];
    sys->ops->retract(sys, q, room, out);
}

static double *beside(double *out, const double *x, double by, const double *dx, int n)
{
    for (int i = 0; i < n; i++) out[i] = x[i] + by * dx[i];
    return out;
}

static void zero(double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = 0;
}

static void add(double *sum, double weight, const double *x, int n)
{
    for (int i = 0; i < n; i++) sum[i] += weight / VG_VARIATION_STEP * x[i];
}

/* ---- the manifold ---- */

/* What ξ_r becomes where Δ stays: once a stage. */
static void carry(Variation *x, const vgMoment *m, const double *q_r)
{
    const vgSystem *base = x->track->sys;
    zero(x->carried, base->nv);
    for (int k = 0; k < x->nside; k++) {
        move(base, m->q_r, x->side[k].x * VG_VARIATION_STEP, q_r, x->turned, x->one);
        base->ops->retract(base, x->one, m->delta, x->q);
        base->ops->local(base, m->q, x->q, x->turned);
        add(x->carried, x->side[k].weight, x->turned, base->nv);
    }
    x->carries = m;
}

/* ξ of q = q_r ⊕ Δ: that of q_r carried along, and T(Δ) δΔ. */
static void retract(const vgSystem *sys, const double *q_r, const double *delta, double *q)
{
    Variation *x = of(sys);
    const vgSystem *base = x->track->sys;
    const vgMoment *m = x->at ? x->at : x->track->last;
    const int n = sys->nv;
    if (base->vector_space || !m) {
        for (int i = 0; i < n; i++) q[i] = q_r[i] + delta[i];
        return;
    }
    if (x->carries != m) carry(x, m, q_r);
    base->ops->twist(base, m->delta, m->q, delta, q);
    for (int i = 0; i < n; i++) q[i] += x->carried[i];
}

static void local(const vgSystem *sys, const double *q_r, const double *q, double *delta)
{
    for (int i = 0; i < sys->nv; i++) delta[i] = q[i] - q_r[i];
}

/* Of increments: T⁻¹(Δ) at the stage. */
static void rates(const vgSystem *sys, const double *delta, const double *q, const double *v,
                  double *delta_dot)
{
    const Variation *x = of(sys);
    const vgSystem *base = x->track->sys;
    (void)delta, (void)q;
    if (base->vector_space || !x->at)
        memcpy(delta_dot, v, (size_t)sys->nv * sizeof *v);
    else
        base->ops->rates(base, x->at->delta, x->at->q, v, delta_dot);
}

/* In vector spaces alone: the track refuses methods that need it on others. */
static void twist(const vgSystem *sys, const double *delta, const double *q, const double *delta_dot,
                  double *v)
{
    (void)delta, (void)q;
    memcpy(v, delta_dot, (size_t)sys->nv * sizeof *v);
}

/* ---- the equations ---- */

/* a, lambda NULL: they do not vary. phi NULL: not wanted. */
static void residual_at(Variation *x, const vgMoment *m, double cm, const double *q, const double *v,
                        const double *a, const double *lambda, double *r, double *phi)
{
    const vgSystem *base = x->track->sys;
    const int nv = base->nv, nl = base->nl;
    zero(r, nv);
    if (phi) zero(phi, nl);
    for (int k = 0; k < x->nside; k++) {
        const vgSystem *sys = x->side[k].sys;
        const double by = x->side[k].x * VG_VARIATION_STEP;
        move(base, m->q, by, q, x->turned, x->q);
        beside(x->v, m->v, by, v, nv);
        for (int i = 0; i < nv; i++) x->a[i] = cm * m->a[i] + (a ? by * a[i] : 0);
        for (int i = 0; i < nl; i++) x->l[i] = m->lambda[i] + (lambda ? by * lambda[i] : 0);
        vg_work_bind(x->work[k], &x->track->bound);
        sys->ops->residual(sys, x->work[k], m->t, x->q, x->v, x->a, x->l, x->r, phi ? x->phi : NULL);
        add(r, x->side[k].weight, x->r, nv);
        if (phi) add(phi, x->side[k].weight, x->phi, nl);
    }
}

static void residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    Variation *x = of(sys);
    const vgMoment *m = moment(x, t);
    (void)work;
    residual_at(x, m, m->cm, q, v, a, lambda, r, phi);
    x->fresh = 1;
    x->speeding = 0;
    x->extent = 1;
    for (int i = 0; i < sys->nv; i++) {
        x->speeding = fmax(x->speeding, fabs(a[i]) / sys->v_scale[i]);
        x->extent = fmax(x->extent, fabs(q[i]) / sys->v_scale[i]);
    }
}

static void levels(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                   const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    Variation *x = of(sys);
    const vgMoment *m = moment(x, t);
    double *want[3] = {phi, phi_dot, phi_ddot}, *there[3];
    (void)work;
    for (int j = 0; j < 3; j++) {
        there[j] = want[j] ? x->phi + j * sys->nphi : NULL;
        if (want[j]) zero(want[j], sys->nphi);
    }
    for (int k = 0; k < x->nside; k++) {
        const vgSystem *of = x->side[k].sys;
        const double by = x->side[k].x * VG_VARIATION_STEP;
        move(x->track->sys, m->q, by, q, x->turned, x->q);
        beside(x->v, m->v, v ? by : 0, v ? v : m->v, sys->nv);
        if (a) beside(x->a, m->a, by, a, sys->nv);
        vg_work_bind(x->work[k], &x->track->bound);
        of->ops->levels(of, x->work[k], m->t, x->q, x->v, a ? x->a : NULL, there[0], there[1], there[2]);
        for (int j = 0; j < 3; j++)
            if (want[j]) add(want[j], x->side[k].weight, there[j], sys->nphi);
    }
}

/* A matrix at hand, unless iterations with it converge slowly. */
static vgStatus factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    Variation *x = of(sys);
    x->ca = p->ca;
    work->bad_row = -1;
    const int again = x->stale;
    x->stale = 0;
    return vg_track_factor(x->track, moment(x, p->t), p, again);
}

/* After an increment of a stage: is it the last? What it leaves is `rate` of it; the rate changes slowly along a run. A matrix
 * with which more than two are needed is replaced. */
static void judge(Variation *x, double size)
{
    const double most = fmax(PART_OF_STEP * x->speeding / x->ca, LEAST);
    const int k = ++x->increments;
    if (k > 1 && x->last > ABOVE_ROUNDING) x->rate = fmax(size / x->last, 0.5 * x->rate);
    const int rounding = k > 1 && (size <= ROUNDING * x->extent ||
                                   (size > STALLED * x->last && size <= NOT_CONVERGED * x->extent)),
              met = x->rate * size <= most || rounding;
    x->it->newton_fixed = met ? k : k + 1;
    x->last = size;
    x->stale |= !met && k >= 2;
    if (met || k < MOST_ITERATIONS) return;
    x->it->newton_fixed = k;
    x->failed |= !(x->rate * size <= NOT_CONVERGED * x->extent);
}

static void solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    Variation *x = of(sys);
    const vgTrack *k = x->track;
    (void)work;
    k->sys->ops->solve(k->sys, k->solver, x_v, x_l);
    if (!x->fresh || !x->at) return;
    double size = 0;
    for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(x_v[i]) / sys->v_scale[i]);
    x->fresh = 0;
    judge(x, size);
}

/* S (x_v, x_l) with the matrix of mass at m. */
static vgStatus solve_mass(Variation *x, const vgMoment *m, double *x_v, double *x_l)
{
    vgTrack *k = x->track;
    vgTangent p = {
        .t = m->t, .q = m->q, .v = m->v, .a = m->a, .lambda = m->lambda, .cv = MASS_CV, .ca = MASS_CA};
    vgStatus status = VG_OK;
    vg_work_bind(k->mass, &k->bound);
    if (k->mass_of != m) status = k->sys->ops->factor(k->sys, k->mass, &p);
    k->mass_of = status == VG_OK ? m : NULL;
    if (status == VG_OK) k->sys->ops->solve(k->sys, k->mass, x_v, x_l);
    return status;
}

/* From r' and Φ̈' at accelerations and multipliers of zero, which are those of the run in r. */
static vgStatus accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    Variation *x = of(sys);
    const vgMoment *m = vg_track_moving(x->track, moment(x, t)), *stage = x->at;
    double *none = x->one, *room = x->rows;
    if (!m) return VG_SINGULAR;
    x->at = m;
    residual_at(x, m, 1, q, v, NULL, NULL, a, NULL);
    zero(none, sys->nv + sys->nl);
    if (sys->nl > 0) vg_system_rows(sys, work, t, q, v, none, none, room, room + sys->nphi, lambda);
    for (int i = 0; i < sys->nv; i++) a[i] = -a[i];
    for (int i = 0; i < sys->nl; i++) lambda[i] = -lambda[i];
    vgStatus status = solve_mass(x, m, a, lambda);
    x->at = stage;
    return status;
}

/* Projections are nonlinear in what they remove, which is of the size of the step's error: they are differentiated as they
 * are. The run's own began at `from` and ended at m. */
static vgStatus project_q(const vgSystem *sys, vgWork *work, double t, double *q, double tol, int max_iter,
                          int *iter)
{
    Variation *x = of(sys);
    const vgSystem *base = x->track->sys;
    const vgMoment *m = moment(x, t), *from = x->projected_q++ ? m : vg_track_before(x->track, m);
    vgStatus status = VG_OK;
    (void)work;
    zero(x->carried, sys->nv);
    x->carries = NULL;
    for (int k = 0; k < x->nside && status == VG_OK; k++) {
        const vgSystem *of = x->side[k].sys;
        move(base, from->q, x->side[k].x * VG_VARIATION_STEP, q, x->turned, x->q);
        vg_work_bind(x->work[k], &x->track->bound);
        status = of->ops->project_q(of, x->work[k], m->t, x->q, tol, max_iter, iter);
        base->ops->local(base, m->q, x->q, x->turned);
        add(x->carried, x->side[k].weight, x->turned, sys->nv);
    }
    memcpy(q, x->carried, (size_t)sys->nv * sizeof *q);
    return status;
}

static vgStatus project_v(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    Variation *x = of(sys);
    const vgMoment *m = moment(x, t), *from = x->projected_v++ ? m : vg_track_before(x->track, m);
    vgStatus status = VG_OK;
    (void)work;
    zero(x->carried, sys->nv);
    x->carries = NULL;
    for (int k = 0; k < x->nside && status == VG_OK; k++) {
        const vgSystem *of = x->side[k].sys;
        const double by = x->side[k].x * VG_VARIATION_STEP;
        move(x->track->sys, m->q, by, q, x->turned, x->q);
        beside(x->v, from->v, by, v, sys->nv);
        vg_work_bind(x->work[k], &x->track->bound);
        status = of->ops->project_v(of, x->work[k], m->t, x->q, x->v);
        add(x->carried, x->side[k].weight, x->v, sys->nv);
    }
    memcpy(v, x->carried, (size_t)sys->nv * sizeof *v);
    return status;
}

/* A system that is swept may have no matrix at hand after a stage; at index 3, where the projection moves velocities by as
 * much as the step's error, methods project in another way there. */
static vgStatus never(const vgSystem *sys, vgWork *work, const vgTangent *p, double *x_v, double *x_l,
                      double *open)
{
    (void)sys, (void)work, (void)p, (void)x_v, (void)x_l, (void)open;
    return VG_LIMIT;
}

/* ---- making and freeing ---- */

static void accept(const vgSystem *sys, vgWork *work, double *turn)
{
    (void)sys, (void)work, (void)turn;
}

static vgStatus new_work(const vgSystem *sys, vgWork **out)
{
    vgWork *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    w->sys = sys;
    w->bad_row = -1;
    *out = w;
    return VG_OK;
}

static void free_work(vgWork *work)
{
    free(work);
}

static size_t memory(const vgWork *work)
{
    return sizeof *work;
}

static void free_variation(vgSystem *sys)
{
    Variation *x = of(sys);
    for (int k = 0; k < x->nside; k++) vg_work_free(x->work[k]);
    vg_arena_free(&x->arena);
    free(x);
}

static const vgSystemOps operations = {
    .free_system = free_variation,
    .new_work = new_work,
    .free_work = free_work,
    .memory = memory,
    .accept = accept,
    .retract = retract,
    .local = local,
    .rates = rates,
    .twist = twist,
    .residual = residual,
    .factor = factor,
    .solve = solve,
    .accel = accel,
    .levels = levels,
    .project_q = project_q,
    .project_v = project_v,
};

static void place_arrays(Variation *x, vgArena *a)
{
    const vgSystem *sys = x->track->sys;
    const int n = sys->nq + sys->nv + sys->nphi + 1;
    double **slot[] = {&x->q, &x->v, &x->a, &x->l, &x->r, &x->one, &x->turned, &x->carried};
    for (size_t i = 0; i < sizeof slot / sizeof slot[0]; i++) *slot[i] = VG_TAKE(a, double, n);
    x->phi = VG_TAKE(a, double, 3 * sys->nphi + 1);
    x->rows = VG_TAKE(a, double, 2 * sys->nphi + 1);
}

static int same_coordinates(const vgSystem *x, const vgSystem *y)
{
    return x->nq == y->nq && x->nv == y->nv && x->nl == y->nl && x->nphi == y->nphi &&
           x->model->nturn == y->model->nturn;
}

vgStatus vg_variation_new(vgTrack *track, const vgVariationSide *side, int n, vgSystem **out)
{
    const vgSystem *base = track->sys;
    Variation *x = calloc(1, sizeof *x);
    vgArena measure = {0};
    if (!x) return VG_NO_MEMORY;
    x->track = track;
    x->rate = FIRST_RATE;
    x->ops = operations;
    x->ops.name = base->ops->name;
    if (base->ops->sweep.increment && vg_at_position(base)) x->ops.sweep.increment = never;
    x->base = *base;
    x->base.ops = &x->ops;
    x->base.nq = base->nv;
    x->base.fast = 0;
    x->base.one_pass = x->base.free_stages = x->base.recasts = x->base.nmemory = 0;
    x->base.cost = (vgTangentCost){0};
    x->base.reach = 0; /* linear */
    place_arrays(x, &measure);
    vgStatus status = vg_arena_alloc(&x->arena, measure.used);
    for (int k = 0; k < n && status == VG_OK; k++) {
        x->side[k] = side[k];
        status = same_coordinates(base, side[k].sys) ? vg_work_new(side[k].sys, &x->work[k]) : VG_UNSUPPORTED;
        if (status == VG_OK) x->nside++;
    }
    if (status != VG_OK) {
        free_variation(&x->base);
        return status;
    }
    place_arrays(x, &x->arena);
    *out = &x->base;
    return VG_OK;
}

/* ---- steps ---- */

static void before_stage(void *user, const vgStageSpec *sp)
{
    Variation *x = user;
    (void)sp;
    x->at = x->next < x->track->nstage ? &x->track->stage[x->next] : &x->track->end;
    x->next++;
    x->increments = x->projected_q = x->projected_v = 0;
    x->carries = NULL;
    x->it->newton_fixed = MOST_ITERATIONS; /* judge() ends it */
}

static void stage_solved(void *user, const vgStage *st, const vgStageSpec *sp)
{
    Variation *x = user;
    (void)st, (void)sp;
    x->at = NULL;
    x->it->newton_fixed = 0;
}

void vg_variation_take(vgSystem *sys, vgIntegrator *it)
{
    Variation *x = of(sys);
    x->it = it;
    x->watch = (vgStageWatch){.user = x, .before = before_stage, .solved = stage_solved};
    it->watch = &x->watch;
    it->newton_mode = VG_NEWTON_STEP;
    it->newton_fixed = it->newton_spread = it->newton_refresh = 0;
}

void vg_variation_before(vgSystem *sys)
{
    Variation *x = of(sys);
    x->at = NULL;
    x->next = x->failed = x->projected_q = x->projected_v = 0;
    x->it->newton_fixed = 0;
}

int vg_variation_went_along(const vgSystem *sys)
{
    const Variation *x = of(sys);
    return x->next == x->track->nstage && !x->failed;
}

void vg_variation_add(const vgSystem *sys, int i, const vgState *run, const vgState *dx, vgState *to)
{
    Variation *x = of(sys);
    const vgSystem *base = x->track->sys;
    const double by = x->side[i].x * VG_VARIATION_STEP;
    vg_state_copy(base, to, run);
    move(base, run->q, by, dx->q, x->turned, to->q);
    beside(to->v, run->v, by, dx->v, base->nv);
    beside(to->a, run->a, by, dx->a, base->nv);
    beside(to->lambda, run->lambda, by, dx->lambda, base->nl);
}
