/* HDF5 results by base/h5. Rows come in batches; after each the file is whole, so that a killed process leaves it as it
 * was after the last batch. Texts are of fixed size; those that no attribute can hold are datasets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5.h"
#include "io/results.h"
#include "io/results_format.h"
#include "verge/version.h"

typedef struct h5File {
    vgH5Out *out;
    vgH5Rows *time, *data, *poses;
    int nbody;
} h5File;

static void put_text(h5File *h5, vgH5Group *group, const char *name, const char *text)
{
    vg_h5_put_text(h5->out, group, name, text ? text : "");
}

static int put_head(h5File *h5, const vgResultsHead *head)
{
    vgH5Group *top = vg_h5_top(h5->out), *view = vg_h5_group(h5->out, top, "view");
    const uint64_t one[1] = {0}, row[2] = {0, (uint64_t)head->nchannel},
                   pose[3] = {0, (uint64_t)head->nbody, 7};
    h5->nbody = head->nbody;
    h5->time = vg_h5_put_rows(h5->out, top, "time", 1, one);
    h5->data = vg_h5_put_rows(h5->out, top, "data", 2, row);
    if (head->nbody) h5->poses = vg_h5_put_rows(h5->out, view, "poses", 3, pose);
    put_text(h5, top, "verge_version", VERGE_VERSION_STRING);
    put_text(h5, top, "title", head->title);
    put_text(h5, top, "model_text", head->model_text);
    put_text(h5, top, "coordinates", head->coordinates);
    put_text(h5, top, "constraints", head->constraints);
    put_text(h5, top, "integrator", head->integrator);
    put_text(h5, top, "statistics", "{}");
    put_text(h5, top, "status", "running");
    vg_h5_put_texts(h5->out, top, "channels", head->nchannel, head->channel);
    vg_h5_put_texts(h5->out, top, "units", head->nchannel, head->unit);
    vg_h5_put_texts(h5->out, view, "bodies", head->nbody, head->body);
    put_text(h5, view, "scene", head->scene ? head->scene : "{}");
    return vg_h5_commit(h5->out);
}

static void *h5_create(vgOutput *output, const vgResultsHead *head)
{
    h5File *h5 = calloc(1, sizeof *h5);
    if (h5) h5->out = vg_h5_create(output);
    if (h5 && h5->out && put_head(h5, head)) return h5;
    if (h5) vg_h5_discard(h5->out);
    free(h5);
    return NULL;
}

static vgStatus h5_write(void *file, long n, const double *time, const double *values, const double *poses)
{
    h5File *h5 = file;
    vg_h5_append(h5->out, h5->data, (uint64_t)n, values);
    if (h5->nbody) vg_h5_append(h5->out, h5->poses, (uint64_t)n, poses);
    vg_h5_append(h5->out, h5->time, (uint64_t)n, time); /* a row is there when its time is */
    return vg_h5_good(h5->out) ? VG_OK : VG_IO;
}

static vgStatus h5_close(void *file, const char *status, const char *statistics)
{
    h5File *h5 = file;
    put_text(h5, vg_h5_top(h5->out), "statistics", statistics);
    put_text(h5, vg_h5_top(h5->out), "status", status);
    int ok = vg_h5_finish(h5->out);
    free(h5);
    return ok ? VG_OK : VG_IO;
}

static void put_matrix(vgH5Out *out, const vgNamedMatrix *x)
{
    const uint64_t size[2] = {(uint64_t)x->m, x->n < 0 ? 1 : (uint64_t)x->n};
    if (x->text)
        vg_h5_put_texts(out, vg_h5_top(out), x->name, x->m, x->text);
    else
        vg_h5_put_numbers(out, vg_h5_top(out), x->name, x->n < 0 ? 1 : 2, size, x->value);
}

vgStatus vg_matrices_write(const char *path, const char *title, int n, const vgNamedMatrix *x)
{
    vgOutput output;
    if (!vg_output_open(&output, path)) return VG_IO;
    vgH5Out *out = vg_h5_create(&output);
    if (out) {
        vg_h5_put_text(out, vg_h5_top(out), "verge_version", VERGE_VERSION_STRING);
        vg_h5_put_text(out, vg_h5_top(out), "title", title ? title : "");
        for (int i = 0; i < n; i++) put_matrix(out, &x[i]);
    }
    return vg_h5_end(out, &output);
}

/* ---- reading ---- */

typedef struct h5Input {
    vgH5 *file;
    const char *path;
    vgDiag *diag;
} h5Input;

