/* HHT-ADD of [N] (11): HHT-α on the accelerations f = M⁻¹Q that the applied forces alone would give, with the
 * constraints' accelerations added at both ends of the step,
 *     q_{n+1} = q_n ⊕ Δ,  Δ = h v_n + h²/2 ((1 − 2β) a_n + 2β a_{n+1}) + h²/2 ((1 − b) R_I + b R_II)
 *     v_{n+1} = v_n + h ((1 − γ) a_n + γ a_{n+1}) + h/2 (R_I + R_II)
 *     a_{n+1} = (1 + α) f_{n+1} − α f_n,   R = −M⁻¹Bᵀψ,  R_I at t_n, R_II at t_{n+1}, b ≠ ½
 *     Φ(q_{n+1}, t_{n+1}) = 0,   B v_{n+1} + Φ_t = 0
 * with γ = ½ − α, β = (1 − α)²/4. Positions and velocities are both on their constraints; order 2. ([N] prints q̈ for
 * a in the velocities: with it the method would not be HHT where there are no constraints.)
 *
 * R is known by what it does to the constraints, c = B R: with G = B M⁻¹Bᵀ,
 *     R = M⁻¹BᵀG⁻¹ c,   one solution of [M Bᵀ; B 0] (R, ·) = (0, c).
 * G⁻¹ is read off the same matrix, column by column; M⁻¹ is needed apart from the constraints only for f at
 * the start, since a_{n+1} gives f_{n+1} afterwards. The step is Newton's method with the matrix of a stage,
 * whose multipliers y move (1 − b) R_I + b R_II by c = −(2/h²) G y, and the velocity constraints move
 * R_I + R_II; b ≠ ½ tells the two apart. That B and M differ between the ends is left to the iteration.
 *
 * Newton's iteration is not that of stage.c: R_I and R_II need matrices at both ends of the step. hht_add_reactions.c
 * is a variant through the stage, which takes bodies without mass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/own.h"
#include "integrator/pairs.h"
#include "integrator/explicit/rk.h"
#include "integrator/stage/stage.h"
#include "linalg/dense.h"
#include "math/dense.h"
#include "integrator/tuning.h"

enum { P_ALPHA, P_B };

typedef struct Add {
    vgArena arena;
    vgWork *here, *there; /* matrices [M Bᵀ; B 0] at both ends of the step */
    double alpha, beta, gamma, b;
    double *chol; /* nl × nl: G⁻¹ = L Lᵀ at t_n */
    double *an, *dhat, *vhat, *delta, *q, *v, *a, *a_f, *r, *x, *d, *s, *r1, *r2;
    double *c1, *c2, *cp, *cs, *phi, *xl, *zero;
} Add;

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    Add *w = own;
    const vgSystem *sys = it->sys;
    double **of_v[] = {&w->an, &w->dhat, &w->vhat, &w->delta, &w->v,  &w->a, &w->a_f,
                       &w->r,  &w->x,    &w->d,    &w->s,     &w->r1, &w->r2};
    double **of_l[] = {&w->c1, &w->c2, &w->cp, &w->cs, &w->phi, &w->xl};
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) *of_v[i] = VG_TAKE(a, double, sys->nv + 1);
    for (size_t i = 0; i < sizeof of_l / sizeof of_l[0]; i++) *of_l[i] = VG_TAKE(a, double, sys->nl + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->chol = VG_TAKE(a, double, (size_t)sys->nl *(size_t)sys->nl + 1);
    w->zero = VG_TAKE(a, double, sys->nv + sys->nl + 1);
}

static void free_own(void *own)
{
    Add *w = own;
    vg_work_free(w->here);
    vg_work_free(w->there);
    vg_own_free(own);
}

