/* Datasets in chunks of any shape, as h5py and the HDF5 library write them on request, with the filters deflate, shuffle
 * and Fletcher's sum. All chunks are expanded when the dataset is opened, into one block of the size of the dataset. */
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5_file.h"
#include "base/h5/inflate.h"

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER32 = 3, MOST_FILTERS = 8 };
enum {
    MOST_RATIO = 1032, /* deflate makes at most so many bytes of one */
    LARGEST = 1 << 30  /* bytes of an expanded dataset: mode shapes of thousands of nodes have a few MB */
};

typedef struct Filters {
    int n, id[MOST_FILTERS];
} Filters;

static vgStatus damaged(vgH5 *file, const char *why)
{
    return vg_h5_refuse(file, VG_BAD_INPUT, why);
}

static vgStatus read_filters(vgH5 *file, const vgH5Message *m, Filters *f)
{
    enum { OWN_NAMES = 256 }; /* version 2 leaves the names of the library's own filters out */
    int version = m->at[0];
    f->n = m->at[1];
    size_t at = version == 1 ? 8 : 2;
    if ((version != 1 && version != 2) || f->n > MOST_FILTERS)
        return damaged(file, "its filters are damaged");
    for (int i = 0; i < f->n; i++) {
        if (m->n < at + 8) return damaged(file, "its filters are damaged");
        f->id[i] = (int)vg_h5_le(m->at + at, 2);
        int named = version == 1 || f->id[i] >= OWN_NAMES;
        size_t name = named ? (size_t)vg_h5_le(m->at + at + 2, 2) : 0;
        const unsigned char *rest = m->at + at + (named ? 4 : 2);
        size_t values = (size_t)vg_h5_le(rest + 2, 2);
        if (version == 1) name = (name + 7) / 8 * 8, values += values % 2;
        at += (named ? 8 : 6) + name + 4 * values;
        if (f->id[i] != DEFLATE && f->id[i] != SHUFFLE && f->id[i] != FLETCHER32)
            return damaged(file, "it is compressed in another way than deflate (gzip), which is not read");
    }
    return VG_OK;
}

/* Fletcher's sum over words of two bytes, the higher one first. */
static uint32_t fletcher32(const unsigned char *at, size_t n)
{
    enum { PIECE = 360 }; /* words whose sums do not overflow */
    uint32_t a = 0, b = 0;
    for (size_t i = 0; i < n;) {
        for (int k = 0; k < PIECE && i < n; k++, i += 2) {
            a += (uint32_t)at[i] << 8 | (i + 1 < n ? at[i + 1] : 0u);
            b += a;
        }
        a = (a & 0xffff) + (a >> 16);
        b = (b & 0xffff) + (b >> 16);
    }
    a = (a & 0xffff) + (a >> 16);
    b = (b & 0xffff) + (b >> 16);
    return b << 16 | a;
}

/* All first bytes of the elements, then all second ones, … → elements. A rest that is no whole element stays. */
static void unshuffle(const unsigned char *in, unsigned char *out, size_t n, size_t size)
{
    size_t count = n / size;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < size; k++) out[i * size + k] = in[k * count + i];
    memcpy(out + count * size, in + count * size, n - count * size);
}

/* A chunk of `used` bytes in buffer[0] through the filters backwards; the result, `bytes` long, is in buffer[*in]. */
static int unfilter(const Filters *f, unsigned skipped, size_t used, size_t bytes, size_t size,
                    unsigned char *buffer[2], int *in)
{
    size_t sum = 0; /* bytes of Fletcher's sum that are still behind the data where deflate ends */
    *in = 0;
    for (int i = 0; i < f->n; i++) sum += f->id[i] == FLETCHER32 && !(skipped >> i & 1) ? 4 : 0;
    for (int i = f->n - 1; i >= 0; i--) {
        unsigned char *from = buffer[*in], *to = buffer[1 - *in];
        if (skipped >> i & 1) continue;
        if (f->id[i] == FLETCHER32) {
            if (used < 4 || fletcher32(from, used - 4) != (uint32_t)vg_h5_le(from + used - 4, 4)) return 0;
            used -= 4;
            sum -= 4;
            continue;
        }
        if (f->id[i] == DEFLATE) {
            if (!vg_inflate(from, used, to, bytes + sum)) return 0;
            used = bytes + sum;
        } else {
            unshuffle(from, to, used, size);
        }
        *in = 1 - *in;
    }
    return used == bytes;
}

typedef struct Expand {
    vgH5 *file;
    vgH5Set *set;
    const Filters *filters;
    uint64_t shape[VG_H5_MAX_RANK]; /* of a chunk, in elements; ones behind the rank */
    size_t bytes, room;             /* of a chunk; of a buffer */
    unsigned char *buffer[2];
    uint64_t chunks, entries; /* that may still come: none twice, no circles */
} Expand;

/* The part of a chunk that lies inside the extents goes to its place. */
static void place(const Expand *x, const uint64_t offset[VG_H5_MAX_RANK], const unsigned char *chunk)
{
    const vgH5Set *s = x->set;
    uint64_t n[VG_H5_MAX_RANK];
    for (int k = 0; k < VG_H5_MAX_RANK; k++)
        n[k] = s->size[k] - offset[k] < x->shape[k] ? s->size[k] - offset[k] : x->shape[k];
    for (uint64_t i = 0; i < n[0]; i++)
        for (uint64_t j = 0; j < n[1]; j++) {
            uint64_t from = (i * x->shape[1] + j) * x->shape[2];
            uint64_t to = ((offset[0] + i) * s->size[1] + offset[1] + j) * s->size[2] + offset[2];
            memcpy(s->compact + to * s->type.size, chunk + from * s->type.size, n[2] * s->type.size);
        }
}

