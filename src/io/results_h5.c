/* HDF5 results. Rows reach HDF5 only in batches, each followed by a flush, so that a killed process leaves
 * the file as it was after the last batch. Strings are of variable length: they live in the heap and may be
 * longer than the 64 KiB an attribute can hold itself. */
#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/h5_quiet.h"
#include "io/results.h"
#include "io/results_format.h"
#include "verge/version.h"

typedef struct h5File {
    hid_t file, time, data, poses;
    hsize_t rows, nchannel, nbody;
} h5File;

void vg_results_quiet(void)
{
    H5dont_atexit(); /* every file is closed by then; one that could not be, on a full disk, crashes there */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static hid_t string_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static int put_attribute(hid_t at, const char *name, const char *text)
{
    if (!text) text = "";
    hid_t type = string_type(), space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT)
                                              : H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = attribute >= 0 && H5Awrite(attribute, type, &text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static int put_strings(hid_t file, const char *name, int n, const char *const *strings)
{
    hsize_t size = (hsize_t)n;
    hid_t type = string_type(), space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, strings) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

/* An extendible dataset of doubles [0 × width…], in chunks of about 64 KiB. */
static hid_t make_rows(hid_t file, const char *name, int rank, hsize_t n1, hsize_t n2)
{
    hsize_t width = (rank > 1 ? n1 : 1) * (rank > 2 ? n2 : 1);
    hsize_t many = width ? 8192 / width : 4096;
    hsize_t dims[3] = {0, n1, n2}, max[3] = {H5S_UNLIMITED, n1, n2};
    hsize_t chunk[3] = {many < 1 ? 1 : many > 1024 ? 1024 : many, n1 ? n1 : 1, n2 ? n2 : 1};
    if (rank == 2 && n1 == 0) max[1] = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(rank, dims, max), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, rank, chunk);
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static int append(hid_t set, int rank, hsize_t from, hsize_t n, hsize_t n1, hsize_t n2, const double *values)
{
    hsize_t dims[3] = {from + n, n1, n2}, start[3] = {from, 0, 0}, count[3] = {n, n1, n2};
    if (H5Dset_extent(set, dims) < 0) return 0;
    if (rank > 1 && n1 == 0) return 1;
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, count, NULL);
    int ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
             H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return ok;
}

/* The file's superblock (version 0) has the end of the file at byte 40, and a reader refuses data beyond it. HDF5
 * writes that number last: a process killed just before would leave samples that cannot be read. Therefore the
 * file is extended and the number is set before anything is written, and both are corrected afterwards. */
static void tell_end(h5File *h5, size_t more)
{
    enum { AT = 40, OFFSETS = 13, VERSION = 8 };
    void *handle = NULL;
    hsize_t size = 0;
    unsigned char head[16];
    if (H5Fget_vfd_handle(h5->file, H5P_DEFAULT, &handle) < 0 || H5Fget_filesize(h5->file, &size) < 0) return;
    int fd = *(int *)handle;
    if (pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head || head[VERSION] != 0 || head[OFFSETS] != 8)
        return;
    unsigned char end[8]; /* the lowest byte first */
    for (int i = 0; i < 8; i++) end[i] = (unsigned char)((size + more) >> 8 * i);
    if (more && ftruncate(fd, (off_t)(size + more)) != 0) return; /* a hole: takes no place on the disk */
    if (pwrite(fd, end, sizeof end, AT) != (ssize_t)sizeof end) return;
    if (!more && ftruncate(fd, (off_t)size) != 0) return;
}

/* If the disk is full, HDF5 still records an end that the file does not reach, and its reader would refuse the
 * samples that are there. The number is set to the real end; fd is a copy, for use after the close. */
static void tell_true_end(int fd)
{
    struct stat file;
    unsigned char head[48];
    uint64_t told = 0;
    if (fstat(fd, &file) != 0 || pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head) return;
    for (int i = 0; i < 8; i++) told |= (uint64_t)head[40 + i] << 8 * i;
    if (head[8] != 0 || head[13] != 8 || told <= (uint64_t)file.st_size) return;
    for (int i = 0; i < 8; i++) head[40 + i] = (unsigned char)((uint64_t)file.st_size >> 8 * i);
    if (pwrite(fd, head + 40, 8, 40) != 8) return;
}

static int copy_of_handle(const h5File *h5)
{
    void *handle = NULL;
    return H5Fget_vfd_handle(h5->file, H5P_DEFAULT, &handle) < 0 ? -1 : dup(*(int *)handle);
}

enum { ROOM = 1 << 20 }; /* for what HDF5 keeps beside the rows of a batch */

/* A row that is written and taken back: from then on the list of a dataset's chunks is in the file, and never
 * named before it is. */
static int begin_rows(h5File *h5)
{
    double *none = calloc(1 + h5->nchannel + 7 * h5->nbody, sizeof *none);
    hid_t set[3] = {h5->time, h5->data, h5->poses};
    hsize_t dims[3][3] = {{0, 0, 0}, {0, h5->nchannel, 0}, {0, h5->nbody, 7}};
    int ok = none != NULL;
    for (int i = 0; i < 3 && ok; i++)
        if (set[i] >= 0) ok = append(set[i], i + 1, 0, 1, dims[i][1], dims[i][2], none);
    ok = ok && H5Fflush(h5->file, H5F_SCOPE_GLOBAL) >= 0;
    for (int i = 0; i < 3 && ok; i++)
        if (set[i] >= 0) ok = H5Dset_extent(set[i], dims[i]) >= 0;
    free(none);
    return ok;
}

static int put_head(h5File *h5, const vgResultsHead *head)
{
    hid_t view = H5Gcreate2(h5->file, "view", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    h5->time = make_rows(h5->file, "time", 1, 0, 0);
    h5->data = make_rows(h5->file, "data", 2, h5->nchannel, 0);
    h5->poses = h5->nbody ? make_rows(h5->file, "view/poses", 3, h5->nbody, 7) : -1;
    int ok = view >= 0 && h5->time >= 0 && h5->data >= 0 && (h5->poses >= 0 || !h5->nbody);
    ok = ok && put_attribute(h5->file, "verge_version", VERGE_VERSION_STRING);
    ok = ok && put_attribute(h5->file, "title", head->title);
    ok = ok && put_attribute(h5->file, "model_text", head->model_text);
    ok = ok && put_attribute(h5->file, "coordinates", head->coordinates);
    ok = ok && put_attribute(h5->file, "constraints", head->constraints);
    ok = ok && put_attribute(h5->file, "integrator", head->integrator);
    ok = ok && put_attribute(h5->file, "statistics", "{}");
    ok = ok && put_attribute(h5->file, "status", "running");
    ok = ok && put_strings(h5->file, "channels", head->nchannel, head->channel);
    ok = ok && put_strings(h5->file, "units", head->nchannel, head->unit);
    ok = ok && put_strings(h5->file, "view/bodies", head->nbody, head->body);
    ok = ok && put_attribute(view, "scene", head->scene ? head->scene : "{}");
    if (view >= 0) H5Gclose(view);
    ok = ok && begin_rows(h5);
    return ok && H5Fflush(h5->file, H5F_SCOPE_GLOBAL) >= 0;
}

static int close_all(h5File *h5)
{
    if (h5->time >= 0) H5Dclose(h5->time);
    if (h5->data >= 0) H5Dclose(h5->data);
    if (h5->poses >= 0) H5Dclose(h5->poses);
    int ok = H5Fclose(h5->file) >= 0;
    free(h5);
    return ok;
}

static void *h5_create(const char *path, const vgResultsHead *head)
{
    h5File *h5 = calloc(1, sizeof *h5);
    if (!h5) return NULL;
    vgH5Quiet quiet = vg_h5_quiet_begin();
    h5->nchannel = (hsize_t)head->nchannel;
    h5->nbody = (hsize_t)head->nbody;
    h5->time = h5->data = h5->poses = -1;
    h5->file = vg_results_free(path) ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : -1;
    if (h5->file < 0) {
        free(h5);
        h5 = NULL;
    } else if (!put_head(h5, head)) {
        close_all(h5);
        h5 = NULL;
    }
    vg_h5_quiet_end(quiet);
    return h5;
}

static vgStatus h5_write(void *file, long n, const double *time, const double *values, const double *poses)
{
    h5File *h5 = file;
    vgH5Quiet quiet = vg_h5_quiet_begin();
    hsize_t m = (hsize_t)n;
    size_t more = 2 * (size_t)n * (1 + h5->nchannel + 7 * h5->nbody) * sizeof(double) + ROOM;
    tell_end(h5, more);
    int ok = append(h5->data, 2, h5->rows, m, h5->nchannel, 0, values);
    if (ok && h5->nbody) ok = append(h5->poses, 3, h5->rows, m, h5->nbody, 7, poses);
    ok = ok && H5Fflush(h5->file, H5F_SCOPE_GLOBAL) >= 0;
    tell_end(h5, more); /* a row is there when its time is */
    ok = ok && append(h5->time, 1, h5->rows, m, 0, 0, time);
    ok = ok && H5Fflush(h5->file, H5F_SCOPE_GLOBAL) >= 0;
    tell_end(h5, 0);
    h5->rows += m;
    vg_h5_quiet_end(quiet);
    return ok ? VG_OK : VG_IO;
}

static vgStatus h5_close(void *file, const char *status, const char *statistics)
{
    h5File *h5 = file;
    vgH5Quiet quiet = vg_h5_quiet_begin();
    int fd = copy_of_handle(h5);
    tell_end(h5, ROOM + strlen(statistics));
    int ok = put_attribute(h5->file, "statistics", statistics);
    ok = put_attribute(h5->file, "status", status) && ok;
    ok = H5Fflush(h5->file, H5F_SCOPE_GLOBAL) >= 0 && ok;
    tell_end(h5, 0);
    ok = close_all(h5) && ok;
    if (fd >= 0) {
        if (!ok) tell_true_end(fd);
        close(fd);
    }
    vg_h5_quiet_end(quiet);
    return ok ? VG_OK : VG_IO;
}

static int put_matrix(hid_t file, const vgNamedMatrix *x)
{
    hsize_t size[2] = {(hsize_t)x->m, x->n < 0 ? 1 : (hsize_t)x->n};
    if (x->text) return put_strings(file, x->name, x->m, x->text);
    hid_t space = H5Screate_simple(x->n < 0 ? 1 : 2, size, NULL);
    hid_t set = H5Dcreate2(file, x->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = set >= 0 && (size[0] * size[1] == 0 ||
                          H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x->value) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return ok;
}

vgStatus vg_matrices_write(const char *path, const char *title, int n, const vgNamedMatrix *x)
{
    vgH5Quiet quiet = vg_h5_quiet_begin();
    hid_t file = vg_results_free(path) ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : -1;
    int ok = file >= 0 && put_attribute(file, "verge_version", VERGE_VERSION_STRING);
    ok = ok && put_attribute(file, "title", title);
    for (int i = 0; ok && i < n; i++) ok = put_matrix(file, &x[i]);
    if (file >= 0) ok = H5Fclose(file) >= 0 && ok;
    vg_h5_quiet_end(quiet);
    return ok ? VG_OK : VG_IO;
}

/* ---- reading ---- */

static char *get_attribute(hid_t at, const char *name)
{
    char *found = NULL, *copy = NULL;
    hid_t type = string_type(), attribute = H5Aopen(at, name, H5P_DEFAULT);
    hid_t stored = attribute >= 0 ? H5Aget_type(attribute) : -1;
    if (stored >= 0 && H5Tis_variable_str(stored) > 0 && H5Aread(attribute, type, &found) >= 0 && found) {
        copy = vg_results_strdup(found, strlen(found));
        H5free_memory(found);
    }
    if (stored >= 0) H5Tclose(stored);
    if (attribute >= 0) H5Aclose(attribute);
    H5Tclose(type);
    return copy ? copy : vg_results_strdup("", 0);
}

static int dims_of(hid_t set, int rank, hsize_t *dims)
{
    hid_t space = H5Dget_space(set);
    int ok = space >= 0 && H5Sget_simple_extent_ndims(space) == rank;
    if (ok) H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0) H5Sclose(space);
    return ok;
}

/* Copies n strings of a dataset into out[1…n]. */
static int get_strings(hid_t file, const char *name, hsize_t n, char **out)
{
    hsize_t size = 0;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = string_type();
    hid_t stored = set >= 0 ? H5Dget_type(set) : -1;
    char **found = calloc((size_t)n + 1, sizeof *found);
    int ok = found && stored >= 0 && dims_of(set, 1, &size) && size == n && H5Tis_variable_str(stored) > 0;
    ok = ok && (n == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    for (hsize_t i = 0; ok && i < n; i++) {
        out[i + 1] = vg_results_strdup(found[i] ? found[i] : "", found[i] ? strlen(found[i]) : 0);
        ok = out[i + 1] != NULL;
    }
    for (hsize_t i = 0; found && i < n; i++) {
        if (found[i]) H5free_memory(found[i]);
    }
    free(found);
    if (stored >= 0) H5Tclose(stored);
    if (set >= 0) H5Dclose(set);
    H5Tclose(type);
    return ok;
}

static vgStatus get_rows(hid_t time, hid_t data, vgTableData *table)
{
    hsize_t nt = 0, nd[2] = {0, 0};
    if (!dims_of(time, 1, &nt) || !dims_of(data, 2, nd) || nd[1] >= VG_TABLE_MAX_COLUMNS) return VG_BAD_INPUT;
    hsize_t rows = nt < nd[0] ? nt : nd[0]; /* killed between two writes */
    size_t ncol = (size_t)nd[1] + 1;
    if (rows > VG_TABLE_MAX_BYTES / sizeof(double) / ncol) return VG_LIMIT;
    table->nrow = (long)rows;
    table->value = malloc(((size_t)rows * ncol + 1) * sizeof(double));
    if (!table->value || !vg_data_columns(table, (int)ncol)) return VG_NO_MEMORY;
    if (rows == 0) return VG_OK;
    /* both land in one row-major table through a memory hyperslab */
    hsize_t whole[2] = {rows, ncol}, zero[2] = {0, 0}, t_count[2] = {rows, 1}, d_start[2] = {0, 1};
    hsize_t d_count[2] = {rows, nd[1]};
    hid_t memory = H5Screate_simple(2, whole, NULL), ts = H5Dget_space(time), ds = H5Dget_space(data);
    H5Sselect_hyperslab(memory, H5S_SELECT_SET, zero, NULL, t_count, NULL);
    H5Sselect_hyperslab(ts, H5S_SELECT_SET, zero, NULL, &rows, NULL);
    int ok = H5Dread(time, H5T_NATIVE_DOUBLE, memory, ts, H5P_DEFAULT, table->value) >= 0;
    if (nd[1] > 0) {
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, d_start, NULL, d_count, NULL);
        H5Sselect_hyperslab(ds, H5S_SELECT_SET, zero, NULL, d_count, NULL);
        ok = ok && H5Dread(data, H5T_NATIVE_DOUBLE, memory, ds, H5P_DEFAULT, table->value) >= 0;
    }
    H5Sclose(memory);
    H5Sclose(ts);
    H5Sclose(ds);
    return ok ? VG_OK : VG_IO;
}

/* Rows of a killed run that were announced, but not written, read as zeros: they are left out. */
static void cut_unwritten(vgTableData *table)
{
    for (long i = 1; i < table->nrow; i++) {
        double t = table->value[i * table->ncol], before = table->value[(i - 1) * table->ncol];
        if (t < before || (t == 0 && before == 0)) table->nrow = i;
    }
}

static hid_t open_file(const char *path, vgDiag *diag)
{
    hid_t file = vg_file_wrong(path) ? -1 : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) vg_diag_error(diag, VG_NOWHERE, "'%s' could not be opened as an HDF5 file", path);
    return file;
}

static vgStatus read_open(hid_t file, const char *path, vgDiag *diag, vgTableData *table)
{
    hid_t time = H5Dopen2(file, "time", H5P_DEFAULT), data = H5Dopen2(file, "data", H5P_DEFAULT);
    vgStatus status = time >= 0 && data >= 0 ? get_rows(time, data, table) : VG_BAD_INPUT;
    if (status == VG_OK) {
        table->name[0] = vg_results_strdup("time", 4);
        table->unit[0] = vg_results_strdup("s", 1);
        hsize_t n = (hsize_t)table->ncol - 1;
        if (!get_strings(file, "channels", n, table->name) || !get_strings(file, "units", n, table->unit) ||
            !table->name[0] || !table->unit[0]) {
            status = VG_BAD_INPUT;
        }
    }
    table->title = get_attribute(file, "title");
    table->status = get_attribute(file, "status");
    if (status == VG_OK && table->status && !strcmp(table->status, "running")) cut_unwritten(table);
    if (status == VG_BAD_INPUT)
        vg_diag_error(diag, VG_NOWHERE, "'%s' is not a results file of Verge", path);
    else if (status != VG_OK)
        vg_diag_error(diag, VG_NOWHERE, "'%s': %s", path, vg_status_text(status));
    if (time >= 0) H5Dclose(time);
    if (data >= 0) H5Dclose(data);
    return status;
}

static vgStatus h5_read(const char *path, vgDiag *diag, vgTableData *table)
{
    vgH5Quiet quiet = vg_h5_quiet_begin();
    hid_t file = open_file(path, diag);
    vgStatus status = file >= 0 ? read_open(file, path, diag, table) : VG_IO;
    if (file >= 0) H5Fclose(file);
    vg_h5_quiet_end(quiet);
    return status;
}

static vgStatus read_poses(hid_t file, long *nrow, int *nbody, double **poses, char **scene)
{
    hsize_t dims[3] = {0, 0, 0};
    hid_t view = H5Gopen2(file, "view", H5P_DEFAULT), set = H5Dopen2(file, "view/poses", H5P_DEFAULT);
    vgStatus status = VG_BAD_INPUT;
    if (view >= 0 && set >= 0 && dims_of(set, 3, dims) && dims[2] == 7 && dims[1] < VG_TABLE_MAX_COLUMNS) {
        int fits = dims[0] <= VG_TABLE_MAX_BYTES / sizeof(double) / 7 / (dims[1] ? dims[1] : 1);
        double *values = fits ? malloc((size_t)(dims[0] * dims[1] * 7 + 1) * sizeof *values) : NULL;
        status = values ? VG_OK : VG_NO_MEMORY;
        if (values && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            status = VG_IO;
        if (status == VG_OK) {
            *poses = values;
            *nrow = (long)dims[0];
            *nbody = (int)dims[1];
            *scene = get_attribute(view, "scene");
        } else {
            free(values);
        }
    }
    if (set >= 0) H5Dclose(set);
    if (view >= 0) H5Gclose(view);
    return status;
}

vgStatus vg_data_poses(const char *path, vgDiag *diag, long *nrow, int *nbody, double **poses, char **scene)
{
    *nrow = 0;
    *nbody = 0;
    *poses = NULL;
    *scene = NULL;
    vgH5Quiet quiet = vg_h5_quiet_begin();
    hid_t file = open_file(path, diag);
    vgStatus status = file >= 0 ? read_poses(file, nrow, nbody, poses, scene) : VG_IO;
    if (file >= 0 && status != VG_OK) vg_diag_error(diag, VG_NOWHERE, "'%s' has no poses to view", path);
    if (file >= 0) H5Fclose(file);
    vg_h5_quiet_end(quiet);
    return status;
}

const vgResultsFormat vg_results_h5 = {".h5", h5_create, h5_write, h5_close, h5_read};
const vgResultsFormat vg_results_hdf5 = {".hdf5", h5_create, h5_write, h5_close, h5_read};
