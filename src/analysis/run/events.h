/* State events: contacts that begin or end, corners of roads, laws and tables that switch with the motion.
 * Each has a function g(t, q, v) whose sign says on which side the motion is. When g changes sign within a
 * step the time is looked for on the dense output, then by steps of the method itself to that time
 * (docs/theory.md, section 8), so that no step goes over an event. The events of time laws (corners) are the
 * driver's own affair. */
#ifndef VERGE_ANALYSIS_RUN_EVENTS_H
#define VERGE_ANALYSIS_RUN_EVENTS_H

#include "integrator/integrator.h"

typedef struct vgEvents vgEvents;

/* contacts 1: those of contacts alone, and laws and tables are passed over. */
vgStatus vg_events_new(vgIntegrator *it, int nhistory, int contacts, vgEvents **out);
/* 1: the model has contacts that are located. */
int vg_events_contacts(const vgModel *m);
void vg_events_free(vgEvents *e);
/* The state is where a step is about to begin; from here on laws keep to the side they are on (held in the
 * state). The longest step that follows an impact that is going on; INFINITY: none is. */
double vg_events_mark(vgEvents *e, vgState *s);
/* 1: an impact is going on. A step that fails in it is too long: the next is limited to less. */
int vg_events_strikes(const vgEvents *e);
void vg_events_limit(vgEvents *e, double most);
typedef enum vgEventsFound {
    VG_EVENTS_NONE,  /* s is as it was */
    VG_EVENTS_HIT,   /* an event lay within and s is now just behind it, laws still on the sides before */
    VG_EVENTS_SHORT, /* the step was too long for an impact: s is where a shorter one ended */
} vgEventsFound;
/* After the step from the marked state to s. */
vgEventsFound vg_events_locate(vgEvents *e, vgState *s, const vgStep *step);
/* From here on laws are on the sides that they have behind the event. */
void vg_events_pass(vgEvents *e);

#endif
