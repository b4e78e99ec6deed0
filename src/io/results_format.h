/* One row per results format: what a format must be able to do. Private to src/io/results*.c. */
#ifndef VG_IO_RESULTS_FORMAT_H
#define VG_IO_RESULTS_FORMAT_H

#include "base/arena.h"
#include "base/file.h"
#include "io/results.h"

typedef struct vgResultsFormat {
    const char *ending; /* ".h5" */
    /* Writes the head; NULL: could not, output->error says why (0: out of memory) */
    void *(*create)(vgOutput *output, const vgResultsHead *head);
    /* n rows more; on return they are on their way to the disk */
    vgStatus (*write)(void *file, long n, const double *time, const double *values, const double *poses);
    vgStatus (*close)(void *file, const char *status,
                      const char *statistics); /* frees file, not the output */
    vgStatus (*read)(const char *path, vgDiag *diag, vgTableData *table);
} vgResultsFormat;

extern const vgResultsFormat vg_results_h5, vg_results_hdf5, vg_results_csv;

/* Names and units of ncol columns, all empty; value left to the format. 0: out of memory. */
int vg_data_columns(vgTableData *table, int ncol);
char *vg_results_strdup(const char *text, size_t n);

enum { VG_TABLE_MAX_COLUMNS = 1 << 20 };
#define VG_TABLE_MAX_BYTES VG_BYTES_2_TO(33)

#endif
