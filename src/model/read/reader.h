/* The reader: from spec to model. What its files share; internal to the room. */
#ifndef VERGE_MODEL_READ_READER_H
#define VERGE_MODEL_READ_READER_H

#include "base/field.h"
#include "element/law/expr.h"
#include "element/road/road.h"
#include "element/law/table.h"
#include "model/model.h"
#include "model/read/spec.h"

enum { VG_READ_MAX_INDICES = 4, VG_READ_MAX_OBJECTS = 2000000, VG_READ_MAX_NAME = 100 };

/* The indices of the repeat blocks around an entry, and their values in one turn. */
typedef struct vgReadScope {
    int n;
    const char *name[VG_READ_MAX_INDICES];
} vgReadScope;

typedef struct vgReadContext {
    const vgReadScope *scope;
    double value[VG_READ_MAX_INDICES];
} vgReadContext;

/* A named entry of bodies, joints or forces, after repeat and if. */
typedef struct vgEntry {
    const char *name;
    vgLoc loc;
    vgNode *value;
    const vgReadContext *ctx;
} vgEntry;

typedef struct vgEntries {
    int n, cap;
    vgEntry *at;
} vgEntries;

enum {
    VG_SECTION_BODIES,
    VG_SECTION_JOINTS,
    VG_SECTION_FORCES,
    VG_SECTION_MESH,
    VG_SECTION_FLEXIBLE,
    VG_SECTION_CONTROLLERS,
    VG_SECTION_CONTACTS,
    VG_SECTION_COUNT
};
extern const char *const vg_section_names[VG_SECTION_COUNT];

typedef struct vgReadParam {
    const char *name;
    vgNode *node;
    double value;
    int state; /* 0 not yet, 1 being computed, 2 known, 3 wrong */
} vgReadParam;

/* What vg_model_free must give back besides the pool. */
typedef struct vgModelOwned {
    int nexpr, cap;
    vgExpr **expr;
    int ntable;
    vgTable **table;
} vgModelOwned;

enum { VG_READ_MAX_FILES = 64 };

typedef struct vgReader {
    vgDiag *diag;
    vgPool *pool;    /* the model's */
    vgPool *scratch; /* the spec's, gone when the model is made */
    vgModel *m;
    vgModelOwned *owned; /* the model's */
    vgModelOwned own;    /* expressions of the spec */
    const vgReadContext *ctx;
    int ground_read;
    int full; /* out of memory or over a limit: reported, everything stops */
    int objects;
    int starting, has_starts; /* read for the start: `start` of joints are drives; joints have such */
    /* files: the model first, then what it includes */
    int nfile;
    const vgNode *file[VG_READ_MAX_FILES];
    const char *real[VG_READ_MAX_FILES]; /* real path, "" when parsed from text */
    const char *folder;                  /* real folder of the model, NULL when parsed from text */
    const char *shown_folder;            /* the same as the user wrote it, for messages */
    /* parameters */
    int nparam, param_cap;
    vgReadParam *param;
    vgNames *param_names;
    int chain[64], nchain; /* parameters being computed, to name a cycle */
    int tainted;           /* the expression being compiled leans on a wrong parameter */
    const vgParamSet *set;
    int nset;
    vgNames *table_names;
    vgNames *road_names;
    const vgRoad **road; /* by road_names */
    vgEntries section[VG_SECTION_COUNT];
    /* arrays of the model while they grow */
    vgBody *body;
    vgMarker *marker;
    vgJoint *joint;
    vgPrim *prim;
    vgForce *force;
    vgNamedMeasure *measure;
    vgLoad *load;
    vgFlexible *modal;
    vgStation *station;
    vgController *controller;
    int modal_cap, station_cap, controller_cap;
    int body_cap, marker_cap, joint_cap, prim_cap, force_cap, measure_cap, load_cap;
    vgNames *body_names, *joint_names, *force_names, *measure_names, *marker_names;
    vgNames *controller_names;
    struct {
        const vgField *field;
        vgNode *node;
    } fallback[256]; /* defaults already parsed */
    int nfallback;
    const char *const *locals; /* names of the element's own law inputs while its entry is read */
} vgReader;

/* load.c: parses the model and what it includes into r->file; 0 after a report. *yaml: the model's text, where the file is
 * that of a robot; else NULL. */
int vg_read_files(vgReader *r, const char *path, const char *text, size_t n, const char *name,
                  const char **yaml);

