/* The implicit stage that almost every implicit method is made of (docs/theory.md, eq. 20–27).
 *
 * Find Δ (q = q_r ⊕ Δ) and λ with
 *   VG_STAGE_NEWMARK / PLAIN   v = v̂ + cv (Δ − Δ̂),   a = â + ca (Δ − Δ̂)
 *   VG_STAGE_FIRST             Δ̇ = cv (Δ − Δ̂), v = T(Δ) Δ̇,   a = cv (v − v̂)          (ca = cv²)
 *   cm M a − f(t,q,v) + Bᵀλ + r₀ = 0,    Φ(q,t) = 0
 * (constraints index1: Φ̈ + 2αΦ̇ + β²Φ = 0 in place of Φ = 0)
 * by Newton's method on the scaled matrix of system.h. The caller puts the first guess into delta and lambda.
 *
 * With constraints `index2` (Gear, Gupta, Leimkuhler 1985) also B v + Φ_t = 0, and the rates of position and
 * the velocities may differ by a correction w in the range of the constraint directions: v and a follow from
 * Δ as above, then v −= w, a −= (ca/cv) w. With three levels B a + γ = 0 as well, and v −= s instead, a
 * correction of its own in the same range. */
#ifndef VERGE_INTEGRATOR_STAGE_STAGE_H
#define VERGE_INTEGRATOR_STAGE_STAGE_H

#include "base/arena.h"
#include "integrator/integrator.h"

/* Relative violation of the constraints after a step, and of the velocities where they are cleaned. */
#define VG_STAGE_CLOSED 5e-13
#define VG_STAGE_CLEAN  1e-10

enum { VG_STAGE_LEARNED = 4 };

typedef struct vgStageSpec {
    double t;
    const double *q_r;
    vgStageMap map;
    double cv, ca, cm;
    const double *dhat, *vhat, *ahat; /* ahat NULL: zero (NEWMARK); unused in FIRST */
    const double *r0;                 /* NULL: zero */
    const double *w0, *z0;            /* index 2: first guesses of w and z (stage.c); NULL: zero */
    /* the step's own error in Δ: own_error times the change of the accelerations since a_old; 0: not known */
    double own_error;
    const double *a_old, *a_older; /* one step before that; NULL: not known */
    /* the same of a method of higher order, in units of a/ca: fine (|a − a_begin|/|a|)^order; 0: not known */
    double fine;
    int order;
    const double *a_begin;
    double *learned;   /* with fine: how this stage converged in the steps before, VG_STAGE_LEARNED numbers */
    double *kept;      /* the same: room for 3 rows of nv, in whole fours, and nl */
    int three_levels;  /* index 2: accelerations hold the constraints too (NEWMARK, PLAIN) */
    int matrix_unused; /* 1: nobody solves with the stage's matrix after it */
} vgStageSpec;

typedef struct vgStage {
    double *delta, *delta_dot, *q, *v, *a, *lambda; /* in: delta, lambda; out: all */
    double *r, *phi, *x, *xl, *am, *d, *levels;     /* scratch */
    double *first;                                  /* the first guess, delta and lambda */
    double *unit;                                   /* nv: 1/v_scale, from the first solution on */
    int mixed;                                      /* 1: there are rows above position level (same) */
    int plain;                                      /* 1: coordinates are a vector space (same) */
    int odd;          /* 1: an iteration may be more than its four calls (same) */
    double *w;        /* index 2: w, then s; else NULL */
    double *z;        /* index 2: A w + Bᵀ z = 0 (nl) */
    int guessed;      /* index 2: w is the guess of the spec still */
    int at_once;      /* index 2: the last increment was one of the system's own (vgSystemOps.iterate) */
    int placed;       /* in: q, v, a are those of the first guess already */
    int closes;       /* in: vg_stage_clean follows, positions and all */
    vgIntegrator *it; /* whose stage this is, NULL before the first solution */
    int last_iterations;
    double open;               /* what the last one has left of the constraints, relative */
    const double *a_old, *q_r; /* of the last spec, while its stage is followed up */
    int at_position; /* 1: rows of accelerations were taken on positions, as near singular positions */
} vgStage;

/* 1: stages have a correction w of the velocities (index 2). */
static inline int vg_stage_corrects(const vgSystem *sys)
{
    return sys->is.rows == VG_AT_BOTH && sys->nl > 0;
}
void vg_stage_place(vgStage *st, const vgSystem *sys, vgArena *arena);
/* The same for a method whose stages all have cm = 1 and NEWMARK or PLAIN: without delta_dot and am. */
void vg_stage_place_affine(vgStage *st, const vgSystem *sys, vgArena *arena);
/* Forget the factorisation and the contraction memory (new step size, event, other method stage). */
void vg_stage_reset(vgIntegrator *it);
vgStatus vg_stage_solve(vgIntegrator *it, vgStage *st, const vgStageSpec *spec);
/* Settings at acceleration level: the solved q and v are projected onto the constraints (vg_system_project).
 * augmented3: v and a are, with the stage's own matrix. index3 and a method that damps nothing: v is projected, a and λ
 * are those of the motion. Nothing to do otherwise. */
vgStatus vg_stage_settle(vgIntegrator *it, vgStage *st, double t);
/* Velocities, accelerations and multipliers onto the constraints with the stage's own matrix; positions, too,
 * where st->closes. */
void vg_stage_clean(vgIntegrator *it, vgStage *st, double t);
/* Velocities on the constraints, then accelerations and multipliers of that very state ([D] for the
 * trapezoidal rule). Steps of changing size need it on index 3: a violation ε = B v of the velocities would
 * come back as accelerations ε/h. The projections take the matrix: the stage's factors are gone. */
vgStatus vg_stage_consistent(vgIntegrator *it, vgStage *st, double t);
/* The stage's matrix again, with the same coefficients, at the state that the stage has now. */
vgStatus vg_stage_refactor(vgIntegrator *it, const vgStage *st, double t);
/* q, v, a from delta by the stage's formulas. */
void vg_stage_states(const vgSystem *sys, vgStage *st, const vgStageSpec *spec);

/* it->failure from the worst equation of a failed Newton iteration or factorisation. */
void vg_fail(vgIntegrator *it, vgStatus status, double t, const char *format, ...) VG_COLD
    VG_PRINTF_LIKE(4, 5);
void vg_fail_equation(vgIntegrator *it, vgStatus status, double t, int row, const char *what) VG_COLD;
/* The equation that is farthest from solved in a stage that failed. */
int vg_fail_worst_row(const vgSystem *sys, const vgStage *st) VG_COLD;

#endif
