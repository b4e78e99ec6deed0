/* Robot files (URDF, MJCF) to the spec that a model file in YAML gives, so that everything behind the spec takes both.
 *
 *     text → vgXml → vgRobot (tree of bodies with joints, loops, forces) → vgNode (spec) → vgModel, or YAML text
 *
 * A reader of a format marks what it understood; what is left is reported. Nothing is dropped in silence. */
#ifndef VERGE_MODEL_ROBOT_ROBOT_H
#define VERGE_MODEL_ROBOT_ROBOT_H

#include "base/names.h"
#include "base/text.h"
#include "math/so3.h"
#include "math/vec.h"
#include "model/import.h"
#include "model/read/spec.h"
#include "model/robot/xml.h"

typedef struct vgPose {
    vgVec3 p;
    vgMat3 R;
} vgPose;

static inline vgPose vg_pose_identity(void)
{
    return (vgPose){vg_zero3(), vg_eye3()};
}

static inline vgPose vg_pose_mul(vgPose a, vgPose b)
{
    return (vgPose){vg_add3(a.p, vg_mv3(a.R, b.p)), vg_mm3(a.R, b.R)};
}

static inline vgPose vg_pose_inv(vgPose a)
{
    return (vgPose){vg_neg3(vg_mtv3(a.R, a.p)), vg_mt3(a.R)};
}

typedef enum vgRobotJointKind {
    VG_ROBOT_HINGE,
    VG_ROBOT_SLIDE,
    VG_ROBOT_BALL,
    VG_ROBOT_PLANAR,
    VG_ROBOT_FREE
} vgRobotJointKind;

/* A joint of a body to what is before it: the parent, or the body's joint before. Anchor and axis are in the body's
 * frame; q of the drawn pose is ref. */
typedef struct vgRobotJoint {
    const char *name, *given; /* in the model; in the file */
    vgLoc loc;
    vgRobotJointKind kind;
    int body;
    vgVec3 anchor, axis;
    vgMat3 plane; /* planar: x, y and the normal in the body's frame */
    double ref;
    double q[7], v[6]; /* start. free: position, quaternion; ball: quaternion; planar: x, y, angle */
    int limited;
    double lower, upper;
    double damping, friction, stiffness, springref, armature;
    double drive_damping, drive_stiffness; /* of its drives: how fast they may change it */
    int bounded;                           /* the sum of its actuators' forces has bounds */
    double force[2];
    const char *drive;           /* that sum as an expression; NULL: none */
    int held;                    /* it moves nothing that has inertia: it is part of the body before it */
    int used;                    /* a coupling or actuator names it */
    int driven;                  /* its coordinate follows a law of time, which is its start */
    const char *before, *behind; /* bodies of the model that it joins; set with the tree */
} vgRobotJoint;

typedef struct vgRobotShape {
    const char *kind; /* box, sphere, cylinder, capsule, ellipsoid, mesh */
    const char *file; /* mesh, and its scale in size */
    double size[3];   /* as the format of the model has it */
    int nsize;
    vgPose at; /* in the body */
    double color[3];
    vgLoc loc;
} vgRobotShape;

typedef struct vgRobotBody {
    const char *name, *given;
    vgLoc loc;
    int parent; /* −1: the world */
    vgPose at;  /* in the parent's frame as drawn */
    double mass;
    vgVec3 com;     /* in the body's frame */
    vgMat3 inertia; /* about com, in the body's axes */
    int parts;      /* masses that it is made of */
    vgMat3 axes;    /* of the first of them */
    int measured;   /* the inertia is one that no rigid body can have */
    int joint0, njoint;
    int carrier;               /* the body that this one is part of: itself, another body, −1 the ground */
    vgPose in;                 /* its frame in the carrier's */
    vgPose W;                  /* its frame in the world at the start */
    vgVec3 v, w;               /* of its frame at the start, world axes */
    int fixed_root;            /* held to the ground, for it has no joint: 1; −1: unless the base floats */
    int mocap;                 /* its pose is given from outside */
    int ellipsoid;             /* its drag is asked for as that of ellipsoids */
    double gravcomp, own_mass; /* own: before bodies were put together */
    int own_parts;
    vgVec3 own_com;
    vgMat3 own_inertia;
} vgRobotBody;

/* A named frame of a body. */
typedef struct vgRobotSite {
    const char *name, *given;
    vgLoc loc;
    int body;
    vgPose at;
} vgRobotSite;

/* A joint that closes a loop. kind: of the model ("fixed", "spherical", "revolute"). */
typedef struct vgRobotLoop {
    const char *name, *kind;
    vgLoc loc;
    int body[2];
    vgPose at[2]; /* in the bodies */
    vgVec3 axis;  /* revolute */
} vgRobotLoop;

/* Σ factor_i q_i + … = offset, or q_0 = Σ c_k q_1^k. */
enum { VG_ROBOT_MAX_TERMS = 16 };
typedef struct vgRobotCoupling {
    const char *name;
    vgLoc loc;
    int n, joint[VG_ROBOT_MAX_TERMS];
    double factor[VG_ROBOT_MAX_TERMS], offset;
    int npoly;
    double poly[5];
} vgRobotCoupling;

