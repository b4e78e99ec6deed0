/* The claims every primitive and every measure must meet, at any motion of its two bodies. */
#ifndef VERGE_TESTS_ELEMENT_PRIM_CHECK_H
#define VERGE_TESTS_ELEMENT_PRIM_CHECK_H

#include "element/motion.h"
#include "element/prim/prim.h"
#include "test.h"

enum { PRIM_ALL = VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE | VG_PRIM_BIAS };

typedef struct primPair {
    vgKin a, b;
} primPair;

static inline primPair pair_moved(const primPair *k, const double d[12], double s)
{
    return (primPair){motion_moved(&k->a, d, s), motion_moved(&k->b, d + 6, s)};
}

static inline primPair pair_at(const primPair *k, double t)
{
    return (primPair){motion_at(&k->a, t), motion_at(&k->b, t)};
}

static inline void pair_velocity(const primPair *k, double xi[12])
{
    vg_store3(k->a.v, xi);
    vg_store3(k->a.w, xi + 3);
    vg_store3(k->b.v, xi + 6);
    vg_store3(k->b.w, xi + 9);
}

static inline void pair_acceleration(const primPair *k, double dxi[12])
{
    vg_store3(k->a.dv, dxi);
    vg_store3(k->a.dw, dxi + 3);
    vg_store3(k->b.dv, dxi + 6);
    vg_store3(k->b.dw, dxi + 9);
}

static inline double prim_row(const vgPrimOut *out, int i, const double d[12])
{
    double sum = 0;
    for (int j = 0; j < 6; j++) sum += out->Ba[i][j] * d[j] + out->Bb[i][j] * d[6 + j];
    return sum;
}

/* Richardson difference of a number along the native direction d. */
static inline double pair_slope(double (*f)(void *, const primPair *), void *user, const primPair *k,
                                const double d[12], double h)
{
    primPair x1 = pair_moved(k, d, h), x2 = pair_moved(k, d, -h), x3 = pair_moved(k, d, h / 2),
             x4 = pair_moved(k, d, -h / 2);
    return motion_richardson(f(user, &x1), f(user, &x2), f(user, &x3), f(user, &x4), h);
}

typedef struct primProbe {
    const vgPrim *p;
    double t;
    int row, column;
    double lambda[3];
} primProbe;

static inline double probe_phi(void *user, const primPair *k)
{
    primProbe *w = user;
    vgPrimOut out;
    vg_prim_eval(w->p, w->t, &k->a, &k->b, VG_PRIM_VALUE, &out);
    return out.phi[w->row];
}

static inline double probe_dot(void *user, const primPair *k)
{
    primProbe *w = user;
    vgPrimOut out;
    vg_prim_eval(w->p, w->t, &k->a, &k->b, VG_PRIM_RATE, &out);
    return out.dot[w->row];
}

static inline double probe_wrench(void *user, const primPair *k)
{
    primProbe *w = user;
    vgPrimOut out;
    double sum = 0, unit[12] = {0};
    unit[w->column] = 1;
    vg_prim_eval(w->p, w->t, &k->a, &k->b, VG_PRIM_GRADIENT, &out);
    for (int i = 0; i < w->p->rows; i++) sum += w->lambda[i] * prim_row(&out, i, unit);
    return sum;
}

/* The velocity of B's material point at the contact relative to A, along row i's direction, from first
 * principles: that point is frozen in B, its coordinates in A are differenced in time. */
static inline double prim_slip_velocity(const vgPrim *p, int i, const primPair *k)
{
    vgVec3 c_B = p->rb;
    vgVec3 e = i == 0 ? p->wa : p->wb;
    if (p->kind == VG_PRIM_ROLLING) { /* the rim point farthest against the normal, in B */
        vgVec3 n_B = vg_mtv3(k->b.R, vg_mv3(k->a.R, p->ua));
        vgVec3 down = vg_sub3(vg_scale3(p->ub, vg_dot3(n_B, p->ub)), n_B);
        c_B = vg_axpy3(p->c, vg_unit3(down), c_B);
    } else {
        e = vg_mtv3(k->a.R, vg_mv3(k->b.R, p->ub));
    }
    double h = 1e-3, at[4];
    const double times[4] = {h, -h, h / 2, -h / 2};
    for (int j = 0; j < 4; j++) {
        primPair x = pair_at(k, times[j]);
        at[j] = vg_dot3(e, vg_mtv3(x.a.R, vg_sub3(vg_kin_point(&x.b, c_B), x.a.p)));
    }
    return motion_richardson(at[0], at[1], at[2], at[3], h);
}

