/* ZIP files: written with members as they are, read with members as they are or deflated. No encryption, no ZIP64.
 *
 *     vgZipOut zip;
 *     if (!vg_zip_open(&zip, path)) …errno says why
 *     vg_zip_put(&zip, "folder/name.txt", bytes, n);
 *     if (!vg_zip_close(&zip)) …errno says why; what was at path is there as before
 *
 * The same members give the same bytes: no times, no owners. */
#ifndef VG_BASE_ZIP_ZIP_H
#define VG_BASE_ZIP_ZIP_H

#include <stdint.h>

#include "base/file.h"
#include "base/text.h"

typedef struct vgZipOut {
    vgOutput file;
    vgText directory; /* what stands at the end of the file */
    unsigned n;
    int failed; /* errno of the first failure */
} vgZipOut;

int vg_zip_open(vgZipOut *zip, const char *path);
void vg_zip_put(vgZipOut *zip, const char *name, const void *bytes, size_t n);
int vg_zip_close(vgZipOut *zip);
void vg_zip_abandon(vgZipOut *zip);

/* A file that is read. */
typedef struct vgZip vgZip;

/* NULL: *why says what is wrong. */
vgZip *vg_zip_read(const char *path, const char **why);
void vg_zip_free(vgZip *zip);
int vg_zip_count(const vgZip *zip);
const char *vg_zip_name(const vgZip *zip,
                        int i); /* relative, without "..": safe to be written below a folder */
int vg_zip_find(const vgZip *zip, const char *name); /* −1: there is none */
/* The bytes of a member, malloc'ed, with a zero behind them. NULL: damaged, or out of memory. */
unsigned char *vg_zip_take(const vgZip *zip, int i, size_t *n);

/* A new folder for temporary files, with all members in it; malloc'ed name. NULL: errno says why. */
char *vg_zip_unpack(const vgZip *zip);
/* Removes the folder and what is in it, and frees its name. */
void vg_zip_remove(char *folder);

uint32_t vg_crc32(const void *bytes, size_t n);

#endif