/* What the file turns off: switches that are 0 in the model, and what it does without. */
enum {
    VG_ROBOT_OFF_SPRINGS = 1,
    VG_ROBOT_OFF_DAMPING = 2,
    VG_ROBOT_OFF_LIMITS = 4,
    VG_ROBOT_OFF_FRICTION = 8,
    VG_ROBOT_OFF_ACTUATORS = 16,
    VG_ROBOT_OFF_EQUALITIES = 32,
    VG_ROBOT_OFF_CONTACTS = 64,
    VG_ROBOT_OFF_CLAMP = 128
};

/* An entry of forces: made whole by the reader of the format, with names of the model. */
typedef struct vgRobotForce {
    const char *name, *with; /* with: the switch that leaves it out, a parameter; NULL: none */
    vgLoc loc;
    vgNode *value;
} vgRobotForce;

typedef struct vgRobot {
    vgPool *pool;
    vgDiag *diag;
    const vgImportOptions *options;
    vgImportReport *report;
    const char *path, *folder, *format; /* path and folder NULL: from text */
    const char *title;
    int full;
    int before;           /* errors there were before this file */
    const vgNode *motors; /* names of joints with an actuator, from the file of loops */
    vgVec3 gravity;
    double timestep;
    double drive_rate; /* 1/s, the fastest dynamics of a drive of its own */
    int nbody, body_cap, njoint, joint_cap, nsite, site_cap, nshape, shape_cap, nloop, loop_cap, ncoupling,
        coupling_cap, nforce, force_cap;
    vgRobotBody *body;
    vgRobotJoint *joint;
    vgRobotSite *site;
    vgRobotShape *shape;
    int *shape_body;
    int shape_body_cap;
    vgRobotLoop *loop;
    vgRobotCoupling *coupling;
    vgRobotForce *force;
    vgNames *body_names, *joint_names, *force_names; /* of the model */
    unsigned off;                                    /* VG_ROBOT_OFF_… */
    const char *record[512];
    int nrecord;
} vgRobot;

/* make.c: growing arrays, names, nodes, messages. All memory is of robot->pool; where it runs out, robot->full is set
 * and the result of a pointer is NULL. */
int vg_robot_room(vgRobot *r, void *array, int n, int *cap, size_t size);
vgRobotBody *vg_robot_add_body(vgRobot *r, const char *name, vgLoc at);
vgRobotJoint *vg_robot_add_joint(vgRobot *r, const char *name, vgLoc at, int body, vgRobotJointKind kind);
vgRobotForce *vg_robot_add_force(vgRobot *r, const char *name, vgLoc at, const char *with, vgNode *value);
/* The same under a name that is taken from force_names already. */
vgRobotForce *vg_robot_keep_force(vgRobot *r, const char *name, vgLoc at, const char *with, vgNode *value);
/* A torque (force) gain × input.NAME on a joint, NAME taken already from force_names. */
void vg_robot_actuate(vgRobot *r, const char *name, vgLoc at, int joint, double gain);
vgRobotSite *vg_robot_add_site(vgRobot *r, const char *name, vgLoc at, int body, vgPose pose);
vgRobotLoop *vg_robot_add_loop(vgRobot *r, const char *name, vgLoc at, const char *kind);
vgRobotCoupling *vg_robot_add_coupling(vgRobot *r, const char *name, vgLoc at);
vgRobotShape *vg_robot_add_shape(vgRobot *r, int body, const char *kind, vgLoc at);
/* A word that may name something in a model and is not in names yet; a change is reported. what: "link", … */
const char *vg_robot_name(vgRobot *r, vgNames *names, const char *given, vgLoc at, const char *what);
int vg_robot_failed(const vgRobot *r);                       /* out of memory, or an error was reported */
int vg_robot_find_body(const vgRobot *r, const char *given); /* −1: not there */
int vg_robot_find_joint(const vgRobot *r, const char *given);
/* Adds mass at a place of a body: about com `at.p`, inertia in the axes of at.R. */
void vg_robot_add_mass(vgRobotBody *b, double mass, vgPose at, vgMat3 inertia);

void vg_robot_note(vgRobot *r, vgImportVerdict verdict, int physics, vgLoc at, const char *format, ...)
    VG_PRINTF_LIKE(5, 6);
void vg_robot_wrong(vgRobot *r, vgLoc at, const char *format, ...) VG_PRINTF_LIKE(3, 4);

