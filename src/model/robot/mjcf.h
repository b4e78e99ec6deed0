/* MJCF: what the files of its reader share. */
#ifndef VERGE_MODEL_ROBOT_MJCF_H
#define VERGE_MODEL_ROBOT_MJCF_H

#include "model/robot/robot.h"

enum { VG_MJCF_MAX_CLASSES = 512, VG_MJCF_MAX_PATH = 64, VG_MJCF_MAX_BODIES = 20000 };

typedef struct vgMjcfClass {
    const char *name;
    int parent; /* −1: none */
    vgXml *e;
} vgMjcfClass;

/* A place of a spatial tendon: a site, a geom with perhaps a site beside it, or a pulley. −1: not that. */
typedef struct vgMjcfPlace {
    int site, geom, side;
    double divisor;
} vgMjcfPlace;

typedef struct vgMjcfTendon {
    const char *name;
    vgXml *e;
    int fixed, n;
    int joint[VG_ROBOT_MAX_TERMS];
    double coef[VG_ROBOT_MAX_TERMS];
    int nplace; /* spatial */
    vgMjcfPlace place[VG_MJCF_MAX_PATH];
    const char *fault; /* why its path cannot be one of a model; NULL: it can */
} vgMjcfTendon;

/* A sphere or cylinder with a name: tendons may lie on it. */
typedef struct vgMjcfGeom {
    const char *name;
    int body, cylinder;
    double radius;
    vgPose at;
} vgMjcfGeom;

/* A mesh of <asset>. */
typedef struct vgMjcfMesh {
    const char *name, *path; /* path NULL: it is not there, or not of a format that is read */
    double scale[3];
    vgPose ref; /* what is taken as its frame */
    vgXml *e;
} vgMjcfMesh;

typedef struct vgMjcf {
    vgRobot *r;
    vgXml *root;
    int degree, autolimits, from_geom; /* from_geom: 0 never, 1 always, 2 where there is no <inertial> */
    double total_mass;                 /* > 0: what the masses are scaled to */
    double bound_mass, bound_inertia;
    int balance, strippath;
    double density, viscosity; /* of the medium */
    vgVec3 wind;
    char eulerseq[4];
    int group[2];     /* geoms that count for inertia */
    int nclass, main; /* main: the class of what names none, −1: there are no defaults */
    vgMjcfClass cls[VG_MJCF_MAX_CLASSES];
    int ntendon, tendon_cap;
    vgMjcfTendon *tendon;
    vgPose *drawn;       /* [nbody] in the world, all joints at ref */
    const char *meshdir; /* NULL: the robot's folder */
    int nmesh, mesh_cap;
    vgMjcfMesh *mesh;
    int nround, round_cap;
    vgMjcfGeom *round;
    const char *suffix; /* of names inside <replicate> */
    int geoms;
} vgMjcf;

/* Actuators of all kinds share their defaults. */
enum { VG_MJCF_TAGS = 12, VG_MJCF_MOST_NUMBERS = 10 };

/* An element with the class that gives its defaults: attributes are its own, or those of the class and its parents. */
typedef struct vgMjcfItem {
    vgMjcf *m;
    vgXml *e;
    const char *tag[VG_MJCF_TAGS]; /* names of the default elements that apply, NULL ends */
    int cls;
} vgMjcfItem;

vgMjcfItem vg_mjcf_item(vgMjcf *m, vgXml *e, const char *tag, int childclass);
const char *vg_mjcf_text(const vgMjcfItem *it, const char *name);
int vg_mjcf_numbers(const vgMjcfItem *it, const char *name, int least, int most,
                    double *out); /* how many, 0 none */
int vg_mjcf_number(const vgMjcfItem *it, const char *name, double *out);
/* Numbers of a list that a class may give in part: the element's own take the place of the first ones. At most
 * VG_MJCF_MOST_NUMBERS; how many there are, 0 none. */
int vg_mjcf_fill(const vgMjcfItem *it, const char *name, int most, double *out);
int vg_mjcf_word(const vgMjcfItem *it, const char *name,
                 const char *word); /* 1: the attribute is this word */
