/* Steps written for one method alone, one Newton iteration a stage, on coordinates that are a vector space
 * and constraints on positions: what a stage shared by all methods is measured against. No choices, no
 * checks, no statistics; history and first guess as the methods of the list have them. */
#ifndef VERGE_BENCH_SINGLE_METHOD_H
#define VERGE_BENCH_SINGLE_METHOD_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/run/simulation.h"
#include "integrator/composite/esdirk.h"

typedef enum vgSingle { VG_SINGLE_ALPHA, VG_SINGLE_BDF2, VG_SINGLE_ESDIRK324 } vgSingle;

typedef struct Single {
    const vgSystem *sys;
    vgWork *work;
    vgState *s;
    int nv, nl;
    double *q, *v, *a, *delta, *dhat, *vhat, *r, *x, *xl, *phi, *l;
    double *past; /* what the method keeps */
} Single;

static inline double single_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One iteration at q, v, a, l: x the increment of positions, l the new multipliers. */
static inline vgStatus single_iteration(Single *w, double t, double cv, double ca, vgStageMap map)
{
    const vgSystem *sys = w->sys;
    sys->ops->residual(sys, w->work, t, w->q, w->v, w->a, w->l, w->r, w->phi);
    vgTangent p = {.t = t,
                   .q = w->q,
                   .v = w->v,
                   .a = w->a,
                   .lambda = w->l,
                   .cv = cv,
                   .ca = ca,
                   .map = map,
                   .delta = w->delta,
                   .delta_dot = w->v,
                   .reuse = 1};
    vgStatus st = sys->ops->factor(sys, w->work, &p);
    for (int i = 0; i < w->nv; i++) w->x[i] = -w->r[i] / ca;
    for (int i = 0; i < w->nl; i++) w->xl[i] = -w->phi[i];
    sys->ops->solve(sys, w->work, w->x, w->xl);
    for (int i = 0; i < w->nl; i++) w->l[i] += ca * w->xl[i];
    return st;
}

/* Generalized-α, ρ∞ = 0.9; past: ā, a and λ one and two steps ago. */
static inline vgStatus single_alpha(Single *w, double h)
{
    const double rho = 0.9, am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), gamma = 0.5 - am + af,
                 beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    const double k0 = af / (1 - am), k1 = am / (1 - am), k2 = (1 - af) / (1 - am);
    double cv = gamma / (h * beta), ca = 1 / (h * h * beta * k2);
    int nv = w->nv, nl = w->nl;
    double *abar = w->past, *a1 = abar + nv, *a2 = a1 + nv, *l1 = a2 + nv, *l2 = l1 + nl;
    vgState *s = w->s;
    for (int i = 0; i < nv; i++) {
        double free_part = k0 * s->a[i] - k1 * abar[i], guess = 3 * s->a[i] - 3 * a1[i] + a2[i];
        w->dhat[i] = h * s->v[i] + h * h * (0.5 - beta) * abar[i] + h * h * beta * free_part;
        w->vhat[i] = s->v[i] + h * (1 - gamma) * abar[i] + h * gamma * free_part;
        double d = h * h * beta * k2 * guess;
        w->delta[i] = w->dhat[i] + d;
        w->q[i] = s->q[i] + w->delta[i];
        w->v[i] = w->vhat[i] + cv * d;
        w->a[i] = ca * d;
    }
    for (int i = 0; i < nl; i++) w->l[i] = 3 * s->lambda[i] - 3 * l1[i] + l2[i];
    vgStatus st = single_iteration(w, s->t + h, cv, ca, VG_STAGE_NEWMARK);
    for (int i = 0; i < nv; i++) {
        double d = w->delta[i] + w->x[i], a = ca * (d - w->dhat[i]);
        s->q[i] += d;
        s->v[i] = w->vhat[i] + cv * (d - w->dhat[i]);
        abar[i] = k0 * s->a[i] - k1 * abar[i] + k2 * a;
        a2[i] = a1[i];
        a1[i] = s->a[i];
        s->a[i] = a;
    }
    memcpy(l2, l1, (size_t)nl * sizeof(double));
    memcpy(l1, s->lambda, (size_t)nl * sizeof(double));
    memcpy(s->lambda, w->l, (size_t)nl * sizeof(double));
    s->t += h;
    return st;
}

/* Backward differences of order 2; past: q, v, a one step ago. */
static inline vgStatus single_bdf2(Single *w, double h)
{
    double b = 2 * h / 3, cv = 1 / b;
    int nv = w->nv;
    double *q1 = w->past, *v1 = q1 + nv, *a1 = v1 + nv;
    vgState *s = w->s;
    for (int i = 0; i < nv; i++) {
        double guess = -12 / h * (s->v[i] - v1[i]) + 8 * s->a[i] + 5 * a1[i];
        w->dhat[i] = (s->q[i] - q1[i]) / 3;
        w->vhat[i] = (4 * s->v[i] - v1[i]) / 3;
        w->v[i] = w->vhat[i] + b * guess;
        w->delta[i] = w->dhat[i] + b * w->v[i];
        w->q[i] = s->q[i] + w->delta[i];
        w->a[i] = guess;
    }
    memcpy(w->l, s->lambda, (size_t)w->nl * sizeof(double));
    vgStatus st = single_iteration(w, s->t + h, cv, cv * cv, VG_STAGE_FIRST);
    for (int i = 0; i < nv; i++) {
        double d = w->delta[i] + w->x[i], v = cv * (d - w->dhat[i]);
        q1[i] = s->q[i];
        v1[i] = s->v[i];
        a1[i] = s->a[i];
        s->q[i] += d;
        s->v[i] = v;
        s->a[i] = cv * (v - w->vhat[i]);
    }
    memcpy(s->lambda, w->l, (size_t)w->nl * sizeof(double));
    s->t += h;
    return st;
}

