/* Diagonally implicit Runge–Kutta methods: a single stage each (stage.h), in local coordinates about q_n,
 *     Δ_i = h Σ_{j≤i} a_ij Δ̇_j,   v_i = v_n + h Σ_{j≤i} a_ij v̇_j,   c_v = 1/(h a_ii).
 * The result q_n ⊕ h Σ b_j Δ̇_j, v_n + h Σ b_j v̇_j is projected onto the constraints of both levels, and has the
 * accelerations and multipliers that belong to it.
 *
 * Constraints at position level (docs/theory.md, eq. 57a): a low stage order leaves an error O(1) in the stages'
 * multipliers, with which the step would be of order 1 only (Hairer, Lubich, Roche 1989). The normal parts of
 * velocities and accelerations at a stage are determined by the constraints there, and are taken from them.
 * With Π the projection and F the vector field on the constraint manifold, this is the method applied to
 * ẏ = F(Π(y)), an ordinary differential equation with the same solution: the classical order is back. */
#include "integrator/composite/diagonal.h"

#include <math.h>
#include <string.h>

#include "base/expect.h"
#include "integrator/explicit/rk.h"
#include "integrator/stage/fine.h"
#include "integrator/stage/predictor.h"
#include "integrator/tuning.h"

void vg_diagonal_place(vgDiagonal *w, const vgSystem *sys, vgArena *a)
{
    double **of_v[] = {&w->v, &w->dhat, &w->vhat, &w->guess, &w->e_q, &w->e_v};
    vg_stage_place(&w->stage, sys, a);
    vg_result_place(&w->result, sys, a);
    for (size_t k = 0; k < sizeof of_v / sizeof of_v[0]; k++) *of_v[k] = VG_TAKE(a, double, sys->nv + 1);
    for (int i = 0; i < w->tb.s; i++) {
        w->rate[i] = VG_TAKE(a, double, sys->nv + 1);
        w->acc[i] = VG_TAKE(a, double, sys->nv + 1);
    }
    w->kept = VG_TAKE(a, double, 3 * vg_whole(sys->nv) + vg_whole(sys->nl) + 1);
}

/* x = h Σ_{j<n} c_j Δ̇_j and y = from + h Σ_{j<n} c_j v̇_j (from NULL: zero). */
static void sum(const vgDiagonal *w, int nv, int n, const double *c, double h, const double *from, double *x,
                double *y)
{
    for (int k = 0; k < nv; k++) {
        double of_rates = 0, of_acc = 0;
        for (int j = 0; j < n; j++) {
            of_rates += c[j] * w->rate[j][k];
            of_acc += c[j] * w->acc[j][k];
        }
        x[k] = h * of_rates;
        y[k] = (from ? from[k] : 0) + h * of_acc;
    }
}

/* First guess of the accelerations: through the state and the stage before, where these are at two times and this stage
 * at a third; else the last ones. */
static const double *guess(vgDiagonal *w, const vgSystem *sys, const vgState *s, int i, double h)
{
    const double *c = w->tb.c;
    if (i == 0) return s->a;
    if (fabs(c[i - 1]) <= VG_NODES_APART || fabs(c[i] - c[i - 1]) <= VG_NODES_APART) return w->acc[i - 1];
    const double *y[2] = {w->v, s->v}, *y_dot[2] = {w->acc[i - 1], s->a};
    vgPredictor p;
    vg_predictor_make(2, c[i] * h, (double[]){c[i - 1] * h, 0}, 2, &p);
    vg_predictor_apply(&p, y, y_dot, sys->nv, 1, NULL, w->guess);
    return w->guess;
}

/* Δ̇, v, v̇ at the solved stage, the normal parts by the constraints unless these are on accelerations. */
static vgStatus clean(vgIntegrator *it, vgDiagonal *w, double t)
{
    const vgSystem *sys = it->sys;
    vgStage *st = &w->stage;
    int cleans = sys->nl > 0 && (st->at_position || !vg_at_acceleration(sys));
    if (!cleans && !sys->ops->dependent.follow) return VG_OK;
    vgStatus status = cleans ? vg_stage_consistent(it, st, t) : VG_OK;
    sys->ops->rates(sys, st->delta, st->q, st->v, st->delta_dot);
    return status;
}

