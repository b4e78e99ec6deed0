/* Writing HDF5. Superblock 2, object headers 2, links in the header of their group, chunks in B-trees of version 1: the
 * forms of HDF5 1.8, which every reader knows.
 *
 * Order of writes, so that the file is whole whenever the process ends: new rows lie behind the extent until the
 * header of their dataset, one write within one page, gives the new extent, sum and root of the tree at once. Groups
 * are written behind everything else; then the superblock, one write of 48 bytes, names the root. The end of the file
 * in the superblock is set before anything lies there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5_out.h"

enum { AHEAD = 1 << 20 }; /* bytes by which the file is extended at least */

/* ---- bytes ---- */

static void put(vgH5Out *f, vgH5Bytes *b, const void *bytes, size_t n)
{
    if (b->n + n > b->room) {
        size_t room = 2 * (b->n + n) + 256;
        unsigned char *more = realloc(b->at, room);
        if (!more) {
            f->failed = 1;
            return;
        }
        b->at = more;
        b->room = room;
    }
    if (n) memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

void vg_h5_store(unsigned char *at, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes && i < 8; i++) at[i] = (unsigned char)(x >> 8 * i);
}

void vg_h5_put_le(vgH5Out *f, vgH5Bytes *b, uint64_t x, int bytes)
{
    unsigned char at[8];
    vg_h5_store(at, x, bytes);
    put(f, b, at, (size_t)bytes);
}

void vg_h5_write_at(vgH5Out *f, uint64_t at, const void *bytes, size_t n)
{
    if (!f->failed && !vg_output_at(f->output, at, bytes, n)) f->failed = 1;
}

/* ---- places ---- */

static void superblock(vgH5Out *f, uint64_t end)
{
    static const unsigned char head[12] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 2, 8, 8, 0};
    unsigned char b[48];
    memcpy(b, head, sizeof head);
    vg_h5_store(b + 12, 0, 8);
    vg_h5_store(b + 20, VG_H5_NONE, 8);
    vg_h5_store(b + 28, end, 8);
    vg_h5_store(b + 36, f->root.at, 8);
    vg_h5_store(b + 44, vg_h5_lookup3(b, 44), 4);
    vg_h5_write_at(f, 0, b, sizeof b);
    f->told = end;
}

/* A place for n bytes behind everything; what may change later begins at a page. */
uint64_t vg_h5_place(vgH5Out *f, size_t n, int page)
{
    uint64_t align = page ? VG_H5_PAGE : 8, at = (f->end + align - 1) / align * align;
    f->end = at + n;
    if (f->end <= f->told || f->failed) return at;
    uint64_t more = f->told / 8 > AHEAD ? f->told / 8 : AHEAD,
             end = (f->end + more + VG_H5_PAGE - 1) / VG_H5_PAGE * VG_H5_PAGE;
    /* a hole: takes no room on the disk */
    if (!vg_output_extend(f->output, end, f->end, &end)) f->failed = 1;
    if (f->failed) return at;
    if (f->named)
        superblock(f, end);
    else
        f->told = end;
    return at;
}

/* ---- messages ---- */

static void message(vgH5Out *f, vgH5Bytes *b, int type, const vgH5Bytes *body)
{
    unsigned char head[4] = {(unsigned char)type, (unsigned char)body->n, (unsigned char)(body->n >> 8), 0};
    if (body->n > 0xffff) f->failed = 1;
    put(f, b, head, sizeof head);
    put(f, b, body->at, body->n);
}

void vg_h5_type_of_numbers(vgH5Out *f, vgH5Bytes *b)
{
    static const unsigned char type[20] = {0x11, 0x20, 63, 0,  8, 0,  0,    0, 0, 0,
                                           64,   0,    52, 11, 0, 52, 0xff, 3, 0, 0};
    put(f, b, type, sizeof type);
}

static void type_of_integers(vgH5Out *f, vgH5Bytes *b, int size, int is_signed)
{
    unsigned char type[12] = {0x10, is_signed ? 8 : 0,         0, 0, (unsigned char)size, 0, 0, 0, 0,
                              0,    (unsigned char)(8 * size), 0};
    put(f, b, type, sizeof type);
}

