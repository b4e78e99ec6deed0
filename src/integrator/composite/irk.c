/* Implicit Runge–Kutta methods with coupled stages, in local coordinates about q_n:
 *     Δ_i = h Σ_j a_ij Δ̇_j,   v_i = T(Δ_i) Δ̇_i,   v_i = v_n + h Σ_j a_ij v̇_j,   r(t_i, q_i, v_i, v̇_i, λ_i) =
 * 0 with Φ = 0 at every stage (index 3), Φ = 0 and B v + Φ_t = 0 (index 2), or B v̇ + γ = 0 (index 1).
 *
 * The coupled equations are solved stage by stage: with Crout's A = L U (U unit upper) the coupling A⁻¹ is
 * replaced by L⁻¹ in the Newton matrix, which makes it block lower triangular, each diagonal block being the
 * matrix of a single stage with c_v = 1/(h l_ii) (van der Houwen, de Swart 1997: triangularly implicit
 * iteration). The residuals keep the true A⁻¹, so the fixed point is the method's. Each stage has a
 * factorisation of its own. The last stage is the result.
 *
 * Newton's iteration is not that of stage.c: an iteration is a sweep over all stages, each with its matrix, and
 * converges only when all have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/composite/irk.h"
#include "integrator/multistep/lms.h"
#include "integrator/passes.h"
#include "integrator/explicit/rk.h"
#include "integrator/rows.h"
#include "integrator/tuning.h"

static const double CLOSED = 1e-14; /* constraints are met */

typedef struct Method {
    void (*build)(vgIrkTableau *tb);
} Method;

/* ---- memory ---- */

/* Where the stages find their part of old and now. */
static void share_out(vgIrk *w)
{
    for (int i = 0; i < w->tb.s && w->now; i++) {
        vgIrkStage *st = &w->stage[i];
        int at = 2 * i * w->row;
        st->delta = w->now + at;
        st->v = st->delta + w->row;
        st->delta_old = w->old + at;
        st->v_old = st->delta_old + w->row;
    }
}

static void place(vgIrk *w, const vgSystem *sys, vgArena *a)
{
    w->row = vg_whole(sys->nv);
    w->now = VG_TAKE(a, double, 2 * VG_IRK_MAX * w->row);
    w->old = VG_TAKE(a, double, 2 * VG_IRK_MAX * w->row);
    share_out(w);
    for (int i = 0; i < w->tb.s; i++) {
        vgIrkStage *st = &w->stage[i];
        double **of_v[] = {&st->rate, &st->a, &st->w};
        for (size_t k = 0; k < sizeof of_v / sizeof of_v[0]; k++) *of_v[k] = VG_TAKE(a, double, sys->nv + 1);
        st->q = VG_TAKE(a, double, sys->nq + 1);
        st->lambda = VG_TAKE(a, double, sys->nl + 1);
    }
    double **scratch[] = {&w->r, &w->x, &w->d, &w->v, &w->e_q, &w->e_v, &w->unit};
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++)
        *scratch[k] = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->phi = VG_TAKE(a, double, sys->nl + 1);
    w->phi_dot = VG_TAKE(a, double, sys->nl + 1);
    w->xl = VG_TAKE(a, double, sys->nl + 1);
    w->levels = VG_TAKE(a, double, 2 * sys->nl + 1);
}

static void free_own(void *own)
{
    vgIrk *w = own;
    for (int i = 0; i < w->tb.s - 1; i++) vg_work_free(w->stage[i].work);
    vg_arena_free(&w->arena);
    free(w);
}

