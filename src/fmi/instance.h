/* An instance of an FMU: what the functions of FMI 2.0 and 3.0 have in common. A simulation with the parameters, inputs
 * and outputs of the manifest, and the mode in which the environment has put it.
 *
 * A call that is wrong has no effect: it returns VG_FMU_ERROR and its reason goes to the environment's log. Nothing is
 * shared between instances. */
#ifndef VG_FMI_INSTANCE_H
#define VG_FMI_INSTANCE_H

#include "base/attr.h"
#include "fmi/manifest.h"
#include "io/api/sim.h"
#include "verge/verge.h"

/* The same numbers as in both versions of the standard. */
typedef enum vgFmuStatus {
    VG_FMU_OK,
    VG_FMU_WARNING,
    VG_FMU_DISCARD,
    VG_FMU_ERROR,
    VG_FMU_FATAL
} vgFmuStatus;

/* Modes, as bits of the sets in which a function may be called. */
typedef enum vgFmuMode {
    VG_FMU_INSTANTIATED = 1,
    VG_FMU_INITIALIZATION = 2,
    VG_FMU_STEP = 4,        /* co-simulation: between steps */
    VG_FMU_EVENT = 8,       /* event mode, both kinds */
    VG_FMU_CONTINUOUS = 16, /* model exchange: continuous-time mode */
    VG_FMU_DISCARDED = 32,  /* a step was not done to its end */
    VG_FMU_TERMINATED = 64,
    VG_FMU_RUNNING = VG_FMU_STEP | VG_FMU_EVENT | VG_FMU_CONTINUOUS,
    VG_FMU_ANY = 127
} vgFmuMode;

enum { VG_FMU_WORDS = 1200 };

typedef struct vgFmu vgFmu;
typedef void (*vgFmuLog)(const vgFmu *fmu, vgFmuStatus status, const char *category, const char *text);

typedef struct vgFmuCaller {
    const char *name;
    vgFmuLog send;
    void *environment;
    const void *callbacks; /* of the version; the instance has a copy */
    size_t size;           /* of callbacks */
    int logging;
    int event_mode, early; /* FMI 3.0: event mode is used; steps may return early */
    vgSimProgress within;  /* called with the instance after each step of the model; NULL: none */
} vgFmuCaller;

struct vgFmu {
    vgFmuCaller caller;
    char *name;
    vgPool *pool;
    vgFmuManifest is;
    vgSource *source;
    vgDiag *diag;
    vgModel *model; /* with the present parameters; NULL until initialization */
    vgSim *sim;
    vgFmuMode mode;
    double *param, *input, *output; /* present values; parameters that are calculated: of the model */
    int *input_at;                  /* [is.ninput] index of the input in the simulation */
    int tuned;                      /* 1: a parameter was set that the model does not have yet */
    int read;                       /* 1: output holds the values of the present state */
    double start, stop;
    int has_stop;
    int corrected;    /* model exchange: states were projected, the environment has not asked for them yet */
    double *x, *rate; /* [is.nstate] model exchange */
    double t;         /* model exchange: time that was set */
    double next;      /* model exchange: next event in time */
    int moved;        /* model exchange: t, x or inputs were set; the simulation is elsewhere */
    double from;      /* where the last step began */
    vgState *shown;   /* outputs show the motion (analysis/run/motion.h); NULL: the state does */
    vgWork *shown_work;
};

/* NULL: a reason was logged. resources: the folder as a path. */
vgFmu *vg_fmu_new(const vgFmuCaller *caller, int exchange, const char *token, const char *resources);
void vg_fmu_free(vgFmu *fmu);
void vg_fmu_say(const vgFmu *fmu, vgFmuStatus status, const char *format, ...) VG_PRINTF_LIKE(3, 4);
/* The same, and returns VG_FMU_ERROR. */
vgFmuStatus vg_fmu_wrong(const vgFmu *fmu, const char *format, ...) VG_PRINTF_LIKE(2, 3);
/* 1: there is an instance, and it is in one of the modes; else it is said. */
int vg_fmu_may(const vgFmu *fmu, const char *function, unsigned modes);

vgFmuStatus vg_fmu_enter_initialization(vgFmu *fmu, double start, int has_stop, double stop);
vgFmuStatus vg_fmu_exit_initialization(vgFmu *fmu);
vgFmuStatus vg_fmu_reset(vgFmu *fmu);
vgFmuStatus vg_fmu_get(vgFmu *fmu, const char *function, const unsigned *ref, size_t n, double *value);
vgFmuStatus vg_fmu_set(vgFmu *fmu, const char *function, const unsigned *ref, size_t n, const double *value);
/* The model has the parameters that were set. */
vgFmuStatus vg_fmu_refresh(vgFmu *fmu);

typedef struct vgFmuStep {
    int event, early; /* event mode is needed; the step ended before its end */
    double reached;
} vgFmuStep;
vgFmuStatus vg_fmu_step(vgFmu *fmu, const char *function, double t, double h, vgFmuStep *out);
/* Event mode: controllers that are due act. changed: they did. next: the time of the next sample, INFINITY: none. */
vgFmuStatus vg_fmu_update(vgFmu *fmu, int *changed, double *next);

/* A state of the instance: one block of bytes, the same as its serialised form. */
typedef struct vgFmuState {
    size_t size;
    unsigned char bytes[];
} vgFmuState;
vgFmuStatus vg_fmu_keep(vgFmu *fmu, void **state); /* replaces what is at *state unless that is NULL */
vgFmuStatus vg_fmu_bring_back(vgFmu *fmu, const vgFmuState *state);
vgFmuStatus vg_fmu_take_bytes(vgFmu *fmu, const void *bytes, size_t size, void **state);

#endif
