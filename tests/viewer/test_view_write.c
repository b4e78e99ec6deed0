/* Reading and thinning of results files for the page, and what happens to files that are none. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/view/view.h"
#include "io/view/view_page.h"
#include "io/view/view_run.h"
#include "test.h"

static void path_of(char *path, const char *name)
{
    sprintf(path, "%s/test_view_%d_%s", VERGE_BUILD_DIR, (int)getpid(), name);
}

static void numbers(hid_t file, const char *name, int rank, const hsize_t *size, const double *values)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t data = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
    H5Sclose(space);
}

/* Fixed length here, variable length in the results writer: both are read. */
static void strings(hid_t file, const char *name, hsize_t n, const char *values, size_t width)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &n, NULL);
    H5Tset_size(type, width);
    hid_t data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
}

/* A run of n rows: a body going round, a channel with a spike of one row, one that is not finite in places.
 */
static void write_run(const char *path, size_t n, int poses)
{
    double *time = calloc(n + 1, sizeof *time), *data = calloc(n + 1, 2 * sizeof *data);
    double *pose = calloc(n + 1, 7 * sizeof *pose);
    for (size_t i = 0; i < n; i++) {
        double t = 0.001 * (double)i;
        time[i] = t;
        data[2 * i] = i == 12345 ? 99 : i == 23456 ? -77 : sin(t);
        data[2 * i + 1] = i % 3 ? NAN : 5;
        const double p[7] = {cos(t), sin(t), 0, cos(t / 2), 0, 0, sin(t / 2)};
        memcpy(pose + 7 * i, p, sizeof p);
    }
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t size[3] = {n, 2, 0}, cube[3] = {n, 1, 7};
    numbers(file, "time", 1, size, time);
    numbers(file, "data", 2, size, data);
    strings(file, "channels", 2, "wave\0gaps", 5);
    strings(file, "units", 2, "m\0\0\0\0s\0\0\0", 5);
    hid_t view = H5Gcreate2(file, "view", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (poses) {
        numbers(file, "view/poses", 3, cube, pose);
        strings(file, "view/bodies", 1, "ring", 5);
    }
    H5Gclose(view);
    H5Fclose(file);
    free(time), free(data), free(pose);
}

TEST(thinning_keeps_extremes)
{
    char path[600];
    path_of(path, "long.h5");
    write_run(path, 40001, 1);
    vgViewRun run;
    CHECK_INT(vg_view_run_read(&run, path, 1000000, 1000000, NULL), VG_OK);
    CHECK_INT(run.nframe_file, 40001);
    CHECK_INT(run.nframe, 10000);
    CHECK_NEAR(run.frame_time[0], 0, 0);
    CHECK_NEAR(run.frame_time[run.nframe - 1], 40, 1e-12);
    double worst = 0; /* every kept frame is a recorded one */
    for (size_t k = 0; k < run.nframe; k++)
        worst = fmax(worst, hypot(run.pose[7 * k] - cos(run.frame_time[k]),
                                  run.pose[7 * k + 1] - sin(run.frame_time[k])));
    CHECK_NEAR(worst, 0, 1e-15);

    CHECK_INT(run.channel.n, 2);
    CHECK_STR(run.channel.at[1], "gaps");
    CHECK_INT(run.nsample, 4000);
    double low = 0, high = 0;
    int ordered = 1, finite = 1;
    for (size_t i = 0; i < run.nsample; i++) {
        low = fmin(low, run.sample[i]);
        high = fmax(high, run.sample[i]);
        if (i) ordered = ordered && run.sample_time[i] >= run.sample_time[i - 1];
        finite = finite && run.sample[run.nsample + i] == 5;
    }
    CHECK_NEAR(high, 99, 0);
    CHECK_NEAR(low, -77, 0);
    CHECK(ordered);
    CHECK(finite); /* what is not a number does not hide what is */
    CHECK_NEAR(run.sample_time[run.nsample - 1], 40, 1e-12);
    vg_view_run_free(&run);
    remove(path);
}

TEST(limits_hold)
{
    char path[600];
    path_of(path, "limits.h5");
    write_run(path, 40001, 1);
    vgViewRun run;
    CHECK_INT(vg_view_run_read(&run, path, 500, 1000, NULL), VG_OK);
    CHECK_INT(run.nframe, 500);
    CHECK_INT(run.nsample, 500);
    vg_view_run_free(&run);
    remove(path);
}

TEST(short_runs_stay_whole)
{
    char path[600];
    path_of(path, "short.h5");
    for (size_t n = 0; n <= 3; n++) {
        write_run(path, n, 1);
        vgViewRun run;
        CHECK_INT(vg_view_run_read(&run, path, 1000000, 1000000, NULL), VG_OK);
        CHECK_INT(run.nframe, n);
        CHECK_INT(run.nsample, n);
        if (n == 3) CHECK_NEAR(run.sample[2], sin(0.002), 0);
        vg_view_run_free(&run);
    }
    remove(path);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    size_t got = fread(text, 1, (size_t)size, file);
    fclose(file);
    text[got] = 0;
    return text;
}

TEST(page_is_written_whole)
{
    char result[600], page[600];
    path_of(result, "page.h5");
    path_of(page, "page.html");
    for (int poses = 0; poses <= 1; poses++) {
        write_run(result, 200, poses);
        const char *const list[] = {result, result};
        vgStatus status = vg_view_write(list, 2, page, NULL);
        if (!vg_view_page.size) {
            CHECK_INT(status, VG_UNSUPPORTED);
            continue;
        }
        CHECK_INT(status, VG_OK);
        char *text = read_file(page);
        CHECK_STR(text, "<!doctype html>");
        CHECK_STR(text, "{\"runs\":[{\"name\":\"test_view_");
        CHECK_STR(text, "three.js authors"); /* licences go with the page */
        CHECK_STR(text, "Leon Sorokin");
        CHECK(text && !strstr(text, "/*verge:"));
        CHECK(text && !strcmp(text + strlen(text) - 8, "</html>\n"));
        free(text);
        remove(page);
    }
    remove(result);
}

static void check_refused(const char *result, const char *page, vgStatus expected, const char *words)
{
    vgDiag *diag = vg_diag_new();
    const char *const list[] = {result};
    CHECK_INT(vg_view_write(list, 1, page, diag), vg_view_page.size ? expected : VG_UNSUPPORTED);
    CHECK_INT(vg_diag_errors(diag), 1);
    CHECK_STR(vg_diag_line(diag, 0), vg_view_page.size ? words : "node");
    CHECK(access(page, F_OK) != 0);
    vg_diag_free(diag);
}

TEST(wrong_files_are_refused)
{
    char path[600], page[600];
    path_of(path, "wrong.h5");
    path_of(page, "wrong.html");
    check_refused("/nowhere/at all.h5", page, VG_BAD_INPUT, "cannot be opened");
    FILE *file = fopen(path, "wb");
    fputs("time,x\n0,1\n", file);
    fclose(file);
    check_refused(path, page, VG_BAD_INPUT, "cannot be opened");
    H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    check_refused(path, page, VG_BAD_INPUT, "\"time\" is missing");
    hid_t broken = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t size[2] = {3, 2};
    numbers(broken, "time", 1, size, (const double[]){0, 1, 2});
    numbers(broken, "data", 2, size, (const double[]){0, 1, 2, 3, 4, 5});
    strings(broken, "channels", 1, "only", 5); /* two columns, one name */
    H5Fclose(broken);
    check_refused(path, page, VG_BAD_INPUT, "\"data\" is missing or damaged");
    write_run(path, 5, 1);
    check_refused(path, "/nowhere/page.html", VG_IO, "cannot be written");
    remove(path);
}

TEST_MAIN(thinning_keeps_extremes, limits_hold, short_runs_stay_whole, page_is_written_whole,
          wrong_files_are_refused)