/* source.c: the files of a model, parsed once. Const, so that threads may share it. */
struct vgSource {
    vgPool *pool;            /* owns all of it */
    const char *path, *text; /* as of vgModel; path NULL: parsed from text */
    size_t n;                /* bytes of text */
    int nfile, nnode;        /* nodes of all files have numbers below nnode */
    const vgNode *file[VG_READ_MAX_FILES];
    const char *name[VG_READ_MAX_FILES]; /* in messages */
    const char *real[VG_READ_MAX_FILES];
    const char *folder, *shown_folder;
};
/* Copies the files into a reader, which writes into its nodes; 0: out of memory. */
int vg_source_copy(const vgSource *source, vgReader *r);

/* reader.c: memory and errors */
int vg_read_stopped(vgReader *r); /* enough errors or no room: loops end */
/* The system had no memory: what was said meanwhile ("unknown name") is no fault of the model. */
int vg_read_starved(const vgReader *r);
void *vg_read_take(vgReader *r, size_t bytes);
char *vg_read_keep(vgReader *r, const char *text); /* a copy in the model's pool */
void vg_read_no_memory(vgReader *r);               /* the system had none: the reader stops and says so */
vgNames *vg_read_names(vgReader *r);               /* NULL: the same */
int vg_read_room(vgReader *r, void *array, int n, int *cap,
                 size_t size);            /* array: address of the pointer; room for n+1 */
int vg_read_count(vgReader *r, vgLoc at); /* one more object of the model */
int vg_read_own(vgReader *r, vgModelOwned *owner, vgExpr *expr);
/* The same for what is not needed once the model is read. */
int vg_read_scratch_room(vgReader *r, void *array, int n, int *cap, size_t size);
void vg_model_owned_free(vgModelOwned *owner);
int vg_read_name_ok(vgReader *r, const char *name, vgLoc at, const char *what);
/* ", did you mean 'x'?" or ""; lives in the scratch pool */
const char *vg_read_hint(vgReader *r, const char *word, const char *const *candidates, int n);
/* The key that a word of other programs stands for, one of keys; or NULL, and in *sentence how the same is said (or NULL). */
const char *vg_other_word(const char *word, const char *const *keys, int n, const char **sentence);

/* params.c */
void vg_read_params(vgReader *r);
int vg_read_param(vgReader *r, const char *name, double *value); /* 1 found, 0 unknown, −1 wrong (reported) */
/* What a name means that laws define, so that it names no parameter and no repeat index; NULL: nothing. */
const char *vg_read_reserved(const char *name);
void vg_read_tables(vgReader *r);
void vg_read_roads(vgReader *r);                       /* after the tables */
const vgRoad *vg_read_road(vgReader *r, vgNode *node); /* by name; NULL after a report */

/* value.c: all return 1, or 0 after a report */
int vg_read_number(vgReader *r, vgNode *node, double *out);
int vg_read_int(vgReader *r, vgNode *node, int *out);
int vg_read_bool(vgReader *r, vgNode *node, int *out);
int vg_read_text(vgReader *r, vgNode *node,
                 const char **out); /* with {…} filled in; kept by the spec or the model's pool */
int vg_read_list(vgReader *r, vgNode *node, int n, double *out);
int vg_read_vec3(vgReader *r, vgNode *node, double out[3]);
int vg_read_axis(vgReader *r, vgNode *node, double out[3]);
/* Whether an axis of a planar model that was read lies across the plane, or in it; an error if not. */
int vg_read_in_plane(vgReader *r, const vgNode *node, int across, const double axis[3]);
int vg_read_rotation(vgReader *r, vgNode *node, vgMat3 *out);
int vg_read_quaternion(vgReader *r, vgNode *node, vgMat3 *out);
int vg_read_axis_angle(vgReader *r, vgNode *node, vgMat3 *out);
int vg_read_matrix(vgReader *r, vgNode *node, double out[9]);
int vg_read_law(vgReader *r, vgNode *node, vgLaw *out);

/* field.c */
int vg_read_map(vgReader *r, vgNode *node, const char *what); /* it is a map, or a report */
/* Fills base through the rows. also: other keys that may stand there (NULL-terminated, may be NULL). */
int vg_read_fields(vgReader *r, vgNode *map, const vgField *fields, int nfield, void *base,
                   const char *const *also, const char *what);

