/* Torque applied to a body, given by three laws, in world axes or in the axes of the frame (follower).
 *
 *     world: τ_B = RᵀL,  δτ_B = [RᵀL]~ δθ;     follower: τ_B = R_M L     (R_M: frame on the body) */
#include "element/force/applied.h"

static const vgField fields[] = {
    {"value", VG_FIELD_LAW3, offsetof(vgApplied, value), "N*m", NULL, 0, 0,
     "components (planar models: one number), laws of t and channels"},
    {"frame", VG_FIELD_NAME, offsetof(vgApplied, frame), "", "world", 0, 0,
     "world: components along fixed axes; body: along the axes of the frame, turning with it"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    (void)planar;
    return vg_applied_setup(def, out);
}

static vgVec3 in_body(const vgApplied *s, const vgKin *k, vgVec3 L)
{
    return s->follower ? vg_mv3(s->head.frame[0].R, L) : vg_mtv3(k->R, L);
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgApplied *s = def;
    const vgKin *k = in->kin[0];
    double dext[3 * VG_LAW_MAX_INPUTS];
    int next[3];
    vgVec3 torque = in_body(s, k, vg_applied_value(s, in, dext, next));
    out->f[3] += torque.x, out->f[4] += torque.y, out->f[5] += torque.z;
    if (out->K && !s->follower) {
        vgMat3 block = vg_skew3(torque);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) out->K[6 * (3 + i) + 3 + j] += block.m[i][j];
    }
    int stride = next[0] + next[1] + next[2];
    for (int c = 0, col = 0; c < 3 && out->dL && stride > 0; col += next[c], c++) {
        double direction[3];
        vg_store3(in_body(s, k, vg_unit_axis3(c)), direction);
        vg_force_add_dL(out->dL, stride, 3, 3, direction, col, next[c], dext + col);
    }
}

static const char *const outputs[] = {"x", "y", "z", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    double dext[3 * VG_LAW_MAX_INPUTS];
    int next[3];
    vg_store3(vg_applied_value(def, in, dext, next), values);
}

const vgForceKind vg_force_torque = {
    .name = "torque",
    .doc = "Torque applied to a body. Outputs: x, y, z (components as given).",
    .planar = 1,
    .head = VG_HEAD_FRAME,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgApplied),
    .example = "twist: {torque: rotor, value: [0, 0, \"0.5*t\"], frame: body}",
    .setup = setup,
    .eval = eval,
    .outputs = outputs,
    .output = output,
};
