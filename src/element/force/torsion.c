/* Torsional spring and damper along a joint coordinate (sliding joints: spring along the slide).
 *
 *     Q = −T,   T(x, v) = k (x − angle0) + c v + preload
 *
 * Instead of k, a table over x − angle0, or a law of x, v, time and channels for the whole of T. */
#include "element/force/util.h"

typedef struct vgTorsion {
    vgForceHead head;
    double stiffness, damping, angle0, preload;
    const vgTable *table;
    vgLaw torque;
} vgTorsion;

static const vgField fields[] = {
    {"stiffness", VG_FIELD_NUMBER, offsetof(vgTorsion, stiffness), "N*m/rad", "0", 0, INFINITY,
     "resisting torque per angle (sliding joints: N/m)"},
    {"damping", VG_FIELD_NUMBER, offsetof(vgTorsion, damping), "N*m*s/rad", "0", 0, INFINITY,
     "resisting torque per rate (sliding joints: N*s/m)"},
    {"angle0", VG_FIELD_NUMBER, offsetof(vgTorsion, angle0), "rad", "0", 0, 0,
     "joint coordinate at which the spring is free"},
    {"preload", VG_FIELD_NUMBER, offsetof(vgTorsion, preload), "N*m", "0", 0, 0,
     "resisting torque at angle0"},
    {"table", VG_FIELD_TABLE, offsetof(vgTorsion, table), "N*m", "", 0, 0,
     "resisting torque over (coordinate minus angle0), instead of stiffness"},
    {"torque", VG_FIELD_LAW, offsetof(vgTorsion, torque), "N*m", "", 0, 0,
     "the whole resisting torque as a law of x (coordinate), v (rate), t and channels; alone"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgTorsion *s = def;
    (void)planar;
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    if (vg_law_given(&s->torque)) {
        if (s->stiffness != 0 || s->damping != 0 || s->preload != 0 || s->table)
            return vg_force_refuse(out, "torque",
                                   "a torque law replaces stiffness, damping, preload and table");
        vg_force_use_law(out, &s->torque);
        out->velocity = vg_law_uses_slot(&s->torque, 2) || vg_law_uses_channels(&s->torque);
        return VG_OK;
    }
    if (s->table && s->stiffness != 0)
        return vg_force_refuse(out, "table", "give stiffness or a table, not both");
    out->velocity = s->damping != 0;
    return VG_OK;
}

/* T, with ∂T/∂t, ∂T/∂x, ∂T/∂v in d and the derivatives by channels in dext. */
static double resisting(const vgTorsion *s, const vgForceIn *in, double d[3], double *dext)
{
    double x = in->measure[0].value, v = in->measure[0].rate, e = x - s->angle0, y[3];
    if (vg_law_given(&s->torque)) {
        double local[2] = {x, v};
        return vg_law_grad(&s->torque, in->t, 2, local, in->law_inputs[0], in->law_held[0], d, dext);
    }
    d[0] = 0, d[1] = s->stiffness, d[2] = s->damping;
    double T = s->stiffness * e + s->damping * v + s->preload;
    if (s->table) {
        vg_force_table(s->table, e, in->held, y);
        T += y[0];
        d[1] += y[1];
    }
    return T;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgTorsion *s = def;
    double d[3], dext[VG_LAW_MAX_INPUTS];
    out->Q[0] -= resisting(s, in, d, dext);
    if (out->dQ) {
        out->dQ[0] -= d[1];
        out->dQ[1] -= d[2];
    }
    int next = vg_law_nexternal(&s->torque);
    if (out->dL) vg_force_add_dL(out->dL, next, 0, 1, (const double[]){-1}, 0, next, dext);
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgTorsion *s = def;
    if (vg_law_given(&s->torque)) return 0;
    double e = in->measure[0].value - s->angle0;
    return 0.5 * s->stiffness * e * e + s->preload * e +
           (s->table ? vg_force_table_integral(s->table, 0, e) : 0);
}

static void local(const void *def, const vgForceIn *in, double *values)
{
    (void)def;
    values[0] = in->measure[0].value;
    values[1] = in->measure[0].rate;
}

static int switches(const void *def, const vgForceIn *in, double *out)
{
    const vgTorsion *s = def;
    return vg_force_table_switches(s->table, in->measure[0].value - s->angle0, NULL, 0, out);
}

static const char *const locals[] = {"x", "v", NULL};
static const char *const some[] = {"stiffness", "damping", "preload", "table", "torque", NULL};
static const char *const outputs[] = {"torque", "angle", "rate", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    double d[3];
    values[0] = -resisting(def, in, d, NULL);
    values[1] = in->measure[0].value;
    values[2] = in->measure[0].rate;
}

const vgForceKind vg_force_torsion = {
    .name = "torsion",
    .doc = "Torsional spring and damper along a joint coordinate. Outputs: torque (on the second body), "
           "angle, rate.",
    .planar = 1,
    .head = VG_HEAD_JOINT,
    .locals = locals,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgTorsion),
    .example = "hinge: {torsion: knee, stiffness: 20, damping: 0.5, angle0: deg(10)}",
    .setup = setup,
    .eval = eval,
    .local = local,
    .switches = switches,
    .energy = energy,
    .outputs = outputs,
    .output = output,
};
