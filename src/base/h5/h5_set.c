/* Datasets and attributes: types, extents, where the rows are, their sum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5_file.h"

enum { COMPACT = 0, CONTIGUOUS = 1, CHUNKED = 2 };
enum { PIECE = 1 << 16 }; /* bytes read at a time where rows are only summed or converted */

static const uint64_t most_bytes = (uint64_t)1 << 40;

static vgStatus damaged(vgH5 *file, const char *why)
{
    return vg_h5_refuse(file, VG_BAD_INPUT, why);
}

/* ---- types and extents ---- */

static vgStatus read_type(vgH5 *file, const unsigned char *at, size_t n, vgH5Type *type)
{
    enum { INTEGER = 0, FLOATING = 1, STRING = 3, VARIABLE = 9 };
    *type = (vgH5Type){0};
    if (n < 8) return damaged(file, "a type is too short");
    int kind = at[0] & 15, bits = at[1];
    type->size = (uint32_t)vg_h5_le(at + 4, 4);
    type->swapped = bits & 1;
    if (kind == INTEGER) {
        if (n < 12) return damaged(file, "a type is too short");
        type->kind = VG_H5_INTEGER;
        type->is_signed = bits >> 3 & 1;
        if (type->size < 1 || type->size > 8 || vg_h5_le(at + 8, 2) != 0 ||
            vg_h5_le(at + 10, 2) != 8 * type->size)
            return damaged(file, "integers have an unusual form, which is not read");
    } else if (kind == FLOATING) {
        static const unsigned char f4[12] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0};
        static const unsigned char f8[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
        type->kind = VG_H5_FLOAT;
        int known = n >= 20 && !(bits & 0x40) && at[2] == 8 * type->size - 1 &&
                    ((type->size == 4 && memcmp(at + 8, f4, 12) == 0) ||
                     (type->size == 8 && memcmp(at + 8, f8, 12) == 0));
        if (!known) return damaged(file, "numbers are not of IEEE 754 in 4 or 8 bytes");
    } else if (kind == STRING) {
        type->kind = VG_H5_TEXT;
        if (type->size < 1 || type->size > file->size) return damaged(file, "texts are longer than the file");
    } else if (kind == VARIABLE && (bits & 15) == 1) {
        type->kind = VG_H5_VARIABLE_TEXT;
        if (type->size != 16) return damaged(file, "texts have an unusual form, which is not read");
    } else {
        return damaged(file, "a type is neither a number nor a text");
    }
    return VG_OK;
}

/* Extents of a message; a null dataspace is a list of none. */
static vgStatus read_space(vgH5 *file, const unsigned char *at, size_t n, vgH5Set *set)
{
    if (n < 4 || (at[0] != 1 && at[0] != 2)) return damaged(file, "extents are damaged");
    size_t start = at[0] == 1 ? 8 : 4;
    set->rank = at[1];
    if (set->rank > VG_H5_MAX_RANK) return damaged(file, "a dataset has more than three dimensions");
    if (n < start + 8 * (size_t)set->rank) return damaged(file, "extents are damaged");
    set->size[0] = set->size[1] = set->size[2] = 1;
    for (int i = 0; i < set->rank; i++) set->size[i] = vg_h5_le(at + start + 8 * (size_t)i, 8);
    if (at[0] == 2 && at[3] == 2) set->rank = 1, set->size[0] = 0;
    uint64_t bytes = set->type.size;
    set->width = 1;
    for (int i = 0; i < VG_H5_MAX_RANK; i++) {
        if (set->size[i] > most_bytes || (set->size[i] && bytes > most_bytes / set->size[i]))
            return damaged(file, "extents are too large");
        bytes *= set->size[i] ? set->size[i] : 1;
        if (i) set->width *= set->size[i];
    }
    return VG_OK;
}

/* ---- chunks ---- */

typedef struct Tree {
    vgH5 *file;
    vgH5Set *set;
    size_t key;    /* bytes of a key */
    uint64_t next; /* chunks in order: none before this one may follow */
    uint64_t left;
} Tree;

