#include "integrator/stage/fine.h"

#include <math.h>

#include "integrator/passes.h"

double vg_fine_part(double constant, double c, int order)
{
    return constant * pow(0.125 / fabs(c), order);
}

double vg_fine_change(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp)
{
    double change = 0;
    for (int i = 0; i < sys->nv; i++)
        change = vg_larger(fabs(st->a[i] - sp->a_begin[i]) * st->unit[i], change);
    return change;
}

double vg_fine_target(const vgSystem *sys, const vgStage *st, const vgStageSpec *sp, double acc, double goal)
{
    double change = sys->ops->dependent.follow ? sp->learned[3] : vg_fine_change(sys, st, sp);
    double fine = acc > 0 ? sp->fine * pow(change / acc, sp->order) * acc / sp->ca : 0;
    return fine < goal ? fine : goal;
}

double vg_fine_rest(const vgIntegrator *it, const vgStage *st, double norm, double rest)
{
    const vgSystem *sys = it->sys;
    if (!sys->ops->approach.residual) return rest;
    double turned = vg_rows_largest(sys->nv, st->delta, sys->v_closes ? sys->v_closes : st->unit);
    if (it->newton_mode >= VG_NEWTON_HOLD) turned = vg_most(turned, it->matrix.moved);
    return vg_most(rest, (turned < 1 ? turned : 1) * norm);
}

double vg_fine_rounding(const vgSystem *sys, const vgJudged *j, double least)
{
    if (j->now.norm <= least || j->k > 1) return least;
    return j->k == 0 ? 0 : sys->ops->approach.residual ? least / 16 : least;
}

static int meets(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, const vgJudged *j,
                 double theta, double rest)
{
    return theta < VG_CONTRACTS && rest <= vg_target(it, sp, j->now.acc) && vg_is_closed(it, st, j->now.open);
}

double vg_fine_expected(const vgIntegrator *it, const vgStage *st, const vgStageSpec *sp, vgJudged *j,
                        double theta)
{
    const double *last = sp->learned;
    j->met = j->known = meets(it, st, sp, j, theta, vg_left_by(j->now.norm, theta));
    return vg_expected(it, (vgSeen){last[0], last[1], (int)last[2]}, j->now.norm);
}

/* Δ, λ, w of the stage there and back. */
static void keep(const vgSystem *sys, const vgStage *st, double *kept)
{
    vg_pass_copy(sys->nv, st->delta, kept);
    if (st->w) vg_pass_copy(2 * sys->nv, st->w, kept + vg_whole(sys->nv));
    vg_pass_copy(sys->nl, st->lambda, kept + 3 * vg_whole(sys->nv));
}
static void go_back(const vgSystem *sys, vgStage *st, const vgStageSpec *sp)
{
    const double *kept = sp->kept;
    vg_pass_copy(sys->nv, kept, st->delta);
    if (st->w) vg_pass_copy(2 * sys->nv, kept + vg_whole(sys->nv), st->w);
    vg_pass_copy(sys->nl, kept + 3 * vg_whole(sys->nv), st->lambda);
    vg_stage_states(sys, st, sp);
}

int vg_fine_is_enough(const vgIntegrator *it, vgStage *st, const vgStageSpec *sp, vgJudged *j, int limit)
{
    int before = j->met && j->k > 0;
    if (before && j->theta > 0.5) {
        if (!it->sys->ops->approach.residual) go_back(it->sys, st, sp);
        return 1;
    }
    j->met |= meets(it, st, sp, j, j->theta, j->rest);
    if (j->met && !before) keep(it->sys, st, sp->kept);
    return j->met && j->k + 1 >= limit;
}

void vg_fine_learn(double *learned, double theta, double norm)
{
    if (theta >= 0) {
        learned[0] = theta;
        learned[1] = norm;
        learned[2] = VG_BELIEVED + VG_WITH_MARGIN;
    } else if (learned[2] > 0) {
        learned[2]--;
    }
}
