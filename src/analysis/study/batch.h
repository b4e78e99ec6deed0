/* A model as a function of some of its parameters: y(p) are the quantities of a run and the histories of its channels.
 * Many points are computed side by side by runs of a sweep, so that the numbers do not depend on the number of threads. */
#ifndef VERGE_ANALYSIS_STUDY_BATCH_H
#define VERGE_ANALYSIS_STUDY_BATCH_H

#include "analysis/study/sweep.h"

typedef struct vgBatch {
    vgSweep sweep; /* source, settings, quantities, histories, dials, times; its plan is not used */
    const char *const *param;
    int nparam; /* at most VG_PLAN_PARAMETERS */
    int threads;
    long runs; /* so far */
} vgBatch;

/* Length of y: quantities, then histories time by time. */
long vg_batch_length(const vgBatch *b);
/* Names of parameters, channels, dials and times without running; value [nparam] receives the values of the model. */
vgStatus vg_batch_check(const vgBatch *b, double *value, vgDiag *diag);
/* y [n × length] of the points p [n × nparam]. A run that fails leaves NaN and, the first of them, its reason in why
 * [VG_SWEEP_WHY] (may be NULL; "" if none failed). VG_INTERRUPTED, VG_NO_MEMORY: y is not complete. */
vgStatus vg_batch_run(vgBatch *b, long n, const double *p, double *y, char *why);

#endif