static vgStatus chunk_leaf(Tree *t, const unsigned char *key, uint64_t to)
{
    vgH5Set *s = t->set;
    uint64_t bytes = s->chunk_rows * s->width * s->type.size, row = vg_h5_le(key + 8, 8),
             i = row / s->chunk_rows;
    if (row % s->chunk_rows || i < t->next || vg_h5_le(key, 4) != bytes || vg_h5_le(key + 4, 4) != 0)
        return damaged(t->file, "the list of its chunks is damaged");
    for (int k = 1; k <= s->rank; k++)
        if (vg_h5_le(key + 8 + 8 * (size_t)k, 8) != 0)
            return damaged(t->file, "the list of its chunks is damaged");
    if (to > t->file->size || bytes > t->file->size - to)
        return damaged(t->file, "a chunk lies beyond the end of the file");
    t->next = i + 1;
    if (i < s->nchunk) s->chunk[i] = to; /* one behind the extent is about to be written */
    return VG_OK;
}

static vgStatus chunk_tree(Tree *t, uint64_t at, int above)
{
    enum { HEAD = 24, MOST = 65536 };
    unsigned char head[HEAD];
    if (t->left-- == 0) return damaged(t->file, "the list of its chunks goes in a circle");
    vgStatus st = vg_h5_get(t->file, at, head, HEAD);
    if (st != VG_OK) return st;
    int level = head[5], n = (int)vg_h5_le(head + 6, 2);
    if (memcmp(head, "TREE", 4) != 0 || head[4] != 1 || level >= above)
        return damaged(t->file, "the list of its chunks is damaged");
    for (int i = 0; i < n && st == VG_OK; i++) {
        unsigned char entry[8 + 8 * (VG_H5_MAX_RANK + 1) + 8];
        st = vg_h5_get(t->file, at + HEAD + (uint64_t)i * (t->key + 8), entry, t->key + 8);
        if (st != VG_OK) break;
        uint64_t to = vg_h5_le(entry + t->key, 8);
        st = level ? chunk_tree(t, to, level) : chunk_leaf(t, entry, to);
    }
    return st;
}

/* A killed run of an older version may have announced rows that it did not write; they are zeros. */
static uint64_t few_unwritten(const vgH5 *file)
{
    return file->size + (1 << 20);
}

static vgStatus read_chunks(vgH5 *file, const vgH5Message *m, vgH5Set *set)
{
    const unsigned char *at = m->at;
    const size_t n = m->n;
    size_t rank = (size_t)set->rank + 1;
    enum { DEEPEST = 16 };
    if (n < 11 + 4 * rank || at[2] != rank || set->rank < 1)
        return damaged(file, "the shape of its chunks is damaged");
    uint64_t tree = vg_h5_le(at + 3, 8);
    set->chunk_rows = vg_h5_le(at + 11, 4);
    int along = set->chunk_rows > 0;
    for (int k = 1; k < set->rank; k++) along = along && vg_h5_le(at + 11 + 4 * (size_t)k, 4) == set->size[k];
    if (set->width == 0) { /* rows without numbers */
        set->layout = CONTIGUOUS, set->address = VG_H5_NONE;
        return VG_OK;
    }
    if (!along) return vg_h5_expand(file, m, NULL, set);
    if (vg_h5_le(at + 11 + 4 * rank - 4, 4) != set->type.size)
        return damaged(file, "the shape of its chunks is damaged");
    if (set->chunk_rows > most_bytes / set->width / set->type.size)
        return damaged(file, "its chunks are too large");
    set->nchunk = set->size[0] / set->chunk_rows + (set->size[0] % set->chunk_rows != 0);
    if (set->nchunk > file->size / 8) return damaged(file, "it has more chunks than the file can hold");
    set->chunk = malloc(((size_t)set->nchunk + 1) * sizeof *set->chunk);
    if (!set->chunk) return vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
    for (uint64_t i = 0; i < set->nchunk; i++) set->chunk[i] = VG_H5_NONE;
    Tree t = {.file = file, .set = set, .key = 8 + 8 * rank, .left = 16 + file->size / 24};
    vgStatus st = tree == VG_H5_NONE ? VG_OK : chunk_tree(&t, tree, DEEPEST);
    for (uint64_t i = 0; i < set->nchunk; i++) set->unwritten += set->chunk[i] == VG_H5_NONE;
    if (st == VG_OK && set->unwritten &&
        set->unwritten > few_unwritten(file) / (set->chunk_rows * set->width * set->type.size))
        st = damaged(file, "most of it was never written");
    return st;
}

