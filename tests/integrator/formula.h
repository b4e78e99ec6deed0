/* Formulas of the papers, plainly: the equations of a step are written as they are printed, for M, f, B, Φ of a system in
 * vector-space coordinates, and solved by Newton's method with differences and a dense elimination. No code of the
 * integrators is used. */
#ifndef VERGE_TESTS_FORMULA_H
#define VERGE_TESTS_FORMULA_H

#include "runs.h"

enum { F_MOST = 96 };

typedef struct Plain {
    const vgSystem *sys;
    vgWork *work;
    int nv, nl;
    double zero[F_MOST], base[F_MOST];
} Plain;

static inline int plain_open(Plain *p, const Rig *r)
{
    *p = (Plain){.sys = r->sim.sys, .nv = r->sim.sys->nv, .nl = r->sim.sys->nl};
    if (vg_work_new(p->sys, &p->work) != VG_OK) return 0;
    vg_work_bind(p->work, r->sim.state);
    return p->sys->vector_space && p->nv + p->nl < F_MOST;
}

static inline void plain_close(Plain *p)
{
    vg_work_free(p->work);
}

/* f(t, q, v) */
static inline void plain_force(Plain *p, double t, const double *q, const double *v, double *f)
{
    p->sys->ops->residual(p->sys, p->work, t, q, v, p->zero, p->zero, f, NULL);
    for (int i = 0; i < p->nv; i++) f[i] = -f[i];
}

/* M(q) a and B(q)ᵀ λ, at rest */
static inline void plain_mass(Plain *p, double t, const double *q, const double *a, double *out)
{
    p->sys->ops->residual(p->sys, p->work, t, q, p->zero, p->zero, p->zero, p->base, NULL);
    p->sys->ops->residual(p->sys, p->work, t, q, p->zero, a, p->zero, out, NULL);
    for (int i = 0; i < p->nv; i++) out[i] -= p->base[i];
}

static inline void plain_transposed(Plain *p, double t, const double *q, const double *lambda, double *out)
{
    p->sys->ops->residual(p->sys, p->work, t, q, p->zero, p->zero, p->zero, p->base, NULL);
    p->sys->ops->residual(p->sys, p->work, t, q, p->zero, p->zero, lambda, out, NULL);
    for (int i = 0; i < p->nv; i++) out[i] -= p->base[i];
}

static inline void plain_levels(Plain *p, double t, const double *q, const double *v, double *phi,
                                double *phi_dot)
{
    p->sys->ops->levels(p->sys, p->work, t, q, v, NULL, phi, phi_dot, NULL);
}

/* x := A⁻¹ x, A (n × n) by rows; 0: singular. */
static inline int plain_solve(int n, double *a, double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (a[best * n + k] == 0) return 0;
        for (int j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double l = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= l * a[k * n + j];
            x[i] -= l * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
    return 1;
}

/* M⁻¹ x */
static inline int plain_over_mass(Plain *p, double t, const double *q, double *x)
{
    static double m[F_MOST * F_MOST];
    double e[F_MOST] = {0}, column[F_MOST];
    for (int j = 0; j < p->nv; j++) {
        e[j] = 1;
        plain_mass(p, t, q, e, column);
        e[j] = 0;
        for (int i = 0; i < p->nv; i++) m[i * p->nv + j] = column[i];
    }
    return plain_solve(p->nv, m, x);
}

typedef void Equations(Plain *p, const void *step, const double *x, double *r);

/* Newton's method with a matrix by differences: x with r(x) = 0 as far as rounding lets it. */
static inline int plain_newton(Plain *p, int n, Equations *equations, const void *step, double *x)
{
    static double jacobian[9 * F_MOST * F_MOST], r[3 * F_MOST], moved[3 * F_MOST];
    double least = 1e300;
    for (int k = 0; k < 30; k++) {
        equations(p, step, x, r);
        for (int j = 0; j < n; j++) {
            double keep = x[j], e = 1e-6 * fmax(1, fabs(keep));
            x[j] = keep + e;
            equations(p, step, x, moved);
            x[j] = keep - e;
            static double back[3 * F_MOST];
            equations(p, step, x, back);
            x[j] = keep;
            for (int i = 0; i < n; i++) jacobian[i * n + j] = (moved[i] - back[i]) / (2 * e);
        }
        if (!plain_solve(n, jacobian, r)) return 0;
        double size = 0;
        for (int i = 0; i < n; i++) {
            x[i] -= r[i];
            size = fmax(size, fabs(r[i]) / fmax(1, fabs(x[i])));
        }
        if (size < 1e-13 || (size < 1e-9 && size > 0.5 * least)) return 1;
        least = fmin(least, size);
    }
    return 0;
}

#endif
