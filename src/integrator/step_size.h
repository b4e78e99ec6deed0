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
/* By which a step would meet the tolerance, if the last one had that error: after one that was too large. */
double vg_step_rejected(const vgIntegrator *it, double err);
/* The same as the method proposes it, if it does. */
double vg_step_again(const vgIntegrator *it, const vgStep *x, double h);
/* A factor f between the method's own bounds and those of the user (grow, shrink). */
double vg_step_clip(const vgIntegrator *it, double f, double least, double most);
/* The next step of a method to which every change of step costs its past: the same as h unless it pays, and at most
 * `most` times as long. The error goes with the power of the step; f: by which factor another step would meet the
 * tolerance. */
double vg_step_kept(const vgIntegrator *it, const vgStep *x, double h, int power, double most);
double vg_step_kept_by(const vgIntegrator *it, const vgStep *x, double h, double f, double most);
/* h within the user's bounds h_min, h_max. */
double vg_step_within(const vgIntegrator *it, double h);

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
