/* One sweep of the triangularly implicit iteration (irk.c) over a stage: its motion, residual, matrix and increment. */
#include <math.h>
#include <string.h>

#include "integrator/composite/irk.h"
#include "integrator/passes.h"
#include "integrator/rows.h"

/* q and v of a stage from Δ and Δ̇. */
static void configuration(const vgSystem *sys, const vgState *s, vgIrkStage *st, const double *of)
{
    sys->ops->retract(sys, s->q, of, st->q);
    sys->ops->twist(sys, of, st->q, st->rate, st->v);
    vg_pass_add(sys->nv, -1, st->w, st->v);
}

/* q, v, v̇ of a stage in one pass where coordinates are a vector space: all rows there may be, those that do
 * not count with weight 0, so that there is no loop within the loop. */
VG_PASS static void motion_of(int n, const vgIrk *w, const vgIrkSums *x, const vgState *s,
                              const vgIrkStage *st)
{
    const double *q0 = s->q, *v0 = s->v, *delta = st->delta_old, *correction = st->w, *old = w->old,
                 *now = w->now, o0 = x->old[0], o1 = x->old[1], o2 = x->old[2], n0 = x->now[0],
                 n1 = x->now[1], all = x->all, own = x->own;
    double *q = st->q, *v = st->v, *a = st->a;
    size_t row = (size_t)w->row, two = 2 * row;
#define MOTION(N, i)                                                                                         \
    do {                                                                                                     \
        vgFour r = o0 * GET(N, old + (i)), y = all * GET(N, v0 + (i));                                       \
        y += o0 * GET(N, old + row + (i));                                                                   \
        r += o1 * GET(N, old + two + (i));                                                                   \
        y += o1 * GET(N, old + two + row + (i));                                                             \
        r += o2 * GET(N, old + 2 * two + (i));                                                               \
        y += o2 * GET(N, old + 2 * two + row + (i));                                                         \
        r += n0 * GET(N, now + (i));                                                                         \
        y += n0 * GET(N, now + row + (i));                                                                   \
        r += n1 * GET(N, now + two + (i));                                                                   \
        y += n1 * GET(N, now + two + row + (i));                                                             \
        r -= GET(N, correction + (i));                                                                       \
        PUT(N, a + (i), y + own * (r - GET(N, delta + row + (i))));                                          \
        PUT(N, v + (i), r);                                                                                  \
        PUT(N, q + (i), GET(N, q0 + (i)) + GET(N, delta + (i)));                                             \
    } while (0)
    VG_WHOLE_FOURS(n, MOTION);
}

/* The weights of the sums of all stages, f = 1/h: old values through A⁻¹, changes of this sweep through L⁻¹.
 */
void vg_irk_sums(vgIrk *w, double f)
{
    int n = w->tb.s;
    for (int i = 0; i < n; i++) {
        vgIrkSums *x = &w->sums[i];
        x->own = f * w->tri[i][i];
        x->all = 0;
        for (int j = 0; j < n; j++) {
            double old = f * w->inv[i][j];
            x->all -= old;
            x->now[j] = j < i ? f * w->tri[i][j] : 0;
            x->old[j] = old - x->now[j];
        }
    }
}

/* Δ̇, v and v̇ of stage i from what the stages are now. */
static void stage_motion(const vgSystem *sys, vgIrk *w, const vgState *s, int i)
{
    vgIrkStage *st = &w->stage[i];
    const vgIrkSums *x = &w->sums[i];
    if (w->plain) {
        motion_of(sys->nv, w, x, s, st);
        return;
    }
    const double *d[2 * VG_IRK_MAX], *v[2 * VG_IRK_MAX];
    double c[2 * VG_IRK_MAX];
    int m = 0;
    for (int j = 0; j < w->tb.s; j++, m++) {
        c[m] = x->old[j];
        d[m] = w->stage[j].delta_old;
        v[m] = w->stage[j].v_old;
    }
    for (int j = 0; j < i; j++, m++) {
        c[m] = x->now[j];
        d[m] = w->stage[j].delta;
        v[m] = w->stage[j].v;
    }
    vg_rows_sum(sys->nv, 0, NULL, m, c, d, st->rate);
    configuration(sys, s, st, st->delta_old);
    c[i] -= x->own;
    c[m] = x->own;
    v[m++] = st->v;
    vg_rows_sum(sys->nv, x->all, s->v, m, c, v, st->a);
}

