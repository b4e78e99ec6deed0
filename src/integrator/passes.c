#include "integrator/passes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "integrator/rows.h"

typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(32), may_alias));

/* As macros: functions of wide vectors are not the same on every machine. */
#define AT(x)      (*(const vec *)(x))
#define TO(x)      (*(vec *)(x))
#define SIZE(x)    ((vec)((mask)(x)&0x7fffffffffffffffLL))
#define MOST(m, y) ((m) = (vec)(((mask)(y) & ((y) > (m))) | ((mask)(m) & ~((y) > (m)))))

void vg_pass_copy(int n, const double *x, double *out)
{
    int i = 0;
    if (n > 64) {
        memcpy(out, x, (size_t)n * sizeof(double));
        return;
    }
    for (; i + 4 <= n; i += 4) TO(out + i) = AT(x + i);
    for (; i < n; i++) out[i] = x[i];
}

void vg_pass_scale(int n, double c, const double *x, double *out)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) TO(out + i) = c * AT(x + i);
    for (; i < n; i++) out[i] = c * x[i];
}

void vg_pass_add(int n, double c, const double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) TO(y + i) += c * AT(x + i);
    for (; i < n; i++) y[i] += c * x[i];
}

void vg_pass_difference(int n, double c, const double *x, const double *y, double *out)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) TO(out + i) = c * (AT(x + i) - AT(y + i));
    for (; i < n; i++) out[i] = c * (x[i] - y[i]);
}

/* What is gathered on the way, in registers: largest numbers, and a sum that is finite if all are. */
#define GATHER_BEGIN                                                                                         \
    vec most_x = {0}, most_t = {0}, most_a = {0}, sum = {0};                                                 \
    double one_x = 0, one_t = 0, one_a = 0, one_sum = 0
#define GATHER(x_, a_, unit_, closes_)                                                                       \
    do {                                                                                                     \
        vec x4 = SIZE(x_), y4 = x4 * (unit_), z4 = x4 * (closes_), a4 = SIZE(a_) * (unit_);                  \
        MOST(most_x, y4);                                                                                    \
        MOST(most_t, z4);                                                                                    \
        MOST(most_a, a4);                                                                                    \
        sum += y4;                                                                                           \
    } while (0)
#define GATHER_ONE(x_, a_, unit_, closes_)                                                                   \
    do {                                                                                                     \
        double x4 = fabs(x_), y4 = x4 * (unit_), z4 = x4 * (closes_), a4 = fabs(a_) * (unit_);               \
        one_x = y4 > one_x ? y4 : one_x;                                                                     \
        one_t = z4 > one_t ? z4 : one_t;                                                                     \
        one_a = a4 > one_a ? a4 : one_a;                                                                     \
        one_sum += y4;                                                                                       \
    } while (0)
#define LARGEST(m, one) larger_of(larger_of(larger_of(m[0], m[1]), larger_of(m[2], m[3])), one)
#define GATHER_END(out)                                                                                      \
    do {                                                                                                     \
        double all = one_sum + ((sum[0] + sum[1]) + (sum[2] + sum[3]));                                      \
        (out)->x = all - all == 0 ? LARGEST(most_x, one_x) : NAN;                                            \
        (out)->turned = LARGEST(most_t, one_t);                                                              \
        (out)->a = LARGEST(most_a, one_a);                                                                   \
    } while (0)

static inline double larger_of(double a, double b)
{
    return a > b ? a : b;
}

void vg_pass_sizes(int n, const double *x, const double *a, const double *unit, const double *closes,
                   vgSizes *out)
{
    GATHER_BEGIN;
    int i = 0;
    for (; i + 4 <= n; i += 4) GATHER(AT(x + i), AT(a + i), AT(unit + i), AT(closes + i));
    for (; i < n; i++) GATHER_ONE(x[i], a[i], unit[i], closes[i]);
    GATHER_END(out);
}

static void states(int n, const vgMove *m)
{
    const double *w = m->w, *q_r = m->q_r, *dhat = m->dhat, *vhat = m->vhat, *delta = m->delta, cv = m->cv;
    double *q = m->q, *rate = m->rate, *v = m->v, *a = m->a;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        vec d = AT(delta + i), r = cv * (d - AT(dhat + i));
        TO(q + i) = AT(q_r + i) + d;
        TO(rate + i) = r;
        if (w) r -= AT(w + i);
        TO(v + i) = r;
        TO(a + i) = cv * (r - AT(vhat + i));
    }
    for (; i < n; i++) {
        double r = cv * (delta[i] - dhat[i]);
        q[i] = q_r[i] + delta[i];
        rate[i] = r;
        if (w) r -= w[i];
        v[i] = r;
        a[i] = cv * (r - vhat[i]);
    }
}

