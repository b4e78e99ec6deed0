/* Stops of a joint coordinate: a spring with the damping of Hunt and Crossley beyond each end of its range.
 *
 *     e = x − upper (or lower − x), ė its rate:   F = k e^n max(0, 1 + c ė)   where e > 0, against the motion outwards
 *
 * Without c the energy is k e^(n+1)/(n+1). Where events are located it is on one side of its ends for a whole step, and held
 * there it pulls where it has come apart, as contacts do (contact/contact.c).
 *
 * With restitution ε it is rigid for what strikes it: where x comes to an end with the rate v outwards, an impulse makes it
 * −ε v at once. What comes slower than `rest`, and what lies on the stop, presses the spring in. It is no contact then: its ends
 * are switches. */
#include "element/force/util.h"

typedef struct vgJointStop {
    vgForceHead head;
    double lower, upper, stiffness, exponent, damping, restitution, rest;
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
    {"restitution", VG_FIELD_NUMBER, offsetof(vgJointStop, restitution), "", "", 0, 1,
     "impacts are rigid: the rate reverses at once, times this part (1: no loss, 0: it stays). They are "
     "located in time; in single steps (vg_sim_step, realtime) they are at the end of the step"},
    {"rest", VG_FIELD_NUMBER, offsetof(vgJointStop, rest), "rad/s", "0.01", 0, INFINITY,
     "with restitution: an impact slower than this (sliding joints: m/s) compresses the spring instead, and "
     "its damping brings the joint to rest"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgJointStop *s = def;
    (void)planar;
    if (s->lower > s->upper) return vg_force_refuse(out, "upper", "upper is below lower");
    out->strikes = !isnan(s->restitution);
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

static int is_rigid(const vgJointStop *s)
{
    return !isnan(s->restitution);
}

/* Of a rigid stop impacts are events of its own (switches, strike): as a contact it is always 1 m or 1 rad away. */
static double depth(const void *def, const vgForceIn *in)
{
    int up;
    return is_rigid(def) ? -1 : beyond(def, in->measure[0].value, &up);
}

/* Along one axis: the coordinate is the first component. */
static void approach(const void *def, const vgForceIn *in, vgApproach *out)
{
    int up;
    *out = (vgApproach){.depth = is_rigid(def) ? -1 : beyond(def, in->measure[0].value, &up)};
    if (is_rigid(def)) return;
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
    if (is_rigid(def) || (a->depth > 0) != (b->depth > 0) || !(root >= 0)) return 0;
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

/* Is the coordinate beyond an end of a rigid stop? It is on one side for a whole step, as events are located. */
static int rigid_beyond(const vgJointStop *s, const vgForceIn *in, int *up)
{
    const double x = in->measure[0].value;
    const int over = in->held && in->held[0] ? in->held[0] < 0 : x > s->upper;
    const int under = in->held && in->held[1] ? in->held[1] < 0 : x < s->lower;
    *up = over;
    return over || under;
}

/* The torque along the coordinate, with its derivatives by value and rate. */
static double torque(const vgJointStop *s, const vgForceIn *in, double d[2])
{
    int up;
    double x = in->measure[0].value, e = beyond(s, x, &up), sign;
    const int out = is_rigid(s) ? rigid_beyond(s, in, &up) : in->touching ? in->touching > 0 : e > 0;
    d[0] = d[1] = 0;
    if (!out) return 0;
    sign = up ? 1 : -1;
    double F = push(s, up ? x - s->upper : s->lower - x, sign * in->measure[0].rate, d);
    d[0] = -d[0];
    d[1] = -d[1];
    return -sign * F;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    double d[2];
    out->Q[0] += torque(def, in, d) + in->push;
    if (!out->dQ) return;
    out->dQ[0] += d[0];
    out->dQ[1] += d[1];
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgJointStop *s = def;
    double n = s->exponent + 1;
    int up;
    return s->stiffness * pow(fmax(beyond(s, in->measure[0].value, &up), 0), n) / n;
}

static double room(const void *def, const vgForceIn *in)
{
    int up;
    return -beyond(def, in->measure[0].value, &up);
}

/* Distances to both ends. An end that is not there is never reached. */
static int switches(const void *def, const vgForceIn *in, double *out)
{
    const vgJointStop *s = def;
    double x = in->measure[0].value;
    if (!is_rigid(s)) return 0;
    out[0] = isnan(s->upper) ? 1 : s->upper - x;
    out[1] = isnan(s->lower) ? 1 : x - s->lower;
    return 2;
}

static double strike(const void *def, const vgForceIn *in)
{
    const vgJointStop *s = def;
    double x = in->measure[0].value, v = in->measure[0].rate;
    int out = (x >= s->upper && v > s->rest) || (x <= s->lower && v < -s->rest);
    return out ? -s->restitution * v : NAN; /* NAN without restitution, too */
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
           "Crossley. Output: torque.",
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
    .switches = switches,
    .strike = strike,
    .energy = energy,
    .outputs = outputs,
    .output = output,
};
