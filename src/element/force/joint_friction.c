/* Friction along a joint coordinate, smooth at zero velocity.
 *
 *     Q = −[ G(v) tanh(v/v0) + viscous v ],    G(v) = coulomb + (static − coulomb) exp(−(v/vs)²)
 *
 * (Coulomb friction regularised at v0, Stribeck's fall from the static to the kinetic level over vs.) With
 * `stick` it holds by bristles, as a contact that is pressed by 1 N with the friction `coulomb` does (eq.
 * 52d), damped near zero velocity as the smooth law is, κ = 1/v0. The bend is the rate of a scalar coordinate of mass
 * 1 (as the integral of a controller); where a rest is looked for without friction the coordinate holds its
 * place.
 *
 * With `coefficient` the levels grow with the joint's own reaction, [N] (1): coulomb + coefficient·p, static +
 * coefficient-static·p, p the load of a pin or slide (element/prim/load.h). */
#include "element/contact/contact.h"
#include "element/contact/friction.h"

typedef struct vgJointFriction {
    vgForceHead head;
    double coulomb, level0, viscous, velocity, stribeck, stick;
    double coefficient, coefficient0, radius, thrust, length;
    int load, bend, nmeasure; /* their places among the measures, 0: none; how many there are */
    vgContactLaw law;         /* with stick */
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
     "friction that holds: bristles that bend by this much before the joint slides (sliding joints: m); a "
     "joint at rest does not creep. Takes a coordinate of its own. 0: smooth friction"},
    {"coefficient", VG_FIELD_NUMBER, offsetof(vgJointFriction, coefficient), "", "0", 0, INFINITY,
     "coefficient of sliding friction by the joint's own reaction: adds coefficient (radius |F⊥| + thrust "
     "|F∥| + 2 radius |T⊥| / length) to the level, on sliding joints coefficient (|F⊥| + 2 |T⊥| / length + "
     "|T∥| / radius); ∥ and ⊥ are along and across the joint's axis"},
    {"coefficient-static", VG_FIELD_NUMBER, offsetof(vgJointFriction, coefficient0), "", "", 0, INFINITY,
     "coefficient at zero velocity; absent: as coefficient"},
    {"radius", VG_FIELD_NUMBER, offsetof(vgJointFriction, radius), "m", "0", 0, INFINITY,
     "of the pin; on sliding joints where a torque about the axis is carried (0: without friction)"},
    {"thrust", VG_FIELD_NUMBER, offsetof(vgJointFriction, thrust), "m", "0", 0, INFINITY,
     "mean radius of the collar that carries the force along the pin (0: without friction)"},
    {"length", VG_FIELD_NUMBER, offsetof(vgJointFriction, length), "m", "0", 0, INFINITY,
     "of the bearing or guide, which carries moments across the axis by forces at its ends (0: without "
     "friction)"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgJointFriction *s = def;
    (void)planar;
    if (isnan(s->level0)) s->level0 = s->coulomb;
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    out->velocity = 1;
    if (isnan(s->coefficient0)) s->coefficient0 = s->coefficient;
    int loaded = s->coefficient > 0 || s->coefficient0 > 0;
    if (s->stick > 0 && !(s->coulomb > 0) && !(s->coefficient > 0))
        return vg_force_refuse(out, "stick", "needs coulomb or coefficient: the level of sliding friction");
    if (s->stick > 0 && loaded && (s->coulomb > 0 || s->level0 > 0))
        return vg_force_refuse(out, "stick", "goes with coulomb or with coefficient, not with both");
    out->nload = loaded;
    out->load = (vgLoad){.kind = VG_LOAD_TURNING,
                         .measure = s->head.measure[0],
                         .radius = s->radius,
                         .thrust = s->thrust,
                         .length = s->length};
    s->load = loaded;
    s->bend = s->stick > 0 ? 1 + loaded : 0;
    s->nmeasure = 1 + loaded + (s->stick > 0);
    s->law = (vgContactLaw){.friction = loaded ? s->coefficient : s->coulomb,
                            .level0 = loaded ? s->coefficient0 : s->level0,
                            .stribeck = s->stribeck,
                            .stick = s->stick,
                            .settle = s->stick / s->velocity};
    out->nscalar = s->stick > 0;
    return VG_OK;
}

