#include "integrator/stage/stage.h"

#include <math.h>
#include <string.h>

#include "integrator/passes.h"
#include "integrator/stage/metric.h"
#include "integrator/stage/renewal.h"
#include "integrator/rows.h"
#include "integrator/stage/correct.h"
#include "integrator/stage/fine.h"

static const double FAR_ABOVE_ROUND_OFF = 1e-12;
/* Largest error of the first guess, in units of the step's own error, at which a step counts as resolved; the smaller
 * bound holds where forces may have corners, at which accelerations change by more than the motion's error */
static const double RESOLVED = 2, WELL_RESOLVED = 0.2;
/* Contraction rate that is assumed if increments are at rounding level: their quotient is then meaningless. Not used
 * where multipliers are wanted, which such increments change by ca times as much */
static const double AT_ROUND_OFF = 4e-3;
static const double MET = 1e-10;  /* relative constraint violation that is accepted in a singular position */
static const double SHUT = 1e-14; /* relative constraint violation at rounding level */
static const double NOISE = 1e-9; /* largest increment that rounding causes near a singular position */
static const double WORTH_A_LOOK =
    8; /* violation, in units of the accepted one, up to which it is computed exactly */
static const double ROWS_STAY = 3e-3; /* displacement up to which a reused matrix keeps its constraint rows */
/* newton=modified: a matrix that leaves more of an increment than this is renewed. [H] 3.4 has a tolerance without its
 * number; 0.5 is the default of the program that the paper used */
static const double CONTRACTS = 0.5;
static const double CREEPING = 1e-5;  /* increment of an iteration that no longer converges */

/* Code that an ordinary iteration does not execute is kept out of line: evaluations fill the first-level caches, and
 * between them the length of the executed code counts. */
#define APART   __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))
#define RARE(x) __builtin_expect(!!(x), 0)

void vg_stage_reset(vgIntegrator *it)
{
    it->contraction_left = 0;
    it->matrix.have = 0;
    it->matrix.held = it->matrix.stale = 0;
}

/* ---- one stage ---- */

/* One pass does it all: coordinates that are a vector space, and formulas without â, or a first-order map. */
static int in_one_pass(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp)
{
    return sys->one_pass && (sp->map == VG_STAGE_FIRST || (!sp->ahat && !st->w));
}

/* q, v, a of VG_STAGE_FIRST from Δ and Δ̇. */
static void states_by_maps(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    sys->ops->retract(sys, sp->q_r, st->delta, st->q);
    if (sys->vector_space)
        memcpy(st->v, st->delta_dot, (size_t)sys->nv * sizeof(double));
    else
        sys->ops->twist(sys, st->delta, st->q, st->delta_dot, st->v);
    if (st->w) vg_pass_add(sys->nv, -1, st->w, st->v);
    vg_pass_difference(sys->nv, sp->cv, st->v, sp->vhat, st->a);
}

void vg_stage_states(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    int nv = sys->nv;
    if (in_one_pass(sys, st, sp)) {
        vg_pass_states(nv, st, sp);
        return;
    }
    if (sp->map == VG_STAGE_FIRST) {
        vg_pass_difference(nv, sp->cv, st->delta, sp->dhat, st->delta_dot);
        states_by_maps(sys, st, sp);
        return;
    }
    if (sys->one_pass)
        for (int i = 0; i < nv; i++) st->q[i] = sp->q_r[i] + st->delta[i];
    else
        sys->ops->retract(sys, sp->q_r, st->delta, st->q);
    vg_pass_difference(nv, sp->ca, st->delta, sp->dhat, st->a);
    for (int i = 0; i < nv; i++) st->v[i] = sp->vhat[i] + sp->cv * (st->delta[i] - sp->dhat[i]);
    if (sp->ahat) vg_pass_add(nv, 1, sp->ahat, st->a);
    if (st->w) {
        vg_pass_add(nv, -1, sp->three_levels ? st->w + nv : st->w, st->v);
        vg_pass_add(nv, -(sp->ca / sp->cv), st->w, st->a);
    }
}

