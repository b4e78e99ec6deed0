/* Superblock, object headers and groups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/h5/h5_file.h"

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* Bytes of an object header that are taken; those of Verge have some hundred kilobytes at most for each text. */
static const uint64_t most_header = (uint64_t)1 << 26;

/* Headers are read again for each text and dataset; beside that the work goes with the size of the file. */
static const uint64_t few_blocks = 100000;

uint64_t vg_h5_le(const unsigned char *at, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint64_t)at[i] << 8 * i;
    return x;
}

vgStatus vg_h5_refuse(vgH5 *file, vgStatus status, const char *why)
{
    snprintf(file->why, sizeof file->why, "%s", why);
    return status;
}

const char *vg_h5_why(const vgH5 *file)
{
    return file->why;
}

vgStatus vg_h5_get(vgH5 *file, uint64_t at, void *to, size_t n)
{
    if (at > file->size || n > file->size - at)
        return vg_h5_refuse(file, VG_BAD_INPUT, "it points beyond its end");
    if (n == 0) return VG_OK;
    if (file->image) {
        memcpy(to, file->image + at, n);
        return VG_OK;
    }
    if (fseeko(file->file, (off_t)at, SEEK_SET) != 0 || fread(to, 1, n, file->file) != n)
        return vg_h5_refuse(file, VG_IO,
                            ferror(file->file) ? "it cannot be read" : "it became shorter while it was read");
    return VG_OK;
}

/* Each block of the file is needed a few times at most; what goes on longer goes in circles. */
static vgStatus count_block(vgH5 *file)
{
    if (file->left == 0) return vg_h5_refuse(file, VG_BAD_INPUT, "its parts refer to each other in a circle");
    file->left--;
    return VG_OK;
}

/* ---- superblock ---- */

/* Versions 0 and 1: the root group is in a symbol table entry behind the addresses. */
static vgStatus old_superblock(vgH5 *file, uint64_t start, int version)
{
    unsigned char b[100];
    const int at = version == 1 ? 28 : 24; /* base address */
    vgStatus st = vg_h5_get(file, start, b, (size_t)(at + 32 + 40));
    if (st != VG_OK) return st;
    if (b[13] != 8 || b[14] != 8)
        return vg_h5_refuse(file, VG_BAD_INPUT, "its addresses do not have 8 bytes");
    if (vg_h5_le(b + at, 8) != 0)
        return vg_h5_refuse(file, VG_BAD_INPUT, "it does not begin at its base address");
    if (vg_h5_le(b + at + 16, 8) > file->size)
        return vg_h5_refuse(file, VG_BAD_INPUT, "it is not complete: its end is missing");
    file->root = vg_h5_le(b + at + 32 + 8, 8);
    return VG_OK;
}

static vgStatus new_superblock(vgH5 *file, uint64_t start)
{
    unsigned char b[48];
    vgStatus st = vg_h5_get(file, start, b, sizeof b);
    if (st != VG_OK) return st;
    if (b[9] != 8 || b[10] != 8) return vg_h5_refuse(file, VG_BAD_INPUT, "its addresses do not have 8 bytes");
    if (vg_h5_lookup3(b, 44) != vg_h5_le(b + 44, 4))
        return vg_h5_refuse(file, VG_BAD_INPUT, "it is damaged: the checksum of its superblock is wrong");
    if (vg_h5_le(b + 12, 8) != 0)
        return vg_h5_refuse(file, VG_BAD_INPUT, "it does not begin at its base address");
    if (vg_h5_le(b + 28, 8) > file->size)
        return vg_h5_refuse(file, VG_BAD_INPUT, "it is not complete: its end is missing");
    file->root = vg_h5_le(b + 36, 8);
    return VG_OK;
}

