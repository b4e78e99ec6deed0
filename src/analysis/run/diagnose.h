/* Causes of a failed step: forces that are not numbers, and joints that cannot be closed at the time of its end. */
#ifndef VERGE_ANALYSIS_RUN_DIAGNOSE_H
#define VERGE_ANALYSIS_RUN_DIAGNOSE_H

#include "system/system.h"

/* state: the last one accepted; t: the end of the step that failed; ahead: joints that cannot be closed at t + ahead
 * count too, since rates grow without bound towards such a position. Writes the cause into text and returns 1; returns
 * 0 if none is found. Allocates memory: for the end of a run. */
int vg_diagnose(const vgSystem *sys, vgWork *work, const vgState *state, double t, double ahead, char *text,
                size_t room);
/* Names the first law or force that is not a number at the state and its time; 0: there is none. Allocates memory. */
int vg_diagnose_number(const vgSystem *sys, vgWork *work, const vgState *state, char *text, size_t room);
/* Names the first drive whose law, rate or acceleration has no value at t. Returns 1 + its joint; 0: there is none. */
int vg_diagnose_drive(const vgModel *m, double t, char *text, size_t room);
/* Names the penalty factor α of an augmented Lagrangian if the user gave it: a likely cause if Newton's iteration does not
 * converge. 0: it was not given. */
int vg_diagnose_alpha(const vgSystem *sys, char *text, size_t room);

#endif
