/* An energy–momentum conserving method for rigid bodies. Momentum balance in the axes of the middle of the
 * step (Simo, Wong 1991), constraint forces half at either end, and one scalar s that makes the work of
 * potential and constraint forces exact (the discrete gradient of Gonzalez 1996 for all of them together):
 *     (Exp(Δ/2) p_{n+1} − Exp(−Δ/2) p_n)/h − f(t_m, q_m, v_m) + c − s g = 0,   p = M v,  v_m = Δ/h,
 *     c = ½ (Exp(−Δ/2) B_nᵀλ + Exp(Δ/2) B_{n+1}ᵀλ),   Φ(q_{n+1}, t_{n+1}) = 0,
 *     s Δ·g = −(V_{n+1} − V_n) − Δ·f_V + Δ·c + h λ·Φ_t,
 * f_V the part of f with the potential V. Since Exp(Δ/2) Δ = Δ, the kinetic energy changes by
 *     T_{n+1} − T_n = v_m·(p_{n+1} − p_n) = Δ·(f − c + s g),
 * so that T + V changes by the work of what is not potential and of driven joints alone.
 *
 * g = M v_m where something holds on to the ground; else M (v_m − the rigid motion of the whole), which
 * carries no momentum: linear and angular momentum of free bodies joined by springs, spherical and revolute
 * joints are then conserved too (the half-and-half constraint forces act where the joint is closed).
 *
 * Across the constraints v_{n+1} = 2 Δ/h − v_n answers to positions alone: what it is off, O(h²), changes
 * sign from step to step, and nothing damps it. With steps of one size it stays that small; where they follow
 * the error it is fed by every change of h, and adds up. There the velocities are projected onto the
 * constraints in the mass metric, by joint forces that leave the momenta as they are, and what that takes of
 * the kinetic energy, O(h⁴), is given back along the constraints. */
#include <math.h>
#include <string.h>

#include "integrator/geometric/body_axes.h"
#include "integrator/geometric/midpoint.h"
#include "integrator/stage/stage.h"
#include "integrator/tuning.h"

/* share of the kinetic energy below which the freedoms beside the drives count as not moving */
static const double DRIVEN = 1e-20;

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* c += factor · Exp(sign Δ/2) B(q)ᵀλ, from residuals at zero velocity with and without λ. */
static void add_constraint_forces(vgIntegrator *it, vgMid *w, double t, const double *q, double sign,
                                  const double *zero_v, const double *zero_l, double *x, double *scratch,
                                  double *c)
{
    const vgSystem *sys = it->sys;
    double *y = scratch;
    sys->ops->residual(sys, it->work, t, q, zero_v, zero_v, w->lambda, x, NULL);
    sys->ops->residual(sys, it->work, t, q, zero_v, zero_v, zero_l, y, NULL);
    for (int i = 0; i < sys->nv; i++) y[i] = x[i] - y[i];
    vg_body_turn(sys, q, w->half, sign, y, scratch + sys->nv, x);
    for (int i = 0; i < sys->nv; i++) c[i] += 0.5 * x[i];
}

/* What s multiplies: the direction of the correcting forces. */
static void direction(vgIntegrator *it, const vgMid *w, double t, const double *p_mid, double *g)
{
    const vgSystem *sys = it->sys;
    if (vg_body_grounded(sys)) {
        memcpy(g, p_mid, (size_t)sys->nv * sizeof(double));
        return;
    }
    const vgKin *kin = sys->ops->kinematics(sys, it->work, t, w->q_mid, w->v_mid, w->a);
    vg_body_internal_velocity(sys, kin, w->d);
    vg_body_momentum(sys, w->d, g);
}

