#include "analysis/run/motion.h"

#include <string.h>

#include "integrator/rows.h"

int vg_motion_differs(const vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    if (vg_at_acceleration(sys) && (it->row->flags & VG_INT_EXPLICIT)) return 0;
    return sys->nl > 0 && (sys->is.saddle || sys->is.settle == VG_SETTLE_TANGENT);
}

int vg_motion_is_shown(const vgIntegrator *it)
{
    return vg_motion_differs(it) || (it->adaptive && it->sys->nl > 0 && !vg_at_acceleration(it->sys));
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

vgStatus vg_motion_room(vgMotionRoom *x, vgIntegrator *it, const vgState *s, vgChannels *c)
{
    if (!vg_motion_is_shown(it) || !vg_channels_find_motion(c, it->work, s) || x->state) return VG_OK;
    vgStatus st = vg_state_new(it->sys, 0, &x->state);
    if (st == VG_OK) st = vg_work_new_lean(it->sys, &x->work);
    if (st != VG_OK) vg_motion_room_free(x);
    return st;
}

void vg_motion_room_free(vgMotionRoom *x)
{
    vg_state_free(x->state);
    vg_work_free(x->work);
    *x = (vgMotionRoom){NULL, NULL};
}

void vg_motion_values(vgMotionRoom *x, vgIntegrator *it, const vgState *s, vgChannels *c, double *row)
{
    const int shown = x->state && vg_channels_see_motion(c);
    vg_channels_eval(c, it->work, shown ? vg_motion_of(it->sys, x->work, it->work, x->state, s) : s, row);
    if (shown) vg_work_bind(it->work, s);
}
