/* A step with an error estimate: step doubling for methods without an estimate, and the multipliers' part of the error.
 * docs/theory.md, section 8.
 *
 * Step doubling (Hairer, Nørsett, Wanner I, II.4): one step of h and two of h/2 from the same state; of a
 * method of order p the second is better by
 *     e = (y_2 − y_1) / (2^p − 1)
 * and is the one kept. The estimate costs half as much again as the two steps.
 *
 * Multipliers: those of most implicit methods with constraints on positions or velocities are of low order,
 * and jump with the step, so that smaller steps would not help. Multipliers under a tolerance are
 * therefore solved from the positions and velocities at the end, M a + Bᵀλ = f, B a = −γ. Their error follows from the error
 * e of the step, λ(q ⊕ e_q, v + e_v) − λ(q, v). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/multistep/lms.h"
#include "integrator/explicit/rk.h"
#include "integrator/step_size.h"
#include "base/expect.h"

struct vgControl {
    vgState *before, *other; /* before the step; the result of the single step */
    double *e_q, *e_v, *v1, *v2;
    vgWork *work; /* for the multipliers; the method's own matrix stays */
    double norm;  /* of the error that was last looked at, which stands in v1 (e_q) and v2 (e_v) */
    double *q, *lambda;
};

void vg_control_note(vgControl *c, int nv, const double *e_q, const double *e_v, double norm)
{
    c->norm = norm;
    memmove(c->v1, e_q, (size_t)nv * sizeof(double));
    memmove(c->v2, e_v, (size_t)nv * sizeof(double));
}

void vg_control_free(vgControl *c)
{
    if (!c) return;
    vg_state_free(c->before);
    vg_state_free(c->other);
    vg_work_free(c->work);
    free(c->e_q);
    free(c);
}

vgStatus vg_control_new(vgIntegrator *it)
{
    if (!it->adaptive || !(it->error_lambda || (it->row->flags & VG_INT_DOUBLING))) return VG_OK;
    size_t n = (size_t)it->sys->nv + 1;
    if (it->row->flags & VG_INT_DOUBLING) vg_newton_for_control(it);
    vgControl *c = it->controlled = calloc(1, sizeof *c);
    if (!c) return VG_NO_MEMORY;
    c->e_q = calloc(4 * n + (size_t)(it->sys->nq + it->sys->nl), sizeof(double));
    if (!c->e_q) return VG_NO_MEMORY;
    c->e_v = c->e_q + n;
    c->v1 = c->e_v + n;
    c->v2 = c->v1 + n;
    c->q = c->v2 + n;
    c->lambda = c->q + it->sys->nq;
    vgStatus st = vg_state_new(it->sys, it->nhistory, &c->before);
    if (st == VG_OK) st = vg_state_new(it->sys, it->nhistory, &c->other);
    return st == VG_OK && it->error_lambda ? vg_work_new(it->sys, &c->work) : st;
}

/* The order that the whole state has: at index 3 and 2 the stage order limits it. */
static int effective_order(const vgIntegrator *it)
{
    int p = vg_integrator_order(it);
    if (it->sys->nl == 0) return p;
    int most = it->sys->is.order;
    if (most > 0) return p < most ? p : most;
    return p;
}

/* At index 3 the velocities' part across the constraints follows from the positions and is not carried on:
 * only what lies along them counts. v2: those of the two steps, v1: those of the one. */
static vgStatus along_constraints(vgIntegrator *it, vgControl *c, const vgState *s)
{
    const vgSystem *sys = it->sys;
    size_t n = (size_t)sys->nv * sizeof(double);
    memcpy(c->v2, s->v, n);
    memcpy(c->v1, c->other->v, n);
    if (sys->nl == 0 || !vg_at_position(sys)) return VG_OK;
    vgStatus st = sys->ops->project_v(sys, it->work, s->t, s->q, c->v2);
    return st == VG_OK ? sys->ops->project_v(sys, it->work, s->t, s->q, c->v1) : st;
}

static vgStatus doubled(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    vgControl *c = it->controlled;
    const vgSystem *sys = it->sys;
    double t = s->t;
    vg_state_copy(sys, c->before, s);
    vg_state_copy(sys, c->other, s);
    vgStatus st = it->row->step(it, c->other, h, x);
    if (st == VG_OK) st = it->row->step(it, s, 0.5 * h, x);
    if (st == VG_OK) {
        vg_work_accept(sys, it->work, s);
        st = it->row->step(it, s, t + h - s->t, x);
    }
    if (st == VG_OK) st = along_constraints(it, c, s);
    if (st != VG_OK) {
        vg_state_copy(sys, s, c->before);
        return st;
    }
    int p = effective_order(it);
    double share = 1 / (pow(2, p) - 1);
    sys->ops->local(sys, s->q, c->other->q, c->e_q);
    for (int i = 0; i < sys->nv; i++) {
        c->e_q[i] *= share;
        c->e_v[i] = share * (c->v2[i] - c->v1[i]);
    }
    it->error_power = p + 1;
    /* what does not count is not left in the result either: where every motion is driven nothing else would
     * keep the velocities to the tolerance. Who moves momenta (RATTLE, energy–momentum) sees to it itself. */
    if (!(it->row->flags & VG_INT_BODY_AXES)) memcpy(s->v, c->v2, (size_t)sys->nv * sizeof(double));
    double err = vg_step_error(x, vg_error_norm(it, s->q, c->before, s->v, c->e_q, c->e_v));
    if (!(err <= 1)) vg_state_copy(sys, s, c->before);
    return vg_check_finite(it, t + h, &err, 1);
}