static vgTangent tangent_of(const vgStage *st, const vgStageSpec *sp, const double *a)
{
    return (vgTangent){.t = sp->t,
                       .q = st->q,
                       .v = st->v,
                       .a = a,
                       .lambda = st->lambda,
                       .cv = sp->cv,
                       .ca = sp->cm * sp->ca,
                       .map = sp->map,
                       .delta = st->delta,
                       .delta_dot = st->delta_dot,
                       .on_positions = st->at_position};
}

VG_COLD APART static void no_matrix(vgIntegrator *it, vgStatus status, double t)
{
    vg_fail_equation(it, status, t, it->work->bad_row,
                     status == VG_SINGULAR
                         ? (it->sys->ops->follow ? "no choice of independent coordinates is left in this "
                                                   "singular position (augmented3 passes it)"
                                                 : "the Newton matrix is singular")
                         : "the Newton matrix is not finite");
}

static inline vgStatus refactor(vgIntegrator *it, const vgStageSpec *sp, vgTangent *p)
{
    p->reuse = 1;
    vgStatus status = it->sys->ops->factor(it->sys, it->work, p);
    it->stats.jacobians++;
    it->matrix.have = status == VG_OK;
    it->matrix.moved = 0;
    it->matrix.cv = sp->cv;
    it->matrix.ca = p->ca;
    it->matrix.map = sp->map;
    if (RARE(it->renewal)) {
        vg_renewal_note(it, p);
        vg_renewal_forget_secants(it);
    }
    if (RARE(status != VG_OK)) no_matrix(it, status, sp->t);
    return status;
}

/* One rounding of the positions: far from the origin (a car after a hundred metres) constraints can be closed
 * to no better. */
APART static double rounding(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp)
{
    double far = sys->nl > 0 ? vg_rows_largest(sys->nq, sp->q_r, NULL) / sys->length : 0;
    return 4e-16 * vg_most(vg_most(far, 1), vg_rows_largest(sys->nv, st->delta, st->unit));
}

/* The change of the accelerations since a_old, those of the increment just made, a = ca (Δ − Δ̂); index 2 has
 * placed and corrected them. */
APART static double change_of(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp)
{
    double change = 0;
    for (int i = 0; i < sys->nv && st->w; i++)
        change = vg_larger(fabs(st->a[i] - sp->a_old[i]) * st->unit[i], change);
    if (st->w) return change;
    for (int i = 0; i < sys->nv; i++)
        change = vg_larger(fabs(sp->ca * (st->delta[i] - sp->dhat[i]) - sp->a_old[i]) * st->unit[i], change);
    return change;
}

/* What may remain by the step's own error: iterating far below it does not make the motion better. The change
 * of the accelerations measures it where the motion is resolved: there the first guess was not much further
 * away than that. */
static double own_target(const vgIntegrator *it, const vgStageSpec *sp, double change, double first_norm)
{
    double error = sp->own_error * change;
    return first_norm < (it->corners ? WELL_RESOLVED : RESOLVED) * error ? it->newton_err * error : 0;
}

/* What a held matrix may leave. Its increments shrink by the same factor from step to step, so that what they leave
 * has a sign and adds up: r in Δ moves the velocities by cv r a step. The method itself is off by about h²ä/6 there
 * in units of a/cv; a hundredth of that may be left. Methods that do not know ä leave a hundredth of the usual. */
APART static double held_target(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp, double goal)
{
    const double PART = 0.01;
    if (!sp->a_old || !sp->a_older) return PART * goal;
    double bend = 0;
    for (int i = 0; i < sys->nv; i++) {
        double a = st->w ? st->a[i] : sp->ca * (st->delta[i] - sp->dhat[i]);
        bend = vg_larger(fabs(a - 2 * sp->a_old[i] + sp->a_older[i]) * st->unit[i], bend);
    }
    double most = PART / 6 * bend / sp->ca;
    return most < goal ? most : goal;
}

