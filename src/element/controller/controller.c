/* The list of controllers, and what they have in common: rounding, limits, delay. */
#include "element/controller/controller.h"

#include <math.h>
#include <string.h>

extern const vgControllerKind vg_controller_hold, vg_controller_pid, vg_controller_transfer,
    vg_controller_state_space, vg_controller_fmu;

const vgControllerKind *const vg_controller_kinds[] = {&vg_controller_hold,     &vg_controller_pid,
                                                       &vg_controller_transfer, &vg_controller_state_space,
                                                       &vg_controller_fmu,      NULL};

const vgField vg_controller_fields[] = {
    {"sample", VG_FIELD_NUMBER, offsetof(vgControllerHead, sample), "s", NULL, 1e-9, INFINITY,
     "time between two samples; steps end at each"},
    {"offset", VG_FIELD_NUMBER, offsetof(vgControllerHead, offset), "s", "0", 0, INFINITY,
     "time of the first sample; the output is 0 before"},
    {"delay", VG_FIELD_INT, offsetof(vgControllerHead, delay), "", "0", 0, 1000,
     "samples from measuring to acting: 1 for a controller that needs the whole period to compute"},
    {"limit", VG_FIELD_NUMBER, offsetof(vgControllerHead, limit), "", "0", 0, INFINITY,
     "largest size of an output; 0: none"},
    {"quantum", VG_FIELD_NUMBER, offsetof(vgControllerHead, quantum), "", "0", 0, INFINITY,
     "outputs are rounded to multiples of this; 0: they are not"},
};
const int vg_controller_nfield = sizeof vg_controller_fields / sizeof *vg_controller_fields;

int vg_controller_memory(const vgControllerHead *head, const vgControllerSetup *setup)
{
    return setup->nmemory + head->delay * setup->nout;
}

void vg_controller_step(const vgControllerKind *kind, const void *def, const vgControllerSetup *setup,
                        int first, const double *in, double *memory, double *out)
{
    const vgControllerHead *head = def;
    double now[VG_CONTROLLER_MAX], *line = memory + setup->nmemory;
    const int nout = setup->nout;
    if (first && kind->start) kind->start(def, memory);
    kind->step(def, in, memory, now);
    for (int i = 0; i < nout; i++) {
        if (head->limit > 0) now[i] = fmax(-head->limit, fmin(head->limit, now[i]));
        if (head->quantum > 0) now[i] = head->quantum * round(now[i] / head->quantum);
        out[i] = head->delay > 0 ? line[i] : now[i];
    }
    if (head->delay == 0) return;
    const size_t rest = (size_t)(head->delay - 1) * (size_t)nout;
    memmove(line, line + nout, rest * sizeof *line);
    memcpy(line + rest, now, (size_t)nout * sizeof *line);
}
