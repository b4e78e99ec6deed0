/* Convergence: the same run at halved steps (or tightened tolerances), errors against a reference, and the
 * orders measured. */
#ifndef VERGE_ANALYSIS_STUDY_CONVERGE_H
#define VERGE_ANALYSIS_STUDY_CONVERGE_H

#include "analysis/study/compare.h"

/* One method's ladder of trials, coarse to fine: those of a step h/2^k or, for adaptive methods, of
 * tolerances rtol·10^−k. */
typedef struct vgLadder {
    char integrator[VG_TRIAL_NAME];
    int adaptive;
    double rtol, atol; /* adaptive: the loosest tolerances */
    int outside;       /* within steps of one size (SUNDIALS) */
    int nrung, first;  /* its trials: first … first + nrung − 1 */
    int own;           /* > 0: trial that serves as its own reference */
} vgLadder;

typedef struct vgConverge {
    double step, end;  /* the coarsest step, the end */
    double rtol;       /* the loosest tolerance (adaptive methods) */
    int rungs;         /* steps, or decades of tolerance */
    int own_reference; /* 1: each method against its own run two halvings (or decades) finer */
    double limit;
    const char *coordinates, *constraints; /* NULL: as the model says */
} vgConverge;

/* The integrator with these tolerances in the place of its own. */
void vg_converge_tolerances(const char *integrator, double rtol, double atol, char out[VG_TRIAL_NAME]);
/* Trials of all ladders in one list, so that they can run side by side. Room: n · (rungs + 1) trials. Returns
 * how many there are. */
int vg_converge_plan(const vgConverge *plan, char *const *integrator, int n, vgLadder *ladder,
                     vgTrial *trial);
/* Order between a rung and the one before it, of a channel or (−1) of the worst; NaN where there is none.
 * Adaptive ladders: how the error follows the work (seconds), −d log error / d log tolerance. */
double vg_converge_order(const vgLadder *ladder, const vgTrial *trial, int rung, int channel);
/* Least-squares slope over the rungs whose error lies between floor and 0.1. */
double vg_converge_slope(const vgLadder *ladder, const vgTrial *trial, int channel, double floor);

#endif