/* Δ by the solution in x, and the state there, where that takes more than one pass. */
APART static void apply_by_maps(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, vgSizes *sizes)
{
    const double *d = st->x;
    vg_pass_sizes(sys->nv, st->x, st->a, st->unit, sys->v_closes ? sys->v_closes : st->unit, sizes);
    if (sp->map != VG_STAGE_PLAIN && !sys->vector_space) {
        sys->ops->rates(sys, st->delta, st->q, st->x, st->d);
        d = st->d;
    }
    if (sp->map == VG_STAGE_FIRST) {
        vg_pass_step(sys->nv, d, st, sp);
        states_by_maps(sys, st, sp);
    } else {
        vg_pass_add(sys->nv, 1, d, st->delta);
        vg_stage_states(sys, st, sp);
    }
}

/* A held matrix keeps what is dear, the tangents of elements and inertia, and takes the constraints' rows
 * where the stage begins (docs/theory.md, eq. 72d), once that is far from where it had them. Another row of
 * the matrix may then be singular: the caller makes a new one. */
APART static vgStatus renew_rows(vgIntegrator *it, vgTangent p)
{
    p.reuse = p.keep = 1;
    it->matrix.moved = 0;
    vg_renewal_note_rows(it, &p);
    return it->sys->ops->factor(it->sys, it->work, &p);
}

/* Are the rows Φ̈ in this stage? */
static inline int at_acceleration(const vgSystem *sys, const vgStage *st)
{
    return vg_at_acceleration(sys) && !st->at_position;
}

APART static void scale_by_level(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, double by)
{
    double by_level[3] = {-1, -1 / sp->cv, by};
    for (int i = 0; i < sys->nl; i++) st->xl[i] = by_level[sys->row_level[i]] * st->phi[i];
}

/* x, xl from r and Φ; λ and Δ by them, and the state there. Sizes of the increment, and of a before it. */
INLINED void solve_increment(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, int odd, vgSizes *sizes)
{
    const vgSystem *sys = it->sys;
    double ca = odd ? sp->cm * sp->ca : sp->ca, by = -1 / ca;
    int on_acc = at_acceleration(sys, st);
    vg_pass_right_sides(sys, st, by, on_acc ? by : -1);
    if (odd && st->mixed && !on_acc) scale_by_level(sys, st, sp, by);
    sys->ops->solve(sys, it->work, st->x, st->xl);
    if (odd && it->renewal && it->newton_mode != VG_NEWTON_MODIFIED)
        vg_renewal_use_secants(it, st->unit, st->x, st->xl);
    if (odd ? in_one_pass(sys, st, sp) : st->plain) {
        vg_pass_move(sys, st, sp, ca, sizes);
        return;
    }
    vg_pass_add(sys->nl, ca, st->xl, st->lambda);
    apply_by_maps(sys, st, sp, sizes);
}

/* Residuals with the rows at the level of accelerations. */
APART static void evaluate_accelerations(vgIntegrator *it, vgStage *st, const vgStageSpec *sp,
                                         const double *a)
{
    const vgSystem *sys = it->sys;
    int plain = sys->baumgarte_alpha == 0 && sys->baumgarte_beta == 0 && !sys->compliance &&
                sys->ops->levels_here && a == st->a;
    if (!plain)
        vg_system_rows(sys, it->work, sp->t, st->q, st->v, st->a, st->lambda, st->levels,
                       st->levels + sys->nl, st->phi);
    sys->ops->residual(sys, it->work, sp->t, st->q, st->v, a, st->lambda, st->r, NULL);
    if (plain) sys->ops->levels_here(sys, it->work, sp->t, st->q, st->v, a, NULL, NULL, st->phi);
}

/* Residuals of motion and constraints in iteration k: r and st->phi. */
INLINED void evaluate(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, const double *a, int odd, int k)
{
    const vgSystem *sys = it->sys;
    it->stats.residuals++;
    if (odd && sys->ops->approach)
        sys->ops->approach(sys, it->work, k == 0, sp->t, st->q, st->v, a, st->r);
    else if (!RARE(at_acceleration(sys, st) && sys->nl > 0))
        sys->ops->residual(sys, it->work, sp->t, st->q, st->v, a, st->lambda, st->r, st->phi);
    else
        evaluate_accelerations(it, st, sp, a);
}

