/* Relative coordinates: the motion of up to four links at once, hinges or Cardan joints at the same depth of
 * the tree. Line by line as relative/motion.c and vg_tree_own_force. */
#include <stddef.h>

#include "system/relative/relative.h"

/* vgLinkMotion, vgKin */
typedef struct Four {
    vgLane33 R;
    vgLane3 p, v, w, Av, Aw, d, cv, cw, Fv, Fw;
    vgLane spare;
} Four;
typedef struct Kin {
    vgLane3 p;
    vgLane33 R;
    vgLane3 v, w, dv, dw;
} Kin;

enum { NUMBERS = sizeof(vgLinkMotion) / sizeof(double), KIN = sizeof(vgKin) / sizeof(double) };
_Static_assert(sizeof(Four) == VG_LANES * sizeof(vgLinkMotion) && NUMBERS % 4 == 0, "as vgLinkMotion");
_Static_assert(sizeof(Kin) == VG_LANES * sizeof(vgKin) && KIN % 4 == 0, "as vgKin");

/* What a link sees of its parent: how that begins. */
typedef struct Parent {
    vgLane33 R;
    vgLane3 p, v, w, Av, Aw;
} Parent;
enum { PARENT = sizeof(Parent) / sizeof(vgLane) };

VG_LANEWISE void broadcast(const double *from, int n, vgLane *to)
{
    for (int i = 0; i < n; i++) to[i] = vg_lane(from[i]);
}

VG_LANEWISE void see(const vgTree *s, const vgTreeWork *w, const vgLinkFour *g, Parent *P)
{
    const vgLinkMotion *m[VG_LANES];
    for (int k = 0; k < VG_LANES; k++) {
        int parent = s->link[g->link[k]].parent;
        m[k] = &w->m[parent < 0 ? s->nlink : parent];
    }
    if (g->shared) {
        broadcast(&m[0]->R.m[0][0], PARENT, &P->R.m[0][0]);
        return;
    }
    vgLane *x = (vgLane *)P;
    const double *const at[] = {&m[0]->R.m[0][0], &m[1]->R.m[0][0], &m[2]->R.m[0][0], &m[3]->R.m[0][0]};
    for (int i = 0; i < PARENT; i += 4) vg_lane_gather(at, i, x + i);
}

VG_LANEWISE vgLane3 column(const vgLane33 *A, int j)
{
    return (vgLane3){A->m[0][j], A->m[1][j], A->m[2][j]};
}