static vgStatus setup(vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    double b = it->param[P_B];
    if (fabs(b - 0.5) < VG_B_HALF) {
        vg_fail(it, VG_BAD_INPUT, 0,
                "integrator 'hht-add': b = %g is too near ½, where the constraints' accelerations at both "
                "ends of the step cannot be told apart",
                b);
        return VG_BAD_INPUT;
    }
    if (sys->nl > VG_FULL_MOST) {
        vg_fail(it, VG_BAD_INPUT, 0,
                "integrator 'hht-add' works with a full matrix of at most %d constraint equations, but the "
                "model has %d; use 'hht-add-reactions' or 'hht-si2'",
                VG_FULL_MOST, sys->nl);
        return VG_BAD_INPUT;
    }
    if (vg_mass_singular(sys->coordinates)) {
        vg_fail(it, VG_BAD_INPUT, 0,
                "integrator 'hht-add' needs a mass matrix that can be inverted, and that of coordinates '%s' "
                "cannot; use 'lie' or 'euler-angles', or 'hht-add-reactions'",
                sys->coordinates);
        return VG_BAD_INPUT;
    }
    it->changes = "makes no matrix that could be held from step to step";
    vgStatus st = vg_own_new(it, sizeof(Add), place);
    if (st != VG_OK) return st;
    Add *w = it->own;
    it->free_own = free_own;
    memset(w->zero, 0, (size_t)(sys->nv + sys->nl) * sizeof(double));
    w->alpha = it->param[P_ALPHA];
    w->beta = 0.25 * (1 - w->alpha) * (1 - w->alpha);
    w->gamma = 0.5 - w->alpha;
    w->b = b;
    st = vg_work_new(sys, &w->here);
    if (st == VG_OK) st = vg_work_new(sys, &w->there);
    it->nhistory = 2 * sys->nv + 1; /* a_n, f_n, the last step (0: none) */
    return st;
}

/* [M Bᵀ; B 0] at a motion: the tangent of an infinitely short step. */
static vgStatus mass_factor(vgIntegrator *it, vgWork *work, double t, const double *q, const double *v)
{
    const Add *w = it->own;
    vgTangent p = {.t = t,
                   .q = q,
                   .v = v,
                   .a = w->zero,
                   .lambda = w->zero,
                   .cv = 1e100,
                   .ca = 1e200,
                   .map = VG_STAGE_PLAIN};
    vgStatus st = it->sys->ops->factor(it->sys, work, &p);
    it->stats.jacobians++;
    if (st != VG_OK)
        vg_fail_equation(it, st, t, work->bad_row,
                         "the mass matrix with the constraints cannot be factorised");
    return st;
}

/* R = M⁻¹BᵀG⁻¹ c; y: −G⁻¹c (scratch of nl) */
static void direction(const vgSystem *sys, vgWork *work, const double *c, double *y, double *out)
{
    memset(out, 0, (size_t)sys->nv * sizeof(double));
    memcpy(y, c, (size_t)sys->nl * sizeof(double));
    sys->ops->solve(sys, work, out, y);
}

/* G⁻¹ by its columns, factorised; redundant rows stay out of it. */
static vgStatus make_inverse(vgIntegrator *it, Add *w, double t)
{
    const vgSystem *sys = it->sys;
    int n = sys->nl;
    for (int j = 0; j < n; j++) {
        memset(w->cp, 0, (size_t)n * sizeof(double));
        w->cp[j] = 1;
        direction(sys, w->here, w->cp, w->xl, w->x);
        for (int i = 0; i < n; i++) w->chol[i * n + j] = -w->xl[i];
        if (!vg_row_counts(it->work, j)) w->chol[j * n + j] = 1;
    }
    vgStatus st = vg_dense_cholesky(w->chol, n);
    if (st != VG_OK)
        vg_fail(it, st, t,
                "at t = %.9g s the mass matrix alone cannot be inverted, which integrator 'hht-add' needs; "
                "'hht-add-reactions' takes bodies without mass",
                t);
    return st;
}

