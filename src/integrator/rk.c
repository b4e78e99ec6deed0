/* Explicit Runge–Kutta methods on the group (RKMK, [H] Algorithms 2, 3), one row of data each.
 *     q_i = q_n ⊕ Δ_i,  Δ_i = h Σ a_ij k_j,  v_i = v_n + h Σ a_ij l_j,  k_i = T⁻¹(Δ_i) v_i,  l_i = accel(t_i,
 * q_i, v_i) With constraint rows the accelerations are those of index 1; unless Baumgarte terms are on,
 * positions and velocities are projected onto the constraints after each step, with the least change in the
 * mass metric. */
#include "integrator/rk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/stage.h"

typedef struct Rk {
    vgArena arena;
    double *k, *l; /* stages × nv */
    double *delta, *q, *v, *lambda;
    double *e_q, *e_v;
    int have_first; /* l_0 is the acceleration at the state (kept in state->a) */
} Rk;

static void place(Rk *w, const vgSystem *sys, int stages, vgArena *a)
{
    w->k = VG_TAKE(a, double, stages *(sys->nv + 1));
    w->l = VG_TAKE(a, double, stages *(sys->nv + 1));
    w->delta = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->v = VG_TAKE(a, double, sys->nv + 1);
    w->lambda = VG_TAKE(a, double, sys->nl + 1);
    w->e_q = VG_TAKE(a, double, sys->nv + 1);
    w->e_v = VG_TAKE(a, double, sys->nv + 1);
}

static void free_own(void *own)
{
    Rk *w = own;
    vg_arena_free(&w->arena);
    free(w);
}

static vgStatus setup(vgIntegrator *it)
{
    const vgTableau *tb = it->row->data;
    Rk *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    it->own = w;
    it->free_own = free_own;
    vgArena measure = {0};
    place(w, it->sys, tb->stages, &measure);
    vgStatus st = vg_arena_alloc(&w->arena, measure.used);
    if (st != VG_OK) return st;
    place(w, it->sys, tb->stages, &w->arena);
    it->nhistory = 0;
    return VG_OK;
}

