/* Four tyres at once, by the formulas of tyre_formulas.h. */
#include "element/road/tyre_four.h"

#include "element/tuning.h"

#define AT(member) offsetof(vgTyre, member)

int vg_tyre_four_group(const void *def)
{
    const vgFrame *A = &((const vgTyre *)def)->head.frame[0];
    return A->body < 0 && A->R.m[0][0] == 1 && A->R.m[1][1] == 1 && A->R.m[2][2] == 1;
}

void vg_tyre_four_pack(const void *const def[VG_LANES], vgTyreFourLaw *law, vgTyreFour *out)
{
    out->law = law;
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

#define VG_WIDTH 4
#include "math/width.h"
#define WTYRE vgTyreFour
#include "element/road/tyre_formulas.h"

VG_LANEWISE void touch_down(const vgTyreFour *t, const vgKin *const *kin, int slopes, vgLaneKin *b,
                            vgTyreContact_4 *c)
{
    vg_lane_kin(kin + VG_LANES, 1, b);
    vgLane3 y = vg_lsub3(vg_ladd3(b->p, vg_lmv3(b->R, t->centre)), t->from);
    c->u = vg_ladd3(b->v, vg_lmv3(b->R, vg_lcross3(b->w, t->centre)));
    c->e = vg_lmv3(b->R, t->axis);
    for (int k = 0; k < VG_LANES; k++) {
        double one[3];
        vg_road_eval(t->road[k], y.x[k], one);
        c->h[0][k] = one[0], c->h[1][k] = one[1], c->h[2][k] = one[2];
    }
    vg_tyre_contact_4(t, y, c);
    t->law(t, c->N, c->alpha, c->fade * c->gamma, c->side, slopes ? c->slope : NULL);
    vg_tyre_force_4(c);
}

void vg_tyre_four_eval(const void *pack, double time, const vgKin *const *kin, vgLane *f)
{
    const vgTyreFour *t = pack;
    vgLaneKin b;
    vgTyreContact_4 c;
    (void)time;
    touch_down(t, kin, 0, &b, &c);
    vgLane3 torque = vg_ladd3(vg_lcross3(t->centre, vg_lmtv3(b.R, c.F)), vg_lmtv3(b.R, c.T));
    vg_four_put(vg_lzero3(), vg_lzero3(), f);
    vg_four_put(c.F, torque, f + 6);
    for (int i = 6; i < 12; i++) f[i] = vg_lane_pick(c.on, f[i], vg_lane(0));
}

/* Rows 3 to 5 of a column += r × rows 0 to 2. */
VG_LANEWISE void add_moment(vgLane3 column[2], vgLane3 r, vgLane3 force)
{
    column[1] = vg_ladd3(column[1], vg_lcross3(r, force));
}

VG_LANEWISE void put_column(vgLane *A, int j, vgLaneMask on, const vgLane3 x[2])
{
    const vgLane *from = &x[0].x;
    for (int i = 0; i < 6; i++) A[12 * i + j] += vg_lane_pick(on, from[i], vg_lane(0));
}

/* The columns carried to the centre of mass. */
void vg_tyre_four_tangent(const void *pack, const vgKin *const *kin, vgLane *A)
{
    const vgTyreFour *t = pack;
    vgLaneKin b;
    vgTyreContact_4 c;
    vgLane3 X[6][2], V[3][2];
    touch_down(t, kin, 1, &b, &c);
    if (!vg_lane_any(c.on)) return;
    vg_tyre_vary_4(t, &c, X, V);
    vgLane3 r = vg_lmv3(b.R, t->centre);
    const vgLane *arm = &r.x, *u = &c.u.x;
    for (int i = 0; i < 3; i++) { /* seen from the body, which turns with the velocity */
        int j = (i + 1) % 3, l = (i + 2) % 3;
        for (int h = 0; h < 2; h++) {
            vgLane3 turned = vg_lsub3(vg_lscale3(V[j][h], u[l]), vg_lscale3(V[l][h], u[j]));
            X[3 + i][h] = vg_lsub3(X[3 + i][h], turned);
        }
        add_moment(X[3 + i], r, vg_ladd3(X[3 + i][0], vg_lcross3(c.F, vg_tyre_unit_4(i))));
        X[3 + i][1] = vg_ladd3(X[3 + i][1], vg_lcross3(c.T, vg_tyre_unit_4(i)));
    }
    for (int i = 0; i < 3; i++) add_moment(X[i], r, X[i][0]), add_moment(V[i], r, V[i][0]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        vgLane3 w[2];
        put_column(A, i, c.on, V[i]);
        put_column(A, 6 + i, c.on, X[i]);
        for (int h = 0; h < 2; h++) w[h] = vg_lsub3(vg_lscale3(V[l][h], arm[j]), vg_lscale3(V[j][h], arm[l]));
        put_column(A, 3 + i, c.on, w);
        for (int h = 0; h < 2; h++)
            w[h] = vg_ladd3(X[3 + i][h], vg_lsub3(vg_lscale3(X[l][h], arm[j]), vg_lscale3(X[j][h], arm[l])));
        put_column(A, 9 + i, c.on, w);
    }
}
