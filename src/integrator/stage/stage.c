#include "integrator/stage/stage.h"

#include <math.h>
#include <string.h>

#include "integrator/passes.h"
#include "integrator/stage/metric.h"
#include "integrator/stage/renewal.h"
#include "integrator/rows.h"
#include "integrator/stage/correct.h"
#include "integrator/stage/fine.h"

/* Contraction rate that is assumed if increments are at rounding level, where their quotient is meaningless. Not used where
 * multipliers are wanted, which such increments change by ca times as much. Without it single bodies take more iterations
 * than [H] prints (test_paper_h). */
static const double AT_ROUND_OFF = 4e-3;
/* A new matrix leaves less of its increment than the one before did, where that contracted already. Without it the
 * heavy top takes 1166 iterations for 1261 at index 2, and 2636 for 2015 in independent coordinates. */
static const double BETTER = 0.1;
static const double ROWS_STAY = 3e-3; /* displacement up to which a reused matrix keeps its constraint rows */

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
                     status == VG_SINGULAR ? (it->sys->ops->dependent.follow
                                                  ? "no choice of independent coordinates is left in this "
                                                    "singular position (augmented3 passes it)"
                                                  : "the Newton matrix is singular")
                                           : "the Newton matrix is not finite");
}

/* Where the increments of single bodies are not kept, a contact may slide by so many times their largest translation: it
 * turns as well. At a third of it piles of spheres cycle, at three times it the last iterations converge slowly. */
static const double WITH_ROTATION = 10;

/* How far the last increment has moved the velocities, of every body into st->d where there is room; where forces may
 * have corners. */
APART static void see_wander(vgIntegrator *it, const vgStage *st, const vgStageSpec *sp)
{
    const vgSystem *sys = it->sys;
    const int n = 2 * sys->model->nbody, each = n <= sys->nv && !it->renewal;
    double most = 0;
    for (int i = 0; each && i < n; i++) st->d[i] = 0;
    for (int i = 0; i < sys->nv; i++) {
        int turns = sys->v_scale[i] != sys->length;
        double size = sp->cv * fabs(st->x[i]);
        if (!turns) most = vg_larger(size, most);
        if (each) st->d[2 * sys->v_body[i] + turns] += size;
    }
    it->work->wander = WITH_ROTATION * most;
    it->work->stir = each ? st->d : NULL;
}

static inline vgStatus refactor(vgIntegrator *it, vgTangent *p)
{
    p->reuse = 1;
    vgStatus status = it->sys->ops->factor(it->sys, it->work, p);
    it->stats.jacobians++;
    it->matrix.have = status == VG_OK;
    it->work->matrix_lost = 0;
    it->matrix.moved = 0;
    it->matrix.cv = p->cv;
    it->matrix.ca = p->ca;
    it->matrix.map = p->map;
    if (RARE(it->renewal)) {
        vg_renewal_note(it, p);
        vg_renewal_forget_secants(it);
    }
    if (RARE(status != VG_OK)) no_matrix(it, status, p->t);
    return status;
}

APART vgStatus vg_stage_refactor(vgIntegrator *it, const vgStage *st, double t)
{
    vgTangent p = {.t = t,
                   .q = st->q,
                   .v = st->v,
                   .a = st->a,
                   .lambda = st->lambda,
                   .cv = it->matrix.cv,
                   .ca = it->matrix.ca,
                   .map = it->matrix.map,
                   .delta = st->delta,
                   .delta_dot = st->delta_dot,
                   .on_positions = st->at_position};
    return refactor(it, &p);
}

/* A reused matrix keeps the tangents of elements and inertia, which are costly. Its constraint rows are evaluated again at
 * the beginning of a stage that is far from where they were taken (docs/theory.md, eq. 72d). If the matrix becomes
 * singular, the caller makes a new one. */
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
    if (odd ? vg_stage_in_one_pass(sys, st, sp) : st->plain) {
        vg_pass_move(sys, st, sp, ca, sizes);
        return;
    }
    vg_pass_add(sys->nl, ca, st->xl, st->lambda);
    vg_stage_apply(sys, st, sp, sizes);
}

/* Residuals with the rows at the level of accelerations. */
APART static void evaluate_accelerations(vgIntegrator *it, vgStage *st, const vgStageSpec *sp,
                                         const double *a)
{
    const vgSystem *sys = it->sys;
    int plain = sys->drift.alpha == 0 && sys->drift.beta == 0 && !sys->drift.compliance &&
                sys->ops->extra.levels_here && a == st->a;
    if (!plain)
        vg_system_rows(sys, it->work, sp->t, st->q, st->v, st->a, st->lambda, st->levels,
                       st->levels + sys->nl, st->phi);
    sys->ops->residual(sys, it->work, sp->t, st->q, st->v, a, st->lambda, st->r, NULL);
    if (plain) sys->ops->extra.levels_here(sys, it->work, sp->t, st->q, st->v, a, NULL, NULL, st->phi);
}

