/* Kernels of the block backend on small column-major blocks. Columns are padded with zero rows to a multiple
 * of four doubles, so that every operation runs on whole vectors; the pads stay zero. Each kernel exists once
 * per common size, made from one always-inlined body with constant sizes, and once for any size. */
#ifndef VG_LINALG_LIN_KERNEL_H
#define VG_LINALG_LIN_KERNEL_H

#include <stdint.h>

enum { VG_LIN_LANES = 4 };

static inline int vg_lin_pad(int rows)
{
    return (rows + VG_LIN_LANES - 1) & ~(VG_LIN_LANES - 1);
}

typedef struct vgLinGemm { /* C (rows × n) −= A (rows × k) B (k × n); offsets into the factor array */
    uint32_t c, a, b;
    uint32_t ldc, lda, ldb;
    uint32_t n;
    uint16_t kernel, touches_diagonal;
    uint32_t vectors, k; /* rows / 4 */
} vgLinGemm;

typedef struct vgLinBelow { /* a later neighbour, as the solve sees it */
    uint32_t z;             /* its first entry in the padded vector */
    uint16_t size, vectors;
} vgLinBelow;

typedef struct vgLinStep { /* one node of the elimination order */
    uint32_t panel;        /* [D | U], size + width columns of ld */
    uint32_t lower;        /* L, size columns of ldl, the later neighbours stacked */
    uint32_t ldl, width;
    uint32_t z, row;              /* its first entry in the padded and in the caller's vector */
    uint32_t load, update, below; /* first of its lists; the next step's first ends them */
    uint16_t size, ld;
    uint32_t kernel;
    uint16_t rows, given; /* rows of the caller's vector; 1: its rows come from a split */
    uint32_t split;       /* 1 + index of the split that it ends with, 0: it ends with a pivot block */
} vgLinStep;

typedef struct vgLinLoad { /* one block from the caller's row-major values to its place in the factor */
    uint32_t to, from, ld;
    uint16_t rows, cols; /* of the place */
    uint32_t kernel;
} vgLinLoad;

/* Loads read whole vectors: so many doubles after the last value must exist. */
enum { VG_LIN_SLACK = VG_LIN_LANES };

typedef enum vgLinLoadKind {
    VG_LIN_LOAD_ZERO,     /* no values: fill */
    VG_LIN_LOAD_STRAIGHT, /* rows × cols as it is */
    VG_LIN_LOAD_TURNED    /* the values are those of the transpose */
} vgLinLoadKind;

typedef void vgLinLoadKernel(const vgLinLoad *load, const double *values, double *factor);
extern vgLinLoadKernel *const vg_lin_load_kernels[];
int vg_lin_load_kernel(vgLinLoadKind kind, int rows, int cols);

typedef void vgLinGemmKernel(const vgLinGemm *op, double *factor);
extern vgLinGemmKernel *const vg_lin_gemm_kernels[];
int vg_lin_gemm_kernel(int vectors, int k);

/* D := D⁻¹ by Gauss–Jordan elimination with diagonal pivots, then U := D⁻¹ U. Returns 0, with nothing changed, if
 * a pivot is below 1e-4 of its row's history (the largest |diagonal| before the last update). */
typedef int vgLinPivotKernel(double *panel, int size, int ld, int width, const double *history,
                             double *scratch);
typedef void vgLinSolveKernel(const vgLinStep *step, const vgLinBelow *below, const double *factor,
                              double *z);
extern vgLinPivotKernel *const vg_lin_pivot_kernels[];
extern vgLinSolveKernel *const vg_lin_forward_kernels[], *const vg_lin_backward_kernels[];
int vg_lin_size_kernel(int size);

/* As the pivot kernel, with complete pivoting, for any non-singular D. Returns −1 on success, else the local row
 * whose pivot is below tolerance times its row's history, with nothing changed. *lost: set to 1 if a pivot is
 * below the limit of the pivot kernel, else unchanged (NULL: not wanted). scratch: 2·size·ld doubles. */
int vg_lin_pivot_carefully(double *panel, int size, int ld, int width, const double *history,
                           double tolerance, double *scratch, int *order, int *lost);

#endif
