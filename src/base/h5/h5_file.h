/* What the files of the reader share. Private to src/base/h5. */
#ifndef VG_BASE_H5_FILE_H
#define VG_BASE_H5_FILE_H

#include <stdio.h>

#include "base/h5/h5.h"

struct vgH5 {
    FILE *file;                 /* or */
    const unsigned char *image; /* all of it */
    uint64_t size, root;
    uint64_t left; /* blocks that may still be read: a damaged file could lead in circles */
    char why[200];
};

/* A message of an object header. */
typedef struct vgH5Message {
    int type;
    size_t n;
    const unsigned char *at;
} vgH5Message;

enum { VG_H5_MAX_BLOCKS = 4096 }; /* continuations of an object header */

typedef struct vgH5Header {
    int nmessage, room, nblock;
    vgH5Message *message;
    unsigned char **block;
} vgH5Header;

enum {
    VG_H5_SPACE = 1,
    VG_H5_LINK_INFO = 2,
    VG_H5_TYPE = 3,
    VG_H5_OLD_FILL = 4,
    VG_H5_FILL = 5,
    VG_H5_LINK = 6,
    VG_H5_EXTERNAL = 7,
    VG_H5_LAYOUT = 8,
    VG_H5_FILTERS = 11,
    VG_H5_ATTRIBUTE = 12,
    VG_H5_CONTINUATION = 16,
    VG_H5_SYMBOLS = 17
};

uint64_t vg_h5_le(const unsigned char *at, int bytes); /* lowest byte first */
vgStatus vg_h5_refuse(vgH5 *file, vgStatus status, const char *why);
/* n bytes at an address, all inside the file. */
vgStatus vg_h5_get(vgH5 *file, uint64_t at, void *to, size_t n);
vgStatus vg_h5_header(vgH5 *file, vgH5Object object, vgH5Header *out);
void vg_h5_header_free(vgH5Header *header);
/* The first message of a type, NULL: none. */
const vgH5Message *vg_h5_message(const vgH5Header *header, int type);
/* A dataset in chunks whose type and extents are known: all of it to set->compact. filters may be NULL. */
vgStatus vg_h5_expand(vgH5 *file, const vgH5Message *layout, const vgH5Message *filters, vgH5Set *set);

#endif
