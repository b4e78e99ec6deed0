/* From stiffness and mass matrices to a flexible body: Craig–Bampton reduction, mean axes, the integrals that
 * a floating frame needs (docs/theory.md, eq. 82 and 88). */
#ifndef VG_ANALYSIS_REDUCE_H
#define VG_ANALYSIS_REDUCE_H

#include "base/arena.h"
#include "base/diag.h"
#include "element/modal/modal.h"

enum { VG_REDUCE_MAX = 4000 }; /* coordinates */

typedef struct vgReduce {
    int nnode;
    const char *const *name; /* [nnode] */
    const vgVec3 *at;
    int per_node;        /* 3: displacements, 6: displacements and rotations; node by node */
    const double *K, *M; /* symmetric, (per_node nnode)² by rows, free of supports */
    int nboundary;
    const int *boundary; /* nodes whose displacements all have static shapes; they become the body's nodes */
    int keep;            /* modes with the boundary held */
} vgReduce;

/* The boundary's nodes become nodes of the body. VG_BAD_INPUT and a word in diag: the matrices do not belong
 * to a free body, or nothing is left. frequency: [6 + modes] of the reduced free body in rad/s, rigid ones
 * first (NULL: not wanted). */
vgStatus vg_reduce(const vgReduce *in, vgPool *pool, vgDiag *diag, vgModal *out, double *frequency);

/* A matrix of a Matrix Market file (coordinate or array, real or integer, general or symmetric), square; *n
 * rows. malloc'ed; NULL with diagnostics. */
double *vg_reduce_matrix(const char *text, size_t size, const char *file, vgDiag *diag, int *n);
/* Nodes by lines `name x y z`, # starts a comment. Returns the count, −1 with diagnostics. Names and places
 * go to the pool. */
int vg_reduce_nodes(const char *text, const char *file, vgPool *pool, vgDiag *diag, const char ***name,
                    vgVec3 **at);

#endif
