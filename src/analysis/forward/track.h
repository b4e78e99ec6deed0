/* The stages of one step of a run, about which variations are taken. Internal to the folder. */
#ifndef VERGE_ANALYSIS_FORWARD_TRACK_H
#define VERGE_ANALYSIS_FORWARD_TRACK_H

#include "analysis/forward/variation.h"
#include "base/arena.h"

enum { VG_TRACK_STAGES = 16 };

/* A point of the run. */
typedef struct vgMoment {
    double t, cm; /* the method weights the inertia by cm */
    double *q_r, *delta, *q, *v, *a, *lambda;
} vgMoment;

struct vgTrack {
    const vgSystem *sys;
    vgIntegrator *it;
    vgStageWatch watch;
    vgMoment start, end, stage[VG_TRACK_STAGES], moved; /* moved: with accelerations that are solved for */
    int nstage;
    const vgMoment *last; /* the last stage; NULL: none */
    const vgMoment *moved_of, *mass_of, *own_of;
    double h;
    vgState bound;           /* angles, sides and active rows of the run in this step */
    vgWork *at, *own, *mass; /* accelerations; Newton's matrix where the run has none; the mass matrix */
    vgWork *solver;          /* the one whose matrix is in use */
    double own_cv, own_ca;
    int own_map, own_have;
    double *room; /* nv */
    const char *refuses;
    vgArena arena;
};

/* The start or the end of the step, or else the last of so many stages. */
const vgMoment *vg_track_at(const vgTrack *k, double t, int stages);
/* The last stage, where m is the end of the step and the run has projected it since; else m. */
const vgMoment *vg_track_before(const vgTrack *k, const vgMoment *m);
/* NULL: the accelerations cannot be solved for. */
const vgMoment *vg_track_moving(vgTrack *k, const vgMoment *m);
vgStatus vg_track_factor(vgTrack *k, const vgMoment *m, const vgTangent *p, int again);

#endif