static vgStatus superblock(vgH5 *file)
{
    unsigned char b[9];
    if (file->size < sizeof b) return vg_h5_refuse(file, VG_BAD_INPUT, "it is not an HDF5 file");
    vgStatus st = vg_h5_get(file, 0, b, sizeof b);
    if (st != VG_OK) return st;
    if (memcmp(b, signature, sizeof signature) != 0)
        return vg_h5_refuse(file, VG_BAD_INPUT, "it is not an HDF5 file");
    file->left = few_blocks + file->size / 4;
    if (b[8] <= 1) return old_superblock(file, 0, b[8]);
    if (b[8] <= 3) return new_superblock(file, 0);
    return vg_h5_refuse(file, VG_BAD_INPUT, "its version of HDF5 is not known");
}

static vgStatus opened(vgH5 *file, vgH5 **out, const char **why)
{
    static _Thread_local char text[sizeof file->why];
    vgStatus st = superblock(file);
    *out = st == VG_OK ? file : NULL;
    if (st == VG_OK) return st;
    snprintf(text, sizeof text, "%s", file->why);
    *why = text;
    vg_h5_close(file);
    return st;
}

vgStatus vg_h5_open(const char *path, vgH5 **out, const char **why)
{
    *out = NULL;
    *why = vg_file_wrong(path); /* a pipe would keep us waiting */
    if (*why) return VG_IO;
    vgH5 *file = calloc(1, sizeof *file);
    *why = "out of memory";
    if (!file) return VG_NO_MEMORY;
    file->file = fopen(path, "rb");
    off_t size = file->file && fseeko(file->file, 0, SEEK_END) == 0 ? ftello(file->file) : -1;
    if (size < 0) {
        const int number = errno;
        *why = vg_file_why(number);
        vg_h5_close(file);
        return number == ENOMEM ? VG_NO_MEMORY : VG_IO;
    }
    file->size = (uint64_t)size;
    return opened(file, out, why);
}

vgStatus vg_h5_open_image(const void *bytes, size_t n, vgH5 **out, const char **why)
{
    vgH5 *file = calloc(1, sizeof *file);
    *out = NULL;
    *why = "out of memory";
    if (!file) return VG_NO_MEMORY;
    file->image = bytes;
    file->size = n;
    return opened(file, out, why);
}

void vg_h5_close(vgH5 *file)
{
    if (!file) return;
    if (file->file) fclose(file->file);
    free(file);
}

vgH5Object vg_h5_root(const vgH5 *file)
{
    return file->root;
}

/* ---- object headers ---- */

void vg_h5_header_free(vgH5Header *h)
{
    for (int i = 0; i < h->nblock; i++) free(h->block[i]);
    free(h->block);
    free(h->message);
    *h = (vgH5Header){0};
}

const vgH5Message *vg_h5_message(const vgH5Header *h, int type)
{
    for (int i = 0; i < h->nmessage; i++)
        if (h->message[i].type == type) return &h->message[i];
    return NULL;
}

/* A block of n bytes at an address, kept by the header. */
static vgStatus take_block(vgH5 *file, vgH5Header *h, uint64_t at, uint64_t n, unsigned char **out)
{
    vgStatus st = count_block(file);
    if (st != VG_OK) return st;
    if (n > most_header || at > file->size || n > file->size - at)
        return vg_h5_refuse(file, VG_BAD_INPUT, "an object header is larger than the file");
    if (h->nblock == VG_H5_MAX_BLOCKS)
        return vg_h5_refuse(file, VG_BAD_INPUT, "an object header has too many parts");
    if (!h->block) h->block = calloc(VG_H5_MAX_BLOCKS, sizeof *h->block);
    unsigned char *block = h->block ? malloc((size_t)n + 1) : NULL;
    if (!block) return vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
    h->block[h->nblock++] = *out = block;
    return vg_h5_get(file, at, block, (size_t)n);
}