vgNode *vg_robot_text(vgRobot *r, vgLoc at, const char *text); /* a word or an expression */
vgNode *vg_robot_print(vgRobot *r, vgLoc at, const char *format, ...) VG_PRINTF_LIKE(3, 4);
vgNode *vg_robot_number(vgRobot *r, vgLoc at, double x);
/* Texts of expressions: a number with as many digits as it needs; k × what, a factor; sum ± |k| × what (NULL: 1). */
const char *vg_robot_digits(vgRobot *r, double x);
const char *vg_robot_times(vgRobot *r, double k, const char *what);
const char *vg_robot_plus(vgRobot *r, const char *sum, double k, const char *what);
vgNode *vg_robot_numbers(vgRobot *r, vgLoc at, int n, const double *x);
vgNode *vg_robot_vec(vgRobot *r, vgLoc at, vgVec3 v);
vgNode *vg_robot_list(vgRobot *r, vgLoc at, int n, vgNode *const *item);
vgNode *vg_robot_map(vgRobot *r, vgLoc at);
void vg_robot_put(vgRobot *r, vgNode *map, const char *key, vgNode *value);

/* An error: joint k moves nothing that has mass, and something acts on it: what. */
void vg_robot_refuse_held(vgRobot *r, int k, vgLoc at, const char *what);
/* tree.c: which bodies are one, and where everything is at the start. Before loops and forces name frames. */
void vg_robot_finish_tree(vgRobot *r);
/* A frame of the model: of a body of the file, with a pose in it. */
vgNode *vg_robot_frame(vgRobot *r, vgLoc at, int body, vgPose pose);
void vg_robot_put_pose(vgRobot *r, vgNode *map,
                       vgPose p); /* position and orientation, where they are not zero */

/* Pose and velocity of the frame of body i after its first n joints, at the start. */
void vg_robot_joint_pose(const vgRobot *r, int i, int n, vgPose *X, vgVec3 *v, vgVec3 *w);

void vg_robot_place(vgRobot *r); /* poses and velocities of all bodies from the joints' q and v */
/* close.c: joint coordinates that close the loops, if the drawn ones do not. */
void vg_robot_close_loops(vgRobot *r);
/* The weight behind a joint at the length of its arm, N m (slides: the weight, N). */
double vg_robot_load(const vgRobot *r, const vgRobotJoint *j);
/* Damping and armature of a ball joint. */
void vg_robot_ball_forces(vgRobot *r, const vgRobotJoint *j);

/* mesh.c: the path of a mesh as the model may name it; NULL after a note. folder: what names are from, NULL: the robot's. */
const char *vg_robot_mesh_path(vgRobot *r, vgLoc at, const char *name, const char *folder);
/* The same as a path that can be opened. */
const char *vg_robot_mesh_open(vgRobot *r, const char *path);

/* run.c: inertia (mass) that a joint surely moves: its rotor and its body, with what is fixed to that, about its axis. */
double vg_robot_least_inertia(const vgRobot *r, const vgRobotJoint *j);
void vg_robot_put_run(vgRobot *r, vgNode *root);

/* spec.c */
int vg_robot_is_rigid(vgMat3 inertia); /* 1: a rigid body can have it */
vgNode *vg_robot_spec(vgRobot *r);
/* yaml.c: the spec as a readable text, with the places of origin as comments. */
char *vg_robot_yaml(vgPool *pool, const vgNode *root, const vgDiag *diag);

/* values.c: attributes as numbers; 1, or 0 when absent or after a report */
int vg_robot_attr_numbers(vgRobot *r, vgXml *e, const char *name, int least, int most,
                          double *out); /* how many */
int vg_robot_attr_number(vgRobot *r, vgXml *e, const char *name, double *out);
int vg_robot_attr_vec(vgRobot *r, vgXml *e, const char *name, vgVec3 *out);
int vg_robot_attr_bool(vgRobot *r, vgXml *e, const char *name, int *out);
int vg_robot_text_number(vgRobot *r, vgXml *e, double *out); /* the text of an element */
vgMat3 vg_robot_rpy(double roll, double pitch, double yaw);  /* Rz(yaw) Ry(pitch) Rx(roll) */

/* What a format ignores, and why: elements or attributes (element/attribute). physics: it moves something. */
typedef struct vgRobotIgnored {
    const char *what;
    int physics;
    const char *reason;
} vgRobotIgnored;
int vg_robot_lists(const vgRobotIgnored *table, const char *element,
                   const char *attr); /* 1: a row is for it */
/* Everything below e that was not used, as ignored; table ends with what == NULL, that row is for what it does not list. */
void vg_robot_sweep(vgRobot *r, vgXml *e, const vgRobotIgnored *table);

vgMat3 vg_robot_z_to(vgVec3 axis);                /* the least rotation that turns z to the axis */
vgPose vg_urdf_origin(vgRobot *r, vgXml *parent); /* its <origin> */
void vg_urdf_visuals(vgRobot *r, vgXml *root, vgXml *link, int body); /* urdf_visual.c */

/* The formats. They fill r; errors are in r->diag. */
void vg_urdf_read(vgRobot *r, vgXml *root);
void vg_urdf_loops(vgRobot *r);  /* the YAML beside it, or the one that was asked for */
void vg_urdf_motors(vgRobot *r); /* actuators that it names */
void vg_mjcf_read(vgRobot *r, vgXml *root);

#endif
