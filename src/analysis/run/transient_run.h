/* A run as it goes on: what the files of this folder share. Internal to the room.
 *
 *     while the end is not reached
 *         plan      the nearest stop, the size of the step (policy), bounds
 *         attempt   filters before, the step, filters after
 *         arrive    the step is accepted: stops that it ended at, rows, filters that watch
 *         or retry  it was refused: another size (policy), or the end with words
 *
 * A *stop* is a time that no step goes over: corners of laws, samples of controllers, state events, rows, the end
 * (stops.c). A *filter* accepts a step, refuses it, or ends the run (filters.c). A *policy* chooses sizes: given
 * ones, which are split where they fail (steps_given.c), or those of error control (steps_chosen.c). */
#ifndef VERGE_ANALYSIS_RUN_TRANSIENT_RUN_H
#define VERGE_ANALYSIS_RUN_TRANSIENT_RUN_H

#include "analysis/run/corners.h"
#include "analysis/run/dense_output.h"
#include "analysis/run/crossing.h"
#include "analysis/run/events.h"
#include "analysis/run/guard.h"
#include "analysis/run/sampler.h"
#include "analysis/run/singular.h"
#include "analysis/run/transient.h"
#include "analysis/watch/monitor.h"
#include "integrator/step_size.h"

enum { VG_IS_ROW, VG_IS_STEP, QUEUE = 128, MIN_QUEUE = 4, QUEUE_BYTES = 1 << 22 };

typedef struct vgRun vgRun;

/* A step that is tried. */
typedef struct vgAttempt {
    double h;            /* its size */
    double to;           /* time of the nearest stop */
    int whole;           /* 1: it ends there, 0: before */
    int corner;          /* 1: a corner is there, so that it ends `beside` before it */
    double beside;       /* s */
    int limited;         /* 1: it is bounded by an impact that is going on */
    int avoids;          /* 1: it must not end in a singular position, nor have a stage there */
    int landed;          /* 1: it was refused because it would */
    int asks;            /* 1: the guard looks at it afterwards */
    int counts, last;    /* accepted: 1: it ends a step that is counted; the last one of the run */
    vgStep step;         /* what is asked of the method, what it found */
    vgEventsFound found; /* events within it */
} vgAttempt;

/* Times that no step goes over. Functions may be NULL. */
typedef struct vgStop {
    const char *name;
    int (*active)(const vgRun *r);
    double (*next)(vgRun *r);               /* the first behind the state's time; INFINITY: none */
    double (*limit)(vgRun *r);              /* the longest step from the state; INFINITY: any */
    vgStatus (*at)(vgRun *r, vgAttempt *x); /* a step was accepted; acts where it ended at the stop */
} vgStop;

/* What may refuse a step. VG_OK: go on; VG_NOT_CONVERGED from `after` and `before`: the state is as before the step,
 * another size is tried; any other status ends the run, with words in it->failure. Functions may be NULL. */
typedef struct vgFilter {
    const char *name;
    int (*active)(const vgRun *r);
    vgStatus (*before)(vgRun *r, vgAttempt *x);   /* may make it shorter */
    vgStatus (*after)(vgRun *r, vgAttempt *x);    /* it converged */
    vgStatus (*accepted)(vgRun *r, vgAttempt *x); /* it was counted and recorded */
} vgFilter;

/* Sizes of steps. */
typedef struct vgPolicy {
    void (*begin)(vgRun *r);
    int (*done)(const vgRun *r);
    vgStatus (*size)(vgRun *r, vgAttempt *x);                  /* h, whole, over for a step towards x->to */
    vgStatus (*ready)(vgRun *r, vgAttempt *x);                 /* all bounds are known; may be NULL */
    vgStatus (*refused)(vgRun *r, vgAttempt *x, vgStatus why); /* VG_OK: another is tried */
    vgStatus (*accepted)(vgRun *r, vgAttempt *x);              /* counts, last, and the next size */
} vgPolicy;

extern const vgStop *const vg_run_stops[];     /* NULL-terminated, in the order in which they act */
extern const vgFilter *const vg_run_filters[]; /* NULL-terminated; `after` is asked in the opposite order */
extern const vgPolicy vg_given_steps, vg_chosen_steps;