static vgStatus setup(vgIntegrator *it)
{
    const Method *m = it->row->data;
    vgIrk *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    it->own = w;
    it->free_own = free_own;
    m->build(&w->tb);
    vg_irk_invert(w->tb.s, w->tb.a[0], VG_IRK_MAX, w->inv[0], w->tri[0], VG_IRK_MAX);
    w->gamma0 = 1 / w->tri[w->tb.s - 1][w->tb.s - 1];
    vg_irk_embed(&w->tb, w->gamma0, w->e);
    vg_newton_for_control(it);
    it->error_power = w->tb.s + 1;
    vgArena measure = {0};
    place(w, it->sys, &measure);
    vgStatus st = vg_arena_alloc(&w->arena, measure.used);
    if (st != VG_OK) return st;
    place(w, it->sys, &w->arena);
    for (int i = 0; i < w->tb.s - 1 && st == VG_OK; i++) st = vg_work_new(it->sys, &w->stage[i].work);
    w->stage[w->tb.s - 1].work = it->work; /* its motion is the one remembered after a step */
    it->nhistory = w->tb.s * it->sys->nv + 1;
    for (int i = 0; i < it->sys->nv; i++) w->unit[i] = 1 / it->sys->v_scale[i];
    for (int i = 0; i < it->sys->nl; i++) w->mixed |= it->sys->row_level[i] != 0;
    w->plain = it->sys->one_pass;
    w->index2 = it->sys->is.rows == VG_AT_BOTH && it->sys->nl > 0;
    return st;
}

/* The velocities of the last step, for the first guess: at its beginning and at the stages within it. */
typedef struct Past {
    double *v, *h; /* h: the step, 0: none known */
} Past;

static Past past_of(const vgIntegrator *it, const vgState *s)
{
    const vgIrk *w = it->own;
    return (Past){s->history, s->history + w->tb.s * it->sys->nv};
}

static vgStatus start(vgIntegrator *it, vgState *s)
{
    *past_of(it, s).h = 0;
    return VG_OK;
}

/* ---- the step ---- */

/* v of all stages by the polynomial through the velocities of the last step, now and at its stages, and
 * Δ = h A v; without a last step v and Δ by the acceleration. */
static void first_guess(const vgIntegrator *it, vgIrk *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    Past p = past_of(it, s);
    int n = w->tb.s, nv = sys->nv, points = 0;
    const double *row[VG_IRK_MAX + 1], *v[VG_IRK_MAX];
    double tau[VG_IRK_MAX + 1], c[VG_IRK_MAX + 1], per[VG_IRK_MAX + 1];
    row[points] = s->v;
    tau[points++] = 0;
    for (int j = -1; j < n - 1 && *p.h > 0; j++) {
        double at = j < 0 ? 0 : w->tb.c[j];
        if (j >= 0 && at == 0) continue;
        row[points] = p.v + (size_t)(j + 1) * (size_t)nv;
        tau[points++] = (at - 1) * *p.h / h;
    }
    for (int j = 0; j < points; j++) {
        double product = 1;
        for (int k = 0; k < points; k++)
            if (k != j) product *= tau[j] - tau[k];
        per[j] = 1 / product;
    }
    for (int i = 0; i < n; i++) {
        vgIrkStage *st = &w->stage[i];
        double x = w->tb.c[i];
        v[i] = st->v_old;
        for (int j = 0; j < points; j++) {
            c[j] = per[j];
            for (int k = 0; k < points; k++)
                if (k != j) c[j] *= x - tau[k];
        }
        if (points > 1)
            vg_rows_sum(nv, 0, NULL, points, c, row, st->v_old);
        else
            vg_rows_sum(nv, 1, s->v, 1, (double[]){x * h}, (const double *[]){s->a}, st->v_old);
        if (w->index2) memset(st->w, 0, (size_t)nv * sizeof(double));
        vg_pass_copy(sys->nl, s->lambda, st->lambda);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) c[j] = h * w->tb.a[i][j];
        vg_rows_sum(nv, 0, NULL, n, c, v, w->stage[i].delta_old);
    }
}

/* Before the state moves on. */
static void remember(const vgIntegrator *it, const vgIrk *w, const vgState *s, double h)
{
    Past p = past_of(it, s);
    size_t nv = (size_t)it->sys->nv;
    memcpy(p.v, s->v, nv * sizeof(double));
    for (int j = 0; j < w->tb.s - 1; j++)
        memcpy(p.v + (size_t)(j + 1) * nv, w->stage[j].v, nv * sizeof(double));
    *p.h = h;
}

