/* Friction along a joint coordinate, smooth at rest.
 *
 *     Q = −[ G(v) tanh(v/v0) + viscous v ],    G(v) = coulomb + (static − coulomb) exp(−(v/vs)²)
 *
 * (Coulomb friction regularised at v0, Stribeck's fall from the static to the kinetic level over vs.) */
#include "element/force_util.h"

typedef struct vgJointFriction {
    vgForceHead head;
    double coulomb, level0, viscous, velocity, stribeck;
} vgJointFriction;

static const vgField fields[] = {
    {"coulomb", VG_FIELD_NUMBER, offsetof(vgJointFriction, coulomb), "N*m", "0", 0, INFINITY,
     "level of sliding friction (sliding joints: N)"},
    {"static", VG_FIELD_NUMBER, offsetof(vgJointFriction, level0), "N*m", "", 0, INFINITY,
     "level near rest; absent: as coulomb"},
    {"viscous", VG_FIELD_NUMBER, offsetof(vgJointFriction, viscous), "N*m*s/rad", "0", 0, INFINITY,
     "part proportional to the rate"},
    {"velocity", VG_FIELD_NUMBER, offsetof(vgJointFriction, velocity), "rad/s", "0.01", 1e-12, INFINITY,
     "rate at which friction has reached 76 % of its level; smaller is sharper and stiffer"},
    {"stribeck", VG_FIELD_NUMBER, offsetof(vgJointFriction, stribeck), "rad/s", "0.1", 1e-12, INFINITY,
     "rate over which the static level falls to the sliding one"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgJointFriction *s = def;
    (void)planar;
    if (isnan(s->level0)) s->level0 = s->coulomb;
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    out->velocity = 1;
    return VG_OK;
}

static double resisting(const vgJointFriction *s, double v, double *dv)
{
    double y = tanh(v / s->velocity), r = v / s->stribeck;
    double extra = s->level0 == s->coulomb ? 0 : (s->level0 - s->coulomb) * exp(-r * r);
    double G = s->coulomb + extra, dG = -2 * r / s->stribeck * extra;
    *dv = dG * y + G * (1 - y * y) / s->velocity + s->viscous;
    return G * y + s->viscous * v;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    double dv;
    out->Q[0] -= resisting(def, in->measure[0].rate, &dv);
    if (out->dQ) out->dQ[1] -= dv;
}

static const char *const some[] = {"coulomb", "static", "viscous", NULL};
static const char *const outputs[] = {"torque", "power", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    double dv;
    values[0] = -resisting(def, in->measure[0].rate, &dv);
    values[1] = values[0] * in->measure[0].rate;
}

const vgForceKind vg_force_joint_friction = {
    .name = "joint-friction",
    .doc = "Coulomb, Stribeck and viscous friction along a joint coordinate. Outputs: torque, power.",
    .planar = 1,
    .head = VG_HEAD_JOINT,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgJointFriction),
    .example = "drag: {joint-friction: slide, coulomb: 3, static: 4, viscous: 0.2}",
    .setup = setup,
    .eval = eval,
    .outputs = outputs,
    .output = output,
};
