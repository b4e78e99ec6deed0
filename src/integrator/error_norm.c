/* The weighted error of a step.
 *     ‖e‖² = 1/(2n) Σ (e_q/w_q)² + (e_v/w_v)²
 *     w_q = atol s + rtol max(|q|, s/1000)    (where q is no vector: s in place of the maximum)
 *     w_v = atol s + rtol max(|v|, v_most/1000)
 * s the coordinate's scale, |v| the larger of both ends of the step, v_most the largest of its kind (angles,
 * lengths); with control=1 those of [H] (B17): w = atol + rtol max(|·₀|, |·₁|) over both ends of the step, for positions
 * too (where q is no vector: s in place of the maximum). */
#include "integrator/error_norm.h"

#include <math.h>

#include "integrator/rows.h"

#define OF_H(it) __builtin_expect((it)->control == VG_CONTROL_PLAIN, 0)
#define INLINED  static inline __attribute__((always_inline))

/* w_q = a s + r max(|q|, f s), w_v = a s + r max(|v|, g), g for scales of 1 and for others. */
typedef struct Limits {
    const double *scale, *q, *v0, *v1;
    double a, r, f, g[2];
} Limits;

/* Largest speeds of the coordinates of scale 1 and of the others. */
INLINED void fastest(int n, const double *scale, const double *v0, const double *v1, double most[2])
{
    vgFour m0 = {0}, m1 = {0};
#define FASTEST(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour s = GET(N, scale + (i)), x = VG_SIZE_OF(GET(N, v0 + (i))), y = VG_SIZE_OF(GET(N, v1 + (i)));  \
        vgFourMask one = s == 1;                                                                             \
        x = VG_LARGER(x, y);                                                                                 \
        y = (vgFour)(~one & (vgFourMask)x & (s > 0));                                                        \
        x = (vgFour)((vgFourMask)x & one);                                                                   \
        m0 = VG_LARGER(x, m0);                                                                               \
        m1 = VG_LARGER(y, m1);                                                                               \
    } while (0)
    VG_WHOLE_FOURS(n, FASTEST);
    most[0] = VG_LARGEST(m0);
    most[1] = VG_LARGEST(m1);
}

/* q_i has the size of coordinate i */
INLINED int is_plain(const vgSystem *sys)
{
    return sys->vector_space && sys->nq == sys->nv;
}

INLINED Limits limits_of(const vgIntegrator *it, const double *q, const double *v0, const double *v1)
{
    const vgSystem *sys = it->sys;
    int plain = is_plain(sys);
    Limits l = {.scale = sys->v_scale, .q = plain ? q : sys->v_scale, .v0 = v0, .v1 = v1, .r = it->rtol};
    l.a = it->atol;
    l.f = plain ? 1e-3 : 1;
    fastest(sys->nv, l.scale, v0, v1, l.g);
    l.g[0] *= 1e-3;
    l.g[1] *= 1e-3;
    return l;
}

/* 1/w_q and 1/w_v of four coordinates, by one division; behind the last one the scale is 0 and so are they.
 */
#define WEIGHTS(N, i, l, per_q, per_v)                                                                       \
    do {                                                                                                     \
        vgFour s_ = GET(N, (l).scale + (i)), x_ = VG_SIZE_OF(GET(N, (l).q + (i))),                           \
               y_ = VG_SIZE_OF(GET(N, (l).v0 + (i))), z_ = VG_SIZE_OF(GET(N, (l).v1 + (i))), g0_ = {0},      \
               g1_ = g0_ + (l).g[1];                                                                         \
        g0_ += (l).g[0];                                                                                     \
        y_ = VG_LARGER(y_, z_);                                                                              \
        z_ = VG_EITHER(s_ != 1, g1_, g0_);                                                                   \
        y_ = VG_LARGER(y_, z_);                                                                              \
        z_ = (l).f * s_;                                                                                     \
        x_ = VG_LARGER(x_, z_);                                                                              \
        z_ = (l).a * s_;                                                                                     \
        x_ = z_ + (l).r * x_;                                                                                \
        y_ = z_ + (l).r * y_;                                                                                \
        z_ = (vgFour)((vgFourMask)(1 / (x_ * y_)) & (s_ > 0));                                               \
        per_q = y_ * z_;                                                                                     \
        per_v = x_ * z_;                                                                                     \
    } while (0)

INLINED double root_of(int n, double sum)
{
    return sqrt(sum / (2 * (n > 0 ? n : 1)));
}

/* [H] (B16)–(B18): the norm of share (x − p + c y); without p it is x, y may be NULL. */
static double VG_COLD norm_of_h(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                                const vgMiss *m, double share, const vgMissBeside *y)
{
    const vgSystem *sys = it->sys;
    double sum = 0, size[2];
    for (int i = 0; i < sys->nv; i++) {
        double e[2] = {m->x_q[i] - (m->p_q ? m->p_q[i] : 0) + (y ? y->c * y->q[i] : 0),
                       m->x_v[i] - (m->p_v ? m->p_v[i] : 0) + (y ? y->c * y->v[i] : 0)};
        size[0] = is_plain(sys) ? fmax(fabs(from->q[i]), fabs(q[i])) : sys->v_scale[i];
        size[1] = fmax(fabs(from->v[i]), fabs(v1[i]));
        for (int k = 0; k < 2; k++) {
            double part = e[k] / (it->atol + it->rtol * size[k]);
            sum += part * part;
        }
    }
    return share * root_of(sys->nv, sum);
}

