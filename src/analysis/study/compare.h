/* Trials: many runs of one model with other dials, side by side on the cores, judged by the same numbers.
 * A trial sees nothing of the others, so its numbers do not depend on how many run at once. */
#ifndef VERGE_ANALYSIS_STUDY_COMPARE_H
#define VERGE_ANALYSIS_STUDY_COMPARE_H

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

enum { VG_TRIAL_NAME = 160, VG_TRIAL_CHANNELS = 64, VG_TRIAL_SAMPLES = 16 };

typedef struct vgTrial {
    /* what to run */
    char coordinates[40], constraints[60]; /* "": what the model says, and else what the integrator takes */
    char integrator[VG_TRIAL_NAME];
    double step, end;
    int energies; /* 1: energy balance, constraint drift */
    double limit; /* seconds of processor time it may take, 0: any */
    int along; /* 1: errors are the largest of VG_TRIAL_SAMPLES times, equally far apart; 0: those at the end
                */
    int bounded; /* 1: it ends where the energy has grown beyond all measure */
    /* what came out */
    vgStatus status;
    char why[420]; /* "" when all went well */
    int grew;      /* 1: it ended because the energy grew beyond all measure */
    const vgIntegratorRow *row;
    int order; /* of the method with its parameters */
    int nv, nl;
    vgTransientResult run;
    double seconds_all;            /* set-up and rows as well */
    double energy_mean;            /* ε(T) of [N] (14): mean of |ΔE| over time */
    double energy_end, energy_max; /* ΔE = E − E(0) − work put in ([Z] (23)), at the end; largest |ΔE| */
    double value[VG_TRIAL_CHANNELS];                    /* the channels at the end */
    double sample[VG_TRIAL_SAMPLES][VG_TRIAL_CHANNELS]; /* along: at these times */
    double size[VG_TRIAL_CHANNELS];                     /* the largest |value| along the run */
    double way[VG_TRIAL_CHANNELS];   /* and the largest distance from the value at the start */
    double error[VG_TRIAL_CHANNELS]; /* against the reference, relative to its largest value if it has one,
                                        or to a share of the vector's that it is a component of */
    double worst;                    /* the largest of them; NaN without reference */
} vgTrial;

typedef struct vgTrials {
    const vgModel *model;
    int nchannel;
    const char *const *channel;   /* whose errors are looked at; at most VG_TRIAL_CHANNELS, no patterns */
    int (*cancelled)(void *user); /* may be NULL; called from several threads */
    void *user;
} vgTrials;

/* Opens a trial without running it: whether its dials suit the model and each other, in status and why. */
void vg_trial_check(const vgTrials *trials, vgTrial *trial);
/* Runs n trials on the given number of threads (0: all cores). A failed trial reports it and does not stop the
 * others. VG_NO_MEMORY if one of them had none: a table without it would be another answer. */
vgStatus vg_trials_run(const vgTrials *trials, vgTrial *trial, int n, int threads);
/* A reference for the model: an explicit method of high order with tight tolerances; where that takes longer
 * than out->limit, a fine run of an implicit one with steps of `step`/16, for which `most` seconds are given
 * (0: any; < 0: none is tried). out: end, limit, along and bounded are read;
 * seconds_all are those of all that were tried. */
vgStatus vg_trials_reference(const vgTrials *trials, double step, double most, vgTrial *out);
/* error and worst of a trial. */
void vg_trial_judge(const vgTrials *trials, const vgTrial *reference, vgTrial *trial);
/* The last of the times along both up to which no error exceeds the tolerance; 0: it does at the first. */
double vg_trial_agrees(const vgTrials *trials, const vgTrial *reference, const vgTrial *trial,
                       double tolerance);
/* 1: multipliers in the scaling of the coordinates, and constraint violations: they belong to a setting of the dials, and
 * other settings do not have them, or have others. */
int vg_trial_of_setting(const char *channel);
/* Channel names for errors: those given (patterns allowed), else what the model records, without energies and what
 * belongs to a setting, else joint coordinates, else positions. At most VG_TRIAL_CHANNELS; free(*block) afterwards. */
vgStatus vg_trial_channels(const vgModel *model, const char *const *given, int ngiven, vgDiag *diag,
                           char **block, const char **names, int *n);

#endif
