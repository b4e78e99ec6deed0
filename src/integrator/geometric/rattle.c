/* RATTLE on the Lie group: the variational method of the discrete Lagrangian h T(ξ) − h (V_n + V_{n+1})/2 with
 * q_{n+1} = q_n ⊕ hξ (Andersen 1983; Hairer, Lubich, Wanner VII.1.4; Lee, Leok, McClamroch 2007). In body axes,
 * with p = M v and Δ = hξ:
 *
 *     T⁻¹(Δ) M ξ  = p_n + h/2 (f_n − B_nᵀ λ),                    Φ(q_{n+1}, t_{n+1}) = 0
 *     p_{n+1}     = T⁻¹(−Δ) M ξ + h/2 (f_{n+1} − B_{n+1}ᵀ μ),   B_{n+1} v_{n+1} + Φ_t = 0
 *
 * Symplectic and symmetric, of order 2; momenta that symmetries conserve are conserved. Forces that depend on
 * velocities are evaluated with the velocities at their own end of the step.
 *
 * One matrix [M Bᵀ; B 0] a step: at q_{n+1} it gives v_{n+1}, then a and λ there, and is reused in the iteration
 * for Δ of the next step, where it is exact up to O(h).
 *
 * Newton's iteration is not that of stage.c: forces are those at the beginning of the step, and the unknowns are
 * Δ and λ of T⁻¹(Δ) M ξ, not of M a. */
#include <math.h>
#include <string.h>

#include "integrator/own.h"
#include "integrator/geometric/body_axes.h"
#include "integrator/explicit/rk.h"
#include "integrator/stage/stage.h"
#include "math/dense.h"
#include "integrator/tuning.h"

typedef struct Rattle {
    vgArena arena;
    double *delta, *q, *v, *v_old, *a, *lambda, *p_n, *f, *bl, *m_xi, *x, *xl, *phi, *zero_v, *zero_l, *tmp;
    int damped; /* some force depends on velocities */
    /* the matrix in the work is that of q_made, t_made while the work's count is still this one; −1 none */
    long factorisations;
    double *q_made, t_made;
} Rattle;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Rattle *w = own;
    const vgSystem *sys = it->sys;
    int nv = sys->nv + 1, nl = sys->nl + 1;
    w->delta = VG_TAKE(a, double, nv);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->q_made = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, nv);
    w->v_old = VG_TAKE(a, double, nv);
    w->a = VG_TAKE(a, double, nv);
    w->lambda = VG_TAKE(a, double, nl);
    w->p_n = VG_TAKE(a, double, nv);
    w->f = VG_TAKE(a, double, nv);
    w->bl = VG_TAKE(a, double, nv);
    w->m_xi = VG_TAKE(a, double, nv);
    w->x = VG_TAKE(a, double, nv);
    w->xl = VG_TAKE(a, double, nl);
    w->phi = VG_TAKE(a, double, nl);
    w->zero_v = VG_TAKE(a, double, nv);
    w->zero_l = VG_TAKE(a, double, nl);
    w->tmp = VG_TAKE(a, double, 4 * nv);
}

static vgStatus setup(vgIntegrator *it)
{
    const vgModel *m = it->sys->model;
    vgStatus st = vg_own_new(it, sizeof(Rattle), place);
    if (st != VG_OK) return st;
    Rattle *w = it->own;
    w->factorisations = -1;
    for (int f = 0; f < m->nforce; f++) w->damped |= m->force[f].setup.velocity;
    it->nhistory = 0;
    return VG_OK;
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Rattle *w = it->own;
    (void)s;
    w->factorisations = -1;
    return VG_OK;
}

/* [M Bᵀ; B 0] at q. */
static vgStatus factor(vgIntegrator *it, Rattle *w, double t, const double *q)
{
    vgTangent p = {.t = t,
                   .q = q,
                   .v = w->zero_v,
                   .a = w->zero_v,
                   .lambda = w->zero_l,
                   .cv = 0,
                   .ca = 1e200, /* neither K nor C */
                   .map = VG_STAGE_PLAIN};
    vgStatus st = it->sys->ops->factor(it->sys, it->work, &p);
    it->stats.jacobians++;
    w->factorisations = st == VG_OK ? it->work->factorisations : -1;
    memcpy(w->q_made, q, (size_t)it->sys->nq * sizeof(double));
    w->t_made = t;
    if (st != VG_OK)
        vg_fail_equation(it, st, t, it->work->bad_row, "the matrix of masses and constraints is singular");
    return st;
}

