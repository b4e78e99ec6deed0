/* Paths about surfaces with first and second derivatives, by jets: numbers with gradient and Hessian in six variables. */
#include "element/tendon/wrap.h"

#include <math.h>
#include <string.h>

#include "element/tuning.h"

static const double TURN = 6.283185307179586476925286766559;

typedef struct Jet {
    double v, g[6], h[6][6];
} Jet;

/* f(x) with its two derivatives at x->v. */
static void chain(const Jet *x, double f, double f1, double f2, Jet *out)
{
    Jet y = {.v = f};
    for (int i = 0; i < 6; i++) {
        y.g[i] = f1 * x->g[i];
        for (int j = 0; j < 6; j++) y.h[i][j] = f1 * x->h[i][j] + f2 * x->g[i] * x->g[j];
    }
    *out = y;
}

/* out += k x */
static void add(Jet *out, double k, const Jet *x)
{
    out->v += k * x->v;
    for (int i = 0; i < 6; i++) {
        out->g[i] += k * x->g[i];
        for (int j = 0; j < 6; j++) out->h[i][j] += k * x->h[i][j];
    }
}

/* Σ over n components of (first − or ·): the square of a part of point p (0, 1), or the product of both (p = 2). */
static Jet inner(const double x[6], int n, int p)
{
    Jet y = {0};
    for (int k = 0; k < n; k++) {
        int i = p == 1 ? 3 + k : k, j = p == 0 ? k : 3 + k;
        y.v += x[i] * x[j];
        y.g[i] += x[j];
        y.g[j] += x[i];
        y.h[i][j] += 1;
        y.h[j][i] += 1;
    }
    return y;
}

/* x y of two jets. */
static Jet product(const Jet *x, const Jet *y)
{
    Jet z = {.v = x->v * y->v};
    for (int i = 0; i < 6; i++) {
        z.g[i] = x->v * y->g[i] + y->v * x->g[i];
        for (int j = 0; j < 6; j++)
            z.h[i][j] = x->v * y->h[i][j] + y->v * x->h[i][j] + x->g[i] * y->g[j] + y->g[i] * x->g[j];
    }
    return z;
}

static void root(const Jet *x, Jet *out)
{
    double s = sqrt(x->v);
    chain(x, s, 0.5 / s, -0.25 / (s * x->v), out);
}

/* atan2(s, c), between −π and π, plus `more`. */
static void angle(const Jet *s, const Jet *c, double more, Jet *out)
{
    double n = s->v * s->v + c->v * c->v, fs = c->v / n, fc = -s->v / n;
    double ss = -2 * s->v * c->v / (n * n), sc = (s->v * s->v - c->v * c->v) / (n * n);
    out->v = atan2(s->v, c->v) + more;
    for (int i = 0; i < 6; i++) {
        out->g[i] = fs * s->g[i] + fc * c->g[i];
        for (int j = 0; j < 6; j++)
            out->h[i][j] = fs * s->h[i][j] + fc * c->h[i][j] + ss * (s->g[i] * s->g[j] - c->g[i] * c->g[j]) +
                           sc * (s->g[i] * c->g[j] + c->g[i] * s->g[j]);
    }
}

static void give(const Jet *x, int touches, vgWrapOut *out)
{
    out->length = x->v;
    memcpy(out->grad, x->g, sizeof out->grad);
    memcpy(out->hess, x->h, sizeof out->hess);
    out->touches = touches;
}

static void straight(const double x[6], vgWrapOut *out)
{
    Jet d2 = inner(x, 3, 0), b = inner(x, 3, 1), c = inner(x, 3, 2), L;
    add(&d2, 1, &b);
    add(&d2, -2, &c);
    d2.v = 0; /* without cancellation */
    for (int k = 0; k < 3; k++) d2.v += (x[3 + k] - x[k]) * (x[3 + k] - x[k]);
    memset(out, 0, sizeof *out);
    if (sqrt(d2.v) <= VG_NO_LINE) return; /* points that coincide have no line */
    root(&d2, &L);
    give(&L, 0, out);
}

/* The path in its plane: points at p and q, turning ways +1 (from p to q against the clock) or −1. */
typedef struct Plane {
    double p[2], q[2], r;
} Plane;

