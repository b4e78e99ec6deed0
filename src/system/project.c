#include "system/project.h"

#include <float.h>
#include <math.h>

#include "math/dense.h"

/* Rounding error of a constraint equation that iterations no longer reduce, in units of ε Σ|terms|: each term is the result
 * of several operations (positions in a tree: as many as it is deep), and the linearised constraints are solved with
 * rounding. At a hundredth of it hinges 1e7 m from the origin sometimes do not converge; at a hundred times, loops that stay
 * open by 1e-10 of a length count as closed. */
static const double ROUNDINGS = 1e4;
/* An iteration that leaves more than this part of the violation no longer converges: a regular one leaves its square. */
static const double STALLS = 0.5;

static int counts(const vgProjection *p, const vgWork *work, int r)
{
    return p->all || vg_row_counts(work, r);
}

static double largest(const vgProjection *p, const vgWork *work, const double *phi)
{
    double worst = 0;
    for (int r = 0; r < p->nrow; r++)
        if (counts(p, work, r)) worst = vg_larger(worst, fabs(phi[r]));
    return worst;
}

/* Are all rows closed, but for rounding? */
static int is_rounding(const vgProjection *p, const vgSystem *sys, vgWork *work, double t, const double *phi,
                       double tol)
{
    for (int r = 0; r < p->nrow; r++) {
        double open = fabs(phi[r]);
        if (!counts(p, work, r) || open <= tol * sys->length) continue;
        if (!(open <= ROUNDINGS * DBL_EPSILON * sys->ops->row_terms(sys, work, t, r))) return 0;
    }
    return 1;
}

vgStatus vg_project_q(const vgProjection *p, const vgSystem *sys, vgWork *work, double t, double *q,
                      double tol, int max_iter, int *iter)
{
    double last = INFINITY;
    for (int it = 0;; it++) {
        const double *phi = p->rows(sys, work, t, q);
        double worst = largest(p, work, phi);
        if (iter) *iter = it;
        if (!isfinite(worst)) return VG_NOT_FINITE;
        if (worst <= tol * sys->length) return VG_OK;
        /* far from the origin lengths no longer change and rotations alone close the rows, linearly: they may stay
         * above STALLS to the end of the iterations, and are as good as rounding lets them be all the same */
        int ends = it == max_iter;
        if ((ends || worst >= STALLS * last) && is_rounding(p, sys, work, t, phi, tol)) return VG_OK;
        if (ends) return VG_NOT_CONVERGED;
        last = worst;
        vgStatus st = p->step(sys, work, t, q);
        if (st != VG_OK) return st;
    }
}
