/* The functions of FMI 3.0, as an environment finds them in the shared library of an FMU. */
#include "base/fmi/fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/exchange.h"

#define PROTOTYPE(result, name, args) result name args;
VG_FMI3_LIST(PROTOTYPE)
VG_FMI3_TYPES(PROTOTYPE)
VG_FMI3_ABSENT(PROTOTYPE)

/* Callbacks of the environment. */
typedef struct Callbacks {
    vgFmi3Logger send;
    vgFmi3Intermediate update;
} Callbacks;

static void log_to(const vgFmu *f, vgFmuStatus status, const char *category, const char *text)
{
    const Callbacks *call = f->caller.callbacks;
    if (call->send) call->send(f->caller.environment, (vgFmi3Status)status, category, text);
}

const char *fmi3GetVersion(void)
{
    return "3.0";
}

/* ---- life ---- */

/* After each step of the model: the environment may ask for an early return. */
static int within(void *user, double t)
{
    const vgFmu *f = user;
    const Callbacks *call = f->caller.callbacks;
    bool asked = false;
    double when = t;
    if (!(t > f->from)) return 0;
    call->update(f->caller.environment, t, false, false, true, f->caller.early != 0, &asked, &when);
    return asked && f->caller.early;
}

static void *instantiate(vgFmuCaller *caller, int exchange, const char *token, const char *resources,
                         vgFmi3Logger logger, vgFmi3Intermediate update)
{
    const Callbacks callbacks = {logger, update};
    caller->send = log_to;
    caller->callbacks = &callbacks;
    caller->size = sizeof callbacks;
    if (update) caller->within = within;
    return vg_fmu_new(caller, exchange, token, resources);
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                  bool logging, bool event_mode, bool early_return,
                                  const vgFmi3Ref *intermediate, size_t nintermediate, void *environment,
                                  vgFmi3Logger logger, vgFmi3Intermediate update)
{
    (void)visible, (void)intermediate, (void)nintermediate;
    vgFmuCaller caller = {.name = name,
                          .environment = environment,
                          .logging = logging,
                          .event_mode = event_mode,
                          .early = early_return};
    return instantiate(&caller, 0, token, resources, logger, update);
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, vgFmi3Logger logger)
{
    (void)visible;
    vgFmuCaller caller = {.name = name, .environment = environment, .logging = logging};
    return instantiate(&caller, 1, token, resources, logger, NULL);
}

void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                        bool visible, bool logging, void *environment, vgFmi3Logger logger,
                                        vgFmi3ClockUpdate update, vgFmi3Preemption lock,
                                        vgFmi3Preemption unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock,
        (void)unlock;
    if (logger) logger(environment, VG_FMI3_ERROR, "logStatusError", "this FMU has no scheduled execution");
    return NULL;
}

void fmi3FreeInstance(void *c)
{
    vg_fmu_free(c);
}

vgFmi3Status fmi3SetDebugLogging(void *c, bool on, size_t n, const char *const *category)
{
    vgFmu *f = c;
    (void)n, (void)category; /* messages are few: those of all categories */
    if (!vg_fmu_may(f, "fmi3SetDebugLogging", VG_FMU_ANY)) return VG_FMI3_ERROR;
    f->caller.logging = on;
    return VG_FMI3_OK;
}

