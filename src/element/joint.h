/* Joint kinds: one file, one row each. A joint is a list of primitives, its coordinates (measures) and its
 * motion subspace. The joint frame: z is the joint's axis, x the zero of its angle. */
#ifndef VERGE_ELEMENT_JOINT_H
#define VERGE_ELEMENT_JOINT_H

#include "base/field.h"
#include "element/force.h" /* vgHead */
#include "element/prim.h"

enum { VG_JOINT_MAX_PRIMS = 6, VG_JOINT_MAX_COORDS = 6 };

/* What the reader fills from the kind's field table (keys → members). A and B are the joint frames after axis
 * resolution. Members that a kind does not list keep their defaults. */
typedef struct vgJointDef {
    vgFrame A, B;      /* joint frames: z axis, x reference */
    double axis[3];    /* as given, in the first frame's marker */
    double axis2[3];   /* second axis (universal: fixed in B), 0 = not given */
    double pitch;      /* screw: metres per turn */
    double length;     /* distance */
    double offset;     /* constants */
    double radius;     /* rolling, rack */
    double ratio;      /* gear, coupler: angle/angle, m/rad */
    int first, second; /* gear, rack: the two joints whose coordinates are coupled (measure indices) */
    double cosine;     /* constant orientation between axes */
} vgJointDef;

typedef struct vgJointCoord {
    const char *name;  /* "angle", "displacement", "angle1", … */
    vgMeasure measure;
} vgJointCoord;

typedef struct vgJointBuild {
    int nprim;
    vgPrim prim[VG_JOINT_MAX_PRIMS];   /* bodies and frames set; row, joint filled by the model */
    int ncoord;
    vgJointCoord coord[VG_JOINT_MAX_COORDS];
} vgJointBuild;

/* Motion subspace for relative coordinates: pose of frame B in frame A as a function of the joint coordinates,
 * S(q): 6×n in frame B (angular first? no: linear 0..2, angular 3..5, both in frame B), and the bias Ṡ q̇.
 * nq may exceed nv (spherical: quaternion 4, 3 velocities). */
typedef struct vgJointMotion {
    int nq, nv;
    void (*pose)(const vgJointDef *, const double *q, vgVec3 *r_AB, vgMat3 *R_AB);
    void (*subspace)(const vgJointDef *, const double *q, double *S /* 6×nv row-major */);
    void (*bias)(const vgJointDef *, const double *q, const double *v, double out[6]);
    void (*retract)(const double *q, const double *d, double *out); /* q ⊕ d */
    void (*local)(const double *q0, const double *q1, double *d);
    void (*rates)(const double *d, const double *v, double *ddot);   /* ḋ = T⁻¹(d) v; NULL: identity */
    void (*from_pose)(const vgJointDef *, vgVec3 r_AB, vgMat3 R_AB, double *q); /* nearest joint coordinates */
} vgJointMotion;

typedef struct vgJointKind {
    const char *name;
    const char *doc;
    int planar;                 /* 1: also allowed in planar models, 2: only there, 0: spatial only */
    vgHead head;                /* FRAMES, or JOINTS for couplers */
    const vgField *fields;      /* offsets into vgJointDef */
    int nfield;
    void (*build)(const vgJointDef *, int planar, vgJointBuild *out);
    const vgJointMotion *motion; /* NULL: has no tree form (distance, gear, …), always a loop closure */
} vgJointKind;

extern const vgJointKind *const vg_joint_kinds[]; /* NULL-terminated: the list */
const vgJointKind *vg_joint_kind(const char *name);

#endif
