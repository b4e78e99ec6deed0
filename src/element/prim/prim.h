/* Constraint primitives: what every joint is made of (docs/theory.md, eq. 6–10).
 *
 * A primitive is one or a few scalar equations between a point and unit vectors on body A and the same on
 * body B. Value, gradient, second derivative and time derivatives are written once, here, in the native form
 * of kin.h.
 *
 *   COINCIDE        P_A − P_B = 0                            3 rows (planar: 2), in W
 *   DOT             s1 uA·uB + s2 wA·wB − c = 0
 *   ALONG           uA·(P_B − P_A) − c = 0
 *   DISTANCE        ½(|P_B − P_A|² − c²)/c = 0               scaled so that λ is the force in the rod
 *   MEASURE         Σ k_i m_i(q) − c − f(t) = 0              drives, gears, screws, racks; measures of
 * measure.h KNIFE           uB·(velocity of P_B relative to A) = 0   velocity level ROLLING e_i·(velocity of
 * the disc's material point at the contact, relative to A) = 0, e_1 = wA, e_2 = wb (both fixed on A) velocity
 * level, 2 rows (planar: 1) CONTACT_HEIGHT  uA·(P_B − P_A) − c √(1 − (uA·uB)²) = 0   the lowest point of the
 * disc touches the plane
 *
 * All but MEASURE may have a right side f(t) too: law, subtracted from the value. */
#ifndef VERGE_ELEMENT_PRIM_PRIM_H
#define VERGE_ELEMENT_PRIM_PRIM_H

#include "element/kin.h"
#include "element/law/law.h"
#include "element/prim/measure.h"

typedef enum vgPrimKind {
    VG_PRIM_COINCIDE,
    VG_PRIM_DOT,
    VG_PRIM_ALONG,
    VG_PRIM_DISTANCE,
    VG_PRIM_MEASURE,
    VG_PRIM_KNIFE,
    VG_PRIM_ROLLING,
    VG_PRIM_CONTACT_HEIGHT,
    VG_PRIM_COUNT
} vgPrimKind;

enum { VG_PRIM_MAX_ROWS = 3, VG_PRIM_MAX_TERMS = 12 };

typedef struct vgPrim {
    vgPrimKind kind;
    int level;        /* 0 position, 1 velocity, 2 acceleration */
    int rows;         /* 1..3 */
    int row;          /* first row among all constraint rows (filled by the model) */
    int joint;        /* owner, for messages */
    int a, b;         /* bodies, −1 ground (MEASURE: unused, −1) */
    int start;        /* 1: the user left the constant open; vg_prim_start or vg_prim_measure_start sets c so
                         that the row holds at the initial placement */
    double s1, s2, c; /* coefficients and constant (radius of the disc) */
    int nterm;        /* MEASURE: Σ k_i m_i */
    const vgLaw *law; /* right side f(t) or NULL; pure function of time */
    union {
        struct {           /* all but MEASURE */
            vgVec3 ra, rb; /* points, body frames (ground: W) */
            vgVec3 ua, ub; /* unit vectors */
            vgVec3 wa, wb; /* second pair (DOT with s2 ≠ 0); ROLLING: in-plane directions, both on A */
        };
        struct { /* MEASURE */
            double k[VG_PRIM_MAX_TERMS];
            int measure[VG_PRIM_MAX_TERMS]; /* the model's measures. From vgJointKind.build: −1 − i means the
                                               joint's own coordinate i, to be replaced by the model */
        };
    };
} vgPrim;

/* Results of one evaluation, `rows` rows; parts that were not requested are left unchanged. Body columns are
 * native, 6 each. */
typedef struct vgPrimOut {
    double phi[VG_PRIM_MAX_ROWS]; /* level 0: the value; level 1: the velocity residual A ξ − f */
    double dot[VG_PRIM_MAX_ROWS]; /* velocity residual: level 0: B ξ − ḟ; level 1: A ξ − f, the same as phi */
    double bias[VG_PRIM_MAX_ROWS]; /* γ: acceleration residual = B ξ̇ + γ at every level */
    double Ba[VG_PRIM_MAX_ROWS][6];
    double Bb[VG_PRIM_MAX_ROWS][6];
} vgPrimOut;

enum { VG_PRIM_VALUE = 1, VG_PRIM_GRADIENT = 2, VG_PRIM_RATE = 4, VG_PRIM_BIAS = 8 };

/* All primitives but MEASURE. ka, kb: motion of the bodies; the ground (a or b < 0) is an identity frame at
 * rest, its columns are filled too. */
void vg_prim_eval(const vgPrim *p, double t, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out);

/* K += ∂(Σ λ_i B_iᵀ)/∂δξ, native 12×12 row-major (bodies a, b). Exact; not symmetric in general because
 * variations of rotations do not commute. Not for MEASURE: there it is Σ λ k_i vg_measure_hessian. */
void vg_prim_stiffness(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *lambda,
                       double K[144]);

