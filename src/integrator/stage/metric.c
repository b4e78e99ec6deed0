#include "integrator/stage/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/tuning.h"
#include "linalg/dense.h"

struct vgMetric {
    vgArena arena;
    vgMetricKind kind;
    vgWork *work;        /* for matrices of its own */
    double *rows;        /* B, nl × nv */
    double *over;        /* W⁻¹Bᵀ by its columns, nl × nv; UNIT: rows */
    double *gram;        /* B W⁻¹Bᵀ, factorised */
    double *mass, *root; /* GIVEN: M̄ and its Cholesky factor, nv × nv */
    double *x, *y;       /* of the size of the assembled matrix */
    double *zero;
};

static void place(vgMetric *m, const vgSystem *sys, int size, vgArena *a)
{
    size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    int dense = m->kind != VG_METRIC_MASS, given = m->kind == VG_METRIC_GIVEN;
    m->zero = VG_TAKE(a, double, nv + nl + 1);
    m->rows = VG_TAKE(a, double, dense ? nl *nv + 1 : 1);
    m->over = given ? VG_TAKE(a, double, nl *nv + 1) : m->rows;
    m->gram = VG_TAKE(a, double, dense ? nl *nl + 1 : 1);
    m->mass = VG_TAKE(a, double, given ? nv *nv + 1 : 1);
    m->root = VG_TAKE(a, double, given ? nv *nv + 1 : 1);
    m->x = VG_TAKE(a, double, size + 1);
    m->y = VG_TAKE(a, double, size + sys->nv + 4);
}

void vg_metric_free(vgMetric *m)
{
    if (!m) return;
    vg_work_free(m->work);
    vg_arena_free(&m->arena);
    free(m);
}

vgStatus vg_metric_new(vgIntegrator *it, vgMetricKind kind)
{
    const vgSystem *sys = it->sys;
    if (!vg_stage_corrects(sys)) return VG_OK;
    if (kind != VG_METRIC_MASS && sys->nv > VG_FULL_MOST) {
        vg_fail(it, VG_BAD_INPUT, 0,
                "integrator '%s' works with full matrices of at most %d coordinates, but the model has %d; "
                "use coordinates 'relative', or integrator 'hht-si2' or 'bdf'",
                it->row->name, VG_FULL_MOST, sys->nv);
        return VG_BAD_INPUT;
    }
    vgMetric *m = it->metric = calloc(1, sizeof *m);
    if (!m) return VG_NO_MEMORY;
    m->kind = kind;
    vgStatus st = vg_work_new(sys, &m->work);
    vgSaddle at = {0};
    if (st == VG_OK && kind != VG_METRIC_MASS) st = sys->ops->assemble(sys, m->work, NULL, &at);
    if (st != VG_OK) return st;
    int size = at.lin ? vg_lin_size(at.lin) : 0;
    vgArena measure = {0};
    place(m, sys, size, &measure);
    st = vg_arena_alloc(&m->arena, measure.used);
    if (st != VG_OK) return st;
    place(m, sys, size, &m->arena);
    memset(m->zero, 0, (size_t)(sys->nv + sys->nl) * sizeof(double));
    return VG_OK;
}

int vg_metric_has_mass(const vgMetric *m)
{
    return m && m->kind == VG_METRIC_GIVEN;
}

const double *vg_metric_zero(const vgMetric *m)
{
    return m->zero;
}

void vg_metric_add_inertia(const vgMetric *m, int nv, double c, const double *a, double *r)
{
    for (int i = 0; i < nv; i++) {
        double sum = 0;
        for (int j = 0; j < nv; j++) sum += m->mass[(size_t)i * (size_t)nv + (size_t)j] * a[j];
        r[i] += c * sum;
    }
}

static vgTangent place_of(const vgMetric *m, double t, const double *q, const double *v)
{
    return (vgTangent){.t = t, .q = q, .v = v, .a = m->zero, .lambda = m->zero, .map = VG_STAGE_PLAIN};
}

/* Angles count their turns as in the integrator's own work. */
static void bind(vgIntegrator *it)
{
    vgWork *w = it->metric->work;
    w->turn = it->work->turn;
    w->held = it->work->held;
    w->memory = it->work->memory;
    w->active = it->work->active;
}

static int v_place(const vgSaddle *at, int i)
{
    return at->v_at ? at->v_at[i] : i;
}

/* Column `of` of the assembled matrix, its coordinates alone. */
static void column(vgMetric *m, const vgSaddle *at, int of, int nv, double *out)
{
    memset(m->x, 0, (size_t)vg_lin_size(at->lin) * sizeof(double));
    m->x[of] = 1;
    vg_lin_multiply(at->lin, m->x, m->y);
    for (int i = 0; i < nv; i++) out[i] = m->y[v_place(at, i)];
}