/* true, false or auto (−1); absent: −1 */
int vg_mjcf_switch(const vgMjcfItem *it, const char *name);
vgPose vg_mjcf_pose(const vgMjcfItem *it); /* pos and one of quat, axisangle, euler, xyaxes, zaxis */
/* The half length of fromto, whose middle is then the place, z from its second end to its first; 0: there is none. */
double vg_mjcf_fromto(const vgMjcfItem *it, vgPose *at);
const char *vg_mjcf_name(vgMjcf *m, vgXml *e, const char *otherwise, int number);

void vg_mjcf_assets(vgMjcf *m); /* mjcf_geom.c: meshes by name */
/* mjcf_geom.c: mass and shape of a geom; with_mass: it counts for the inertia of body. frame: around the geom. */
void vg_mjcf_geom(vgMjcf *m, vgXml *e, int childclass, int body, vgPose frame, int with_mass);

void vg_mjcf_mark_contact(vgXml *e); /* what a geom says of contacts, which are reported as a whole */

/* mjcf_settings.c: included files, settings, options, default classes; 0 after a report. */
int vg_mjcf_settings(vgMjcf *m);
/* mjcf_act.c: everything behind the tree. Loops before, forces after vg_robot_finish_tree. */
void vg_mjcf_keyframe(vgMjcf *m);
void vg_mjcf_mocap(vgMjcf *m); /* mocap bodies as driven, after keyframes */
void vg_mjcf_equalities(vgMjcf *m);
void vg_mjcf_tendons(vgMjcf *m);
void vg_mjcf_forces(vgMjcf *m);
void vg_mjcf_drives(vgMjcf *m); /* mjcf_drive.c: actuators */

/* The children of all sections of a name, one after the other. */
vgXml *vg_mjcf_first_of(vgMjcf *m, const char *section, vgXml **at);
vgXml *vg_mjcf_next_of(vgXml *e, const char *section, vgXml **at);
#define VG_MJCF_EACH(e, section)                                                                             \
    vgXml *section_at, *e = vg_mjcf_first_of(m, section, &section_at);                                       \
    e && !vg_robot_failed(m->r);                                                                             \
    e = vg_mjcf_next_of(e, section, &section_at)

int vg_mjcf_site_of(const vgMjcf *m, const char *name); /* −1: there is none */
/* A joint with one coordinate; −1 after a report. */
int vg_mjcf_scalar_joint(vgMjcf *m, vgXml *e, const char *key);
/* mjcf_fluid.c: the rotation V with Vᵀ I V diagonal, by Jacobi's rotations: none where I is diagonal. */
vgMat3 vg_mjcf_principal(vgMat3 I);
/* The same file: drag of the bodies in the medium. */
void vg_mjcf_fluid(vgMjcf *m);
/* mjcf_sense.c: sensors as recorded channels, after all forces. */
void vg_mjcf_sensors(vgMjcf *m);
/* mjcf_tendon.c: springs, dampers, friction and limits of tendons. */
void vg_mjcf_tendon_forces(vgMjcf *m);
/* {tendon: [frame, frame], via: […]} of a spatial tendon without fault. */
vgNode *vg_mjcf_path(vgMjcf *m, const vgMjcfTendon *t);
/* A tension (positive: it pulls its ends together) along a spatial tendon, a law of its length x and rate v. */
void vg_mjcf_tension(vgMjcf *m, const char *name, vgLoc at, const char *with, const vgMjcfTendon *t,
                     const char *law);
/* Length (or rate) of a fixed tendon as an expression. */
const char *vg_mjcf_tendon_law(vgMjcf *m, const vgMjcfTendon *t, int rate);
/* A torque (force) along a joint; with: the switch of the model. Where the sum of a joint's actuators is bounded, it is kept
 * for that sum. */
void vg_mjcf_joint_torque(vgMjcf *m, const char *name, vgLoc at, const char *with, int joint,
                          const char *law);

#endif
