/* Contacts that a step goes over, where events are not located: bodies that are apart at both ends of a step and
 * touch in between, and impacts that are over within a few steps. The motion behind is not that of the model. */
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

/* *out NULL: the model has no contacts. */
vgStatus vg_crossing_new(vgIntegrator *it, vgCrossing **out);
void vg_crossing_free(vgCrossing *c);
/* The state at the start and after every accepted step. */
void vg_crossing_see(vgCrossing *c, const vgState *s, vgCrossed *seen);
/* In words; 0: there is nothing to say. */
int vg_crossing_words(const vgCrossed *seen, const vgModel *m, char *text, size_t room);

#endif