/* Residuals of motion and constraints in iteration k: r and st->phi. */
INLINED void evaluate(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, const double *a, int odd, int k)
{
    const vgSystem *sys = it->sys;
    it->stats.residuals++;
    if (odd && sys->ops->approach.residual)
        sys->ops->approach.residual(sys, it->work, k == 0, sp->t, st->q, st->v, a, st->r);
    else if (!RARE(at_acceleration(sys, st) && sys->nl > 0))
        sys->ops->residual(sys, it->work, sp->t, st->q, st->v, a, st->lambda, st->r, st->phi);
    else
        evaluate_accelerations(it, st, sp, a);
}

/* Counts the iterations that a reused matrix costs beyond those of a new one. */
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

/* 1: this iteration takes a new matrix; for settings other than one matrix a step. */
APART static int wants_factor(const vgIntegrator *it, const vgStageSpec *sp, int k, int slow)
{
    const vgMatrixMemory *m = &it->matrix;
    if (!m->have || m->cv != sp->cv || m->ca != sp->cm * sp->ca || m->map != (int)sp->map) return 1;
    if (it->work->matrix_lost || it->newton_mode == VG_NEWTON_FULL) return 1;
    if (it->newton_mode == VG_NEWTON_STEP) return k == 0 || slow;
    if (k == 0 && vg_renewal_shows(it)) return 1;
    if (k > 0) return it->newton_mode == VG_NEWTON_HOLD && it->newton_fixed == 0 && slow;
    return !vg_renewal_in_parts(it) && vg_renewal_is_due(it);
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
                  .more = it->contraction_left == VG_BELIEVED + VG_WITH_MARGIN, /* as the last one had */
                  .y = st->w && !it->metric ? st->d : NULL,
                  .z = st->xl,
                  .offset = st->guessed ? st->w : NULL};
    out->corrects = 0;
    if (sys->ops->sweep.iterate(sys, it->work, &s, out) != VG_OK) return 0;
    it->stats.residuals++;
    it->stats.jacobians++;
    it->matrix.have = 0;
    it->matrix.moved = st->w ? out->norm : 0;
    return 1;
}

/* One iteration: the residual at the state, the matrix if a new one is wanted, the solution, and the state after it. odd: 0
 * leaves out what only some methods and settings need, and is compiled without it. */
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
        if (sys->ops->approach.ahead) sys->ops->approach.ahead(sys, it->work, &p);
    }
    evaluate(it, st, sp, a, odd, j->k);
    if (odd && sp->r0) vg_pass_add(sys->nv, 1, sp->r0, st->r);
    if (given) vg_metric_add_inertia(it->metric, sys->nv, sp->cm, st->a, st->r);
    if (odd && !renews && j->k == 0 && it->rows_apart && it->matrix.moved > ROWS_STAY) {
        p = tangent_of(st, sp, a);
        renews = renew_rows(it, p) != VG_OK;
    }
    if (renews) {
        if (RARE(it->corners && j->k > 0)) see_wander(it, st, sp);
        vgStatus status = refactor(it, &p);
        it->work->wander = 0;
        it->work->stir = NULL;
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

/* One iteration of a method or setting that needs more than the ordinary one, or all of it at once by the system. */
APART static vgStatus odd_iteration(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j)
{
    const vgSystem *sys = it->sys;
    st->at_once = sp->matrix_unused && it->work->in_one_go && at_once(it, st, sp, &j->now);
    if (st->at_once) {
        j->placed = st->w != NULL;
        j->renewed = 1;
        if (st->w && !j->now.corrects) vg_stage_states(sys, st, sp);
    } else {
        j->now.corrects = 0;
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
    vgStatus status = it->sys->ops->dependent.follow(it->sys, it->work, t, st->q, st->v, st->a);
    if (status != VG_OK)
        vg_fail_equation(it, status, t, it->work->bad_row, "the dependent coordinates cannot be closed");
    return status;
}

VG_COLD APART static vgStatus failed(vgIntegrator *it, vgStage *st, double t, vgStatus status)
{
    it->matrix.have = 0;
    it->stats.newton_failures++;
    if (status == VG_NOT_CONVERGED) it->contraction_left = 0;
    vg_fail_equation(it, status, t, vg_fail_worst_row(it->sys, st),
                     status == VG_NOT_FINITE ? "Newton's iteration gave numbers that are not finite"
                                             : "Newton's iteration did not converge");
    return status;
}

/* Which coordinates are lengths: those that a displacement of the bodies moves, and no rotation does. Bodies are displaced
 * by the length of the model along one axis after the other. In body axes too, one of the three moves each position by
 * 1/√3 of it at least, and orientations move by rounding alone: the answer is the same at any configuration. */
static const double MOVED = 0.3; /* of the displacement; above 1/√3 = 0.58 positions are missed */

static void find_lengths(const vgSystem *sys, vgStage *st, const double *q)
{
    for (int i = 0; i < sys->nq; i++) st->unit_q[i] = 1;
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < sys->nv; i++)
            st->d[i] = i % 3 == axis && sys->v_scale[i] == sys->length ? sys->length : 0;
        sys->ops->retract(sys, q, st->d, st->moved_q);
        for (int i = 0; i < sys->nq; i++)
            if (fabs(st->moved_q[i] - q[i]) > MOVED * sys->length) st->unit_q[i] = 1 / sys->length;
    }
}

