/* Why a step could not be taken, in words that name an element: forces that are not numbers, and joints that
 * cannot close at the time wanted. */
#ifndef VERGE_ANALYSIS_RUN_DIAGNOSE_H
#define VERGE_ANALYSIS_RUN_DIAGNOSE_H

#include "system/system.h"

/* state: the last one accepted; t: where the step that failed was to go; ahead: joints that cannot close so
 * much later are a cause as well, since rates grow without bound towards such a position. Writes the cause
 * into text and returns 1, or returns 0 when none is seen. It allocates: for the end of a run. */
int vg_diagnose(const vgSystem *sys, vgWork *work, const vgState *state, double t, double ahead, char *text,
                size_t room);
/* The first law or force that is not a number at the state and its time, in words; 0: none. It allocates. */
int vg_diagnose_number(const vgSystem *sys, vgWork *work, const vgState *state, char *text, size_t room);
/* The first drive whose law, its rate or its acceleration has no value at t, in words: 1 + its joint; 0:
 * none. */
int vg_diagnose_drive(const vgModel *m, double t, char *text, size_t room);
/* An augmented Lagrangian with the user's own α, which is the first to suspect where Newton's iteration does
 * not converge: words that name it. 0: it is not. */
int vg_diagnose_alpha(const vgSystem *sys, char *text, size_t room);

#endif
