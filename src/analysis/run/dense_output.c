#include "analysis/run/dense_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Constraint violation of a projected sample, relative to the model's length (vg_system_project). It is rounding; a
 * hundred times more is visible in the samples of small mechanisms. */
static const double PROJECTED = 1e-14;
/* Error of a method's own accelerations at the ends of a step that resolves the motion, relative to the largest
 * acceleration. With half the value more samples of coarse runs have interpolated reactions (0.1 % at tens of steps a
 * period); with twice the value samples of unresolved vibrations may be off by a tenth. */
static const double OWN_ERROR = 0.05;

struct vgDense {
    int nv;
    vgWork *work; /* not that of the run, whose matrix is reused by the next step */
    double *a, *l;
    double *d1, *r0, *r1, *s0, *s1, *tmp, *rate, *q, *zero, *plus, *minus;
    double memory[];
};

vgStatus vg_dense_new(const vgSystem *sys, vgDense **out)
{
    size_t n = (size_t)sys->nv + 1, nq = (size_t)sys->nq + 1, nl = (size_t)sys->nphi + 1;
    vgDense *d = calloc(1, sizeof *d + (11 * n + nq + nl) * sizeof(double));
    if (!d) return VG_NO_MEMORY;
    d->nv = sys->nv;
    double **slot[] = {&d->d1,   &d->r0,    &d->r1, &d->s1,   &d->tmp, &d->zero,
                       &d->plus, &d->minus, &d->a,  &d->rate, &d->s0};
    for (size_t i = 0; i < 11; i++) *slot[i] = d->memory + i * n;
    d->q = d->memory + 11 * n;
    d->l = d->q + nq;
    vgStatus st = vg_work_new_lean(sys, &d->work);
    if (st == VG_OK)
        *out = d;
    else
        vg_dense_free(d);
    return st;
}

void vg_dense_free(vgDense *d)
{
    if (d) vg_work_free(d->work);
    free(d);
}

vgWork *vg_dense_work(vgDense *d)
{
    return d->work;
}

static double largest_change(const double *x, const double *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double change = fabs(x[i] - y[i]);
        if (!(change <= most)) most = change; /* NaN stays */
    }
    return most;
}

/* out: Δ̈ at s, one end of the step, where Δ = delta and Δ̇ = r. It is the central difference of Δ̇ = T⁻¹(Δ) v along
 * the motion. */
static void second_rate(vgDense *d, const vgSystem *sys, const double *q0, const vgState *s,
                        const double *delta, const double *r, double h, double *out)
{
    double e = 1e-4 * h;
    for (int side = 0; side < 2; side++) {
        double x = side ? e : -e, *to = side ? d->plus : d->minus;
        for (int i = 0; i < d->nv; i++) {
            d->tmp[i] = delta[i] + x * r[i];
            out[i] = s->v[i] + x * s->a[i];
        }
        sys->ops->retract(sys, q0, d->tmp, d->q);
        sys->ops->rates(sys, d->tmp, d->q, out, to);
    }
    for (int i = 0; i < d->nv; i++) out[i] = (d->plus[i] - d->minus[i]) / (2 * e);
}

/* q, v: position and velocity of the quintic polynomial through both ends at the part x (0…1) of the step. */
static void along(vgDense *d, const vgSystem *sys, const vgState *s0, double h, double x, double *q,
                  double *v)
{
    double x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
    for (int i = 0; i < d->nv; i++) {
        double D = d->d1[i], v0 = h * d->r0[i], v1 = h * d->r1[i], a0 = h * h * d->s0[i],
               a1 = h * h * d->s1[i];
        double c3 = 10 * D - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1;
        double c4 = -15 * D + 8 * v0 + 7 * v1 + 1.5 * a0 - a1;
        double c5 = 6 * D - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1;
        d->tmp[i] = v0 * x + 0.5 * a0 * x2 + c3 * x3 + c4 * x4 + c5 * x5;
        d->rate[i] = (v0 + a0 * x + 3 * c3 * x2 + 4 * c4 * x3 + 5 * c5 * x4) / h;
    }
    sys->ops->retract(sys, s0->q, d->tmp, q);
    sys->ops->twist(sys, d->tmp, q, d->rate, v);
}

/* d->plus: the accelerations of the polynomial at the part x of the step, by a central difference of its
 * velocities. */