/* The same where a bound alone says no and would cost an iteration: what is open is looked at, which takes a
 * fraction of one (docs/theory.md, eq. 26). The state must be that of Δ. */
APART static int is_seen_closed(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, double *open)
{
    const vgSystem *sys = it->sys;
    double most = 0;
    if (!(sys->is.saddle && vg_at_position(sys)) || st->mixed || *open > WORTH_A_LOOK * VG_STAGE_CLOSED)
        return 0;
    sys->ops->levels(sys, it->work, sp->t, st->q, st->v, NULL, st->phi, NULL, NULL);
    for (int i = 0; i < sys->nl; i++) most = vg_larger(fabs(st->phi[i]), most);
    *open = most / sys->length;
    return *open <= VG_STAGE_CLOSED;
}

/* How a held matrix does as it ages. */
APART static void remember_age(vgMatrixMemory *m, int iterations)
{
    if (m->held == 0) {
        m->fresh_iterations = iterations;
        m->extra = 0;
    }
    m->last_extra = vg_most(0, iterations - m->fresh_iterations);
    m->extra += m->last_extra;
    m->held++;
}

/* Would the next iteration, with the same matrix, not be the last? A new matrix costs about as much as an
 * iteration and makes the next increment smaller, and the constraints closed by it to second order. */
APART static int is_slow(const vgIntegrator *it, double norm, double theta, double goal)
{
    const vgSystem *sys = it->sys;
    double next = norm * theta;
    if (it->newton_mode == VG_NEWTON_HOLD) return theta >= 0.8; /* else its secants do */
    /* where the matrix costs as much as three iterations it must save that many */
    if (sys->costly) return theta >= 1 || (theta > 0.1 && log(goal / norm) < 4 * log(theta));
    return next * theta > goal * (1 - theta) ||
           (sys->nl > 0 && next * (it->matrix.moved + next) * sys->reach > VG_STAGE_CLOSED);
}

/* Take a new matrix in this iteration, where that is not once a step? */
APART static int wants_factor(const vgIntegrator *it, const vgStageSpec *sp, int k, int slow)
{
    const vgMatrixMemory *m = &it->matrix;
    if (!m->have || m->cv != sp->cv || m->ca != sp->cm * sp->ca || m->map != (int)sp->map) return 1;
    if (it->work->matrix_lost || it->newton_mode == VG_NEWTON_FULL) return 1;
    if (it->newton_mode == VG_NEWTON_STEP) return k == 0 || slow;
    if (k > 0) return it->newton_mode == VG_NEWTON_HOLD && it->newton_fixed == 0 && slow;
    return !vg_renewal_in_parts(it) && vg_renewal_is_due(it);
}

/* augmented3: near a singular position a multiplier hardly acts on its constraint and takes many iterations;
 * λ* is updated until Φ is met ([D] section 2), not until it no longer changes. An iteration that diverges
 * may meet Φ as well. */
APART static int met(const vgSystem *sys, const vgStage *st)
{
    for (int i = 0; i < sys->nl; i++)
        if (!(fabs(st->phi[i]) <= MET * sys->length)) return 0;
    return 1;
}

/* Index 2 by increments of the system's own: v and a are affine in Δ. */
static int may_correct_at_once(const vgStage *st, const vgStageSpec *sp)
{
    return st->w && !sp->three_levels && sp->map != VG_STAGE_FIRST;
}

/* v = v̂ + cv (Δ − Δ̂) − w and a = ca (Δ − Δ̂) − (ca/cv) w are those without w for Δ̂ + w/cv, into st->r. */
static void shift_hat(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    memcpy(st->r, sp->dhat, (size_t)sys->nv * sizeof *st->r);
    vg_pass_add(sys->nv, 1 / sp->cv, st->w, st->r);
}

