/* M, C and K of small motions (modes.h) as blocks on the mechanism's graph, and the factorisation of
 *     S(σ) = [ σ²M + σC + K   Bᵀ ]
 *            [ B              0  ]
 * They are the exact derivatives that the static and dynamic tangents of the system hold. Turns are in the axes of
 * the bodies, their rates those of turns in world axes: C holds −M [ω], so that eigenvalues and, once turned, shapes are
 * those of modes.h. */
#ifndef VG_ANALYSIS_MODES_PENCIL_H
#define VG_ANALYSIS_MODES_PENCIL_H

#include "analysis/modes/modes.h"

/* The blocks of a matrix that are not zero (of K all). */
typedef struct vgBlocks {
    int n;
    struct vgBlockAt {
        int row, col, rows, cols; /* first row and column, sizes */
        size_t at;                /* in `value`, and in the values of the matrix on the graph */
    } * block;
    double *value; /* [values of the graph] */
} vgBlocks;

typedef struct vgPencil {
    const vgSystem *sys;
    vgLin *lin;
    const int *row_at;
    int n, size; /* coordinates; rows of S */
    size_t nvalue;
    vgBlocks M, C, K;  /* without B */
    double *B;         /* [nvalue] S of nothing but rows */
    double *x;         /* [size] room */
    double unsymmetry; /* largest |K − Kᵀ| by the largest |K| */
} vgPencil;

/* Needs coordinates with body_axes, no groups of contacts, no rows at the level of velocities. w: as vg_modes_seen. */
vgStatus vg_pencil_new(const vgSystem *sys, vgWork *work, const vgState *state, vgVec3 w, vgPencil *out);
/* M, C = ∂r/∂v and K = ∂r/∂q as the system has them, in any coordinates. For vg_blocks_dense() and vg_blocks_multiply(). */
vgStatus vg_pencil_of_system(const vgSystem *sys, vgWork *work, const vgState *state, vgPencil *out);
void vg_pencil_free(vgPencil *p);
/* y := A x */
void vg_blocks_multiply(const vgBlocks *a, const double *x, double *y, int n);
double vg_blocks_form(const vgBlocks *a, const double *x, const double *y); /* xᵀ A y */
/* |x|ᵀ |K| |y| with the largest entry among displacements and among turns of every block instead of each: axes mix them, and
 * what cancels in an entry when axes are turned is rounding of the others. */
double vg_pencil_bound(const vgPencil *p, const double *x, const double *y);
void vg_pencil_symmetrise(vgPencil *p); /* K := (K + Kᵀ)/2, without integrals */
/* The values of S(σ) into the matrix on the graph; square: K + sM with s = σ instead. And its factorisation. */
void vg_pencil_fill(vgPencil *p, const vgState *state, double sigma, int square);
vgStatus vg_pencil_factor(vgPencil *p, const vgState *state, double sigma, int square);
/* x (n) := the first part of S⁻¹ (x, 0) */
void vg_pencil_solve(vgPencil *p, double *x);
/* Row-major n × n. */
void vg_blocks_dense(const vgBlocks *a, double *out, int n);

#endif
