/* When to look again at what acts for moments: contacts, stops of joints. Looking at all of them after every step costs more
 * than many steps do. What is apart is left alone until it may have come together; what acts on and on is looked at less often. */
#ifndef VERGE_ANALYSIS_WATCH_APART_H
#define VERGE_ANALYSIS_WATCH_APART_H

#include "analysis/state/probe.h"

/* An element is looked at again after that step, or at that time, whichever comes first. */
typedef struct vgApart {
    int64_t next, since; /* since: step at which it began to act, or something else happened to it */
    double due, began;   /* began: the time of that */
} vgApart;

/* A time within which the element cannot begin to act as its bodies move now, s. 0: it acts, or that is not known. at: how
 * they stand to each other, NULL: not looked at yet. */
double vg_apart_time(vgProbe *probe, int force, const vgApproach *at);
/* It cannot for so long (vg_apart_time); now is t, after so many steps, the last of which took h. */
void vg_apart_plan(vgApart *a, double time, double t, double h, int64_t step);
/* It begins to act now, or something happened to its bodies. */
void vg_apart_begin(vgApart *a, double t, int64_t step);
/* It acts. */
void vg_apart_acting(vgApart *a, double t, int64_t step);
/* 1: both act on the same body, so that what happens to one may bring the other into play; or that is not known. */
int vg_apart_share(const vgModel *m, int force, int other);

#endif
