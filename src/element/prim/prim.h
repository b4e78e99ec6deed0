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
 *   MEASURE         Σ k_i m_i(q) − c − f(t) = 0              drives, gears, screws, racks; measures of measure.h
 *   KNIFE           uB·(velocity of P_B relative to A) = 0   velocity level
 *   ROLLING         e_i·(velocity of the disc's material point at the contact, relative to A) = 0,
 *                   e_1 = wA, e_2 = wb (both fixed on A)     velocity level, 2 rows (planar: 1)
 *   CONTACT_HEIGHT  uA·(P_B − P_A) − c √(1 − (uA·uB)²) = 0   the lowest point of the disc touches the plane
 *
 * A kind is a file of this folder and a row of vg_prim_types. Whoever wants to know more than a row says asks
 * vg_prim_is_…(), and no place elsewhere compares kinds.
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

enum { VG_PRIM_MAX_ROWS = 3, VG_PRIM_MAX_TERMS = 12, VG_PRIM_MAX_PRODUCTS = 2 };

typedef struct vgPrim {
    vgPrimKind kind;
    int level;        /* 0 position, 1 velocity, 2 acceleration */
    int rows;         /* 1..3 */
    int row;          /* first row among all constraint rows (filled by the model) */
    int joint;        /* owner, for messages */
    int a, b;         /* bodies, −1 ground (MEASURE: unused, −1) */
    int start;        /* 1: the user gave no constant; vg_prim_start or vg_prim_measure_start sets c so
                         that the row holds at the initial placement */
    double s1, s2, c; /* coefficients and constant (radius of the disc) */
    int nterm;        /* MEASURE: Σ k_i m_i; 0 otherwise */
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

/* Points and vectors of a primitive in W; as a gradient: row i is g.Pa·δP_A + g.Ua·δuA + … */
typedef struct vgAtoms {
    vgVec3 Pa, Ua, Wa, Pb, Ub, Wb;
} vgAtoms;

/* s x·y of two atoms of the primitive. D is P_B − P_A, BACK is P_A − P_B; with y NONE row i is the component i
 * of x. */
typedef enum vgAtom {
    VG_ATOM_NONE,
    VG_ATOM_UA,
    VG_ATOM_WA,
    VG_ATOM_UB,
    VG_ATOM_WB,
    VG_ATOM_D,
    VG_ATOM_BACK
} vgAtom;
typedef struct vgProduct {
    double s;
    vgAtom x, y;
} vgProduct;

/* A kind of primitive: its file, and its row in vg_prim_types. What is NULL follows from the rest, as said. */
typedef struct vgPrimType {
    const char *name;
    /* What vg_prim_eval() wants, but for the right side f(t). NULL: a sum of measures (vg_prim_measure_eval) */
    void (*eval)(const vgPrim *, const vgKin *ka, const vgKin *kb, unsigned what, vgPrimOut *out);
    /* K += ∂(Σ λ_i B_iᵀ)/∂δξ. NULL: a sum of measures, Σ λ k_i vg_measure_hessian */
    void (*stiffness)(const vgPrim *, const vgKin *ka, const vgKin *kb, const double *lambda, double K[144]);
    /* Gradient by points and vectors, `rows` of them (all zero before), and its change along dx.
     * NULL: it is no function of points and vectors */
    void (*forms)(const vgPrim *, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS]);
    void (*vary)(const vgPrim *, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS]);
    /* ∂(B_i ξ)/∂δξ (zero before). NULL: by the forms */
    void (*drate)(const vgPrim *, const vgKin *ka, const vgKin *kb, const double xi[12],
                  double D[VG_PRIM_MAX_ROWS][12]);
    /* Sets c so that the row holds as placed. NULL: there is nothing to set */
    void (*start)(vgPrim *, const vgKin *ka, const vgKin *kb);
    /* Value and na, nb += Bᵀλ (NULL: the ground) without forming B. NULL: by the rows of eval */
    void (*push)(const vgPrim *, const vgKin *ka, const vgKin *kb, const double *lambda, double *na,
                 double *nb, double *phi);
    /* The value as Σ s x·y − *c; returns how many products. NULL: it is no such sum */
    int (*products)(const vgPrim *, vgProduct out[VG_PRIM_MAX_PRODUCTS], double *c);
    int orients; /* 1: it compares directions, which a point mass does not have */
    int cost;    /* of the stiffness of one term, about in nanoseconds */
} vgPrimType;
extern const vgPrimType *const vg_prim_types[VG_PRIM_COUNT];

static inline const vgPrimType *vg_prim_type(const vgPrim *p)
{
    return vg_prim_types[p->kind];
}

/* Terms: a primitive acts between one pair of bodies, or is a sum of measures that each have their pair. */
static inline int vg_prim_terms(const vgPrim *p)
{
    return p->nterm > 0 ? p->nterm : 1;
}

/* 1: a single measure with a right side, which is what a drive is. */
static inline int vg_prim_is_drive(const vgPrim *p)
{
    return p->nterm == 1 && p->law;
}

/* 1: two points coincide. The rows are linear in the points: only the arms have a stiffness. */
static inline int vg_prim_is_point(const vgPrim *p)
{
    return p->kind == VG_PRIM_COINCIDE;
}

/* 1: the angle between one pair of vectors. */
static inline int vg_prim_is_angle(const vgPrim *p)
{
    return p->kind == VG_PRIM_DOT && p->s2 == 0;
}

/* 1: a rod of constant length. */
static inline int vg_prim_is_rod(const vgPrim *p)
{
    return p->kind == VG_PRIM_DISTANCE && p->level == 0 && !p->law;
}

/* For `start` of a row: c such that Φ = 0 at the given motion. */
void vg_prim_start_at_value(vgPrim *p, const vgKin *ka, const vgKin *kb);
/* All primitives but MEASURE. ka, kb: motion of the bodies; the ground (a or b < 0) is an identity frame with zero
 * velocity, its columns are filled too. */
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

vgAtoms vg_prim_atoms(const vgPrim *p, const vgKin *ka, const vgKin *kb);
/* Number of rows, or 0 for kinds that are not functions of points and vectors (MEASURE, KNIFE, ROLLING). */
int vg_prim_forms(const vgPrim *p, const vgAtoms *x, vgAtoms g[VG_PRIM_MAX_ROWS]);
/* Change of the forms along dx: second derivative in points and vectors. */
int vg_prim_forms_vary(const vgPrim *p, const vgAtoms *x, const vgAtoms *dx, vgAtoms dg[VG_PRIM_MAX_ROWS]);

#endif
