/* The functions of FMI 2.0, as an environment finds them in the shared library of an FMU. */
#include "base/fmi/fmi2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "fmi/exchange.h"

#define PROTOTYPE(result, name, args) result name args;
VG_FMI2_LIST(PROTOTYPE)

static void log_to(const vgFmu *f, vgFmuStatus status, const char *category, const char *text)
{
    const vgFmi2Callbacks *call = f->caller.callbacks;
    call->logger(call->environment, f->caller.name, (vgFmi2Status)status, category, "%s", text);
}

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

/* ---- life ---- */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* "file:///a%20b" or "file:/a b" or a path → a path, malloc'ed. */
static char *path_of(const char *uri)
{
    char *path = malloc(strlen(uri) + 1), *to = path;
    if (!path) return NULL;
    const int is_uri = strncmp(uri, "file:", 5) == 0;
    if (is_uri) uri += 5;
    if (is_uri && strncmp(uri, "//", 2) == 0)
        uri += 2 + strcspn(uri + 2, "/"); /* a host's name, mostly none */
    while (*uri) {
        const int high = is_uri && *uri == '%' ? hex(uri[1]) : -1, low = high >= 0 ? hex(uri[2]) : -1;
        *to++ = low >= 0 ? (char)(16 * high + low) : *uri;
        uri += low >= 0 ? 3 : 1;
    }
    *to = 0;
    if (is_uri && *path == '/' && vg_os_has_drive(path + 1))
        memmove(path, path + 1, strlen(path)); /* file:///C:/a */
    return path;
}

void *fmi2Instantiate(const char *name, vgFmi2Type type, const char *guid, const char *resources,
                      const vgFmi2Callbacks *callbacks, int visible, int logging)
{
    (void)visible;
    if (!callbacks || !callbacks->logger) return NULL; /* nobody to tell */
    const vgFmuCaller caller = {.name = name,
                                .send = log_to,
                                .callbacks = callbacks,
                                .size = sizeof *callbacks,
                                .logging = logging != 0};
    char *path = resources ? path_of(resources) : NULL;
    vgFmu *f = vg_fmu_new(&caller, type == VG_FMI2_MODEL_EXCHANGE, guid, path);
    free(path);
    return f;
}

void fmi2FreeInstance(void *c)
{
    vg_fmu_free(c);
}

vgFmi2Status fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *category)
{
    vgFmu *f = c;
    (void)n, (void)category; /* messages are few: those of all categories */
    if (!vg_fmu_may(f, "fmi2SetDebugLogging", VG_FMU_ANY)) return VG_FMI2_ERROR;
    f->caller.logging = on != 0;
    return VG_FMI2_OK;
}

vgFmi2Status fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start, int has_stop,
                                 double stop)
{
    vgFmu *f = c;
    (void)has_tolerance, (void)tolerance; /* the model's integrator has its own */
    if (!vg_fmu_may(f, "fmi2SetupExperiment", VG_FMU_INSTANTIATED)) return VG_FMI2_ERROR;
    if (!isfinite(start) || (has_stop && !(stop >= start)))
        return (vgFmi2Status)vg_fmu_wrong(
            f, "fmi2SetupExperiment: start and stop time must be numbers, in this order");
    f->start = start, f->has_stop = has_stop != 0, f->stop = stop;
    return VG_FMI2_OK;
}

vgFmi2Status fmi2EnterInitializationMode(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi2EnterInitializationMode", VG_FMU_INSTANTIATED)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_enter_initialization(f, f->start, f->has_stop, f->stop);
}

