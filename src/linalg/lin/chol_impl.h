/* The factorisation of linalg/lin/chol.h: lists made once by chol_setup.c, numbers by chol.c. Not for other files. */
#ifndef VG_LINALG_LIN_CHOL_IMPL_H
#define VG_LINALG_LIN_CHOL_IMPL_H

#include "linalg/chol_tiles.h"
#include "linalg/lin/chol.h"
#include "linalg/lin/impl.h"

struct vgLinChol {
    vgLin *lin;
    int n, rows;         /* primal unknowns, rows of B */
    int *primal, *place; /* [n] row of the saddle matrix; [size] back, −1 dual */
    int *row_of;         /* [n] the same by the place in the factor */
    int *dual;           /* [rows] row of the saddle matrix */
    int *node_from, *node_to;
    size_t *diag_at; /* [n] value of A_kk */
    /* A: source and destination of each entry */
    size_t na, *a_from;
    int *a_to;
    double *a_weight;
    /* B by rows, and where the products of two entries go */
    int *b_start, *b_col;
    size_t *b_from;
    double *b;
    size_t *bb_start; /* [rows] */
    int *bb_to;
    /* S: dense in tiles, or sparse by columns of the upper triangle in the order `order` */
    int dense;
    vgCholTiles tiles;
    size_t ns;
    double *S; /* dense: the tiles' */
    int *s_start, *s_row;
    int *order, *at;      /* [n] position → unknown and back */
    int *r_start, *r_col; /* row k of L: its columns, in the order of elimination */
    int *l_start, *l_row, *l_used;
    double *l;
    double *y, *alpha; /* [n + 4 + rows], [rows] */
    int by_saddle, bad_row;
    long fallbacks;
    size_t bytes;
};

#endif