/* 1: the error after the last sweep is below the bound. Without a given tolerance the bound is FINER times that of methods of
 * second order, because such a method is chosen for its high order. Only Δ is judged: the error of the multipliers, which
 * belong to its second derivative, is larger. */
static int is_enough(const vgIntegrator *it, const vgIrk *w, double norm, double theta, double h)
{
    const double FINER = it->adaptive ? 1 : 1e-3, ROUND_OFF = 4e-16, TINY = 1e-9;
    const vgIrkStage *last = &w->stage[w->tb.s - 1];
    int n = it->sys->nv;
    double cv = w->tri[w->tb.s - 1][w->tb.s - 1] / h, rest = norm;
    if (theta < VG_CONTRACTS && it->adaptive && !it->error_lambda)
        rest = fmin(norm, norm * theta / (1 - theta));
    if (rest <= it->newton_tol &&
        rest <= FINER * it->newton_acc * vg_rows_largest(n, last->a, w->unit) / (cv * cv))
        return 1;
    return rest <= TINY && rest <= ROUND_OFF * fmax(1, vg_rows_largest(n, last->delta, w->unit));
}

/* Coordinates that are a vector space: computes the positions of the last stage, or of all stages, which a sweep leaves out. */
static void finish(const vgSystem *sys, vgIrk *w, const vgState *s)
{
    for (int i = sys->ops->dependent.follow ? 0 : w->tb.s - 1; i < w->tb.s && w->plain; i++)
        vg_irk_place_at(sys, s, &w->stage[i]);
}

/* 1: the increments of the sweeps no longer shrink and are at rounding level; near a singular position the rounding of the
 * constraints is amplified many times. */
static __attribute__((noinline)) int at_round_off(vgIntegrator *it, const vgIrk *w, double norm)
{
    const vgSystem *sys = it->sys;
    int on_rows = sys->nphi > 0 && (w->at_position || !vg_at_acceleration(sys));
    double rounding = on_rows && w->open <= CLOSED ? 1e-9 : VG_SWEEP_ROUNDING;
    if (!(norm <= rounding * fmax(1, vg_rows_largest(sys->nv, w->stage[w->tb.s - 1].delta, w->unit))))
        return 0;
    it->stats.singular += norm > VG_SWEEP_ROUNDING;
    return 1;
}

VG_COLD static vgStatus failed(vgIntegrator *it, double t, vgStatus status)
{
    it->stats.newton_failures++;
    vg_fail_equation(it, status, t, -1,
                     status == VG_NOT_FINITE ? "Newton's iteration gave numbers that are not finite"
                                             : "the iteration of the coupled stages did not converge");
    return status;
}

static vgStatus iterate(vgIntegrator *it, vgIrk *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    int limit = it->newton_fixed > 0 ? it->newton_fixed : 8 * it->newton_max, fresh = 1;
    double before = 0, first = 0;
    first_guess(it, w, s, h);
    vg_irk_sums(w, 1 / h);
    w->by_level = w->mixed || (vg_at_acceleration(sys) && sys->nl > 0 && !w->at_position);
    for (int k = 0; k < limit; k++) {
        double norm = w->open = 0;
        for (int i = 0; i < w->tb.s; i++) {
            vgStatus status = vg_irk_sweep(it, w, s, i, h, fresh, &norm);
            if (VG_RARE(status != VG_OK)) return status;
        }
        it->stats.newton_iterations += w->tb.s;
        if (VG_RARE(!isfinite(norm))) return failed(it, s->t + h, VG_NOT_FINITE);
        double theta = k > 0 && before > 0 ? norm / before : 1;
        int done = norm == 0 || (k > 0 && is_enough(it, w, norm, theta, h));
        if (VG_RARE(k > 8) && theta > VG_SWEEPS_STALL && at_round_off(it, w, norm)) done = 1;
        if (VG_RARE(it->newton_fixed > 0) ? k + 1 == limit : done) {
            finish(sys, w, s);
            return VG_OK;
        }
        if (k == 0) first = norm;
        if (VG_RARE(norm > 100 * first)) break; /* sweeps may grow a little before they contract */
        fresh = it->newton_mode == VG_NEWTON_FULL || k % 8 == 7;
        before = norm;
        double *now = w->now; /* the next sweep starts from here */
        w->now = w->old;
        w->old = now;
        share_out(w);
    }
    return failed(it, s->t + h, VG_NOT_CONVERGED);
}

