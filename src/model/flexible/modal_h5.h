/* Files of modes in HDF5. Internal to the room. */
#ifndef VERGE_MODEL_FLEXIBLE_MODAL_H5_H
#define VERGE_MODEL_FLEXIBLE_MODAL_H5_H

#include "model/read/reader.h"

int vg_modal_is_h5(const char *image, size_t n);
/* A file of modes from its bytes; loc: the file, for messages. 0 after a report. */
int vg_read_modal_h5(vgReader *r, const char *image, size_t n, vgLoc loc, vgModal *out);
/* What is wrong with the numbers of a body, NULL: nothing (modal_file.c). */
const char *vg_modal_fault(const vgModal *b);

#endif
