/* The part of crossing.c that is about groups of contacts. */
#ifndef VERGE_ANALYSIS_RUN_CROSSING_CROWD_H
#define VERGE_ANALYSIS_RUN_CROSSING_CROWD_H

#include "analysis/run/crossing.h"
#include "analysis/state/probe.h"

/* An impact in fewer steps is not resolved: a half wave in four of them has a rebound that is wrong by a tenth
 * with methods of order 2 (twice that: by a fortieth). */
enum { VG_FEW_STEPS = 4 };
/* Changes of the speed of approach below this part of the relative speed are a graze. */
#define VG_GRAZE 0.1
/* Depths below this part of the way of the step are within the error of the path between its ends. */
#define VG_DEEP_PART 1e-6

typedef struct vgCrossingCrowd vgCrossingCrowd;

vgStatus vg_crossing_crowd_new(const vgModel *m, vgCrossingCrowd **out);
void vg_crossing_crowd_free(vgCrossingCrowd *x);
/* The state of the probe, h after the last one; 0: it is the first. */
void vg_crossing_crowd_see(vgCrossingCrowd *x, const vgModel *m, vgProbe *probe, double h, vgCrossed *seen);

#endif
