/* The weighted error of a step.
 *     ‖e‖² = 1/(2n) Σ (e_q/w_q)² + (e_v/w_v)²
 *     w_q = atol s + rtol max(|q|, s/1000)    (where q is no vector: s in place of the maximum)
 *     w_v = atol s + rtol max(|v|, v_most/1000)
 * s the coordinate's scale, |v| the larger of both ends of the step, v_most the largest of its kind (angles,
 * lengths); with control=1 those of [H] (B17): w = atol + rtol |·|. */
#include <math.h>

#include "integrator/rk.h"
#include "integrator/rows.h"

/* Largest speeds of the coordinates of scale 1 and of the others. */
static void fastest(const vgSystem *sys, const double *v0, const double *v1, double most[2])
{
    const double *scale = sys->v_scale;
    vgFour m0 = {0}, m1 = {0};
#define FASTEST(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour x = VG_SIZE_OF(GET(N, v0 + (i))), y = VG_SIZE_OF(GET(N, v1 + (i)));                           \
        vgFourMask other = GET(N, scale + (i)) != 1;                                                         \
        x = VG_LARGER(x, y);                                                                                 \
        y = (vgFour)((vgFourMask)x & other);                                                                 \
        x = (vgFour)((vgFourMask)x & ~other);                                                                \
        m0 = VG_LARGER(x, m0);                                                                               \
        m1 = VG_LARGER(y, m1);                                                                               \
    } while (0)
    VG_FOURS(sys->nv, FASTEST);
    most[0] = VG_LARGEST(m0);
    most[1] = VG_LARGEST(m1);
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

/* Behind what is left over, errors of 0 have a weight too. */
#define BEHIND(N, w) BEHIND_##N(w)
#define BEHIND_4(w)  (w)
#define BEHIND_2(w)  ((w) + (vgFour){0, 0, 1, 1})
#define BEHIND_1(w)  ((w) + (vgFour){0, 1, 1, 1})

double vg_error_norm(vgIntegrator *it, const double *q, const double *v0, const double *v1, const double *e_q,
                     const double *e_v)
{
    const vgSystem *sys = it->sys;
    const double *scale = sys->v_scale;
    Weights w = weights_of(it, v0, v1);
    vgFour sum = {0}, g0 = sum + w.g[0], g1 = sum + w.g[1];
    int n = sys->nv;
#define NORM(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour s = GET(N, scale + (i)), floor = w.a * s + w.b, x = w.f * s,                                  \
               y = VG_SIZE_OF(GET(N, v0 + (i))), z = VG_SIZE_OF(GET(N, v1 + (i)));                           \
        y = VG_LARGER(y, z);                                                                                 \
        z = VG_EITHER(s != 1, g1, g0);                                                                       \
        y = VG_LARGER(y, z);                                                                                 \
        if (w.plain) {                                                                                       \
            z = VG_SIZE_OF(GET(N, q + (i)));                                                                 \
            x = VG_LARGER(z, x);                                                                             \
        }                                                                                                    \
        vgFour wq = BEHIND(N, floor + w.r * x), wv = BEHIND(N, floor + w.r * y), a = GET(N, e_q + (i)) * wv, \
               b = GET(N, e_v + (i)) * wq;                                                                   \
        wq *= wv; /* one division for both */                                                                \
        sum += (a * a + b * b) / (wq * wq);                                                                  \
    } while (0)
    VG_FOURS(n, NORM);
    double norm = sqrt(VG_TOTAL(sum) / (2 * (n > 0 ? n : 1)));
    it->rough = norm;
    if (it->singular && norm > 1) norm = 1; /* smaller steps would only come closer to it */
    if (it->error_lambda && it->controlled) vg_control_note(it->controlled, n, e_q, e_v, norm);
    return norm;
}
