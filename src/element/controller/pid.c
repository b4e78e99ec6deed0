/* A discrete PID controller of an error e:
 *
 *     u_k = p e_k + i z_k + d r_k,   z_k = z_{k−1} + T e_k,   r_k = (τ r_{k−1} + e_k − e_{k−1}) / (τ + T)
 *
 * r is the rate of e through a filter of time constant τ, or what `rate` says; at the first sample it is 0.
 * While the output is at its limit the integral does not grow beyond it. */
#include <math.h>

#include "element/controller/controller.h"
#include "element/force/util.h"

typedef struct Pid {
    vgControllerHead head;
    double p, i, d, filter;
    vgLaw rate;
    int rated;
} Pid;

enum { INTEGRAL, RATE, ERROR, BEGUN, MEMORY };

static const vgField fields[] = {
    {"p", VG_FIELD_NUMBER, offsetof(Pid, p), "", "0", 0, 0, "gain on the error"},
    {"i", VG_FIELD_NUMBER, offsetof(Pid, i), "1/s", "0", 0, 0, "gain on the sum of errors times the period"},
    {"d", VG_FIELD_NUMBER, offsetof(Pid, d), "s", "0", 0, 0, "gain on the rate of the error"},
    {"rate", VG_FIELD_LAW, offsetof(Pid, rate), "1/s", "", 0, 0,
     "that rate, where it is measured (absent: differences of the error)"},
    {"filter", VG_FIELD_NUMBER, offsetof(Pid, filter), "s", "0", 0, INFINITY,
     "time constant that smooths the differences"},
};

static vgStatus setup(void *def, vgControllerSetup *out)
{
    Pid *c = def;
    c->rated = vg_law_given(&c->rate);
    if (c->rated) out->more = &c->rate;
    out->nmemory = MEMORY;
    return VG_OK;
}

static void step(const void *def, const double *in, double *memory, double *out)
{
    const Pid *c = def;
    const double T = c->head.sample, e = in[0], limit = c->head.limit;
    double rate = c->rated ? in[1] : 0, z = memory[INTEGRAL] + T * e;
    if (!c->rated && memory[BEGUN] != 0)
        rate = (c->filter * memory[RATE] + e - memory[ERROR]) / (c->filter + T);
    double u = c->p * e + c->i * z + c->d * rate, over = fabs(u) - limit, grown = c->i * T * e;
    if (limit > 0 && over > 0 && u * grown > 0) { /* as far as the limit, if it was not there before */
        z -= T * e * fmin(1, over / fabs(grown));
        u = c->p * e + c->i * z + c->d * rate;
    }
    memory[INTEGRAL] = z;
    memory[RATE] = rate;
    memory[ERROR] = e;
    memory[BEGUN] = 1;
    out[0] = u;
}

const vgControllerKind vg_controller_pid = {
    .name = "pid",
    .doc = "Discrete PID controller of an error, with a limit that the integral respects.",
    .head = "law of the error",
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(Pid),
    .example = "servo: {pid: \"input.angle - joint.elbow.angle\", p: 200, i: 50, d: 10, limit: 40, sample: "
               "0.001, delay: 1}",
    .setup = setup,
    .step = step,
};