vgStatus vg_metric_take_mass(vgIntegrator *it, double t, const double *q)
{
    vgMetric *m = it->metric;
    const vgSystem *sys = it->sys;
    size_t nv = (size_t)sys->nv;
    vgTangent p = place_of(m, t, q, m->zero);
    vgSaddle at;
    p.mass = p.reuse = 1;
    bind(it);
    sys->ops->residual(sys, m->work, t, q, m->zero, m->zero, m->zero, m->y, NULL);
    vgStatus st = sys->ops->assemble(sys, m->work, &p, &at);
    if (st != VG_OK) return st;
    it->stats.accels++;
    for (int i = 0; i < sys->nv; i++) column(m, &at, v_place(&at, i), sys->nv, m->mass + (size_t)i * nv);
    memcpy(m->root, m->mass, nv * nv * sizeof(double));
    st = vg_dense_cholesky(m->root, sys->nv);
    if (st != VG_OK)
        vg_fail(it, st, t,
                "at t = %.9g s the mass matrix alone cannot be inverted, which integrator '%s' needs with "
                "mass = 1; take mass = 0",
                t, it->row->name);
    return st;
}

/* L Lᵀ in place; rows that depend on those before them get a pivot so large that they have no part in the solution: the
 * others determine the direction. */
static void factor_gram(double *g, int n)
{
    const double DEPENDS = 1e-12,
                 APART = 1e150; /* share of a row's square that rounding leaves of a dependent one */
    for (int j = 0; j < n; j++) {
        double whole = g[j * n + j], d = whole;
        for (int k = 0; k < j; k++) d -= g[j * n + k] * g[j * n + k];
        double root = d > DEPENDS * whole ? sqrt(d) : APART;
        g[j * n + j] = root;
        for (int i = j + 1; i < n; i++) {
            double x = g[i * n + j];
            for (int k = 0; k < j; k++) x -= g[i * n + k] * g[j * n + k];
            g[i * n + j] = root == APART ? 0 : x / root;
        }
    }
}

/* B, W⁻¹Bᵀ and B W⁻¹Bᵀ; rows that are not kept stay out. */
static vgStatus make_gram(vgIntegrator *it, double t, const double *q, const double *v)
{
    vgMetric *m = it->metric;
    const vgSystem *sys = it->sys;
    size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    vgTangent p = place_of(m, t, q, v);
    vgSaddle at;
    p.mass = p.reuse = 1;
    sys->ops->residual(sys, m->work, t, q, v, m->zero, m->zero, m->y, NULL);
    vgStatus st = sys->ops->assemble(sys, m->work, &p, &at);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nl; i++) {
        double *row = m->rows + (size_t)i * nv, *over = m->over + (size_t)i * nv;
        int kept = at.row_at[i] >= 0 && vg_row_counts(it->work, i);
        if (kept)
            column(m, &at, at.row_at[i], sys->nv, row);
        else
            memset(row, 0, nv * sizeof(double));
        if (over != row) memcpy(over, row, nv * sizeof(double));
        if (over != row) vg_dense_cholesky_solve(m->root, sys->nv, over);
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < sys->nv; k++) sum += row[k] * m->over[(size_t)j * nv + (size_t)k];
            m->gram[(size_t)i * nl + (size_t)j] = kept || i != j ? sum : 1;
        }
    }
    factor_gram(m->gram, sys->nl);
    return VG_OK;
}

static vgStatus by_rows(vgIntegrator *it, double t, const double *q, const double *v, double *w, double *d)
{
    vgMetric *m = it->metric;
    const vgSystem *sys = it->sys;
    size_t nv = (size_t)sys->nv;
    vgStatus st = make_gram(it, t, q, v);
    if (st != VG_OK) return st;
    vg_dense_cholesky_solve(m->gram, sys->nl, d);
    memset(w, 0, nv * sizeof(double));
    for (int i = 0; i < sys->nl; i++) {
        for (size_t k = 0; k < nv; k++) w[k] += m->over[(size_t)i * nv + k] * d[i];
        d[i] = -d[i];
    }
    return VG_OK;
}

vgStatus vg_metric_direction(vgIntegrator *it, double t, const double *q, const double *v, double *w,
                             double *d)
{
    const double SHORT = 1e100; /* 1/h of a step so short that nothing but the mass matrix is left */
    vgMetric *m = it->metric;
    const vgSystem *sys = it->sys;
    vgStatus st;
    bind(it);
    it->stats.accels++; /* a solution with the mass matrix, or less */
    if (m->kind != VG_METRIC_MASS) {
        st = by_rows(it, t, q, v, w, d);
    } else {
        vgTangent p = place_of(m, t, q, v);
        p.cv = SHORT;
        p.ca = SHORT * SHORT;
        st = sys->ops->factor(sys, m->work, &p);
        memset(w, 0, (size_t)sys->nv * sizeof(double));
        if (st == VG_OK) sys->ops->solve(sys, m->work, w, d);
    }
    if (st != VG_OK)
        vg_fail_equation(it, st, t, m->work->bad_row,
                         "the velocities cannot be put onto the constraints, which depend on each other");
    return st;
}
