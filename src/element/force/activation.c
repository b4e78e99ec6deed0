/* Activation: a number a with a first-order law, ȧ = rate(a, t, channels), that laws of other forces read as
 * force.NAME.activation. Drives with dynamics of their own are made of it.
 *
 * a is the rate of a scalar coordinate of mass 1 that the element pushes by the law, so that second-order integrators
 * carry it like any other coordinate. Where a rest is looked for, in which nothing has a rate, the coordinate itself
 * stands for a. */
#include "element/force/util.h"

typedef struct vgActivation {
    vgForceHead head; /* number: a at the start */
    vgLaw rate;
} vgActivation;

static const vgField fields[] = {
    {"rate", VG_FIELD_LAW, offsetof(vgActivation, rate), "1/s", NULL, 0, 0,
     "its rate, a law of x (its value), t and channels"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgActivation *s = def;
    (void)planar;
    vg_force_use_law(out, &s->rate);
    out->nscalar = 1;
    out->scalar_rate = s->head.number;
    out->velocity = 1;
    return VG_OK;
}

static double value_of(const vgForceIn *in)
{
    return in->rest ? in->measure[0].value : in->measure[0].rate;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgActivation *s = def;
    if (!s->rate.expr) {
        out->Q[0] += s->rate.value;
        return;
    }
    double a = value_of(in), d[2], dext[VG_LAW_MAX_INPUTS];
    out->Q[0] += vg_law_grad(&s->rate, in->t, 1, &a, in->law_inputs[0], in->law_held[0], d, dext);
    if (out->dQ) out->dQ[in->rest ? 0 : 1] += d[1];
    int next = vg_law_nexternal(&s->rate);
    if (out->dL) vg_force_add_dL(out->dL, next, 0, 1, (const double[]){1}, 0, next, dext);
}

static void local(const void *def, const vgForceIn *in, double *values)
{
    (void)def;
    values[0] = value_of(in);
}

static const char *const locals[] = {"x", NULL};
static const char *const outputs[] = {"activation", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    local(def, in, values);
}

const vgForceKind vg_force_activation = {
    .name = "activation",
    .doc = "A number with a first-order law, `activation: start`, for laws of other forces to read as "
           "force.NAME.activation: the dynamics of a drive. Name it before those that read it. Output: "
           "activation.",
    .planar = 1,
    .head = VG_HEAD_NUMBER,
    .locals = locals,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgActivation),
    .example = "lag: {activation: 0, rate: \"(input.u - x)/0.05\"}",
    .setup = setup,
    .eval = eval,
    .local = local,
    .outputs = outputs,
    .output = output,
};
