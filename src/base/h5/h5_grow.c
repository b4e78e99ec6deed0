/* Rows that grow: chunks of a B-tree, and a header that is written in place. See h5_write.c for the order of writes. */
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5_out.h"

enum {
    CHUNK = 8192,    /* numbers in a chunk, about 64 KiB */
    MOST_ROWS = 1024 /* rows in a chunk */
};

static size_t key_size(const vgH5Rows *r)
{
    return 8 + 8 * ((size_t)r->rank + 1);
}

static void write_rows_header(vgH5Out *f, vgH5Rows *r)
{
    vgH5Bytes type = {0}, extents = {0}, layout = {0};
    vg_h5_type_of_numbers(f, &type);
    vg_h5_space(f, &extents, r->rank, r->size, 1);
    vg_h5_put_le(f, &layout, 3, 1);
    vg_h5_put_le(f, &layout, r->width ? 2 : 1, 1);
    if (r->width) {
        vg_h5_put_le(f, &layout, (uint64_t)r->rank + 1, 1);
        vg_h5_put_le(f, &layout, r->depth ? r->level[r->depth - 1]->at : VG_H5_NONE, 8);
        vg_h5_put_le(f, &layout, r->chunk_rows, 4);
        for (int i = 1; i < r->rank; i++) vg_h5_put_le(f, &layout, r->size[i], 4);
        vg_h5_put_le(f, &layout, 8, 4);
    } else { /* rows without numbers take no room */
        vg_h5_put_le(f, &layout, VG_H5_NONE, 8);
        vg_h5_put_le(f, &layout, 0, 8);
    }
    vgH5Bytes b = vg_h5_dataset(f, &type, &extents, &layout, r->sum);
    if (b.n > VG_H5_PAGE) f->failed = 1;
    vg_h5_write_at(f, r->at, b.at, b.n);
    free(b.at);
    free(type.at);
    free(extents.at);
    free(layout.at);
}

vgH5Rows *vg_h5_put_rows(vgH5Out *f, vgH5Group *group, const char *name, int rank, const uint64_t *size)
{
    vgH5Rows *r = calloc(1, sizeof *r);
    if (!r) {
        f->failed = 1;
        return NULL;
    }
    r->rank = rank;
    r->width = 1;
    for (int i = 1; i < rank; i++) r->size[i] = size[i], r->width *= size[i];
    r->chunk_rows = r->width && CHUNK / r->width > 0 ? CHUNK / r->width : 1;
    if (r->chunk_rows > MOST_ROWS) r->chunk_rows = MOST_ROWS;
    r->at = vg_h5_place(f, VG_H5_PAGE, 1);
    r->next = f->rows;
    f->rows = r;
    write_rows_header(f, r);
    vg_h5_link(f, group, name, r->at, NULL);
    return r;
}

static void write_node(vgH5Out *f, const vgH5Rows *r, vgH5Node *n)
{
    vg_h5_store(n->bytes + 6, (uint64_t)n->used, 2);
    size_t size = 24 + VG_H5_FANOUT * (key_size(r) + 8) + key_size(r);
    vg_h5_write_at(f, n->at, n->bytes, size);
}

/* A new node at the right end of a level, linked with its left neighbour. */
static vgH5Node *new_node(vgH5Out *f, const vgH5Rows *r, int level, vgH5Node *left)
{
    vgH5Node *n = calloc(1, sizeof *n);
    if (!n) {
        f->failed = 1;
        return NULL;
    }
    n->at = vg_h5_place(f, VG_H5_PAGE, 1);
    memcpy(n->bytes, "TREE", 4);
    n->bytes[4] = 1;
    n->bytes[5] = (unsigned char)level;
    vg_h5_store(n->bytes + 8, left ? left->at : VG_H5_NONE, 8);
    vg_h5_store(n->bytes + 16, VG_H5_NONE, 8);
    if (left) {
        vg_h5_store(left->bytes + 16, n->at, 8);
        write_node(f, r, left);
    }
    return n;
}

/* Entry i of a node: the key of chunk `row` and the address; the key behind it is beyond every chunk that may come. */
static void set_entry(const vgH5Rows *r, vgH5Node *n, uint64_t row, uint64_t to)
{
    static const uint64_t beyond = (uint64_t)1 << 40;
    size_t key = key_size(r), at = 24 + (size_t)n->used * (key + 8);
    vg_h5_store(n->bytes + at, r->chunk_rows * r->width * 8, 4);
    vg_h5_store(n->bytes + at + 8, row, 8);
    memset(n->bytes + at + 16, 0, key - 16);
    vg_h5_store(n->bytes + at + key, to, 8);
    vg_h5_store(n->bytes + at + key + 8, 0, 8);
    vg_h5_store(n->bytes + at + key + 16, beyond * r->chunk_rows, 8);
    n->used++;
}

/* Puts a chunk (level 0) or a node behind the last of a level. A full node gets a right neighbour, which is put into
 * the level above; above the root a new root is made. Children are written before those that name them. */
static void insert(vgH5Out *f, vgH5Rows *r, int level, uint64_t row, uint64_t to)
{
    if (level == VG_H5_DEPTH || f->failed) {
        f->failed = 1;
        return;
    }
    vgH5Node *n = level < r->depth ? r->level[level] : NULL;
    if (!n) {
        n = new_node(f, r, level, NULL);
        if (!n) return;
        if (level > 0) set_entry(r, n, 0, r->level[level - 1]->at); /* the root so far */
        r->level[level] = n;
        r->depth = level + 1;
    } else if (n->used == VG_H5_FANOUT) {
        vgH5Node *right = new_node(f, r, level, n);
        if (!right) return;
        set_entry(r, right, row, to);
        write_node(f, r, right);
        insert(f, r, level + 1, row, right->at);
        free(r->level[level]);
        r->level[level] = right;
        return;
    }
    set_entry(r, n, row, to);
    write_node(f, r, n);
}

void vg_h5_append(vgH5Out *f, vgH5Rows *r, uint64_t n, const double *values)
{
    if (!r || f->failed) return;
    size_t each = 8 * (size_t)r->width;
    unsigned char *bytes = malloc((size_t)r->chunk_rows * each + 1);
    if (!bytes) f->failed = 1;
    while (n > 0 && !f->failed) {
        uint64_t in = r->width ? r->size[0] % r->chunk_rows : 0, m = r->width ? r->chunk_rows - in : n;
        if (m > n) m = n;
        if (r->width) {
            if (in == 0) {
                r->chunk = vg_h5_place(f, (size_t)r->chunk_rows * each, 0);
                insert(f, r, 0, r->size[0], r->chunk);
            }
            vg_h5_le_numbers(bytes, values, (size_t)m * (size_t)r->width);
            vg_h5_write_at(f, r->chunk + in * each, bytes, (size_t)m * each);
            r->sum = vg_h5_sum(r->sum, bytes, (size_t)m * each);
            values += m * r->width;
        }
        r->size[0] += m;
        n -= m;
    }
    free(bytes);
    if (!f->failed) write_rows_header(f, r);
}