/* The midpoint rule's residual becomes that of the momentum balance above. */
static void change(vgIntegrator *it, vgMid *w, const vgState *s, double h, int first)
{
    const vgSystem *sys = it->sys;
    int nv = sys->nv, nl = sys->nl;
    double *p_mid = w->scratch, *p = p_mid + nv, *c = p + nv, *g = c + nv, *tmp = g + nv, *tmp3 = tmp + nv,
           *phi_t = tmp3 + 3 * nv + 1, *zero_l = phi_t + nl, t = s->t + 0.5 * h;
    (void)first;
    vg_body_momentum(sys, w->v_mid, p_mid);
    vg_body_momentum(sys, s->v, p);
    /* − M a − ω × Jω + (Exp(Δ/2) p_{n+1} − Exp(−Δ/2) p_n)/h */
    vg_body_gyroscopic(sys, s->q, w->v_mid, p_mid, tmp3, tmp);
    for (int i = 0; i < nv; i++) w->r[i] -= tmp[i] + 2 * (p_mid[i] - p[i]) / h;
    for (int i = 0; i < nv; i++) c[i] = 2 * p_mid[i] - p[i];
    vg_body_turn(sys, s->q, w->half, 1, c, tmp3, tmp);
    for (int i = 0; i < nv; i++) w->r[i] += tmp[i] / h;
    vg_body_turn(sys, s->q, w->half, -1, p, tmp3, tmp);
    for (int i = 0; i < nv; i++) w->r[i] -= tmp[i] / h;
    /* constraint forces of the ends for those of the middle */
    memset(c, 0, (size_t)nv * sizeof(double));
    double drive = 0;
    if (nl > 0) {
        double *zero_v = g; /* used as such here */
        memset(zero_v, 0, (size_t)nv * sizeof(double));
        memset(zero_l, 0, (size_t)nl * sizeof(double));
        sys->ops->residual(sys, it->work, t, w->q_mid, zero_v, zero_v, w->lambda, tmp, NULL);
        sys->ops->residual(sys, it->work, t, w->q_mid, zero_v, zero_v, zero_l, tmp3, NULL);
        for (int i = 0; i < nv; i++) w->r[i] -= tmp[i] - tmp3[i];
        add_constraint_forces(it, w, s->t, s->q, -1, zero_v, zero_l, tmp, tmp3, c);
        add_constraint_forces(it, w, s->t + h, w->q_end, 1, zero_v, zero_l, tmp, tmp3, c);
        for (int i = 0; i < nv; i++) w->r[i] += c[i];
        sys->ops->levels(sys, it->work, t, w->q_mid, zero_v, NULL, NULL, phi_t, NULL);
        drive = h * dot(w->lambda, phi_t, nl);
    }
    /* the energy's account */
    direction(it, w, t, p_mid, g);
    double work = dot(w->delta, g, nv), all = dot(w->delta, p_mid, nv);
    if (!(work > VG_WORK_SEEN * all) || all == 0) return;
    double gain = sys->ops->extra.potential(sys, it->work, t, w->q_end, NULL) -
                  sys->ops->extra.potential(sys, it->work, t, s->q, NULL);
    sys->ops->extra.potential(sys, it->work, t, w->q_mid, tmp);
    double amount = (-gain - dot(w->delta, tmp, nv) + dot(w->delta, c, nv) + drive) / work;
    for (int i = 0; i < nv; i++) w->r[i] -= amount * g[i];
}

/* Half of v·Mv; p: scratch. */
static double kinetic(const vgSystem *sys, const double *v, double *p)
{
    vg_body_momentum(sys, v, p);
    return 0.5 * dot(v, p, sys->nv);
}

/* v ← P v + σ u with the kinetic energy of v, but for what drives do where they meet the part that P takes,
 * v·M(v − P v), which is theirs and O(h²): given back along u it would cost an order. u is what the
 * constraints leave free of P v, without a rigid motion of the whole where nothing holds on to the ground. At
 * rest there is no u: then v stays. Where the drives say all of the motion there is none either, and P v is
 * the motion: its energy is the drives'. */
static vgStatus settle(vgIntegrator *it, vgMid *w, double t)
{
    const vgSystem *sys = it->sys;
    int nv = sys->nv;
    double *v = w->scratch, *u = v + nv, *p = u + nv;
    memcpy(v, w->v_end, (size_t)nv * sizeof(double));
    memset(u, 0, (size_t)nv * sizeof(double));
    vgStatus st = sys->ops->project_v(sys, it->work, t, w->q_end, v);
    if (st == VG_OK) st = sys->ops->project_v(sys, it->work, t, w->q_end, u); /* driven joints alone */
    if (st != VG_OK) {
        vg_fail_equation(it, st, t, it->work->bad_row, "the projection onto the constraints failed");
        return st;
    }
    for (int i = 0; i < nv; i++) u[i] = v[i] - u[i];
    if (!vg_body_grounded(sys))
        vg_body_internal_velocity(sys, sys->ops->kinematics(sys, it->work, t, w->q_end, u, w->a), u);
    double *off = p + nv;
    for (int i = 0; i < nv; i++) off[i] = w->v_end[i] - v[i];
    double lost = kinetic(sys, off, p);
    vg_body_momentum(sys, v, p);
    double along = dot(u, p, nv), most = kinetic(sys, u, p), root = along * along + 4 * most * lost;
    double sigma = root > 0 && along > 0 ? 2 * lost / (along + sqrt(root)) : INFINITY;
    if (most <= DRIVEN * kinetic(sys, v, p)) sigma = 0;
    if (!(fabs(sigma) < VG_LARGEST_SCALE)) return VG_OK;
    for (int i = 0; i < nv; i++) w->v_end[i] = v[i] + sigma * u[i];
    return VG_OK;
}

static const vgMidRow energy_row = {change, 0, 1e-5, settle};

const vgIntegratorRow vg_energy_momentum_row = {
    .name = "energy-momentum",
    .family = "geometric",
    .title = "Energy–momentum conserving midpoint scheme on the Lie group",
    .citation = "Simo, Wong 1991; Gonzalez 1996, 1999",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_BODY_AXES | VG_INT_ESTIMATE | VG_INT_DOUBLING |
             VG_INT_OWN_NEWTON | VG_INT_SPLITS | VG_INT_WITHIN,
    .constraints = VG_CON_INDEX3 | VG_CON_NONE,
    .rho = {1, 1},
    .data = &energy_row,
    .setup = vg_mid_setup,
    .start = vg_mid_start,
    .step = vg_mid_step,
};
