/* A run as it goes on: what transient.c (steps) and transient_rows.c (rows) share. Internal to the room. */
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

enum { VG_IS_ROW, VG_IS_STEP, QUEUE = 128, MIN_QUEUE = 4, QUEUE_BYTES = 1 << 22 };

typedef struct vgRun {
    vgIntegrator *it;
    vgState *s, *before, *shown; /* shown: a state between steps, for dense output */
    const vgTransientOptions *o;
    const vgSink *sink;
    vgTransientResult *res;
    vgDense *dense;
    vgEvents *events;     /* NULL: not looked for */
    vgCrossing *crossing; /* NULL: no contacts, or their events are located */
    vgGuard *guard;
    vgSampler *sampler; /* NULL: no controllers */
    vgStep asked;       /* corners about the step */
    double taken;       /* with controllers: the last step's size */
    int limited;        /* the last step was shortened to follow an impact */
    vgSingular *loops;  /* NULL: singular positions are not looked for */
    int large;          /* there are loops, too large to be looked at */
    int may_be_late;    /* this step may end before the time asked for */
    double late;        /* that it did, so much before */
    int idle;           /* 1: between two rows a step has nothing behind it */
    double t0, next_row;
    long row_index, next_step; /* the step with the next row, where rows are counted in steps */
    int part;                  /* of the step just taken, the next that sums over time are to see */
    long part_step;            /* that step */
    double *phi;               /* 3 nl */
    vgCorners corners;
    double behind;         /* what the next step begins behind a corner */
    vgState *queue[QUEUE]; /* rows that wait to be shown */
    unsigned char kind[QUEUE];
    int waiting, room;    /* room 0: rows are large, none waits and no state is copied */
    double seconds_out;   /* spent on rows */
    double speed;         /* largest velocity coordinate after the last step */
    vgMonitors *monitors; /* NULL: nothing is watched */
} vgRun;

double vg_run_seconds(void); /* of the thread's processor */
/* Rows at an interval that is a whole number of steps are states of the run, and no others are needed. */
int vg_run_rows_are_steps(const vgRun *r);
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
/* Adds to the failure what made it fail, where that is seen: the step was to go to t, the next one further.
 */
int vg_run_add_cause(vgRun *r, double t, double ahead);
/* Speeds that no mechanism has: what is not a number now is the consequence. */
int vg_run_ran_away(const vgRun *r);

#endif
