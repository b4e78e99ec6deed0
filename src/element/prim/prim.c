/* Value, gradient and time derivatives of the constraint primitives.
 *
 * Every holonomic primitive is a function of points and vectors x_i fixed on the two bodies. With g_i =
 * ∂φ/∂x_i in W and x_i = R r_i (+ p for points)
 *
 *     δx_i = δp + R(δθ × r_i)            B: force g_i, torque r_i × Rᵀg_i
 *     φ̇   = Σ g_i·ẋ_i
 *     φ̈   = B ξ̇ + γ,   γ = Σ g_i·R(w×(w×r_i)) + Σ ẋ_i·(∂²φ/∂x_i∂x_j) ẋ_j
 *
 * as in [G] for points and unit vectors and in [H] for body-fixed variations. */
#include "element/prim/prim.h"

#include <string.h>

#include "element/prim/slip.h"
#include "base/expect.h"

static inline void put3(double *out, vgVec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

void vg_prim_coincide(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *Pa, const vgArm *Pb,
                      unsigned what, vgPrimOut *out)
{
    if (what & VG_PRIM_VALUE) put3(out->phi, vg_add3(vg_sub3(ka->p, kb->p), vg_sub3(Pa->x, Pb->x)));
    if (what & VG_PRIM_RATE) put3(out->dot, vg_add3(vg_sub3(ka->v, kb->v), vg_sub3(Pa->d, Pb->d)));
    if (what & VG_PRIM_BIAS) put3(out->bias, vg_sub3(Pa->dd, Pb->dd));
    if (what & VG_PRIM_GRADIENT) { /* row i: g = ±e_i, Rᵀe_i is row i of R */
        const vgVec3 ra = p->ra, rb = p->rb;
        const int rows = p->rows;
        for (int i = 0; i < rows; i++) {
            double *a = out->Ba[i], *b = out->Bb[i];
            a[0] = a[1] = a[2] = b[0] = b[1] = b[2] = 0;
            a[i] = 1;
            b[i] = -1;
            put3(a + 3, vg_cross3(ra, vg_load3(ka->R.m[i])));
            put3(b + 3, vg_cross3(vg_load3(kb->R.m[i]), rb));
        }
    }
}

void vg_prim_dot(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *ua, const vgArm *ub,
                 const vgArm *wa, const vgArm *wb, unsigned what, vgPrimOut *out)
{
    int two = p->s2 != 0;
    if (what & VG_PRIM_VALUE) {
        out->phi[0] = p->s1 * vg_dot3(ua->x, ub->x) - p->c;
        if (two) out->phi[0] += p->s2 * vg_dot3(wa->x, wb->x);
    }
    if (what & VG_PRIM_RATE) {
        out->dot[0] = p->s1 * (vg_dot3(ua->d, ub->x) + vg_dot3(ua->x, ub->d));
        if (two) out->dot[0] += p->s2 * (vg_dot3(wa->d, wb->x) + vg_dot3(wa->x, wb->d));
    }
    if (what & VG_PRIM_BIAS) {
        out->bias[0] = p->s1 * (vg_dot3(ua->dd, ub->x) + 2 * vg_dot3(ua->d, ub->d) + vg_dot3(ua->x, ub->dd));
        if (two)
            out->bias[0] +=
                p->s2 * (vg_dot3(wa->dd, wb->x) + 2 * vg_dot3(wa->d, wb->d) + vg_dot3(wa->x, wb->dd));
    }
    if (what & VG_PRIM_GRADIENT) { /* both torques are ±(uA×uB), each in its own body's axes */
        vgVec3 m = vg_scale3(vg_cross3(ua->x, ub->x), p->s1);
        if (two) m = vg_axpy3(p->s2, vg_cross3(wa->x, wb->x), m);
        double *a = out->Ba[0], *b = out->Bb[0];
        a[0] = a[1] = a[2] = b[0] = b[1] = b[2] = 0;
        put3(a + 3, vg_mtv3(ka->R, m));
        put3(b + 3, vg_neg3(vg_mtv3(kb->R, m)));
    }
}

void vg_prim_along(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *ua, const vgArm *Pa,
                   const vgArm *Pb, unsigned what, vgPrimOut *out)
{
    vgVec3 D = vg_add3(vg_sub3(kb->p, ka->p), vg_sub3(Pb->x, Pa->x));
    if (what & VG_PRIM_VALUE) out->phi[0] = vg_dot3(ua->x, D) - p->c;
    if (what & (VG_PRIM_RATE | VG_PRIM_BIAS)) {
        vgVec3 dD = vg_add3(vg_sub3(kb->v, ka->v), vg_sub3(Pb->d, Pa->d));
        if (what & VG_PRIM_RATE) out->dot[0] = vg_dot3(ua->d, D) + vg_dot3(ua->x, dD);
        if (what & VG_PRIM_BIAS)
            out->bias[0] =
                vg_dot3(ua->dd, D) + 2 * vg_dot3(ua->d, dD) + vg_dot3(ua->x, vg_sub3(Pb->dd, Pa->dd));
    }
    if (what & VG_PRIM_GRADIENT) { /* on A the force −u acts at P_B: torque ua × (P_B seen from A's origin) */
        double *a = out->Ba[0], *b = out->Bb[0];
        put3(a, vg_neg3(ua->x));
        put3(b, ua->x);
        put3(a + 3, vg_mtv3(ka->R, vg_cross3(ua->x, vg_add3(D, Pa->x))));
        put3(b + 3, vg_mtv3(kb->R, vg_cross3(Pb->x, ua->x)));
    }
}

void vg_prim_distance(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *Pa, const vgArm *Pb,
                      unsigned what, vgPrimOut *out)
{
    vgVec3 D = vg_add3(vg_sub3(kb->p, ka->p), vg_sub3(Pb->x, Pa->x));
    vgVec3 g = vg_scale3(D, 1 / p->c);
    if (what & VG_PRIM_VALUE) out->phi[0] = 0.5 * (vg_dot3(D, g) - p->c);
    if (what & (VG_PRIM_RATE | VG_PRIM_BIAS)) {
        vgVec3 dD = vg_add3(vg_sub3(kb->v, ka->v), vg_sub3(Pb->d, Pa->d));
        if (what & VG_PRIM_RATE) out->dot[0] = vg_dot3(g, dD);
        if (what & VG_PRIM_BIAS) out->bias[0] = vg_dot3(dD, dD) / p->c + vg_dot3(g, vg_sub3(Pb->dd, Pa->dd));
    }
    if (what & VG_PRIM_GRADIENT) {
        double *a = out->Ba[0], *b = out->Bb[0];
        put3(a, vg_neg3(g));
        put3(b, g);
        put3(a + 3, vg_mtv3(ka->R, vg_cross3(g, Pa->x)));
        put3(b + 3, vg_mtv3(kb->R, vg_cross3(Pb->x, g)));
    }
}

/* The lowest point of a disc. With n = uA, the disc's axis a = uB and s = n·a, the point of the rim that is
 * deepest against n lies in the direction d = −(n − s a)/√(1 − s²) from the centre, and n·d = −√(1 − s²):
 *     φ = n·(P_B − P_A) + F(s),   F = −c √(1 − s²),  F' = c s/√(1 − s²),  F'' = c/(1 − s²)^{3/2}
 * A disc that lies flat (s = ±1) has no lowest point; the value stays finite, the derivatives do not. */
static void disc_height(double c, double s, double F[3])
{
    double q = sqrt(fmax(1 - s * s, 0));
    F[0] = -c * q;
    F[1] = c * s / q;
    F[2] = c / (q * q * q);
}

static void contact_height(const vgPrim *p, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    vgArm n = vg_arm(ka, p->ua, what), a = vg_arm(kb, p->ub, what);
    vgArm Pa = vg_arm(ka, p->ra, what), Pb = vg_arm(kb, p->rb, what);
    vgPrim plane = *p;
    plane.c = 0;
    vg_prim_along(&plane, ka, kb, &n, &Pa, &Pb, what, out);
    double F[3], ds = vg_dot3(n.d, a.x) + vg_dot3(n.x, a.d);
    disc_height(p->c, vg_dot3(n.x, a.x), F);
    if (what & VG_PRIM_VALUE) out->phi[0] += F[0];
    if (what & VG_PRIM_RATE) out->dot[0] += F[1] * ds;
    if (what & VG_PRIM_BIAS)
        out->bias[0] +=
            F[2] * ds * ds + F[1] * (vg_dot3(n.dd, a.x) + 2 * vg_dot3(n.d, a.d) + vg_dot3(n.x, a.dd));
    if (what & VG_PRIM_GRADIENT) {
        vg_row_vector(ka, p->ua, vg_scale3(a.x, F[1]), out->Ba[0]);
        vg_row_vector(kb, p->ub, vg_scale3(n.x, F[1]), out->Bb[0]);
    }
}

static inline vgArm arm_of(int body, const vgKin *k, vgVec3 x_B, unsigned what)
{
    return body < 0 ? vg_arm_ground(x_B) : vg_arm(k, x_B, what);
}

/* Right side f(t): level 0 takes f, ḟ, f̈ from value, rate, bias; level 1 takes f from the velocity. */
static void subtract(const vgPrim *p, const double f[3], unsigned what, double *phi, double *dot,
                     double *bias)
{
    if (p->level == 0) {
        if (what & VG_PRIM_VALUE) *phi -= f[0];
        if (what & VG_PRIM_RATE) *dot -= f[1];
        if (what & VG_PRIM_BIAS) *bias -= f[2];
    } else if (p->level == 1) {
        if (what & VG_PRIM_VALUE) *phi -= f[0];
        if (what & VG_PRIM_RATE) *dot -= f[0];
        if (what & VG_PRIM_BIAS) *bias -= f[1];
    } else if (what & VG_PRIM_BIAS) {
        *bias -= f[0];
    }
}

static void subtract_law(const vgPrim *p, double t, unsigned what, double *phi, double *dot, double *bias)
{
    double f[3];
    vg_law_time(p->law, t, f);
    subtract(p, f, what, phi, dot, bias);
}

void vg_prim_eval(const vgPrim *p, double t, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    VG_EXPECT(p && out);
    if (p->kind == VG_PRIM_COINCIDE) {
        vgArm Pa = arm_of(p->a, ka, p->ra, what), Pb = arm_of(p->b, kb, p->rb, what);
        vg_prim_coincide(p, ka, kb, &Pa, &Pb, what, out);
    } else if (p->kind == VG_PRIM_DOT) {
        vgArm ua = arm_of(p->a, ka, p->ua, what), ub = arm_of(p->b, kb, p->ub, what);
        vgArm wa = {0}, wb = {0};
        if (p->s2 != 0) {
            wa = arm_of(p->a, ka, p->wa, what);
            wb = arm_of(p->b, kb, p->wb, what);
        }
        vg_prim_dot(p, ka, kb, &ua, &ub, &wa, &wb, what, out);
    } else if (p->kind == VG_PRIM_ALONG) {
        vgArm ua = arm_of(p->a, ka, p->ua, what);
        vgArm Pa = arm_of(p->a, ka, p->ra, what), Pb = arm_of(p->b, kb, p->rb, what);
        vg_prim_along(p, ka, kb, &ua, &Pa, &Pb, what, out);
    } else if (p->kind == VG_PRIM_DISTANCE) {
        vgArm Pa = arm_of(p->a, ka, p->ra, what), Pb = arm_of(p->b, kb, p->rb, what);
        vg_prim_distance(p, ka, kb, &Pa, &Pb, what, out);
    } else if (p->kind == VG_PRIM_CONTACT_HEIGHT) {
        contact_height(p, ka, kb, what, out);
    } else {
        vg_slip_eval(p, ka, kb, what, out);
    }
    if (p->law) subtract_law(p, t, what, &out->phi[0], &out->dot[0], &out->bias[0]);
}

static inline void sum_terms(const vgPrim *p, const vgMeasureOut *m, const int *at, unsigned what,
                             double *phi, double *dot, double *bias)
{
    double value = 0, rate = 0, acc = 0;
    for (int i = 0; i < p->nterm; i++) {
        const vgMeasureOut *x = &m[at ? at[i] : i];
        value += p->k[i] * x->value;
        rate += p->k[i] * x->rate;
        acc += p->k[i] * x->bias;
    }
    if (what & VG_PRIM_VALUE) *phi = p->level == 0 ? value - p->c : p->level == 1 ? rate : 0;
    if (what & VG_PRIM_RATE) *dot = p->level < 2 ? rate : 0;
    if (what & VG_PRIM_BIAS) *bias = acc;
}

void vg_prim_measure_eval(const vgPrim *p, double t, const vgMeasureOut *m, unsigned what, double *phi,
                          double *dot, double *bias)
{
    sum_terms(p, m, NULL, what, phi, dot, bias);
    if (p->law) subtract_law(p, t, what, phi, dot, bias);
}

void vg_prim_measure_among(const vgPrim *p, const double f[3], const vgMeasureOut *all, unsigned what,
                           double *phi, double *dot, double *bias)
{
    sum_terms(p, all, p->measure, what, phi, dot, bias);
    if (f) subtract(p, f, what, phi, dot, bias);
}

void vg_prim_start(vgPrim *p, const vgKin *ka, const vgKin *kb)
{
    VG_EXPECT(p && ka && kb);
    vgPrimOut out;
    if (p->kind == VG_PRIM_DISTANCE) {
        p->c = vg_norm3(vg_sub3(vg_kin_point(kb, p->rb), vg_kin_point(ka, p->ra)));
    } else if (p->kind == VG_PRIM_DOT || p->kind == VG_PRIM_ALONG) {
        p->c = 0;
        vg_prim_eval(p, 0, ka, kb, VG_PRIM_VALUE, &out);
        p->c = out.phi[0];
    }
    p->start = 0;
}

void vg_prim_measure_start(vgPrim *p, const vgMeasureOut *m)
{
    double value = 0, rest;
    p->c = 0;
    if (p->level == 0) vg_prim_measure_eval(p, 0, m, VG_PRIM_VALUE, &value, &rest, &rest);
    p->c = value;
    p->start = 0;
}

vgAtoms vg_prim_atoms(const vgPrim *p, const vgKin *ka, const vgKin *kb)
{
    return (vgAtoms){vg_kin_point(ka, p->ra), vg_mv3(ka->R, p->ua), vg_mv3(ka->R, p->wa),
                     vg_kin_point(kb, p->rb), vg_mv3(kb->R, p->ub), vg_mv3(kb->R, p->wb)};
}

/* The part of the forms that is linear in the atoms; its change along dx is itself at dx. */
static int bilinear_forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    memset(g, 0, (size_t)p->rows * sizeof *g);
    if (p->kind == VG_PRIM_DOT) {
        g->Ua = vg_scale3(x->Ub, p->s1);
        g->Ub = vg_scale3(x->Ua, p->s1);
        g->Wa = vg_scale3(x->Wb, p->s2);
        g->Wb = vg_scale3(x->Wa, p->s2);
    } else if (p->kind == VG_PRIM_ALONG || p->kind == VG_PRIM_CONTACT_HEIGHT) {
        g->Ua = vg_sub3(x->Pb, x->Pa);
        g->Pa = vg_neg3(x->Ua);
        g->Pb = x->Ua;
    } else if (p->kind == VG_PRIM_DISTANCE) {
        g->Pb = vg_scale3(vg_sub3(x->Pb, x->Pa), 1 / p->c);
        g->Pa = vg_neg3(g->Pb);
    } else if (p->kind != VG_PRIM_COINCIDE) {
        return 0;
    }
    return p->rows;
}

