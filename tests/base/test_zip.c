/* ZIP files: what we write is what Python's zipfile reads, and the other way round with deflated members; damaged files are
 * refused. */
#include <stdlib.h>

#include "base/zip/zip.h"
#include "temporary.h"
#include "test.h"

static char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 20];

static void name_of(const char *name)
{
    if (!folder[0]) CHECK(temporary_folder(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

/* Runs Python on the file; 1: it is content. */
static int python(const char *program)
{
    char line[2000];
    snprintf(line, sizeof line, "python3 -c \"import sys, zipfile, os; p = '%s'; %s\"", path, program);
    return system(line) == 0;
}

/* CRC-32 of "123456789" is the check value of the standard. */
TEST(sum)
{
    CHECK(vg_crc32("123456789", 9) == 0xcbf43926u);
    CHECK(vg_crc32("", 0) == 0);
}

TEST(written)
{
    name_of("a.zip");
    vgZipOut zip;
    CHECK(vg_zip_open(&zip, path));
    vg_zip_put(&zip, "one.txt", "hello", 5);
    vg_zip_put(&zip, "deep/er/two", "", 0);
    CHECK(vg_zip_close(&zip));
    CHECK(python("z = zipfile.ZipFile(p); assert z.testzip() is None and z.namelist() == ['one.txt', "
                 "'deep/er/two'] and z.read('one.txt') == b'hello' and z.read('deep/er/two') == b''"));
    const char *why;
    vgZip *back = vg_zip_read(path, &why);
    CHECK(back && vg_zip_count(back) == 2 && vg_zip_find(back, "none") == -1);
    size_t n = 0;
    unsigned char *bytes = vg_zip_take(back, vg_zip_find(back, "one.txt"), &n);
    CHECK(bytes && n == 5 && strcmp((char *)bytes, "hello") == 0);
    free(bytes);
    vg_zip_free(back);
}

TEST(deflated)
{
    name_of("b.zip");
    CHECK(python("z = zipfile.ZipFile(p, 'w', zipfile.ZIP_DEFLATED); z.writestr('x', ''.join(str(i * i) for "
                 "i in range(20000))); z.comment = b'behind'; z.close()"));
    const char *why;
    vgZip *zip = vg_zip_read(path, &why);
    CHECK(zip && vg_zip_count(zip) == 1);
    size_t n = 0;
    unsigned char *bytes = vg_zip_take(zip, 0, &n);
    char *expected = malloc(400000), *at = expected;
    for (long i = 0; i < 20000; i++) at += sprintf(at, "%ld", i * i);
    CHECK(bytes && n == (size_t)(at - expected) && memcmp(bytes, expected, n) == 0);
    free(expected);
    free(bytes);
    vg_zip_free(zip);
}

/* Every byte of a small file changed: it is refused, or a member is, or it says the same; nothing crashes. */
TEST(damaged)
{
    name_of("c.zip");
    CHECK(python("z = zipfile.ZipFile(p, 'w', zipfile.ZIP_DEFLATED); z.writestr('name', 'abcabcabcabcabc' * "
                 "9); z.close()"));
    unsigned char file[1000];
    FILE *f = fopen(path, "rb");
    size_t n = fread(file, 1, sizeof file, f);
    fclose(f);
    CHECK(n > 50 && n < sizeof file);
    int refused = 0;
    for (size_t i = 0; i < n; i++) {
        file[i] ^= 0x55;
        CHECK(vg_file_write(path, file, n));
        file[i] ^= 0x55;
        const char *why = NULL;
        vgZip *zip = vg_zip_read(path, &why);
        size_t size = 0;
        unsigned char *bytes = zip && vg_zip_count(zip) ? vg_zip_take(zip, 0, &size) : NULL;
        refused += !bytes;
        if (bytes) CHECK(size == 135 && memcmp(bytes, "abcabc", 6) == 0);
        if (!zip) CHECK(why && *why);
        free(bytes);
        vg_zip_free(zip);
    }
    CHECK(refused > 30);
    CHECK(vg_file_write(path, file, n / 2));
    const char *why = NULL;
    CHECK(!vg_zip_read(path, &why) && why);
    CHECK(python("z = zipfile.ZipFile(p, 'w'); z.writestr('../out', 'x'); z.close()"));
    CHECK(!vg_zip_read(path, &why));
    CHECK_STR(why, "leads out");
}

/* Little that would become much: members that share their bytes, and one that is all zeros. */
TEST(bombs)
{
    name_of("d.zip");
    const char *why = NULL;
    CHECK(python("d = bytes(1 << 16); z = zipfile.ZipFile(p, 'w', zipfile.ZIP_DEFLATED); z.writestr('a', d); "
                 "z.filelist += [z.filelist[0]] * 99; z.close()"));
    CHECK(!vg_zip_read(path, &why));
    CHECK_STR(why, "overlap");
    CHECK(python("z = zipfile.ZipFile(p, 'w', zipfile.ZIP_DEFLATED, compresslevel=1)\n"
                 "for k in range(2):\n"
                 " with z.open(str(k), 'w') as f:\n"
                 "  for i in range(8 + k): f.write(bytes(1 << 26))\n"
                 "z.close()"));
    CHECK(!vg_zip_read(path, &why));
    CHECK_STR(why, "more than 1 GB");
    char line[TEMPORARY_PATH + 20];
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    CHECK(system(line) == 0);
}

TEST_MAIN(sum, written, deflated, damaged, bombs)
