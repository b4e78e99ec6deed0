#define _GNU_SOURCE /* syscall() */
#include "io/results.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"
#include "test.h"

static const char *const channels[] = {"joint.O.angle", "odd, \"name\"", "plain"};
static const char *const units[] = {"rad", "N*m", ""};
static const char *const bodies[] = {"crank", "rod"};

static vgResultsHead head(void)
{
    return (vgResultsHead){.title = "a title",
                           .model_text = "verge: 1\n",
                           .coordinates = "lie",
                           .constraints = "index3",
                           .integrator = "generalized-alpha",
                           .nchannel = 3,
                           .channel = channels,
                           .unit = units,
                           .nbody = 2,
                           .body = bodies,
                           .scene = "{\"planar\":false}"};
}

static char *temporary(const char *ending)
{
    static char path[TEMPORARY_PATH];
    snprintf(path, sizeof path, "%.250s/verge_results_%ld%s", temporary_place(), (long)getpid(), ending);
    return path;
}

static double value_at(long i, int k)
{
    return (k + 1) * sin(0.001 * (double)i) + 1.0 / (double)(i + 1);
}

static vgStatus write_rows(vgResults *r, long from, long n)
{
    double row[3], poses[14];
    vgStatus status = VG_OK;
    for (long i = from; i < from + n && status == VG_OK; i++) {
        for (int k = 0; k < 3; k++) row[k] = value_at(i, k);
        for (int k = 0; k < 14; k++) poses[k] = (double)(i * 14 + k);
        status = vg_results_row(r, 0.25 * (double)i, row, poses);
    }
    return status;
}

