/* The state of a run in progress, shared by the files of this folder. Internal to the room.
 *
 *     while the end is not reached
 *         plan      the nearest stop, the size of the step (policy), bounds
 *         attempt   filters before, the step, filters after
 *         arrive    the step is accepted: stops at its end act, samples are written, filters that only watch
 *         or retry  the step is refused: the policy tries another size, or ends the run with an error
 *
 * A *stop* is a time that no step passes: a corner of a law, a sample of a controller, a state event, the end of the
 * run (stops.c). A *filter* accepts a step, refuses it, or ends the run (filters.c). A *policy* chooses step sizes:
 * fixed ones, which are split if they fail (steps_given.c), or those of error control (steps_chosen.c). A *row* is a
 * sample of the results. */
#ifndef VERGE_ANALYSIS_RUN_TRANSIENT_RUN_H
#define VERGE_ANALYSIS_RUN_TRANSIENT_RUN_H

#include "analysis/run/corners.h"
#include "analysis/run/dense_output.h"
#include "analysis/run/crossing.h"
#include "analysis/run/events.h"
#include "analysis/run/impact.h"
#include "analysis/run/guard.h"
#include "analysis/run/sampler.h"
#include "analysis/run/singular.h"
#include "analysis/run/transient.h"
#include "analysis/watch/monitor.h"
#include "integrator/step_size.h"

enum { VG_IS_ROW, VG_IS_STEP, QUEUE = 128, MIN_QUEUE = 4, QUEUE_BYTES = 1 << 22 };

typedef struct vgRun vgRun;

/* One attempt at a step. */
typedef struct vgAttempt {
    double h;            /* step size, s */
    double to;           /* time of the nearest stop */
    int whole;           /* 1: the step ends at that stop, 0: before it */
    int corner;          /* 1: the stop is a corner of a law; the step ends `beside` before it */
    double beside;       /* s */
    int limited;         /* 1: a stop limits the size (an impact in progress) */
    int avoids;          /* 1: neither its end nor a stage may lie in a singular position */
    int landed;          /* 1: it was refused for that reason */
    int asks;            /* 1: the guard examines its result */
    int counts, last;    /* if accepted, 1: it completes a step that is counted; 1: the last one of the run */
    vgStep step;         /* what the method is asked for, and what it found */
    vgEventsFound found; /* state events within the step */
} vgAttempt;

/* Times that no step passes. Functions may be NULL. */
typedef struct vgStop {
    const char *name;
    int (*active)(const vgRun *r);
    double (*next)(vgRun *r);               /* the first time after that of the state; INFINITY: none */
    double (*limit)(vgRun *r);              /* largest step size from the state; INFINITY: no limit */
    vgStatus (*at)(vgRun *r, vgAttempt *x); /* after each accepted step; acts if the step ended at the stop */
} vgStop;

/* What may refuse a step. VG_OK accepts it. VG_NOT_CONVERGED from `before` or `after` refuses it: the state is
 * restored and another size is tried. Any other status ends the run with the text in it->failure. Functions may be
 * NULL. */
typedef struct vgFilter {
    const char *name;
    int (*active)(const vgRun *r);
    vgStatus (*before)(vgRun *r, vgAttempt *x);   /* may shorten the step */
    vgStatus (*after)(vgRun *r, vgAttempt *x);    /* the step converged */
    vgStatus (*accepted)(vgRun *r, vgAttempt *x); /* the step was counted and its samples written */
} vgFilter;

/* Choice of step sizes. */
typedef struct vgPolicy {
    void (*begin)(vgRun *r);
    int (*done)(const vgRun *r);
    vgStatus (*size)(vgRun *r, vgAttempt *x);                  /* sets h, whole, step.over towards x->to */
    vgStatus (*ready)(vgRun *r, vgAttempt *x);                 /* h is final; may be NULL */
    vgStatus (*refused)(vgRun *r, vgAttempt *x, vgStatus why); /* VG_OK: another size is tried */
    vgStatus (*accepted)(vgRun *r, vgAttempt *x);              /* sets counts and last, and the next size */
} vgPolicy;

extern const vgStop *const vg_run_stops[];     /* NULL-terminated, in the order in which they act */
extern const vgFilter *const vg_run_filters[]; /* NULL-terminated; `after` is called in reverse order */
extern const vgPolicy vg_given_steps, vg_chosen_steps;

/* Fixed steps: times on a grid; a step that fails is split into pieces [k, k+1]/2^depth of it. */
typedef struct vgGiven {
    double h, origin;
    int64_t n, i, before; /* steps of this run, index of the next one, steps of the run that it continues */
    int depth, shorter;
    long piece;
    double from, full; /* the step that is split */
    /* sizes of this step and of the last one before they were split or shortened, for multistep methods */
    double planned, taken;
    int limited; /* 1: the last step was shortened to follow an impact */
    int was_late;
    vgFailure why; /* why the whole step failed */
} vgGiven;

