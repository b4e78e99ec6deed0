/* Convergence criterion of a stage (docs/theory.md, eq. 25), and the stricter one of methods of higher order (eq.
 * 25c). */
#ifndef VERGE_INTEGRATOR_STAGE_FINE_H
#define VERGE_INTEGRATOR_STAGE_FINE_H

#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "integrator/tuning.h"

/* Number of stages for which an observed contraction rate is used without a second iteration: unchanged at first,
 * then with a margin of VG_MARGIN. */
enum { VG_BELIEVED = 16, VG_WITH_MARGIN = 1000, VG_MARGIN = 100 };
/* Relative constraint violation that an iteration may leave if a projection follows (vg_stage_clean). */
#define VG_STAGE_AJAR 1e-9
/* A tolerance below this, a thousand roundings, means that all digits are wanted. Every stage then takes a second
 * iteration, because λ is only known to tol · ca. */
#define VG_TOL_EXACT 2e-13

/* One iteration and its assessment. */
typedef struct vgJudged {
    int k, renewed,
        fresh;        /* number of the iteration; 1: with a new matrix; 1: the stage has had a new matrix */
    int slow, placed; /* 1: the present matrix would need several more iterations; 1: q, v, a belong to Δ */
    int met, known;   /* 1: the ordinary target has been met; 1: by the first iteration */
    int served;       /* iterations of this stage with the matrix at hand */
    double before, first_norm, theta, rest, goal;
    vgIteration now;
} vgJudged;

/* A contraction rate, the increment it was observed at, and the number of stages for which it is still used. */
typedef struct vgSeen {
    double theta, norm;
    int left;
} vgSeen;

/* ---- judge.c ---- */

/* Rounding of the positions. Far from the origin (a car after a hundred metres) constraints cannot be satisfied
 * better. */
double vg_stage_rounding(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp);
/* Bound of the error if the matrix is reused (newton=hold). */
double vg_stage_held_target(vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, double goal);
/* 1: the iteration may end although the ordinary criterion is not met: the error is below that of the step or at
 * rounding level, or the number of iterations is fixed. */
int vg_stage_is_enough(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j);
/* Decides before the next iteration whether it needs a new matrix (j->slow). 0: the iteration diverges. */
int vg_stage_goes_on(vgIntegrator *it, const vgStageSpec *sp, vgJudged *j);

/* Bound of the error after this iteration: the position tolerance, or, if smaller, a part of the displacement by
 * accelerations in a step (but not below rounding: is_enough). */
static inline double vg_target(const vgIntegrator *it, const vgStageSpec *sp, double acc)
{
    double by_acc = it->newton_acc / sp->ca * acc;
    return by_acc < it->newton_tol ? by_acc : it->newton_tol;
}

/* 1: the constraints are satisfied after this increment, or will be after the clean-up, which leaves the part `moved`
 * of the violation. */
static inline int vg_is_closed(const vgIntegrator *it, const vgStage *st, double open)
{
    const vgSystem *sys = it->sys;
    return sys->nl == 0 || open <= VG_STAGE_CLOSED ||
           (st->closes && open <= VG_STAGE_AJAR && open * it->matrix.moved * sys->reach <= VG_STAGE_CLOSED);
}

/* The contraction rate of a reused matrix grows. By default it is measured in every stage by a second iteration: for
 * a spinning body it becomes bad within a quarter of a turn. If tolerances are given (tol, acc), it is assumed to
 * grow with the number of stages solved with the matrix. It is then measured after 0, 1, 2, 4, 8, … stages; in
 * between it has at most doubled, which VG_AGEING allows for. With half the factor, 1, the growth is missed, and
 * reused matrices add errors of 1e-5 to 1e-3 to the motion; with twice the factor more stages take a second
 * iteration. */
enum { VG_AGEING = 2 };
static inline int vg_is_believed_at_age(int stages)
{
    return stages > 0 && (stages & (stages - 1)) != 0;
}

