/* Force elements that are evaluated four at a time (element/force/lanes.h): which of them go together. Made
 * once for a system; const from then on. */
#ifndef VERGE_SYSTEM_NATIVE_LANES_H
#define VERGE_SYSTEM_NATIVE_LANES_H

#include "base/arena.h"
#include "element/force/lanes.h"
#include "model/model.h"

typedef struct vgLaneGroup {
    const vgForceLanes *ops;
    vgLanePack *pack;
    int n, nbody;                        /* lanes in use; the others repeat the last */
    int force[VG_LANES];                 /* elements of the model */
    int body[VG_LANES * VG_LANE_BODIES]; /* of body a of a lane: at VG_LANES a + lane */
} vgLaneGroup;

typedef struct vgLaneSpin { /* first moment of mass that turns with a body beside its own */
    int body;
    vgVec3 S;
} vgLaneSpin;

typedef struct vgLaneSet {
    int ngroup, nspin;
    vgLaneGroup *group;
    unsigned char *taken; /* per force: 1 = in a group */
    vgLaneSpin *spin;
    vgArena arena;
} vgLaneSet;

/* mass, J: per body, zeroed; receives the mass and inertia that move with the body beside its own. The set stays
 * empty if no elements can share lanes. */
vgStatus vg_lanes_new(const vgModel *m, double *mass, vgMat3 *J, vgLaneSet *out);
void vg_lanes_free(vgLaneSet *set);

/* The motion of a group's bodies. */
static inline void vg_lanes_kin(const vgLaneGroup *g, const vgKin *kin,
                                const vgKin *out[VG_LANES * VG_LANE_BODIES])
{
    for (int i = 0; i < VG_LANES * g->nbody; i++) out[i] = &kin[g->body[i]];
}

/* native −= the wrenches of one group, given as lanes. */
void vg_lanes_scatter(const vgLaneGroup *g, const vgLane *f, double *native);
/* native −= the wrenches of all groups, without J, which the caller adds to the bodies' inertia. */
void vg_lanes_forces(const vgLaneSet *set, const vgKin *kin, vgVec3 gravity, double *native);
void vg_lanes_spins(const vgLaneSet *set, const vgKin *kin, vgVec3 gravity, double *native);

#endif