/* The last stage into w->q, w->v; projected where the constraints are on accelerations. */
static vgStatus result(vgIntegrator *it, vgIrk *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    const vgIrkStage *last = &w->stage[w->tb.s - 1];
    double t = s->t + h;
    memcpy(w->q, last->q, (size_t)sys->nq * sizeof(double));
    memcpy(w->v, last->v, (size_t)sys->nv * sizeof(double));
    if (sys->ops->dependent.follow) return sys->ops->dependent.follow(sys, it->work, t, w->q, w->v, NULL);
    if (sys->nl == 0 || !vg_at_acceleration(sys)) return VG_OK;
    return vg_settle(it, t, w->q, w->v);
}

/* augmented3: velocities, accelerations and multipliers of the result onto the constraints, with the matrix
 * of the last stage (stage/clean.c). */
static void clean(vgIntegrator *it, vgIrk *w, double t, double h)
{
    const vgIrkStage *last = &w->stage[w->tb.s - 1];
    const double cv = w->tri[w->tb.s - 1][w->tb.s - 1] / h;
    vgStage st = {.q = w->q,
                  .v = w->v,
                  .a = last->a,
                  .lambda = last->lambda,
                  .xl = w->xl,
                  .d = w->x,
                  .unit = w->unit,
                  .levels = w->levels};
    if (it->sys->nl == 0 || it->sys->is.settle != VG_SETTLE_TANGENT) return;
    it->matrix.cv = cv, it->matrix.ca = cv * cv, it->matrix.moved = 1;
    vg_stage_clean(it, &st, t);
}

/* Independent coordinates: dependent velocities are computed from the independent ones. The method's formulas give the
 * dependent positions with a lower order, but these are not part of the result. */
static vgStatus follow_stages(vgIntegrator *it, vgIrk *w, const vgState *s, double h)
{
    vgStatus st = VG_OK;
    for (int i = 0; i < w->tb.s && st == VG_OK; i++) {
        vgIrkStage *x = &w->stage[i];
        st = it->sys->ops->dependent.follow(it->sys, x->work, s->t + w->tb.c[i] * h, x->q, x->v, NULL);
    }
    return st;
}

/* e = h (γ₀ f_n + Σ e_j k_j) with k = A⁻¹ z/h. At index 3 the velocities' part across the constraints follows
 * from the positions: the matrix of the last stage takes it out (lms.h, vg_filtered_error). */
static double estimate(vgIntegrator *it, vgIrk *w, const vgState *s, double h)
{
    const vgSystem *sys = it->sys;
    const vgIrkStage *last = &w->stage[w->tb.s - 1];
    const double *d[VG_IRK_MAX], *v[VG_IRK_MAX + 1];
    double c[VG_IRK_MAX + 1], all = 0, g = h * w->gamma0, most[2] = {0};
    int n = w->tb.s, position = sys->nl > 0 && vg_at_position(sys);
    for (int j = 0; j < n; j++) {
        c[j] = 0;
        for (int i = 0; i < n; i++) c[j] += w->e[i] * w->inv[i][j];
        all -= c[j];
        d[j] = w->stage[j].delta;
        v[j] = w->stage[j].v;
    }
    vg_rows_sum(sys->nv, g, s->v, n, c, d, w->e_q);
    c[n] = g;
    v[n] = s->a;
    vg_rows_sum(sys->nv, all, s->v, n + 1, c, v, w->e_v);
    if (position) vg_rows_largest_two(sys->nv, w->e_v, last->a, most);
    if (most[0] > 0) {
        double scale =
            1e4 * (1 + most[1]) / most[0]; /* M e_v = (r(a + s e_v) − r(a))/s, r(a) small beside it */
        vg_rows_sum(sys->nv, 1, last->a, 1, &scale, (const double *const *)&w->e_v, w->x);
        sys->ops->residual(sys, last->work, s->t + h, last->q, last->v, w->x, last->lambda, w->e_v, w->phi);
        it->stats.residuals++;
        vg_pass_scale(sys->nv, 1 / scale, w->e_v, w->e_v);
        memset(w->xl, 0, (size_t)sys->nl * sizeof(double));
        sys->ops->solve(sys, last->work, w->e_v, w->xl);
    }
    return vg_error_norm(it, last->q, s, last->v, w->e_q, w->e_v);
}

