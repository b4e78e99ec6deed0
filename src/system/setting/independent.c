/* Independent coordinates: docs/theory.md eq. 75–76a; [G] 5.3, [D] section 2 (topological).
 *
 * Coordinates are split into dependent ones, D, as many as there are independent constraint equations, and
 * independent ones, I, so that B_D is regular and well conditioned (Gaussian elimination with complete pivoting,
 * lengths and angles in their scales). The method integrates the ordinary differential equation
 *
 *     Rᵀ r(t, q, R v_I + b, R a_I + c) = 0,     δ = R δ_I,   R_D = −B_D⁻¹ B_I
 *
 * in as many unknowns as degrees of freedom. D is kept in q, v, a but follows from I in every evaluation:
 * velocities and accelerations exactly; positions by one linear correction, B_D δ_D = −Φ, in each Newton
 * iteration, so that closing the loops needs no iterations of its own. Since all coordinates are stored, another
 * choice of D changes no other data.
 *
 * In Newton's iteration v_D and a_D are unknowns as well (approach(), eq. 76a): one pass over the bodies then
 * gives the equations of motion and the constraint equations at all three levels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "math/dense.h"
#include "system/setting/independent.h"

static const double STEEP =
    2; /* dependent coordinates move so much faster than at the choice: choose again */
static const double HELD = 1e-3; /* B is kept in an iteration that goes no further */
/* Where rows repeat others, those chosen may come to repeat each other, and others count from there on: wheels on an axle, at one
 * heading. R stays as it is there, but the least pivot of B_D vanishes: at this part of what it was, choose again. With half the
 * value steps of a wheelset beside that heading are off by up to 1 %; with twice the value every step chooses. */
static const double WEAK = 0.5;
enum { APPROACHED = 2 };

typedef vgIndependentWork Work;

typedef struct Independent {
    vgWrap w;       /* first */
    int any_second; /* some rows are at acceleration level alone */
} Independent;

/* Of few coordinates. */
static void place_full(int n, int m, Work *w, vgArena *a)
{
    w->source = VG_TAKE(a, int, m *n + 1);
    w->part = VG_TAKE(a, int, n + m + 1);
    w->loop = VG_TAKE(a, vgLoop, m + 1);
    w->from = VG_TAKE(a, int, m *n + 1);
    w->pivot = VG_TAKE(a, int, n + 1);
    w->pivot_S = VG_TAKE(a, int, n + 1);
    w->ratio = VG_TAKE(a, double, m *n + 1);
    w->B = VG_TAKE(a, double, m *n + 1);
    w->W = VG_TAKE(a, double, m *n + 1);
    w->D = VG_TAKE(a, double, m *m + 1);
    w->R = VG_TAKE(a, double, m *n + 1);
    w->A = VG_TAKE(a, double, n *n + 1);
    w->X = VG_TAKE(a, double, n *n + 1);
    w->A_D = VG_TAKE(a, double, m *n + 1);
    w->X_D = VG_TAKE(a, double, m *n + 1);
    w->S = VG_TAKE(a, double, n *n + 1);
    w->lanes = VG_TAKE(a, double, VG_LANES *m + 1);
    w->inverse = VG_TAKE(a, double, m + 1);
}

static void place(const vgSystem *sys, vgWrapWork *work, vgArena *a)
{
    Work *w = (Work *)work;
    int n = sys->nv, m = sys->nphi, most = sys->nq > n ? sys->nq : n;
    if (n <= VG_INDEPENDENT_FULL) place_full(n, m, w, a);
    w->place = VG_TAKE(a, int, n + m + 1);
    w->dep = VG_TAKE(a, int, n + 1);
    w->ind = VG_TAKE(a, int, n + 1);
    w->row = VG_TAKE(a, int, m + 1);
    w->choice = VG_TAKE(a, double, n + m + 2);
    w->fresh = VG_TAKE(a, double, n + m + 2);
    w->phi = VG_TAKE(a, double, 3 * m + 1);
    w->g = VG_TAKE(a, double, m + 1);
    w->gap = VG_TAKE(a, double, VG_LANES *m + 1);
    w->lambda = VG_TAKE(a, double, m + 1);
    w->violation = VG_TAKE(a, double, m + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->q_old = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, n + 1);
    w->a = VG_TAKE(a, double, n + 1);
    w->r = VG_TAKE(a, double, n + 1);
    w->x = VG_TAKE(a, double, n + 1);
    w->dv = VG_TAKE(a, double, n + 1);
    w->da = VG_TAKE(a, double, n + 1);
    w->reaction = VG_TAKE(a, double, m + 1);
    w->zero = VG_TAKE(a, double, (most > m ? most : m) + 1);
}