static vgStatus take_chunk(Expand *x, const unsigned char *key, uint64_t at)
{
    uint64_t used = vg_h5_le(key, 4), offset[VG_H5_MAX_RANK] = {0};
    unsigned skipped = (unsigned)vg_h5_le(key + 4, 4);
    int in = 0;
    for (int k = 0; k < x->set->rank; k++) {
        offset[k] = vg_h5_le(key + 8 + 8 * (size_t)k, 8);
        if (offset[k] % x->shape[k]) return damaged(x->file, "the list of its chunks is damaged");
        if (offset[k] >= x->set->size[k]) return VG_OK; /* the dataset was made smaller */
    }
    if (used > x->room || x->chunks-- == 0) return damaged(x->file, "the list of its chunks is damaged");
    vgStatus st = vg_h5_get(x->file, at, x->buffer[0], (size_t)used);
    if (st != VG_OK) return st;
    if (!unfilter(x->filters, skipped, (size_t)used, x->bytes, x->set->type.size, x->buffer, &in))
        return damaged(x->file, "a compressed chunk is damaged");
    place(x, offset, x->buffer[in]);
    return VG_OK;
}

static vgStatus take_tree(Expand *x, uint64_t at, int above)
{
    enum { HEAD = 24 };
    unsigned char head[HEAD];
    size_t key = 8 + 8 * ((size_t)x->set->rank + 1);
    vgStatus st = vg_h5_get(x->file, at, head, HEAD);
    if (st != VG_OK) return st;
    int level = head[5], n = (int)vg_h5_le(head + 6, 2);
    if (memcmp(head, "TREE", 4) != 0 || head[4] != 1 || level >= above)
        return damaged(x->file, "the list of its chunks is damaged");
    for (int i = 0; i < n && st == VG_OK; i++) {
        unsigned char entry[8 + 8 * (VG_H5_MAX_RANK + 1) + 8];
        if (x->entries-- == 0) return damaged(x->file, "it has more chunks than its extents");
        st = vg_h5_get(x->file, at + HEAD + (uint64_t)i * (key + 8), entry, key + 8);
        if (st != VG_OK) break;
        uint64_t to = vg_h5_le(entry + key, 8);
        st = level ? take_tree(x, to, level) : take_chunk(x, entry, to);
    }
    return st;
}

/* The shape of a chunk, and room for one before and behind the filters. */
static vgStatus prepare(Expand *x, const unsigned char *at, size_t n, uint64_t whole)
{
    size_t rank = (size_t)x->set->rank + 1;
    if (n < 11 + 4 * rank || at[2] != rank || x->set->rank < 1)
        return damaged(x->file, "the shape of its chunks is damaged");
    uint64_t bytes = x->set->type.size, chunks = 1;
    for (int k = 0; k < VG_H5_MAX_RANK; k++) {
        x->shape[k] = k < x->set->rank ? vg_h5_le(at + 11 + 4 * (size_t)k, 4) : 1;
        if (x->shape[k] == 0 || bytes > LARGEST / x->shape[k])
            return damaged(x->file, "its chunks are too large");
        bytes *= x->shape[k];
        chunks *= (x->set->size[k] + x->shape[k] - 1) / x->shape[k];
    }
    if (vg_h5_le(at + 11 + 4 * rank - 4, 4) != x->set->type.size)
        return damaged(x->file, "the shape of its chunks is damaged");
    if (bytes / MOST_RATIO > x->file->size || whole / MOST_RATIO > x->file->size || whole > LARGEST)
        return damaged(x->file, "it is larger than the file can hold, or than 1 GB");
    enum { WORSE = 1024 }; /* what does not compress gets a little longer */
    x->bytes = (size_t)bytes;
    x->room = x->bytes + x->bytes / 512 + WORSE;
    x->chunks = chunks;
    x->entries = 16 + x->file->size / 24;
    x->buffer[0] = malloc(x->room);
    x->buffer[1] = malloc(x->room);
    x->set->compact = calloc(1, (size_t)whole + 1);
    return x->buffer[0] && x->buffer[1] && x->set->compact
               ? VG_OK
               : vg_h5_refuse(x->file, VG_NO_MEMORY, "out of memory");
}

vgStatus vg_h5_expand(vgH5 *file, const vgH5Message *layout, const vgH5Message *filters, vgH5Set *set)
{
    enum { DEEPEST = 16, CHUNKED = 2, VERSION = 3 };
    Filters f = {0};
    Expand x = {.file = file, .set = set, .filters = &f};
    uint64_t whole = set->size[0] * set->width * set->type.size;
    vgStatus st = filters ? read_filters(file, filters, &f) : VG_OK;
    if (st == VG_OK && (layout->n < 2 || layout->at[0] != VERSION || layout->at[1] != CHUNKED))
        st = damaged(file, "its layout has an unusual form, which is not read");
    if (st == VG_OK) st = prepare(&x, layout->at, layout->n, whole);
    uint64_t tree = st == VG_OK ? vg_h5_le(layout->at + 3, 8) : VG_H5_NONE;
    if (st == VG_OK && tree != VG_H5_NONE) st = take_tree(&x, tree, DEEPEST);
    if (st == VG_OK && x.chunks) st = damaged(file, "a part of it was never written");
    set->layout = 0; /* as if it were in the header */
    free(x.buffer[0]);
    free(x.buffer[1]);
    return st;
}
