/* Import of robot files: URDF and MJCF as models of the program's own format. */
#ifndef VERGE_MODEL_IMPORT_H
#define VERGE_MODEL_IMPORT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

typedef enum vgImportBase { VG_BASE_DEFAULT, VG_BASE_FIXED, VG_BASE_FLOATING } vgImportBase;

/* Start of a joint, by its name in the file. nq numbers of position and nv of velocity: hinge, slide 1; ball 4 (w x y z)
 * and 3 (axes of the child); planar 3; free 7 (position, w x y z) and 6 (velocity in world axes, angular velocity in
 * body axes). "root_joint" is the floating base of a URDF. */
typedef struct vgImportStart {
    const char *joint;
    int nq, nv;
    double q[7], v[6];
} vgImportStart;

typedef struct vgImportOptions {
    vgImportBase base;          /* URDF: what the root link stands on; fixed by default */
    const char *loops;          /* file of loops; NULL: NAME.yaml beside NAME.urdf, if it has closed_loop */
    const char *const *package; /* "NAME=FOLDER" … for package://NAME/ */
    int npackage;
    const char *keyframe;       /* MJCF: where to start; NULL: as drawn */
    const vgImportStart *start; /* over both */
    int nstart;
    int strict;      /* physics that is ignored is an error */
    int summary;     /* what concerns the motion and is not used as it is, as warnings */
    int whole_paths; /* meshes are named by whole paths, not from the folder of the file */
} vgImportOptions;

typedef enum vgImportVerdict { VG_IMPORT_USED, VG_IMPORT_CHANGED, VG_IMPORT_IGNORED } vgImportVerdict;

extern const char *const vg_import_verdicts[3]; /* their names */

typedef struct vgImportNote {
    vgImportVerdict verdict;
    int physics; /* it has to do with the motion */
    vgLoc loc;
    const char *text;
} vgImportNote;

/* What became of the elements of the file; grows in its pool. */
typedef struct vgImportReport {
    int n, cap;
    vgImportNote *note;
    int used, changed, ignored, ignored_physics; /* counts */
    const char *format;                          /* "URDF", "MJCF" */
    int bodies, joints, moving, loops, couplings, forces;
    double mass; /* of all links, also of those that do not move */
} vgImportReport;

/* 1: the text begins as XML does, after blanks. */
int vg_import_is_robot(const char *text, size_t n);

struct vgNode;
/* The spec of a robot file; NULL with diagnostics. path: where the text stands, NULL: nowhere. Everything is in pool.
 * text_out: the same as YAML. report may be NULL. */
struct vgNode *vg_import_spec(vgPool *pool, const char *text, size_t n, const char *name, const char *path,
                              const vgImportOptions *options, vgDiag *diag, vgImportReport *report,
                              char **text_out);

/* A robot file as the text of a model, in pool; NULL with diagnostics. */
char *vg_import_file(vgPool *pool, const char *path, const vgImportOptions *options, vgDiag *diag,
                     vgImportReport *report);

#endif