int vg_prim_forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    int rows = bilinear_forms(p, x, g);
    if (p->kind == VG_PRIM_COINCIDE)
        for (int i = 0; i < rows; i++) {
            g[i].Pa = vg_unit_axis3(i);
            g[i].Pb = vg_neg3(g[i].Pa);
        }
    if (p->kind == VG_PRIM_CONTACT_HEIGHT) {
        double F[3];
        disc_height(p->c, vg_dot3(x->Ua, x->Ub), F);
        g->Ua = vg_axpy3(F[1], x->Ub, g->Ua);
        g->Ub = vg_axpy3(F[1], x->Ua, g->Ub);
    }
    return rows;
}

int vg_prim_forms_vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS])
{
    int rows = bilinear_forms(p, dx, dg);
    if (p->kind == VG_PRIM_CONTACT_HEIGHT) {
        double F[3], ds = vg_dot3(dx->Ua, x->Ub) + vg_dot3(x->Ua, dx->Ub);
        disc_height(p->c, vg_dot3(x->Ua, x->Ub), F);
        dg->Ua = vg_add3(dg->Ua, vg_axpy3(F[1], dx->Ub, vg_scale3(x->Ub, F[2] * ds)));
        dg->Ub = vg_add3(dg->Ub, vg_axpy3(F[1], dx->Ua, vg_scale3(x->Ua, F[2] * ds)));
    }
    return rows;
}