/* f = M⁻¹Q by the solution with the constraints, whose multipliers y are taken out again: + M⁻¹Bᵀy. */
static void free_acceleration(vgIntegrator *it, Add *w, const vgState *s, double *f)
{
    const vgSystem *sys = it->sys;
    sys->ops->residual(sys, w->here, s->t, s->q, s->v, w->zero, w->zero, f, NULL);
    for (int i = 0; i < sys->nv; i++) f[i] = -f[i];
    memset(w->xl, 0, (size_t)sys->nl * sizeof(double));
    sys->ops->solve(sys, w->here, f, w->xl);
    if (sys->nl == 0) return;
    vg_dense_cholesky_solve(w->chol, sys->nl, w->xl);
    memcpy(w->cs, w->xl, (size_t)sys->nl * sizeof(double));
    direction(sys, w->here, w->cs, w->xl, w->x);
    for (int i = 0; i < sys->nv; i++) f[i] += w->x[i];
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    Add *w = it->own;
    int nv = it->sys->nv;
    vg_work_bind(w->here, s);
    vgStatus st = mass_factor(it, w->here, s->t, s->q, s->v);
    if (st == VG_OK && it->sys->nl > 0) st = make_inverse(it, w, s->t);
    if (st != VG_OK) return st;
    free_acceleration(it, w, s, s->history);
    memcpy(s->history + nv, s->history, (size_t)nv * sizeof(double));
    s->history[2 * nv] = 0;
    return VG_OK;
}

/* The motion at t_{n+1} from a, c_I and c_II; R_II with the matrix of the motion before the last change. */
static vgStatus motion(vgIntegrator *it, Add *w, const vgState *s, double h, int refresh)
{
    const vgSystem *sys = it->sys;
    double h2 = h * h;
    if (sys->nl > 0) direction(sys, w->here, w->c1, w->xl, w->r1);
    for (int pass = refresh && sys->nl > 0 ? 0 : 1; pass < 2; pass++) {
        for (int i = 0; i < sys->nv; i++) {
            w->delta[i] =
                w->dhat[i] + h2 * w->beta * w->a[i] + 0.5 * h2 * ((1 - w->b) * w->r1[i] + w->b * w->r2[i]);
            w->v[i] = w->vhat[i] + h * w->gamma * w->a[i] + 0.5 * h * (w->r1[i] + w->r2[i]);
        }
        sys->ops->retract(sys, s->q, w->delta, w->q);
        if (pass == 1) break;
        vgStatus st = mass_factor(it, w->there, s->t + h, w->q, w->v);
        if (st != VG_OK) return st;
        direction(sys, w->there, w->c2, w->xl, w->r2);
    }
    return VG_OK;
}

static vgStatus stage_factor(vgIntegrator *it, Add *w, double t, double cv, double ca)
{
    vgTangent p = {.t = t,
                   .q = w->q,
                   .v = w->v,
                   .a = w->a_f,
                   .lambda = w->zero,
                   .cv = cv,
                   .ca = ca,
                   .map = VG_STAGE_NEWMARK,
                   .delta = w->delta,
                   .delta_dot = w->v,
                   .reuse = 1};
    vgStatus st = it->sys->ops->factor(it->sys, it->work, &p);
    it->stats.jacobians++;
    if (st != VG_OK) vg_fail_equation(it, st, t, it->work->bad_row, "the Newton matrix cannot be factorised");
    return st;
}

static double scaled_max(const vgSystem *sys, const double *x)
{
    double m = 0;
    for (int i = 0; i < sys->nv; i++) {
        double s = fabs(x[i]) / sys->v_scale[i];
        m = vg_larger(m, s);
    }
    return m;
}

