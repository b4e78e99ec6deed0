/* Work of elements that act for moments: contacts, groups of them, stops of joints. Looks are too far apart to see an
 * impact, so what such elements take out is summed over every accepted piece of a step, also over those that follow an
 * impact within a step of given size. */
#ifndef VERGE_ANALYSIS_WATCH_BRIEF_H
#define VERGE_ANALYSIS_WATCH_BRIEF_H

#include "analysis/state/probe.h"
#include "integrator/integrator.h"

typedef struct vgBrief vgBrief;

typedef struct vgBriefSum {
    double work;    /* ∫ P dt, P ≤ 0 being what depends on velocities, J */
    double through; /* ∫ |P| dt */
    double unsure;  /* what the sum over steps may be wrong by */
    double most;    /* the largest potential */
    double passed;  /* ∫ |P| dt + Σ |ΔV| of their potentials: what went through such elements */
} vgBriefSum;

/* An element with a potential that acts for moments. */
int vg_brief_is(const vgForce *f);
/* *out NULL: the model has none that take anything out. */
vgStatus vg_brief_new(const vgIntegrator *it, const vgState *first, vgBrief **out);
void vg_brief_free(vgBrief *x);
/* What a piece of a step was to them. */
typedef enum vgBriefSeen {
    VG_BRIEF_LEFT,   /* none was looked at */
    VG_BRIEF_LOOKED, /* some were: one acts, or may act soon */
    VG_BRIEF_OTHER   /* one began to act, or ended */
} vgBriefSeen;
/* A piece of a step ended at s. */
vgBriefSeen vg_brief_step(vgBrief *x, const vgIntegrator *it, const vgState *s);
/* At that state, after VG_BRIEF_LOOKED or VG_BRIEF_OTHER: the motion is known there. */
vgProbe *vg_brief_probe(vgBrief *x);
/* The sum up to s, the state of the last call: what acts on and on is not looked at in every step. */
void vg_brief_up_to(vgBrief *x, const vgIntegrator *it, const vgState *s);
/* The motion was moved to s by something else. */
void vg_brief_jumped(vgBrief *x, const vgIntegrator *it, const vgState *s);
const vgBriefSum *vg_brief_sum(const vgBrief *x);

#endif