/* Rows that do not count are finite. */
VG_COLD static vgStatus forget(vgIrk *w, vgStatus status)
{
    size_t rows = 2 * VG_IRK_MAX * (size_t)w->row * sizeof(double);
    memset(w->now, 0, rows);
    memset(w->old, 0, rows);
    return status;
}

/* The iteration. If it fails near a singular position it is repeated with constraints on positions, as in stage.c. */
static vgStatus iterate_or_pass(vgIntegrator *it, vgIrk *w, const vgState *s, double h)
{
    vgStatus st = iterate(it, w, s, h);
    if (!VG_RARE(st != VG_OK)) return VG_OK;
    forget(w, st);
    if ((st != VG_NOT_CONVERGED && st != VG_NOT_FINITE) || !vg_system_may_take_positions(it->sys, s->lambda))
        return st;
    w->at_position = 1;
    it->stats.singular++;
    st = iterate(it, w, s, h);
    w->at_position = 0;
    return st == VG_OK ? st : forget(w, st);
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    vgIrk *w = it->own;
    const vgSystem *sys = it->sys;
    vgIrkStage *last = &w->stage[w->tb.s - 1];
    for (int i = 0; i < w->tb.s; i++) vg_work_bind(w->stage[i].work, s);
    vgStatus st = iterate_or_pass(it, w, s, h);
    if (st != VG_OK) return st;
    if (it->adaptive && sys->ops->dependent.follow) st = follow_stages(it, w, s, h);
    if (st != VG_OK) return st;
    if (it->adaptive) vg_step_error(x, estimate(it, w, s, h));
    if (vg_step_refuses(x)) return VG_OK;
    st = result(it, w, s, h);
    if (st != VG_OK) return st;
    double c[VG_IRK_MAX], all = 0;
    const double *v[VG_IRK_MAX];
    for (int j = 0; j < w->tb.s; j++) {
        c[j] = w->inv[w->tb.s - 1][j] / h;
        all -= c[j];
        v[j] = w->stage[j].v;
    }
    vg_rows_sum(sys->nv, all, s->v, w->tb.s, c, v, last->a);
    clean(it, w, s->t + h, h);
    remember(it, w, s, h);
    vg_accept(sys, s->t + h, w->q, w->v, last->a, last->lambda, s);
    return VG_OK;
}

#define IRK_ROW(id, name_, title_, cite, order_, stages_, build_)                                            \
    static const Method id##_method = {build_};                                                              \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "implicit Runge–Kutta",                                       \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = stages_,                                                      \
                                     .flags = VG_INT_IMPLICIT | VG_INT_ASTABLE | VG_INT_ESTIMATE |           \
                                              VG_INT_OWN_NEWTON | VG_INT_LSTABLE,                            \
                                     .constraints = VG_CON_STAGE,                                            \
                                     .data = &id##_method,                                                   \
                                     .setup = setup,                                                         \
                                     .start = start,                                                         \
                                     .step = step}

IRK_ROW(radau2, "radau2", "Radau IIA of two stages", "Ehle 1969; Hairer, Wanner II", 3, 2, vg_irk_radau2);
IRK_ROW(radau3, "radau3", "Radau IIA of three stages", "Ehle 1969; Hairer, Wanner II", 5, 3, vg_irk_radau3);
IRK_ROW(lobatto3c, "lobatto3c", "Lobatto IIIC of three stages", "Chipman 1971; Hairer, Wanner II", 4, 3,
        vg_irk_lobatto);
