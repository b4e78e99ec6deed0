/* Takes the samples of the model's controllers that are due. Outputs, memory and the number of the next sample are in the
 * state, so that a run continued from a checkpoint continues them. */
#ifndef VERGE_ANALYSIS_RUN_SAMPLER_H
#define VERGE_ANALYSIS_RUN_SAMPLER_H

#include "integrator/integrator.h"

typedef struct vgSampler vgSampler;

/* *out is NULL for a model without controllers; all below take that. From here on the work counts the turns
 * of angles that controllers look at. */
vgStatus vg_sampler_new(const vgSystem *sys, vgWork *work, vgSampler **out);
void vg_sampler_free(vgSampler *sampler);
/* When the next sample is due; INFINITY: never. */
double vg_sampler_next(const vgSampler *sampler, const vgState *state);
int vg_sampler_due(const vgSampler *sampler, const vgState *state); /* 1: now, or it was missed */
/* The controllers that are due look at the state and act. 1: some output has changed, and with it the
 * accelerations. The work's motion is that of the state. No allocation, but for what runs beside the model. */
int vg_sampler_take(vgSampler *sampler, vgWork *work, vgState *state);
/* After it: VG_OK, or VG_IO with words in it->failure: a part outside the model failed. */
vgStatus vg_sampler_failed(vgIntegrator *it, const vgState *state);
/* A controller whose samples steps of this size do not meet, beginning at t0; NULL: none. */
const vgController *vg_sampler_misses(const vgSampler *sampler, const vgState *state, double t0, double step);

#endif
