/* Reading ZIP files. What the directory says is checked against the file before anything is taken. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/h5/inflate.h"
#include "base/zip/zip.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, COMMENT = 0xffff, STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };
/* Deflate makes at most 258 bytes of 2 bits: a member that claims more is damaged, and takes no memory. */
enum { MOST_GAIN = 1032 };
/* Bytes of all members together. FMUs of other programs have up to some hundred million; half of it would refuse none
 * that we know, twice of it lets a file of 2 MB write 2 GB into the folder for temporary files. */
#define MOST_UNPACKED ((size_t)1 << 30)

typedef struct Member {
    char *name;
    const unsigned char *bytes;
    size_t packed, size;
    uint32_t sum;
    int method;
} Member;

struct vgZip {
    unsigned char *file;
    size_t n;
    int count;
    size_t packed, unpacked; /* bytes of all members */
    Member *member;
};

static unsigned two(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static uint32_t four(const unsigned char *at)
{
    return two(at) | (uint32_t)two(at + 2) << 16;
}

static int is_inside(const char *name)
{
    if (name[0] == '/' || name[0] == 0 || strchr(name, '\\')) return 0;
    for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/')
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == 0)) return 0;
    return 1;
}

/* One entry of the directory; NULL: fine. */
static const char *entry(vgZip *z, const unsigned char *at, size_t left, size_t *used)
{
    if (left < CENTRAL || four(at) != 0x02014b50) return "has a damaged directory";
    Member *m = &z->member[z->count];
    const size_t name = two(at + 28), extra = two(at + 30), comment = two(at + 32), place = four(at + 42);
    *used = CENTRAL + name + extra + comment;
    m->method = (int)two(at + 10), m->sum = four(at + 16);
    m->packed = four(at + 20), m->size = four(at + 24);
    if (left < *used || z->n < LOCAL || place > z->n - LOCAL || four(z->file + place) != 0x04034b50)
        return "has a damaged directory";
    if (two(at + 8) & ENCRYPTED) return "is encrypted";
    if (m->method != STORED && m->method != DEFLATED) return "is compressed in a way that is not known";
    const size_t start = place + LOCAL + two(z->file + place + 26) + two(z->file + place + 28);
    if (start > z->n || m->packed > z->n - start || (m->method == STORED && m->packed != m->size) ||
        m->size / MOST_GAIN > m->packed)
        return "has a damaged directory";
    m->bytes = z->file + start;
    /* members that share their bytes make much of little: such a file is no archive but an attack */
    z->packed += LOCAL + m->packed, z->unpacked += m->size;
    if (z->packed > z->n) return "has members that overlap";
    if (m->size > MOST_UNPACKED || z->unpacked > MOST_UNPACKED) return "would unpack to more than 1 GB";
    if (!(m->name = malloc(name + 1))) return "out of memory";
    z->count++;
    memcpy(m->name, at + CENTRAL, name);
    m->name[name] = 0;
    return strlen(m->name) == name && is_inside(m->name) ? NULL : "has a name that leads out of its folder";
}

static const char *directory(vgZip *z)
{
    if (z->n < END) return "is no ZIP file";
    size_t end = z->n - END;
    while (four(z->file + end) != 0x06054b50) {
        if (end == 0 || z->n - END - end >= COMMENT) return "is no ZIP file";
        end--;
    }
    const size_t count = two(z->file + end + 10), place = four(z->file + end + 16);
    if (place > end || count > (end - place) / CENTRAL) return "has a damaged directory";
    z->member = calloc(count + 1, sizeof *z->member);
    if (!z->member) return "out of memory";
    const unsigned char *at = z->file + place;
    for (size_t i = 0, used = 0; i < count; i++, at += used) {
        const char *why = entry(z, at, (size_t)(z->file + end - at), &used);
        if (why) return why;
    }
    return NULL;
}

static const char *read_whole(vgZip *z, const char *path)
{
    const char *why = vg_file_wrong(path);
    if (why) return why;
    FILE *f = fopen(path, "rb");
    if (!f) return errno == ENOMEM ? "out of memory" : "cannot be opened";
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    z->file = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (z->file && fseek(f, 0, SEEK_SET) == 0) z->n = fread(z->file, 1, (size_t)size, f);
    fclose(f);
    return !z->file ? "out of memory" : z->n != (size_t)size ? "cannot be read" : NULL;
}

vgZip *vg_zip_read(const char *path, const char **why)
{
    vgZip *z = calloc(1, sizeof *z);
    *why = z ? read_whole(z, path) : "out of memory";
    if (!*why) *why = directory(z);
    if (!*why) return z;
    vg_zip_free(z);
    return NULL;
}

void vg_zip_free(vgZip *zip)
{
    if (!zip) return;
    for (int i = 0; i < zip->count; i++) free(zip->member[i].name);
    free(zip->member);
    free(zip->file);
    free(zip);
}

int vg_zip_count(const vgZip *zip)
{
    return zip->count;
}

const char *vg_zip_name(const vgZip *zip, int i)
{
    return zip->member[i].name;
}

int vg_zip_find(const vgZip *zip, const char *name)
{
    for (int i = 0; i < zip->count; i++)
        if (strcmp(zip->member[i].name, name) == 0) return i;
    return -1;
}

unsigned char *vg_zip_take(const vgZip *zip, int i, size_t *n)
{
    const Member *m = &zip->member[i];
    unsigned char *out = malloc(m->size + 1);
    if (!out) return NULL;
    int good = m->method == DEFLATED ? vg_inflate_raw(m->bytes, m->packed, out, m->size) : 1;
    if (m->method == STORED) memcpy(out, m->bytes, m->size);
    if (!good || vg_crc32(out, m->size) != m->sum) {
        free(out);
        return NULL;
    }
    out[m->size] = 0;
    *n = m->size;
    return out;
}
