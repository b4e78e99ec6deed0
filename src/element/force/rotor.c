/* Inertia along a joint coordinate: a motor's rotor seen through its gear.
 *
 *     Q = −J n² φ̈,    kinetic energy ½ J n² φ̇²
 *
 * The rotor's mass moves with the bodies and is counted there; its gyroscopic moments are left out. */
#include "element/force/util.h"

typedef struct vgRotor {
    vgForceHead head;
    double inertia, ratio;
} vgRotor;

static const vgField fields[] = {
    {"inertia", VG_FIELD_NUMBER, offsetof(vgRotor, inertia), "kg*m^2", NULL, 0, INFINITY,
     "moment of inertia of the rotor (sliding joints with ratio 1: kg)"},
    {"ratio", VG_FIELD_NUMBER, offsetof(vgRotor, ratio), "", "1", 0, 0,
     "turns of the rotor per turn of the joint (sliding joints: rad/m)"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgRotor *s = def;
    (void)planar;
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    out->inertial = 1;
    return VG_OK;
}

static double reflected(const vgRotor *s)
{
    return s->inertia * s->ratio * s->ratio;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    double J = reflected(def);
    if (in->measure_acc) out->Q[0] -= J * in->measure_acc[0];
    if (out->dA) out->dA[0] += J;
}

static double kinetic(const void *def, const vgForceIn *in)
{
    double v = in->measure[0].rate;
    return 0.5 * reflected(def) * v * v;
}

static const char *const outputs[] = {"speed", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgRotor *s = def;
    values[0] = s->ratio * in->measure[0].rate;
}

const vgForceKind vg_force_rotor = {
    .name = "rotor",
    .doc = "Inertia of a rotor geared to a joint coordinate. Output: speed of the rotor.",
    .planar = 1,
    .head = VG_HEAD_JOINT,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgRotor),
    .example = "motor: {rotor: shoulder, inertia: 2e-5, ratio: 100}",
    .setup = setup,
    .eval = eval,
    .kinetic = kinetic,
    .outputs = outputs,
    .output = output,
};
