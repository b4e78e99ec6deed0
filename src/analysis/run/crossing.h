/* Contacts and joint stops that a step misses if events are not located: bodies that are apart at both ends of a step and touch
 * in between, and impacts that last only a few steps. The motion after that is not the motion of the model, and the run warns.
 * Groups of contacts are never located; they are checked in runs with located events, too. */
#ifndef VERGE_ANALYSIS_RUN_CROSSING_H
#define VERGE_ANALYSIS_RUN_CROSSING_H

#include "integrator/integrator.h"

typedef struct vgCrossing vgCrossing;

typedef struct vgCrossed {
    long passed, brief; /* steps that missed a contact; impacts that lasted too few steps */
    int passed_force, brief_force;
    double passed_t, brief_t; /* the first of each */
} vgCrossed;

/* located: 1: events are located, except groups. *out NULL: the model has no contacts to check. */
vgStatus vg_crossing_new(vgIntegrator *it, int located, vgCrossing **out);
void vg_crossing_free(vgCrossing *c);
/* Call with the state at the start and after every accepted step; speed: its largest velocity. */
void vg_crossing_see(vgCrossing *c, const vgState *s, double speed, vgCrossed *seen);
/* Writes the warning about them; 0: there is none. */
int vg_crossing_words(const vgCrossed *seen, const vgModel *m, char *text, size_t room);

#endif
