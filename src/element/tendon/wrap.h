/* The shortest path between two points about a sphere or an endless cylinder.
 *
 * In the plane of the path, with d_i the distance of point i from the centre, r the radius, φ the angle from the first
 * point to the second on the side of the path, t_i = √(d_i² − r²):
 *
 *     L = Σ (t_i − r atan(t_i/r)) + r φ
 *
 * the two tangents and the arc between them. About a cylinder that is the path seen along its axis; with Δz along the
 * axis the whole is √(L² + Δz²), a straight line on the unrolled surface. */
#ifndef VERGE_ELEMENT_TENDON_WRAP_H
#define VERGE_ELEMENT_TENDON_WRAP_H

#include "math/vec.h"

typedef enum vgWrapKind { VG_WRAP_NONE, VG_WRAP_SPHERE, VG_WRAP_CYLINDER } vgWrapKind;

typedef struct vgWrapOut {
    double length;
    double grad[6];    /* by the first and the second point */
    double hess[6][6]; /* symmetric */
    int touches;       /* 1: the path lies on the surface between two tangents; 0: it is straight */
} vgWrapOut;

/* Points a and b in the frame of the surface: its centre is the origin, z the axis of a cylinder. side: a point in that
 * frame, outside; the path goes past that side. NULL: the shorter way, and only where the straight line would cut
 * the surface. Points inside are joined by a straight line. NONE: always straight. */
void vg_wrap(vgWrapKind kind, double radius, const vgVec3 *side, vgVec3 a, vgVec3 b, vgWrapOut *out);

#endif