/* ---- layout ---- */

static vgStatus read_layout(vgH5 *file, const vgH5Message *m, vgH5Set *set)
{
    uint64_t bytes = set->size[0] * set->width * set->type.size;
    if (m->n < 2 || (m->at[0] != 3 && m->at[0] != 4))
        return damaged(file, "its layout has an unusual form, which is not read");
    set->layout = m->at[1];
    if (set->layout == COMPACT) {
        if (m->n < 4 || vg_h5_le(m->at + 2, 2) < bytes || m->n < 4 + bytes)
            return damaged(file, "it is shorter than its extents");
        set->compact = malloc((size_t)bytes + 1);
        if (!set->compact) return vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
        memcpy(set->compact, m->at + 4, (size_t)bytes);
        return VG_OK;
    }
    if (set->layout == CONTIGUOUS) {
        if (m->n < 18) return damaged(file, "its layout is damaged");
        set->address = vg_h5_le(m->at + 2, 8);
        if (bytes == 0) return VG_OK;
        if (set->address == VG_H5_NONE) return damaged(file, "it was never written");
        if (vg_h5_le(m->at + 10, 8) < bytes || set->address > file->size || bytes > file->size - set->address)
            return damaged(file, "it is shorter than its extents");
        return VG_OK;
    }
    if (set->layout == CHUNKED && m->at[0] == 3) return read_chunks(file, m, set);
    return damaged(file, "its layout has an unusual form, which is not read");
}

static vgStatus attribute(vgH5 *file, const vgH5Header *h, const char *name, vgH5Set *set,
                          const unsigned char **data, size_t *room);

static vgStatus read_sum(vgH5 *file, const vgH5Header *h, vgH5Set *set)
{
    vgH5Set sum = {0};
    const unsigned char *data = NULL;
    size_t room = 0;
    vgStatus st = attribute(file, h, "sum", &sum, &data, &room);
    if (st != VG_OK || !data) return st;
    if (sum.type.kind != VG_H5_INTEGER || sum.type.size != 8 || sum.type.swapped || sum.rank != 0)
        return VG_OK; /* somebody else's */
    set->has_sum = 1;
    set->sum = vg_h5_le(data, 8);
    return VG_OK;
}

/* Whether what was never written is zero: no message about its value (5, before it 4), none in it, or zeros. */
static int unwritten_is_zero(const vgH5Header *h)
{
    const vgH5Message *m = vg_h5_message(h, VG_H5_FILL);
    size_t at = 4; /* where the size of the value stands, the value behind it */
    int given = m && m->n > 4 && (m->at[0] == 3 ? m->at[1] >> 5 & 1 : m->at[0] == 2 ? m->at[3] : 1);
    if (m && m->n > 4 && m->at[0] == 3) at = 2;
    if (!m) {
        m = vg_h5_message(h, VG_H5_OLD_FILL);
        given = m != NULL;
        at = 0;
    }
    for (size_t i = at + 4; given && i < m->n && i < at + 4 + vg_h5_le(m->at + at, 4); i++)
        if (m->at[i]) return 0;
    return 1;
}

vgStatus vg_h5_set(vgH5 *file, vgH5Object object, vgH5Set *set)
{
    vgH5Header h;
    *set = (vgH5Set){0};
    vgStatus st = vg_h5_header(file, object, &h);
    if (st != VG_OK) return st;
    const vgH5Message *type = vg_h5_message(&h, VG_H5_TYPE), *space = vg_h5_message(&h, VG_H5_SPACE);
    const vgH5Message *layout = vg_h5_message(&h, VG_H5_LAYOUT), *filters = vg_h5_message(&h, VG_H5_FILTERS);
    if (!type || !space || !layout)
        st = damaged(file, "it is not a dataset");
    else if (vg_h5_message(&h, VG_H5_EXTERNAL))
        st = damaged(file, "its numbers are in another file, which is not read");
    if (st == VG_OK) st = read_type(file, type->at, type->n, &set->type);
    if (st == VG_OK) st = read_space(file, space->at, space->n, set);
    int filtered = filters && filters->n >= 2 && filters->at[1] > 0;
    if (st == VG_OK)
        st = filtered ? vg_h5_expand(file, layout, filters, set) : read_layout(file, layout, set);
    if (st == VG_OK && set->unwritten && !unwritten_is_zero(&h))
        st = damaged(file, "a part of it was never written, and would not be zero");
    if (st == VG_OK) st = read_sum(file, &h, set);
    vg_h5_header_free(&h);
    if (st != VG_OK) vg_h5_set_free(set);
    return st;
}