/* An iteration in one go where the system offers it. 0: it does not, or not here. */
APART static int at_once(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgIteration *out)
{
    const vgSystem *sys = it->sys;
    if (it->newton_mode != VG_NEWTON_STEP) return 0;
    if (sp->r0 || sp->ahat || sp->cm != 1) return 0;
    if (sys->nl > 0 && !(sys->is.saddle && vg_at_position(sys)) && !may_correct_at_once(st, sp)) return 0;
    if (st->w) shift_hat(sys, st, sp);
    vgAffine s = {.t = sp->t,
                  .q_r = sp->q_r,
                  .dhat = st->w ? st->r : sp->dhat,
                  .vhat = sp->vhat,
                  .a_old = sp->a_old,
                  .cv = sp->cv,
                  .ca = sp->ca,
                  .map = sp->map,
                  .delta = st->delta,
                  .lambda = st->lambda,
                  .x = st->x,
                  .q = st->q,
                  .v = st->v,
                  .a = st->a,
                  .delta_dot = st->delta_dot,
                  .more = it->contraction_left == VG_BELIEVED + VG_WITH_MARGIN}; /* as the last one had */
    if (sys->ops->iterate(sys, it->work, &s, out) != VG_OK) return 0;
    it->stats.residuals++;
    it->stats.jacobians++;
    it->matrix.have = 0;
    it->matrix.moved = st->w ? out->norm : 0;
    return 1;
}

/* The same step by step: the residual at the state, the matrix if it is wanted, the solution, the state after
 * it. odd 0: no more than that. */
INLINED vgStatus by_steps(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j, int odd)
{
    const vgSystem *sys = it->sys;
    const double *a = st->a;
    vgSizes sizes;
    vgTangent p;
    if (odd && sp->cm != 1) {
        vg_pass_scale(sys->nv, sp->cm, st->a, st->am);
        a = st->am;
    }
    int given = odd && vg_metric_has_mass(it->metric); /* M̄ a in place of M a */
    if (given) a = vg_metric_zero(it->metric);
    int renews = odd ? wants_factor(it, sp, j->k, j->slow)
                     : j->k == 0 || j->slow || !it->matrix.have || it->work->matrix_lost;
    if (renews) {
        p = tangent_of(st, sp, a);
        if (sys->ops->ahead) sys->ops->ahead(sys, it->work, &p);
    }
    evaluate(it, st, sp, a, odd, j->k);
    if (odd && sp->r0) vg_pass_add(sys->nv, 1, sp->r0, st->r);
    if (given) vg_metric_add_inertia(it->metric, sys->nv, sp->cm, st->a, st->r);
    if (odd && !renews && j->k == 0 && it->rows_apart && it->matrix.moved > ROWS_STAY) {
        p = tangent_of(st, sp, a);
        renews = renew_rows(it, p) != VG_OK;
    }
    if (renews) {
        vgStatus status = refactor(it, sp, &p);
        if (RARE(status != VG_OK)) return status;
    }
    solve_increment(it, st, sp, odd, &sizes);
    /* what the linear solve leaves of the constraints: the increment times the way from where B was taken */
    it->matrix.moved += sizes.turned;
    j->renewed = renews;
    j->now.norm = sizes.x;
    j->now.acc = sizes.a;
    j->now.change = -1;
    j->now.open = sizes.turned * it->matrix.moved * sys->reach;
    return VG_OK;
}

/* An iteration with all that may be asked of one. */
APART static vgStatus odd_iteration(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j)
{
    const vgSystem *sys = it->sys;
    st->at_once = sp->matrix_unused && it->work->in_one_go && at_once(it, st, sp, &j->now);
    if (st->at_once) {
        j->placed = st->w != NULL;
        j->renewed = 1;
        if (st->w) vg_stage_states(sys, st, sp);
    } else {
        if (!j->placed) vg_stage_states(sys, st, sp);
        j->placed = 1;
        vgStatus status = by_steps(it, st, sp, j, 1);
        if (status != VG_OK) return status;
    }
    if (j->renewed) it->matrix.held = it->matrix.stale = 0;
    return VG_OK;
}

APART static vgStatus follow(vgIntegrator *it, vgStage *st, double t)
{
    vgStatus status = it->sys->ops->follow(it->sys, it->work, t, st->q, st->v, st->a);
    if (status != VG_OK)
        vg_fail_equation(it, status, t, it->work->bad_row, "the dependent coordinates cannot be closed");
    return status;
}

