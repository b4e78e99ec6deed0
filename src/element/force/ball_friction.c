/* Friction of a ball joint by its own reaction, smooth at zero velocity ([N] (1)).
 *
 *     T = −c(|ω|) ω,   c(s) = p G(s) tanh(s/v0)/s + viscous,   G(s) = μ + (μ_s − μ) exp(−(s/vs)²)
 *
 * T on the second body, −T on the first; ω = R_B w_B − R_A w_A the relative angular velocity, p = radius |F| the load of
 * the ball (element/prim/load.h). In the axes of the bodies τ_B = R_BᵀT, τ_A = −R_AᵀT, and
 *     δT = −(c 1 + (c'/s) ω ωᵀ) δω,   δω = R_B (δw_B − [w_B]~ δθ_B) − R_A (δw_A − [w_A]~ δθ_A),   δτ ∋ [τ]~ δθ */
#include "element/force/util.h"

#include <math.h>
#include <string.h>

typedef struct vgBallFriction {
    vgForceHead head;
    double coefficient, coefficient0, radius, viscous, velocity, stribeck;
} vgBallFriction;

static const vgField fields[] = {
    {"coefficient", VG_FIELD_NUMBER, offsetof(vgBallFriction, coefficient), "", NULL, 0, INFINITY,
     "coefficient of sliding friction: the torque is coefficient·radius·|reaction|"},
    {"coefficient-static", VG_FIELD_NUMBER, offsetof(vgBallFriction, coefficient0), "", "", 0, INFINITY,
     "coefficient at zero velocity; absent: as coefficient"},
    {"radius", VG_FIELD_NUMBER, offsetof(vgBallFriction, radius), "m", NULL, 0, INFINITY, "of the ball"},
    {"viscous", VG_FIELD_NUMBER, offsetof(vgBallFriction, viscous), "N*m*s/rad", "0", 0, INFINITY,
     "part proportional to the angular velocity"},
    {"velocity", VG_FIELD_NUMBER, offsetof(vgBallFriction, velocity), "rad/s", "0.01", 1e-12, INFINITY,
     "angular velocity at which friction has reached 76 % of its level; smaller is sharper and stiffer"},
    {"stribeck", VG_FIELD_NUMBER, offsetof(vgBallFriction, stribeck), "rad/s", "0.1", 1e-12, INFINITY,
     "angular velocity over which the static level falls to the sliding one"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgBallFriction *s = def;
    (void)planar;
    if (isnan(s->coefficient0)) s->coefficient0 = s->coefficient;
    if (!(s->radius > 0)) return vg_force_refuse(out, "radius", "must be positive");
    out->nbody = 2;
    for (int i = 0; i < 2; i++) out->body[i] = s->head.frame[i].body;
    out->nload = 1;
    out->load = (vgLoad){.kind = VG_LOAD_BALL, .radius = s->radius};
    out->velocity = 1;
    return VG_OK;
}

/* c, and c'/s of the load p at the speed s. */
static double slope(const vgBallFriction *b, double p, double s, double *dc)
{
    double x = s / b->velocity, r = s / b->stribeck, fall = exp(-r * r), d = b->coefficient0 - b->coefficient;
    double G = b->coefficient + d * fall, dG_s = -2 * d * fall / (b->stribeck * b->stribeck); /* G'/s */
    double x2 = x * x, small = 1e-3; /* below it three terms of the series have all digits */
    double y = x < small ? 1 - x2 / 3 + 2 * x2 * x2 / 15 : tanh(x) / x;                       /* tanh(x)/x */
    double th = tanh(x), dy_x = x < small ? -2. / 3 + 8 * x2 / 15 : ((1 - th * th) - y) / x2; /* y'/x */
    double v0 = b->velocity;
    *dc = p * (dG_s * y / v0 + G * dy_x / (v0 * v0 * v0));
    return p * G * y / v0 + b->viscous;
}

static void add_block(double *to, int row, int column, vgMat3 m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[12 * (6 * row + 3 + i) + 6 * column + 3 + j] += m.m[i][j];
}

static vgVec3 torque(const vgBallFriction *b, const vgForceIn *in, vgVec3 *omega, double *dc, double *c)
{
    const vgKin *A = in->kin[0], *B = in->kin[1];
    *omega = vg_sub3(vg_mv3(B->R, B->w), vg_mv3(A->R, A->w));
    *c = slope(b, in->measure[0].value, vg_norm3(*omega), dc);
    return vg_scale3(*omega, -*c);
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    vgVec3 omega;
    double dc, c;
    vgVec3 T = torque(def, in, &omega, &dc, &c);
    vgMat3 D = vg_maxpy3(-dc, vg_outer3(omega, omega), vg_mscale3(vg_eye3(), -c)); /* ∂T/∂ω */
    for (int i = 0; i < 2; i++) {
        const vgKin *ki = in->kin[i];
        double si = i ? 1 : -1;
        vgVec3 own = vg_scale3(vg_mtv3(ki->R, T), si);
        if (out->f) vg_store3(vg_add3(vg_load3(out->f + 6 * i + 3), own), out->f + 6 * i + 3);
        if (out->K) add_block(out->K, i, i, vg_skew3(own));
        for (int j = 0; j < 2; j++) {
            const vgKin *kj = in->kin[j];
            vgMat3 by_w = vg_mscale3(vg_mm3(vg_mtm3(ki->R, D), kj->R), si * (j ? 1 : -1));
            if (out->C) add_block(out->C, i, j, by_w);
            if (out->K) add_block(out->K, i, j, vg_mscale3(vg_mm3(by_w, vg_skew3(kj->w)), -1));
        }
    }
}

static const char *const outputs[] = {"torque", "power", "load", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    vgVec3 omega;
    double dc, c;
    vgVec3 T = torque(def, in, &omega, &dc, &c);
    values[0] = vg_norm3(T);
    values[1] = vg_dot3(T, omega);
    values[2] = in->measure[0].value;
}

const vgForceKind vg_force_ball_friction = {
    .name = "ball-friction",
    .doc = "Coulomb, Stribeck and viscous friction of a ball joint by its own reaction, smooth at zero "
           "velocity. The joint needs multipliers (in relative coordinates: `cut: true`). Outputs: torque "
           "(its size), power, load (radius times the reaction).",
    .head = VG_HEAD_BALL,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgBallFriction),
    .example = "rub: {ball-friction: hip, coefficient: 0.05, radius: 0.014}",
    .setup = setup,
    .eval = eval,
    .outputs = outputs,
    .output = output,
};
