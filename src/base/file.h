/* Files that are read whole. */
#ifndef VG_BASE_FILE_H
#define VG_BASE_FILE_H

/* Why path cannot be read as a file ("is a directory", …), NULL when it can: what is not a plain file could
 * keep the reader waiting, or never end. */
const char *vg_file_wrong(const char *path);

#endif
