/* Functions of FMI 3.0 for what Verge's FMUs do not have: variables of other types than Float64, derivatives of outputs,
 * structural parameters, clocks. Each returns an error and says so. */
#include "base/fmi/fmi3.h"
#include "fmi/instance.h"

static vgFmi3Status absent(const vgFmu *f, const char *function)
{
    if (vg_fmu_may(f, function, VG_FMU_ANY))
        vg_fmu_wrong(f, "%s: this FMU has nothing of that kind", function);
    return VG_FMI3_ERROR;
}

/* Prototype, and a function that does not look at its arguments but the first. Arguments without a use are no mistake
 * here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ABSENT(result, name, args)                                                                           \
    result name args;                                                                                        \
    result name args                                                                                         \
    {                                                                                                        \
        return absent(c, #name);                                                                             \
    }
VG_FMI3_TYPES(ABSENT)
VG_FMI3_ABSENT(ABSENT)
