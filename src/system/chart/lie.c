/* R³ × SO(3): position in W and a rotation; v = (v_W, w_B). q = (p, unit quaternion), q ⊕ Δ = (p + Δp, R exp
 * Δθ). */
#include "system/absolute/stage.h"

#include "math/so3_poly.h"
#include "math/tuning.h"

/* One Newton step for 1/|e|: exact to round-off when |e| is 1 but for round-off, as it is after a product. */
static vgQuat polish(vgQuat e)
{
    double s = 1.5 - 0.5 * (e.w * e.w + e.x * e.x + e.y * e.y + e.z * e.z);
    return vg_quat(e.w * s, e.x * s, e.y * s, e.z * s);
}

void vg_lie_retract(const double *q_r, const double *d, double *q)
{
    vgQuat e = polish(vg_quat_mul(vg_quat_load(q_r + 3), vg_quat_exp(vg_load3(d + 3))));
    for (int i = 0; i < 3; i++) q[i] = q_r[i] + d[i];
    vg_quat_store(e, q + 3);
}

static void local(const double *q_r, const double *q, double *d)
{
    vgQuat e = vg_quat_mul(vg_quat_conj(vg_quat_load(q_r + 3)), vg_quat_load(q + 3));
    for (int i = 0; i < 3; i++) d[i] = q[i] - q_r[i];
    vg_store3(vg_quat_log(e), d + 3);
}

static void rates(const double *d, const double *q, const double *v, double *d_dot)
{
    (void)q;
    for (int i = 0; i < 3; i++) d_dot[i] = v[i];
    vg_store3(vg_so3_dexpinv_times(vg_load3(d + 3), vg_load3(v + 3)), d_dot + 3);
}

static void twist(const double *d, const double *q, const double *d_dot, double *v)
{
    (void)q;
    for (int i = 0; i < 3; i++) v[i] = d_dot[i];
    vg_store3(vg_mv3(vg_so3_dexp(vg_load3(d + 3)), vg_load3(d_dot + 3)), v + 3);
}

void vg_lie_kin(const double *q, const double *v, const double *a, vgKin *k)
{
    k->p = vg_load3(q);
    k->R = vg_quat_to_mat(vg_quat_load(q + 3));
    k->v = vg_load3(v);
    k->w = vg_load3(v + 3);
    if (a) {
        k->dv = vg_load3(a);
        k->dw = vg_load3(a + 3);
    }
}

void vg_lie_velocity(const double *q, const vgKin *k, double *v)
{
    (void)q;
    vg_store3(k->v, v);
    vg_store3(k->w, v + 3);
}

void vg_lie_from_kin(const vgKin *k, double *q, double *v)
{
    vg_store3(k->p, q);
    vg_quat_store(vg_quat_from_mat(k->R), q + 3);
    vg_lie_velocity(q, k, v);
}

void vg_lie_acceleration(const double *q, const double *v, const vgKin *k, double *a)
{
    (void)q;
    (void)v;
    vg_store3(k->dv, a);
    vg_store3(k->dw, a + 3);
}

/* The sums of a stage, retract(), rates() and kin() in one, all of it in registers. */
static void advance(const vgAbsBody *b, const vgExplicit *x, vgKin *k)
{
    const double *q_r = x->q_r + b->q0;
    double *q = x->q + b->q0;
    vgSix d, v;
    vg_stage_sum6(x, b->v0, &d, &v);
    vgVec3 turn = vg_v3(d.a[3], d.b[0], d.b[1]), w = vg_v3(v.a[3], v.b[0], v.b[1]);
    vgVec3 p = vg_add3(vg_load3(q_r), vg_v3(d.a[0], d.a[1], d.a[2])), once = vg_cross3(turn, w);
    double s = vg_dot3(turn, turn), second, c[2];
    vgQuat e;
    if (s < VG_SERIES_BELOW) {
        vg_so3_cos_sin_near(0.25 * s, c);
        c[1] *= 0.5;
        e = vg_quat(c[0], c[1] * turn.x, c[1] * turn.y, c[1] * turn.z);
        second = vg_so3_dexpinv_second_near(s);
    } else {
        e = vg_quat_exp(turn);
        second = vg_so3_dexpinv_second(s);
    }
    vgVec3 rate = vg_axpy3(0.5, once, vg_axpy3(second, vg_cross3(turn, once), w));
    vg_put_six(v, x->v + b->v0);
    vg_put_six(vg_six(v.a[0], v.a[1], v.a[2], rate.x, rate.y, rate.z), x->k + b->v0);
    e = vg_quat_mul(vg_quat_load(q_r + 3), e);
    k->p = p;
    k->R = vg_quat_to_mat(e);
    k->v = vg_v3(v.a[0], v.a[1], v.a[2]);
    k->w = w;
    vg_store3(p, q);
    vg_quat_store(x->last ? polish(e) : e, q + 3);
}

/* V of system.h, rotational part; the translational part is the identity. */
static vgMat3 stage_map(const vgTangent *p, const double *d, const double *d_dot)
{
    vgVec3 rot = vg_load3(d + 3);
    vgMat3 Tinv = vg_so3_dexpinv(rot);
    if (p->map == VG_STAGE_NEWMARK) return Tinv;
    vgMat3 D = vg_mm3(vg_so3_d_dexp(rot, vg_load3(d_dot + 3)), Tinv);
    return vg_madd3(vg_eye3(), vg_mscale3(D, 1 / p->cv));
}

const vgChart vg_chart_lie = {
    .name = "lie",
    .doc = "R³×SO(3): position and rotation, angular velocity in body axes",
    .nq = 7,
    .nv = 6,
    .simple = 1,
    .second_order = 1,
    .retract = vg_lie_retract,
    .local = local,
    .rates = rates,
    .twist = twist,
    .kin = vg_lie_kin,
    .advance = advance,
    .from_kin = vg_lie_from_kin,
    .velocity = vg_lie_velocity,
    .acceleration = vg_lie_acceleration,
    .move = vg_lie_retract,
    .stage_map = stage_map,
};