static vgStatus factor(vgIntegrator *it, vgIrkStage *st, double t, double cv, int plain, int on_positions)
{
    vgTangent p = {.t = t,
                   .q = st->q,
                   .v = st->v,
                   .a = st->a,
                   .lambda = st->lambda,
                   .cv = cv,
                   .ca = cv * cv,
                   .map = VG_STAGE_FIRST,
                   .delta = st->delta_old,
                   .delta_dot = plain ? st->v : st->rate,
                   .on_positions = on_positions,
                   .reuse = 1};
    vgStatus status = it->sys->ops->factor(it->sys, st->work, &p);
    it->stats.jacobians++;
    if (status != VG_OK)
        vg_fail_equation(it, status, t, st->work->bad_row,
                         status == VG_SINGULAR ? "the Newton matrix is singular"
                                               : "the Newton matrix is not finite");
    return status;
}

/* Right sides of the constraint rows by level, where they are not all of positions; index 1 asks for the
 * accelerations of all of them. */
static void constraint_rhs(const vgSystem *sys, vgIrk *w, vgIrkStage *st, double t, double cv)
{
    double ca = cv * cv;
    for (int k = 0; k < sys->nl && w->mixed; k++)
        if (sys->row_level[k] != 0) w->xl[k] /= sys->row_level[k] == 1 ? cv : ca;
    if (!vg_at_acceleration(sys) || sys->nl == 0 || w->at_position) return;
    vg_system_rows(sys, st->work, t, st->q, st->v, st->a, st->lambda, w->phi, w->phi_dot, w->xl);
    for (int k = 0; k < sys->nl; k++) w->xl[k] /= -ca;
}

/* x = by r,  xl = −Φ; the largest |Φ|. */
VG_PASS static double right_sides(const vgSystem *sys, const vgIrk *w, double by)
{
    const double *r = w->r, *phi = w->phi;
    double *x = w->x, *xl = w->xl;
    vgFour most = {0};
#define RIGHT(N, i) PUT(N, x + (i), by * GET(N, r + (i)))
    VG_WHOLE_FOURS(sys->nv, RIGHT);
#define RIGHT_PHI(N, i)                                                                                      \
    do {                                                                                                     \
        vgFour y = GET(N, phi + (i)), size = VG_SIZE_OF(y);                                                  \
        PUT(N, xl + (i), -y);                                                                                \
        most = VG_LARGER(size, most);                                                                        \
    } while (0)
    VG_WHOLE_FOURS(sys->nl, RIGHT_PHI);
    return VG_LARGEST(most);
}

/* Updates Δ, v and λ of a stage by the solution in w->x and w->xl where coordinates are a vector space; returns
 * the size of the increment. q of the stage is not needed before the next sweep computes it. */
VG_PASS static double advance_plain(const vgSystem *sys, const vgIrk *w, const vgIrkStage *st, double cv)
{
    const double *x = w->x, *xl = w->xl, *old = st->delta_old, *unit = w->unit, ca = cv * cv;
    double *delta = st->delta, *lambda = st->lambda;
    size_t row = (size_t)w->row;
    vgFour most = {0}, sum = {0};
#define ADVANCE(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour y = GET(N, x + (i));                                                                          \
        PUT(N, delta + (i), GET(N, old + (i)) + y);                                                          \
        PUT(N, delta + row + (i), GET(N, delta + row + (i)) + cv * y);                                       \
        y = VG_SIZE_OF(y) * GET(N, unit + (i));                                                              \
        most = VG_LARGER(y, most);                                                                           \
        sum += y;                                                                                            \
    } while (0)
    VG_WHOLE_FOURS(sys->nv, ADVANCE);
