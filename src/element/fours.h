/* What kinds share that evaluate four elements at once: motion and constants side by side. */
#ifndef VERGE_ELEMENT_FOURS_H
#define VERGE_ELEMENT_FOURS_H

#include "element/force/lanes.h"

/* vgKin without accelerations */
typedef struct vgLaneKin {
    vgLane3 p;
    vgLane33 R;
    vgLane3 v, w;
} vgLaneKin;

/* rates: velocities too */
VG_LANEWISE void vg_lane_kin(const vgKin *const k[VG_LANES], int rates, vgLaneKin *out)
{
    const double *const at[VG_LANES] = {&k[0]->p.x, &k[1]->p.x, &k[2]->p.x, &k[3]->p.x};
    vgLane *to = (vgLane *)out, last[4];
    for (int i = 0; i < (rates ? 16 : 12); i += 4) vg_lane_gather(at, i, to + i);
    if (!rates) return;
    vg_lane_gather(at, 16, last);
    out->w.y = last[0], out->w.z = last[1];
}

/* The same where all four may have the same body. */
VG_LANEWISE void vg_four_kin(const vgKin *const k[VG_LANES], int rates, vgLaneKin *out)
{
    if (k[0] != k[1] || k[1] != k[2] || k[2] != k[3]) {
        vg_lane_kin(k, rates, out);
        return;
    }
    const double *from = &k[0]->p.x;
    vgLane *to = &out->p.x;
    for (int i = 0; i < (rates ? 18 : 12); i++) to[i] = vg_lane(from[i]);
}

/* The number, or the vector of three, that is `offset` bytes into each of four structures. */
VG_LANEWISE vgLane vg_four_number(const void *const at[VG_LANES], size_t offset)
{
    vgLane x;
    for (int k = 0; k < VG_LANES; k++) x[k] = *(const double *)(const void *)((const char *)at[k] + offset);
    return x;
}

VG_LANEWISE vgLane3 vg_four_vector(const void *const at[VG_LANES], size_t offset)
{
    return (vgLane3){vg_four_number(at, offset), vg_four_number(at, offset + sizeof(double)),
                     vg_four_number(at, offset + 2 * sizeof(double))};
}

VG_LANEWISE void vg_four_put(vgLane3 force, vgLane3 torque, vgLane f[6])
{
    f[0] = force.x, f[1] = force.y, f[2] = force.z;
    f[3] = torque.x, f[4] = torque.y, f[5] = torque.z;
}

#endif