/* a, λ at the start: the caller made them consistent. */
static vgStatus start(vgIntegrator *it, vgState *s)
{
    vgStatus st = it->sys->ops->accel(it->sys, it->work, s->t, s->q, s->v, s->a, s->lambda);
    it->stats.accels++;
    if (st != VG_OK)
        vg_fail_equation(it, st, s->t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

static void combine(const double *base, const double *rows, const double *coef, int n, int nv, double h,
                    double *out)
{
    for (int i = 0; i < nv; i++) out[i] = base ? base[i] : 0;
    for (int j = 0; j < n; j++) {
        double c = h * coef[j];
        const double *r = rows + (size_t)j * (size_t)nv;
        if (c == 0) continue;
        for (int i = 0; i < nv; i++) out[i] += c * r[i];
    }
}

/* Weighted error of the embedded pair, root mean square over positions and velocities. */
double vg_error_norm(const vgIntegrator *it, const double *q, const double *v0, const double *v1,
                     const double *e_q, const double *e_v)
{
    const vgSystem *sys = it->sys;
    double sum = 0, vmax[2] = {0, 0};
    for (int i = 0; i < sys->nv; i++) {
        int c = sys->v_scale[i] != 1;
        vmax[c] = fmax(vmax[c], fmax(fabs(v0[i]), fabs(v1[i])));
    }
    for (int i = 0; i < sys->nv; i++) {
        double s = sys->v_scale[i], size = s;
        if (sys->vector_space && sys->nq == sys->nv) size = fmax(s * 1e-3, fabs(q[i]));
        double wq = it->atol * s + it->rtol * size;
        double wv = it->atol * s + it->rtol * fmax(fmax(fabs(v0[i]), fabs(v1[i])), 1e-3 * vmax[s != 1]);
        sum += (e_q[i] / wq) * (e_q[i] / wq) + (e_v[i] / wv) * (e_v[i] / wv);
    }
    return sqrt(sum / (2 * (sys->nv > 0 ? sys->nv : 1)));
}

/* The projection after a step; then accelerations once more at the projected state. */
static vgStatus settle(vgIntegrator *it, double t, double *q, double *v)
{
    const vgSystem *sys = it->sys;
    if (sys->nl == 0 || sys->baumgarte_alpha > 0 || sys->baumgarte_beta > 0) return VG_OK;
    int iter;
    vgStatus st = sys->ops->project_q(sys, it->work, t, q, 1e-14, 8, &iter);
    if (st == VG_OK) st = sys->ops->project_v(sys, it->work, t, q, v);
    if (st != VG_OK)
        vg_fail_equation(it, st, t, it->work->bad_row, "the projection onto the constraints failed");
    return st;
}

static vgStatus step(vgIntegrator *it, vgState *s, double h, double *err)
{
    const vgTableau *tb = it->row->data;
    const vgSystem *sys = it->sys;
    Rk *w = it->own;
    int nv = sys->nv, n = tb->stages;
    size_t row = (size_t)nv * sizeof(double);
    memset(w->delta, 0, row);
    sys->ops->rates(sys, w->delta, s->q, s->v, w->k);
    memcpy(w->l, s->a, row);
    for (int i = 1; i < n; i++) {
        combine(NULL, w->k, tb->a + i * n, i, nv, h, w->delta);
        combine(s->v, w->l, tb->a + i * n, i, nv, h, w->v);
        sys->ops->retract(sys, s->q, w->delta, w->q);
        sys->ops->rates(sys, w->delta, w->q, w->v, w->k + (size_t)i * (size_t)nv);
        vgStatus st = sys->ops->accel(sys, it->work, s->t + tb->c[i] * h, w->q, w->v,
                                      w->l + (size_t)i * (size_t)nv, w->lambda);
        it->stats.accels++;
        if (st != VG_OK) {
            vg_fail_equation(it, st, s->t + tb->c[i] * h, it->work->bad_row,
                             "the accelerations cannot be solved for");
            return st;
        }
    }
    if (!tb->fsal) {
        combine(NULL, w->k, tb->b, n, nv, h, w->delta);
        combine(s->v, w->l, tb->b, n, nv, h, w->v);
        sys->ops->retract(sys, s->q, w->delta, w->q);
    } /* else the last stage is the new state */
    if (err) *err = -1;
    if (err && tb->e) {
        combine(NULL, w->k, tb->e, n, nv, h, w->e_q);
        combine(NULL, w->l, tb->e, n, nv, h, w->e_v);
        *err = vg_error_norm(it, w->q, s->v, w->v, w->e_q, w->e_v);
        if (tb->e2) { /* two estimates combined (Dormand–Prince 8(5,3)) */
            combine(NULL, w->k, tb->e2, n, nv, h, w->e_q);
            combine(NULL, w->l, tb->e2, n, nv, h, w->e_v);
            double e3 = vg_error_norm(it, w->q, s->v, w->v, w->e_q, w->e_v), e5 = *err;
            *err = e5 == 0 ? 0 : e5 * e5 / sqrt(e5 * e5 + 0.01 * e3 * e3);
        }
        if (!isfinite(*err)) {
            vg_fail_equation(it, VG_NOT_FINITE, s->t + h, -1, "the step left the finite numbers");
            return VG_NOT_FINITE;
        }
        if (it->adaptive && *err > 1) return VG_OK; /* rejected by the caller: nothing has been changed */
    }
    for (int i = 0; i < nv; i++)
        if (!isfinite(w->v[i])) {
            vg_fail_equation(it, VG_NOT_FINITE, s->t + h, i,
                             "the step left the finite numbers; try a smaller step");
            return VG_NOT_FINITE;
        }
    vgStatus st = settle(it, s->t + h, w->q, w->v);
    if (st != VG_OK) return st;
    memcpy(s->q, w->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->v, w->v, row);
    s->t += h;
    if (tb->fsal && sys->nl == 0) {
        memcpy(s->a, w->l + (size_t)(n - 1) * (size_t)nv, row);
        return VG_OK;
    }
    it->stats.accels++;
    st = sys->ops->accel(sys, it->work, s->t, s->q, s->v, s->a, s->lambda);
    if (st != VG_OK)
        vg_fail_equation(it, st, s->t, it->work->bad_row, "the accelerations cannot be solved for");
    return st;
}

/* ---- rows ---- */

static const double rk4_a[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
static const double rk4_b[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, rk4_c[] = {0, 0.5, 0.5, 1};
static const vgTableau rk4 = {.stages = 4, .order = 4, .a = rk4_a, .b = rk4_b, .c = rk4_c};

static const double dp5_a[49] = {0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 1. / 5,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 3. / 40,
                                 9. / 40,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 44. / 45,
                                 -56. / 15,
                                 32. / 9,
                                 0,
                                 0,
                                 0,
                                 0,
                                 19372. / 6561,
                                 -25360. / 2187,
                                 64448. / 6561,
                                 -212. / 729,
                                 0,
                                 0,
                                 0,
                                 9017. / 3168,
                                 -355. / 33,
                                 46732. / 5247,
                                 49. / 176,
                                 -5103. / 18656,
                                 0,
                                 0,
                                 35. / 384,
                                 0,
                                 500. / 1113,
                                 125. / 192,
                                 -2187. / 6784,
                                 11. / 84,
                                 0};
static const double dp5_b[] = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0};
static const double dp5_c[] = {0, 0.2, 0.3, 0.8, 8. / 9, 1, 1};
static const double dp5_e[] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                               -17253. / 339200, 22. / 525, -1. / 40};
static const vgTableau dp5 = {
    .stages = 7, .order = 5, .a = dp5_a, .b = dp5_b, .c = dp5_c, .e = dp5_e, .fsal = 1};

#define EXPLICIT_ROW(id, name_, title_, cite, order_, stages_, flags_, tableau)                              \
    const vgIntegratorRow id = {.name = name_,                                                               \
                                .family = "explicit Runge–Kutta",                                            \
                                .title = title_,                                                             \
                                .citation = cite,                                                            \
                                .order = order_,                                                             \
                                .stages = stages_,                                                           \
                                .flags = VG_INT_EXPLICIT | (flags_),                                         \
                                .constraints = VG_CON_INDEX1 | VG_CON_NONE,                                  \
                                .data = &tableau,                                                            \
                                .setup = setup,                                                              \
                                .start = start,                                                              \
                                .step = step}

EXPLICIT_ROW(vg_rk4, "rk4", "classical Runge–Kutta of order 4, RKMK on the group", "Kutta 1901; [G] [H]", 4,
             4, 0, rk4);
EXPLICIT_ROW(vg_dopri5, "dopri5", "Dormand–Prince 5(4) with error control, RKMK on the group",
             "Dormand, Prince 1980; [H]", 5, 7, VG_INT_ESTIMATE | VG_INT_ADAPTIVE, dp5);
