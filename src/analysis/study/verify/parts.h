/* What the parts of verify share: runs with their samples, and ladders of runs. */
#ifndef VERGE_ANALYSIS_STUDY_VERIFY_PARTS_H
#define VERGE_ANALYSIS_STUDY_VERIFY_PARTS_H

#include "analysis/study/verify/verify.h"

enum { VG_LADDER_RUNGS = 6 };

/* Largest values over a run that say what is small in this model. */
typedef struct vgScales {
    double length, mass, speed, omega, acceleration, alpha, kinetic, potential, potential0;
} vgScales;

/* A run with its samples. */
typedef struct vgSampled {
    int index;     /* in the certificate's runs */
    int n;         /* samples taken: the first n times */
    double *value; /* [nsample][nchannel] */
} vgSampled;

typedef struct vgLadderRuns {
    vgSampled rung[VG_LADDER_RUNGS];
    int n;
    double ratio; /* by which errors fall from rung to rung, as the method promises */
} vgLadderRuns;

typedef struct vgVerify {
    const vgModel *model;
    const char *const *names;
    const vgVerifyOptions *o;
    vgCertificate *out;
    int starved; /* memory ran out in one of the runs: there is no verdict */
    int nchannel, nsample;
    double interval;     /* of the samples; the last is at the end */
    double own_work;     /* of the run itself */
    double budget, left; /* evaluations; what is left of them */
    double begin;        /* processor time */
    double seconds;      /* the last limit */
    vgScales scale;
    vgLadderRuns self, other, arbiter;
    /* the run's setting, as it is */
    const vgIntegratorRow *row;
    char coordinates[40], constraints[60], integrator[VG_VERIFY_TEXT];
    unsigned con;
    int adaptive; /* 1: it follows tolerances */
    int steps;    /* 1: it takes a step */
    double rtol, atol, order;
    int nv, redundant;
} vgVerify;

/* run.c: makes a run, with at most `work` evaluations; a new entry of out->run. */
vgStatus vg_verify_sample(vgVerify *x, const vgVerifyRun *what, double work, vgSampled *sampled);
/* settings.c: dials of the independent runs, the k-th choice at rung r; 0: there is no such choice. */
int vg_verify_setting(const vgVerify *x, int k, int rung, vgVerifyRun *what, double *ratio);
/* The run's own setting, made finer. */
void vg_verify_finer(const vgVerify *x, int rung, vgVerifyRun *what);
/* Marks reactions that are not determined, and channels that belong to a setting. */
vgStatus vg_verify_mark(vgVerify *x, vgDiag *diag);
/* words.c */
void vg_verify_words(vgVerify *x);

#endif
