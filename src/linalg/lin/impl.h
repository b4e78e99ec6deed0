/* Shared by the files of linalg/lin: the graph with its block values, the elimination order, the table of
 * backends. Not for other rooms. */
#ifndef VG_LINALG_LIN_IMPL_H
#define VG_LINALG_LIN_IMPL_H

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/lin/lin.h"

typedef struct vgLinPair { /* one undirected edge */
    int i, j;              /* as given: block (i,j) is stored */
    int mirror;
    size_t ij, ji; /* first value of each block; ji is not used when mirror */
} vgLinPair;

typedef struct vgLinGraph {
    int nnode, npair, n;
    int *size, *dual, *pass, *wait, *offset; /* [nnode] */
    int *start;                              /* [nnode + 1] into near and pair */
    int *near, *pair;                        /* [2 npair] neighbours, ascending, and the edge to them */
    vgLinPair *pairs;                        /* [npair] */
    size_t *diag;                            /* [nnode] first value of each diagonal block */
} vgLinGraph;

/* Elimination order with its symbolic factor: position k eliminates node[k], whose neighbours among the later
 * positions are below[below_start[k] .. below_start[k + 1]), ascending. The rows that node i passes on are a node
 * of their own, nnode + i, with a later position. */
typedef struct vgLinOrder {
    int count;           /* positions */
    int *node;           /* [count] position -> node */
    int *position;       /* [2 nnode] node -> position */
    size_t *below_start; /* [count + 1] */
    int *below;
    double flops; /* estimate for one block factorisation */
} vgLinOrder;

/* Stages of a nested dissection, [nnode], smaller ones first. 0: no memory */
int vg_lin_dissect(const vgLinGraph *graph, vgPool *pool, int *stage);
/* The order by minimum degree, or where that takes fewer operations by minimum degree within such stages. */
vgStatus vg_lin_order_new(const vgLinGraph *graph, vgLinOrder *order);
void vg_lin_order_free(vgLinOrder *order);

typedef struct vgLinOps vgLinOps;

struct vgLin {
    vgLinGraph graph;
    vgArena arena; /* the graph, the values and work */
    double *values;
    size_t nvalue;
    double *factored; /* [nvalue] what `active` is the factors of, by backends that remember it; else NULL */
    double *work, *side; /* [n] for refinement: a residual, a right side */
    const vgLinOps *ops;
    void *impl;
    void *fallback;         /* sparse backend, for a factorisation that the backend gave up */
    const vgLinOps *active; /* what the last factorisation lives in; NULL: nothing to solve with */
    int bad_row;
    long fallbacks;
    unsigned char *left; /* [n] 1: a row that is left out (left_out.c) */
    int nleft;
};

struct vgLinOps {
    const char *name;
    int falls_back; /* hands a singular factorisation to the sparse backend before reporting it */
    int remembers; /* matrices with the values of the last one are not factored again: projection, then accelerations */
    vgStatus (*create)(const vgLin *lin, const vgLinOrder *order, void **impl);
    void (*destroy)(void *impl);
    vgStatus (*factor)(const vgLin *lin, void *impl, int *bad_row);
    /* NULL: in one piece. Pieces of factor(), and one of them */
    int (*pieces)(const void *impl, double *cost);
    vgStatus (*piece)(const vgLin *lin, void *impl, int i, int *bad_row);
    vgStatus (*learn)(vgLin *lin, void *impl, vgLinNode *found,
                      int *news); /* vg_lin_learn; NULL: finds nothing */
    void (*solve)(const vgLin *lin, void *impl, double *x);
    int (*lost)(const void *impl); /* 1: the last factorisation has cost digits. NULL: it never does */
    size_t (*memory)(const void *impl);
    size_t (*fill)(const void *impl);
};

extern const vgLinOps vg_lin_dense_ops, vg_lin_block_ops, vg_lin_front_ops, vg_lin_sparse_ops;

/* The entries of the rows that are left out, before a factorisation; their places in a right side. */
void vg_lin_left_out_fill(vgLin *lin);
void vg_lin_left_out_clear(const vgLin *lin, double *x);

long vg_lin_sparse_repivots(const void *impl);

/* 2^-e for a size in [2^e, 2^(e+1)), so that scaling by it rounds nothing; 1 for zero. */
static inline double vg_lin_power_near_inverse(double size)
{
    if (!(size > 0)) return 1;
    if (size < 0x1p-1000) return 0x1p1000;
    if (size > 0x1p1000) return 0x1p-1000;
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits = (UINT64_C(2046) << 52) - (bits & (UINT64_C(0x7ff) << 52));
    memcpy(&size, &bits, sizeof bits);
    return size;
}

/* Brings the largest magnitude of every column, then of every row, of the n × n matrix with entries
 * (row[t], col[t], value[t]) near one by powers of two (no rounding): row_scale, col_scale. Returns 0 when a
 * value is not finite. An empty row or column keeps scale one. */
int vg_lin_equilibrate(int n, size_t count, const int *row, const int *col, const double *value,
                       double *row_scale, double *col_scale);

#endif