/* D[i] = ∂(B_i ξ)/∂δξ at fixed ξ, native columns of bodies a, b: the change of the velocity rows with the
 * configuration. Not for MEASURE: there it is Σ k_i drate_i. */
void vg_prim_drate(const vgPrim *p, const vgKin *ka, const vgKin *kb, double D[VG_PRIM_MAX_ROWS][12]);

/* MEASURE: m holds the nterm measures of p, in order. The columns are Σ k_i m_i.grad, left to the caller.
 *   level 0: phi = Σ k m − c − f,   dot = Σ k ṁ − ḟ,   bias = Σ k bias − f̈
 *   level 1: phi = dot = Σ k ṁ − f,                    bias = Σ k bias − ḟ
 *   level 2: phi = dot = 0 (nothing below accelerations), bias = Σ k bias − f */
void vg_prim_measure_eval(const vgPrim *p, double t, const vgMeasureOut *m, unsigned what, double *phi,
                          double *dot, double *bias);

/* The same, the terms being where p says in an array of measures, and the right side with its derivatives
 * given (NULL: there is none). */
void vg_prim_measure_among(const vgPrim *p, const double f[3], const vgMeasureOut *all, unsigned what,
                           double *phi, double *dot, double *bias);

/* Sets c so that the primitive holds as placed (COINCIDE, KNIFE, ROLLING, CONTACT_HEIGHT: nothing to set).
 * A right side f(t) counts at t = 0. */
void vg_prim_start(vgPrim *p, const vgKin *ka, const vgKin *kb);
void vg_prim_measure_start(vgPrim *p, const vgMeasureOut *m);

/* ---- by points and vectors, for coordinates that are points and vectors ---- */

/* Points and vectors of a primitive in W; as a gradient: row i is g.Pa·δP_A + g.Ua·δuA + … */
typedef struct vgAtoms {
    vgVec3 Pa, Ua, Wa, Pb, Ub, Wb;
} vgAtoms;

vgAtoms vg_prim_atoms(const vgPrim *p, const vgKin *ka, const vgKin *kb);
/* Number of rows, or 0 for kinds that are not functions of points and vectors (MEASURE, KNIFE, ROLLING). */
int vg_prim_forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS]);
/* Change of the forms along dx: second derivative in points and vectors. */
int vg_prim_forms_vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS]);

/* ---- the innermost loops: vectors already turned into W ---- */

/* A vector fixed on a body, in W: x = R x_B, d = R(w×x_B), dd = R(w×(w×x_B)), its second derivative at rest
 * of w. The arm of a point has the same derivatives relative to the body's origin. */
typedef struct vgArm {
    vgVec3 x, d, dd;
} vgArm;

static inline vgArm vg_arm(const vgKin *k, vgVec3 x_B, unsigned what)
{
    vgArm arm = {vg_mv3(k->R, x_B), {0, 0, 0}, {0, 0, 0}};
    if (what & (VG_PRIM_RATE | VG_PRIM_BIAS)) {
        vgVec3 wx = vg_cross3(k->w, x_B);
        arm.d = vg_mv3(k->R, wx);
        if (what & VG_PRIM_BIAS) arm.dd = vg_mv3(k->R, vg_cross3(k->w, wx));
    }
    return arm;
}

static inline vgArm vg_arm_ground(vgVec3 x_W)
{
    return (vgArm){x_W, {0, 0, 0}, {0, 0, 0}};
}

/* row += g·∂(point at arm r_B)/∂δξ */
static inline void vg_row_point(const vgKin *k, vgVec3 r_B, vgVec3 g, double row[6])
{
    vgVec3 t = vg_cross3(r_B, vg_mtv3(k->R, g));
    row[0] += g.x, row[1] += g.y, row[2] += g.z;
    row[3] += t.x, row[4] += t.y, row[5] += t.z;
}

/* row += g·∂(vector u_B)/∂δξ */
static inline void vg_row_vector(const vgKin *k, vgVec3 u_B, vgVec3 g, double row[6])
{
    vgVec3 t = vg_cross3(u_B, vg_mtv3(k->R, g));
    row[3] += t.x, row[4] += t.y, row[5] += t.z;
}

/* The four that make nearly all joints, with arms made once by the caller (Pa, Pb: arms of the points from
 * the bodies' origins). Same results as vg_prim_eval, law not included. */
void vg_prim_coincide(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *Pa, const vgArm *Pb,
                      unsigned what, vgPrimOut *out);
void vg_prim_dot(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *ua, const vgArm *ub,
                 const vgArm *wa, const vgArm *wb, unsigned what,
                 vgPrimOut *out); /* wa, wb: read if s2 ≠ 0 */
void vg_prim_along(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *ua, const vgArm *Pa,
                   const vgArm *Pb, unsigned what, vgPrimOut *out);
void vg_prim_distance(const vgPrim *p, const vgKin *ka, const vgKin *kb, const vgArm *Pa, const vgArm *Pb,
                      unsigned what, vgPrimOut *out);

#endif
