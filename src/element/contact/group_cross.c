/* Groups within a step: pairs that touched between its ends and are apart at both. */
#include <math.h>

#include "element/contact/near.h"

const void *vg_group_approach(const vgContactGroup *g, vgGroupWork *w, vgNear p, const vgKin *all, int n,
                              vgApproach *out)
{
    const vgKin *kin[2];
    int body[2];
    const void *def = vg_group_bind(g, w, p, &(vgForceIn){.all = all, .nall = n}, kin, body);
    vg_contact_approach(def, &(vgForceIn){.nbody = 2, .kin = kin}, out);
    return def;
}

/* How far a shape's centre can have gone within the step: on the cubic through both ends, whose slope is bounded by three
 * times the chord and the slopes at the ends (Bézier points). */
static double way_of(const vgContactGroup *g, int i, const vgForceIn *in, const vgKin *before, double h)
{
    const int body = g->body[i];
    if (body < 0) return 0;
    const vgKin *a = &before[body], *b = &in->all[body];
    vgVec3 r = g->shape[i].frame.r, d = vg_sub3(vg_kin_point(b, r), vg_kin_point(a, r));
    double va = vg_norm3(vg_kin_point_velocity(a, r)), vb = vg_norm3(vg_kin_point_velocity(b, r));
    return fmax(3 * vg_norm3(d) + h * (va + vb), h * fmax(va, vb));
}

int vg_group_crossed(const void *def, const vgForceIn *in, const vgKin *before, double h, vgCrowdPair *out,
                     double *when)
{
    const vgContactGroup *g = def;
    vgGroupWork *w = in->scratch;
    double most = 0, part;
    int n = 0;
    for (int i = 0; i < g->n; i++) most = fmax(most, way_of(g, i, in, before, h));
    vg_group_look(g, w, in, 2 * most);
    vgGroupWalk walk = vg_group_walk(g, w);
    for (vgNear p; vg_group_next(&walk, &p);) {
        vgApproach a, b;
        double ways = way_of(g, p.a, in, before, h) + way_of(g, p.b, in, before, h);
        double reach = g->shape[p.a].bound + g->shape[p.b].bound + ways;
        vgVec3 d = vg_sub3(w->centre[p.a], w->centre[p.b]);
        if (vg_dot3(d, d) > reach * reach) continue;
        const void *pair = vg_group_approach(g, w, p, in->all, in->nall, &b);
        if (b.depth > 0 || -b.depth > ways) continue;
        vg_group_approach(g, w, p, before, in->nall, &a);
        if (a.depth > 0 || !vg_contact_crosses(pair, &a, &b, h, &part)) continue;
        if (n++ > 0) continue;
        *out = (vgCrowdPair){.first = p.a, .second = p.b, .a = g->body[p.a], .b = g->body[p.b]};
        *when = part;
    }
    return n;
}
