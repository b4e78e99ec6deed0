/* Four tyres at once, line by line as touch_down() and wrench() of tyre.c. */
#include "element/road/tyre_four.h"

#include "math/trig_lanes.h"
#include "element/tuning.h"

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

/* As Contact of tyre.c. */
typedef struct Contact {
    vgLaneMask on, touch;
    vgLaneKin b;
    vgLane3 u, e, n, ex, ey, ez, F, T;
    vgLane h[3], H, height, L, d, s, sn, r, vx, vy, qq, alpha, gamma, fade, N, side[2];
} Contact;

/* slope: as the law gives it, NULL: not wanted */
VG_LANEWISE void touch_down(const vgTyreFour *t, vgTyreFourLaw *law, const vgKin *const *kin, Contact *c,
                            vgLane *slope)
{
    vgLane zero = vg_lane(0);
    vg_lane_kin(kin + VG_LANES, 1, &c->b);
    const vgLaneKin *b = &c->b;
    vgLane3 y = vg_lsub3(vg_ladd3(b->p, vg_lmv3(b->R, t->centre)), t->from);
    c->u = vg_ladd3(b->v, vg_lmv3(b->R, vg_lcross3(b->w, t->centre)));
    c->e = vg_lmv3(b->R, t->axis);
    for (int k = 0; k < VG_LANES; k++) {
        double one[3];
        vg_road_eval(t->road[k], y.x[k], one);
        c->h[0][k] = one[0], c->h[1][k] = one[1], c->h[2][k] = one[2];
    }
    c->H = vg_lsqrt(1 + c->h[1] * c->h[1]);
    c->height = y.z - c->h[0];
    c->L = c->height / c->H;
    c->n = (vgLane3){-c->h[1] / c->H, zero, 1 / c->H};
    c->d = vg_lane_pick(t->vertical, (t->radius - c->height) / c->H, t->radius - c->L);
    vgLane3 cross = vg_lcross3(c->e, c->n);
    c->s = vg_lsqrt(vg_ldot3(cross, cross));
    c->sn = vg_ldot3(c->e, c->n);
    c->on = (c->d > zero) & (c->s >= vg_lane(VG_WHEEL_FLAT));
    c->ex = vg_lscale3(cross, 1 / c->s);
    c->ey = vg_lcross3(c->n, c->ex);
    c->ez = vg_lcross3(c->ex, c->e);
    c->r = c->L / c->s;
    c->vx = vg_ldot3(c->u, c->ex);
    c->vy = vg_ldot3(c->u, c->ey);
    c->qq = c->vx * c->vx + t->velocity * t->velocity;
    c->alpha = vg_latan(c->vy / vg_lsqrt(c->qq));
    c->fade = c->vx * c->vx / c->qq;
    c->gamma = vg_latan(c->sn / c->s);
    vgLane N = t->stiffness * c->d - t->damping * vg_ldot3(c->n, c->u);
    c->touch = c->on & (N > zero);
    c->N = vg_lane_pick(c->touch, N, zero);
    law(t, c->N, c->alpha, c->fade * c->gamma, c->side, slope);
    c->F = vg_laxpy3(c->side[0], c->ey, vg_lscale3(c->n, c->N));
    c->T = vg_laxpy3(-c->r, vg_lcross3(c->ez, c->F), vg_lscale3(c->n, c->side[1]));
}

void vg_tyre_four_eval(const vgTyreFour *t, vgTyreFourLaw *law, const vgKin *const *kin, vgLane *f)
{
    Contact c;
    touch_down(t, law, kin, &c, NULL);
    vgLane3 torque = vg_ladd3(vg_lcross3(t->centre, vg_lmtv3(c.b.R, c.F)), vg_lmtv3(c.b.R, c.T));
    vg_four_put(vg_lzero3(), vg_lzero3(), f);
    vg_four_put(c.F, torque, f + 6);
    for (int i = 6; i < 12; i++) f[i] = vg_lane_pick(c.on, f[i], vg_lane(0));
}

/* ---- tangents, line by line as vary() of tyre.c ---- */

/* What follows from the variations of the load, of the slip and of what leans on them. */
typedef struct Change {
    vgLane dN, dvx, dvy, dgamma, dr; /* dgamma, dr: what comes not from dvx */
    vgLane3 dn, dey, dez;
} Change;

typedef struct Slopes {
    vgLane law[6], along[2], fade; /* of α by v_x and v_y; of the fading by v_x, times γ */
} Slopes;

VG_LANEWISE void answer(const Contact *c, const Slopes *k, const Change *x, vgLane3 *dF, vgLane3 *dT)
{
    vgLane dalpha = k->along[0] * x->dvx + k->along[1] * x->dvy, dgamma = x->dgamma + k->fade * x->dvx;
    vgLane dFy = k->law[0] * x->dN + k->law[1] * dalpha + k->law[2] * dgamma;
    vgLane dMz = k->law[3] * x->dN + k->law[4] * dalpha + k->law[5] * dgamma;
    *dF = vg_ladd3(vg_laxpy3(x->dN, c->n, vg_lscale3(x->dn, c->N)),
                   vg_laxpy3(dFy, c->ey, vg_lscale3(x->dey, c->side[0])));
    vgLane3 turn = vg_ladd3(vg_lcross3(x->dez, c->F), vg_lcross3(c->ez, *dF));
    *dT = vg_laxpy3(dMz, c->n, vg_lscale3(x->dn, c->side[1]));
    *dT = vg_laxpy3(-x->dr, vg_lcross3(c->ez, c->F), *dT);
    *dT = vg_laxpy3(-c->r, turn, *dT);
}

