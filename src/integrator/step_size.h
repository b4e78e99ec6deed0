/* Rules about step sizes that all drivers of steps share. */
#ifndef VERGE_INTEGRATOR_STEP_SIZE_H
#define VERGE_INTEGRATOR_STEP_SIZE_H

#include "integrator/integrator.h"

/* log2 of 1e-4: an error smaller than that counts as that for the next step's size. */
#define VG_LEAST_ERROR (-13.287712379549449)

/* The first step of a run over a time span, from the size of the motion: what changes velocities and positions
 * by about the tolerance's root. */
double vg_first_step(const vgIntegrator *it, const vgState *s, double span);
/* The power of the step that the error estimate goes with. */
double vg_error_power(const vgIntegrator *it);
/* By what the step is multiplied after an accepted one: PI controller of Gustafsson (Hairer, Wanner II, IV.2), or
 * the plain rule of [H] (B19), (B20). old: the error of the step before, as a power of 2; VG_LEAST_ERROR at
 * first. */
double vg_step_growth(const vgIntegrator *it, double err, double *old);
/* And after one whose error err > 1 was too large. */
double vg_step_rejected(const vgIntegrator *it, double err);

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