static void check_table(const vgTableData *t, long nrow)
{
    CHECK_INT(t->ncol, 4);
    CHECK_INT(t->nrow, nrow);
    CHECK_STR(t->name[0], "time");
    for (int k = 0; k < 3; k++) {
        CHECK(strcmp(t->name[k + 1], channels[k]) == 0);
        CHECK(strcmp(t->unit[k + 1], units[k]) == 0);
    }
    int wrong = 0;
    for (long i = 0; i < t->nrow; i++) {
        wrong += t->value[i * 4] != 0.25 * (double)i;
        for (int k = 0; k < 3; k++) wrong += t->value[i * 4 + 1 + k] != value_at(i, k); /* the same bits */
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(vg_data_find(t, "plain"), 3);
    CHECK_INT(vg_data_find(t, "plane"), -1);
}

static void round_trip(const char *ending)
{
    char *path = temporary(ending);
    vgResultsHead h = head();
    vgResults *r;
    CHECK_INT(vg_results_create(path, &h, NULL, &r), VG_OK);
    CHECK_INT(write_rows(r, 0, 5000), VG_OK); /* over one buffer and over several chunks */
    CHECK_INT(vg_results_close(r, "ok", "{\"steps\":5}", NULL), VG_OK);
    vgTableData *t;
    CHECK_INT(vg_data_read(path, NULL, &t), VG_OK);
    check_table(t, 5000);
    vg_data_free(t);
}

TEST(hdf5_round_trip)
{
    round_trip(".h5");
    char *path = temporary(".h5");
    vgTableData *t;
    CHECK_INT(vg_data_read(path, NULL, &t), VG_OK);
    CHECK(strcmp(t->title, "a title") == 0);
    CHECK(strcmp(t->status, "ok") == 0);
    vg_data_free(t);
    long nrow;
    int nbody;
    double *poses;
    char *scene;
    CHECK_INT(vg_data_poses(path, NULL, &nrow, &nbody, &poses, &scene), VG_OK);
    CHECK_INT(nrow, 5000);
    CHECK_INT(nbody, 2);
    CHECK_NEAR(poses[4321 * 14 + 9], 4321 * 14 + 9, 0);
    CHECK(strcmp(scene, "{\"planar\":false}") == 0);
    free(poses);
    free(scene);
    unlink(path);
}

TEST(csv_round_trip)
{
    round_trip(".csv");
    unlink(temporary(".csv"));
}

/* model text longer than an attribute can hold itself, no channels, no rows */
TEST(empty_and_long_text)
{
    char *path = temporary(".h5");
    size_t n = 300000;
    char *text = malloc(n + 1);
    memset(text, 'x', n);
    text[n] = 0;
    vgResultsHead h = {.model_text = text};
    vgResults *r;
    CHECK_INT(vg_results_create(path, &h, NULL, &r), VG_OK);
    CHECK_INT(vg_results_row(r, 1.5, NULL, NULL), VG_OK);
    CHECK_INT(vg_results_close(r, "failed", NULL, NULL), VG_OK);
    vgTableData *t;
    CHECK_INT(vg_data_read(path, NULL, &t), VG_OK);
    CHECK_INT(t->ncol, 1);
    CHECK_INT(t->nrow, 1);
    CHECK_NEAR(t->value[0], 1.5, 0);
    CHECK(strcmp(t->status, "failed") == 0);
    vg_data_free(t);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), at = H5Dopen2(file, "model_text", H5P_DEFAULT);
    hid_t type = H5Dget_type(at);
    char *back = calloc(n + 1, 1);
    CHECK_INT((long)H5Tget_size(type), (long)n);
    CHECK(back && H5Dread(at, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    CHECK(back && strcmp(back, text) == 0);
    free(back);
    H5Tclose(type);
    H5Dclose(at);
    H5Fclose(file);
    free(text);
    unlink(path);
}

/* A child writes and is killed without warning; the file must open and hold what was flushed. */
static void killed(const char *ending)
{
    char *path = temporary(ending);
    unlink(path);
    int flushed[2];
    CHECK(pipe(flushed) == 0);
    pid_t child = fork();
    if (child == 0) {
        vgResultsHead h = head();
        vgResults *r;
        if (vg_results_create(path, &h, NULL, &r) != VG_OK) _exit(1);
        for (long i = 0;; i += 100) {
            if (write_rows(r, i, 100) != VG_OK || vg_results_flush(r) != VG_OK) _exit(1);
            if (write(flushed[1], "", 1) != 1) _exit(1);
            nanosleep(&(struct timespec){0, 20 * 1000 * 1000}, NULL);
        }
    }
    close(flushed[1]);
    for (int i = 0; i < 5; i++) {
        char said;
        CHECK(read(flushed[0], &said, 1) == 1);
    }
    close(flushed[0]);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    vgTableData *t = NULL;
    CHECK_INT(vg_data_read(path, NULL, &t), VG_OK);
    if (t) {
        CHECK(t->nrow >= 100);
        check_table(t, t->nrow);
    }
    if (t && strcmp(ending, ".h5") == 0) CHECK(strcmp(t->status, "running") == 0);
    vg_data_free(t);
    unlink(path);
}

TEST(killed_run)
{
    killed(".h5");
    killed(".csv");
}

/* HDF5 writes by one of these; the child that counts is killed before the write that it was told. */
static long writes, last_write;
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    if (++writes == last_write) kill(getpid(), SIGKILL);
    return syscall(SYS_pwrite64, fd, bytes, n, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
    return pwrite(fd, bytes, n, at);
}

static int write_and_die(const char *path, long at, long *flushed)
{
    static const long batch[] = {100, 30, 1100, 2500, 1};
    pid_t child = fork();
    if (child == 0) {
        vgResultsHead h = head();
        vgResults *r;
        if (vg_results_create(path, &h, NULL, &r) != VG_OK) _exit(1);
        writes = 0;
        last_write = at;
        for (int i = 0; i < 5; i++) {
            if (write_rows(r, *flushed, batch[i]) != VG_OK || vg_results_flush(r) != VG_OK) _exit(1);
            *flushed += batch[i];
        }
        _exit(vg_results_close(r, "ok", "{}", NULL) == VG_OK ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) CHECK_INT(WEXITSTATUS(status), 0);
    return WIFSIGNALED(status);
}

/* Wherever in the writing the end comes: every row of the batches before is there, and none is wrong. */
TEST(killed_before_any_write)
{
    char *path = temporary(".h5");
    long *flushed = mmap(NULL, sizeof *flushed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(flushed != MAP_FAILED);
    long at = 1;
    for (int died = 1; died && at < 1000; at++) {
        unlink(path);
        *flushed = 0;
        died = write_and_die(path, at, flushed);
        vgTableData *t = NULL;
        CHECK_INT(vg_data_read(path, NULL, &t), VG_OK);
        if (!t) continue;
        CHECK(t->nrow >= *flushed);
        check_table(t, t->nrow);
        vg_data_free(t);
    }
    CHECK(at > 50 && at < 1000); /* the writes went through this function */
    munmap(flushed, sizeof *flushed);
    unlink(path);
}

static void check_bad(const char *ending, const char *text, const char *message)
{
    char *path = temporary(ending);
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
    vgDiag *diag = vg_diag_new();
    vgTableData *t;
    CHECK(vg_data_read(path, diag, &t) != VG_OK);
    CHECK(t == NULL);
    CHECK_STR(vg_diag_count(diag) ? vg_diag_line(diag, 0) : "", message);
    vg_diag_free(diag);
    unlink(path);
}

TEST(bad_files)
{
    check_bad(".csv", "time,a\n1,x\n", "csv:2:3: error: a number is expected");
    check_bad(".csv", "time,a\n1,2\n3\n", "csv:3:2: error: this line has fewer numbers");
    check_bad(".csv", "time,a\n1,2,3\n", "more fields than the header");
    check_bad(".csv", "", "no header line");
    check_bad(".h5", "this is no HDF5", "could not be opened as an HDF5 file");
    vgDiag *diag = vg_diag_new();
    vgTableData *t;
    CHECK_INT(vg_data_read("x.txt", diag, &t), VG_BAD_INPUT);
    CHECK_STR(vg_diag_line(diag, 0), "must end in .h5, .hdf5 or .csv");
    CHECK_INT(vg_data_read(temporary("/x.csv"), diag, &t), VG_BAD_INPUT); /* not there: the input is wrong */
    vgResultsHead h = head();
    vgResults *r;
    CHECK_INT(vg_results_create(temporary("/x.h5"), &h, diag, &r), VG_IO);
    CHECK_INT(vg_results_create(temporary("/x.csv"), &h, diag, &r), VG_IO);
    vg_diag_free(diag);
}

TEST(foreign_csv)
{
    char *path = temporary(".csv");
    FILE *file = fopen(path, "wb");
    fputs("# reference\r\ntime, x ,y [m]\r\n0, 1.5,2\r\n0.1,,3\r\n", file);
    fclose(file);
    vgTableData *t = NULL;
    CHECK_INT(vg_data_read(path, NULL, &t), VG_OK);
    if (!t) return;
    CHECK_INT(t->nrow, 2);
    CHECK(strcmp(t->name[1], "x") == 0);
    CHECK(strcmp(t->unit[2], "m") == 0);
    CHECK_NEAR(t->value[1], 1.5, 0);
    CHECK(isnan(t->value[4]));
    CHECK_NEAR(t->value[5], 3, 0);
    vg_data_free(t);
    unlink(path);
}

TEST_MAIN(hdf5_round_trip, csv_round_trip, empty_and_long_text, killed_run, killed_before_any_write,
          bad_files, foreign_csv)
