/* The pairs of a group that are near each other, kept from one evaluation to the next. Private to groups. */
#ifndef VERGE_ELEMENT_CONTACT_NEAR_H
#define VERGE_ELEMENT_CONTACT_NEAR_H

#include "element/contact/broad.h"
#include "element/contact/group.h"

typedef struct vgGroupWork {
    vgBroad broad;
    int built, n, room; /* 1: pair[n] is there */
    int all;            /* 1: there was no room for them: every pair is looked at */
    double margin;
    vgNear *pair;
    vgVec3 *centre, *then; /* of the shapes now, and when the pairs were found */
    vgMat3 *turn;          /* axes of the shapes behind the balls then; NULL: there are none */
    union {
        double align;
        char bytes[VG_CONTACT_ROOM];
    } * def; /* per row of vg_contact_pairs */
} vgGroupWork;

/* A walk over the pairs. */
typedef struct vgGroupWalk {
    const vgContactGroup *g;
    vgGroupWork *w;
    int at, a, b;
} vgGroupWalk;

vgGroupWork *vg_group_place(const vgContactGroup *g, vgArena *a);
/* The pairs at this motion; they are searched again if shapes have moved too far. `least`: smallest margin (0:
 * default). */
void vg_group_look(const vgContactGroup *g, vgGroupWork *w, const vgForceIn *in, double least);
static inline vgGroupWalk vg_group_walk(const vgContactGroup *g, vgGroupWork *w)
{
    return (vgGroupWalk){g, w, 0, 0, 0};
}
int vg_group_walk_all(vgGroupWalk *k, vgNear *out);
static inline int vg_group_next(vgGroupWalk *k, vgNear *out)
{
    if (k->w->all) return vg_group_walk_all(k, out);
    if (k->at == k->w->n) return 0;
    *out = k->w->pair[k->at++];
    return 1;
}

/* The parameters of the contact of a pair, and the motion of its two bodies as its kind sees them. */
const void *vg_group_bind(const vgContactGroup *g, vgGroupWork *w, vgNear p, const vgForceIn *in,
                          const vgKin *kin[2], int body[2]);

/* How a pair stands at a motion of all bodies, n of them. Returns its parameters. */
const void *vg_group_approach(const vgContactGroup *g, vgGroupWork *w, vgNear p, const vgKin *all, int n,
                              vgApproach *out);
/* As of vgForceCrowd (group_cross.c). */
int vg_group_crossed(const void *def, const vgForceIn *in, const vgKin *before, double h, vgCrowdPair *out,
                     double *when);

static inline const vgKin *vg_group_kin(const vgForceIn *in, int body)
{
    return &in->all[body < 0 ? in->nall : body];
}

#endif
