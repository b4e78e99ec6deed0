#include "system/project.h"

#include <float.h>
#include <math.h>

#include "math/dense.h"

/* Roundings of a row: each of its terms has been through a few operations, positions in a tree through as
 * many as it is deep. Half of it makes far.yaml's hinge, 1e7 m from the origin, miss it now and then; twice
 * of it changes nothing. */
static const double ROUNDINGS = 32;
/* A row that no longer shrinks and is within so many of its roundings is as closed as it will be: the
 * solution of the linearised constraints has roundings of its own. */
static const double STALLED = 1e3;

/* The largest violation, and in units of what a row may have. */
static double largest(const vgProjection *p, const double *phi)
{
    double worst = 0;
    for (int r = 0; r < p->nrow; r++) worst = vg_larger(worst, fabs(phi[r]));
    return worst;
}

static double in_roundings(const vgProjection *p, const vgSystem *sys, vgWork *work, double t,
                           const double *phi, double tol)
{
    double worst = 0;
    for (int r = 0; r < p->nrow; r++) {
        double open = fabs(phi[r]);
        if (open <= tol * sys->length) continue;
        worst = vg_larger(worst, open / (tol * sys->length +
                                         ROUNDINGS * DBL_EPSILON * sys->ops->row_terms(sys, work, t, r)));
    }
    return worst;
}

vgStatus vg_project_q(const vgProjection *p, const vgSystem *sys, vgWork *work, double t, double *q,
                      double tol, int max_iter, int *iter)
{
    double last = INFINITY;
    for (int it = 0;; it++) {
        const double *phi = p->rows(sys, work, t, q);
        double worst = largest(p, phi);
        if (iter) *iter = it;
        if (!isfinite(worst)) return VG_NOT_FINITE;
        if (worst <= tol * sys->length) return VG_OK;
        double rounds = in_roundings(p, sys, work, t, phi, tol);
        if (rounds <= 1 || (it > 1 && worst >= 0.5 * last && rounds <= STALLED)) return VG_OK;
        if (it == max_iter) return VG_NOT_CONVERGED;
        last = worst;
        vgStatus st = p->step(sys, work, t, q);
        if (st != VG_OK) return st;
    }
}
