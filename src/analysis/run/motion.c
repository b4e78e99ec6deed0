#include "analysis/run/motion.h"

#include <string.h>

#include "integrator/rows.h"

int vg_motion_differs(const vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    if (vg_at_acceleration(sys) && (it->row->flags & VG_INT_EXPLICIT)) return 0;
    return sys->nl > 0 && (sys->is.saddle || sys->is.settle == VG_SETTLE_TANGENT);
}

const vgState *vg_motion_of(const vgSystem *sys, vgWork *own, vgWork *work, vgState *x, const vgState *s)
{
    vg_state_copy(sys, x, s);
    vg_work_bind(own, x);
    vgStatus st = sys->ops->project_v(sys, own, x->t, x->q, x->v); /* what is off there is no motion either */
    if (st == VG_OK) st = sys->ops->accel(sys, own, x->t, x->q, x->v, x->a, x->lambda);
    memcpy(x->v, s->v, (size_t)sys->nv * sizeof(double));
    if (st != VG_OK || !vg_rows_are_finite(sys->nv, x->a, sys->nphi, x->lambda)) return s;
    vg_work_bind(work, x);
    return x;
}
