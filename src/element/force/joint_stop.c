/* Stops of a joint coordinate: a spring with the damping of Hunt and Crossley beyond each end of its range.
 *
 *     e = x − upper (or lower − x), ė its rate:   F = k e^n max(0, 1 + c ė)   where e > 0, against the motion outwards
 *
 * Without c the energy is k e^(n+1)/(n+1). Where events are located it is on one side of its ends for a whole step, and held
 * there it pulls where it has come apart, as contacts do (contact/contact.c). */
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
    double power = s->stiffness * pow(fabs(e), s->exponent - 1), factor = 1 + s->damping * rate;
    d[0] = d[1] = 0;
    if (factor <= 0) return 0;
    d[0] = s->exponent * power * factor;
    d[1] = power * e * s->damping;
    return power * e * factor;
}

/* How far the coordinate is beyond the nearer end, −: within; *up: 1 that is the upper one. */
static double beyond(const vgJointStop *s, double x, int *up)
{
    double over = x - s->upper, under = s->lower - x; /* NAN: there is no stop */
    *up = !(under > over) && !isnan(s->upper);
    return *up ? over : under;
}

static double depth(const void *def, const vgForceIn *in)
{
    int up;
    return beyond(def, in->measure[0].value, &up);
}

/* Along one axis: the coordinate is the first component. */
static void approach(const void *def, const vgForceIn *in, vgApproach *out)
{
    int up;
    *out = (vgApproach){.depth = beyond(def, in->measure[0].value, &up)};
    out->y.x = in->measure[0].value;
    out->u.x = in->measure[0].rate;
    out->n.x = up ? -1 : 1;
}

/* The coordinate is the cubic with the values and rates of both ends; it is the farthest out where its rate
 *     ẋ(r) = u_a + 2 c₂ r + 3 c₃ r²,   c₂ = 3 Δ − 2 u_a − u_b,   c₃ = u_a + u_b − 2 Δ
 * is zero (0 ≤ r ≤ 1, rates times h). */
static int crosses(const void *def, const vgApproach *a, const vgApproach *b, double h, double *when)
{
    double u = h * a->u.x, change = b->y.x - a->y.x, c3 = u + h * b->u.x - 2 * change;
    double c2 = 3 * change - 2 * u - h * b->u.x, root = c2 * c2 - 3 * c3 * u;
    if ((a->depth > 0) != (b->depth > 0) || !(root >= 0)) return 0;
    double q = -(c2 + copysign(sqrt(root), c2)), at[2] = {u / q, q / (3 * c3)};
    if (at[0] > at[1]) at[0] = at[1], at[1] = u / q;
    for (int i = 0; i < 2; i++) {
        double r = at[i];
        int up;
        if (!(r > 0 && r < 1)) continue;
        if ((beyond(def, a->y.x + r * (u + r * (c2 + r * c3)), &up) > 0) == (a->depth > 0)) continue;
        *when = r;
        return 1;
    }
    return 0;
}

/* The torque along the coordinate, with its derivatives by value and rate. */
static double torque(const vgJointStop *s, const vgForceIn *in, double d[2])
{
    int up;
    double e = beyond(s, in->measure[0].value, &up), sign = up ? 1 : -1;
    d[0] = d[1] = 0;
    if (in->touching ? in->touching < 0 : !(e > 0)) return 0;
    double F = push(s, e, sign * in->measure[0].rate, d);
    d[0] = -d[0];
    d[1] = -d[1];
    return -sign * F;
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
    double n = s->exponent + 1;
    return s->stiffness * pow(fmax(depth(s, in), 0), n) / n;
}

static double room(const void *def, const vgForceIn *in)
{
    return -depth(def, in);
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
    .depth = depth,
    .approach = approach,
    .crosses = crosses,
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
