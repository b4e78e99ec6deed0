/* Cholesky factorisation S = Uᵀ U of small matrices in tiles of 4 × 4, each row a vector register. Tiles that stay
 * zero are skipped; the pattern and an order of the unknowns with many such tiles are found once. */
#ifndef VG_LINALG_CHOL_TILES_H
#define VG_LINALG_CHOL_TILES_H

#include <stddef.h>

#include "linalg/lin/lin.h"

typedef struct vgCholEntry { /* of the pattern, either triangle */
    int i, j;
} vgCholEntry;

typedef struct vgCholTiles {
    int n, bands, ld; /* rows; bands of four; doubles a row: 4 bands */
    int *at;          /* [n] unknown → place */
    int *first;       /* [bands + 1] of band b: */
    int *later;       /* the tiles right of the diagonal one that are not zero */
    double *S;        /* [ld ld] the upper triangle; pads stay zero */
    double *inverse;  /* [ld] of the diagonal of U; 0 in the pads */
    double *forward;  /* [bands][6] U_ij/U_jj of the diagonal tiles, i < j */
    double *backward; /* [bands][6] U_ij/U_ii */
    size_t bytes;
} vgCholTiles;

/* Of the orders given (each unknown → place) the one that leaves the fewest tiles is taken. Memory for all
 * that follows. */
vgStatus vg_chol_tiles_new(vgCholTiles *t, int n, size_t count, const vgCholEntry *entry, int norder,
                           const int *const *order);
void vg_chol_tiles_free(vgCholTiles *t);

/* The place of an entry in S. */
static inline int vg_chol_tiles_place(const vgCholTiles *t, vgCholEntry e)
{
    int a = t->at[e.i], b = t->at[e.j];
    return a < b ? a * t->ld + b : b * t->ld + a;
}

/* One band after the other. −1, or the place of the row whose pivot is not positive. */
int vg_chol_tiles_band(vgCholTiles *t, int band);
/* x [ld] in the order of places, zeros in the pads. */
void vg_chol_tiles_solve(const vgCholTiles *t, double *x);

#endif