/* One increment of a, c_I, c_II at the motion now in w; its size in positions, and in velocities. */
static vgStatus increment(vgIntegrator *it, Add *w, const vgState *s, double h, int fresh, double *dq,
                          double *dv)
{
    const vgSystem *sys = it->sys;
    const double *f_n = s->history + sys->nv;
    double t = s->t + h, h2 = h * h, ca = 1 / (h2 * w->beta * (1 + w->alpha)), cv = w->gamma / (h * w->beta);
    for (int i = 0; i < sys->nv; i++) w->a_f[i] = (w->a[i] + w->alpha * f_n[i]) / (1 + w->alpha);
    sys->ops->residual(sys, it->work, t, w->q, w->v, w->a_f, w->zero, w->r, w->phi);
    it->stats.residuals++;
    vgStatus st = fresh ? stage_factor(it, w, t, cv, ca) : VG_OK;
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) w->x[i] = -w->r[i] / ca;
    for (int i = 0; i < sys->nl; i++) w->xl[i] = -w->phi[i];
    sys->ops->solve(sys, it->work, w->x, w->xl);
    it->stats.newton_iterations++;
    *dq = scaled_max(sys, w->x);
    *dv = 0;
    sys->ops->rates(sys, w->delta, w->q, w->x, w->d);
    memset(w->s, 0, (size_t)sys->nv * sizeof(double));
    if (sys->nl > 0) { /* h²/2 times the change of (1 − b) R_I + b R_II belongs to the constraints */
        vg_dense_cholesky_solve(w->chol, sys->nl, w->xl);
        for (int i = 0; i < sys->nl; i++) w->cp[i] = -2 / h2 * w->xl[i];
        direction(sys, w->there, w->cp, w->xl, w->s);
    }
    for (int i = 0; i < sys->nv; i++) {
        double da = (w->d[i] - 0.5 * h2 * w->s[i]) / (h2 * w->beta);
        w->a[i] += da;
        w->v[i] += h * w->gamma * da;
        w->delta[i] += w->d[i];
    }
    if (sys->nl == 0) return VG_OK;
    sys->ops->retract(sys, s->q, w->delta, w->q);
    sys->ops->levels(sys, it->work, t, w->q, w->v, NULL, NULL, w->cs, NULL);
    for (int i = 0; i < sys->nl; i++) w->cs[i] *= -2 / h;
    direction(sys, w->there, w->cs, w->xl, w->s);
    *dv = 0.5 * h * scaled_max(sys, w->s);
    for (int i = 0; i < sys->nl; i++) {
        double d1 = (w->cp[i] - w->b * w->cs[i]) / (1 - 2 * w->b);
        w->c1[i] += d1;
        w->c2[i] += w->cs[i] - d1;
    }
    return VG_OK;
}

static vgStatus iterate(vgIntegrator *it, Add *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    int limit = it->newton_fixed > 0 ? it->newton_fixed : 6 * it->newton_max, fresh = 1;
    double before = 0, dv_before = 0;
    for (int k = 0; k < limit; k++) {
        double dq, dv;
        vgStatus st = motion(it, w, s, h, 1);
        if (st == VG_OK) st = increment(it, w, s, h, fresh, &dq, &dv);
        if (st == VG_OK) st = vg_check_finite(it, s->t + h, &dq, 1);
        if (st == VG_OK) st = vg_check_finite(it, s->t + h, &dv, 1);
        if (st != VG_OK) return st;
        double norm = fmax(dq, h * dv), theta = before > 0 ? norm / before : 1,
               goal = fmin(it->newton_tol, it->newton_acc * w->beta * h * h * scaled_max(sys, w->a));
        double rounding = VG_ROUNDING * fmax(1, fmax(scaled_max(sys, w->delta), scaled_max(sys, w->dhat)));
        goal = fmax(goal, rounding);
        /* The velocity constraints. Velocities change by γ/(βh) times what positions do: what rounding leaves of positions is
         * that much in velocities, where stiff forces move both, and does not get less. */
        int still = dv <= VG_VELOCITY_FIXED * fmax(1, scaled_max(sys, w->v)) ||
                    (dv <= w->gamma / (w->beta * h) * rounding && dv > 0.5 * dv_before);
        if (it->newton_fixed > 0 ? k + 1 == limit : k > 0 && still && norm <= goal)
            return motion(it, w, s, h, 0);
        if (k > 3 && theta > 2) break;
        fresh = it->newton_mode == VG_NEWTON_FULL || (k > 1 && theta > 0.5);
        before = norm, dv_before = dv;
    }
    it->stats.newton_failures++;
    vg_fail_equation(it, VG_NOT_CONVERGED, s->t + h, -1, "Newton's iteration did not converge");
    return VG_NOT_CONVERGED;
}