VG_LANEWISE void set_columns(vgLane33 *A, vgLane3 a, vgLane3 b, vgLane3 c)
{
    *A = (vgLane33){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

/* x c + y s */
VG_LANEWISE vgLane3 mixed(vgLane3 x, vgLane c, vgLane3 y, vgLane s)
{
    return vg_ladd3(vg_lscale3(x, c), vg_lscale3(y, s));
}

VG_LANEWISE vgLane sines(const vgTreeWork *w, int at)
{
    return *(const vgLaneLoose *)(w->sine + at);
}

VG_LANEWISE vgLane pick(const vgTree *s, const vgLinkFour *g, const double *x, int i)
{
    const vgLink *l = s->link;
    const int *at = g->link;
    return (vgLane){x[l[at[0]].v0 + i], x[l[at[1]].v0 + i], x[l[at[2]].v0 + i], x[l[at[3]].v0 + i]};
}

VG_LANEWISE void store_S(const vgTree *s, vgTreeWork *w, const vgLinkFour *g, int i, vgLane3 Sv, vgLane3 Sw)
{
    vgLane x[4] = {Sv.x, Sv.y, Sv.z, Sw.x};
    vg_lane_turn(x);
    for (int k = 0; k < VG_LANES; k++) {
        double *to = w->S + 6 * (s->link[g->link[k]].v0 + i);
        *(vgLaneLoose *)to = x[k];
        to[4] = Sw.y[k];
        to[5] = Sw.z[k];
    }
}

/* The axes of the joint in W: one, or two and what the second changes by; R of the link. */
VG_LANEWISE int turn(const vgTree *s, const vgTreeWork *w, const vgLinkFour *g, const Parent *P, vgLane33 *R,
                     vgLane3 axis[3])
{
    int at = s->link[g->link[0]].angle;
    vgLane33 N = vg_lmm3(P->R, g->E);
    vgLane sn = sines(w, at), c = sines(w, s->nangle + at);
    vgLane3 x = column(&N, 0), y = column(&N, 1), z = column(&N, 2);
    if (g->way == VG_LINK_HINGE) {
        sn *= g->turn;
        set_columns(R, mixed(x, c, y, sn), mixed(y, c, x, -sn), z);
        axis[0] = vg_lscale3(z, g->turn);
        return 1;
    }
    vgLane s2 = sines(w, at + VG_LANES), c2 = sines(w, s->nangle + at + VG_LANES);
    axis[0] = z;
    axis[1] = mixed(x, c, y, sn);
    axis[2] = mixed(y, c, x, -sn);
    vgLane3 a = mixed(axis[2], c2, z, s2), b = mixed(z, c2, axis[2], -s2);
    vgLaneMask straight = g->turn > vg_lane(0);
    vgLane33 one, other;
    set_columns(&one, a, b, axis[1]);
    set_columns(&other, axis[1], a, b);
    for (int i = 0; i < 9; i++)
        R->m[i / 3][i % 3] = vg_lane_pick(straight, one.m[i / 3][i % 3], other.m[i / 3][i % 3]);
    return 2;
}

VG_LANEWISE void own_force(const vgLinkFour *g, Four *m)
{
    vgLane3 wl = vg_lmtv3(m->R, m->w), al = vg_lmtv3(m->R, m->Aw);
    vgLane3 T = vg_ladd3(vg_lmv3(g->J, al), vg_lcross3(wl, vg_lmv3(g->J, wl)));
    m->Fv = vg_lscale3(vg_ladd3(m->Av, vg_lcross3(m->w, m->v)), g->mass);
    m->Fw = vg_lmv3(m->R, T);
}

/* n numbers of four structures out of lanes, n a multiple of four. */
VG_LANEWISE void scatter(const vgLane *from, int n, double *const to[VG_LANES])
{
    for (int i = 0; i < n; i += 4) {
        vgLane x[4] = {from[i], from[i + 1], from[i + 2], from[i + 3]};
        vg_lane_turn(x);
        for (int k = 0; k < VG_LANES; k++) *(vgLaneLoose *)(to[k] + i) = x[k];
    }
}

VG_LANEWISE void to_native(const vgTree *s, vgTreeWork *w, const vgLinkFour *g, const Four *m)
{
    vgVec3 gravity = s->base.model->gravity;
    Kin k = {.p = m->p, .R = m->R, .v = m->v};
    double *to[VG_LANES];
    if (!g->own_axes) k.R = vg_lmmt3(m->R, g->Q);
    k.w = vg_lmtv3(k.R, m->w);
    k.dv = vg_ladd3(m->Av, vg_lcross3(m->w, m->v));
    k.dv.x += gravity.x, k.dv.y += gravity.y, k.dv.z += gravity.z;
    k.dw = vg_lmtv3(k.R, m->Aw);
    for (int i = 0; i < VG_LANES; i++) to[i] = &w->native_motion.kin[s->link[g->link[i]].body].p.x;
    scatter(&k.p.x, KIN, to);
}

void vg_tree_four(const vgTree *s, vgTreeWork *w, const vgLinkFour *g, const double *v, const double *a,
                  int native)
{
    Parent P;
    Four m;
    vgLane3 axis[3], uv, uw;
    double *to[VG_LANES];
    see(s, w, g, &P);
    int n = turn(s, w, g, &P, &m.R, axis);
    vgLane3 arm = vg_lmv3(m.R, g->rC), Sv[2];
    m.d = vg_lsub3(vg_lmv3(P.R, g->rP), arm);
    m.p = vg_ladd3(P.p, m.d);
    for (int i = 0; i < n; i++) {
        vgLane rate = pick(s, g, v, i);
        Sv[i] = vg_lcross3(arm, axis[i]);
        store_S(s, w, g, i, Sv[i], axis[i]);
        uv = i ? vg_laxpy3(rate, Sv[i], uv) : vg_lscale3(Sv[i], rate);
        uw = i ? vg_laxpy3(rate, axis[i], uw) : vg_lscale3(axis[i], rate);
    }
    vgLane3 pv = vg_ladd3(P.v, vg_lcross3(P.w, m.d));
    m.v = vg_ladd3(pv, uv);
    m.w = vg_ladd3(P.w, uw);
    m.cv = vg_ladd3(vg_lcross3(P.w, uv), vg_lcross3(pv, uw));
    m.cw = vg_lcross3(P.w, uw);
    if (n == 2) {
        vgLane both = pick(s, g, v, 0) * pick(s, g, v, 1);
        m.cv = vg_laxpy3(both, vg_lcross3(arm, axis[2]), m.cv);
        m.cw = vg_laxpy3(both, axis[2], m.cw);
    }
    m.Av = vg_ladd3(m.cv, vg_ladd3(P.Av, vg_lcross3(P.Aw, m.d)));
    m.Aw = vg_ladd3(m.cw, P.Aw);
    for (int i = 0; a && i < n; i++) {
        vgLane acc = pick(s, g, a, i);
        m.Av = vg_laxpy3(acc, Sv[i], m.Av);
        m.Aw = vg_laxpy3(acc, axis[i], m.Aw);
    }
    own_force(g, &m);
    m.spare = vg_lane(0);
    for (int i = 0; i < VG_LANES; i++) to[i] = &w->m[g->link[i]].R.m[0][0];
    scatter(&m.R.m[0][0], NUMBERS, to);
    if (native) to_native(s, w, g, &m);
}