static void free_work(vgWork *work)
{
    vg_wide_free(((Work *)work)->wide);
    vg_wrap_work_free(work);
}

static size_t memory(const vgWork *work)
{
    return vg_wrap_memory(work) + vg_wide_memory(((const Work *)work)->wide);
}

static vgStatus new_work(const vgSystem *sys, vgWork **out)
{
    const vgSystem *inner = vg_inner(sys);
    vgWrapWork *base;
    vgStatus st = vg_wrap_work_new(sys, sizeof(Work), place, &base);
    if (st != VG_OK) return st;
    Work *w = (Work *)base;
    st = inner->ops->assemble(inner, base->inner, NULL, &w->at);
    if (st != VG_OK) {
        vg_wrap_work_free(&base->base);
        return st;
    }
    st = vg_choice_start(sys, w);
    if (st != VG_OK) {
        free_work(&base->base);
        return st;
    }
    *out = &base->base;
    return VG_OK;
}

/* ---- operations ---- */

/* The equations at a motion as they are, D from I. */
static void evaluate(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, double *r)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgWork *in = vg_inner_work(work);
    int m = sys->nphi, second = ((const Independent *)sys)->any_second;
    inner->ops->levels(inner, in, t, q, v, second ? a : NULL, w->phi, w->phi + m,
                       second ? w->phi + 2 * m : NULL);
    for (int i = 0; i < m; i++) w->violation[i] = w->phi[i + m * sys->row_level[i]];
    work->open = 0;
    for (int i = 0; i < w->ndep; i++) work->open = vg_larger(work->open, fabs(w->phi[w->row[i]]));
    w->split_ok = vg_split(sys, work, t, q, v) == VG_OK;
    w->followed = 0;
    if (w->split_ok) vg_follow_rates(sys, work, t, q, v, a);
    inner->ops->residual(inner, in, t, q, w->split_ok ? w->v : v, w->split_ok ? w->a : a, w->zero, r, NULL);
    if (w->split_ok) vg_split_reduce(sys, w, r);
}

/* First guesses come from motions with D from I, and the first R is that of the guess, for which λ does not
 * matter. */
static void begin(const vgSystem *sys, Work *w)
{
    memset(w->dv, 0, (size_t)sys->nv * sizeof(double));
    memset(w->da, 0, (size_t)sys->nv * sizeof(double));
    memset(w->reaction, 0, (size_t)sys->nphi * sizeof(double));
}

/* Corrects D by the violations at the levels of velocities and accelerations. */
static void take_rates(Work *w, const double *v, const double *a)
{
    for (int i = 0; i < w->ndep; i++) {
        int k = w->dep[i];
        const double *g = w->gap + VG_LANES * i;
        w->v[k] -= g[1];
        w->a[k] -= g[2];
        w->dv[k] = w->v[k] - v[k];
        w->da[k] = w->a[k] - a[k];
    }
}

/* Equations at the motion in w->v, w->a with multipliers, and the rows at all levels there. */
static void look(const vgSystem *sys, vgWork *work, double t, const double *q, const double *lambda,
                 double *r)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgWork *in = vg_inner_work(work);
    int m = sys->nphi;
    inner->ops->residual(inner, in, t, q, w->v, w->a, lambda, r, NULL);
    (inner->ops->extra.levels_here ? inner->ops->extra.levels_here : inner->ops->levels)(
        inner, in, t, q, w->v, w->a, w->phi, w->phi + m, w->phi + 2 * m);
}

