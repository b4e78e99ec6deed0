/* The midpoint rule on the group, [G] (7.35): with Δ the increment of the step, v_m = Δ/h,
 *     q_m = q_n ⊕ Δ/2,   v_{n+1} = 2 v_m − v_n,   a = (v_{n+1} − v_n)/h,
 *     M(q_m) a − f(t_m, q_m, v_m) + B(q_m)ᵀ λ = 0,   Φ(q_n ⊕ Δ, t_{n+1}) = 0.
 * (Along a geodesic T(Δ/2) Δ = Δ, so Δ/h is the velocity in the middle.) Newton's method with the matrix of
 * the middle; that the constraints are taken at the end changes it by O(h). Settings at the level of
 * accelerations have their rows in the middle, Φ̈(q_m, v_m, a) = 0 and the like, and are projected at the end.
 *
 * Newton's iteration is not that of stage.c: equilibrium and constraints are taken at two different positions,
 * q_m and q_{n+1}, which a stage does not know. */
#include "integrator/own.h"
#include "integrator/geometric/midpoint.h"

#include <math.h>
#include <string.h>

#include "integrator/explicit/rk.h"
#include "integrator/stage/stage.h"
#include "math/dense.h"
#include "integrator/tuning.h"

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    vgMid *w = own;
    const vgSystem *sys = it->sys;
    int nv = sys->nv + 1, nq = sys->nq + 1, nl = sys->nl + 1;
    w->delta = VG_TAKE(a, double, nv);
    w->half = VG_TAKE(a, double, nv);
    w->q_mid = VG_TAKE(a, double, nq);
    w->q_end = VG_TAKE(a, double, nq);
    w->v_mid = VG_TAKE(a, double, nv);
    w->v_end = VG_TAKE(a, double, nv);
    w->a = VG_TAKE(a, double, nv);
    w->lambda = VG_TAKE(a, double, nl);
    w->r = VG_TAKE(a, double, nv);
    w->phi = VG_TAKE(a, double, nl);
    w->phi_mid = VG_TAKE(a, double, nl);
    w->x = VG_TAKE(a, double, nv);
    w->xl = VG_TAKE(a, double, nl);
    w->d = VG_TAKE(a, double, nv);
    w->scratch = VG_TAKE(a, double, 8 * nv + 2 * nl);
}

vgStatus vg_mid_setup(vgIntegrator *it)
{
    vgStatus st = vg_own_new(it, sizeof(vgMid), place);
    if (st != VG_OK) return st;
    it->nhistory = 0;
    it->nnode = 1;
    it->node[0] = 0.5;
    return VG_OK;
}

vgStatus vg_mid_start(vgIntegrator *it, vgState *s)
{
    (void)it;
    (void)s;
    return VG_OK;
}

/* Motion from w->half. */
static void motion(const vgSystem *sys, vgMid *w, const vgState *s, double h)
{
    for (int i = 0; i < sys->nv; i++) {
        w->delta[i] = 2 * w->half[i];
        w->v_mid[i] = w->delta[i] / h;
        w->v_end[i] = 2 * w->v_mid[i] - s->v[i];
        w->a[i] = (w->v_end[i] - s->v[i]) / h;
    }
    sys->ops->retract(sys, s->q, w->half, w->q_mid);
    sys->ops->retract(sys, s->q, w->delta, w->q_end);
}

/* The matrix at the midpoint. Near a singular position that at the end of the step, where the constraints hold: at
 * the midpoint their gradient may have another sign. */
static vgStatus factor(vgIntegrator *it, vgMid *w, double t, double h)
{
    int end = w->at_position;
    vgTangent p = {.t = end ? t + 0.5 * h : t,
                   .q = end ? w->q_end : w->q_mid,
                   .v = end ? w->v_end : w->v_mid,
                   .a = w->a,
                   .lambda = w->lambda,
                   .cv = 2 / h,
                   .ca = 4 / (h * h),
                   .map = VG_STAGE_NEWMARK,
                   .delta = w->half,
                   .delta_dot = w->v_mid,
                   .on_positions = w->at_position,
                   .reuse = !end};
    vgStatus st = it->sys->ops->factor(it->sys, it->work, &p);
    it->stats.jacobians++;
    if (st != VG_OK) vg_fail_equation(it, st, t, it->work->bad_row, "the Newton matrix cannot be factorised");
    return st;
}

static int at_acceleration(const vgSystem *sys, const vgMid *w)
{
    return sys->nl > 0 && vg_at_acceleration(sys) && !w->at_position;
}

/* r, and the constraint violations: phi at the end and phi_mid, or phi_mid alone. */
static void evaluate(vgIntegrator *it, vgMid *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    double t = s->t + 0.5 * h;
    int on_acc = at_acceleration(sys, w);
    if (on_acc)
        vg_system_rows(sys, it->work, t, w->q_mid, w->v_mid, w->a, w->lambda, w->phi, w->xl, w->phi_mid);
    else if (sys->nl > 0)
        sys->ops->levels(sys, it->work, s->t + h, w->q_end, w->v_end, NULL, w->phi, NULL, NULL);
    sys->ops->residual(sys, it->work, t, w->q_mid, w->v_mid, w->a, w->lambda, w->r,
                       on_acc ? NULL : w->phi_mid);
    it->stats.residuals++;
}

