/* Nodes of the block backend that pass rows on. A node with s rows, of which d are passed on, is gathered as a
 * whole: diagonal block D, blocks U to the right and L below. Its p = s − d best pivots, by complete pivoting in D,
 * have rows R and columns C; R' and C' are the others. Then
 *
 *     next step     [ D_RC | D_RC' U_R ],  below it  D_R'C  and  L_C
 *     passed rows   [ D_R'C' | U_R' ],     below it  L_C'
 *
 * and the elimination goes on with the next step, which has the passed rows among its later neighbours. Which rows
 * are passed on depends on the values; how many does not. */
#ifndef VG_LINALG_LIN_SPLIT_H
#define VG_LINALG_LIN_SPLIT_H

#include "linalg/lin/kernel.h"

typedef struct vgLinSplit {
    uint32_t rest;        /* step of the passed rows */
    uint32_t column, row; /* their place in U and L of the next step */
    uint32_t move, end;   /* its moves */
    uint32_t perm;        /* R R' C C' in the list of permutations, 2 s of them */
} vgLinSplit;

typedef struct vgLinMove { /* the two blocks that the node shares with one later neighbour */
    uint32_t size;
    uint32_t all_column, all_row; /* in U and L of the whole node */
    uint32_t column, row;         /* in U and L of the next step */
    uint32_t later;       /* 1: the neighbour comes after the passed rows and its blocks are in their panel */
    uint32_t right, down; /* in the factor: to the right, and below, of the one of the two that is first */
    uint32_t ld, ldl;
} vgLinMove;

/* Step k. history [s]: see vgLinPivotKernel; it is kept for the rows where they go (kept, by places in z). Returns
 * −1, or the row whose pivot is below tolerance times its history, with nothing moved. scratch: 2 s ld doubles. */
int vg_lin_split(const vgLinSplit *split, const vgLinStep *steps, int k, const vgLinMove *moves, int *perm,
                 const double *history, double tolerance, double *scratch, double *factor, double *kept);
void vg_lin_split_forward(const vgLinSplit *split, const vgLinStep *steps, int k, const int *perm, double *z);
void vg_lin_split_backward(const vgLinSplit *split, const vgLinStep *steps, int k, const int *perm,
                           double *z);

#endif
