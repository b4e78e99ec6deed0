/* (91): the path of equilibria F(x, s) = 0, x = (q, λ), from load s = 0 to s = 1 through limit points, where the
 * load falls while the displacement increases (Riks 1979; Keller's pseudo-arc length; the plane of Ramm). With
 *
 *     x_s = −S⁻¹ ∂F/∂s
 *     tangent (x_s, 1)/n,   n² = ⟨x_s, x_s⟩ + w,     ⟨a, b⟩ = Σ a_i b_i / scale_i²  over displacements and rotations
 *
 * a step moves by l along the tangent, and Newton's corrections x_F + δs x_s stay perpendicular to it:
 *
 *     ⟨t, x_F + δs x_s⟩ + w t_s δs = 0 */
#include "analysis/equilibrium/rest.h"
#include "analysis/tuning.h"

#include <math.h>
#include <string.h>

enum { ARC_ITERATIONS = 12, ARC_GOOD = 4 };
static const double LOAD_WEIGHT =
    1e-2; /* w: the load alone moves the point on the path a tenth as much as 1 rad */
static const double LONGEST = 0.2, SHORTEST = 1e-9;

typedef struct Arc {
    double s, length; /* load, length of the next step */
    double t_s;       /* load part of the tangent */
    double before[2]; /* loads of the two points before, for limit points */
    int points;
} Arc;

static double dot(const vgRest *z, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < z->sys->nv; i++) sum += a[i] * b[i] / (z->sys->v_scale[i] * z->sys->v_scale[i]);
    return sum;
}

/* load_rate := dx/ds at the matrix last factorised: ∂F/∂s = r₀ + r_1 − r_0, as r_s is linear in s. */
static void rate_by_load(vgRest *z)
{
    const vgSystem *sys = z->sys;
    const double unload = z->w->unload;
    z->w->unload = 1;
    sys->ops->residual(sys, z->w, z->t, z->q, z->zero, z->zero, z->lambda, z->y, NULL);
    z->w->unload = 0;
    sys->ops->residual(sys, z->w, z->t, z->q, z->zero, z->zero, z->lambda, z->load_rate, NULL);
    z->w->unload = unload;
    for (int i = 0; i < sys->nv; i++) z->load_rate[i] += z->r0[i] - z->y[i];
    for (int i = 0; i < sys->nl; i++) z->load_rate[sys->nv + i] = 0;
    vg_rest_correct(z, 0, z->load_rate);
}

/* The tangent at a point of the path, looking on. */
static vgStatus look_on(vgRest *z, Arc *a)
{
    const int n = z->sys->nv + z->sys->nl;
    z->w->unload = 1 - a->s;
    vgStatus st = vg_rest_factor(z, 0);
    if (st != VG_OK) return st;
    rate_by_load(z);
    double size = sqrt(dot(z, z->load_rate, z->load_rate) + LOAD_WEIGHT);
    double way = a->points == 0 ? 1 : dot(z, z->load_rate, z->tangent) + LOAD_WEIGHT * a->t_s;
    if (way < 0) size = -size;
    for (int i = 0; i < n; i++) z->tangent[i] = z->load_rate[i] / size;
    a->t_s = 1 / size;
    return VG_OK;
}

/* One step along the path; *iterations of Newton. */
static vgStatus walk(vgRest *z, Arc *a, int *iterations)
{
    const vgSystem *sys = z->sys;
    const int n = sys->nv + sys->nl;
    memcpy(z->x, z->tangent, (size_t)n * sizeof(double));
    vg_rest_trial(z, a->length);
    vg_rest_take(z);
    double s = a->s + a->length * a->t_s, best = INFINITY;
    for (int k = 0; k < ARC_ITERATIONS; k++) {
        vg_rest_imbalance(z, z->q, z->lambda, s, z->x);
        vgStatus st = vg_rest_factor(z, 0);
        if (st != VG_OK) return st;
        vg_rest_correct(z, 0, z->x);
        rate_by_load(z);
        z->out->iterations++;
        double across = dot(z, z->tangent, z->load_rate) + LOAD_WEIGHT * a->t_s;
        double ds = -dot(z, z->tangent, z->x) / across;
        for (int i = 0; i < n; i++) z->x[i] += ds * z->load_rate[i];
        double size = fmax(vg_rest_size(z, z->x), VG_ARC_LOAD * fabs(ds));
        if (!(size < 10 * LONGEST)) return VG_NOT_CONVERGED;
        vg_rest_trial(z, 1);
        vg_rest_take(z);
        s += ds;
        *iterations = k + 1;
        if (size <= z->tol || (size <= VG_REST_ROUNDING && size > VG_REST_STALLED * best)) {
            z->out->correction = size;
            a->s = s;
            return VG_OK;
        }
        best = fmin(best, size);
    }
    return VG_NOT_CONVERGED;
}

/* Reports a point of the path to the caller. The first limit load comes from the parabola through three points. */
static void tell(vgRest *z, Arc *a, const vgEquilibriumOptions *o)
{
    const vgSystem *sys = z->sys;
    if (a->points >= 2 && isnan(z->out->limit) && a->s < a->before[1] && a->before[1] > a->before[0]) {
        double p = a->before[0] - 2 * a->before[1] + a->s, d = 0.5 * (a->s - a->before[0]);
        z->out->limit = a->before[1] - 0.5 * d * d / p;
    }
    a->before[0] = a->before[1];
    a->before[1] = a->s;
    a->points++;
    z->out->load = a->s;
    if (!o->path) return;
    memcpy(z->state->q, z->q, (size_t)sys->nq * sizeof(double));
    memcpy(z->state->lambda, z->lambda, (size_t)sys->nl * sizeof(double));
    memset(z->state->v, 0, (size_t)sys->nv * sizeof(double));
    memset(z->state->a, 0, (size_t)sys->nv * sizeof(double));
    z->w->unload = 1 - a->s; /* applied forces report their share */
    o->path(o->user, a->s, z->state);
}

vgStatus vg_rest_arc(vgRest *z, const vgEquilibriumOptions *o)
{
    Arc a = {0};
    const double pieces = o->load_steps > 0 ? o->load_steps : 20;
    vgStatus st = look_on(z, &a);
    if (st != VG_OK) return st;
    const double longest = fmin(LONGEST, 1 / (a.t_s * pieces));
    a.length = longest;
    tell(z, &a, o);
    while (z->out->load_steps < o->arc_steps) {
        double from = a.s;
        int iterations = 0;
        vg_rest_keep(z);
        st = walk(z, &a, &iterations);
        if (st == VG_OK && a.s >= 1) { /* there: exactly at the load */
            st = vg_rest_newton(z, 1, 0);
            if (st == VG_OK) {
                a.s = 1;
                tell(z, &a, o);
                z->out->load_steps++;
                return VG_OK;
            }
        }
        if (st != VG_OK) {
            vg_rest_back(z);
            a.s = from;
            a.length *= 0.5;
            if (a.length < SHORTEST) return st;
            continue;
        }
        z->out->load_steps++;
        tell(z, &a, o);
        st = look_on(z, &a);
        if (st != VG_OK) return st;
        a.length = fmin(longest, a.length * fmin(2, fmax(0.5, sqrt((double)ARC_GOOD / iterations))));
    }
    return VG_NOT_CONVERGED;
}
