/* The course of a mesh: where its nodes are and how they look along it. Internal to the room. */
#ifndef VERGE_MODEL_FLEXIBLE_MESH_H
#define VERGE_MODEL_FLEXIBLE_MESH_H

#include "model/read/reader.h"

typedef enum vgMeshShape { VG_MESH_LINES, VG_MESH_ARC, VG_MESH_SPLINE } vgMeshShape;

/* A curve through npoint points that nelement elements of `step` node distances each share out. Corners of
 * lines are nodes. */
typedef struct vgMeshCurve {
    vgMeshShape shape;
    int npoint, nelement, step;
    const vgVec3 *point;
} vgMeshCurve;

/* Fills nelement · step + 1 points and unit tangents. On failure what is wrong, else NULL. */
const char *vg_mesh_course(vgReader *r, const vgMeshCurve *c, vgVec3 *x, vgVec3 *tangent);

#endif
