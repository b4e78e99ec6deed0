/* Measures: value, rate, gradient, bias and second derivative.
 *
 * Each is a function of bilinear quantities of points and vectors on the two bodies.
 *   ANGLE     θ = atan2(s, c), c = xA·xB, s = yA·xB; with ρ = c² + s²
 *             θ_c = −s/ρ, θ_s = c/ρ, θ_cc = −θ_ss = 2cs/ρ², θ_cs = (s² − c²)/ρ²
 *             (exact also where xB has left the plane of the angle: universal joints, unassembled ones)
 *   POSITION  u·(P_B − P_A), u = a column of frame A
 *   DISTANCE  |P_B − P_A|
 *   INCLINE   arcsin c, c = xA·xB; φ_c = 1/√(1−c²), φ_cc = c/(1−c²)^{3/2} */
#include "element/prim/measure.h"
#include "base/expect.h"

#include <string.h>

/* Up to two vectors and one point on A, one vector and one point on B, with a function of them: gradient g
 * and its change along a motion of the atoms. */
typedef struct atoms {
    vgVec3 xA, yA, PA, xB, PB; /* in W, or gradients, or changes */
} atoms;

static const vgVec3 none = {0, 0, 0};

static double nearest_turn(double angle, double reference)
{
    const double turn = 6.283185307179586476925286766559;
    return angle + turn * round((reference - angle) / turn);
}

/* Body-fixed vectors of the atoms, so that one function makes W values, rates, and changes of either. */
static atoms body_atoms(const vgMeasure *m)
{
    atoms b = {none, none, none, none, none};
    if (m->kind == VG_MEASURE_ANGLE || m->kind == VG_MEASURE_INCLINE) {
        b.xA = vg_col3(m->A.R, 0);
        b.yA = vg_col3(m->A.R, 1);
        b.xB = vg_col3(m->B.R, 0);
    } else {
        b.xA = vg_col3(m->A.R, m->kind == VG_MEASURE_POSITION ? m->axis : 2);
        b.PA = m->A.r;
        b.PB = m->B.r;
    }
    return b;
}

static atoms turned(const vgKin *ka, const vgKin *kb, const atoms *b, vgVec3 tA, vgVec3 tB)
{
    return (atoms){vg_mv3(ka->R, vg_cross3(tA, b->xA)), vg_mv3(ka->R, vg_cross3(tA, b->yA)),
                   vg_mv3(ka->R, vg_cross3(tA, b->PA)), vg_mv3(kb->R, vg_cross3(tB, b->xB)),
                   vg_mv3(kb->R, vg_cross3(tB, b->PB))};
}

static atoms placed(const vgKin *ka, const vgKin *kb, const atoms *b)
{
    return (atoms){vg_mv3(ka->R, b->xA), vg_mv3(ka->R, b->yA), vg_kin_point(ka, b->PA), vg_mv3(kb->R, b->xB),
                   vg_kin_point(kb, b->PB)};
}

/* Native row of a gradient; bodies' vectors b. */
static void native_row(const vgKin *ka, const vgKin *kb, const atoms *b, const atoms *g, double row[12])
{
    vgVec3 tA = vg_cross3(b->xA, vg_mtv3(ka->R, g->xA));
    tA = vg_add3(tA, vg_cross3(b->yA, vg_mtv3(ka->R, g->yA)));
    tA = vg_add3(tA, vg_cross3(b->PA, vg_mtv3(ka->R, g->PA)));
    vgVec3 tB = vg_cross3(b->xB, vg_mtv3(kb->R, g->xB));
    tB = vg_add3(tB, vg_cross3(b->PB, vg_mtv3(kb->R, g->PB)));
    vg_store3(g->PA, row);
    vg_store3(tA, row + 3);
    vg_store3(g->PB, row + 6);
    vg_store3(tB, row + 9);
}

static double inner(const atoms *g, const atoms *d)
{
    return vg_dot3(g->xA, d->xA) + vg_dot3(g->yA, d->yA) + vg_dot3(g->PA, d->PA) + vg_dot3(g->xB, d->xB) +
           vg_dot3(g->PB, d->PB);
}

