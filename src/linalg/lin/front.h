/* Backend of fronts, for graphs with much fill: the multifrontal method [Duff & Reid, ACM TOMS 9 (1983)].
 *
 * Nodes that follow each other in the elimination order and have about the same later neighbours form a front: a dense
 * matrix of `own` rows that are eliminated here and `border` rows of later fronts. It is the sum of the matrix's
 * entries in the own rows and columns and of what earlier fronts (its children) leave of theirs:
 *
 *     F = [ F11 F12 ]  own + come       F11 = P⁻¹ L U Q⁻¹,      rest := F22 − F21 F11⁻¹ F12  goes to the parent
 *         [ F21 F22 ]  border
 *
 * Rows are exchanged within F11 alone. Where F11 has less than full rank, although the whole matrix has it (of the six rows of
 * two ball joints on one bar, the bar alone carries five), some of its rows and columns stay in the rest. Either the
 * elimination order has a place for them, as rows that a node passes on (vgLinNode): `give`. Or they are `pass`, and are `come`
 * in the parent. How many is found once by a trial with numbers (vg_lin_learn), so that memory is known; which ones is
 * determined again by every factorisation. A front passes on up to VG_FRONT_SPARE rows more than in the trial rather than
 * take pivots that cost digits: the parent may have better ones for them. Sizes of fronts, and the places of factors and
 * rests, are those of the factorisation at hand. */
#ifndef VG_LINALG_LIN_FRONT_H
#define VG_LINALG_LIN_FRONT_H

#include "linalg/lin/impl.h"

/* Rows that a front passes on besides those of the trial. A net of 20 × 20 bars that falls needs two at once somewhere in 300 steps;
 * with none of them every twentieth factorisation is left to the sparse backend, which takes ten times as long. */
enum { VG_FRONT_SPARE = 4 };

typedef struct vgFront {
    int own, border, give; /* rows */
    int come, pass;        /* rows, in the factorisation at hand */
    int usual;             /* what it passed on in the trial */
    double cost;           /* about nanoseconds, as in the trial */
    int parent;            /* −1: none */
    int at;                /* first row of what it passes on among those that come to the parent */
    int child, end;        /* its children: vgLinFronts.child[child .. end) */
    size_t rows; /* row numbers of own, give and border in `rows`, places of give and border in `slot` */
    size_t load, load_end;
    size_t pivots;  /* of all earlier fronts: place in y */
    int *row, *col; /* numbers of the own + come rows and columns, pivots first; those of the border follow */
    double *lower, *upper, *rest; /* by columns */
} vgFront;

typedef struct vgFrontLoad { /* a block of the matrix, added to a front */
    size_t from;
    int row, col, rows, cols; /* of the front */
    int turned;               /* 1: the transpose is stored */
} vgFrontLoad;

typedef struct vgLinFronts {
    vgArena plan, room; /* what depends on the graph alone; what depends on pass */
    int n, ngiven,
        nfront; /* rows; of them, those that the order passes on have numbers n .. n + ngiven too */
    size_t nrow, nload, nid, nfactor, nstack;
    size_t nfill; /* doubles in the factors, as in the trial; nfactor: there is room for */
    size_t factor_used, stack_used, done; /* by the fronts so far: doubles, doubles, pivots */
    int largest;                          /* rows of the largest front */
    int lost;                             /* 1: a pivot of the last factorisation has cost digits */
    vgFront *front;
    int *child;
    int *rows; /* own rows, those that are given, those of the border */
    int *slot; /* at `rows + own`: places in the parent, not counting those that come to it */
    int *given_row, *given_col; /* [ngiven] numbers of the row and column in the matrix */
    vgFrontLoad *load;
    int *ids, *map, *turn; /* ids: row and col of all fronts */
    double *factor, *stack, *work, *y, *z, *x;
    int *spot; /* [n] where the row of this number is in the front at hand */
    double *weight;
    double *history; /* [n] the largest absolute value that each diagonal entry has had */
} vgLinFronts;

/* lower: ld = vg_front_pad(size), pivots columns; upper: ld = vg_front_pad(pivots), size − pivots columns;
 * rest: ld = size − pivots: pass, give, border. */
static inline size_t vg_front_pad(int rows)
{
    return (size_t)(rows + 3) / 4 * 4;
}
/* Loops over vectors may touch four numbers more in the front at hand. */
static inline size_t vg_front_ld(int rows)
{
    return vg_front_pad(rows) + 4;
}
static inline int vg_front_pivots(const vgFront *f)
{
    return f->own + f->come - f->pass - f->give;
}
static inline int vg_front_size(const vgFront *f)
{
    return f->own + f->come + f->border;
}

vgStatus vg_lin_fronts_plan(const vgLin *lin, const vgLinOrder *order, void **impl);
/* What comes to a front from its children. */
void vg_lin_fronts_come(vgLinFronts *b, vgFront *x);
static inline int vg_front_rest(const vgFront *f)
{
    return f->pass + f->give + f->border;
}
static inline size_t vg_front_factor(const vgFront *f) /* doubles */
{
    const int p = vg_front_pivots(f);
    return vg_front_pad(vg_front_size(f)) * (size_t)p + vg_front_pad(p) * (size_t)vg_front_rest(f);
}
/* Memory for fronts that usually pass on `pass` rows. */
vgStatus vg_lin_fronts_place(vgLinFronts *b);
void vg_lin_fronts_free(void *impl);

/* Eliminates up to `want` of the first `cand` rows and columns of the front f (m × m, by columns, ld = vg_front_ld(m)), whose numbers are
 * row and col [cand]; both are permuted, pivots first, as the front is. Below the diagonal f has L without its unit diagonal,
 * above U, on it 1/U. history and spot: see vgLinFronts. Pivots that cost digits are taken only while there are fewer than `need`.
 * Returns the number of pivots. */
typedef struct vgFrontWork {
    int *row, *col, *spot;
    int *turn;         /* [cand] scratch: where each column was at first */
    const int *border; /* numbers of the other rows; number n + i is row given[i] */
    const int *given;
    int n;
    double *history, *weight; /* weight [cand]: scratch */
    int *lost;
} vgFrontWork;
int vg_front_eliminate(double *f, int m, int cand, int want, int need, const vgFrontWork *w);

/* y −= A x, A m × k by columns. y may be touched up to the next multiple of four. */
void vg_front_subtract(double *y, const double *a, size_t lda, int m, const double *x, int k);

#endif