static void type_of_texts(vgH5Out *f, vgH5Bytes *b, uint32_t size)
{
    static const unsigned char type[4] = {0x13, 0x11, 0, 0}; /* UTF-8, filled with zeros */
    put(f, b, type, sizeof type);
    vg_h5_put_le(f, b, size, 4);
}

/* grows: the first extent has no limit. */
void vg_h5_space(vgH5Out *f, vgH5Bytes *b, int rank, const uint64_t *size, int grows)
{
    unsigned char head[4] = {2, (unsigned char)rank, grows ? 1 : 0, rank ? 1 : 0};
    put(f, b, head, sizeof head);
    for (int i = 0; i < rank; i++) vg_h5_put_le(f, b, size[i], 8);
    for (int i = 0; i < rank && grows; i++) vg_h5_put_le(f, b, i ? size[i] : VG_H5_NONE, 8);
}

/* An attribute without extents: name, type, value. */
static void attribute(vgH5Out *f, vgH5Bytes *b, const char *name, const vgH5Bytes *type, const void *value,
                      size_t n)
{
    static const uint64_t none[1] = {0};
    vgH5Bytes body = {0}, scalar = {0};
    unsigned char head[2] = {3, 0};
    size_t length = strlen(name) + 1;
    vg_h5_space(f, &scalar, 0, none, 0);
    put(f, &body, head, sizeof head);
    vg_h5_put_le(f, &body, length, 2);
    vg_h5_put_le(f, &body, type->n, 2);
    vg_h5_put_le(f, &body, scalar.n, 2);
    vg_h5_put_le(f, &body, 0, 1);
    put(f, &body, name, length);
    put(f, &body, type->at, type->n);
    put(f, &body, scalar.at, scalar.n);
    put(f, &body, value, n);
    message(f, b, 12, &body);
    free(body.at);
    free(scalar.at);
}

static void sum_attribute(vgH5Out *f, vgH5Bytes *b, uint64_t sum)
{
    vgH5Bytes type = {0};
    unsigned char value[8];
    type_of_integers(f, &type, 8, 0);
    vg_h5_store(value, sum, 8);
    attribute(f, b, "sum", &type, value, sizeof value);
    free(type.at);
}

/* An object header around messages: "OHDR", version 2, size in 4 bytes, checksum. */
static vgH5Bytes header(vgH5Out *f, const vgH5Bytes *messages)
{
    static const unsigned char head[6] = {'O', 'H', 'D', 'R', 2, 2};
    vgH5Bytes b = {0};
    put(f, &b, head, sizeof head);
    vg_h5_put_le(f, &b, messages->n, 4);
    put(f, &b, messages->at, messages->n);
    vg_h5_put_le(f, &b, b.at ? vg_h5_lookup3(b.at, b.n) : 0, 4);
    return b;
}

/* The header of a dataset: extents, type, when it is filled, layout, sum. */
vgH5Bytes vg_h5_dataset(vgH5Out *f, const vgH5Bytes *type, const vgH5Bytes *extents, const vgH5Bytes *layout,
                        uint64_t sum)
{
    unsigned char late[2] = {3, 0x0b}; /* room is made as it is needed; filled if a value was given */
    vgH5Bytes all = {0}, fill = {late, sizeof late, 0};
    message(f, &all, 1, extents);
    message(f, &all, 3, type);
    message(f, &all, 5, &fill);
    message(f, &all, 8, layout);
    sum_attribute(f, &all, sum);
    vgH5Bytes b = header(f, &all);
    free(all.at);
    return b;
}

/* ---- groups ---- */

vgH5Out *vg_h5_create(vgOutput *output)
{
    vgH5Out *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->output = output;
    f->root.last = &f->root.link;
    f->end = VG_H5_PAGE;
    return f;
}

vgH5Group *vg_h5_top(vgH5Out *f)
{
    return &f->root;
}

static char *copy(vgH5Out *f, const char *text)
{
    size_t n = strlen(text) + 1;
    char *c = malloc(n);
    if (c)
        memcpy(c, text, n);
    else
        f->failed = 1;
    return c;
}

void vg_h5_link(vgH5Out *f, vgH5Group *group, const char *name, uint64_t to, vgH5Group *child)
{
    vgH5Link *l = group ? calloc(1, sizeof *l) : NULL;
    for (vgH5Link *old = group ? group->link : NULL; old && l; old = old->next)
        if (strcmp(old->name, name) == 0) {
            old->to = to;
            free(l);
            return;
        }
    if (!l || !(l->name = copy(f, name))) {
        f->failed = 1;
        free(l);
        return;
    }
    l->to = to;
    l->group = child;
    *group->last = l;
    group->last = &l->next;
}

