/* Controller that drives a joint coordinate x towards a target r(t).
 *
 *     e = r − x,   u = p e + d ė + i z,   ż = e,   Q = u   or, with a limit,   Q = limit · tanh(u / limit)
 *
 * z is the rate of a scalar coordinate of mass 1 that the element pushes by e, so that second-order
 * integrators carry it like any other coordinate, and a target that jumps is a force that jumps. Where a rest
 * is looked for, in which nothing has a rate, the coordinate itself stands for z: e = 0 there. ṙ is exact but
 * where r jumps. */
#include "element/force/util.h"

typedef struct vgPid {
    vgForceHead head;
    vgLaw target;
    double p, i, d, limit;
} vgPid;

static const vgField fields[] = {
    {"target", VG_FIELD_LAW, offsetof(vgPid, target), "rad", "0", 0, 0,
     "wanted joint coordinate, a law of t alone (sliding joints: m)"},
    {"p", VG_FIELD_NUMBER, offsetof(vgPid, p), "N*m/rad", "0", 0, INFINITY, "gain on the error"},
    {"i", VG_FIELD_NUMBER, offsetof(vgPid, i), "N*m/(rad*s)", "0", 0, INFINITY,
     "gain on the integral of the error; 0: a PD controller, without an extra coordinate"},
    {"d", VG_FIELD_NUMBER, offsetof(vgPid, d), "N*m*s/rad", "0", 0, INFINITY,
     "gain on the rate of the error"},
    {"limit", VG_FIELD_NUMBER, offsetof(vgPid, limit), "N*m", "0", 0, INFINITY,
     "largest torque, reached smoothly; 0: none"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgPid *s = def;
    (void)planar;
    if (!vg_law_is_time(&s->target)) return vg_force_refuse(out, "target", "must be a function of t alone");
    vg_force_use_law(out, &s->target); /* steps end at its corners */
    out->nmeasure = 1;
    out->measure[0] = s->head.measure[0];
    out->nscalar = s->i != 0;
    out->velocity = 1;
    return VG_OK;
}

typedef struct Control {
    double e, edot, z, Q, gain; /* gain = ∂Q/∂u */
} Control;

static Control control(const vgPid *s, const vgForceIn *in)
{
    Control c;
    double rdot, r = vg_law_grad(&s->target, in->t, 0, NULL, in->law_inputs[0], in->law_held[0], &rdot, NULL);
    c.e = r - in->measure[0].value;
    c.edot = rdot - in->measure[0].rate;
    c.z = s->i == 0 ? 0 : in->rest ? in->measure[1].value : in->measure[1].rate;
    double u = s->p * c.e + s->d * c.edot + s->i * c.z;
    c.Q = u;
    c.gain = 1;
    if (s->limit > 0) {
        double y = tanh(u / s->limit);
        c.Q = s->limit * y;
        c.gain = 1 - y * y;
    }
    return c;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgPid *s = def;
    Control c = control(s, in);
    out->Q[0] += c.Q;
    if (s->i == 0) {
        if (out->dQ) {
            out->dQ[0] -= c.gain * s->p;
            out->dQ[1] -= c.gain * s->d;
        }
        return;
    }
    out->Q[1] += c.e;
    if (out->dQ) { /* columns x, its own coordinate, their rates */
        out->dQ[0] -= c.gain * s->p;
        out->dQ[in->rest ? 1 : 3] += c.gain * s->i;
        out->dQ[2] -= c.gain * s->d;
        out->dQ[4 + 0] -= 1;
    }
}

static const char *const some[] = {"p", "i", "d", NULL};
static const char *const outputs[] = {"torque", "error", "integral", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    Control c = control(def, in);
    values[0] = c.Q;
    values[1] = c.e;
    values[2] = c.z;
}

const vgForceKind vg_force_pid = {
    .name = "pid",
    .doc = "PID controller of a joint coordinate in continuous time (PD without i); see Controllers for one "
           "that acts at a fixed rate. Outputs: torque, error, integral of the error.",
    .planar = 1,
    .head = VG_HEAD_JOINT,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgPid),
    .example = "servo: {pid: elbow, target: \"step(t, 0, 0, 1, pi/2)\", p: 200, i: 50, d: 10, limit: 40}",
    .setup = setup,
    .eval = eval,
    .outputs = outputs,
    .output = output,
};
