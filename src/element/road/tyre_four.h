/* Four tyres on roads of the ground at once. */
#ifndef VERGE_ELEMENT_ROAD_TYRE_FOUR_H
#define VERGE_ELEMENT_ROAD_TYRE_FOUR_H

#include "element/fours.h"
#include "element/road/tyre.h"

/* As vgTyreLaw. */
typedef void vgTyreFourLaw(const void *pack, vgLane N, vgLane alpha, vgLane camber, vgLane out[2],
                           vgLane slope[6]);

/* What the pack of every tyre kind begins with. */
typedef struct vgTyreFour {
    vgTyreFourLaw *law;
    const vgRoad *road[VG_LANES];
    vgLane radius, stiffness, damping, velocity;
    vgLaneMask vertical;
    vgLane3 from, centre, axis; /* of the road, in W; of the wheel and its axis on the body */
} vgTyreFour;

int vg_tyre_four_group(const void *def);
void vg_tyre_four_pack(const void *const def[VG_LANES], vgTyreFourLaw *law, vgTyreFour *out);
void vg_tyre_four_eval(const void *pack, double t, const vgKin *const *kin, vgLane *f);
void vg_tyre_four_tangent(const void *pack, const vgKin *const *kin, vgLane *A);

#endif
