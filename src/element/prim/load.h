/* Loads: numbers that forces read of a joint's reaction. A component for a law, or what a bearing rubs with. */
#ifndef VERGE_ELEMENT_PRIM_LOAD_H
#define VERGE_ELEMENT_PRIM_LOAD_H

#include "math/vec.h"

/* The reaction is the wrench (F, T) on the second body in W, T about the joint's point. With the axis e of a joint
 * coordinate, F⊥ = F − e (e·F) and T⊥ likewise:
 *   VG_LOAD_PART      component `part` of (F, T)
 *   VG_LOAD_TURNING   radius |F⊥| + thrust |e·F| + (2 radius / length) |T⊥|     N·m: a pin of this radius in a bearing of
 *                     this length, which carries the moment by two forces at its ends; its collar of radius `thrust`
 *   VG_LOAD_SLIDING   |F⊥| + (2 / length) |T⊥| + |e·T| / radius                 N: a slide in a guide of this length; the
 *                     torque about the axis is carried at `radius`
 *   VG_LOAD_BALL      radius |F|                                                N·m
 * A length of 0 leaves its term out, and so does a radius of 0 in SLIDING. */
typedef enum vgLoadKind { VG_LOAD_PART, VG_LOAD_TURNING, VG_LOAD_SLIDING, VG_LOAD_BALL } vgLoadKind;

typedef struct vgLoad {
    vgLoadKind kind;
    int joint;   /* of the model */
    int part;    /* PART: 0 … 5 */
    int measure; /* TURNING, SLIDING: the model's measure of the coordinate, whose axis e is z of its frame A */
    double radius, thrust, length;
} vgLoad;

/* The load of a wrench; d (NULL: not wanted): its derivatives by the six components. Where a force is zero, its
 * direction is, too. */
double vg_load_value(const vgLoad *load, vgVec3 axis, const double wrench[6], double d[6]);

#endif
