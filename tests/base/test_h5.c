/* base/h5 against the HDF5 library: what one writes the other reads. */
#include "base/h5/h5.h"

#include <hdf5.h>
#include <unistd.h>

#include "temporary.h"
#include "test.h"

static const char *place(void)
{
    static char path[TEMPORARY_PATH];
    snprintf(path, sizeof path, "%.250s/verge_h5_%ld.h5", temporary_fast(), (long)getpid());
    return path;
}

static double number(uint64_t i)
{
    return sin((double)i) / (1 + (double)i);
}

/* ---- written here, read by the library ---- */

static void write_rows(uint64_t n, uint64_t batch, int width)
{
    vgOutput output;
    CHECK(vg_output_open(&output, place()));
    vgH5Out *out = vg_h5_create(&output);
    uint64_t size[2] = {0, (uint64_t)width};
    vgH5Group *group = vg_h5_group(out, vg_h5_top(out), "inner");
    vgH5Rows *rows = vg_h5_put_rows(out, group, "rows", 2, size);
    vg_h5_put_text(out, group, "name", "größer");
    vg_h5_put_integer(out, vg_h5_top(out), "number", -7);
    CHECK(vg_h5_commit(out));
    double *block = calloc(batch * (uint64_t)width + 1, sizeof *block);
    for (uint64_t i = 0; i < n; i += batch) {
        uint64_t m = n - i < batch ? n - i : batch;
        for (uint64_t k = 0; k < m * (uint64_t)width; k++) block[k] = number(i * (uint64_t)width + k);
        vg_h5_append(out, rows, m, block);
    }
    free(block);
    CHECK_INT(vg_h5_end(out, &output), VG_OK);
}

