/* Force kinds: one file, one row each. Poses and twists in, wrenches and tangents out. They know no model. */
#ifndef VERGE_ELEMENT_FORCE_FORCE_H
#define VERGE_ELEMENT_FORCE_FORCE_H

#include "base/field.h"
#include "base/status.h"
#include "element/kin.h"
#include "element/law/law.h"
#include "element/prim/load.h"
#include "element/prim/measure.h"
#include "verge/callback.h"

enum {
    VG_FORCE_MAX_BODIES = 22,
    VG_FORCE_MAX_LAWS = 8,
    VG_FORCE_MAX_SWITCHES = 2,
    VG_FORCE_MAX_UNION = 64 /* bodies that an element acts on, or sees through its measures and laws */
};

/* One evaluation. Bodies in the order of the element's own list (ground included as a resting identity
 * frame). n = 6*nbody. All outputs are ADDED to, row-major; every one but f and Q may be NULL (not wanted), f
 * may be NULL when nbody = 0 and Q when nmeasure = 0. */
typedef struct vgForceIn {
    double t;
    int nbody;
    const vgKin *const *kin;
    vgVec3 gravity; /* the model's: elements with mass of their own weigh it (beams, cables) */
    int rest;       /* 1: a rest is looked for, nothing has a rate */
    double
        unload; /* the share of applied loads that is removed, 0 … 1: static equilibrium is found by raising the
                    * loads */
    const vgMeasureOut
        *measure; /* the element's own measures (see vgForceSetup.measure), evaluated by the caller */
    const double *measure_acc; /* inertial elements: second time derivative of each measure, grad·ξ̇ + bias (an
                                * explicit method passes the bias alone and gets the other term through dA); else
                                * NULL */
    const double *law_inputs[VG_FORCE_MAX_LAWS]; /* for law i: its inputs in order, of which the caller fills
                                    the external ones; NULL allowed for a law without external inputs */
    const signed char *law_held[VG_FORCE_MAX_LAWS]; /* for law i: the sides of its switches, NULL: free */
    const signed char *held;                        /* the same for the kind's own switches */
    int touching; /* of a contact, held during a step: 1 it touches, −1 it does not, 0 decided by its depth */
    double push;   /* kinds with strike: a force along the coordinate beside their own, to see what it does */
    double wander; /* m/s, by which Newton's iteration may still move velocities: see vgWork */
    const double *stir; /* kinds with `crowd`: wander of every body, m/s and rad/s; NULL: wander for all */
    const vgKin *all;   /* kinds with `crowd`: the motion of all bodies, the ground behind the last */
    int nall;           /* how many bodies there are */
    void *scratch;      /* kinds with `crowd`: memory of the caller, as crowd->scratch() asked for */
} vgForceIn;

typedef struct vgForceOut {
    double *f; /* n: applied wrench, native */
    double *K; /* n×n: ∂f/∂δξ */
    double *C; /* n×n: ∂f/∂ξ */
    double *M; /* n×n: −∂f/∂ξ̇ (elements with inertia) */
    double *Q; /* nmeasure: generalised force along each of the element's measures (wrench = Q·grad, added by
                  the caller) */
    double *dQ; /* nmeasure × (2 nmeasure): row i = ∂Q_i/∂value_0.., then ∂Q_i/∂rate_0.. */
    double
        *dA; /* nmeasure × nmeasure: −∂Q/∂(measure_acc); the mass that the element adds along its measures */
    double *dL; /* (n + nmeasure) × nexternal: derivative of f and Q with respect to external law inputs
                   (channels) */
} vgForceOut;

/* Two bodies that may touch: the second frame's origin seen from the first and its velocity, and the depth
 * (negative: gap), whose gradient by the former is −n. Its rate is −n·u. */
typedef struct vgApproach {
    vgVec3 y, u, n;
    double depth;
} vgApproach;

