/* What the page needs of one results file, read from HDF5 and thinned. */
#ifndef VG_IO_VIEW_RUN_H
#define VG_IO_VIEW_RUN_H

#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"

typedef struct vgViewStrings {
    int n;
    char **at;
} vgViewStrings;

enum { VG_VIEW_TEXTS = 9 };

typedef struct vgViewRun {
    const char *path;
    char *text[VG_VIEW_TEXTS]; /* by the rows of vg_view_text_names; NULL: not in the file */

    /* Poses: every so many rows of the file, the first and the last always. */
    vgViewStrings body;
    size_t nframe_file, nframe;
    double *frame_time; /* nframe */
    double *pose;       /* nframe × body.n × 7: x y z, quaternion w x y z */

    /* Channels: all rows, or two for each of nsample/2 spans of the file: the smallest and the largest value
     * in the order in which they occur. */
    vgViewStrings channel, unit;
    size_t nsample_file, nsample;
    double *sample_time; /* nsample */
    double *sample;      /* channel.n × nsample: channel after channel */
} vgViewRun;

/* The texts taken from the file, attributes of / or /view: title, status, …, scene. */
extern const char *const vg_view_text_names[VG_VIEW_TEXTS];

/* Limits keep the page small and the memory bounded: frames × bodies and samples × channels. */
vgStatus vg_view_run_read(vgViewRun *run, const char *path, size_t max_poses, size_t max_samples,
                          vgDiag *diag);
void vg_view_run_free(vgViewRun *run);

#endif
