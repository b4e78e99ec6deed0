/* Real time: steps of bounded cost on a fixed grid, against the clock, and how long they took. */
#ifndef VG_ANALYSIS_REALTIME_H
#define VG_ANALYSIS_REALTIME_H

#include "analysis/run/row_choice.h"
#include "analysis/run/simulation.h"

/* ---- distributions of times ---- */

/* Logarithmic bins over whole nanoseconds: exact below 128 ns, 64 bins an octave above, up to half an hour.
 * Fixed memory however long the run. */
enum {
    VG_LATENCY_PART = 64,
    VG_LATENCY_OCTAVES = 36,
    VG_LATENCY_BINS = VG_LATENCY_PART * VG_LATENCY_OCTAVES
};

typedef struct vgLatency {
    long count, bin[VG_LATENCY_BINS];
    double sum, min, max; /* s */
} vgLatency;

void vg_latency_add(vgLatency *latency, long long nanoseconds); /* below 0 counts as 0 */
void vg_latency_merge(vgLatency *to, const vgLatency *from);
/* The smallest time that the part p (0 … 1) of the samples does not exceed (nearest rank), s: exact, or up to
 * 1/64 too long, never too short. NAN: no samples. */
double vg_latency_percentile(const vgLatency *latency, double p);
/* The bins put together to octaves: count of [from, to), s. 0: there is no octave i. */
int vg_latency_octave(const vgLatency *latency, int i, double *from, double *to, long *count);

/* ---- inputs: input.NAME in the laws of a model ---- */

typedef struct vgInputs {
    int n;
    const char **name; /* without "input." */
    int *slot;         /* in the memory of the state */
} vgInputs;

vgStatus vg_inputs_new(const vgModel *model, vgInputs *out);
void vg_inputs_free(vgInputs *inputs);
/* With or without "input."; the first n bytes of name. −1: there is none. */
int vg_inputs_find(const vgInputs *inputs, const char *name, size_t n);
double vg_inputs_get(const vgInputs *inputs, const vgState *state, int i);
void vg_inputs_set(const vgInputs *inputs, vgState *state, int i, double value);

/* ---- steps ---- */

typedef struct vgRealtime {
    vgSimulation *sim;
    double step, t0; /* the grid: t0 + n step */
    long n;
    int inputs;   /* 1: accelerations may jump between two steps, and the method begins with them */
    double early; /* s before a step is due the loop wakes, rehearses it and waits awake; 0: it sleeps until
                     the step is due; as long as a step: it never sleeps */
    vgRowChoice *rows; /* NULL: constraint rows that count stay */
    vgState *before;   /* room for rehearsals; NULL: there are none */
    double *matrix;    /* where the matrix was made that serves several steps; NULL: none does */
    long long took;    /* the last step or rehearsal, ns */
    long long due;     /* when the first step is, ns of vg_realtime_clock(); 0: at a quiet moment soon */
} vgRealtime;

/* iterations: of Newton's method in every step; 0: the integrator's option `fixed`, else 2. VG_UNSUPPORTED: error
 * control, whose cost is not bounded. */
vgStatus vg_realtime_begin(vgRealtime *rt, vgSimulation *sim, double step, int iterations, vgDiag *diag);
/* Exactly one step, and the Newton matrix of the next one if it is reused and due: no retries, no substeps at
 * corners of time laws, no allocation. On failure the state is as before and the reason is in sim->it->failure. */
vgStatus vg_realtime_advance(vgRealtime *rt);

typedef struct vgRealtimeHooks {
    void *user;
    int (*before)(void *user, vgState *state); /* inputs; 0: go no farther; may be NULL */
    /* outputs; 0: another's were used (a twin's, see twins.h); may be NULL */
    int (*after)(void *user, const vgState *state, vgWork *work);
    /* after a rehearsal, the state being as it was: what outputs will need, without letting them out, so that
     * it is in the caches; may be NULL */
    void (*warm)(void *user, const vgState *state, vgWork *work);
    int (*may_sleep)(void *user); /* 0: waits awake, and asks again; may be NULL: it may */
    int (*cancelled)(void *user); /* may be NULL */
} vgRealtimeHooks;

typedef struct vgRealtimeTimes {
    long steps;
    long misses;       /* steps, inputs and outputs included, not done before the next one was due */
    long own_misses;   /* those of them that would have been missed on an undisturbed machine too */
    vgLatency latency; /* from the moment a step was due until its outputs were out */
    vgLatency wake;    /* from the moment it was due until it began */
    vgLatency cost;    /* of the step itself */
    vgLatency own; /* the shortest time of the step and its rehearsals, which compute the same: the program's
                        * own time on an undisturbed machine */
    vgLatency io;  /* of inputs and outputs */
    vgLatency renewal; /* of the matrix, or its part, that is made after the step; those that were made */
    vgLatency
        pause; /* the longest interruption of the polling loop (early > 0), which only reads the clock: the
                        * effect of the machine on any program */
} vgRealtimeTimes;

void vg_realtime_merge(vgRealtimeTimes *to, const vgRealtimeTimes *from);

typedef struct vgRealtimeReport {
    vgStatus status;               /* VG_OK, VG_INTERRUPTED, or why a step failed */
    vgRealtimeTimes all, sent;     /* of all steps; of those whose outputs went out from here */
    double wall_seconds;           /* from the first step's due time to the end */
    double busy_seconds;           /* the part of it that went into steps */
    long page_faults, preemptions; /* of the loop's thread during the run */
} vgRealtimeReport;

/* A rehearsal takes the next step and takes it back. The first, after vg_realtime_begin, allocates and brings
 * pages, caches and the first Newton matrix, with which the motion begins; more of them, whenever, leave the
 * motion as it is to the bit. A step that fails says so when its time comes. */
vgStatus vg_realtime_rehearse(vgRealtime *rt);
void vg_realtime_end(vgRealtime *rt);

/* Steps against the clock, step n due n steps of time after the beginning; a late one is followed at once by
 * the next, so that the model catches up with the clock when it can. steps 0: until cancelled. Where the loop
 * waits awake it begins at a moment that keeps clear of interruptions that come at a beat of the steps. */
vgStatus vg_realtime_run(vgRealtime *rt, long steps, const vgRealtimeHooks *hooks, vgRealtimeReport *report);

/* ---- a moment to begin ---- */

/* Interruptions with a beat, as a system's clock tick is, come at the same place between two steps again and
 * again where the period is a multiple or a part of the beat's. */
enum { VG_BEAT_PLACES = 50 };
typedef struct vgBeat {
    long long origin;             /* where a period begins, ns */
    double place[VG_BEAT_PLACES]; /* how often it stood still in this part of the period */
} vgBeat;

long long vg_realtime_clock(void); /* ns, only forward */
/* Reads the clock for a while and adds to the beat where in the period that stood still. Nothing where the
 * loop does not wait awake or steps are long. */
void vg_realtime_listen(const vgRealtime *rt, const vgRealtimeHooks *hooks, vgBeat *beat);
/* A start time in the near future, as far as possible from the interruptions that were observed; now if none were
 * observed. */
long long vg_realtime_moment(const vgRealtime *rt, const vgBeat *beat);

#endif
