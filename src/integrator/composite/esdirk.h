/* Diagonally implicit Runge–Kutta methods with an explicit first stage, stiffly accurate: the last stage is
 * the new state (docs/theory.md, eq. 35). In local coordinates about q_n,
 *     q_i = q_n ⊕ Δ_i,  Δ_i = h Σ_j a_ij Δ̇_j,  v_i = v_n + h Σ_j a_ij a_j,  v_i = T(Δ_i) Δ̇_i,
 * every implicit stage being one of VG_STAGE_FIRST with c_v = 1/(h a_ii); Φ = 0 holds at every stage. */
#ifndef VERGE_INTEGRATOR_COMPOSITE_ESDIRK_H
#define VERGE_INTEGRATOR_COMPOSITE_ESDIRK_H

#include "integrator/stage/stage.h"

enum { VG_DIRK_MAX = 6 };

typedef struct vgDirkTableau {
    int stages; /* with the explicit one */
    double a[VG_DIRK_MAX][VG_DIRK_MAX], c[VG_DIRK_MAX];
    double e[VG_DIRK_MAX]; /* b − b̂ */
    int estimate;          /* e is there */
    int order;             /* 0: not known; the error of linear problems: constant h^{order+1} y^(order+1) */
    double constant;
    /* first guesses by all stages before: weights at c_i of those, Π (c_i − c_m), and whether they are far
     * enough apart (esdirk.c) */
    double through[VG_DIRK_MAX][VG_DIRK_MAX], beyond[VG_DIRK_MAX];
    int apart[VG_DIRK_MAX];
    int smooth; /* R(∞) ≤ 0 by an odd number of trapezoidal stages: accelerations stay smooth under
                   constraints at position level */
    int rough;  /* they alternate so much under such constraints that extrapolating anything costs iterations
                 */
} vgDirkTableau;

typedef void vgDirkBuild(double rho, vgDirkTableau *tb);
/* rho: spectral radius at infinity; the Kennedy–Carpenter methods and the trapezoidal rule do not read it */
vgDirkBuild vg_dirk_trapezoidal, vg_dirk_bathe, vg_dirk_hope, vg_dirk_msstc3, vg_dirk_msstc4, vg_dirk_msstc5,
    vg_dirk_mssth3, vg_dirk_mssth4, vg_dirk_mssth5, vg_dirk_324, vg_dirk_325, vg_dirk_436, vg_dirk_436_2,
    vg_dirk_within;

/* What a step needs; other families use one to start. */
typedef struct vgDirk {
    vgDirkTableau tb;
    int printed;   /* 1: first guesses as [Z] prints them */
    int predictor; /* 0, 2, or 4: in the last stage */
    int by_all;    /* 1: first guesses by all stages before */
    vgStage *stage;
    double *better;  /* stages: which guess was the best one, kept with the state; NULL: not kept */
    double *learned; /* nstage × VG_STAGE_LEARNED: how the stages converged in earlier steps */
    /* of the step: coordinates are a vector space; guesses are rates; another guess was better, and what is to be
     * kept then; requirements of the stages */
    int plain, by_rates, changed, choice[VG_DIRK_MAX];
    int fine; /* Newton's iteration is to stay below the step's own error */
    vgStageSpec spec;
    double *k, *l, *v, *d; /* of the stages: Δ̇ and a (2 rows a stage), v (stride_v), Δ (row) */
    int row, stride_v;     /* row: nv in whole fours */
    double *base;          /* 0 and v_n, 2 rows: what the sums of Δ̇ and a begin with */
    double *dhat, *vhat, *guess, *e_q, *e_v; /* vhat behind dhat, e_v behind e_q */
    double *weight;                          /* of the stages before: h a_ij */
    double *kept;                            /* scratch of a stage with fine */
} vgDirk;

/* Constraints hold on positions: accelerations of most of these methods then alternate from stage to stage. */
static inline int vg_dirk_at_positions(const vgSystem *sys)
{
    return sys->nl > 0 && !vg_at_acceleration(sys);
}

void vg_dirk_place(vgDirk *w, const vgSystem *sys, vgArena *arena);
/* One step; past: v of the state before at t_n − h_past, and a of all stages but the last of the step from
 * there (a row each), for first guesses, or NULL. On failure, and when its error is too large, the
 * state is as before. */
vgStatus vg_dirk_step(vgIntegrator *it, vgDirk *w, vgState *s, double h, const double *past, double h_past,
                      vgStep *x);

#endif
