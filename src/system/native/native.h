/* The motion of all bodies in the native form of kin.h, and measures, primitives and force elements evaluated on
 * it. Every family of coordinates fills the motion; the evaluation is written once, here. */
#ifndef VERGE_SYSTEM_NATIVE_NATIVE_H
#define VERGE_SYSTEM_NATIVE_NATIVE_H

#include "base/arena.h"
#include "element/force/crowd.h"
#include "linalg/lin/lin.h"
#include "system/native/fours.h"
#include "system/native/lanes.h"
#include "system/native/rods.h"
#include "system/system.h"

/* The bodies that a force element touches, itself and through its measures and laws. */
typedef struct vgForcePlace {
    int nu, body[VG_FORCE_MAX_UNION]; /* union of bodies, no ground */
    int own[VG_FORCE_MAX_BODIES];     /* element body → union index, −1 ground */
    int nlaw_in;                      /* external law inputs over all laws */
    int law_slot[VG_FORCE_MAX_LAWS * VG_LAW_MAX_INPUTS];
    int plain;      /* no measures, no external inputs, bodies = union */
    int alone;      /* no measures, no external inputs */
    double **block; /* nu × nu addresses in a matrix, the owner's business */
} vgForcePlace;

/* Right side of a primitive at the time last asked for. */
typedef struct vgLawAt {
    int known;
    double t, f[3];
} vgLawAt;

typedef struct vgNative {
    const vgModel *model;
    vgWork *work; /* turn memory, watched angles */
    unsigned fast;
    int nbody;
    vgKin *kin;                /* nbody + 1: the last is the ground */
    vgPrimOut *prim;           /* per primitive */
    vgMeasureOut *measure;     /* per measure */
    const unsigned char *used; /* per measure: evaluated */
    int nused;
    int *list, nlist;          /* the primitives that are constraints here */
    const vgForcePlace *force; /* per force */
    const vgLaneSet *lanes;    /* elements that the owner evaluates four at a time, NULL: none */
    vgRods rods;               /* of the list, four at a time, and the rest of it */
    vgLawAt *law;              /* per primitive; NULL: none has a law */
    vgFours fours;             /* elements whose wrenches are evaluated four at a time */
    vgForceIn alone;           /* what all elements that see only their own bodies are given */
    void **crowd;              /* per force: memory of kinds with `crowd`, else NULL; NULL: there are none */
    double *fl, *Kl, *Cl, *Ml, *Dl; /* of one force element, over its union of bodies */
} vgNative;

/* Memory (called twice: measuring, taking), then the links. used: per measure, nused of them evaluated; prim:
 * per primitive, 1 = is a constraint; NULL: all. Where there are none, nothing is kept of them. */
void vg_native_place(vgNative *x, const vgSystem *sys, int nused, const unsigned char *prim, vgArena *a);
void vg_native_start(vgNative *x, vgWork *work, const unsigned char *used, int nused,
                     const unsigned char *prim);
/* used[i] := 1 for measures that forces and (chosen) primitives need; returns how many. */
int vg_native_mark(const vgModel *m, const unsigned char *prim, unsigned char *used, int *inertial);
/* A term of a primitive (vg_prim_terms): its bodies, and k times the gradients by their motion, row r of several
 * at ga + 6 r. */
typedef struct vgTerm {
    int a, b; /* −1: the ground */
    double k;
    const double *ga, *gb;
} vgTerm;

static inline vgTerm vg_native_term(const vgNative *x, int prim, int term)
{
    const vgPrim *p = &x->model->prim[prim];
    if (p->nterm == 0) return (vgTerm){p->a, p->b, 1, x->prim[prim].Ba[0], x->prim[prim].Bb[0]};
    const int at = p->measure[term];
    const vgMeasure *me = &x->model->measure[at].measure;
    return (vgTerm){me->A.body, me->B.body, p->k[term], x->measure[at].grad, x->measure[at].grad + 6};
}

/* K = ∂(Bᵀλ)/∂δξ of one term, native 12 × 12 row-major, bodies a, b. */
void vg_native_term_stiffness(const vgNative *x, int prim, int term, const double *lambda, double K[144]);
/* The bodies of primitive p: two, or those of its measures. Returns the count; −1 entries are the ground. */
int vg_native_prim_bodies(const vgModel *m, const vgPrim *p, int out[2 * VG_PRIM_MAX_TERMS]);
/* 1: all rows of the joint (−1: none) are at the level of positions, so that their columns mirror the rows.
 */
int vg_native_joint_mirror(const vgModel *m, int joint);
/* How matrices of this model are factorised: one for vg_lin_new(). */
vgLinBackend vg_native_backend(const vgModel *m);
/* Typical length of the model. */
double vg_native_length(const vgModel *m);
/* The longest arm of a constrained point; infinite when constraints compare directions or joint coordinates.
 */