/* One report for what is wrong with a part of the file. */
static vgStatus bad_part(const h5Input *in, const char *part, vgStatus status)
{
    if (status == VG_NO_MEMORY)
        vg_diag_error(in->diag, VG_NOWHERE, "'%s': out of memory", in->path);
    else if (status != VG_OK)
        vg_diag_error(in->diag, VG_NOWHERE, "'%s' is damaged or not a results file of Verge: '%s': %s",
                      in->path, part, vg_h5_why(in->file));
    return status;
}

/* A dataset by its name in a group. */
static vgStatus open_set(const h5Input *in, vgH5Object group, const char *name, int rank, vgH5Set *set)
{
    vgH5Object at = VG_H5_NONE;
    *set = (vgH5Set){0};
    vgStatus status = vg_h5_find(in->file, group, name, &at);
    if (status != VG_OK) return bad_part(in, name, status);
    if (at == VG_H5_NONE) {
        vg_diag_error(in->diag, VG_NOWHERE, "'%s' is not a results file of Verge: it has no '%s'", in->path,
                      name);
        return VG_BAD_INPUT;
    }
    status = vg_h5_set(in->file, at, set);
    if (status != VG_OK || set->rank == rank) return bad_part(in, name, status);
    vg_h5_set_free(set);
    vg_diag_error(in->diag, VG_NOWHERE, "'%s' is not a results file of Verge: '%s' has %d dimensions",
                  in->path, name, set->rank);
    return VG_BAD_INPUT;
}

/* n texts of a dataset into out[1…n]. */
static vgStatus get_texts(const h5Input *in, const char *name, uint64_t n, char **out)
{
    vgH5Set set;
    uint64_t found = 0;
    char **text = NULL;
    vgStatus status = open_set(in, vg_h5_root(in->file), name, 1, &set);
    if (status != VG_OK) return status;
    status = bad_part(in, name, vg_h5_texts(in->file, &set, &found, &text));
    vg_h5_set_free(&set);
    if (status == VG_OK && found != n) {
        vg_diag_error(in->diag, VG_NOWHERE, "'%s' is not a results file of Verge: %llu names of %llu '%s'",
                      in->path, (unsigned long long)found, (unsigned long long)n, name);
        status = VG_BAD_INPUT;
    }
    for (uint64_t i = 0; text && i < found; i++) {
        if (status == VG_OK)
            out[i + 1] = text[i];
        else
            free(text[i]);
    }
    free(text);
    return status;
}

/* Time and data, block by block, into one row-major table. */
static vgStatus get_rows(const h5Input *in, vgH5Set *time, vgH5Set *data, vgTableData *table)
{
    enum { BLOCK = 1 << 19 };
    uint64_t rows =
        time->size[0] < data->size[0] ? time->size[0] : data->size[0]; /* killed between two writes */
    size_t width = (size_t)data->width, ncol = width + 1, many = ncol < BLOCK ? BLOCK / ncol : 1;
    if (data->width >= VG_TABLE_MAX_COLUMNS || rows > VG_TABLE_MAX_BYTES / sizeof(double) / ncol) {
        vg_diag_error(in->diag, VG_NOWHERE, "'%s' is too large: %llu rows of %zu numbers", in->path,
                      (unsigned long long)rows, ncol);
        return VG_LIMIT;
    }
    double *block = malloc(many * ncol * sizeof *block);
    table->nrow = (long)rows;
    table->value = malloc(((size_t)rows * ncol + 1) * sizeof(double));
    vgStatus status = block && table->value && vg_data_columns(table, (int)ncol) ? VG_OK : VG_NO_MEMORY;
    bad_part(in, "", status);
    for (size_t first = 0; first < rows && status == VG_OK; first += many) {
        size_t n = (size_t)rows - first < many ? (size_t)rows - first : many;
        double *to = table->value + first * ncol;
        status = bad_part(in, "time", vg_h5_rows(in->file, time, first, n, block));
        if (status == VG_OK) status = bad_part(in, "data", vg_h5_rows(in->file, data, first, n, block + n));
        for (size_t i = 0; i < n && status == VG_OK; i++) {
            to[i * ncol] = block[i];
            memcpy(to + i * ncol + 1, block + n + i * width, width * sizeof *to);
        }
    }
    free(block);
    if (status == VG_OK) status = bad_part(in, "time", vg_h5_check(in->file, time));
    if (status == VG_OK) status = bad_part(in, "data", vg_h5_check(in->file, data));
    return status;
}

/* Rows of a killed run of an older version that were announced, but not written, read as zeros: they are left out. */
static void cut_unwritten(vgTableData *table)
{
    for (long i = 1; i < table->nrow; i++) {
        double t = table->value[i * table->ncol], before = table->value[(i - 1) * table->ncol];
        if (t < before || (t == 0 && before == 0)) table->nrow = i;
    }
}

