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

/* By what a body hangs on its parent, and where its coordinates are. */
typedef struct vgTreeBranch {
    int joint; /* −1: it floats */
    int q, v, nq, nv;
} vgTreeBranch;

vgTreeBranch vg_tree_branch(const vgSystem *sys, int body);
/* After residual(): the force and torque that the motion needs there beyond what the elements give. By a
 * joint: on its second body, along the axes of its first frame, about the origin of the frame on this body.
 * Floating: in W, about the centre of mass. */
void vg_tree_branch_wrench(const vgSystem *sys, const vgWork *work, int body, double wrench[6]);

#endif
