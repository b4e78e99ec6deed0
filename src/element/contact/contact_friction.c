/* Friction of contacts per normal force.
 *
 * Smooth (Coulomb's law regularised, Stribeck's fall from the static to the sliding level):
 *     h = μ G v/√(|v|² + v0²),     G(v) = 1 + (μ_s/μ − 1) exp(−|v|²/v_s²)
 *
 * With bristles (elastoplastic, after Dahl; Dupont, Hayward, Armstrong, Altpeter 2002; docs/theory.md, eq.
 * 52d), z their bend over δ = `stick`, e the part of the sliding that bends them:
 *     e = v − α(|z|/G) (v·ẑ)₊ ẑ,     ż = e/δ,     h = μ [b(z) + κ e/(1 + κ²|v|²)],   κ = τ/δ
 * With x = |z|/G: α is 0 up to x = 0.7 (no flow: the contact sticks), 1 at x = 1 (all sliding, |z| = G)
 * and goes on rising; b = z up to x = 1, beyond it, where only iterates of long steps come, |b| = G (2 − 1/x)
 * stays bounded. The second part of h damps what vibrates on the bristles, with half of the critical damping
 * for what its weight presses down (τ² = δ/(μ g)); it is bounded by μ/2 and nothing where the sliding is
 * steady.
 */
#include "element/contact/contact.h"

static const double ELASTIC = 0.7; /* share of the level up to which bristles only bend */

double vg_contact_positive(double s, double *ds)
{
    const double w = 0.05;
    if (s >= w) return *ds = 1, s;
    if (s <= -w) return *ds = 0;
    *ds = (s + w) / (2 * w);
    return (s + w) * (s + w) / (4 * w);
}

/* G and its gradient. */
static double level(const vgContactLaw *law, vgVec3 v, vgVec3 *dG)
{
    double vs2 = law->stribeck * law->stribeck, extra = law->level0 / law->friction - 1;
    if (!(law->friction > 0) || extra == 0) return *dG = vg_zero3(), 1;
    extra *= exp(-vg_dot3(v, v) / vs2);
    *dG = vg_scale3(v, -2 * extra / vs2);
    return 1 + extra;
}

double vg_contact_level(const vgContactLaw *law, vgVec3 v)
{
    vgVec3 dG;
    return level(law, v, &dG);
}

/* Exactly ∂h/∂v = μ (G/q (1 − s sᵀ) + s ∂Gᵀ) with q = √(|v|² + v0²), s = v/q. Along v that is next to nothing once the
 * contact slides, so that an increment of Newton's iteration goes far beyond the velocity at which friction changes its
 * sign, and the next one back. While increments are larger than v, one s is replaced by v/√(q² + wander²) (eq. 52f): the
 * secant μ G/q, with which the iteration descends (Chan, Golub, Mulet 1999), and the tangent again as it converges. */
static void smooth(const vgContactLaw *law, vgVec3 v, double wander, vgGrip *out)
{
    vgVec3 dG;
    double mu = law->friction, G = level(law, v, &dG),
           q = sqrt(vg_dot3(v, v) + law->velocity * law->velocity);
    vgVec3 s = vg_scale3(v, 1 / q);
    vgVec3 sure = wander > 0 ? vg_scale3(v, 1 / sqrt(q * q + wander * wander)) : s;
    vgMat3 ds = vg_mscale3(vg_msub3(vg_eye3(), vg_outer3(sure, s)), G / q);
    out->h = vg_scale3(s, mu * G);
    out->hv = vg_mscale3(vg_madd3(ds, vg_outer3(s, dG)), mu);
    out->flow = vg_zero3();
    out->hz = out->fv = out->fz = vg_mzero3();
}

/* What slides instead of bending: λ ẑ with λ = α (v·ẑ)₊, and its derivatives. */
static vgVec3 slip(const vgContactLaw *law, vgVec3 v, vgVec3 z, vgMat3 *by_v, vgMat3 *by_z)
{
    vgVec3 dG;
    double G = level(law, v, &dG), r = vg_norm3(z), da;
    double a = vg_contact_positive((r / G - ELASTIC) / (1 - ELASTIC), &da);
    *by_v = *by_z = vg_mzero3();
    if (a <= 0 || vg_dot3(v, z) <= 0) return vg_zero3();
    vgVec3 n = vg_scale3(z, 1 / r), across = vg_axpy3(-vg_dot3(v, n), n, v);
    double p = vg_dot3(v, n);
    da /= G * (1 - ELASTIC);
    *by_v = vg_outer3(n, vg_axpy3(-p * da * r / G, dG, vg_scale3(n, a)));
    *by_z = vg_outer3(n, vg_axpy3(p * da, n, vg_scale3(across, a / r)));
    *by_z = vg_maxpy3(a * p / r, vg_msub3(vg_eye3(), vg_outer3(n, n)), *by_z);
    return vg_scale3(n, a * p);
}

/* b(z) and its derivatives. */
static vgVec3 bend(const vgContactLaw *law, vgVec3 v, vgVec3 z, vgMat3 *by_v, vgMat3 *by_z)
{
    vgVec3 dG;
    double G = level(law, v, &dG), r = vg_norm3(z), x = r / G;
    *by_v = vg_mzero3(), *by_z = vg_eye3();
    if (x <= 1) return z;
    double q = (2 - 1 / x) / x, dq = 2 * (1 - x) / (x * x * x);
    *by_v = vg_mscale3(vg_outer3(z, dG), -dq * r / (G * G));
    *by_z = vg_maxpy3(dq / (G * r), vg_outer3(z, z), vg_mscale3(vg_eye3(), q));
    return vg_scale3(z, q);
}

void vg_contact_grip(const vgContactLaw *law, vgVec3 v, vgVec3 z, int tangent, double wander, vgGrip *out)
{
    if (!vg_contact_sticks(law)) {
        smooth(law, v, wander, out);
        return;
    }
    double mu = law->friction, k = law->settle / law->stick, s = 1 / (1 + k * k * vg_dot3(v, v));
    vgMat3 by_v, by_z, bv, bz;
    vgVec3 e = vg_sub3(v, slip(law, v, z, &by_v, &by_z)), b = bend(law, v, z, &bv, &bz);
    out->h = vg_scale3(vg_axpy3(k * s, e, b), mu);
    out->flow = vg_scale3(e, 1 / law->stick);
    if (!tangent) return;
    vgMat3 ev = vg_msub3(vg_eye3(), by_v), damped = vg_maxpy3(-2 * k * k * s, vg_outer3(e, v), ev);
    out->hv = vg_mscale3(vg_maxpy3(k * s, damped, bv), mu);
    out->hz = vg_mscale3(vg_maxpy3(-k * s, by_z, bz), mu);
    out->fv = vg_mscale3(ev, 1 / law->stick);
    out->fz = vg_mscale3(by_z, -1 / law->stick);
}
