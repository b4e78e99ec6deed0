#include "integrator/stage/predictor.h"

#include "integrator/passes.h"
#include "integrator/rows.h"

/* [Z] (14): with h = t − t_0 and α = h/(t_0 − t_1). */
static void cubic(double t, const double *tp, vgPredictor *p)
{
    double h = t - tp[0], a = h / (tp[0] - tp[1]), m = -6 * a * a * (1 + a) / h;
    p->points = 2;
    p->m[0] = m;
    p->m[1] = -m;
    p->n[0] = (1 + a) * (1 + 3 * a);
    p->n[1] = a * (2 + 3 * a);
}

/* Derivative at t of the polynomial through values and slopes at three points, [Z] (17) in Hermite's form:
 * with ℓ_j Lagrange's polynomials and s_j = ℓ_j'(t_j),
 *     n_j = d/dt[(t − t_j) ℓ_j²],  m_j = d/dt[(1 − 2 s_j (t − t_j)) ℓ_j²]. */
static void quintic(double t, const double *tp, vgPredictor *p)
{
    p->points = 3;
    for (int j = 0; j < 3; j++) {
        double b = tp[(j + 1) % 3], c = tp[(j + 2) % 3], x = t - tp[j];
        double w = 1 / ((tp[j] - b) * (tp[j] - c)), l = (t - b) * (t - c) * w, dl = (2 * t - b - c) * w;
        double s = (2 * tp[j] - b - c) * w;
        p->n[j] = l * l + 2 * x * l * dl;
        p->m[j] = 2 * (1 - 2 * s * x) * l * dl - 2 * s * l * l;
    }
}

void vg_predictor_make(int order, double t, const double *tp, int npoint, vgPredictor *p)
{
    if (order >= 4 && npoint >= 3) {
        quintic(t, tp, p);
    } else if (order >= 2 && npoint >= 2) {
        cubic(t, tp, p);
    } else {
        p->points = 1;
        p->m[0] = 0;
        p->n[0] = 1;
    }
}

int vg_predictor_rows(const vgPredictor *p, const double *const *y, const double *const *y_dot, double scale,
                      double *c, const double **row)
{
    int count = 0;
    for (int j = 0; j < p->points; j++) {
        c[count] = scale * p->n[j];
        row[count++] = y_dot[j];
        if (p->points == 1) break; /* the last rate alone */
        c[count] = scale * p->m[j];
        row[count++] = y[j];
    }
    return count;
}

void vg_predictor_apply(const vgPredictor *p, const double *const *y, const double *const *y_dot, int n,
                        double scale, const double *base, double *out)
{
    double c[6];
    const double *row[6];
    int count = vg_predictor_rows(p, y, y_dot, scale, c, row);
    vg_rows_sum(n, 1, base, count, c, row, out);
}

/* Where coordinates are a vector space the first guess is more than Δ: all of the stage. */
static int place(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, const double *a, const double *v)
{
    st->placed = sys->one_pass;
    if (st->placed) vg_pass_place(sys->nv, st, sp, a, v);
    return st->placed;
}

/* T differs from 1 by O(h) and v is nearly along Δ: two rounds leave less than the extrapolation does. */
static void follow_velocity(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, const double *v)
{
    double b = 1 / sp->cv;
    for (int round = 0; round < 2; round++) {
        sys->ops->rates(sys, st->delta, st->q, v, st->delta_dot);
        vg_rows_sum(sys->nv, 1, sp->dhat, 1, &b, (const double *const *)&st->delta_dot, st->delta);
    }
}

void vg_predict_by_velocity(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, const double *v)
{
    double b = 1 / sp->cv;
    if (place(sys, st, sp, NULL, v)) return;
    vg_rows_sum(sys->nv, 1, sp->dhat, 1, &b, &v, st->delta);
    if (!sys->vector_space) follow_velocity(sys, st, sp, v);
}

/* a = Σ c_j row_j,  v = v̂ + b a,  Δ = Δ̂ + b v. */
VG_PASS static void place_by_rows(int n, const vgStage *st, const vgStageSpec *sp, int count, const double *c,
                                  const double *const *row)
{
    const double *dhat = sp->dhat, *vhat = sp->vhat, b = 1 / sp->cv;
    double *delta = st->delta, *v = st->v, *a = st->a;
#define BY_ROWS(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour x = c[0] * GET(N, row[0] + (i)), y;                                                           \
        for (int j = 1; j < count; j++) x += c[j] * GET(N, row[j] + (i));                                    \
        y = GET(N, vhat + (i)) + b * x;                                                                      \
        PUT(N, a + (i), x);                                                                                  \
        PUT(N, v + (i), y);                                                                                  \
        PUT(N, delta + (i), GET(N, dhat + (i)) + b * y);                                                     \
    } while (0)
    VG_WHOLE_FOURS(n, BY_ROWS);
}

void vg_predict_by_rows(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, int count, const double *c,
                        const double *const *row)
{
    place_by_rows(sys->nv, st, sp, count, c, row);
    if (!sys->vector_space) follow_velocity(sys, st, sp, st->v);
}

void vg_predict_delta(const vgSystem *sys, vgStage *st, const vgStageSpec *sp, const double *a)
{
    double b = 1 / sp->cv;
    if (place(sys, st, sp, a, NULL)) return;
    vg_rows_sum(sys->nv, 1, sp->vhat, 1, &b, &a, st->v);
    vg_predict_by_velocity(sys, st, sp, st->v);
}