static void polynomial_acceleration(vgDense *d, const vgSystem *sys, const vgState *s0, double h, double x)
{
    const double e = 1e-4; /* part of the step: error e² of the fourth derivative, round-off 1e-12 / e */
    along(d, sys, s0, h, x + e, d->q, d->plus);
    along(d, sys, s0, h, x - e, d->q, d->minus);
    for (int i = 0; i < d->nv; i++) d->plus[i] = (d->plus[i] - d->minus[i]) / (2 * e * h);
}

/* Projects positions and velocities of x onto the constraints, with the smallest change in the mass metric. If that
 * fails, x is not changed. */
static void project(vgDense *d, const vgSystem *sys, vgState *x)
{
    int iterations;
    memcpy(d->q, x->q, (size_t)sys->nq * sizeof(double));
    memcpy(d->tmp, x->v, (size_t)sys->nv * sizeof(double));
    vg_work_bind(d->work, x);
    vgStatus st = VG_OK;
    if (sys->ops->dependent.follow)
        st = sys->ops->dependent.follow(sys, d->work, x->t, d->q, d->tmp, NULL);
    else if (sys->nphi > 0)
        st = sys->ops->project_q(sys, d->work, x->t, d->q, PROJECTED, 8, &iterations);
    if (st == VG_OK && !sys->ops->dependent.follow && sys->nphi > 0)
        st = sys->ops->project_v(sys, d->work, x->t, d->q, d->tmp);
    if (st != VG_OK || !isfinite(largest_change(d->q, x->q, sys->nq) + largest_change(d->tmp, x->v, sys->nv)))
        return;
    memcpy(x->q, d->q, (size_t)sys->nq * sizeof(double));
    memcpy(x->v, d->tmp, (size_t)sys->nv * sizeof(double));
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* d->plus: the accelerations of the cubic through positions and velocities of both ends. They do not depend on the
 * accelerations that the method has there. */
static void cubic_acceleration(vgDense *d, const vgState *s0, const vgState *s1, double x)
{
    const double h = s1->t - s0->t;
    for (int i = 0; i < d->nv; i++) {
        const double mean = d->d1[i] / h, r0 = d->r0[i], r1 = d->r1[i];
        d->plus[i] = (6 * (1 - 2 * x) * mean + (6 * x - 4) * r0 + (6 * x - 2) * r1) / h;
    }
}

/* 1 if the accelerations d->a, which were solved for at the interpolated position, are those of the motion. If
 * elements vibrate faster than the steps resolve, they are not: the interpolation error in the length of a stiff
 * element makes forces of any size. The test compares d->a with the second derivative of the quintic, then of the
 * cubic: d->a must be nearer to it than the straight line between the accelerations of both ends, or within OWN_ERROR
 * of it. */
static int are_of_motion(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double x,
                         const double *line)
{
    const double own = OWN_ERROR * fmax(largest(s0->a, d->nv), largest(s1->a, d->nv));
    polynomial_acceleration(d, sys, s0, s1->t - s0->t, x);
    if (largest_change(d->a, d->plus, d->nv) <= fmax(largest_change(line, d->plus, d->nv), own)) return 1;
    cubic_acceleration(d, s0, s1, x);
    return largest_change(d->a, d->plus, d->nv) <= fmax(largest_change(line, d->plus, d->nv), own);
}

/* 1 if the model may contain fast vibrations: it has force elements, modal bodies or joints made of springs
 * (`penalty`), and at least one degree of freedom that is not driven. */
static int may_vibrate(const vgSystem *sys, const vgState *s)
{
    int rows = 0;
    for (int r = 0; r < sys->nl; r++) rows += s->active[r];
    if (sys->nv <= rows) return 0;
    return sys->model->nforce > 0 || sys->model->nmodal > 0 || sys->is.settle == VG_SETTLE_NEVER;
}

void vg_dense_reactions(vgDense *d, const vgSystem *sys, const vgState *before, vgState *x)
{
    if (sys->nphi == sys->nl || !sys->ops->dependent.settle) return;
    memcpy(x->memory, before->memory, (size_t)sys->nmemory * sizeof(double));
    vg_work_bind(d->work, x);
    sys->ops->dependent.settle(sys, d->work, x);
}

/* Copies to `out` what is not interpolated: turns of angles from the second end; outputs of controllers, the system's
 * memory and the active constraint equations from the first. */
static void keep_of(const vgSystem *sys, const vgState *s0, const vgState *s1, vgState *out)
{
    memcpy(out->turn, s1->turn, (size_t)sys->model->nturn * sizeof(double));
    memcpy(out->memory, s0->memory, (size_t)sys->nmemory * sizeof(double));
    for (int i = 0; i < sys->model->ncontroller; i++) { /* outputs change at the end of a step only */
        const vgController *c = &sys->model->controller[i];
        const int at = sys->model->measure[c->out].measure.turn;
        memcpy(out->turn + at, s0->turn + at, (size_t)c->setup.nout * sizeof(double));
    }
    memcpy(out->active, s0->active, (size_t)sys->nphi);
    out->step = s1->step;
}

/* Computes the coefficients of the polynomial of the step in d, and what x takes from both ends (keep_of). */
static void prepare(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, vgState *x)
{
    const double h = s1->t - s0->t;
    sys->ops->local(sys, s0->q, s1->q, d->d1);
    sys->ops->rates(sys, d->zero, s0->q, s0->v, d->r0);
    sys->ops->rates(sys, d->d1, s1->q, s1->v, d->r1);
    second_rate(d, sys, s0->q, s1, d->d1, d->r1, h, d->s1);
    if (sys->second_order) /* T(0) = 1 and Ṫ(0) v = 0: Δ̈ = a */
        memcpy(d->s0, s0->a, (size_t)d->nv * sizeof(double));
    else
        second_rate(d, sys, s0->q, s0, d->zero, d->r0, h, d->s0);
    keep_of(sys, s0, s1, x);
}

/* d->a, d->l: accelerations and multipliers of the equations of motion at x. Returns 0 if they cannot be solved. */
static int solve(vgDense *d, const vgSystem *sys, const vgState *x)
{
    vg_work_bind(d->work, x);
    if (sys->ops->accel(sys, d->work, x->t, x->q, x->v, d->a, d->l) != VG_OK) return 0;
    return isfinite(largest_change(d->a, x->a, d->nv) + largest_change(d->l, x->lambda, sys->nl));
}

static int at(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t, int onto,
              vgState *out)
{
    double h = s1->t - s0->t, x = (t - s0->t) / h;
    prepare(d, sys, s0, s1, out);
    along(d, sys, s0, h, x, out->q, out->v);
    for (int i = 0; i < d->nv; i++) out->a[i] = s0->a[i] + x * (s1->a[i] - s0->a[i]);
    for (int i = 0; i < sys->nphi; i++) out->lambda[i] = s0->lambda[i] + x * (s1->lambda[i] - s0->lambda[i]);
    out->t = t;
    if (onto) project(d, sys, out);
    if (!solve(d, sys, out)) return 0;
    if (may_vibrate(sys, s0) && !are_of_motion(d, sys, s0, s1, x, out->a)) return 0;
    memcpy(out->a, d->a, (size_t)d->nv * sizeof(double));
    memcpy(out->lambda, d->l, (size_t)sys->nl * sizeof(double));
    vg_dense_reactions(d, sys, s0, out);
    return 1;
}

int vg_dense_solve(vgDense *d, const vgSystem *sys, vgState *x)
{
    if (!solve(d, sys, x)) return 0;
    memcpy(x->a, d->a, (size_t)d->nv * sizeof(double));
    memcpy(x->lambda, d->l, (size_t)sys->nl * sizeof(double));
    return 1;
}

int vg_dense_motion(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                    vgState *out)
{
    const double h = s1->t - s0->t;
    prepare(d, sys, s0, s1, out);
    along(d, sys, s0, h, (t - s0->t) / h, out->q, out->v);
    out->t = t;
    if (!vg_dense_solve(d, sys, out)) return 0;
    vg_dense_reactions(d, sys, s0, out);
    return 1;
}

int vg_dense_at(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t, vgState *out)
{
    return at(d, sys, s0, s1, t, 0, out);
}

int vg_dense_row(vgDense *d, const vgSystem *sys, const vgState *s0, const vgState *s1, double t,
                 vgState *out)
{
    return at(d, sys, s0, s1, t, 1, out);
}