APART static void first_use(vgIntegrator *it, vgStage *st, const double *q)
{
    const vgSystem *sys = it->sys;
    for (int i = 0; i < sys->nv; i++) st->unit[i] = 1 / sys->v_scale[i];
    find_lengths(sys, st, q);
    for (int i = 0; i < sys->nl; i++) st->mixed |= sys->row_level[i] != 0;
    st->plain = sys->one_pass;
    if (st->plain) it->work->taken |= VG_FAST_PASSES;
    st->odd = it->renewal || st->mixed || sys->ops->approach.residual || sys->ops->dependent.follow;
    st->it = it;
}

/* A fixed number of iterations with a reused matrix: the number that convergence would have taken. */
APART static int iterations_wanted(const vgJudged *j)
{
    return j->k + 1 + (j->theta < 0.5 ? (int)ceil(log(j->goal / j->rest) / log(j->theta)) : 10);
}

/* Before and after a stage with such iterations. */
APART static void begin_odd(vgIntegrator *it, vgStage *st)
{
    const vgSystem *sys = it->sys;
    vg_renewal_forget_secants(it);
    if (it->matrix.have && it->newton_mode >= VG_NEWTON_HOLD) /* a held matrix is that far away */
        it->matrix.moved += vg_rows_largest(sys->nv, st->delta, sys->v_closes ? sys->v_closes : st->unit);
}

APART static vgStatus end_odd(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, const vgJudged *j)
{
    int held = it->newton_fixed > 0 && it->newton_mode >= VG_NEWTON_HOLD && j->rest > j->goal;
    if (held) st->last_iterations = iterations_wanted(j);
    if (it->renewal) remember_age(&it->matrix, st->last_iterations);
    if (!j->placed) vg_stage_states(it->sys, st, sp);
    if (!it->sys->ops->dependent.follow) return VG_OK;
    vgStatus status = follow(it, st, sp->t);
    if (sp->fine > 0 && status == VG_OK) sp->learned[3] = vg_fine_change(it->sys, st, sp);
    return status;
}

/* The bound of the error and the estimate of it, for stages that are to be exact (fine.h). */
APART static double judge_finely(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp,
                                 vgJudged *j, double rest)
{
    if (sp->fine > 0) j->goal = vg_fine_target(it->sys, st, sp, j->now.acc, j->goal);
    return vg_fine_rest(it, st, j->now.norm, rest);
}

/* part/of, kept as two numbers so that a comparison needs no division. */
typedef struct vgShare {
    double part, of;
} vgShare;

/* The error after this increment, by the contraction rate that is observed, or expected in the first iteration
 * (j->theta). */
INLINED vgShare what_is_left(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j)
{
    const double norm = j->now.norm;
    double theta;
    if (j->k == 0) {
        j->first_norm = norm;
        theta = vg_expected(it, (vgSeen){it->contraction, it->contraction_norm, it->contraction_left}, norm);
        if (RARE(sp->fine > 0)) theta = vg_fine_expected(it, st, sp, j, theta);
        j->theta = theta;
        return theta < 0.5 ? (vgShare){norm * theta, 1 - theta} : (vgShare){norm, 1};
    }
    j->theta = theta = j->before > 0 ? norm / j->before : 0;
    double part = norm * theta;
    if (j->renewed && theta < BETTER) part *= BETTER;
    return (vgShare){part, vg_most(1e-3, 1 - theta)};
}

