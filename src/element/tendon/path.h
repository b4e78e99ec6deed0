/* The path of a tendon: points on bodies, surfaces that it lies on between two points, pulleys. */
#ifndef VERGE_ELEMENT_TENDON_PATH_H
#define VERGE_ELEMENT_TENDON_PATH_H

#include "element/kin.h"
#include "element/tendon/wrap.h"

typedef enum vgPathKind { VG_PATH_POINT, VG_PATH_SPHERE, VG_PATH_CYLINDER, VG_PATH_PULLEY } vgPathKind;

/* What field tables of type PATH give, in order. A surface stands between two points. Behind a pulley a new branch
 * begins with a point; its length counts by 1/divisor. */
typedef struct vgPathItem {
    vgPathKind kind;
    vgFrame at;    /* point; centre of a sphere; frame whose z is the axis of a cylinder */
    double radius; /* surfaces; pulley: its divisor */
    int sided;     /* 1: the path goes past the side on which the point `side` is (in the frame `at`) */
    vgVec3 side;
} vgPathItem;

typedef struct vgPath {
    int n;
    const vgPathItem *item;
} vgPath;

#endif
