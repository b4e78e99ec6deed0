/* The model as given by the user: checked, names resolved, frozen. Const from here on; threads may share it. */
#ifndef VERGE_MODEL_MODEL_H
#define VERGE_MODEL_MODEL_H

#include "base/diag.h"
#include "base/names.h"
#include "element/controller/controller.h"
#include "element/force/force.h"
#include "element/joint/joint.h"
#include "element/modal/modal.h"
#include "model/surface.h"

typedef enum vgShapeKind {
    VG_SHAPE_NONE,
    VG_SHAPE_BAR,
    VG_SHAPE_BOX,
    VG_SHAPE_SPHERE,
    VG_SHAPE_CYLINDER,
    VG_SHAPE_DISC,
    VG_SHAPE_CAPSULE,
    VG_SHAPE_ELLIPSOID,
    VG_SHAPE_LINES,
    VG_SHAPE_MESH
} vgShapeKind;

typedef struct vgShape {
    vgShapeKind kind;
    double
        size[3]; /* box: edges; sphere: radius; cylinder, disc, capsule: radius, length; bar: length, radius;
                        ellipsoid: half axes */
    vgFrame at;  /* in the body's user frame */
    double color[3]; /* < 0: default */
    int npoint;      /* lines: the polyline's points, in the shape's frame */
    const vgVec3 *point;
    const vgSurface *surface; /* mesh */
} vgShape;

enum { VG_GIVEN_VELOCITY = 1, VG_GIVEN_OMEGA = 2 };

typedef struct vgBody {
    const char *name;
    vgLoc loc;
    vgSelect select; /* native components that move: see kin.h */
    double mass;
    vgMat3 inertia; /* about the centre of mass, body axes */
    vgVec3 com;     /* centre of mass in the user's frame of the body: user origin = p_WB − R com */
    vgVec3 p0;      /* initial position of the centre of mass */
    vgMat3 R0;
    double theta0;  /* planar: initial angle (not wrapped) */
    vgVec3 v0, w0;  /* initial velocity of the centre of mass (W), angular velocity (B) */
    unsigned given; /* what the user gave of them, VG_GIVEN_…; the rest may follow */
    int placed;     /* 1: the user gave the position */
    int nshape;
    const vgShape *shape;
    int marker0, nmarker; /* its markers among the model's */
    int element; /* ≥ 0: made by this force element (PID integral, beam node …); −1 user's own */
    const char *coordinates; /* its own rotation coordinates; NULL: those of the system */
    vgLoc coordinates_at;
} vgBody;

/* Coordinates of an element that are nowhere in space: scalars of controllers, amplitudes. */
static inline int vg_body_is_hidden(const vgBody *b)
{
    return b->element >= 0 && b->select.at[b->select.n - 1] < 3;
}

/* Coordinates of an element that have mass so that they can be integrated, and no weight. */
static inline int vg_body_is_weightless(const vgBody *b)
{
    return vg_body_is_hidden(b) && b->mass > 0;
}

typedef struct vgMarker {
    const char *name; /* "body.marker" */
    vgFrame frame;    /* relative to the centre of mass; ground: in W */
} vgMarker;

typedef struct vgJoint {
    const char *name;
    vgLoc loc;
    const vgJointKind *kind;
    vgJointDef def;
    int a, b;             /* bodies, −1 ground */
    int prim0, nprim;     /* its primitives */
    int row0, nrow;       /* its constraint rows (all levels) */
    int measure0, ncoord; /* its coordinates among the model's measures */
    int cut;              /* user asked for the loop to be cut here */
    int drive_of; /* a drive: index of the driven joint, else −1 (drives are joints of their own, named
                     JOINT.drive) */
} vgJoint;

typedef struct vgForce {
    const char *name;
    vgLoc loc;
    const vgForceKind *kind;
    const void *def;
    vgForceSetup setup;
} vgForce;