/* What an element asks for at set-up (filled by kind->setup). */
typedef struct vgForceSetup {
    int nbody, body[VG_FORCE_MAX_BODIES]; /* −1 ground */
    int nmeasure, measure[4]; /* model measures the element acts along (joint torque, PID, friction) */
    int nload; /* 1: it reads `load` of the reaction of the joint of its head, as one more measure after its own, which
                * the model appends to measure[]. TURNING becomes SLIDING where the joint coordinate is a length */
    vgLoad load;
    int nscalar; /* scalar coordinates the element needs (PID integral): the model makes a scalar body and a
                    VG_MEASURE_COORDINATE measure of it for each, and appends those measures to measure[] */
    double scalar_rate; /* their rate at the start */
    int nstate; /* numbers that the element integrates (bristles of a contact), at most 3: the model makes a
                  * hidden body of mass 1 without weight, whose velocity they are, and appends it to body[]; the
                  * force on that body is their rate */
    int nlaw;
    const vgLaw *law[VG_FORCE_MAX_LAWS];
    int strikes;  /* it is rigid for what strikes it: events are located, see strike */
    int inertial; /* uses accelerations: gives M or dA */
    int velocity; /* depends on velocity */
    int turning;  /* its bodies must be able to turn: no point masses */
    int dead;     /* depends on time alone: K, C and M are zero */
    int foreign;  /* computed by the program around the library: nothing is known of it */
    const char
        *key; /* with VG_BAD_INPUT: the field at fault (NULL: the whole entry) and what is wrong with it */
    const char *why;
} vgForceSetup;

/* What follows the kind's key in the model file, e.g. `spring: [ground.S, rod.B]`, `joint-torque: knee`. */
typedef enum vgHead {
    VG_HEAD_NONE,
    VG_HEAD_FRAME,  /* one frame (body or body.marker) */
    VG_HEAD_FRAMES, /* [frame, frame] */
    VG_HEAD_JOINT,  /* a joint (its first coordinate) or joint.coordinate */
    VG_HEAD_JOINTS, /* [joint, joint] */
    VG_HEAD_NUMBER, /* a number */
    VG_HEAD_BALL,   /* a joint that leaves all rotations free: its frames */
} vgHead;

/* Every force def struct begins with this; the reader fills it from the head. Other members by the field
 * table: NUMBER double · INT int · BOOL int · STRING/NAME const char * · VEC3 double[3] · VEC6 double[6] ·
 * MAT3 double[9] · LAW vgLaw · LAW3 vgLaw[3] · FRAME vgFrame · AXIS double[3] (unit) · ROTATION vgMat3 ·
 * TABLE const vgTable * · NUMBERS vgNumbers · ROAD const vgRoad * · ROWS vgRows (controller.h). An absent
 * field whose fallback is "" is stored as: NUMBER and every VEC component NAN · LAW {NULL, NAN} · STRING,
 * NAME, TABLE NULL. In planar models VEC3 and LAW3 may be written [x, y] (the third is 0) or as one number
 * (about z: the first two are 0), VEC6 as [x, y, angle] (components 0, 1, 5). One number for a VEC6: all six.
 */
typedef struct vgForceHead {
    vgFrame frame[2];
    int measure[2];
    int joint; /* BALL */
    double number;
} vgForceHead;

typedef struct vgNumbers {
    int n;
    const double *at;
} vgNumbers;

/* Appearance of an element, for pictures. Along a line: its nodes as frames with x along it and y, z the axes of
 * the section; the section's width along y and height along z (0: unknown), a circle if it is round. */
typedef struct vgForceLook {
    int nnode, round;
    int guess;    /* 1: width and height only follow from stiffnesses */
    int follower; /* 1: a force whose components are along the axes of its frame */
    vgFrame node[VG_FORCE_MAX_BODIES];
    double width, height;
    const struct vgTable *profile; /* a height over x of the first frame, z or in the plane y; NULL: none */
    const struct vgRoad *road;     /* the same as a road that a wheel of this radius rolls on; NULL: none */
    double radius;
    const char *surface; /* at the first frame, what a ball of this radius at the second touches: plane,
                            sphere, box or bar (along axis, with round ends); NULL: none */
    double size[3], axis[3];
    int inside; /* 1: the ball is in it */
} vgForceLook;

/* Kinds that pull along one line with a tension of length and rate alone (theory.md, eq. 55d): between the
 * origins of their two frames, or along an axis of the first. */
typedef struct vgForceLine {
    const double *(*axis)(const void *def); /* in the first frame; NULL: the line joins the origins */
    /* the tension and its derivatives by length and rate. in has the time, what is held and no motion */
    void (*tension)(const void *def, const vgForceIn *in, double length, double rate, double out[3]);
} vgForceLine;

