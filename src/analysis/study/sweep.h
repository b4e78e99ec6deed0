/* Many runs of one model with other parameters, side by side on the cores. A run sees nothing of the others, so its
 * numbers do not depend on how many run at once. */
#ifndef VERGE_ANALYSIS_STUDY_SWEEP_H
#define VERGE_ANALYSIS_STUDY_SWEEP_H

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "analysis/study/quantity.h"
#include "analysis/study/sample.h"

enum { VG_SWEEP_WHY = 420 };

typedef struct vgSweep {
    const vgSource *source;
    const vgParamSet *set; /* parameters that all runs share */
    int nset;
    const vgPlan *plan;
    const vgQuantities *quantities; /* may be none */
    const char *const *history;     /* nhistory channels whose values at ntimes increasing times are kept */
    int nhistory;
    const double *times;
    long ntimes;
    vgDials dials;                       /* NULL: the model's */
    double step, end;                    /* 0: the model's */
    int plain;                           /* 1: no fast paths */
    int (*cancelled)(void *user);        /* may be NULL; called from several threads */
    void (*done)(void *user, long runs); /* may be NULL; from the calling thread, how many are done */
    void *user;
} vgSweep;

typedef enum vgSweepState { VG_SWEEP_MISSING, VG_SWEEP_OK, VG_SWEEP_FAILED } vgSweepState;

typedef struct vgSweepRun {
    long index;         /* of the plan */
    vgSweepState state; /* MISSING: not run yet */
    double *quantity;   /* one each; NaN unless OK */
    double *history;    /* ntimes × nhistory; NaN unless OK, and where the run ended before */
    char *why;          /* of a failed run, VG_SWEEP_WHY bytes */
} vgSweepRun;

/* The model with its own parameters, without running it: unknown parameters, channels, dials and times are wrong input.
 * What a value of the plan makes of the model is found by its run, so that the order of the values does not matter. */
vgStatus vg_sweep_check(const vgSweep *sweep, vgDiag *diag);
/* Runs those of the n that are missing, on so many threads (0: all cores). A failed run says why and stops none of the
 * others. VG_INTERRUPTED: some are missing still. */
vgStatus vg_sweep_runs(const vgSweep *sweep, vgSweepRun *run, long n, int threads);

#endif
