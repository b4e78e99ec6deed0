/* Independent coordinates: the choice, the split B = (B_D, B_I) by loops, the matrix. Internal to the room;
 * see independent.c. */
#ifndef VERGE_SYSTEM_SETTING_INDEPENDENT_H
#define VERGE_SYSTEM_SETTING_INDEPENDENT_H

#include "math/lanes.h"
#include "system/setting/wrap.h"

/* Coordinates up to which matrices are full; of more they are sparse (independent_wide.c). Measured: the car Iltis in joint
 * coordinates, many small loops, takes 1.4 times as long with sparse ones, a chain of six balls 0.7, of ten 0.55, of thirty
 * 0.2 times. */
enum { VG_INDEPENDENT_FULL = 40 };

typedef struct vgIndependentWide vgIndependentWide;

#define VG_INDEPENDENT_LEAST 1e-8 /* least pivot of rows of unit length */

/* Rows that share coordinates with each other and with no other rows: B_D and R_D consist of such blocks. */
typedef struct vgLoop {
    int m, f;       /* dependent and independent coordinates */
    int dep, ind;   /* its first ones in the lists */
    int D, R, from; /* its first numbers there */
} vgLoop;

typedef struct vgIndependentWork {
    vgWrapWork w; /* first */
    vgSaddle at;
    int *place;             /* of the saddle matrix: lin/parts.h */
    int *source;            /* nphi × nv: where the entry of B is in the matrix's values, −1: nowhere */
    int *part;              /* nv + nphi: coordinates and rows of one loop have the same number */
    int nmark;              /* marks of a choice, see vg_choice_take */
    double *choice, *fresh; /* nmark: the marks of the lists, and of a choice to be made */
    int chosen, ndep, nind, nr; /* nr: numbers in R */
    int nloop;
    vgLoop *loop;
    int *dep, *ind, *row; /* ndep, nind, ndep; by loops, then the coordinates that no row knows */
    int *from;            /* per loop its rows (B_D, B_I): places in the matrix's values */
    double *ratio;        /* nr: v_scale of I over that of D */
    double *D, *R;        /* per loop m × m (factors), m × f */
    double *inverse;      /* ndep: of the factors' diagonal */
    double *lanes;        /* VG_LANES nphi: room */
    int *pivot;
    double steep;  /* how much faster dependent coordinates move than independent ones, in their scales */
    double *B, *W; /* nphi × nv */
    double *A, *X; /* nv × nv, nv × nind: A R */
    double *A_D;   /* ndep × nv: columns of A, side by side in memory as the following */
    double *X_D;   /* nind × ndep: columns of those rows of X */
    double *S;     /* nind × nind: factors of (Rᵀ A R)ᵀ */
    int *pivot_S;
    double *phi, *g; /* 3 nphi; nphi */
    double *q, *q_old, *v, *a, *r, *x;
    double *lambda;          /* nphi: of the last thorough evaluation */
    double *zero;            /* max(nq, nv, nphi) */
    vgIndependentWide *wide; /* NULL: full matrices, those above; else none of them has memory */
    double cv, ca;           /* of the last factorisation */
    int split_ok;            /* D and R belong to the last residual */
    vgStatus split_st;       /* of the last split in a projection */
    int followed;            /* q, v, a are a motion with D from I, and the split is that of q */
    int closing;       /* the next solution also closes the positions; APPROACHED: and takes the rest along */
    double *violation; /* nphi: by level, of the motion the method gave */
    /* Newton's iteration, see approach() */
    int tangent_ahead;  /* the next approach() is followed by factor() */
    int approaching;    /* the motion comes from an iteration and is to be finished */
    int have_reactions; /* `reaction` is that of the motion last followed */
    double *dv, *da;    /* nv: what D has beyond the method's formulas */
    double *reaction;   /* nphi */
    double *gap;        /* VG_LANES ndep: B_D⁻¹ (Φ, Φ̇, Φ̈, 0) of the last approach() */
    double moved;       /* how far the iteration went from where B was taken */
} vgIndependentWork;

/* Set-up: where the entries of B are, and which rows share coordinates. */
vgStatus vg_choice_start(const vgSystem *sys, vgIndependentWork *w);
/* The lists of a choice, made of marks that a checkpoint keeps: 1 at dependent coordinates (nv), at the rows
 * that count (nphi), and at the end the least pivot of B_D after the first step with it, 0: not known, and its steepness, 0: not
 * made. */
