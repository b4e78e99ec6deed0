/* Stops of a joint coordinate: a spring with the damping of Hunt and Crossley beyond each end of its range.
 *
 *     e = x − upper (or lower − x), ė its rate:   F = k e^n max(0, 1 + c ė)   where e > 0, against the motion outwards
 *
 * Without c the energy is k e^(n+1)/(n+1). */
#include "element/force/util.h"

typedef struct vgJointStop {
    vgForceHead head;
    double lower, upper, stiffness, exponent, damping;
} vgJointStop;

static const vgField fields[] = {
    {"lower", VG_FIELD_NUMBER, offsetof(vgJointStop, lower), "rad", "", 0, 0,
     "least value of the coordinate (sliding joints: m); absent: no stop there"},
    {"upper", VG_FIELD_NUMBER, offsetof(vgJointStop, upper), "rad", "", 0, 0,
     "its largest value; absent: no stop there"},
    {"stiffness", VG_FIELD_NUMBER, offsetof(vgJointStop, stiffness), "N*m/rad^exponent", NULL, 0, INFINITY,
     "torque one radian beyond the end (sliding joints: N/m^exponent), k in k*e^exponent"},
    {"exponent", VG_FIELD_NUMBER, offsetof(vgJointStop, exponent), "", "1.5", 1, 4,
     "1.5: Hertz; 1: linear, with a corner"},
    {"damping", VG_FIELD_NUMBER, offsetof(vgJointStop, damping), "s/rad", "0", 0, INFINITY,
     "c of Hunt and Crossley: the elastic torque is multiplied by 1 + c*(rate outwards), and never pulls"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgJointStop *s = def;
    (void)planar;
    if (s->lower > s->upper) return vg_force_refuse(out, "upper", "upper is below lower");
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    out->velocity = s->damping != 0;
    return VG_OK;
}

/* The push of one end: F with ∂F/∂e and ∂F/∂ė. */
static double push(const vgJointStop *s, double e, double rate, double d[2])
{
    d[0] = d[1] = 0;
    if (!(e > 0)) return 0; /* also where there is no stop: e is NAN */
    double elastic = s->stiffness * pow(e, s->exponent),
           slope = s->stiffness * s->exponent * pow(e, s->exponent - 1);
    double factor = 1 + s->damping * rate;
    if (factor <= 0) return 0;
    d[0] = slope * factor;
    d[1] = elastic * s->damping;
    return elastic * factor;
}

/* The torque along the coordinate, with its derivatives by value and rate. */
static double torque(const vgJointStop *s, const vgForceIn *in, double d[2])
{
    double x = in->measure[0].value, v = in->measure[0].rate, up[2], down[2];
    double Q = push(s, s->lower - x, -v, down) - push(s, x - s->upper, v, up);
    d[0] = -up[0] - down[0];
    d[1] = -up[1] - down[1];
    return Q;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    double d[2];
    out->Q[0] += torque(def, in, d);
    if (!out->dQ) return;
    out->dQ[0] += d[0];
    out->dQ[1] += d[1];
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgJointStop *s = def;
    double x = in->measure[0].value, n = s->exponent + 1, over = x - s->upper, under = s->lower - x;
    double e = over > 0 ? over : under > 0 ? under : 0;
    return s->stiffness * pow(e, n) / n;
}

static double room(const void *def, const vgForceIn *in)
{
    const vgJointStop *s = def;
    double x = in->measure[0].value;
    return fmin(s->upper - x, x - s->lower); /* NAN, an end without a stop, counts as infinite in fmin */
}

static const char *const some[] = {"lower", "upper", NULL};
static const char *const outputs[] = {"torque", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    double d[2];
    values[0] = torque(def, in, d);
}

const vgForceKind vg_force_joint_stop = {
    .name = "joint-stop",
    .doc = "Stops at the ends of the range of a joint coordinate: springs with the damping of Hunt and "
           "Crossley. "
           "Output: torque.",
    .planar = 1,
    .head = VG_HEAD_JOINT,
    .brief = 1,
    .room = room,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgJointStop),
    .example = "end_stop: {joint-stop: elbow, lower: -1.5, upper: 2, stiffness: 500, damping: 0.5}",
    .setup = setup,
    .eval = eval,
    .energy = energy,
    .outputs = outputs,
    .output = output,
};
