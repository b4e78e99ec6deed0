/* Measures: scalar functions of the motion with a name, e.g. joint.knee.angle. They serve channels, force laws,
 * drives, couplers, torsion springs, controllers and friction: one place for value, rate, gradient, bias. */
#ifndef VERGE_ELEMENT_MEASURE_H
#define VERGE_ELEMENT_MEASURE_H

#include "element/kin.h"

typedef enum vgMeasureKind {
    VG_MEASURE_ANGLE,        /* angle of frame B's x about frame A's z, atan2 form, continued over full turns */
    VG_MEASURE_DISPLACEMENT, /* zA·(P_B − P_A) */
    VG_MEASURE_DISTANCE,     /* |P_B − P_A| */
    VG_MEASURE_POSITION,     /* component `axis` of point P_B in W (or in frame A) */
    VG_MEASURE_VELOCITY_ONLY,/* component of velocity: value = rate (use the rate slot of POSITION instead) */
    VG_MEASURE_ROTATION,     /* planar body angle θ */
    VG_MEASURE_COORDINATE,   /* the value of a scalar body */
    VG_MEASURE_COUNT
} vgMeasureKind;

typedef struct vgMeasure {
    vgMeasureKind kind;
    vgFrame A, B;   /* frames; z of A is the axis */
    int axis;       /* POSITION: 0,1,2 */
    int planar;     /* bodies are planar: angles are differences of θ and never wrap */
    int turn;       /* index into the turn memory (ANGLE, spatial), −1 none */
    double offset;  /* added to the value */
} vgMeasure;

typedef struct vgMeasureOut {
    double value;
    double rate;
    double bias;          /* value̎ = grad·ξ̇ + bias */
    double grad[12];      /* native columns of bodies A and B */
    double drate[12];     /* ∂rate/∂δξ at fixed ξ */
} vgMeasureOut;

/* turn_ref: last accepted value of the angle (for continuation over ±π); ignored where not needed.
 * For planar bodies θ is in kin.… see vg_planar_theta in measure.c: the planar system passes θ through turn_ref-free kin.p.z. */
void vg_measure_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double turn_ref, int derivatives,
                     vgMeasureOut *out);
/* Hessian of the value: ∂grad/∂δξ, 12×12 row-major, times factor, added to H. */
void vg_measure_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double factor, double H[144]);

#endif
