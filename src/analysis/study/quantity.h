/* Quantities of a run: single numbers made of its channels.
 *
 *     final(C)  initial(C)  max(C)  min(C)  mean(C)  rms(C)  crossing(C, level)
 *
 * C is a channel. max and min are over the ends of all steps, mean and rms are integrals over time by trapezoids,
 * crossing is the first time at which the channel passes the level (by the parabola through the ends of the last three
 * steps; NaN: never). An expression may
 * combine them: max(joint.pin.angle) − min(joint.pin.angle). */
#ifndef VERGE_ANALYSIS_STUDY_QUANTITY_H
#define VERGE_ANALYSIS_STUDY_QUANTITY_H

#include "analysis/channels/channels.h"

typedef struct vgQuantities vgQuantities; /* const after it was made; threads may share it */

/* Compiles n texts. VG_BAD_INPUT: diag has the words. Channels are looked up later, in a system. */
vgStatus vg_quantities_new(const char *const *text, int n, vgDiag *diag, vgQuantities **out);
void vg_quantities_free(vgQuantities *q);
int vg_quantities_count(const vgQuantities *q);
const char *vg_quantities_text(const vgQuantities *q, int i);
int vg_quantities_need_steps(const vgQuantities *q); /* 0: start and end suffice */

/* The sums of one run. */
typedef struct vgTally vgTally;
vgStatus vg_tally_new(const vgQuantities *q, const vgSystem *sys, vgDiag *diag, vgTally **out);
void vg_tally_free(vgTally *tally);
vgChannels *vg_tally_channels(vgTally *tally); /* to be watched before the first step */
void vg_tally_row(vgTally *tally, vgWork *work, const vgState *state); /* at the start and after steps */
void vg_tally_values(const vgTally *tally, double *out);               /* one number a quantity */

#endif