static vgStatus keep_message(vgH5 *file, vgH5Header *h, int type, int flags, const unsigned char *at,
                             size_t n)
{
    enum { SHARED = 2 };
    if (flags & SHARED && (type == VG_H5_TYPE || type == VG_H5_SPACE || type == VG_H5_FILTERS))
        return vg_h5_refuse(file, VG_BAD_INPUT, "it shares parts between objects, which is not read");
    if (h->nmessage == h->room) {
        int room = h->room ? 2 * h->room : 32;
        vgH5Message *more = realloc(h->message, (size_t)room * sizeof *more);
        if (!more) return vg_h5_refuse(file, VG_NO_MEMORY, "out of memory");
        h->message = more;
        h->room = room;
    }
    h->message[h->nmessage++] = (vgH5Message){type, n, at};
    return VG_OK;
}

/* The messages of one block. Version 1: heads of 8 bytes; version 2: 4, or 6 with a creation order. */
static vgStatus scan(vgH5 *file, vgH5Header *h, const unsigned char *at, size_t n, int head)
{
    vgStatus st = VG_OK;
    while (st == VG_OK && n >= (size_t)head) {
        int old = head == 8;
        int type = old ? (int)vg_h5_le(at, 2) : at[0];
        size_t size = (size_t)vg_h5_le(at + (old ? 2 : 1), 2);
        int flags = at[old ? 4 : 3];
        if (size > n - (size_t)head)
            return vg_h5_refuse(file, VG_BAD_INPUT, "a message of an object header is too long");
        if (type != 0) st = keep_message(file, h, type, flags, at + head, size);
        at += (size_t)head + size;
        n -= (size_t)head + size;
    }
    return st;
}

static vgStatus checked_block(vgH5 *file, vgH5Header *h, uint64_t at, uint64_t n, unsigned char **out)
{
    if (n < 8) return vg_h5_refuse(file, VG_BAD_INPUT, "a part of an object header is too short");
    vgStatus st = take_block(file, h, at, n, out);
    if (st == VG_OK && vg_h5_lookup3(*out, (size_t)n - 4) != vg_h5_le(*out + n - 4, 4))
        st = vg_h5_refuse(file, VG_BAD_INPUT, "the checksum of an object header is wrong");
    return st;
}

/* Continuations add messages behind, among them more continuations. */
static vgStatus continuations(vgH5 *file, vgH5Header *h, int head)
{
    vgStatus st = VG_OK;
    for (int i = 0; i < h->nmessage && st == VG_OK; i++) {
        unsigned char *block;
        vgH5Message m = h->message[i];
        if (m.type != VG_H5_CONTINUATION) continue;
        if (m.n < 16) return vg_h5_refuse(file, VG_BAD_INPUT, "a part of an object header is too short");
        uint64_t at = vg_h5_le(m.at, 8), n = vg_h5_le(m.at + 8, 8);
        if (head == 8) {
            st = take_block(file, h, at, n, &block);
            if (st == VG_OK) st = scan(file, h, block, (size_t)n, head);
        } else {
            st = checked_block(file, h, at, n, &block);
            if (st == VG_OK && memcmp(block, "OCHK", 4) != 0)
                st = vg_h5_refuse(file, VG_BAD_INPUT, "a part of an object header is missing");
            if (st == VG_OK) st = scan(file, h, block + 4, (size_t)n - 8, head);
        }
    }
    return st;
}

static vgStatus header_1(vgH5 *file, uint64_t at, vgH5Header *h)
{
    unsigned char b[16], *block;
    vgStatus st = vg_h5_get(file, at, b, sizeof b);
    if (st != VG_OK) return st;
    uint64_t n = vg_h5_le(b + 8, 4);
    if (b[0] != 1) return vg_h5_refuse(file, VG_BAD_INPUT, "an object header is damaged");
    st = take_block(file, h, at + 16, n, &block);
    if (st == VG_OK) st = scan(file, h, block, (size_t)n, 8);
    return st == VG_OK ? continuations(file, h, 8) : st;
}

