/* Times at which laws of time have corners or jumps: a step ends at each, and what follows starts anew. */
#ifndef VERGE_ANALYSIS_RUN_CORNERS_H
#define VERGE_ANALYSIS_RUN_CORNERS_H

#include "model/model.h"

typedef struct vgCorners {
    double *t; /* ascending */
    int n, at; /* at: the next one */
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

#endif