/* An iteration with a tangent that is to be made here: D from I, whatever was iterated before, so that the
 * same point gives the same bits. Velocities first and then the accelerations that follow from them: where
 * every iteration makes its tangent nothing else would take up what these leave open. */
static void start_anew(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                       const double *a, double *r)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    int m = sys->nphi;
    inner->ops->levels(inner, vg_inner_work(work), t, q, v, a, w->phi, w->phi + m, w->phi + 2 * m);
    w->split_ok = vg_split(sys, work, t, q, v) == VG_OK;
    begin(sys, w);
    vg_follow_beyond(sys, w, v, a);
    for (int level = 1; w->split_ok && level < 3; level++) {
        if (level == 2)
            inner->ops->levels(inner, vg_inner_work(work), t, q, w->v, w->a, w->phi, w->phi + m,
                               w->phi + 2 * m);
        vg_follow_levels(sys, work);
        take_rates(w, v, a);
    }
    look(sys, work, t, q, w->zero, r);
    if (!w->split_ok) return;
    vg_follow_levels(sys, work);
    vg_split_reduce(sys, w, r);
    memcpy(w->reaction, w->lambda, (size_t)m * sizeof(double));
}

static void residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    Work *w = (Work *)work;
    (void)lambda, (void)phi;
    w->approaching = w->followed = 0;
    w->closing = 1;
    if (w->tangent_ahead)
        start_anew(sys, work, t, q, v, a, r);
    else
        evaluate(sys, work, t, q, v, a, r);
    w->tangent_ahead = 0;
}

static void ahead(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    (void)sys, (void)p;
    ((Work *)work)->tangent_ahead = 1;
}

/* The equations for Newton's iteration, docs/theory.md eq. 76a: unknowns are q, λ, and v_D, a_D beside the
 * method's formulas for I, so that r + Bᵀλ and Φ, Φ̇, Φ̈ come from one and the same pass over the bodies.
 * What is still open of Φ̇ and Φ̈ is taken along by solve(). With λ in it r + Bᵀλ vanishes in all coordinates
 * where the iteration ends, so that B_D, R may be those of an iteration before, HELD away. */
static void approach(const vgSystem *sys, vgWork *work, int first, double t, const double *q, const double *v,
                     const double *a, double *r)
{
    Work *w = (Work *)work;
    int anew = w->tangent_ahead;
    w->tangent_ahead = 0;
    w->followed = 0;
    w->closing = APPROACHED;
    w->approaching = 1;
    if (anew) {
        start_anew(sys, work, t, q, v, a, r);
        return;
    }
    if (first) begin(sys, w);
    vg_follow_beyond(sys, w, v, a);
    look(sys, work, t, q, w->reaction, r);
    if (first || !w->split_ok || !(w->moved * fmax(1, w->steep) <= HELD))
        w->split_ok = vg_split(sys, work, t, q, v) == VG_OK;
    vg_follow_levels(sys, work);
}

/* The point of the tangent as the inner system sees it: with D from I, as the last evaluation left it. */
static vgTangent inside(Work *w, const vgTangent *p)
{
    vgTangent at = *p;
    at.v = w->v, at.a = w->a, at.lambda = w->lambda;
    w->cv = p->cv, w->ca = p->ca;
    return at;
}

static vgStatus factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgSaddle saddle;
    if (!p->reuse) evaluate(sys, work, p->t, p->q, p->v, p->a, w->r);
    if (!w->split_ok) return VG_SINGULAR;
    vgTangent at = inside(w, p);
    vgStatus st = inner->ops->assemble(inner, vg_inner_work(work), &at, &saddle);
    return st == VG_OK ? vg_reduced_factor(sys, w) : st;
}

