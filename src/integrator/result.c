#include "integrator/result.h"

#include <math.h>

#include "base/expect.h"
#include "integrator/passes.h"
#include "integrator/rows.h"
#include "integrator/stage/stage.h"

/* Violation that the projection of a result leaves, in its own measure: rounding. And its most iterations. */
static const double PROJECTED = 1e-14;
enum { MOST_PROJECTIONS = 8 };

vgStatus vg_check_finite(vgIntegrator *it, double t, const double *x, int n)
{
    if (isfinite(vg_rows_largest(n, x, NULL))) return VG_OK;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) {
            vg_fail_equation(it, VG_NOT_FINITE, t, i,
                             "the step gave numbers that are not finite; try a smaller step");
            return VG_NOT_FINITE;
        }
    return VG_OK;
}

VG_COLD static vgStatus fail_projection(vgIntegrator *it, vgStatus st, double t)
{
    vg_fail_equation(it, st, t, it->work->bad_row, "the projection onto the constraints failed");
    return st;
}

vgStatus vg_settle(vgIntegrator *it, double t, double *q, double *v)
{
    vgStatus st = vg_system_project(it->sys, it->work, t, q, v);
    return VG_RARE(st != VG_OK) ? fail_projection(it, st, t) : VG_OK;
}

vgStatus vg_settle_result(vgIntegrator *it, double t, double *q, double *v)
{
    const vgSystem *sys = it->sys;
    int iterations;
    if (sys->ops->dependent.follow || sys->nl == 0 || vg_at_acceleration(sys)) return vg_settle(it, t, q, v);
    vgStatus st = sys->ops->project_q(sys, it->work, t, q, PROJECTED, MOST_PROJECTIONS, &iterations);
    if (st == VG_OK) st = sys->ops->project_v(sys, it->work, t, q, v);
    return VG_RARE(st != VG_OK) ? fail_projection(it, st, t) : VG_OK;
}

VG_COLD static vgStatus fail_accelerations(vgIntegrator *it, vgStatus st, double t)
{
    vg_fail_equation(it, st, t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

vgStatus vg_accel_at(vgIntegrator *it, double t, const double *q, const double *v, double *a, double *lambda)
{
    vgStatus st = it->sys->ops->accel(it->sys, it->work, t, q, v, a, lambda);
    it->stats.accels++;
    return VG_RARE(st != VG_OK) ? fail_accelerations(it, st, t) : VG_OK;
}

vgStatus vg_accel_state(vgIntegrator *it, vgState *s)
{
    return vg_accel_at(it, s->t, s->q, s->v, s->a, s->lambda);
}

void vg_accept(const vgSystem *sys, double t, const double *q, const double *v, const double *a,
               const double *lambda, vgState *s)
{
    VG_EXPECT(isfinite(t) && q != s->q && v != s->v && a != s->a);
    vg_pass_copy(sys->nq, q, s->q);
    vg_pass_copy(sys->nv, v, s->v);
    vg_pass_copy(sys->nv, a, s->a);
    vg_pass_copy(sys->nl, lambda, s->lambda);
    s->t = t;
}

void vg_result_place(vgResult *x, const vgSystem *sys, vgArena *arena)
{
    x->q = VG_TAKE(arena, double, sys->nq + 1);
    x->v = VG_TAKE(arena, double, sys->nv + 1);
    x->a = VG_TAKE(arena, double, sys->nv + 1);
    x->lambda = VG_TAKE(arena, double, sys->nl + 1);
}

vgStatus vg_result_finish(vgIntegrator *it, vgResult *x, double t, vgState *s)
{
    it->matrix.have = 0; /* projections and accelerations take its place */
    vgStatus st = vg_settle_result(it, t, x->q, x->v);
    if (st == VG_OK) st = vg_accel_at(it, t, x->q, x->v, x->a, x->lambda);
    if (st == VG_OK) vg_accept(it->sys, t, x->q, x->v, x->a, x->lambda, s);
    return st;
}
