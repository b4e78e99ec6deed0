/* State events: contacts that begin or end, corners of roads, laws and tables that switch with the motion. Each event has a
 * function g(t, q, v), whose sign is the side on which the motion is. If g changes sign within a step, its root is located on
 * the dense output and then by steps of the method to that time (docs/theory.md, section 8), so that no step contains an
 * event. Corners of laws of time are located by corners.h. */
#ifndef VERGE_ANALYSIS_RUN_EVENTS_H
#define VERGE_ANALYSIS_RUN_EVENTS_H

#include "integrator/integrator.h"

typedef struct vgEvents vgEvents;

/* contacts 1: only contacts are located. nhistory: numbers of the method's history. */
vgStatus vg_events_new(vgIntegrator *it, int nhistory, int contacts, vgEvents **out);
/* 1: the model has contacts that are located. */
int vg_events_contacts(const vgModel *m);
void vg_events_free(vgEvents *e);
/* Before a step from s: laws stay on their present sides (kept in the state) until vg_events_pass. Returns the longest step
 * that resolves an impact in progress; INFINITY: there is no impact. */
double vg_events_mark(vgEvents *e, vgState *s);
/* 1: an impact is in progress. If a step fails during an impact, vg_events_limit bounds the next one. */
int vg_events_strikes(const vgEvents *e);
void vg_events_limit(vgEvents *e, double most);
typedef enum vgEventsFound {
    VG_EVENTS_NONE,  /* no event: s is unchanged */
    VG_EVENTS_HIT,   /* s is now just behind an event, with laws still on the sides before it */
    VG_EVENTS_SHORT, /* the step was too long for an impact: s is the end of a shorter one */
} vgEventsFound;
/* After the step from the marked state to s. */
vgEventsFound vg_events_locate(vgEvents *e, vgState *s, const vgStep *step);
/* Switches laws to their sides behind the event. */
void vg_events_pass(vgEvents *e);

#endif
