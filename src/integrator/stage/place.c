/* The memory of a stage. */
#include "integrator/stage/stage.h"

void vg_stage_place(vgStage *st, const vgSystem *sys, vgArena *a)
{
    vg_stage_place_affine(st, sys, a);
    st->delta_dot = VG_TAKE(a, double, sys->nv + 1);
    st->am = VG_TAKE(a, double, sys->nv + 1);
}

void vg_stage_place_affine(vgStage *st, const vgSystem *sys, vgArena *a)
{
    st->delta = VG_TAKE(a, double, sys->nv + 1);
    st->q = VG_TAKE(a, double, sys->nq + 1);
    st->v = VG_TAKE(a, double, sys->nv + 1);
    st->a = VG_TAKE(a, double, sys->nv + 1);
    st->lambda = VG_TAKE(a, double, sys->nl + 1);
    st->r = VG_TAKE(a, double, sys->nv + 1);
    st->phi = VG_TAKE(a, double, sys->nl + 1);
    st->x = VG_TAKE(a, double, sys->nv + 1);
    st->xl = VG_TAKE(a, double, sys->nl + 1);
    st->d = VG_TAKE(a, double, sys->nv + 1);
    st->first = VG_TAKE(a, double, sys->nv + sys->nl + 1);
    st->unit = VG_TAKE(a, double, sys->nv + 1);
    st->unit_q = VG_TAKE(a, double, sys->nq + 1);
    st->moved_q = VG_TAKE(a, double, sys->nq + 1);
    st->w = vg_stage_corrects(sys) ? VG_TAKE(a, double, 2 * sys->nv + 4) : NULL;
    st->z = VG_TAKE(a, double, vg_stage_corrects(sys) ? sys->nl + 4 : 1);
    st->levels = VG_TAKE(a, double, sys->is.rows == VG_AT_NOTHING ? 1 : 2 * sys->nl + 1);
}
