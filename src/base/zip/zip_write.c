/* Writing ZIP files: local head and bytes of each member, then the directory. */
#include <errno.h>
#include <string.h>

#include "base/zip/zip.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, VERSION = 20, UTF8 = 1 << 11, MOST_MEMBERS = 0xffff };
/* 1 January 1980, the first day that the format knows: the same members give the same bytes. */
enum { DAY = 1 << 5 | 1 };

uint32_t vg_crc32(const void *bytes, size_t n)
{
    static const uint32_t nibble[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *at = bytes;
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        sum ^= at[i];
        sum = sum >> 4 ^ nibble[sum & 15];
        sum = sum >> 4 ^ nibble[sum & 15];
    }
    return ~sum;
}

static unsigned char *two(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)value, at[1] = (unsigned char)(value >> 8);
    return at + 2;
}

static unsigned char *four(unsigned char *at, uint32_t value)
{
    return two(two(at, value & 0xffff), value >> 16);
}

/* Version, flags, method 0, time, sum, both sizes, length of the name, no extra field: in both heads. */
static unsigned char *common(unsigned char *at, uint32_t sum, size_t n, size_t name)
{
    at = two(two(two(at, VERSION), UTF8), 0);
    at = four(two(two(at, 0), DAY), sum);
    at = four(four(at, (uint32_t)n), (uint32_t)n);
    return two(two(at, (unsigned)name), 0);
}

int vg_zip_open(vgZipOut *zip, const char *path)
{
    *zip = (vgZipOut){0};
    return vg_output_open(&zip->file, path);
}

void vg_zip_put(vgZipOut *zip, const char *name, const void *bytes, size_t n)
{
    const size_t length = strlen(name);
    if (zip->failed) return;
    if (n > UINT32_MAX || zip->file.end > UINT32_MAX - n || length > UINT16_MAX || zip->n == MOST_MEMBERS) {
        zip->failed = EFBIG;
        return;
    }
    const uint32_t sum = vg_crc32(bytes, n), place = (uint32_t)zip->file.end;
    unsigned char head[CENTRAL] = {0}, *at = four(head, 0x04034b50);
    common(at, sum, n, length);
    int good = vg_output_put(&zip->file, head, LOCAL) && vg_output_put(&zip->file, name, length) &&
               vg_output_put(&zip->file, bytes, n);
    memset(head, 0, sizeof head);
    at = common(two(four(head, 0x02014b50), VERSION), sum, n, length);
    four(head + CENTRAL - 4, place); /* between them: no comment, first disk, no attributes */
    vg_text_put(&zip->directory, (const char *)head, CENTRAL);
    vg_text_put(&zip->directory, name, length);
    zip->n++;
    if (!good) zip->failed = errno ? errno : EIO;
}

int vg_zip_close(vgZipOut *zip)
{
    unsigned char end[END] = {0};
    const uint64_t place = zip->file.end;
    if (!vg_text_ok(&zip->directory)) zip->failed = ENOMEM;
    if (!zip->failed && place + zip->directory.used > UINT32_MAX) zip->failed = EFBIG;
    if (zip->failed) {
        const int why = zip->failed;
        vg_zip_abandon(zip);
        errno = why;
        return 0;
    }
    unsigned char *at = four(four(end, 0x06054b50), 0);
    at = two(two(at, zip->n), zip->n);
    four(four(at, (uint32_t)zip->directory.used), (uint32_t)place);
    vg_output_put(&zip->file, zip->directory.at, zip->directory.used);
    vg_output_put(&zip->file, end, END);
    vg_text_free(&zip->directory);
    return vg_output_close(&zip->file);
}

void vg_zip_abandon(vgZipOut *zip)
{
    vg_output_abandon(&zip->file);
    vg_text_free(&zip->directory);
}
