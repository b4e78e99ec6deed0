/* (91a): static equilibrium under friction. Where contacts stick by bristles (contact_friction.c), the equilibrium
 * depends on the path to it, since the bristles bend as the bodies yield. The model is released, and its
 * velocities are set to zero at the end of every step: implicit Euler on its own equations of motion from v = 0,
 *
 *     r(t, q ⊕ δ, v, a, λ) = 0,   Φ = 0,     v = δ/h,   a = (v − v₀)/h
 *
 * where v₀ is zero except for quantities that elements integrate (deflections of bristles, integrals of
 * controllers). h grows while Newton's method converges. When the steps no longer move anything, v = 0 and a = 0:
 * an equilibrium of the equations of motion themselves, with the deflections reached. Long steps are Newton steps
 * on the equilibrium; the remaining mass term M/h² holds directions without stiffness. */
#include <math.h>
#include <string.h>

#include "analysis/equilibrium/rest.h"
#include "element/contact/friction.h"
#include "math/dense.h"
#include "analysis/tuning.h"

enum { MOST_STEPS = 1000, MOST_ITERATIONS = 30 };
static const double FIRST = 0.02, LAST = 100, SHORTEST = 1e-9; /* s */
static const double LONGEST = 0.2;                             /* of a step, in lengths or radians */

int vg_rest_sticks(const vgModel *m)
{
    for (int i = 0; i < m->nforce; i++)
        if (vg_friction_hold(m->force[i].kind, m->force[i].def) == VG_HOLD_STICKS) return 1;
    return 0;
}

/* Largest displacement in units of the scales, without integrals (whole 0) or with their changes. */
static double size_of(const vgRest *z, const double *x, double h, int whole)
{
    const vgSystem *sys = z->sys;
    double big = 0;
    for (int i = 0; i < sys->nv; i++) {
        int integral = vg_model_is_integral(sys->model, sys->v_body[i]);
        if (!integral || whole) big = vg_larger(big, fabs(x[i]) / (integral ? h : sys->v_scale[i]));
    }
    return big;
}

/* F = (r, Φ) at v (nv) and a = (v − v₀)/h; h infinite: v = 0. */
static void imbalance(vgRest *z, const double *v, double h, double *f)
{
    const vgSystem *sys = z->sys;
    for (int i = 0; i < sys->nv; i++) z->delta[i] = (v[i] - z->v0[i]) / h;
    sys->ops->residual(sys, z->w, z->t, z->q, v, z->delta, z->lambda, f, f + sys->nv);
    for (int i = 0; i < sys->nl; i++)
        if (sys->row_level[i] > 0) f[sys->nv + i] = 0;
}

/* How far a step has gone, bends of bristles included in `all`, and which body most. */
static double way(vgRest *z, const double *v, double h, double *all)
{
    const vgSystem *sys = z->sys;
    double most = *all = 0;
    for (int i = 0; i < sys->nv; i++) {
        int integral = vg_model_is_integral(sys->model, sys->v_body[i]);
        double moved = fabs(v[i] - z->v0[i]) * (integral ? 1 : h / sys->v_scale[i]);
        if (moved > most && !integral) z->out->body = sys->v_body[i];
        if (!integral) most = vg_larger(most, moved);
        *all = vg_larger(*all, moved);
    }
    return most;
}

/* First guess of Newton: the last step is continued, since it knows the direction of sliding; deflections stay as
 * they were. load_rate: the remaining acceleration v/h, for a step of h. */
static void guess(vgRest *z, double h, double *v)
{
    const vgSystem *sys = z->sys;
    const double *rate = z->load_rate;
    double size = h * h * size_of(z, rate, 1, 0),
           part = size > VG_SETTLE_PART * LONGEST ? VG_SETTLE_PART * LONGEST / size : 1;
    for (int i = 0; i < sys->nv; i++) {
        int integral = vg_model_is_integral(sys->model, sys->v_body[i]);
        v[i] = integral ? z->v0[i] : part * h * rate[i];
        z->x[i] = integral ? 0 : h * v[i];
    }
    for (int i = 0; i < sys->nl; i++) z->x[sys->nv + i] = 0;
    vg_rest_trial(z, 1);
    vg_rest_take(z);
}

/* One step from q; v: where it ends. */
static vgStatus step(vgRest *z, double h, double *v)
{
    const vgSystem *sys = z->sys;
    double best = INFINITY;
    guess(z, h, v);
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        imbalance(z, v, h, z->x);
        vgTangent p = {.t = z->t,
                       .q = z->q,
                       .v = v,
                       .a = z->delta,
                       .lambda = z->lambda,
                       .cv = 1 / h,
                       .ca = 1 / (h * h),
                       .map = VG_STAGE_PLAIN,
                       .exact = 1};
        vgStatus st = sys->ops->factor(sys, z->w, &p);
        if (st != VG_OK) return st;
        vg_rest_correct(z, p.ca, z->x);
        z->out->iterations++;
        double length = size_of(z, z->x, h, 1);
        if (!(size_of(z, z->x, h, 0) <= LONGEST) || !isfinite(length)) return VG_NOT_CONVERGED;
        for (int i = 0; i < sys->nv; i++) v[i] += z->x[i] / h;
        vg_rest_trial(z, 1);
        vg_rest_take(z);
        z->out->correction = length;
        if (length <= z->tol || (length <= VG_REST_ROUNDING && length > VG_REST_STALLED * best)) return VG_OK;
        best = fmin(best, length);
    }
    return VG_NOT_CONVERGED;
}

/* Integrals keep their value; all other velocities become zero. */
static void stop(const vgRest *z, const double *v)
{
    const vgSystem *sys = z->sys;
    for (int i = 0; i < sys->nv; i++) z->v0[i] = vg_model_is_integral(sys->model, sys->v_body[i]) ? v[i] : 0;
}

vgStatus vg_rest_settle(vgRest *z, const vgState *start)
{
    double h = FIRST, moved = 0, all = 0, *v = z->tangent;
    z->w->unload = 0;
    z->w->rest = 0;
    stop(z, start->v);
    for (int k = 0; k < MOST_STEPS; k++) {
        vg_rest_keep(z);
        vgStatus st = step(z, h, v);
        if (st == VG_OK) moved = way(z, v, h, &all);
        z->out->relaxations++;
        if (st == VG_NO_MEMORY) return st;
        if (st != VG_OK || !(moved <= LONGEST)) {
            vg_rest_back(z);
            h *= 0.25;
            if (h < SHORTEST) return VG_NOT_CONVERGED;
            continue;
        }
        stop(z, v);
        for (int i = 0; i < z->sys->nv; i++) z->load_rate[i] = v[i] / h;
        if (h >= LAST && all <= 100 * z->tol) {
            z->out->body = -1;
            z->out->load = 1;
            return VG_OK;
        }
        h = fmin(LAST, (moved < VG_SETTLE_PART * LONGEST ? 4 : VG_SETTLE_GROW) * h);
    }
    return VG_NOT_CONVERGED;
}

void vg_rest_settled(vgRest *z, double *f)
{
    imbalance(z, z->v0, INFINITY, f);
}
