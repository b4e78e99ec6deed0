/* Sensitivities by differentiating a run along its own steps (variation.h): derivatives of quantities and histories with
 * respect to parameters, initial values among them. One run, and for each parameter a step of variations beside each of its
 * steps, which reuses the run's factorised matrix.
 *
 * Not for runs whose steps have no derivative: events that are located, impacts, samples of controllers; nor for methods
 * without a matrix, or with an iteration of their own. */
#ifndef VERGE_ANALYSIS_FORWARD_FORWARD_H
#define VERGE_ANALYSIS_FORWARD_FORWARD_H

#include "analysis/study/batch.h"

/* At the point p [nparam], with respect to n parameters from number `first` on: y [length], derivatives dy [n × length], and
 * how far those to both sides are apart, bend [n × length]: a kink or a jump there is no rounding. scale [nparam]: sizes of
 * the parameters, > 0. VG_UNSUPPORTED: not for this model and method, why [VG_SWEEP_WHY] says what is in the way. Other
 * failures are those of the run itself, why has its words. */
vgStatus vg_forward(vgBatch *b, const double *p, const double *scale, int first, int n, double *y, double *dy,
                    double *bend, char *why);

#endif
