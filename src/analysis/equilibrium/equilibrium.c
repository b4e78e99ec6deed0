#include "analysis/equilibrium/rest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/diagnose.h"
#include "analysis/modes/modes.h"
#include "math/dense.h"
#include "analysis/tuning.h"

enum { RELAX_MAX = 3000 };

/* Mass that holds directions in which nothing pushes (a car along its road) without being felt in the others,
 * whose squared frequencies are far above it. */
static const double NEUTRAL = VG_MODES_NEUTRAL;
static const double SMALLEST_LOAD_STEP = 1e-4;
static const double LONGEST = 0.5; /* a correction beyond this, in lengths or radians, is cut */

static vgStatus make(vgRest *z)
{
    size_t nq = (size_t)z->sys->nq, nv = (size_t)z->sys->nv, nl = (size_t)z->sys->nl;
    double *at = z->buffer = calloc(3 * nq + 4 * nv + 3 * nl + 4 * (nv + nl) + 1, sizeof *at);
    if (!at) return VG_NO_MEMORY;
    z->q = at, at += nq;
    z->q_try = at, at += nq;
    z->q_save = at, at += nq;
    z->lambda = at, at += nl;
    z->lambda_try = at, at += nl;
    z->lambda_save = at, at += nl;
    z->r0 = at, at += nv;
    z->zero = at, at += nv;
    z->delta = at, at += nv;
    z->v0 = at, at += nv;
    z->x = at, at += nv + nl;
    z->y = at, at += nv + nl;
    z->tangent = at, at += nv + nl;
    z->load_rate = at;
    return VG_OK;
}