void vg_h5_set_free(vgH5Set *set)
{
    free(set->chunk);
    free(set->compact);
    set->chunk = NULL;
    set->compact = NULL;
}

/* ---- rows ---- */

/* Bytes of n rows from first on; what was never written is zero. */
static vgStatus raw(vgH5 *file, const vgH5Set *set, uint64_t first, uint64_t n, unsigned char *to)
{
    size_t row = (size_t)(set->width * set->type.size);
    vgStatus st = VG_OK;
    if (row == 0) return VG_OK;
    if (set->layout == COMPACT) {
        memcpy(to, set->compact + first * row, (size_t)n * row);
        return VG_OK;
    }
    if (set->layout == CONTIGUOUS)
        return n ? vg_h5_get(file, set->address + first * row, to, (size_t)n * row) : VG_OK;
    while (n > 0 && st == VG_OK) {
        uint64_t i = first / set->chunk_rows, from = first % set->chunk_rows, m = set->chunk_rows - from;
        if (m > n) m = n;
        if (set->chunk[i] == VG_H5_NONE)
            memset(to, 0, (size_t)m * row);
        else
            st = vg_h5_get(file, set->chunk[i] + from * row, to, (size_t)m * row);
        to += (size_t)m * row;
        first += m;
        n -= m;
    }
    return st;
}

static vgStatus in_range(vgH5 *file, const vgH5Set *set, uint64_t first, uint64_t n)
{
    if (first > set->size[0] || n > set->size[0] - first)
        return damaged(file, "rows beyond the last are asked for");
    return VG_OK;
}

/* The same; rows that follow those read before go into the sum. */
static vgStatus summed(vgH5 *file, vgH5Set *set, uint64_t first, uint64_t n, unsigned char *to)
{
    vgStatus st = raw(file, set, first, n, to);
    size_t bytes = (size_t)(n * set->width * set->type.size);
    if (st != VG_OK || first != set->hashed || (bytes % 8 && first + n != set->size[0])) return st;
    set->hash = vg_h5_sum(set->hash, to, bytes);
    set->hashed += n;
    return st;
}

