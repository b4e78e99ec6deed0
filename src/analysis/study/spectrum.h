/* Spectral analysis of an integrator by running it. The method's own step is applied to unit vectors of its state
 * (positions, velocities, accelerations and history) on the test oscillator
 *
 *     ẍ + 2ζω ẋ + ω² x = 0
 *
 * and the eigenvalues of the resulting amplification matrix are computed. The formulas are not used: the code that
 * runs is measured. */
#ifndef VERGE_ANALYSIS_STUDY_SPECTRUM_H
#define VERGE_ANALYSIS_STUDY_SPECTRUM_H

#include "base/diag.h"
#include "integrator/integrator.h"

typedef struct vgSpectrum vgSpectrum;

typedef struct vgSpectrumPoint {
    double wh;     /* ωh */
    double radius; /* largest |eigenvalue|; +∞ when the step gives numbers that are not finite */
    double re, im; /* the principal root: the one that tends to exp(ωh(−ζ + i√(1−ζ²))) */
    double decay;  /* −ln|root| / arg: logarithmic decrement of a period over 2π */
    double
        elongation; /* ωh√(1−ζ²) / arg − 1: elongation of the damped period, the time from crest to crest */
    /* [Z] (22): root = exp(−ξ̄ω̄h ± iω̄h√(1−ξ̄²)), so that ω̄h = |ln root| */
    double damping_ratio; /* ξ̄ = −ln|root| / |ln root|: algorithmic damping ratio, 1 at most */
    double undamped_elongation; /* ω/ω̄ − 1 = ωh / |ln root| − 1: elongation by the undamped frequency ω̄ */
} vgSpectrumPoint;

/* integrator: "name" or "name:key=value,…". zeta: damping of the oscillator, negative for the right half
 * plane. */
vgStatus vg_spectrum_open(const char *integrator, double zeta, vgDiag *diag, vgSpectrum **out);
void vg_spectrum_close(vgSpectrum *spectrum);
const vgIntegratorRow *vg_spectrum_row(const vgSpectrum *spectrum);
int vg_spectrum_order(const vgSpectrum *spectrum); /* with its parameters */
/* The principal root is followed from point to point: ask in order of growing ωh, starting below 0.5.
 * Decay and elongation count turns of the root beyond the half circle while ωh is moderate.
 * VG_UNSUPPORTED: the method keeps memory outside its state, there is no amplification matrix. */
vgStatus vg_spectrum_at(vgSpectrum *spectrum, double wh, vgSpectrumPoint *point);

/* The limit of the radius for ωh → ∞, to 1e-6 for multiple roots too; ∞ where there is none. */
double vg_spectrum_infinity(vgSpectrum *spectrum);
/* 1: memory ran out in one of the calls, whose numbers mean nothing then. */
int vg_spectrum_starved(const vgSpectrum *spectrum);

/* The largest ωh up to which nothing grows along the oscillator's ray, searched up to reach; ∞: none found,
 * 0: growth at every step, however small. */
double vg_spectrum_limit(vgSpectrum *spectrum, double reach);

/* Boundary of the stability region: along rays from the origin of the plane of λh, at angles π·i/n from the
 * positive real axis (i = 0 … n), the first crossings of radius 1 between 0 and reach. crossing: (n+1) × most
 * distances, NaN where there are fewer. stable_first: (n+1), 1 when the ray starts inside the region. */
vgStatus vg_spectrum_region(const char *integrator, int n, double reach, int most, vgDiag *diag,
                            double *crossing, int *stable_first);
/* Radius minus one along such rays at distances reach·(1 + 99 k/m)/100, k = 0 … m: (n+1) × (m+1). */
vgStatus vg_spectrum_field(const char *integrator, int n, double reach, int m, vgDiag *diag, double *field);

#endif