vgFmi2Status fmi2ExitInitializationMode(void *c)
{
    if (!vg_fmu_may(c, "fmi2ExitInitializationMode", VG_FMU_INITIALIZATION)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_exit_initialization(c);
}

vgFmi2Status fmi2Terminate(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi2Terminate", VG_FMU_RUNNING | VG_FMU_DISCARDED)) return VG_FMI2_ERROR;
    f->mode = VG_FMU_TERMINATED;
    return VG_FMI2_OK;
}

vgFmi2Status fmi2Reset(void *c)
{
    return vg_fmu_may(c, "fmi2Reset", VG_FMU_ANY) ? (vgFmi2Status)vg_fmu_reset(c) : VG_FMI2_ERROR;
}

/* ---- variables: all are real ---- */

vgFmi2Status fmi2GetReal(void *c, const vgFmi2Ref *ref, size_t n, double *value)
{
    if (!vg_fmu_may(c, "fmi2GetReal", VG_FMU_ANY)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_get(c, "fmi2GetReal", ref, n, value);
}

vgFmi2Status fmi2SetReal(void *c, const vgFmi2Ref *ref, size_t n, const double *value)
{
    if (!vg_fmu_may(c, "fmi2SetReal", VG_FMU_ANY)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_set(c, "fmi2SetReal", ref, n, value);
}

/* Of no variable it is right to ask more than none. */
static vgFmi2Status none(void *c, const char *function, size_t n)
{
    if (!vg_fmu_may(c, function, VG_FMU_ANY)) return VG_FMI2_ERROR;
    return n == 0 ? VG_FMI2_OK
                  : (vgFmi2Status)vg_fmu_wrong(c, "%s: this FMU has no such variables", function);
}

#define NONE(name, type)                                                                                     \
    vgFmi2Status name(void *c, const vgFmi2Ref *ref, size_t n, type value)                                   \
    {                                                                                                        \
        (void)ref, (void)value;                                                                              \
        return none(c, #name, n);                                                                            \
    }
NONE(fmi2GetInteger, int *)
NONE(fmi2GetBoolean, int *)
NONE(fmi2GetString, const char **)
NONE(fmi2SetInteger, const int *)
NONE(fmi2SetBoolean, const int *)
NONE(fmi2SetString, const char *const *)

vgFmi2Status fmi2SetRealInputDerivatives(void *c, const vgFmi2Ref *ref, size_t n, const int *order,
                                         const double *value)
{
    (void)ref, (void)order, (void)value;
    return none(c, "fmi2SetRealInputDerivatives", n);
}

vgFmi2Status fmi2GetRealOutputDerivatives(void *c, const vgFmi2Ref *ref, size_t n, const int *order,
                                          double *value)
{
    (void)ref, (void)order, (void)value;
    return none(c, "fmi2GetRealOutputDerivatives", n);
}

vgFmi2Status fmi2GetDirectionalDerivative(void *c, const vgFmi2Ref *unknown, size_t nunknown,
                                          const vgFmi2Ref *known, size_t nknown, const double *dknown,
                                          double *dunknown)
{
    (void)unknown, (void)known, (void)nknown, (void)dknown, (void)dunknown;
    return none(c, "fmi2GetDirectionalDerivative", nunknown);
}

/* ---- states ---- */

vgFmi2Status fmi2GetFMUstate(void *c, void **state)
{
    return vg_fmu_may(c, "fmi2GetFMUstate", VG_FMU_ANY) ? (vgFmi2Status)vg_fmu_keep(c, state) : VG_FMI2_ERROR;
}

vgFmi2Status fmi2SetFMUstate(void *c, void *state)
{
    return vg_fmu_may(c, "fmi2SetFMUstate", VG_FMU_ANY) ? (vgFmi2Status)vg_fmu_bring_back(c, state)
                                                        : VG_FMI2_ERROR;
}

vgFmi2Status fmi2FreeFMUstate(void *c, void **state)
{
    if (!vg_fmu_may(c, "fmi2FreeFMUstate", VG_FMU_ANY)) return VG_FMI2_ERROR;
    if (state) free(*state), *state = NULL;
    return VG_FMI2_OK;
}

vgFmi2Status fmi2SerializedFMUstateSize(void *c, void *state, size_t *size)
{
    if (!vg_fmu_may(c, "fmi2SerializedFMUstateSize", VG_FMU_ANY)) return VG_FMI2_ERROR;
    if (!state || !size)
        return (vgFmi2Status)vg_fmu_wrong(c, "fmi2SerializedFMUstateSize: an argument is NULL");
    *size = ((const vgFmuState *)state)->size;
    return VG_FMI2_OK;
}

vgFmi2Status fmi2SerializeFMUstate(void *c, void *state, char *bytes, size_t size)
{
    const vgFmuState *s = state;
    if (!vg_fmu_may(c, "fmi2SerializeFMUstate", VG_FMU_ANY)) return VG_FMI2_ERROR;
    if (!s || !bytes || size < s->size)
        return (vgFmi2Status)vg_fmu_wrong(
            c, "fmi2SerializeFMUstate: the state or the place for it is missing or too small");
    memcpy(bytes, s->bytes, s->size);
    return VG_FMI2_OK;
}

vgFmi2Status fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **state)
{
    if (!vg_fmu_may(c, "fmi2DeSerializeFMUstate", VG_FMU_ANY)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_take_bytes(c, bytes, size, state);
}

/* ---- co-simulation ---- */

vgFmi2Status fmi2DoStep(void *c, double t, double h, int never_back)
{
    vgFmuStep step;
    (void)never_back;
    if (!vg_fmu_may(c, "fmi2DoStep", VG_FMU_STEP)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_step(c, "fmi2DoStep", t, h, &step);
}

vgFmi2Status fmi2CancelStep(void *c)
{
    if (!vg_fmu_may(c, "fmi2CancelStep", VG_FMU_ANY)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_wrong(c, "fmi2CancelStep: steps of this FMU are never pending");
}

vgFmi2Status fmi2GetRealStatus(void *c, vgFmi2Asked what, double *value)
{
    const vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi2GetRealStatus", VG_FMU_STEP | VG_FMU_DISCARDED | VG_FMU_TERMINATED))
        return VG_FMI2_ERROR;
    if (!value || what != VG_FMI2_LAST_SUCCESSFUL_TIME || !f->sim)
        return (vgFmi2Status)vg_fmu_wrong(
            f, "fmi2GetRealStatus: the time of the last step can be asked for, no other number");
    *value = vg_sim_time(f->sim);
    return VG_FMI2_OK;
}

vgFmi2Status fmi2GetBooleanStatus(void *c, vgFmi2Asked what, int *value)
{
    const vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi2GetBooleanStatus", VG_FMU_STEP | VG_FMU_DISCARDED | VG_FMU_TERMINATED))
        return VG_FMI2_ERROR;
    if (!value || what != VG_FMI2_TERMINATED)
        return (vgFmi2Status)vg_fmu_wrong(
            f, "fmi2GetBooleanStatus: it can be asked whether the FMU wants to end, no more");
    *value = 0;
    return VG_FMI2_OK;
}

/* Nothing is ever pending. */
#define NEVER(name, type)                                                                                    \
    vgFmi2Status name(void *c, vgFmi2Asked what, type value)                                                 \
    {                                                                                                        \
        (void)what, (void)value;                                                                             \
        if (!vg_fmu_may(c, #name, VG_FMU_ANY)) return VG_FMI2_ERROR;                                         \
        return (vgFmi2Status)vg_fmu_wrong(c, #name ": steps of this FMU are never pending");                 \
    }
NEVER(fmi2GetStatus, vgFmi2Status *)
NEVER(fmi2GetIntegerStatus, int *)
NEVER(fmi2GetStringStatus, const char **)

/* ---- model exchange ---- */

vgFmi2Status fmi2EnterEventMode(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi2EnterEventMode", VG_FMU_CONTINUOUS)) return VG_FMI2_ERROR;
    f->mode = VG_FMU_EVENT;
    f->moved = 1; /* laws are on the side behind the event */
    return VG_FMI2_OK;
}

vgFmi2Status fmi2NewDiscreteStates(void *c, vgFmi2EventInfo *info)
{
    vgFmuEvent event;
    if (!vg_fmu_may(c, "fmi2NewDiscreteStates", VG_FMU_EVENT)) return VG_FMI2_ERROR;
    if (!info)
        return (vgFmi2Status)vg_fmu_wrong(c, "fmi2NewDiscreteStates: the place for the answer is NULL");
    vgFmuStatus status = vg_fmu_discrete(c, &event);
    *info = (vgFmi2EventInfo){.values_changed = event.values_changed,
                              .next_time_defined = event.next < INFINITY,
                              .next_time = event.next < INFINITY ? event.next : 0};
    return (vgFmi2Status)status;
}

vgFmi2Status fmi2EnterContinuousTimeMode(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi2EnterContinuousTimeMode", VG_FMU_EVENT)) return VG_FMI2_ERROR;
    if (!f->is.exchange)
        return (vgFmi2Status)vg_fmu_wrong(f, "fmi2EnterContinuousTimeMode: this is for model exchange");
    f->mode = VG_FMU_CONTINUOUS;
    return VG_FMI2_OK;
}

vgFmi2Status fmi2CompletedIntegratorStep(void *c, int never_back, int *event_mode, int *terminate)
{
    (void)never_back;
    if (!vg_fmu_may(c, "fmi2CompletedIntegratorStep", VG_FMU_CONTINUOUS)) return VG_FMI2_ERROR;
    if (!event_mode || !terminate)
        return (vgFmi2Status)vg_fmu_wrong(c, "fmi2CompletedIntegratorStep: the place for the answer is NULL");
    *event_mode = *terminate = 0;
    return (vgFmi2Status)vg_fmu_completed(c, event_mode);
}

vgFmi2Status fmi2SetTime(void *c, double t)
{
    if (!vg_fmu_may(c, "fmi2SetTime", VG_FMU_EVENT | VG_FMU_CONTINUOUS)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_set_time(c, t);
}

vgFmi2Status fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    if (!vg_fmu_may(c, "fmi2SetContinuousStates", VG_FMU_CONTINUOUS)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_set_states(c, x, n);
}

#define READS (VG_FMU_INITIALIZATION | VG_FMU_EVENT | VG_FMU_CONTINUOUS | VG_FMU_TERMINATED)

vgFmi2Status fmi2GetDerivatives(void *c, double *rate, size_t n)
{
    return vg_fmu_may(c, "fmi2GetDerivatives", READS) ? (vgFmi2Status)vg_fmu_get_rates(c, rate, n)
                                                      : VG_FMI2_ERROR;
}

vgFmi2Status fmi2GetContinuousStates(void *c, double *x, size_t n)
{
    return vg_fmu_may(c, "fmi2GetContinuousStates", READS) ? (vgFmi2Status)vg_fmu_get_states(c, x, n)
                                                           : VG_FMI2_ERROR;
}

vgFmi2Status fmi2GetNominalsOfContinuousStates(void *c, double *nominal, size_t n)
{
    if (!vg_fmu_may(c, "fmi2GetNominalsOfContinuousStates", READS)) return VG_FMI2_ERROR;
    return (vgFmi2Status)vg_fmu_get_nominals(c, nominal, n);
}

vgFmi2Status fmi2GetEventIndicators(void *c, double *z, size_t n)
{
    (void)z;
    return none(c, "fmi2GetEventIndicators", n);
}
