/* Force applied at a point of a body, given by three laws, in world axes or in the axes of the frame
 * (follower).
 *
 *     world:    F_W = L,                torque r × RᵀL,   δ(torque) = r̃ [RᵀL]~ δθ
 *     follower: F_W = R R_M L,          torque r × R_M L,  δF_W = −R [R_M L]~ δθ       (R_M: frame on the
 * body) */
#include "element/force/applied.h"

static const vgField fields[] = {
    {"value", VG_FIELD_LAW3, offsetof(vgApplied, value), "N", NULL, 0, 0,
     "components, laws of t and channels"},
    {"frame", VG_FIELD_NAME, offsetof(vgApplied, frame), "", "world", 0, 0,
     "world: components along fixed axes; body: along the axes of the frame, turning with it"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    const vgApplied *s = def;
    vgStatus st = vg_applied_setup(def, out);
    (void)planar;
    out->dead = !s->follower && vg_norm3(s->head.frame[0].r) == 0 && vg_law_is_time(&s->value[0]) &&
                vg_law_is_time(&s->value[1]) && vg_law_is_time(&s->value[2]);
    return st;
}

/* Native wrench of a force given in its own axes. */
static inline void wrench(const vgApplied *s, const vgKin *k, vgVec3 L, double f[6])
{
    const vgFrame *A = &s->head.frame[0];
    vgVec3 F_B = s->follower ? vg_mv3(A->R, L) : vg_mtv3(k->R, L);
    vgVec3 F_W = s->follower ? vg_mv3(k->R, F_B) : L, torque = vg_cross3(A->r, F_B);
    f[0] += F_W.x, f[1] += F_W.y, f[2] += F_W.z;
    f[3] += torque.x, f[4] += torque.y, f[5] += torque.z;
}

/* Laws, tangents. */
static __attribute__((noinline)) void eval_all(const vgApplied *s, const vgForceIn *in, vgForceOut *out)
{
    const vgKin *k = in->kin[0];
    const vgFrame *A = &s->head.frame[0];
    double dext[3 * VG_LAW_MAX_INPUTS];
    int next[3];
    vgVec3 L = vg_applied_value(s, in, dext, next);
    wrench(s, k, L, out->f);
    if (out->K) {
        vgMat3 block = s->follower ? vg_mscale3(vg_mm3(k->R, vg_skew3(vg_mv3(A->R, L))), -1)
                                   : vg_mm3(vg_skew3(A->r), vg_skew3(vg_mtv3(k->R, L)));
        double *to = out->K + (s->follower ? 0 : 18) + 3;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) to[6 * i + j] += block.m[i][j];
    }
    int stride = next[0] + next[1] + next[2];
    for (int c = 0, col = 0; c < 3 && out->dL && stride > 0; col += next[c], c++) {
        double direction[6] = {0};
        wrench(s, k, vg_unit_axis3(c), direction);
        vg_force_add_dL(out->dL, stride, 0, 6, direction, col, next[c], dext + col);
    }
}

/* Numbers, and the force alone: what an explicit method asks for most. */
static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgApplied *s = def;
    if (s->constant && !out->K)
        wrench(s, in->kin[0],
               vg_scale3(vg_v3(s->value[0].value, s->value[1].value, s->value[2].value), 1 - in->unload),
               out->f);
    else
        eval_all(s, in, out);
}

/* A constant force along fixed axes has the potential −F·P. */
static double energy(const void *def, const vgForceIn *in)
{
    const vgApplied *s = def;
    if (s->follower || s->value[0].expr || s->value[1].expr || s->value[2].expr) return 0;
    vgVec3 F = vg_v3(s->value[0].value, s->value[1].value, s->value[2].value);
    return -vg_dot3(F, vg_kin_point(in->kin[0], s->head.frame[0].r));
}

static const char *const outputs[] = {"x", "y", "z", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    double dext[3 * VG_LAW_MAX_INPUTS];
    int next[3];
    vg_store3(vg_applied_value(def, in, dext, next), values);
}

static void look(const void *def, vgForceLook *out)
{
    out->follower = ((const vgApplied *)def)->follower;
}

const vgForceKind vg_force_force = {
    .name = "force",
    .doc = "Force applied at a frame. Outputs: x, y, z (components as given).",
    .planar = 1,
    .head = VG_HEAD_FRAME,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgApplied),
    .example = "push: {force: rod.tip, value: [\"10*sin(2*pi*t)\", 0, 0], frame: world}",
    .setup = setup,
    .eval = eval,
    .energy = energy,
    .outputs = outputs,
    .output = output,
    .look = look,
};
