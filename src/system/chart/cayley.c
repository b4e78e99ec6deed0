/* R³ × SO(3) as in chart/lie.c, but with the Cayley–Gibbs–Rodrigues parameters of [Z] as local coordinates of
 * rotations: q ⊕ Δ = (p + Δp, R cay(g)), with
 *     cay(g) = I + 4/(4 + g·g) (g̃ + g̃²/2),   ω_B = T(g) ġ,   T = 4/(4 + g·g) (I − g̃/2),
 *     T⁻¹ = I + g̃/2 + g gᵀ/4,
 * g = 2 tan(φ/2) n for a turn φ about n. All rational, no series near zero; a step must stay below half a
 * turn. docs/theory.md, eq. 13a. */
#include <math.h>

#include "math/so3.h"
#include "system/absolute/absolute.h"

static void retract(const double *q_r, const double *d, double *q)
{
    vgVec3 g = vg_load3(d + 3);
    double s = 1 / sqrt(1 + 0.25 * vg_dot3(g, g));
    vgQuat c = vg_quat(s, 0.5 * s * g.x, 0.5 * s * g.y, 0.5 * s * g.z);
    vgQuat e = vg_quat_normalize(vg_quat_mul(vg_quat(q_r[3], q_r[4], q_r[5], q_r[6]), c));
    for (int i = 0; i < 3; i++) q[i] = q_r[i] + d[i];
    q[3] = e.w;
    q[4] = e.x;
    q[5] = e.y;
    q[6] = e.z;
}

static void local(const double *q_r, const double *q, double *d)
{
    vgQuat e =
        vg_quat_mul(vg_quat_conj(vg_quat(q_r[3], q_r[4], q_r[5], q_r[6])), vg_quat(q[3], q[4], q[5], q[6]));
    for (int i = 0; i < 3; i++) d[i] = q[i] - q_r[i];
    vg_store3(vg_scale3(vg_v3(e.x, e.y, e.z), 2 / e.w), d + 3);
}

static void rates(const double *d, const double *q, const double *v, double *d_dot)
{
    (void)q;
    for (int i = 0; i < 3; i++) d_dot[i] = v[i];
    vg_store3(vg_mv3(vg_cgr_dexpinv(vg_load3(d + 3)), vg_load3(v + 3)), d_dot + 3);
}

static void twist(const double *d, const double *q, const double *d_dot, double *v)
{
    (void)q;
    for (int i = 0; i < 3; i++) v[i] = d_dot[i];
    vg_store3(vg_mv3(vg_cgr_dexp(vg_load3(d + 3)), vg_load3(d_dot + 3)), v + 3);
}

/* V of system.h, rotational part; the translational part is the identity. */
static vgMat3 stage_map(const vgTangent *p, const double *d, const double *d_dot)
{
    vgVec3 g = vg_load3(d + 3);
    vgMat3 Tinv = vg_cgr_dexpinv(g);
    if (p->map == VG_STAGE_NEWMARK) return Tinv;
    vgMat3 D = vg_mm3(vg_cgr_d_dexp(g, vg_load3(d_dot + 3)), Tinv);
    return vg_madd3(vg_eye3(), vg_mscale3(D, 1 / p->cv));
}

const vgChart vg_chart_cayley = {
    .name = "cayley",
    .doc = "R³×SO(3), rotations of a step by the Cayley map",
    .nq = 7,
    .nv = 6,
    .simple = 1,
    .second_order = 1,
    .retract = retract,
    .local = local,
    .rates = rates,
    .twist = twist,
    .kin = vg_lie_kin,
    .from_kin = vg_lie_from_kin,
    .velocity = vg_lie_velocity,
    .acceleration = vg_lie_acceleration,
    .move = vg_lie_retract,
    .stage_map = stage_map,
};