#define ADVANCE_MULTIPLIERS(N, i) PUT(N, lambda + (i), GET(N, lambda + (i)) + ca * GET(N, xl + (i)))
    VG_WHOLE_FOURS(sys->nl, ADVANCE_MULTIPLIERS);
    double total = VG_TOTAL(sum);
    return total - total == 0 ? VG_LARGEST(most) : NAN;
}

/* Δ, Δ̇, q, v and λ of a stage by the solution in w->x and w->xl; the size of the first. */
static double advance(const vgSystem *sys, vgIrk *w, const vgState *s, vgIrkStage *st, double cv)
{
    if (w->plain) return advance_plain(sys, w, st, cv);
    const double *d = w->x;
    vg_pass_add(sys->nl, cv * cv, w->xl, st->lambda);
    if (!sys->vector_space) {
        sys->ops->rates(sys, st->delta_old, st->q, w->x, w->d);
        d = w->d;
    }
    for (int k = 0; k < sys->nv; k++) {
        st->delta[k] = st->delta_old[k] + d[k];
        st->rate[k] += cv * d[k];
    }
    configuration(sys, s, st, st->delta);
    return vg_rows_largest(sys->nv, w->x, w->unit);
}

/* q from Δ where coordinates are a vector space. */
void vg_irk_place_at(const vgSystem *sys, const vgState *s, const vgIrkStage *st)
{
    vg_rows_sum(sys->nv, 1, s->q, 1, (double[]){1}, (const double *[]){st->delta}, st->q);
}

/* Index 2: the velocities onto their constraints, as in the single stage (stage.c). */
static __attribute__((noinline)) vgStatus correct_velocity(const vgSystem *sys, vgIrk *w, const vgState *s,
                                                           vgIrkStage *st, double t, double cv, double *norm)
{
    if (w->plain) vg_irk_place_at(sys, s, st);
    sys->ops->levels(sys, st->work, t, st->q, st->v, NULL, NULL, w->xl, NULL);
    for (int k = 0; k < sys->nl; k++)
        if (sys->row_level[k] != 0) w->xl[k] = 0;
    memset(w->d, 0, (size_t)sys->nv * sizeof(double));
    sys->ops->solve(sys, st->work, w->d, w->xl);
    for (int k = 0; k < sys->nl; k++) st->lambda[k] -= cv * w->xl[k];
    for (int k = 0; k < sys->nv; k++) {
        st->w[k] += w->d[k];
        st->v[k] -= w->d[k];
    }
    *norm = vg_larger(*norm, vg_rows_largest(sys->nv, w->d, w->unit) / cv);
    return VG_OK;
}

vgStatus vg_irk_sweep(vgIntegrator *it, vgIrk *w, const vgState *s, int i, double h, int fresh, double *norm)
{
    const vgSystem *sys = it->sys;
    vgIrkStage *st = &w->stage[i];
    double t = s->t + w->tb.c[i] * h, cv = w->sums[i].own, ca = cv * cv;
    stage_motion(sys, w, s, i);
    sys->ops->residual(sys, st->work, t, st->q, st->v, st->a, st->lambda, w->r, w->phi);
    it->stats.residuals++;
    if (fresh) {
        vgStatus status = factor(it, st, t, cv, w->plain, w->at_position);
        if (status != VG_OK) return status;
    }
    double open = right_sides(sys, w, -1 / ca);
    if (sys->nl == 0) open = st->work->open;
    w->open = vg_larger(w->open, open / sys->length);
    if (w->by_level) constraint_rhs(sys, w, st, t, cv);
    sys->ops->solve(sys, st->work, w->x, w->xl);
    *norm = vg_larger(*norm, advance(sys, w, s, st, cv));
    return VG_RARE(w->index2) ? correct_velocity(sys, w, s, st, t, cv, norm) : VG_OK;
}