/* Is that enough, where the plain answer is no? */
APART static int is_enough(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j)
{
    const vgSystem *sys = it->sys;
    double norm = j->now.norm;
    if (j->goal <= FAR_ABOVE_ROUND_OFF && j->rest > j->goal) {
        double least = rounding(sys, st, sp);
        j->goal = vg_most(j->goal, vg_is_fine(it, sp) ? vg_fine_rounding(sys, j, least) : least);
    }
    int closed = vg_is_closed(it, st, j->now.open);
    double strict = j->goal;
    if (j->rest > j->goal && it->newton_err * sp->own_error > 0 && it->newton_mode < VG_NEWTON_HOLD) {
        if (j->now.change < 0) j->now.change = change_of(sys, st, sp);
        j->goal = vg_most(j->goal, own_target(it, sp, j->now.change, j->first_norm));
    }
    if (j->rest > j->goal && it->renewal && it->corners)
        j->goal = vg_most(j->goal, 0.01 * it->newton_err * j->first_norm);
    if (!closed && j->placed && it->newton_fixed == 0 && j->rest <= j->goal)
        closed = is_seen_closed(it, st, sp, &j->now.open);
    if (j->k + 1 == it->newton_fixed) it->stats.growing += j->k > 0 && j->theta >= 1 && norm > j->goal;
    if (it->newton_fixed > 0 ? j->k + 1 == it->newton_fixed : j->theta < 0.9 && j->rest <= j->goal && closed)
        return 1;
    /* at round-off: the increments no longer shrink */
    if (j->k > 0 && (norm <= (closed ? j->goal : strict) ||
                     (sys->nphi > 0 && j->theta > 0.5 && norm <= 64 * rounding(sys, st, sp))))
        return 1;
    if (j->k < 2 || !(j->theta > 0.5) || it->newton_fixed > 0) return 0;
    if (sys->ops->follow && sys->nphi > 0) /* B_D is ill conditioned there */
    {
        const int singular = norm <= NOISE && it->work->open <= SHUT * sys->length;
        it->stats.singular += singular;
        return singular;
    }
    return (sys->is.settle == VG_SETTLE_TANGENT || st->at_position) && norm <= CREEPING && met(sys, st);
}

/* Before the next iteration: is the matrix at hand still good? 0: the iteration leads nowhere. */
APART static int goes_on(vgIntegrator *it, const vgStageSpec *sp, vgJudged *j)
{
    double most = it->newton_mode == VG_NEWTON_MODIFIED ? CONTRACTS : j->fresh ? 2.0 : 0.8;
    if (j->k > 0 && j->theta > most) {
        if (j->fresh && j->theta > 2 && j->k > 2) return 0;
        it->matrix.stale = 1; /* an old matrix: take a new one, with a bounded cost in the next step */
        if (it->newton_fixed == 0 || it->newton_mode < VG_NEWTON_HOLD) it->matrix.have = 0;
    }
    /* an old matrix has its secants from the second iteration on */
    int left = sp->fine > 0 ? (int)sp->learned[2] : it->contraction_left;
    int known = j->k > 0 || (left > VG_WITH_MARGIN && it->newton_mode != VG_NEWTON_HOLD);
    double goal =
        sp->fine > 0 ? vg_target(it, sp, j->now.acc) : j->goal; /* beyond it the old matrix will do */
    j->slow = known && is_slow(it, j->now.norm, j->theta, goal);
    /* dependent velocities that go along with an old one converge more slowly than the increments say */
    if (sp->fine > 0 && it->sys->ops->approach && it->newton_mode == VG_NEWTON_STEP) j->slow = 1;
    j->before = j->now.norm;
    return 1;
}

VG_COLD APART static vgStatus failed(vgIntegrator *it, vgStage *st, double t, vgStatus status)
{
    it->matrix.have = 0;
    it->stats.newton_failures++;
    if (status == VG_NOT_CONVERGED) it->contraction_left = 0;
    vg_fail_equation(it, status, t, vg_fail_worst_row(it->sys, st),
                     status == VG_NOT_FINITE ? "Newton's iteration left the finite numbers"
                                             : "Newton's iteration did not converge");
    return status;
}

