/* Files that are read whole, and where files may be written. */
#ifndef VG_BASE_FILE_H
#define VG_BASE_FILE_H

/* Why path cannot be read as a file ("is a directory", …), NULL if it can. Reading something that is not a regular
 * file could block or never end. */
const char *vg_file_wrong(const char *path);
/* Why nothing can be written there, NULL when something can; nothing is made or changed. */
const char *vg_file_unwritable(const char *path);

#endif