/* f: applied forces at q, v, without the gyroscopic part. */
static void forces(vgIntegrator *it, Rattle *w, double t, const double *q, const double *v, double *f)
{
    const vgSystem *sys = it->sys;
    double *p = w->tmp, *scratch = w->tmp + sys->nv;
    sys->ops->residual(sys, it->work, t, q, v, w->zero_v, w->zero_l, f, NULL);
    it->stats.residuals++;
    for (int i = 0; i < sys->nv; i++) f[i] = -f[i];
    if (sys->vector_space) return;
    vg_body_momentum(sys, v, p);
    vg_body_gyroscopic(sys, q, v, p, scratch, w->x);
    for (int i = 0; i < sys->nv; i++) f[i] += w->x[i];
}

/* Δ and λ of the first half: the iteration (M Bᵀ; B 0)(δ, h²/2 δλ) = −(h F, Φ). */
static vgStatus positions(vgIntegrator *it, Rattle *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    int nv = sys->nv, nl = sys->nl;
    double before = 0;
    vg_body_momentum(sys, s->v, w->p_n);
    forces(it, w, s->t, s->q, s->v, w->f);
    for (int i = 0; i < nv; i++) w->delta[i] = h * (s->v[i] + 0.5 * h * s->a[i]);
    memcpy(w->lambda, s->lambda, (size_t)nl * sizeof(double));
    for (int k = 0; k < 5 * it->newton_max; k++) {
        double norm = 0, size = 0;
        sys->ops->retract(sys, s->q, w->delta, w->q);
        memset(w->bl, 0, (size_t)nv * sizeof(double));
        if (nl > 0) {
            sys->ops->residual(sys, it->work, s->t, s->q, w->zero_v, w->zero_v, w->lambda, w->bl, NULL);
            sys->ops->residual(sys, it->work, s->t, s->q, w->zero_v, w->zero_v, w->zero_l, w->x, NULL);
            for (int i = 0; i < nv; i++) w->bl[i] -= w->x[i];
            sys->ops->levels(sys, it->work, s->t + h, w->q, w->zero_v, NULL, w->phi, NULL, NULL);
        }
        vg_body_momentum(sys, w->delta, w->m_xi);
        for (int i = 0; i < nv; i++) w->m_xi[i] /= h;
        sys->ops->rates(sys, w->delta, w->q, w->m_xi, w->x);
        for (int i = 0; i < nv; i++) w->x[i] = -h * (w->x[i] - w->p_n[i] - 0.5 * h * (w->f[i] - w->bl[i]));
        for (int i = 0; i < nl; i++) w->xl[i] = -w->phi[i];
        sys->ops->solve(sys, it->work, w->x, w->xl);
        for (int i = 0; i < nv; i++) {
            w->delta[i] += w->x[i];
            double x = fabs(w->x[i]) / sys->v_scale[i];
            norm = vg_larger(norm, x);
            size = fmax(size, fabs(w->delta[i]) / sys->v_scale[i]);
        }
        for (int i = 0; i < nl; i++) w->lambda[i] += w->xl[i] * 2 / (h * h);
        it->stats.newton_iterations++;
        vgStatus st = vg_check_finite(it, s->t + h, &norm, 1);
        if (st != VG_OK) return st;
        double least = VG_ROUNDING * fmax(1, size);
        if (norm <= least ||
            (k > 0 && norm < VG_NEAR_GOAL * least && norm > VG_STALLED * before)) { /* round-off */
            sys->ops->retract(sys, s->q, w->delta, w->q);
            return VG_OK;
        }
        if (k > 4 && norm > 2 * before) break;
        before = norm;
    }
    it->stats.newton_failures++;
    vg_fail_equation(it, VG_NOT_CONVERGED, s->t + h, -1, "the iteration for the positions did not converge");
    return VG_NOT_CONVERGED;
}

