/* Friction along a joint coordinate, smooth at zero velocity.
 *
 *     Q = −[ G(v) tanh(v/v0) + viscous v ],    G(v) = coulomb + (static − coulomb) exp(−(v/vs)²)
 *
 * (Coulomb friction regularised at v0, Stribeck's fall from the static to the kinetic level over vs.) With
 * `stick` it holds by bristles, as a contact that is pressed by 1 N with the friction `coulomb` does (eq.
 * 52d), damped near zero velocity as the smooth law is, κ = 1/v0. The bend is the rate of a scalar coordinate of mass
 * 1 (as the integral of a controller); where a rest is looked for without friction the coordinate holds its
 * place. */
#include "element/contact/contact.h"
#include "element/contact/friction.h"

typedef struct vgJointFriction {
    vgForceHead head;
    double coulomb, level0, viscous, velocity, stribeck, stick;
    vgContactLaw law; /* with stick */
} vgJointFriction;

static const vgField fields[] = {
    {"coulomb", VG_FIELD_NUMBER, offsetof(vgJointFriction, coulomb), "N*m", "0", 0, INFINITY,
     "level of sliding friction (sliding joints: N)"},
    {"static", VG_FIELD_NUMBER, offsetof(vgJointFriction, level0), "N*m", "", 0, INFINITY,
     "level at zero velocity; absent: as coulomb"},
    {"viscous", VG_FIELD_NUMBER, offsetof(vgJointFriction, viscous), "N*m*s/rad", "0", 0, INFINITY,
     "part proportional to the rate"},
    {"velocity", VG_FIELD_NUMBER, offsetof(vgJointFriction, velocity), "rad/s", "0.01", 1e-12, INFINITY,
     "rate at which friction has reached 76 % of its level; smaller is sharper and stiffer"},
    {"stribeck", VG_FIELD_NUMBER, offsetof(vgJointFriction, stribeck), "rad/s", "0.1", 1e-12, INFINITY,
     "rate over which the static level falls to the sliding one"},
    {"stick", VG_FIELD_NUMBER, offsetof(vgJointFriction, stick), "rad", "0", 0, 1,
     "friction that holds: bristles that bend by this much before the joint slides (sliding joints: m); what "
     "rests does not creep. Takes a coordinate of its own. 0: smooth friction"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgJointFriction *s = def;
    (void)planar;
    if (isnan(s->level0)) s->level0 = s->coulomb;
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    out->velocity = 1;
    if (s->stick > 0 && !(s->coulomb > 0))
        return vg_force_refuse(out, "stick", "needs coulomb: the level of sliding friction");
    s->law = (vgContactLaw){.friction = s->coulomb,
                            .level0 = s->level0,
                            .stribeck = s->stribeck,
                            .stick = s->stick,
                            .settle = s->stick / s->velocity};
    out->nscalar = s->stick > 0;
    return VG_OK;
}

vgHold vg_joint_friction_hold(const void *def)
{
    const vgJointFriction *s = def;
    return s->stick > 0 ? VG_HOLD_STICKS : s->coulomb > 0 || s->level0 > 0 ? VG_HOLD_CREEPS : VG_HOLD_NONE;
}

int vg_joint_friction_begin(const void *def, const vgForceIn *in, double z[3])
{
    const vgJointFriction *s = def;
    double v = in->measure[0].rate;
    if (!(fabs(v) >= s->velocity)) return 0;
    z[0] = vg_contact_level(&s->law, vg_v3(v, 0, 0)) * (v > 0 ? 1 : -1);
    return 1;
}

static void hold(const vgJointFriction *s, const vgForceIn *in, vgGrip *grip)
{
    vg_contact_grip(&s->law, vg_v3(in->measure[0].rate, 0, 0), vg_v3(in->measure[1].rate, 0, 0), 1, grip);
}

static void eval_bristles(const vgJointFriction *s, const vgForceIn *in, vgForceOut *out)
{
    vgGrip g;
    out->Q[0] -= s->viscous * in->measure[0].rate;
    if (out->dQ) out->dQ[2] -= s->viscous; /* columns x, the bend's coordinate, their rates */
    if (in->rest) {
        out->Q[1] -= in->measure[1].value;
        if (out->dQ) out->dQ[4 + 1] -= 1;
        return;
    }
    hold(s, in, &g);
    out->Q[0] -= g.h.x;
    out->Q[1] += g.flow.x;
    if (!out->dQ) return;
    out->dQ[2] -= g.hv.m[0][0], out->dQ[3] -= g.hz.m[0][0];
    out->dQ[4 + 2] += g.fv.m[0][0], out->dQ[4 + 3] += g.fz.m[0][0];
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
    if (((const vgJointFriction *)def)->stick > 0) {
        eval_bristles(def, in, out);
        return;
    }
    out->Q[0] -= resisting(def, in->measure[0].rate, &dv);
    if (out->dQ) out->dQ[1] -= dv;
}

static const char *const some[] = {"coulomb", "static", "viscous", NULL};
static const char *const outputs[] = {"torque", "power", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgJointFriction *s = def;
    double dv;
    vgGrip g;
    if (s->stick > 0) hold(s, in, &g);
    values[0] =
        s->stick > 0 ? -g.h.x - s->viscous * in->measure[0].rate : -resisting(def, in->measure[0].rate, &dv);
    values[1] = values[0] * in->measure[0].rate;
}

const vgForceKind vg_force_joint_friction = {
    .name = "joint-friction",
    .doc = "Coulomb, Stribeck and viscous friction along a joint coordinate, smooth at zero velocity or, "
           "with `stick`, "
           "holding. Outputs: torque, power.",
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