static vgStatus header_2(vgH5 *file, uint64_t at, vgH5Header *h)
{
    unsigned char b[6 + 16 + 4 + 8] = {0}, *block;
    uint64_t room = file->size - at;
    vgStatus st = vg_h5_get(file, at, b, room < sizeof b ? (size_t)room : sizeof b);
    if (st != VG_OK) return st;
    int flags = b[5], size = 1 << (flags & 3), start = 6 + (flags & 32 ? 16 : 0) + (flags & 16 ? 4 : 0);
    if (b[4] != 2) return vg_h5_refuse(file, VG_BAD_INPUT, "an object header is damaged");
    uint64_t n = vg_h5_le(b + start, size);
    if (n > most_header) return vg_h5_refuse(file, VG_BAD_INPUT, "an object header is larger than the file");
    st = checked_block(file, h, at, (uint64_t)(start + size) + n + 4, &block);
    int head = flags & 4 ? 6 : 4;
    if (st == VG_OK) st = scan(file, h, block + start + size, (size_t)n, head);
    return st == VG_OK ? continuations(file, h, head) : st;
}

vgStatus vg_h5_header(vgH5 *file, vgH5Object object, vgH5Header *h)
{
    unsigned char b[4];
    *h = (vgH5Header){0};
    file->why[0] = 0;
    vgStatus st = vg_h5_get(file, object, b, sizeof b);
    if (st == VG_OK) st = memcmp(b, "OHDR", 4) == 0 ? header_2(file, object, h) : header_1(file, object, h);
    if (st != VG_OK) vg_h5_header_free(h);
    return st;
}

/* ---- groups ---- */

typedef struct Listing {
    vgH5 *file;
    vgStatus (*take)(void *user, const char *name, vgH5Object);
    void *user;
    char *heap; /* names of a symbol table, zero-terminated */
    size_t heap_size;
} Listing;

static vgStatus read_heap(Listing *l, uint64_t at)
{
    unsigned char b[32];
    vgStatus st = vg_h5_get(l->file, at, b, sizeof b);
    if (st != VG_OK) return st;
    uint64_t n = vg_h5_le(b + 8, 8), data = vg_h5_le(b + 24, 8);
    if (memcmp(b, "HEAP", 4) != 0 || n > most_header || data > l->file->size || n > l->file->size - data)
        return vg_h5_refuse(l->file, VG_BAD_INPUT, "the names of a group are damaged");
    l->heap = malloc((size_t)n + 1);
    if (!l->heap) return vg_h5_refuse(l->file, VG_NO_MEMORY, "out of memory");
    l->heap[n] = 0;
    l->heap_size = (size_t)n;
    return vg_h5_get(l->file, data, l->heap, (size_t)n);
}

static vgStatus symbol_node(Listing *l, uint64_t at)
{
    unsigned char b[8], e[40];
    vgStatus st = vg_h5_get(l->file, at, b, sizeof b);
    if (st == VG_OK && memcmp(b, "SNOD", 4) != 0)
        st = vg_h5_refuse(l->file, VG_BAD_INPUT, "a list of members is damaged");
    int n = (int)vg_h5_le(b + 6, 2);
    for (int i = 0; i < n && st == VG_OK; i++) {
        st = count_block(l->file);
        if (st == VG_OK) st = vg_h5_get(l->file, at + 8 + 40 * (uint64_t)i, e, sizeof e);
        uint64_t name = st == VG_OK ? vg_h5_le(e, 8) : 0;
        if (st == VG_OK && name >= l->heap_size)
            st = vg_h5_refuse(l->file, VG_BAD_INPUT, "the names of a group are damaged");
        enum { SOFT = 2 };
        if (st == VG_OK && vg_h5_le(e + 16, 4) != SOFT)
            st = l->take(l->user, l->heap + name, vg_h5_le(e + 8, 8));
    }
    return st;
}

enum { DEEPEST = 32 };

static vgStatus symbol_tree(Listing *l, uint64_t at, int above)
{
    unsigned char b[24], child[8];
    vgStatus st = count_block(l->file);
    if (st == VG_OK) st = vg_h5_get(l->file, at, b, sizeof b);
    if (st != VG_OK) return st;
    int level = b[5], n = (int)vg_h5_le(b + 6, 2);
    if (memcmp(b, "TREE", 4) != 0 || b[4] != 0 || level >= above)
        return vg_h5_refuse(l->file, VG_BAD_INPUT, "a list of members is damaged");
    for (int i = 0; i < n && st == VG_OK; i++) {
        st = vg_h5_get(l->file, at + 24 + 8 + 16 * (uint64_t)i, child, sizeof child);
        uint64_t to = vg_h5_le(child, 8);
        if (st == VG_OK) st = level ? symbol_tree(l, to, level) : symbol_node(l, to);
    }
    return st;
}

