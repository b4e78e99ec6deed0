/* Relative coordinates: the motion of up to four links at once, hinges or Cardan joints at the same depth of
 * the tree, by the formulas of link_formulas.h. */
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

#define VG_WIDTH 4
#include "math/width.h"
#define WLINK   vgLinkFour
#define WPARENT Parent
#include "system/relative/link_formulas.h"

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
    const int cardan = g->way == VG_LINK_CARDAN, n = cardan ? 2 : 1;
    Parent P;
    vgLinkMoved_4 x;
    vgLane sine[2], cosine[2], rate[2];
    double *to[VG_LANES];
    see(s, w, g, &P);
    for (int i = 0; i < n; i++) {
        int at = s->link[g->link[0]].angle + VG_LANES * i;
        sine[i] = sines(w, at), cosine[i] = sines(w, s->nangle + at);
        rate[i] = pick(s, g, v, i);
    }
    vg_link_move_4(g, &P, cardan, sine, cosine, rate, &x);
    for (int i = 0; i < n; i++) store_S(s, w, g, i, x.Sv[i], x.Sw[i]);
    Four m = {.R = x.R, .p = x.p, .v = x.v, .w = x.w, .d = x.d, .cv = x.cv, .cw = x.cw};
    m.Av = vg_ladd3(m.cv, vg_ladd3(P.Av, vg_lcross3(P.Aw, m.d)));
    m.Aw = vg_ladd3(m.cw, P.Aw);
    for (int i = 0; a && i < n; i++) {
        vgLane acc = pick(s, g, a, i);
        m.Av = vg_laxpy3(acc, x.Sv[i], m.Av);
        m.Aw = vg_laxpy3(acc, x.Sw[i], m.Aw);
    }
    vg_link_own_force_4(g, m.R, m.v, m.w, m.Av, m.Aw, &m.Fv, &m.Fw);
    m.spare = vg_lane(0);
    for (int i = 0; i < VG_LANES; i++) to[i] = &w->m[g->link[i]].R.m[0][0];
    scatter(&m.R.m[0][0], NUMBERS, to);
    if (native) to_native(s, w, g, &m);
}
