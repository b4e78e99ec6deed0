/* One row per results format: what a format must be able to do. Private to src/io/results*.c. */
#ifndef VG_IO_RESULTS_FORMAT_H
#define VG_IO_RESULTS_FORMAT_H

#include "io/results.h"

typedef struct vgResultsFormat {
    const char *ending;                                           /* ".h5" */
    void *(*create)(const char *path, const vgResultsHead *head); /* NULL: could not */
    /* n rows more; on return they are on their way to the disk */
    vgStatus (*write)(void *file, long n, const double *time, const double *values, const double *poses);
    vgStatus (*close)(void *file, const char *status, const char *statistics);
    vgStatus (*read)(const char *path, vgDiag *diag, vgTableData *table);
} vgResultsFormat;

extern const vgResultsFormat vg_results_h5, vg_results_hdf5, vg_results_csv;

/* Names and units of ncol columns, all empty; value left to the format. 0: out of memory. */
int vg_data_columns(vgTableData *table, int ncol);
/* 1: nobody is writing the file, which now exists. 0: errno says why (EWOULDBLOCK: somebody is). */
int vg_results_free(const char *path);
char *vg_results_strdup(const char *text, size_t n);

enum { VG_TABLE_MAX_COLUMNS = 1 << 20 };
#define VG_TABLE_MAX_BYTES ((size_t)1 << 33)

#endif
