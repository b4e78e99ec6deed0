/* Times at which laws of time have corners or jumps: a step ends at each, and the method is restarted there. */
#ifndef VERGE_ANALYSIS_RUN_CORNERS_H
#define VERGE_ANALYSIS_RUN_CORNERS_H

#include "integrator/integrator.h"

typedef struct vgCorners {
    const vgModel *model;
    double *t;         /* ascending; at each all laws are on the side behind it */
    int n, at;         /* at: the next one */
    double known, end; /* they are those up to `known`; beyond, up to `end`, they are found when needed */
    int at_start;      /* 1: a force's law is on another side at the very start than from there on */
} vgCorners;

int vg_corners_new(vgCorners *c); /* 0: no memory */
void vg_corners_free(vgCorners *c);
/* Those of all drives and forces between t0 and end. */
void vg_corners_find(vgCorners *c, const vgModel *m, double t0, double end);
/* The first behind t + eps, and the one before it; ±INFINITY: none. t does not go back. */
double vg_corners_next(vgCorners *c, double t, double eps);
double vg_corners_last(const vgCorners *c);
/* The step to a corner ends that much before it and what follows starts that much behind, so that laws are on
 * their right side at both. */
double vg_corners_beside(double t, double h);
/* At a corner, with the state behind it: where the rate of a drive jumps the joints strike. A drive whose
 * value jumps is an error in words (VG_INCONSISTENT): no motion follows it. Accelerations are those before
 * still. */
vgStatus vg_corners_strike(vgIntegrator *it, vgState *s, double beside);

#endif
