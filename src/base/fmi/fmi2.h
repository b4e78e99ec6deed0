/* The C interface of FMI 2.0 (fmi-standard.org): types, and all functions as a list
 *     F(result, name, (arguments))
 * of which exporters make prototypes and importers tables of pointers. Booleans are int here. */
#ifndef VG_BASE_FMI_FMI2_H
#define VG_BASE_FMI_FMI2_H

#include <stddef.h>

typedef enum vgFmi2Status {
    VG_FMI2_OK,
    VG_FMI2_WARNING,
    VG_FMI2_DISCARD,
    VG_FMI2_ERROR,
    VG_FMI2_FATAL,
    VG_FMI2_PENDING
} vgFmi2Status;

typedef enum vgFmi2Type { VG_FMI2_MODEL_EXCHANGE, VG_FMI2_CO_SIMULATION } vgFmi2Type;

/* What can be asked about a step. */
typedef enum vgFmi2Asked {
    VG_FMI2_DO_STEP_STATUS,
    VG_FMI2_PENDING_STATUS,
    VG_FMI2_LAST_SUCCESSFUL_TIME,
    VG_FMI2_TERMINATED
} vgFmi2Asked;

typedef unsigned vgFmi2Ref; /* value reference */

/* message is a format of printf. */
typedef void (*vgFmi2Logger)(void *environment, const char *instance, vgFmi2Status status,
                             const char *category, const char *message, ...);

typedef struct vgFmi2Callbacks {
    vgFmi2Logger logger;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *);
    void (*step_finished)(void *environment, vgFmi2Status status);
    void *environment;
} vgFmi2Callbacks;

typedef struct vgFmi2EventInfo {
    int again;             /* new discrete states are needed */
    int terminate;         /* the simulation is to end */
    int nominals_changed;  /* of the states */
    int values_changed;    /* of the states */
    int next_time_defined; /* of a time event */
    double next_time;
} vgFmi2EventInfo;

/* clang-format off */
#define VG_FMI2_LIST(F) \
    F(const char *, fmi2GetTypesPlatform, (void)) \
    F(const char *, fmi2GetVersion, (void)) \
    F(vgFmi2Status, fmi2SetDebugLogging, (void *c, int on, size_t n, const char *const *category)) \
    F(void *, fmi2Instantiate, (const char *name, vgFmi2Type type, const char *guid, const char *resources, \
                                const vgFmi2Callbacks *callbacks, int visible, int logging)) \
    F(void, fmi2FreeInstance, (void *c)) \
    F(vgFmi2Status, fmi2SetupExperiment, (void *c, int has_tolerance, double tolerance, double start, int has_stop, \
                                          double stop)) \
    F(vgFmi2Status, fmi2EnterInitializationMode, (void *c)) \
    F(vgFmi2Status, fmi2ExitInitializationMode, (void *c)) \
    F(vgFmi2Status, fmi2Terminate, (void *c)) \
    F(vgFmi2Status, fmi2Reset, (void *c)) \
    F(vgFmi2Status, fmi2GetReal, (void *c, const vgFmi2Ref *ref, size_t n, double *value)) \
    F(vgFmi2Status, fmi2GetInteger, (void *c, const vgFmi2Ref *ref, size_t n, int *value)) \
    F(vgFmi2Status, fmi2GetBoolean, (void *c, const vgFmi2Ref *ref, size_t n, int *value)) \
    F(vgFmi2Status, fmi2GetString, (void *c, const vgFmi2Ref *ref, size_t n, const char **value)) \
    F(vgFmi2Status, fmi2SetReal, (void *c, const vgFmi2Ref *ref, size_t n, const double *value)) \
    F(vgFmi2Status, fmi2SetInteger, (void *c, const vgFmi2Ref *ref, size_t n, const int *value)) \
    F(vgFmi2Status, fmi2SetBoolean, (void *c, const vgFmi2Ref *ref, size_t n, const int *value)) \
    F(vgFmi2Status, fmi2SetString, (void *c, const vgFmi2Ref *ref, size_t n, const char *const *value)) \
    F(vgFmi2Status, fmi2GetFMUstate, (void *c, void **state)) \
    F(vgFmi2Status, fmi2SetFMUstate, (void *c, void *state)) \
    F(vgFmi2Status, fmi2FreeFMUstate, (void *c, void **state)) \
    F(vgFmi2Status, fmi2SerializedFMUstateSize, (void *c, void *state, size_t *size)) \
    F(vgFmi2Status, fmi2SerializeFMUstate, (void *c, void *state, char *bytes, size_t size)) \
    F(vgFmi2Status, fmi2DeSerializeFMUstate, (void *c, const char *bytes, size_t size, void **state)) \
    F(vgFmi2Status, fmi2GetDirectionalDerivative, (void *c, const vgFmi2Ref *unknown, size_t nunknown, \
                                                   const vgFmi2Ref *known, size_t nknown, const double *dknown, \
                                                   double *dunknown)) \
    F(vgFmi2Status, fmi2EnterEventMode, (void *c)) \
    F(vgFmi2Status, fmi2NewDiscreteStates, (void *c, vgFmi2EventInfo *info)) \
    F(vgFmi2Status, fmi2EnterContinuousTimeMode, (void *c)) \
    F(vgFmi2Status, fmi2CompletedIntegratorStep, (void *c, int never_back, int *event_mode, int *terminate)) \
    F(vgFmi2Status, fmi2SetTime, (void *c, double t)) \
    F(vgFmi2Status, fmi2SetContinuousStates, (void *c, const double *x, size_t n)) \
    F(vgFmi2Status, fmi2GetDerivatives, (void *c, double *rate, size_t n)) \
    F(vgFmi2Status, fmi2GetEventIndicators, (void *c, double *z, size_t n)) \
    F(vgFmi2Status, fmi2GetContinuousStates, (void *c, double *x, size_t n)) \
    F(vgFmi2Status, fmi2GetNominalsOfContinuousStates, (void *c, double *nominal, size_t n)) \
    F(vgFmi2Status, fmi2SetRealInputDerivatives, (void *c, const vgFmi2Ref *ref, size_t n, const int *order, \
                                                  const double *value)) \
    F(vgFmi2Status, fmi2GetRealOutputDerivatives, (void *c, const vgFmi2Ref *ref, size_t n, const int *order, \
                                                   double *value)) \
    F(vgFmi2Status, fmi2DoStep, (void *c, double t, double h, int never_back)) \
    F(vgFmi2Status, fmi2CancelStep, (void *c)) \
    F(vgFmi2Status, fmi2GetStatus, (void *c, vgFmi2Asked what, vgFmi2Status *value)) \
    F(vgFmi2Status, fmi2GetRealStatus, (void *c, vgFmi2Asked what, double *value)) \
    F(vgFmi2Status, fmi2GetIntegerStatus, (void *c, vgFmi2Asked what, int *value)) \
    F(vgFmi2Status, fmi2GetBooleanStatus, (void *c, vgFmi2Asked what, int *value)) \
    F(vgFmi2Status, fmi2GetStringStatus, (void *c, vgFmi2Asked what, const char **value))
/* clang-format on */

#endif
