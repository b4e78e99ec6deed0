/* Four tyres at once, line by line as touch_down() and wrench() of tyre.c. */
#include "element/tyre_four.h"

#include "math/trig_lanes.h"

#define AT(member) offsetof(vgTyre, member)

int vg_tyre_four_group(const void *def)
{
    const vgFrame *A = &((const vgTyre *)def)->head.frame[0];
    return A->body < 0 && A->R.m[0][0] == 1 && A->R.m[1][1] == 1 && A->R.m[2][2] == 1;
}

void vg_tyre_four_pack(const void *const def[VG_LANES], vgTyreFour *out)
{
    out->radius = vg_four_number(def, AT(radius));
    out->stiffness = vg_four_number(def, AT(stiffness));
    out->damping = vg_four_number(def, AT(damping));
    out->velocity = vg_four_number(def, AT(velocity));
    out->from = vg_four_vector(def, AT(head.frame[0].r));
    out->centre = vg_four_vector(def, AT(head.frame[1].r));
    for (int k = 0; k < VG_LANES; k++) {
        const vgTyre *t = def[k];
        vgVec3 axis = vg_mv3(t->head.frame[1].R, vg_load3(t->axis));
        out->road[k] = t->road;
        out->axis.x[k] = axis.x, out->axis.y[k] = axis.y, out->axis.z[k] = axis.z;
        out->vertical[k] = t->vertical ? -1 : 0;
    }
}

void vg_tyre_four_eval(const vgTyreFour *t, vgTyreFourLaw *law, const vgKin *const *kin, vgLane *f)
{
    vgLaneKin b;
    vgLane h[2], side[2], zero = vg_lane(0);
    vg_lane_kin(kin + VG_LANES, 1, &b);
    vgLane3 y = vg_lsub3(vg_ladd3(b.p, vg_lmv3(b.R, t->centre)), t->from);
    vgLane3 u = vg_ladd3(b.v, vg_lmv3(b.R, vg_lcross3(b.w, t->centre))), e = vg_lmv3(b.R, t->axis);
    for (int k = 0; k < VG_LANES; k++) {
        double one[3];
        vg_road_eval(t->road[k], y.x[k], one);
        h[0][k] = one[0], h[1][k] = one[1];
    }
    vgLane H = vg_lsqrt(1 + h[1] * h[1]), height = y.z - h[0], L = height / H;
    vgLane3 n = {-h[1] / H, zero, 1 / H};
    vgLane d = vg_lane_pick(t->vertical, (t->radius - height) / H, t->radius - L);
    vgLane3 cross = vg_lcross3(e, n);
    vgLane s = vg_lsqrt(vg_ldot3(cross, cross)), sn = vg_ldot3(e, n);
    vgLaneMask on = (d > zero) & (s >= vg_lane(1e-3));
    vgLane3 ex = vg_lscale3(cross, 1 / s), ey = vg_lcross3(n, ex), ez = vg_lcross3(ex, e);
    vgLane vx = vg_ldot3(u, ex), vy = vg_ldot3(u, ey), qq = vx * vx + t->velocity * t->velocity;
    vgLane alpha = vg_latan(vy / vg_lsqrt(qq)), camber = vx * vx / qq * vg_latan(sn / s);
    vgLane N = t->stiffness * d - t->damping * vg_ldot3(n, u);
    N = vg_lane_pick(on & (N > zero), N, zero);
    law(t, N, alpha, camber, side);
    vgLane3 F = vg_laxpy3(side[0], ey, vg_lscale3(n, N));
    vgLane3 T = vg_laxpy3(-(L / s), vg_lcross3(ez, F), vg_lscale3(n, side[1]));
    vgLane3 torque = vg_ladd3(vg_lcross3(t->centre, vg_lmtv3(b.R, F)), vg_lmtv3(b.R, T));
    vg_four_put(vg_lzero3(), vg_lzero3(), f);
    vg_four_put(F, torque, f + 6);
    for (int i = 6; i < 12; i++) f[i] = vg_lane_pick(on, f[i], zero);
}