/* Steps of given size: grid times, and the pieces of a step that failed, [k, k+1]/2^depth of it. */
typedef struct vgGiven {
    double h, origin;
    long long n, i, before; /* steps of the run, the next one, those of the run that is gone on with */
    int depth, shorter;
    long piece;
    double from, full; /* the step that is split */
    double planned,
        taken;   /* this one and the last before they were split or shortened, for methods with a past */
    int limited; /* the last step was shortened to follow an impact */
    int was_late;
    vgFailure why; /* of the whole step */
} vgGiven;

/* Steps of error control. */
typedef struct vgChosen {
    double span, nearly, h, old; /* old: the last error, as vg_step_growth wants it */
    double usual;                /* steps that were accepted of late */
    int failures, tries, small;  /* small: such steps in a row */
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
    double tiny;           /* times that are nearer to each other are one */
    double corner, sample; /* next ones; INFINITY: none */
    vgDense *solver;       /* solves for accelerations at rows and within steps; NULL: not needed */
    vgDense *dense;        /* the same where rows lie between steps, else NULL */
    vgEvents *events;      /* NULL: not looked for */
    vgCrossing *crossing;  /* NULL: no contacts, or their events are located */
    vgGuard *guard;
    vgSampler *sampler; /* NULL: no controllers */
    vgSingular *loops;  /* NULL: singular positions are not looked for */
    int large;          /* there are loops, too large to be looked at */
    vgRowChoice *rows;  /* NULL: those that count stay */
    double late;        /* the step ended that much before its time, which is in a singular position */
    int idle;           /* 1: between two rows a step has nothing behind it */
    double t0, next_row;
    long first;                /* steps before the run */
    long row_index, next_step; /* the step with the next row, where rows are counted in steps */
    int part;                  /* of the step just taken, the next that sums over time are to see */
    long part_step;            /* that step */
    double *phi;               /* 3 nl */
    vgCorners corners;
    double behind;         /* what the next step begins behind a corner */
    vgState *row;          /* a row as it is written, where reactions are solved for; NULL: nowhere */
    vgState *queue[QUEUE]; /* rows that wait to be shown */
    unsigned char kind[QUEUE];
    int waiting, room;    /* room 0: rows are large, none waits and no state is copied */
    double seconds_out;   /* spent on rows */
    double speed;         /* largest velocity coordinate after the last step */
    vgMonitors *monitors; /* NULL: nothing is watched */
    int repeated;         /* rows repeat others: some do not count */
};

/* ---- loop.c ---- */
vgStatus vg_run_loop(vgRun *r);
/* Accelerations jump here: start again from consistent ones. */
vgStatus vg_run_restart(vgRun *r, double h);
/* A method of several steps cannot go on with steps of another size as if nothing had been. */
vgStatus vg_run_start_anew(vgRun *r, double h);

/* ---- stops.c ---- */
/* Laws of time have other values from the corner on, at which the state is: methods start anew. */
vgStatus vg_run_behind_corner(vgRun *r, double h, double corner, double beside);

/* ---- transient_rows.c ---- */
/* Room for rows with the accelerations and multipliers of the motion, where those of a step may be others. */
vgStatus vg_run_rows_new(vgRun *r);
double vg_run_seconds(void); /* of the thread's processor */
/* Rows at an interval that is a whole number of steps are states of the run, and no others are needed. */
int vg_run_rows_are_steps(const vgRun *r);
/* The time of the row with this index, 1 being the first behind the start; INFINITY: no more. */
double vg_run_row_time(const vgRun *r, long index);
/* Rows at the ends of steps have multipliers that are solved for there. */
int vg_run_solves_rows(const vgRun *r);
/* Those of them that lie strictly within it. */
vgStatus vg_run_rows_within_step(vgRun *r);
/* The rows that became due by the step just taken, from r->before to r->s. */
vgStatus vg_run_rows_after_step(vgRun *r, int last);
vgStatus vg_run_put(vgRun *r, vgState *s, int kind);
vgStatus vg_run_flush(vgRun *r);

/* ---- why it stopped, in words ---- */

void vg_run_add_words(vgFailure *why, const char *words);
/* Adds to the failure what made it fail, where that is seen: the step was to go to t, the next one further. */
int vg_run_add_cause(vgRun *r, double t, double ahead);
/* Speeds that no mechanism has: what is not a number now is the consequence. */
int vg_run_ran_away(const vgRun *r);

#endif
