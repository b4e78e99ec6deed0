/* Results files: rows of named channels, and the poses of all bodies for the viewer.
 *
 *     vg_results_create("run.h5", &head, diag, &results);     .h5, .hdf5 or .csv
 *     vg_results_row(results, t, values, poses);              buffered; written every half second or 4096 rows
 *     vg_results_close(results, "ok", statistics_json, diag);
 *
 * A run that is killed leaves a readable file with the rows of the last flush and status "running". A file that was
 * there before is kept until the run has ended: until then the new one grows in PATH.part.
 *
 * HDF5 layout: attributes of /: verge_version, title, model_text, coordinates, constraints, integrator,
 * statistics (JSON), status; datasets /time [n], /data [n × channels], /channels, /units; /view/poses
 * [n × bodies × 7] (origin of the body's own frame x y z, quaternion w x y z), /view/bodies, /view@scene
 * (JSON). Texts have a fixed size and are UTF-8; one that an attribute cannot hold is a dataset of its name. Each
 * dataset has the attribute `sum` over its bytes (base/h5/h5.h): damage is found when it is read. CSV: one line "time [s],name [unit],…", then numbers that read back the same. */
#ifndef VG_IO_RESULTS_H
#define VG_IO_RESULTS_H

#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"

typedef struct vgResultsHead {
    const char *title, *model_text, *coordinates, *constraints, *integrator; /* NULL: "" */
    int nchannel;
    const char *const *channel, *const *unit;
    int nbody; /* bodies of the view, 0: none */
    const char *const *body;
    const char *scene; /* JSON, NULL: none */
} vgResultsHead;

typedef struct vgResults vgResults;

/* Whether the name ends in a known format. */
int vg_results_named(const char *path);
/* The same; says so in diag otherwise. Nothing is created. */
vgStatus vg_results_check(const char *path, vgDiag *diag);
vgStatus vg_results_create(const char *path, const vgResultsHead *head, vgDiag *diag, vgResults **out);
/* values: nchannel; poses: 7·nbody (NULL when nbody is 0). VG_IO when a flush failed. */
vgStatus vg_results_row(vgResults *results, double t, const double *values, const double *poses);
vgStatus vg_results_flush(vgResults *results);
/* Writes what is left and closes; frees results in every case. What failed is said in diag, also if it was a row. */
vgStatus vg_results_close(vgResults *results, const char *status, const char *statistics, vgDiag *diag);

/* A table read back. Column 0 is time. */
typedef struct vgTableData {
    int ncol;
    long nrow;
    char **name, **unit;
    double *value; /* nrow × ncol, row-major */
    char *title, *status;
} vgTableData;

/* .h5/.hdf5 as written here; .csv with a header line, units in [brackets] optional, lines of # skipped. */
vgStatus vg_data_read(const char *path, vgDiag *diag, vgTableData **out);
void vg_data_free(vgTableData *table);
int vg_data_find(const vgTableData *table, const char *name); /* column, −1 none */
/* The poses of an HDF5 results file: *poses is nrow × nbody × 7 (free with free()); also the scene's JSON. */
vgStatus vg_data_poses(const char *path, vgDiag *diag, long *nrow, int *nbody, double **poses, char **scene);

/* Matrices and lists of texts, each a dataset of its name in an HDF5 file of its own; attribute `title`. VG_IO with
 * errno. */
typedef struct vgNamedMatrix {
    const char *name;
    int m, n;            /* rows, columns; n < 0: a list of m numbers, or of m texts */
    const double *value; /* row-major */
    const char *const *text;
} vgNamedMatrix;
vgStatus vg_matrices_write(const char *path, const char *title, int n, const vgNamedMatrix *set);

#endif
