/* Constraint primitives: what every joint is made of.
 *
 * A primitive is one or a few scalar equations between a point and a unit vector on frame A and the same on
 * frame B. All are bilinear in points and vectors, so value, gradient, second derivative and time derivatives
 * are written once, here, in the native form of kin.h.
 *
 *   COINCIDE  P_A − P_B = 0                    3 rows (planar: 2), in W
 *   DOT       s1 uA·uB + s2 wA·wB − c = 0      1 row
 *   ALONG     uA·(P_B − P_A) − c = 0           1 row
 *   DISTANCE  ½(|P_B − P_A|² − c²)/c = 0       1 row (scaled so that λ is the force in the rod)
 *   MEASURE   Σ k_i m_i(q) − f(t) = 0          1 row; drives, gears, screws, racks: measures of measure.h
 *   SLIP      velocity level: uA_or_W · (v_PB − v_PA) = 0 … (knife edge, rolling; see prim.c)
 * level: 0 holonomic, 1 velocity, 2 acceleration (drives given at velocity or acceleration level). */
#ifndef VERGE_ELEMENT_PRIM_H
#define VERGE_ELEMENT_PRIM_H

#include "element/kin.h"
#include "element/law.h"
#include "element/measure.h"

typedef enum vgPrimKind {
    VG_PRIM_COINCIDE,
    VG_PRIM_DOT,
    VG_PRIM_ALONG,
    VG_PRIM_DISTANCE,
    VG_PRIM_MEASURE,
    VG_PRIM_KNIFE,   /* uB·v_PB = 0: no sideways velocity of point PB along uB, both fixed on B (relative to A = ground) */
    VG_PRIM_ROLLING, /* disc on B (axis uB, radius c) rolls on the plane of frame A (normal uA): 2 velocity rows */
    VG_PRIM_CONTACT_HEIGHT, /* the disc's lowest point touches the plane: 1 holonomic row */
    VG_PRIM_COUNT
} vgPrimKind;

enum { VG_PRIM_MAX_ROWS = 3, VG_PRIM_MAX_TERMS = 3 };

typedef struct vgPrim {
    vgPrimKind kind;
    int level;          /* 0 position, 1 velocity, 2 acceleration */
    int rows;           /* 1..3 */
    int row;            /* first row among all constraint rows (filled by the model) */
    int joint;          /* owner, for messages */
    int a, b;           /* bodies, −1 ground */
    vgVec3 ra, rb;      /* points, body frames (ground: W) */
    vgVec3 ua, ub;      /* unit vectors */
    vgVec3 wa, wb;      /* second pair (DOT with s2 ≠ 0) or helper directions (ROLLING: in-plane directions) */
    double s1, s2, c;   /* coefficients and constant */
    int nterm;          /* MEASURE: Σ k_i m_i */
    double k[VG_PRIM_MAX_TERMS];
    int measure[VG_PRIM_MAX_TERMS]; /* indices into the model's measures */
    const vgLaw *law;   /* right side f(t) or NULL; pure function of time */
} vgPrim;

/* Everything that one evaluation can give; NULL members are not computed. Body columns are native (6 each).
 * The arrays hold `rows` rows. For MEASURE the columns belong to the measures' bodies and are given through
 * vg_prim_measure_* instead (up to 6 bodies). */
typedef struct vgPrimOut {
    double phi[VG_PRIM_MAX_ROWS];         /* value; for level ≥ 1 the velocity-level value A ξ − f */
    double dot[VG_PRIM_MAX_ROWS];         /* time derivative of the value: B ξ + ∂φ/∂t */
    double bias[VG_PRIM_MAX_ROWS];        /* γ with  φ̈ = B ξ̇ + γ  (level 1: φ̇ = A ξ̇ + γ) */
    double Ba[VG_PRIM_MAX_ROWS][6];
    double Bb[VG_PRIM_MAX_ROWS][6];
} vgPrimOut;

enum { VG_PRIM_VALUE = 1, VG_PRIM_GRADIENT = 2, VG_PRIM_RATE = 4, VG_PRIM_BIAS = 8 };

/* Spatial primitives (not MEASURE). ka, kb: motion of the bodies; ground is the identity frame at rest. */
void vg_prim_eval(const vgPrim *p, double t, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out);

/* K_λ = ∂(Σ λ_i B_iᵀ)/∂δξ, native 12×12 row-major (bodies a, b), added to K. Exact; not symmetric in general
 * because variations of rotations are. */
void vg_prim_stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144]);

/* The gradient by points and vectors, for coordinates that are points and vectors: row i of the primitive is
 * gPa·δP_A + gUa·δuA + gWa·δwA + the same for B. */
typedef struct vgPrimForms {
    vgVec3 gPa, gUa, gWa, gPb, gUb, gWb;
} vgPrimForms;
int vg_prim_forms(const vgPrim *p, double t, const vgKin *ka, const vgKin *kb, vgPrimForms forms[VG_PRIM_MAX_ROWS]);

#endif
