/* What others may ask a system in relative coordinates. */
#ifndef VERGE_SYSTEM_TREE_H
#define VERGE_SYSTEM_TREE_H

#include "system/system.h"

/* A measure of the model that is a joint coordinate: measure = sign q[q] + offset, rate = sign v[v]. */
typedef struct vgTreeCoordinate {
    int v, q;
    double sign, offset;
} vgTreeCoordinate;

/* 1 and *out, or 0. sys: relative coordinates. */
int vg_tree_coordinate(const vgSystem *sys, int measure, vgTreeCoordinate *out);

#endif