static double number(const vgH5Type *type, const unsigned char *at)
{
    unsigned char b[8] = {0};
    for (uint32_t i = 0; i < type->size && i < sizeof b; i++)
        b[i] = at[type->swapped ? type->size - 1 - i : i];
    uint64_t bits = vg_h5_le(b, 8);
    if (type->kind == VG_H5_FLOAT && type->size == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (type->kind == VG_H5_FLOAT) {
        uint32_t half = (uint32_t)bits;
        float x;
        memcpy(&x, &half, sizeof x);
        return (double)x;
    }
    if (!type->is_signed) return (double)bits;
    int shift = 64 - 8 * (int)type->size;
    return (double)((int64_t)(bits << shift) >> shift);
}

vgStatus vg_h5_rows(vgH5 *file, vgH5Set *set, uint64_t first, uint64_t n, double *out)
{
    vgStatus st = in_range(file, set, first, n);
    if (st == VG_OK && set->type.kind > VG_H5_FLOAT)
        st = damaged(file, "it has texts where numbers are expected");
    if (st != VG_OK || n == 0 || set->width == 0) return st;
    size_t size = set->type.size, each = size * (size_t)set->width;
    uint64_t many = each < PIECE ? PIECE / each / 8 * 8 : 1;
    if (many == 0) many = 1;
    unsigned char *piece = malloc((size_t)many * each);
    if (!piece) return vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
    for (uint64_t i = 0; i < n && st == VG_OK; i += many) {
        uint64_t m = n - i < many ? n - i : many;
        st = summed(file, set, first + i, m, piece);
        size_t count = (size_t)(m * set->width);
        for (size_t k = 0; k < count && st == VG_OK; k++) *out++ = number(&set->type, piece + k * size);
    }
    free(piece);
    return st;
}

vgStatus vg_h5_check(vgH5 *file, vgH5Set *set)
{
    if (!set->has_sum) return VG_OK;
    size_t each = (size_t)set->width * set->type.size;
    uint64_t many = each == 0 ? set->size[0] : each < PIECE ? PIECE / each / 8 * 8 : 1;
    if (many == 0) many = 1;
    if (each > most_bytes / 8 || (each % 8 && many % 8)) many = 8;
    unsigned char *piece = malloc((size_t)(each ? many * each : 1));
    vgStatus st = piece ? VG_OK : vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
    while (st == VG_OK && set->hashed < set->size[0]) {
        uint64_t m = set->size[0] - set->hashed < many ? set->size[0] - set->hashed : many;
        st = summed(file, set, set->hashed, m, piece);
    }
    free(piece);
    if (st == VG_OK && set->hash != set->sum)
        st = damaged(file, "its numbers are not those that were written (wrong sum)");
    return st;
}

/* ---- texts ---- */

/* A text of variable length: a global heap collection and the number of an object in it. */
static vgStatus heap_text(vgH5 *file, const unsigned char *ref, char **out)
{
    unsigned char head[16];
    uint64_t length = vg_h5_le(ref, 4), at = vg_h5_le(ref + 4, 8), index = vg_h5_le(ref + 12, 4);
    *out = NULL;
    if (length == 0 || at == 0) return VG_OK;
    vgStatus st = vg_h5_get(file, at, head, sizeof head);
    if (st != VG_OK) return st;
    uint64_t size = vg_h5_le(head + 8, 8), used = 16;
    if (memcmp(head, "GCOL", 4) != 0 || at > file->size || size > file->size - at)
        return damaged(file, "a text is damaged");
    while (st == VG_OK && used + 16 <= size) {
        st = vg_h5_get(file, at + used, head, sizeof head);
        uint64_t n = st == VG_OK ? vg_h5_le(head + 8, 8) : 0;
        if (st != VG_OK || n > size - used - 16) break;
        if (vg_h5_le(head, 2) == index && index != 0) {
            if (n < length) break;
            *out = malloc((size_t)length + 1);
            if (!*out) return vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
            (*out)[length] = 0;
            return vg_h5_get(file, at + used + 16, *out, (size_t)length);
        }
        if (vg_h5_le(head, 2) == 0) break;
        used += 16 + (n + 7) / 8 * 8;
    }
    return st != VG_OK ? st : damaged(file, "a text is missing");
}

/* Text i of a block of them, malloc'ed; fixed ones end at the first zero or at their size. */
static vgStatus one_text(vgH5 *file, const vgH5Type *type, const unsigned char *at, char **out)
{
    if (type->kind == VG_H5_VARIABLE_TEXT) {
        vgStatus st = heap_text(file, at, out);
        if (st == VG_OK && !*out) *out = calloc(1, 1);
        return st != VG_OK || *out ? st : vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
    }
    size_t n = 0;
    while (n < type->size && at[n]) n++;
    *out = malloc(n + 1);
    if (!*out) return vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
    memcpy(*out, at, n);
    (*out)[n] = 0;
    return VG_OK;
}

vgStatus vg_h5_texts(vgH5 *file, vgH5Set *set, uint64_t *n, char ***out)
{
    *out = NULL;
    *n = set->size[0];
    if (set->type.kind < VG_H5_TEXT || set->rank > 1) return damaged(file, "it is not a list of texts");
    /* a set that was never written has no bytes in the file to bound its extent */
    if (*n > file->size || *n * set->type.size > file->size)
        return damaged(file, "it has more texts than the file can hold");
    size_t bytes = (size_t)*n * set->type.size;
    unsigned char *block = malloc(bytes + 1);
    char **text = calloc((size_t)*n + 1, sizeof *text);
    vgStatus st =
        block && text ? summed(file, set, 0, *n, block) : vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
    for (uint64_t i = 0; i < *n && st == VG_OK; i++)
        st = one_text(file, &set->type, block + i * set->type.size, &text[i]);
    free(block);
    if (st == VG_OK) st = vg_h5_check(file, set);
    if (st == VG_OK) {
        *out = text;
        return st;
    }
    for (uint64_t i = 0; text && i < *n; i++) free(text[i]);
    free(text);
    return st;
}

/* ---- attributes ---- */

/* An attribute by name: its type and extents, and its bytes inside the header. *data is NULL if there is none. */
static vgStatus attribute(vgH5 *file, const vgH5Header *h, const char *name, vgH5Set *set,
                          const unsigned char **data, size_t *room)
{
    *data = NULL;
    size_t want = strlen(name) + 1;
    for (int i = 0; i < h->nmessage; i++) {
        const vgH5Message *m = &h->message[i];
        if (m->type != VG_H5_ATTRIBUTE || m->n < 9) continue;
        int version = m->at[0];
        size_t head = version == 3 ? 9 : 8, pad = version == 1 ? 8 : 1, part[3], start[4];
        if (version < 1 || version > 3) continue;
        for (int k = 0; k < 3; k++) part[k] = (size_t)vg_h5_le(m->at + 2 + 2 * k, 2);
        start[0] = head;
        for (int k = 0; k < 3; k++) start[k + 1] = start[k] + (part[k] + pad - 1) / pad * pad;
        if (start[3] > m->n) return damaged(file, "an attribute is damaged");
        if (part[0] != want || memcmp(m->at + head, name, want) != 0) continue;
        if (version > 1 && m->at[1] & 3)
            return damaged(file, "an attribute has an unusual form, which is not read");
        vgStatus st = read_type(file, m->at + start[1], part[1], &set->type);
        if (st == VG_OK) st = read_space(file, m->at + start[2], part[2], set);
        if (st != VG_OK) return st;
        if (set->size[0] * set->width * set->type.size > m->n - start[3])
            return damaged(file, "an attribute is shorter than its extents");
        *data = m->at + start[3];
        *room = m->n - start[3];
        return VG_OK;
    }
    return VG_OK;
}

/* One text: a scalar, or the first of a list. */
static vgStatus text_dataset(vgH5 *file, vgH5Object object, const char *name, char **out)
{
    vgH5Object at;
    vgH5Set set;
    vgStatus st = vg_h5_find(file, object, name, &at);
    if (st != VG_OK || at == VG_H5_NONE) return st;
    st = vg_h5_set(file, at, &set);
    if (st != VG_OK) return st;
    uint64_t n = 0;
    char **all = NULL;
    st = vg_h5_texts(file, &set, &n, &all);
    if (st == VG_OK && n > 0) *out = all[0];
    for (uint64_t i = 1; all && i < n; i++) free(all[i]);
    free(all);
    vg_h5_set_free(&set);
    return st;
}

vgStatus vg_h5_text(vgH5 *file, vgH5Object object, const char *name, char **out)
{
    vgH5Header h;
    vgH5Set set = {0};
    const unsigned char *data;
    size_t room;
    *out = NULL;
    vgStatus st = vg_h5_header(file, object, &h);
    if (st != VG_OK) return st;
    st = attribute(file, &h, name, &set, &data, &room);
    if (st == VG_OK && data) {
        if (set.type.kind < VG_H5_TEXT)
            st = damaged(file, "an attribute is a number where a text is expected");
        else if (set.size[0] * set.width > 0)
            st = one_text(file, &set.type, data, out);
    }
    vg_h5_header_free(&h);
    return st == VG_OK && !data ? text_dataset(file, object, name, out) : st;
}

vgStatus vg_h5_number(vgH5 *file, vgH5Object object, const char *name, int *found, double *out)
{
    vgH5Header h;
    vgH5Set set = {0};
    const unsigned char *data;
    size_t room;
    *found = 0;
    vgStatus st = vg_h5_header(file, object, &h);
    if (st != VG_OK) return st;
    st = attribute(file, &h, name, &set, &data, &room);
    if (st == VG_OK && data && set.type.kind <= VG_H5_FLOAT && set.size[0] * set.width == 1) {
        *out = number(&set.type, data);
        *found = 1;
    }
    vg_h5_header_free(&h);
    return st;
}