/* What it holds and remembers is in the turn memory of the state, and so in checkpoints. */
typedef struct vgController {
    const char *name;
    vgLoc loc;
    const vgControllerKind *kind;
    const void *def; /* begins with vgControllerHead */
    vgControllerSetup setup;
    const vgLaw *in; /* [nin], all that it looks at */
    int nin;
    int out;    /* measure of its first output; the others follow, there and in the turn memory */
    int memory; /* place in the turn memory: number of the next sample, then what it keeps */
} vgController;

/* A flexible body: its frame, the hidden bodies that carry its amplitudes, its element. */
typedef struct vgFlexible {
    const char *name;
    const vgModal *data;
    int frame, carrier, force;
    const int *node; /* [data->nnode] body of each node; −1: a marker of the frame */
} vgFlexible;

/* A place on a beam or cable between nodes: a body without mass that rows hold to the element's nodes. */
typedef struct vgStation {
    int body, force; /* the body; the element that it is on */
    double xi;       /* where in the element, −1..1 */
    int nnode;
    vgFrame node[3]; /* the element's nodes, in order */
} vgStation;

typedef struct vgNamedMeasure {
    const char *name; /* joint.NAME.angle … ("rate" is its derivative) */
    const char *unit; /* rad, m, 1 */
    vgMeasure measure;
} vgNamedMeasure;

typedef struct vgRunOptions { /* the `run:` part of the file, overridden by the command line */
    const char *coordinates, *constraints, *integrator; /* "name:key=value,…" */
    const char *own_integrator; /* as the file has it: a path in it is relative to the model's folder */
    double step, end, output_interval;
    int output_every;
    int locate_events; /* state events: 1 are located, −1 are not, 0 not said */
    int equilibrium;   /* start: equilibrium */
    int verify;        /* the run comes with a certificate */
    int plain;         /* no special paths (system/fast.h) */
    vgLoc loc;
} vgRunOptions;

/* A part of the model as it was read, and a sum of what it says: see read/digest.c. */
typedef struct vgModelPart {
    const char *kind, *name; /* "body", "rod" */
    unsigned long long sum;
} vgModelPart;

/* A file that the model was read from beside its own, relative to its folder. */
typedef struct vgModelFile {
    const char *name;
    const struct vgModelFile *next;
} vgModelFile;

/* What became of an element of a robot file that the model was read from. */
typedef struct vgModelNote {
    const char *verdict, *place, *text; /* used, changed, ignored; FILE:LINE; the reason */
    int physics;                        /* 1: it concerns the motion */
} vgModelNote;

typedef struct vgModel {
    const char *title, *path, *text; /* text: the file as read */
    const vgModelFile *files;        /* not known of models made from a source: its files were read before */
    int nnote;
    const vgModelNote *note; /* of a robot file */
    int planar;
    vgVec3 gravity;
    int nbody;
    const vgBody *body;
    int nmarker;
    const vgMarker *marker;
    int njoint;
    const vgJoint *joint;
    int nprim;
    const vgPrim *prim;
    int nrow; /* constraint rows of all joints */
    int nforce;
    const vgForce *force;
    int ncontroller;
    const vgController *controller;
    int nmodal;
    const vgFlexible *modal; /* flexible bodies */
    int nstation;
    const vgStation *station; /* of meshes */
    int nmeasure;
    const vgNamedMeasure *measure;
    int nload;
    const vgLoad *load; /* what forces read of reactions */
    int nturn;          /* numbers in the turn memory: angles, inputs, what controllers keep */
    int nparam;
    const char *const *param_name;
    const double *param_value;
    int npart;
    const vgModelPart *part;
    const struct vgModel
        *start; /* joints have a start: the same model in which drives hold them there, else NULL */
    vgRunOptions run;
    int nrecord;
    const char *const *record; /* channel names or patterns */
    const vgLoc *record_at;
    const vgNames *body_names, *joint_names, *force_names, *measure_names, *marker_names,
        *controller_names; /* same indices as the arrays */
    int ground_marker0, nground_marker, nground_shape;
    const vgShape *ground_shape;
    struct vgPool *pool;        /* owns everything above */
    struct vgModelOwned *owned; /* expressions and tables of the laws */
} vgModel;