static void library_reads_rows(uint64_t n, int width)
{
    hid_t file = H5Fopen(place(), H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    hid_t set = H5Dopen2(file, "inner/rows", H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t size[2] = {0, 0};
    H5Sget_simple_extent_dims(space, size, NULL);
    CHECK_INT((long)size[0], (long)n);
    CHECK_INT((long)size[1], width);
    double *all = calloc(n * (uint64_t)width + 1, sizeof *all);
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    long wrong = 0;
    for (uint64_t i = 0; i < n * (uint64_t)width; i++) wrong += all[i] != number(i);
    CHECK_INT(wrong, 0);
    free(all);
    hid_t at = H5Aopen_by_name(file, "inner", "name", H5P_DEFAULT, H5P_DEFAULT), type = H5Aget_type(at);
    char text[100] = "";
    CHECK(H5Tget_size(type) < sizeof text && H5Aread(at, type, text) >= 0);
    CHECK_STR(text, "größer");
    H5Tclose(type);
    H5Aclose(at);
    int seven = 0;
    at = H5Aopen(file, "number", H5P_DEFAULT);
    CHECK(H5Aread(at, H5T_NATIVE_INT, &seven) >= 0);
    CHECK_INT(seven, -7);
    H5Aclose(at);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

static void read_rows(const char *group_name, uint64_t n, int width)
{
    vgH5 *file = NULL;
    const char *why = "";
    vgH5Object group, at;
    vgH5Set set;
    CHECK_INT(vg_h5_open(place(), &file, &why), VG_OK);
    if (!file) return;
    CHECK_INT(vg_h5_find(file, vg_h5_root(file), group_name, &group), VG_OK);
    CHECK_INT(vg_h5_find(file, group, "rows", &at), VG_OK);
    CHECK_INT(vg_h5_set(file, at, &set), VG_OK);
    CHECK_INT((long)set.size[0], (long)n);
    CHECK_INT((long)set.width, width);
    double *all = calloc(n * (uint64_t)width + 1, sizeof *all);
    CHECK_INT(vg_h5_rows(file, &set, 0, n, all), VG_OK);
    CHECK_INT(vg_h5_check(file, &set), VG_OK);
    long wrong = 0;
    for (uint64_t i = 0; i < n * (uint64_t)width; i++) wrong += all[i] != number(i);
    CHECK_INT(wrong, 0);
    free(all);
    vg_h5_set_free(&set);
    char *text = NULL;
    CHECK_INT(vg_h5_text(file, group, "name", &text), VG_OK);
    CHECK_STR(text ? text : "", "größer");
    free(text);
    vg_h5_close(file);
}

/* One row, a part of a chunk, whole chunks, trees of one, two and three levels (64 and 4096 chunks). */
TEST(rows_of_all_depths)
{
    static const struct {
        uint64_t n, batch;
        int width;
    } cases[] = {{0, 1, 3},       {1, 1, 3},       {1023, 100, 3},
                 {1024, 1024, 8}, {70000, 333, 9}, {4100 * 1024, 100000, 1},
                 {70, 37, 8192},  {30, 7, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_rows(cases[i].n, cases[i].batch, cases[i].width);
        library_reads_rows(cases[i].n, cases[i].width);
        read_rows("inner", cases[i].n, cases[i].width);
    }
    unlink(place());
}

TEST(texts_and_matrices)
{
    static const char *const names[] = {"a", "a name that is longer", "", "ümlaut"};
    const uint64_t size[2] = {2, 3};
    const double matrix[6] = {1, 2, 3, 4, 5, 1e300};
    char *lots = malloc(200001);
    memset(lots, 'y', 200000);
    lots[200000] = 0;
    vgOutput output;
    CHECK(vg_output_open(&output, place()));
    vgH5Out *out = vg_h5_create(&output);
    vg_h5_put_texts(out, vg_h5_top(out), "names", 4, names);
    vg_h5_put_texts(out, vg_h5_top(out), "none", 0, NULL);
    vg_h5_put_numbers(out, vg_h5_top(out), "matrix", 2, size, matrix);
    vg_h5_put_text(out, vg_h5_top(out), "long", lots);
    vg_h5_put_text(out, vg_h5_top(out), "empty", "");
    vg_h5_put_text(out, vg_h5_top(out), "again", "first");
    vg_h5_put_text(out, vg_h5_top(out), "again", lots);
    CHECK_INT(vg_h5_end(out, &output), VG_OK);

    hid_t file = H5Fopen(place(), H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "names", H5P_DEFAULT);
    hid_t type = H5Dget_type(set);
    char text[4][21];
    CHECK_INT((long)H5Tget_size(type), 21);
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    CHECK(memcmp(text[1], names[1], 21) == 0 && strcmp(text[3], names[3]) == 0 && !text[2][0]);
    H5Tclose(type);
    H5Dclose(set);
    double back[6];
    set = H5Dopen2(file, "matrix", H5P_DEFAULT);
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    CHECK(memcmp(back, matrix, sizeof matrix) == 0);
    H5Dclose(set);
    H5Fclose(file);

    vgH5 *own = NULL;
    const char *why = "";
    vgH5Object at;
    vgH5Set mine;
    char *found = NULL, **list = NULL;
    uint64_t n = 0;
    CHECK_INT(vg_h5_open(place(), &own, &why), VG_OK);
    CHECK_INT(vg_h5_text(own, vg_h5_root(own), "long", &found), VG_OK);
    CHECK(found && strcmp(found, lots) == 0);
    free(found);
    CHECK_INT(vg_h5_text(own, vg_h5_root(own), "again", &found), VG_OK);
    CHECK(found && strcmp(found, lots) == 0);
    free(found);
    CHECK_INT(vg_h5_text(own, vg_h5_root(own), "empty", &found), VG_OK);
    CHECK(found && !*found);
    free(found);
    CHECK_INT(vg_h5_text(own, vg_h5_root(own), "not there", &found), VG_OK);
    CHECK(found == NULL);
    CHECK_INT(vg_h5_find(own, vg_h5_root(own), "names", &at), VG_OK);
    CHECK_INT(vg_h5_set(own, at, &mine), VG_OK);
    CHECK_INT(vg_h5_texts(own, &mine, &n, &list), VG_OK);
    CHECK_INT((long)n, 4);
    for (uint64_t i = 0; list && i < n; i++) {
        CHECK(strcmp(list[i], names[i]) == 0);
        free(list[i]);
    }
    free(list);
    vg_h5_set_free(&mine);
    vg_h5_close(own);
    free(lots);
    unlink(place());
}

/* ---- written by the library, read here ---- */

/* As versions before 0.4 wrote results: texts of variable length, rows in chunks, groups as symbol tables. */
static void library_writes(H5F_libver_t form, uint64_t n, int width, int links, hid_t number_type)
{
    hid_t how = H5Pcreate(H5P_FILE_ACCESS), file;
    H5Pset_libver_bounds(how, form, H5F_LIBVER_LATEST);
    file = H5Fcreate(place(), H5F_ACC_TRUNC, H5P_DEFAULT, how);
    hid_t group = H5Gcreate2(file, "inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t text = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR), plist = H5Pcreate(H5P_DATASET_CREATE);
    const char *name = "größer";
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    hid_t at = H5Acreate2(group, "name", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Awrite(at, text, &name) >= 0);
    H5Aclose(at);
    hsize_t size[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width},
            chunk[2] = {7, (hsize_t)width};
    hsize_t all[2] = {n, (hsize_t)width};
    hid_t space = H5Screate_simple(2, form == H5F_LIBVER_EARLIEST ? size : all,
                                   form == H5F_LIBVER_EARLIEST ? most : NULL);
    if (form == H5F_LIBVER_EARLIEST) H5Pset_chunk(plist, 2, chunk);
    hid_t set = H5Dcreate2(group, "rows", number_type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (form == H5F_LIBVER_EARLIEST) H5Dset_extent(set, all);
    double *values = calloc(n * (uint64_t)width + 1, sizeof *values);
    for (uint64_t i = 0; i < n * (uint64_t)width; i++) values[i] = number(i);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    free(values);
    H5Dclose(set);
    for (int i = 0; i < links; i++) {
        char link[40];
        snprintf(link, sizeof link, "member %d", i);
        H5Gclose(H5Gcreate2(file, link, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    H5Sclose(space), H5Sclose(scalar), H5Tclose(text), H5Pclose(plist), H5Gclose(group), H5Fclose(file),
        H5Pclose(how);
}

TEST(files_of_the_library)
{
    library_writes(H5F_LIBVER_EARLIEST, 3, 2, 0, H5T_IEEE_F64LE);
    read_rows("inner", 3, 2);
    library_writes(H5F_LIBVER_EARLIEST, 3000, 5, 500, H5T_IEEE_F64LE); /* two levels of trees */
    read_rows("inner", 3000, 5);
    library_writes(H5F_LIBVER_EARLIEST, 50, 5, 0, H5T_IEEE_F64BE);
    read_rows("inner", 50, 5);
    library_writes(H5F_LIBVER_LATEST, 50, 5, 3, H5T_IEEE_F64LE);
    read_rows("inner", 50, 5);
    unlink(place());
}

/* A dataset in chunks of a given shape through the filters, of n[0] × n[1] × n[2] numbers (rank of them). */
typedef struct zippedCase {
    int rank, level, shuffle, fletcher, noisy; /* level −1: no deflate */
    hsize_t n[3], chunk[3];
} zippedCase;

static double zipped_number(const zippedCase *c, uint64_t i)
{
    return c->noisy ? number(i) : (double)(i / 50 % 7); /* few and long repetitions */
}

static void library_zips(const zippedCase *c, hid_t type)
{
    hid_t file = H5Fcreate(place(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(c->rank, c->n, NULL);
    H5Pset_chunk(plist, c->rank, c->chunk);
    if (c->shuffle) H5Pset_shuffle(plist);
    if (c->fletcher == 1) H5Pset_fletcher32(plist);
    if (c->level >= 0) H5Pset_deflate(plist, (unsigned)c->level);
    if (c->fletcher == 2) H5Pset_fletcher32(plist);
    hid_t set = H5Dcreate2(file, "zipped", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    uint64_t all = (uint64_t)(c->n[0] * (c->rank > 1 ? c->n[1] : 1) * (c->rank > 2 ? c->n[2] : 1));
    double *values = calloc(all + 1, sizeof *values);
    for (uint64_t i = 0; i < all; i++) values[i] = zipped_number(c, i);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    free(values);
    H5Dclose(set), H5Pclose(plist), H5Sclose(space), H5Fclose(file);
}

/* All numbers of "zipped"; *wrong: how many differ. */
static vgStatus read_zipped(vgH5 *own, const zippedCase *c, int single, long *wrong)
{
    vgH5Object at = VG_H5_NONE;
    vgH5Set set;
    *wrong = 0;
    vgStatus st = vg_h5_find(own, vg_h5_root(own), "zipped", &at);
    if (st == VG_OK && at == VG_H5_NONE) return VG_BAD_INPUT;
    if (st == VG_OK) st = vg_h5_set(own, at, &set);
    if (st != VG_OK) return st;
    uint64_t all = set.size[0] * set.width;
    double *x = calloc(all + 1, sizeof *x);
    st = x ? vg_h5_rows(own, &set, 0, set.size[0], x) : VG_NO_MEMORY;
    for (uint64_t i = 0; i < all && st == VG_OK; i++) {
        double y = zipped_number(c, i);
        *wrong += x[i] != (single ? (double)(float)y : y);
    }
    free(x);
    vg_h5_set_free(&set);
    return st;
}

static const zippedCase zipped_cases[] = {
    {2, 6, 0, 0, 0, {40, 30, 0}, {40, 30, 0}},     {2, 9, 1, 0, 1, {41, 30, 0}, {7, 11, 0}},
    {2, 0, 0, 0, 1, {41, 30, 0}, {13, 30, 0}},     {1, 1, 1, 1, 0, {5000, 0, 0}, {999, 0, 0}},
    {1, 4, 1, 2, 1, {5000, 0, 0}, {4096, 0, 0}},   {3, 6, 1, 2, 1, {9, 8, 7}, {4, 3, 5}},
    {2, -1, 1, 1, 1, {50, 4, 0}, {5, 2, 0}},       {2, -1, 0, 0, 1, {50, 4, 0}, {5, 3, 0}},
    {1, 6, 0, 0, 0, {90000, 0, 0}, {90000, 0, 0}}, {2, 3, 0, 2, 1, {3, 1, 0}, {2, 1, 0}},
};

TEST(compressed)
{
    for (size_t i = 0; i < sizeof zipped_cases / sizeof *zipped_cases; i++) {
        const zippedCase *c = &zipped_cases[i];
        hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE};
        for (int k = 0; k < 3; k++) {
            vgH5 *own = NULL;
            const char *why = "";
            long wrong = 0;
            library_zips(c, types[k]);
            CHECK_INT(vg_h5_open(place(), &own, &why), VG_OK);
            CHECK_INT(read_zipped(own, c, k == 2, &wrong), VG_OK);
            CHECK_STR(vg_h5_why(own), "");
            CHECK_INT(wrong, 0);
            vg_h5_close(own);
        }
    }
    unlink(place());
}

/* A changed bit in what is compressed is refused: the sum of the zlib form sees it. Elsewhere, no crash. */
TEST(compressed_and_damaged)
{
    long refused = 0, wrong = 0, all = 0;
    for (size_t i = 0; i < sizeof zipped_cases / sizeof *zipped_cases; i++) {
        const zippedCase *c = &zipped_cases[i];
        if (c->level <= 0 || c->n[0] > 5000) continue;
        library_zips(c, H5T_IEEE_F64LE);
        FILE *f = fopen(place(), "rb");
        static unsigned char image[1 << 16];
        size_t n = fread(image, 1, sizeof image, f), step = n / 700 + 1;
        fclose(f);
        for (size_t at = 96 + i; at < n; at += step, all++) { /* behind the superblock */
            vgH5 *own = NULL;
            const char *why = "";
            long differ = 0;
            image[at] ^= (unsigned char)(1 << at % 8);
            vgStatus st = vg_h5_open_image(image, n, &own, &why);
            if (st == VG_OK) st = read_zipped(own, c, 0, &differ);
            refused += st != VG_OK;
            wrong += st == VG_OK && differ;
            image[at] ^= (unsigned char)(1 << at % 8);
            vg_h5_close(own);
        }
    }
    printf("compressed: %ld changed bits, %ld refused, %ld with other numbers\n", all, refused, wrong);
    CHECK(refused > all / 4); /* much of the file is room for names to come */
    CHECK(wrong < all / 100); /* types and extents of the library's headers have no sum */
    unlink(place());
}

/* Chunks that were never written have the value that the file gives for them; only zeros are taken. `version`: of the file,
 * whose messages about that value differ. */
static vgStatus read_unwritten(H5F_libver_t version, const double *value, double *last)
{
    hsize_t n[1] = {40}, chunk[1] = {10}, from[1] = {0}, count[1] = {15};
    double values[15] = {0}, all[40];
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), plist = H5Pcreate(H5P_DATASET_CREATE),
          space = H5Screate_simple(1, n, NULL), part = H5Screate_simple(1, count, NULL);
    H5Pset_libver_bounds(access, version, H5F_LIBVER_V18);
    H5Pset_chunk(plist, 1, chunk);
    if (value) H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, value);
    hid_t file = H5Fcreate(place(), H5F_ACC_TRUNC, H5P_DEFAULT, access),
          set = H5Dcreate2(file, "zipped", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, part, space, H5P_DEFAULT, values) >= 0);
    H5Dclose(set), H5Fclose(file), H5Sclose(part), H5Sclose(space), H5Pclose(plist), H5Pclose(access);
    vgH5 *own = NULL;
    vgH5Object at = VG_H5_NONE;
    vgH5Set read;
    const char *why = "";
    CHECK_INT(vg_h5_open(place(), &own, &why), VG_OK);
    CHECK_INT(vg_h5_find(own, vg_h5_root(own), "zipped", &at), VG_OK);
    vgStatus st = vg_h5_set(own, at, &read);
    if (st == VG_OK) {
        st = vg_h5_rows(own, &read, 0, 40, all);
        *last = all[39];
        vg_h5_set_free(&read);
    } else {
        CHECK_STR(vg_h5_why(own), "never written");
    }
    vg_h5_close(own);
    unlink(place());
    return st;
}

TEST(chunks_that_were_never_written)
{
    const H5F_libver_t versions[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18};
    double zero = 0, other = 7.5, last = 1;
    for (int i = 0; i < 2; i++) {
        CHECK_INT(read_unwritten(versions[i], NULL, &last), VG_OK);
        CHECK(last == 0);
        CHECK_INT(read_unwritten(versions[i], &zero, &last), VG_OK);
        CHECK(last == 0);
        CHECK_INT(read_unwritten(versions[i], &other, &last), VG_BAD_INPUT);
    }
}

/* What is not read is refused in words. */
TEST(refused)
{
    hid_t file = H5Fcreate(place(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          plist = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t size[2] = {10, 4}, chunk[2] = {5, 2}, four[4] = {1, 1, 1, 1};
    H5Pset_chunk(plist, 2, chunk);
    hid_t space = H5Screate_simple(2, size, NULL), deep = H5Screate_simple(4, four, NULL);
    hid_t zipped = H5Pcopy(plist), pair = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(pair, "x", 0, H5T_IEEE_F64LE);
    H5Pset_scaleoffset(zipped, H5Z_SO_FLOAT_DSCALE, 3);
    H5Dclose(H5Dcreate2(file, "blocks", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "filtered", H5T_IEEE_F64LE, space, H5P_DEFAULT, zipped, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "pairs", pair, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "deep", H5T_IEEE_F64LE, deep, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "unwritten", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(pair), H5Pclose(zipped), H5Pclose(plist), H5Sclose(space), H5Sclose(deep), H5Fclose(file);
    static const char *const cases[][2] = {{"blocks", "never written"},
                                           {"filtered", "in another way than deflate"},
                                           {"pairs", "neither a number nor a text"},
                                           {"deep", "more than three dimensions"},
                                           {"unwritten", "never written"}};
    vgH5 *own = NULL;
    const char *why = "";
    CHECK_INT(vg_h5_open(place(), &own, &why), VG_OK);
    for (int i = 0; i < 5; i++) {
        vgH5Object at;
        vgH5Set set;
        CHECK_INT(vg_h5_find(own, vg_h5_root(own), cases[i][0], &at), VG_OK);
        CHECK_INT(vg_h5_set(own, at, &set), VG_BAD_INPUT);
        CHECK_STR(vg_h5_why(own), cases[i][1]);
    }
    vg_h5_close(own);
    unlink(place());
    CHECK_INT(vg_h5_open("/no/such/file.h5", &own, &why), VG_IO);
    CHECK_STR(why, "does not exist");
    CHECK_INT(vg_h5_open_image("\x89HDF\r\n\x1a\n", 8, &own, &why), VG_BAD_INPUT);
}

/* Published values of lookup3: hashlittle("", 0, 0) and of a sentence, in the driver of its source. */
TEST(checksums)
{
    CHECK(vg_h5_lookup3("", 0) == 0xdeadbeefu);
    CHECK(vg_h5_lookup3("Four score and seven years ago", 30) == 0x17770551u);
    const double x[2] = {1, 2};
    uint64_t whole = vg_h5_sum(0, x, sizeof x);
    CHECK(whole == vg_h5_sum(vg_h5_sum(0, x, 8), x + 1, 8));
    for (int bit = 0; bit < 128; bit++) {
        unsigned char y[16];
        memcpy(y, x, sizeof y);
        y[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(vg_h5_sum(0, y, sizeof y) != whole);
    }
}

TEST_MAIN(rows_of_all_depths, texts_and_matrices, files_of_the_library, compressed, compressed_and_damaged,
          chunks_that_were_never_written, refused, checksums)
