/* A spanning tree of the model: every body hangs on a parent by one joint, or floats. The joints left over
 * close loops. The tree holds as many constraint rows as it can, so that the fewest are left for the loops;
 * among equal choices the branches are short. */
#ifndef VERGE_MODEL_TOPOLOGY_H
#define VERGE_MODEL_TOPOLOGY_H

#include "model/model.h"

typedef struct vgTreeNode {
    int body;
    int parent;  /* node of the parent, −1 ground; always before the node itself */
    int joint;   /* −1: the body floats */
    int flipped; /* the joint's first frame is on this body, the second on the parent */
} vgTreeNode;

typedef struct vgTopology {
    int nnode;              /* = model->nbody */
    vgTreeNode *node;       /* depth first: a chain is a run of neighbours */
    int *node_of;           /* per body */
    unsigned char *closure; /* per joint: 1 = its rows are constraints (cut, or without a tree form) */
    int nloop;              /* joints with a tree form that close loops */
} vgTopology;

vgStatus vg_topology_new(const vgModel *m, vgTopology **out);
/* Where joints close loops, long branches are cut into pieces: the first body of a piece floats, and the joint that it hung on is
 * closed by constraints like the others. The mass matrix of a tree couples each joint with all before it, so that elimination costs
 * the cube of the length of a branch, and with pieces it is linear. A branch with no loop in the whole model stays whole: there
 * the recursion is linear anyhow. */
vgStatus vg_topology_cut(vgTopology *t, const vgModel *m);
void vg_topology_free(vgTopology *t);

#endif