vgH5Group *vg_h5_group(vgH5Out *f, vgH5Group *parent, const char *name)
{
    vgH5Group *g = calloc(1, sizeof *g);
    if (!g || !parent) {
        f->failed = 1;
        free(g);
        return NULL;
    }
    g->last = &g->link;
    vgH5Link **before = parent->last;
    vg_h5_link(f, parent, name, 0, g);
    if (parent->last != before) return g;
    free(g);
    return NULL;
}

/* A place for the value of an attribute; a second one of the same name replaces the first. */
static vgH5Text *text_slot(vgH5Out *f, vgH5Group *group, const char *name)
{
    vgH5Text **at = group ? &group->text : NULL;
    while (at && *at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    if (at && !*at) {
        vgH5Text *t = calloc(1, sizeof *t);
        if (t && !(t->name = copy(f, name))) free(t), t = NULL;
        *at = t;
    }
    if (!at || !*at) f->failed = 1;
    return at ? *at : NULL;
}

void vg_h5_put_integer(vgH5Out *f, vgH5Group *group, const char *name, int value)
{
    vgH5Text *t = text_slot(f, group, name);
    if (t) t->is_number = 1, t->number = value;
}

static void contiguous(vgH5Out *f, vgH5Group *group, const char *name, const vgH5Bytes *type, int rank,
                       const uint64_t *size, const void *bytes, size_t n)
{
    vgH5Bytes extents = {0}, layout = {0};
    uint64_t at = n ? vg_h5_place(f, n, 0) : VG_H5_NONE;
    if (n) vg_h5_write_at(f, at, bytes, n);
    vg_h5_space(f, &extents, rank, size, 0);
    vg_h5_put_le(f, &layout, 3, 1);
    vg_h5_put_le(f, &layout, 1, 1);
    vg_h5_put_le(f, &layout, at, 8);
    vg_h5_put_le(f, &layout, n, 8);
    vgH5Bytes b = vg_h5_dataset(f, type, &extents, &layout, vg_h5_sum(0, bytes, n));
    uint64_t here = vg_h5_place(f, b.n, 0);
    vg_h5_write_at(f, here, b.at, b.n);
    vg_h5_link(f, group, name, here, NULL);
    free(b.at);
    free(extents.at);
    free(layout.at);
}

void vg_h5_put_text(vgH5Out *f, vgH5Group *group, const char *name, const char *text)
{
    size_t n = strlen(text);
    if (n > VG_H5_LONG_TEXT) {
        vgH5Text *before = text_slot(f, group, name);
        if (before) free(before->value), before->value = NULL;
        vgH5Bytes type = {0};
        uint64_t none[1] = {1};
        type_of_texts(f, &type, (uint32_t)n);
        contiguous(f, group, name, &type, 0, none, text, n);
        free(type.at);
        return;
    }
    vgH5Text *t = text_slot(f, group, name);
    if (!t) return;
    free(t->value);
    t->value = copy(f, text);
}

void vg_h5_le_numbers(unsigned char *to, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        vg_h5_store(to + 8 * i, bits, 8);
    }
}

void vg_h5_put_numbers(vgH5Out *f, vgH5Group *group, const char *name, int rank, const uint64_t *size,
                       const double *values)
{
    size_t n = 1;
    for (int i = 0; i < rank; i++) n *= (size_t)size[i];
    vgH5Bytes type = {0};
    unsigned char *bytes = malloc(8 * n + 1);
    vg_h5_type_of_numbers(f, &type);
    if (bytes) {
        vg_h5_le_numbers(bytes, values, n);
        contiguous(f, group, name, &type, rank, size, bytes, 8 * n);
    } else {
        f->failed = 1;
    }
    free(bytes);
    free(type.at);
}

