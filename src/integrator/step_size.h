/* Rules about step sizes that all drivers of steps share. */
#ifndef VERGE_INTEGRATOR_STEP_SIZE_H
#define VERGE_INTEGRATOR_STEP_SIZE_H

/* Progress of steps whose size somebody chooses by error estimates: a step that falls to nothing never ends a
 * run. Begin with {0}. */
typedef struct vgPace {
    long count;  /* attempts since the last judgement */
    double from; /* the time then */
    int known;   /* 1: from is */
} vgPace;

/* One more attempt to take a step, at t, on the way to `end`. Returns how many further attempts the rest
 * would take at the present pace where that exceeds `most`, else 0. Judged once every so many attempts, so
 * that a short spell of small steps (a contact, a corner) is nothing. */
double vg_pace(vgPace *p, double t, double end, double most);

#endif