/* The axes of the contact turn with the normal and the wheel's axis. */
VG_LANEWISE void turn_axes(const Contact *c, vgLane3 dn, vgLane3 de, vgLane dL, Change *x)
{
    vgLane3 dc = vg_ladd3(vg_lcross3(de, c->n), vg_lcross3(c->e, dn));
    vgLane ds = vg_ldot3(c->ex, dc), dsn = vg_ldot3(de, c->n) + vg_ldot3(c->e, dn);
    vgLane3 dex = vg_lscale3(vg_laxpy3(-ds, c->ex, dc), 1 / c->s);
    x->dn = dn;
    x->dey = vg_ladd3(vg_lcross3(dn, c->ex), vg_lcross3(c->n, dex));
    x->dez = vg_ladd3(vg_lcross3(dex, c->e), vg_lcross3(c->ex, de));
    x->dr = (dL - c->r * ds) / c->s;
    x->dvx = vg_ldot3(c->u, dex);
    x->dvy = vg_ldot3(c->u, x->dey);
    x->dgamma = c->fade * (c->s * dsn - c->sn * ds);
}

VG_LANEWISE vgLane3 unit(int k)
{
    return (vgLane3){vg_lane(k == 0), vg_lane(k == 1), vg_lane(k == 2)};
}

/* ∂(F, T) by x and z of the centre, the wheel's rotation and the velocity, columns. */
static void vary(const vgTyreFour *t, const Contact *c, const Slopes *k, vgLane3 X[6][2], vgLane3 V[3][2])
{
    vgLane zero = vg_lane(0), one = vg_lane(1), inverse = one / c->H;
    vgLane stiff = vg_lane_pick(c->touch, t->stiffness, zero),
           damp = vg_lane_pick(c->touch, t->damping, zero);
    vgLane3 o = vg_lzero3();
    vgLane by = -c->h[2] * inverse * inverse, bend = -c->h[1] * by; /* of n along the tangent, δH/H */
    vgLane3 dn = {by * inverse, zero, by * c->h[1] * inverse};
    vgLane dheight = -c->h[1], dL = (dheight - c->height * bend) * inverse;
    Change x;
    turn_axes(c, dn, o, dL, &x);
    x.dN =
        stiff * vg_lane_pick(t->vertical, -dheight * inverse - c->d * bend, -dL) - damp * vg_ldot3(dn, c->u);
    answer(c, k, &x, &X[0][0], &X[0][1]);
    X[1][0] = X[1][1] = o;
    x = (Change){.dN = -stiff * inverse, .dr = inverse / c->s};
    answer(c, k, &x, &X[2][0], &X[2][1]);
    for (int i = 0; i < 3; i++) {
        turn_axes(c, o, vg_lcross3(unit(i), c->e), zero, &x);
        x.dN = zero;
        answer(c, k, &x, &X[3 + i][0], &X[3 + i][1]);
    }
    const vgLane *n = &c->n.x, *ex = &c->ex.x, *ey = &c->ey.x;
    for (int i = 0; i < 3; i++) {
        x = (Change){.dN = -damp * n[i], .dvx = ex[i], .dvy = ey[i]};
        answer(c, k, &x, &V[i][0], &V[i][1]);
    }
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
void vg_tyre_four_tangent(const vgTyreFour *t, vgTyreFourLaw *law, const vgKin *const *kin, vgLane *A)
{
    Contact c;
    Slopes k;
    vgLane3 X[6][2], V[3][2];
    touch_down(t, law, kin, &c, k.law);
    if (!vg_lane_any(c.on)) return;
    vgLane q = vg_lsqrt(c.qq), speed = c.qq + c.vy * c.vy;
    k.along[0] = -c.vy * c.vx / (q * speed);
    k.along[1] = q / speed;
    k.fade = 2 * (1 - c.fade) * c.vx / c.qq * c.gamma;
    vary(t, &c, &k, X, V);
    vgLane3 r = vg_lmv3(c.b.R, t->centre);
    const vgLane *arm = &r.x, *u = &c.u.x;
    for (int i = 0; i < 3; i++) { /* seen from the body, which turns with the velocity */
        int j = (i + 1) % 3, l = (i + 2) % 3;
        for (int h = 0; h < 2; h++) {
            vgLane3 turned = vg_lsub3(vg_lscale3(V[j][h], u[l]), vg_lscale3(V[l][h], u[j]));
            X[3 + i][h] = vg_lsub3(X[3 + i][h], turned);
        }
        add_moment(X[3 + i], r, vg_ladd3(X[3 + i][0], vg_lcross3(c.F, unit(i))));
        X[3 + i][1] = vg_ladd3(X[3 + i][1], vg_lcross3(c.T, unit(i)));
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
