/* Force elements whose wrenches are evaluated four at a time (element/force/lanes.h, vgForceFour). */
#ifndef VERGE_SYSTEM_NATIVE_FOURS_H
#define VERGE_SYSTEM_NATIVE_FOURS_H

#include "base/arena.h"
#include "element/force/lanes.h"
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
    int *visit, nvisit; /* all but the members; there where `of` is */
    int ngroup;
    unsigned char *tangent; /* per force: 1 = in a group with a tangent of its own */
} vgFours;

static inline int vg_four_shared(const int body[VG_LANES])
{
    return body[0] == body[1] && body[1] == body[2] && body[2] == body[3];
}

/* wrench += sign f (6 lanes) of n bodies; shared: all are the same one. */
VG_LANEWISE void vg_four_scatter(const vgLane f[6], const int *body, int n, int shared, double sign,
                                 double *wrench)
{
    vgLane x[4] = {f[0], f[1], f[2], f[3]}, y = f[4], z = f[5];
    if (shared && body[0] < 0) return;
    vg_lane_turn(x);
    if (shared) {
        double *to = wrench + 6 * body[0];
        *(vgLaneLoose *)to += sign * ((x[0] + x[1]) + (x[2] + x[3]));
        to[4] += sign * ((y[0] + y[1]) + (y[2] + y[3]));
        to[5] += sign * ((z[0] + z[1]) + (z[2] + z[3]));
        return;
    }
    for (int k = 0; k < n; k++) {
        if (body[k] < 0) continue;
        double *to = wrench + 6 * body[k];
        *(vgLaneLoose *)to += sign * x[k];
        to[4] += sign * y[k];
        to[5] += sign * z[k];
    }
}

/* Memory, called twice: measuring, taking; then the groups are ready. fast 0: there are none. */
void vg_fours_place(vgFours *x, const vgModel *m, int fast, vgArena *a);
/* Groups that have a tangent (vgForceFour.tangent) and act on the same bodies go together: the group behind
 * those that begin with group i. 0 … ngroup. */
int vg_fours_next(const vgFours *x, int i);
/* A (6×12), the sum of their tangents; 0: there is none. */
int vg_fours_tangent(const vgFours *x, int i, const vgKin *kin, int nbody, vgLane *A);
/* wrench += sign f of all elements of group g; kin: nbody + 1, the last is the ground. */
void vg_fours_add(const vgFourGroup *g, double t, const vgKin *kin, int nbody, double sign, double *wrench);

#endif