static double angle_gradient(const atoms *x, atoms *g)
{
    double c = vg_dot3(x->xA, x->xB), s = vg_dot3(x->yA, x->xB), rho = c * c + s * s;
    double tc = -s / rho, ts = c / rho;
    *g = (atoms){vg_scale3(x->xB, tc), vg_scale3(x->xB, ts), none, vg_axpy3(tc, x->xA, vg_scale3(x->yA, ts)),
                 none};
    return atan2(s, c);
}

static void angle_vary(const atoms *x, const atoms *d, atoms *dg)
{
    double c = vg_dot3(x->xA, x->xB), s = vg_dot3(x->yA, x->xB), rho = c * c + s * s;
    double dc = vg_dot3(d->xA, x->xB) + vg_dot3(x->xA, d->xB);
    double ds = vg_dot3(d->yA, x->xB) + vg_dot3(x->yA, d->xB);
    double tc = -s / rho, ts = c / rho, tcc = 2 * c * s / (rho * rho), tcs = (s * s - c * c) / (rho * rho);
    double dtc = tcc * dc + tcs * ds, dts = tcs * dc - tcc * ds;
    dg->xA = vg_axpy3(dtc, x->xB, vg_scale3(d->xB, tc));
    dg->yA = vg_axpy3(dts, x->xB, vg_scale3(d->xB, ts));
    dg->xB = vg_add3(vg_axpy3(dtc, x->xA, vg_scale3(d->xA, tc)), vg_axpy3(dts, x->yA, vg_scale3(d->yA, ts)));
    dg->PA = dg->PB = none;
}

static double position_gradient(const atoms *x, atoms *g)
{
    *g = (atoms){vg_sub3(x->PB, x->PA), none, vg_neg3(x->xA), none, x->xA};
    return vg_dot3(x->xA, g->xA);
}

static void position_vary(const atoms *x, const atoms *d, atoms *dg)
{
    (void)x;
    position_gradient(d, dg);
}

/* At zero distance there is no direction: the gradient is taken as zero. */
static double distance_gradient(const atoms *x, atoms *g)
{
    vgVec3 D = vg_sub3(x->PB, x->PA);
    double l = vg_norm3(D);
    vgVec3 e = l > 0 ? vg_scale3(D, 1 / l) : none;
    *g = (atoms){none, none, vg_neg3(e), none, e};
    return l;
}

static void distance_vary(const atoms *x, const atoms *d, atoms *dg)
{
    vgVec3 D = vg_sub3(x->PB, x->PA), dD = vg_sub3(d->PB, d->PA);
    double l = vg_norm3(D);
    vgVec3 e = vg_scale3(D, l > 0 ? 1 / l : 0);
    vgVec3 de = vg_scale3(vg_axpy3(-vg_dot3(e, dD), e, dD), l > 0 ? 1 / l : 0);
    *dg = (atoms){none, none, vg_neg3(de), none, de};
}

/* 1/√(1 − c²); at ±90° there is no gradient, which is taken as zero. */
static double incline_slope(double c)
{
    const double rest = 1 - c * c;
    return rest > 0 ? 1 / sqrt(rest) : 0;
}

static double incline_gradient(const atoms *x, atoms *g)
{
    const double c = vg_dot3(x->xA, x->xB), f = incline_slope(c);
    *g = (atoms){vg_scale3(x->xB, f), none, none, vg_scale3(x->xA, f), none};
    return asin(fmin(1, fmax(-1, c)));
}

static void incline_vary(const atoms *x, const atoms *d, atoms *dg)
{
    const double c = vg_dot3(x->xA, x->xB), f = incline_slope(c);
    const double df = f * f * f * c * (vg_dot3(d->xA, x->xB) + vg_dot3(x->xA, d->xB));
    *dg = (atoms){vg_axpy3(df, x->xB, vg_scale3(d->xB, f)), none, none,
                  vg_axpy3(df, x->xA, vg_scale3(d->xA, f)), none};
}

typedef struct measureRow {
    double (*gradient)(const atoms *, atoms *);
    void (*vary)(const atoms *, const atoms *, atoms *);
} measureRow;

static const measureRow rows[VG_MEASURE_COUNT] = {
    [VG_MEASURE_ANGLE] = {angle_gradient, angle_vary},
    [VG_MEASURE_DISPLACEMENT] = {position_gradient, position_vary},
    [VG_MEASURE_DISTANCE] = {distance_gradient, distance_vary},
    [VG_MEASURE_POSITION] = {position_gradient, position_vary},
    [VG_MEASURE_INCLINE] = {incline_gradient, incline_vary},
};

