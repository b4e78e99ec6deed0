/* What exports show of a results file: bodies with their shapes in motion, beams, and the channels beside them. */
#ifndef VG_IO_EXPORT_MOTION_H
#define VG_IO_EXPORT_MOTION_H

#include "io/export/export.h"
#include "io/json_read.h"
#include "io/results.h"
#include "io/view/view_run.h"

typedef struct vgPose {
    double at[3], turn[4]; /* position; quaternion w x y z, of length one */
} vgPose;

typedef struct vgMotion {
    vgViewRun run;
    vgJsonTree *scene;
    int planar, nbody;
    int nframe;
    double *time;       /* nframe */
    vgPose *pose;       /* nframe × nbody; neighbouring quaternions have the same sign */
    double length;      /* of the whole: the largest distance from the middle that a body has */
    vgTableData *table; /* all channels, NULL: not asked for */
} vgMotion;

/* At most `frames` poses, evenly over the rows. with_table: also all channels. */
vgStatus vg_motion_read(vgMotion *motion, const char *from, long frames, int with_table, vgDiag *diag);
void vg_motion_free(vgMotion *motion);

/* Index of a body by name; −1: ground or unknown. */
int vg_motion_body(const vgMotion *motion, const char *name);
/* A frame of the scene, {position, quaternion}: the identity where something is missing. */
vgPose vg_motion_pose(const vgJsonNode *at);
vgPose vg_pose_join(vgPose outer,
                    vgPose inner); /* inner is given in outer; the result is given in the frame of outer */
/* The bodies of the nodes of a beam or cable, and where on them; how many, at most `most`. */
int vg_motion_nodes(const vgMotion *motion, const vgJsonNode *force, int most, int body[], vgPose at[]);
/* A node in world axes at a frame. */
vgPose vg_motion_node(const vgMotion *motion, int frame, int body, vgPose at);

#endif
