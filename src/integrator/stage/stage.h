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
 * Δ as above, then v −= w, a −= (ca/cv) w. With three levels B a + γ = 0 holds too, and the velocities have a second
 * correction s in the same range: v −= s. */
#ifndef VERGE_INTEGRATOR_STAGE_STAGE_H
#define VERGE_INTEGRATOR_STAGE_STAGE_H

#include "base/arena.h"
#include "integrator/integrator.h"

/* Constraint violation after a step relative to the model's length; and that of the velocities after a projection. */
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
    /* the discretisation error of the step in Δ is estimated as own_error |a − a_old|; 0: unknown */
    double own_error;
    const double *a_old, *a_older; /* a_older: one step before a_old; NULL: unknown */
    /* methods of higher order: the error in units of a/ca is estimated as fine (|a − a_begin|/|a|)^order; 0: unknown */
    double fine;
    int order;
    const double *a_begin;
    double *learned;   /* with fine: VG_STAGE_LEARNED numbers, how this stage converged in earlier steps */
    double *kept;      /* with fine: memory for 3 arrays of nv, in whole fours, and one of nl */
    int three_levels;  /* index 2: accelerations satisfy the constraints too (NEWMARK, PLAIN) */
    int matrix_unused; /* 1: the caller does not use the stage's matrix afterwards */
} vgStageSpec;

typedef struct vgStage {
    double *delta, *delta_dot, *q, *v, *a, *lambda; /* in: delta, lambda; out: all */
    double *r, *phi, *x, *xl, *am, *d, *levels;     /* scratch */
    double *first;                                  /* the first guess, delta and lambda */
    double *unit;                                   /* nv: 1/v_scale, from the first solution on */
    double *unit_q, *moved_q;                       /* nq: 1/length of what is a length, else 1 (same) */
    int mixed;        /* 1: some constraint equations are above position level */
    int plain;        /* 1: coordinates are a vector space */
    int odd;          /* 1: iterations may need more than residual, factorisation, solution, update */
    double *w;        /* index 2: w, then s; else NULL */
    double *z;        /* index 2: A w + Bᵀ z = 0 (nl) */
    int guessed;      /* index 2, 1: w is still the first guess of the spec */
    int at_once;      /* index 2, 1: the last increment came from the system's sweep (vgSystemOps.sweep) */
    int placed;       /* in, 1: q, v, a belong to the first guess already */
    int closes;       /* in, 1: vg_stage_clean follows and projects positions too */
    vgIntegrator *it; /* the integrator of this stage; NULL before the first solution */
    int last_iterations;
    double open;               /* relative constraint violation after the last iteration */
    const double *a_old, *q_r; /* those of the last spec */
    int at_position; /* 1: constraints at acceleration level were imposed on positions, near a singular position */
} vgStage;

/* 1: stages have a correction w of the velocities (index 2). */
static inline int vg_stage_corrects(const vgSystem *sys)
{
    return sys->is.rows == VG_AT_BOTH && sys->nl > 0;
}
void vg_stage_place(vgStage *st, const vgSystem *sys, vgArena *arena);
/* As vg_stage_place, without delta_dot and am: for methods whose stages all have cm = 1 and NEWMARK or PLAIN. */
void vg_stage_place_affine(vgStage *st, const vgSystem *sys, vgArena *arena);
/* Discards the factorisation and the observed contraction rate (new step size, event, another stage of the
 * method). */
void vg_stage_reset(vgIntegrator *it);
vgStatus vg_stage_solve(vgIntegrator *it, vgStage *st, const vgStageSpec *spec);
/* The projection after a stage that the constraint setting asks for. Settings at acceleration level: q and v are
 * projected onto the constraints (vg_system_project). augmented3: v and a are projected with the matrix of the stage.
 * index3 with a method without numerical damping: v is projected, a and λ are solved for. Other settings: no
 * effect. */
vgStatus vg_stage_settle(vgIntegrator *it, vgStage *st, double t);
/* Projects velocities, accelerations and multipliers onto the constraints with the matrix of the stage; positions too
 * if st->closes. */
void vg_stage_clean(vgIntegrator *it, vgStage *st, double t);
/* Projects the velocities onto the constraints, then solves for accelerations and multipliers of that state ([D] for
 * the trapezoidal rule). Variable steps at index 3 need it: a violation ε = B v of the velocities would cause
 * accelerations of ε/h in the next step. The factors of the stage's matrix are overwritten. */
vgStatus vg_stage_consistent(vgIntegrator *it, vgStage *st, double t);
/* Factorises the stage's matrix with the same coefficients at the present state of the stage. */
vgStatus vg_stage_refactor(vgIntegrator *it, const vgStage *st, double t);
/* One pass gives q, v and a: coordinates that are a vector space, and formulas without â, or a first-order map. */
static inline int vg_stage_in_one_pass(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp)
{
    return sys->one_pass && (sp->map == VG_STAGE_FIRST || (!sp->ahat && !st->w));
}
/* q, v, a from delta by the stage's formulas. */
void vg_stage_states(const vgSystem *sys, vgStage *st, const vgStageSpec *spec);

/* Write it->failure: vg_fail the given text, vg_fail_equation `what` with the name of the equation `row`. */
void vg_fail(vgIntegrator *it, vgStatus status, double t, const char *format, ...) VG_COLD
    VG_PRINTF_LIKE(4, 5);
void vg_fail_equation(vgIntegrator *it, vgStatus status, double t, int row, const char *what) VG_COLD;
/* The equation with the largest residual in a failed stage. */
int vg_fail_worst_row(const vgSystem *sys, const vgStage *st) VG_COLD;

#endif
