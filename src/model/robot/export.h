/* Models as robot files: trees of bodies with their joints, loops as equalities. What a format cannot say is reported. */
#ifndef VERGE_MODEL_ROBOT_EXPORT_H
#define VERGE_MODEL_ROBOT_EXPORT_H

#include "base/text.h"
#include "model/model.h"

typedef struct vgExportNote {
    const char *kind, *name; /* "joint", "knee" */
    vgLoc loc;
    char text[200];
} vgExportNote;

/* What acts along a joint coordinate. */
typedef struct vgExportEffort {
    double damping, stiffness, springref, armature, friction;
    int limited;
    double lower, upper;
} vgExportEffort;

typedef struct vgExport {
    const vgModel *m;
    vgText text;
    int *parent, *joint; /* [nbody] tree: parent body (−1 ground), joint to it (−1: free; −2 not reached) */
    int *loop;           /* [njoint] 1: it closes a loop */
    vgExportEffort *effort; /* [nmeasure] */
    int nnote, cap;
    vgExportNote *note;
    int failed; /* memory ran out */
} vgExport;

/* Text of the file in x->text; notes in x. 0: memory ran out. Free with vg_export_free. */
int vg_export_mjcf(const vgModel *m, vgExport *x);
int vg_export_urdf(const vgModel *m, vgExport *x);
void vg_export_free(vgExport *x);

/* For the formats. */
int vg_export_begin(vgExport *x, const vgModel *m,
                    const char *const *kinds); /* kinds: joints that the tree may have */
void vg_export_note(vgExport *x, const char *kind, const char *name, vgLoc at, const char *text);
void vg_export_numbers(vgExport *x, const char *key, int n,
                       const double *value); /* key="1 2 3" with a space before */
double vg_export_coordinate(const vgModel *m, int measure, double *rate); /* at the start */
int vg_export_joint_of(const vgModel *m, int measure);                    /* −1: of no joint */
/* The motor gain × input.NAME that a joint-torque is: its input and gain; 0: it is something else. */
int vg_export_motor(const vgModel *m, const vgForce *f, const char **input, double *gain);
/* Anchor and axis of a joint in the user's frame of its child, so that the coordinate has the joint's sign. */
void vg_export_axis(const vgModel *m, const vgJoint *j, int child, vgVec3 *anchor, vgVec3 *axis);
/* The user's frame of a body at the start, in that of another (−1: the world). */
void vg_export_pose(const vgModel *m, int body, int in, vgVec3 *p, vgMat3 *R);
/* A point of a joint's frame in the user's frame of its body. */
vgVec3 vg_export_point(const vgModel *m, const vgFrame *f);

#endif
