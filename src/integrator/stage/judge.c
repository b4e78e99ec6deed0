/* How an iteration of a stage is judged: is it enough, and does the next one need another matrix? Nothing here runs
 * in an ordinary iteration that meets its target (stage.c). */
#include <math.h>

#include "integrator/stage/fine.h"
#include "integrator/stage/renewal.h"

static const double FAR_ABOVE_ROUND_OFF = 1e-12;
/* Largest error of the first guess, in units of the step's own error, at which a step counts as resolved; the smaller
 * bound holds where forces may have corners, at which accelerations change by more than the motion's error */
static const double RESOLVED = 2, WELL_RESOLVED = 0.2;
static const double MET = 1e-10;  /* relative constraint violation that is accepted in a singular position */
static const double SHUT = 1e-14; /* relative constraint violation at rounding level */
static const double NOISE = 1e-9; /* largest increment that rounding causes near a singular position */
/* newton=modified: a matrix that leaves more of an increment than CONTRACTS, or that has served MOST_WITH_ONE
 * iterations of a stage, is updated. [H] 3.4 has both rules without their numbers; 0.5 and 8 are the defaults of the
 * program that the paper used. */
static const double CONTRACTS = 0.5;
enum { MOST_WITH_ONE = 8 };
/* Bound of the violation, in units of the accepted one, up to which the violation itself is computed. Without it
 * ESDIRK of order 4 takes 13,736 iterations for 11,870 on the flexible slider-crank at index 3. */
static const double WORTH_A_LOOK = 8;
/* Part of newton_err times the first increment that a reused matrix may leave where forces have corners: beyond one
 * it contracts slowly. Without it ESDIRK of order 4 takes 856 factorisations for 366 on the Iltis. */
static const double AT_CORNERS = 0.01;
/* A reused matrix that leaves more of an increment than this is updated: four iterations with it leave more than one
 * with a new one. And one of elements that cost much is not updated while it leaves less than QUICK: without that
 * rule the shallow arch takes 947 factorisations for 603 and 1179 iterations for 1523. */
static const double STALE = 0.8, QUICK = 0.1;
static const double CREEPING = 1e-5; /* increment of an iteration that no longer converges */

/* One rounding of the positions: far from the origin (a car after a hundred metres), and after many turns, constraints can
 * be closed to no better. An angle is no length: in lengths of a mechanism of micrometres it would be ten thousand. */
double vg_stage_rounding(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp)
{
    double far = sys->nl > 0 ? vg_rows_largest(sys->nq, sp->q_r, st->unit_q) : 0;
    return 4e-16 * vg_most(vg_most(far, 1), vg_rows_largest(sys->nv, st->delta, st->unit));
}

/* The change of the accelerations since a_old, those of the increment just made, a = ca (Δ − Δ̂); index 2 has
 * placed and corrected them. */
static double change_of(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp)
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

/* The error that an iteration with a reused matrix may leave. Such a matrix contracts by the same factor in every
 * step, so that the remaining errors have one sign and add up: an error r of Δ changes the velocities by cv r in each
 * step. The discretisation error of the velocities is about h²ä/6 times 1/cv; a third of a hundredth of it
 * may remain. Methods that do not estimate ä leave a thousandth of the usual bound: with a hundredth, ESDIRK of order 4 changes
 * by a tenth of its discretisation error. */
double vg_stage_held_target(vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, double goal)
{
    const double UNKNOWN = 1e-3, A_THIRD = 1.0 / 3; /* the largest of several directions is seen alone */
    const vgSystem *sys = it->sys;
    it->matrix.bend = -1;
    if (!sp->a_old || !sp->a_older) return it->newton_err > 0 ? UNKNOWN * goal : goal;
    double bend = 0;
    for (int i = 0; i < sys->nv; i++) {
        double a = st->w ? st->a[i] : sp->ca * (st->delta[i] - sp->dhat[i]);
        bend = vg_larger(fabs(a - 2 * sp->a_old[i] + sp->a_older[i]) * st->unit[i], bend);
    }
    it->matrix.bend = bend;
    double most = A_THIRD * VG_PART_OF_OWN / 6 * bend / sp->ca;
    return most < goal && it->newton_err > 0 ? most : goal;
}

/* As vg_is_closed, but with the computed violation instead of a bound. It is used where the bound would require another
 * iteration, of which the violation costs a fraction (docs/theory.md, eq. 26). The state must be that of Δ. */
static int is_seen_closed(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, double *open)
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

/* Would the next iteration, with the same matrix, not be the last? A new matrix costs about as much as an
 * iteration and makes the next increment smaller, and the constraints closed by it to second order. */
static int is_slow(const vgIntegrator *it, double norm, double theta, double goal)
{
    const vgSystem *sys = it->sys;
    double next = norm * theta;
    if (it->newton_mode == VG_NEWTON_HOLD) return theta >= STALE; /* else its secants do */
    /* where the matrix costs as much as three iterations it must save that many */
    if (sys->cost.high) return theta >= 1 || (theta > QUICK && log(goal / norm) < 4 * log(theta));
    return next * theta > goal * (1 - theta) ||
           (sys->nl > 0 && next * (it->matrix.moved + next) * sys->reach > VG_STAGE_CLOSED);
}