static double dot2(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static double turn_to(const Plane *s, int way)
{
    double a = atan2(way * (s->p[0] * s->q[1] - s->p[1] * s->q[0]), dot2(s->p, s->q));
    return a < 0 ? a + TURN : a;
}

/* The arc on the surface, negative where the two tangents cross. */
static double arc(const Plane *s, int way)
{
    return turn_to(s, way) - acos(s->r / sqrt(dot2(s->p, s->p))) - acos(s->r / sqrt(dot2(s->q, s->q)));
}

/* Direction of the sum of the two points where the path meets the circle. */
static void middle(const Plane *s, int way, double out[2])
{
    double a = atan2(s->p[1], s->p[0]) + way * acos(s->r / sqrt(dot2(s->p, s->p)));
    double b = atan2(s->q[1], s->q[0]) - way * acos(s->r / sqrt(dot2(s->q, s->q)));
    out[0] = cos(a) + cos(b);
    out[1] = sin(a) + sin(b);
    double n = sqrt(dot2(out, out));
    if (n > 0) out[0] /= n, out[1] /= n;
}

/* Which way the path turns about the circle, 0: it does not touch. side: a direction in the plane, or NULL. */
static int choose(const Plane *s, const double *side)
{
    double e[2] = {s->q[0] - s->p[0], s->q[1] - s->p[1]}, ee = dot2(e, e), r2 = s->r * s->r, near[2], m[2][2];
    if (!(dot2(s->p, s->p) > r2) || !(dot2(s->q, s->q) > r2) || !(ee > 0)) return 0;
    double a = fmin(fmax(-dot2(e, s->p) / ee, 0), 1);
    for (int k = 0; k < 2; k++) near[k] = s->p[k] + a * e[k];
    if (dot2(near, near) > r2 && (!side || dot2(near, side) >= 0)) return 0;
    int first = turn_to(s, 1) <= turn_to(s, -1) ? 1 : -1;
    if (side) {
        middle(s, 1, m[0]), middle(s, -1, m[1]);
        first = dot2(m[0], side) > dot2(m[1], side) ? 1 : -1;
    }
    for (int k = 0; k < 2; k++, first = -first)
        if (arc(s, first) >= 0) return first;
    return 0;
}

/* Σ (t − r atan(t/r)) of a point, as a function of w = d² − r²; t = √w. */
static void tangent(const Jet *d2, double r, Jet *out)
{
    double w = d2->v - r * r, t = sqrt(w), n = d2->v;
    chain(d2, t - r * atan(t / r), 0.5 * t / n, 0.25 * (r * r - w) / (t * n * n), out);
}

static void about_sphere(double r, const vgVec3 *side, const double x[6], vgWrapOut *out)
{
    vgVec3 a = vg_load3(x), b = vg_load3(x + 3), u = vg_unit3(a), v = vg_axpy3(-vg_dot3(b, u), u, b);
    double da = vg_norm3(a), across = vg_norm3(v), s[2] = {0, 0};
    if (!(across > VG_NO_LINE * da)) { /* on one line with the centre: no plane of the path */
        straight(x, out);
        return;
    }
    v = vg_scale3(v, 1 / across);
    Plane plane = {{da, 0}, {vg_dot3(b, u), across}, r};
    if (side) s[0] = vg_dot3(*side, u), s[1] = vg_dot3(*side, v);
    int way = choose(&plane, side ? s : NULL);
    if (way == 0) {
        straight(x, out);
        return;
    }
    Jet aa = inner(x, 3, 0), bb = inner(x, 3, 1), c = inner(x, 3, 2), n2 = product(&aa, &bb),
        cc = product(&c, &c);
    Jet sine, phi, L;
    add(&n2, -1, &cc); /* |a × b|² */
    n2.v = vg_dot3(vg_cross3(a, b), vg_cross3(a, b));
    root(&n2, &sine);
    angle(&sine, &c, 0, &phi);
    tangent(&aa, r, &L);
    tangent(&bb, r, &cc);
    add(&L, 1, &cc);
    add(&L, way > 0 ? r : -r, &phi);
    if (way < 0) L.v += r * TURN;
    give(&L, 1, out);
}

static void about_cylinder(double r, const vgVec3 *side, const double x[6], vgWrapOut *out)
{
    double s[2] = {side ? side->x : 0, side ? side->y : 0}, dz = x[5] - x[2];
    Plane plane = {{x[0], x[1]}, {x[3], x[4]}, r};
    int way = choose(&plane, side ? s : NULL);
    if (way == 0) {
        straight(x, out);
        return;
    }
    Jet aa = inner(x, 2, 0), bb = inner(x, 2, 1), c = inner(x, 2, 2), sine = {0}, phi, L, other;
    static const int at[4][2] = {{0, 4}, {4, 0}, {1, 3}, {3, 1}}; /* ± x_i x_j of the cross product */
    sine.v = way * (x[0] * x[4] - x[1] * x[3]);
    sine.g[0] = way * x[4], sine.g[4] = way * x[0], sine.g[1] = -way * x[3], sine.g[3] = -way * x[1];
    for (int k = 0; k < 4; k++) sine.h[at[k][0]][at[k][1]] = k < 2 ? way : -way;
    angle(&sine, &c, sine.v < 0 ? TURN : 0, &phi);
    tangent(&aa, r, &L);
    tangent(&bb, r, &other);
    add(&L, 1, &other);
    add(&L, r, &phi);
    Jet all = product(&L, &L), z2 = {.v = dz * dz};
    z2.g[5] = 2 * dz, z2.g[2] = -2 * dz;
    z2.h[5][5] = z2.h[2][2] = 2, z2.h[5][2] = z2.h[2][5] = -2;
    add(&all, 1, &z2);
    root(&all, &L);
    give(&L, 1, out);
}

void vg_wrap(vgWrapKind kind, double radius, const vgVec3 *side, vgVec3 a, vgVec3 b, vgWrapOut *out)
{
    double x[6];
    vg_store3(a, x);
    vg_store3(b, x + 3);
    if (kind == VG_WRAP_NONE || !(radius > 0))
        straight(x, out);
    else if (kind == VG_WRAP_SPHERE)
        about_sphere(radius, side, x, out);
    else
        about_cylinder(radius, side, x, out);
}
