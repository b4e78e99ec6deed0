/* What the files of the writer share. Private to src/base/h5. */
#ifndef VG_BASE_H5_OUT_H
#define VG_BASE_H5_OUT_H

#include "base/h5/h5.h"

enum {
    VG_H5_PAGE = 4096,
    VG_H5_FANOUT = 64, /* entries of a B-tree node, the format's default for chunks */
    VG_H5_DEPTH = 10   /* 64^10 chunks */
};

typedef struct vgH5Bytes {
    unsigned char *at;
    size_t n, room;
} vgH5Bytes;

typedef struct vgH5Link {
    char *name;
    uint64_t to;
    vgH5Group *group; /* or NULL: a dataset at `to` */
    struct vgH5Link *next;
} vgH5Link;

typedef struct vgH5Text {
    char *name, *value;
    int number, is_number;
    struct vgH5Text *next;
} vgH5Text;

struct vgH5Group {
    vgH5Link *link, **last;
    vgH5Text *text;
    uint64_t at;
};

typedef struct vgH5Node {
    uint64_t at;
    int used;
    unsigned char bytes[VG_H5_PAGE];
} vgH5Node;

struct vgH5Rows {
    int rank, depth; /* depth: levels of the tree, 0: no chunk yet */
    uint64_t size[VG_H5_MAX_RANK], width, chunk_rows, at, chunk,
        sum;                      /* at: its header; chunk: the last one */
    vgH5Node *level[VG_H5_DEPTH]; /* the rightmost node of each level */
    vgH5Rows *next;
};

struct vgH5Out {
    vgOutput *output;
    vgH5Group root;
    vgH5Rows *rows;
    uint64_t end, told; /* what is used; what the superblock says */
    int named, failed;  /* named: there is a superblock */
};

/* Numbers with the lowest byte first, into memory and behind what is there. */
void vg_h5_store(unsigned char *at, uint64_t x, int bytes);
void vg_h5_put_le(vgH5Out *f, vgH5Bytes *b, uint64_t x, int bytes);
void vg_h5_le_numbers(unsigned char *to, const double *values, size_t n);
void vg_h5_write_at(vgH5Out *f, uint64_t at, const void *bytes, size_t n);
/* A place for n bytes behind everything; what may change later begins at a page. */
uint64_t vg_h5_place(vgH5Out *f, size_t n, int page);
void vg_h5_type_of_numbers(vgH5Out *f, vgH5Bytes *b);
/* grows: the first extent has no limit. */
void vg_h5_space(vgH5Out *f, vgH5Bytes *b, int rank, const uint64_t *size, int grows);
/* The header of a dataset: extents, type, when it is filled, layout, sum. */
vgH5Bytes vg_h5_dataset(vgH5Out *f, const vgH5Bytes *type, const vgH5Bytes *extents, const vgH5Bytes *layout,
                        uint64_t sum);
void vg_h5_link(vgH5Out *f, vgH5Group *group, const char *name, uint64_t to, vgH5Group *child);

#endif