APART static void first_use(vgIntegrator *it, vgStage *st)
{
    const vgSystem *sys = it->sys;
    for (int i = 0; i < sys->nv; i++) st->unit[i] = 1 / sys->v_scale[i];
    for (int i = 0; i < sys->nl; i++) st->mixed |= sys->row_level[i] != 0;
    st->plain = sys->one_pass;
    if (st->plain) it->work->taken |= VG_FAST_PASSES;
    st->odd = it->renewal || st->mixed || sys->ops->approach || sys->ops->follow;
    st->it = it;
}

/* A fixed number of iterations with a held matrix: with those it would have taken. */
APART static int iterations_wanted(const vgJudged *j)
{
    return j->k + 1 + (j->theta < 0.5 ? (int)ceil(log(j->goal / j->rest) / log(j->theta)) : 10);
}

/* A stage begins in which more may be asked of an iteration. */
APART static void begin_odd(vgIntegrator *it, vgStage *st)
{
    const vgSystem *sys = it->sys;
    vg_renewal_forget_secants(it);
    if (it->matrix.have && it->newton_mode >= VG_NEWTON_HOLD) /* a held matrix is that far away */
        it->matrix.moved += vg_rows_largest(sys->nv, st->delta, sys->v_closes ? sys->v_closes : st->unit);
}

/* And ends. */
APART static vgStatus end_odd(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, const vgJudged *j)
{
    int held = it->newton_fixed > 0 && it->newton_mode >= VG_NEWTON_HOLD && j->rest > j->goal;
    if (held) st->last_iterations = iterations_wanted(j);
    if (it->renewal) remember_age(&it->matrix, st->last_iterations);
    if (!j->placed) vg_stage_states(it->sys, st, sp);
    if (!it->sys->ops->follow) return VG_OK;
    vgStatus status = follow(it, st, sp->t);
    if (sp->fine > 0 && status == VG_OK) sp->learned[3] = vg_fine_change(it->sys, st, sp);
    return status;
}

/* The goal and what remains where next to nothing is to. */
APART static double judge_finely(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp,
                                 vgJudged *j, double rest)
{
    if (sp->fine > 0) j->goal = vg_fine_target(it->sys, st, sp, j->now.acc, j->goal);
    return vg_fine_rest(it->sys, st, j->now.norm, rest);
}

