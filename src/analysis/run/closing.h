/* Can the joints of a model be closed at a time, from a given motion? Asked in absolute coordinates, whatever
 * the run is in, so that the answer does not depend on its setting. For the end of a run: it allocates, and
 * its matrices are full. */
#ifndef VERGE_ANALYSIS_RUN_CLOSING_H
#define VERGE_ANALYSIS_RUN_CLOSING_H

#include "system/system.h"

typedef struct vgClosing vgClosing;

/* From the motion of a state. VG_LIMIT: too many coordinates for full matrices. */
vgStatus vg_closing_new(const vgSystem *sys, vgWork *work, const vgState *state, vgClosing **out);
void vg_closing_free(vgClosing *c);
/* 1: closed at t, and the next search begins there. 0: *joint stays open by *gap, the largest of what is left
 * where Σ Φ² is least. */
int vg_closing_at(vgClosing *c, double t, int *joint, double *gap);

#endif
