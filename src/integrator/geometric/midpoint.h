/* Steps whose forces act in the middle and whose constraints hold at the end: the midpoint rule, and the
 * energy–momentum method, which replaces its equations of motion. */
#ifndef VERGE_INTEGRATOR_GEOMETRIC_MIDPOINT_H
#define VERGE_INTEGRATOR_GEOMETRIC_MIDPOINT_H

#include "base/arena.h"
#include "integrator/integrator.h"

typedef struct vgMid {
    vgArena arena;
    double *delta, *half;                  /* increment of the step about q_n, and half of it */
    double *q_mid, *q_end, *v_mid, *v_end; /* v_mid = Δ/h, v_end = 2 v_mid − v_n */
    double *a, *lambda, *r, *phi, *phi_mid, *x, *xl, *d;
    double *scratch; /* 8 nv + 2 nl for the method itself */
    int at_position; /* 1: rows of accelerations are taken on positions, as near singular positions */
} vgMid;

/* Data of a row: modifies the residual of the midpoint rule (w->r, at the motion in w; first: the first iteration
 * of the step). NULL: no modification. */
typedef struct vgMidRow {
    void (*change)(vgIntegrator *it, vgMid *w, const vgState *s, double h, int first);
    int project;      /* 1: the velocities are projected onto the constraints at the end */
    double tolerance; /* factor on the tolerance of the iteration */
    /* under error control: the velocities v_end at q_end onto the constraints; NULL: as they are */
    vgStatus (*settle)(vgIntegrator *it, vgMid *w, double t);
} vgMidRow;

vgStatus vg_mid_setup(vgIntegrator *it);
vgStatus vg_mid_start(vgIntegrator *it, vgState *s);
vgStatus vg_mid_step(vgIntegrator *it, vgState *s, double h, vgStep *x);

#endif
