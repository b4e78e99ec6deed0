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
#include <string.h>

#include "base/expect.h"
#include "element/prim/arms.h"

const vgPrimType vg_prim_measure = {.name = "measure", .cost = 900};

const vgPrimType *const vg_prim_types[VG_PRIM_COUNT] = {
    [VG_PRIM_COINCIDE] = &vg_prim_coincide, [VG_PRIM_DOT] = &vg_prim_dot,
    [VG_PRIM_ALONG] = &vg_prim_along,       [VG_PRIM_DISTANCE] = &vg_prim_distance,
    [VG_PRIM_MEASURE] = &vg_prim_measure,   [VG_PRIM_KNIFE] = &vg_prim_knife,
    [VG_PRIM_ROLLING] = &vg_prim_rolling,   [VG_PRIM_CONTACT_HEIGHT] = &vg_prim_contact_height,
};

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

void vg_prim_start_at_value(vgPrim *p, const vgKin *ka, const vgKin *kb)
{
    vgPrimOut out;
    p->c = 0;
    vg_prim_eval(p, 0, ka, kb, VG_PRIM_VALUE, &out);
    p->c = out.phi[0];
}

void vg_prim_eval(const vgPrim *p, double t, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out)
{
    VG_EXPECT(p && out && p->nterm == 0);
    vg_prim_type(p)->eval(p, ka, kb, what, out);
#include "base/expect.h"
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
    if (vg_prim_type(p)->start) vg_prim_type(p)->start(p, ka, kb);
#include "base/expect.h"
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

int vg_prim_forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS])
{
    if (!vg_prim_type(p)->forms) return 0;
    memset(g, 0, (size_t)p->rows * sizeof *g);
    vg_prim_type(p)->forms(p, x, g);
    return p->rows;
}

int vg_prim_forms_vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS])
{
    if (!vg_prim_type(p)->vary) return 0;
    memset(dg, 0, (size_t)p->rows * sizeof *dg);
    vg_prim_type(p)->vary(p, x, dx, dg);
    return p->rows;
}