void vg_choice_take(const vgSystem *sys, vgIndependentWork *w, const double *mark);
/* A new one, for the rows last assembled. VG_LIMIT: there is no room for it, the old one stays. */
vgStatus vg_choice_make(const vgSystem *sys, vgIndependentWork *w, double t);
/* The choice of the bound state, if it has one. */
int vg_choice_bind(const vgSystem *sys, vgIndependentWork *w);

/* B at the motion last given to the inner system, B_D = L U and R_D. VG_SINGULAR names the row. */
vgStatus vg_split(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v);
/* w->gap = B_D⁻¹ (Φ, Φ̇, Φ̈) of the rows that count, from w->phi */
void vg_split_levels(const vgSystem *sys, vgIndependentWork *w);
/* x_D −= B_D⁻¹ violation */
void vg_split_correct(vgIndependentWork *w, const double *violation, double *x);
/* r_I += R_Dᵀ r_D, λ with B_Dᵀ λ = −r_D; r_D := 0 */
void vg_split_reduce(const vgSystem *sys, vgIndependentWork *w, double *r);
/* Of full matrices alone: x_I += R_Dᵀ x_D; λ += c B_D⁻ᵀ z, z in the order of dep (destroyed) */
void vg_split_gather(const vgIndependentWork *w, double *x);
void vg_split_transposed(vgIndependentWork *w, double *z, double c, double *lambda);

/* ---- independent_follow.c: D from I ---- */

/* w->q: q with the dependent positions closed; leaves Φ, Φ̇ of w->q, v in w->phi and the split at w->q. */
vgStatus vg_follow_positions(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v);
/* w->v and w->a (a NULL: not wanted): D from I. Needs D, R at q and Φ̇ of v in w->phi. */
void vg_follow_rates(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a);
/* q, v, a (NULL: not wanted) with D from I; where they come from an iteration, with what it has found. */
vgStatus vg_follow_all(const vgSystem *sys, vgWork *work, double t, double *q, double *v, double *a);
/* w->v, w->a: the method's, and in D what goes beyond its formulas. */
void vg_follow_beyond(const vgSystem *sys, vgIndependentWork *w, const double *v, const double *a);
/* w->gap of the levels in w->phi. */
void vg_follow_levels(const vgSystem *sys, vgWork *work);

/* ---- independent_matrix.c: S = Rᵀ A R of the saddle matrix w->at, its factors, solutions with them ---- */

/* In pieces, after those of the inner system; cost as in vgPieceOps, NULL: not wanted. */
int vg_reduced_pieces(const vgSystem *sys, const vgIndependentWork *w, double *cost);
vgStatus vg_reduced_piece(const vgSystem *sys, vgIndependentWork *w, int i);
vgStatus vg_reduced_factor(const vgSystem *sys, vgIndependentWork *w);
/* x := δ = R δ_I with S δ_I = Rᵀ x. approached: what Φ̈ leaves of the accelerations is in it, and the reactions are
 * corrected with the solution. at_once: the matrix has just been factorised. */
void vg_reduced_solve(const vgSystem *sys, vgIndependentWork *w, int approached, int at_once, double *x);

/* ---- independent_wide.c: the same for many coordinates ---- */

vgStatus vg_wide_new(const vgSystem *sys, vgIndependentWork *w);
void vg_wide_free(vgIndependentWide *x);
size_t vg_wide_memory(const vgIndependentWide *x);
/* Marks are steps of an elimination. 0: they are not. */
int vg_wide_take(const vgSystem *sys, vgIndependentWork *w, const double *mark);
vgStatus vg_wide_make(const vgSystem *sys, vgIndependentWork *w, double t);
vgStatus vg_wide_split(const vgSystem *sys, vgIndependentWork *w, const double *values);
void vg_wide_levels(const vgSystem *sys, vgIndependentWork *w);
void vg_wide_correct(const vgSystem *sys, vgIndependentWork *w, const double *violation, double *x);
void vg_wide_reduce(const vgSystem *sys, vgIndependentWork *w, double *r);
int vg_wide_pieces(const vgIndependentWork *w, double *cost);
vgStatus vg_wide_piece(const vgSystem *sys, vgIndependentWork *w, int i);
vgStatus vg_wide_factor(const vgSystem *sys, vgIndependentWork *w);
void vg_wide_solve(const vgSystem *sys, vgIndependentWork *w, int approached, int at_once, double *x);

#endif
