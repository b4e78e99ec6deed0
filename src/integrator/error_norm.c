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
static inline void fastest(const vgSystem *sys, const double *v0, const double *v1, double most[2])
{
    const double *scale = sys->v_scale;
    vgFour m0 = {0}, m1 = {0};
#define FASTEST(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour s = GET(N, scale + (i)), x = VG_SIZE_OF(GET(N, v0 + (i))), y = VG_SIZE_OF(GET(N, v1 + (i)));  \
        x = VG_LARGER(x, y);                                                                                 \
        y = (vgFour)((vgFourMask)x & (s != 1) & (s > 0));                                                    \
        x = (vgFour)((vgFourMask)x & (s == 1));                                                              \
        m0 = VG_LARGER(x, m0);                                                                               \
        m1 = VG_LARGER(y, m1);                                                                               \
    } while (0)
    VG_WHOLE_FOURS(sys->nv, FASTEST);
    most[0] = VG_LARGEST(m0);
    most[1] = VG_LARGEST(m1);
}

double vg_error_norm(vgIntegrator *it, const double *q, const double *v0, const double *v1, const double *e_q,
                     const double *e_v)
{
    const vgSystem *sys = it->sys;
    const double *scale = sys->v_scale, r = it->rtol;
    /* w_q = a s + b + r max(|q|, f s), w_v = a s + b + r max(|v|, g); plain: q_i has the size of coordinate i
     */
    double a = it->atol, b = 0, f = 1, g[2] = {0};
    int n = sys->nv, plain = sys->vector_space && sys->nq == n;
    if (it->control == VG_CONTROL_PLAIN) {
        b = a;
        a = 0;
        if (plain) f = 0;
    } else {
        fastest(sys, v0, v1, g);
        if (plain) f = 1e-3;
    }
    if (!plain) q = scale;
    vgFour sum = {0}, g0 = sum + 1e-3 * g[0], g1 = sum + 1e-3 * g[1];
    /* one division for both; behind the last coordinate the scale is 0 and nothing counts */
#define NORM(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour s = GET(N, scale + (i)), x = VG_SIZE_OF(GET(N, q + (i))), y = VG_SIZE_OF(GET(N, v0 + (i))),   \
               z = VG_SIZE_OF(GET(N, v1 + (i)));                                                             \
        y = VG_LARGER(y, z);                                                                                 \
        z = VG_EITHER(s != 1, g1, g0);                                                                       \
        y = VG_LARGER(y, z);                                                                                 \
        z = f * s;                                                                                           \
        x = VG_LARGER(x, z);                                                                                 \
        z = a * s + b;                                                                                       \
        x = z + r * x;                                                                                       \
        y = z + r * y;                                                                                       \
        vgFour p = GET(N, e_q + (i)) * y, k = GET(N, e_v + (i)) * x;                                         \
        x *= y;                                                                                              \
        p = (p * p + k * k) / (x * x);                                                                       \
        sum += (vgFour)((vgFourMask)p & (s > 0));                                                            \
    } while (0)
    VG_WHOLE_FOURS(n, NORM);
    double norm = sqrt(VG_TOTAL(sum) / (2 * (n > 0 ? n : 1)));
    it->rough = norm;
    if (it->singular && norm > 1) norm = 1; /* smaller steps would only come closer to it */
    if (it->error_lambda && it->controlled) vg_control_note(it->controlled, n, e_q, e_v, norm);
    return norm;
}