/* v_{n+1} from the second half, B v + Φ_t = 0; with damping by iteration. */
static vgStatus velocities(vgIntegrator *it, Rattle *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    int nv = sys->nv, nl = sys->nl;
    vg_body_momentum(sys, w->delta, w->m_xi);
    for (int i = 0; i < nv; i++) {
        w->m_xi[i] /= h;
        w->v[i] = s->v[i] + h * s->a[i];
        w->x[i] = -w->delta[i];
    }
    sys->ops->rates(sys, w->x, w->q, w->m_xi, w->bl); /* p before the second half */
    if (nl > 0) sys->ops->levels(sys, it->work, s->t + h, w->q, w->zero_v, NULL, NULL, w->phi, NULL);
    for (int k = 0; k < 5 * it->newton_max; k++) {
        forces(it, w, s->t + h, w->q, w->v, w->f);
        memcpy(w->v_old, w->v, (size_t)nv * sizeof(double));
        for (int i = 0; i < nv; i++) w->v[i] = w->bl[i] + 0.5 * h * w->f[i];
        for (int i = 0; i < nl; i++) w->xl[i] = -w->phi[i];
        sys->ops->solve(sys, it->work, w->v, w->xl);
        if (!w->damped) return VG_OK;
        double change = 0, size = 0;
        for (int i = 0; i < nv; i++) {
            change = fmax(change, fabs(w->v[i] - w->v_old[i]) / sys->v_scale[i]);
            size = fmax(size, fabs(w->v[i]) / sys->v_scale[i]);
        }
        if (change <= VG_VELOCITY_STILL * fmax(1, size)) return VG_OK;
    }
    it->stats.newton_failures++;
    vg_fail_equation(it, VG_NOT_CONVERGED, s->t + h, -1,
                     "the iteration for damped velocities did not converge");
    return VG_NOT_CONVERGED;
}

/* a, λ of the new state with the same matrix: M a + Bᵀλ = f − ω × Jω, B a = −γ. */
static void accelerations(vgIntegrator *it, Rattle *w, double t)
{
    const vgSystem *sys = it->sys;
    sys->ops->residual(sys, it->work, t, w->q, w->v, w->zero_v, w->zero_l, w->a, NULL);
    it->stats.residuals++;
    if (sys->nl > 0) sys->ops->levels(sys, it->work, t, w->q, w->v, w->zero_v, NULL, NULL, w->xl);
    for (int i = 0; i < sys->nv; i++) w->a[i] = -w->a[i];
    for (int i = 0; i < sys->nl; i++) w->xl[i] = -w->xl[i];
    sys->ops->solve(sys, it->work, w->a, w->xl);
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    (void)x; /* no error estimate */
    const vgSystem *sys = it->sys;
    Rattle *w = it->own;
    vgStatus st = VG_OK;
    if (w->factorisations != it->work->factorisations || fabs(w->t_made - s->t) > VG_SAME_TIME * fabs(h) ||
        memcmp(w->q_made, s->q, (size_t)sys->nq * sizeof(double)) != 0)
        st = factor(it, w, s->t, s->q);
    if (st == VG_OK) st = positions(it, w, s, h);
    if (st == VG_OK) st = factor(it, w, s->t + h, w->q);
    if (st == VG_OK) st = velocities(it, w, s, h);
    if (st == VG_OK) accelerations(it, w, s->t + h);
    if (st == VG_OK) st = vg_check_finite(it, s->t + h, w->a, sys->nv);
    if (st != VG_OK) return st;
    vg_accept(sys, s->t + h, w->q, w->v, w->a, w->xl, s);
    return VG_OK;
}

const vgIntegratorRow vg_rattle = {
    .name = "rattle",
    .family = "geometric",
    .title = "RATTLE on the Lie group: symplectic, symmetric, constraints on positions and velocities",
    .citation = "Andersen 1983; Hairer, Lubich, Wanner 2006, VII.1; Lee, Leok, McClamroch 2007",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_EXPLICIT | VG_INT_BODY_AXES | VG_INT_SPLITS | VG_INT_ESTIMATE | VG_INT_DOUBLING,
    .constraints = VG_CON_INDEX3 | VG_CON_NONE,
    .setup = setup,
    .start = start,
    .step = step,
};
