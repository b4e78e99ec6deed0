/* Constraint primitives of planar models: three columns (x, y, θ) a body.
 *
 * A vector fixed on a body, r turned into the plane: X = R(θ) r, ∂X/∂θ = X⊥ = (−X_y, X_x), ∂²X/∂θ² = −X. All
 * second derivatives commute here, so the stiffness is symmetric. */
#include "element/prim.h"

#include <string.h>

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 turn2(const vgKin2 *k, vgVec3 r)
{
    return (vec2){k->c * r.x - k->s * r.y, k->s * r.x + k->c * r.y};
}

static inline vec2 perp2(vec2 a)
{
    return (vec2){-a.y, a.x};
}

static inline double dot2(vec2 a, vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline double cross2(vec2 a, vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

vgKin2 vg_kin2(const vgKin *k)
{
    return (vgKin2){k->p.x, k->p.y, k->R.m[0][0], k->R.m[1][0], k->v.x, k->v.y, k->w.z};
}

static vgKin kin3(const vgKin2 *k)
{
    vgKin out = {0};
    out.p = vg_v3(k->x, k->y, 0);
    out.R = vg_m3(k->c, -k->s, 0, k->s, k->c, 0, 0, 0, 1);
    out.v = vg_v3(k->vx, k->vy, 0);
    out.w = vg_v3(0, 0, k->w);
    return out;
}

static inline void row2(double row[3], double x, double y, double turn)
{
    row[0] = x;
    row[1] = y;
    row[2] = turn;
}

/* Separation D = P_B − P_A, its rate and its second derivative at zero accelerations. */
typedef struct gap2 {
    vec2 A, B, D, d, dd; /* A, B: arms */
} gap2;

static inline gap2 gap(const vgPrim *p, const vgKin2 *a, const vgKin2 *b)
{
    gap2 g = {turn2(a, p->ra), turn2(b, p->rb), {0, 0}, {0, 0}, {0, 0}};
    g.D = (vec2){b->x - a->x + g.B.x - g.A.x, b->y - a->y + g.B.y - g.A.y};
    g.d = (vec2){b->vx - a->vx - b->w * g.B.y + a->w * g.A.y, b->vy - a->vy + b->w * g.B.x - a->w * g.A.x};
    double wa = a->w * a->w, wb = b->w * b->w;
    g.dd = (vec2){wa * g.A.x - wb * g.B.x, wa * g.A.y - wb * g.B.y};
    return g;
}

static void coincide(const vgPrim *p, const vgKin2 *a, const vgKin2 *b, unsigned what, vgPrimOut2 *out)
{
    gap2 g = gap(p, a, b);
    if (what & VG_PRIM_VALUE) out->phi[0] = -g.D.x, out->phi[1] = -g.D.y;
    if (what & VG_PRIM_RATE) out->dot[0] = -g.d.x, out->dot[1] = -g.d.y;
    if (what & VG_PRIM_BIAS) out->bias[0] = -g.dd.x, out->bias[1] = -g.dd.y;
    if (what & VG_PRIM_GRADIENT) {
        row2(out->Ba[0], 1, 0, -g.A.y);
        row2(out->Ba[1], 0, 1, g.A.x);
        row2(out->Bb[0], -1, 0, g.B.y);
        row2(out->Bb[1], 0, -1, -g.B.x);
    }
}

/* uA·uB = cos of the angle between them: derivative by θ_A is cross(uA, uB). */
static void dot_pairs(const vgPrim *p, const vgKin2 *a, const vgKin2 *b, double *cosine, double *sine)
{
    vec2 u = turn2(a, p->ua), v = turn2(b, p->ub);
    *cosine = p->s1 * dot2(u, v);
    *sine = p->s1 * cross2(u, v);
    if (p->s2 != 0) {
        u = turn2(a, p->wa);
        v = turn2(b, p->wb);
        *cosine += p->s2 * dot2(u, v);
        *sine += p->s2 * cross2(u, v);
    }
}

static void dot(const vgPrim *p, const vgKin2 *a, const vgKin2 *b, unsigned what, vgPrimOut2 *out)
{
    double cosine, sine, w = a->w - b->w;
    dot_pairs(p, a, b, &cosine, &sine);
    if (what & VG_PRIM_VALUE) /* components along z take no part in the turning */
        out->phi[0] = cosine + p->s1 * p->ua.z * p->ub.z + p->s2 * p->wa.z * p->wb.z - p->c;
    if (what & VG_PRIM_RATE) out->dot[0] = sine * w;
    if (what & VG_PRIM_BIAS) out->bias[0] = -cosine * w * w;
    if (what & VG_PRIM_GRADIENT) {
        row2(out->Ba[0], 0, 0, sine);
        row2(out->Bb[0], 0, 0, -sine);
    }
}

static void along(const vgPrim *p, const vgKin2 *a, const vgKin2 *b, unsigned what, vgPrimOut2 *out)
{
    gap2 g = gap(p, a, b);
    vec2 u = turn2(a, p->ua), n = perp2(u);
    if (what & VG_PRIM_VALUE) out->phi[0] = dot2(u, g.D) - p->c;
    if (what & VG_PRIM_RATE) out->dot[0] = dot2(u, g.d) + a->w * dot2(n, g.D);
    if (what & VG_PRIM_BIAS)
        out->bias[0] = dot2(u, g.dd) + 2 * a->w * dot2(n, g.d) - a->w * a->w * dot2(u, g.D);
    if (what & VG_PRIM_GRADIENT) {
        vec2 y = {g.D.x + g.A.x, g.D.y + g.A.y}; /* P_B from A's origin */
        row2(out->Ba[0], -u.x, -u.y, cross2(u, y));
        row2(out->Bb[0], u.x, u.y, cross2(g.B, u));
    }
}

static void distance(const vgPrim *p, const vgKin2 *a, const vgKin2 *b, unsigned what, vgPrimOut2 *out)
{
    gap2 g = gap(p, a, b);
    vec2 f = {g.D.x / p->c, g.D.y / p->c};
    if (what & VG_PRIM_VALUE) out->phi[0] = 0.5 * (dot2(g.D, f) - p->c);
    if (what & VG_PRIM_RATE) out->dot[0] = dot2(f, g.d);
    if (what & VG_PRIM_BIAS) out->bias[0] = dot2(g.d, g.d) / p->c + dot2(f, g.dd);
    if (what & VG_PRIM_GRADIENT) {
        row2(out->Ba[0], -f.x, -f.y, cross2(f, g.A));
        row2(out->Bb[0], f.x, f.y, cross2(g.B, f));
    }
}

/* Rare kinds go through the spatial form; columns 0 1 5. */
static void by_space(const vgPrim *p, double t, const vgKin2 *a, const vgKin2 *b, unsigned what,
                     vgPrimOut2 *out)
{
    static const int at[3] = {0, 1, 5};
    vgKin ka = kin3(a), kb = kin3(b);
    vgPrimOut full;
    vg_prim_eval(p, t, &ka, &kb, what, &full);
    for (int i = 0; i < p->rows; i++) {
        if (what & VG_PRIM_VALUE) out->phi[i] = full.phi[i];
        if (what & VG_PRIM_RATE) out->dot[i] = full.dot[i];
        if (what & VG_PRIM_BIAS) out->bias[i] = full.bias[i];
        if (what & VG_PRIM_GRADIENT)
            for (int j = 0; j < 3; j++) {
                out->Ba[i][j] = full.Ba[i][at[j]];
                out->Bb[i][j] = full.Bb[i][at[j]];
            }
    }
}

void vg_prim_planar_eval(const vgPrim *p, double t, const vgKin2 *a, const vgKin2 *b, unsigned what,
                         vgPrimOut2 *out)
{
    if (p->law || p->kind > VG_PRIM_DISTANCE)
        by_space(p, t, a, b, what, out);
    else if (p->kind == VG_PRIM_COINCIDE)
        coincide(p, a, b, what, out);
    else if (p->kind == VG_PRIM_DOT)
        dot(p, a, b, what, out);
    else if (p->kind == VG_PRIM_ALONG)
        along(p, a, b, what, out);
    else
        distance(p, a, b, what, out);
}

static void put_symmetric(double K[36], int i, int j, double value)
{
    K[i * 6 + j] += value;
    K[j * 6 + i] += value;
}

static void stiffness_by_space(const vgPrim *p, const vgKin2 *a, const vgKin2 *b, const double *lambda,
                               double K[36])
{
    static const int at[6] = {0, 1, 5, 6, 7, 11};
    vgKin ka = kin3(a), kb = kin3(b);
    double full[144] = {0};
    vg_prim_stiffness(p, &ka, &kb, lambda, full);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) K[i * 6 + j] += full[at[i] * 12 + at[j]];
}

void vg_prim_planar_stiffness(const vgPrim *p, const vgKin2 *a, const vgKin2 *b, const double *lambda,
                              double K[36])
{
    if (p->kind > VG_PRIM_DISTANCE) {
        stiffness_by_space(p, a, b, lambda, K);
        return;
    }
    double s = lambda[0];
    if (p->kind == VG_PRIM_DOT) {
        double cosine, sine;
        dot_pairs(p, a, b, &cosine, &sine);
        K[14] -= s * cosine;
        K[35] -= s * cosine;
        put_symmetric(K, 2, 5, s * cosine);
        return;
    }
    gap2 g = gap(p, a, b);
    if (p->kind == VG_PRIM_COINCIDE) {
        vec2 f = {lambda[0], lambda[1]};
        K[14] -= dot2(f, g.A);
        K[35] += dot2(f, g.B);
    } else if (p->kind == VG_PRIM_ALONG) {
        vec2 u = turn2(a, p->ua), n = perp2(u), y = {g.D.x + g.A.x, g.D.y + g.A.y};
        put_symmetric(K, 0, 2, -s * n.x);
        put_symmetric(K, 1, 2, -s * n.y);
        put_symmetric(K, 3, 2, s * n.x);
        put_symmetric(K, 4, 2, s * n.y);
        put_symmetric(K, 5, 2, s * dot2(u, g.B));
        K[14] -= s * dot2(u, y); /* ∂φ/∂θ_A = u⊥·y, and y does not turn with A */
        K[35] -= s * dot2(u, g.B);
    } else {
        double h = s / p->c;
        vec2 Ap = perp2(g.A), Bp = perp2(g.B);
        double J[2][6] = {{-1, 0, -Ap.x, 1, 0, Bp.x}, {0, -1, -Ap.y, 0, 1, Bp.y}}; /* δD */
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) K[i * 6 + j] += h * (J[0][i] * J[0][j] + J[1][i] * J[1][j]);
        K[14] += h * dot2(g.D, g.A);
        K[35] -= h * dot2(g.D, g.B);
    }
}
