/* Files: which can be read, where something may be written, and writing that never leaves half a file.
 *
 *     vgOutput out;
 *     if (!vg_output_open(&out, path)) …errno says why
 *     vg_output_put(&out, bytes, n);
 *     if (!vg_output_close(&out)) …errno says why; what was at path is there as before
 *
 * Everything is written to PATH.part beside and renamed at the close: a kill, a full disk or an error leaves the old
 * file or the new one. A link is followed, what it points to is replaced; a device or pipe is written as it is. */
#ifndef VG_BASE_FILE_H
#define VG_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The words for an errno; those for memory are ours, by which others know that the input is not at fault. */
const char *vg_file_why(int number);
/* Why path cannot be read as a file ("is a directory", …), NULL if it can. Reading something that is not a regular
 * file could block or never end. */
const char *vg_file_wrong(const char *path);
/* Why nothing can be written there, NULL when something can; nothing is made or changed. *misnamed: there is no such
 * folder, or it is one itself. */
const char *vg_file_unwritable(const char *path, int *misnamed);

typedef struct vgOutput {
    int fd; /* −1: closed */
    char *path,
        *part; /* where it goes, links followed; where it is written: part == path if it is there already */
    uint64_t end; /* bytes written by vg_output_put */
    int replaces; /* something was there */
    int error;    /* errno of the first failure, 0: none */
} vgOutput;

/* 1, or 0 with errno: EBUSY if another process is writing the same file. */
int vg_output_open(vgOutput *out, const char *path);
int vg_output_put(vgOutput *out, const void *bytes, size_t n);             /* behind what was put before */
int vg_output_at(vgOutput *out, uint64_t at, const void *bytes, size_t n); /* anywhere */
int vg_output_resize(vgOutput *out, uint64_t size);                        /* cut, or a hole behind */
/* A hole up to *got: `most`, or `least` if that is too far. */
int vg_output_extend(vgOutput *out, uint64_t most, uint64_t least, uint64_t *got);
/* Under its own name from now on, unless that would replace something: a growing file can then be read there. */
int vg_output_publish(vgOutput *out);
/* 1: the file is at path, whole. 0 with errno: something failed, and what was at path before is there. */
int vg_output_close(vgOutput *out);
/* Gives up. What was not published yet is removed. */
void vg_output_abandon(vgOutput *out);
/* The same, but what was written stays at out->part, which is copied to left[] ("" where nothing stays). */
void vg_output_leave(vgOutput *out, char *left, size_t room);

/* A whole file at once; 0 with errno. */
int vg_file_write(const char *path, const void *bytes, size_t n);

#endif
