/* The page to look at results: one self-contained HTML file with the bodies in motion and plots linked to it
 * by time. The program part of the page (viewer/) is built into the library; see cmake/viewer.cmake. */
#ifndef VG_IO_VIEW_H
#define VG_IO_VIEW_H

#include "base/diag.h"
#include "base/status.h"

/* Writes the page that shows n results files (HDF5), the first one solid and the others laid over it. The
 * file out appears whole or not at all. VG_UNSUPPORTED when the library was built without the page,
 * VG_BAD_INPUT when a file is not a results file, VG_IO when out cannot be written. */
vgStatus vg_view_write(const char *const *results, int n, const char *out, vgDiag *diag);

#endif