void vg_pass_move(int n, const vgMove *m, vgSizes *out)
{
    if (!m->x) {
        states(n, m);
        return;
    }
    const double *x = m->x, *w = m->w, *q_r = m->q_r, *dhat = m->dhat, *vhat = m->vhat, *unit = m->unit,
                 *closes = m->closes, cv = m->cv;
    double *delta = m->delta, *q = m->q, *rate = m->rate, *v = m->v, *a = m->a;
    GATHER_BEGIN;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        vec y = AT(x + i), d = AT(delta + i) + y, r = cv * (d - AT(dhat + i));
        GATHER(y, AT(a + i), AT(unit + i), AT(closes + i));
        TO(delta + i) = d;
        TO(q + i) = AT(q_r + i) + d;
        TO(rate + i) = r;
        if (w) r -= AT(w + i);
        TO(v + i) = r;
        TO(a + i) = cv * (r - AT(vhat + i));
    }
    for (; i < n; i++) {
        double d = delta[i] + x[i], r = cv * (d - dhat[i]);
        GATHER_ONE(x[i], a[i], unit[i], closes[i]);
        delta[i] = d;
        q[i] = q_r[i] + d;
        rate[i] = r;
        if (w) r -= w[i];
        v[i] = r;
        a[i] = cv * (r - vhat[i]);
    }
    GATHER_END(out);
}

static void states_newmark(int n, const vgMove *m, double ca)
{
    const double *q_r = m->q_r, *dhat = m->dhat, *vhat = m->vhat, *delta = m->delta, cv = m->cv;
    double *q = m->q, *v = m->v, *a = m->a;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        vec d = AT(delta + i), r = d - AT(dhat + i);
        TO(q + i) = AT(q_r + i) + d;
        TO(v + i) = AT(vhat + i) + cv * r;
        TO(a + i) = ca * r;
    }
    for (; i < n; i++) {
        double r = delta[i] - dhat[i];
        q[i] = q_r[i] + delta[i];
        v[i] = vhat[i] + cv * r;
        a[i] = ca * r;
    }
}

void vg_pass_move_newmark(int n, const vgMove *m, double ca, vgSizes *out)
{
    if (!m->x) {
        states_newmark(n, m, ca);
        return;
    }
    const double *x = m->x, *q_r = m->q_r, *dhat = m->dhat, *vhat = m->vhat, *unit = m->unit,
                 *closes = m->closes, cv = m->cv;
    double *delta = m->delta, *q = m->q, *v = m->v, *a = m->a;
    GATHER_BEGIN;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        vec y = AT(x + i), d = AT(delta + i) + y, r = d - AT(dhat + i);
        GATHER(y, AT(a + i), AT(unit + i), AT(closes + i));
        TO(delta + i) = d;
        TO(q + i) = AT(q_r + i) + d;
        TO(v + i) = AT(vhat + i) + cv * r;
        TO(a + i) = ca * r;
    }
    for (; i < n; i++) {
        double d = delta[i] + x[i], r = d - dhat[i];
        GATHER_ONE(x[i], a[i], unit[i], closes[i]);
        delta[i] = d;
        q[i] = q_r[i] + d;
        v[i] = vhat[i] + cv * r;
        a[i] = ca * r;
    }
    GATHER_END(out);
}

double vg_pass_advance(int n, const vgMove *m, const double *delta_old)
{
    const double *x = m->x, *w = m->w, *q_r = m->q_r, *unit = m->unit, cv = m->cv;
    double *delta = m->delta, *q = m->q, *rate = m->rate, *v = m->v;
    vec most = {0}, sum = {0};
    double one = 0, one_sum = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        vec y = AT(x + i), d = AT(delta_old + i) + y, r = AT(rate + i) + cv * y;
        TO(delta + i) = d;
        TO(q + i) = AT(q_r + i) + d;
        TO(rate + i) = r;
        TO(v + i) = r - AT(w + i);
        y = SIZE(y) * AT(unit + i);
        MOST(most, y);
        sum += y;
    }
    for (; i < n; i++) {
        double y = x[i], d = delta_old[i] + y, r = rate[i] + cv * y;
        delta[i] = d;
        q[i] = q_r[i] + d;
        rate[i] = r;
        v[i] = r - w[i];
        y = fabs(y) * unit[i];
        one = larger_of(y, one);
        one_sum += y;
    }
    double all = one_sum + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    return all - all == 0 ? LARGEST(most, one) : NAN;
}
