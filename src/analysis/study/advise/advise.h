/* Advice on the three dials, ρ∞ and the step: the model's eigenvalues along the run, its loops and events,
 * trial runs of a few methods of different kinds, and a check of what comes out over the whole run. */
#ifndef VERGE_ANALYSIS_STUDY_ADVISE_ADVISE_H
#define VERGE_ANALYSIS_STUDY_ADVISE_ADVISE_H

#include "analysis/study/converge.h"

enum {
    VG_ADVICE_METHODS = 10,
    VG_ADVICE_RUNGS = 10,
    VG_ADVICE_COORDINATES = 8,
    VG_ADVICE_SETTINGS = 10,
    VG_ADVICE_REASONS = 16
};

typedef struct vgAdviceOptions {
    double tolerance; /* relative error that is good enough */
    double end;       /* of the run to advise on */
    double span;      /* of the trials; 0: chosen */
    double limit;     /* processor time that a trial may take, s */
    double budget;    /* and all of them together */
    int threads;
} vgAdviceOptions;

typedef struct vgAdvice {
    /* the model */
    int bodies, joints, nv, nl, redundant, freedom, loops;
    int contacts;    /* force elements that switch: contacts, friction */
    int eigenvalues; /* 1: the linearisation below was made */
    double fastest;  /* largest |λ|, rad/s or 1/s, of the states that were looked at */
    double fastest_re, fastest_im, fastest_t, start; /* t: when; start: at the start */
    double looked_until;                             /* the last of them */
    double slowest;                                  /* smallest |λ| that is not zero */
    double decay;                                    /* most negative real part */
    /* trials */
    double span, tolerance; /* time of the trials; relative error that was asked for along it */
    double wait; /* time that a trial may still take: a few times that of the quickest within the tolerance */
    double budget, used; /* processor time for all of them */
    int starved;         /* a trial had no memory: its failure says nothing about the method */
    vgTrial reference;
    vgTrial whole; /* a reference over the whole run, where status is VG_OK */
    double until;  /* the end of the run, or before it where errors beyond all methods' begin */
    int nladder, ntrial;
    vgLadder ladder[VG_ADVICE_METHODS]; /* nrung: rungs that were tried */
    vgTrial *trial;                     /* ntrial; of a ladder there are nrung from first on */
    int rung[VG_ADVICE_METHODS];        /* that meets the tolerance at least cost, −1 none */
    double knob[VG_ADVICE_METHODS],
        cost[VG_ADVICE_METHODS]; /* step or rtol that meets the tolerance, NaN none;
                                    processor time per second of the model */
    int ncoordinates, keep;      /* keep: that meet the tolerance */
    vgTrial *coordinates;        /* the best method in all coordinates */
    double coordinate_knob[VG_ADVICE_COORDINATES];
    int nsettings;     /* the same in these with other constraints */
    vgTrial *settings; /* nsettings */
    /* the recommendation */
    int best; /* ladder, −1: no trial succeeded */
    int met;  /* 0: none is within the tolerance, and this is the nearest */
    char run_coordinates[40], run_constraints[60], run_integrator[VG_TRIAL_NAME];
    double run_step;  /* 0: chosen by the error control */
    double run_cost;  /* processor time per second of the model */
    double run_knob;  /* step or rtol */
    double run_error; /* the largest along the run up to run_until, relative */
    double run_until;
    int nreason;
    char reason[VG_ADVICE_REASONS][240];
} vgAdvice;

/* channels as in vgTrials. Without a reference there is no advice: a status and a line in diag. */
vgStatus vg_advise(const vgTrials *trials, const vgAdviceOptions *options, vgDiag *diag, vgAdvice *out);
void vg_advice_free(vgAdvice *advice);

/* Eigenvalues of the motion linearised about a state, those that `modes` finds there: the largest |λ| with its
 * parts, the smallest that is not zero, the most negative real part. sys: coordinates lie or planar. */
typedef struct vgRates {
    double fastest, re, im, slowest, decay, t;
} vgRates;
vgStatus vg_advise_rates(const vgSystem *sys, vgWork *work, const vgState *state, vgRates *out);

#endif