/* A component of the angular velocity in the axes of the body: its gradient is constant. */
static void spin(const vgMeasure *m, const vgKin *kb, int derivatives, vgMeasureOut *out)
{
    const vgVec3 axis = vg_col3(m->B.R, m->axis);
    out->value = m->offset;
    out->rate = vg_dot3(axis, kb->w);
    out->bias = 0;
    if (derivatives > 0) {
        memset(out->grad, 0, sizeof out->grad);
        vg_store3(axis, out->grad + 9);
    }
    if (derivatives > 1) memset(out->drate, 0, sizeof out->drate);
}

/* Linear in the coordinates: angles of planar bodies, scalar coordinates, and inputs, which do not depend on
 * them at all. Returns 0 for other measures. */
static int linear(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double turn_ref, int derivatives,
                  vgMeasureOut *out)
{
    double gA = 0, gB = 1;
    int column = 5;
    if (m->kind == VG_MEASURE_COORDINATE) {
        double p[3], v[3];
        vg_store3(kb->p, p);
        vg_store3(kb->v, v);
        column = m->axis;
        out->value = p[column] + m->offset;
        out->rate = v[column];
    } else if (m->kind == VG_MEASURE_INPUT || m->kind == VG_MEASURE_LOAD) {
        out->value = turn_ref;
        out->rate = gB = 0;
    } else if (m->kind == VG_MEASURE_ROTATION || (m->kind == VG_MEASURE_ANGLE && m->planar)) {
        vgVec3 xB = vg_mv3(kb->R, vg_col3(m->B.R, 0));
        if (m->kind == VG_MEASURE_ROTATION) {
            out->value = atan2(xB.y, xB.x);
        } else {
            vgVec3 xA = vg_mv3(ka->R, vg_col3(m->A.R, 0)), yA = vg_mv3(ka->R, vg_col3(m->A.R, 1));
            gB = m->A.R.m[2][2]; /* the axis is ±z */
            gA = -gB;
            out->value = atan2(vg_dot3(yA, xB), vg_dot3(xA, xB));
        }
        out->value = nearest_turn(out->value + m->offset, turn_ref);
        out->rate = gA * ka->w.z + gB * kb->w.z;
    } else {
        return 0;
    }
    out->bias = 0;
    if (derivatives > 0) {
        memset(out->grad, 0, sizeof out->grad);
        out->grad[column] = gA;
        out->grad[6 + column] = gB;
    }
    if (derivatives > 1) memset(out->drate, 0, sizeof out->drate);
    return 1;
}

static void plain_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double turn_ref, int derivatives,
                       vgMeasureOut *out)
{
    if (linear(m, ka, kb, turn_ref, derivatives, out)) return;
    if (m->kind == VG_MEASURE_SPIN) {
        spin(m, kb, derivatives, out);
        return;
    }
    if (vg_measure_is_tie(m)) {
        vg_measure_tie_eval(m, ka, kb, derivatives, out);
        return;
    }
    if (m->kind == VG_MEASURE_TURN) {
        vg_measure_turn_eval(m, ka, kb, derivatives, out);
        return;
    }
    atoms b = body_atoms(m), x = placed(ka, kb, &b), g, dg;
    out->value = rows[m->kind].gradient(&x, &g) + m->offset;
    if (m->kind == VG_MEASURE_ANGLE) out->value = nearest_turn(out->value, turn_ref);
    atoms spin = turned(ka, kb, &b, ka->w, kb->w), dx = spin; /* spin: w×r turned, dx: ẋ */
    dx.PA = vg_add3(dx.PA, ka->v);
    dx.PB = vg_add3(dx.PB, kb->v);
    out->rate = inner(&g, &dx);
    if (derivatives < 1) return;
    native_row(ka, kb, &b, &g, out->grad);
    /* bias = g·R(w×(w×r)) + ẋ·H ẋ */
    atoms wb = {vg_cross3(ka->w, b.xA), vg_cross3(ka->w, b.yA), vg_cross3(ka->w, b.PA),
                vg_cross3(kb->w, b.xB), vg_cross3(kb->w, b.PB)};
    atoms ddx = turned(ka, kb, &wb, ka->w, kb->w);
    rows[m->kind].vary(&x, &dx, &dg);
    out->bias = inner(&g, &ddx) + inner(&dg, &dx);
    if (derivatives < 2) return;
    /* δ(g·ẋ) = H ẋ·δx + g·R(δθ × (w×r)) */
    double turn[12];
    native_row(ka, kb, &b, &dg, out->drate);
    native_row(ka, kb, &wb, &g, turn);
    for (int i = 3; i < 6; i++) out->drate[i] += turn[i];
    for (int i = 9; i < 12; i++) out->drate[i] += turn[i];
}