/* Keeps the observed contraction rate for the next stages. */
INLINED void learn(vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, const vgJudged *j,
                   double first_theta)
{
    if (first_theta >= 0 && !j->known) {
        int noise = first_theta > BETTER && it->sys->nl == 0 &&
                    j->first_norm <= 64 * vg_stage_rounding(it->sys, st, sp);
        it->contraction = RARE(noise) ? AT_ROUND_OFF : first_theta;
        it->contraction_norm = j->first_norm;
        it->contraction_left = VG_BELIEVED + VG_WITH_MARGIN;
    } else if (it->contraction_left > 0) {
        it->contraction_left--;
    }
}

/* What the ordinary iteration leaves out: methods with another map, an own residual, reused matrices. */
INLINED int is_odd(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp)
{
    return st->odd || it->newton_mode != VG_NEWTON_STEP || sp->cm != 1 || sp->r0 || sp->ahat ||
           (st->w && sp->map != VG_STAGE_FIRST) || (sp->matrix_unused && it->work->in_one_go);
}

/* What is left, with what the increment alone does not show: a finer target, or dependent coordinates that follow. */
INLINED vgShare left_in_all(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, vgJudged *j,
                            vgShare left, int fine)
{
    const double rest = left.part / left.of;
    return (vgShare){fine ? judge_finely(it, st, sp, j, rest) : vg_fine_rest(it, st, j->now.norm, rest), 1};
}

INLINED int is_met(const vgIntegrator *it, const vgStage *st, const vgJudged *j, vgShare left)
{
    return it->newton_fixed == 0 && j->theta < VG_CONTRACTS && left.part <= j->goal * left.of &&
           vg_is_closed(it, st, j->now.open);
}

static vgStatus solve_stage(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    if (RARE(!st->it)) first_use(it, st, sp->q_r);
    const int odd = is_odd(it, st, sp);
    int limit = it->newton_fixed > 0 ? it->newton_fixed : it->newton_max, fine = sp->fine > 0;
    /* what is left falls by the same factor in each iteration, not by its square: a matrix that is held, or one without what the
     * centripetal accelerations of dependent coordinates change by */
    const int linear = it->newton_fixed == 0 &&
                       (it->newton_mode >= VG_NEWTON_HOLD || (it->sys->ops->dependent.follow && !fine));
    double first_theta = -1;
    vgJudged j;
    j.k = j.fresh = j.slow = j.met = j.known = j.served = j.now.corrects = 0;
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
        j.fresh |= j.renewed;
        it->stats.newton_iterations++;
        if (RARE(!isfinite(j.now.norm))) return failed(it, st, sp->t, VG_NOT_FINITE);
        vgShare left = what_is_left(it, st, sp, &j);
        if (j.k == 1) first_theta = j.theta;
        j.goal = vg_target(it, sp, j.now.acc);
        if (RARE(linear)) j.goal = vg_stage_held_target(it, st, sp, j.goal);
        if (RARE(fine || it->sys->ops->approach.residual != NULL))
            left = left_in_all(it, st, sp, &j, left, fine);
        const int met = is_met(it, st, &j, left);
        if (!met || RARE(odd)) j.rest = left.part / left.of;
        if (met || vg_stage_is_enough(it, st, sp, &j)) break;
        if (RARE(sp->fine > 0 && vg_fine_is_enough(it, st, sp, &j, limit))) break;
        if (RARE(!vg_stage_goes_on(it, sp, &j) || j.k + 1 >= limit))
            return failed(it, st, sp->t, VG_NOT_CONVERGED);
    }
    st->last_iterations = j.k + 1;
    st->open = j.now.open;
    if (RARE(sp->fine > 0)) vg_fine_learn(sp->learned, first_theta, j.first_norm);
    learn(it, st, sp, &j, first_theta);
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

/* If the iteration fails with a reused matrix, it is repeated with a new one in every iteration. */
static vgStatus solve_or_repeat(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    const vgSystem *sys = it->sys;
    vgNewtonMode mode = it->newton_mode;
    size_t nv = (size_t)sys->nv * sizeof(double), nl = (size_t)sys->nl * sizeof(double);
    st->at_position = 0;
    st->a_old = sp->a_old;
    st->q_r = sp->q_r;
    for (int i = 0; i < sys->nl && it->work->active; i++) /* an extrapolation does not know */
        if (!it->work->active[i]) st->lambda[i] = 0;
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

APART static vgStatus solve_watched(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    const vgStageWatch *w = it->watch;
    if (w->before) w->before(w->user, sp);
    vgStatus status = solve_or_repeat(it, st, sp);
    if (status == VG_OK) w->solved(w->user, st, sp);
    return status;
}

vgStatus vg_stage_solve(vgIntegrator *it, vgStage *st, const vgStageSpec *sp)
{
    return RARE(it->watch != NULL) ? solve_watched(it, st, sp) : solve_or_repeat(it, st, sp);
}