/* kinds.c */
/* A list of kinds as the reader sees it: `what` ("joint"), the entries' own keys that name no kind, row i. */
typedef struct vgReadKind {
    const char *name;
    const vgField *fields;
    int nfield;
} vgReadKind;
typedef struct vgReadKinds {
    const char *what, *example;
    const char *const *keys;            /* NULL-terminated */
    int (*at)(int i, vgReadKind *kind); /* 0: behind the last */
    const char *note;                   /* what else the second of two kinds may have meant; NULL: nothing */
} vgReadKinds;
/* The kind that a key of the entry names, and the value of that key. −1: none; −2: reported as wrong. */
int vg_read_kind(vgReader *r, const vgEntry *e, const vgReadKinds *list, vgNode **head);
void vg_read_no_kind(vgReader *r, const vgEntry *e, const vgReadKinds *list); /* the report for −1 */

/* repeat.c */
void vg_read_entries(vgReader *r);
vgNode *vg_read_variant(vgReader *r, vgNode *node); /* after `if:`; NULL: the entry is skipped */

/* frames.c: where something stands; shared by bodies, markers and shapes */
typedef struct vgReadPlace {
    double position[3];
    double angle;
    vgNode *rotation, *quaternion, *axis_angle;
} vgReadPlace;

#define VG_PLACE_FIELDS(type)                                                                                \
    {"position",                                                                                             \
     VG_FIELD_VEC3,                                                                                          \
     offsetof(type, place.position),                                                                         \
     "m",                                                                                                    \
     "0",                                                                                                    \
     0,                                                                                                      \
     0,                                                                                                      \
     "Its origin, [x, y, z]; planar [x, y]."},                                                               \
        {"angle",                                                                                            \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, place.angle),                                                                        \
         "rad",                                                                                              \
         "",                                                                                                 \
         0,                                                                                                  \
         0,                                                                                                  \
         "Its orientation: a turn about z."},                                                                \
        {"rotation",                                                                                         \
         VG_FIELD_LIST,                                                                                      \
         offsetof(type, place.rotation),                                                                     \
         "rad",                                                                                              \
         "",                                                                                                 \
         0,                                                                                                  \
         0,                                                                                                  \
         "Its orientation: angles [x, y, z] of Rx Ry Rz, or {matrix: rows}."},                               \
        {"quaternion",                                                                                       \
         VG_FIELD_LIST,                                                                                      \
         offsetof(type, place.quaternion),                                                                   \
         "",                                                                                                 \
         "",                                                                                                 \
         0,                                                                                                  \
         0,                                                                                                  \
         "Its orientation: [w, x, y, z]."},                                                                  \
    {                                                                                                        \
        "axis-angle", VG_FIELD_LIST, offsetof(type, place.axis_angle), "rad", "", 0, 0,                      \
            "Its orientation: [axis, angle], e.g. [[0, 0, 1], pi/2]."                                        \
    }

int vg_read_place(vgReader *r, const vgNode *map, const vgReadPlace *s, vgVec3 *p, vgMat3 *R, double *theta);
int vg_read_markers(vgReader *r, const char *name, vgNode *map, int body, vgVec3 com);
int vg_read_frame(vgReader *r, vgNode *node, vgFrame *out);
struct vgPath;
int vg_read_path(vgReader *r, vgNode *node, struct vgPath *out); /* paths.c */
/* A marker OWNER.NAME made by the reader itself; the frame from the centre of mass. */
int vg_read_add_marker(vgReader *r, const char *owner, const char *name, vgLoc at, vgFrame frame);

/* bodies.c, inertia.c, shapes.c */
void vg_read_bodies(vgReader *r);
/* about the centre of mass, body axes; com in the user frame */
int vg_read_inertia(vgReader *r, vgNode *node, const char *name, double mass, vgVec3 com, vgMat3 *out);
/* measured: 1 the triangle inequality is not asked for, VG_INERTIA_ANY: nothing is. */
enum { VG_INERTIA_ANY = 2 };
int vg_read_check_inertia(vgReader *r, const vgNode *at, const char *name, const vgMat3 *inertia,
                          int measured);
int vg_read_shapes(vgReader *r, vgNode *node, int *n, vgShape **out);
/* Mass, centre of mass (user frame) and inertia about it of the shapes at density 1; 0: they have no volume.
 */
