/* Index 2: the corrections w, s of a stage (stage.h). */
#ifndef VERGE_INTEGRATOR_STAGE_CORRECT_H
#define VERGE_INTEGRATOR_STAGE_CORRECT_H

#include "integrator/stage/stage.h"

/* Before the first iteration: sets w to its first guess. */
void vg_stage_begin_corrections(const vgSystem *sys, vgStage *st, const vgStageSpec *sp);
/* After the increment of an iteration: corrects the velocities (and, with three levels, the accelerations). */
void vg_stage_correct(vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgIteration *now);

#endif
