/* Explicit Runge–Kutta methods on the group (RKMK, [H] Algorithms 2, 3), one row of data each (rk_tables.c). Stage i:
 *
 *     Δ_i = h Σ_j a_ij k_j          q_i = q_n ⊕ Δ_i          k_i = T⁻¹(Δ_i) v_i
 *     v_i = v_n + h Σ_j a_ij l_j                             l_i = accel(t_i, q_i, v_i)
 *
 * With constraints the accelerations are those of index 1. After each step positions and velocities are projected onto
 * the constraints with the least change in the mass metric, unless Baumgarte stabilisation is on. */
#include "integrator/explicit/rk.h"

#include <math.h>
#include <string.h>

#include "integrator/own.h"
#include "integrator/passes.h"
#include "integrator/rows.h"

typedef struct Rk {
    vgArena arena;
    vgRk rk;
} Rk;

void vg_rk_place(vgRk *w, const vgSystem *sys, int stages, vgArena *a)
{
    int sums = stages + 3;
    w->row = vg_whole(sys->nv);
    w->k = VG_TAKE(a, double, (stages + 1) * w->row + 1);
    w->l = VG_TAKE(a, double, (stages + 1) * w->row + 1);
    w->zero = VG_TAKE(a, double, sys->nv + 1);
    w->delta = VG_TAKE(a, double, sys->nv + 1);
    w->q = VG_TAKE(a, double, sys->nq + 1);
    w->v = w->v_own = VG_TAKE(a, double, sys->nv + 1);
    w->lambda = VG_TAKE(a, double, sys->nl + 1);
    w->e_q = VG_TAKE(a, double, sys->nv + 1);
    w->e_v = VG_TAKE(a, double, sys->nv + 1);
    w->tb = NULL;
    w->sum = VG_TAKE(a, vgRkSum, sums);
    w->weight = VG_TAKE(a, double, sums *stages);
    w->c = VG_TAKE(a, double, sums *stages);
    for (int i = 0; i < sums; i++) {
        vgRkSum x = {.k = VG_TAKE(a, const double *, stages), .l = VG_TAKE(a, const double *, stages)};
        if (w->sum) w->sum[i] = x;
    }
}

/* The sums of the steps from s. The first rows are the state's own velocities and accelerations. */
static void make_sums(vgRk *w, const vgTableau *tb, const vgSystem *sys, const vgState *s)
{
    int n = tb->stages;
    w->tb = tb;
    w->plain = sys->one_pass && sys->second_order;
    w->from = s->v;
    w->h = 0;
    w->weights = 0;
    for (int i = 1; i <= n + 2; i++) {
        const double *coef = i < n ? tb->a + i * n : i == n ? tb->b : i == n + 1 ? tb->e : tb->e2;
        vgRkSum *x = &w->sum[i];
        x->count = 0;
        x->c = w->c + w->weights;
        for (int j = 0; j < n && j < i && coef; j++) {
            if (coef[j] == 0) continue;
            w->weight[w->weights++] = coef[j];
            x->k[x->count] = j || !sys->second_order ? w->k + (size_t)j * (size_t)w->row : s->v;
            x->l[x->count++] = j ? w->l + (size_t)j * (size_t)w->row : s->a;
        }
    }
}

static void place(void *own, const vgIntegrator *it, vgArena *a)
{
    const vgTableau *tb = it->row->data;
    vg_rk_place(&((Rk *)own)->rk, it->sys, tb->stages, a);
}

vgStatus vg_rk_row_setup(vgIntegrator *it)
{
    it->nhistory = 0;
    return vg_own_new(it, sizeof(Rk), place);
}

void vg_combine(const double *base, const double *rows, const double *coef, int count, int n, double h,
                double *out)
{
    vg_rows_combine(n, h, coef, count, base, rows, out, NULL, rows, NULL);
}

/* out_k = k_0 + Σ c_j k_j,  out_l = l_0 + Σ c_j l_j: all that steps in a vector space are made of. */
VG_PASS static void add_pairs(int n, const vgRkSum *x, const double *k0, const double *l0, double *out_k,
                              double *out_l)
{
    const double *c = x->c, *const *k = x->k, *const *l = x->l;
    int count = x->count;
#define ADD_PAIRS(N, i)                                                                                      \
    do {                                                                                                     \
        vgFour u = c[0] * GET(N, k[0] + (i)), v = c[0] * GET(N, l[0] + (i));                                 \
        for (int j = 1; j < count; j++) {                                                                    \
            u += c[j] * GET(N, k[j] + (i));                                                                  \
            v += c[j] * GET(N, l[j] + (i));                                                                  \
        }                                                                                                    \
        PUT(N, out_k + (i), GET(N, k0 + (i)) + u);                                                           \
        PUT(N, out_l + (i), GET(N, l0 + (i)) + v);                                                           \
    } while (0)
    VG_WHOLE_FOURS(n, ADD_PAIRS);
}

/* q and v by the sums x. */
static void add_up(const vgSystem *sys, const vgRk *w, const vgRkSum *x, const vgState *s, double *v)
{
    if (w->plain) {
        add_pairs(sys->nv, x, s->q, s->v, w->q, v);
    } else {
        add_pairs(sys->nv, x, w->zero, s->v, w->delta, v);
        sys->ops->retract(sys, s->q, w->delta, w->q);
    }
}

