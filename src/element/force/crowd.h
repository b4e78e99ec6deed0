/* Kinds that act between many bodies, of which few at a time: groups of contacts (contact/group.c). Such an element
 * has no bodies in its set-up. It sees the motion of all bodies (vgForceIn.all) and keeps what it knows about their
 * neighbourhood in memory of the caller (vgForceIn.scratch), one for each thread. What it remembers there saves time
 * and changes no result. */
#ifndef VERGE_ELEMENT_FORCE_CROWD_H
#define VERGE_ELEMENT_FORCE_CROWD_H

#include "base/arena.h"
#include "element/force/force.h"

/* Receives the tangents of one pair of bodies after the other: ∂f/∂δξ and ∂f/∂ξ, 12 × 12 row-major. a or b: −1 is the
 * ground, whose rows and columns are zero. */
typedef struct vgCrowdTake {
    void (*pair)(struct vgCrowdTake *, int a, int b, const double *K, const double *C);
} vgCrowdTake;

/* A pair that acts, for pictures and watches. The force is on body b at `point`, in W. */
typedef struct vgCrowdPair {
    int first, second; /* members of the element, first < second */
    int a, b;          /* their bodies, −1: the ground */
    vgVec3 point, force;
    double depth;
} vgCrowdPair;

typedef struct vgCrowdAt { /* how far a list of pairs has been read */
    int begun, at, a, b;
} vgCrowdAt;

struct vgForceCrowd {
    /* The scratch memory, measured and placed (base/arena.h); set up where the arena has memory. */
    void *(*scratch)(const void *def, vgArena *a);
    /* wrench (6 a body) += sign f */
    void (*add)(const void *def, const vgForceIn *in, double sign, double *wrench);
    void (*tangent)(const void *def, const vgForceIn *in, vgCrowdTake *take);
    /* Power of its forces; loss: of the part that depends on velocities. */
    double (*power)(const void *def, const vgForceIn *in, int loss);
    /* The next pair that acts, from at = {0} on; 0: there is none. In ascending order of (first, second). */
    int (*next)(const void *def, const vgForceIn *in, vgCrowdAt *at, vgCrowdPair *out);
    int (*acts_on)(const void *def, int body); /* −1: the ground */
    /* How two members stand to each other, at the motion of all bodies in kin, the ground behind the last. */
    void (*approach)(const void *def, const vgForceIn *in, const vgKin *kin, int first, int second,
                     vgApproach *out);
    /* Pairs that were apart at `before`, h earlier, are apart now and touched in between: how many, the first one, and
     * after which part of h. */
    int (*crossed)(const void *def, const vgForceIn *in, const vgKin *before, double h, vgCrowdPair *out,
                   double *when);
    /* About how many pairs may act at a time; coupled: those of two bodies that move. Where more do, tangents leave out
     * couplings, and iterations converge more slowly to the same result. */
    int (*most)(const void *def, int coupled);
};

#endif