/* Steps of error control. */
typedef struct vgChosen {
    double span, nearly, h, old; /* old: the last error, for vg_step_growth */
    double usual;                /* largest of the recently accepted sizes, decaying with every step */
    int failures, tries, small;  /* small: number of successive tiny steps */
    vgPace pace;
} vgChosen;

enum { VG_RUN_MOST = 8 };

struct vgRun {
    vgIntegrator *it;
    vgState *s, *before, *shown; /* shown: a state between steps, for dense output */
    const vgTransientOptions *o;
    const vgSink *sink;
    vgTransientResult *res;
    const vgPolicy *policy;
    const vgStop *stop[VG_RUN_MOST];     /* those that are active */
    const vgFilter *filter[VG_RUN_MOST]; /* the same */
    int nstop, nfilter;
    vgGiven given;
    vgChosen chosen;
    double target;         /* the end of the run, or of the step of a given size */
    double tiny;           /* times closer than this are equal, s */
    double corner, sample; /* next times; INFINITY: none */
    vgDense *solver;       /* solves for accelerations at samples and within steps; NULL: not needed */
    vgDense *dense;        /* the same object if samples lie between steps, else NULL */
    vgEvents *events;      /* NULL: state events are not located */
    vgImpact *impact;      /* NULL: nothing is rigid */
    vgCrossing *crossing;  /* NULL: no contacts, or their events are located */
    vgGuard *guard;
    vgSampler *sampler; /* NULL: no controllers */
    vgSingular *loops;  /* NULL: singular positions are not detected */
    int large;          /* 1: loops are too large for that */
    vgRowChoice *rows;  /* NULL: the active constraint equations never change */
    double late;        /* the step ended this much before its time, which is in a singular position, s */
    int idle;           /* 1: steps between two samples need no further work */
    double t0, next_row;
    int64_t first; /* number of steps before this run */
    long row_index;
    int64_t next_step; /* if samples are counted in steps: the step of the next sample */
    int part;          /* next part of the last step that quantities summed over time have to see */
    int64_t part_step; /* number of that step */
    double *phi;       /* nphi */
    vgCorners corners;
    double behind;         /* the next step starts this much after a corner, s */
    vgState *row;          /* a sample with solved reactions; NULL: no sample needs them */
    vgState *queue[QUEUE]; /* samples waiting to be passed to the sink */
    unsigned char kind[QUEUE];
    int waiting, room;    /* room 0: samples are large; they are passed on at once and not copied */
    double seconds_out;   /* time spent on samples */
    double speed;         /* largest velocity coordinate after the last step */
    vgMonitors *monitors; /* NULL: no monitors */
    int repeated;         /* 1: redundant constraint equations, some of them inactive */
};

/* ---- loop.c ---- */
vgStatus vg_run_loop(vgRun *r);
/* After a jump of the accelerations: computes consistent ones and restarts the method. h: expected step size. */
vgStatus vg_run_restart(vgRun *r, double h);
/* Tells those who go along that the method has started. */
vgStatus vg_run_tell_begun(vgRun *r, double h);
/* After a change of the step size: restarts a multistep method, whose past has the old one. No effect on others. */
vgStatus vg_run_start_anew(vgRun *r, double h);

/* ---- stops.c ---- */
/* The state is at a corner of a law of time: restarts the method `beside` behind it. */
vgStatus vg_run_behind_corner(vgRun *r, double h, double corner, double beside);

/* ---- transient_rows.c ---- */
/* Memory for samples whose accelerations and multipliers are solved for. */
vgStatus vg_run_rows_new(vgRun *r);
double vg_run_seconds(void); /* processor time of the thread */
/* 1: the sampling interval is a whole number of steps, so that every sample is the end of a step. */
int vg_run_rows_are_steps(const vgRun *r);
/* The time of sample number `index`; 1 is the first after the start. INFINITY: there is none. */
double vg_run_row_time(const vgRun *r, long index);
/* 1: multipliers of samples at ends of steps are solved for there. */
int vg_run_solves_rows(const vgRun *r);
/* Writes the samples strictly within the last step. */
vgStatus vg_run_rows_within_step(vgRun *r);
/* Writes the samples that became due in the last step, from r->before to r->s. */
vgStatus vg_run_rows_after_step(vgRun *r, int last);
vgStatus vg_run_put(vgRun *r, vgState *s, int kind);
vgStatus vg_run_flush(vgRun *r);

/* ---- error messages ---- */

void vg_run_add_words(vgFailure *why, const char *words);
/* Adds the cause to the message of a failed step to time t, if one can be found up to `ahead` behind it. Returns 1 if
 * so. */
int vg_run_add_cause(vgRun *r, double t, double ahead);
/* 1: velocities are larger than those of any mechanism, which explains numbers that are not finite. */
int vg_run_ran_away(const vgRun *r);

#endif