/* q, v by the sums x, and there the rates k and accelerations l. */
static vgStatus evaluate(vgIntegrator *it, vgRk *w, const vgRkSum *x, const vgState *s, double t, int last,
                         double *k, double *l)
{
    const vgSystem *sys = it->sys;
    if (sys->free_stages) {
        vgExplicit ex = {t, s->q, s->v, x->count, x->c, x->k, x->l, w->q, w->v, k, l, last};
        it->stats.accels++;
        return sys->ops->extra.stage(sys, it->work, &ex);
    }
    if (w->plain) {
        w->v = k;
        add_pairs(sys->nv, x, s->q, s->v, w->q, k);
    } else {
        add_up(sys, w, x, s, w->v);
        sys->ops->rates(sys, w->delta, w->q, w->v, k);
    }
    return vg_accel_at(it, t, w->q, w->v, l, w->lambda);
}

/* Computes all stages, and the new state in q, v; *a is its acceleration if the last stage gives it, else NULL. */
static vgStatus stages(vgIntegrator *it, const vgTableau *tb, vgRk *w, const vgState *s, double h, double **a)
{
    const vgSystem *sys = it->sys;
    int n = tb->stages;
    if (w->tb != tb || w->from != s->v) make_sums(w, tb, sys, s);
    if (w->h != h) vg_pass_scale(w->weights, h, w->weight, w->c);
    w->h = h;
    w->v = w->v_own;
    *a = NULL;
    if (!sys->second_order) { /* else T(0) = 1 */
        memset(w->delta, 0, (size_t)sys->nv * sizeof(double));
        sys->ops->rates(sys, w->delta, s->q, s->v, w->k);
    }
    /* the result as one more stage, where it is sure to be accepted */
    int result = !tb->fsal && sys->free_stages && !it->adaptive, end = n - 1 + result;
    for (int i = 1; i <= end; i++) {
        double *k = w->k + (size_t)i * (size_t)w->row, *l = w->l + (size_t)i * (size_t)w->row;
        double t = s->t + (i < n ? tb->c[i] * h : h);
        vgStatus st = evaluate(it, w, &w->sum[i], s, t, i == end, k, l);
        if (VG_RARE(st != VG_OK)) return st;
    }
    if (sys->nl == 0 && (tb->fsal || result)) *a = w->l + (size_t)end * (size_t)w->row;
    if (tb->fsal || result) return VG_OK;
    w->v = w->v_own;
    add_up(sys, w, &w->sum[n], s, w->v);
    return VG_OK;
}

/* Error of the embedded pair; of two estimates combined in Dormand–Prince 8(5,3): e₅²/√(e₅² + 0.01 e₃²). */
static double estimate(vgIntegrator *it, const vgTableau *tb, vgRk *w, const vgState *s)
{
    double e[2] = {0};
    for (int i = 0; i < 2 && (i == 0 || (tb->e2 && e[0] > 0)); i++) {
        const vgRkSum *x = &w->sum[tb->stages + 1 + i];
        add_pairs(it->sys->nv, x, w->zero, w->zero, w->e_q, w->e_v);
        e[i] = vg_error_norm(it, w->q, s, w->v, w->e_q, w->e_v);
    }
    return e[1] == 0 ? e[0] : e[0] * e[0] / sqrt(e[0] * e[0] + 0.01 * e[1] * e[1]);
}

vgStatus vg_rk_step(vgIntegrator *it, const vgTableau *tb, vgRk *w, vgState *s, double h, vgStep *x)
{
    const vgSystem *sys = it->sys;
    double e = -1, *a;
    vgStatus st = stages(it, tb, w, s, h, &a);
    if (st != VG_OK) return st;
    if (tb->e && it->adaptive) e = vg_step_error(x, estimate(it, tb, w, s));
    if (VG_RARE(
            !(e >= 0 && e < INFINITY))) { /* else the velocities, which are in its weights, are numbers too */
        st = vg_check_finite(it, s->t + h, w->v, sys->nv);
        if (st == VG_OK) st = vg_check_finite(it, s->t + h, &e, 1);
    }
    if (st != VG_OK || (it->adaptive && e > 1)) return st; /* rejected: nothing has been changed */
    if (sys->nl > 0 || sys->ops->dependent.follow) st = vg_settle(it, s->t + h, w->q, w->v);
    if (VG_RARE(st != VG_OK)) return st;
    if (!a) { /* at the projected state */
        a = w->l + (size_t)(tb->stages - 1) * (size_t)w->row;
        st = vg_accel_at(it, s->t + h, w->q, w->v, a, w->lambda);
        if (VG_RARE(st != VG_OK)) return st;
    }
    vg_accept(sys, s->t + h, w->q, w->v, a, w->lambda, s);
    return VG_OK;
}

vgStatus vg_rk_row_step(vgIntegrator *it, vgState *s, double h, vgStep *x)
{
    Rk *w = it->own;
    return vg_rk_step(it, it->row->data, &w->rk, s, h, x);
}