typedef struct vgForceLanes vgForceLanes; /* force/lanes.h */
typedef struct vgForceFour vgForceFour;
typedef struct vgForceCrowd vgForceCrowd; /* force/crowd.h */

typedef struct vgForceKind {
    const char *name;
    const char *doc;
    int planar; /* as in vgJointKind */
    vgHead head;
    int self;                  /* head FRAMES: 1: both frames may be on one body */
    const char *const *locals; /* names of the local law inputs, slots 1, 2, … (a spring: "x", "v"),
                                  NULL-terminated or NULL */
    const vgField *fields; /* offsets into the kind's own def struct of def_size bytes (zeroed, then filled by
                              the reader) */
    int nfield;
    const char *const *some; /* keys of which an entry must have one, since without all of them the element
                                does nothing; NULL-terminated or NULL */
    size_t def_size;
    const char *example; /* one entry of the model file */
    /* out comes zeroed. May complete the def (precompute). VG_BAD_INPUT with out->key, out->why. */
    vgStatus (*setup)(void *def, int planar, vgForceSetup *out);
    int brief; /* 1: it acts for moments, like a stop: its losses are not seen by those who look now and then */
    /* Such kinds on a joint coordinate: how far that is from where they act, 0 or less: they act. NULL: not known. */
    double (*room)(const void *def, const vgForceIn *in);
    /* Called once at the initial placement, after setup: sets defaults that depend on it (a spring's free length).
     * Returns the reason of an error, NULL if there is none. The pointer may be NULL. */
    const char *(*place)(void *def, const vgForceIn *in);
    void (*eval)(const void *def, const vgForceIn *in, vgForceOut *out);
    /* Values of the local law inputs, in the order of locals. NULL: it has none. */
    void (*local)(const void *def, const vgForceIn *in, double *values);
    /* Contact kinds: the depth (negative: gap); where it passes zero contact begins or ends. NULL: none. */
    double (*depth)(const void *def, const vgForceIn *in);
    /* Contact kinds: how the two bodies stand to each other. */
    void (*approach)(const void *def, const vgForceIn *in, vgApproach *out);
    /* From a to b, h later, both in contact or both not: 1 when they are on the other side in between, after
     * the part *when of h. */
    int (*crosses)(const void *def, const vgApproach *a, const vgApproach *b, double h, double *when);
    /* Switches of the element beside its laws, for example the knots of its tables: functions that change sign
     * there. Returns their number, at most VG_FORCE_MAX_SWITCHES. NULL: none. */
    int (*switches)(const void *def, const vgForceIn *in, double *out);
    /* Kinds on a joint coordinate that are rigid in one direction: the rate behind an impact that begins in this
     * state, NAN: there is none. They have `switches` and see `push`. NULL: never. */
    double (*strike)(const void *def, const vgForceIn *in);
    double (*energy)(const void *def,
                     const vgForceIn *in); /* potential energy; NULL: none (non-conservative) */
    double (*kinetic)(const void *def,
                      const vgForceIn *in); /* kinetic energy of inertial elements; NULL: none */
    /* Force times coordinate if the force is constant, NAN if it is not: its work between two positions then needs
     * no integral over time. NULL: never constant. */
    double (*constant)(const void *def, const vgForceIn *in);
    /* named scalar outputs for channels force.NAME.<output> (e.g. "force","length","rate","penetration"),
     * NULL-terminated */
    const char *const *outputs;
    void (*output)(const void *def, const vgForceIn *in, double *values);
    void (*look)(const void *def, vgForceLook *out); /* NULL: at most a line between its frames */
    const vgForceLanes *lanes;                       /* NULL: one at a time */
    const vgForceFour *four;                         /* NULL: one at a time */
    const vgForceLine *line;                         /* NULL: more than that */
    const vgForceCrowd *crowd;                       /* NULL: acts on the bodies of its set-up */
} vgForceKind;

extern const vgForceKind *const vg_force_kinds[]; /* NULL-terminated: the list */
const vgForceKind *vg_force_kind(const char *name);

/* def: of an element of kind "callback". */
void vg_force_callback_set(void *def, vgForceCallback function, void *user);
int vg_force_callback_is_set(const void *def);

#endif