vgHold vg_joint_friction_hold(const void *def)
{
    const vgJointFriction *s = def;
    int creeps = s->coulomb > 0 || s->level0 > 0 || s->load;
    return s->stick > 0 ? VG_HOLD_STICKS : creeps ? VG_HOLD_CREEPS : VG_HOLD_NONE;
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
    vg_contact_grip(&s->law, vg_v3(in->measure[0].rate, 0, 0), vg_v3(in->measure[s->bend].rate, 0, 0), 1, 0,
                    grip);
}

/* What presses the bristles: the load, or a unit of it. */
static double press(const vgJointFriction *s, const vgForceIn *in)
{
    return s->load ? in->measure[s->load].value : 1;
}

/* Columns of dQ: the measures, then their rates. */
static void eval_bristles(const vgJointFriction *s, const vgForceIn *in, vgForceOut *out)
{
    vgGrip g;
    int b = s->bend, n = s->nmeasure;
    double p = press(s, in), *of_x = out->dQ, *of_bend = out->dQ ? out->dQ + 2 * n * b : NULL;
    out->Q[0] -= s->viscous * in->measure[0].rate;
    if (of_x) of_x[n] -= s->viscous;
    if (in->rest) {
        out->Q[b] -= in->measure[b].value;
        if (of_x) of_bend[b] -= 1;
        return;
    }
    hold(s, in, &g);
    out->Q[0] -= p * g.h.x;
    out->Q[b] += g.flow.x;
    if (!of_x) return;
    if (s->load) of_x[s->load] -= g.h.x;
    of_x[n] -= p * g.hv.m[0][0], of_x[n + b] -= p * g.hz.m[0][0];
    of_bend[n] += g.fv.m[0][0], of_bend[n + b] += g.fz.m[0][0];
}

/* dv, dp: its derivatives by the rate and by the load. */
static double resisting(const vgJointFriction *s, const vgForceIn *in, double *dv, double *dp)
{
    double v = in->measure[0].rate, p = s->load ? in->measure[s->load].value : 0;
    double low = s->coulomb + s->coefficient * p, high = s->level0 + s->coefficient0 * p;
    double y = tanh(v / s->velocity), r = v / s->stribeck, fall = high == low ? 0 : exp(-r * r);
    double G = low + (high - low) * fall, dG = -2 * r / s->stribeck * (high - low) * fall;
    *dv = dG * y + G * (1 - y * y) / s->velocity + s->viscous;
    *dp = (s->coefficient + (s->coefficient0 - s->coefficient) * exp(-r * r)) * y;
    return G * y + s->viscous * v;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgJointFriction *s = def;
    double dv, dp;
    if (s->stick > 0) {
        eval_bristles(def, in, out);
        return;
    }
    out->Q[0] -= resisting(s, in, &dv, &dp);
    if (out->dQ) out->dQ[s->nmeasure] -= dv;
    if (out->dQ && s->load) out->dQ[s->load] -= dp;
}

static const char *const some[] = {"coulomb", "static", "viscous", "coefficient", NULL};
static const char *const outputs[] = {"torque", "power", "load", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgJointFriction *s = def;
    double dv, dp;
    vgGrip g;
    if (s->stick > 0) hold(s, in, &g);
    values[0] =
        s->stick > 0 ? -press(s, in) * g.h.x - s->viscous * in->measure[0].rate : -resisting(s, in, &dv, &dp);
    values[2] = s->load ? in->measure[s->load].value : 0;
    values[1] = values[0] * in->measure[0].rate;
}

const vgForceKind vg_force_joint_friction = {
    .name = "joint-friction",
    .doc = "Coulomb, Stribeck and viscous friction along a joint coordinate, smooth at zero velocity or, "
           "with `stick`, holding. With `coefficient` by the joint's own reaction; the joint then needs "
           "multipliers (in relative coordinates: `cut: true`). Outputs: torque, power, load (what the "
           "coefficient multiplies).",
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
