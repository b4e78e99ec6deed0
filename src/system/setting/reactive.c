/* Applied forces that depend on reactions, [N] (1): M a + Bᵀλ = Q(t, q, v, λ) (docs/theory.md, eq. 52e).
 *
 * What elements read of the reactions are the model's loads p = g(q, λ) (element/prim/load.h), a few numbers. The system
 * inside takes p as given (vgWork.load). This one lies over it and sets p by λ wherever there is a λ:
 *   residual   r(t, q, v, a, λ) with p = g(q, λ)
 *   factor     S + U Wᵀ with U = (1/ca) ∂r/∂p, a column for each load, and W = ∂g/∂(δ, λ/ca)
 *   solve      y = S⁻¹b, Z = S⁻¹U, (1 + WᵀZ) p' = Wᵀy, x = y − Z p'   (Sherman, Morrison, Woodbury)
 *   accel      p = g(q, λ(p)) by Newton's method, with λ(p) by the system inside
 * U is exact where forces are linear in their loads (friction), by differences elsewhere. W has the derivatives by λ;
 * that the direction of a reaction turns with the bodies is left to the iteration, as for the constraints themselves.
 * Too much friction may leave p = g(q, λ(p)) without a solution (Painlevé 1895): the step then fails by name. */
#include <math.h>
#include <string.h>

#include "element/prim/load.h"
#include "linalg/dense.h"
#include "system/setting/wrap.h"
#include "system/tuning.h"

typedef struct Work {
    vgWrapWork wrap; /* first */
    vgWork *look;    /* for reactions, at motions that the inner work is not to see */
    double scale;    /* λ-increment over x_l at the last factor() */
    double *p, *miss;
    double *W;             /* nload × nl: ∂p/∂λ */
    double *Zv, *Zl;       /* nload × nv, nload × nl */
    double *small;         /* nload × nload */
    int *pivot;            /* nload */
    double *r, *r0, *zero; /* nv; zero: nv + nl */
    double *unit, *lambda; /* nl */
} Work;

static void place(const vgSystem *sys, vgWrapWork *base, vgArena *a)
{
    Work *w = (Work *)base;
    size_t np = (size_t)sys->model->nload, nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    w->p = VG_TAKE(a, double, np + 1);
    w->miss = VG_TAKE(a, double, np + 1);
    w->W = VG_TAKE(a, double, np *nl + 1);
    w->Zv = VG_TAKE(a, double, np *nv + 1);
    w->Zl = VG_TAKE(a, double, np *nl + 1);
    w->small = VG_TAKE(a, double, np *np + 1);
    w->pivot = VG_TAKE(a, int, np + 1);
    w->r = VG_TAKE(a, double, nv + 1);
    w->r0 = VG_TAKE(a, double, nv + 1);
    w->zero = VG_TAKE(a, double, nv + nl + 1);
    w->unit = VG_TAKE(a, double, nl + 1);
    w->lambda = VG_TAKE(a, double, nl + 1);
}

static void free_work(vgWork *work)
{
    vg_work_free(((Work *)work)->look);
    vg_wrap_work_free(work);
}

static vgStatus new_work(const vgSystem *sys, vgWork **out)
{
    vgWrapWork *base;
    vgStatus st = vg_wrap_work_new(sys, sizeof(Work), place, &base);
    if (st != VG_OK) return st;
    Work *w = (Work *)base;
    st = vg_work_new_lean(vg_inner(sys), &w->look);
    if (st != VG_OK) {
        vg_wrap_work_free(&base->base);
        return st;
    }
    memset(w->zero, 0, (size_t)(sys->nv + sys->nl) * sizeof(double));
    memset(w->p, 0, (size_t)sys->model->nload * sizeof(double));
    base->base.load = w->p; /* for this work and the one inside */
    *out = &base->base;
    return VG_OK;
}

static size_t memory(const vgWork *work)
{
    return vg_wrap_memory(work) + vg_work_memory(((const Work *)work)->look);
}

static void report(vgWork *work)
{
    const vgWork *in = ((Work *)work)->wrap.inner;
    work->bad_row = in->bad_row;
    work->factorisations = in->factorisations;
    work->taken |= in->taken;
}

/* ---- loads ---- */

/* Reactions of what follows are those at these positions. */
static const vgKin *look_at(const vgSystem *sys, vgWork *work, double t, const double *q)
{
    Work *w = (Work *)work;
    w->look->turn = work->turn;
    w->look->active = work->active;
    w->look->held = work->held;
    w->look->load = w->p;
    return vg_inner(sys)->ops->kinematics(vg_inner(sys), w->look, t, q, w->zero, w->zero);
}

static double load_of(const vgSystem *sys, Work *w, const vgKin *kin, double t, const double *lambda, int k,
                      double d[6])
{
    const vgLoad *load = &sys->model->load[k];
    vgVec3 axis = vg_model_load_axis(sys->model, load, kin);
    double wrench[6] = {0};
    vg_inner(sys)->ops->reaction(vg_inner(sys), w->look, t, lambda, load->joint, wrench);
    return vg_load_value(load, axis, wrench, d);
}

