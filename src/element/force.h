/* Force kinds: one file, one row each. Poses and twists in, wrenches and tangents out. They know no model. */
#ifndef VERGE_ELEMENT_FORCE_H
#define VERGE_ELEMENT_FORCE_H

#include "base/field.h"
#include "base/status.h"
#include "element/kin.h"
#include "element/law.h"
#include "element/measure.h"

enum { VG_FORCE_MAX_BODIES = 8, VG_FORCE_MAX_LAWS = 8 };

/* One evaluation. Bodies in the order of the element's own list (ground included as a resting identity frame).
 * m: n = 6*nbody. All outputs are ADDED to, row-major; K, C, M, D may be NULL (not wanted). */
typedef struct vgForceIn {
    double t;
    int nbody;
    const vgKin *const *kin;
    const vgMeasureOut *measure;    /* the element's own measures (see vgForceSetup.measure), evaluated by the caller */
    const double *law_inputs[VG_FORCE_MAX_LAWS]; /* for law i: its inputs in order; local slots are filled by the element */
} vgForceIn;

typedef struct vgForceOut {
    double *f; /* n: applied wrench, native */
    double *K; /* n×n: ∂f/∂δξ */
    double *C; /* n×n: ∂f/∂ξ */
    double *M; /* n×n: −∂f/∂ξ̇ (elements with inertia) */
    double *Q; /* nmeasure: generalised force along each of the element's measures (wrench = Q·grad, added by the caller) */
    double *dQ; /* nmeasure × (2 nmeasure): ∂Q/∂value, ∂Q/∂rate */
    double *dL; /* (n + nmeasure) × nexternal: derivative of f and Q with respect to external law inputs (channels) */
} vgForceOut;

/* What an element asks for at set-up (filled by kind->setup). */
typedef struct vgForceSetup {
    int nbody, body[VG_FORCE_MAX_BODIES]; /* −1 ground */
    int nmeasure, measure[4];             /* model measures the element acts along (joint torque, PID, friction) */
    int nscalar;                          /* scalar coordinates the element needs (PID integral): appended to body[] by the model */
    int nlaw;
    const vgLaw *law[VG_FORCE_MAX_LAWS];
    int inertial;                         /* uses accelerations, gives M */
    int velocity;                         /* depends on velocity */
} vgForceSetup;

/* What stands behind the kind's own key in the model file, e.g. `spring: [ground.S, rod.B]`, `joint-torque: knee`. */
typedef enum vgHead {
    VG_HEAD_NONE,
    VG_HEAD_FRAME,  /* one frame (body or body.marker) */
    VG_HEAD_FRAMES, /* [frame, frame] */
    VG_HEAD_JOINT,  /* a joint (its first coordinate) or joint.coordinate */
    VG_HEAD_JOINTS, /* [joint, joint] */
} vgHead;

/* Every force def struct begins with this; the reader fills it from the head. Other members by the field table:
 * NUMBER double · INT int · BOOL int · STRING/NAME const char * · VEC3 double[3] · VEC6 double[6] · MAT3 double[9] ·
 * LAW vgLaw · FRAME vgFrame · AXIS double[3] (unit) · ROTATION vgMat3 · TABLE const vgTable * · NUMBERS vgNumbers. */
typedef struct vgForceHead {
    vgFrame frame[2];
    int measure[2];
} vgForceHead;

typedef struct vgNumbers {
    int n;
    const double *at;
} vgNumbers;

typedef struct vgForceKind {
    const char *name;
    const char *doc;
    int planar; /* as in vgJointKind */
    vgHead head;
    const char *const *locals; /* names of the local law inputs, slots 1, 2, … (a spring: "x", "v"), NULL-terminated or NULL */
    const vgField *fields; /* offsets into the kind's own def struct of def_size bytes (zeroed, then filled by the reader) */
    int nfield;
    size_t def_size;
    vgStatus (*setup)(const void *def, int planar, vgForceSetup *out);
    void (*eval)(const void *def, const vgForceIn *in, vgForceOut *out);
    double (*energy)(const void *def, const vgForceIn *in); /* potential energy; NULL: none (non-conservative) */
    /* named scalar outputs for channels force.NAME.<output> (e.g. "force","length","rate","penetration"), NULL-terminated */
    const char *const *outputs;
    void (*output)(const void *def, const vgForceIn *in, double *values);
} vgForceKind;

extern const vgForceKind *const vg_force_kinds[]; /* NULL-terminated: the list */
const vgForceKind *vg_force_kind(const char *name);

#endif
