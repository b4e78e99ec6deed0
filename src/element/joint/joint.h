/* Joint kinds: one file, one row each. A joint is a list of primitives, its coordinates (measures) and its
 * motion subspace. The joint frame: z is the joint's axis, x the zero of its angle. */
#ifndef VERGE_ELEMENT_JOINT_JOINT_H
#define VERGE_ELEMENT_JOINT_JOINT_H

#include "base/field.h"
#include "element/force/force.h" /* vgHead */
#include "element/prim/prim.h"

enum { VG_JOINT_MAX_PRIMS = 6, VG_JOINT_MAX_COORDS = 6 };

/* Room for the parameters of a kind: each kind has a struct of its own (see VG_JOINT_PARAMETERS). */
enum { VG_JOINT_OWN = 64 };

/* One joint. The reader fills it from the kind's field table (keys → members). A member that a kind does not list keeps
 * the value of vg_joint_def; an absent optional number or axis is NAN. The prims of a drive point to `law` here, so build
 * from the def at its final address. */
typedef struct vgJointDef {
    vgFrame A, B;    /* joint frames after axis resolution (vg_joint_frames): z axis, x reference */
    double axis[3];  /* as given, in the first frame's marker */
    double axis2[3]; /* second axis, in the second frame's marker (universal, rolling …); NAN: not given */
    int align; /* kinds that hold the orientation: 1 as it is at the start, 0 as the markers' axes say */
    /* set by the model */
    int first, second, third; /* head JOINT(S): the model's measures of the coordinates; −1 not given */
    int level;                /* drive: 0 value, 1 rate, 2 acceleration */
    vgLaw law;                /* drive */
    int driven;               /* 1: the joint has drives of its own; distance leaves its equation to them */
    /* parameters of the kind, as bytes of its own struct */
    union {
        double number;
        const void *pointer;
        unsigned char byte[VG_JOINT_OWN];
    } own;
} vgJointDef;

/* Identity frames on the ground, axis z, nothing given. */
vgJointDef vg_joint_def(void);

typedef struct vgJointCoord {
    const char *name; /* "angle", "displacement", "angle1", … */
    const char *unit; /* rad, m */
    vgMeasure measure;
} vgJointCoord;

typedef struct vgJointBuild {
    /* The kind sets bodies and frames. The model fills row, joint and own measures (see vgPrim.measure), and calls
     * vg_prim_start where start = 1. */
    int nprim;
    vgPrim prim[VG_JOINT_MAX_PRIMS];
    int ncoord;
    vgJointCoord coord[VG_JOINT_MAX_COORDS]; /* turn = 0 where a turn memory is wanted, else −1 */
} vgJointBuild;

/* Motion subspace for relative coordinates, for joint coordinates q and velocities v of frame B relative to frame A:
 *
 *     pose      (r_AB, R_AB)(q)
 *     twist     S(q) v     linear components 0..2 (of B's origin), angular 3..5, both in B's axes
 *     bias      Ṡ v        componentwise in those axes
 *
 * nq may exceed nv (spherical: quaternion w x y z, 3 velocities). Local coordinates d: q1 = q0 ⊕ d and v = T(d) ḋ.
 * The T functions are NULL where ⊕ is + and T = 1. */