/* p = g(q, λ) */
static void take_loads(const vgSystem *sys, vgWork *work, double t, const double *q, const double *lambda,
                       double *p)
{
    const vgKin *kin = look_at(sys, work, t, q);
    for (int k = 0; k < sys->model->nload; k++) p[k] = load_of(sys, (Work *)work, kin, t, lambda, k, NULL);
}

/* W = ∂g/∂λ at the motion that look_at() has seen: a reaction is linear in its joint's multipliers. */
static void take_slopes(const vgSystem *sys, vgWork *work, const vgKin *kin, double t, const double *lambda)
{
    Work *w = (Work *)work;
    const vgSystem *in = vg_inner(sys);
    memset(w->unit, 0, (size_t)sys->nl * sizeof(double));
    for (int k = 0; k < sys->model->nload; k++) {
        double d[6], *row = w->W + (size_t)k * (size_t)sys->nl;
        int joint = sys->model->load[k].joint;
        load_of(sys, w, kin, t, lambda, k, d);
        for (int r = 0; r < sys->nl; r++) {
            double wrench[6] = {0}, sum = 0;
            row[r] = 0;
            if (sys->row_joint[r] != joint || !vg_row_counts(work, r)) continue;
            w->unit[r] = 1;
            in->ops->reaction(in, w->look, t, w->unit, joint, wrench);
            w->unit[r] = 0;
            for (int c = 0; c < 6; c++) sum += d[c] * wrench[c];
            row[r] = sum;
        }
    }
}

/* small = 1 + sign W Z, Z by its columns of nl numbers; factorised. */
static vgStatus make_small(const vgSystem *sys, Work *w, double sign)
{
    size_t np = (size_t)sys->model->nload, nl = (size_t)sys->nl;
    for (size_t i = 0; i < np; i++)
        for (size_t j = 0; j < np; j++) {
            double sum = 0;
            for (size_t r = 0; r < nl; r++) sum += w->W[i * nl + r] * w->Zl[j * nl + r];
            w->small[i * np + j] = (i == j) + sign * sum;
        }
    return vg_dense_lu(w->small, sys->model->nload, 0, w->pivot, NULL);
}

/* A change of a load by which forces are differentiated. */
static double probe_size(const Work *w, int nload)
{
    double most = 0;
    for (int k = 0; k < nload; k++) most = fmax(most, fabs(w->p[k]));
    return most > 0 ? VG_LOAD_CHANGE * most : 1;
}

/* ---- the equations ---- */

static void residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    Work *w = (Work *)work;
    take_loads(sys, work, t, q, lambda ? lambda : w->zero, w->p);
    vg_inner(sys)->ops->residual(vg_inner(sys), vg_inner_work(work), t, q, v, a, lambda, r, phi);
    report(work);
}

static vgStatus factor(const vgSystem *sys, vgWork *work, const vgTangent *at)
{
    Work *w = (Work *)work;
    const vgSystem *in = vg_inner(sys);
    vgWork *inner = vg_inner_work(work);
    const double *lambda = at->lambda ? at->lambda : w->zero, *a = at->a ? at->a : w->zero;
    size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    vgTangent p = *at;
    w->scale = at->ca > 0 ? at->ca : 1;
    take_loads(sys, work, at->t, at->q, lambda, w->p);
    double change = probe_size(w, sys->model->nload);
    in->ops->residual(in, inner, at->t, at->q, at->v, a, lambda, w->r0, NULL);
    for (int k = 0; k < sys->model->nload; k++) {
        double *z = w->Zv + (size_t)k * nv, before = w->p[k];
        w->p[k] = before + change;
        in->ops->residual(in, inner, at->t, at->q, at->v, a, lambda, w->r, NULL);
        w->p[k] = before;
        for (size_t i = 0; i < nv; i++) z[i] = (w->r[i] - w->r0[i]) / (change * w->scale);
    }
    in->ops->residual(in, inner, at->t, at->q, at->v, a, lambda, w->r0, NULL);
    p.reuse = 1;
    vgStatus st = in->ops->factor(in, inner, &p);
    report(work);
    if (st != VG_OK) return st;
    memset(w->Zl, 0, (size_t)sys->model->nload * nl * sizeof(double));
    for (int k = 0; k < sys->model->nload; k++)
        in->ops->solve(in, inner, w->Zv + (size_t)k * nv, w->Zl + (size_t)k * nl);
    take_slopes(sys, work, look_at(sys, work, at->t, at->q), at->t, lambda);
    for (size_t i = 0; i < (size_t)sys->model->nload * nl; i++) w->W[i] *= w->scale;
    work->bad_row = -1;
    return make_small(sys, w, 1);
}

