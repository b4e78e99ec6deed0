/* Results files in formats of other programs: one file here and one row in cli/command/export.c a format.
 *
 * Each function reads `from`, the results file (HDF5) of a run, and writes `to`, which appears whole or not at all.
 * VG_BAD_INPUT: `from` is not a results file, or has not what the format shows; VG_IO: `to` cannot be written. The
 * reason is in diag. */
#ifndef VG_IO_EXPORT_EXPORT_H
#define VG_IO_EXPORT_EXPORT_H

#include "base/diag.h"
#include "base/status.h"

/* How much of the motion is written; 0: all of it, as far as the format has a limit of its own. */
typedef struct vgExportHow {
    long frames; /* poses at most, evenly over the rows of the file, the first and the last always */
} vgExportHow;

typedef vgStatus vgExportWriter(const char *from, const char *to, const vgExportHow *how, vgDiag *diag);

vgExportWriter vg_export_csv, vg_export_gltf, vg_export_mcap, vg_export_vtk;

#endif
