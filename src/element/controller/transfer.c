/* A discrete transfer function, a filter or lead-lag compensator:
 *
 *     y = u (b₀ + b₁ z⁻¹ + … + b_n z⁻ⁿ) / (a₀ + a₁ z⁻¹ + … + a_n z⁻ⁿ)
 *
 * in the transposed direct form: y = (b₀ u + s₁)/a₀, s_i = s_{i+1} + b_i u − a_i y. */
#include "element/controller/controller.h"
#include "element/force/util.h"

typedef struct Transfer {
    vgControllerHead head;
    vgNumbers num, den;
    int order;
} Transfer;

static const vgField fields[] = {
    {"num", VG_FIELD_NUMBERS, offsetof(Transfer, num), "", NULL, 0, 0, "[b0, b1, …]"},
    {"den", VG_FIELD_NUMBERS, offsetof(Transfer, den), "", "[1]", 0, 0, "[a0, a1, …], a0 not 0"},
};

static vgStatus setup(void *def, vgControllerSetup *out)
{
    Transfer *c = def;
    if (c->num.n < 1) return out->key = "num", out->why = "must have a number", VG_BAD_INPUT;
    if (c->den.n < 1 || c->den.at[0] == 0)
        return out->key = "den", out->why = "must begin with a number that is not 0", VG_BAD_INPUT;
    c->order = (c->num.n > c->den.n ? c->num.n : c->den.n) - 1;
    out->nmemory = c->order;
    return VG_OK;
}

static double at(const vgNumbers *x, int i)
{
    return i < x->n ? x->at[i] : 0;
}

static void step(const void *def, const double *in, double *s, double *out)
{
    const Transfer *c = def;
    const double u = in[0], y = (c->num.at[0] * u + (c->order ? s[0] : 0)) / c->den.at[0];
    for (int i = 1; i <= c->order; i++)
        s[i - 1] = (i < c->order ? s[i] : 0) + at(&c->num, i) * u - at(&c->den, i) * y;
    out[0] = y;
}

const vgControllerKind vg_controller_transfer = {
    .name = "transfer",
    .doc = "Discrete transfer function, powers of 1/z ascending: a filter, a compensator.",
    .head = "law of the input",
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(Transfer),
    .example = "smooth: {transfer: joint.hinge.rate, num: [0.1], den: [1, -0.9], sample: 0.001}",
    .setup = setup,
    .step = step,
};
