/* The state of a stage from its unknowns Δ, by the stage's formulas. */
#include <string.h>

#include "integrator/passes.h"
#include "integrator/stage/renewal.h"
#include "integrator/stage/stage.h"

/* q, v, a of VG_STAGE_FIRST from Δ and Δ̇. */
static void states_by_maps(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    sys->ops->retract(sys, sp->q_r, st->delta, st->q);
    if (sys->vector_space)
        memcpy(st->v, st->delta_dot, (size_t)sys->nv * sizeof(double));
    else
        sys->ops->twist(sys, st->delta, st->q, st->delta_dot, st->v);
    if (st->w) vg_pass_add(sys->nv, -1, st->w, st->v);
    vg_pass_difference(sys->nv, sp->cv, st->v, sp->vhat, st->a);
}

void vg_stage_states(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    int nv = sys->nv;
    if (vg_stage_in_one_pass(sys, st, sp)) {
        vg_pass_states(nv, st, sp);
        return;
    }
    if (sp->map == VG_STAGE_FIRST) {
        vg_pass_difference(nv, sp->cv, st->delta, sp->dhat, st->delta_dot);
        states_by_maps(sys, st, sp);
        return;
    }
    if (sys->one_pass)
        for (int i = 0; i < nv; i++) st->q[i] = sp->q_r[i] + st->delta[i];
    else
        sys->ops->retract(sys, sp->q_r, st->delta, st->q);
    vg_pass_difference(nv, sp->ca, st->delta, sp->dhat, st->a);
    for (int i = 0; i < nv; i++) st->v[i] = sp->vhat[i] + sp->cv * (st->delta[i] - sp->dhat[i]);
    if (sp->ahat) vg_pass_add(nv, 1, sp->ahat, st->a);
    if (st->w) {
        vg_pass_add(nv, -1, sp->three_levels ? st->w + nv : st->w, st->v);
        vg_pass_add(nv, -(sp->ca / sp->cv), st->w, st->a);
    }
}

/* Δ by the solution in x, and the state there, where that takes more than one pass. */
void vg_stage_apply(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, vgSizes *sizes)
{
    const double *d = st->x;
    vg_pass_sizes(sys->nv, st->x, st->a, st->unit, sys->v_closes ? sys->v_closes : st->unit, sizes);
    if (sp->map != VG_STAGE_PLAIN && !sys->vector_space) {
        const double *delta = st->delta, *q = st->q;
        if (st->it->newton_mode == VG_NEWTON_MODIFIED) vg_renewal_place(st->it, &delta, &q);
        sys->ops->rates(sys, delta, q, st->x, st->d);
        d = st->d;
    }
    if (sp->map == VG_STAGE_FIRST) {
        vg_pass_step(sys->nv, d, st, sp);
        states_by_maps(sys, st, sp);
    } else {
        vg_pass_add(sys->nv, 1, d, st->delta);
        vg_stage_states(sys, st, sp);
    }
}