/* a_n stands for t_n + αh with the last h: carried to the new one by a_n − f_n = αh ḟ. */
static void begin(const vgSystem *sys, Add *w, const vgState *s, double h)
{
    const double *a_n = s->history, *f_n = a_n + sys->nv;
    double last = s->history[2 * sys->nv], ratio = last > 0 ? h / last : 1;
    for (int i = 0; i < sys->nv; i++) {
        w->an[i] = f_n[i] + ratio * (a_n[i] - f_n[i]);
        w->dhat[i] = h * s->v[i] + h * h * (0.5 - w->beta) * w->an[i];
        w->vhat[i] = s->v[i] + h * (1 - w->gamma) * w->an[i];
        w->a[i] = w->an[i];
        w->r1[i] = w->r2[i] = 0;
    }
    if (sys->nl == 0) return;
    for (int i = 0; i < sys->nl; i++) w->c1[i] = -s->lambda[i];
    vg_dense_cholesky_solve(w->chol, sys->nl, w->c1);
    memcpy(w->c2, w->c1, (size_t)sys->nl * sizeof(double));
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    (void)x; /* no error estimate */
    Add *w = it->own;
    const vgSystem *sys = it->sys;
    size_t nv = (size_t)sys->nv;
    vg_work_bind(w->here, s);
    vg_work_bind(w->there, s);
    vgStatus st = VG_OK;
    if (sys->nl > 0) {
        st = mass_factor(it, w->here, s->t, s->q, s->v);
        if (st == VG_OK) st = make_inverse(it, w, s->t);
    }
    if (st != VG_OK) return st;
    begin(sys, w, s, h);
    st = iterate(it, w, s, h);
    if (st != VG_OK) return st;
    st = vg_accel_at(it, s->t + h, w->q, w->v, w->d, w->xl);
    if (st != VG_OK) return st;
    double *a_n = s->history, *f_n = a_n + nv;
    for (size_t i = 0; i < nv; i++) f_n[i] = (w->a[i] + w->alpha * f_n[i]) / (1 + w->alpha);
    memcpy(a_n, w->a, nv * sizeof(double));
    s->history[2 * nv] = h;
    vg_accept(sys, s->t + h, w->q, w->v, w->d, w->xl, s);
    return VG_OK;
}

static const vgParamSpec params[] = {
    {"alpha", -0.3, -1.0 / 3, 0, "numerical damping: 0 none (trapezoidal), −0.3 strong"},
    {"b", 0, -1, 2, "weight of the constraints' accelerations at the end of the step, not ½"},
};

const vgIntegratorRow vg_hht_add = {
    .name = "hht-add",
    .family = "stabilised index 2",
    .title = "HHT-ADD: HHT-α on M⁻¹Q, with the constraints' accelerations added at both ends of the step",
    .citation = "[N] (11); Jay, Negrut 2007",
    .order = 2,
    .stages = 1,
    .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE | VG_INT_DOUBLING | VG_INT_HOLONOMIC |
             VG_INT_INVERTS | VG_INT_SPLITS,
    .constraints = VG_CON_INDEX2 | VG_CON_NONE,
    .rho = {0.5, 1},
    .params = params,
    .nparam = sizeof params / sizeof params[0],
    .setup = setup,
    .start = start,
    .step = step,
};
