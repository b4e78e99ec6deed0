/* The C interface of FMI 3.0 (fmi-standard.org): types, and all functions as a list
 *     F(result, name, (arguments))
 * of which exporters make prototypes and importers tables of pointers. */
#ifndef VG_BASE_FMI_FMI3_H
#define VG_BASE_FMI_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum vgFmi3Status {
    VG_FMI3_OK,
    VG_FMI3_WARNING,
    VG_FMI3_DISCARD,
    VG_FMI3_ERROR,
    VG_FMI3_FATAL
} vgFmi3Status;

typedef uint32_t vgFmi3Ref; /* value reference */

typedef void (*vgFmi3Logger)(void *environment, vgFmi3Status status, const char *category,
                             const char *message);
/* Within a step: `t` was reached. The environment may ask for the step to end early. */
typedef void (*vgFmi3Intermediate)(void *environment, double t, bool set_requested, bool get_allowed,
                                   bool step_finished, bool may_return, bool *return_requested,
                                   double *return_time);
typedef void (*vgFmi3ClockUpdate)(void *environment);
typedef void (*vgFmi3Preemption)(void);

/* clang-format off */
/* Variables of one type: get and set. */
#define VG_FMI3_PAIR(F, name, type) \
    F(vgFmi3Status, fmi3Get##name, (void *c, const vgFmi3Ref *ref, size_t n, type *value, size_t nvalue)) \
    F(vgFmi3Status, fmi3Set##name, (void *c, const vgFmi3Ref *ref, size_t n, const type *value, size_t nvalue))

#define VG_FMI3_TYPES(F) \
    VG_FMI3_PAIR(F, Float32, float) \
    VG_FMI3_PAIR(F, Int8, int8_t) \
    VG_FMI3_PAIR(F, UInt8, uint8_t) \
    VG_FMI3_PAIR(F, Int16, int16_t) \
    VG_FMI3_PAIR(F, UInt16, uint16_t) \
    VG_FMI3_PAIR(F, Int32, int32_t) \
    VG_FMI3_PAIR(F, UInt32, uint32_t) \
    VG_FMI3_PAIR(F, Int64, int64_t) \
    VG_FMI3_PAIR(F, UInt64, uint64_t) \
    VG_FMI3_PAIR(F, Boolean, bool) \
    F(vgFmi3Status, fmi3GetString, (void *c, const vgFmi3Ref *ref, size_t n, const char **value, size_t nvalue)) \
    F(vgFmi3Status, fmi3SetString, (void *c, const vgFmi3Ref *ref, size_t n, const char *const *value, size_t nvalue)) \
    F(vgFmi3Status, fmi3GetBinary, (void *c, const vgFmi3Ref *ref, size_t n, size_t *size, const uint8_t **value, \
                                    size_t nvalue)) \
    F(vgFmi3Status, fmi3SetBinary, (void *c, const vgFmi3Ref *ref, size_t n, const size_t *size, \
                                    const uint8_t *const *value, size_t nvalue)) \
    F(vgFmi3Status, fmi3GetClock, (void *c, const vgFmi3Ref *ref, size_t n, bool *value)) \
    F(vgFmi3Status, fmi3SetClock, (void *c, const vgFmi3Ref *ref, size_t n, const bool *value))

/* What Verge's FMUs do not have: derivatives of outputs, structural parameters, clocks. */
#define VG_FMI3_ABSENT(F) \
    F(vgFmi3Status, fmi3GetNumberOfVariableDependencies, (void *c, vgFmi3Ref ref, size_t *n)) \
    F(vgFmi3Status, fmi3GetVariableDependencies, (void *c, vgFmi3Ref ref, size_t *element, vgFmi3Ref *independent, \
                                                  size_t *element_of, int *kind, size_t n)) \
    F(vgFmi3Status, fmi3GetDirectionalDerivative, (void *c, const vgFmi3Ref *unknown, size_t nunknown, \
                                                   const vgFmi3Ref *known, size_t nknown, const double *seed, \
                                                   size_t nseed, double *sensitivity, size_t nsensitivity)) \
    F(vgFmi3Status, fmi3GetAdjointDerivative, (void *c, const vgFmi3Ref *unknown, size_t nunknown, \
                                               const vgFmi3Ref *known, size_t nknown, const double *seed, \
                                               size_t nseed, double *sensitivity, size_t nsensitivity)) \
    F(vgFmi3Status, fmi3EnterConfigurationMode, (void *c)) \
    F(vgFmi3Status, fmi3ExitConfigurationMode, (void *c)) \
    F(vgFmi3Status, fmi3GetIntervalDecimal, (void *c, const vgFmi3Ref *ref, size_t n, double *interval, \
                                             int *qualifier)) \
    F(vgFmi3Status, fmi3GetIntervalFraction, (void *c, const vgFmi3Ref *ref, size_t n, uint64_t *counter, \
                                              uint64_t *resolution, int *qualifier)) \
    F(vgFmi3Status, fmi3GetShiftDecimal, (void *c, const vgFmi3Ref *ref, size_t n, double *shift)) \
    F(vgFmi3Status, fmi3GetShiftFraction, (void *c, const vgFmi3Ref *ref, size_t n, uint64_t *counter, \
                                           uint64_t *resolution)) \
    F(vgFmi3Status, fmi3SetIntervalDecimal, (void *c, const vgFmi3Ref *ref, size_t n, const double *interval)) \
    F(vgFmi3Status, fmi3SetIntervalFraction, (void *c, const vgFmi3Ref *ref, size_t n, const uint64_t *counter, \
                                              const uint64_t *resolution)) \
    F(vgFmi3Status, fmi3SetShiftDecimal, (void *c, const vgFmi3Ref *ref, size_t n, const double *shift)) \
    F(vgFmi3Status, fmi3SetShiftFraction, (void *c, const vgFmi3Ref *ref, size_t n, const uint64_t *counter, \
                                           const uint64_t *resolution)) \
    F(vgFmi3Status, fmi3GetOutputDerivatives, (void *c, const vgFmi3Ref *ref, size_t n, const int32_t *order, \
                                               double *value, size_t nvalue)) \
    F(vgFmi3Status, fmi3ActivateModelPartition, (void *c, vgFmi3Ref clock, double t))

#define VG_FMI3_LIST(F) \
    F(const char *, fmi3GetVersion, (void)) \
    F(vgFmi3Status, fmi3SetDebugLogging, (void *c, bool on, size_t n, const char *const *category)) \
    F(void *, fmi3InstantiateModelExchange, (const char *name, const char *token, const char *resources, bool visible, \
                                             bool logging, void *environment, vgFmi3Logger log)) \
    F(void *, fmi3InstantiateCoSimulation, (const char *name, const char *token, const char *resources, bool visible, \
                                            bool logging, bool event_mode, bool early_return, \
                                            const vgFmi3Ref *intermediate, size_t nintermediate, void *environment, \
                                            vgFmi3Logger log, vgFmi3Intermediate update)) \
    F(void *, fmi3InstantiateScheduledExecution, (const char *name, const char *token, const char *resources, \
                                                  bool visible, bool logging, void *environment, vgFmi3Logger log, \
                                                  vgFmi3ClockUpdate update, vgFmi3Preemption lock, \
                                                  vgFmi3Preemption unlock)) \
    F(void, fmi3FreeInstance, (void *c)) \
    F(vgFmi3Status, fmi3EnterInitializationMode, (void *c, bool has_tolerance, double tolerance, double start, \
                                                  bool has_stop, double stop)) \
    F(vgFmi3Status, fmi3ExitInitializationMode, (void *c)) \
    F(vgFmi3Status, fmi3EnterEventMode, (void *c)) \
    F(vgFmi3Status, fmi3Terminate, (void *c)) \
    F(vgFmi3Status, fmi3Reset, (void *c)) \
    VG_FMI3_PAIR(F, Float64, double) \
    F(vgFmi3Status, fmi3GetFMUState, (void *c, void **state)) \
    F(vgFmi3Status, fmi3SetFMUState, (void *c, void *state)) \
    F(vgFmi3Status, fmi3FreeFMUState, (void *c, void **state)) \
    F(vgFmi3Status, fmi3SerializedFMUStateSize, (void *c, void *state, size_t *size)) \
    F(vgFmi3Status, fmi3SerializeFMUState, (void *c, void *state, uint8_t *bytes, size_t size)) \
    F(vgFmi3Status, fmi3DeserializeFMUState, (void *c, const uint8_t *bytes, size_t size, void **state)) \
    F(vgFmi3Status, fmi3EvaluateDiscreteStates, (void *c)) \
    F(vgFmi3Status, fmi3UpdateDiscreteStates, (void *c, bool *again, bool *terminate, bool *nominals_changed, \
                                               bool *values_changed, bool *next_time_defined, double *next_time)) \
    F(vgFmi3Status, fmi3EnterContinuousTimeMode, (void *c)) \
    F(vgFmi3Status, fmi3CompletedIntegratorStep, (void *c, bool never_back, bool *event_mode, bool *terminate)) \
    F(vgFmi3Status, fmi3SetTime, (void *c, double t)) \
    F(vgFmi3Status, fmi3SetContinuousStates, (void *c, const double *x, size_t n)) \
    F(vgFmi3Status, fmi3GetContinuousStateDerivatives, (void *c, double *rate, size_t n)) \
    F(vgFmi3Status, fmi3GetEventIndicators, (void *c, double *z, size_t n)) \
    F(vgFmi3Status, fmi3GetContinuousStates, (void *c, double *x, size_t n)) \
    F(vgFmi3Status, fmi3GetNominalsOfContinuousStates, (void *c, double *nominal, size_t n)) \
    F(vgFmi3Status, fmi3GetNumberOfEventIndicators, (void *c, size_t *n)) \
    F(vgFmi3Status, fmi3GetNumberOfContinuousStates, (void *c, size_t *n)) \
    F(vgFmi3Status, fmi3EnterStepMode, (void *c)) \
    F(vgFmi3Status, fmi3DoStep, (void *c, double t, double h, bool never_back, bool *event_needed, bool *terminate, \
                                 bool *early, double *reached))
/* clang-format on */

#endif