VG_PASS double vg_error_norm(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                             const double *e_q, const double *e_v)
{
    int n = it->sys->nv;
    if (OF_H(it)) {
        double of_h = norm_of_h(it, q, from, v1, &(vgMiss){.x_q = e_q, .x_v = e_v}, 1, NULL);
        if (it->error_lambda && it->controlled) vg_control_note(it->controlled, n, e_q, e_v, of_h);
        return of_h;
    }
    Limits l = limits_of(it, q, from->v, v1);
    vgFour sum = {0};
#define NORM(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour x, y;                                                                                         \
        WEIGHTS(N, i, l, x, y);                                                                              \
        x *= GET(N, e_q + (i));                                                                              \
        y *= GET(N, e_v + (i));                                                                              \
        sum += x * x + y * y;                                                                                \
    } while (0)
    VG_WHOLE_FOURS(n, NORM);
    double norm = root_of(n, VG_TOTAL(sum));
    if (__builtin_expect(it->error_lambda && it->controlled, 0))
        vg_control_note(it->controlled, n, e_q, e_v, norm);
    return norm;
}

/* The error itself, where it is looked at again. */
static void VG_COLD note(vgIntegrator *it, const vgMiss *m, double norm)
{
    const double *x_q = m->x_q, *x_v = m->x_v, *p_q = m->p_q, *p_v = m->p_v, c = m->share;
    double *e_q = m->e_q, *e_v = m->e_v;
#define NOTE(N, i)                                                                                           \
    do {                                                                                                     \
        PUT(N, e_q + (i), c * (GET(N, x_q + (i)) - GET(N, p_q + (i))));                                      \
        PUT(N, e_v + (i), c * (GET(N, x_v + (i)) - GET(N, p_v + (i))));                                      \
    } while (0)
    VG_WHOLE_FOURS(it->sys->nv, NOTE);
    vg_control_note(it->controlled, it->sys->nv, e_q, e_v, norm);
}

static double VG_COLD miss_of_h(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                                const vgMiss *m)
{
    double norm = norm_of_h(it, q, from, v1, m, m->share, NULL);
    if (it->error_lambda && it->controlled) note(it, m, norm);
    return norm;
}

#define MISS_BEGIN                                                                                           \
    int n = it->sys->nv;                                                                                     \
    Limits l = limits_of(it, q, from->v, v1);                                                                \
    const double *x_q = m->x_q, *x_v = m->x_v, *p_q = m->p_q, *p_v = m->p_v;                                 \
    vgFour sum = {0}
#define MISS_END                                                                                             \
    double norm = m->share * root_of(n, VG_TOTAL(sum));                                                      \
    if (__builtin_expect(it->error_lambda && it->controlled, 0)) note(it, m, norm)

VG_PASS double vg_error_miss(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                             const vgMiss *m)
{
    if (OF_H(it)) return miss_of_h(it, q, from, v1, m);
    MISS_BEGIN;
#define MISS(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour x, y;                                                                                         \
        WEIGHTS(N, i, l, x, y);                                                                              \
        x *= GET(N, x_q + (i)) - GET(N, p_q + (i));                                                          \
        y *= GET(N, x_v + (i)) - GET(N, p_v + (i));                                                          \
        sum += x * x + y * y;                                                                                \
    } while (0)
    VG_WHOLE_FOURS(n, MISS);
    MISS_END;
    return norm;
}

VG_PASS double vg_error_misses(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                               const vgMiss *m, const vgMissBeside beside[2], double out[2])
{
    if (OF_H(it)) {
        for (int i = 0; i < 2; i++) out[i] = norm_of_h(it, q, from, v1, m, beside[i].share, &beside[i]);
        return miss_of_h(it, q, from, v1, m);
    }
    MISS_BEGIN;
    const double *low_q = beside[0].q, *low_v = beside[0].v, *high_q = beside[1].q, *high_v = beside[1].v,
                 c_low = beside[0].c, c_high = beside[1].c;
    vgFour low = {0}, high = {0};
#define MISSES(N, i)                                                                                         \
    do {                                                                                                     \
        vgFour x, y, d, e, f;                                                                                \
        WEIGHTS(N, i, l, x, y);                                                                              \
        d = GET(N, x_q + (i)) - GET(N, p_q + (i));                                                           \
        e = x * (d + c_low * GET(N, low_q + (i)));                                                           \
        f = x * (d + c_high * GET(N, high_q + (i)));                                                         \
        d *= x;                                                                                              \
        sum += d * d;                                                                                        \
        low += e * e;                                                                                        \
        high += f * f;                                                                                       \
        d = GET(N, x_v + (i)) - GET(N, p_v + (i));                                                           \
        e = y * (d + c_low * GET(N, low_v + (i)));                                                           \
        f = y * (d + c_high * GET(N, high_v + (i)));                                                         \
        d *= y;                                                                                              \
        sum += d * d;                                                                                        \
        low += e * e;                                                                                        \
        high += f * f;                                                                                       \
    } while (0)
    VG_WHOLE_FOURS(n, MISSES);
    MISS_END;
    out[0] = beside[0].share * root_of(n, VG_TOTAL(low));
    out[1] = beside[1].share * root_of(n, VG_TOTAL(high));
    return norm;
}

void vg_error_of_map(const vgSystem *sys, double h, const double *delta, const double *q, const double *v,
                     double *room, double *e_q)
{
    if (sys->vector_space) return;
    sys->ops->rates(sys, delta, q, v, room);
    for (int i = 0; i < sys->nv; i++) e_q[i] += h / 3 * (room[i] - v[i]);
}