typedef struct vgJointMotion {
    int nq, nv;
    void (*pose)(const vgJointDef *, const double *q, vgVec3 *r_AB, vgMat3 *R_AB);
    void (*subspace)(const vgJointDef *, const double *q, double *S /* 6×nv row-major */);
    void (*bias)(const vgJointDef *, const double *q, const double *v, double out[6]); /* NULL: zero */
    /* pose, subspace and bias together, if that saves sines and cosines; NULL: one by one. */
    void (*all)(const vgJointDef *, const double *q, const double *v, vgVec3 *r_AB, vgMat3 *R_AB, double *S,
                double bias[6]);
    /* Where S depends on q: its derivatives, dS_k (6×nv row-major, one after the other) and those of the bias
     * b = Ṡ v by q_k and v_k, six numbers each. NULL: by differences. */
    void (*vary)(const vgJointDef *, const double *q, const double *v, double *dS, double *b_q, double *b_v);
    void (*from_pose)(const vgJointDef *, vgVec3 r_AB, vgMat3 R_AB, double *q); /* nearest coordinates */
    void (*zero)(double *q);                                        /* NULL: zeros; else the neutral q */
    void (*retract)(const double *q, const double *d, double *out); /* q ⊕ d; NULL: + */
    void (*local)(const double *q0, const double *q1, double *d);   /* NULL: − */
    void (*rates)(const double *d, const double *v, double *ddot);  /* ḋ = T⁻¹(d) v */
    void (*twist)(const double *d, const double *ddot, double *v);  /* v = T(d) ḋ */
    void (*tangent_inv)(const double *d, double *Tinv /* nv×nv */); /* T⁻¹(d) */
    void (*tangent_diff)(const double *d, const double *ddot, double *D /* nv×nv */); /* ∂(T(d)ḋ)/∂d */
} vgJointMotion;

extern const vgJointMotion vg_motion_planar; /* x, y, angle in the x–y plane of A: planar floating bases */

/* The orientation of frame B on its body, see vg_joint_frames. */
typedef enum vgJointAxes {
    VG_AXES_OWN,   /* angles are measured: the second marker's own axes where they fit */
    VG_AXES_CARRY, /* the orientation about the axis is held: zero as at the start (align) */
    VG_AXES_TWO,   /* two different axes: axis in the first marker, axis2 in the second */
} vgJointAxes;

typedef struct vgJointKind {
    const char *name;
    const char *doc;
    const char *example;
    int planar;  /* 1: also allowed in planar models, 2: only there, 0: spatial only */
    vgHead head; /* FRAMES; JOINTS or JOINT for couplers and drives */
    int most;    /* head JOINTS: up to so many joints in the list (0: two) */
    vgJointAxes axes;
    const char *plane_axis,
        *plane_axis2;      /* defaults of axis and axis2 in planar models; NULL: the fields' own */
    const char *undriven;  /* key of a field that excludes drives of the joint's own; NULL: none */
    const vgField *fields; /* offsets into vgJointDef; own parameters by VG_JOINT_AT */
    int nfield;
    void (*build)(const vgJointDef *, int planar, vgJointBuild *out);
    /* head JOINTS: coefficients of a polynomial, ascending, that stands for the second coordinate. The model makes a measure
     * of it before `build`. NULL: none */
    vgNumbers (*curve)(const vgJointDef *);
    const vgJointMotion *motion; /* NULL: has no tree form (distance, gear, …), always a loop closure */
} vgJointKind;

extern const vgJointKind *const vg_joint_kinds[]; /* NULL-terminated: the list */
const vgJointKind *vg_joint_kind(const char *name);

/* Joint frames A and B from the markers, the axes (def->axis, axis2, align) and the placement of the bodies (identity for
 * the ground). planar: the model is planar.
 *
 * "By the rule" means: z = axis, x = the marker axis that follows cyclically (x→y, y→z, z→x). For other vectors x is
 * perpendicular by a fixed rule, in the plane for planar models.
 *
 * Frame A: by the rule, with axis in the first marker.
 * Frame B:
 *   TWO    by the rule, with axis2 in the second marker
 *   OWN    axis2 given: as TWO. Else, if the same axis of the second marker has the direction of A's axis (within
 *          1e-6 rad): by the rule in the second marker, so that the angle is that between the markers. Else frame A's
 *          orientation carried to body B, so that the angle starts at zero
 *   CARRY  frame A's orientation carried to body B, by the least rotation onto axis2 where that is given; with
 *          align = 0 like TWO with axis2 = axis */
void vg_joint_frames(const vgJointKind *kind, int planar, const vgFrame *markerA, const vgFrame *markerB,
                     const vgKin *ka, const vgKin *kb, vgJointDef *def);
/* The first frame as given in the model, before its z axis was aligned with the joint's axis. */
vgFrame vg_joint_first_frame(const vgJointDef *def, int planar);

#endif
