/* Torque (sliding joints: force) along a joint coordinate, given by a law: Q = law(x, v, t, channels). */
#include <math.h>

#include "element/force/util.h"

typedef struct vgJointTorque {
    vgForceHead head;
    vgLaw value;
} vgJointTorque;

static const vgField fields[] = {
    {"value", VG_FIELD_LAW, offsetof(vgJointTorque, value), "N*m", NULL, 0, 0,
     "torque on the second body about the joint's axis, with its reaction on the first (sliding joints: "
     "force, N), as a law of x (the joint's coordinate), v (its rate), t and channels"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgJointTorque *s = def;
    (void)planar;
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    vg_force_use_law(out, &s->value);
    out->velocity = vg_law_uses_slot(&s->value, 2) || vg_law_uses_channels(&s->value);
    return VG_OK;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgJointTorque *s = def;
    if (!s->value.expr) {
        out->Q[0] += s->value.value;
        return;
    }
    double local[2] = {in->measure[0].value, in->measure[0].rate}, d[3], dext[VG_LAW_MAX_INPUTS];
    out->Q[0] += vg_law_grad(&s->value, in->t, 2, local, in->law_inputs[0], in->law_held[0], d, dext);
    if (out->dQ) {
        out->dQ[0] += d[1];
        out->dQ[1] += d[2];
    }
    int next = vg_law_nexternal(&s->value);
    if (out->dL) vg_force_add_dL(out->dL, next, 0, 1, (const double[]){1}, 0, next, dext);
}

static double constant(const void *def, const vgForceIn *in)
{
    const vgJointTorque *s = def;
    return s->value.expr ? NAN : s->value.value * in->measure[0].value;
}

static void local(const void *def, const vgForceIn *in, double *values)
{
    (void)def;
    values[0] = in->measure[0].value;
    values[1] = in->measure[0].rate;
}

static const char *const locals[] = {"x", "v", NULL};
static const char *const outputs[] = {"torque", "power", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgJointTorque *s = def;
    double local[2] = {in->measure[0].value, in->measure[0].rate};
    values[0] = vg_law_value(&s->value, in->t, 2, local, in->law_inputs[0], in->law_held[0]);
    values[1] = values[0] * local[1];
}

const vgForceKind vg_force_joint_torque = {
    .name = "joint-torque",
    .doc = "Torque, or force of a sliding joint, along a joint coordinate. Outputs: torque, power.",
    .planar = 1,
    .head = VG_HEAD_JOINT,
    .locals = locals,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgJointTorque),
    .example = "motor: {joint-torque: O, value: \"if(t < 0.5, 2*sin(4*pi*t), 0)\"}",
    .setup = setup,
    .eval = eval,
    .local = local,
    .constant = constant,
    .outputs = outputs,
    .output = output,
};