static void solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    Work *w = (Work *)work;
    int np = sys->model->nload;
    size_t nv = (size_t)sys->nv, nl = (size_t)sys->nl;
    vg_inner(sys)->ops->solve(vg_inner(sys), vg_inner_work(work), x_v, x_l);
    for (int k = 0; k < np; k++) {
        w->miss[k] = 0;
        for (size_t r = 0; r < nl; r++) w->miss[k] += w->W[(size_t)k * nl + r] * x_l[r];
    }
    vg_dense_lu_solve(w->small, w->pivot, np, w->miss);
    for (int k = 0; k < np; k++) {
        for (size_t i = 0; i < nv; i++) x_v[i] -= w->Zv[(size_t)k * nv + i] * w->miss[k];
        for (size_t r = 0; r < nl; r++) x_l[r] -= w->Zl[(size_t)k * nl + r] * w->miss[k];
    }
}

static vgStatus assemble(const vgSystem *sys, vgWork *work, const vgTangent *p, vgSaddle *out)
{
    return vg_inner(sys)->ops->assemble(vg_inner(sys), vg_inner_work(work), p, out);
}

/* ---- accelerations ---- */

static vgStatus accel_with(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                           double *a, double *lambda)
{
    vgStatus st = vg_inner(sys)->ops->accel(vg_inner(sys), vg_inner_work(work), t, q, v, a, lambda);
    report(work);
    return st;
}

/* ∂λ/∂p at p, in Zl by columns. a: room. */
static vgStatus slopes_of_accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                                const double *lambda)
{
    Work *w = (Work *)work;
    size_t nl = (size_t)sys->nl;
    double change = probe_size(w, sys->model->nload);
    for (int k = 0; k < sys->model->nload; k++) {
        double before = w->p[k], *z = w->Zl + (size_t)k * nl;
        w->p[k] = before + change;
        vgStatus st = accel_with(sys, work, t, q, v, w->r, z);
        w->p[k] = before;
        if (st != VG_OK) return st;
        for (size_t r = 0; r < nl; r++) z[r] = (z[r] - lambda[r]) / change;
    }
    return VG_OK;
}

/* miss = p − g(q, λ); its largest number, and that of the loads. */
static double missed(const vgSystem *sys, vgWork *work, double t, const double *q, const double *lambda,
                     double *size)
{
    Work *w = (Work *)work;
    double most = 0;
    take_loads(sys, work, t, q, lambda, w->miss);
    for (int k = 0; k < sys->model->nload; k++) {
        *size = fmax(*size, fmax(fabs(w->p[k]), fabs(w->miss[k])));
        w->miss[k] = w->p[k] - w->miss[k];
        most = fmax(most, fabs(w->miss[k]));
        if (isnan(w->miss[k])) return NAN;
    }
    return most;
}

/* Newton's method begins at p = 0 each time, so that a state has one acceleration whatever was asked before. */
static vgStatus accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    enum { MOST = 60, SLOPES_EACH = 6 };
    Work *w = (Work *)work;
    int np = sys->model->nload;
    double before = INFINITY;
    memset(w->p, 0, (size_t)np * sizeof(double));
    for (int i = 0; i < MOST; i++) {
        double size = 0;
        vgStatus st = accel_with(sys, work, t, q, v, a, lambda);
        if (st != VG_OK) return st;
        double miss = missed(sys, work, t, q, lambda, &size);
        if (isnan(miss)) return VG_NOT_FINITE;
        if (miss <= VG_LOAD_EXACT * size || (miss <= VG_LOAD_MET * size && miss >= before)) return VG_OK;
        before = miss;
        if (i % SLOPES_EACH == 0) {
            if (i == 0) take_loads(sys, work, t, q, lambda, w->p); /* the better place for slopes */
            if (i == 0) continue;
        }
        if (i % SLOPES_EACH == 1) st = slopes_of_accel(sys, work, t, q, v, lambda);
        if (st != VG_OK) return st;
        take_slopes(sys, work, look_at(sys, work, t, q), t, lambda);
        st = make_small(sys, w, -1);
        if (st != VG_OK) break;
        vg_dense_lu_solve(w->small, w->pivot, np, w->miss);
        for (int k = 0; k < np; k++) w->p[k] -= w->miss[k];
    }
    work->bad_row = -1;
    return VG_NOT_CONVERGED;
}

vgStatus vg_reactive_over(vgSystem *inner, vgSystem **out)
{
    vgSystemOps ops = vg_wrap_ops;
    ops.new_work = new_work;
    ops.free_work = free_work;
    ops.memory = memory;
    ops.residual = residual;
    ops.factor = factor;
    ops.solve = solve;
    ops.assemble = inner->ops->assemble ? assemble : NULL;
    ops.accel = accel;
    vgWrap *w;
    vgStatus st = vg_wrap_new(inner, sizeof *w, &ops, &w);
    if (st != VG_OK) return st;
    w->base.free_stages = 0;
    w->base.cost.rows_apart = 0;
    *out = &w->base;
    return VG_OK;
}
