/* What charts need for a stage of an explicit method (absolute/stage.c). */
#ifndef VERGE_SYSTEM_ABSOLUTE_STAGE_H
#define VERGE_SYSTEM_ABSOLUTE_STAGE_H

#include "math/lanes.h"
#include "system/absolute/absolute.h"

/* Six numbers of a body. They are stored in the same pieces in which they are loaded, four and two numbers: a load
 * that spans two recent stores waits for both (store-forwarding stall). */
typedef double vgTwo __attribute__((vector_size(16), aligned(8), may_alias));
typedef struct vgSix {
    vgLaneLoose a;
    vgTwo b;
} vgSix;

VG_LANEWISE vgSix vg_six(double x, double y, double z, double u, double v, double w)
{
    return (vgSix){{x, y, z, u}, {v, w}};
}

VG_LANEWISE vgSix vg_get_six(const double *from)
{
    return (vgSix){*(const vgLaneLoose *)from, *(const vgTwo *)(from + 4)};
}

VG_LANEWISE void vg_put_six(vgSix x, double *to)
{
    *(vgLaneLoose *)to = x.a;
    *(vgTwo *)(to + 4) = x.b;
}

/* d = Σ c_j k_j, v = v_r + Σ c_j l_j of the six coordinates from `at` on. */
VG_LANEWISE void vg_stage_sum6(const vgExplicit *x, int at, vgSix *d, vgSix *v)
{
    vgSix s = vg_six(0, 0, 0, 0, 0, 0), u = vg_get_six(x->v_r + at);
    for (int j = 0; j < x->count; j++) {
        vgSix k = vg_get_six(x->k_row[j] + at), l = vg_get_six(x->l_row[j] + at);
        s.a += x->c[j] * k.a;
        s.b += x->c[j] * k.b;
        u.a += x->c[j] * l.a;
        u.b += x->c[j] * l.b;
    }
    *d = s;
    *v = u;
}

#endif