/* Contraction rate to expect of the first iteration: that of an earlier stage, and more if the increment is larger.
 * If forces have corners, the expected rate is at least 1e-6 with a new matrix and 0.05 with a reused one, because it
 * may have been observed on one side of a corner and not hold on the other. */
static inline double vg_expected(const vgIntegrator *it, vgSeen s, double norm)
{
    if (it->renewal && (it->newton_err > 0 || !vg_is_believed_at_age(it->matrix.held))) return 1;
    if (s.left == 0 || !(s.norm > 0) || it->newton_tol < VG_TOL_EXACT) return 1;
    double theta = vg_most(s.theta, s.theta / s.norm * norm); /* the quotient is there before the norm */
    if (it->renewal) theta *= VG_AGEING;
    if (it->corners) theta = vg_most(theta, it->renewal ? 0.05 : 1e-6);
    return s.left > VG_WITH_MARGIN ? theta : VG_MARGIN * theta;
}

/* The error after a first increment of that norm, at contraction rate theta. */
static inline double vg_left_by(double norm, double theta)
{
    return theta < 0.5 ? norm * theta / (1 - theta) : norm;
}

/* 1: the stages of a method of this order need the stricter criterion. Not with constraints on positions alone, where
 * the order is 2, nor without constraints, where the error after an iteration is quadratic in the error before it.
 * With augmented3, which projects the velocities, the step's error is of order 2 but far below that of index 3. */
static inline int vg_fine_is_wanted(const vgIntegrator *it, int order)
{
    return order > 2 && !it->adaptive && it->newton_err > 0 && it->newton_fixed == 0 && it->sys->nphi > 0 &&
           (!vg_at_position(it->sys) || it->sys->is.settle == VG_SETTLE_TANGENT);
}

/* The value of vgStageSpec.fine for a stage at c h of a method with the error constant · h^{order+1} y^(order+1):
 * Newton's iteration may leave the error of a step an eighth as long. */
double vg_fine_part(double constant, double c, int order);
/* 1: the stricter criterion applies to this stage. */
static inline int vg_is_fine(const vgIntegrator *it, const vgStageSpec *sp)
{
    return sp->fine > 0 || (it->newton_tol < VG_TOL_EXACT && it->sys->ops->approach.residual);
}

/* |a − a_begin|. Accelerations of dependent coordinates are known only after the stage; for these it is the value of
 * the same stage in the step before (learned[3]). */
double vg_fine_change(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp);
/* The smaller of `goal` and the bound that follows from the estimated error of the step. */
double vg_fine_target(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp, double acc, double goal);
/* The error after an increment of that norm, `rest` being the estimate by the contraction rate. With dependent
 * coordinates it is larger: their centripetal accelerations change by 2 Ṙ δv, which the matrix does not contain. In
 * units of Δ that is about the increment times the angle by which the stage turns, or by which a reused matrix is away: what
 * it leaves of a slow motion (a precession) is not seen in the first increments, which are those of the fast one. */
double vg_fine_rest(const vgIntegrator *it, const vgStage *st, double norm, double rest);
/* The bound at rounding level, a part of `least`. After few iterations the remaining error is not random: it has the
 * same sign in every step and adds up. */
double vg_fine_rounding(const vgSystem *sys, const vgJudged *j, double least);
/* Contraction rate to expect of the first iteration of a stage, from the same stage in earlier steps: other stages
 * converge differently. The plain target is judged by theta as usual. */
double vg_fine_expected(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, vgJudged *j,
                        double theta);
/* 1: the iteration may end. An iterate that meets the plain target is accepted if the limit of iterations is reached,
 * or if increments no longer shrink, as happens near singular positions. */
int vg_fine_is_enough(const vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j, int limit);
/* Stores the observed contraction rate for later steps; theta < 0: there was no second iteration. */
void vg_fine_learn(double *learned, double theta, double norm);

#endif