void vg_h5_put_texts(vgH5Out *f, vgH5Group *group, const char *name, int n, const char *const *texts)
{
    size_t width = 1;
    for (int i = 0; i < n; i++) width = strlen(texts[i]) > width ? strlen(texts[i]) : width;
    vgH5Bytes type = {0};
    uint64_t size[1] = {(uint64_t)n};
    char *bytes = calloc((size_t)n + 1, width);
    type_of_texts(f, &type, (uint32_t)width);
    for (int i = 0; i < n && bytes; i++) memcpy(bytes + (size_t)i * width, texts[i], strlen(texts[i]));
    if (bytes)
        contiguous(f, group, name, &type, 1, size, bytes, (size_t)n * width);
    else
        f->failed = 1;
    free(bytes);
    free(type.at);
}

/* Links, attributes and members of a group, members first. */
static void write_group(vgH5Out *f, vgH5Group *group)
{
    static const unsigned char group_info[6] = {0, 1, 0xff, 0xff, 0, 0}; /* never in the dense form */
    vgH5Bytes all = {0}, body = {0};
    for (vgH5Link *l = group->link; l; l = l->next)
        if (l->group) write_group(f, l->group), l->to = l->group->at;
    vg_h5_put_le(f, &body, 0, 2);
    vg_h5_put_le(f, &body, VG_H5_NONE, 8); /* not dense: neither a heap nor an index */
    vg_h5_put_le(f, &body, VG_H5_NONE, 8);
    message(f, &all, 2, &body);
    body.n = 0;
    put(f, &body, group_info, sizeof group_info);
    message(f, &all, 10, &body);
    for (vgH5Link *l = group->link; l; l = l->next) {
        size_t n = strlen(l->name);
        body.n = 0;
        vg_h5_put_le(f, &body, 1, 1);
        vg_h5_put_le(f, &body, 0x10, 1); /* a character set: UTF-8 */
        vg_h5_put_le(f, &body, 1, 1);
        vg_h5_put_le(f, &body, n, 1);
        if (n > 255) f->failed = 1;
        put(f, &body, l->name, n);
        vg_h5_put_le(f, &body, l->to, 8);
        message(f, &all, 6, &body);
    }
    for (vgH5Text *t = group->text; t; t = t->next) {
        unsigned char number[4];
        size_t n = t->value && *t->value ? strlen(t->value) : 1;
        body.n = 0;
        if (t->is_number)
            type_of_integers(f, &body, 4, 1);
        else
            type_of_texts(f, &body, (uint32_t)n);
        vg_h5_store(number, (uint64_t)(int64_t)t->number, 4);
        if (t->is_number)
            attribute(f, &all, t->name, &body, number, sizeof number);
        else if (t->value)
            attribute(f, &all, t->name, &body, t->value, n);
    }
    vgH5Bytes b = header(f, &all);
    group->at = vg_h5_place(f, b.n, 0);
    vg_h5_write_at(f, group->at, b.at, b.n);
    free(b.at);
    free(all.at);
    free(body.at);
}

/* ---- the end ---- */

int vg_h5_commit(vgH5Out *f)
{
    write_group(f, &f->root);
    if (!f->failed) {
        f->named = 1;
        superblock(f, f->told);
    }
    return !f->failed;
}

int vg_h5_good(const vgH5Out *f)
{
    return !f->failed;
}

vgStatus vg_h5_end(vgH5Out *f, vgOutput *output)
{
    int ok = f && vg_h5_finish(f);
    if (ok) return vg_output_close(output) ? VG_OK : VG_IO;
    int why = output->error;
    vg_output_abandon(output);
    errno = why;
    return why ? VG_IO : VG_NO_MEMORY;
}

int vg_h5_finish(vgH5Out *f)
{
    int ok = vg_h5_commit(f);
    if (ok) superblock(f, f->end);
    ok = ok && !f->failed && vg_output_resize(f->output, f->end);
    vg_h5_discard(f);
    return ok;
}

static void free_group(vgH5Group *g)
{
    for (vgH5Link *l = g->link, *next; l; l = next) {
        next = l->next;
        if (l->group) free_group(l->group), free(l->group);
        free(l->name);
        free(l);
    }
    for (vgH5Text *t = g->text, *next; t; t = next) {
        next = t->next;
        free(t->name);
        free(t->value);
        free(t);
    }
}

void vg_h5_discard(vgH5Out *f)
{
    if (!f) return;
    free_group(&f->root);
    for (vgH5Rows *r = f->rows, *next; r; r = next) {
        next = r->next;
        for (int i = 0; i < r->depth; i++) free(r->level[i]);
        free(r);
    }
    free(f);
}
