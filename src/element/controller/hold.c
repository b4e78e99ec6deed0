/* A law that is looked at now and then: u_k = law(t_k, channels at t_k). State feedback with gains is one. */
#include "element/controller/controller.h"

static vgStatus setup(void *def, vgControllerSetup *out)
{
    (void)def;
    (void)out;
    return VG_OK;
}

static void step(const void *def, const double *in, double *memory, double *out)
{
    (void)def;
    (void)memory;
    out[0] = in[0];
}

const vgControllerKind vg_controller_hold = {
    .name = "hold",
    .doc = "The value of a law at each sample, held until the next: state feedback, a setpoint, a sensor.",
    .head = "law",
    .def_size = sizeof(vgControllerHead),
    .example = "balance: {hold: \"-(k1*joint.rail.displacement + k2*joint.rail.rate)\", sample: 0.005}",
    .setup = setup,
    .step = step,
};
