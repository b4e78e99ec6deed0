/* Advice on the three dials, ρ∞ and the step: the model's eigenvalues at the start, its loops and events, and
 * short trial runs of a few methods of different kinds. */
#ifndef VERGE_ANALYSIS_ADVISE_H
#define VERGE_ANALYSIS_ADVISE_H

#include "analysis/converge.h"

enum { VG_ADVICE_METHODS = 10, VG_ADVICE_RUNGS = 4, VG_ADVICE_COORDINATES = 8, VG_ADVICE_REASONS = 12 };

typedef struct vgAdvice {
    /* the model */
    int bodies, joints, nv, nl, redundant, freedom, loops;
    int contacts;    /* force elements that switch: contacts, friction */
    int eigenvalues; /* 1: the linearisation below was made */
    double fastest;  /* largest |λ|, rad/s or 1/s */
    double fastest_re, fastest_im;
    double slowest; /* smallest |λ| that is not zero */
    double decay;   /* most negative real part */
    /* trials */
    double span, tolerance; /* time of the trials; relative error that was asked for at its end */
    double wait;            /* what a trial may still take: a few times the quickest that met the error */
    vgTrial reference;
    int nladder, ntrial;
    vgLadder ladder[VG_ADVICE_METHODS];
    vgTrial *trial; /* ntrial */
    double knob[VG_ADVICE_METHODS],
        cost[VG_ADVICE_METHODS]; /* step or rtol that meets the tolerance, NaN none;
                                    processor time per second of the model */
    int ncoordinates, keep;      /* keep: that meet the tolerance */
    vgTrial *coordinates;        /* the best method in all coordinates */
    double coordinate_knob[VG_ADVICE_COORDINATES];
    /* the recommendation */
    int best; /* ladder, −1: none met the tolerance */
    char run_coordinates[40], run_constraints[60], run_integrator[VG_TRIAL_NAME];
    double run_step; /* 0: chosen by the error control */
    double run_cost; /* processor time per second of the model */
    int nreason;
    char reason[VG_ADVICE_REASONS][240];
} vgAdvice;

/* span 0: chosen. channels as in vgTrials. */
vgStatus vg_advise(const vgTrials *trials, double tolerance, double end, double span, double limit,
                   int threads, vgDiag *diag, vgAdvice *out);
void vg_advice_free(vgAdvice *advice);

/* Eigenvalues of the motion linearised about a state: of ẋ = (v, accel(q, v)), 2 nv of them, by central
 * differences. Directions that the constraints close give zeros. */
vgStatus vg_linear_eigenvalues(const vgSystem *sys, vgWork *work, const vgState *state, double *re,
                               double *im);

#endif
