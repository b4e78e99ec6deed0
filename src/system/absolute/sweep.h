/* Newton's increment of a tree in absolute coordinates by one sweep from the leaves to the root and one back
 * (docs/theory.md, eq. 24 and 25a). Internal to the room. */
#ifndef VERGE_SYSTEM_ABSOLUTE_SWEEP_H
#define VERGE_SYSTEM_ABSOLUTE_SWEEP_H

#include "system/absolute/absolute.h"

enum { VG_SWEEP_ROWS = 3 };

typedef struct vgSweepHinge { /* s1 u_child·u_parent − c = 0 */
    vgVec3 child, parent;
    double s1, c;
} vgSweepHinge;

typedef struct vgSweepLink { /* a body and the joint towards the root */
    double mass;
    vgMat3 J;
    int q0, v0;                    /* of the body */
    int slot, parent_slot, parent; /* parent: its link, −1 ground or none */
    int leaf, opens; /* leaf: the first to write its slot; opens: the first to write the parent's slot */
    int row, nhinge, hinge_row,
        hinge;     /* row −1: a free body. hinge_row: first of the rows after the point's */
    unsigned keep; /* where its part of the kept numbers begins */
    double sign;   /* 1: the child is the joint's first body, −1: its second */
    vgVec3 r_child, r_parent;
} vgSweepLink;

typedef struct vgSweepSlot { /* a body whose children are being eliminated */
    vgKin k;
    vgMat3 tt, tr, rt, rr;
    vgVec3 f, n; /* right side */
} vgSweepSlot;

typedef struct vgSweep {
    vgArena arena;
    const vgChart *chart;
    int nlink, nslot, nhinge;
    size_t nkeep;
    double arm;        /* the longest of a joint's point */
    vgSweepLink *link; /* leaves first */
    vgSweepSlot *slot;
    vgSweepHinge *hinge;
    double *keep;
} vgSweep;

/* R, y rows (upper triangle, E columns, right side), E, e, w₀, with hinges the basis and T_p, and what the
 * elimination of y does to a right side: 1/pivot and the column below it */
static inline int vg_sweep_kept(int k)
{
    int f = 3 - k, m = 3 + k;
    return f * (f - 1) / 2 + f * (m + 1) + m * m + 2 * m + 9 + (k ? 9 + 3 * k : 0) + f * (13 - f) / 2;
}

/* *out NULL without an error: not a tree of joints that the sweep knows, or elements between the bodies. */
vgStatus vg_sweep_new(const vgAbs *s, vgSweep **out);
void vg_sweep_free(vgSweep *w);
/* [M Bᵀ; B 0](xi, lambda) = (−force, rows) at a motion: force 6 nbody (NULL: zero), rows and lambda by the
 * model's rows (may be the same). 0: not possible, rows as they were. */
int vg_sweep_native(vgSweep *w, const vgKin *kin, const double *force, const double *rows, double *xi,
                    double *lambda);
/* The matrix of the last vg_abs_iterate() again: (A Bᵀ; B 0)(x_v, x_l) = (0, x_l). */
void vg_sweep_again(vgSweep *w, double *x_v, double *x_l);
/* q, v + offset, a of the stage as it is now, and with the same matrix (A Bᵀ; B 0)(y, z) = (0, B v). kin: scratch, nbody */
void vg_sweep_correct(vgSweep *w, const vgAffine *s, vgKin *kin);
size_t vg_sweep_memory(const vgSweep *w);

#endif