static void copy(double *to, const double *from, int n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

/* F = (r_s − (1 − s) r₀, Φ) into f (nv + nl); the tangent is that of s from here on. */
void vg_rest_imbalance(vgRest *z, const double *q, const double *lambda, double s, double *f)
{
    const vgSystem *sys = z->sys;
    z->w->unload = 1 - s;
    sys->ops->residual(sys, z->w, z->t, q, z->zero, z->zero, lambda, f, f + sys->nv);
    for (int i = 0; i < sys->nv; i++) f[i] -= (1 - s) * z->r0[i];
    for (int i = 0; i < sys->nl; i++)
        if (sys->row_level[i] > 0) f[sys->nv + i] = 0;
}

double vg_rest_size(const vgRest *z, const double *delta)
{
    double big = 0;
    for (int i = 0; i < z->sys->nv; i++) {
        double x = fabs(delta[i]) / z->sys->v_scale[i];
        big = vg_larger(big, x);
    }
    return big;
}

/* Tangent at (q, λ): K + mu M bordered by B. */
vgStatus vg_rest_factor(vgRest *z, double mu)
{
    vgTangent p = {.t = z->t,
                   .q = z->q,
                   .v = z->zero,
                   .a = z->zero,
                   .lambda = z->lambda,
                   .ca = mu,
                   .map = VG_STAGE_PLAIN,
                   .exact = 1};
    return z->sys->ops->factor(z->sys, z->w, &p);
}

/* x := −S⁻¹ F in place, multipliers unscaled. */
void vg_rest_correct(vgRest *z, double mu, double *x)
{
    const vgSystem *sys = z->sys;
    for (int i = 0; i < sys->nv + sys->nl; i++) x[i] = -x[i];
    if (mu > 0)
        for (int i = 0; i < sys->nv; i++) x[i] /= mu;
    sys->ops->solve(sys, z->w, x, x + sys->nv);
    if (mu > 0)
        for (int i = sys->nv; i < sys->nv + sys->nl; i++) x[i] *= mu;
}

void vg_rest_trial(vgRest *z, double step)
{
    const vgSystem *sys = z->sys;
    for (int i = 0; i < sys->nv; i++) z->delta[i] = step * z->x[i];
    sys->ops->retract(sys, z->q, z->delta, z->q_try);
    for (int i = 0; i < sys->nl; i++) z->lambda_try[i] = z->lambda[i] + step * z->x[sys->nv + i];
}

void vg_rest_take(vgRest *z)
{
    copy(z->q, z->q_try, z->sys->nq);
    copy(z->lambda, z->lambda_try, z->sys->nl);
}

/* Shortens the step until the simplified correction at its end is shorter than the one at its start
 * (Deuflhard's natural monotonicity test: it does not depend on how the equations are scaled). */
static int shorten(vgRest *z, double s, double length, double step)
{
    for (;; step *= 0.5) {
        vg_rest_trial(z, step);
        vg_rest_imbalance(z, z->q_try, z->lambda_try, s, z->y);
        vg_rest_correct(z, z->mu, z->y);
        if (vg_rest_size(z, z->y) <= (1 - step / 4) * length) return 1;
        if (step < VG_REST_SHORTEST) return 0;
    }
}

/* Newton at load s, whole steps or with a line search. Slender elements bend much more easily than they
 * stretch: whole steps stretch them for an iteration and come back, which no line search would allow. */
vgStatus vg_rest_newton(vgRest *z, double s, int careful)
{
    double best = INFINITY;
    for (int k = 0; k < z->max_iter; k++) {
        vg_rest_imbalance(z, z->q, z->lambda, s, z->x);
        vgStatus st = vg_rest_factor(z, z->mu);
        if (st != VG_OK) return st;
        vg_rest_correct(z, z->mu, z->x);
        z->out->iterations++;
        double length = vg_rest_size(z, z->x), step = length > LONGEST ? LONGEST / length : 1;
        if (!isfinite(length) || length > VG_REST_DIVERGED) return VG_NOT_CONVERGED;
        z->out->correction = length;
        if (length <= z->tol || (length <= VG_REST_ROUNDING && length > VG_REST_STALLED * best)) {
            vg_rest_trial(z, 1);
            vg_rest_take(z);
            return VG_OK;
        }
        if (length < best) best = length;
        if (!careful)
            vg_rest_trial(z, step);
        else if (!shorten(z, s, length, step))
            return VG_NOT_CONVERGED;
        vg_rest_take(z);
    }
    return VG_NOT_CONVERGED;
}

void vg_rest_back(vgRest *z)
{
    copy(z->q, z->q_save, z->sys->nq);
    copy(z->lambda, z->lambda_save, z->sys->nl);
}

void vg_rest_keep(vgRest *z)
{
    copy(z->q_save, z->q, z->sys->nq);
    copy(z->lambda_save, z->lambda, z->sys->nl);
}

static vgStatus raise_load(vgRest *z, int at_least)
{
    double s = 0, ds = 1.0 / at_least;
    vgStatus st = VG_OK;
    while (s < 1) {
        double to = s + ds >= 1 - 1e-12 ? 1 : s + ds;
        vg_rest_keep(z);
        st = vg_rest_newton(z, to, 0);
        if (st == VG_NOT_CONVERGED) {
            vg_rest_back(z);
            st = vg_rest_newton(z, to, 1);
        }
        if (st == VG_OK) {
            s = z->out->load = to;
            z->out->load_steps++;
            ds = fmin(VG_REST_LOAD_GROW * ds, 1.0 / at_least);
            continue;
        }
        vg_rest_back(z);
        ds *= 0.25;
        if (st == VG_NO_MEMORY || ds < SMALLEST_LOAD_STEP) return st;
    }
    return VG_OK;
}

/* x := the correction with K + mu M; *length is its size, infinite if it is not a descent direction. r·δ < 0 means
 * positive curvature along δ, so that the iteration converges to a stable equilibrium and not back to an unstable
 * one. */
static void downhill(vgRest *z, double mu, double *length)
{
    const vgSystem *sys = z->sys;
    double slope = 0;
    *length = INFINITY;
    if (vg_rest_factor(z, mu) != VG_OK) return;
    vg_rest_imbalance(z, z->q, z->lambda, 1, z->x);
    copy(z->y, z->x, sys->nv);
    vg_rest_correct(z, mu, z->x);
    /* with λ⁺ the constraint forces do no work along δ: r(λ⁺)·δ = r·δ while B δ = 0 */
    for (int i = 0; i < sys->nv; i++) slope += z->y[i] * z->x[i];
    double size = vg_rest_size(z, z->x);
    if (slope <= 0 || size < VG_RELAX_DIRECTION) *length = size;
}

/* Newton takes over, with a trace of mass or none, where it does not lead away. */
static int arrive(vgRest *z, double mu)
{
    double length;
    downhill(z, mu, &length);
    if (!(length < VG_RELAX_NEWTON)) return 0;
    vg_rest_keep(z);
    z->mu = mu;
    int there = vg_rest_newton(z, 1, 1) == VG_OK;
    z->mu = 0;
    if (!there) vg_rest_back(z);
    return there;
}

/* Implicit Euler on M q̇ = −r under Φ = 0: (μ M + K) δ + Bᵀλ⁺ = −(r − Bᵀλ), μ one over the step. */
static vgStatus relax(vgRest *z)
{
    double mu = 1, length;
    z->w->unload = 0;
    for (int k = 0; k < RELAX_MAX; k++) {
        downhill(z, mu, &length);
        z->out->relaxations++;
        if (!(length <= VG_RELAX_LONGEST)) {
            if (mu > VG_RELAX_STIFFEST) return VG_NOT_CONVERGED;
            mu *= 4;
            continue;
        }
        vg_rest_trial(z, 1);
        vg_rest_take(z);
        if (length < VG_RELAX_SHORT) mu *= VG_RELAX_EASE;
        if (length < VG_RELAX_ARRIVES && (arrive(z, 0) || arrive(z, NEUTRAL))) return VG_OK;
    }
    return VG_NOT_CONVERGED;
}

static void begin_at(vgRest *z, const vgState *start)
{
    copy(z->q, start->q, z->sys->nq);
    copy(z->lambda, start->lambda, z->sys->nl);
}

/* The relaxation can stop at a saddle point, for example a straight column above its critical load. Then the model
 * is perturbed. */
static vgStatus leave_saddles(vgRest *z)
{
    enum { MOST = 5 };
    const double push = 1e-2;
    const vgSystem *sys = z->sys;
    vgStatus st = VG_OK;
    for (int k = 0; k < MOST && st == VG_OK; k++) {
        vgState at = *z->state;
        at.q = z->q, at.lambda = z->lambda, at.v = at.a = z->zero;
        if (vg_modes_unstable(sys, z->w, &at, z->x) <= 0) break;
        vg_rest_trial(z, push);
        copy(z->q, z->q_try, sys->nq);
        st = relax(z);
    }
    return st;
}

static vgStatus search(vgRest *z, const vgState *start, const vgEquilibriumOptions *o)
{
    const vgSystem *sys = z->sys;
    vgStatus st = VG_NOT_CONVERGED;
    int steps = o->load_steps > 0 ? o->load_steps : 1;
    begin_at(z, start);
    z->w->unload = 1;
    sys->ops->residual(sys, z->w, z->t, z->q, z->zero, z->zero, z->lambda, z->r0, NULL);
    if (o->arc_steps > 0) return vg_rest_arc(z, o);
    z->settled = vg_rest_sticks(sys->model);
    if (z->settled) return vg_rest_settle(z, start);
    if (o->whole) return vg_rest_newton(z, 1, 0);
    if (!o->relax) st = raise_load(z, steps);
    if (st == VG_OK || st == VG_NO_MEMORY) return st;
    int bad = st == VG_SINGULAR ? z->w->bad_row : -1;
    if (bad >= 0 && bad < sys->nv) z->out->body = sys->v_body[bad];
    vgStatus slow = VG_NOT_CONVERGED;
    if (!o->relax) {
        begin_at(z, start);
        z->mu = NEUTRAL;
        slow = raise_load(z, steps);
        z->mu = 0;
    }
    if (slow != VG_OK) {
        begin_at(z, start);
        slow = relax(z);
        if (slow == VG_OK && o->relax) slow = leave_saddles(z);
    }
    if (slow == VG_OK) z->out->load = 1, z->out->body = -1;
    return slow == VG_OK ? VG_OK : st;
}

/* Integrals of elements, found as coordinates, become rates again. */
static void set_integrals(const vgRest *z, vgState *state)
{
    const vgSystem *sys = z->sys;
    const vgKin *kin = NULL;
    for (int i = 0; i < sys->nv; i++) {
        if (!vg_model_is_integral(sys->model, sys->v_body[i])) continue;
        if (!kin) kin = sys->ops->kinematics(sys, z->w, state->t, state->q, z->zero, NULL);
        double p[3];
        int k = 0; /* the how manieth of its body */
        while (i - k > 0 && sys->v_body[i - k - 1] == sys->v_body[i]) k++;
        vg_store3(kin[sys->v_body[i]].p, p);
        state->v[i] = p[k];
    }
}

static void explain(const vgRest *z, vgStatus st, vgDiag *diag)
{
    const vgModel *m = z->sys->model;
    vgEquilibrium *out = z->out;
    char cause[400];
    if (vg_diagnose_number(z->sys, z->w, z->state, cause, sizeof cause)) {
        out->failed = "a law is not a number";
        vg_diag_error(diag, VG_NOWHERE, "no equilibrium was found: %s", cause);
        return;
    }
    out->failed = st == VG_SINGULAR ? "the tangent is singular" : "the iteration does not converge";
    if (st == VG_SINGULAR && out->body >= 0)
        vg_diag_error(diag, m->body[out->body].loc,
                      "no equilibrium was found: the tangent is singular at body '%s', which seems free to "
                      "move; hold it by a joint or a spring",
                      m->body[out->body].name);
    else if (z->settled && out->body >= 0)
        vg_diag_error(diag, m->body[out->body].loc,
                      "no static equilibrium was found: body '%s' keeps moving, friction cannot hold it "
                      "where it arrives",
                      m->body[out->body].name);
    else if (st == VG_SINGULAR)
        vg_diag_error(diag, VG_NOWHERE,
                      "no equilibrium was found: the tangent is singular, something is free to move");
    else
        vg_diag_error(diag, VG_NOWHERE,
                      "no equilibrium was found: the iteration got to %.3g of the load; start closer to it, "
                      "or take more load steps",
                      out->load);
}

vgStatus vg_equilibrium(const vgSystem *sys, vgWork *work, vgState *state,
                        const vgEquilibriumOptions *options, vgDiag *diag, vgEquilibrium *out)
{
    vgRest z = {.sys = sys, .w = work, .t = state->t, .state = state, .out = out};
    z.tol = options->tolerance > 0 ? options->tolerance : VG_REST_TOLERANCE;
    z.max_iter = options->max_iter > 0 ? options->max_iter : 25;
    *out = (vgEquilibrium){.body = -1, .limit = NAN};
    vgStatus st = make(&z);
    vg_work_bind(work, state);
    work->rest = work->refined = 1; /* along neutral directions nothing brings back what a solve adds */
    if (st == VG_OK) st = search(&z, state, options);
    work->unload = 0;
    if (st == VG_OK) {
        copy(state->q, z.q, sys->nq);
        copy(state->lambda, z.lambda, sys->nl);
        copy(state->v, z.v0, sys->nv);
        copy(state->a, z.zero, sys->nv);
        if (z.settled)
            vg_rest_settled(&z, z.x);
        else
            vg_rest_imbalance(&z, state->q, state->lambda, 1, z.x);
        for (int i = 0; i < sys->nv; i++) out->residual = fmax(out->residual, fabs(z.x[i]));
        for (int i = sys->nv; i < sys->nv + sys->nl; i++) out->phi = fmax(out->phi, fabs(z.x[i]));
        if (!z.settled) set_integrals(&z, state);
        vg_work_accept(sys, work, state);
    } else if (st != VG_NO_MEMORY && z.buffer && !options->whole) {
        explain(&z, st, diag);
    }
    work->rest = work->refined = 0;
    free(z.buffer);
    return st;
}
