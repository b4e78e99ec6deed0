/* Forces that read reactions which redundant constraints leave undetermined. */
#ifndef VG_ANALYSIS_UNDETERMINED_H
#define VG_ANALYSIS_UNDETERMINED_H

#include "system/system.h"

/* A warning for each joint whose reaction a force reads and which is one of many: where Bᵀs = 0 has a solution s ≠ 0 (a
 * state of self-stress), λ + s holds the mechanism as well as λ does, and a load that differs between the two changes
 * the motion. At the state given, for the rows that count there. Allocates. */
vgStatus vg_warn_of_undetermined(const vgSystem *sys, vgWork *work, const vgState *state, vgDiag *diag);

#endif
