/* What a sweep over a tree keeps of a link for the back substitution (sweep_run.c) and for more right sides
 * (sweep_again.c). */
#ifndef VERGE_SYSTEM_ABSOLUTE_SWEEP_KEEP_H
#define VERGE_SYSTEM_ABSOLUTE_SWEEP_KEEP_H

#include "system/absolute/sweep.h"

#define INLINE static inline __attribute__((always_inline))

/* W: row i is r × (row i of R) */
INLINE vgMat3 arm(const vgKin *k, vgVec3 r)
{
    vgMat3 W;
    for (int i = 0; i < 3; i++) vg_store3(vg_cross3(r, vg_row3(k->R, i)), W.m[i]);
    return W;
}

/* What is kept of a link for the back substitution, in the order of kept(). */
typedef struct Kept {
    double *R, *y, *E, *e, *w0, *basis, *Tp, *L;
} Kept;

INLINE Kept kept_at(double *at, int k)
{
    int f = 3 - k, m = 3 + k;
    Kept x = {.R = at, .y = at + 9};
    x.E = x.y + f * (f - 1) / 2 + f * (m + 1);
    x.e = x.E + m * m;
    x.w0 = x.e + m;
    x.basis = x.w0 + m;
    x.Tp = x.basis + 9;
    x.L = k ? x.Tp + 3 * k : x.basis;
    return x;
}

/* The increment of a body that hangs on nothing by its translation. */
INLINE void free_by(const Kept *keep, vgVec3 moved, double *x_v)
{
    double z[6];
    vg_store3(moved, z + 3);
    const double *row = keep->E;
    for (int p = 2; p >= 0; p--) {
        row -= 6 - p;
        z[p] = row[5 - p];
        for (int j = p + 1; j < 6; j++) z[p] -= row[j - p - 1] * z[j];
    }
    for (int i = 0; i < 3; i++) {
        x_v[i] = z[3 + i];
        x_v[3 + i] = z[i];
    }
}

/* Back substitution to the leaves from what is kept; x_v of free bodies is given. */
void vg_sweep_down(const vgSweep *w, double *x_v, double *x_l);

#endif
