/* Measures: scalar functions of the motion with a name, e.g. joint.knee.angle. They serve channels, force
 * laws, drives, couplers, torsion springs, controllers and friction: one place for value, rate, gradient,
 * bias. */
#ifndef VERGE_ELEMENT_PRIM_MEASURE_H
#define VERGE_ELEMENT_PRIM_MEASURE_H

#include "element/kin.h"

typedef enum vgMeasureKind {
    VG_MEASURE_ANGLE, /* angle of frame B's x about frame A's z, from frame A's x; continued over turns */
    VG_MEASURE_DISPLACEMENT, /* zA·(P_B − P_A) */
    VG_MEASURE_DISTANCE,     /* |P_B − P_A| */
    VG_MEASURE_POSITION, /* component `axis` of P_B − P_A in frame A (A = ground at the origin: P_B in W) */
    VG_MEASURE_ROTATION, /* planar: angle θ of frame B's x about W's z; continued over turns */
    VG_MEASURE_INCLINE, /* arcsin(xA·xB): by how much frame B's x rises along frame A's x, −π/2 … π/2 */
    VG_MEASURE_SPIN,    /* no value (0); its rate is the angular velocity of B along frame B's `axis` */
    VG_MEASURE_COORDINATE, /* the value of the scalar body B (component `axis` of a carrier of several) */
    VG_MEASURE_TILT,       /* small rotation of frame B in frame A about `axis`: ½ (R − Rᵀ) */
    VG_MEASURE_LINEAR,     /* A.r·p_A + B.r·p_B of carriers of scalars */
    VG_MEASURE_BILINEAR,   /* p_A·A.R p_B of carriers of scalars, which may be the same */
    VG_MEASURE_TURN,       /* rotation vector of frame B in frame A, component `axis`: log(R_Aᵀ R_B) */
    VG_MEASURE_INPUT,      /* a number from outside, kept in the turn memory; rate 0 */
    VG_MEASURE_LOAD, /* load `axis` of the model (load.h), given by whoever knows the reactions; rate 0 */
    VG_MEASURE_COUNT
} vgMeasureKind;

typedef struct vgMeasure {
    vgMeasureKind kind;
    vgFrame A, B;  /* frames; z of A is the axis */
    int axis;      /* POSITION, SPIN, COORDINATE, TILT, TURN: 0, 1, 2 */
    int planar;    /* bodies are planar (all rotations about z): cheap paths */
    int turn;      /* index into the turn memory (ANGLE, ROTATION), −1 none. Joint kinds put 0 where one is
                      wanted, the model compiler numbers them */
    double offset; /* added to the value */
    double begin;  /* whole turns that an angle has made at the start, rad */
    int ncurve; /* > 0: the value is Σ curve[k] x^k of the x that the rest describes. It shares the turn memory of x */
    const double *curve;
} vgMeasure;

typedef struct vgMeasureOut {
    double value;
    double rate;
    double bias;      /* second derivative of the value = grad·ξ̇ + bias */
    double grad[12];  /* native columns of bodies A and B: ∂value/∂δξ, and rate = grad·ξ */
    double drate[12]; /* ∂rate/∂δξ at fixed ξ */
} vgMeasureOut;

/* ka, kb: motion of the bodies of A and B; the ground is an identity frame with zero velocity.
 * turn_ref: last accepted value of the angle, the new value is within π of it; INPUT, LOAD: the value; ignored where
 * not needed.
 * derivatives: 0 value and rate only; 1 also bias and grad; 2 also drate. */
void vg_measure_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double turn_ref, int derivatives,
                     vgMeasureOut *out);

/* H[i][j] += factor ∂grad_i/∂δξ_j, 12×12 row-major. Not symmetric: variations of rotations do not commute. turn_ref: as
 * above, used where the measure has a curve. */
void vg_measure_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double turn_ref, double factor,
                        double H[144]);

/* The kinds that tie nodes of flexible bodies (TILT, LINEAR, BILINEAR) and stations of beams (TURN), for the
 * two above. */
void vg_measure_tie_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, int derivatives,
                         vgMeasureOut *out);
void vg_measure_tie_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double factor,
                            double H[144]);

void vg_measure_turn_eval(const vgMeasure *m, const vgKin *ka, const vgKin *kb, int derivatives,
                          vgMeasureOut *out);
void vg_measure_turn_hessian(const vgMeasure *m, const vgKin *ka, const vgKin *kb, double factor,
                             double H[144]);

static inline int vg_measure_is_tie(const vgMeasure *m)
{
    return m->kind == VG_MEASURE_TILT || m->kind == VG_MEASURE_LINEAR || m->kind == VG_MEASURE_BILINEAR;
}

#endif