static vgStatus one_link(Listing *l, const vgH5Message *m)
{
    char name[256];
    size_t at = 2;
    if (m->n < 3 || m->at[0] != 1) return vg_h5_refuse(l->file, VG_BAD_INPUT, "a link is damaged");
    int flags = m->at[1], type = flags & 8 ? m->at[at++] : 0;
    at += (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0);
    size_t size = (size_t)1 << (flags & 3);
    if (m->n < at + size) return vg_h5_refuse(l->file, VG_BAD_INPUT, "a link is damaged");
    uint64_t n = vg_h5_le(m->at + at, (int)size);
    at += size;
    if (n >= sizeof name || m->n < at + n + 8)
        return vg_h5_refuse(l->file, VG_BAD_INPUT, "a link is damaged");
    if (type != 0) return VG_OK; /* soft and external links are not followed */
    memcpy(name, m->at + at, (size_t)n);
    name[n] = 0;
    return l->take(l->user, name, vg_h5_le(m->at + at + n, 8));
}

static vgStatus list_header(Listing *l, const vgH5Header *h)
{
    vgStatus st = VG_OK;
    const vgH5Message *symbols = vg_h5_message(h, VG_H5_SYMBOLS), *info = vg_h5_message(h, VG_H5_LINK_INFO);
    if (symbols && symbols->n >= 16) {
        st = read_heap(l, vg_h5_le(symbols->at + 8, 8));
        if (st == VG_OK) st = symbol_tree(l, vg_h5_le(symbols->at, 8), DEEPEST);
        return st;
    }
    size_t heap = info && info->n >= 2 && info->at[1] & 1 ? 10 : 2;
    if (info && info->n >= heap + 8 && vg_h5_le(info->at + heap, 8) != VG_H5_NONE)
        return vg_h5_refuse(l->file, VG_BAD_INPUT,
                            "a group is in the dense form of HDF5, which is not read; write it in the "
                            "earliest form (libver)");
    for (int i = 0; i < h->nmessage && st == VG_OK; i++)
        if (h->message[i].type == VG_H5_LINK) st = one_link(l, &h->message[i]);
    return st;
}

int vg_h5_is_group(vgH5 *file, vgH5Object object)
{
    vgH5Header h;
    if (vg_h5_header(file, object, &h) != VG_OK) return 0;
    int is = vg_h5_message(&h, VG_H5_SYMBOLS) || vg_h5_message(&h, VG_H5_LINK_INFO);
    vg_h5_header_free(&h);
    return is;
}

vgStatus vg_h5_list(vgH5 *file, vgH5Object group, vgStatus (*take)(void *user, const char *name, vgH5Object),
                    void *user)
{
    vgH5Header h;
    Listing l = {.file = file, .take = take, .user = user};
    vgStatus st = vg_h5_header(file, group, &h);
    if (st != VG_OK) return st;
    st = list_header(&l, &h);
    free(l.heap);
    vg_h5_header_free(&h);
    return st;
}

typedef struct Search {
    const char *name;
    vgH5Object found;
} Search;

static vgStatus match(void *user, const char *name, vgH5Object object)
{
    Search *s = user;
    if (strcmp(name, s->name) == 0) s->found = object;
    return VG_OK;
}

vgStatus vg_h5_find(vgH5 *file, vgH5Object group, const char *name, vgH5Object *out)
{
    Search s = {name, VG_H5_NONE};
    vgStatus st = vg_h5_list(file, group, match, &s);
    *out = st == VG_OK ? s.found : VG_H5_NONE;
    return st;
}
