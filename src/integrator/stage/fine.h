/* Convergence criterion of a stage (docs/theory.md, eq. 25), and the stricter one of methods of higher order (eq.
 * 25c). */
#ifndef VERGE_INTEGRATOR_STAGE_FINE_H
#define VERGE_INTEGRATOR_STAGE_FINE_H

#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "integrator/tuning.h"

/* Number of stages for which an observed contraction rate is used without a second iteration: unchanged at first, then
 * with a margin of VG_MARGIN. */
enum { VG_BELIEVED = 16, VG_WITH_MARGIN = 1000, VG_MARGIN = 100 };
/* Relative constraint violation that may be left to the clean-up. */
#define VG_STAGE_AJAR 1e-9
/* A tolerance below this, a thousand roundings, asks for all digits: every stage takes a second iteration, for λ is known
 * to tol times ca. */
#define VG_TOL_EXACT 2e-13

/* One iteration and its assessment. */
typedef struct vgJudged {
    int k, renewed, fresh; /* the iteration; with a new matrix; there has been one in this stage */
    int slow, placed;      /* the matrix at hand would need several more; q, v, a are those of Δ */
    int met, known;        /* the plain target has been met; by the first iteration */
    double before, first_norm, theta, rest, goal;
    vgIteration now;
} vgJudged;

/* A contraction rate, the increment it was observed at, and the number of stages for which it is still used. */
typedef struct vgSeen {
    double theta, norm;
    int left;
} vgSeen;

/* ---- judge.c ---- */

/* One rounding of the positions: far from the origin (a car after a hundred metres) constraints can be closed
 * to no better. */
double vg_stage_rounding(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp);
/* What a held matrix may leave. */
double vg_stage_held_target(vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, double goal);
/* Is that enough, where the plain answer is no? */
int vg_stage_is_enough(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j);
/* Before the next iteration: is the matrix at hand still good? 0: the iteration leads nowhere. */
int vg_stage_goes_on(vgIntegrator *it, const vgStageSpec *sp, vgJudged *j);

/* Bound of the error after this iteration: the position tolerance, or, if smaller, a part of the displacement by
 * accelerations in a step (but not below rounding: is_enough). */
static inline double vg_target(const vgIntegrator *it, const vgStageSpec *sp, double acc)
{
    double by_acc = it->newton_acc / sp->ca * acc;
    return by_acc < it->newton_tol ? by_acc : it->newton_tol;
}

/* 1: the constraints are satisfied after this increment, or will be after the clean-up, which leaves the part `moved` of
 * the violation. */
static inline int vg_is_closed(const vgIntegrator *it, const vgStage *st, double open)
{
    const vgSystem *sys = it->sys;
    return sys->nl == 0 || open <= VG_STAGE_CLOSED ||
           (st->closes && open <= VG_STAGE_AJAR && open * it->matrix.moved * sys->reach <= VG_STAGE_CLOSED);
}

/* The contraction of a matrix that is reused is measured in every stage, by a second iteration: a body that spins turns
 * it from good to bad within a quarter of a turn. Where tolerances are given (tol, acc) it is taken to grow with the way
 * that the motion has gone since it was factorised, that is with the number of stages solved with it. It is measured again, by a second iteration, after 0, 1, 2, 4, 8, …
 * stages; in between it has at most doubled, which VG_AGEING allows for. At half the factor (none) the growth is
 * missed, and reused matrices add errors of 1e-5 to 1e-3 to the motion; at twice, more stages take a second iteration. */
enum { VG_AGEING = 2 };
static inline int vg_is_believed_at_age(int stages)
{
    return stages > 0 && (stages & (stages - 1)) != 0;
}

/* Contraction to expect of the first iteration: that of an earlier stage, more where the increment is larger.
 * Where forces have corners no better contraction than 1e-6 of a new matrix and 0.05 of a reused one is believed: it may
 * have been observed while a spring was straight, and would be wrong beyond its corner. */
static inline double vg_expected(const vgIntegrator *it, vgSeen s, double norm)
{
    if (it->renewal && (it->newton_err > 0 || !vg_is_believed_at_age(it->matrix.held))) return 1;
    if (s.left == 0 || !(s.norm > 0) || it->newton_tol < VG_TOL_EXACT) return 1;
    double theta = vg_most(s.theta, s.theta / s.norm * norm); /* the quotient is there before the norm */
    if (it->renewal) theta *= VG_AGEING;
    if (it->corners) theta = vg_most(theta, it->renewal ? 0.05 : 1e-6);
    return s.left > VG_WITH_MARGIN ? theta : VG_MARGIN * theta;
}

/* What a first increment leaves by it. */
static inline double vg_left_by(double norm, double theta)
{
    return theta < 0.5 ? norm * theta / (1 - theta) : norm;
}

/* Whether stages of a method of that order are to be exact: with constraints on positions alone the order is 2, and
 * without any what an iteration leaves is of second order in what it was given. Where velocities are put on the
 * constraints as well (augmented3), the step's error is far below that of index 3, though of order 2. */
static inline int vg_fine_is_wanted(const vgIntegrator *it, int order)
{
    return order > 2 && !it->adaptive && it->newton_err > 0 && it->newton_fixed == 0 && it->sys->nphi > 0 &&
           (!vg_at_position(it->sys) || it->sys->is.settle == VG_SETTLE_TANGENT);
}

/* vgStageSpec's fine of a stage at c h, the error of the method being constant h^{order+1} y^(order+1):
 * Newton's iteration may leave what a step an eighth as long would. */
double vg_fine_part(double constant, double c, int order);
/* Is nothing to remain but round-off and such parts? */
static inline int vg_is_fine(const vgIntegrator *it, const vgStageSpec *sp)
{
    return sp->fine > 0 || (it->newton_tol < VG_TOL_EXACT && it->sys->ops->approach.residual);
}

/* How far the accelerations are from those at the beginning of the step. Those of dependent coordinates are
 * what they are only when they have followed: there the same stage of the step before tells (learned[3]). */
double vg_fine_change(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp);
/* The lesser of goal and what may remain by the step's own error. */
double vg_fine_target(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp, double acc, double goal);
/* What remains after an increment of that norm, if contraction says rest. Where dependent coordinates follow,
 * their centripetal accelerations change by 2 Ṙ δv, which the matrix does not know: in units of Δ that is
 * about the part of the increment by which the stage turns, whatever the first two increments say. */
double vg_fine_rest(const vgSystem *sys, const vgStage *st, double norm, double rest);
/* The part of round-off, least, that may remain: what few iterations leave is none unless the increment was,
 * it has a sign and adds up. */
double vg_fine_rounding(const vgSystem *sys, const vgJudged *j, double least);
/* Contraction rate to expect of the first iteration of a stage, from the same stage in earlier steps: other stages
 * converge differently. The plain target is judged by theta as usual. */
double vg_fine_expected(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, vgJudged *j,
                        double theta);
/* 1: the iteration may end. An iterate that meets the plain target is accepted if the limit of iterations is reached, or
 * if increments no longer shrink, as happens near singular positions. */
int vg_fine_is_enough(const vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j, int limit);
/* For the steps to come; theta < 0: there was no second iteration. */
void vg_fine_learn(double *learned, double theta, double norm);

#endif