/* The multipliers of a state; e_v takes the accelerations. */
static vgStatus multipliers(vgIntegrator *it, double t, const double *q, const double *v, double *lambda)
{
    vgControl *c = it->controlled;
    vgStatus st = it->sys->ops->accel(it->sys, c->work, t, q, v, c->e_v, lambda);
    it->stats.accels++;
    if (st != VG_OK) vg_fail_equation(it, st, t, c->work->bad_row, "the multipliers cannot be solved for");
    return st;
}

/* Error of the state's multipliers, which become those of its positions and velocities, against the largest;
 * err: the norm of the state's own error, to which the one noted is brought. */
static vgStatus multiplier_error(vgIntegrator *it, vgState *s, double err, double *out)
{
    vgControl *c = it->controlled;
    const vgSystem *sys = it->sys;
    vg_work_bind(c->work, s);
    vgStatus st = multipliers(it, s->t, s->q, s->v, s->lambda);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) c->v2[i] += s->v[i];
    sys->ops->retract(sys, s->q, c->v1, c->q);
    st = multipliers(it, s->t, c->q, c->v2, c->lambda);
    if (st != VG_OK) return st;
    double size = 0, worst = 0;
    for (int i = 0; i < sys->nl; i++) {
        size = fmax(size, fmax(fabs(c->before->lambda[i]), fabs(s->lambda[i])));
        worst = fmax(worst, fabs(c->lambda[i] - s->lambda[i]));
    }
    *out = c->norm > 0 ? worst * err / c->norm / (it->rtol * size + it->atol) : 0;
    return VG_OK;
}

vgStatus vg_integrator_start(vgIntegrator *it, vgState *s)
{
    VG_EXPECT(it && s && isfinite(s->t));
    VG_EXPECT(s->nhistory == it->nhistory);
    VG_EXPECT(vg_all_finite(s->q, it->sys->nq) && vg_all_finite(s->v, it->sys->nv));
    vgStatus st = it->row->start(it, s);
    if (st == VG_OK && it->sys->ops->dependent.settle) it->sys->ops->dependent.settle(it->sys, it->work, s);
    return st;
}

vgStatus vg_integrator_recast(vgIntegrator *it, vgState *s)
{
    const vgSystem *sys = it->sys;
    if (!sys->recasts || !sys->ops->extra.recast(sys, it->work, s)) return VG_OK;
    it->matrix.have = 0;
    it->stats.recasts++;
    vgStatus st = sys->ops->accel(sys, it->work, s->t, s->q, s->v, s->a, s->lambda);
    return st == VG_OK ? vg_integrator_start(it, s) : st;
}

/* The multipliers' error counts where it is the larger one. */
static vgStatus with_multipliers(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    double e;
    vgStatus st = multiplier_error(it, s, x->err, &e);
    if (st == VG_OK && e > x->err) {
        x->err = e;
        if (x->next > 0) x->next = fmin(x->next, h * vg_step_rejected(it, e));
    }
    if (st != VG_OK || vg_step_refuses(x)) vg_state_copy(it->sys, s, it->controlled->before);
    return st;
}

static vgStatus controlled(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    const double t = s->t;
    vgStatus st;
    if (it->row->flags & VG_INT_DOUBLING) {
        st = doubled(it, s, h, x);
    } else {
        vg_state_copy(it->sys, it->controlled->before, s);
        st = it->row->step(it, s, h, x);
    }
    if (st != VG_OK || s->t == t || !it->error_lambda || it->sys->nl == 0) return st;
    return with_multipliers(it, s, h, x);
}

vgStatus vg_integrator_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    VG_EXPECT(it && s && x && isfinite(h) && h > 0);
    VG_EXPECT(s->nhistory == it->nhistory);
    const long singular = it->stats.singular;
    if (VG_RARE(it->watch != NULL) && it->watch->step) it->watch->step(it->watch->user);
    vgStatus st = it->controlled && it->adaptive ? controlled(it, s, h, x) : it->row->step(it, s, h, x);
    x->singular = it->stats.singular != singular;
    return st;
}