/* ESDIRK3(2)4L[2]SA; past: Δ, v, a of the four stages. */
static inline vgStatus single_esdirk(Single *w, const vgDirkTableau *tb, double h)
{
    int nv = w->nv;
    vgState *s = w->s;
    double *D = w->past, *V = D + 4 * nv, *A = V + 4 * nv;
    vgStatus st = VG_OK;
    memset(D, 0, (size_t)nv * sizeof(double));
    memcpy(V, s->v, (size_t)nv * sizeof(double));
    memcpy(A, s->a, (size_t)nv * sizeof(double));
    memcpy(w->l, s->lambda, (size_t)w->nl * sizeof(double));
    for (int k = 1; k < 4 && st == VG_OK; k++) {
        double b = h * tb->a[k][k], cv = 1 / b;
        const double *d0 = D + (k - 1) * nv, *v0 = V + (k - 1) * nv, *a0 = A + (k - 1) * nv;
        for (int i = 0; i < nv; i++) {
            double dhat = 0, vhat = s->v[i];
            for (int j = 0; j < k; j++) {
                dhat += h * tb->a[k][j] * V[j * nv + i];
                vhat += h * tb->a[k][j] * A[j * nv + i];
            }
            w->dhat[i] = dhat;
            w->vhat[i] = vhat;
        }
        if (k == 1) {
            for (int i = 0; i < nv; i++) w->delta[i] = w->dhat[i] + b * (w->vhat[i] + b * a0[i]);
        } else { /* rates by the cubic through two stages */
            double dt = (tb->c[k] - tb->c[k - 1]) * h, r = dt / ((tb->c[k - 1] - tb->c[k - 2]) * h),
                   m = -6 * r * r * (1 + r) / dt, n0 = (1 + r) * (1 + 3 * r), n1 = r * (2 + 3 * r);
            for (int i = 0; i < nv; i++)
                w->delta[i] = w->dhat[i] + b * (m * (d0[i] - d0[i - nv]) + n0 * v0[i] + n1 * v0[i - nv]);
        }
        for (int i = 0; i < nv; i++) {
            w->q[i] = s->q[i] + w->delta[i];
            w->v[i] = cv * (w->delta[i] - w->dhat[i]);
            w->a[i] = cv * (w->v[i] - w->vhat[i]);
        }
        st = single_iteration(w, s->t + tb->c[k] * h, cv, cv * cv, VG_STAGE_FIRST);
        for (int i = 0; i < nv; i++) {
            double d = w->delta[i] + w->x[i], v = cv * (d - w->dhat[i]);
            D[k * nv + i] = d;
            V[k * nv + i] = v;
            A[k * nv + i] = cv * (v - w->vhat[i]);
        }
    }
    for (int i = 0; i < nv; i++) {
        s->q[i] += D[3 * nv + i];
        s->v[i] = V[3 * nv + i];
        s->a[i] = A[3 * nv + i];
    }
    memcpy(s->lambda, w->l, (size_t)w->nl * sizeof(double));
    s->t += h;
    return st;
}

static inline void single_begin(Single *w, vgSingle method, double h)
{
    int nv = w->nv, nl = w->nl;
    vgState *s = w->s;
    for (int i = 0; i < nv; i++) {
        if (method == VG_SINGLE_ALPHA) w->past[i] = w->past[nv + i] = w->past[2 * nv + i] = s->a[i];
        if (method != VG_SINGLE_BDF2) continue;
        w->past[i] = s->q[i] - h * s->v[i] + 0.5 * h * h * s->a[i];
        w->past[nv + i] = s->v[i] - h * s->a[i];
        w->past[2 * nv + i] = s->a[i];
    }
    for (int i = 0; i < nl && method == VG_SINGLE_ALPHA; i++)
        w->past[3 * nv + i] = w->past[3 * nv + nl + i] = s->lambda[i];
}

/* n steps of the squeezer or another planar model: seconds of processor time; < 0 when they failed. */
static inline double vg_single_run(const vgModel *m, vgSingle method, double h, int n)
{
    vgSimulation sim;
    vgDirkTableau tb;
    if (vg_simulation_open(m, &(vgDials){"planar", "index3", "generalized-alpha"}, NULL, &sim) != VG_OK)
        return -1;
    size_t nv = (size_t)sim.sys->nv, nl = (size_t)sim.sys->nl;
    double *block = calloc(8 * nv + 3 * nl + 12 * nv + 2 * nl, sizeof(double)), *at = block;
    Single w = {.sys = sim.sys, .work = sim.it->work, .s = sim.state, .nv = (int)nv, .nl = (int)nl};
    double **field[] = {&w.q, &w.v, &w.a, &w.delta, &w.dhat, &w.vhat, &w.r, &w.x};
    for (int i = 0; i < 8; i++, at += nv) *field[i] = at;
    w.xl = at;
    w.phi = w.xl + nl;
    w.l = w.phi + nl;
    w.past = w.l + nl;
    vg_dirk_324(0, &tb);
    vg_work_bind(w.work, w.s);
    single_begin(&w, method, h);
    vgStatus st = VG_OK;
    double start = single_now();
    for (int i = 0; i < n && st == VG_OK; i++)
        st = method == VG_SINGLE_ALPHA  ? single_alpha(&w, h)
             : method == VG_SINGLE_BDF2 ? single_bdf2(&w, h)
                                        : single_esdirk(&w, &tb, h);
    double seconds = single_now() - start;
    free(block);
    vg_simulation_close(&sim);
    return st == VG_OK ? seconds : -1;
}

#endif