/* P(x) with P' and P''. */
static void curve_at(const vgMeasure *m, double x, double p[3])
{
    p[0] = p[1] = p[2] = 0;
    for (int k = m->ncurve - 1; k >= 0; k--) {
        p[2] = p[2] * x + 2 * p[1];
        p[1] = p[1] * x + p[0];
        p[0] = p[0] * x + m->curve[k];
    }
}

void vg_measure_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double turn_ref, int derivatives,
                     vgMeasureOut *out)
{
    VG_EXPECT(m && ka && kb);
    plain_eval(m, ka, kb, turn_ref, derivatives, out);
    if (m->ncurve == 0) return;
    double p[3], v = out->rate;
    curve_at(m, out->value, p);
    out->value = p[0];
    out->rate = p[1] * v;
    if (derivatives > 0) out->bias = p[1] * out->bias + p[2] * v * v;
    for (int i = 0; derivatives > 1 && i < 12; i++)
        out->drate[i] = p[1] * out->drate[i] + p[2] * v * out->grad[i];
    for (int i = 0; derivatives > 0 && i < 12; i++) out->grad[i] *= p[1];
}

/* H += factor (r̂ ĝ) on the diagonal block t of the body whose vector is r, gradient g in W. */
static void add_turn(double H[144], int t, double factor, const vgKin *k, vgVec3 r, vgVec3 g_W)
{
    vgVec3 g = vg_mtv3(k->R, g_W);
    vgMat3 M = vg_outer3(g, r);
    for (int i = 0; i < 3; i++) M.m[i][i] -= vg_dot3(r, g);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[(t + i) * 12 + t + j] += factor * M.m[i][j];
}

static void plain_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double factor, double H[144])
{
    if (vg_measure_is_tie(m)) {
        vg_measure_tie_hessian(m, ka, kb, factor, H);
        return;
    }
    if (m->kind == VG_MEASURE_TURN) {
        vg_measure_turn_hessian(m, ka, kb, factor, H);
        return;
    }
    if (!rows[m->kind].gradient || (m->kind == VG_MEASURE_ANGLE && m->planar)) return; /* linear */
    atoms b = body_atoms(m), x = placed(ka, kb, &b), g, dg;
    rows[m->kind].gradient(&x, &g);
    add_turn(H, 3, factor, ka, b.xA, g.xA);
    add_turn(H, 3, factor, ka, b.yA, g.yA);
    add_turn(H, 3, factor, ka, b.PA, g.PA);
    add_turn(H, 9, factor, kb, b.xB, g.xB);
    add_turn(H, 9, factor, kb, b.PB, g.PB);
    for (int j = 0; j < 12; j++) {
        int point = j % 6 < 3;
        if (m->kind == VG_MEASURE_ANGLE && point) continue;
        double e[12] = {0}, row[12];
        e[j] = 1;
        atoms d = turned(ka, kb, &b, vg_load3(e + 3), vg_load3(e + 9));
        d.PA = vg_add3(d.PA, vg_load3(e));
        d.PB = vg_add3(d.PB, vg_load3(e + 6));
        rows[m->kind].vary(&x, &d, &dg);
        native_row(ka, kb, &b, &dg, row);
        for (int i = 0; i < 12; i++) H[i * 12 + j] += factor * row[i];
    }
}

void vg_measure_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double turn_ref, double factor,
                        double H[144])
{
    VG_EXPECT(m && ka && kb && H);
    if (m->ncurve == 0) {
        plain_hessian(m, ka, kb, factor, H);
        return;
    }
    vgMeasureOut x;
    double p[3];
    plain_eval(m, ka, kb, turn_ref, 1, &x);
    curve_at(m, x.value, p);
    plain_hessian(m, ka, kb, factor * p[1], H);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) H[12 * i + j] += factor * p[2] * x.grad[i] * x.grad[j];
}
