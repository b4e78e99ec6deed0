/* HDF5 files without the HDF5 library: the part of the format that Verge writes, and what older versions, h5py and
 * the HDF5 library write in its place, is read. Any bytes are safe to open: every address, length and count is
 * checked before it is used, work and memory are bounded by the size of the file.
 *
 * Read: superblocks 0 to 3; groups as symbol tables or lists of links; datasets that are compact, contiguous, or in
 * chunks, plain or with the filters deflate (gzip), shuffle and fletcher32; integers, floats, texts of fixed and of
 * variable length. Anything else is refused in words. What is compressed is expanded when it is opened: at most 1 GB, and
 * at most what deflate can make of a file of that size.
 *
 * Damage: object headers and the superblock that Verge writes have the checksums of the format (Jenkins' lookup3).
 * Each dataset has an attribute "sum" over the bytes of its rows (vg_h5_sum), so that a changed byte anywhere is
 * found. Files without "sum" are read without that check.
 *
 * Reference: The HDF Group, HDF5 File Format Specification Version 3.0. */
#ifndef VG_BASE_H5_H
#define VG_BASE_H5_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "base/status.h"

enum { VG_H5_MAX_RANK = 3 };

/* ---- reading ---- */

typedef struct vgH5 vgH5;
typedef uint64_t vgH5Object; /* address of an object's header */

/* VG_OK, VG_NO_MEMORY, VG_IO (cannot be opened) or VG_BAD_INPUT (not HDF5, cut, damaged): *why says it. */
vgStatus vg_h5_open(const char *path, vgH5 **out, const char **why);
/* From bytes, which stay the caller's and must outlive it. */
vgStatus vg_h5_open_image(const void *bytes, size_t n, vgH5 **out, const char **why);
void vg_h5_close(vgH5 *file);
/* Why the last call did not return VG_OK; "" otherwise. */
const char *vg_h5_why(const vgH5 *file);
vgH5Object vg_h5_root(const vgH5 *file);

int vg_h5_is_group(vgH5 *file, vgH5Object object);
#define VG_H5_NONE UINT64_MAX
/* A member of a group by name (no '/'); *out is VG_H5_NONE if it has none. */
vgStatus vg_h5_find(vgH5 *file, vgH5Object group, const char *name, vgH5Object *out);
/* Calls take for each member, in the order in which the file lists them, until it returns something else than VG_OK. */
vgStatus vg_h5_list(vgH5 *file, vgH5Object group, vgStatus (*take)(void *user, const char *name, vgH5Object),
                    void *user);

/* An attribute, or else a dataset, that is one text: malloc'ed; NULL if there is neither. */
vgStatus vg_h5_text(vgH5 *file, vgH5Object object, const char *name, char **out);
/* An attribute that is one number; *found: there is one. */
vgStatus vg_h5_number(vgH5 *file, vgH5Object object, const char *name, int *found, double *out);

enum { VG_H5_INTEGER, VG_H5_FLOAT, VG_H5_TEXT, VG_H5_VARIABLE_TEXT };

typedef struct vgH5Type {
    int kind;
    uint32_t size; /* bytes of an element in the file */
    int swapped;   /* most significant byte first */
    int is_signed;
} vgH5Type;

typedef struct vgH5Set {
    vgH5Type type;
    int rank;
    uint64_t size[VG_H5_MAX_RANK]; /* ones behind the rank */
    uint64_t width;                /* elements in a row: size[1]·size[2] */
    /* private: where the rows are, and the sum over those read so far */
    int layout, has_sum;
    uint64_t address, chunk_rows, nchunk, *chunk; /* chunk: addresses */
    uint64_t unwritten;                           /* chunks that are not in the file: zeros */
    unsigned char *compact;
    uint64_t sum, hash, hashed;
} vgH5Set;

/* Extents are checked: rows·width·size does not overflow, and what the file cannot hold is refused. */
vgStatus vg_h5_set(vgH5 *file, vgH5Object object, vgH5Set *out);
void vg_h5_set_free(vgH5Set *set);
/* n rows from first on, as doubles. */
vgStatus vg_h5_rows(vgH5 *file, vgH5Set *set, uint64_t first, uint64_t n, double *out);
/* All texts of a set of rank 0 or 1, in one block to free() (*n pointers, then the texts). */
vgStatus vg_h5_texts(vgH5 *file, vgH5Set *set, uint64_t *n, char ***out);
/* Reads what has not been read and compares the sum: VG_BAD_INPUT if the rows are not those that were written. */
vgStatus vg_h5_check(vgH5 *file, vgH5Set *set);

/* ---- writing ----
 *
 * The file can be read at any moment after the first vg_h5_commit, also if the process is killed: what changes in
 * place lies within one page of 4096 bytes, everything else is written behind and named afterwards. A failure is kept
 * in the vgOutput; check once at the end. */

typedef struct vgH5Out vgH5Out;
typedef struct vgH5Group vgH5Group;
typedef struct vgH5Rows vgH5Rows;

vgH5Out *vg_h5_create(vgOutput *output); /* NULL: out of memory */
vgH5Group *vg_h5_top(vgH5Out *file);
vgH5Group *vg_h5_group(vgH5Out *file, vgH5Group *parent, const char *name);
/* An attribute of a group; a text beyond VG_H5_LONG_TEXT bytes, which no attribute can hold, is a dataset of that name.
 * A second text of the same name replaces the first at the next commit. */
enum { VG_H5_LONG_TEXT = 60000 };
void vg_h5_put_text(vgH5Out *file, vgH5Group *group, const char *name, const char *text);
void vg_h5_put_integer(vgH5Out *file, vgH5Group *group, const char *name, int value);
void vg_h5_put_numbers(vgH5Out *file, vgH5Group *group, const char *name, int rank, const uint64_t *size,
                       const double *values);
void vg_h5_put_texts(vgH5Out *file, vgH5Group *group, const char *name, int n, const char *const *texts);
/* Rows that grow: size[0] is 0, size[1…] the shape of a row. */
vgH5Rows *vg_h5_put_rows(vgH5Out *file, vgH5Group *group, const char *name, int rank, const uint64_t *size);
void vg_h5_append(vgH5Out *file, vgH5Rows *rows, uint64_t n, const double *values);
/* Groups, texts and datasets made so far can be found from now on. 0: failed. */
int vg_h5_commit(vgH5Out *file);
int vg_h5_good(const vgH5Out *file); /* nothing has failed so far */
/* The last commit; cuts what was reserved. Frees file in every case, not the output. */
int vg_h5_finish(vgH5Out *file);
void vg_h5_discard(vgH5Out *file);
/* Finishes (NULL: out of memory) and closes the output: VG_OK, VG_NO_MEMORY, or VG_IO with errno. */
vgStatus vg_h5_end(vgH5Out *file, vgOutput *output);

/* h continued over n bytes. Words of 8 bytes, lowest byte first, the last one filled with zeros:
 * h ← (h ⊕ word)·p, h ← h ⊕ h>>32, with p = 0x9E3779B97F4A7C15; one-to-one in each word, so that a change of any
 * one word changes it. Starts from 0. Pieces in between have whole words. */
uint64_t vg_h5_sum(uint64_t h, const void *bytes, size_t n);
/* Jenkins' lookup3, the checksum of the format. */
uint32_t vg_h5_lookup3(const void *bytes, size_t n);

#endif