/* augmented3: near a singular position a multiplier has little effect on its constraint and converges slowly. λ* is updated
 * until Φ is satisfied ([D] section 2), not until it no longer changes. A diverging iteration may satisfy Φ as well. */
static int met(const vgSystem *sys, const vgStage *st)
{
    for (int i = 0; i < sys->nl; i++)
        if (!(fabs(st->phi[i]) <= MET * sys->length)) return 0;
    return 1;
}

/* See fine.h. */
int vg_stage_is_enough(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j)
{
    const vgSystem *sys = it->sys;
    double norm = j->now.norm;
    if (j->goal <= FAR_ABOVE_ROUND_OFF && j->rest > j->goal) {
        double least = vg_stage_rounding(sys, st, sp);
        j->goal = vg_most(j->goal, vg_is_fine(it, sp) ? vg_fine_rounding(sys, j, least) : least);
    }
    int closed = vg_is_closed(it, st, j->now.open);
    double strict = j->goal;
    if (j->rest > j->goal && it->newton_err * sp->own_error > 0 && it->newton_mode < VG_NEWTON_HOLD) {
        if (j->now.change < 0) j->now.change = change_of(sys, st, sp);
        j->goal = vg_most(j->goal, own_target(it, sp, j->now.change, j->first_norm));
    }
    if (j->rest > j->goal && it->renewal && it->corners)
        j->goal = vg_most(j->goal, AT_CORNERS * it->newton_err * j->first_norm);
    if (!closed && j->placed && it->newton_fixed == 0 && j->rest <= j->goal)
        closed = is_seen_closed(it, st, sp, &j->now.open);
    if (j->k + 1 == it->newton_fixed) it->stats.growing += j->k > 0 && j->theta >= 1 && norm > j->goal;
    if (it->newton_fixed > 0 ? j->k + 1 == it->newton_fixed
                             : j->theta < VG_CONTRACTS && j->rest <= j->goal && closed)
        return 1;
    /* at round-off: the increments no longer shrink */
    if (j->k > 0 && (norm <= (closed ? j->goal : strict) ||
                     (sys->nphi > 0 && j->theta > 0.5 && norm <= 64 * vg_stage_rounding(sys, st, sp))))
        return 1;
    if (j->k < 2 || !(j->theta > 0.5) || it->newton_fixed > 0) return 0;
    if (sys->ops->dependent.follow && sys->nphi > 0) { /* B_D is ill conditioned there */
        const int singular = j->renewed && norm <= NOISE && it->work->open <= SHUT * sys->length;
        it->stats.singular += singular;
        return singular;
    }
    return (sys->is.settle == VG_SETTLE_TANGENT || st->at_position) && norm <= CREEPING && met(sys, st);
}

/* See fine.h. */
int vg_stage_goes_on(vgIntegrator *it, const vgStageSpec *sp, vgJudged *j)
{
    double most = it->newton_mode == VG_NEWTON_MODIFIED ? CONTRACTS : j->fresh ? 2.0 : STALE;
    if (j->k > 0 && j->theta > most) {
        /* a large increment across a corner of a force is no divergence; nor is it, from a far guess, with a new matrix in
         * every iteration, which may wander before it converges: as printed it ends by the number of iterations alone */
        if (j->fresh && j->theta > 2 && j->k > 2 && it->newton_mode != VG_NEWTON_FULL &&
            !(it->corners && j->now.norm < j->first_norm))
            return 0;
        it->matrix.stale = 1; /* an old matrix: take a new one, with a bounded cost in the next step */
        if (it->newton_fixed == 0 || it->newton_mode < VG_NEWTON_HOLD) it->matrix.have = 0;
    }
    j->served = j->renewed ? 1 : j->served + 1;
    if (it->newton_mode == VG_NEWTON_MODIFIED && it->newton_fixed == 0 && j->served >= MOST_WITH_ONE)
        it->matrix.have = 0;
    /* the secants of a reused matrix exist from the second iteration on */
    int left = sp->fine > 0 ? (int)sp->learned[2] : it->contraction_left;
    int known = j->k > 0 || (left > VG_WITH_MARGIN && it->newton_mode != VG_NEWTON_HOLD);
    double goal = sp->fine > 0 ? vg_target(it, sp, j->now.acc)
                               : j->goal; /* beyond this target the old matrix suffices */
    j->slow = known && is_slow(it, j->now.norm, j->theta, goal);
    /* with a reused matrix dependent velocities converge more slowly than the increments show */
    if (sp->fine > 0 && it->sys->ops->approach.residual && it->newton_mode == VG_NEWTON_STEP) j->slow = 1;
    j->before = j->now.norm;
    return 1;
}