/* The residual, the inner system's pieces, those of the reduced matrix. */
static int pieces(const vgSystem *sys, const vgWork *work, double *cost, int *assembled)
{
    const vgSystem *inner = vg_inner(sys);
    const Work *w = (const Work *)work;
    const vgWork *in = w->w.inner;
    int n = 0, all = inner->ops->pieces.count(inner, in, NULL, &n);
    double *its = cost ? malloc(((size_t)all + 1) * sizeof *its) : NULL;
    if (its) inner->ops->pieces.count(inner, in, its, NULL);
    if (assembled) *assembled = n + 1;
    if (cost) {
        double v = sys->nv, f = fmax(1, sys->nv - sys->nphi), m = v - f;
        cost[0] = 400 * sys->model->nbody + (w->wide ? v : 0.2 * m * m * v);
        for (int i = 0; i < n; i++) cost[1 + i] = its ? its[i] : 100;
    }
    free(its);
    return n + 1 + vg_reduced_pieces(sys, w, cost ? cost + n + 1 : NULL);
}

static vgStatus piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    int n = 0;
    inner->ops->pieces.count(inner, w->w.inner, NULL, &n);
    if (i == 0) {
        residual(sys, work, p->t, p->q, p->v, p->a, p->lambda, w->r, NULL);
        return w->split_ok ? VG_OK : VG_SINGULAR;
    }
    if (i <= n) {
        vgTangent at = inside(w, p);
        return inner->ops->pieces.make(inner, vg_inner_work(work), &at, i - 1);
    }
    return vg_reduced_piece(sys, w, i - n - 1);
}

/* What the solution x does beside the positions and λ: what D has beyond the method's formulas, which follow
 * the positions but not their closing. */
static void take_along(const vgSystem *sys, Work *w, double *x)
{
    const double *unit = sys->v_closes;
    double far = 0;
    for (int i = 0; i < w->ndep; i++) {
        const double *g = w->gap + VG_LANES * i;
        int k = w->dep[i];
        x[k] -= g[0];
        w->dv[k] += w->cv * g[0] - g[1];
        w->da[k] += w->ca * g[0] - g[2];
    }
    for (int k = 0; k < sys->nv; k++)
        far = vg_larger(far, fabs(x[k]) * (unit ? unit[k] : 1 / sys->v_scale[k]));
    w->moved += far;
}

static void solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    Work *w = (Work *)work;
    int closing = w->closing;
    (void)x_l;
    w->closing = 0;
    vg_reduced_solve(sys, w, closing == APPROACHED, 0, x_v);
    if (closing == APPROACHED) take_along(sys, w, x_v);
    if (closing != 1) return;
    for (int r = 0; r < sys->nphi; r++) {
        int level = sys->row_level[r];
        double scale = level == 0 ? 1 : level == 1 ? w->cv : w->ca;
        if (level > 0 && scale > 0) w->violation[r] /= scale;
    }
    vg_split_correct(w, w->violation, x_v);
}

/* Rᵀ M R a_I = −Rᵀ r(a = c) */
static vgStatus accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgSaddle saddle;
    (void)lambda;
    vgStatus st = vg_follow_positions(sys, work, t, q, v);
    if (st != VG_OK) return st;
    vg_follow_rates(sys, work, t, w->q, v, w->zero);
    inner->ops->residual(inner, vg_inner_work(work), t, w->q, w->v, w->a, w->zero, w->r, NULL);
    memcpy(a, w->r, (size_t)sys->nv * sizeof(double));
    vg_split_reduce(sys, w, a);
    vgTangent p = {.t = t, .q = w->q, .v = w->v, .a = w->a, .lambda = w->zero, .reuse = 1, .mass = 1};
    st = inner->ops->assemble(inner, vg_inner_work(work), &p, &saddle);
    if (st == VG_OK) st = vg_reduced_factor(sys, w);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) a[i] = -a[i];
    w->closing = 0;
    vg_reduced_solve(sys, w, 0, 1, a);
    for (int i = 0; i < w->ndep; i++) a[w->dep[i]] += w->a[w->dep[i]];
    return VG_OK;
}

