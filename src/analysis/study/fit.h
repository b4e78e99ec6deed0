/* Nonlinear least squares within bounds: min ½|r(p)|², low ≤ p ≤ high, by Levenberg's and Marquardt's method.
 *
 * Points are computed in batches: the scan of the box for a start, the 2n points of the differences for the Jacobian, and
 * several dampings of a step at a time. Parameters at a bound whose gradient points outwards are kept there; other steps
 * are cut at the bounds.
 *
 * What the result is worth: with independent errors of equal variance σ², estimated by |r|²/(m − n), the covariance of the
 * parameters is σ² (JᵀJ)⁻¹ and p ± t₉₅ √diag holds the true ones in 95 % of the cases (G. A. F. Seber, C. J. Wild,
 * Nonlinear Regression, 1989). */
#ifndef VERGE_ANALYSIS_STUDY_FIT_H
#define VERGE_ANALYSIS_STUDY_FIT_H

#include "base/status.h"

enum { VG_FIT_PARAMETERS = 21 };

typedef struct vgFitProblem {
    int n;  /* parameters */
    long m; /* residuals */
    const double *low, *high, *start;
    int scan; /* points of the box that are tried as a start, beside `start` */
    int most; /* iterations */
    /* r [count × m] of the points p [count × n]; a point that cannot be computed leaves NaN. Not VG_OK: all ends */
    vgStatus (*residuals)(void *user, long count, const double *p, double *r);
    /* jacobian [n × m] at p, per unit of each parameter; VG_UNSUPPORTED: not here, differences are taken. May be NULL */
    vgStatus (*slopes)(void *user, const double *p, double *jacobian);
    void (*progress)(void *user, int iteration, double cost); /* may be NULL */
    void *user;
} vgFitProblem;

typedef enum vgFitEnd {
    VG_FIT_CONVERGED, /* a further step would be negligible against the deviations */
    VG_FIT_STALLED,   /* no step reduces the sum any more, though the linear model says it should */
    VG_FIT_TIRED,     /* too many iterations */
    VG_FIT_NO_START,  /* no point of the box can be computed */
    VG_FIT_NO_SLOPE   /* the derivatives cannot be computed */
} vgFitEnd;

typedef struct vgFit {
    vgFitEnd end;
    int iterations;
    double cost, first; /* |r|² at the end and at the start of the iteration */
    double sigma;       /* √(cost/(m − n)) */
    double serial;      /* correlation of neighbouring residuals; 0 for independent errors */
    double p[VG_FIT_PARAMETERS],
        deviation[VG_FIT_PARAMETERS]; /* deviation: NaN at a bound, infinite if not determined */
    double half[VG_FIT_PARAMETERS];   /* half of the 95 % interval */
    int bound[VG_FIT_PARAMETERS];     /* −1 at low, 1 at high, 0 between */
    double correlation[VG_FIT_PARAMETERS][VG_FIT_PARAMETERS]; /* of those between bounds */
    int determined; /* 0: an interval is wider than the range of its parameter: the data say nothing about it */
    double *r;      /* [m] at the end; free with vg_fit_free */
} vgFit;

/* VG_OK: fit->end says how it ended; else VG_NO_MEMORY or what residuals() returned. */
vgStatus vg_fit(const vgFitProblem *problem, vgFit *fit);
void vg_fit_free(vgFit *fit);
const char *vg_fit_end_text(vgFitEnd end);

/* t with P(|T| < t) = 0.95 for Student's distribution with so many degrees of freedom. */
double vg_student_95(long freedom);

#endif