static vgStatus solve_stage(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    if (RARE(!st->it)) first_use(it, st);
    int odd = st->odd || it->newton_mode != VG_NEWTON_STEP || sp->cm != 1 || sp->r0 || sp->ahat ||
              (st->w && sp->map != VG_STAGE_FIRST) || (sp->matrix_unused && it->work->in_one_go);
    int limit = it->newton_fixed > 0 ? it->newton_fixed : it->newton_max, fine = sp->fine > 0;
    int held = it->newton_mode >= VG_NEWTON_HOLD && it->newton_err > 0 && it->newton_fixed == 0;
    double first_theta = -1;
    vgJudged j;
    j.k = j.fresh = j.slow = j.met = j.known = 0;
    j.placed = st->placed;
    st->placed = 0;
    if (st->w) vg_stage_begin_corrections(it->sys, st, sp);
    if (RARE(odd))
        begin_odd(it, st), fine = vg_is_fine(it, sp);
    else if (!j.placed)
        vg_stage_states(it->sys, st, sp), j.placed = 1;
    for (;; j.k++) {
        vgStatus status = RARE(odd) ? odd_iteration(it, st, sp, &j) : by_steps(it, st, sp, &j, 0);
        if (RARE(status != VG_OK)) return status;
        if (st->w) vg_stage_correct(it, st, sp, &j.now);
        double norm = j.now.norm, theta, part = norm, of = 1; /* part/of remains: no division is waited for */
        j.fresh |= j.renewed;
        it->stats.newton_iterations++;
        if (RARE(!isfinite(norm))) return failed(it, st, sp->t, VG_NOT_FINITE);
        if (j.k == 0) {
            j.first_norm = norm;
            theta =
                vg_expected(it, (vgSeen){it->contraction, it->contraction_norm, it->contraction_left}, norm);
            if (RARE(sp->fine > 0)) theta = vg_fine_expected(it, st, sp, &j, theta);
            if (theta < 0.5) part = norm * theta, of = 1 - theta;
        } else {
            theta = j.before > 0 ? norm / j.before : 0;
            if (j.k == 1) first_theta = theta;
            part = norm * theta;
            of = vg_most(1e-3, 1 - theta);
            if (j.renewed && theta < 0.1) part *= 0.1; /* a new matrix does better than the old did */
        }
        j.theta = theta;
        j.goal = vg_target(it, sp, j.now.acc);
        if (RARE(held)) j.goal = held_target(it->sys, st, sp, j.goal);
        if (RARE(fine)) part = judge_finely(it, st, sp, &j, part / of), of = 1;
        int met =
            it->newton_fixed == 0 && theta < 0.9 && part <= j.goal * of && vg_is_closed(it, st, j.now.open);
        if (!met || RARE(odd)) j.rest = part / of;
        if (met || is_enough(it, st, sp, &j)) break;
        if (RARE(sp->fine > 0 && vg_fine_is_enough(it, st, sp, &j, limit))) break;
        if (RARE(!goes_on(it, sp, &j) || j.k + 1 >= limit)) return failed(it, st, sp->t, VG_NOT_CONVERGED);
    }
    st->last_iterations = j.k + 1;
    st->open = j.now.open;
    if (RARE(sp->fine > 0)) vg_fine_learn(sp->learned, first_theta, j.first_norm);
    if (first_theta >= 0 && !j.known) {
        int noise = first_theta > 0.1 && it->sys->nl == 0 && j.first_norm <= 64 * rounding(it->sys, st, sp);
        it->contraction = RARE(noise) ? AT_ROUND_OFF : first_theta;
        it->contraction_norm = j.first_norm;
        it->contraction_left = VG_BELIEVED + VG_WITH_MARGIN;
    } else if (it->contraction_left > 0) {
        it->contraction_left--;
    }
    return RARE(odd) ? end_odd(it, st, sp, &j) : VG_OK;
}

/* Rows at the level of accelerations near a singular position (docs/theory.md, eq. 73a): the stage is solved
 * with the rows on positions, then velocities and accelerations are put onto theirs. */
APART static vgStatus solve_on_positions(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    const vgSystem *sys = it->sys;
    st->at_position = 1;
    it->stats.singular++;
    vgStatus status = solve_stage(it, st, sp);
    if (status != VG_OK) return status;
    vg_stage_clean(it, st, sp->t);
    it->matrix.have = 0;
    if (sp->map == VG_STAGE_FIRST) sys->ops->rates(sys, st->delta, st->q, st->v, st->delta_dot);
    return VG_OK;
}

/* Where an old matrix has led nowhere, a new one every iteration may still do. */
vgStatus vg_stage_solve(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    const vgSystem *sys = it->sys;
    vgNewtonMode mode = it->newton_mode;
    size_t nv = (size_t)sys->nv * sizeof(double), nl = (size_t)sys->nl * sizeof(double);
    st->at_position = 0;
    st->a_old = sp->a_old;
    st->q_r = sp->q_r;
    int at_acc = vg_at_acceleration(sys);
    if ((mode < VG_NEWTON_HOLD && !at_acc) || it->newton_fixed > 0) return solve_stage(it, st, sp);
    int derived = at_acc && vg_system_may_take_positions(sys, st->lambda);
    if (mode < VG_NEWTON_HOLD && !derived) return solve_stage(it, st, sp);
    memcpy(st->first, st->delta, nv);
    memcpy(st->first + sys->nv, st->lambda, nl);
    vgStatus status = solve_stage(it, st, sp);
    if (status != VG_NOT_CONVERGED && status != VG_NOT_FINITE) return status;
    memcpy(st->delta, st->first, nv);
    memcpy(st->lambda, st->first + sys->nv, nl);
    it->newton_mode = VG_NEWTON_FULL;
    status = derived ? solve_on_positions(it, st, sp) : solve_stage(it, st, sp);
    it->newton_mode = mode;
    return status;
}
