/* The block backend: its lists (block_plan.c) and what works on them (block.c). */
#ifndef VG_LINALG_LIN_BLOCK_H
#define VG_LINALG_LIN_BLOCK_H

#include "linalg/lin/impl.h"
#include "linalg/lin/kernel.h"
#include "linalg/lin/split.h"

typedef struct vgLinBlock {
    vgArena arena;
    int nstep, count; /* steps; nodes of the order, those of passed rows included */
    vgLinStep *steps; /* [nstep + 1] */
    int *node;        /* [nstep] what each step eliminates, as vgLinOrder has it */
    vgLinSplit *splits;
    vgLinMove *moves;
    int *perm;
    vgLinLoad *loads;
    vgLinGemm *updates;
    vgLinBelow *below;
    double *factor, *z, *history, *scratch;
    double *kept; /* history of the rows that a split has moved, by their place in z */
    int *scratch_order;
    size_t nload, nupdate, nbelow, nfactor, nz, nsplit, nmove, nperm;
    int largest; /* padded size of the largest node */
    int lost;    /* 1: a pivot block of the last factorisation has cost digits */
} vgLinBlock;

vgStatus vg_lin_block_plan(const vgLin *lin, const vgLinOrder *order, void **impl);
void vg_lin_block_free(void *impl);

#endif
