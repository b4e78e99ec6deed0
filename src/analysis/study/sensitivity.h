/* Sensitivities: derivatives of quantities and histories with respect to parameters.
 *
 * By steps: one run is differentiated along its own steps (analysis/forward), at the cost of about one run for each
 * parameter. Where that does not apply, by differences of whole runs: central differences with three steps, each half of the
 * one before, are extrapolated to step 0 (Richardson; C. J. F. Ridders 1982); six runs a parameter and one of the model
 * itself, side by side on the cores.
 *
 * Every derivative has an estimate of its error: that of differences is the change between the last two extrapolations; that
 * of steps a bound, and where the derivatives to both sides are apart (a quantity with a kink or a jump) that distance. */
#ifndef VERGE_ANALYSIS_STUDY_SENSITIVITY_H
#define VERGE_ANALYSIS_STUDY_SENSITIVITY_H

#include "analysis/study/batch.h"

typedef enum vgSensitivityBy { VG_BY_EITHER, VG_BY_STEPS, VG_BY_DIFFERENCES } vgSensitivityBy;

/* Error of derivatives by steps, in units of the larger one of the derivative and of y over the parameter's size: the largest
 * distance from differences on the shipped models, that of a beam which is stiff along itself; 1e-6 on all others
 * (test_forward). */
#define VG_FORWARD_ERROR 1e-5

/* The largest step, relative to a parameter. Runs are accurate to their Newton tolerance, 1e-9 and better, which a step of
 * 2e-3 makes errors of 1e-6 in the derivative; at half of it they are twice as large. At twice, motions of many periods
 * leave the range of the extrapolation. */
#define VG_SENSITIVITY_STEP 2e-3

/* At the point p [nparam]: y [length], derivatives dy [nparam × length], errors [nparam × length] of them, absolute. scale
 * [nparam]: typical sizes of the parameters, of which steps are parts; 0 or NULL: |p|, or 1 where that is 0. A run that fails
 * leaves NaN where it is needed; why as in vg_batch_run. instead [VG_SWEEP_WHY]: "", or why differences were taken. BY_STEPS:
 * VG_UNSUPPORTED where they would be. */
vgStatus vg_sensitivities(vgBatch *b, const double *p, const double *scale, vgSensitivityBy by, double *y,
                          double *dy, double *error, char *why, char *instead);

#endif