int vg_read_shape_mass(const vgShape *shape, int n, int planar, double *mass, vgVec3 *com, vgMat3 *inertia);
void vg_read_shape_looks(vgShape *shape, int n); /* sizes that are not given get a default */

/* mesh.c: nodes as bodies, elements and end joints as entries */
void vg_read_meshes(vgReader *r);

/* modal.c, modal_ties.c, modal_file.c: flexible bodies, then the joints of their nodes and their elements */
void vg_read_flexibles(vgReader *r);
void vg_read_force(vgReader *r, const vgEntry *e); /* forces.c: one entry */
void vg_read_joint_keys(vgReader *r);              /* joint_keys.c: limits and armature of joints */
void vg_read_flexible_forces(vgReader *r);
int vg_read_count_ties(const vgReader *r);
void vg_read_ties(vgReader *r);
/* A joint that holds `body` to frame A and is named after it; rows are yet to come. NULL after a report. */
vgJoint *vg_read_tie_joint(vgReader *r, const vgJointKind *kind, vgFrame A, int body);
/* One more row Σ k_i m_i = 0 of such a joint. */
int vg_read_tie_row(vgReader *r, vgJoint *j, const vgPrim *terms);
/* nodes: those that are wanted, a list of names; NULL: all */
int vg_read_modal_file(vgReader *r, const vgEntry *e, const char *file, vgNode *nodes, vgModal *out);

/* stations.c: places on the elements of a mesh. */
typedef struct vgReadCourse {
    const char *name; /* of the mesh */
    vgLoc loc;
    int elements, step;   /* step: nodes from one element to the next */
    int point;            /* a cable: stations are points */
    const vgVec3 *x;      /* of the nodes as placed */
    vgVec3 v, w, a;       /* initial motion: velocity at a, angular velocity, world axes */
    vgNode *const *frame; /* of the nodes */
} vgReadCourse;
int vg_read_stations(vgReader *r, const vgReadCourse *c, vgNode *map); /* bodies; 0 after a report */
void vg_read_station_ties(vgReader *r);                                /* their joints */
void vg_read_station_forces(vgReader *r);                              /* the elements that they are on */

/* measures.c */
int vg_read_add_measure(vgReader *r, const char *name, const char *unit, const vgMeasure *m); /* index, −1 */
int vg_read_channel(vgReader *r, const char *dotted, int *measure, int *rate); /* 1 found, 0 not */
void vg_read_angles(
    vgReader *r); /* body.NAME.angle of every planar body that turns, so that its turns are counted */
int vg_read_add_held(vgReader *r, const char *name); /* a number held in the turn memory: its measure, −1 */
int vg_read_add_load(vgReader *r, const char *name, const vgLoad *load); /* its measure, −1 */
int vg_read_ball(vgReader *r, vgNode *node, vgForceHead *head);          /* a ball joint by name */
int vg_read_joint_measure(vgReader *r, vgNode *node, int *out);          /* "joint" or "joint.coordinate" */

vgKin vg_read_kin(const vgReader *r, int body); /* initial motion; ground: the identity with zero velocity */
void vg_read_measure_value(const vgReader *r, int measure, vgMeasureOut *out); /* at the initial motion */

/* joints.c, forces.c, controllers.c, run.c, include.c */
void vg_read_joints(vgReader *r);
void vg_read_controllers(vgReader *r); /* after the joints, before the forces, whose laws name them */
void vg_read_forces(vgReader *r);
void vg_read_contacts(vgReader *r); /* contacts.c: groups, after the forces */
void vg_read_run(vgReader *r);
/* digest.c: fills m->part */
void vg_read_digest(vgReader *r);
void vg_read_includes(vgReader *r, const char *path);
/* The real path of a file in the model's folder; NULL with diagnostics. Lives in the scratch pool. */
char *vg_read_resolve(vgReader *r, vgLoc at, const char *name);

/* field tables of the format, for reading and for the reference page */
typedef struct vgFormatTable {
    const char *title, *doc, *example;
    const vgField *fields;
    int nfield;
} vgFormatTable;
extern const vgFormatTable vg_format_body, vg_format_marker, vg_format_shape, vg_format_run, vg_format_top,
    vg_format_repeat, vg_format_table, vg_format_joint, vg_format_drive, vg_format_inertia, vg_format_mesh,
    vg_format_flexible, vg_format_modes, vg_format_controllers, vg_format_contacts;

#endif