/* A coordinate whose rate an element integrates (the error of a controller, the bristle deflection of a contact);
 * its own value is not used. */
static inline int vg_model_is_integral(const vgModel *m, int body)
{
    const vgBody *b = &m->body[body];
    return vg_body_is_hidden(b) && m->force[b->element].setup.nscalar + m->force[b->element].setup.nstate > 0;
}

/* --set and the C API override parameters before anything is compiled. */
typedef struct vgParamSet {
    const char *name;
    double value;
    const char *text; /* not NULL: an expression over the other parameters, used instead of value */
} vgParamSet;

/* Of n texts "NAME=VALUE", with `room` more places behind them; one block to free(). VG_BAD_INPUT: *wrong is
 * not such a text. */
vgStatus vg_model_settings(const char *const *text, int n, int room, vgParamSet **out, const char **wrong);

/* Reads, checks and freezes a model. NULL: diag holds the errors (all of them, up to 20), each with its
 * place. set: parameters to override. diag may be NULL. Everything the model needs is copied into it. */
vgModel *vg_model_load(const char *path, const vgParamSet *set, int nset, vgDiag *diag);
/* The same from text; name stands in the messages. `include:` needs a file and is refused here. */
vgModel *vg_model_parse(const char *text, size_t n, const char *name, const vgParamSet *set, int nset,
                        vgDiag *diag);
/* Text that is to stand in the file at path: `include:` looks beside it. For editors. */
vgModel *vg_model_parse_as(const char *text, size_t n, const char *path, const vgParamSet *set, int nset,
                           vgDiag *diag);
/* The files of a model, parsed once, from which models with other parameters are made. name stands in the messages of a
 * text. Files of modes that flexible bodies name are read with each model. NULL: diag holds the errors. */
typedef struct vgSource vgSource;
vgSource *vg_source_new(const char *path, const char *text, size_t n, const char *name, vgDiag *diag);
void vg_source_free(vgSource *source);
vgModel *vg_model_of(const vgSource *source, const vgParamSet *set, int nset, vgDiag *diag);
void vg_model_free(vgModel *model);
int vg_model_find_body(const vgModel *m, const char *name); /* −1 */
int vg_model_find_measure(const vgModel *m, const char *name);
/* The axis of a load in W; kin: motion of all bodies. */
vgVec3 vg_model_load_axis(const vgModel *m, const vgLoad *load, const vgKin *kin);
/* The first force with a law that reads a reaction; −1: none. */
int vg_model_reads_reactions(const vgModel *m);

/* Gives a force element of kind "callback" its function, before the model is used. VG_BAD_INPUT: there is no
 * such element of that kind. */
vgStatus vg_model_set_callback(vgModel *m, const char *force, vgForceCallback function, void *user);
void vg_model_set_plain(vgModel *m, int plain);

/* Mass, centre of mass, inertia about it and contents of the whole model at its initial placement. */
typedef struct vgModelSummary {
    int bodies, points, markers, joints, drives, forces, rows,
        coordinates; /* coordinates: native components that move */
    double mass;
    vgVec3 com;
    vgMat3 inertia; /* about com, world axes */
    int nmassless,
        massless; /* bodies without mass of their own or of elements: how many, the first (−1 none) */
} vgModelSummary;
vgStatus vg_model_describe(const vgModel *m, vgModelSummary *out);

/* A flexible body as a file of modes (see the reference of the format). malloc'ed; NULL: out of memory. */
char *vg_modal_text(const vgModal *body);
/* The same in HDF5. VG_IO: the file cannot be written. */
vgStatus vg_modal_save_h5(const vgModal *body, const char *path);

/* The reference of the model format as Markdown, made from the field tables. malloc'ed; NULL: out of memory.
 */
char *vg_model_format_doc(void);

#endif