vgFmi3Status fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance, double start,
                                         bool has_stop, double stop)
{
    (void)has_tolerance, (void)tolerance; /* the model's integrator has its own */
    if (!vg_fmu_may(c, "fmi3EnterInitializationMode", VG_FMU_INSTANTIATED)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_enter_initialization(c, start, has_stop, stop);
}

vgFmi3Status fmi3ExitInitializationMode(void *c)
{
    if (!vg_fmu_may(c, "fmi3ExitInitializationMode", VG_FMU_INITIALIZATION)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_exit_initialization(c);
}

vgFmi3Status fmi3Terminate(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi3Terminate", VG_FMU_RUNNING | VG_FMU_DISCARDED)) return VG_FMI3_ERROR;
    f->mode = VG_FMU_TERMINATED;
    return VG_FMI3_OK;
}

vgFmi3Status fmi3Reset(void *c)
{
    return vg_fmu_may(c, "fmi3Reset", VG_FMU_ANY) ? (vgFmi3Status)vg_fmu_reset(c) : VG_FMI3_ERROR;
}

/* ---- variables: all are Float64 ---- */

static int same_number(const vgFmu *f, const char *function, size_t n, size_t nvalue)
{
    if (n == nvalue) return 1;
    vg_fmu_wrong(f, "%s: %zu values for %zu variables, which are scalars", function, nvalue, n);
    return 0;
}

vgFmi3Status fmi3GetFloat64(void *c, const vgFmi3Ref *ref, size_t n, double *value, size_t nvalue)
{
    static const char name[] = "fmi3GetFloat64";
    if (!vg_fmu_may(c, name, VG_FMU_ANY) || !same_number(c, name, n, nvalue)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_get(c, name, ref, n, value);
}

vgFmi3Status fmi3SetFloat64(void *c, const vgFmi3Ref *ref, size_t n, const double *value, size_t nvalue)
{
    static const char name[] = "fmi3SetFloat64";
    if (!vg_fmu_may(c, name, VG_FMU_ANY) || !same_number(c, name, n, nvalue)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_set(c, name, ref, n, value);
}

/* ---- states ---- */

vgFmi3Status fmi3GetFMUState(void *c, void **state)
{
    return vg_fmu_may(c, "fmi3GetFMUState", VG_FMU_ANY) ? (vgFmi3Status)vg_fmu_keep(c, state) : VG_FMI3_ERROR;
}

vgFmi3Status fmi3SetFMUState(void *c, void *state)
{
    return vg_fmu_may(c, "fmi3SetFMUState", VG_FMU_ANY) ? (vgFmi3Status)vg_fmu_bring_back(c, state)
                                                        : VG_FMI3_ERROR;
}

vgFmi3Status fmi3FreeFMUState(void *c, void **state)
{
    if (!vg_fmu_may(c, "fmi3FreeFMUState", VG_FMU_ANY)) return VG_FMI3_ERROR;
    if (state) free(*state), *state = NULL;
    return VG_FMI3_OK;
}

vgFmi3Status fmi3SerializedFMUStateSize(void *c, void *state, size_t *size)
{
    if (!vg_fmu_may(c, "fmi3SerializedFMUStateSize", VG_FMU_ANY)) return VG_FMI3_ERROR;
    if (!state || !size)
        return (vgFmi3Status)vg_fmu_wrong(c, "fmi3SerializedFMUStateSize: an argument is NULL");
    *size = ((const vgFmuState *)state)->size;
    return VG_FMI3_OK;
}

vgFmi3Status fmi3SerializeFMUState(void *c, void *state, uint8_t *bytes, size_t size)
{
    const vgFmuState *s = state;
    if (!vg_fmu_may(c, "fmi3SerializeFMUState", VG_FMU_ANY)) return VG_FMI3_ERROR;
    if (!s || !bytes || size < s->size)
        return (vgFmi3Status)vg_fmu_wrong(
            c, "fmi3SerializeFMUState: the state or the place for it is missing or too small");
    memcpy(bytes, s->bytes, s->size);
    return VG_FMI3_OK;
}

vgFmi3Status fmi3DeserializeFMUState(void *c, const uint8_t *bytes, size_t size, void **state)
{
    if (!vg_fmu_may(c, "fmi3DeserializeFMUState", VG_FMU_ANY)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_take_bytes(c, bytes, size, state);
}

/* ---- events ---- */

vgFmi3Status fmi3EnterEventMode(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi3EnterEventMode", VG_FMU_STEP | VG_FMU_CONTINUOUS)) return VG_FMI3_ERROR;
    if (!f->is.exchange && !f->caller.event_mode)
        return (vgFmi3Status)vg_fmu_wrong(f,
                                          "fmi3EnterEventMode: the FMU was instantiated without event mode");
    f->mode = VG_FMU_EVENT;
    f->moved = 1; /* laws are on the side behind the event */
    return VG_FMI3_OK;
}

vgFmi3Status fmi3EvaluateDiscreteStates(void *c)
{
    return vg_fmu_may(c, "fmi3EvaluateDiscreteStates", VG_FMU_INITIALIZATION | VG_FMU_EVENT) ? VG_FMI3_OK
                                                                                             : VG_FMI3_ERROR;
}

vgFmi3Status fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals_changed,
                                      bool *values_changed, bool *next_time_defined, double *next_time)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi3UpdateDiscreteStates", VG_FMU_EVENT)) return VG_FMI3_ERROR;
    if (!again || !terminate || !nominals_changed || !values_changed || !next_time_defined || !next_time)
        return (vgFmi3Status)vg_fmu_wrong(f, "fmi3UpdateDiscreteStates: the place for an answer is NULL");
    vgFmuEvent event = {.next = INFINITY};
    int acted;
    *again = *terminate = *nominals_changed = false;
    vgFmuStatus status = f->is.exchange ? vg_fmu_discrete(f, &event) : vg_fmu_update(f, &acted, &event.next);
    *values_changed = event.values_changed;
    *next_time_defined = event.next < INFINITY;
    *next_time = *next_time_defined ? event.next : 0;
    return (vgFmi3Status)status;
}

vgFmi3Status fmi3EnterStepMode(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi3EnterStepMode", VG_FMU_EVENT)) return VG_FMI3_ERROR;
    if (f->is.exchange) return (vgFmi3Status)vg_fmu_wrong(f, "fmi3EnterStepMode: this is for co-simulation");
    f->mode = VG_FMU_STEP;
    return VG_FMI3_OK;
}

/* ---- co-simulation ---- */

vgFmi3Status fmi3DoStep(void *c, double t, double h, bool never_back, bool *event_needed, bool *terminate,
                        bool *early, double *reached)
{
    vgFmuStep step;
    (void)never_back;
    if (!vg_fmu_may(c, "fmi3DoStep", VG_FMU_STEP)) return VG_FMI3_ERROR;
    if (!event_needed || !terminate || !early || !reached)
        return (vgFmi3Status)vg_fmu_wrong(c, "fmi3DoStep: the place for an answer is NULL");
    vgFmuStatus status = vg_fmu_step(c, "fmi3DoStep", t, h, &step);
    *event_needed = step.event, *terminate = false, *early = step.early, *reached = step.reached;
    return (vgFmi3Status)status;
}

/* ---- model exchange ---- */

vgFmi3Status fmi3EnterContinuousTimeMode(void *c)
{
    vgFmu *f = c;
    if (!vg_fmu_may(f, "fmi3EnterContinuousTimeMode", VG_FMU_EVENT)) return VG_FMI3_ERROR;
    if (!f->is.exchange)
        return (vgFmi3Status)vg_fmu_wrong(f, "fmi3EnterContinuousTimeMode: this is for model exchange");
    f->mode = VG_FMU_CONTINUOUS;
    return VG_FMI3_OK;
}

vgFmi3Status fmi3CompletedIntegratorStep(void *c, bool never_back, bool *event_mode, bool *terminate)
{
    int event = 0;
    (void)never_back;
    if (!vg_fmu_may(c, "fmi3CompletedIntegratorStep", VG_FMU_CONTINUOUS)) return VG_FMI3_ERROR;
    if (!event_mode || !terminate)
        return (vgFmi3Status)vg_fmu_wrong(c, "fmi3CompletedIntegratorStep: the place for the answer is NULL");
    vgFmuStatus status = vg_fmu_completed(c, &event);
    *event_mode = event, *terminate = false;
    return (vgFmi3Status)status;
}

vgFmi3Status fmi3SetTime(void *c, double t)
{
    if (!vg_fmu_may(c, "fmi3SetTime", VG_FMU_EVENT | VG_FMU_CONTINUOUS)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_set_time(c, t);
}

vgFmi3Status fmi3SetContinuousStates(void *c, const double *x, size_t n)
{
    if (!vg_fmu_may(c, "fmi3SetContinuousStates", VG_FMU_CONTINUOUS)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_set_states(c, x, n);
}

#define READS (VG_FMU_INITIALIZATION | VG_FMU_EVENT | VG_FMU_CONTINUOUS | VG_FMU_TERMINATED)

vgFmi3Status fmi3GetContinuousStateDerivatives(void *c, double *rate, size_t n)
{
    if (!vg_fmu_may(c, "fmi3GetContinuousStateDerivatives", READS)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_get_rates(c, rate, n);
}

vgFmi3Status fmi3GetContinuousStates(void *c, double *x, size_t n)
{
    return vg_fmu_may(c, "fmi3GetContinuousStates", READS) ? (vgFmi3Status)vg_fmu_get_states(c, x, n)
                                                           : VG_FMI3_ERROR;
}

vgFmi3Status fmi3GetNominalsOfContinuousStates(void *c, double *nominal, size_t n)
{
    if (!vg_fmu_may(c, "fmi3GetNominalsOfContinuousStates", READS)) return VG_FMI3_ERROR;
    return (vgFmi3Status)vg_fmu_get_nominals(c, nominal, n);
}

vgFmi3Status fmi3GetEventIndicators(void *c, double *z, size_t n)
{
    (void)z;
    if (!vg_fmu_may(c, "fmi3GetEventIndicators", READS)) return VG_FMI3_ERROR;
    return n == 0 ? VG_FMI3_OK : (vgFmi3Status)vg_fmu_wrong(c, "fmi3GetEventIndicators: this FMU has none");
}

static vgFmi3Status count(vgFmu *f, const char *function, size_t *n, int value)
{
    if (!vg_fmu_may(f, function, VG_FMU_ANY)) return VG_FMI3_ERROR;
    if (!n) return (vgFmi3Status)vg_fmu_wrong(f, "%s: the place for the answer is NULL", function);
    *n = (size_t)value;
    return VG_FMI3_OK;
}

vgFmi3Status fmi3GetNumberOfEventIndicators(void *c, size_t *n)
{
    return count(c, "fmi3GetNumberOfEventIndicators", n, 0);
}

vgFmi3Status fmi3GetNumberOfContinuousStates(void *c, size_t *n)
{
    const vgFmu *f = c;
    return count(c, "fmi3GetNumberOfContinuousStates", n, f ? f->is.nstate : 0);
}