static void keep(vgDiagonal *w, int nv, int i, const double *rate, const double *acc, const double *v)
{
    memcpy(w->rate[i], rate, (size_t)nv * sizeof(double));
    memcpy(w->acc[i], acc, (size_t)nv * sizeof(double));
    memcpy(w->v, v, (size_t)nv * sizeof(double));
}

static vgStatus stage(vgIntegrator *it, vgDiagonal *w, const vgState *s, int i, double h, double *learned)
{
    const vgSystem *sys = it->sys;
    vgStage *st = &w->stage;
    const double *a = w->tb.a + i * w->tb.s, cv = 1 / (h * a[i]);
    sum(w, sys->nv, i, a, h, s->v, w->dhat, w->vhat);
    vgStageSpec sp = {.t = s->t + w->tb.c[i] * h,
                      .q_r = s->q,
                      .map = VG_STAGE_FIRST,
                      .cv = cv,
                      .ca = cv * cv,
                      .cm = 1,
                      .dhat = w->dhat,
                      .vhat = w->vhat};
    if (w->tb.constant > 0 && vg_fine_is_wanted(it, 3)) {
        sp.fine = vg_fine_part(w->tb.constant, w->tb.c[i], 3);
        sp.order = 3;
        sp.a_begin = s->a;
        sp.learned = learned + VG_STAGE_LEARNED * i;
        sp.kept = w->kept;
    }
    vg_predict_delta(sys, st, &sp, guess(w, sys, s, i, h));
    vgNewtonMode mode = it->newton_mode;
    if (i && w->once && mode != VG_NEWTON_FULL) it->newton_mode = VG_NEWTON_FROZEN;
    vgStatus status = vg_stage_solve(it, st, &sp);
    it->newton_mode = mode;
    if (status == VG_OK) status = clean(it, w, sp.t);
    if (status == VG_OK) keep(w, sys->nv, i, st->delta_dot, st->a, st->v);
    return status;
}

static double estimate(vgIntegrator *it, vgDiagonal *w, const vgState *s, double h)
{
    double more = h * w->tb.e_state;
    sum(w, it->sys->nv, w->tb.s, w->tb.e, h, NULL, w->e_q, w->e_v);
    for (int k = 0; k < it->sys->nv && more != 0; k++) {
        w->e_q[k] += more * s->v[k];
        w->e_v[k] += more * s->a[k];
    }
    return vg_error_norm(it, w->result.q, s, w->result.v, w->e_q, w->e_v);
}

vgStatus vg_diagonal_step(vgIntegrator *it, vgDiagonal *w, vgState *s, double h, double *learned, vgStep *x)
{
    const vgSystem *sys = it->sys;
    const vgDiagonalTableau *tb = &w->tb;
    vgStatus st = VG_OK;
    VG_EXPECT(h != 0 && tb->s > tb->first_explicit && tb->s <= VG_DIAGONAL_MAX);
    VG_EXPECT(learned || tb->constant == 0);
    memcpy(w->stage.lambda, s->lambda, (size_t)sys->nl * sizeof(double));
    if (tb->first_explicit) keep(w, sys->nv, 0, s->v, s->a, s->v);
    for (int i = tb->first_explicit; i < tb->s && st == VG_OK; i++) st = stage(it, w, s, i, h, learned);
    if (st != VG_OK) return st;
    sum(w, sys->nv, tb->s, tb->b, h, s->v, w->dhat, w->result.v);
    sys->ops->retract(sys, s->q, w->dhat, w->result.q);
    if (it->adaptive && tb->e) vg_step_error(x, estimate(it, w, s, h));
    return vg_step_refuses(x) ? VG_OK : vg_result_finish(it, &w->result, s->t + h, s);
}
