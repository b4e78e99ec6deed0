/* The weighted error of a step, written for vectors of four: for small systems it is a good part of what a
 * method costs beside its evaluations.
 *     ‖e‖² = 1/(2n) Σ (e_q/w_q)² + (e_v/w_v)²
 *     w_q = atol s + rtol max(|q|, s/1000)    (where q is no vector: s in place of the maximum)
 *     w_v = atol s + rtol max(|v|, v_most/1000)
 * s the coordinate's scale, |v| the larger of both ends of the step, v_most the largest of its kind (angles,
 * lengths); with control=1 those of [H] (B17): w = atol + rtol |·|. */
#include <math.h>

#include "integrator/rk.h"
#include "integrator/rows.h"

typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(32), may_alias));

/* As macros: functions of wide vectors are not the same on every machine. */
#define AT(x)           (*(const vec *)(x))
#define SIZE(x)         ((vec)((mask)(x)&0x7fffffffffffffffLL))
#define EITHER(m, a, b) ((vec)(((mask)(a) & (m)) | ((mask)(b) & ~(m))))
#define LARGER(a, b)    EITHER((a) > (b), a, b)

/* Largest speeds of the coordinates of scale 1 and of the others. */
static void fastest(const vgSystem *sys, const double *v0, const double *v1, double most[2])
{
    const double *scale = sys->v_scale;
    vec m0 = {0}, m1 = {0};
    int i = 0;
    for (; i + 4 <= sys->nv; i += 4) {
        vec x = SIZE(AT(v0 + i)), y = SIZE(AT(v1 + i));
        mask other = AT(scale + i) != 1;
        x = LARGER(x, y);
        y = (vec)((mask)x & other);
        x = (vec)((mask)x & ~other);
        m0 = LARGER(x, m0);
        m1 = LARGER(y, m1);
    }
    most[0] = vg_larger(vg_larger(m0[0], m0[1]), vg_larger(m0[2], m0[3]));
    most[1] = vg_larger(vg_larger(m1[0], m1[1]), vg_larger(m1[2], m1[3]));
    for (; i < sys->nv; i++) {
        double *m = &most[scale[i] != 1];
        *m = vg_larger(vg_larger(fabs(v0[i]), fabs(v1[i])), *m);
    }
}

/* What the weights are made of: w_q = a s + b + r max(|q|, f s), w_v = a s + b + r max(|v|, g). */
typedef struct Weights {
    double a, b, r, f, g[2];
    int plain; /* q_i has the size of coordinate i */
} Weights;

static Weights weights_of(const vgIntegrator *it, const double *v0, const double *v1)
{
    const vgSystem *sys = it->sys;
    Weights w = {.a = it->atol, .r = it->rtol, .plain = sys->vector_space && sys->nq == sys->nv};
    if (it->control == VG_CONTROL_PLAIN) {
        w.a = 0;
        w.b = it->atol;
        w.f = w.plain ? 0 : 1;
        return w;
    }
    fastest(sys, v0, v1, w.g);
    w.f = w.plain ? 1e-3 : 1;
    w.g[0] *= 1e-3;
    w.g[1] *= 1e-3;
    return w;
}

double vg_error_norm(const vgIntegrator *it, const double *q, const double *v0, const double *v1,
                     const double *e_q, const double *e_v)
{
    const vgSystem *sys = it->sys;
    const double *scale = sys->v_scale;
    Weights w = weights_of(it, v0, v1);
    vec sum4 = {0}, zero = {0}, g0 = zero + w.g[0], g1 = zero + w.g[1];
    int i = 0, n = sys->nv;
    for (; i + 4 <= n; i += 4) {
        vec s = AT(scale + i), floor = w.a * s + w.b, x = w.f * s, y = SIZE(AT(v0 + i)), z = SIZE(AT(v1 + i));
        y = LARGER(y, z);
        z = EITHER(s != 1, g1, g0);
        y = LARGER(y, z);
        if (w.plain) {
            z = SIZE(AT(q + i));
            x = LARGER(z, x);
        }
        vec wq = floor + w.r * x, wv = floor + w.r * y, a = AT(e_q + i) * wv, b = AT(e_v + i) * wq;
        wq *= wv; /* one division for both */
        sum4 += (a * a + b * b) / (wq * wq);
    }
    double sum = (sum4[0] + sum4[1]) + (sum4[2] + sum4[3]);
    for (; i < n; i++) {
        double s = scale[i], floor = w.a * s + w.b, x = w.f * s;
        if (w.plain) x = vg_larger(fabs(q[i]), x);
        double speed = vg_larger(vg_larger(fabs(v0[i]), fabs(v1[i])), w.g[s != 1]);
        double a = e_q[i] / (floor + w.r * x), b = e_v[i] / (floor + w.r * speed);
        sum += a * a + b * b;
    }
    return sqrt(sum / (2 * (n > 0 ? n : 1)));
}
