/* Newton's iteration onto the constraints at the level of positions: one loop for all families of coordinates
 * and constraint settings. Internal to the room. */
#ifndef VERGE_SYSTEM_PROJECT_H
#define VERGE_SYSTEM_PROJECT_H

#include "system/system.h"

typedef struct vgProjection {
    /* Φ of all rows at q (0 where a row is not on positions); the work then has what step() needs */
    const double *(*rows)(const vgSystem *, vgWork *, double t, const double *q);
    /* q moved by the solution of the linearised constraints at the rows last evaluated */
    vgStatus (*step)(const vgSystem *, vgWork *, double t, double *q);
    int nrow;
    int all; /* 1: all rows count, whatever the state says; those that do not are 0 */
} vgProjection;

/* Until |Φ| ≤ tol·length in all rows, or as small as their rounding lets them be; iterations in *iter (NULL:
 * not wanted). VG_NOT_CONVERGED after max_iter. */
vgStatus vg_project_q(const vgProjection *p, const vgSystem *sys, vgWork *work, double t, double *q,
                      double tol, int max_iter, int *iter);

#endif