/* Another choice where this one has become steep, for the motion in w. */
static vgStatus renew(const vgSystem *sys, vgWork *work, double t)
{
    Work *w = (Work *)work;
    const double *kept = work->memory;
    if (vg_choice_make(sys, w, t) != VG_OK) { /* no room: the old one stays, as steep as it is now */
        w->choice[w->nmark - 1] = w->steep;
        w->choice[w->nmark - 2] = work->pivot;
        return VG_OK;
    }
    work->memory = NULL; /* the state still has the old one */
    vgStatus st = vg_split(sys, work, t, w->q, w->v);
    work->memory = kept;
    if (st == VG_OK) w->choice[w->nmark - 1] = fmax(1, w->steep);
    return st;
}

/* Dependent coordinates (where the method has not made them yet), the choice, and multipliers of an accepted
 * step. */
static void settle(const vgSystem *sys, vgWork *work, vgState *s)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    size_t n = (size_t)sys->nv * sizeof(double), nq = (size_t)sys->nq * sizeof(double),
           m = (size_t)sys->nphi * sizeof(double);
    int known = w->followed && !memcmp(w->q, s->q, nq) && !memcmp(w->v, s->v, n) && !memcmp(w->a, s->a, n);
    w->approaching = 0;
    if (!known && vg_follow_all(sys, work, s->t, s->q, s->v, s->a) != VG_OK) return;
    const int steep = w->steep > STEEP * w->choice[w->nmark - 1] ||
                      (w->ndep < sys->nphi && work->pivot < WEAK * w->choice[w->nmark - 2]);
    if (!w->have_reactions || steep) {
        inner->ops->residual(inner, vg_inner_work(work), s->t, s->q, s->v, s->a, w->zero, w->r, NULL);
        if (steep && renew(sys, work, s->t) != VG_OK) return;
        vg_split_reduce(sys, w, w->r);
        memcpy(w->reaction, w->lambda, m);
    }
    if (w->choice[w->nmark - 2] == 0) w->choice[w->nmark - 2] = work->pivot;
    memcpy(s->lambda, w->reaction, m);
    memcpy(s->memory, w->choice, (size_t)w->nmark * sizeof(double));
}

/* Other coordinates of a body: the choice among them is made again when it is next asked for. */
static int recast(const vgSystem *sys, vgWork *work, vgState *s)
{
    Work *w = (Work *)work;
    int any = vg_inner(sys)->ops->extra.recast(vg_inner(sys), vg_inner_work(work), s);
    if (!any) return 0;
    w->chosen = w->followed = w->have_reactions = w->split_ok = 0;
    memset(s->memory, 0, (size_t)sys->nmemory * sizeof(double));
    return 1;
}

vgStatus vg_independent_over(vgSystem *inner, vgSystem **out)
{
    vgSystemOps ops = vg_wrap_ops;
    ops.new_work = new_work;
    ops.free_work = free_work;
    ops.memory = memory;
    ops.residual = residual;
    ops.approach = (vgApproachOps){approach, ahead};
    for (int r = 0; r < inner->nl; r++) /* D of rates is integrated: it has nothing beyond the formulas */
        if (inner->row_level[r] > 0) ops.approach = (vgApproachOps){NULL, NULL};
    ops.factor = factor;
    ops.pieces = (vgPieceOps){pieces, piece};
    ops.solve = solve;
    ops.accel = accel;
    ops.dependent = (vgDependentOps){vg_follow_all, settle};
    ops.extra.recast = recast;
    vgWrap *w;
    vgStatus st = vg_wrap_new(inner, sizeof(Independent), &ops, &w);
    if (st != VG_OK) return st;
    w->base.nl = 0;
    w->base.nmemory = inner->nv + inner->nl + 2;
    for (int r = 0; r < inner->nl; r++) ((Independent *)w)->any_second |= inner->row_level[r] > 1;
    *out = &w->base;
    return VG_OK;
}
