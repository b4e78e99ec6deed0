/* Diagonally implicit Runge–Kutta methods whose result is no stage, or need not be one: sdirk (composite/sdirk.c) and
 * tableaux of users (user/user.h). */
#ifndef VERGE_INTEGRATOR_COMPOSITE_DIAGONAL_H
#define VERGE_INTEGRATOR_COMPOSITE_DIAGONAL_H

#include "integrator/result.h"
#include "integrator/stage/stage.h"

enum { VG_DIAGONAL_MAX = 16 }; /* stages */

typedef struct vgDiagonalTableau {
    int s;
    int first_explicit;      /* 1: the first stage is the state */
    const double *a, *b, *c; /* a: s × s, row-major, no entry above the diagonal */
    const double *e;         /* error estimate h (e_state f_n + Σ e_j k_j); NULL: there is none */
    double e_state;
    double constant; /* of the error of order 3, for stages that are to be exact (fine.h); 0: they are not */
} vgDiagonalTableau;

typedef struct vgDiagonal {
    vgDiagonalTableau tb;
    int once; /* 1: the matrix of the first stage serves all of a step */
    vgStage stage;
    vgResult result;
    double *kept;                                         /* room for a stage that is to be exact */
    double *rate[VG_DIAGONAL_MAX], *acc[VG_DIAGONAL_MAX]; /* Δ̇ and v̇ of the stages */
    double *v;                                            /* velocities of the last stage */
    double *dhat, *vhat, *guess, *e_q, *e_v;
} vgDiagonal;

/* Takes its arrays, for w->tb.s stages. */
void vg_diagonal_place(vgDiagonal *w, const vgSystem *sys, vgArena *a);
/* A step of w->tb. learned: VG_STAGE_LEARNED numbers a stage that outlast it, used where tb.constant > 0. */
vgStatus vg_diagonal_step(vgIntegrator *it, vgDiagonal *w, vgState *s, double h, double *learned, vgStep *x);

#endif