/* One increment of half; its size in units of the coordinates. */
static double increment(vgIntegrator *it, vgMid *w, double h)
{
    const vgSystem *sys = it->sys;
    double ca = 4 / (h * h), norm = 0;
    int on_acc = at_acceleration(sys, w);
    for (int i = 0; i < sys->nv; i++) w->x[i] = -w->r[i] / ca;
    for (int i = 0; i < sys->nl; i++) {
        int level = on_acc ? 2 : sys->row_level[i];
        w->xl[i] = level == 0   ? -0.5 * w->phi[i] /* half the increment moves the end by two */
                   : level == 1 ? -w->phi_mid[i] * h / 2
                                : -w->phi_mid[i] / ca;
    }
    sys->ops->solve(sys, it->work, w->x, w->xl);
    for (int i = 0; i < sys->nl; i++) w->lambda[i] += ca * w->xl[i];
    if (sys->vector_space)
        memcpy(w->d, w->x, (size_t)sys->nv * sizeof(double));
    else
        sys->ops->rates(sys, w->half, w->q_mid, w->x, w->d);
    for (int i = 0; i < sys->nv; i++) {
        double x = fabs(w->x[i]) / sys->v_scale[i];
        norm = vg_larger(norm, x);
        w->half[i] += w->d[i];
    }
    it->stats.newton_iterations++;
    return norm;
}

static vgStatus solve(vgIntegrator *it, vgMid *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    const vgMidRow *row = it->row->data;
    double before = 0, t_mid = s->t + 0.5 * h, goal = it->newton_tol * row->tolerance, size = 1;
    int limit = it->newton_fixed > 0 ? it->newton_fixed : 4 * it->newton_max, stale = 1;
    for (int k = 0; k < limit; k++) {
        motion(sys, w, s, h);
        evaluate(it, w, s, h);
        vgStatus st = stale ? factor(it, w, t_mid, h) : VG_OK;
        if (st != VG_OK) return st;
        stale = it->newton_mode == VG_NEWTON_FULL;
        if (row->change) row->change(it, w, s, h, k == 0);
        double norm = increment(it, w, h);
        st = vg_check_finite(it, s->t + h, &norm, 1);
        if (st != VG_OK) return st;
        for (int i = 0; i < sys->nv; i++) size = fmax(size, fabs(w->half[i]) / sys->v_scale[i]);
        double theta = before > 0 ? norm / before : 1, least = VG_ROUNDING * size;
        int done = it->newton_fixed > 0 ? k + 1 == limit
                   : k == 0
                       ? norm <= least
                       : norm <= fmax(goal, least) || norm * theta <= VG_NEXT_BELOW * fmax(goal, least) ||
                             (theta > 0.5 && norm < VG_NEAR_GOAL * fmax(goal, least)); /* round-off */
        if (done) {
            motion(sys, w, s, h);
            return VG_OK;
        }
        if (k > 1 && theta > 0.5) stale = 1;
        if (k > 3 && theta > 2) break;
        before = norm;
    }
    it->stats.newton_failures++;
    vg_fail_equation(it, VG_NOT_CONVERGED, s->t + h, -1, "Newton's iteration did not converge");
    return VG_NOT_CONVERGED;
}

/* From a first guess by the state's own acceleration. */
static vgStatus solve_from_start(vgIntegrator *it, vgMid *w, const vgState *s, double h, int at_position)
{
    const vgSystem *sys = it->sys;
    for (int i = 0; i < sys->nv; i++) w->half[i] = 0.5 * h * (s->v[i] + 0.5 * h * s->a[i]);
    memcpy(w->lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    w->at_position = at_position;
    return solve(it, w, s, h);
}

vgStatus vg_mid_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    (void)x; /* no error estimate */
    const vgMidRow *row = it->row->data;
    const vgSystem *sys = it->sys;
    vgMid *w = it->own;
    vgStatus st = solve_from_start(it, w, s, h, 0);
    int on_positions = sys->nl > 0 && vg_at_position(sys);
    if ((st == VG_NOT_CONVERGED || st == VG_NOT_FINITE) &&
        (on_positions || vg_system_may_take_positions(sys, s->lambda))) {
        it->stats.singular++;
        st = solve_from_start(it, w, s, h, 1); /* docs/theory.md, eq. 73a */
    }
    if (st != VG_OK) return st;
    if (sys->ops->dependent.follow || (vg_at_acceleration(sys) && !w->at_position))
        st = vg_settle(it, s->t + h, w->q_end, w->v_end);
    else if (row->project && sys->nl > 0)
        st = sys->ops->project_v(sys, it->work, s->t + h, w->q_end, w->v_end);
    else if (row->settle && sys->nl > 0 && it->adaptive)
        st = row->settle(it, w, s->t + h);
    if (st != VG_OK) return st;
    st = vg_accel_at(it, s->t + h, w->q_end, w->v_end, w->a, w->lambda);
    if (st != VG_OK) return st;
    vg_accept(sys, s->t + h, w->q_end, w->v_end, w->a, w->lambda, s);
    return VG_OK;
}

static const vgMidRow midpoint_row = {NULL, 1, 1, NULL};

const vgIntegratorRow vg_midpoint = {
    .name = "midpoint",
    .family = "structural",
    .title =
        "Midpoint rule, constraints at the end of the step (index 1 and the like: in the middle), projected",
    .citation = "[G] (7.35); Simo, Wong 1991",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_DOUBLING | VG_INT_OWN_NEWTON |
             VG_INT_WITHIN,
    .constraints = VG_CON_ACCEL | VG_CON_INDEX3 | VG_CON_AUGMENTED3,
    .rough = VG_CON_INDEX3 | VG_CON_AUGMENTED3,
    .rho = {1, 1},
    .data = &midpoint_row,
    .setup = vg_mid_setup,
    .start = vg_mid_start,
    .step = vg_mid_step,
};
