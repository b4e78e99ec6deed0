/* Force elements whose wrenches are evaluated four at a time (element/force_lanes.h, vgForceFour). */
#ifndef VERGE_SYSTEM_NATIVE_FOURS_H
#define VERGE_SYSTEM_NATIVE_FOURS_H

#include "base/arena.h"
#include "element/force_lanes.h"
#include "model/model.h"

typedef struct vgFourGroup {
    const vgForceFour *ops;
    void *pack;
    int n, nbody; /* lanes in use; the others repeat the last */
    int force[VG_LANES];
    int shared[VG_LANE_BODIES];          /* 1: body a is the same in all lanes */
    int body[VG_LANES * VG_LANE_BODIES]; /* of body a of a lane: at VG_LANES a + lane */
} vgFourGroup;

enum { VG_FOUR_NONE = -1, VG_FOUR_MEMBER = -2 };

typedef struct vgFours {
    vgFourGroup *group;
    int *of; /* per force: the group that it leads, MEMBER of one, NONE; NULL: there are no groups */
} vgFours;

/* Memory, called twice: measuring, taking; then the groups are ready. */
void vg_fours_place(vgFours *x, const vgModel *m, vgArena *a);
/* wrench += sign f of all elements of group g; kin: nbody + 1, the last is the ground. */
void vg_fours_add(const vgFourGroup *g, double t, const vgKin *kin, int nbody, double sign, double *wrench);

#endif