static vgStatus get_text(const h5Input *in, vgH5Object at, const char *name, char **out)
{
    vgStatus status = bad_part(in, name, vg_h5_text(in->file, at, name, out));
    if (status == VG_OK && !*out) *out = vg_results_strdup("", 0);
    return status == VG_OK && !*out ? bad_part(in, name, VG_NO_MEMORY) : status;
}

static vgStatus read_open(const h5Input *in, vgTableData *table)
{
    vgH5Set time = {0}, data = {0};
    vgStatus status = open_set(in, vg_h5_root(in->file), "time", 1, &time);
    if (status == VG_OK) status = open_set(in, vg_h5_root(in->file), "data", 2, &data);
    if (status == VG_OK) status = get_rows(in, &time, &data, table);
    int summed = time.has_sum;
    vg_h5_set_free(&time);
    vg_h5_set_free(&data);
    if (status != VG_OK) return status;
    table->name[0] = vg_results_strdup("time", 4);
    table->unit[0] = vg_results_strdup("s", 1);
    uint64_t n = (uint64_t)table->ncol - 1;
    status = table->name[0] && table->unit[0] ? VG_OK : bad_part(in, "", VG_NO_MEMORY);
    if (status == VG_OK) status = get_texts(in, "channels", n, table->name);
    if (status == VG_OK) status = get_texts(in, "units", n, table->unit);
    if (status == VG_OK) status = get_text(in, vg_h5_root(in->file), "title", &table->title);
    if (status == VG_OK) status = get_text(in, vg_h5_root(in->file), "status", &table->status);
    if (status == VG_OK && !summed && !strcmp(table->status, "running")) cut_unwritten(table);
    return status;
}

static vgStatus open_file(const char *path, vgDiag *diag, h5Input *in)
{
    const char *why;
    *in = (h5Input){NULL, path, diag};
    vgStatus status = vg_h5_open(path, &in->file, &why);
    if (status != VG_OK)
        vg_diag_error(diag, VG_NOWHERE, "'%s' could not be opened as an HDF5 file: %s", path, why);
    return status;
}

static vgStatus h5_read(const char *path, vgDiag *diag, vgTableData *table)
{
    h5Input in;
    vgStatus status = open_file(path, diag, &in);
    if (status == VG_OK) status = read_open(&in, table);
    vg_h5_close(in.file);
    return status;
}

static vgStatus read_poses(const h5Input *in, long *nrow, int *nbody, double **poses, char **scene)
{
    vgH5Object view = VG_H5_NONE;
    vgH5Set set = {0};
    vgStatus status = bad_part(in, "view", vg_h5_find(in->file, vg_h5_root(in->file), "view", &view));
    if (status == VG_OK && view == VG_H5_NONE) {
        vg_diag_error(in->diag, VG_NOWHERE, "'%s' has no poses to view", in->path);
        return VG_BAD_INPUT;
    }
    if (status == VG_OK) status = open_set(in, view, "poses", 3, &set);
    if (status != VG_OK) return status;
    int fits = set.size[2] == 7 && set.size[1] < VG_TABLE_MAX_COLUMNS &&
               set.size[0] <= VG_TABLE_MAX_BYTES / sizeof(double) / (set.width ? set.width : 1);
    double *values = fits ? malloc((size_t)(set.size[0] * set.width + 1) * sizeof *values) : NULL;
    status = values ? VG_OK : fits ? VG_NO_MEMORY : VG_BAD_INPUT;
    if (status != VG_OK) vg_diag_error(in->diag, VG_NOWHERE, "'%s' has no poses to view", in->path);
    if (status == VG_OK)
        status = bad_part(in, "view/poses", vg_h5_rows(in->file, &set, 0, set.size[0], values));
    if (status == VG_OK) status = bad_part(in, "view/poses", vg_h5_check(in->file, &set));
    if (status == VG_OK) status = get_text(in, view, "scene", scene);
    vg_h5_set_free(&set);
    if (status == VG_OK)
        *poses = values, *nrow = (long)set.size[0], *nbody = (int)set.size[1];
    else
        free(values);
    return status;
}

vgStatus vg_data_poses(const char *path, vgDiag *diag, long *nrow, int *nbody, double **poses, char **scene)
{
    h5Input in;
    *nrow = 0;
    *nbody = 0;
    *poses = NULL;
    *scene = NULL;
    vgStatus status = open_file(path, diag, &in);
    if (status == VG_OK) status = read_poses(&in, nrow, nbody, poses, scene);
    vg_h5_close(in.file);
    return status;
}

const vgResultsFormat vg_results_h5 = {".h5", h5_create, h5_write, h5_close, h5_read};
const vgResultsFormat vg_results_hdf5 = {".hdf5", h5_create, h5_write, h5_close, h5_read};