double vg_native_arm(const vgModel *m);

/* The last accepted value of the angle behind a measure, 0 where there is none. */
static inline double vg_native_turn(const vgNative *x, const vgMeasure *me)
{
    return me->turn >= 0 && x->work->turn ? x->work->turn[me->turn] : 0;
}

static inline const vgKin *vg_native_kin(const vgNative *x, int body)
{
    return &x->kin[body < 0 ? x->nbody : body];
}

static inline void vg_add_row6(double *out, const double *row, double s)
{
    for (int j = 0; j < 6; j++) out[j] += s * row[j];
}

static inline double vg_dot_row6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* The right side of a primitive with its derivatives, NULL where it has none. Within a step time stands
 * still.
 */
const double *vg_native_law(vgNative *x, int prim, double t);

/* All at the motion in kin. Rows are the model's: arrays of model->nrow. */
void vg_native_measures(vgNative *x, int derivatives);
void vg_native_prim(vgNative *x, int i, double t, unsigned what);
void vg_native_prims(vgNative *x, double t, unsigned what);                  /* all of the list */
void vg_native_rows_times(const vgNative *x, const double *xi, double *out); /* B ξ */
/* Value, rate and second derivative of the listed constraint equations; the measures must be up to date.
 * Quantities that an equation does not have at its level are 0 */
void vg_native_levels(vgNative *x, double t, double *phi, double *dot, double *ddot);
/* Φ and Φ̇ of row r of a primitive as levels() gives them (NULL: not wanted): an equation that begins at a higher level
 * is 0 below it. */
static inline void vg_native_row_levels(const vgPrim *p, const vgPrimOut *o, int r, double *phi, double *dot)
{
    if (phi) *phi = p->level == 0 ? o->phi[r] : 0;
    if (dot) *dot = p->level == 0 ? o->dot[r] : p->level == 1 ? o->phi[r] : 0;
}
/* Right sides of B x = right from the listed primitives, which must be evaluated as far as needed: for corrections of
 * positions −Φ, for velocities −Φ̇, for accelerations −γ − b − 2α Φ̇ − β² Φ. b: B times what the coordinates add to
 * accelerations, by rows of the model (NULL: nothing). at: where the rows of the model stand in right, NULL: in order. */
typedef enum vgRightSide { VG_RIGHT_POSITION, VG_RIGHT_VELOCITY, VG_RIGHT_ACCELERATION } vgRightSide;
void vg_native_right(const vgNative *x, vgRightSide which, const double *b, const int *at, double *right);
/* native += Bᵀλ, and phi; the measures must be fresh */
void vg_native_constraint_forces(vgNative *x, double t, const double *lambda, double *native, double *phi);
void vg_native_force_union(const vgModel *m, int f, vgForcePlace *pl);
/* Tension of an element along a line (vgForceLine), with its derivatives by length and rate. */
void vg_native_tension(vgNative *x, int f, double t, double length, double rate, double out[3]);
/* Wrench (fl) and, when asked, K, C, M of force element f over the union of its bodies. */
void vg_native_force_local(vgNative *x, int f, double t, int tangents);
void vg_native_forces(vgNative *x, double t, double *native); /* native −= f, but for lanes */
void vg_native_apply(vgNative *x, double t, double *wrench);  /* wrench += f, of all elements */
/* Tangents of an element with `crowd`, pair by pair. */
void vg_native_crowd(vgNative *x, int f, double t, vgCrowdTake *take);
/* 1: some element has `crowd`. */
int vg_native_has_crowd(const vgModel *m);
void vg_native_subtract_force(vgNative *x, int f, double t, double *native); /* native −= f of one element */
/* Potential energy of the elements that have one; native += their forces at zero velocity, without damping. */
double vg_native_potential(vgNative *x, double t, double *native);
/* Σ|terms| of a row of the model, of this joint, at the motion in kin, the measures being fresh: what a
 * rounding is a part of. Positions count by how far they are from the origin, rotations by the arms. */
double vg_native_row_terms(vgNative *x, double t, int joint, int row);
/* Turn memory of the watched angles. evaluated: 1 when those that forces and joints use have been at this
 * motion, whose values are then taken over. */
void vg_native_accept(const vgNative *x, int evaluated, double *turn);
/* Reaction on the joint's second body (see system.h) from its rows; gradients and measures must be fresh. */
void vg_native_reaction(const vgNative *x, const double *lambda, int joint, double wrench[6]);
/* Where the second frame is, about whose origin the reaction is given; a body it is read from (the first
 * where the second is the ground), and the sign of Bᵀλ of that body in it. */
vgVec3 vg_native_reaction_point(const vgNative *x, int joint, int *on, double *sign);

#endif