/* Gradient, rate, bias, stiffness and drate of a primitive (not MEASURE) at the motion k. */
static inline void prim_check(const vgPrim *p, const primPair *k, double scale)
{
    vgPrimOut out;
    double xi[12], dxi[12], K[144] = {0}, D[VG_PRIM_MAX_ROWS][12], h = 2e-3;
    primProbe w = {p, 0.4, 0, 0, {0.7, -1.1, 0.4}};
    vg_prim_eval(p, w.t, &k->a, &k->b, PRIM_ALL, &out);
    vg_prim_stiffness(p, &k->a, &k->b, w.lambda, K);
    vg_prim_drate(p, &k->a, &k->b, D);
    pair_velocity(k, xi);
    pair_acceleration(k, dxi);
    for (w.row = 0; w.row < p->rows; w.row++) {
        int i = w.row;
        primPair still = *k;
        still.a.v = still.a.w = still.b.v = still.b.w = vg_zero3();
        vgPrimOut rest;
        vg_prim_eval(p, w.t, &still.a, &still.b, VG_PRIM_RATE, &rest); /* −ḟ or −f */
        CHECK_NEAR(out.dot[i], prim_row(&out, i, xi) + rest.dot[i], 1e-13 * scale);
        if (p->level == 1) CHECK_NEAR(out.phi[i] - rest.dot[i], prim_slip_velocity(p, i, k), 1e-9 * scale);
        double at[4];
        const double times[4] = {h, -h, h / 2, -h / 2};
        for (int j = 0; j < 4; j++) {
            primPair x = pair_at(k, times[j]);
            primProbe later = w;
            later.t += times[j];
            at[j] = probe_dot(&later, &x);
        }
        CHECK_NEAR(prim_row(&out, i, dxi) + out.bias[i], motion_richardson(at[0], at[1], at[2], at[3], h),
                   2e-9 * scale);
        for (w.column = 0; w.column < 12; w.column++) {
            double unit[12] = {0};
            unit[w.column] = 1;
            if (p->level == 0)
                CHECK_NEAR(prim_row(&out, i, unit), pair_slope(probe_phi, &w, k, unit, h), 1e-9 * scale);
            CHECK_NEAR(D[i][w.column], pair_slope(probe_dot, &w, k, unit, h), 2e-9 * scale);
        }
    }
    for (w.column = 0; w.column < 12; w.column++)
        for (int j = 0; j < 12; j++) {
            double unit[12] = {0};
            unit[j] = 1;
            CHECK_NEAR(K[w.column * 12 + j], pair_slope(probe_wrench, &w, k, unit, h), 2e-9 * scale);
        }
}

typedef struct measureProbe {
    const vgMeasure *m;
    double turn;
    int what; /* 0 value, 1 rate, 2.. gradient component − 2 */
} measureProbe;

static inline double probe_measure(void *user, const primPair *k)
{
    measureProbe *w = user;
    vgMeasureOut out;
    vg_measure_eval(w->m, &k->a, &k->b, w->turn, 1, &out);
    return w->what == 0 ? out.value : w->what == 1 ? out.rate : out.grad[w->what - 2];
}

/* Gradient, rate, bias, drate and hessian of a measure. columns: which native components the bodies have. */
static inline void measure_check(const vgMeasure *m, const primPair *k, double turn, const vgSelect *select,
                                 double scale)
{
    vgMeasureOut out, less;
    double xi[12], dxi[12], H[144] = {0}, h = 2e-3, rate = 0, acc = 0, at[4];
    vg_measure_eval(m, &k->a, &k->b, turn, 2, &out);
    vg_measure_eval(m, &k->a, &k->b, turn, 0, &less);
    CHECK(less.value == out.value && less.rate == out.rate);
    vg_measure_hessian(m, &k->a, &k->b, 0, 1.5, H);
    pair_velocity(k, xi);
    pair_acceleration(k, dxi);
    for (int j = 0; j < 12; j++) rate += out.grad[j] * xi[j], acc += out.grad[j] * dxi[j];
    CHECK_NEAR(out.rate, rate, 1e-13 * scale);
    const double times[4] = {h, -h, h / 2, -h / 2};
    measureProbe w = {m, out.value, 1};
    for (int j = 0; j < 4; j++) {
        primPair x = pair_at(k, times[j]);
        at[j] = probe_measure(&w, &x);
    }
    CHECK_NEAR(acc + out.bias, motion_richardson(at[0], at[1], at[2], at[3], h), 5e-9 * scale);
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < select->n; c++) {
            int j = 6 * side + select->at[c];
            double unit[12] = {0};
            unit[j] = 1;
            w.what = 0;
            CHECK_NEAR(out.grad[j], pair_slope(probe_measure, &w, k, unit, h), 2e-9 * scale);
            w.what = 1;
            CHECK_NEAR(out.drate[j], pair_slope(probe_measure, &w, k, unit, h), 5e-9 * scale);
            for (int s = 0; s < 2; s++)
                for (int d = 0; d < select->n; d++) {
                    int i = 6 * s + select->at[d];
                    w.what = 2 + i;
                    CHECK_NEAR(H[i * 12 + j], 1.5 * pair_slope(probe_measure, &w, k, unit, h), 5e-9 * scale);
                }
        }
}

#endif
