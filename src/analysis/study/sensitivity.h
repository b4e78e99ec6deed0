/* Sensitivities: derivatives of quantities and histories with respect to parameters, by differences of whole runs.
 *
 * Central differences with three steps, each half of the one before, are extrapolated to step 0 (Richardson; C. J. F.
 * Ridders 1982). Every derivative has an estimate of its error: the change between its last two extrapolations. Six runs a
 * parameter and one of the model itself, side by side on the cores.
 *
 * The differences see what the runs do: the derivative of a quantity that jumps with a parameter (an impact that is
 * missed, a time of crossing that ceases to exist) has no limit, and its error says so. */
#ifndef VERGE_ANALYSIS_STUDY_SENSITIVITY_H
#define VERGE_ANALYSIS_STUDY_SENSITIVITY_H

#include "analysis/study/batch.h"

/* The largest step, relative to a parameter. Runs are accurate to their Newton tolerance, 1e-9 and better, which a step of
 * 2e-3 makes errors of 1e-6 in the derivative; at half of it they are twice as large. At twice, motions of many periods
 * leave the range of the extrapolation. */
#define VG_SENSITIVITY_STEP 2e-3

/* At the point p [nparam]: y [length], derivatives dy [nparam × length], errors [nparam × length] of them, absolute. scale
 * [nparam]: typical sizes of the parameters, of which steps are parts; 0: |p|, or 1 where that is 0. A run that fails leaves
 * NaN where it is needed; why as in vg_batch_run. */
vgStatus vg_sensitivities(vgBatch *b, const double *p, const double *scale, double *y, double *dy,
                          double *error, char *why);

#endif
