/* Running in time: the loop around an integrator's steps. Keeps the grid of output times, retries failed
 * steps at smaller ones, controls the step size by error estimate where the method has one, hits the corners
 * of time laws exactly, hands rows to a sink. */
#ifndef VERGE_ANALYSIS_RUN_TRANSIENT_H
#define VERGE_ANALYSIS_RUN_TRANSIENT_H

#include "analysis/run/crossing.h"
#include "analysis/watch/monitor.h"
#include "integrator/integrator.h"

/* Who goes along with a run, step by step. An error ends the run with it. */
typedef struct vgCompany {
    void *user;
    vgStatus (*begun)(void *user, const vgState *s,
                      double h); /* the method (re)starts from a consistent state */
    vgStatus (*stepped)(void *user, const vgState *s, double h); /* a step was accepted; angles are not yet */
} vgCompany;

typedef struct vgTransientOptions {
    double step;     /* > 0; with error control: the first step (0: chosen) */
    double end;      /* last time */
    double interval; /* > 0: rows at this interval, by dense output where the steps do not meet them */
    const double *
        times; /* rows at these times, increasing, instead of every interval; interval: their least distance */
    long ntimes;
    int every;            /* else a row every so many steps (0: 1) */
    int monitor;          /* 1: the motion is watched (watch/monitor.h), and stopped where it is wrong */
    vgMonitors *monitors; /* of a run that is continued call by call; NULL: as `monitor` says */
    int resume;           /* 1: continue with the history in the state instead of restarting the method */
    int locate;           /* 1: state events are located (events.h); −1: none; 0: those of
                             contacts, under error control by methods with VG_INT_WITHIN */
    const vgCompany
        *company; /* may be NULL; needs a motion without events, impacts and samples of controllers */
    int leave;    /* 1: samples of controllers that are due at the end are left to the next call */
} vgTransientOptions;

typedef struct vgSink {
    void *user;
    vgStatus (*row)(void *user, const vgState *state, vgWork *work); /* may be NULL */
    /* after every accepted step and the rows it brought, for what is summed over the steps; may be NULL */
    void (*step)(void *user, const vgState *state, vgWork *work);
    int parts; /* 1: step also sees states inside the steps of error control, which may be long */
    void (*progress)(void *user, double t, double t0, double t_end, const vgStats *stats); /* may be NULL */
    int (*cancelled)(void *user);                                                          /* may be NULL */
} vgSink;

typedef struct vgTransientResult {
    vgStatus status; /* VG_OK, or why the run ended early (failure has the words) */
    vgFailure failure;
    vgFailure split; /* why the first step that was split could not be taken; status VG_OK: none was */
    vgStats stats;
    vgWatch watch; /* with `monitor`: what was seen */
    long
        early; /* steps that ended before a singular position, so that rows at their times are extrapolated */
    double early_t;       /* the first of them */
    int early_last;       /* 1: the last one too, and with it the state that is left */
    vgCrossed crossed;    /* contacts that steps went over */
    double t;             /* time reached */
    double solve_seconds; /* stepping only, without rows and output */
    long rows;
} vgTransientResult;

/* NULL, or what is wrong with the times asked for: more steps or rows than time in double precision can tell
 * apart. */
const char *vg_transient_wrong_times(const vgIntegrator *it, double t0, const vgTransientOptions *options);

/* From a consistent state (vg_assemble) to options->end. The state is left at the time reached. */
vgStatus vg_transient_run(vgIntegrator *it, vgState *state, const vgTransientOptions *options,
                          const vgSink *sink, vgTransientResult *result);

#endif
