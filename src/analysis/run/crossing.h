/* Contacts and stops of joints that a step goes over, where events are not located: bodies that are apart at both ends of a
 * step and touch in between, and impacts that are over within a few steps. The motion behind is not that of the model.
 * Groups of contacts are never located, so that they are seen with events, too. */
#ifndef VERGE_ANALYSIS_RUN_CROSSING_H
#define VERGE_ANALYSIS_RUN_CROSSING_H

#include "integrator/integrator.h"

typedef struct vgCrossing vgCrossing;

/* What was seen of them. */
typedef struct vgCrossed {
    long passed, brief; /* steps that went over a contact; impacts of fewer steps than resolve them */
    int passed_force, brief_force;
    double passed_t, brief_t; /* the first of each */
} vgCrossed;

/* located: 1: events are, but for groups. *out NULL: the model has no contacts that are to be seen. */
vgStatus vg_crossing_new(vgIntegrator *it, int located, vgCrossing **out);
void vg_crossing_free(vgCrossing *c);
/* The state at the start and after every accepted step; speed: its largest. */
void vg_crossing_see(vgCrossing *c, const vgState *s, double speed, vgCrossed *seen);
/* Writes the warning about them; 0: there is none. */
int vg_crossing_words(const vgCrossed *seen, const vgModel *m, char *text, size_t room);

#endif
